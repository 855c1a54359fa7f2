"""Scores written in Python: what users write, in few lines, and the built-in ones in disguise."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from arcwise import CountScore, Dataset, Family, FamilyScore, LocalScore

__all__ = ["Answering", "BdeuByCounts", "BdeuByFamily", "BicByCounts", "BicByFamily", "Calling", "built_in"]

Array = npt.NDArray[Any]


def bic(counts: Array, family: Family) -> float:
    shares = counts / counts.sum(axis=1, keepdims=True)
    likelihood = (counts * np.log(np.where(counts > 0, shares, 1))).sum()
    return float(likelihood - log(counts.sum()) / 2 * family.configurations * (family.states - 1))


def bdeu(counts: Array, family: Family, ess: float) -> float:
    row = ess / family.configurations
    cell = row / family.states
    rows = gammaln(row) - gammaln(row + counts.sum(axis=1))
    return float(rows.sum() + (gammaln(cell + counts) - gammaln(cell)).sum())


def counted(family: Family) -> Array:
    """The counts of the configurations that occur, found with numpy alone."""
    data = family.data
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights.astype(np.int64)
    codes = data.codes[:, [data.names.index(name) for name in family.parents]]
    _, row = np.unique(codes[weights > 0], axis=0, return_inverse=True)
    counts = np.zeros((row.max() + 1, family.states), dtype=np.int64)
    np.add.at(counts, (row.ravel(), data.codes[weights > 0, data.names.index(family.child)]), weights[weights > 0])
    return counts


@dataclass(frozen=True)
class BicByCounts(CountScore):
    is_equivalent = True

    def of_counts(self, counts: Array, family: Family) -> float:
        return bic(counts, family)


@dataclass(frozen=True)
class BicByFamily(FamilyScore):
    is_equivalent = True

    def of_family(self, family: Family) -> float:
        return bic(counted(family), family)


@dataclass(frozen=True)
class BdeuByCounts(CountScore):
    is_equivalent = True
    ess: float = 1.0

    def of_counts(self, counts: Array, family: Family) -> float:
        return bdeu(counts, family, self.ess)


@dataclass(frozen=True)
class BdeuByFamily(FamilyScore):
    is_equivalent = True
    ess: float = 1.0

    def of_family(self, family: Family) -> float:
        return bdeu(counted(family), family, self.ess)


@dataclass(frozen=True)
class Answering(FamilyScore):
    """A built-in score that goes through Python: to the last bit the same numbers."""

    is_equivalent = True
    definition: str = "bic"

    def of_family(self, family: Family) -> float:
        return built_in(family.data, self.definition).local(family.child, family.parents)


@lru_cache(maxsize=16)
def built_in(data: Dataset, definition: str) -> LocalScore:
    return LocalScore(data, definition)


@dataclass(frozen=True)
class Calling(FamilyScore):
    """Whatever a function returns or raises."""

    is_equivalent = True
    function: Callable[[Family], Any] = field(compare=False, repr=False)

    def of_family(self, family: Family) -> Any:
        return self.function(family)
