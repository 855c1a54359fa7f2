"""Where nodes go and which way edges take, for any edges: those of a graph, or of two graphs in one picture."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.graph.dag import Dag
from arcwise.pictures.edges import Edge
from arcwise.pictures.layout import layered
from arcwise.support.errors import ParameterError

__all__ = ["Arrangement", "arranged"]

Points = npt.NDArray[np.float64]

MOST_NODES = 20_000
"""Of a picture, which takes about a minute then; every node is there, and none can be read."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Places in units: one of a box to the right, one of a row downwards.

    Attributes
    ----------
    places
        Of each node.
    routes
        Of each pair of nodes with an edge, from the first named end to the other.
    """

    places: Mapping[str, Points]
    routes: Mapping[tuple[str, str], Points]

    def route(self, edge: Edge) -> Points:
        """Return the points that an edge goes through, in its direction."""
        forth = self.routes.get((edge.tail, edge.head))
        return self.routes[edge.head, edge.tail][::-1] if forth is None else forth


def arranged(names: Sequence[str], first: Iterable[Edge], others: Iterable[Edge] = (), *, aspect: float) -> Arrangement:
    """Arrange nodes in layers so that the directed edges among the first point downwards, and many of the others do.

    Parameters
    ----------
    names
        The nodes.
    first, others
        The edges.
    aspect
        How much wider than high the whole should be.

    Raises
    ------
    ParameterError
        For more nodes than a picture has room for.
    """
    if len(names) > MOST_NODES:
        raise ParameterError(
            f"a picture has room for {MOST_NODES:,} nodes at most, not for {len(names):,}; write_report shows more, of "
            "which a browser draws what is in its window"
        )
    first, others = list(first), list(others)
    firm = [edge for edge in first if edge.directed]
    rank = {name: place for place, name in enumerate(_order(names, firm, others))}
    pairs = {edge.ends: (edge.tail, edge.head) for edge in [*others, *first]}
    arcs = [(tail, head) if rank[tail] < rank[head] else (head, tail) for tail, head in pairs.values()]
    dag = Dag(names, arcs)
    layout = layered(dag, aspect=aspect)
    return Arrangement(dict(zip(names, layout.positions, strict=True)), dict(zip(dag.arcs, layout.routes, strict=True)))


def _order(names: Sequence[str], firm: Iterable[Edge], wishes: Iterable[Edge]) -> list[str]:
    """Return an order of the nodes against as few firm edges as a greedy choice meets, none where they have no cycle.

    Of the nodes without a parent among those that are left, the one with the fewest wished parents comes next.
    """
    index = {name: place for place, name in enumerate(names)}
    open_parents = {name: [0, 0] for name in names}
    children: dict[str, list[tuple[str, int]]] = {name: [] for name in names}
    for weight, edges in enumerate((firm, wishes)):
        for edge in edges:
            if edge.directed:
                open_parents[edge.head][weight] += 1
                children[edge.tail].append((edge.head, weight))
    waiting = [(open_parents[name].copy(), index[name], name) for name in names]
    heapq.heapify(waiting)
    order: dict[str, None] = {}
    while waiting:
        counts, _, name = heapq.heappop(waiting)
        if name in order or counts != open_parents[name]:
            continue  # told again since
        order[name] = None
        for child, weight in children[name]:
            open_parents[child][weight] -= 1
            if child not in order:
                heapq.heappush(waiting, (open_parents[child].copy(), index[child], child))
    return list(order)
