"""K2: parents added greedily to each variable, from those before it in a given order."""

from collections.abc import Callable, Iterable, Iterator
from math import fsum
from threading import Lock

import numpy as np

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Improvement, Result, Status, Trace
from arcwise.runs.side_by_side import side_by_side
from arcwise.scores.local_score import LocalScore
from arcwise.search.order import Order, checked_order, parents_first
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted
from arcwise.support.seeds import recorded_seed
from arcwise.support.variables import indices_of
from arcwise.support.workers import workers_or_default

__all__ = ["k2"]


def k2(
    score: LocalScore,
    order: Iterable[str | int] | None = None,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Add to each variable the best parent among those before it in the order, while that improves the score.

    This is the search of Cooper & Herskovits (1992, Machine Learning 9), with any score; theirs is ``"k2"``, and their
    limit on the number of parents is ``Constraints(max_parents=…)``. Parents that tie within rounding go by the order.
    For each variable no further parent improves the result, but another set of parents may be better, and so may
    another order: where none is known, `arcwise.orders` searches for one.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    order
        All variables, by name or by index: the parents of each come from those before it. By default that of the
        start, or else drawn at random, so that it fits the tiers and the required arcs; the result's settings say it.
    constraints
        What the graph must and must not have; required arcs must fit the order.
    start
        A graph whose parents each variable begins with; it must fit the order. By default that of the required arcs.
    seed
        Draws the order; drawn and recorded itself when None.
    workers
        Variables at the same time; by default one per usable core. They do not change the result: with a limit on
        evaluations there is one, so that this holds there too.
    budget
        When to stop early; the parents found so far are returned then.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Raises
    ------
    ParameterError
        If the order does not name each variable once, or an arc that is required or in the start is against it.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = k2(LocalScore(data, "k2"), ["Smoker", "Pollution", "Cancer", "Xray", "Dyspnoea"])
    >>> result.dag.parents("Xray")
    ('Cancer',)
    """
    names = instance("score", score, LocalScore).data.names
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    rules = constraints.resolve(names)
    first = constraints.checked_start(names, start)
    seed = recorded_seed(seed)
    if order is not None:
        chosen = _given_order(order, first)
    elif start is not None:
        chosen = np.array(indices_of(first.topological_order(), _positions(names), "start"), dtype=np.intp)
    else:
        chosen = parents_first(_random_order(names, constraints, seed), rules.required)
    budget = instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    begin, evaluations, cache_hits = budget.elapsed, score.evaluations, score.cache_hits

    def search() -> _Growth:
        growth = _Growth(score, first, budget, Trace(on_improvement, budget, score.rounding))

        def candidates(place: int) -> Order:
            child, before = int(chosen[place]), chosen[:place]
            is_free = rules.allowed[child].copy()
            is_free[growth.parents[child]] = False
            return before[is_free[before]] if len(growth.parents[child]) < rules.max_parents[child] else before[:0]

        def grow(place: int) -> None:
            child = int(chosen[place])
            growth.grow(child, candidates(place).tolist(), int(rules.max_parents[child]))

        def places() -> Iterator[int]:
            for place in range(len(names)):
                if budget.exhausted:  # whether anything was left to do is all that matters
                    growth.cut_short = growth.cut_short or any(
                        candidates(left).size for left in range(place, len(names))
                    )
                    return
                yield place

        for _ in side_by_side(grow, places(), workers, budget):
            pass
        return growth

    growth = budget.run(search)
    return Result(
        dag=Dag.from_parents(names, growth.parents),
        score=fsum(growth.local_scores),
        status=STATUS_OF_REASON[budget.core.reason] if growth.cut_short else Status.LOCAL_OPTIMUM,
        method="k2",
        seed=seed,
        seconds=budget.elapsed - begin,
        settings={
            "score": score.score,
            "order": tuple(names[variable] for variable in chosen),
            "constraints": constraints,
            "budget": repr(budget),
        },
        counters={
            "evaluations": score.evaluations - evaluations,
            "cache_hits": score.cache_hits - cache_hits,
            "additions": sum(map(len, growth.parents)) - first.n_arcs,
        },
        trace=growth.trace.points,
    )


class _Growth:
    """Parents of all variables while they grow, several variables at the same time."""

    def __init__(self, score: LocalScore, first: Dag, budget: Budget, trace: Trace) -> None:
        self.parents = [list(parents) for parents in first.parent_indices]
        self.local_scores = [score.core.local(v, parents, budget.core) for v, parents in enumerate(self.parents)]
        self.trace = trace
        self.cut_short = False
        self._core, self._rounding, self._budget = score.core, score.rounding, budget
        self._total = sum(self.local_scores)
        self._lock = Lock()
        self._show()

    def grow(self, child: int, candidates: list[int], max_parents: int) -> None:
        """Add the best of the candidates, while that improves the score."""
        parents = self.parents[child]
        while candidates and len(parents) < max_parents:
            if self._budget.exhausted:
                self.cut_short = True
                return
            scores = self._core.additions(child, parents, candidates, self._budget.core)
            if np.isnan(scores).any():
                self.cut_short = True
                return
            best = int(np.argmax(scores >= scores.max() - self._rounding))
            gain = float(scores[best]) - self.local_scores[child]
            if gain <= self._rounding:
                return
            self.local_scores[child] = float(scores[best])
            self._add(child, candidates.pop(best), gain)

    def _add(self, child: int, parent: int, gain: float) -> None:
        with self._lock:  # so that all parents together have the total score
            self.parents[child].append(parent)
            self._total += gain
            self._show()

    def _show(self) -> None:
        self._budget.core.show(self._total, self._rounding, lambda: self.parents)
        self.trace.reach(self._total)


def _positions(names: Iterable[str]) -> dict[str, int]:
    return {name: index for index, name in enumerate(names)}


def _given_order(order: Iterable[str | int], first: Dag) -> Order:
    """Indices of the order's variables; refused when an arc that must be there is against it."""
    chosen = checked_order(indices_of(order, _positions(first.names), "order"), first.n_nodes)
    place = np.argsort(chosen)
    for parent, child in first.arcs:
        if place[first.names.index(parent)] > place[first.names.index(child)]:
            raise ParameterError(
                f"the arc {quoted(parent)} -> {quoted(child)} must be in the graph, but order has {quoted(child)} "
                f"before {quoted(parent)}; change the order, or drop the arc from the constraints or the start"
            )
    return chosen


def _random_order(names: tuple[str, ...], constraints: Constraints, seed: int) -> Order:
    """Any order is as probable as another, but for the tiers: their variables change places to go by tiers."""
    order = np.random.default_rng(seed).permutation(len(names))
    tier_of = {name: number for number, tier in enumerate(constraints.tiers) for name in tier}
    tier = np.array([tier_of.get(names[variable], -1) for variable in order])
    tiered = np.flatnonzero(tier >= 0)
    order[tiered] = order[tiered][np.argsort(tier[tiered], kind="stable")]
    return order
