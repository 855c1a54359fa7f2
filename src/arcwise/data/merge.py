"""Rows that are equal, found by sorting numbers instead of rows."""

import numpy as np
import numpy.typing as npt

from arcwise.data.checks import Codes, Weights

_KEY_LIMIT = 2**63


def merged_rows(
    codes: Codes, arities: tuple[int, ...], weights: Weights | None
) -> tuple[npt.NDArray[np.intp], Weights] | None:
    """One row of each kind and how often that kind was seen, or None when no two rows are equal.

    Rows come in lexicographic order of their codes, so that the order of the input does not matter. Rows of weight 0
    count nothing and are left out.

    Notes
    -----
    As many columns as fit are read as the digits of one 63-bit number. The numbers are replaced by their ranks, the
    next columns are appended to the ranks, and so on; the work stops as soon as all rows are known to differ.
    """
    rows = np.arange(codes.shape[0]) if weights is None else np.flatnonzero(weights)
    everything = rows.size == codes.shape[0]
    ranks, n_kinds = np.zeros(rows.size, dtype=np.int64), 1
    v = 0
    while v < len(arities) and n_kinds < rows.size:
        key, span = ranks, n_kinds
        while v < len(arities) and span * arities[v] < _KEY_LIMIT:
            if arities[v] > 1:
                column = codes[:, v] if everything else codes[rows, v]
                key, span = key * arities[v] + column, span * arities[v]
            v += 1
        ranks, n_kinds = _ranks(key, span)
    if n_kinds == codes.shape[0]:
        return None
    first = np.empty(n_kinds, dtype=np.intp)
    first[ranks[::-1]] = rows[::-1]  # the last write stays, which is the first row of the kind
    counts = np.bincount(ranks, weights=None if weights is None else weights[rows], minlength=n_kinds)
    return first, counts.astype(np.uint32)


def _ranks(key: npt.NDArray[np.int64], span: int) -> tuple[npt.NDArray[np.int64], int]:
    """Each key's place among the distinct keys, and how many distinct keys there are."""
    if span <= 4 * key.size + 65_536:
        seen = np.zeros(span, dtype=np.bool_)
        seen[key] = True
        return (np.cumsum(seen) - 1)[key], int(seen.sum())
    distinct, ranks = np.unique(key, return_inverse=True)
    return ranks.astype(np.int64, copy=False), int(distinct.size)
