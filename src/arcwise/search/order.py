"""Orders of variables."""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name

__all__ = ["Order", "checked_order", "hashable_order", "parents_first"]

#: The variables by their indices; the parents of each are among those before it.
Order = npt.NDArray[np.intp]


def hashable_order(order: Any) -> Any:
    """Return an order that somebody gave as a tuple, because lists have no hash and arrays are not compared as a whole.

    What is not an order stays as it is, for whoever knows the variables to refuse.

    Examples
    --------
    >>> hashable_order(np.array([2, 0, 1]))
    (2, 0, 1)
    """
    if isinstance(order, Iterable) and not isinstance(order, str):
        return tuple(order.tolist() if isinstance(order, np.ndarray) else order)
    return order


def checked_order(order: npt.ArrayLike, n: int) -> Order:
    """Order that has each of the indices from 0 to n - 1 once, in one piece of memory; copied only where it is not so.

    Raises
    ------
    ParameterError
        Otherwise.

    Examples
    --------
    >>> checked_order([2, 0, 1], 3).tolist()
    [2, 0, 1]
    >>> checked_order([2, 0, 2], 3)
    Traceback (most recent call last):
    ...
    arcwise.ParameterError: order must have each index from 0 to 2 once, but it has 2 twice
    """
    try:
        listed = np.asarray(order)
    except ValueError:
        listed = np.empty((0, 0))
    if listed.ndim != 1 or (listed.size and listed.dtype.kind not in "iu"):
        raise ParameterError.of("order", "a list of whole numbers, the indices of the variables", order)
    allowed = f" must have each index from 0 to {n - 1} once"
    if listed.size != n:
        raise ParameterError(Name("order"), f"{allowed}, but it has {listed.size} entries")
    outside = (listed < 0) | (listed >= n)
    if outside.any():
        at = int(np.argmax(outside))
        raise ParameterError(Name("order"), f"{allowed}, but order[{at}] is {listed[at]}")
    indices = np.ascontiguousarray(listed, dtype=np.intp)  # kernels take no views with strides
    times = np.bincount(indices, minlength=n)
    if (times > 1).any():
        twice = int(np.argmax(times > 1))
        raise ParameterError(
            Name("order"), f"{allowed}, but it has {twice} {'twice' if times[twice] == 2 else f'{times[twice]} times'}"
        )
    return indices


def parents_first(order: Order, required: npt.NDArray[np.bool_]) -> Order:
    """Order in which required parents come before their children, and all else stays as it was as far as possible.

    Parameters
    ----------
    order
        The variables by index.
    required
        Whether the second variable must be a parent of the first; without cycles.

    Examples
    --------
    >>> required = np.zeros((3, 3), dtype=bool)
    >>> required[0, 2] = True
    >>> parents_first(np.array([0, 1, 2]), required).tolist()
    [1, 2, 0]
    """
    if not required.any():
        return order
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    waiting = required.sum(axis=1)
    ready = [int(position[variable]) for variable in np.flatnonzero(waiting == 0)]
    heapify(ready)
    sorted_order = []
    while ready:
        variable = int(order[heappop(ready)])
        sorted_order.append(variable)
        for child in np.flatnonzero(required[:, variable]):
            waiting[child] -= 1
            if waiting[child] == 0:
                heappush(ready, int(position[child]))
    return np.array(sorted_order, dtype=np.intp)
