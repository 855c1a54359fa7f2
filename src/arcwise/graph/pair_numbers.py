"""Numbers for pairs of nodes, of which few are not 0."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["PairNumbers"]

Indices = npt.NDArray[np.signedinteger[Any]]
Numbers = npt.NDArray[np.float64]


class PairNumbers:
    """A square matrix that keeps only the entries that are not 0.

    It has the names that matrices of scipy have for the same: ``shape``, ``nnz``, ``row``, ``col``, ``data``,
    ``toarray()``, ``T``, and ``[i, j]``. ``scipy.sparse.coo_array((m.data, (m.row, m.col)), m.shape)`` makes one.

    Parameters
    ----------
    n
        The number of rows and columns.
    row, col
        Where the entries are; those of the same place add up.
    data
        The entries.

    Examples
    --------
    >>> numbers = PairNumbers(3, [0, 2, 0], [1, 0, 1], [0.5, 2.0, 0.25])
    >>> numbers[0, 1], numbers[1, 0], numbers.nnz
    (0.75, 0.0, 2)
    >>> (numbers + numbers.T).toarray().tolist()
    [[0.0, 0.75, 2.0], [0.75, 0.0, 0.0], [2.0, 0.0, 0.0]]
    """

    def __init__(self, n: int, row: npt.ArrayLike = (), col: npt.ArrayLike = (), data: npt.ArrayLike = ()) -> None:
        rows, columns = (np.asarray(places, dtype=np.int64) for places in (row, col))
        values = np.asarray(data, dtype=np.float64)
        if rows.size and not (min(rows.min(), columns.min()) >= 0 and max(rows.max(), columns.max()) < n):
            raise IndexError(f"an entry is outside of the matrix of {n} rows and columns")
        # By rows, and by columns within them, each place once.
        self._places, which = np.unique(rows * n + columns, return_inverse=True)
        self.data: Numbers = np.bincount(which.ravel(), values, len(self._places)).astype(np.float64, copy=False)
        self._places, self.data = self._places[self.data != 0], self.data[self.data != 0]
        self._n = n

    @classmethod
    def of_array(cls, matrix: npt.ArrayLike) -> "PairNumbers":
        """Equal numbers that are in an array."""
        values = np.asarray(matrix, dtype=np.float64)
        row, col = np.nonzero(values)
        return cls(len(values), row, col, values[row, col])

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of columns."""
        return self._n, self._n

    @property
    def nnz(self) -> int:
        """How many entries are not 0."""
        return len(self.data)

    @property
    def row(self) -> Indices:
        """The row of each entry, ascending."""
        return np.asarray(self._places // max(self._n, 1))

    @property
    def col(self) -> Indices:
        """The column of each entry, ascending within a row."""
        return np.asarray(self._places % max(self._n, 1))

    @property
    def T(self) -> "PairNumbers":  # noqa: N802 (as matrices have it)
        """The same with rows as columns."""
        return PairNumbers(self._n, self.col, self.row, self.data)

    def toarray(self) -> Numbers:
        """All numbers, in an array."""
        matrix = np.zeros(self._n * self._n)
        matrix[self._places] = self.data
        return matrix.reshape(self._n, self._n)

    def at(self, rows: npt.ArrayLike, columns: npt.ArrayLike) -> Numbers:
        """Numbers at some places."""
        wanted = np.asarray(rows, dtype=np.int64) * self._n + np.asarray(columns, dtype=np.int64)
        if not self.nnz:
            return np.zeros(wanted.shape)
        at = np.searchsorted(self._places, wanted).clip(max=self.nnz - 1)
        return np.where(self._places[at] == wanted, self.data[at], 0.0)

    def sum(self) -> float:
        """All numbers together."""
        return float(self.data.sum())

    def max(self) -> float:
        """The largest number, 0 where that is one that is not kept."""
        return float(self.data.max(initial=-np.inf if 0 < self.nnz == self._n**2 else 0.0))

    def upper(self) -> "PairNumbers":
        """Entries above the diagonal: each pair of a symmetric matrix once."""
        once = self.row < self.col
        return PairNumbers(self._n, self.row[once], self.col[once], self.data[once])

    def __getitem__(self, place: tuple[int, int]) -> float:
        i, j = (self._n + index if index < 0 else index for index in map(int, place))
        if not (0 <= i < self._n and 0 <= j < self._n):
            raise IndexError(f"there are {self._n} rows and columns, and no [{place[0]}, {place[1]}]")
        return float(self.at(i, j))

    def __add__(self, other: "PairNumbers") -> "PairNumbers":
        row, col = np.concatenate([self.row, other.row]), np.concatenate([self.col, other.col])
        return PairNumbers(self._n, row, col, np.concatenate([self.data, other.data]))

    def __sub__(self, other: "PairNumbers") -> "PairNumbers":
        return self + -1.0 * other

    def __abs__(self) -> "PairNumbers":
        return PairNumbers(self._n, self.row, self.col, np.abs(self.data))

    def __mul__(self, factor: float) -> "PairNumbers":
        return PairNumbers(self._n, self.row, self.col, self.data * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> "PairNumbers":
        return PairNumbers(self._n, self.row, self.col, self.data / divisor)

    def __repr__(self) -> str:
        return f"<PairNumbers: {self.nnz:,} of {self._n:,} × {self._n:,} are not 0>"
