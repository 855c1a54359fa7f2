"""Matrices over pairs of variables, made symmetric."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["both_ways", "either_way"]

# So many rows and columns at a time stay in the cache: whole matrices of thousands are ten times as slow.
_TILE = 256


def either_way(matrix: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether each pair is true in one order of the two or in the other.

    Examples
    --------
    >>> either_way(np.array([[False, True], [False, False]])).tolist()
    [[False, True], [True, False]]
    """
    return _with_transposed(matrix, np.logical_or) if matrix.any() else matrix


def both_ways(matrix: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether each pair is true in both orders of the two.

    Examples
    --------
    >>> both_ways(np.array([[False, True], [False, False]])).any()
    np.False_
    """
    return _with_transposed(matrix, np.logical_and)


def _with_transposed(matrix: npt.NDArray[np.bool_], combine: Callable[..., Any]) -> npt.NDArray[np.bool_]:
    combined = np.empty_like(matrix)
    starts = range(0, len(matrix), _TILE)
    for at in starts:
        rows = slice(at, at + _TILE)
        for other in starts[: at // _TILE + 1]:
            columns = slice(other, other + _TILE)
            tile = combine(matrix[rows, columns], matrix[columns, rows].T)
            combined[rows, columns] = tile
            combined[columns, rows] = tile.T
    return combined
