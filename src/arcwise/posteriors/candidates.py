"""Candidate parents of each variable: few enough that all sets of them can be summed."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget, side_by_side
from arcwise.scores.local_score import LocalScore

__all__ = ["Candidates", "candidates_of", "outside_arcs"]

#: By child, the parents that it may have, ascending; those that it must have are among them.
Candidates = tuple[tuple[int, ...], ...]

# Sets with at most so many members are what a further candidate is added to.
_MOST_MEMBERS = 3
# Of each variable, so many of the parent sets that were drawn most often are looked at.
_MOST_SETS = 12


def candidates_of(
    score: LocalScore, rules: ResolvedConstraints, graph: Dag, most: int, workers: int, budget: Budget
) -> Candidates:
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
        When to stop looking; those that score best alone are candidates then.
    """

    def of(child: int) -> tuple[int, ...]:
        required, optional = rules.required_parents(child), rules.optional_parents(child).tolist()
        if len(required) + len(optional) <= most:
            return tuple(sorted([*required, *optional]))
        near = [*graph.parent_indices[child], *graph.child_indices[child]]
        begin = [one for one in near if one in set(optional)]
        return tuple(
            sorted([*required, *_grown(score, child, required, optional, begin, most - len(required), budget)])
        )

    return tuple(side_by_side(of, range(len(score.names)), workers, budget))


def _grown(
    score: LocalScore,
    child: int,
    required: Sequence[int],
    optional: Sequence[int],
    begin: Sequence[int],
    most: int,
    budget: Budget,
) -> list[int]:
    best = np.full(len(score.names), -np.inf)  # of the sets with each variable
    top: tuple[float, tuple[int, ...]] = (-np.inf, ())
    chosen: list[int] = []

    def look(members: tuple[int, ...]) -> None:
        nonlocal top
        others = [one for one in optional if one not in members]
        if others and not budget.exhausted:
            found = score.core.additions(child, [*required, *members], others, budget.core)
            found = np.where(np.isnan(found), -np.inf, found)
            best[others] = np.maximum(best[others], found)
            at = int(found.argmax())
            top = max(top, (float(found[at]), (*members, others[at])))

    look(())
    waiting = sorted(begin, key=lambda one: -best[one])
    while len(chosen) < min(most, len(optional)):
        if waiting:
            joining = waiting.pop(0)
        else:
            look(tuple(one for one in top[1] if one not in required))
            left = [one for one in optional if one not in chosen]
            joining = left[int(best[left].argmax())]
        chosen.append(joining)
        for size in range(_MOST_MEMBERS):
            for others in combinations(chosen[:-1], size):
                look((*others, joining))
    return chosen


def outside_arcs(
    score: LocalScore,
    rules: ResolvedConstraints,
    candidates: Candidates,
    masks: npt.NDArray[np.uint32],
    below: npt.NDArray[np.bool_],
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
        For each of these graphs, at [i, j] whether j is below i, so that an arc from j to i would close a cycle.
    """

    def of(child: int) -> dict[int, float]:
        others = [one for one in rules.allowed_parents(child).tolist() if one not in candidates[child]]
        if not others:
            return {}
        found = np.zeros(len(others))
        drawn = Counter(masks[:, child].tolist())
        for mask, _ in drawn.most_common(_MOST_SETS):
            members = [one for bit, one in enumerate(candidates[child]) if mask >> bit & 1]
            if len(members) < rules.max_parents[child] and not budget.exhausted:
                gains = score.core.additions(child, members, others, budget.core) - score.core.local(child, members)
                odds = np.exp(np.clip(np.nan_to_num(gains, nan=-np.inf), -700.0, 700.0))
                is_free = ~below[masks[:, child] == mask][:, child, others]
                found += odds / (1 + odds) * is_free.sum(axis=0) / len(masks)
        return dict(zip(others, found.tolist(), strict=True))

    return list(side_by_side(of, range(len(score.names)), workers, budget))
