"""Where the time of a batch goes, for `benchmarks.gpu`."""

from functools import partial
from time import perf_counter
from typing import Any

from arcwise import _core
from arcwise.scores.device.card import IMPROVEMENT, Card
from arcwise.support.machine import usable_cores
from benchmarks.gpu_tables import Row, seconds

# What a card is asked for, one stage after the other.
STAGES = ("put", "mask_bytes", "product", "own_scores", "improve", "improve_few", "gaussian_improve", "end")


class TimedCard:
    """A card whose stages are timed, by events there and by the clock here."""

    def __init__(self, card: Card) -> None:
        self._card: Any = card
        self.spent: dict[str, list[Any]] = {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._card, name)
        if name not in STAGES:
            return found

        def timed(*arguments: Any) -> Any:
            first, last = self._event(), self._event()
            begin = perf_counter()
            first.record()
            answer = found(*arguments)
            last.record()
            self.spent.setdefault(name, []).append((perf_counter() - begin, first, last))
            return answer

        return timed

    def _event(self) -> Any:
        return self._card.xp.cuda.Event() if hasattr(self._card.xp, "cuda") else _NoEvent()

    def milliseconds(self) -> dict[str, list[float]]:
        """Return for each stage the time of the card and that of the host, and how often it was called."""
        self._card.synchronise()
        elapsed = self._card.xp.cuda.get_elapsed_time if hasattr(self._card.xp, "cuda") else lambda *_: 0.0
        return {
            name: [
                round(sum(elapsed(first, last) for _, first, last in calls), 4),
                round(1e3 * sum(taken for taken, _, _ in calls), 4),
                len(calls),
            ]
            for name, calls in self.spent.items()
        }


class _NoEvent:
    def record(self) -> None:
        """Do nothing."""


def asking(core: _core.LocalScore, answers: Any) -> _core.LocalScore:
    """Return a score that asks a card for every batch."""
    return _core.score_with_batches(core, answers, 0.0, 0.0, 0)


def stages(core: _core.LocalScore, answers: Any, timed: TimedCard, batch: tuple[Any, Any, Any]) -> Row:
    """Return where the time of a batch goes: of each stage the milliseconds of the card and of the host, and calls."""
    cores, on_card = usable_cores(), asking(core, answers)
    _core.improvements(on_card, *batch, cores)
    timed.spent.clear()
    begin = perf_counter()
    _core.improvements(on_card, *batch, cores)
    whole = perf_counter() - begin
    spent = timed.milliseconds()
    _, found = answers.found(*batch)
    sorting = partial(_core.sorted_improvements, found, len(batch[0]))
    return {
        "families": len(batch[0]),
        "whole_ms": round(1e3 * whole, 4),
        "card_host_calls": spent,
        "found": len(found) // IMPROVEMENT.itemsize,
        "sorting_ms": round(1e3 * seconds(partial(sorting, cores)), 4),
        "sorting_by_one_ms": round(1e3 * seconds(partial(sorting, 1), times=1), 4),
    }
