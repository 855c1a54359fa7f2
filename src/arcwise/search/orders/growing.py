"""Search over orders on data, with parent sets that are found on the way."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from arcwise import _core
from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result, Trace
from arcwise.scores.local_score import LocalScore
from arcwise.search.classes.ges import ges
from arcwise.search.order import Order, parents_first
from arcwise.search.orders.climber import Climber, Optimum, Stop, Surroundings, is_resumed
from arcwise.search.orders.memetic import Memetic
from arcwise.search.orders.strategies import Strategy, strategy_named
from arcwise.search.orders.tables import ending
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.seeds import recorded_seed
from arcwise.support.workers import workers_or_default

__all__ = ["BREEDING", "orders"]

#: The strategy on growing lists. Populations converge fast there, so that new ones start early, from nothing.
BREEDING = Memetic(kick=0.03, mutations=20, look_back=10, least_change=5.0, kept=0, reunion=3)

# Lists that need more memory than this are started anew.
_MOST_BYTES = 1 << 30
_MOST_VARIABLES = 65_535
# Of time and evaluations, what greedy equivalence search may take for a graph to begin with. It needs that much only
# where a climb from a random order needs far more.
_SHARE_OF_CLASSES = 0.5


class GrowingClimber(Climber):
    """Climbs on lists of parent sets that grow; see `orders`."""

    def __init__(self, score: LocalScore, rules: ResolvedConstraints, surroundings: Surroundings) -> None:
        super().__init__(4 * score.rounding, surroundings)
        self._score = score
        self._rules = rules
        self._found: dict[int, _core.GrowthResult] = {}
        self._first_lists = _core.GrowingLists(score.core, rules.core, surroundings.budget.core)
        self.lists = self._first_lists.copy()

    def initial(self, rng: np.random.Generator) -> Order:
        """Return an order to start from."""
        return parents_first(rng.permutation(self.lists.n_variables), self._rules.required)

    def order_of(self, dag: Dag) -> Order:
        """Return an order of a graph, whose families are taken into the lists."""
        self._add_families(dag.parent_indices)
        position = {name: index for index, name in enumerate(dag.names)}
        return np.array([position[name] for name in dag.topological_order()], dtype=np.intp)

    def forget(self, kept: Sequence[Optimum]) -> None:
        """Go back to the first lists, with the families of the given optima."""
        self.lists = self._first_lists.copy()
        for optimum in kept:
            if optimum.is_feasible:  # otherwise a variable has no parents for want of the required ones
                self._add_families(optimum.parents)

    def _add_families(self, parent_lists: Sequence[Sequence[int]]) -> None:
        for child, parents in enumerate(parent_lists):
            self.lists.add_family(child, list(parents), self._score.local(child, parents))

    def _climb(self, order: Order, seed: int) -> Optimum:
        rules, budget = self._rules, self._around.budget.core
        order = parents_first(order, rules.required)  # kicks and crossovers know nothing of them
        grown = _core.grow_and_descend(self._score.core, rules.core, self.lists, order, self.tolerance, seed, budget)
        self._found[seed] = grown
        return Optimum.of(grown.descent)

    def _share(self) -> None:
        for seed in sorted(self._found):  # any order will do that does not depend on the workers
            self.lists.add_found(self._found[seed])
        self._found.clear()
        if self.lists.bytes > _MOST_BYTES:
            self.forget([] if self.best is None else [self.best])


def orders(
    score: LocalScore,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    strategy: str | Strategy = BREEDING,
    stop: Stop | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Search the orders of the variables, and the parent sets that they need, on data.

    A search over orders on a table of parent sets (`search_orders`) ends where the table ends. Here there is no table
    at first: a climb starts from single parents, and at each local optimum looks for better parent sets of every
    variable whose predecessors have changed. It adds, drops and swaps parents among all predecessors; leaves each of
    them out and adds others, because that is what remains when a parent moves on; and keeps sets with one later
    variable where they are better, because these pull that variable forward. What one climb has found, later ones use.
    Around this, a memetic search (Lee & van Beek 2017) breeds the best orders. Where the score allows it and neither a
    start nor a number of climbs is given, greedy equivalence search (`ges`) comes first, for up to half of the time: on
    sparse networks with many variables it ends in good classes that climbs from random orders rarely meet. An order of
    the graph that it has when it ends, or when its time does, joins the first orders; the result is no worse.

    The number of parents has no limit but the score's own penalty and the constraints. No bound is known for the
    result: better sets may exist that no climb has met.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    constraints
        What the graph must and must not have.
    start
        A graph to begin with; the result is no worse.
    strategy
        Where to climb from: ``restarts``, ``iterated``, ``memetic``, or an object such as ``Memetic(population=50)``.
    stop
        When to end; without a limit here or on time, after 1,000 climbs that bring nothing better.
    seed
        Decides all random choices; drawn and recorded when None. The number of workers does not change the result.
    workers
        Climbs at the same time; by default one per usable core. With a limit on evaluations there is one, so that the
        same seed gives the same graph.
    budget
        When to end, whatever has been found.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = orders(LocalScore(data, "bic"), stop=Stop(climbs=40), seed=1)
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """
    names = instance("score", score, LocalScore).data.names
    if len(names) > _MOST_VARIABLES:
        raise ParameterError(f"orders is for at most {_MOST_VARIABLES:,} variables, not {len(names):,}; use greedy")
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    rules = constraints.resolve(names)
    if start is not None:
        start = constraints.checked_start(names, start)
    strategy, seed = strategy_named(strategy), recorded_seed(seed)
    budget = instance("budget", budget, Budget, default=Budget)
    stop = ending(stop, budget)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    begin, evaluations, cache_hits = budget.elapsed, score.evaluations, score.cache_hits

    trace = Trace(on_improvement, budget, 4 * score.rounding)
    earlier, is_begun = budget.journal.earlier_best, is_resumed(budget.journal)
    is_greedy = start is None and stop.climbs is None and score.score.is_equivalent and not is_begun

    def search() -> GrowingClimber:
        first = start
        if earlier is not None and not is_begun:
            first = Dag.from_parents(names, earlier.parents)
        if is_greedy:
            first = _greedy_class(score, constraints, first, seed, budget)
        with ThreadPoolExecutor(max_workers=workers) as executor:
            climber = GrowingClimber(score, rules, Surroundings(budget, stop, executor, trace))
            strategy.search(climber, np.random.default_rng(seed), [] if first is None else [climber.order_of(first)])
        return climber

    climber = budget.run(search)
    best = climber.best
    assert best is not None  # the first orders have been climbed from, whatever the budget
    return Result(
        dag=Dag.from_parents(names, best.parents),
        score=best.score,
        status=climber.status,
        method="orders",
        seed=seed,
        seconds=budget.elapsed - begin,
        settings={
            "score": score.score,
            "constraints": constraints,
            "strategy": strategy,
            "stop": stop,
            "budget": repr(budget),
        },
        counters={
            "evaluations": score.evaluations - evaluations,
            "cache_hits": score.cache_hits - cache_hits,
            "climbs": climber.climbs,
            "moves": climber.moves,
            "sets": climber.lists.n_sets,
        },
        trace=trace.points,
    )


def _greedy_class(score: LocalScore, constraints: Constraints, start: Dag | None, seed: int, budget: Budget) -> Dag:
    """Return what greedy equivalence search has found when it ends, or its part of the budget does."""
    part = budget.part(share=_SHARE_OF_CLASSES, evaluation_share=_SHARE_OF_CLASSES)
    return ges(score, constraints=constraints, start=start, seed=seed, workers=1, budget=part).dag
