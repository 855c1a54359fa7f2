"""Order search as the papers do it: candidate parent sets first, then orders over their table."""

from dataclasses import dataclass, replace

from arcwise.parents.families import with_families
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import SELECTIONS, Limits, select
from arcwise.runs.budget import Budget
from arcwise.search.orders.climber import Stop, earlier_graphs
from arcwise.search.orders.climbs import OrderClimb, climb_named
from arcwise.search.orders.initial import INITIAL_ORDERS
from arcwise.search.orders.strategies import Strategy, strategy_named
from arcwise.search.orders.tables import OrdersOnTable
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import instance
from arcwise.support.names import one_of

__all__ = ["AsObs", "IInObs", "InObs", "MInObs", "Obs", "SelectedOrders", "selected_orders"]

# Of the time, the share for the parent sets.
_SHARE_OF_SETS = 0.3
# Of a limit on evaluations, their share: the search over the table makes none, but ends where none are left.
_SHARE_OF_SCORES = 0.9
# Sets to score for each variable where no time limit ends it; a count keeps results reproducible.
_SCORED = 10_000


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
        budget, limits = context.budget, self._limits(context.budget)
        selected = select(
            problem.score,
            method=self.selection,
            limits=limits,
            constraints=problem.constraints,
            workers=context.workers,
            budget=budget.part(share=_SHARE_OF_SETS, evaluation_share=_SHARE_OF_SCORES),
        )
        table = self._with_known(selected.sets, problem, budget)
        search = OrdersOnTable(self.strategy, self.climb, self.initial, stop=self.stop)
        found = search.run(replace(problem, source=table), context)
        return replace(found, decisions={**found.decisions, "limits": limits})

    def _limits(self, budget: Budget) -> Limits:
        if self.limits is not None:
            return self.limits
        return Limits(time_per_variable=None, scored_per_variable=_SCORED if budget.time_limit is None else None)

    def _with_known(self, table: ParentSets, problem: Problem, budget: Budget) -> ParentSets:
        """Return the table with the families of the start, and of what an earlier part of the run has found."""
        graphs = earlier_graphs(budget.journal, len(problem.names))
        if problem.start is not None:
            graphs.append(problem.start.parent_indices)
        for parents in graphs:
            table = with_families(table, parents, problem.score)
        return table


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
