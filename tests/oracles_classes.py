"""Slow, obvious twins of the searches over equivalence classes: all members of a class, all single changes of them."""

from collections.abc import Collection, Iterator
from itertools import permutations

from oracles_graph import Arcs, consistent_extensions, skeleton, v_structures

# What makes graphs equivalent (Verma & Pearl 1990): skeleton and v-structures.
Key = tuple[frozenset[frozenset[int]], frozenset[tuple[frozenset[int], int]]]


def key_of(arcs: Arcs) -> Key:
    return skeleton(arcs), v_structures(arcs)


def is_acyclic(n: int, arcs: Collection[tuple[int, int]]) -> bool:
    """Whether nodes without parents can be taken away until none is left."""
    left, rest = set(range(n)), set(arcs)
    while left:
        sources = left - {b for _, b in rest}
        if not sources:
            return False
        left -= sources
        rest = {(a, b) for a, b in rest if a in left}
    return True


def members(n: int, arcs: Arcs) -> list[Arcs]:
    """All graphs that are equivalent to one: every direction of its edges, those with its v-structures kept."""
    fixed = frozenset((a, b) for pair, b in v_structures(arcs) for a in pair)
    free = sorted(tuple(sorted(edge)) for edge in skeleton(arcs) - skeleton(fixed))
    found = consistent_extensions(n, fixed, [(a, b) for a, b in free])
    return [graph for graph in found if key_of(graph) == key_of(arcs)]


def changes(n: int, arcs: Arcs, *, turning: bool) -> Iterator[Arcs]:
    """One arc more, one less, and, where wanted, one the other way round."""
    for a, b in permutations(range(n), 2):
        if (a, b) in arcs:
            yield arcs - {(a, b)}
            if turning:
                yield (arcs - {(a, b)}) | {(b, a)}
        elif (b, a) not in arcs:
            yield arcs | {(a, b)}


def boundary(n: int, arcs: Arcs, *, turning: bool = False) -> dict[Key, Arcs]:
    """The classes of all acyclic single changes of all members of a class, each with one of its graphs."""
    found = {}
    for graph in members(n, arcs):
        for changed in changes(n, graph, turning=turning):
            if is_acyclic(n, changed):
                found[key_of(changed)] = changed
    found.pop(key_of(arcs), None)
    return found
