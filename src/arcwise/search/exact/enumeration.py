r"""Parent sets that a graph better than a known one may have, all of them, so that a proof holds for all graphs.

A table need not be complete for that. With prices :math:`\lambda_C \ge 0` of clusters, as the linear relaxation has
them, let the value of a set be its score and the prices of the rows that it keeps:

.. math:: w(v, S) = sc(v, S) + \sum_{C \ni v,\, |C \cap S| < k_C} \lambda_C .

Every graph keeps all rows, so that none scores more than :math:`U = \sum_v B_v - \sum_C k_C \lambda_C`, where
:math:`B_v` is the largest value of any set of v. A graph in which v has the set S scores at most
:math:`U - B_v + w(v, S)`. Where that is not above the score L of a known graph, S can be left out, for no graph that
has it is better; that is fixing by reduced costs, over sets that nobody has scored yet:

.. math:: w(v, S) \le B_v - (U - L) .

A set that grows keeps no more rows, and a bound on the scores of its supersets is known (`LocalScore` says which). So
one look at S rules out all of its supersets where the bound, with the prices that S keeps, is not above the threshold.
"""

from dataclasses import dataclass, replace
from math import fsum, inf, nextafter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.set_arrays import offsets
from arcwise.runs.budget import Budget, side_by_side
from arcwise.runs.result import Scope
from arcwise.scores.constants import rules_for
from arcwise.search.exact.bounds import BoundLog, Incumbent, Patience, rounds
from arcwise.search.exact.clusters import Cluster
from arcwise.search.exact.relaxation import Relaxation
from arcwise.search.search import Context, Problem

__all__ = ["Enumerated", "enumerated"]

# Shares of the time that is left: for prices, for all sets that are looked at, and of these for sets of any size.
_SHARE_OF_PRICES = 0.2
_SHARE_OF_SETS = 0.8
_SHARE_OF_ALL_SIZES = 0.85
# So few parents are looked at before sets of any size.
_FEW_PARENTS = (2, 3)
# When the prices are good enough.
_PATIENCE = Patience(rounds=10, most_sets=1 << 62)
# The threshold is lower than it must be, by nats and by a share of the gap: sets that are new to the table may raise
# the largest values a little, and with them what must be looked at.
_MARGIN = 1.0
_MARGIN_OF_GAP = 0.05
# With other prices, the largest values rise no more after a few passes.
_MOST_PASSES = 4
# Sets of one variable to score where no time limit ends it, and to keep; bytes that each takes on the way to a table.
_MOST_SCORED = 100_000_000
_BYTES_PER_SET = 400
_MOST_KEPT = 200_000

# A gap of more than this share of the score says little: then a bound over fewer graphs says more.
_WORTH = 0.01


class Enumerated(NamedTuple):
    """A table, and what is known of the graphs that have a set which is not in it.

    Attributes
    ----------
    table
        The sets that were found, and those that were there before.
    rest
        No graph with another set scores more than this.
    few_parents
        Graphs with at most so many parents of each variable, and a set that is not in the table, are no better than
        the known graph.
    scored
        How many sets were scored.
    dag
        The best graph that is known.
    """

    table: ParentSets
    rest: float
    few_parents: int
    scored: int
    dag: Dag

    def scope_of(self, score: float, bound: float) -> tuple[Scope, float]:
        """Return the widest scope with a bound that is worth saying, given the score and the bound over the table."""
        if self.rest <= max(score, bound):
            return Scope.ALL_SETS, bound
        if self.few_parents > 1:
            return Scope.at_most(self.few_parents), bound
        if self.rest - score <= _WORTH * abs(score):
            return Scope.ALL_SETS, self.rest
        return Scope.CANDIDATE_SETS, bound


@dataclass(frozen=True, eq=False)
class _Prices:
    """Prices of clusters, and what they say about the sets of a table.

    Attributes
    ----------
    clusters, prices
        The rows.
    best
        For each variable the largest value of its sets in the table.
    """

    clusters: list[Cluster]
    prices: npt.NDArray[np.float64]
    best: npt.NDArray[np.float64]

    @classmethod
    def of(cls, relaxation: Relaxation) -> "_Prices":
        """Return the prices that a relaxation has now."""
        return cls(relaxation.clusters, relaxation.prices, np.empty(0)).on(relaxation.table)

    def on(self, table: ParentSets, workers: int = 1) -> "_Prices":
        """Return the same prices with the largest values of another table."""
        values = _core.priced_scores(table.core, self.clusters, self.prices, workers)
        return replace(self, best=np.nextafter(np.maximum.reduceat(values, table.variable_begin[:-1]), inf))

    def bound(self, values: npt.NDArray[np.float64]) -> float:
        """Return what no graph exceeds if no set of a variable has more than its value."""
        paid = [-price * first for price, (_, first) in zip(self.prices.tolist(), self.clusters, strict=True)]
        return nextafter(fsum([*values.tolist(), *paid]), inf)


