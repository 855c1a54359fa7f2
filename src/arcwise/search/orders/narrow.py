"""Order search for graphs of bounded width, in which questions are cheap to answer."""

from dataclasses import dataclass, replace

from arcwise.parents.selection import SELECTIONS, Limits
from arcwise.search.orders.climber import Stop
from arcwise.search.orders.climbs import INITIAL_ORDERS, OrderClimb
from arcwise.search.orders.strategies import Strategy, strategy_named
from arcwise.search.orders.tables import OrdersOnTable, SelectedOrders
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.simulation.bounded_width import heuristic_width
from arcwise.support.arguments import count, instance
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import one_of
from arcwise.support.quoting import quoted

__all__ = ["Narrow", "narrow"]

# Of the time, what a search without a limit on the width may take, and how many climbs of it may bring nothing better.
_SHARE_OF_ANY_WIDTH = 0.2
_PATIENCE_OF_ANY_WIDTH = 200


@dataclass(frozen=True)
class Narrow(Search):
    """Search the orders of the variables for the best graph of bounded width (treewidth).

    Exact inference takes time and memory that grow exponentially with the width of a network. Here no graph has more
    than the given one. Along an order every variable takes the best of its parent sets that can be a clique, together
    with it, of a graph without directions in which every variable has at most `width` neighbours before it: so the
    moral graph has at most this treewidth. Neighbours are joined only when a set asks for it. The search climbs over
    orders by insertions, from those of a population. A short search without the limit comes first: its order is the
    first of them, and its graph is the answer if it is narrow enough and nothing better is found.

    The idea, graphs that grow along an order within a graph of bounded width, is that of k-MAX (Scanagatta, Corani,
    Zaffalon, Yoo & Kang 2018, "Efficient learning of bounded-treewidth Bayesian networks from complete and incomplete
    data sets", International Journal of Approximate Reasoning 95). There the order is chosen on the way, and each
    variable is joined with `width` others at once, whether it needs them or not; here orders are searched, which takes
    more time. Not every narrow graph has an order of this kind, so that the best one may be out of reach.

    The bound of the result is for graphs of the candidate parent sets, of any width.

    Parameters
    ----------
    width
        The largest treewidth: 1 for forests, 4 or 5 for networks that answer at once.
    selection, limits
        How parent sets are selected, and how many; see `select`. None has more than `width` parents.
    strategy, initial, stop
        How orders are searched; see `search_orders`.

    Examples
    --------
    >>> from arcwise import LocalScore, Stop, load_example
    >>> score = LocalScore(load_example("asia").sample(5000, seed=1))
    >>> result = narrow(score, width=1, stop=Stop(climbs=20), seed=1)
    >>> result.counters["width"], max(len(parents) for parents in result.dag.parent_indices)
    (1, 1)
    """

    width: int = 4
    selection: str = "balanced"
    limits: Limits | None = None
    strategy: str | Strategy = "memetic"
    initial: str = "random"
    stop: Stop | None = None

    name = "narrow"

    def __post_init__(self) -> None:
        count("width", self.width)
        one_of("selection", self.selection, SELECTIONS)
        instance("limits", self.limits, Limits, default=Limits)
        strategy_named(self.strategy)
        one_of("initial", self.initial, INITIAL_ORDERS)
        instance("stop", self.stop, Stop, default=Stop)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Select sets of at most `width` parents, and search the orders."""
        self._refuse_wide_families(problem)
        sets = SelectedOrders(self.selection, self.limits)
        limits = sets.limits_within(context.budget)
        most = self.width if limits.max_parents is None else min(self.width, limits.max_parents)
        limits = replace(limits, max_parents=most)
        problem = replace(problem, source=sets.selected(limits, problem, context))
        first = self._of_any_width(problem, context)
        order = None if first is None else first.dag.topological_order()
        climb = OrderClimb("narrow", width=self.width)
        found = OrdersOnTable(self.strategy, climb, self.initial, order, self.stop).run(problem, context)
        if first is not None and first.score > found.score and heuristic_width(first.dag) <= self.width:
            context.trace.reach(first.score)
            found = replace(found, dag=first.dag, score=first.score)
        return replace(
            found,
            counters={**found.counters, "width": min(self.width, heuristic_width(found.dag))},
            decisions={**found.decisions, "limits": limits},
        )

    def _of_any_width(self, problem: Problem, context: Context) -> Outcome | None:
        """Return what a short search without a limit on the width finds: an order to begin with, or even the answer."""
        part = context.budget.part(share=_SHARE_OF_ANY_WIDTH, apart=True)
        search = OrdersOnTable(initial=self.initial, stop=Stop(patience=_PATIENCE_OF_ANY_WIDTH))
        return search.run_if_possible(problem, context.aside(part))

    def _refuse_wide_families(self, problem: Problem) -> None:
        for child, name in enumerate(problem.names):
            if len(problem.rules.required_parents(child)) > self.width:
                raise ParameterError(
                    f"{quoted(name)} has more required parents than ", Name("width"), f" allows ({self.width})"
                )


narrow = function_of(Narrow(), "narrow")
