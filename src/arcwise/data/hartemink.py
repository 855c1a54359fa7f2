"""Cuts of all columns together, which keep what these say about each other."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import DataError

__all__ = ["kept_levels"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer]

_MOST_BYTES = 2**30


def kept_levels(
    levels: Mapping[str, Codes], others: Sequence[Codes], weights: npt.NDArray[np.generic], n_states: int
) -> dict[str, list[int]]:
    """For each column the last of the levels that each of its states consists of.

    Hartemink (2001, PhD thesis, MIT, section 4.3): from many levels, the columns take turns, and each joins the two
    neighbouring levels by which the sum of its mutual informations with all other columns loses least, until it has as
    many as it may have. Of equally good pairs it is the lowest.

    Parameters
    ----------
    levels
        For each column that is cut the level of each row, from 0 on.
    others
        The states of other columns, which stay as they are.
    weights
        How often each row was seen.
    n_states
        How many states are left of each column.

    Examples
    --------
    >>> x, y = np.array([0, 1, 2, 3] * 5), np.array([0, 0, 1, 1] * 5)
    >>> kept_levels({"x": x}, [y], np.ones(20), 2)
    {'x': [1, 3]}
    """
    columns = [*levels.values(), *others]
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if 8 * sum(sizes) ** 2 > _MOST_BYTES:
        raise DataError(
            f"{len(columns)} columns with {sum(sizes):,} levels together would take {8 * sum(sizes) ** 2:,} bytes to "
            "cut jointly; begin with fewer levels, as in Hartemink(initial=20), or cut fewer columns."
        )
    starts = np.concatenate([[0], np.cumsum(sizes)])
    joint = _pairs(columns, starts, weights)
    owner = np.repeat(np.arange(len(columns)), sizes)
    ends = [list(range(size)) for size in sizes]
    while any(len(ends[c]) > n_states for c in range(len(levels))):
        for c in range(len(levels)):
            if len(ends[c]) <= n_states:
                continue
            own = np.flatnonzero(owner == c)
            at = int(np.argmin(_losses(joint[own], owner, c, len(columns))))
            first, second = int(own[at]), int(own[at + 1])
            joint[first] += joint[second]
            joint[:, first] += joint[:, second]
            joint = np.delete(np.delete(joint, second, axis=0), second, axis=1)
            owner = np.delete(owner, second)
            del ends[c][at]
    return {name: ends[c] for c, name in enumerate(levels)}


def _pairs(columns: Sequence[Codes], starts: npt.NDArray[np.intp], weights: npt.NDArray[np.generic]) -> Floats:
    """How often each level of each column was seen together with each other."""
    total = int(starts[-1])
    joint = np.zeros((total, total))
    times = np.asarray(weights, dtype=np.float64)
    for i, one in enumerate(columns):
        for j in range(i, len(columns)):
            shape = int(starts[i + 1] - starts[i]), int(starts[j + 1] - starts[j])
            counts = np.bincount(one * shape[1] + columns[j], weights=times, minlength=shape[0] * shape[1])
            block = counts.reshape(shape)
            joint[starts[i] : starts[i + 1], starts[j] : starts[j + 1]] = block
            joint[starts[j] : starts[j + 1], starts[i] : starts[i + 1]] = block.T
    return joint


def _losses(own: Floats, owner: npt.NDArray[np.intp], column: int, n_columns: int) -> Floats:
    """What the mutual informations lose where a level is joined to the next one, times the number of observations."""
    others = own[:, owner != column]
    seen = own[:, owner == column].sum(axis=1)
    joined = _xlogx(others[:-1]) + _xlogx(others[1:]) - _xlogx(others[:-1] + others[1:])
    alone = _xlogx(seen[:-1]) + _xlogx(seen[1:]) - _xlogx(seen[:-1] + seen[1:])
    losses: Floats = joined.sum(axis=1) - (n_columns - 1) * alone
    return np.round(losses, 9)  # what differs by rounding only is equally good


def _xlogx(counts: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts > 0, counts * np.log(counts), 0.0)
