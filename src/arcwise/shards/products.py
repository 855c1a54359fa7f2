"""Sums of products of columns that are exact, so that it does not matter how rows are cut into shards.

A number is mapped to the range from -1 to 1 of its column and rounded to a multiple of 2^-63: three slices of 21 bits.
Products of slices have 42 bits, so that sums of 2,048 of them are exact in floating-point numbers, in whatever order
BLAS adds them (Ozaki, Ogita, Oishi & Rump 2012, doi:10.1007/s11075-011-9478-1). Those sums are added as whole numbers.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Weights

__all__ = ["Grid", "Moments", "ProductSums", "bytes_of_sums"]

_Floats = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]

_BITS = 21
_SLICES = 3
_ROWS_AT_ONCE = 1 << (53 - 2 * _BITS)
_LOW = (1 << 32) - 1
# Rows of exact numbers that are computed at once, which take some hundred bytes each.
_EXACT_AT_ONCE = 64


def bytes_of_sums(n_columns: int) -> int:
    """Bytes of the sums of products of so many columns."""
    return 16 * (_SLICES * n_columns + 1) ** 2


@dataclass(frozen=True)
class Grid:
    """The whole numbers that stand for the values of columns.

    Attributes
    ----------
    centres
        The middle of each column.
    units
        The power of two that no value of a column is further from its middle than; 0 where all values are equal.
    """

    centres: _Floats
    units: _Floats

    @classmethod
    def of_ranges(cls, least: _Floats, most: _Floats) -> "Grid":
        """Grid for columns with these smallest and largest values.

        Examples
        --------
        >>> Grid.of_ranges(np.array([0.0, 5.0]), np.array([3.0, 5.0]))
        Grid(centres=array([1.5, 5. ]), units=array([2., 0.]))
        """
        halves = most / 2 - least / 2
        units = np.ldexp(1.0, np.frexp(np.maximum(halves, np.finfo(float).tiny))[1])
        return cls(np.where(most > least, least / 2 + most / 2, least), np.where(most > least, units, 0.0))

    def slices(self, numbers: _Floats) -> _Floats:
        """Return whole numbers of at most 21 bits: the first slices of all columns, the second, the third, and 1."""
        n_rows, n = numbers.shape
        inverses = np.divide(1.0, self.units, out=np.zeros(n), where=self.units > 0)
        made = np.empty((n_rows, _SLICES * n + 1))
        left = (numbers - self.centres) * inverses
        for at in range(_SLICES):
            left *= 1 << _BITS
            own = made[:, at * n : (at + 1) * n]
            np.rint(left, out=own)
            left -= own  # exact, as the product with a power of two is
        made[:, -1] = 1.0
        return made


@dataclass
class ProductSums:
    """Sums over rows of the products of all slices of columns, as whole numbers of two parts.

    Parameters
    ----------
    grid
        What whole numbers stand for; the same for all rows of a table.

    Examples
    --------
    >>> rows = np.array([[0.1, 1.0], [0.7, 3.0], [0.2, 2.0], [0.9, 9.0]])
    >>> grid = Grid.of_ranges(rows.min(axis=0), rows.max(axis=0))
    >>> whole, first, rest = (ProductSums(grid) for _ in range(3))
    >>> whole.add(rows), rest.add(rows[2:]), first.add(rows[:2])
    (None, None, None)
    >>> both = (first + rest).moments
    >>> both.means, bool((both.matrix == whole.moments.matrix).all())
    (array([0.475, 3.75 ]), True)
    """

    grid: Grid
    high: _Whole = field(init=False)
    low: _Whole = field(init=False)

    def __post_init__(self) -> None:
        size = _SLICES * len(self.grid.units) + 1
        self.high, self.low = np.zeros((size, size), dtype=np.int64), np.zeros((size, size), dtype=np.int64)

    def add(self, numbers: _Floats, weights: Weights | None = None) -> None:
        """Take in some rows, each as often as its weight says."""
        slices = self.grid.slices(numbers)
        if weights is None:
            self._add(slices, 0)
            return
        for bit in range(int(weights.max(initial=0)).bit_length()):
            self._add(slices[(weights >> np.uint32(bit)) & 1 == 1], bit)

    def _add(self, slices: _Floats, bit: int) -> None:
        """Add the products of rows, 2^bit times."""
        for begin in range(0, len(slices), _ROWS_AT_ONCE):
            block = slices[begin : begin + _ROWS_AT_ONCE]
            products = (block.T @ block).astype(np.int64)
            lower = (products & _LOW) << bit
            self.low += lower & _LOW
            self.high += ((products >> 32) << bit) + (lower >> 32) + (self.low >> 32)
            self.low &= _LOW

    def __add__(self, other: "ProductSums") -> "ProductSums":
        """Sums over the rows of both."""
        both = ProductSums(self.grid)
        low = self.low + other.low
        both.high, both.low = self.high + other.high + (low >> 32), low & _LOW
        return both

    @cached_property
    def moments(self) -> "Moments":
        """Means, deviations and products, each rounded once from what is exact but for the grid."""
        n = len(self.grid.units)
        total = int(self.high[-1, -1]) * (_LOW + 1) + int(self.low[-1, -1])
        of_columns = self._column_sums()
        centred = np.empty((n, n))
        for begin in range(0, n, _EXACT_AT_ONCE):
            rows = slice(begin, begin + _EXACT_AT_ONCE)
            exact = total * self._combined(rows) - of_columns[rows, None] * of_columns
            centred[rows] = exact.astype(np.float64)
        roots = np.sqrt(np.diagonal(centred))
        is_constant = roots == 0
        factors = np.where(is_constant, 1.0, roots)
        matrix = float(total) * (centred / (factors[:, None] * factors))
        matrix[is_constant] = matrix[:, is_constant] = 0.0
        np.fill_diagonal(matrix, np.where(is_constant, 0.0, float(total)))
        unit = np.ldexp(self.grid.units, -_BITS * _SLICES)
        means = np.array([each / total for each in of_columns], dtype=np.float64)
        return Moments(self.grid.centres + means * unit, roots / total * unit, matrix, total)

    def _column_sums(self) -> npt.NDArray[np.object_]:
        n = len(self.grid.units)
        exact = self.high[:-1, -1].astype(object) * (_LOW + 1) + self.low[:-1, -1]
        found = np.zeros(n, dtype=object)
        for at in range(_SLICES):
            found += exact[at * n : (at + 1) * n] << self._shift(at)
        return found

    def _combined(self, rows: slice) -> npt.NDArray[np.object_]:
        """Return the exact sums of products of some columns with all."""
        n = len(self.grid.units)
        found = np.zeros((len(range(n)[rows]), n), dtype=object)
        for one in range(_SLICES):
            for two in range(_SLICES):
                place = np.arange(one * n, (one + 1) * n)[rows], slice(two * n, (two + 1) * n)
                exact = self.high[place].astype(object) * (_LOW + 1) + self.low[place]
                found += exact << (self._shift(one) + self._shift(two))
        return found

    @staticmethod
    def _shift(at: int) -> int:
        return _BITS * (_SLICES - 1 - at)


@dataclass(frozen=True)
class Moments:
    """What sums of products say about columns.

    Attributes
    ----------
    means, scales
        The mean of each column, and its standard deviation, with the number of observations as divisor.
    matrix
        The number of observations times the correlation of two columns; 0 where one is constant.
    n_observations
        The number of observations.
    """

    means: _Floats
    scales: _Floats
    matrix: _Floats
    n_observations: int
