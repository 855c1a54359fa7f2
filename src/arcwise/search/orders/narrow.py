"""Order search for graphs of bounded width, in which questions are cheap to answer."""

from dataclasses import dataclass, replace

from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import SELECTIONS, Limits, with_families
from arcwise.runs.budget import Budget
from arcwise.runs.result import Scope
from arcwise.search.orders.climber import Stop
from arcwise.search.orders.climbs import INITIAL_ORDERS, OrderClimb
from arcwise.search.orders.strategies import Strategy, strategy_named
from arcwise.search.orders.tables import OrdersOnTable, SelectedOrders
from arcwise.search.orders.widths import is_narrow, width_bounds
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
# Of the time, what may be taken to put better sets into the graph of the required arcs.
_SHARE_OF_GROWTH = 0.1
# Of each variable, when sets are put into that graph.
_SETS_TO_TRY = 20


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

    Raises
    ------
    ParameterError
        If the required arcs alone are wider.

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
        known = self._known(problem)
        sets = SelectedOrders(self.selection, self.limits)
        limits = sets.limits_within(context.budget)
        most = self.width if limits.max_parents is None else min(self.width, limits.max_parents)
        limits = replace(limits, max_parents=most)
        table = sets.selected(limits, problem, context)
        for dag in known:
            table = with_families(table, dag.parent_indices, problem.score)
        on_table = replace(problem, source=table)
        known = self._grown(known, on_table, context)
        first = self._of_any_width(on_table, context)
        order = None if first is None else first.dag.topological_order()
        climb = OrderClimb("narrow", width=self.width)
        search = OrdersOnTable(self.strategy, climb, self.initial, order, self.stop)
        found = search.run_if_possible(on_table, context)
        if first is not None and is_narrow(first.dag.parent_indices, self.width):
            known.append(first.dag)
        for dag in known:
            score = table.total(dag)
            if found is None:
                table = table.constrained(problem.constraints)
                found = Outcome(dag, score, bound=table.relaxed_score(), bound_for=Scope.CANDIDATE_SETS)
            elif score > found.score:
                found = replace(found, dag=dag, score=score)
            context.trace.reach(score)
        if found is None:
            raise ParameterError(
                "no graph with all required arcs was found that is as narrow as ",
                Name("width"),
                f" says ({self.width}); raise it, drop required arcs, or give a narrow graph as ",
                Name("start"),
            )
        return replace(
            found,
            counters={**found.counters, "width": min(self.width, heuristic_width(found.dag))},
            decisions={**found.decisions, "limits": limits},
        )

    def _grown(self, known: list[Dag], on_table: Problem, context: Context) -> list[Dag]:
        """Return the known graphs, with more arcs where required ones may keep orders from leading to any graph."""
        if not on_table.rules.requires_any:
            return known
        table = on_table.table.constrained(on_table.constraints)
        part = context.budget.part(share=_SHARE_OF_GROWTH)
        grown = [_with_better_sets(dag, table, self.width, part) for dag in known]
        for dag in grown:
            context.trace.reach(table.total(dag))
        return grown

    def _of_any_width(self, problem: Problem, context: Context) -> Outcome | None:
        """Return what a short search without a limit on the width finds: an order to begin with, or even the answer."""
        part = context.budget.part(share=_SHARE_OF_ANY_WIDTH, apart=True)
        search = OrdersOnTable(initial=self.initial, stop=Stop(patience=_PATIENCE_OF_ANY_WIDTH))
        return search.run_if_possible(problem, context.aside(part))

    def _known(self, problem: Problem) -> list[Dag]:
        """Return narrow graphs that are there before the search: the start, and that of the required arcs alone."""
        names, rules = problem.names, problem.rules
        for child, name in enumerate(names):
            if len(rules.required_parents(child)) > self.width:
                raise ParameterError(
                    f"{quoted(name)} has more required parents than ", Name("width"), f" allows ({self.width})"
                )
        required = Dag.from_parents(names, [rules.required_parents(child) for child in range(len(names))])
        least, most = width_bounds(required)
        if least > self.width:
            raise ParameterError(
                f"the required arcs alone make a graph of width {least}{'' if least == most else ' or more'}, and ",
                Name("width"),
                f" allows {self.width}; raise it, or drop required arcs",
            )
        graphs = [required] if problem.start is None else [problem.start, required]
        return [dag for dag in graphs if is_narrow(dag.parent_indices, self.width)]


def _with_better_sets(dag: Dag, table: ParentSets, width: int, budget: Budget) -> Dag:
    """Return the graph with better parent sets of variables, where they close no cycle and keep the width.

    The sets have all parents that are there. Those that gain most come first, and each variable gets one.
    """
    parents = [set(row) for row in dag.parent_indices]
    better = [(gain, child, its) for child, own in enumerate(parents) for gain, its in _better_sets(table, child, own)]
    is_done = set()
    for _, child, its in sorted(better, key=lambda found: (-found[0], found[1])):
        if budget.exhausted:
            break
        before = parents[child]
        if child in is_done or _leads(parents, child, its):
            continue
        parents[child] = its
        if is_narrow(parents, width):
            is_done.add(child)
        else:
            parents[child] = before
    return Dag.from_parents(table.names, [sorted(row) for row in parents])


def _better_sets(table: ParentSets, child: int, own: set[int]) -> list[tuple[float, set[int]]]:
    """Return some of the sets of a variable that have its own parents and others, with their scores less its own."""
    found: list[tuple[float, set[int]]] = []
    for at in range(*table.variable_begin[child : child + 2].tolist()):
        its = set(table.members[table.set_begin[at] : table.set_begin[at + 1]].tolist())
        if its == own:
            return [(score - float(table.scores[at]), its) for score, its in found]
        if own < its and len(found) < _SETS_TO_TRY:
            found.append((float(table.scores[at]), its))
    return []


def _leads(parents: list[set[int]], node: int, to: set[int]) -> bool:
    """Whether a path leads from a node to some others."""
    left, seen = list(to), set(to)
    while left:
        at = left.pop()
        if at == node:
            return True
        left += parents[at] - seen
        seen |= parents[at]
    return False


narrow = function_of(Narrow(), "narrow")
