"""The best graph that an exact search knows, and how fractional solutions lead to better ones."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Order, parents_first
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.runs.journal import Found
from arcwise.runs.result import Trace
from arcwise.search.orders.climbs import ORDER_CLIMBS

__all__ = ["Incumbent", "order_of", "places"]


class Incumbent:
    """The best graph over a table so far.

    Parameters
    ----------
    table
        The sets that the constraints allow, without dominated ones.
    constraints
        What the graph must have.
    budget
        The budget of the search.
    trace
        What hears of improvements.
    """

    def __init__(self, table: ParentSets, constraints: Constraints, budget: Budget, trace: Trace) -> None:
        self.table = table
        self.dag: Dag | None = None
        self.score = -np.inf
        #: Scores that differ by less are the same for all that is known of their rounding.
        self.tolerance = 10 * table.rounding
        self._budget, self._trace = budget, trace
        self._required = constraints.resolve(table.names).required
        self._tried: set[bytes] = set()

    def offer(self, dag: Dag) -> bool:
        """Take a graph if it is better than the best so far, and say whether it is."""
        score = self.table.total(dag)
        if score <= self.score:
            return False
        self.dag, self.score = dag, score
        self._trace.reach(score)
        self.note()
        return True

    def note(self) -> None:
        """Tell the journal of the graph, as often as the search can: a file may be due."""
        if self.dag is not None:
            self._budget.note("exact", Found(self.dag.parent_indices, self.score), lambda: None)

    def climb(self, order: Order) -> bool:
        """Climb from an order, unless that was done before; say whether it gave a better graph."""
        order = parents_first(order, self._required)
        if order.tobytes() in self._tried:
            return False
        self._tried.add(order.tobytes())
        rounding = self.tolerance / 10
        end = ORDER_CLIMBS["inobs"].run(self.table.core, order, rounding, 0, self._budget)
        better = end.is_feasible and end.score > self.score + rounding
        return better and self.offer(Dag.from_parents(self.table.names, end.parents))

    def start(self, dag: Dag) -> None:
        """Climb from the order of a graph: with at least its score, if its sets or their subsets are in the table."""
        self.climb(np.array([self.table.names.index(name) for name in dag.topological_order()], dtype=np.intp))

    def is_proven(self, bound: float) -> bool:
        """Whether no graph is better, apart from rounding."""
        return self.dag is not None and bound <= self.score + self.tolerance


def order_of(arcs: npt.NDArray[np.float64]) -> Order:
    """Order in which the arcs that point backwards have little weight, by finding sinks.

    The last variable is the one that is least of a parent to the others, and so on with those that remain.

    Parameters
    ----------
    arcs
        The weight at [parent, child].

    Examples
    --------
    >>> order_of(np.array([[0, 0.2, 0], [0.8, 0, 1], [0, 0, 0]])).tolist()
    [1, 0, 2]
    """
    n = len(arcs)
    out = arcs.sum(axis=1)
    order = np.empty(n, dtype=np.intp)
    for place in reversed(range(n)):
        sink = int(out.argmin())
        order[place] = sink
        out -= arcs[:, sink]
        out[sink] = np.inf
    return order


def places(table: ParentSets, parents: Sequence[Sequence[int]]) -> npt.NDArray[np.intp]:
    """Where in the table the parent set of each variable is, counted over all variables; they must be there.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b"], [[(-2, []), (-1, ["b"])], [(-3, [])]])
    >>> places(table, [[1], []]).tolist()
    [0, 2]
    """
    found = []
    for variable, wanted in enumerate(parents):
        first, last = table.variable_begin[variable : variable + 2]
        sizes = np.diff(table.set_begin[first : last + 1])
        candidates = first + np.flatnonzero(sizes == len(wanted))
        members = table.members[table.set_begin[candidates][:, None] + np.arange(len(wanted))]
        same = (members == np.sort(np.asarray(wanted, dtype=np.intp))).all(axis=1)
        found.append(int(candidates[np.argmax(same)]))
    return np.array(found, dtype=np.intp)
