"""Slow, obvious twins of exact search: every graph is scored."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import fsum

import numpy as np

from arcwise import Constraints, Dag, ParentSets
from arcwise.search.exact.clusters import Choice
from oracles_graph import all_dags


@cache
def families_of_all_dags(n: int) -> list[tuple[frozenset[int], ...]]:
    """The parents of each node, in every graph of so many nodes."""
    return [tuple(frozenset(a for a, b in arcs if b == child) for child in range(n)) for arcs in all_dags(n)]


def scored_over(table: ParentSets) -> Iterator[tuple[float, tuple[frozenset[int], ...]]]:
    """Every graph whose families are in the table, with its score."""
    at = {name: index for index, name in enumerate(table.names)}
    scores = [{frozenset(at[parent] for parent in of): score for score, of in table.sets(name)} for name in table.names]
    for parents in families_of_all_dags(len(scores)):
        if all(of in known for of, known in zip(parents, scores, strict=True)):
            yield fsum(known[of] for of, known in zip(parents, scores, strict=True)), parents


def graphs_over(table: ParentSets) -> Iterator[tuple[float, Dag]]:
    """Every graph whose families are in the table, with its score."""
    for score, parents in scored_over(table):
        yield score, Dag.from_parents(table.names, parents)


def best_score(table: ParentSets, constraints: Constraints | None = None) -> float | None:
    """The score of the best graph that the constraints allow; None if there is none."""
    best: float | None = None
    for score, parents in scored_over(table):
        if best is not None and score <= best:
            continue
        if constraints is None or constraints.satisfied_by(Dag.from_parents(table.names, parents)):
            best = score
    return best


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
