"""Branching on arcs by the relaxation alone, for where SCIP is not installed."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

import numpy as np
import numpy.typing as npt

from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.search.exact.bounds import BoundLog, Incumbent, order_of, rounds
from arcwise.search.exact.relaxation import Relaxation, Solution

__all__ = ["split"]

Mask = npt.NDArray[np.bool_]

# Sets of all halves that wait, some hundred bytes each; where there are more, the bound stands as it is.
_MOST_HELD = 10_000_000


def split(relaxation: Relaxation, incumbent: Incumbent, budget: Budget, log: BoundLog) -> dict[str, int]:
    """Search for a better graph until none can exist, the budget ends, or too much would have to be kept.

    Graphs that have an arc and graphs that do not are bounded apart, by the relaxation over the sets that each of them
    may have; of all such halves the one with the highest bound is split next. Other than those of SCIP, these bounds
    are safe against rounding. What is found, the incumbent and the log know.

    Parameters
    ----------
    relaxation
        The rows to start with, and the sets that a better graph may have.
    incumbent
        The best graph so far.
    budget
        When to stop.
    log
        Where bounds go.

    Returns
    -------
    How many halves were bounded.
    """
    numbers, held = count(1), 0
    halves: list[tuple[float, int, Relaxation]] = [(-relaxation.bound, 0, relaxation)]
    while halves and not budget.exhausted and held <= _MOST_HELD:
        bound = -halves[0][0]
        log.add(max(bound, incumbent.score))
        if incumbent.is_proven(bound):
            break
        whole = heappop(halves)[2]
        held -= whole.table.n_sets
        kept = list(_kept_by_halves(whole, whole.solve(budget)))
        if not kept:
            incumbent.climb(order_of(_arcs(whole.table)))
        for keep in kept:
            half, number = whole.part(keep), next(numbers)
            rounds(half, incumbent, budget, BoundLog(budget.part(apart=True)), most_seconds=0.0)
            if not incumbent.is_proven(half.bound):
                heappush(halves, (-half.bound, number, half))
                held += half.table.n_sets
    if not halves and not budget.exhausted and incumbent.dag is not None:
        log.add(incumbent.score)  # every graph has been looked at
    return {"nodes": next(numbers) - 1}


def _kept_by_halves(whole: Relaxation, solution: Solution | None) -> Iterator[Mask]:
    """Which sets graphs with an arc may have, and which those without it; nothing where all is decided."""
    table = whole.table
    arc = _undecided(whole, solution)
    if arc is None:
        return
    parent, child = arc
    with_parent, with_child = _sets_with(table, parent), _sets_with(table, child)
    owner = np.repeat(np.arange(table.n_variables), np.diff(table.variable_begin))
    yield ~((owner == child) & with_parent)
    joined = ~((owner == child) & ~with_parent) & ~((owner == parent) & with_child)  # no arc back
    if np.logical_or.reduceat(joined, table.variable_begin[:-1]).all():
        yield joined


def _undecided(whole: Relaxation, solution: Solution | None) -> tuple[int, int] | None:
    """Return an arc that some sets of its child have and others do not, the more in doubt and at stake the better.

    None where every variable has one set. Where the linear solver gave up, nothing is in doubt, and the stake decides.
    """
    table = whole.table
    n = table.n_variables
    weights = np.zeros((n, n)) if solution is None else whole.choice(solution).arcs()
    best: tuple[float, float] = (-1.0, -1.0)
    found = None
    for child in np.flatnonzero(np.diff(table.variable_begin) > 1).tolist():
        first, last = table.variable_begin[child : child + 2]
        members = table.members[table.set_begin[first] : table.set_begin[last]]
        sizes = np.diff(table.set_begin[first : last + 1])
        for parent in np.unique(members).tolist():
            has = np.zeros(last - first, dtype=np.bool_)
            has[np.repeat(np.arange(last - first), sizes)[members == parent]] = True
            if has.all():
                continue
            scores = table.scores[first:last]
            doubt = min(weights[parent, child], 1 - weights[parent, child])
            stake = abs(float(scores[has].max() - scores[~has].max()))
            if (round(doubt * stake, 6), stake) > best:
                best, found = (round(doubt * stake, 6), stake), (parent, child)
    return found


def _arcs(table: ParentSets) -> npt.NDArray[np.float64]:
    """Ones at [parent, child] for the sets of a table with one set for each variable."""
    n = table.n_variables
    arcs = np.zeros((n, n))
    arcs[table.members, np.repeat(np.arange(n), np.diff(table.set_begin))] = 1.0
    return arcs


def _sets_with(table: ParentSets, member: int) -> Mask:
    """Which sets, counted over all variables, a variable is a member of."""
    has = np.zeros(table.n_sets, dtype=np.bool_)
    has[np.repeat(np.arange(table.n_sets), np.diff(table.set_begin))[table.members == member]] = True
    return has
