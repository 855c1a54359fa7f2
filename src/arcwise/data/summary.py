"""What is worth knowing about data without keeping it: its size, its states, and a fingerprint."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import cbrt, ceil
from typing import Protocol

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Weights
from arcwise.data.gaps import GapSummary
from arcwise.support.quoting import numbered

__all__ = ["DataSummary", "Spread", "Summarised", "hashed"]

_MOST_INTERVALS = 24  # of a histogram, of which a file has one for each continuous variable


@dataclass(frozen=True)
class Spread:
    """What is worth knowing about the numbers of a continuous variable.

    Parameters
    ----------
    mean, deviation
        The mean and the standard deviation, around it and with the number of observations as divisor.
    minimum, maximum
        The range.
    histogram
        How many observations are in each of some intervals of equal width from the minimum to the maximum; none where
        these are the same number.

    Examples
    --------
    >>> import numpy as np
    >>> Spread.of(np.array([1.0, 3.0, 9.0]), np.array([1, 1, 0], dtype=np.uint32))
    Spread(mean=2.0, deviation=1.0, minimum=1.0, maximum=3.0, histogram=(1, 0, 1))
    """

    mean: float
    deviation: float
    minimum: float
    maximum: float
    histogram: tuple[int, ...]

    @classmethod
    def of(cls, numbers: npt.NDArray[np.float64], weights: Weights | None = None) -> "Spread":
        """Spread of some numbers, each seen as often as its weight says."""
        if weights is not None:
            numbers, weights = numbers[weights > 0], weights[weights > 0]
        low, high = float(numbers.min()), float(numbers.max())
        # In parts of the largest number, whose squares are neither 0 nor infinite where those of the numbers would be.
        scale = max(abs(low), abs(high)) or 1.0
        parts = numbers / scale
        mean = np.average(parts, weights=weights)
        deviation = np.sqrt(np.average((parts - mean) ** 2, weights=weights))
        histogram = _histogram(parts, weights) if low < high else ()
        return cls(float(np.clip(mean * scale, low, high)), float(deviation * scale), low, high, histogram)


def _histogram(numbers: npt.NDArray[np.float64], weights: Weights | None) -> tuple[int, ...]:
    """Return the observations in each of some intervals of equal width.

    There are twice as many as the cube root of the observations (D. M. Lane, Online Statistics Education: Rice's rule).
    """
    total = len(numbers) if weights is None else int(weights.sum(dtype=np.uint64))
    n_intervals = min(_MOST_INTERVALS, ceil(2 * cbrt(total)))
    low, high = numbers.min(), numbers.max()
    places = np.minimum((numbers - low) / (high - low) * n_intervals, n_intervals - 1).astype(np.intp)
    counts = np.bincount(places, weights=weights, minlength=n_intervals)
    return tuple(np.rint(counts).astype(int).tolist())


@dataclass(frozen=True)
class DataSummary:
    """What a run was about: rows of data, or a table of parent sets.

    Parameters
    ----------
    fingerprint
        The SHA-256 of all that searches see: names, states, codes, numbers and weights, or names, sets and scores.
        Equal data has the same on every machine; how it was made does not matter.
    n_variables
        How many variables there are.
    n_rows, n_observations
        How many rows, and how many with their weights; None for parent sets.
    states
        For each variable the labels of its states, none for a continuous one; None for parent sets.
    n_sets
        How many sets there are; None for rows.
    counts
        For each variable how many observations have each of its states, nothing for a continuous one; None where it is
        not known.
    steps
        What was done to the data when it was read, in words.
    interventions
        For each variable that an experimenter has set, in how many observations.
    spreads
        For each variable what its numbers are like, None for a discrete one; None where all are discrete.
    gaps
        How many values are missing of each variable, and which together; None where none is.

    Examples
    --------
    >>> from arcwise import Dataset
    >>> summary = Dataset.from_codes([[0, 1], [1, 2]], names=["a", "b"]).summary()
    >>> summary.n_rows, summary.arities
    (2, (2, 3))
    >>> print(summary)
    2 rows of 2 variables
    """

    fingerprint: str
    n_variables: int
    n_rows: int | None = None
    n_observations: int | None = None
    states: tuple[tuple[str, ...], ...] | None = None
    n_sets: int | None = None
    counts: tuple[tuple[int, ...], ...] | None = None
    steps: tuple[str, ...] = ()
    interventions: Mapping[str, int] = field(default_factory=dict, hash=False)
    spreads: tuple[Spread | None, ...] | None = None
    gaps: GapSummary | None = None

    @property
    def arities(self) -> tuple[int, ...] | None:
        """The number of states of each variable, 0 for a continuous one; None for parent sets."""
        return None if self.states is None else tuple(map(len, self.states))

    def __str__(self) -> str:
        if self.n_rows is None:
            return f"{numbered(self.n_sets or 0, 'parent set')} of {numbered(self.n_variables, 'variable')}"
        made = f", {len(self.interventions):,} of them set in some" if self.interventions else ""
        gaps = "" if self.gaps is None else f", {sum(self.gaps.counts):,} values missing"
        return f"{numbered(self.n_rows, 'row')} of {numbered(self.n_variables, 'variable')}{made}{gaps}"


class Summarised(Protocol):
    """What runs are about: a `Dataset`, or a table of parent sets."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""

    def summary(self) -> DataSummary:
        """Return what is worth knowing about it."""


def hashed(heading: list[object], arrays: Iterable[npt.NDArray[np.generic]]) -> str:
    """Return the SHA-256 of a heading that fixes the lengths of the arrays, and of these."""
    digest = sha256(json.dumps(heading).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
