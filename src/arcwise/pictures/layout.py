"""Where the nodes of a graph go: in layers, so that all arcs point downwards."""

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.graph.dag import Dag
from arcwise.graph.nodes import components, topological_order
from arcwise.support.linear_programs import LinearProgram, Rows

__all__ = ["Layout", "layered"]

Points = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.signedinteger[Any]]

ROOM = 1.9
"""How wide the room of a node is, in rows."""

BENT = 120
"""Most nodes of a part of the graph whose long arcs bend around nodes; in larger ones straight arcs are clearer."""

SHORTEST = 20_000
"""Most arcs whose lengths are the least possible: the time for that grows faster than the graph."""

_BEND_ROOM = 0.2  # that an arc needs where it passes nodes, as part of a node's room
_ORDERINGS, _PLACEMENTS = 24, 8
_SHORTENINGS = 20


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of nodes and ways of arcs.

    Attributes
    ----------
    positions
        Of each node, (x, y): x to the right in widths of a node's room, y downwards in rows.
    routes
        For each arc in the order of `Dag.arcs` its points: the parent's position, bends, the child's position.
    width, height
        Of the whole, in the same units; positions are at least half a room from every side.
    """

    positions: Points
    routes: tuple[Points, ...]
    width: float
    height: float


def layered(dag: Dag, *, aspect: float = 1.6) -> Layout:
    """Place nodes so that every arc points downwards, arcs are short, and the whole has a given form.

    The steps are those of Sugiyama, Tagawa & Toda (1981, doi:10.1109/TSMC.1981.4308636). Layers: the total length of
    all arcs is as small as it can be (Gansner, Koutsofios, North & Vo 1993, doi:10.1109/32.221135), by a linear
    program; with more than 20,000 arcs, as small as moving one node at a time makes it. Order within layers: by the
    mean position of neighbours, up and down alternately. Positions: as near to the mean of the neighbours as order and
    distances allow, by isotonic regression. A layer that is too long for the wanted form is folded into several rows.

    Parameters
    ----------
    dag
        The graph.
    aspect
        How many times as wide as high the picture should be; long chains and few layers limit it.

    Examples
    --------
    >>> layout = layered(Dag(["a", "b", "c"], [("a", "c"), ("b", "c")]))
    >>> layout.positions[:, 1].tolist()
    [0.5, 0.5, 1.5]
    >>> layout.routes[0].tolist() == layout.positions[[0, 2]].tolist()
    True
    """
    arcs = np.array([(i, j) for j, parents in enumerate(dag.parent_indices) for i in parents], np.int64).reshape(-1, 2)
    n = dag.n_nodes
    part = np.array(components(n, zip(arcs[:, 0].tolist(), arcs[:, 1].tolist(), strict=True)), np.int64)
    n_parts = int(part.max(initial=-1)) + 1
    layer = _layers(dag, arcs, part)
    positions = np.full((n, 2), 0.5)
    routes: list[Points] = [np.empty((0, 2))] * len(arcs)
    sizes = np.ones((n_parts, 2))
    grouped = zip(_grouped(part, n_parts), _grouped(part[arcs[:, 0]], n_parts), strict=True)
    for k, (nodes, of_part) in enumerate(grouped):
        if len(nodes) > 1:
            placed = _Part(layer[nodes], np.searchsorted(nodes, arcs[of_part]), aspect)
            positions[nodes], sizes[k] = placed.positions, placed.size
            for arc, route in zip(of_part, placed.routes, strict=True):
                routes[arc] = route
    corners, (width, height) = _packed(sizes, aspect)
    positions += corners[part]
    for arc, (i, j) in enumerate(arcs.tolist()):
        routes[arc] = np.vstack([positions[i], routes[arc] + corners[part[i]], positions[j]])
    return Layout(positions, tuple(routes), width, height)


def _grouped(labels: Numbers, n_groups: int) -> list[Numbers]:
    """Return for each label from 0 on the places that have it."""
    return np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels, minlength=n_groups))[:-1])


def _layers(dag: Dag, arcs: Numbers, part: Numbers) -> Numbers:
    """Return layers with every child below its parents and arcs that are short; each part begins at 0."""
    n, m = dag.n_nodes, len(arcs)
    if not m:
        return np.zeros(n, np.int64)
    layer = _shortest(n, arcs) if m <= SHORTEST else _shortened(dag)
    lowest = np.full(part.max() + 1, n)
    np.minimum.at(lowest, part, layer)
    layer -= lowest[part]
    return layer


def _shortest(n: int, arcs: Numbers) -> Numbers:
    """Return the layers with the least sum of distances.

    The constraints are those of a network flow's dual, so that corners of the polytope are whole numbers.
    """
    m = len(arcs)
    cost = np.bincount(arcs[:, 1], minlength=n) - np.bincount(arcs[:, 0], minlength=n)
    below = Rows.of_entries(m, np.repeat(np.arange(m), 2), arcs.ravel(), np.tile([-1.0, 1.0], m))
    program = LinearProgram(
        cost.astype(np.float64), np.zeros(n), np.full(n, float(n)), below, np.ones(m), np.full(m, math.inf)
    )
    found = program.solved()
    assert found is not None  # the depth of each node is a solution
    return np.rint(found.values).astype(np.int64)


def _shortened(dag: Dag) -> Numbers:
    """Return layers in which no single node can move and make the sum of distances less.

    Each node begins right below its lowest parent. Then those with more children than parents move down as far as the
    children let them, those with more parents up, until nothing moves or it has been tried often enough.
    """
    parents, children = dag.parent_indices, dag.child_indices
    order = topological_order(parents, children)
    layer = [0] * dag.n_nodes
    for node in order:
        layer[node] = 1 + max((layer[parent] for parent in parents[node]), default=-1)
    for _ in range(_SHORTENINGS):
        before = list(layer)
        for node in reversed(order):
            if len(children[node]) > len(parents[node]):
                layer[node] = min(layer[child] for child in children[node]) - 1
        for node in order:
            if len(parents[node]) > len(children[node]):
                layer[node] = max(layer[parent] for parent in parents[node]) + 1
        if layer == before:
            break
    return np.array(layer, np.int64)


class _Step:
    """The neighbours of a layer's points, and the order that the points have by now."""

    def __init__(self, neighbours: Numbers, degrees: Numbers) -> None:
        self._neighbours = neighbours  # of one point after the other
        self._degrees = np.maximum(degrees, 1)
        self._points = np.repeat(np.arange(len(degrees)), degrees)
        self.order: Numbers = np.arange(len(degrees))

    def means(self, x: Points) -> Points:
        """Return the mean position of the neighbours of each point, in the order of the beginning."""
        sums = np.bincount(self._points, weights=x[self._neighbours], minlength=len(self._degrees))
        means: Points = sums / self._degrees
        return means


