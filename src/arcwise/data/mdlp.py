"""Cuts of numbers where they tell the states of a target apart, by minimum description length."""

from math import log2

import numpy as np
import numpy.typing as npt

__all__ = ["mdlp_cuts"]

Floats = npt.NDArray[np.float64]


def mdlp_cuts(values: Floats, classes: npt.NDArray[np.integer], weights: npt.NDArray[np.generic]) -> tuple[float, ...]:
    r"""Cut points of Fayyad & Irani (1993, IJCAI), halfway between two values, in increasing order.

    A set :math:`S` of :math:`N` observations is cut in two at the point with the least entropy of the classes within
    the parts, if that is worth its description, and the parts again:

    .. math::
        \mathrm{Gain} > \frac{\log_2(N - 1)}{N} + \frac{\Delta}{N}, \qquad
        \Delta = \log_2(3^k - 2) - \left(k H(S) - k_1 H(S_1) - k_2 H(S_2)\right)

    with the entropies :math:`H` of the classes in bits, of which :math:`k`, :math:`k_1` and :math:`k_2` occur in the
    set and in its parts. Of equally good points it is the lowest.

    Parameters
    ----------
    values
        The numbers.
    classes
        The class of each, from 0.
    weights
        How often each was seen.

    Examples
    --------
    >>> mdlp_cuts(np.array([1.0, 2, 3, 4, 5, 6, 7, 8]), np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.ones(8))
    (4.5,)
    >>> mdlp_cuts(np.array([1.0, 2, 3, 4]), np.array([0, 1, 0, 1]), np.ones(4))
    ()
    """
    points, place = np.unique(values, return_inverse=True)
    counts = np.zeros((points.size, int(classes.max(initial=0)) + 1))
    np.add.at(counts, (place, classes), np.asarray(weights, dtype=np.float64))
    found: list[float] = []
    left = [(0, points.size)]
    while left:
        begin, end = left.pop()
        cut = _best_cut(counts[begin:end])
        if cut is not None:
            middle = begin + cut
            found.append(float(points[middle - 1] / 2 + points[middle] / 2))
            left += [(begin, middle), (middle, end)]
    return tuple(sorted(found))


def _best_cut(counts: Floats) -> int | None:
    """How many of the values are below the best cut, if that is worth its description."""
    if len(counts) < 2:
        return None
    below = np.cumsum(counts, axis=0)[:-1]
    whole = counts.sum(axis=0)
    above = whole - below
    n = float(whole.sum())
    within = (_bits(below) + _bits(above)) / n
    at = int(np.argmin(within))
    entropy = float(_bits(whole[None])[0]) / n
    first, second = below[at], above[at]
    parts = [(int((part > 0).sum()), float(_bits(part[None])[0]) / float(part.sum())) for part in (first, second)]
    k = int((whole > 0).sum())
    delta = log2(3**k - 2) - (k * entropy - sum(number * bits for number, bits in parts))
    gain = entropy - float(within[at])
    return at + 1 if gain > (log2(n - 1) + delta) / n and gain > 1e-12 else None


def _bits(counts: Floats) -> Floats:
    """Entropy of each row of counts, in bits, times its sum."""
    sums = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log2(counts), 0.0).sum(axis=1)
        bits: Floats = np.where(sums > 0, sums * np.log2(sums), 0.0) - terms
    return bits
