"""Tables for exact search: complete where the time allows it."""

from functools import reduce
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import Limits, select, with_families
from arcwise.parents.set_arrays import offsets
from arcwise.runs.budget import Budget
from arcwise.runs.result import Scope, Status
from arcwise.scores.local_score import LocalScore
from arcwise.search.problem import Problem

__all__ = ["Candidates", "candidate_table", "suits_a_lattice"]

# More variables than this take a lattice longer than most budgets are.
_LATTICE_VARIABLES = 18
# With more than this, sets are not even tried to be completed.
_COMPLETABLE_VARIABLES = 60
# Of a limit on evaluations, the share for sets that are selected variable by variable. A search over them makes none,
# but ends where none are left.
_SHARE_OF_SCORES = 0.9
# Sets to keep where there are more: in all, for each second of selection, and of each variable at least. A bound over
# more of them takes too long.
_MOST_SETS = 5_000_000
_SETS_PER_SECOND = 300_000
_LEAST_KEPT = 1_000


class Candidates(NamedTuple):
    """A table, for which graphs a bound over it holds, and why it has no more sets."""

    table: ParentSets
    scope: Scope
    status: Status


def candidate_table(problem: Problem, budget: Budget, *, workers: int, memory: int = Limits.memory) -> Candidates:
    """Select parent sets until all are known or the budget ends, and say which of the two it was; a table stays as is.

    Few variables go through one lattice (``exhaustive``). For some dozens, sets grow level by level with the bounds
    that leave out what cannot win (``sequential``), which completes some tables; where it does not in half of the time,
    the other half goes to the sets that promise most (``balanced``), and the table has those of both. With more
    variables than that, all time goes to the latter. The sets of the start are in the table in any case.

    Parameters
    ----------
    problem
        What scores graphs, with its constraints and its start.
    budget
        When to end; without a time limit, when the table is complete.
    workers
        Threads.
    memory
        Bytes to use.
    """
    if isinstance(problem.source, ParentSets):
        return Candidates(problem.source, Scope.CANDIDATE_SETS, Status.COMPLETE)
    found = _selected(problem, budget, workers, memory)
    if problem.start is None:
        return found
    return found._replace(table=with_families(found.table, problem.start.parent_indices, problem.score))


def _selected(problem: Problem, budget: Budget, workers: int, memory: int) -> Candidates:
    score = problem.score
    if suits_a_lattice(score, budget.evaluation_limit):
        methods, limits = ["exhaustive"], Limits(time_per_variable=None, memory=memory)
    else:
        n = score.data.n_variables
        methods = ["sequential", "balanced"] if _may_be_completed(n, budget) else ["balanced"]
        most = _MOST_SETS if budget.time_limit is None else min(_MOST_SETS, _SETS_PER_SECOND * budget.time_limit)
        kept = max(_LEAST_KEPT, int(most) // n)
        limits = Limits(time_per_variable=None, kept_per_variable=kept, memory=memory)
    if budget.evaluation_limit is not None:
        workers = 1  # so that the same seed gives the same sets
    tables = []
    for left in range(len(methods), 0, -1):
        selected = select(
            score,
            method=methods[-left],
            limits=limits,
            constraints=problem.constraints,
            workers=workers,
            budget=budget.part(share=1 / left, evaluation_share=1.0 if methods == ["exhaustive"] else _SHARE_OF_SCORES),
        )
        if selected.is_exact:
            return Candidates(selected.sets, Scope.ALL_SETS, Status.COMPLETE)
        tables.append(selected.sets)
        if selected.status is Status.INTERRUPTED:
            break
    return Candidates(reduce(_united, tables), Scope.CANDIDATE_SETS, selected.status)


def _may_be_completed(n_variables: int, budget: Budget) -> bool:
    return n_variables <= _COMPLETABLE_VARIABLES and budget.evaluation_limit is None


def suits_a_lattice(score: LocalScore, evaluation_limit: int | None) -> bool:
    """Whether all parent sets can be scored in a moment, so that a proof holds for all graphs."""
    arities = score.data.arities
    if evaluation_limit is not None and evaluation_limit < len(arities) << len(arities):
        return False
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
