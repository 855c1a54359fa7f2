"""Lists of nodes, one for each node: what a square matrix of flags says, in the space of those that are true."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from arcwise import _core

__all__ = ["NodeLists", "Pairs"]

#: Pairs of nodes by index, one in each row.
Pairs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NodeLists:
    """Lists of nodes by index, one for each node; read-only.

    Attributes
    ----------
    begin
        Where in `nodes` each list begins, and where the last one ends.
    nodes
        The lists one behind the other, each ascending.

    Examples
    --------
    >>> lists = NodeLists.from_lists([[2, 1], [], [0]])
    >>> lists.of(0).tolist()
    [1, 2]
    >>> lists.transposed.of(0).tolist()
    [2]
    """

    begin: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.uint32]

    def __post_init__(self) -> None:
        for array in (self.begin, self.nodes):
            array.flags.writeable = False

    def __reduce__(self) -> tuple[object, ...]:
        # numpy does not keep the flag in a pickle; making the object anew sets it again.
        return NodeLists, (self.begin, self.nodes)

    @classmethod
    def none(cls, n_nodes: int) -> "NodeLists":
        """Lists that are all empty."""
        return cls(np.zeros(n_nodes + 1, dtype=np.int64), np.zeros(0, dtype=np.uint32))

    @classmethod
    def from_pairs(cls, n_nodes: int, pairs: Pairs) -> "NodeLists":
        """Lists of the second nodes of pairs, by the first ones; a pair may be there several times."""
        return cls._from_keys(n_nodes, np.unique(pairs[:, 0] * n_nodes + pairs[:, 1]))

    @classmethod
    def from_lists(cls, lists: Sequence[Iterable[int]]) -> "NodeLists":
        """Lists with the given members; each may be there several times."""
        rows = [np.fromiter(row, dtype=np.int64) for row in lists]
        owners = np.repeat(np.arange(len(rows), dtype=np.int64), [row.size for row in rows])
        return cls.from_pairs(
            len(rows), np.column_stack([owners, np.concatenate([np.zeros(0, dtype=np.int64), *rows])])
        )

    @classmethod
    def _from_keys(cls, n_nodes: int, keys: npt.NDArray[np.int64]) -> "NodeLists":
        """Lists of the pairs whose ascending keys are node * n_nodes + member."""
        begin = np.searchsorted(keys, np.arange(n_nodes + 1, dtype=np.int64) * n_nodes)
        return cls(begin.astype(np.int64, copy=False), (keys % max(n_nodes, 1)).astype(np.uint32))

    @cached_property
    def core(self) -> _core.NodeLists:
        """The lists as the kernels take them."""
        return _core.NodeLists(self.begin, self.nodes)

    @property
    def n_nodes(self) -> int:
        """How many lists there are."""
        return self.begin.size - 1

    @property
    def n_members(self) -> int:
        """How many members all lists have together."""
        return self.nodes.size

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many members each list has."""
        return np.diff(self.begin)

    def of(self, node: int) -> npt.NDArray[np.uint32]:
        """Return the list of a node, ascending."""
        return self.nodes[self.begin[node] : self.begin[node + 1]]

    @property
    def pairs(self) -> Pairs:
        """All pairs of a node and a member of its list, in order."""
        return np.column_stack([np.repeat(np.arange(self.n_nodes), self.lengths), self.nodes.astype(np.int64)])

    @property
    def transposed(self) -> "NodeLists":
        """For each node those that list it."""
        return NodeLists.from_pairs(self.n_nodes, self.pairs[:, ::-1])

    @property
    def either_way(self) -> "NodeLists":
        """For each node those that it lists or that list it."""
        return self | self.transposed

    def __or__(self, other: "NodeLists") -> "NodeLists":
        return NodeLists._from_keys(self.n_nodes, np.union1d(self._keys, other._keys))

    def __and__(self, other: "NodeLists") -> "NodeLists":
        both = np.intersect1d(self._keys, other._keys, assume_unique=True)
        return NodeLists._from_keys(self.n_nodes, both)

    def where(self, keep: npt.NDArray[np.bool_]) -> "NodeLists":
        """Return the lists with those `pairs` only for which there is a True."""
        return NodeLists._from_keys(self.n_nodes, self._keys[keep])

    @property
    def _keys(self) -> npt.NDArray[np.int64]:
        pairs = self.pairs
        keys: npt.NDArray[np.int64] = pairs[:, 0] * self.n_nodes + pairs[:, 1]
        return keys
