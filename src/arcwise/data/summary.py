"""What is worth knowing about data without keeping it: its size, its states, and a fingerprint."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.parents.parent_sets import ParentSets

__all__ = ["DataSummary", "fingerprint"]


@dataclass(frozen=True)
class DataSummary:
    """What a run was about: rows of discrete data, or a table of parent sets.

    Parameters
    ----------
    fingerprint
        See `fingerprint`.
    n_variables
        How many variables there are.
    n_rows, n_observations
        How many rows, and how many with their weights; None for parent sets.
    states
        For each variable the labels of its states; None for parent sets.
    n_sets
        How many sets there are; None for rows.
    counts
        For each variable how many observations have each of its states; None where it is not known.
    steps
        What was done to the data when it was read, in words.

    Examples
    --------
    >>> summary = DataSummary.of(Dataset.from_codes([[0, 1], [1, 2]], names=["a", "b"]))
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

    @classmethod
    def of(cls, data: Dataset | ParentSets) -> "DataSummary":
        """Return the summary of data."""
        if isinstance(data, ParentSets):
            return cls(fingerprint(data), data.n_variables, n_sets=data.n_sets)
        return cls(
            fingerprint(data),
            data.n_variables,
            data.n_rows,
            data.n_observations,
            data.states,
            counts=_counts(data),
            steps=tuple(map(str, data.steps)),
        )

    @property
    def arities(self) -> tuple[int, ...] | None:
        """The number of states of each variable; None for parent sets."""
        return None if self.states is None else tuple(map(len, self.states))

    def __str__(self) -> str:
        if self.n_rows is None:
            return f"{self.n_sets:,} parent sets of {self.n_variables:,} variables"
        return f"{self.n_rows:,} rows of {self.n_variables:,} variables"


def _counts(data: Dataset) -> tuple[tuple[int, ...], ...]:
    """Return how many observations have each state of each variable."""
    columns = zip(data.codes.T, data.arities, strict=True)
    counted = (np.bincount(column, weights=data.weights, minlength=arity) for column, arity in columns)
    return tuple(tuple(np.rint(counts).astype(int).tolist()) for counts in counted)


def fingerprint(data: Dataset | ParentSets) -> str:
    """Return the SHA-256 of all that searches see: names, states, codes and weights, or names, sets and scores.

    Equal data has the same fingerprint on every machine; how it was made does not matter.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 1], [1, 0]], names=["a", "b"])
    >>> fingerprint(data) == fingerprint(Dataset.from_array([["0", "1"], ["1", "0"]], names=["a", "b"]))
    True
    >>> fingerprint(data) == fingerprint(Dataset.from_codes([[0, 1], [1, 0]], names=["a", "c"]))
    False
    """
    if isinstance(data, ParentSets):
        sets = (array.astype("<i8") for array in (data.variable_begin, data.set_begin, data.members))
        return _hashed(["parent sets", data.names, data.n_sets], chain(sets, [data.scores.astype("<f8")]))
    weights = [] if data.weights is None else [data.weights]
    columns = (column.astype("<u2") for column in data.codes.T)
    heading = ["data", data.names, data.states, data.n_rows, bool(weights)]
    return _hashed(heading, chain((array.astype("<u4") for array in weights), columns))


def _hashed(heading: list[object], arrays: Iterable[npt.NDArray[np.generic]]) -> str:
    """Hash a heading that fixes the lengths of the arrays, then these."""
    digest = sha256(json.dumps(heading).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
