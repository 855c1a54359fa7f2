"""Slow, obvious twins of the graph algorithms, over arcs (i, j) between positions, for small graphs only."""

from collections.abc import Collection, Iterator
from functools import cache
from itertools import combinations, permutations, product

Arc = tuple[int, int]
Arcs = frozenset[Arc]


def has_cycle(n: int, arcs: Collection[Arc]) -> bool:
    """No order of the nodes puts every arc forward."""
    return not any(all(order.index(a) < order.index(b) for a, b in arcs) for order in permutations(range(n)))


@cache
def all_dags(n: int) -> tuple[Arcs, ...]:
    """Every DAG on n nodes: all forward choices of arcs, under all orders."""
    found: set[Arcs] = set()
    for order in permutations(range(n)):
        pairs = list(combinations(order, 2))
        for chosen in product((False, True), repeat=len(pairs)):
            found.add(frozenset(pair for pair, take in zip(pairs, chosen, strict=True) if take))
    return tuple(sorted(found, key=lambda arcs: (len(arcs), sorted(arcs))))


def skeleton(arcs: Collection[Arc]) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(arc) for arc in arcs)


def v_structures(arcs: Collection[Arc]) -> frozenset[tuple[frozenset[int], int]]:
    """Pairs of non-adjacent parents with their child."""
    edges = skeleton(arcs)
    return frozenset(
        (frozenset((a, b)), child)
        for (a, child), (b, other) in product(arcs, repeat=2)
        if child == other and a != b and frozenset((a, b)) not in edges
    )


@cache
def classes(n: int) -> tuple[tuple[Arcs, ...], ...]:
    """The DAGs on n nodes by what Verma and Pearl say makes them equivalent."""
    groups: dict[object, list[Arcs]] = {}
    for arcs in all_dags(n):
        groups.setdefault((skeleton(arcs), v_structures(arcs)), []).append(arcs)
    return tuple(tuple(group) for group in groups.values())


def cpdag(members: Collection[Arcs]) -> tuple[Arcs, frozenset[frozenset[int]]]:
    """Arcs that all members of a class have, and the remaining edges."""
    compelled = frozenset.intersection(*members)
    return compelled, frozenset().union(*map(skeleton, members)) - skeleton(compelled)


def consistent_extensions(n: int, directed: Arcs, undirected: Collection[Arc]) -> list[Arcs]:
    """Every way to direct the undirected edges without a cycle and without a new v-structure."""
    lines = list(undirected)
    wanted = _directed_v_structures(directed, undirected)
    found = []
    for reversals in product((False, True), repeat=len(lines)):
        arcs = directed | {(b, a) if reverse else (a, b) for (a, b), reverse in zip(lines, reversals, strict=True)}
        if v_structures(arcs) == wanted and not has_cycle(n, arcs):
            found.append(arcs)
    return found


def _directed_v_structures(directed: Arcs, undirected: Collection[Arc]) -> frozenset[tuple[frozenset[int], int]]:
    edges = skeleton(directed) | skeleton(undirected)
    return frozenset(
        (frozenset((a, b)), child)
        for (a, child), (b, other) in product(directed, repeat=2)
        if child == other and a != b and frozenset((a, b)) not in edges
    )


def descendants(arcs: Collection[Arc], node: int) -> set[int]:
    """The node and everything below it."""
    found = {node}
    while True:
        more = {b for a, b in arcs if a in found} - found
        if not more:
            return found
        found |= more


def paths(arcs: Collection[Arc], x: int, y: int) -> Iterator[tuple[int, ...]]:
    """Every path without a repeated node, whichever way its arcs point."""
    edges = skeleton(arcs)

    def grow(path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if path[-1] == y:
            yield path
            return
        for edge in edges:
            if path[-1] in edge:
                (step,) = edge - {path[-1]}
                if step not in path:
                    yield from grow((*path, step))

    return grow((x,))


def is_d_separated(arcs: Collection[Arc], x: Collection[int], y: Collection[int], given: Collection[int]) -> bool:
    """Pearl's definition: every path between x and y is blocked at some inner node.

    A collider blocks unless it or a descendant is given; any other node blocks when it is given.
    """

    def blocks(before: int, node: int, after: int) -> bool:
        if (before, node) in arcs and (after, node) in arcs:
            return not descendants(arcs, node) & set(given)
        return node in given

    return all(
        any(blocks(*path[i - 1 : i + 2]) for i in range(1, len(path) - 1))
        for a, b in product(x, y)
        for path in paths(arcs, a, b)
    )
