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
