"""Tables for exact search: complete where the time allows it."""

from collections.abc import Sequence
from functools import reduce
from math import prod

import numpy as np

from arcwise import _core
from arcwise.budget import Budget
from arcwise.constraints import Constraints
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import Limits, select
from arcwise.parents.set_arrays import offsets
from arcwise.result import Scope, Status
from arcwise.scores.local_score import LocalScore

__all__ = ["candidate_table", "with_families"]

# More variables than this take a lattice longer than most budgets are.
_LATTICE_VARIABLES = 18


def candidate_table(
    score: LocalScore, *, constraints: Constraints, budget: Budget, workers: int | None = None
) -> tuple[ParentSets, Scope]:
    """Select parent sets until all are known or the budget ends, and say which of the two it was.

    Few variables go through one lattice (``exhaustive``). Otherwise sets grow level by level with the bounds that leave
    out what cannot win (``sequential``), which completes some tables; where it does not in half of the time, the other
    half goes to the sets that promise most (``balanced``), and the table has those of both.

    Parameters
    ----------
    score
        The score, bound to its data.
    constraints
        What the graph must and must not have.
    budget
        When to end; without a time limit, when the table is complete.
    workers
        Threads; as many as there are processors by default.
    """
    methods = ("exhaustive",) if _suits_a_lattice(score) else ("sequential", "balanced")
    tables = []
    for left in range(len(methods), 0, -1):
        share = None if budget.time_limit is None else max(0.0, budget.time_limit - budget.elapsed) / left
        limit = None if budget.evaluation_limit is None else max(0, budget.evaluation_limit - budget.evaluations)
        part = Budget(share, limit, watch=budget.watch)
        if budget.core.reason == _core.StopReason.interrupt:
            part.interrupt()
        selected = select(
            score,
            method=methods[-left],
            limits=Limits(time_per_variable=None),
            constraints=constraints,
            workers=workers,
            budget=part,
        )
        budget.core.charge(part.evaluations)
        if selected.is_exact:
            return selected.sets, Scope.ALL_SETS
        tables.append(selected.sets)
        if selected.status is Status.INTERRUPTED:
            budget.interrupt()
            break
    return reduce(_united, tables), Scope.GIVEN_SETS


def _suits_a_lattice(score: LocalScore) -> bool:
    arities = score.data.arities
    few = len(arities) <= _LATTICE_VARIABLES and prod(arities) <= _core.max_lattice_configurations
    return few and score.score.is_equivalent


def _united(one: ParentSets, other: ParentSets) -> ParentSets:
    """Table of the sets of two tables over the same variables, without those that a subset beats."""
    lengths, sizes, members, scores = [], [], [], []
    for variable in range(one.n_variables):
        seen: set[bytes] = set()
        for table in (one, other):
            first, last = table.variable_begin[variable : variable + 2].tolist()
            begin = table.set_begin[first : last + 1].tolist()
            for at in range(first, last):
                of_set = table.members[begin[at - first] : begin[at - first + 1]]
                if (key := of_set.tobytes()) not in seen:
                    seen.add(key)
                    members.append(of_set)
                    sizes.append(of_set.size)
                    scores.append(float(table.scores[at]))
        lengths.append(len(seen))
    begin, set_begin = offsets(lengths), offsets(sizes)
    return ParentSets.from_arrays(one.names, begin, set_begin, np.concatenate(members), scores).without_dominated()


def with_families(table: ParentSets, parents: Sequence[Sequence[int]], score: LocalScore) -> ParentSets:
    """Table that has the given parents of every variable too.

    Examples
    --------
    >>> from arcwise.data.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(100, seed=1))
    >>> lists = [[(score.local(v, []), [])] for v in range(5)]
    >>> with_families(ParentSets.from_lists(score.data.names, lists), [[], [], [0], [], []], score).n_sets
    6
    """
    missing = [v for v, of in enumerate(parents) if not _has(table, v, of)]
    ends = table.variable_begin[[v + 1 for v in missing]]
    counted = np.diff(table.variable_begin)
    counted[missing] += 1
    sizes = np.insert(np.diff(table.set_begin), ends, [len(parents[v]) for v in missing])
    at = np.repeat(table.set_begin[ends], [len(parents[v]) for v in missing])
    members = np.insert(table.members, at, [member for v in missing for member in sorted(parents[v])])
    scores = np.insert(table.scores, ends, [score.local(v, parents[v]) for v in missing])
    return ParentSets.from_arrays(table.names, offsets(counted), offsets(sizes), members, scores)


def _has(table: ParentSets, variable: int, parents: Sequence[int]) -> bool:
    first, last = table.variable_begin[variable : variable + 2]
    candidates = first + np.flatnonzero(np.diff(table.set_begin[first : last + 1]) == len(parents))
    members = table.members[table.set_begin[candidates][:, None] + np.arange(len(parents))]
    return bool((members == np.sort(np.asarray(parents, dtype=np.intp))).all(axis=1).any())
