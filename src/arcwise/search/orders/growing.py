"""Order search on data, with parent sets that are found on the way."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import isinf

import numpy as np

from arcwise import _core
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Order, hashable_order, parents_first
from arcwise.parents.relaxed_arcs import RelaxedArcs
from arcwise.runs.budget import Budget
from arcwise.scores.local_score import LocalScore
from arcwise.search.classes.ges import Ges
from arcwise.search.classes.xges import Xges
from arcwise.search.dags.greedy import Greedy
from arcwise.search.orders.climber import Climber, Stop, Surroundings, is_resumed
from arcwise.search.orders.climbs import INITIAL_ORDERS, ORDERS_OF_ARCS, Optimum
from arcwise.search.orders.local_kicks import LocalKicks
from arcwise.search.orders.regrowing import RegrowingClimber, perturbed_rows
from arcwise.search.orders.strategies import Iterated, Memetic, Strategy, strategy_named
from arcwise.search.orders.tables import ending, given_order
from arcwise.search.search import Context, Outcome, Problem, Search, Source, function_of
from arcwise.search.trees.chow_liu import ChowLiu, takes_one_sweep
from arcwise.support.arguments import flag, instance
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Setting
from arcwise.support.names import one_of

__all__ = ["BREEDING", "KICKING", "MANY_VARIABLES", "Orders", "orders"]

#: The strategy on growing lists. Populations converge fast there, so that new ones start early, from nothing.
BREEDING = Memetic(
    kick=0.03,
    mutations=20,
    look_back=10,
    least_change=5.0,
    kept=0,
    reunion=3,
    smallest=6,
    walks=LocalKicks(kicks=0.1),
)

#: The strategy for `MANY_VARIABLES` and more, where most of what a climb from elsewhere does has been done before.
KICKING = LocalKicks()
MANY_VARIABLES = 400

#: The strategy where parents are regrown: few climbs from elsewhere, and most from kicks.
REGROWING = Iterated(chains=4)

_LISTS, _REGROWN = "lists", "regrown"

# Climbs without success after which a search by `KICKING` without limits ends; some of them are walks of many kicks.
_PATIENCE_OF_KICKING = 600
# Lists that need more memory than this are started anew.
_MOST_BYTES = 1 << 30
# Of the time and the evaluations, what greedy equivalence search may take: where it does not come to its end in that,
# climbs from the graph that it has bring more than it does. Not so with many variables, where a climb would take longer
# than it has.
_SHARE_OF_GES = 0.8
_SHARE_OF_GES_IF_MANY = 0.97
# How many evaluations it makes for each pair of variables, in sparse networks, and how many seconds it takes for one of
# the first sweep over all pairs. Where there are fewer, greedy search over graphs is further by then.
_EVALUATIONS_OF_GES = 3.0
_SECONDS_OF_GES = 4.0
# A part of the pairs is looked at first, to know how long a sweep takes; with fewer variables it takes a moment.
_PART_OF_PROBE = 0.02
_VARIABLES_OF_PROBE = 2_000
# What trials of deletions from a class may take: of the time and the evaluations that are left a share, and so many
# evaluations for each pair of variables. On sparse networks they come to their end with half as many. In dense data
# they need a hundred times as many as greedy equivalence search, and climbs over orders bring more: there are none
# where the graph has more arcs than so many for each node.
_SHARE_OF_TRIALS = 0.1
_EVALUATIONS_OF_TRIALS = 18
# The first climb along the order of a class counts many families anew. Where less is left than so many times what the
# class has taken, trials, which know them, bring more with many variables, and have all of it.
_LEAST_FOR_CLIMB = 3.0
_MOST_ARCS_FOR_TRIALS = 2.5


class GrowingClimber(Climber):
    """Climbs on lists of parent sets that grow; see `orders`."""

    can_walk = True

    def __init__(
        self,
        score: LocalScore,
        rules: ResolvedConstraints,
        surroundings: Surroundings,
        initial: str = "random",
        *,
        tries_classes: bool = False,
    ) -> None:
        super().__init__(4 * score.rounding, surroundings)
        self._initial = initial
        self._tries_classes = tries_classes
        self._kicks = 0  # after every climb
        self._arcs: RelaxedArcs | None = None  # of the best sets in the lists, until these change
        self._score = score
        self._rules = rules
        self._found: dict[int, _core.GrowthResult] = {}
        self._kernels: list[_core.GrowingClimb] = []  # those at rest, for threads to take; they know the lists so far
        self._first_lists = _core.GrowingLists(score.core, rules.core, surroundings.budget.for_kernel(self._threads))
        self.lists = self._first_lists.copy()

    @property
    def counters(self) -> dict[str, int]:
        """What else was counted."""
        return {"sets": self.lists.n_sets}

    def initial(self, rng: np.random.Generator) -> Order:
        """Return an order to start from."""
        if self._initial == "random":
            return parents_first(rng.permutation(self.lists.n_variables), self._rules.required_arcs)
        if self._arcs is None:
            self._arcs = RelaxedArcs(*self.lists.best_arcs())
        order = ORDERS_OF_ARCS[self._initial](self._arcs, int(rng.integers(2**63)))
        return parents_first(order, self._rules.required_arcs)

    def walk(self, orders: Sequence[Order], kicks: int, rng: np.random.Generator) -> list[Optimum]:
        """Return where the climbs from the orders end, each followed by small kicks that are undone where they fail."""
        self._kicks = kicks
        try:
            return self.climb(orders, rng)
        finally:
            self._kicks = 0

    def tried(self, optimum: Optimum) -> Order | None:
        """Return an order of the graph to which trials of deletions lead; None where the graph is dense."""
        n, arcs = len(optimum.parents), sum(map(len, optimum.parents))
        if not self._tries_classes or not optimum.is_feasible or arcs > _MOST_ARCS_FOR_TRIALS * n:
            return None
        budget = _part_of_trials(self._around.budget, n).for_kernel(self._around.workers)
        found = Xges().climb(self._score.core, self._rules.core, optimum.parents, 0, budget)
        return self.order_of(Dag.from_parents(self._score.names, found.parents))

    def order_of(self, dag: Dag) -> Order:
        """Return an order of a graph, whose families are taken into the lists."""
        self._add_families(dag.parent_indices)
        position = {name: index for index, name in enumerate(dag.names)}
        return np.array([position[name] for name in dag.topological_order()], dtype=np.intp)

    def forget(self, kept: Sequence[Optimum]) -> None:
        """Go back to the first lists, with the families of the given optima."""
        self.lists, self._arcs = self._first_lists.copy(), None
        self._kernels.clear()
        self.remember(kept)

    def remember(self, optima: Sequence[Optimum]) -> None:
        """Take the families of the optima into the lists."""
        for optimum in optima:
            if optimum.is_feasible:  # otherwise a variable has no parents for want of the required ones
                self._add_families(optimum.parents)

    def _add_families(self, parent_lists: Sequence[Sequence[int]]) -> None:
        self._arcs = None
        for child, parents in enumerate(parent_lists):
            self.lists.add_family(child, list(parents), self._score.local(child, parents))

    def _climb(self, order: Order, seed: int) -> Optimum:
        rules, budget = self._rules, self._around.budget.for_kernel(self._threads)
        order = parents_first(order, rules.required_arcs)  # kicks and crossovers know nothing of them
        kernel = self._kernels.pop() if self._kernels else _core.GrowingClimb(self._score.core, rules.core)
        grown = kernel.run(self.lists, order, self.tolerance, self._kicks, seed, budget)
        self._kernels.append(kernel)
        self._found[seed] = grown
        return Optimum.of(grown.climb)

    def _climb_elsewhere(self, order: Order, temperature: float, seed: int, budget: Budget) -> Order:
        data = perturbed_rows(self._score.data, temperature, np.random.default_rng(seed))
        score, rules = LocalScore(data, self._score.score), self._rules
        kernel = budget.for_kernel(self._threads)
        lists = _core.GrowingLists(score.core, rules.core, kernel)
        order = parents_first(order, rules.required_arcs)
        climb = _core.GrowingClimb(score.core, rules.core)
        return climb.run(lists, order, self.tolerance, 0, seed, kernel).climb.order

    def _share(self) -> None:
        for seed in sorted(self._found):  # any order will do that does not depend on the workers
            self.lists.add_found(self._found[seed])
        self._found.clear()
        self._arcs = None
        if self.lists.bytes > _MOST_BYTES:
            self.forget([] if self.best is None else [self.best])


@dataclass(frozen=True)
class Orders(Search):
    """Search the orders of the variables, and the parent sets that they need, on data.

    An order search on a table of parent sets (`search_orders`) ends where the table ends. Here there is no table
    at first: a climb starts from single parents, and at each local optimum looks for better parent sets of every
    variable whose predecessors have changed. It adds, drops and swaps parents among all predecessors; leaves each of
    them out and adds others, because that is what remains when a parent moves on; and keeps sets with one later
    variable where they are better, because these pull that variable forward. What one climb has found, later ones use.
    Around this, a memetic search (Lee & van Beek 2017) breeds the best orders of fewer than 400 variables, and improves
    the best of them by small kicks; of more, one order is improved by such kicks, and crossed with others region by
    region (`LocalKicks`).

    That is for scores that are counted. Those of continuous data are made in much less time than a list is searched,
    and parents are many there. So a move grows the parents of all variables that it passes (after Andrews et al. 2023
    and FLOP, arXiv 2510.04970): no lists are kept, and no move is missed for want of a set.

    Searches over classes come first, where equivalent graphs score the same, and neither a start, an order nor a number
    of climbs is given: greedy equivalence search (`ges`), for at most four fifths of the time, or nearly all of it with
    many variables; and, where its graph has at most 2.5 arcs for each node, for at most a tenth of what it leaves the
    trials of `xges` from where it ends, with many variables after the first climbs. On sparse networks with many
    variables they end in good classes that climbs from random orders rarely meet. Where there is no time for greedy
    equivalence search to end, greedy search over graphs (`greedy`) from the best tree (`chow_liu`) takes its place. An
    order of their graph joins the first orders; the result is no worse.

    The number of parents has no limit but the score's own penalty and the constraints. No bound is known for the
    result: better sets may exist that no climb has met.

    Parameters
    ----------
    strategy
        Where to climb from: ``restarts``, ``annealing``, ``perturbation``, ``iterated``, ``memetic``, or an object
        such as ``Memetic(population=50)``. By default, a `Memetic` for fewer than 400 variables and `LocalKicks` for
        more.
    initial
        New orders are ``random``, or read off the best parents that any climb has met so far: ``dfs`` or ``fas`` (Perez
        & Mauá 2016). At first these are single parents, so that the first orders know little.
    parents
        Where the parents of variables along an order come from: ``lists`` that grow, or ``regrown`` by each move. By
        default regrown for continuous data, and for the score `DG`.
    first_order
        An order to climb from first, even before that of a start: all variables, by name or by index. No greedy
        equivalence search comes before it.
    stop
        When to end; without a limit here or on time, after 1,000 climbs that bring nothing better.
    begins_with_classes
        Whether searches over classes may come first.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = orders(LocalScore(data, "bic"), stop=Stop(climbs=40), seed=1)
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """

    strategy: str | Strategy | None = None
    initial: str = "random"
    parents: str | None = None
    first_order: Sequence[str | int] | None = None
    stop: Stop | None = None
    begins_with_classes: bool = True

    name = "orders"
    most_variables = 65_535
    bytes_per_pair = 0
    bytes_per_variable = 16_384

    def __post_init__(self) -> None:
        if self.strategy is not None:
            strategy_named(self.strategy)
        one_of("initial", self.initial, INITIAL_ORDERS)
        if self.parents is not None:
            one_of("parents", self.parents, (_LISTS, _REGROWN))
        if self.parents == _REGROWN and self.initial != "random":
            raise ParameterError(
                Setting("initial", self.initial),
                " reads orders off lists, and with ",
                Setting("parents", _REGROWN),
                " there are none",
            )
        object.__setattr__(self, "first_order", hashable_order(self.first_order))
        instance("stop", self.stop, Stop, default=Stop)
        flag("begins_with_classes", self.begins_with_classes)

    def tolerance(self, source: Source) -> float:
        """Return by how much a score must be better to be an improvement."""
        return 4 * source.rounding

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb from many orders, and return the best graph."""
        budget, strategy, rng = context.budget, self.strategy_for(problem), np.random.default_rng(context.seed)
        stop = ending(self.stop, budget)
        if stop != self.stop and strategy is KICKING:
            stop = Stop(patience=_PATIENCE_OF_KICKING)
        given = given_order(self.first_order, problem.names)
        first = self.first_graph(problem, context, stop)
        with ThreadPoolExecutor(max_workers=context.workers) as executor:
            around = Surroundings(budget, stop, executor, context.trace, context.workers)
            climber = self.climber_for(problem, around)
            strategy.search(climber, rng, [*given, *([] if first is None else [climber.order_of(first)])])
        best = climber.best
        assert best is not None  # the first orders have been climbed from, whatever the budget
        dag, score = Dag.from_parents(problem.names, best.parents), best.score
        if first is not None and (its_score := problem.score.total(first)) > score:
            dag, score = first, its_score  # where there was no time to climb from it
        return Outcome(
            dag,
            score,
            counters={"climbs": climber.climbs, "moves": climber.moves, **climber.counters},
            decisions={"strategy": strategy, "stop": stop},
        )

    def climber_for(self, problem: Problem, around: Surroundings) -> GrowingClimber | RegrowingClimber:
        """Return what climbs on a problem."""
        if self._regrows(problem):
            return RegrowingClimber(problem.score, problem.rules, around)
        tries_classes = self._begins_with_classes(problem, self.stop)
        return GrowingClimber(problem.score, problem.rules, around, self.initial, tries_classes=tries_classes)

    def strategy_for(self, problem: Problem) -> Strategy:
        """Return where to climb from on a problem."""
        if self.strategy is not None:
            return strategy_named(self.strategy)
        if self._regrows(problem):
            return REGROWING
        return BREEDING if len(problem.names) < MANY_VARIABLES else KICKING

    def _regrows(self, problem: Problem) -> bool:
        if self.parents is not None or self.initial != "random":
            return self.parents == _REGROWN
        return problem.score.is_one_matrix

    def first_graph(self, problem: Problem, context: Context, stop: Stop) -> Dag | None:
        """Return a graph to begin with: the start, that of an earlier part of the run, or that of a greedy search."""
        journal, first = context.budget.journal, problem.start
        if is_resumed(journal):
            return first
        if journal.earlier_best is not None:
            first = Dag.from_parents(problem.names, journal.earlier_best.parents)
        if not self._begins_with_classes(problem, stop):
            return first
        return self._best_class(replace(problem, start=first), context)

    def _begins_with_classes(self, problem: Problem, stop: Stop | None) -> bool:
        has_start = problem.start is not None or self.first_order is not None
        is_limited = stop is not None and stop.climbs is not None
        return self.begins_with_classes and problem.score.is_equivalent and not has_start and not is_limited

    def _best_class(self, problem: Problem, context: Context) -> Dag:
        """Return a graph of the class where greedy equivalence search ends, or trials of deletions from there.

        Where there is no time for it to end, it is where greedy search over graphs is by then, from the best tree: the
        sweep for that takes a fraction of what any other search needs before its first arc.
        """
        budget, n = context.budget, len(problem.names)
        begin, before = budget.elapsed, budget.evaluations
        if _is_too_short_for_ges(problem, context):
            if takes_one_sweep(problem):
                problem = replace(problem, start=ChowLiu().run(problem, context).dag)
            return Greedy(climbs=1).run(problem, context).dag
        has_many = self.strategy_for(problem) is KICKING
        share = _SHARE_OF_GES_IF_MANY if has_many else _SHARE_OF_GES
        part = budget.part(share=share, evaluation_share=share)
        found = Ges().run(problem, replace(context, budget=part)).dag
        if part.exhausted or found.n_arcs > _MOST_ARCS_FOR_TRIALS * n:
            return found
        if has_many and not _is_too_short_for_a_climb(budget, begin, before):
            return found  # they come later
        part = budget.part(share=share, evaluation_share=share) if has_many else _part_of_trials(budget, n)
        return Xges().run(replace(problem, start=found), replace(context, budget=part)).dag


