"""Order search on a table of parent sets: a given one, or, as the papers do it, one that is selected first."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import numpy.typing as npt

from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Order, checked_order, hashable_order, parents_first
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import SELECTIONS, Limits, select, with_families
from arcwise.runs.budget import Budget
from arcwise.runs.result import Scope
from arcwise.search.orders.climber import Climber, Stop, Surroundings, earlier_graphs
from arcwise.search.orders.climbs import INITIAL_ORDERS, Optimum, OrderClimb, climb_named
from arcwise.search.orders.strategies import Strategy, strategy_named
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.names import indices_of, one_of

__all__ = [
    "PATIENCE",
    "AsObs",
    "IInObs",
    "InObs",
    "MInObs",
    "Obs",
    "OrdersOnTable",
    "SelectedOrders",
    "search_orders",
    "selected_orders",
]

#: Climbs without improvement after which a search ends that has no other limit.
PATIENCE = 1000

# Of the time, the share for the parent sets.
_SHARE_OF_SETS = 0.3
# Of a limit on evaluations, their share: the search over the table makes none, but ends where none are left.
_SHARE_OF_SCORES = 0.9
# Sets to score for each variable where no time limit ends it; a count keeps results reproducible.
_SCORED = 10_000


class TableClimber(Climber):
    """Climbs on a table of parent sets; see `OrdersOnTable`."""

    def __init__(
        self,
        table: ParentSets,
        climb: OrderClimb,
        initial: Callable[[ParentSets, int], Order],
        required: npt.NDArray[np.int64],
        surroundings: Surroundings,
    ) -> None:
        super().__init__(table.rounding, surroundings)
        self.table = table
        self._core = table.core
        self._most = table.relaxed_score() - table.rounding
        self._rule = climb
        self._initial = initial
        self._required = required

    @property
    def done(self) -> bool:
        """Whether the search must end, or no graph of the table is better than the best one."""
        best = self.best
        return super().done or (best is not None and best.is_feasible and best.score >= self._most)

    def initial(self, rng: np.random.Generator) -> Order:
        """Return an order to start from."""
        return parents_first(self._initial(self.table, int(rng.integers(2**63))), self._required)

    def _climb(self, order: Order, seed: int) -> Optimum:
        mended = parents_first(order, self._required)  # kicks and crossovers know nothing of required parents
        return self._rule.run(self._core, mended, self.tolerance, seed, self._around.budget)

    def _climb_elsewhere(self, order: Order, temperature: float, seed: int, budget: Budget) -> Order:
        mended = parents_first(order, self._required)
        table = perturbed_table(self.table, temperature, np.random.default_rng(seed))
        return self._rule.run(table.core, mended, self.tolerance, seed, budget).order

    def _share(self) -> None:
        """Leave the table as it is."""

    def forget(self, kept: Sequence[Optimum]) -> None:
        """Leave the table as it is."""


def perturbed_table(table: ParentSets, temperature: float, rng: np.random.Generator) -> ParentSets:
    """Return a table whose scores differ about as they would if rows had random weights.

    A table knows nothing of rows. If their weights have mean 1 and variance T, the gain g of a set over no parents, in
    log-likelihood, has the variance T times the sum of the squared gains of the rows. Where parents tell little about
    each single row, that sum is about 2 g, as the variance of a log-likelihood ratio is twice its mean. So a set gets a
    normal error of variance 2 T g; g is its lead over the worst set of the variable. The errors of a variable's sets
    come from one number for each parent, so that sets that share parents err together, as they do on reweighted rows.

    Parameters
    ----------
    table
        The scores to change.
    temperature
        The variance T of the weights.
    rng
        Draws the errors.
    """
    n, sizes = table.n_variables, np.diff(table.set_begin)
    child = np.repeat(np.arange(n), np.diff(table.variable_begin))
    luck = rng.normal(size=(n, n))[np.repeat(child, sizes), table.members]
    sums = np.diff(np.concatenate([[0.0], np.cumsum(luck)])[table.set_begin])
    gains = table.scores - table.scores[table.variable_begin[1:] - 1][child]
    scores = table.scores + np.sqrt(2 * temperature * gains) * sums / np.sqrt(np.maximum(sizes, 1))
    by_score = np.lexsort((-scores, child))
    begin = np.concatenate([[0], np.cumsum(sizes[by_score])])
    places = np.repeat(table.set_begin[:-1][by_score] - begin[:-1], sizes[by_score]) + np.arange(begin[-1])
    return ParentSets(table.names, table.variable_begin, begin, table.members[places], scores[by_score])


@dataclass(frozen=True)
class OrdersOnTable(Search):
    """Search the orders of the variables for one whose best graph over a table of parent sets scores most.

    Under an order every variable takes its best set within its predecessors, which always gives an acyclic graph; the
    search climbs from order to order. The bound of the result is the score of every variable's best set, whether these
    close cycles or not: no graph over the table exceeds it. With a start, the first climb begins with its order: the
    result is no worse than the start where its parent sets, or subsets that score no less, are in the table.

    Parameters
    ----------
    strategy
        Where to climb from: ``restarts``, ``annealing``, ``perturbation``, ``iterated`` (IINOBS), ``memetic``
        (MINOBS), or an object such as ``Memetic(population=50)``.
    climb
        How to climb: ``inobs``, ``hcbo``, ``first``, ``obs``, ``obs-tabu``, ``asobs``, or an `OrderClimb`.
    initial
        New orders are ``random``, ``dfs`` or ``fas`` (Perez & Mauá 2016).
    first_order
        An order to climb from first, even before that of a start: all variables, by name or by index.
    stop
        When to end; without a limit here or on time, after 1,000 climbs that bring nothing better.

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

    strategy: str | Strategy = "memetic"
    climb: str | OrderClimb = "inobs"
    initial: str = "random"
    first_order: Sequence[str | int] | None = None
    stop: Stop | None = None

    takes = (ParentSets,)

    def __post_init__(self) -> None:
        strategy_named(self.strategy)
        climb_named(self.climb)
        one_of("initial", self.initial, INITIAL_ORDERS)
        instance("stop", self.stop, Stop, default=Stop)
        object.__setattr__(self, "first_order", hashable_order(self.first_order))

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the strategy."""
        return strategy_named(self.strategy).name

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb from many orders, and return the best graph."""
        climber = self._climbed(problem, context)
        outcome = self._outcome(climber, problem, context)
        if outcome is None:
            raise ParameterError(
                f"no order was found in {climber.climbs:,} climbs under which every variable has a parent set; add the "
                "empty set of every variable to the table, or relax the constraints"
            )
        return outcome

    def run_if_possible(self, problem: Problem, context: Context) -> Outcome | None:
        """Return what `run` does, or None where no order is found under which every variable has a set."""
        return self._outcome(self._climbed(problem, context), problem, context)

    def _climbed(self, problem: Problem, context: Context) -> TableClimber:
        """Return what has climbed from many orders, until it had to stop."""
        table, required = problem.table.constrained(problem.constraints), problem.rules.required_arcs
        first = [parents_first(order, required) for order in self._first(problem)]
        with ThreadPoolExecutor(max_workers=context.workers) as executor:
            around = Surroundings(context.budget, ending(self.stop, context.budget), executor, context.trace)
            climber = TableClimber(table, climb_named(self.climb), INITIAL_ORDERS[self.initial], required, around)
            strategy_named(self.strategy).search(climber, np.random.default_rng(context.seed), first)
        return climber

    def _outcome(self, climber: TableClimber, problem: Problem, context: Context) -> Outcome | None:
        """Return the best graph of the climbs; None where there is none."""
        best, table = climber.best, climber.table
        if best is None or not best.is_feasible:
            return None
        dag = Dag.from_parents(problem.names, best.parents)
        return Outcome(
            dag,
            table.total(dag),  # summed like the bound, so that rounding cannot put it above
            counters={"climbs": climber.climbs, "moves": climber.moves, "sets": table.n_sets},
            decisions={"stop": ending(self.stop, context.budget)},
            bound=table.relaxed_score(),
            bound_for=Scope.CANDIDATE_SETS,
        )

    def _first(self, problem: Problem) -> list[Order]:
        """Return the orders to climb from first: the given one, and that of the start."""
        orders = given_order(self.first_order, problem.names)
        if problem.start is not None:
            orders += given_order(problem.start.topological_order(), problem.names)
        return orders


