"""A slow twin of optimal reinsertion: all parents and children of a node, by definition."""

from collections.abc import Iterator
from itertools import chain, combinations

from oracles_graph import Arcs, has_cycle


def _subsets(nodes: list[int], largest: int) -> Iterator[tuple[int, ...]]:
    """All sets of up to so many of the nodes."""
    return chain.from_iterable(combinations(nodes, size) for size in range(largest + 1))


def reinsertions(arcs: Arcs, n: int, largest: int) -> Iterator[Arcs]:
    """All acyclic graphs in which one node has other parents, up to so many, and other children."""
    for node in range(n):
        rest = frozenset(arc for arc in arcs if node not in arc)
        others = [other for other in range(n) if other != node]
        for parents in _subsets(others, largest):
            free = [other for other in others if other not in parents]
            for children in _subsets(free, len(free)):
                graph = rest | {(parent, node) for parent in parents} | {(node, child) for child in children}
                if not has_cycle(n, graph):
                    yield graph


def single_changes(arcs: Arcs, n: int) -> Iterator[Arcs]:
    """All acyclic graphs with one arc more, less or reversed."""
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    for graph in (*(arcs ^ {pair} for pair in pairs), *(arcs - {(a, b)} | {(b, a)} for a, b in arcs)):
        if not has_cycle(n, graph):
            yield graph
