"""Slow, obvious twins of posteriors: all graphs of a few nodes, one after the other."""

from collections.abc import Callable, Collection
from itertools import combinations, permutations
from math import exp, fsum

import numpy as np
import numpy.typing as npt

from arcwise import Constraints, LocalScore
from oracles_exact import allows, parents_of
from oracles_graph import Arc, Arcs, all_dags

Weights = dict[Arcs, float]


def n_orders(n: int, arcs: Collection[Arc]) -> int:
    """How many orders put every arc forward."""
    return sum(all(order.index(a) < order.index(b) for a, b in arcs) for order in permutations(range(n)))


def posterior_of_graphs(
    score: LocalScore, constraints: Constraints | None = None, *, by_orders: bool = False
) -> Weights:
    """Share of each graph when all are weighted by exp(score), and by how many orders they fit."""
    n = len(score.names)
    local = {
        (child, frozenset(parents)): score.local(child, parents)
        for child in range(n)
        for size in range(n)
        for parents in combinations([v for v in range(n) if v != child], size)
    }
    totals = {
        arcs: fsum(local[child, parents] for child, parents in enumerate(parents_of(n, arcs)))
        for arcs in all_dags(n)
        if constraints is None or allows(constraints, score.names, arcs)
    }
    best = max(totals.values())
    weights = {arcs: exp(total - best) * (n_orders(n, arcs) if by_orders else 1) for arcs, total in totals.items()}
    whole = fsum(weights.values())
    return {arcs: weight / whole for arcs, weight in weights.items()}


def probabilities(n: int, weights: Weights, related: Callable[[Arcs, int], Collection[int]]) -> npt.NDArray[np.float64]:
    """At [i, j] the share of the graphs in which j is related to i."""
    found = np.zeros((n, n))
    for arcs, weight in weights.items():
        for i in range(n):
            found[i, [j for j in related(arcs, i) if j != i]] += weight
    return found


def children(arcs: Arcs, i: int) -> set[int]:
    return {b for a, b in arcs if a == i}


def blanket(arcs: Arcs, i: int) -> set[int]:
    """Parents, children, and other parents of children."""
    below = children(arcs, i)
    return below | {a for a, b in arcs if b == i or b in below}
