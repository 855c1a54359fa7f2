"""What graphs and searches share: named nodes and pairs of them, the paths between nodes, and orders of them."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import GraphError, ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import checked_names, did_you_mean
from arcwise.support.quoting import listed, quoted

__all__ = [
    "Order",
    "Pair",
    "boolean_square",
    "check_same_nodes",
    "checked_order",
    "closure",
    "components",
    "cycle",
    "hashable_order",
    "index_of",
    "index_pairs",
    "node_names",
    "parents_first",
    "positions",
    "reachable",
    "reversed_arcs",
    "strong_components",
    "topological_order",
]

Pair = tuple[str, str]


def node_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names of nodes as a tuple: strings, each of them once."""
    return checked_names(names, "node", GraphError, may_be_empty=True)


def positions(names: Sequence[str]) -> dict[str, int]:
    """Position of each name."""
    return {name: index for index, name in enumerate(names)}


def index_of(node: str, index: Mapping[str, int]) -> int:
    """Position of a node, or a `GraphError` that names the closest one."""
    try:
        return index[node]
    except (KeyError, TypeError):
        pass
    if not isinstance(node, str):
        raise GraphError(f"a node is named by a string, not by {quoted(node)} ({type(node).__name__})")
    hint = did_you_mean(node, index) or f"; the nodes are {listed(index) or 'none'}"
    raise GraphError(f"there is no node {quoted(node)}{hint}")


def index_pairs(pairs: Iterable[Pair], index: Mapping[str, int], *, kind: str) -> list[tuple[int, int]]:
    """Positions of both ends of each pair of names; `kind` is the word for such a pair in messages."""
    try:
        listed = list(pairs)
    except TypeError:
        raise GraphError(f"{kind}s must be an iterable of pairs of node names, not {type(pairs).__name__}") from None
    found = []
    for pair in listed:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise GraphError(f"an {kind} must be a pair of node names, not {quoted(pair)}")
        found.append((index_of(pair[0], index), index_of(pair[1], index)))
    return found


def boolean_square(matrix: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Adjacency matrix as booleans: square, and of nothing but 0 and 1 (or False and True)."""
    array: npt.NDArray[Any] = np.asarray(matrix)
    if array.size == 0:
        array = array.reshape(0, 0).astype(np.bool_)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(f"an adjacency matrix must be square, not of shape {array.shape}")
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise GraphError("an adjacency matrix must hold only 0 and 1 (or False and True); compare weights with 0 first")
    return array.astype(np.bool_)


def check_same_nodes(first: Iterable[str], second: Iterable[str], *, called: tuple[str, str]) -> None:
    """Raise a `GraphError` with the difference unless both have the same names, in whatever order."""
    sides = dict.fromkeys(first), dict.fromkeys(second)
    parts = [
        f"only in {call}: {listed([name for name in mine if name not in others])}"
        for call, mine, others in zip(called, sides, reversed(sides), strict=True)
        if mine.keys() - others.keys()
    ]
    if parts:
        raise GraphError(f"{called[0]} and {called[1]} must have the same nodes; {'; '.join(parts)}")


def reversed_arcs(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Children of each node from the parents of each node, or the other way round; ascending."""
    children: list[list[int]] = [[] for _ in parents]
    for node, row in enumerate(parents):
        for other in row:
            children[other].append(node)
    return children


def topological_order(parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]) -> list[int]:
    """Nodes, parents first; among those that could be next, the smallest.

    Nodes on a cycle, and those behind one, are left out: the order is shorter than the graph if and only if there is a
    cycle.
    """
    waiting = [len(row) for row in parents]
    ready = [node for node, count in enumerate(waiting) if count == 0]
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return order