def _part_of_trials(budget: Budget, n: int) -> Budget:
    """Return what trials of deletions may take."""
    most = _EVALUATIONS_OF_TRIALS * n * n
    return budget.part(evaluation_limit=most, share=_SHARE_OF_TRIALS, evaluation_share=_SHARE_OF_TRIALS)


def _is_too_short_for_a_climb(budget: Budget, begin: float, before: int) -> bool:
    """Return whether a climb would not come to its end after a search over classes that began with so much used."""
    seconds, evaluations = budget.time_limit, budget.evaluation_limit
    too_few_seconds = seconds is not None and seconds - budget.elapsed < _LEAST_FOR_CLIMB * (budget.elapsed - begin)
    return too_few_seconds or (
        evaluations is not None and evaluations - budget.evaluations < _LEAST_FOR_CLIMB * (budget.evaluations - before)
    )


def _is_too_short_for_ges(problem: Problem, context: Context) -> bool:
    """Return whether greedy equivalence search would not come to its end before the budget does."""
    budget, n = context.budget, len(problem.names)
    if n < _VARIABLES_OF_PROBE:
        return False
    limit, seconds = budget.evaluation_limit, budget.time_limit
    if limit is not None and _EVALUATIONS_OF_GES * n * n > limit:
        return True
    if seconds is None or isinf(seconds):
        return False
    begin, before = budget.elapsed, budget.evaluations
    probe = budget.part(evaluation_limit=int(_PART_OF_PROBE * n * n))
    _core.GrowingLists(problem.score.core, problem.rules.core, probe.for_kernel(1))  # what it scores is kept
    for_each = (budget.elapsed - begin) / max(1, budget.evaluations - before)
    return _SECONDS_OF_GES * for_each * n * n / context.workers > seconds - begin


orders = function_of(Orders(), "orders")
