"""Where scores are made: on the processor, on a card, or where it is quicker."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.scores.definitions import PythonScore, Score
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.card import Card
from arcwise.scores.device.cuda_card import CudaCard, why_no_card
from arcwise.scores.device.gaussian import GaussianAnswers
from arcwise.scores.device.table import DeviceTable
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from arcwise.support.messages import Setting
from arcwise.support.names import one_of

__all__ = ["DEVICES", "Cost", "OnDevice", "card_for_products", "checked_device", "on_device", "reweighted"]

DEVICES = ("cpu", "gpu", "auto")
"""Where scores are made."""

# A first sweep that takes the processor no longer than this is not worth a look at the card.
_SHORT = 0.2
# Families of the batch by which it is measured what one more costs.
_MEASURED = 256
# What each parent makes of the time of an addition: twice as many cells, or one more column to eliminate.
_GROWTH_OF_COUNTING, _GROWTH_OF_ELIMINATION = 2.0, 1.4
# Multiplications and additions that a core does in a second, in products of matrices.
_PER_CORE = 2e10


@dataclass(frozen=True)
class Cost:
    """What batches cost on a card, in seconds: each of them, and each addition to a family without parents."""

    per_batch: float
    per_addition: float

    def shared_by(self, n: int) -> "Cost":
        """Return what they cost where so many searches ask one card at the same time, and wait for each other."""
        return Cost(n * self.per_batch, n * self.per_addition)


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
    cost
        What batches cost on the card.
    """

    core: _core.LocalScore
    answers: DeviceAnswers | GaussianAnswers | None = None
    reason: str | None = None
    cost: Cost = Cost(0.0, 0.0)


def checked_device(device: str) -> str:
    """Return the name of a device; refuse a card that is not there, before long work."""
    one_of("device", device, DEVICES)
    if device == "gpu" and (missing := why_no_card()) is not None:
        raise ParameterError("no GPU available: ", f"{missing}; or take ", Setting("device", "cpu"))
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
    n = table.n_variables
    by_cores = n**2 * core.seconds_per_addition(0) / usable_cores()
    if not is_asked_for and by_cores < _SHORT:
        return OnDevice(core, reason=f"cpu: a sweep over all pairs takes it about {by_cores:.2g} s")
    try:
        answers = _answers(core, table, score)
        cost = _measured(core, answers, n)
    except ParameterError as error:
        if is_asked_for:
            raise
        return OnDevice(core, reason=f"cpu: {error}")
    by_card, of_one = cost.per_batch + n**2 * cost.per_addition, cost.per_batch + n * cost.per_addition
    reason = (
        f"a sweep over all pairs takes {answers.card.name} about {by_card:.2g} s, the processor {by_cores:.2g} s; "
        f"a single family {of_one:.1g} s there, and a core {n * core.seconds_per_addition(0):.1g} s"
    )
    if not is_asked_for and by_card >= by_cores:
        return OnDevice(core, reason=f"cpu: {reason}")
    return OnDevice(_with_batches(core, answers, cost, cache_bytes), answers, f"gpu: {reason}", cost)


def reweighted(
    made: OnDevice, core: _core.LocalScore, table: Dataset, score: Score, cache_bytes: int, at_once: int
) -> OnDevice:
    """Return what makes the scores of the rows of another table, that are on the card, with other weights.

    Parameters
    ----------
    made
        What makes the scores of the other one, on a card: discrete, and not merged.
    core
        The kernel of this one.
    table
        The rows with other weights.
    score, cache_bytes
        As in `on_device`.
    at_once
        How many such scores are asked at the same time: they share the card, as searches on the processor share its
        cores.
    """
    assert isinstance(made.answers, DeviceAnswers)
    assert table.weights is not None
    answers = made.answers.reweighted(table.weights, score, core.rounding)
    cost = made.cost.shared_by(at_once)
    return OnDevice(_with_batches(core, answers, cost, cache_bytes), answers, made.reason, made.cost)


def card_for_products(device: str, n_rows: int, n_columns: int) -> Card | None:
    """Return a card that makes the products of all pairs of columns; None where the processor does."""
    by_cores = n_rows * n_columns**2 / (_PER_CORE * usable_cores())
    if device == "cpu" or why_no_card() is not None or by_cores < _SHORT:
        return None
    return _card()


def _answers(core: _core.LocalScore, table: Dataset, score: Score) -> DeviceAnswers | GaussianAnswers:
    if table.kind == "continuous":
        return GaussianAnswers(core, _card())
    return DeviceAnswers(DeviceTable(table, _card()), score, core.rounding)


def _with_batches(
    core: _core.LocalScore, answers: DeviceAnswers | GaussianAnswers, cost: Cost, cache_bytes: int
) -> _core.LocalScore:
    growth = _GROWTH_OF_COUNTING if isinstance(answers, DeviceAnswers) else _GROWTH_OF_ELIMINATION
    return _core.score_with_batches(core, answers, cost.per_batch, cost.per_addition, cache_bytes, growth)


def _card() -> Card:
    return CudaCard()


def _unsuited(table: Dataset, score: Score) -> str | None:
    """Return why a card cannot score this, in words; None where it can."""
    if table.kind == "mixed":
        return "a card scores tables of states or of numbers, not mixed ones"
    if table.has_gaps or table.interventions is not None:
        return f"a card scores tables without {'gaps' if table.has_gaps else 'interventions'}"
    if isinstance(score, PythonScore):
        return f"a card makes the scores that are built in, not {score.name}"
    return None


def _measured(core: _core.LocalScore, answers: DeviceAnswers | GaussianAnswers, n_variables: int) -> Cost:
    """Return what batches cost, measured."""
    by_batches = _with_batches(core, answers, Cost(0.0, 0.0), 0)

    def seconds(n_families: int) -> float:
        children = np.arange(n_families, dtype=np.int32)
        begin = perf_counter()
        _core.improvements(by_batches, children, np.zeros(n_families + 1, dtype=np.int64), children[:0], usable_cores())
        return perf_counter() - begin

    many = min(n_variables, _MEASURED)
    seconds(1), seconds(many)  # compiles, and makes tables
    of_one, of_many = min(seconds(1) for _ in range(3)), min(seconds(many) for _ in range(2))
    per_addition = max(0.0, of_many - of_one) / max(1, (many - 1) * n_variables)
    return Cost(max(0.0, of_one - n_variables * per_addition), per_addition)
