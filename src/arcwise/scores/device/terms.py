"""What a score sums over counts, on a card: a table for each shape of a family."""

from hashlib import sha256

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.scores.definitions import Score
from arcwise.scores.device.card import Card, Terms

__all__ = ["DeviceTerms"]

# What tables may take before they are forgotten.
_MOST_BYTES = 1 << 31
# What the tables for one shape may take, of which a score has one for each number of configurations that occur.
_MOST_BYTES_OF_SHAPE = 1 << 29


class DeviceTerms:
    """The terms of a score, by the shape of a family.

    Parameters
    ----------
    score
        The score.
    n_observations
        How many observations all counts of a family sum to.
    arities
        The states of all variables.
    card
        Where they are.
    """

    def __init__(self, score: Score, n_observations: int, arities: npt.NDArray[np.int64], card: Card) -> None:
        self._counted = _core.CountedScore(score.name, score.parameter, n_observations, arities.tolist())
        self._card, self._n_observations = card, n_observations
        self._known: dict[tuple[int, int, int], Terms] = {}
        self._tables: dict[tuple[int, bytes], Terms] = {}
        self._bytes = 0

    def has(self, n_configurations: int) -> bool:
        """Whether there are terms for families with so many configurations of parents."""
        n_bytes = 16 * (self._n_observations + 1) * n_configurations
        return not self._counted.needs_observed_configurations or n_bytes <= _MOST_BYTES_OF_SHAPE

    def of(self, n_states: int, n_configurations: int, n_parents: int) -> Terms:
        """Return the terms for families of a shape."""
        shape = n_states, n_configurations, n_parents
        if shape not in self._known:
            self._known[shape] = self._made(*shape)
        return self._known[shape]

    def _made(self, n_states: int, n_configurations: int, n_parents: int) -> Terms:
        counted = self._counted
        if counted.needs_observed_configurations:
            parts = [counted.terms(n_states, n_configurations, n_parents, o + 1) for o in range(n_configurations)]
        else:
            parts = [counted.terms(n_states, n_configurations, n_parents, 0)]
        cell, row = (np.stack([part[i] for part in parts]) for i in (0, 1))
        constant = parts[0][2]
        # Likelihoods differ in their penalties alone: their tables are one.
        key = len(parts), sha256(cell.data).digest() + sha256(row.data).digest()
        if key not in self._tables:
            self._bytes += cell.nbytes + row.nbytes
            if self._bytes > _MOST_BYTES:
                self._known, self._tables, self._bytes = {}, {}, cell.nbytes + row.nbytes
            self._tables[key] = Terms(self._card.put(cell), self._card.put(row), constant, counted.nats_per_unit)
        kept = self._tables[key]
        return Terms(kept.cell, kept.row, constant, counted.nats_per_unit)
