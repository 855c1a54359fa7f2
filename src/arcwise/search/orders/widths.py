"""Between which numbers the width of a graph lies; finding it is NP-hard."""

from collections.abc import Callable, Iterable, Sequence

from arcwise.graph.dag import Dag

__all__ = ["is_narrow", "width_bounds"]

#: The nodes that are joined with each, in the moral graph.
_Joined = dict[int, set[int]]


def width_bounds(dag: Dag) -> tuple[int, int]:
    """Return two numbers between which the width (treewidth) of a graph lies.

    The most is that of two orders of elimination: a node with the fewest neighbours next, or one whose neighbours lack
    the fewest edges among them. The least is the largest number of neighbours that the node with fewest has while nodes
    are contracted, each with that neighbour of it which has fewest itself (Gogate & Dechter 2004, UAI).

    Examples
    --------
    >>> width_bounds(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]))
    (1, 1)
    >>> width_bounds(Dag(["a", "b", "c"], [("a", "c"), ("b", "c")]))
    (2, 2)
    """
    joined = _moral(dag.parent_indices)
    if not joined:
        return 0, 0
    most = min(_eliminated(joined, len(joined), fewest) for fewest in (_degree, _lacking))
    return _contracted(joined), most


def is_narrow(parents: Sequence[Iterable[int]], width: int) -> bool:
    """Whether an order of elimination shows that a graph is at most so wide; where none does, it still may be."""
    joined = _moral(parents)
    return any(_eliminated(joined, width, fewest) <= width for fewest in (_degree, _lacking))


def _moral(parents: Sequence[Iterable[int]]) -> _Joined:
    """Return the moral graph of the nodes that are adjacent to some."""
    joined: _Joined = {}
    for child, its in enumerate(parents):
        family = {child, *its}
        if len(family) > 1:
            for node in family:
                joined.setdefault(node, set()).update(family - {node})
    return joined


def _degree(joined: _Joined, node: int) -> int:
    return len(joined[node])


def _lacking(joined: _Joined, node: int) -> int:
    around = joined[node]
    return sum(len(around - joined[other]) - 1 for other in around)


def _eliminated(joined: _Joined, limit: int, fewest: Callable[[_Joined, int], int]) -> int:
    """Return the most neighbours that a node has when it is eliminated, or a number above the limit."""
    left = {node: set(around) for node, around in joined.items()}
    width = 0
    while len(left) > width + 1:
        node = min(left, key=lambda node: fewest(left, node))
        around = left.pop(node)
        width = max(width, len(around))
        if width > limit:
            break
        for other in around:
            left[other] |= around
            left[other] -= {node, other}
    return width


def _contracted(joined: _Joined) -> int:
    left = {node: set(around) for node, around in joined.items()}
    width = 0
    while len(left) > width + 1:
        node = min(left, key=lambda node: len(left[node]))
        around = left.pop(node)
        width = max(width, len(around))
        for other in around:
            left[other].discard(node)
        if around:
            partner = min(around, key=lambda other: len(left[other]))
            for other in around - {partner}:
                left[other].add(partner)
                left[partner].add(other)
    return width
