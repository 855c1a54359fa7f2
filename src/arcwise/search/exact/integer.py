"""The best graph over a table of parent sets by integer programming, with its proof."""

from dataclasses import dataclass
from warnings import warn

from arcwise.constraints.constraints import Constraints
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.result import Scope, Status
from arcwise.search.exact.bounds import BoundLog, Incumbent, Patience, ending, rounds
from arcwise.search.exact.relaxation import Relaxation
from arcwise.search.exact.splitting import split
from arcwise.search.orders.climber import Stop
from arcwise.search.orders.tables import OrdersOnTable
from arcwise.search.search import Context, Outcome, Problem, Search, Source, function_of
from arcwise.support.arguments import instance
from arcwise.support.errors import ArcwiseWarning, ParameterError

__all__ = ["IntegerProgramming", "integer_programming", "warn_without_solver"]

_NEEDS_SCIP = "the graph was not proven to be the best; SCIP needs less time for that: pip install 'arcwise[exact]'"
_NO_SOLVER = "SCIP is not installed"
# The share of the time, and the climbs without success, for the order search at the beginning.
_SHARE_OF_ORDERS = 0.1
_PATIENCE_OF_ORDERS = 3000
# When the relaxation makes way for the solver.
_PATIENCE = Patience(rounds=10, most_sets=20_000)


@dataclass(frozen=True)
class IntegerProgramming(Search):
    """Find the best graph over a table of parent sets by integer programming, and prove that it is the best.

    One binary variable for each parent set, one set for each variable, and rows for clusters of variables that are
    added when a solution breaks them (Jaakkola et al. 2010; Cussens 2011; Bartlett & Cussens 2017, "Integer linear
    programming for the Bayesian network structure learning problem", Artificial Intelligence 244). Three steps, each of
    which may end with the proof: an order search finds a good graph, beginning with the order of the start; the
    linear relaxation (`tightened_bound`) bounds the rest, and leaves out the sets that no better graph has; the solver
    SCIP branches on what remains. SCIP comes with ``pip install 'arcwise[exact]'``; without it the relaxation is split
    by arcs, which takes longer on hard tables.

    The bounds of the relaxation are safe against rounding. Those of SCIP rest on its tolerances (1e-6 relative), as
    does a proof that needed it. When the budget ends, or after Ctrl-C, the result is the best graph with the best
    bound so far.

    Parameters
    ----------
    scope
        ``Scope.ALL_SETS`` says that the table is complete: that every set which is not in it is beaten by a subset.

    Raises
    ------
    ParameterError
        If no graph can be made of the sets, or none was found before the budget ended; a table with all empty sets
        always has one.

    Examples
    --------
    >>> table = ParentSets.from_lists(
    ...     ["a", "b", "c"], [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"])]]
    ... )
    >>> result = integer_programming(table, seed=1)
    >>> result.score, str(result.status), str(result.bound_for)
    (-5.0, 'optimal', 'graphs of the candidate parent sets')
    """

    scope: Scope = Scope.CANDIDATE_SETS

    name = "integer programming"
    takes = (ParentSets,)

    def __post_init__(self) -> None:
        instance("scope", self.scope, Scope)

    def tolerance(self, source: Source) -> float:
        """Return 0: the scores of all graphs that it takes are summed in the same way."""
        return 0.0

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Search the orders, tighten the relaxation, and branch."""
        found = self.solved(problem, context)
        warn_without_solver(found)
        return found

    def solved(self, problem: Problem, context: Context) -> Outcome:
        """Return what `run` finds, whose ``decisions["solver"]`` says whether SCIP was missed; nobody is warned."""
        budget, table = context.budget, problem.table.constrained(problem.constraints).without_dominated()
        incumbent = Incumbent(table, problem.constraints, budget, context.trace)
        relaxation, log = Relaxation(table, context.workers), BoundLog(budget)
        if problem.start is not None:
            incumbent.start(problem.start)
        if incumbent.dag is None or not budget.exhausted:
            _search_orders(incumbent, problem.constraints, context)
        rounds(relaxation, incumbent, budget, log, _PATIENCE)
        counters, decisions = _branched(relaxation, incumbent, log, context)
        if incumbent.dag is None:
            raise ParameterError(
                "no graph was found in which every variable has one of its parent sets; add the empty set of every "
                "variable to the table, relax the constraints, or allow more time"
            )
        proven = incumbent.is_proven(log.best)
        return Outcome(
            incumbent.dag,
            incumbent.score,
            Status.LOCAL_OPTIMUM if not proven and not budget.exhausted else ending(proven, budget),
            counters={"rounds": log.rounds, "sets": table.n_sets, "sets_left": relaxation.table.n_sets, **counters},
            decisions=decisions,
            bound=incumbent.score if proven else max(log.best, incumbent.score),
            bound_for=self.scope,
            bounds=tuple(log.points),
        )


integer_programming = function_of(IntegerProgramming(), "integer_programming")


def warn_without_solver(found: Outcome) -> None:
    """Warn where a proof was left out because the solver is not installed."""
    if found.decisions.get("solver") == _NO_SOLVER:
        warn(_NEEDS_SCIP, ArcwiseWarning, stacklevel=3)


def _search_orders(incumbent: Incumbent, constraints: Constraints, context: Context) -> None:
    """Give the incumbent the best graph of a short order search, if this finds any."""
    part = context.aside(context.budget.part(share=_SHARE_OF_ORDERS))
    search = OrdersOnTable(stop=Stop(patience=_PATIENCE_OF_ORDERS))
    # Without a graph under any order the solver may still find one, or prove that there is none.
    found = search.run_if_possible(Problem(incumbent.table, constraints), part)
    if found is not None:
        incumbent.offer(found.dag)


def _branched(
    relaxation: Relaxation, incumbent: Incumbent, log: BoundLog, context: Context
) -> tuple[dict[str, int], dict[str, object]]:
    """Let the solver prove what the relaxation has not; return what it counted, and what there is to say of it."""
    budget = context.budget
    if incumbent.is_proven(log.best) or budget.exhausted:
        return {}, {}
    try:
        from arcwise.search.exact.branching import branch  # here, because SCIP is loaded only where it is needed
    except ImportError:
        counters = split(relaxation, incumbent, budget, log)
        return counters, {} if incumbent.is_proven(log.best) else {"solver": _NO_SOLVER}
    return branch(relaxation, incumbent, budget, log, context.seed), {}
