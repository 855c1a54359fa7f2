"""The strategy for many variables: kicks that change little, climbs that cost what they change."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.search.orders.climber import Climber, StrategyState
from arcwise.search.orders.climbs import Optimum
from arcwise.search.orders.strategies import kicked
from arcwise.support.arguments import count, number

__all__ = ["LocalKicks", "merged"]


@dataclass(frozen=True)
class LocalKicks:
    """Improve one order by kicks that move few variables, each followed by a climb near them.

    A kick of a part of all variables costs a climb over all of them, and seldom pays: somewhere it makes the graph
    worse. Here a kick moves one variable, or sometimes a few: a child before its parent, a parent behind its child, or
    any variable anywhere. It is undone unless the climb that follows ends at least as high. Several walks of such kicks
    begin at the same order; what they have changed is put together, since most changes are far apart. When this brings
    nothing better, walks begin with larger kicks.

    On lists that grow only (`orders`); every walk counts as one climb.

    Parameters
    ----------
    kicks
        Kicks of a walk, as a multiple of the number of variables.
    walks
        How many there are at a time.
    patience
        After so many rounds of walks without a better order these begin with larger kicks.
    shake
        Random swaps of a larger kick, as a part of the number of variables; at least one is made.
    """

    kicks: float = 1.0
    walks: int = 4
    patience: int = 2
    shake: float = 0.01

    name: ClassVar[str] = "local kicks"

    def __post_init__(self) -> None:
        number("kicks", self.kicks)
        count("walks", self.walks, least=1)
        count("patience", self.patience)
        number("shake", self.shake)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        state = climber.resumed(rng)
        if state is None:
            climber.note(rng)
            best, stalled = _best(climber.climb([*first] or [climber.initial(rng)], rng)), 0
        else:
            best, stalled = state.optima_of("best", least=1)[0], int(state.numbers_of("stalled", length=1)[0])
        while not climber.done:
            climber.note(rng, StrategyState({"best": (best,)}, {"stalled": (stalled,)}))
            is_stuck = stalled >= self.patience
            starts = [kicked(best.order, self.shake, rng) if is_stuck else best.order for _ in range(self.walks)]
            ends = climber.walk(starts, round(self.kicks * best.order.size), rng)
            found = _best(ends) if is_stuck else self._together(best, ends, climber, rng)
            stalled = 0 if found.score > best.score + climber.tolerance else stalled + 1
            best = _best([best, found])

    def _together(self, start: Optimum, ends: Sequence[Optimum], climber: Climber, rng: np.random.Generator) -> Optimum:
        """Return the best of the ends, with what the others have changed as far as that is an improvement."""
        best, *others = sorted(ends, key=lambda end: -end.score)
        for other in others:
            if other.score > start.score + climber.tolerance and not climber.done:
                best = _best([best, *climber.climb([merged(start.order, best.order, other.order)], rng)])
        return best


def _best(optima: Sequence[Optimum]) -> Optimum:
    return max(optima, key=lambda optimum: optimum.score)


def merged(start: Order, first: Order, second: Order) -> Order:
    """Order of the first, in which the variables that the second has moved follow whom they follow there.

    Parameters
    ----------
    start
        Where both come from.
    first, second
        Two orders, each of which has moved some of the variables.

    Examples
    --------
    >>> merged(np.arange(6), np.array([1, 0, 2, 3, 4, 5]), np.array([0, 1, 2, 5, 3, 4])).tolist()
    [1, 0, 2, 5, 3, 4]
    """
    following: dict[int, int] = {}
    end = int(first.size)  # stands before the first variable and behind the last
    places = [end, *first.tolist(), end]
    preceding: dict[int, int] = {}
    for before, variable in pairwise(places):
        following[before], preceding[variable] = variable, before
    moved = _moved(start, second)
    before = end
    for variable in second.tolist():
        if variable in moved:
            following[preceding[variable]] = following[variable]
            preceding[following[variable]] = preceding[variable]
            behind = following[before]
            following[before] = preceding[behind] = variable
            following[variable], preceding[variable] = behind, before
        before = variable
    order = []
    variable = following[end]
    while variable != end:
        order.append(variable)
        variable = following[variable]
    return np.array(order, dtype=np.intp)


def _moved(start: Order, other: Order) -> set[int]:
    """Return as few variables as must move between the orders: all outside of a longest common subsequence."""
    position = np.empty_like(start)
    position[start] = np.arange(start.size)
    places = position[other].tolist()
    lasts: list[int] = []  # for every length, the lowest place with which a rising sequence of that length ends
    lengths = []
    for place in places:
        length = bisect_left(lasts, place)
        lasts[length : length + 1] = [place]
        lengths.append(length)
    moved, wanted = set(), len(lasts) - 1
    for variable, length in zip(reversed(other.tolist()), reversed(lengths), strict=True):
        if length == wanted:
            wanted -= 1
        else:
            moved.add(variable)
    return moved
