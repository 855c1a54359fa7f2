"""Gaps: cells of a Dataset that nobody knows, how they are marked, and what is worth knowing about them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, Weights

__all__ = ["GapSummary", "Mask", "gap_mask", "has_gaps"]

Mask = npt.NDArray[np.bool_]

_MOST_PATTERNS = 10  # that a summary tells, and a file of a run keeps


def has_gaps(codes: Codes, arities: Sequence[int], numbers: npt.NDArray[np.float64] | None) -> bool:
    """Whether some cell is a gap: the code after the last state's, or NaN."""
    tops = codes.max(axis=0)
    if any(arity and top == arity for top, arity in zip(tops.tolist(), arities, strict=True)):
        return True
    return numbers is not None and bool(np.isnan(numbers).any())


def gap_mask(codes: Codes, arities: Sequence[int], numbers: npt.NDArray[np.float64] | None) -> Mask:
    """Rows by variables: whether the cell is a gap; column by column in memory, as codes are."""
    mask = np.zeros(codes.shape, dtype=np.bool_, order="F")
    place = 0
    for v, arity in enumerate(arities):
        if arity:
            np.equal(codes[:, v], arity, out=mask[:, v])
        elif numbers is not None:
            np.isnan(numbers[:, place], out=mask[:, v])
            place += 1
    mask.setflags(write=False)
    return mask


@dataclass(frozen=True)
class GapSummary:
    """What is worth knowing about the gaps of a table.

    Parameters
    ----------
    counts
        For each variable in how many observations it is missing.
    n_complete
        How many observations miss nothing.
    n_patterns
        How many different sets of variables are missing together; that nothing is missing is one of them.
    patterns
        The most frequent of these, the most frequent first: the variables, by index, and in how many observations.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.array([[False, True], [False, False], [False, True]])
    >>> GapSummary.of(mask, None)
    GapSummary(counts=(0, 2), n_complete=1, n_patterns=2, patterns=(((1,), 2), ((), 1)))
    """

    counts: tuple[int, ...]
    n_complete: int
    n_patterns: int
    patterns: tuple[tuple[tuple[int, ...], int], ...]

    @classmethod
    def of(cls, mask: Mask, weights: Weights | None) -> "GapSummary":
        """Summary of a mask of gaps, each row seen as often as its weight says."""
        times = np.ones(len(mask), dtype=np.int64) if weights is None else weights.astype(np.int64)
        counts = tuple(int(times[column].sum()) for column in mask.T)
        packed = np.ascontiguousarray(np.packbits(mask, axis=1))
        keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
        _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
        seen = np.rint(np.bincount(pattern, weights=times, minlength=first.size)).astype(np.int64)
        n_missing = mask[first].sum(axis=1)
        order = np.lexsort((first, -seen))
        told = [place for place in order[:_MOST_PATTERNS].tolist() if seen[place]]
        return cls(
            counts,
            int(seen[n_missing == 0].sum()),
            int((seen > 0).sum()),
            tuple((tuple(np.flatnonzero(mask[first[place]]).tolist()), int(seen[place])) for place in told),
        )

    def ordered(self, order: Sequence[int]) -> "GapSummary":
        """Summary with the variables in another order, which says for each place the variable that comes there."""
        place = {v: at for at, v in enumerate(order)}
        patterns = tuple((tuple(sorted(place[v] for v in variables)), seen) for variables, seen in self.patterns)
        return replace(self, counts=tuple(self.counts[v] for v in order), patterns=patterns)