def enumerated(table: ParentSets, problem: Problem, start: Dag, context: Context, memory: int) -> Enumerated:
    """Find all parent sets that a graph better than a known one may have.

    First the relaxation gives prices, over the sets of the table. Then each variable's sets are gone through, from the
    smallest on. Where a set comes up that is better than all of the table, prices are made again. Where time does not
    suffice for all sets of a variable, those of at most two parents are looked at, of three, and so on.

    Parameters
    ----------
    table
        Sets to begin with; the better the sets, the fewer passes.
    problem
        The score and the constraints.
    start
        A good graph, whose sets are in the table.
    context
        Budget, workers and trace.
    memory
        Bytes for the sets that are found.

    Examples
    --------
    >>> from arcwise import LocalScore, Stop, load_example, orders, select
    >>> from arcwise.runs.result import Trace
    >>> score = LocalScore(load_example("cancer").sample(1000, seed=1))
    >>> dag, budget = orders(score, seed=1, stop=Stop(climbs=5)).dag, Budget()
    >>> context = Context(1, budget, 1, Trace(None, budget))
    >>> found = enumerated(select(score).sets, Problem(score), dag, context, 1 << 30)
    >>> found.rest <= score.total(found.dag)
    True
    """
    return _Enumeration(problem, context, memory).run(table, start)


