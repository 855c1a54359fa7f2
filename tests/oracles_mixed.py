"""Scores of mixed tables by definition: one least-squares fit for each configuration, and normal densities summed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, log, pi, prod

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

Floats = npt.NDArray[np.float64]

#: A part of a sum of squares that is rounding.
REDUNDANT = 1e-10


@dataclass(frozen=True)
class MixedTable:
    """Codes of discrete variables, numbers of continuous ones, which have arity 0, and how often each row was seen."""

    arities: Sequence[int]
    codes: npt.NDArray[np.uint8]
    numbers: Floats
    weights: npt.NDArray[np.uint32] | None = None
    forced: dict[int, npt.NDArray[np.bool_]] | None = None

    def is_continuous(self, variable: int) -> bool:
        """Whether it has numbers."""
        return self.arities[variable] == 0

    def column(self, variable: int) -> Floats:
        """Its numbers."""
        return self.numbers[:, list(self.arities[:variable]).count(0)]

    def counted(self, child: int) -> npt.NDArray[np.intp]:
        """The rows that count for a child."""
        counts = np.ones(len(self.codes), dtype=bool) if self.weights is None else self.weights > 0
        if self.forced is not None and child in self.forced:
            counts = counts & ~self.forced[child]
        return np.flatnonzero(counts)

    def repeated(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Each row as often as it was seen."""
        return rows if self.weights is None else np.repeat(rows, self.weights[rows])


def n_parameters(table: MixedTable, child: int, parents: Sequence[int]) -> int:
    """Return how many free parameters a family has."""
    n_configurations = prod(table.arities[parent] for parent in parents if not table.is_continuous(parent))
    if not table.is_continuous(child):
        return n_configurations * (table.arities[child] - 1)
    return n_configurations * (sum(map(table.is_continuous, parents)) + 2)


def local_score(
    table: MixedTable, child: int, parents: Sequence[int], per_parameter: float = 0.0, gamma: float = 0.0
) -> float:
    """Return the score of a family."""
    discrete = [parent for parent in parents if not table.is_continuous(parent)]
    continuous = sorted(set(parents) - set(discrete))
    penalty = per_parameter * n_parameters(table, child, parents)
    penalty += gamma * log(comb(len(table.arities) - 1, len(parents)))
    rows = table.counted(child)
    groups: dict[bytes, list[int]] = {}
    for row in rows:
        groups.setdefault(table.codes[row, discrete].tobytes(), []).append(row)
    if table.is_continuous(child):
        terms = (_log_density(table, child, continuous, np.array(group)) for group in groups.values())
    elif continuous:
        return -np.inf
    else:
        terms = (_log_probability(table.codes[table.repeated(np.array(group)), child]) for group in groups.values())
    return sum(terms) - penalty


def _log_probability(states: npt.NDArray[np.uint8]) -> float:
    _, counts = np.unique(states, return_counts=True)
    return float(np.sum(counts * np.log(counts / len(states))))


def _log_density(table: MixedTable, child: int, parents: Sequence[int], group: npt.NDArray[np.intp]) -> float:
    """Return the log density of a child in one configuration of its discrete parents."""
    values = table.column(child)
    counted = values[table.repeated(table.counted(child))]
    own = np.var(counted)
    if np.ptp(counted) == 0:
        return 0.0
    rows = table.repeated(group)
    used: list[Floats] = [np.ones(len(rows))]
    for parent in parents:
        column = table.column(parent)[rows]
        around_mean = np.sum((column - column.mean()) ** 2)
        if np.ptp(column) > 0 and np.sum(_residuals(column, used) ** 2) > REDUNDANT * around_mean:
            used.append(column)
    if len(group) < 2 * (len(used) + 1):
        return float(-0.5 * len(rows) * (log(2 * pi * own) + 1))
    residuals = _residuals(values[rows], used)
    variance = np.mean(residuals**2)
    least = max(REDUNDANT * own, max(REDUNDANT, 1e-14 * len(rows)) * np.var(values[rows]))
    if variance < least:
        return float(-0.5 * len(rows) * (log(2 * pi * least) + 1))
    return float(np.sum(norm.logpdf(residuals, scale=np.sqrt(variance))))


def _residuals(values: Floats, columns: Sequence[Floats]) -> Floats:
    # Relative to the first value, so that what does not vary is exactly 0.
    design = np.column_stack([columns[0], *(column - column[0] for column in columns[1:])])
    shifted = values - values[0]
    slopes, *_ = np.linalg.lstsq(design, shifted, rcond=None)
    return np.asarray(shifted - design @ slopes)
