"""Slow, obvious twins of the tests of independence and of what is built on them; variables are column numbers."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from math import inf, log, prod

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from scipy.stats import chi2

Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]


def subsets(members: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """All subsets, small ones first."""
    listed = sorted(members)
    return chain.from_iterable(combinations(listed, size) for size in range(len(listed) + 1))


def strata(
    codes: Codes, target: int, candidate: int, given: Sequence[int], weights: npt.ArrayLike | None = None
) -> list[npt.NDArray[np.float64]]:
    """The table of counts in each configuration of the conditions, without empty rows and columns."""
    weight = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
    found = []
    for configuration in np.unique(codes[:, list(given)], axis=0):
        inside = (codes[:, list(given)] == configuration).all(axis=1)
        table = np.zeros((codes[:, candidate].max() + 1, codes[:, target].max() + 1))
        np.add.at(table, (codes[inside, candidate], codes[inside, target]), weight[inside])
        found.append(table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0])
    return [table for table in found if table.size]


def statistic(tables: Sequence[npt.NDArray[np.float64]], test: str) -> tuple[float, int]:
    """G² or χ² over the strata, and the degrees of freedom."""
    total, degrees = 0.0, 0
    for table in tables:
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        if test == "g2":
            total += float(2 * xlogy(table, table / expected).sum())
        else:
            total += float(((table - expected) ** 2 / expected).sum())
        degrees += (table.shape[0] - 1) * (table.shape[1] - 1)
    return total, degrees


def p_value(codes: Codes, target: int, candidate: int, given: Sequence[int], test: str) -> float:
    """The p-value of a test; 1 when nothing can vary."""
    value, degrees = statistic(strata(codes, target, candidate, given), test)
    return float(chi2.sf(value, degrees)) if degrees else 1.0


class MaxMin:
    """MMPC by definition: every test is made anew whenever it matters."""

    def __init__(
        self,
        codes: Codes,
        arities: Sequence[int],
        *,
        alpha: float = 0.05,
        test: str = "g2",
        least_per_cell: float = 5.0,
        max_conditions: float = inf,
    ) -> None:
        self.codes, self.arities, self.alpha, self.test = codes, arities, alpha, test
        self.least_per_cell, self.max_conditions = least_per_cell, max_conditions

    def is_made(self, *family: int) -> bool:
        """Whether there are enough observations for a test over these variables."""
        enough = len(self.codes) >= self.least_per_cell * prod(self.arities[v] for v in family)
        return enough and len(family) - 2 <= self.max_conditions

    def weakest(self, target: int, candidate: int, members: Iterable[int]) -> float:
        """The largest p-value over all sets of conditions for which a test is made; 0 when there is none."""
        return max(
            (
                p_value(self.codes, target, candidate, given, self.test)
                for given in subsets(members)
                if self.is_made(target, candidate, *given)
            ),
            default=0.0,
        )

    def members(self, target: int) -> set[int]:
        """The neighbours of one variable, before the correction for symmetry."""
        others = [v for v in range(self.codes.shape[1]) if v != target]
        never = {v for v in others if not self.is_made(target, v)}
        members: list[int] = []
        while candidates := [v for v in others if v not in never and v not in members]:
            p, best = min((self.weakest(target, v, members), v) for v in candidates)
            if p > self.alpha:
                break
            members.append(best)
        for member in list(members):
            if self.weakest(target, member, set(members) - {member}) > self.alpha:
                members.remove(member)
        return {*members, *never}

    def neighbours(self) -> list[set[int]]:
        """The neighbours of every variable."""
        one_sided = [self.members(v) for v in range(self.codes.shape[1])]
        return [{u for u in row if v in one_sided[u]} for v, row in enumerate(one_sided)]


def log_p_of_two_degrees(value: float) -> float:
    """A χ² with two degrees of freedom is exponential."""
    return -value / 2


def log_p_of_four_degrees(value: float) -> float:
    """A χ² with four degrees of freedom is a sum of two exponentials."""
    return -value / 2 + log(1 + value / 2)
