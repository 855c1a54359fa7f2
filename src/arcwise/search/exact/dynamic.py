"""The best graph of few variables, by dynamic programming over their subsets, one part of the table after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import strong_components
from arcwise.parents.parent_sets import Family, ParentSets
from arcwise.parents.set_arrays import counts, offsets
from arcwise.runs.budget import Budget
from arcwise.runs.journal import Found
from arcwise.runs.result import STATUS_OF_REASON, Scope, Status, Tightening
from arcwise.search.orders.climber import Stop
from arcwise.search.orders.tables import OrdersOnTable
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, instance
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.quoting import listed

__all__ = ["MEMORY", "DynamicProgramming", "components", "dynamic_programming", "sets_within", "subset_bytes"]

#: Bytes that dynamic programming may take unless told otherwise.
MEMORY = 4 << 30

# Climbs of the order search whose graph is returned when the budget ends it before.
_CLIMBS = 20


@dataclass(frozen=True)
class DynamicProgramming(Search):
    """Find the best graph over a table of parent sets by dynamic programming, and prove that it is.

    Silander & Myllymäki 2006 ("A simple approach for finding the globally optimal Bayesian network structure", UAI):
    the best graph over some variables has a sink, and without it is the best one over the others. Their method keeps
    every family's score; here those of one variable are made when they are needed, so that 25 variables take a quarter
    of a gigabyte, and each more twice as much. Variables that cannot be on a common cycle are taken apart first, each
    group on its own.

    When the budget ends it, the result is the best of a short order search, which begins with that of the start,
    and its bound counts the best set of every variable for those groups that are not done. Scores are equal that differ
    by rounding only.

    Parameters
    ----------
    memory
        Bytes; a problem that needs more is refused before it begins.
    scope
        Among which graphs the result is the best one: `Scope.ALL_SETS` if every set that is not in the table is beaten
        by a subset that is.

    Raises
    ------
    ParameterError
        If memory does not suffice, or no graph without cycles gives every variable one of its sets.

    Examples
    --------
    >>> table = ParentSets.from_lists(
    ...     ["a", "b", "c"], [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"])]]
    ... )
    >>> result = dynamic_programming(table)
    >>> result.score, result.bound, result.dag.arcs
    (-5.0, -5.0, (('b', 'a'), ('a', 'c'), ('b', 'c')))
    >>> str(result.status)
    'optimal'
    """

    memory: int = MEMORY
    scope: Scope = Scope.CANDIDATE_SETS

    name = "dynamic programming"
    takes = (ParentSets,)

    def __post_init__(self) -> None:
        count("memory", self.memory)
        instance("scope", self.scope, Scope)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Find the best order of each group of variables."""
        budget, allowed = context.budget, problem.table.constrained(problem.constraints)
        groups = _Groups(allowed, context.workers, self.memory)
        known = _short_search(problem, context)
        reason = groups.solve(budget)
        families = groups.families(known)
        score = fsum(local for local, _ in families.values())
        context.trace.reach(score)
        solved = groups.solved
        bound = fsum(families[name][0] if name in solved else allowed.best(name)[0] for name in allowed.names)
        return Outcome(
            Dag(allowed.names, [(parent, name) for name, (_, row) in families.items() for parent in row]),
            score,
            Status.OPTIMAL if reason is _core.StopReason.none else STATUS_OF_REASON[reason],
            counters={"sets": allowed.n_sets, "groups": len(groups.variables), "bytes": groups.bytes},
            bound=bound,
            bound_for=self.scope,
            bounds=(Tightening(budget.elapsed, bound),),
        )


dynamic_programming = function_of(DynamicProgramming(), "dynamic_programming")


def subset_bytes(sets: ParentSets, *, constraints: Constraints | None = None, workers: int = 1) -> int | None:
    """Memory that dynamic programming needs for a table; None when it is for fewer variables whatever the memory.

    Examples
    --------
    >>> names = [f"v{index}" for index in range(20)]
    >>> chain = ParentSets.from_lists(names, [[(-1, []), (0, [(v + 1) % 20])] for v in range(20)])
    >>> subset_bytes(chain) // 2**20
    8
    """
    allowed = sets.constrained(instance("constraints", constraints, Constraints, default=Constraints))
    return _bytes(allowed, components(allowed), count("workers", workers, least=1))


def _bytes(table: ParentSets, groups: Sequence[list[int]], workers: int) -> int | None:
    if max(map(len, groups)) > _core.max_subset_variables:
        return None
    large = [group for group in groups if len(group) > 1] or groups[:1]  # of single variables one is like the other
    return max(_core.best_order_bytes(sets_within(table, group).core, workers) for group in large)


class _Groups:
    """The groups of variables of a table, and the best orders of those that are solved."""

    def __init__(self, table: ParentSets, workers: int, memory: int) -> None:
        self.variables = components(table)
        self.bytes = _checked_bytes(table, self.variables, workers, memory)
        self._table = table
        self._workers = workers
        self._orders: list[list[int]] = []

    def solve(self, budget: Budget) -> _core.StopReason:
        """Find the best order of each group; returns why it ended before the last one, if it did.

        Raises
        ------
        ParameterError
            If some variables have no sets without cycles.
        """
        for group in self.variables:
            if budget.exhausted:
                return budget.core.reason
            if len(group) == 1:  # whatever its best set is
                self._orders.append(group)
                continue
            found = _core.best_order(sets_within(self._table, group).core, self._workers, budget.core)
            if found.stopped_by is not _core.StopReason.none:
                return found.stopped_by
            if found.order.size == 0:
                raise ParameterError(_without_graph(self._table, group))
            self._orders.append([group[at] for at in found.order.tolist()])
        return _core.StopReason.none

    @property
    def solved(self) -> set[str]:
        """Variables of which the best order of their group is known."""
        return {self._table.names[index] for order in self._orders for index in order}

    def families(self, start: Dag | None) -> dict[str, Family]:
        """Best set of each variable under the best orders, and under that of `start` in groups that are not solved.

        Raises
        ------
        ParameterError
            If a group is not solved, and there is no start.
        """
        names, order = self._table.names, [index for solved in self._orders for index in solved]
        left = self.variables[len(self._orders) :]
        if left and start is None:
            raise ParameterError(
                "the budget ended before a graph was found that gives every variable one of its parent sets; add the "
                "empty set of every variable to the table, relax the constraints, or allow more time"
            )
        if start is not None:
            place = {name: at for at, name in enumerate(start.topological_order())}
            order += [index for group in left for index in sorted(group, key=lambda index: place[names[index]])]
        return dict(zip(names, self._table.best_along(order), strict=True))


def _checked_bytes(table: ParentSets, groups: Sequence[list[int]], workers: int, memory: int) -> int:
    needed = _bytes(table, groups, workers)
    if needed is not None and needed <= memory:
        return needed
    largest = max(map(len, groups))
    what = f"dynamic programming looks at all subsets of the {largest} variables that may be on common cycles"
    remedy = "restrict the parents by tiers or forbidden arcs, or use another search"
    if needed is None:
        most = _core.max_subset_variables
        raise ParameterError(f"{what}, which is for at most {most}; {remedy}")
    raise ParameterError(
        f"{what}, which takes {needed:,} bytes, more than ",
        Name("memory"),
        f" allows ({memory:,}); raise ",
        Name("memory"),
        f", {remedy}",
    )


def _without_graph(table: ParentSets, group: Sequence[int]) -> str:
    some = listed((table.names[index] for index in group), most=5)
    return (
        f"no graph without cycles gives each of {some} one of its parent sets; add the empty set of every "
        "variable to the table, or relax the constraints"
    )


def _short_search(problem: Problem, context: Context) -> Dag | None:
    """Return a good graph, in case the budget ends dynamic programming; None where a few climbs find none at all."""
    # A part of the budget, because its notes are not for a run that continues with another table.
    part = context.aside(context.budget.part())
    found = OrdersOnTable(stop=Stop(climbs=_CLIMBS)).run_if_possible(problem, part)
    if found is None:
        return None
    context.trace.reach(found.score)
    context.budget.note("exact", Found(found.dag.parent_indices, found.score), lambda: None)
    return found.dag


def components(table: ParentSets) -> list[list[int]]:
    """Groups of variables, by index, such that all cycles lie within one of them; parents in earlier groups.

    They are the strongly connected components of the graph in which every variable has all members of its sets as
    parents (Fan & Yuan 2014, "An improved lower bound for Bayesian network structure learning", AAAI). Whatever order
    is best for each group, one behind the other they are a best order of all variables. Tiers make such groups.

    Examples
    --------
    >>> lists = [[(-1, []), (0, ["b"])], [(-1, []), (0, ["a", "c"])], [(-1, [])]]
    >>> table = ParentSets.from_lists(["a", "b", "c"], lists)
    >>> components(table)
    [[2], [0, 1]]
    """
    n = table.n_variables
    children = np.repeat(np.repeat(np.arange(n), np.diff(table.variable_begin)), np.diff(table.set_begin))
    heads, tails = np.divmod(np.unique(children * n + table.members), n)
    starts = np.searchsorted(heads, np.arange(1, n))
    return strong_components([row.tolist() for row in np.split(tails, starts)])


def sets_within(table: ParentSets, variables: list[int]) -> ParentSets:
    """Table of some variables, at most 64: what their sets have outside them is left out, where it is free.

    Examples
    --------
    >>> lists = [[(-3, []), (-1, ["b", "c"]), (-2, ["b"])], [(0, [])], [(0, [])]]
    >>> table = ParentSets.from_lists(["a", "b", "c"], lists)
    >>> sets_within(table, [0, 1]).sets("a")
    [(-1.0, ('b',)), (-3.0, ())]
    """
    if variables == list(range(table.n_variables)):
        return table
    place = np.full(table.n_variables, -1)
    place[variables] = np.arange(len(variables))
    bit = np.where(place >= 0, np.uint64(1) << place.clip(0).astype(np.uint64), np.uint64(0))
    lengths, sizes, members, scores = list[int](), list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for variable in variables:
        first, last = table.variable_begin[variable : variable + 2]
        begin = table.set_begin[first : last + 1]
        its_members = table.members[begin[0] : begin[-1]]
        sums = np.concatenate([[np.uint64(0)], np.cumsum(bit[its_members], dtype=np.uint64)])
        masks = np.diff(sums[begin - begin[0]])  # of a sum that may run over, the differences are still right
        _, best = np.unique(masks, return_index=True)  # the first of those that are the same within
        keep = np.repeat(np.isin(np.arange(masks.size), best), np.diff(begin)) & (place[its_members] >= 0)
        best.sort()
        lengths.append(best.size)
        sizes.append(counts(begin - begin[0], place[its_members] >= 0)[best])
        members.append(place[its_members[keep]])
        scores.append(table.scores[first:last][best])
    return ParentSets.from_arrays(
        [table.names[variable] for variable in variables],
        offsets(lengths),
        offsets(np.concatenate(sizes).tolist()),
        np.concatenate(members),
        np.concatenate(scores),
    )
