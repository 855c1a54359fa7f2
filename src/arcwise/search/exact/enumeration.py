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

# Shares of the time that is left: for prices, for all sets that are looked at, and of these for sets of any size, and
# for those of at most two parents, three, and so on.
_SHARE_OF_PRICES = 0.2
_SHARE_OF_SETS = 0.8
_SHARE_OF_ALL_SIZES = 0.85
_SHARE_OF_ONE_SIZE = 0.5
# So few parents are looked at before sets of any size.
_FEW_PARENTS = (2, 3)
# Variables for which time did not suffice are tried again where they are at most one in so many.
_FEW_OF = 4
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
    smallest on: those of at most two parents, of three, and of any number. Where a set comes up that is better than all
    of the table, prices are made again. Where time does not suffice for any number of parents, it goes to four, five,
    and so on.

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
    return _Enumeration(problem, start, context, memory).run(table)


@dataclass(eq=False)
class _Thresholds:
    """What must be looked at by some prices, and what is known of the rest.

    Attributes
    ----------
    prices
        Those of the clusters.
    least
        The score of the known graph, less what rounding may do.
    values
        For each variable: no better graph has a set of at most this value, if the largest values of the table are those
        of all sets.
    others
        For each variable: no set that was not found has a larger value.
    """

    prices: _Prices
    least: float
    values: npt.NDArray[np.float64]
    others: npt.NDArray[np.float64]

    @classmethod
    def of(cls, prices: _Prices, least: float) -> "_Thresholds":
        """Return those that the largest values of the table give."""
        gap = max(0.0, prices.bound(prices.best) - least)
        values = prices.best - (1 + _MARGIN_OF_GAP) * gap - _MARGIN
        return cls(prices, least, values, np.full(values.size, inf))

    def left(self) -> list[int]:
        """Return the variables of which sets are missing that must be looked at."""
        return np.flatnonzero(self.others > self.values).tolist()

    def learn(self, child: int, found: _core.EnumerationResult, is_largest: bool) -> None:
        """Take in what was found for a variable, among sets of its largest number of parents or of fewer."""
        deeper = -inf if is_largest else found.deeper
        self.others[child] = min(self.others[child], max(self.values[child], found.rest, deeper))

    def are_low_enough(self, prices: _Prices) -> bool:
        """Whether they are for a table with more sets, whose largest values these prices have."""
        return float(np.max(prices.bound(prices.best) - prices.best + self.values)) <= self.least

    def rest(self, prices: _Prices) -> float:
        """Return what no graph exceeds that has a set which was not found."""
        if np.isinf(self.others).any():
            return inf  # where nothing is known of the others of some variable, nothing is known of all graphs
        values = np.maximum(prices.best, self.others)
        return float(np.max(prices.bound(values) - values + self.others))


