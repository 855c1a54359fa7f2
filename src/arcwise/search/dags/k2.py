"""K2: parents added greedily to each variable, from those before it in a given order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from threading import Lock

import numpy as np

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Order, checked_order, hashable_order, parents_first
from arcwise.runs.budget import Budget, side_by_side
from arcwise.runs.result import Status, Trace
from arcwise.scores.local_score import LocalScore
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import indices_of
from arcwise.support.quoting import quoted

__all__ = ["K2Search", "k2"]


@dataclass(frozen=True)
class K2Search(Search):
    """Add to each variable the best parent among those before it in the order, while that improves the score.

    This is the search of Cooper & Herskovits (1992, Machine Learning 9), with any score; theirs is ``"k2"``, and their
    limit on the number of parents is ``Constraints(max_parents=…)``. Parents that tie within rounding go by the order.
    For each variable no further parent improves the result, but another set of parents may be better, and so may
    another order: where none is known, `arcwise.orders` searches for one.

    Parameters
    ----------
    order
        All variables, by name or by index: the parents of each come from those before it. By default that of the
        start, or else drawn at random, so that it fits the tiers and the required arcs; the result's decisions say it.

    Raises
    ------
    ParameterError
        If the order does not name each variable once, or an arc that is required or in the start is against it.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = k2(LocalScore(data, "k2"), order=["Smoker", "Pollution", "Cancer", "Xray", "Dyspnoea"])
    >>> result.dag.parents("Xray")
    ('Cancer',)
    """

    order: Sequence[str | int] | None = None

    name = "k2"
    bytes_per_pair = 0
    bytes_per_variable = 4096
    honours_degrees = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", hashable_order(self.order))

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Add parents to all variables, several at the same time."""
        rules, budget, names = problem.rules, context.budget, problem.names
        chosen = self._chosen(problem, context.seed)
        growth = _Growth(problem.score, problem.first, budget, context.trace)

        def candidates(place: int) -> Order:
            child, before = int(chosen[place]), chosen[:place]
            is_free = np.zeros(len(names), dtype=np.bool_)
            is_free[rules.allowed_parents(child)] = True
            is_free &= growth.degrees < rules.max_degree
            is_free[growth.parents[child]] = False
            return before[is_free[before]] if len(growth.parents[child]) < most(child) else before[:0]

        def most(child: int) -> int:
            children = growth.degrees[child] - len(growth.parents[child])
            return int(min(rules.max_parents[child], rules.max_degree[child] - children))

        def grow(place: int) -> None:
            child = int(chosen[place])
            growth.grow(child, candidates(place).tolist(), most(child))

        def places() -> Iterator[int]:
            for place in range(len(names)):
                if budget.exhausted:  # whether anything was left to do is all that matters
                    growth.cut_short = growth.cut_short or any(
                        candidates(left).size for left in range(place, len(names))
                    )
                    return
                yield place

        # Where degrees are limited, who may be a parent depends on the variables before.
        workers = 1 if problem.constraints.limits_degrees else context.workers
        for _ in side_by_side(grow, places(), workers, budget):
            pass
        return Outcome(
            Dag.from_parents(names, growth.parents),
            fsum(growth.local_scores),
            None if growth.cut_short else Status.LOCAL_OPTIMUM,
            counters={"additions": sum(map(len, growth.parents)) - problem.first.n_arcs},
            decisions={"order": tuple(names[variable] for variable in chosen)},
        )

    def _chosen(self, problem: Problem, seed: int) -> Order:
        first, names = problem.first, problem.names
        if self.order is not None:
            return _given_order(self.order, first)
        if problem.start is not None:
            return np.array(indices_of(first.topological_order(), _positions(names), "start"), dtype=np.intp)
        return parents_first(_random_order(names, problem.constraints, seed), problem.rules.required_arcs)


class _Growth:
    """Parents of all variables while they grow, several variables at the same time."""

    def __init__(self, score: LocalScore, first: Dag, budget: Budget, trace: Trace) -> None:
        self.parents = [list(parents) for parents in first.parent_indices]
        self.degrees = np.array([len(parents) for parents in self.parents])
        for parents in self.parents:
            self.degrees[parents] += 1
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
            self.degrees[[parent, child]] += 1
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
    place = dict(zip(first.names, np.argsort(chosen).tolist(), strict=True))
    for parent, child in first.arcs:
        if place[parent] > place[child]:
            raise ParameterError(
                f"the arc {quoted(parent)} -> {quoted(child)} must be in the graph, but ",
                Name("order"),
                f" has {quoted(child)} before {quoted(parent)}; change the order, or drop the arc from the "
                "constraints or the start",
            )
    return chosen


def _random_order(names: tuple[str, ...], constraints: Constraints, seed: int) -> Order:
    """Any order is as probable as another, but for the tiers: their variables change places to go by tiers."""
    order = np.random.default_rng(seed).permutation(len(names))
    tier_of = {name: number for number, tier in enumerate(constraints.over(names).tiers) for name in tier}
    tier = np.array([tier_of.get(names[variable], -1) for variable in order])
    tiered = np.flatnonzero(tier >= 0)
    order[tiered] = order[tiered][np.argsort(tier[tiered], kind="stable")]
    return order


k2 = function_of(K2Search(), "k2")
