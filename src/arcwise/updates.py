"""New rows for a fitted network, and whether they still fit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lgamma
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.data.frames import frame_of
from arcwise.data.steps import column_steps
from arcwise.graph.dag import Dag
from arcwise.network.known import Nodes, data_of
from arcwise.network.network import BayesianNetwork
from arcwise.network.tables import FamilyCounts
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance, number
from arcwise.support.quoting import numbered

__all__ = ["CountedNetwork", "Drift"]

Counts = npt.NDArray[np.float64]


@final
class CountedNetwork:
    r"""A network that keeps the counts that it was fitted to, so that new rows can be added; it cannot be changed.

    With a Dirichlet prior the counts of the families are all that the data say about the probabilities. So adding those
    of new rows gives exactly the network that is fitted to all rows together, and the old rows are not needed any more.
    Continuous nodes have the moments of their regressions in the same way.

    Parameters
    ----------
    dag
        The graph.
    data
        The rows it is fitted to first: a `Dataset`, or anything `Dataset.of` takes.
    ess
        Equivalent sample size of the prior, as in `BayesianNetwork.fit`.

    Examples
    --------
    >>> from arcwise import load_example
    >>> truth = load_example("cancer")
    >>> data = truth.sample(3000, seed=1)
    >>> kept = CountedNetwork(truth.dag, truth.sample(2000, seed=1)).updated(truth.sample(1000, seed=2))
    >>> kept
    <CountedNetwork: 5 nodes, 4 arcs, fitted to 3,000 observations>
    >>> kept.network
    <BayesianNetwork: 5 nodes, 4 arcs, 10 parameters>
    """

    def __init__(self, dag: Dag, data: Any, *, ess: float = 1.0) -> None:
        table = Dataset.of(data)
        self._take(FamilyCounts.of(instance("dag", dag, Dag), table), number("ess", ess), table.n_observations)

    def _take(self, counts: FamilyCounts, ess: float, n_observations: int) -> None:
        self._counts, self._ess, self._n = counts, ess, n_observations

    @property
    def dag(self) -> Dag:
        """The graph."""
        return self._counts.dag

    @property
    def n_observations(self) -> int:
        """How many observations it was fitted to, all in all."""
        return self._n

    @cached_property
    def network(self) -> BayesianNetwork:
        """The network."""
        return BayesianNetwork.fit(self.dag, self._counts, ess=self._ess)

    def updated(self, rows: Any) -> "CountedNetwork":
        """Return the same with more rows.

        Parameters
        ----------
        rows
            A Dataset, a frame or anything else with a column for each node, whose values are among its states.
        """
        more = self._coded(rows)
        kept = object.__new__(CountedNetwork)
        kept._take(self._counts + FamilyCounts.of(self.dag, more), self._ess, self._n + more.n_observations)
        return kept

    def drift(self, rows: Any, *, score: str | Score = "bic") -> "Drift":
        r"""Return whether the network still holds for new rows, family by family.

        The probabilities of a discrete node with its parents are compared by the Bayes factor of two hypotheses: that
        new rows follow the same ones as all before, and that they follow others,

        .. math:: \ln\frac{P(\mathrm{new} \mid \mathrm{old}, \mathrm{same})}{P(\mathrm{new} \mid \mathrm{other})}
            = B(n^\mathrm{old} + n^\mathrm{new}) - B(n^\mathrm{old}) - B(n^\mathrm{new}),

        with :math:`B` the logarithm of the marginal likelihood of counts under the Dirichlet prior (Heckerman, Geiger &
        Chickering 1995, doi:10.1007/BF00994016). Above 0 the old probabilities hold; -3 makes it 20 times as probable
        that they have changed.

        The structure is compared on the new rows alone: what the best change of one arc to the node would gain there.

        Parameters
        ----------
        rows
            New rows, as `updated` takes them, that it was not fitted to.
        score
            By which arcs are compared.

        Examples
        --------
        >>> from arcwise import load_example
        >>> truth = load_example("cancer")
        >>> kept = CountedNetwork(truth.dag, truth.sample(2000, seed=1))
        >>> kept.drift(truth.sample(1000, seed=2)).total > 0  # rows of the same network
        True
        >>> kept.drift(truth.do({"Smoker": "True"}).sample(1000, seed=2)).changed  # everybody smokes
        ('Smoker',)
        """
        more = self._coded(rows)
        new = FamilyCounts.of(self.dag, more)
        factors = [
            self._factor(before, after) if isinstance(before, np.ndarray) and isinstance(after, np.ndarray) else np.nan
            for before, after in zip(self._counts.counts, new.counts, strict=True)
        ]
        changes = _best_changes(self.dag, LocalScore(more, score_named(score)))
        return Drift(
            self.dag, np.array(factors), tuple(words for words, _ in changes), np.array([g for _, g in changes])
        )

    def _coded(self, rows: Any) -> Dataset:
        counts = self._counts
        return data_of(Nodes(self.dag, counts.states, column_steps(counts.steps)), rows)

    def _factor(self, old: Counts, new: Counts) -> float:
        prior = self._ess or 1.0  # without one there is no marginal likelihood
        return _evidence(old + new, prior) - _evidence(old, prior) - _evidence(new, prior)

    def __repr__(self) -> str:
        size = f"{numbered(self.dag.n_nodes, 'node')}, {numbered(self.dag.n_arcs, 'arc')}"
        return f"<CountedNetwork: {size}, fitted to {self._n:,} observations>"


@dataclass(frozen=True, eq=False)
class Drift:
    """How well new rows fit a network that was fitted to others.

    Attributes
    ----------
    dag
        The graph.
    log_bayes_factors
        For each node, by how much more probable its new rows are under the old probabilities than under others, as a
        natural logarithm; NaN for continuous nodes.
    changes
        For each node, the change of one arc to it that the new rows like best: ``+ parent`` or ``- parent``.
    gains
        What it gains on the new rows; above 0 these would have another arc there.
    """

    dag: Dag
    log_bayes_factors: Counts
    changes: tuple[str, ...]
    gains: Counts

    @property
    def total(self) -> float:
        """Sum of the logarithms of all Bayes factors: above 0 the probabilities hold as a whole."""
        return float(np.nansum(self.log_bayes_factors))

    @property
    def changed(self) -> tuple[str, ...]:
        """The nodes whose probabilities have probably changed: 20 times as probably as not."""
        return tuple(name for name, factor in zip(self.dag.names, self.log_bayes_factors, strict=True) if factor < -3.0)

    def to_frame(self, backend: str | None = None) -> Any:
        """Frame ("polars", "pandas" or "pyarrow") with a row for each node."""
        columns: dict[str, Sequence[Any]] = {
            "node": list(self.dag.names),
            "log_bayes_factor": self.log_bayes_factors.tolist(),
            "change": list(self.changes),
            "gain": self.gains.tolist(),
        }
        return frame_of(columns, backend)

    def __repr__(self) -> str:
        n_arcs = int((self.gains > 0).sum())
        return (
            f"<Drift: log Bayes factor {self.total:.2f}, {len(self.changed)} nodes changed, {n_arcs} with other arcs>"
        )


_log_gamma = np.vectorize(lgamma, otypes=[np.float64])


def _evidence(counts: Counts, ess: float) -> float:
    """Logarithm of the marginal likelihood of the counts of a family, with the prior spread over its cells."""
    cell, row = ess / counts.size, ess * counts.shape[-1] / counts.size
    cells = _log_gamma(counts + cell) - lgamma(cell)
    rows = _log_gamma(counts.sum(axis=-1) + row) - lgamma(row)
    return float(cells.sum() - rows.sum())


def _best_changes(dag: Dag, score: LocalScore) -> list[tuple[str, float]]:
    """For each node the change of one arc to it that scores most, without a cycle, and what it gains."""
    found = []
    for node in dag.names:
        parents, below = dag.parents(node), {node, *dag.descendants(node)}
        local = score.local(node, parents)
        others = [name for name in dag.names if name not in parents and name not in below]
        scores = [
            (f"+ {name}", value) for name, value in zip(others, score.additions(node, parents, others), strict=True)
        ]
        scores += [(f"- {name}", value) for name, value in zip(parents, score.removals(node, parents), strict=True)]
        words, best = max(scores, key=lambda change: change[1], default=("", local))
        found.append((words, float(best) - local))
    return found
