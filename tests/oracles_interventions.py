"""Slow, obvious twins of what interventions change: rows that count, and graphs that cannot be told apart."""

from collections.abc import Collection, Sequence
from functools import cache

import oracles
from arcwise.scores.definitions import SCORES
from oracles_graph import Arcs, all_dags, skeleton, v_structures

Targets = tuple[frozenset[int], ...]


def local_score(
    name: str,
    data: tuple[oracles.Rows, Sequence[int], Sequence[int] | None],
    forced: Sequence[Collection[int]],
    child: int,
    parents: Sequence[int],
) -> float:
    """The local score of codes, arities and weights over the rows in which the child was not set; N counts all rows."""
    codes, arities, weights = data
    counted = [1] * len(codes) if weights is None else weights
    free = [0 if child in targets else weight for targets, weight in zip(forced, counted, strict=True)]
    counts = oracles.family_counts(codes, free, child, parents)
    shape = oracles.Shape(arities[child], [arities[parent] for parent in parents], sum(counted), len(arities))
    return oracles.score_of_counts(name, counts, shape, SCORES[name]().parameter)


@cache
def classes(n: int, targets: Targets) -> tuple[tuple[Arcs, ...], ...]:
    """All graphs over n nodes, those together that interventions on these sets of nodes cannot tell apart.

    Hauser & Bühlmann 2012, JMLR 13, theorem 10: the same skeleton and v-structures, and for each set the same skeleton
    after all arcs into its members are cut.
    """
    found: dict[object, list[Arcs]] = {}
    for arcs in all_dags(n):
        cut = tuple(skeleton([arc for arc in arcs if arc[1] not in members]) for members in targets)
        found.setdefault((skeleton(arcs), v_structures(arcs), cut), []).append(arcs)
    return tuple(map(tuple, found.values()))
