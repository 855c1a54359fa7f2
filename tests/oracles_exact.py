<<<<<<< HEAD
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


def subset_programme(lists: Lists) -> float:
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
=======
"""Slow, obvious twins of exact search: every graph is scored."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import fsum

import numpy as np

from arcwise import Constraints, Dag, ParentSets
from arcwise.search.exact.clusters import Choice
from oracles_graph import all_dags


def graphs_over(table: ParentSets, constraints: Constraints | None = None) -> Iterator[tuple[float, Dag]]:
    """Every graph whose families are in the table and that the constraints allow, with its score."""
    names = table.names
    scores = [{frozenset(parents): score for score, parents in table.sets(name)} for name in names]
    for arcs in all_dags(len(names)):
        parents = [frozenset(names[a] for a, b in arcs if b == child) for child in range(len(names))]
        if all(of in known for of, known in zip(parents, scores, strict=True)):
            dag = Dag(names, [(names[a], names[b]) for a, b in arcs])
            if constraints is None or constraints.satisfied_by(dag):
                yield fsum(known[of] for of, known in zip(parents, scores, strict=True)), dag


def best_score(table: ParentSets, constraints: Constraints | None = None) -> float | None:
    """The score of the best graph; None if there is none."""
    return max((score for score, _ in graphs_over(table, constraints)), default=None)


def broken_by(choice: Choice, nodes: Sequence[int], first: int) -> float:
    """How far a choice is from giving `first` of these nodes fewer than `first` parents among them."""
    weights = [
        float(weight)
        for owner, contains, weight in zip(choice.owner, choice.contains, choice.weight, strict=True)
        if owner in nodes and np.count_nonzero(contains[list(nodes)]) < first
    ]
    return first - sum(weights)


def broken_clusters(choice: Choice, first: int) -> dict[tuple[int, ...], float]:
    """All clusters whose rows are broken, and by how much."""
    n = choice.n_variables
    clusters = (nodes for size in range(first + 1, n + 1) for nodes in combinations(range(n), size))
    return {nodes: by for nodes in clusters if (by := broken_by(choice, nodes, first)) > 1e-3}
>>>>>>> 117ceb3 (arcwise exact, learn(certify=): bounds and proofs from the front door; SCIP is an extra)
