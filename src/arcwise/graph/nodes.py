"""What `Dag` and `Cpdag` share: named nodes, and pairs of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import GraphError
from arcwise.support.names import checked_names, did_you_mean
from arcwise.support.quoting import listed, quoted

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
