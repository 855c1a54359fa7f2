"""Tables of parent sets with the families of a graph."""

from collections.abc import Sequence

import numpy as np

from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.set_arrays import offsets
from arcwise.scores.local_score import LocalScore

__all__ = ["with_families"]


def with_families(table: ParentSets, parents: Sequence[Sequence[int]], score: LocalScore) -> ParentSets:
    """Table that has the given parents of every variable too.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(100, seed=1))
    >>> lists = [[(score.local(v, []), [])] for v in range(5)]
    >>> with_families(ParentSets.from_lists(score.data.names, lists), [[], [], [0], [], []], score).n_sets
    6
    """
    missing = [v for v, of in enumerate(parents) if not _has(table, v, of)]
    ends = table.variable_begin[[v + 1 for v in missing]]
    counted = np.diff(table.variable_begin)
    counted[missing] += 1
    sizes = np.insert(np.diff(table.set_begin), ends, [len(parents[v]) for v in missing])
    at = np.repeat(table.set_begin[ends], [len(parents[v]) for v in missing])
    members = np.insert(table.members, at, [member for v in missing for member in sorted(parents[v])])
    scores = np.insert(table.scores, ends, [score.local(v, parents[v]) for v in missing])
    return ParentSets.from_arrays(table.names, offsets(counted), offsets(sizes), members, scores)


def _has(table: ParentSets, variable: int, parents: Sequence[int]) -> bool:
    first, last = table.variable_begin[variable : variable + 2]
    candidates = first + np.flatnonzero(np.diff(table.set_begin[first : last + 1]) == len(parents))
    members = table.members[table.set_begin[candidates][:, None] + np.arange(len(parents))]
    return bool((members == np.sort(np.asarray(parents, dtype=np.intp))).all(axis=1).any())
