"""Posterior probabilities of arcs, edges, ancestors and Markov blankets, and graphs that are drawn with them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar, overload

import numpy as np
import numpy.typing as npt

from arcwise.arc_probabilities import ArcProbabilities
from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.posteriors.chain_state import ChainState
from arcwise.posteriors.diagnostics import Diagnostics
from arcwise.posteriors.exact import chains_for
from arcwise.runs.result import Status
from arcwise.scores.definitions import Score
from arcwise.support.arguments import callback
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Setting

__all__ = ["ArcPosterior", "GraphDraws", "sparse_arcs"]

Probabilities = npt.NDArray[np.float64]

#: What is less is rounding, and not kept.
_LEAST = 1e-9


class GraphDraws(Sequence[Dag]):
    """Graphs that were drawn from the posterior; each becomes a `Dag` when it is asked for.

    Parameters
    ----------
    names
        The variables.
    candidates
        The candidate parents of each, by index, ascending.
    masks
        A row for each graph: bit i of entry v says whether the i-th candidate of v is its parent.
    """

    def __init__(
        self, names: Sequence[str], candidates: Sequence[Sequence[int]], masks: npt.NDArray[np.uint32]
    ) -> None:
        self._names, self._candidates, self._masks = tuple(names), tuple(map(tuple, candidates)), masks

    @classmethod
    def of_parents(cls, names: Sequence[str], masks: npt.NDArray[np.uint32]) -> "GraphDraws":
        """Return graphs of which all other variables are candidates: bit i of entry v says whether i is a parent."""
        n = len(names)
        before = np.array([(1 << v) - 1 for v in range(n)], dtype=np.uint32)
        others = [[one for one in range(n) if one != v] for v in range(n)]
        return cls(names, others, ((masks & before) | (masks >> 1 & ~before)).astype(np.uint32))

    def __len__(self) -> int:
        return len(self._masks)

    @overload
    def __getitem__(self, at: int) -> Dag: ...
    @overload
    def __getitem__(self, at: slice) -> "GraphDraws": ...
    def __getitem__(self, at: int | slice) -> "Dag | GraphDraws":
        """Return one of the graphs, or some of them."""
        if isinstance(at, slice):
            return GraphDraws(self._names, self._candidates, self._masks[at])
        rows = zip(self._masks[at].tolist(), self._candidates, strict=True)
        return Dag.from_parents(
            self._names, [[one for bit, one in enumerate(its) if mask >> bit & 1] for mask, its in rows]
        )

    def __iter__(self) -> Iterator[Dag]:
        return (self[at] for at in range(len(self)))

    def __repr__(self) -> str:
        return f"<GraphDraws: {len(self):,} graphs of {len(self._names):,} variables>"


@dataclass(frozen=True, eq=False)
class ArcPosterior(ArcProbabilities):
    """How probable arcs, edges and other features of graphs are, given the data.

    Attributes
    ----------
    names
        The variables, in the order of the matrices.
    edges
        At [i, j] and at [j, i] the probability that i and j are adjacent; it keeps those that are at all
        probable. Without rows where a limit or Ctrl-C came before there was any probability.
    arcs
        At [i, j] the probability of the arc i -> j; without rows as `edges`.
    ancestors
        At [i, j] the probability that i is an ancestor of j: an array of numpy. None where it was not found: with the
        prior over orders.
    blankets
        At [i, j] in which share of the graphs that were drawn i is in the Markov blanket of j. None where there are
        none.
    graphs
        Graphs that were drawn from the posterior. With exact sums they are independent, for at most 16 variables; there
        are none for more, or where memory or time did not suffice for them.
    method
        ``exact`` or ``partition``.
    prior
        ``graphs`` or ``orders``: how often each graph counts.
    error
        By how much a probability of an arc may be wrong. Of chains, two standard errors of the one that is least
        certain; of exact sums, rounding.
    log_evidence
        The logarithm of the sum of exp(score) over all graphs; None where they are not summed.
    diagnostics
        How the chains have mixed; None for exact sums.
    status
        COMPLETE, or what ended it before it was as precise as asked for, or before all graphs were drawn. If it ended
        before there was any probability, all questions for one are refused.
    score, constraints, seed, seconds
        How it was found, and how long it took.
    chains
        What chains need to be continued; None for exact sums.
    """

    names: tuple[str, ...]
    edges: PairNumbers
    arcs: PairNumbers
    ancestors: Probabilities | None
    blankets: Probabilities | None
    graphs: GraphDraws
    method: str
    prior: str
    error: float
    log_evidence: float | None
    diagnostics: Diagnostics | None
    status: Status
    score: Score
    constraints: Constraints
    seed: int
    seconds: float
    chains: ChainState | None = None

    called: ClassVar[str] = "posterior probability of the arc"
    measure: ClassVar[str] = "probability {}"

    def arc(self, parent: str | int, child: str | int) -> float:
        """Probability of an arc."""
        self.refuse_nothing()
        return float(self.arcs[self._index(parent), self._index(child)])

    def ancestor(self, one: str | int, other: str | int) -> float:
        """Probability that there is a path of arcs from one variable to the other."""
        self.refuse_nothing()
        if self.ancestors is None:
            raise ParameterError(
                "the posterior of ancestors is not summed over orders; take ", Setting("prior", "graphs")
            )
        return float(self.ancestors[self._index(one), self._index(other)])

    def blanket(self, one: str | int, other: str | int) -> float:
        """Probability that one variable is in the Markov blanket of the other: parent, child, or parent of a child."""
        self._refuse_without_draws("Markov blankets")
        assert self.blankets is not None
        return float(self.blankets[self._index(one), self._index(other)])

    def probability(self, feature: Callable[[Dag], float]) -> float:
        """Probability of any feature: the mean of a function over the graphs that were drawn.

        Parameters
        ----------
        feature
            A function of a `Dag` that returns True or False, or a number whose expectation is wanted.

        Examples
        --------
        >>> from arcwise import load_example, posterior
        >>> data = load_example("cancer").sample(500, seed=1)
        >>> found = posterior(data, seed=1)
        >>> found.probability(lambda dag: dag.is_d_separated("Smoker", "Dyspnoea", given="Cancer")) > 0.9
        True
        """
        callback("feature", feature)
        self._refuse_without_draws("features of graphs")
        return float(np.mean([feature(dag) for dag in self.graphs]))

    @property
    def has_probabilities(self) -> bool:
        """Whether there are any: not where a limit or Ctrl-C came before the first."""
        return self.arcs.shape[0] == len(self.names)

    def refuse_nothing(self) -> None:
        """Raise an error where a limit or Ctrl-C came before there was any probability."""
        if not self.has_probabilities:
            raise ParameterError(
                f"there are no probabilities: what ended it ({self.status}) came before the first; give it more"
            )

    def _refuse_without_draws(self, what: str) -> None:
        self.refuse_nothing()
        if len(self.graphs):
            return
        none = f"the posterior of {what} is counted in graphs that are drawn, and here there are none"
        if self.status is Status.COMPLETE:
            raise ParameterError(none, "; take ", chains_for(self.prior))
        raise ParameterError(none, f": what ended it ({self.status}) came before the first; give it more")

    def _repr_html_(self) -> str:
        return super()._repr_html_() if self.has_probabilities else f"<p>{escape(repr(self))}</p>"

    def __repr__(self) -> str:
        if not self.has_probabilities:
            return f"<ArcPosterior: {len(self.names)} variables, {self.method}, ended by {self.status}: nothing>"
        return f"<ArcPosterior: {len(self.names)} variables, {self.method}, error {self.error:.2g}>"


def sparse_arcs(arcs: Probabilities) -> tuple[PairNumbers, PairNumbers]:
    """Return probabilities of edges and of arcs as sparse matrices, given those of arcs."""
    arcs = np.where(arcs >= _LEAST, arcs, 0.0)
    return PairNumbers.of_array(np.minimum(arcs + arcs.T, 1.0)), PairNumbers.of_array(arcs)
