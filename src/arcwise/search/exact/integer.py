"""The best graph over a table of parent sets by integer programming, with its proof."""

from collections.abc import Callable
from contextlib import suppress
from warnings import warn

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result, Scope, Status, Tightening
from arcwise.search.exact.bounds import BoundLog, Patience, ending, rounds
from arcwise.search.exact.incumbent import Incumbent
from arcwise.search.exact.relaxation import Relaxation
from arcwise.search.orders.climber import Stop
from arcwise.search.orders.tables import search_orders
from arcwise.support.arguments import instance
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.seeds import recorded_seed
from arcwise.support.workers import workers_or_default

__all__ = ["integer_programming", "solved", "warn_without_solver"]

_NEEDS_SCIP = (
    "the linear relaxation did not prove the best graph, and branching needs SCIP: the result has what was found so "
    "far; pip install 'arcwise[exact]' for more"
)
_NO_SOLVER = "SCIP is not installed"
# The share of the time, and the climbs without success, for the search over orders at the beginning.
_SHARE_OF_ORDERS = 0.1
_PATIENCE_OF_ORDERS = 3000
# When the relaxation makes way for the solver.
_PATIENCE = Patience(rounds=10, most_sets=20_000)


def integer_programming(
    sets: ParentSets,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    seed: int | None = None,
    budget: Budget | None = None,
    workers: int | None = None,
    scope: Scope = Scope.CANDIDATE_SETS,
    on_improvement: Callable[[Improvement], object] | None = None,
    on_bound: Callable[[Tightening], object] | None = None,
) -> Result:
    """Find the best graph over a table and prove that it is the best.

    One binary variable for each parent set, one set for each variable, and rows for clusters of variables that are
    added when a solution breaks them (Jaakkola et al. 2010; Cussens 2011; Bartlett & Cussens 2017, "Integer linear
    programming for the Bayesian network structure learning problem", Artificial Intelligence 244). Three steps, each of
    which may end with the proof: a search over orders finds a good graph; the linear relaxation (`tightened_bound`)
    bounds the rest, and leaves out the sets that no better graph has; the solver SCIP branches on what remains. SCIP
    comes with ``pip install 'arcwise[exact]'``; without it the last step is left out, with a warning.

    The bound of the second step is safe against rounding. That of the third rests on SCIP's tolerances (1e-6 relative),
    as does a proof that needed it.

    Parameters
    ----------
    sets
        The table.
    constraints
        What the graph must and must not have.
    start
        A graph whose order the search begins with.
    seed
        Decides the random choices of the search over orders and of the solver; drawn and recorded when None.
    budget
        When to end; then, or after Ctrl-C, the result is the best graph with the best bound so far.
    workers
        Threads; by default one per usable core. They do not change the answer.
    scope
        ``Scope.ALL_SETS`` says that the table is complete: that every set which is not in it is beaten by a subset.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.
    on_bound
        Called with every better bound; the search ends when it returns a true value.

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
    result = solved(
        instance("sets", sets, ParentSets),
        constraints=constraints,
        start=start,
        seed=seed,
        budget=budget,
        workers=workers,
        scope=scope,
        on_improvement=on_improvement,
        on_bound=on_bound,
    )
    warn_without_solver(result)
    return result


def warn_without_solver(result: Result) -> None:
    """Warn where a proof was left out because the solver is not installed."""
    if result.settings.get("solver") == _NO_SOLVER:
        warn(_NEEDS_SCIP, ArcwiseWarning, stacklevel=3)


def solved(
    table: ParentSets,
    *,
    constraints: Constraints | None,
    start: Dag | None,
    seed: int | None,
    budget: Budget | None,
    workers: int | None = None,
    scope: Scope,
    on_improvement: Callable[[Improvement], object] | None = None,
    on_bound: Callable[[Tightening], object] | None = None,
) -> Result:
    """Return what `integer_programming` finds; the result's ``settings["solver"]`` says whether SCIP was missed."""
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    budget = instance("budget", budget, Budget, default=Budget)
    scope, seed = instance("scope", scope, Scope), recorded_seed(seed)
    workers = workers_or_default(workers)
    allowed = table.constrained(constraints).without_dominated()
    incumbent = Incumbent(allowed, constraints, budget, on_improvement)
    first = None if start is None else constraints.checked_start(table.names, start)
    relaxation, log = Relaxation(allowed, workers), BoundLog(budget, on_bound)
    settings: dict[str, object] = {"constraints": constraints, "budget": repr(budget)}

    def work() -> dict[str, int]:
        if first is not None:
            incumbent.start(first)
        if incumbent.dag is None or not budget.exhausted:
            _search_orders(incumbent, constraints, seed, budget, workers)
        rounds(relaxation, incumbent, budget, log, _PATIENCE)
        if incumbent.is_proven(log.best) or budget.exhausted:
            return {}
        try:
            from arcwise.search.exact.branching import branch  # here, because SCIP is loaded only where it is needed
        except ImportError:
            rounds(relaxation, incumbent, budget, log)  # as far as they go
            if not (incumbent.is_proven(log.best) or budget.exhausted):
                settings["solver"] = _NO_SOLVER
            return {}
        return branch(relaxation, incumbent, budget, log, seed)

    counters = budget.run(work)
    if incumbent.dag is None:
        raise ParameterError(
            "no graph was found in which every variable has one of its parent sets; add the empty set of every "
            "variable to the table, relax the constraints, or allow more time"
        )
    proven = incumbent.is_proven(log.best)
    return Result(
        dag=incumbent.dag,
        score=incumbent.score,
        status=Status.LOCAL_OPTIMUM if not proven and not budget.exhausted else ending(proven, budget),
        method="integer programming",
        seed=seed,
        seconds=budget.elapsed,
        settings=settings,
        counters={"rounds": log.rounds, "sets": allowed.n_sets, "sets_left": relaxation.table.n_sets, **counters},
        trace=incumbent.trace.points,
        bound=incumbent.score if proven else max(log.best, incumbent.score),
        bound_for=scope,
        bounds=tuple(log.points),
    )


def _search_orders(incumbent: Incumbent, constraints: Constraints, seed: int, budget: Budget, workers: int) -> None:
    """Give the incumbent the best graph of a short search over orders, if this finds any."""
    part, stop = budget.part(share=_SHARE_OF_ORDERS), Stop(patience=_PATIENCE_OF_ORDERS)
    # Without a graph under any order the solver may still find one, or prove that there is none.
    with suppress(ParameterError):
        found = search_orders(
            incumbent.table, constraints=constraints, stop=stop, seed=seed, workers=workers, budget=part
        )
        incumbent.offer(found.dag)