class _Enumeration:
    """What the passes share: the sets of each variable that have come up, with their scores."""

    def __init__(self, problem: Problem, context: Context, memory: int) -> None:
        self._problem, self._budget, self._workers = problem, context.budget, context.workers
        self._trace = context.trace
        self._rules = rules_for(problem.score, problem.constraints)
        self._n = len(problem.names)
        self._max_sets = max(1, min(_MOST_KEPT, memory // 2 // self._n // _BYTES_PER_SET))
        self._found: list[dict[tuple[int, ...], float]] = [{} for _ in range(self._n)]
        self._scored = 0

    def run(self, table: ParentSets, start: Dag) -> Enumerated:
        table = table.constrained(self._problem.constraints).without_dominated()
        self._take_all(table)
        first = [set(of) for of in self._found]
        clusters: list[Cluster] = []
        passed = _Passed(inf, 0, is_last=True)
        for _ in range(_MOST_PASSES):
            relaxation, incumbent = self._relaxed(table, start, clusters)
            start, clusters = incumbent.dag or start, relaxation.clusters
            if self._budget.exhausted:
                break
            passed = self._passed(_Prices.of(relaxation), incumbent.score - incumbent.tolerance)
            table = self._table()
            if passed.is_last or self._budget.exhausted:
                break
        if passed.is_only_few:
            for of, parents in zip(first, start.parent_indices, strict=True):
                of.add(tuple(sorted(parents)))
            table = self._table_of_few(passed.few_parents, first)
            passed = passed._replace(rest=inf)  # nothing is known of graphs with the sets that were dropped
        return Enumerated(table, passed.rest, passed.few_parents, self._scored, start)

    def _relaxed(self, table: ParentSets, start: Dag, clusters: list[Cluster]) -> tuple[Relaxation, Incumbent]:
        """Return the relaxation over a table, with prices, and the best graph that came up."""
        part = self._budget.part(share=_SHARE_OF_PRICES)
        incumbent = Incumbent(table, self._problem.constraints, part, self._trace)
        incumbent.start(start)
        relaxation = Relaxation(table, self._workers, keeps_all=True)
        relaxation.add(clusters)
        rounds(relaxation, incumbent, part, BoundLog(part), _PATIENCE)
        return relaxation, incumbent

    def _passed(self, prices: _Prices, least: float) -> "_Passed":
        """Look at all sets above the thresholds that these prices give, or at those of few parents."""
        gap = max(0.0, prices.bound(prices.best) - least)
        threshold = prices.best - (1 + _MARGIN_OF_GAP) * gap - _MARGIN
        others = np.full(self._n, inf)  # no set that was not found has a larger value
        few_parents = 0
        part = self._budget.part(share=_SHARE_OF_SETS)
        for most in (*_FEW_PARENTS, self._n, *range(_FEW_PARENTS[-1] + 1, self._n)):
            left = np.flatnonzero(others > threshold).tolist()
            if not left or part.exhausted:
                break
            # Sets of any size are tried once, with most of the time: where that fails, it would fail again.
            of_this = part.part(share=_SHARE_OF_ALL_SIZES) if most == self._n else part
            found = self._searched(left, threshold, prices, most, of_this)
            for child, one in zip(left, found, strict=True):
                deeper = one.deeper if most < self._rules.max_parents[child] else -inf
                others[child] = min(others[child], max(threshold[child], one.rest, deeper))
            if all(one.found.is_complete for one in found):
                few_parents = self._n if (others <= threshold).all() else max(few_parents, most)
        prices = prices.on(self._table(), self._workers)
        values = np.maximum(prices.best, others)
        # Where nothing is known of the others of some variable, nothing is known of all graphs.
        rest = inf if np.isinf(others).any() else float(np.max(prices.bound(values) - values + others))
        # The largest values may have risen by sets that are new: then the thresholds were too high.
        is_low_enough = float(np.max(prices.bound(prices.best) - prices.best + threshold)) <= least
        is_last = is_low_enough or few_parents == 0
        few_parents = few_parents if is_low_enough else 0
        return _Passed(rest, few_parents, is_last, is_only_few=1 < few_parents < self._n and rest > least)

    def _searched(
        self, children: list[int], threshold: npt.NDArray[np.float64], prices: _Prices, most: int, part: Budget
    ) -> list[_core.EnumerationResult]:
        """Look at the sets of some variables, with at most so many parents, and take those that are found."""

        def search(task: int) -> _core.EnumerationResult:
            child = children[task]
            share = self._workers / (len(children) - task)
            most_scored = _MOST_SCORED if self._budget.time_limit is None else None
            return _core.enumerate_parents(
                self._problem.score.core,
                child,
                self._rules.required_parents(child),
                self._rules.optional_parents(child).tolist(),
                prices.clusters,
                prices.prices,
                max_parents=min(most, int(self._rules.max_parents[child])),
                threshold=float(threshold[child]),
                max_sets=self._max_sets,
                budget=part.part(evaluation_limit=most_scored, share=share).core,
            )

        found = list(side_by_side(search, range(len(children)), self._workers, part))
        for child, one in zip(children, found, strict=True):
            self._scored += one.found.scored
            begin, members, scores = one.found.take()
            for at, score in enumerate(scores.tolist()):
                self._found[child][tuple(members[begin[at] : begin[at + 1]].tolist())] = score
        return found

    def _take_all(self, table: ParentSets) -> None:
        owner = np.repeat(np.arange(self._n), np.diff(table.variable_begin))
        begin = table.set_begin.tolist()
        for at, (child, score) in enumerate(zip(owner.tolist(), table.scores.tolist(), strict=True)):
            self._found[child][tuple(table.members[begin[at] : begin[at + 1]].tolist())] = score

    def _table_of_few(self, most: int, kept: list[set[tuple[int, ...]]]) -> ParentSets:
        """Return the table without sets of more parents, but for those that are to be kept.

        They say nothing about graphs with few parents, and with some of them missing nothing about others; a search
        over the table would only take longer.
        """
        for of, to_keep in zip(self._found, kept, strict=True):
            for set_ in [set_ for set_ in of if len(set_) > most and set_ not in to_keep]:
                del of[set_]
        return self._table()

    def _table(self) -> ParentSets:
        """Return the table of all sets that have come up."""
        sizes = [len(members) for of in self._found for members in of]
        members = [member for of in self._found for set_ in of for member in set_]
        scores = [score for of in self._found for score in of.values()]
        begin = offsets([len(of) for of in self._found])
        return ParentSets.from_arrays(self._problem.names, begin, offsets(sizes), members, scores).without_dominated()


class _Passed(NamedTuple):
    """What a pass has shown.

    Attributes
    ----------
    rest
        No graph with a set that was not found scores more.
    few_parents
        Graphs with such a set and at most so many parents are no better than the known graph.
    is_last
        Whether another pass would change nothing.
    is_only_few
        Whether that is all that is known: graphs with more parents may be better.
    """

    rest: float
    few_parents: int
    is_last: bool
    is_only_few: bool = False
