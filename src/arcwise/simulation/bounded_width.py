"""Random graphs whose induced width is bounded, after Ide, Cozman and Ramos."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from arcwise.graph.dag import Dag
from arcwise.support.arguments import count, seed_sequence
from arcwise.support.names import default_names

_CONNECTED = " for the graph to be connected"


def random_dag_of_bounded_width(
    n_nodes: int,
    max_width: int,
    *,
    max_degree: int | None = None,
    max_arcs: int | None = None,
    n_steps: int | None = None,
    seed: int | None = None,
) -> Dag:
    """Graph that is connected and has bounded induced width (by a heuristic), degrees and number of arcs.

    A Markov chain over such graphs, started at a path. A step draws two nodes and adds the arc between them, or removes
    it where it exists. Where the graph is a polytree, half of the steps instead move one end of an arc, without which
    no chain could get from one polytree to another under a narrow bound. A step that would break a bound is not made.
    Every move is as probable as its reverse, so that in the long run all graphs that can be reached are equally
    probable (Ide & Cozman 2002, "Random generation of Bayesian networks", SBIA, doi:10.1007/3-540-36127-8_35; Ide,
    Cozman & Ramos 2004, "Generating random Bayesian networks with constraints on induced width", ECAI).

    The width is that of the order which eliminates a node with fewest neighbours next (see `heuristic_width`): an upper
    bound, because finding the least width is NP-hard. Unlike the least width it can grow when an arc is removed, so
    that it is not proven that every graph within the bounds can be reached.

    Parameters
    ----------
    n_nodes
        Nodes, named X0, X1, …
    max_width
        Largest width, at least 1; no node has more parents than that.
    max_degree
        Most parents and children of a node together, at least 2; None for no limit.
    max_arcs
        Most arcs, at least `n_nodes` - 1; None for no limit.
    n_steps
        Length of the chain; None for 4 `n_nodes` squared.
    seed
        Same seed, same graph; None draws one.

    Raises
    ------
    ParameterError
        If no connected graph is within the bounds.

    Examples
    --------
    >>> dag = random_dag_of_bounded_width(15, 2, max_arcs=20, seed=1)
    >>> heuristic_width(dag) <= 2, dag.n_arcs <= 20
    (True, True)
    """
    n_nodes = count("n_nodes", n_nodes, least=1)
    bounds = _Bounds(
        count("max_width", max_width, least=min(1, n_nodes - 1)),
        n_nodes
        if max_degree is None
        else count("max_degree", max_degree, least=min(2, n_nodes - 1), reason=_CONNECTED),
        n_nodes**2 if max_arcs is None else count("max_arcs", max_arcs, least=n_nodes - 1, reason=_CONNECTED),
    )
    steps = 4 * n_nodes**2 if n_steps is None else count("n_steps", n_steps)
    rng = np.random.default_rng(seed_sequence(seed))
    chain = _Chain(rng.permutation(n_nodes).tolist(), bounds)
    if n_nodes > 1:
        firsts = rng.integers(n_nodes, size=steps)
        seconds = (firsts + rng.integers(1, n_nodes, size=steps)) % n_nodes
        coins = rng.random((2, steps)) < 0.5
        for i, j, heads, inverted in zip(firsts.tolist(), seconds.tolist(), *coins.tolist(), strict=True):
            chain.step(i, j, heads, inverted)
    parents = [_members(row) for row in chain.parents]
    return Dag.from_parents(default_names(n_nodes), parents)


def heuristic_width(dag: Dag) -> int:
    """Induced width of the order that eliminates a node with fewest neighbours next: an upper bound of the treewidth.

    Eliminating a node of the moral graph joins all its neighbours; the width is the largest number of neighbours that a
    node has when it is eliminated.

    Examples
    --------
    >>> heuristic_width(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]))
    1
    >>> heuristic_width(Dag(["a", "b", "c"], [("a", "c"), ("b", "c")]))
    2
    """
    return _width([sum(1 << parent for parent in row) for row in dag.parent_indices], dag.n_nodes)


class _Bounds(NamedTuple):
    width: int
    degree: int
    arcs: int


class _Chain:
    """State of the Markov chain; sets of nodes are the bits of integers."""

    def __init__(self, path: list[int], bounds: _Bounds) -> None:
        self.parents = [0] * len(path)
        self._children = [0] * len(path)
        self._bounds = bounds
        self._n_arcs = 0
        for parent, child in pairwise(path):
            self._put(parent, child)

    def step(self, i: int, j: int, heads: bool, inverted: bool) -> None:
        """Change the graph at the nodes i and j, or leave it if a condition would break."""
        if not heads:
            if self._n_arcs == len(self.parents) - 1:  # connected with so few arcs: a polytree
                self._move(i, j, inverted)
        elif self.parents[j] >> i & 1:
            self._remove(i, j)
        else:
            self._add(i, j)

    def _add(self, i: int, j: int) -> None:
        if self._n_arcs == self._bounds.arcs or self._reaches(j, i):
            return
        self._put(i, j)
        if not self._is_within_bounds(i, j):
            self._take(i, j)

    def _remove(self, i: int, j: int) -> None:
        if self._n_arcs < len(self.parents):
            return  # every arc of a polytree is a bridge
        self._take(i, j)
        if not self._is_connected(i, j) or not self._is_within_bounds(i, j):
            self._put(i, j)

    def _move(self, i: int, j: int, inverted: bool) -> None:
        """Join j to i instead of its neighbour on the path from i; the graph stays a polytree."""
        neighbour = self._before(i, j)
        old = (neighbour, j) if self.parents[j] >> neighbour & 1 else (j, neighbour)
        new = (j, i) if inverted else (i, j)
        self._take(*old)
        self._put(*new)
        if not self._is_within_bounds(i, j):
            self._take(*new)
            self._put(*old)

    def _put(self, parent: int, child: int) -> None:
        self.parents[child] |= 1 << parent
        self._children[parent] |= 1 << child
        self._n_arcs += 1

    def _take(self, parent: int, child: int) -> None:
        self.parents[child] &= ~(1 << parent)
        self._children[parent] &= ~(1 << child)
        self._n_arcs -= 1

    def _is_within_bounds(self, *changed: int) -> bool:
        for node in changed:
            n_parents = self.parents[node].bit_count()
            # A node and its parents are joined in the moral graph, so that the width is at least their number.
            if n_parents > self._bounds.width or n_parents + self._children[node].bit_count() > self._bounds.degree:
                return False
        return _width(self.parents, self._bounds.width) <= self._bounds.width

    def _reaches(self, start: int, goal: int) -> bool:
        """Whether a directed path leads from start to goal."""
        seen = frontier = self._children[start]
        while frontier and not seen >> goal & 1:
            following = 0
            for node in _members(frontier):
                following |= self._children[node]
            frontier = following & ~seen
            seen |= frontier
        return bool(seen >> goal & 1)

    def _is_connected(self, start: int, goal: int) -> bool:
        """Whether a path leads from start to goal along arcs in either direction."""
        seen = frontier = 1 << start
        while frontier and not seen >> goal & 1:
            following = 0
            for node in _members(frontier):
                following |= self.parents[node] | self._children[node]
            frontier = following & ~seen
            seen |= frontier
        return bool(seen >> goal & 1)

    def _before(self, start: int, goal: int) -> int:
        """Last node before the goal on the path from start, in a polytree."""
        around = self.parents[goal] | self._children[goal]
        seen = frontier = 1 << start
        while not around & frontier:
            following = 0
            for node in _members(frontier):
                following |= self.parents[node] | self._children[node]
            frontier = following & ~seen
            seen |= frontier
        return (around & frontier).bit_length() - 1


def _width(parents: list[int], limit: int) -> int:
    """Heuristic width of the graph with these parents, or any number above the limit once that is certain."""
    adjacent = _moral_graph(parents)
    left = set(range(len(adjacent)))
    width = 0
    degrees = [row.bit_count() for row in adjacent]
    while len(left) > width + 1:  # those that are left cannot have more neighbours than that
        node = min(left, key=degrees.__getitem__)
        left.remove(node)
        width = max(width, degrees[node])
        if width > limit:
            return width
        neighbours = adjacent[node]
        for other in _members(neighbours):
            adjacent[other] = (adjacent[other] | neighbours) & ~(1 << other | 1 << node)
            degrees[other] = adjacent[other].bit_count()
    return width


def _moral_graph(parents: list[int]) -> list[int]:
    """Neighbours of each node when arcs lose their direction and the parents of a node are joined."""
    adjacent = list(parents)
    for child, row in enumerate(parents):
        family = row | 1 << child
        for parent in _members(row):
            adjacent[parent] |= family & ~(1 << parent)
    return adjacent


def _members(bits: int) -> list[int]:
    """Positions of the ones."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found
