"""An order of nodes that follows arcs, kept up while arcs are added."""

from collections.abc import Sequence

__all__ = ["GrowingOrder"]


class GrowingOrder:
    """Nodes in an order in which every parent is before its children, while arcs are added one by one.

    An arc changes the places of those nodes only that are between its ends, as in Pearce & Kelly (2006, "A dynamic
    topological sort algorithm for directed acyclic graphs", doi:10.1145/1187436.1210590): nothing is kept for all
    pairs of nodes.

    Examples
    --------
    >>> order = GrowingOrder(3)
    >>> order.add(2, 0)
    >>> order.add(0, 1)
    >>> order.reaches(2, 1), order.reaches(1, 2)
    (True, False)
    """

    def __init__(self, n_nodes: int) -> None:
        self._place = list(range(n_nodes))
        self._parents: list[list[int]] = [[] for _ in range(n_nodes)]
        self._children: list[list[int]] = [[] for _ in range(n_nodes)]

    def reaches(self, start: int, end: int) -> bool:
        """Whether arcs lead from one node to another; a node reaches itself."""
        return end in self._between(start, self._children, self._place[start], self._place[end])

    def add(self, parent: int, child: int) -> None:
        """Add an arc; its child must not reach its parent."""
        least, most = self._place[child], self._place[parent]
        if least < most:
            # What leads to the parent comes before what the child leads to, within the places that they had.
            behind = self._between(child, self._children, least, most)
            before = self._between(parent, self._parents, least, most)
            moved = [*sorted(before, key=self._place.__getitem__), *sorted(behind, key=self._place.__getitem__)]
            for node, place in zip(moved, sorted(self._place[node] for node in moved), strict=True):
                self._place[node] = place
        self._parents[child].append(parent)
        self._children[parent].append(child)

    def _between(self, start: int, steps: Sequence[Sequence[int]], least: int, most: int) -> set[int]:
        """Nodes that steps lead to from the start, itself among them, without leaving some places of the order."""
        if not least <= self._place[start] <= most:
            return set()
        found, frontier = {start}, [start]
        while frontier:
            for node in steps[frontier.pop()]:
                if node not in found and least <= self._place[node] <= most:
                    found.add(node)
                    frontier.append(node)
        return found
