"""The studentized range: how far the largest of several standard normal numbers is above the smallest.

Its standard deviation is taken as known (infinitely many degrees of freedom), as Nemenyi's test has it.
"""

from functools import lru_cache
from math import erfc, sqrt

import numpy as np
import numpy.typing as npt

__all__ = ["critical_range", "range_tail"]

Values = npt.NDArray[np.float64]

# Where the smallest of them may be. For such smooth functions the sum over a grid is an integral to the last digits.
_SMALLEST = np.linspace(-9.0, 9.0, 1801)
_DENSITY = np.exp(-0.5 * _SMALLEST**2) / sqrt(2 * np.pi)
_upper_tail = np.vectorize(lambda z: 0.5 * erfc(z / sqrt(2)), otypes=[np.float64])
_ABOVE = _upper_tail(_SMALLEST)


def range_tail(ranges: npt.ArrayLike, k: int) -> Values:
    """Probability that the range of k standard normal numbers exceeds each of these.

    Examples
    --------
    >>> range_tail([3.314], 3).round(3).tolist()  # as tables have it
    [0.05]
    """
    wanted = np.asarray(ranges, dtype=np.float64)
    step = _SMALLEST[1] - _SMALLEST[0]
    distinct, which = np.unique(wanted, return_inverse=True)
    # One of the k is the smallest, the others are at most this far above it.
    within = [k * step * float((_DENSITY * (_ABOVE - _upper_tail(_SMALLEST + r)) ** (k - 1)).sum()) for r in distinct]
    return np.clip(1.0 - np.array(within)[which], 0.0, 1.0).reshape(wanted.shape)


@lru_cache(maxsize=256)  # a table asks for the same one with every pair of its methods
def critical_range(alpha: float, k: int) -> float:
    """Range of k standard normal numbers that is exceeded with this probability.

    Examples
    --------
    >>> round(critical_range(0.05, 4), 3)
    3.633
    """
    low, high = 0.0, 100.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if range_tail(middle, k) > alpha else (low, middle)
    return (low + high) / 2
