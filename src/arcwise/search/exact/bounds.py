"""How good a graph over a table of parent sets can be at most, and the best that an exact search knows meanwhile."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Order, parents_first
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.runs.journal import Found
from arcwise.runs.result import STATUS_OF_REASON, Scope, Status, Tightening, Trace
from arcwise.search.exact.clusters import violated_clusters
from arcwise.search.exact.relaxation import Relaxation
from arcwise.search.orders.climbs import ORDER_CLIMBS
from arcwise.search.search import Problem
from arcwise.support.arguments import instance

__all__ = ["Bound", "BoundLog", "Incumbent", "Patience", "ending", "order_of", "places", "rounds", "tightened_bound"]

# The most seconds for one integer program that looks for a broken cluster.
_SEPARATION_SECONDS = 5.0


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
        self._required = constraints.resolve(table.names).required_arcs
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


@dataclass(frozen=True)
class Bound:
    """What no graph exceeds, and how it was found.

    Attributes
    ----------
    value
        No graph that the constraints allow scores more.
    scope
        Among which graphs that holds.
    status
        Why it is not lower: ``optimal`` if a graph with this score is known, ``complete`` if no more rows were found
        that would help, or what ended the work before.
    seconds
        How long it took.
    counters
        What it took: rounds, rows at the end, sets that a better graph may still have.
    trace
        The bounds by time; each is lower than the one before.
    dag, score
        The best graph that came up, and its score; None if there was none.
    """

    value: float
    scope: Scope
    status: Status
    seconds: float
    counters: Mapping[str, int] = field(hash=False)
    trace: tuple[Tightening, ...]
    dag: Dag | None = None
    score: float | None = None


def tightened_bound(
    table: ParentSets,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    budget: Budget | None = None,
    scope: Scope = Scope.CANDIDATE_SETS,
    on_bound: Callable[[Tightening], object] | None = None,
) -> Bound:
    """Bound the score of the graphs over a table, better than by every variable's best set.

    A linear program chooses parent sets in fractions; in each round it gets rows for clusters of variables that the
    solution lets run in circles (Jaakkola et al. 2010; Cussens 2011). Every round gives a bound, which is safe against
    the tolerances of the linear solver (`arcwise.search.exact.relaxation.Relaxation` says how): the work may end
    at any time. Fractional solutions are also rounded to orders and climbed from, so that a better graph may come up;
    sets that no better graph can have leave the program.

    Parameters
    ----------
    table
        The parent sets to choose from.
    constraints
        What the graph must and must not have.
    start
        A good graph: the work begins with a climb from its order, and the better what that finds, the more sets can be
        left out.
    budget
        When to end.
    scope
        ``Scope.ALL_SETS`` says that the table is complete: that every set which is not in it is beaten by a subset.
    on_bound
        Called with every better bound; the work ends when it returns a true value.

    Examples
    --------
    >>> table = ParentSets.from_lists(
    ...     ["a", "b", "c"], [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"])]]
    ... )
    >>> table.relaxed_score()
    -4.0
    >>> round(tightened_bound(table).value, 6)
    -5.0
    """
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    constraints.refuse_degrees("tightened_bound")
    constraints.refuse_ancestors("tightened_bound")
    problem = Problem(instance("table", table, ParentSets), constraints, start)
    budget, scope = instance("budget", budget, Budget, default=Budget), instance("scope", scope, Scope)
    allowed = problem.table.constrained(constraints).without_dominated()
    incumbent = Incumbent(allowed, constraints, budget, Trace(None, budget))
    if problem.start is not None:
        incumbent.start(problem.start)
    relaxation = Relaxation(allowed)
    log = BoundLog(budget, on_bound)
    budget.run(lambda: rounds(relaxation, incumbent, budget, log))
    return Bound(
        value=max(relaxation.bound, incumbent.score),
        scope=scope,
        status=ending(incumbent.is_proven(relaxation.bound), budget),
        seconds=budget.elapsed,
        counters={"rounds": log.rounds, "rows": len(relaxation.clusters), "sets": relaxation.table.n_sets},
        trace=tuple(log.points),
        dag=incumbent.dag,
        score=None if incumbent.dag is None else incumbent.score,
    )


def ending(proven: bool, budget: Budget) -> Status:
    """Why the work ended: with a proof, by the budget, or because nothing was left to do."""
    if proven:
        return Status.OPTIMAL
    return STATUS_OF_REASON[budget.core.reason] if budget.exhausted else Status.COMPLETE


class BoundLog:
    """The bounds of a running search, told to whoever wants to know."""

    def __init__(self, budget: Budget, on_bound: Callable[[Tightening], object] | None = None) -> None:
        self.points: list[Tightening] = []
        self.rounds = 0
        self._budget, self._on_bound = budget, on_bound

    @property
    def best(self) -> float:
        """The lowest bound."""
        return self.points[-1].bound if self.points else inf

    def add(self, bound: float) -> None:
        """Take in a bound if it is lower than all before."""
        if bound < self.best:
            self.points.append(Tightening(self._budget.elapsed, bound))
            self._budget.standing.bound = bound
            if self._on_bound is not None and self._on_bound(self.points[-1]):
                self._budget.interrupt()


@dataclass(frozen=True)
class Patience:
    """When to stop tightening a relaxation that is not tight yet: its last rounds closed less than a tenth of the gap.

    Attributes
    ----------
    rounds
        How many rounds.
    most_sets
        Only with so few sets left: with more of them a solver is very slow, unlike the relaxation, which looks at few
        of them at a time.
    """

    rounds: int
    most_sets: int

    def is_over(self, gaps: Sequence[float], n_sets: int) -> bool:
        """Whether it is time to stop, after these gaps and with so many sets left."""
        return n_sets <= self.most_sets and len(gaps) > self.rounds and gaps[-1] > 0.9 * gaps[-1 - self.rounds]


def rounds(
    relaxation: Relaxation,
    incumbent: Incumbent,
    budget: Budget,
    log: BoundLog,
    patience: Patience | None = None,
    *,
    most_seconds: float = _SEPARATION_SECONDS,
) -> None:
    """Add rows to the relaxation until none helps or the bound is reached.

    Parameters
    ----------
    relaxation
        The linear program; it is changed.
    incumbent
        The best graph so far; better ones are offered to it.
    budget
        When to stop.
    log
        Where the bounds go.
    patience
        When to stop before the last row; never when None.
    most_seconds
        For each integer program that looks for a broken cluster where nothing else finds one; 0 for none of them.
    """
    log.add(relaxation.bound)
    if not relaxation.clusters:
        relaxation.ascend(budget)
    relaxation.tighten(None if incumbent.dag is None else incumbent.score - incumbent.tolerance)
    log.add(max(relaxation.bound, incumbent.score))
    gaps = [inf]
    while not (incumbent.is_proven(relaxation.bound) or budget.exhausted):
        solution = relaxation.solve(budget)
        if solution is None:
            return
        choice = relaxation.choice(solution)
        incumbent.climb(order_of(choice.arcs()))
        left = inf if budget.time_limit is None else budget.time_limit - budget.elapsed
        clusters = violated_clusters(choice, seconds=min(most_seconds, max(0.0, left)))
        relaxation.tighten(None if incumbent.dag is None else incumbent.score - incumbent.tolerance)
        log.add(max(relaxation.bound, incumbent.score))  # graphs below the score may have lost their sets
        log.rounds += 1
        incumbent.note()
        gaps.append(relaxation.bound - incumbent.score)
        relaxation.drop_idle()
        stuck = patience is not None and patience.is_over(gaps, relaxation.table.n_sets)
        if not (relaxation.add(clusters) or solution.lacks_sets) or stuck:
            return
