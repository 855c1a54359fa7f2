"""Where nodes go and which way edges take, for any edges: those of a graph, or of two graphs in one picture."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from arcwise.graph.dag import Dag
from arcwise.pictures.edges import Edge
from arcwise.pictures.layout import layered
from arcwise.support.names import free_name

__all__ = ["Arrangement", "arranged"]

Points = npt.NDArray[np.float64]


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


def arranged(
    names: Sequence[str],
    first: Iterable[Edge],
    others: Iterable[Edge] = (),
    *,
    aspect: float,
    bands: Sequence[Sequence[str]] = (),
) -> Arrangement:
    """Arrange nodes in layers so that the directed edges among the first point downwards, and many of the others do.

    Parameters
    ----------
    names
        The nodes.
    first, others
        The edges.
    aspect
        How much wider than high the whole should be.
    bands
        Nodes that are all above those of the next band; edges between these may then point upwards.
    """
    first, others = list(first), list(others)
    firm = [edge for edge in first if edge.directed]
    band_of = {name: place for place, band in enumerate(bands) for name in band}
    if bands:  # which come first: arcs that go against them, or lead around them, are wishes
        is_firm = [edge.ends <= band_of.keys() and band_of[edge.tail] <= band_of[edge.head] for edge in firm]
        others += [edge for edge, holds in zip(firm, is_firm, strict=True) if not holds]
        firm = [*(edge for edge, holds in zip(firm, is_firm, strict=True) if holds), *_between(bands)]
    rank = {name: place for place, name in enumerate(_order(names, firm, others))}
    pairs = {edge.ends: (edge.tail, edge.head) for edge in [*others, *first]}
    arcs = [(tail, head) if rank[tail] < rank[head] else (head, tail) for tail, head in pairs.values()]
    hidden = [free_name(f"band {place}", names) for place in range(1, len(bands))]
    for name, above, below in zip(hidden, bands, bands[1:], strict=False):
        arcs += [*((node, name) for node in above), *((name, node) for node in below)]
    dag = Dag([*names, *hidden], arcs)
    layout = layered(dag, aspect=aspect)
    routes = dict(zip(dag.arcs, layout.routes, strict=True))
    shown = frozenset(names)
    return Arrangement(
        dict(zip(names, layout.positions, strict=False)),
        {arc: route for arc, route in routes.items() if shown.issuperset(arc)},
    )


def _between(bands: Sequence[Sequence[str]]) -> list[Edge]:
    """Return edges that bring the nodes of each band before those of the next."""
    return [Edge(one, other) for above, below in pairwise(bands) for one in above for other in below]


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
