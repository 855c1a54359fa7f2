"""Slow, obvious twins of exact search: all graphs of a few nodes, one after the other."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from math import fsum, inf

from arcwise import Constraints
from oracles_graph import Arcs, classes

# For each variable, by index, its sets with their scores; in any order.
Lists = Sequence[Sequence[tuple[float, frozenset[int]]]]
# The score of a child with its parents; None where it must not have them.
Local = Callable[[int, frozenset[int]], float | None]


def local_of(lists: Lists) -> Local:
    """Scores as a table has them."""
    scores = [{members: score for score, members in sets} for sets in lists]
    return lambda child, parents: scores[child].get(parents)


def allows(constraints: Constraints, names: Sequence[str], arcs: Arcs) -> bool:
    """No constraint is broken, one kind after the other."""
    named = {(names[tail], names[head]) for tail, head in arcs}
    tier = {name: at for at, members in enumerate(constraints.tiers) for name in members}
    most = constraints.max_parents
    limits = dict(most) if isinstance(most, tuple) else {name: len(names) if most is None else most for name in names}
    return (
        named >= set(constraints.required)
        and not named & set(constraints.forbidden)
        and all(tail not in tier or head not in tier or tier[tail] <= tier[head] for tail, head in named)
        and all(sum(head == name for _, head in named) <= limit for name, limit in limits.items())
    )


@cache
def parents_of(n: int, arcs: Arcs) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(tail for tail, head in arcs if head == child) for child in range(n))


def class_scores(
    n: int, local: Local, names: Sequence[str] = (), constraints: Constraints | None = None
) -> dict[tuple[Arcs, ...], float]:
    """The best score of the graphs of each class that there are; classes without any are left out."""
    remembered = cache(local)
    best: dict[tuple[Arcs, ...], float] = {}
    for members in classes(n):
        for arcs in members:
            scores = [remembered(child, parents) for child, parents in enumerate(parents_of(n, arcs))]
            known = [score for score in scores if score is not None]
            if len(known) == n and (constraints is None or allows(constraints, names, arcs)):
                best[members] = max(best.get(members, -inf), fsum(known))
    return best


def subset_programming(lists: Lists) -> float:
    """The recursion of Silander & Myllymäki over all subsets, with every set of every variable at each step."""
    n = len(lists)
    masks = [[(score, sum(1 << member for member in members)) for score, members in sets] for sets in lists]
    best = [0.0] + [-inf] * (2**n - 1)
    for subset in range(2**n):
        for v in range(n):
            if not subset >> v & 1:
                inside = [score for score, mask in masks[v] if not mask & ~subset]
                best[subset | 1 << v] = max(best[subset | 1 << v], best[subset] + max(inside, default=-inf))
    return best[-1]


def common_cycle(lists: Lists, a: int, b: int) -> bool:
    """Some choice of parents among all members of the sets leads from a to b and back."""
    children: list[set[int]] = [set() for _ in lists]
    for child, sets in enumerate(lists):
        for _, members in sets:
            for member in members:
                children[member].add(child)

    def reached(start: int) -> Collection[int]:
        found, frontier = {start}, [start]
        while frontier:
            fresh = children[frontier.pop()] - found
            found |= fresh
            frontier += fresh
        return found

    return b in reached(a) and a in reached(b)
