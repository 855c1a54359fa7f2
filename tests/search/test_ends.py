"""The ends of climbs, and which of them is the best."""

from types import SimpleNamespace
from typing import Any

from arcwise import _core
from arcwise.search.climbs import Ends


def end(parents: list[list[int]], score: float) -> Any:
    return SimpleNamespace(parents=parents, score=score, stopped_by=_core.StopReason.none)


def test_of_climbs_that_end_equally_well_the_first_is_the_best() -> None:
    """The last bits of a sum depend on the order of its terms, and say nothing."""
    ends = Ends((), rounding=1e-9)
    for found in (end([[], [0]], -5.0), end([[1], []], -5.0 + 1e-12), end([[], []], -5.0 - 1e-12)):
        ends.add(found)
    assert ends.best is not None
    assert ends.best.parents == [[], [0]]
    ends.add(end([[], []], -4.9))
    assert ends.best.parents == [[], []]
