"""The strategy for many variables: kicks that change little, climbs that cost what they change."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isinf, log2
from typing import ClassVar

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.search.orders.climber import Climber, StrategyState
from arcwise.search.orders.climbs import Optimum
from arcwise.support.arguments import count, number

__all__ = ["LocalKicks", "merged", "placed"]


@dataclass(frozen=True)
class LocalKicks:
    """Improve one order by kicks that move few variables, each followed by a climb near them.

    A kick of a part of all variables costs a climb over all of them, and seldom pays: somewhere it makes the graph
    worse. Here a kick moves one variable, or sometimes a few: a child before its parent, a parent behind its child, or
    any variable anywhere. It is undone unless the climb that follows ends at least as high. Several walks of such kicks
    begin at the same order; what they have changed is put together. They are short: long ones find much the same.

    When walks bring little, an order that has nothing to do with the best one joins it: another initial order, after a
    climb and walks of its own. The two differ in many places, and each is better in some of them. So for one variable
    after the other whose parents differ, it and those near it in the graph take the places that they have in the other
    order; this is undone unless a climb from there ends at least as high.

    On lists that grow only (`orders`); every walk counts as one climb.

    Parameters
    ----------
    kicks
        Kicks of a walk, as a multiple of the number of variables.
    walks
        How many there are at a time; and how many regions of another order are tried at a time.
    least
        Walks bring little when they bring no more than this part of the most that any have brought.
    region
        The largest regions of another order that are tried, as a part of the number of variables.
    """

    kicks: float = 0.03
    walks: int = 4
    least: float = 0.1
    region: float = 0.25

    name: ClassVar[str] = "local kicks"

    def __post_init__(self) -> None:
        number("kicks", self.kicks)
        count("walks", self.walks, least=1)
        number("least", self.least)
        number("region", self.region)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        climber.refuse_walks()
        state = climber.resumed(rng)
        if state is None:
            climber.note(rng)
            stand = _Stand(_best(climber.climb([*first] or [climber.initial(rng)], rng)))
        else:
            stand = _Stand.of(state)
        while not climber.done:
            climber.note(rng, stand.state())
            if stand.untried:
                self._cross(stand, climber, rng)
            elif stand.gain > self.least * stand.largest_gain:
                self._walk(stand, climber, rng)
            elif stand.is_rising:
                stand.compare(rng)
            else:
                stand.meet(climber.climb([climber.initial(rng)], rng))

    def risen(self, start: Optimum, climber: Climber, rng: np.random.Generator) -> Optimum:
        """Return where walks from an order lead, one after the other until they bring little.

        Parameters
        ----------
        start
            Where the first walks begin.
        climber
            What climbs.
        rng
            Decides the kicks.
        """
        stand = _Stand(start, has_tried=True)
        while stand.gain > self.least * stand.largest_gain and not climber.done:
            self._walk(stand, climber, rng)
        return stand.best

    def _walk(self, stand: "_Stand", climber: Climber, rng: np.random.Generator) -> None:
        """Walk from the best order, or from the other one while it rises."""
        start = stand.present
        ends = climber.walk([start.order] * self.walks, round(self.kicks * start.order.size), rng)
        if not ends:
            return
        found = self._together(start, ends, climber, rng)
        if not stand.has_tried and not climber.done:  # after the first walks, what searches over classes do
            stand.has_tried = True
            if (order := climber.tried(found)) is not None:
                found = _best([found, *climber.climb([order], rng)])
        stand.rise_to(found)

    def _cross(self, stand: "_Stand", climber: Climber, rng: np.random.Generator) -> None:
        """Give some regions of the best order the places that they have in the other one."""
        best, other = stand.best, stand.other
        assert other is not None  # nothing else could be untried
        joined = _adjacent(other.parents)
        most = log2(max(2.0, self.region * best.order.size))
        starts: list[Order] = []
        while stand.untried and len(starts) < self.walks:
            region = _region(joined, stand.untried[-1], round(2 ** rng.uniform(1.0, max(1.0, most))))
            starts.append(placed(best.order, other.order, region))
            stand.untried = [v for v in stand.untried if v not in region]
        ends = climber.climb(starts, rng)
        stand.best = self._together(best, ends, climber, rng) if ends else best

    def _together(self, start: Optimum, ends: Sequence[Optimum], climber: Climber, rng: np.random.Generator) -> Optimum:
        """Return the best of the start and the ends, with what other ends have changed if that is an improvement."""
        best, *others = sorted(ends, key=lambda end: -end.score)
        for other in others:
            if other.score > start.score + climber.tolerance and not climber.done:
                best = _best([best, *climber.climb([merged(start.order, best.order, other.order)], rng)])
        return _best([best, start])  # an end that is as good may lead on


@dataclass
class _Stand:
    """How a search stands.

    Attributes
    ----------
    best
        The best optimum, apart from another one that still rises.
    other
        One that it is crossed with.
    is_rising
        Whether walks are from the other one.
    untried
        The variables whose parents differ between the two, and of which no region has been tried, the next one last.
    gain, largest_gain
        What the last walks have brought, and the most that any have from this order; below 0 before the first.
    has_tried
        Whether it has been tried what searches over classes do.
    """

    best: Optimum
    other: Optimum | None = None
    is_rising: bool = False
    untried: list[int] = field(default_factory=list)
    gain: float = inf
    largest_gain: float = -1.0
    has_tried: bool = False

    @property
    def present(self) -> Optimum:
        """Where walks begin."""
        return self.best if self.other is None or not self.is_rising else self.other

    def rise_to(self, found: Optimum) -> None:
        """Take in where walks have led."""
        self.gain = found.score - self.present.score
        self.largest_gain = max(self.largest_gain, self.gain)
        if self.is_rising:
            self.other = found
        else:
            self.best = found

    def meet(self, others: Sequence[Optimum]) -> None:
        """Begin with another order."""
        if others:
            self.other, self.is_rising, self.gain, self.largest_gain = others[0], True, inf, -1.0

    def compare(self, rng: np.random.Generator) -> None:
        """End the rise of the other order, and see where the two differ."""
        self.best, other = sorted([self.best, self.present], key=lambda optimum: -optimum.score)
        differ = [v for v in range(other.order.size) if set(self.best.parents[v]) != set(other.parents[v])]
        self.other, self.is_rising, self.untried = other, False, rng.permutation(differ).tolist()
        self.gain = inf  # walks come next, when all is tried

    def state(self) -> StrategyState:
        """Return the same as checkpoints keep it."""
        optima = {"best": (self.best,), "other": () if self.other is None else (self.other,)}
        gains = (-1.0 if isinf(self.gain) else self.gain, self.largest_gain)
        marks = (float(self.is_rising), float(self.has_tried))
        return StrategyState(optima, {"untried": tuple(self.untried), "gains": gains, "marks": marks})

    @classmethod
    def of(cls, state: StrategyState) -> "_Stand":
        """Return what an earlier run has left."""
        best, others = state.optima_of("best", least=1)[0], state.optima_of("other")
        gain, largest_gain = state.numbers_of("gains", length=2)
        is_rising, has_tried = state.wholes_of("marks", 2, length=2)
        other = others[0] if others else None
        untried = state.wholes_of("untried", 0 if other is None else best.order.size)
        gain = inf if gain < 0 else gain
        return cls(best, other, bool(is_rising), untried, gain, largest_gain, bool(has_tried))


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
    return placed(first, second, _moved(start, second))


def placed(first: Order, second: Order, moved: Collection[int]) -> Order:
    """Order of the first, in which some variables follow whom they follow in the second.

    Parameters
    ----------
    first, second
        Two orders.
    moved
        The variables that follow the second.

    Examples
    --------
    >>> placed(np.arange(6), np.array([5, 4, 3, 2, 1, 0]), {4}).tolist()
    [0, 1, 2, 3, 5, 4]
    """
    following: dict[int, int] = {}
    end = int(first.size)  # stands before the first variable and behind the last
    places = [end, *first.tolist(), end]
    preceding: dict[int, int] = {}
    for before, variable in pairwise(places):
        following[before], preceding[variable] = variable, before
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


def _adjacent(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return whom each variable is adjacent to."""
    joined = [list(row) for row in parents]
    for child, row in enumerate(parents):
        for parent in row:
            joined[parent].append(child)
    return joined


def _region(joined: Sequence[Sequence[int]], centre: int, size: int) -> set[int]:
    """Return so many variables near one, or somewhat more: all at a distance, and all that are nearer."""
    region, ring = {centre}, [centre]
    while ring and len(region) < size:
        ring = sorted({near for variable in ring for near in joined[variable]} - region)
        region.update(ring)
    return region
