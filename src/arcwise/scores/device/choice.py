"""Where scores are made: on the processor, on a card, or where it is quicker."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.scores.definitions import PythonScore, Score
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.cuda_card import CudaCard, why_no_card
from arcwise.scores.device.numpy_card import Card
from arcwise.scores.device.table import DeviceTable
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from arcwise.support.messages import Setting
from arcwise.support.names import one_of

__all__ = ["DEVICES", "OnDevice", "checked_device", "on_device"]

DEVICES = ("cpu", "gpu", "auto")
"""Where scores are made."""

# A first sweep that takes the processor no longer than this is not worth a look at the card.
_SHORT = 0.2
# Families of the batch by which it is measured what one more costs.
_MEASURED = 256


@dataclass(frozen=True, eq=False)
class OnDevice:
    """What makes scores, and why.

    Attributes
    ----------
    core
        The kernel.
    answers
        What answers its batches on a card; None on the processor.
    reason
        Why, in words; None where nothing was asked for.
    """

    core: _core.LocalScore
    answers: DeviceAnswers | None = None
    reason: str | None = None


def checked_device(device: str) -> str:
    """Return the name of a device; refuse a card that is not there, before long work."""
    one_of("device", device, DEVICES)
    if device == "gpu" and (missing := why_no_card()) is not None:
        raise ParameterError("no card can be used: ", f"{missing}; or take ", Setting("device", "cpu"))
    return device


def on_device(core: _core.LocalScore, table: Dataset, score: Score, cache_bytes: int, device: str) -> OnDevice:
    """Return what makes the scores of a table.

    Parameters
    ----------
    core
        The kernel on the processor.
    table
        The table as it is counted.
    score
        The score, without what `Adjusted` adds to it.
    cache_bytes
        What its cache may take.
    device
        One of `DEVICES`.

    Raises
    ------
    ParameterError
        If a card is asked for that is not there, or that cannot score this table.
    """
    checked_device(device)
    if device == "cpu":
        return OnDevice(core)
    is_asked_for = device == "gpu"
    unsuited = _unsuited(table, score) or (None if is_asked_for else why_no_card())
    if unsuited is not None:
        if is_asked_for:
            raise ParameterError(f"{unsuited}; take ", Setting("device", "cpu"))
        return OnDevice(core, reason=f"cpu: {unsuited}")
    n_pairs = table.n_variables**2
    by_cores = n_pairs * core.seconds_per_addition(0) / usable_cores()
    if not is_asked_for and by_cores < _SHORT:
        return OnDevice(core, reason=f"cpu: a sweep over all pairs takes it about {by_cores:.2g} s")
    try:
        answers = DeviceAnswers(DeviceTable(table, _card()), score, core.rounding)
        per_batch, per_addition = _measured(answers, table.n_variables)
    except ParameterError as error:
        if is_asked_for:
            raise
        return OnDevice(core, reason=f"cpu: {error}")
    by_card = per_batch + n_pairs * per_addition
    reason = f"a sweep over all pairs takes {answers.card.name} about {by_card:.2g} s, the processor {by_cores:.2g} s"
    if not is_asked_for and by_card >= by_cores:
        return OnDevice(core, reason=f"cpu: {reason}")
    batched = _core.score_with_batches(core, answers, per_batch, per_addition, cache_bytes)
    return OnDevice(batched, answers, f"gpu: {reason}")


def _card() -> Card:
    return CudaCard()


def _unsuited(table: Dataset, score: Score) -> str | None:
    """Return why a card cannot score this, in words; None where it can."""
    if table.kind != "discrete":
        return f"a card scores discrete tables, not {table.kind} ones"
    if table.has_gaps or table.interventions is not None:
        return f"a card scores tables without {'gaps' if table.has_gaps else 'interventions'}"
    if isinstance(score, PythonScore):
        return f"a card makes the scores that are built in, not {score.name}"
    return None


def _measured(answers: DeviceAnswers, n_variables: int) -> tuple[float, float]:
    """Return the seconds that a batch takes whatever its size, and those of each addition, measured."""

    def seconds(n_families: int) -> float:
        children = np.arange(n_families, dtype=np.int32)
        begin = perf_counter()
        answers.improvements(children, np.zeros(n_families + 1, dtype=np.int64), children[:0])
        return perf_counter() - begin

    many = min(n_variables, _MEASURED)
    seconds(1), seconds(many)  # compiles, and makes tables
    of_one, of_many = min(seconds(1) for _ in range(3)), min(seconds(many) for _ in range(2))
    per_addition = max(0.0, of_many - of_one) / max(1, (many - 1) * n_variables)
    return max(0.0, of_one - n_variables * per_addition), per_addition
