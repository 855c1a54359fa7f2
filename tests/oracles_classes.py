"""Slow, obvious twins of the searches over equivalence classes: all members of a class, all single changes of them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import permutations, product
from math import ceil, comb

from oracles_graph import Arcs, skeleton, v_structures

# What makes graphs equivalent (Verma & Pearl 1990): skeleton and v-structures.
Key = tuple[frozenset[frozenset[int]], frozenset[tuple[frozenset[int], int]]]
Score = Callable[[Arcs], float]
# Whether a graph may be; a class may be when one of its members may.
Allowed = Callable[[Arcs], bool]

KINDS = ("insert", "delete", "reverse")


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
    """All graphs that are equivalent to one: every direction of those of its edges that are in no v-structure."""
    key = key_of(arcs)
    fixed = frozenset((a, b) for pair, b in key[1] for a in pair)
    free = [tuple(edge) for edge in key[0] - skeleton(fixed)]
    graphs = (
        fixed | {(b, a) if reverse else (a, b) for (a, b), reverse in zip(free, reversals, strict=True)}
        for reversals in product((False, True), repeat=len(free))
    )
    return [graph for graph in graphs if key_of(graph) == key and is_acyclic(n, graph)]


def changes(n: int, arcs: Arcs, kinds: Collection[str]) -> Iterator[Arcs]:
    """One arc more, one less, one the other way round."""
    for a, b in permutations(range(n), 2):
        if (a, b) in arcs:
            if "delete" in kinds:
                yield arcs - {(a, b)}
            if "reverse" in kinds:
                yield (arcs - {(a, b)}) | {(b, a)}
        elif (b, a) not in arcs and "insert" in kinds:
            yield arcs | {(a, b)}


def boundary(
    n: int, arcs: Arcs, kinds: Collection[str] = ("insert", "delete"), allowed: Allowed | None = None
) -> dict[Key, Arcs]:
    """The classes of all acyclic single changes of all members of a class, each with one of its graphs."""
    found: dict[Key, Arcs] = {}
    for graph in members(n, arcs):
        for changed in changes(n, graph, kinds):
            if key_of(changed) not in found and is_acyclic(n, changed):
                found[key_of(changed)] = changed
    found.pop(key_of(arcs), None)
    if allowed is not None:
        found = {key: graph for key, graph in found.items() if any(map(allowed, members(n, graph)))}
    return found


def best(n: int, arcs: Arcs, score: Score, kinds: Collection[str], allowed: Allowed | None = None) -> Arcs | None:
    """The best class next to this one if it is better; there must be no ties."""
    better = [graph for graph in boundary(n, arcs, kinds, allowed).values() if score(graph) > score(arcs) + 1e-9]
    return max(better, key=score, default=None)


def climb(
    n: int, arcs: Arcs, score: Score, priorities: Sequence[Collection[str]], allowed: Allowed | None = None
) -> Arcs:
    """The best move of the first kinds that have one, until there is none."""
    while True:
        moves = (best(n, arcs, score, kinds, allowed) for kinds in priorities)
        found = next((graph for graph in moves if graph is not None), None)
        if found is None:
            return arcs
        arcs = found


def extended_climb(n: int, arcs: Arcs, score: Score, allowed: Allowed | None = None) -> Arcs:
    """XGES: at a local optimum every deletion is tried, best first, without bringing the arc back.

    What was given up for something better stays away at first; then everything is tried again, and in each trial the
    arc may come back in the end. A deletion takes an arc from certain parents of its end. It is tried as long as a
    graph of the class has them; an undirected edge is deleted as an arc from the lower node to the higher one.
    """
    priorities = (("delete",), ("reverse",), ("insert",))
    arcs = climb(n, arcs, score, priorities, allowed)
    for bans_stay in (True, False):
        banned: set[tuple[int, int]] = set()
        found = True
        while found:
            found = False
            for a, b, parents in _deletions(n, arcs, score):
                graph = next((one for one in members(n, arcs) if _parents(one, b) == parents), None)
                if graph is None:
                    continue
                trial = graph - {(a, b)}
                if allowed is not None and not any(map(allowed, members(n, trial))):
                    continue
                both = any((b, a) in member for member in members(n, arcs))
                away = banned | ({(a, b), (b, a)} if both else {(a, b)})
                trial = _climb_without(n, trial, score, away, priorities, allowed)
                if not bans_stay:
                    trial = climb(n, trial, score, priorities, allowed)
                if score(trial) > score(arcs) + 1e-9:
                    arcs, found = trial, True
                    banned = away if bans_stay else banned
        arcs = climb(n, arcs, score, priorities, allowed)
    return arcs


def _parents(arcs: Arcs, node: int) -> frozenset[int]:
    return frozenset(a for a, b in arcs if b == node)


def _deletions(n: int, arcs: Arcs, score: Score) -> list[tuple[int, int, frozenset[int]]]:
    """The end points of each deletion and the parents of its end, the best first; there must be no ties."""
    every = members(n, arcs)
    found = {}
    for graph in every:
        for a, b in graph:
            if a < b or all((a, b) in other for other in every):
                found[a, b, _parents(graph, b)] = score(graph - {(a, b)}) - score(graph)
    return sorted(found, key=lambda deletion: -found[deletion])


def _climb_without(
    n: int,
    arcs: Arcs,
    score: Score,
    banned: Collection[tuple[int, int]],
    priorities: Sequence[Collection[str]],
    allowed: Allowed | None,
) -> Arcs:
    """Climb without moves to classes that putting in a banned arc, or reversing its opposite, leads to."""
    while True:
        shut = {
            key_of((graph - {(b, a)}) | {(a, b)})
            for graph in members(n, arcs)
            for a, b in banned
            if (a, b) not in graph and is_acyclic(n, (graph - {(b, a)}) | {(a, b)})
        }
        for kinds in priorities:
            near = boundary(n, arcs, kinds, allowed)
            better = [near[key] for key in near if score(near[key]) > score(arcs) + 1e-9]
            better = [graph for graph in better if key_of(graph) not in shut]
            if better:
                arcs = max(better, key=score)
                break
        else:
            return arcs


def k_greedy_ends(n: int, arcs: Arcs, score: Score, k: float) -> Mapping[Key, float]:
    """The probability of each class to be where KES(k) ends, by its definition; there must be no ties."""
    ends: dict[Key, float] = defaultdict(float)
    waiting: dict[Key, tuple[Arcs, float]] = {key_of(arcs): (arcs, 1.0)}
    while waiting:
        # No way leads up to the lowest class: all its probability has arrived.
        key = min(waiting, key=lambda one: score(waiting[one][0]))
        graph, probability = waiting.pop(key)
        better = sorted(
            (other for other in boundary(n, graph).values() if score(other) > score(graph) + 1e-9),
            key=score,
            reverse=True,
        )
        if not better:
            ends[key] += probability
        size = max(1, ceil(len(better) * k - 1e-9))
        for rank, other in enumerate(better):
            # It is drawn, and all others that are drawn are worse.
            share = comb(len(better) - rank - 1, size - 1) / comb(len(better), size)
            so_far = waiting.get(key_of(other), (other, 0.0))[1]
            waiting[key_of(other)] = other, so_far + probability * share
    return ends