class _Enumeration:
    """What the stages share: the sets of each variable that have come up, with their scores, and what they have shown.

    Each stage looks at sets of at most so many parents: two, three, any number, and where that fails four, five, ….
    """

    def __init__(self, problem: Problem, start: Dag, context: Context, memory: int) -> None:
        self._problem, self._budget, self._workers = problem, context.budget, context.workers
        self._trace = context.trace
        self._rules = rules_for(problem.score, problem.constraints)
        self._n = len(problem.names)
        self._max_sets = max(1, min(_MOST_KEPT, memory // 2 // self._n // _BYTES_PER_SET))
        self._found: list[dict[tuple[int, ...], float]] = [{} for _ in range(self._n)]
        self._scored = 0
        self._start = start
        self._clusters: list[Cluster] = []
        self._thresholds: _Thresholds | None = None  # None where they are to be made of new prices
        self._rest = inf
        self._least = -inf

    def run(self, table: ParentSets) -> Enumerated:
        self._take_all(table.constrained(self._problem.constraints).without_dominated())
        first = [set(of) for of in self._found]
        few_parents = 0
        part = self._budget.part(share=_SHARE_OF_SETS)
        more = range(_FEW_PARENTS[-1] + 1, self._n)
        for most in (*_FEW_PARENTS, self._n, *more):
            if most == self._n:
                is_settled = self._settle(most, part.part(share=_SHARE_OF_ALL_SIZES))
            else:
                is_settled = self._settle(most, part.part(share=_SHARE_OF_ONE_SIZE)) or self._settle(most, part, True)
            if is_settled:
                few_parents = most
            if self._rest <= self._least:
                few_parents = self._n
            # Where some number of parents is too much, there is more to look at with more.
            if few_parents == self._n or part.exhausted or not (is_settled or most == self._n):
                break
        if 1 < few_parents < self._n:
            self._relaxed()  # for the graph: larger sets than the scope has may make it better
            self._leave_out(few_parents, first)
            self._rest = inf  # nothing is known of graphs with the sets that were left out
        return Enumerated(self._table(), self._rest, few_parents, self._scored, self._start)

    def _settle(self, most: int, part: Budget, to_the_end: bool = False) -> bool:
        """Find all sets of at most so many parents that a better graph may have, and say whether they are all.

        Sets that are new may raise the largest values, so that the thresholds were too high. Then there are new prices,
        and the sets are looked at once more.
        """
        for _ in range(_MOST_PASSES):
            thresholds = self._thresholds or self._relaxed()
            if part.exhausted:
                return False
            is_complete = self._look(thresholds, most, part, to_the_end)
            prices = thresholds.prices.on(self._table(), self._workers)
            self._rest = min(self._rest, thresholds.rest(prices))
            is_low_enough = thresholds.are_low_enough(prices)
            self._thresholds = thresholds if is_low_enough else None
            if is_low_enough or not is_complete:
                return is_low_enough and is_complete
        return False

    def _relaxed(self) -> _Thresholds:
        """Return the thresholds that prices over the sets found so far give."""
        part = self._budget.part(share=_SHARE_OF_PRICES)
        table = self._table()
        incumbent = Incumbent(table, self._problem.constraints, part, self._trace)
        incumbent.start(self._start)
        relaxation = Relaxation(table, self._workers, keeps_all=True)
        relaxation.add(self._clusters)
        rounds(relaxation, incumbent, part, BoundLog(part), _PATIENCE)
        self._start, self._clusters = incumbent.dag or self._start, relaxation.clusters
        self._least = incumbent.score - incumbent.tolerance
        return _Thresholds.of(_Prices.of(relaxation), self._least)

    def _look(self, thresholds: _Thresholds, most: int, part: Budget, to_the_end: bool) -> bool:
        """Look at all sets of at most so many parents above the thresholds, and say whether none were left.

        All variables have an equal part of half of the time at first. A few for which that was too little have the
        other half. Where they are many it would not suffice, and time is better spent otherwise, unless it is to be
        spent to the end.
        """
        left = thresholds.left()
        is_split = part.time_limit is not None and len(left) >= _FEW_OF and not to_the_end
        for share in (0.5, 1.0) if is_split else (1.0,):
            allowed = len(left) if to_the_end else len(left) // _FEW_OF if share < 1 else 0
            missed, are_too_many = [], False
            for child, one in self._searched(left, thresholds, most, part.part(share=share), allowed):
                thresholds.learn(child, one, most >= self._rules.max_parents[child])
                if not one.found.is_complete:
                    missed.append(child)
                    are_too_many |= one.found.stopped_by is _core.StopReason.none
            if not missed:
                return True
            if len(missed) > allowed or are_too_many:
                return False
            left = missed
        return False

    def _searched(
        self, children: list[int], thresholds: _Thresholds, most: int, part: Budget, allowed: int
    ) -> list[tuple[int, _core.EnumerationResult]]:
        """Look at the sets of some variables, with at most so many parents, and take those that are found.

        As soon as more than the allowed number of variables are not done, the others are hardly looked at.
        """
        missed: list[int] = []

        def search(task: int) -> _core.EnumerationResult:
            child = children[task]
            limit = int(self._rules.max_parents[child])
            share = self._workers / (len(children) - task)
            most_scored = _MOST_SCORED if self._budget.time_limit is None else None
            found = _core.enumerate_parents(
                self._problem.score.core,
                child,
                self._rules.required_parents(child),
                self._rules.optional_parents(child).tolist(),
                thresholds.prices.clusters,
                thresholds.prices.prices,
                max_parents=min(most, limit),
                allowed_parents=limit,
                threshold=float(thresholds.values[child]),
                max_sets=self._max_sets,
                budget=part.part(evaluation_limit=0 if len(missed) > allowed else most_scored, share=share).core,
            )
            if not found.found.is_complete:
                missed.append(child)
            return found

        found = list(side_by_side(search, range(len(children)), self._workers, part))
        for child, one in zip(children, found, strict=True):
            self._scored += one.found.scored
            begin, members, scores = one.found.take()
            for at, score in enumerate(scores.tolist()):
                self._found[child][tuple(members[begin[at] : begin[at + 1]].tolist())] = score
        return list(zip(children, found, strict=True))

    def _leave_out(self, most: int, kept: list[set[tuple[int, ...]]]) -> None:
        """Leave out the sets of more parents, but for those that are to be kept and those of the known graph.

        They say nothing about graphs with few parents, and with some of them missing nothing about others; a search
        over the table would only take longer.
        """
        for of, to_keep, parents in zip(self._found, kept, self._start.parent_indices, strict=True):
            to_keep.add(tuple(sorted(parents)))
            for set_ in [set_ for set_ in of if len(set_) > most and set_ not in to_keep]:
                del of[set_]

    def _take_all(self, table: ParentSets) -> None:
        owner = np.repeat(np.arange(self._n), np.diff(table.variable_begin))
        begin = table.set_begin.tolist()
        for at, (child, score) in enumerate(zip(owner.tolist(), table.scores.tolist(), strict=True)):
            self._found[child][tuple(table.members[begin[at] : begin[at + 1]].tolist())] = score

    def _table(self) -> ParentSets:
        """Return the table of all sets that have come up."""
        sizes = [len(members) for of in self._found for members in of]
        members = [member for of in self._found for set_ in of for member in set_]
        scores = [score for of in self._found for score in of.values()]
        begin = offsets([len(of) for of in self._found])
        return ParentSets.from_arrays(self._problem.names, begin, offsets(sizes), members, scores).without_dominated()
