"""Columns of a matrix eliminated one after the other in numpy, with the roundings of the kernels."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.scores.device.card import GaussianMatrix

__all__ = ["scores_of_family"]

Floats = npt.NDArray[np.float64]

# As gaussian_kernels.hpp.
_REDUNDANT = 1e-10


def scores_of_family(matrix: GaussianMatrix, family: Any) -> tuple[float, Floats]:
    """Return the score of a family, and those with each variable as one more parent; NaN for its own."""
    k, child = int(family["n_parents"]), int(family["child"])
    parents = family["parents"][:k].tolist()
    columns = [*parents, child]
    values = matrix.values
    stages, inverses, logarithms = [values[np.ix_(columns, columns)]], list[float](), [0.0]
    for j, parent in enumerate(parents):
        before = stages[-1]
        pivot = before[j, j]
        inverses.append(float(_inverses(pivot, values[parent, parent])))
        stages.append(before - before[:, [j]] * (before[:, j] * inverses[j]))
        of_pivot = _log_of_pivots(pivot, matrix.floors[parent]) if matrix.is_bayesian else 0.0
        logarithms.append(float(logarithms[-1] + of_pivot))
    residual = _log_of_pivots(stages[k][k, k], matrix.floors[child])
    own = float(family["own_constant"] - family["own_slope"] * residual - 0.5 * logarithms[k])
    scores = np.full(len(values), np.nan)
    bounds = [-1, *parents, len(values)]
    for n_done, (first, last) in enumerate(pairwise(bounds)):
        some = np.arange(first + 1, last)
        some = some[some != child]
        known = _Known(matrix, columns, stages, inverses, logarithms)
        residuals, pivots = known.with_columns(some, n_done)
        scores[some] = family["constant"] - family["slope"] * residuals - 0.5 * pivots
    return own, scores


class _Known:
    """A family whose parents are eliminated one after the other: what is left after each."""

    def __init__(
        self, matrix: GaussianMatrix, columns: list[int], stages: list[Any], inverses: list[float], logs: list[float]
    ) -> None:
        self._matrix, self._columns, self._stages, self._inverses, self._logs = matrix, columns, stages, inverses, logs

    def with_columns(self, some: npt.NDArray[np.intp], n_done: int) -> tuple[Floats, Floats]:
        """Return the logarithms of residuals and of pivots with columns that come after so many parents."""
        values, floors, is_bayesian = self._matrix.values, self._matrix.floors, self._matrix.is_bayesian
        stages, k = self._stages, len(self._columns) - 1
        diagonal = values[some, some]
        pivot, v, scaled = diagonal.copy(), list[Floats](), list[Floats]()
        for a in range(n_done):
            entry = values[self._columns[a], some]
            for b in range(a):
                entry = entry - v[b] * (stages[b][a, b] * self._inverses[b])
            v.append(entry)
            scaled.append(entry * self._inverses[a])
            pivot = pivot - entry * scaled[a]
        inverse = _inverses(pivot, diagonal)
        logs = np.full(len(some), self._logs[n_done])
        if is_bayesian:
            logs = logs + _log_of_pivots(pivot, floors[some])
        of_candidate, inverses, left = list[Floats](), list[Floats](), list[list[Floats]]()
        residuals = logs
        for t in range(k - n_done + 1):
            row = n_done + t
            column = self._columns[row]
            entry = values[column, some]
            for b in range(n_done):
                entry = entry - scaled[b] * stages[b][row, b]
            of_candidate.append(entry * inverse)
            rest = stages[n_done][row, row] - entry * of_candidate[t]
            left.append([])
            own = list[Floats]()
            for b in range(t):
                below = stages[n_done][row, n_done + b] - entry * of_candidate[b]
                for c in range(b):
                    below = below - own[c] * left[b][c]
                own.append(below)
                left[t].append(below * inverses[b])
                rest = rest - below * left[t][b]
            if row < k:
                inverses.append(_inverses(rest, values[column, column]))
                logs = logs + _log_of_pivots(rest, floors[column]) if is_bayesian else logs
            else:
                residuals = _log_of_pivots(rest, floors[column])
        return residuals, logs


def _inverses(pivots: Any, diagonal: Any) -> Any:
    is_used = pivots > diagonal * _REDUNDANT
    return np.where(is_used, 1.0 / np.where(is_used, pivots, 1.0), 0.0)


def _log_of_pivots(pivots: Any, floors: Any) -> Any:
    """Return the logarithms of pivots, or of what they are taken for, as gaussian_log.hpp has them."""
    x = np.where(pivots > floors, pivots, floors).astype(np.float64)
    bits = x.view(np.uint64)
    with np.errstate(over="ignore"):  # whole numbers wrap around, of which numpy warns where there is only one
        exponent = (bits + np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)) >> np.uint64(52)
        mantissa = (bits - ((exponent - np.uint64(1023)) << np.uint64(52))).view(np.float64)
    e = exponent.astype(np.float64) - 1023.0
    f = mantissa - 1.0
    s = f / (f + 2.0)
    z = s * s
    w = z * z
    even = w * (2.0 / 23.0) + 2.0 / 19.0
    odd = w * (2.0 / 21.0) + 2.0 / 17.0
    for n in (15.0, 11.0, 7.0):
        even = even * w + 2.0 / n
        odd = odd * w + 2.0 / (n - 2.0)
    even = even * w + 2.0 / 3.0
    series = even + odd * z
    high, low = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
    return e * high + (f - (s * (f - z * series) - e * low))
