"""The matrix that scores of continuous data are made of: the products of all pairs of columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.scores.device.card import Card
from arcwise.support.errors import DataError

__all__ = ["Gram", "centred_gram"]

_Floats = npt.NDArray[np.float64]

_NUMBERS_AT_ONCE = 1 << 20  # of a block of rows: 8 MiB
_LEAST_ROWS = 1024  # of a block, so that products take longer than adding them up
_COLUMNS_AT_ONCE = 256  # of the left factor
# The same on a card: of what is free there, but no more than that many numbers, 1 GiB.
_NUMBERS_ON_CARD = 1 << 27
_SHARE_OF_CARD = 16
_COLUMNS_ON_CARD = 2048


@dataclass(frozen=True)
class Gram:
    """The products of all pairs of standardised columns, with what it takes to have them on their own scales.

    Attributes
    ----------
    means
        The mean of each column.
    scales
        The standard deviation of each column, with the number of observations as divisor; 0 where it is constant.
    matrix
        The sum over the rows of the products of two columns less their means, divided by both standard deviations:
        the number of observations times their correlation. Symmetric to the last bit, the number of observations on
        the diagonal, and 0 where a column is constant.
    n_observations
        The rows, or the sum of their weights.
    """

    means: _Floats
    scales: _Floats
    matrix: _Floats
    n_observations: float

    def scatter(self) -> _Floats:
        """Return the same products on the columns' own scales, as a new matrix."""
        scatter = self.matrix * self.scales
        scatter *= self.scales[:, None]
        return np.tril(scatter) + np.tril(scatter, -1).T


def centred_gram(columns: _Floats, weights: npt.NDArray[np.number] | None = None, *, card: Card | None = None) -> Gram:
    """Multiply all pairs of columns, each less its mean and divided by its standard deviation.

    The rows are read three times, in blocks: for the range of each column, which is mapped to that from -1 to 1; for
    the means; and for the products, which BLAS makes of a block, and whose sum over the blocks keeps what rounding
    takes off. The table is never copied as a whole. Columns whose mean is a million times their standard deviation,
    or whose values are near the largest or smallest numbers, are as exact as others.

    Parameters
    ----------
    columns
        Rows by columns, in either order of memory, all finite.
    weights
        How often each row counts, at least 0; once unless given.
    card
        A card that does it, in larger blocks, so that the last places may differ; the processor unless given.

    Examples
    --------
    >>> gram = centred_gram(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]]))
    >>> gram.means, gram.scales.round(6), gram.matrix
    (array([2.5, 5. ]), array([1.118034, 0.      ]), array([[4., 0.],
           [0., 0.]]))
    """
    table = _Table(np.asarray(columns), None if weights is None else np.asarray(weights, dtype=np.float64), card)
    centres, units = table.ranges()
    n_observations = table.n_observations()
    of_units, products = table.moments(centres, units, n_observations)
    variances = np.diagonal(products) / n_observations
    is_constant = units == 0
    deviations = np.where(is_constant, 0.0, np.sqrt(variances))
    inverses = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=~is_constant)
    products *= inverses
    products *= inverses[:, None]
    matrix = _symmetric(products)
    np.fill_diagonal(matrix, np.where(is_constant, 0.0, n_observations))
    return Gram(centres + of_units * units, deviations * units, matrix, n_observations)


def _symmetric(lower: _Floats) -> _Floats:
    """Fill the upper triangle from the lower one, in place."""
    for begin in range(0, len(lower), _COLUMNS_AT_ONCE):
        end = begin + _COLUMNS_AT_ONCE
        square = np.tril(lower[begin:end, begin:end])
        lower[begin:end, begin:end] = square + np.tril(square, -1).T
        lower[begin:end, end:] = lower[end:, begin:end].T
    return lower