def strong_components(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups of nodes that reach each other, ascending within a group; groups of parents come first.

    Tarjan (1972), "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2), without recursion.

    Examples
    --------
    >>> strong_components([[1], [0, 2], []])
    [[2], [0, 1]]
    """
    groups: list[list[int]] = []
    number = [0] * len(parents)  # in the order of being seen, from 1
    lowest = [0] * len(parents)  # of those on the path that a node reaches
    is_open, opened, seen = [False] * len(parents), list[int](), 0
    for root in range(len(parents)):
        path = [] if number[root] else [(root, iter(parents[root]))]
        while path:
            node, others = path[-1]
            if not number[node]:
                seen += 1
                number[node] = lowest[node] = seen
                opened.append(node)
                is_open[node] = True
            for other in others:
                if not number[other]:
                    path.append((other, iter(parents[other])))
                    break
                if is_open[other]:
                    lowest[node] = min(lowest[node], lowest[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    group = []
                    while is_open[node]:
                        group.append(opened.pop())
                        is_open[group[-1]] = False
                    groups.append(sorted(group))
    return groups


def components(n: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return for each of n nodes the number of its part of the graph; parts count from 0 by their first nodes.

    Examples
    --------
    >>> components(5, [(3, 1), (4, 2)])
    [0, 1, 2, 1, 2]
    """
    root = list(range(n))

    def first(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for one, other in pairs:
        a, b = first(one), first(other)
        root[max(a, b)] = min(a, b)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(first(node), len(numbers)) for node in range(n)]


def cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """Nodes of one cycle in the direction of its arcs, the first one again at the end; empty when there is none."""
    ordered = set(topological_order(parents, reversed_arcs(parents)))
    if len(ordered) == len(parents):
        return []
    # Every node left out of the order has a parent that is left out too, so that walking upwards must come round.
    node = next(node for node in range(len(parents)) if node not in ordered)
    path: list[int] = []
    place: dict[int, int] = {}
    while node not in place:
        place[node] = len(path)
        path.append(node)
        node = next(parent for parent in parents[node] if parent not in ordered)
    return [node, *reversed(path[place[node] :])]


def closure(starts: Iterable[int], steps: Sequence[Sequence[int]]) -> set[int]:
    """Nodes that one or more steps lead to from `starts`."""
    found: set[int] = set()
    frontier = list(starts)
    while frontier:
        fresh = set(steps[frontier.pop()]) - found
        found |= fresh
        frontier.extend(fresh)
    return found


def reachable(
    sources: Iterable[int],
    observed: set[int],
    parents: Sequence[Sequence[int]],
    children: Sequence[Sequence[int]],
) -> set[int]:
    """Unobserved nodes that an active path joins to one of `sources`, the sources included.

    A path is followed arc by arc, as in Shachter 1998 ("Bayes-ball: the rational pastime", UAI); what matters at a node
    is only whether it was entered from a child or from a parent. A collider lets the path through when it or one of its
    descendants is observed.
    """
    opened = observed | closure(observed, parents)
    visited: set[tuple[int, bool]] = set()
    frontier = [(node, True) for node in sources]  # True: entered from a child, which is how a path may leave a source
    while frontier:
        visit = frontier.pop()
        if visit in visited:
            continue
        visited.add(visit)
        node, from_child = visit
        if node not in observed:
            frontier.extend((child, False) for child in children[node])
        if (node not in observed) if from_child else (node in opened):
            frontier.extend((parent, True) for parent in parents[node])
    return {node for node, _ in visited if node not in observed}


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


def parents_first(order: Order, required: npt.NDArray[np.int64]) -> Order:
    """Order in which required parents come before their children, and all else stays as it was as far as possible.

    Parameters
    ----------
    order
        The variables by index.
    required
        Arcs that must be there, a parent and its child in each row; without cycles.

    Examples
    --------
    >>> parents_first(np.array([0, 1, 2]), np.array([[2, 0]])).tolist()
    [1, 2, 0]
    """
    if not required.size:
        return order
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    waiting = np.bincount(required[:, 1], minlength=order.size)
    children: dict[int, list[int]] = {}
    for parent, child in required.tolist():
        children.setdefault(parent, []).append(child)
    ready = [int(position[variable]) for variable in np.flatnonzero(waiting == 0)]
    heapq.heapify(ready)
    sorted_order = []
    while ready:
        variable = int(order[heapq.heappop(ready)])
        sorted_order.append(variable)
        for child in children.get(variable, ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, int(position[child]))
    return np.array(sorted_order, dtype=np.intp)
