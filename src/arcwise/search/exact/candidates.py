"""Tables for exact search: complete where the time allows it."""

from collections.abc import Sequence
from functools import reduce
from math import prod

import numpy as np
import numpy.typing as npt

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
# With more than this, sets are not even tried to be completed.
_COMPLETABLE_VARIABLES = 60
# Sets to keep in all where there are more, and of each variable at least; a bound over more of them takes too long.
_MOST_SETS = 5_000_000
_LEAST_KEPT = 1_000


def candidate_table(
    score: LocalScore, *, constraints: Constraints, budget: Budget, workers: int | None = None
) -> tuple[ParentSets, Scope]:
    """Select parent sets until all are known or the budget ends, and say which of the two it was.

    Few variables go through one lattice (``exhaustive``). For some dozens, sets grow level by level with the bounds
    that leave out what cannot win (``sequential``), which completes some tables; where it does not in half of the time,
    the other half goes to the sets that promise most (``balanced``), and the table has those of both. With more
    variables than that, all time goes to the latter.

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
    if _suits_a_lattice(score):
        methods, limits = ["exhaustive"], Limits(time_per_variable=None)
    else:
        n = score.data.n_variables
        methods = ["sequential", "balanced"] if n <= _COMPLETABLE_VARIABLES else ["balanced"]
        limits = Limits(time_per_variable=None, kept_per_variable=max(_LEAST_KEPT, _MOST_SETS // n))
    tables = []
    for left in range(len(methods), 0, -1):
        selected = select(
            score,
            method=methods[-left],
            limits=limits,
            constraints=constraints,
            workers=workers,
            budget=budget.part(share=1 / left),
        )
        if selected.is_exact:
            return selected.sets, Scope.ALL_SETS
        tables.append(selected.sets)
        if selected.status is Status.INTERRUPTED:
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
        rows = [_padded(table, variable) for table in (one, other)]
        width = max(padded.shape[1] for padded in rows)
        both = np.concatenate([np.pad(padded, ((0, 0), (0, width - padded.shape[1]))) for padded in rows])
        _, places = np.unique(both, axis=0, return_index=True)
        places.sort()
        both = both[places]
        lengths.append(len(places))
        sizes.append(np.count_nonzero(both, axis=1))
        members.append(both[both > 0] - 1)
        scores.append(np.concatenate([_scores(table, variable) for table in (one, other)])[places])
    begin, set_begin = offsets(lengths), offsets(np.concatenate(sizes))
    arrays = begin, set_begin, np.concatenate(members), np.concatenate(scores)
    return ParentSets.from_arrays(one.names, *arrays).without_dominated()


def _padded(table: ParentSets, variable: int) -> npt.NDArray[np.int32]:
    """Sets of a variable as rows: their members, counted from 1, and zeros behind."""
    first, last = table.variable_begin[variable : variable + 2]
    begin = table.set_begin[first : last + 1]
    sizes = np.diff(begin)
    rows = np.zeros((sizes.size, sizes.max()), dtype=np.int32)
    rows[np.arange(rows.shape[1]) < sizes[:, None]] = table.members[begin[0] : begin[-1]].astype(np.int32) + 1
    return rows


def _scores(table: ParentSets, variable: int) -> npt.NDArray[np.float64]:
    return table.scores[table.variable_begin[variable] : table.variable_begin[variable + 1]]


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