class _Part:
    """A connected part of the graph, from the left upper corner."""

    def __init__(self, layer: Numbers, arcs: Numbers, aspect: float) -> None:
        self.n = len(layer)
        bent = self.n <= BENT
        self._cut_at_layers(layer, arcs, bent)
        n_points = len(self.layer)
        self.room = np.where(np.arange(n_points) < self.n, 1.0, _BEND_ROOM)
        self.neighbours: list[list[int]] = [[] for _ in range(n_points)]
        for one, other in self.links.tolist():
            self.neighbours[one].append(other)
            self.neighbours[other].append(one)
        self.members = _grouped(self.layer, int(self.layer.max()) + 1)
        self.steps = self._steps()
        self._fold(aspect)
        starts = range(0, n_points, math.ceil(n_points / max(1, min(8, 2000 // n_points))))
        placed = [self._placed(start) for start in starts]
        best = placed[0] if len(placed) == 1 else min(placed, key=self._crossings)
        self.positions = best[: self.n]
        self.routes = [best[points] for points in self.bends]
        self.size = np.array([best[:, 0].max() + 0.5, self.rows.sum()])

    def _cut_at_layers(self, layer: Numbers, arcs: Numbers, bent: bool) -> None:
        """Give arcs a point in every layer that they pass."""
        layers = layer.tolist()
        links: list[tuple[int, int]] = []
        self.bends: list[list[int]] = []
        for i, j in arcs.tolist():
            passed = range(layers[i] + 1, layers[j]) if bent else ()
            points = [i, *range(len(layers), len(layers) + len(passed)), j]
            layers.extend(passed)
            links += pairwise(points)
            self.bends.append(points[1:-1])
        self.layer = np.array(layers)
        self.links = np.array(links)

    def _steps(self) -> "list[_Step]":
        """Return what a sweep needs to know of each layer."""
        return [
            _Step(
                np.array([other for point in points for other in sorted(self.neighbours[point])], np.int64),
                np.array([len(self.neighbours[point]) for point in points], np.int64),
            )
            for points in (members.tolist() for members in self.members)
        ]

    def _fold(self, aspect: float) -> None:
        """Choose the width that gives the whole its form, and into how many rows each layer folds."""
        needed = np.array([self.room[points].sum() for points in self.members])

        def form(width: int) -> float:
            return width * ROOM / float(np.ceil(needed / width).sum()) / aspect

        # The wider, the flatter: the best width is the first that is flat enough, or the one before it.
        widths = range(1, math.ceil(needed.max()) + 1)
        flat = min(bisect_left(widths, 1.0, key=form), len(widths) - 1)
        best = min(widths[max(0, flat - 1) : flat + 1], key=lambda width: abs(math.log(form(width))))
        self.width = float(best)
        self.rows = np.ceil(needed / self.width).astype(int)

    def _placed(self, start: int) -> Points:
        """Return positions of all points, found from an order in which a walk from one of them meets the others."""
        walk = _walk(self.neighbours, start)
        self.x = np.empty(len(walk))
        self.x[walk] = np.linspace(0.0, self.width, len(walk))
        for sweep in range(_ORDERINGS + _PLACEMENTS):
            self._sweep(downwards=sweep % 2 == 0, reorder=sweep < _ORDERINGS)
        y = np.empty(len(walk))
        top = 0.0
        for points, rows in zip(self.members, self.rows.tolist(), strict=True):
            nodes = points[points < self.n]
            y[points] = top + rows / 2
            y[nodes] = top + 0.5 + np.arange(len(nodes)) % rows  # neighbours in different rows, so that names have room
            top += rows
        return np.column_stack([self.x - self.x.min() + 0.5, y])

    def _sweep(self, *, downwards: bool, reorder: bool) -> None:
        """Move every point to the mean of its neighbours, as far as the others of its layer let it."""
        layers = range(len(self.members)) if downwards else range(len(self.members) - 1, -1, -1)
        for k in layers:
            step, points = self.steps[k], self.members[k]
            means = step.means(self.x)
            if len(points) == 1:
                self.x[points] = means.clip(0.0, self.width)
                continue
            wanted = means[step.order]
            if reorder:
                order = np.argsort(wanted, kind="stable")
                points, wanted = points[order], wanted[order]
                self.members[k], step.order = points, step.order[order]
            room = self.room[points] / self.rows[k]
            offsets = np.cumsum(room) - room / 2
            offsets -= offsets[0]
            free = _ascending(wanted - offsets)
            self.x[points] = np.clip(free, 0.0, self.width - offsets[-1]) + offsets

    def _crossings(self, placed: Points) -> int:
        """Count the pairs of links that cross."""
        begin, end = placed[self.links[:, 0]], placed[self.links[:, 1]]
        one = (slice(None), None)
        apart = _side(begin[one], end[one], begin) * _side(begin[one], end[one], end) < 0
        return int((apart & apart.T).sum()) // 2


def _walk(neighbours: list[list[int]], start: int) -> list[int]:
    """Return the nodes in the order in which a walk meets them that leaves from the last one as long as it can."""
    seen, order = {start}, [start]
    path = [iter(sorted(neighbours[start]))]
    while path:
        following = next((node for node in path[-1] if node not in seen), None)
        if following is None:
            path.pop()
            continue
        seen.add(following)
        order.append(following)
        path.append(iter(sorted(neighbours[following])))
    return order


def _ascending(wanted: Points) -> Points:
    """Return the numbers that never fall and are nearest to the wanted ones in the sum of squares.

    Neighbours that would fall are pooled to their mean (Ayer, Brunk, Ewing, Reid & Silverman 1955,
    doi:10.1214/aoms/1177728423).
    """
    if (wanted[1:] >= wanted[:-1]).all():
        return wanted
    means, sizes = list[float](), list[int]()
    for number in wanted.tolist():
        mean, size = number, 1
        while means and means[-1] > mean:
            before = sizes.pop()
            mean = (means.pop() * before + mean * size) / (before + size)
            size += before
        means.append(mean)
        sizes.append(size)
    return np.repeat(means, sizes)


def _side(begin: Points, end: Points, point: Points) -> Points:
    """On which side of the line through two points a third one is, by its sign."""
    along, to = end - begin, point - begin
    return along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]


def _packed(sizes: Points, aspect: float) -> tuple[Points, tuple[float, float]]:
    """Return the left upper corners of parts on shelves, the highest parts first, and the size of the whole."""
    width = max(sizes[:, 0].max(initial=1.0), math.sqrt(sizes.prod(axis=1).sum() * aspect / ROOM))
    corners = np.zeros(sizes.shape)
    x = y = shelf = used = 0.0
    for k in np.lexsort((-sizes[:, 0], -sizes[:, 1])).tolist():
        if x > 0 and x + sizes[k, 0] > width + 1e-9:
            x, y, shelf = 0.0, y + shelf, 0.0
        corners[k] = x, y
        x += sizes[k, 0]
        used, shelf = max(used, x), max(shelf, sizes[k, 1])
    return corners, (used, y + shelf)
