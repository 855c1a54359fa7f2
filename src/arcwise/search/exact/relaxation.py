"""The linear relaxation of the best graph over a table, with rows for clusters added while it is solved."""

from dataclasses import dataclass
from math import fsum, inf, log2, nextafter

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.search.exact.clusters import Choice, Cluster
from arcwise.support.linear_programs import LinearProgram, Rows
from arcwise.support.machine import workers_or_default

__all__ = ["Relaxation", "Solution"]

# Sets of each variable that the first program knows, the best ones; more come in as they are needed.
_FIRST_SETS = 20
# Sets of each variable that one round may bring in.
_MORE_SETS = 10
# A row that has been slack for so many rounds leaves the program.
_IDLE_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights of some sets of the table, and whether the program may know too few sets for them to be the best."""

    sets: npt.NDArray[np.intp]
    weights: npt.NDArray[np.float64]
    lacks_sets: bool


class Relaxation:
    r"""A choice of one parent set for each variable, in fractions, that keeps the rows of some clusters.

    The bound does not rest on the linear solver. For any prices :math:`\lambda_C \ge 0` of the clusters no graph scores
    more than

    .. math:: \sum_v \max_S \Big( sc(v, S) + \sum_{C \ni v,\, |C \cap S| < k_C} \lambda_C \Big) - \sum_C k_C \lambda_C,

    since every graph keeps the row of every cluster. The solver's dual values serve as prices after two changes:
    negative ones become 0, and all are rounded to multiples of a power of two so coarse that their sums are exact in
    double precision. What remains is one rounding for each variable and one for the total, and both are made upwards.

    Parameters
    ----------
    table
        The sets to choose from.
    workers
        Threads; by default one per usable core. They do not change the bound.
    keeps_all
        Whether `tighten` leaves all sets in the table, so that the last prices bound all graphs over it.
    """

    def __init__(self, table: ParentSets, workers: int | None = None, *, keeps_all: bool = False) -> None:
        self.table = table
        self._keeps_all = keeps_all
        self._workers = workers_or_default(workers)
        self.clusters: list[Cluster] = []
        self.prices = np.empty(0)
        self.bound = table.relaxed_score()
        self._idle = np.empty(0, dtype=np.int64)
        self._values = table.scores
        self._prepare(table)

    def _prepare(self, table: ParentSets) -> None:
        """Take a table; all that depends on the places of its sets is made anew."""
        self.table = table
        begin = table.variable_begin
        self._owner = np.repeat(np.arange(table.n_variables), np.diff(begin))
        self._rank = np.arange(table.n_sets) - begin[self._owner]
        self._known = self._rank < _FIRST_SETS
        self._known[begin[1:] - 1] = True  # the worst one, often the empty set, which keeps many rows

    def part(self, keep: npt.NDArray[np.bool_]) -> "Relaxation":
        """Return the same rows and prices over those sets, counted over all variables, where `keep` is true."""
        part = Relaxation(self.table.kept(keep), self._workers, keeps_all=self._keeps_all)
        part.bound = min(part.bound, self.bound)
        part._known |= self._known[keep]
        part.add(self.clusters)
        part.pay(self.prices)
        return part

    def add(self, clusters: list[Cluster]) -> int:
        """Add the rows of those clusters that are new, and say how many these were."""
        known = set(self.clusters)
        new = [cluster for cluster in clusters if cluster not in known]
        self.clusters += new
        self.prices = np.r_[self.prices, np.zeros(len(new))]
        self._idle = np.r_[self._idle, np.zeros(len(new), dtype=np.int64)]
        return len(new)

    def ascend(self, budget: Budget) -> None:
        """Begin with clusters and prices that are found without a linear program, in a moment."""
        nodes, prices = _core.raise_prices(self.table.core, 0, budget.core)
        self.clusters = [Cluster(tuple(of)) for of in nodes]
        self._idle = np.zeros(len(nodes), dtype=np.int64)
        self.pay(prices)

    def pay(self, prices: npt.NDArray[np.float64]) -> None:
        """Set the prices, and the values of all sets: their scores and the prices of the rows they are in."""
        self.prices = _on_grid(np.maximum(0, prices))
        self._values = _core.priced_scores(self.table.core, self.clusters, self.prices, self._workers)

    def _first(self) -> npt.NDArray[np.float64]:
        """Right-hand sides of the rows."""
        return np.array([cluster.first for cluster in self.clusters], dtype=np.float64)

    def solve(self, budget: Budget) -> Solution | None:
        """Solve the program over the sets it knows, and set the prices; None if the budget ends before that."""
        known = np.flatnonzero(self._known)
        n, m, k = self.table.n_variables, known.size, len(self.clusters)
        scores = self.table.scores
        loss = scores[self.table.variable_begin[self._owner]] - scores  # small numbers suit the solver better
        # Rows may be broken at a high price, so that there is a solution whatever sets are known.
        dear = 2 * (self.bound - fsum(np.minimum.reduceat(scores, self.table.variable_begin[:-1]).tolist())) + 1
        rows = self._matrix(known)
        # One set for each variable, then the clusters, each with a last column for what is broken.
        owners = Rows.of_entries(n, self._owner[known], np.arange(m), np.ones(m))
        program = LinearProgram(
            np.r_[loss[known], np.full(k, dear)],
            np.zeros(m + k),
            np.full(m + k, inf),
            owners.above(_with_last(rows, m + np.arange(k))),
            np.r_[np.ones(n), self._first()],
            np.r_[np.ones(n), np.full(k, inf)],
        )
        seconds = inf if budget.time_limit is None else max(0.01, budget.time_limit - budget.elapsed)
        answer = program.solved(seconds=seconds)
        if answer is None:
            return None
        self.pay(answer.prices[n:])
        weights = answer.values[:m]
        self._idle = np.where(rows.times(weights) > self._first() + 1e-6, self._idle + 1, 0)
        chosen = weights > 1e-6
        return Solution(known[chosen], weights[chosen], self._learn(answer.prices[:n]))

    def _learn(self, marginals: npt.NDArray[np.float64]) -> bool:
        """Let the program know the sets that would improve its solution, and say whether there are any."""
        values, scores = self._values, self.table.scores
        worth = scores[self.table.variable_begin[:-1]] - marginals
        better = np.flatnonzero(~self._known & (values > worth[self._owner] + 1e-7))
        order = better[np.lexsort((-values[better], self._owner[better]))]
        first = np.searchsorted(self._owner[order], self._owner[order])
        self._known[order[np.arange(order.size) - first < _MORE_SETS]] = True
        return bool(better.size)

    def _matrix(self, sets: npt.NDArray[np.intp]) -> Rows:
        """Rows by some of the sets: 1 for those that keep the row."""
        begin, places = _core.kept_rows(self.table.core, self.clusters, sets)
        return Rows(begin, places, np.ones(places.size))

    def row(self, cluster: Cluster) -> npt.NDArray[np.int64]:
        """Sets of the cluster's variables with too few members in it to break its row."""
        return _core.kept_rows(self.table.core, [cluster], np.arange(self.table.n_sets))[1]

    def tighten(self, least: float | None) -> None:
        """Bring the bound down as far as the prices allow, and drop sets that no graph as good as `least` has.

        A graph with a certain set scores at most the bound less what that set's value lacks of the best.

        Parameters
        ----------
        least
            The score of a known graph, less what rounding may do; None if there is none.
        """
        values = self._values
        best = np.maximum.reduceat(values, self.table.variable_begin[:-1])
        total = fsum([*np.nextafter(best, inf).tolist(), *(-self.prices * self._first()).tolist()])
        bound = nextafter(total, inf)
        self.bound = min(self.bound, bound)
        if least is None or self._keeps_all:
            return
        stays = bound - (best[self._owner] - values) >= least
        stays[self.table.variable_begin[:-1][np.add.reduceat(stays, self.table.variable_begin[:-1]) == 0]] = True
        if stays.mean() > 0.8:
            return
        known = self._known[stays]
        self._values = values[stays]
        self._prepare(self.table.kept(stays))
        self._known |= known

    def drop_idle(self) -> None:
        """Forget the rows that have been slack for a while."""
        stay = np.flatnonzero((self._idle < _IDLE_ROUNDS) | (self.prices > 0))
        self.clusters = [self.clusters[at] for at in stay]
        self.prices, self._idle = self.prices[stay], self._idle[stay]

    def choice(self, solution: Solution) -> Choice:
        """Return the solution as weights of sets with members."""
        table, sets = self.table, solution.sets
        contains = np.zeros((sets.size, table.n_variables), dtype=np.bool_)
        for row, at in enumerate(sets.tolist()):
            contains[row, table.members[table.set_begin[at] : table.set_begin[at + 1]]] = True
        return Choice(self._owner[sets], contains, solution.weights)


def _on_grid(prices: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Prices as multiples of a power of two, such that any sum of them is exact."""
    total = float(prices.sum())
    if total < 1e-200:  # too little to matter, and the grid would have no place among the doubles
        return np.zeros_like(prices)
    grid = 2.0 ** (np.ceil(log2(total)) - 48)
    return np.asarray(np.floor(prices / grid) * grid)


def _with_last(rows: Rows, columns: npt.NDArray[np.intp]) -> Rows:
    """Rows with one more entry at the end of each: 1 in a column of its own."""
    ends = rows.begin[1:]
    return Rows(
        rows.begin + np.arange(rows.begin.size),
        np.insert(rows.columns, ends, columns),
        np.insert(rows.values, ends, 1.0),
    )