search_orders = function_of(OrdersOnTable(), "search_orders")


def given_order(order: Sequence[str | int] | None, names: Sequence[str]) -> list[Order]:
    """Return the order that a user gave, by indices, in a list; an empty list for None."""
    if order is None:
        return []
    position = {name: index for index, name in enumerate(names)}
    return [checked_order(indices_of(order, position, "first_order"), len(position))]


def ending(stop: Stop | None, budget: Budget) -> Stop:
    """Return when to end: as asked, or out of patience where nothing else would end the search."""
    stop = instance("stop", stop, Stop, default=Stop)
    # A limit on evaluations ends nothing once all scores are known, and on a table they always are.
    endless = stop == Stop() and budget.time_limit in (None, inf)
    return Stop(patience=PATIENCE) if endless else stop


@dataclass(frozen=True)
class SelectedOrders(Search):
    """Select candidate parent sets, then search the orders of the variables over their table.

    `select` and `search_orders` in one call; the bound of the result is for graphs of the selected sets.

    Parameters
    ----------
    selection, limits
        How parent sets are selected, and how many; see `select`. By default, 10,000 are scored for each variable, or as
        many as 30 % of the time allow.
    strategy, climb, initial, stop
        How orders are searched; see `search_orders`.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> score = LocalScore(load_example("cancer").sample(2000, seed=1))
    >>> selected_orders(score, stop=Stop(climbs=20), seed=1).dag.n_arcs
    2
    """

    selection: str = "balanced"
    limits: Limits | None = None
    strategy: str | Strategy = "memetic"
    climb: str | OrderClimb = "inobs"
    initial: str = "random"
    stop: Stop | None = None

    name = "selected-orders"

    def __post_init__(self) -> None:
        one_of("selection", self.selection, SELECTIONS)
        instance("limits", self.limits, Limits, default=Limits)
        strategy_named(self.strategy)
        climb_named(self.climb)
        one_of("initial", self.initial, INITIAL_ORDERS)
        instance("stop", self.stop, Stop, default=Stop)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Select the sets, and search the orders."""
        limits = self.limits_within(context.budget)
        table = self.selected(limits, problem, context)
        search = OrdersOnTable(self.strategy, self.climb, self.initial, stop=self.stop)
        found = search.run(replace(problem, source=table), context)
        return replace(found, decisions={**found.decisions, "limits": limits})

    def selected(self, limits: Limits, problem: Problem, context: Context) -> ParentSets:
        """Return the selected sets, with those of the start and of what an earlier part of the run has found."""
        budget = context.budget
        found = select(
            problem.score,
            method=self.selection,
            limits=limits,
            constraints=problem.constraints,
            workers=context.workers,
            executor=context.place,
            budget=budget.part(share=_SHARE_OF_SETS, evaluation_share=_SHARE_OF_SCORES),
        )
        table, graphs = found.sets, earlier_graphs(budget.journal, len(problem.names))
        if problem.start is not None:
            graphs.append(problem.start.parent_indices)
        for parents in graphs:
            table = with_families(table, parents, problem.score)
        return table

    def limits_within(self, budget: Budget) -> Limits:
        """Return how many sets are selected: as asked, or as many as suit the budget."""
        if self.limits is not None:
            return self.limits
        return Limits(time_per_variable=None, scored_per_variable=_SCORED if budget.time_limit is None else None)


@dataclass(frozen=True)
class Obs(SelectedOrders):
    """Search the orders by swaps of neighbours, from random ones: ordering-based search (Teyssier & Koller 2005)."""

    strategy: str | Strategy = "restarts"
    climb: str | OrderClimb = "obs"

    name = "obs"


@dataclass(frozen=True)
class AsObs(SelectedOrders):
    """Search the orders as acyclic selection OBS does (Scanagatta, de Campos, Corani & Zaffalon 2015)."""

    selection: str = "independence"
    strategy: str | Strategy = "restarts"
    climb: str | OrderClimb = "asobs"

    name = "asobs"


@dataclass(frozen=True)
class InObs(SelectedOrders):
    """Search the orders by insertions, from random ones: INOBS (Lee & van Beek 2017)."""

    strategy: str | Strategy = "restarts"

    name = "inobs"


@dataclass(frozen=True)
class IInObs(SelectedOrders):
    """Search the orders by insertions, from kicked ones: IINOBS (Lee & van Beek 2017)."""

    strategy: str | Strategy = "iterated"

    name = "iinobs"


@dataclass(frozen=True)
class MInObs(SelectedOrders):
    """Search the orders by insertions, from those of a population that breeds: MINOBS (Lee & van Beek 2017)."""

    name = "minobs"


selected_orders = function_of(SelectedOrders(), "selected_orders")