@dataclass(frozen=True)
class _Table:
    """Columns and weights of rows, read in blocks: here, or on a card."""

    columns: _Floats
    weights: _Floats | None
    card: Card | None

    def __post_init__(self) -> None:
        if self.columns.ndim != 2 or self.columns.dtype != np.float64:
            raise DataError("columns must be a table of rows and columns of 64-bit floating-point numbers")
        weights = self.weights
        if weights is not None and (
            weights.shape != self.columns.shape[:1] or not np.isfinite(weights).all() or (weights < 0).any()
        ):
            raise DataError("there must be a weight for each row, finite and at least 0")
        if not self.n_observations() > 0:
            raise DataError("no row counts: there must be at least one with a weight above 0")

    def n_observations(self) -> float:
        return float(len(self.columns) if self.weights is None else self.weights.sum())

    @property
    def xp(self) -> Any:
        """The module of the arrays of blocks."""
        return np if self.card is None else self.card.xp

    def here(self, array: Any) -> Any:
        """Return an array of the processor."""
        return array if self.card is None else self.card.get(array)

    def there(self, array: _Floats) -> Any:
        """Return an array where blocks are, in its order of memory."""
        if self.card is None:
            return array
        is_by_columns = array.ndim == 2 and array.strides[0] < array.strides[1]
        return self.card.put(array.T).T if is_by_columns else self.card.put(array)

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Return the rows that count, some at a time, with their weights."""
        n_rows, n_columns = self.columns.shape
        at_once = _NUMBERS_AT_ONCE
        if self.card is not None:
            at_once = min(_NUMBERS_ON_CARD, self.card.free_bytes() // (8 * _SHARE_OF_CARD))
        size = max(_LEAST_ROWS, at_once // max(1, n_columns))
        for begin in range(0, n_rows, size):
            rows = slice(begin, begin + size)
            if self.weights is None:
                yield self.there(self.columns[rows]), None
            elif (counts := self.weights[rows] > 0).any():
                yield self.there(self.columns[rows][counts]), self.there(self.weights[rows][counts])

    def ranges(self) -> tuple[_Floats, _Floats]:
        """Return the middle of each column, and a power of two that is about half of its range; 0 where it has none."""
        n_columns, xp = self.columns.shape[1], self.xp
        least, most = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
        for block, _ in self.blocks() if n_columns else ():
            is_finite = xp.isfinite(block).all(axis=0)
            if not is_finite.all():
                column = int(np.flatnonzero(~self.here(is_finite))[0])
                raise DataError(f"column {column} has a value that is not a finite number")
            least = np.minimum(least, self.here(block.min(axis=0)))
            most = np.maximum(most, self.here(block.max(axis=0)))
        halves = most / 2 - least / 2
        units = np.where(most > least, np.ldexp(1.0, np.frexp(np.maximum(halves, np.finfo(float).tiny))[1] - 1), 0.0)
        return np.where(most > least, least / 2 + most / 2, least), units

    def moments(self, centres: _Floats, units: _Floats, n_observations: float) -> tuple[_Floats, _Floats]:
        """Return the means in units from the centres, and the products of what is left (the lower triangle)."""
        inverses = self.there(np.divide(1.0, units, out=np.zeros_like(units), where=units > 0))
        centres, xp, n_columns = self.there(centres), self.xp, len(units)
        total = _Sum(xp.zeros(n_columns))
        for block, weights in self.blocks():
            total.add(_sums((block - centres) * inverses, weights))
        means = total.value() / n_observations
        products, rest = _Sum(xp.zeros((n_columns, n_columns))), _Sum(xp.zeros(n_columns))
        at_once = _COLUMNS_AT_ONCE if self.card is None else _COLUMNS_ON_CARD
        for place, (block, weights) in enumerate(self.blocks()):
            left = (block - centres) * inverses - means
            weighted = left if weights is None else left * weights[:, None]
            take = products.add if place else products.begin
            for begin in range(0, n_columns, at_once):
                end = begin + at_once
                take(weighted[:, begin:end].T @ left[:, :end], (slice(begin, end), slice(end)))
            rest.add(_sums(left, weights))
        off = rest.value() / n_observations  # by which the means are off
        found = products.value()
        for begin in range(0, n_columns, at_once):
            end = begin + at_once
            found[begin:end] -= n_observations * off[begin:end, None] * off
        return self.here(means + off), self.here(found)


def _sums(block: Any, weights: Any) -> Any:
    return block.sum(axis=0) if weights is None else weights @ block


class _Sum:
    """A sum of arrays that keeps what rounding takes off (Neumaier 1974, doi:10.1002/zamm.19740540106)."""

    def __init__(self, zeros: Any) -> None:
        self._sum = zeros
        self._lost: Any = None  # where there is a single summand, nothing gets lost

    def begin(self, array: Any, where: slice | tuple[slice, slice] = slice(None)) -> None:
        """Take the first array there."""
        self._sum[where] = array

    def add(self, array: Any, where: slice | tuple[slice, slice] = slice(None)) -> None:
        """Add another array there."""
        if self._lost is None:
            self._lost = self._sum * 0.0
        before = self._sum[where]
        after = before + array
        taken = after - before
        self._lost[where] += (before - (after - taken)) + (array - taken)
        self._sum[where] = after

    def value(self) -> Any:
        """Return the sum, after which nothing more is added."""
        if self._lost is not None:
            self._sum += self._lost
        return self._sum
