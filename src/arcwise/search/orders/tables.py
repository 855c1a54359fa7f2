"""Search over orders on a table of parent sets."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result, Scope, Trace
from arcwise.search.order import Order, checked_order, parents_first
from arcwise.search.orders.climber import Climber, Optimum, Stop, Surroundings
from arcwise.search.orders.climbs import OrderClimb, climb_named, table_tolerance
from arcwise.search.orders.initial import INITIAL_ORDERS
from arcwise.search.orders.strategies import Strategy, strategy_named
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.seeds import recorded_seed
from arcwise.support.suggestions import one_of
from arcwise.support.workers import workers_or_default

__all__ = ["PATIENCE", "search_orders"]

#: Climbs without improvement after which a search ends that has no other limit.
PATIENCE = 1000


class TableClimber(Climber):
    """Climbs on a table of parent sets; see `search_orders`."""

    def __init__(
        self,
        table: ParentSets,
        climb: OrderClimb,
        initial: Callable[[ParentSets, int], Order],
        required: npt.NDArray[np.bool_],
        surroundings: Surroundings,
    ) -> None:
        super().__init__(table_tolerance(table), surroundings)
        self._table = table
        self._core = table.core
        self._rule = climb
        self._initial = initial
        self._required = required

    def initial(self, rng: np.random.Generator) -> Order:
        """Return an order to start from."""
        return parents_first(self._initial(self._table, int(rng.integers(2**63))), self._required)

    def _climb(self, order: Order, seed: int) -> Optimum:
        mended = parents_first(order, self._required)  # kicks and crossovers know nothing of required parents
        return self._rule.run(self._core, mended, self.tolerance, seed, self._around.budget)

    def _share(self) -> None:
        """Leave the table as it is."""

    def forget(self, kept: Sequence[Optimum]) -> None:
        """Leave the table as it is."""


def search_orders(
    table: ParentSets,
    *,
    strategy: str | Strategy = "memetic",
    climb: str | OrderClimb = "inobs",
    initial: str = "random",
    start: npt.ArrayLike | None = None,
    constraints: Constraints | None = None,
    stop: Stop | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Search the orders of the variables for one whose best graph over the table scores most.

    Under an order every variable takes its best set within its predecessors, which always gives an acyclic graph; the
    search climbs from order to order. The bound of the result is the score of every variable's best set, whether these
    close cycles or not: no graph over the table exceeds it.

    Parameters
    ----------
    table
        The parent sets to choose from.
    strategy
        Where to climb from: ``restarts``, ``iterated`` (IINOBS), ``memetic`` (MINOBS), or an object such as
        ``Memetic(population=50)``.
    climb
        How to climb: ``inobs``, ``hcbo``, ``first``, ``obs``, ``obs-tabu``, ``asobs``, or an `OrderClimb`.
    initial
        New orders are ``random``, ``dfs`` or ``fas`` (Perez & Mauá 2016).
    start
        An order to climb from first, by index.
    constraints
        What the graph must and must not have.
    stop
        When to end; without a limit here or on time, after 1,000 climbs that bring nothing better.
    seed
        Decides all random choices; drawn and recorded when None. The number of workers does not change the result.
    workers
        Climbs at the same time; by default one per usable core.
    budget
        When to end, whatever has been found.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Raises
    ------
    ParameterError
        If no order is found under which every variable has a set; a table with all empty sets always has one.

    Examples
    --------
    >>> table = ParentSets.from_lists(
    ...     ["a", "b", "c"], [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"])]]
    ... )
    >>> result = search_orders(table, seed=1)
    >>> result.score, result.bound, result.dag.arcs
    (-5.0, -4.0, (('b', 'a'), ('a', 'c'), ('b', 'c')))
    """
    table = instance("table", table, ParentSets)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    rules = constraints.resolve(table.names)
    allowed = table.constrained(constraints)
    strategy, climb, seed = strategy_named(strategy), climb_named(climb), recorded_seed(seed)
    one_of("initial", initial, INITIAL_ORDERS)
    first = [] if start is None else [parents_first(checked_order(start, table.n_variables), rules.required)]
    budget = instance("budget", budget, Budget, default=Budget)
    stop = ending(stop, budget)
    workers = workers_or_default(workers)
    trace = Trace(on_improvement, budget, table_tolerance(allowed))
    with ThreadPoolExecutor(max_workers=workers) as executor:
        around = Surroundings(budget, stop, executor, trace)
        climber = TableClimber(allowed, climb, INITIAL_ORDERS[initial], rules.required, around)
        budget.run(lambda: strategy.search(climber, np.random.default_rng(seed), first))
    best = climber.best
    if best is None or not best.is_feasible:
        raise ParameterError(
            f"no order was found in {climber.climbs:,} climbs under which every variable has a parent set; add the "
            "empty set of every variable to the table, or relax the constraints"
        )
    dag = Dag.from_parents(table.names, best.parents)
    return Result(
        dag=dag,
        score=allowed.total(dag),  # summed like the bound, so that rounding cannot put it above
        status=climber.status,
        method=strategy.name,
        seed=seed,
        seconds=budget.elapsed,
        settings={
            "strategy": strategy,
            "climb": climb,
            "initial": initial,
            "constraints": constraints,
            "stop": stop,
            "budget": repr(budget),
        },
        counters={"climbs": climber.climbs, "moves": climber.moves, "sets": allowed.n_sets},
        trace=trace.points,
        bound=allowed.relaxed_score(),
        bound_for=Scope.CANDIDATE_SETS,
    )


def ending(stop: Stop | None, budget: Budget) -> Stop:
    """Return when to end: as asked, or out of patience where nothing else would end the search."""
    stop = instance("stop", stop, Stop, default=Stop)
    # A limit on evaluations ends nothing once all scores are known, and on a table they always are.
    endless = stop == Stop() and budget.time_limit in (None, inf)
    return Stop(patience=PATIENCE) if endless else stop
