"""The best forest of arcs that have directions: a maximum branching of as few arcs as matter."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

import numpy as np
import numpy.typing as npt

__all__ = ["ArcsInto", "More", "best_branching"]

Gains = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ArcsInto:
    """The arcs into one node, best first.

    Attributes
    ----------
    parents
        Where they come from.
    gains
        What they gain.
    alone
        What the node gains without a parent: 0, or minus infinity where it must have one.
    is_cut
        Whether there are others, which gain no more than the last one.
    """

    parents: Nodes
    gains: Gains
    alone: float = 0.0
    is_cut: bool = False

    def above_none(self) -> "ArcsInto":
        """Return the arcs that gain more than no arc."""
        n = int(np.count_nonzero(self.gains > self.alone))
        return ArcsInto(self.parents[:n], self.gains[:n], self.alone, self.is_cut and n == len(self.gains))

    def followed_by(self, others: "ArcsInto") -> "ArcsInto":
        """Return these arcs and others that gain no more."""
        parents = np.concatenate([self.parents, others.parents])
        return ArcsInto(parents, np.concatenate([self.gains, others.gains]), self.alone, others.is_cut)

    def gain_from(self, parent: int) -> float:
        """Return what the arc from this parent gains."""
        return float(self.gains[np.flatnonzero(self.parents == parent)[0]])


#: Gives the next arcs into a node, without those from some others, after its lists have come to their end.
More = Callable[[int, npt.NDArray[np.bool_]], ArcsInto]


def best_branching(arcs: Sequence[ArcsInto], more: More | None = None) -> list[int]:
    """Return for each node its parent, or -1, so that there is no cycle and the gains sum to the most possible.

    The algorithm of Chu & Liu (1965) and Edmonds (1967): every node takes its best parent; the nodes of a cycle become
    one, whose arcs from outside gain what they gain more than the arc of the cycle that they would replace. As Tarjan
    does it (1977, doi:10.1002/net.3230070103), along one path at a time, with a heap for each group of nodes. A heap
    has the best arc of each node that is left, so that of long lists few arcs are looked at, and lists can be cut: the
    next arcs are asked for where they may matter.

    Parameters
    ----------
    arcs
        Those into each node.
    more
        Gives the next arcs into a node whose list is cut.

    Examples
    --------
    >>> def into(parent, gain):
    ...     return ArcsInto(np.array([parent], dtype=np.int32), np.array([gain]))
    >>> best_branching([into(1, 5.0), into(0, 4.0)])  # either arc, not both
    [1, -1]
    """
    work = _Branching([each.above_none() for each in arcs], more)
    strongest = [float(each.gains[0]) if len(each.gains) else -np.inf for each in work.arcs]
    for node in np.argsort(-np.array(strongest), kind="stable").tolist():
        work.settle(node)
    return work.parents()


class _Branching:
    """Groups of nodes, at first one for each, and the arcs that were chosen into them."""

    def __init__(self, arcs: list[ArcsInto], more: More | None) -> None:
        n = len(arcs)
        self.arcs = arcs
        self._more = more
        self._at = [0] * n  # how far each list has been looked at
        self._set_of = np.arange(n)  # nodes of one group have the same number here
        self._nodes: dict[int, list[int]] = {node: [node] for node in range(n)}  # by that number
        self._group_of_set = list(range(n))
        self._set_of_group = list(range(n))
        self._heaps = [[(-self._gain(node), node)] for node in range(n)]
        self._added = [0.0] * n  # what is to be added to the gains in the heap of a group
        self._chosen: list[tuple[int, int]] = [(-1, node) for node in range(n)]
        self._worth = [0.0] * n
        self._into = [-1] * n  # the group of which each became a part
        self._parts: list[list[int]] = [[] for _ in range(n)]
        self._is_settled = [False] * n

    def settle(self, node: int) -> None:
        """Choose arcs from a node upwards, until they lead to one without a parent or to one that is settled."""
        group = self._group(node)
        if self._is_settled[group]:
            return
        path, place = [group], {group: 0}
        while True:
            parent = self._choose(path[-1])
            above = -1 if parent < 0 else self._group(parent)
            if above < 0 or self._is_settled[above]:
                break
            begin = place.get(above)
            if begin is not None:
                above = self._joined(path[begin:])
                del path[begin:]
            place[above] = len(path)
            path.append(above)
        for group in path:
            self._is_settled[group] = True

    def _group(self, node: int) -> int:
        return self._group_of_set[int(self._set_of[node])]

    def _gain(self, node: int) -> float:
        """What the next arc of a node gains at most; after the last one, what no arc does."""
        its, at = self.arcs[node], self._at[node]
        if at < len(its.gains):
            return float(its.gains[at])
        return float(its.gains[-1]) if its.is_cut and len(its.gains) else its.alone

    def _choose(self, group: int) -> int:
        """Choose the best arc into a group from outside, or that its root has none; return where it comes from."""
        heap, number = self._heaps[group], self._set_of_group[group]
        while True:
            value, node = heap[0]
            its, at = self.arcs[node], self._at[node]
            before = self._gain(node)
            if at == len(its.gains) and not its.is_cut:
                parent = -1
                break
            if at == len(its.gains):
                assert self._more is not None
                self.arcs[node] = self._more(node, self._set_of == number).above_none()
                self._at[node] = 0
            elif self._set_of[its.parents[at]] != number:
                parent = int(its.parents[at])
                break
            else:
                self._at[node] = self._next_from_outside(its.parents, at, number)
            after = self._gain(node)
            if after == -np.inf:
                heappop(heap)  # it must have its parent, which is in the group
            else:
                heapreplace(heap, (value + before - after, node))
        self._chosen[group], self._worth[group] = (parent, node), self._added[group] - value
        return parent

    def _next_from_outside(self, parents: Nodes, at: int, number: int) -> int:
        """Return where the next arc from outside a group is in a list, or the length of the list."""
        step = 32
        while at < len(parents):
            is_outside = self._set_of[parents[at : at + step]] != number
            first = int(np.argmax(is_outside))
            if is_outside[first]:
                return at + first
            at, step = at + len(is_outside), 2 * step
        return at

    def _joined(self, groups: list[int]) -> int:
        """Make one group of a cycle of them, whose arcs gain what they gain more than those of the cycle."""
        new = len(self._into)
        added = [self._added[group] - self._worth[group] for group in groups]
        largest = max(range(len(groups)), key=lambda i: len(self._heaps[groups[i]]))
        heap = self._heaps[groups[largest]]
        for group, its in zip(groups, added, strict=True):
            if group != groups[largest]:
                for value, node in self._heaps[group]:
                    heappush(heap, (value - its + added[largest], node))
                self._heaps[group] = []
        self._relabel(groups, new)
        for group in groups:
            self._into[group] = new
        self._heaps[groups[largest]] = []
        self._heaps.append(heap)
        self._added.append(added[largest])
        self._chosen.append((-1, -1))
        self._worth.append(0.0)
        self._into.append(-1)
        self._parts.append(groups)
        self._is_settled.append(False)
        return new

    def _relabel(self, groups: list[int], new: int) -> None:
        """Give all nodes of some groups the number of the largest."""
        numbers = [self._set_of_group[group] for group in groups]
        kept = max(numbers, key=lambda number: len(self._nodes[number]))
        for number in numbers:
            if number != kept:
                nodes = self._nodes.pop(number)
                self._set_of[nodes] = kept
                self._nodes[kept] += nodes
        self._group_of_set[kept] = new
        self._set_of_group.append(kept)

    def parents(self) -> list[int]:
        """Return the parent of each node: a cycle keeps its arcs but for that into the group where it is entered."""
        parents = [-1] * len(self.arcs)
        left = [group for group, into in enumerate(self._into) if into < 0]
        while left:
            group = left.pop()
            parent, node = self._chosen[group]
            parents[node] = parent
            part = node
            while part != group:
                whole = self._into[part]
                left += [other for other in self._parts[whole] if other != part]
                part = whole
        return parents
