"""Candidate parents of each variable: few enough that all sets of them can be summed."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget, side_by_side, until_exhausted
from arcwise.scores.local_score import LocalScore

__all__ = ["Candidates", "candidates_of", "largest_number", "outside_arcs"]

#: By child, the parents that it may have, ascending; those that it must have are among them.
Candidates = tuple[tuple[int, ...], ...]

# Sets with at most so many members are what a further candidate is added to.
_MOST_MEMBERS = 3
# Of each variable, so many of the parent sets that were drawn most often are looked at.
_MOST_SETS = 12


def candidates_of(
    score: LocalScore, rules: ResolvedConstraints, graph: Dag, most: int, workers: int, budget: Budget
) -> Candidates | None:
    """Return the candidate parents of each variable: what it is adjacent to in a good graph, then one after the other.

    The next one is that with which the best set scores most, of those that have it and up to three of the candidates
    so far, or the best set so far. This is the greedy choice of Viinikka et al. (2020), with few sets.

    Parameters
    ----------
    score
        The score, bound to its data.
    rules
        What the graphs must and must not have.
    graph
        One that scores well.
    most
        How many candidates a variable has, the parents that it must have included.
    workers
        Threads.
    budget
        When to stop looking; there are no candidates then.
    """

    def of(child: int) -> tuple[int, ...]:
        required, optional = rules.required_parents(child), rules.optional_parents(child)
        room = most - len(required)
        if optional.size <= room:
            return tuple(sorted([*required, *optional.tolist()]))
        near = np.array([*graph.parent_indices[child], *graph.child_indices[child]], dtype=np.int64)
        begin = near[np.isin(near, optional)].tolist()
        return tuple(sorted([*required, *_grown(score, child, required, optional, begin, room, budget)]))

    found = tuple(side_by_side(of, until_exhausted(range(len(score.names)), budget), workers, budget))
    return None if budget.exhausted else found


def _grown(
    score: LocalScore,
    child: int,
    required: Sequence[int],
    optional: npt.NDArray[np.int64],
    begin: Sequence[int],
    most: int,
    budget: Budget,
) -> list[int]:
    """Return the candidates of one variable; fewer than there should be when the budget ends it."""
    best = np.full(len(score.names), -np.inf)  # of the sets with each variable
    top: tuple[float, tuple[int, ...]] = (-np.inf, ())
    chosen: list[int] = []

    def look(members: tuple[int, ...]) -> bool:
        """Look at all sets of these members and one more, unless the budget has ended."""
        nonlocal top
        if budget.exhausted:  # first of all: of thousands of variables, even a list of the others takes long
            return False
        others = optional[~np.isin(optional, members)]
        if others.size:
            found = score.core.additions(child, [*required, *members], others.tolist(), budget.core)
            found = np.where(np.isnan(found), -np.inf, found)
            best[others] = np.maximum(best[others], found)
            at = int(found.argmax())
            top = max(top, (float(found[at]), (*members, int(others[at]))))
        return True

    look(())
    waiting = sorted(begin, key=lambda one: -best[one])
    while len(chosen) < most:
        if waiting:
            joining = waiting.pop(0)
        else:
            look(tuple(one for one in top[1] if one not in required))
            left = optional[~np.isin(optional, chosen)]
            joining = int(left[best[left].argmax()])
        chosen.append(joining)
        sets = (others for size in range(_MOST_MEMBERS) for others in combinations(chosen[:-1], size))
        if not all(look((*others, joining)) for others in sets):
            break
    return chosen


def largest_number(rules: ResolvedConstraints, most: int) -> int:
    """Return how many candidates the variable with the most of them has, where each may have `most`.

    Those that a variable must have are candidates even if there are more of them.
    """
    children = range(rules.n_variables)
    required = max((len(rules.required_parents(child)) for child in children), default=0)
    return min(max(most, required), max((rules.allowed_parents(child).size for child in children), default=0))


def outside_arcs(
    score: LocalScore,
    rules: ResolvedConstraints,
    candidates: Candidates,
    masks: npt.NDArray[np.uint32],
    below: npt.NDArray[np.uint8],
    workers: int,
    budget: Budget,
) -> list[dict[int, float]]:
    """Return for each variable how probable arcs from others than its candidates would be, were one more allowed.

    Parameters
    ----------
    score, rules, candidates, workers, budget
        As in `candidates_of`.
    masks
        Graphs that were drawn, as `GraphDraws` has them. Their parent sets are given one more parent each.
    below
        For each of these graphs, in row i bit j, eight to a byte, whether j is below i, so that an arc from j to i
        would close a cycle.
    """

    def of(child: int) -> dict[int, float]:
        if budget.exhausted:
            return {}
        others = np.setdiff1d(rules.allowed_parents(child), candidates[child], assume_unique=True)
        if not others.size:
            return {}
        found = np.zeros(others.size)
        drawn = Counter(masks[:, child].tolist())
        for mask, _ in drawn.most_common(_MOST_SETS):
            members = [one for bit, one in enumerate(candidates[child]) if mask >> bit & 1]
            if len(members) < rules.max_parents[child] and not budget.exhausted:
                with_one_more = score.core.additions(child, members, others.tolist(), budget.core)
                gains = with_one_more - score.core.local(child, members)
                odds = np.exp(np.clip(np.nan_to_num(gains, nan=-np.inf), -700.0, 700.0))
                is_below = np.unpackbits(below[masks[:, child] == mask, child], axis=1, count=len(score.names))
                found += odds / (1 + odds) * (is_below[:, others] == 0).sum(axis=0) / len(masks)
        return dict(zip(others.tolist(), found.tolist(), strict=True))

    return list(side_by_side(of, range(len(score.names)), workers, budget))
