"""Junction trees: the plan of exact inference in a discrete network, and its size before any table is made."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import combinations

__all__ = ["JunctionTree", "junction_tree"]


@dataclass(frozen=True)
class JunctionTree:
    """Cliques of a triangulated moral graph as a tree, or one tree for each connected part.

    The cliques that have a node are connected in it, and every family of the network is in one of them: tables that are
    multiplied there, and sums that are passed along the tree, give the posterior of every node (Lauritzen and
    Spiegelhalter 1988, doi:10.1111/j.2517-6161.1988.tb01721.x).

    Parameters
    ----------
    cliques
        The nodes of each clique, ascending; none of them is within another.
    above
        For each clique the one that it hangs on, which comes before it; -1 for the first of a tree.
    homes
        For each node a clique that has it and all its parents.
    sizes
        How many cells each clique has: joint states of its nodes.

    Examples
    --------
    A chain a → b → c and a node apart, with 2, 3, 2 and 2 states:

    >>> tree = junction_tree([(), (0,), (1,), ()], [2, 3, 2, 2])
    >>> tree.cliques, tree.separators, tree.cells, tree.width
    (((1, 2), (0, 1), (3,)), ((), (1,), ()), 14, 1)
    """

    cliques: tuple[tuple[int, ...], ...]
    above: tuple[int, ...]
    homes: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def cells(self) -> int:
        """Cells of all cliques together: the numbers that inference keeps."""
        return sum(self.sizes)

    @property
    def width(self) -> int:
        """One less than the largest clique has nodes."""
        return max(map(len, self.cliques), default=0) - 1

    @cached_property
    def separators(self) -> tuple[tuple[int, ...], ...]:
        """For each clique the nodes that it shares with the one above."""
        return tuple(
            () if up < 0 else tuple(sorted(set(clique).intersection(self.cliques[up])))
            for clique, up in zip(self.cliques, self.above, strict=True)
        )

    @cached_property
    def steps(self) -> int:
        """How many cells one pass of messages in both directions visits: each clique's, once for each neighbour."""
        neighbours = [0] * len(self.cliques)
        for clique, up in enumerate(self.above):
            if up >= 0:
                neighbours[clique] += 1
                neighbours[up] += 1
        return sum(size * (1 + n) for size, n in zip(self.sizes, neighbours, strict=True))


def junction_tree(
    parents: Sequence[Sequence[int]], arities: Sequence[int], *, most_cells: int | None = None
) -> JunctionTree | None:
    """Tree of the cliques that a good elimination order makes; None if it would have more than `most_cells` cells.

    Nodes are eliminated by the number of edges that this adds, and of those that add equally many the one whose clique
    has the fewest cells (Kjærulff 1990). This is a heuristic: the smallest tree is NP-hard to find. It makes no table,
    and stops at the first clique that is too large.

    Parameters
    ----------
    parents
        The parents of each node, by index.
    arities
        How many states each node has, at least 1.
    most_cells
        What all cliques together may have.
    """
    near: dict[int, set[int]] = {}
    for node, others in _eliminated(parents, arities):
        if most_cells is not None and math.prod(arities[one] for one in (node, *others)) > most_cells:
            return None
        near[node] = others
    tree = _tree(near, parents, arities)
    return None if most_cells is not None and tree.cells > most_cells else tree


def _tree(near: dict[int, set[int]], parents: Sequence[Sequence[int]], arities: Sequence[int]) -> JunctionTree:
    """Tree of the largest cliques, from what each node was joined to when it was eliminated, in that order.

    A node hangs on the first of its neighbours to be eliminated after it, whose clique has all the others. Where that
    is no larger than them, it is within the clique of the node itself, and is not kept.
    """
    position = {node: place for place, node in enumerate(near)}
    holder: dict[int, int] = {}
    within: dict[int, int] = {}
    cliques: list[tuple[int, ...]] = []
    last: list[int] = []  # node of each clique that is eliminated last of those that it stands for
    hangs_on = {node: min(others, key=position.__getitem__) for node, others in near.items() if others}
    for node, others in near.items():
        if node in within:
            holder[node] = holder[within[node]]
            last[holder[node]] = node
        else:
            holder[node] = len(cliques)
            cliques.append(tuple(sorted((node, *others))))
            last.append(node)
        up = hangs_on.get(node)
        if up is not None and len(near[up]) + 1 == len(others):
            within.setdefault(up, node)
    # What a clique hangs on is eliminated after it: the other way round, it comes first.
    order = sorted(range(len(cliques)), key=lambda clique: -position[last[clique]])
    place = {clique: k for k, clique in enumerate(order)}
    above = [place[holder[hangs_on[last[clique]]]] if last[clique] in hangs_on else -1 for clique in order]
    first = [min((node, *row), key=position.__getitem__) for node, row in enumerate(parents)]
    return JunctionTree(
        cliques=tuple(cliques[clique] for clique in order),
        above=tuple(above),
        homes=tuple(place[holder[node]] for node in first),
        sizes=tuple(math.prod(arities[node] for node in cliques[clique]) for clique in order),
    )


def _eliminated(parents: Sequence[Sequence[int]], arities: Sequence[int]) -> Iterator[tuple[int, set[int]]]:
    """Yield each node of the moral graph as it is eliminated, with the neighbours that it has then."""
    graph = _FillGraph(arities)
    for node, row in enumerate(parents):
        for one, other in combinations((*row, node), 2):
            graph.join(one, other)
    queue: list[tuple[int, int, int]] = []
    graph.changed.update(range(len(arities)))
    while graph.changed or queue:
        for node in graph.changed:
            heappush(queue, (graph.fill[node], graph.weights[node], node))
        graph.changed.clear()
        fill, weight, node = heappop(queue)
        # An entry is out of date once the node has changed, which has another one then.
        if node in graph.gone or (fill, weight) != (graph.fill[node], graph.weights[node]):
            continue
        others = graph.neighbours[node]
        for one, other in combinations(sorted(others), 2):
            graph.join(one, other)
        graph.remove(node)
        yield node, others


class _FillGraph:
    """An undirected graph that knows for each node how many pairs of its neighbours are not joined.

    It is kept up with each edge, so that a node with thousands of neighbours costs no more than one with few.
    """

    def __init__(self, arities: Sequence[int]) -> None:
        # Whole numbers, so that equal weights are equal in whatever order they were added up.
        self._logarithms = [round(2**20 * math.log2(arity)) for arity in arities]
        self.neighbours: list[set[int]] = [set() for _ in arities]
        self.fill = [0] * len(arities)
        self.weights = self._logarithms.copy()  # of the clique of a node and its neighbours
        self.gone: set[int] = set()
        self.changed: set[int] = set()

    def join(self, one: int, other: int) -> None:
        """Add an edge, unless it is there."""
        near, far = self.neighbours[one], self.neighbours[other]
        if other in near:
            return
        common = near & far
        for node in common:
            self.fill[node] -= 1
        self.fill[one] += len(near) - len(common)
        self.fill[other] += len(far) - len(common)
        near.add(other)
        far.add(one)
        self.weights[one] += self._logarithms[other]
        self.weights[other] += self._logarithms[one]
        self.changed.update(common, (one, other))

    def remove(self, node: int) -> None:
        """Take away a node whose neighbours are all joined to each other."""
        others = self.neighbours[node]
        self.gone.add(node)
        self.changed.discard(node)
        for other in others:
            # The node was not joined to what is not a neighbour of its own.
            self.fill[other] -= len(self.neighbours[other]) - len(others)
            self.neighbours[other].remove(node)
            self.weights[other] -= self._logarithms[node]
        self.changed.update(others)
