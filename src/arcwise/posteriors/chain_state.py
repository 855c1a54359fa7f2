"""Chains between two rounds: what is kept of them, and what follows from that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.posteriors.candidates import Candidates
from arcwise.posteriors.diagnostics import Diagnostics, effective_sizes, r_hats, standard_errors

__all__ = ["MOST_BATCHES", "ChainState", "Masks", "Means", "full_batches"]

#: By variable, which of its candidates are its parents: bit i stands for the i-th one.
Masks = npt.NDArray[np.uint32]
Means = npt.NDArray[np.float64]

#: Where there are so many batches, each two become one.
MOST_BATCHES = 32


@dataclass(frozen=True, eq=False)
class ChainState:
    """Chains between two rounds: enough to continue them.

    Attributes
    ----------
    candidates
        The candidate parents of each variable.
    last
        The graph that each chain has come to.
    means
        By chain, batch and arc: the mean probability of the arc in the batch. Arcs are listed by child and candidate.
    draws
        By chain and batch, the graphs that were drawn in it.
    sweeps
        In a batch.
    rounds
        How many batches were done, before they were put together.
    outside
        The largest probability that an arc from outside the candidates would have, at most.
    fingerprint
        That of the data (`DataSummary`); empty in files of earlier versions.
    """

    candidates: Candidates
    last: Masks
    means: Means
    draws: npt.NDArray[np.uint32]
    sweeps: int
    rounds: int
    outside: float
    fingerprint: str = ""

    @property
    def n_candidates(self) -> int:
        """The most candidate parents that a variable has."""
        return max(map(len, self.candidates), default=0)

    @property
    def most_draws(self) -> int:
        """How many graphs the chains can keep, at least, once there are enough batches."""
        return (self.draws.shape[2] or self.sweeps) * full_batches(len(self.last))

    @property
    def kept(self) -> "ChainState":
        """The second half of the batches: what comes before depends on where the chains began."""
        first = self.means.shape[1] - self.means.shape[1] // 4 * 2
        return replace(self, means=self.means[:, first:], draws=self.draws[:, first:])

    @property
    def diagnostics(self) -> Diagnostics:
        """How the chains have mixed."""
        kept, total = self.kept.means, self.sweeps * self.means.shape[1]
        n_candidates, chains = self.n_candidates, len(self.last)
        if kept.shape[1] < 2:
            return Diagnostics(inf, 0.0, chains, total, n_candidates, self.outside)
        if not kept.shape[2]:  # no arc is possible
            return Diagnostics(1.0, inf, chains, total, n_candidates, self.outside)
        least = int(standard_errors(kept).argmax())
        sizes = effective_sizes(kept[:, :, least : least + 1])
        return Diagnostics(float(r_hats(kept).max()), float(sizes[0]), chains, total, n_candidates, self.outside)

    @property
    def error(self) -> float:
        """Two standard errors of the arc that is least certain; infinity where there is too little to tell."""
        kept = self.kept.means
        if kept.shape[1] < 2:
            return inf
        return 2 * float(standard_errors(kept).max(initial=0.0))

    @property
    def masks(self) -> Masks:
        """The graphs that were drawn, a row for each; all of them where there are too few batches to leave any out."""
        kept = self.kept.draws if self.kept.draws.shape[1] else self.draws
        return np.ascontiguousarray(kept.reshape(-1, kept.shape[-1]))

    def arcs(self) -> npt.NDArray[np.float64]:
        """Return the probabilities of all arcs as a matrix."""
        n, kept = len(self.candidates), self.kept.means
        if not kept.shape[1]:
            kept = self.means
        matrix = np.zeros((n, n))
        children = np.repeat(np.arange(n), [len(its) for its in self.candidates])
        parents = np.array([one for its in self.candidates for one in its], dtype=np.intp)
        if kept.shape[1]:
            matrix[parents, children] = kept.mean(axis=(0, 1))
        return matrix

    def with_batch(self, parts: Sequence[_core.ChainPart]) -> "ChainState":
        """Return the state after one more batch; where there are many, each two become one."""
        n = len(self.candidates)
        means = np.concatenate([self.means, np.stack([part.arcs for part in parts])[:, None]], axis=1)
        fresh = np.stack([np.reshape(part.draws, (-1, n)) for part in parts])
        wanted = self.draws.shape[2] if self.draws.shape[1] else fresh.shape[1]
        draws = np.concatenate([self.draws.reshape(len(parts), -1, wanted, n), fresh[:, None, :wanted]], axis=1)
        last = np.stack([part.last for part in parts])
        sweeps = self.sweeps
        if means.shape[1] == MOST_BATCHES:
            means, sweeps = (means[:, 0::2] + means[:, 1::2]) / 2, 2 * sweeps
            half = draws.reshape(len(parts), MOST_BATCHES // 2, 2 * wanted, n)
            draws = half[:, :, 1::2]
        return replace(self, last=last, means=means, draws=draws, sweeps=sweeps, rounds=self.rounds + 1)


def full_batches(chains: int) -> int:
    """Return how many batches, of all chains together, have all the graphs that are wanted: a quarter of the most."""
    return chains * MOST_BATCHES // 4
