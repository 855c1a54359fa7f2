"""Neighbourhoods: which variables are looked at as parents of which.

A neighbourhood is a function that takes a `LocalScore` and gives, for each variable by name, the names of its candidate
parents; a mapping of that form will do too. Any selection of parent sets, and any search that asks for candidates, can
be restricted by one.
"""

from collections.abc import Callable, Collection, Mapping

import numpy as np
import numpy.typing as npt

from arcwise.errors import ParameterError
from arcwise.scores.local_score import LocalScore

__all__ = ["Candidates", "Neighbourhood", "candidate_matrix", "score_filter"]

Candidates = Mapping[str, Collection[str]]
Neighbourhood = Callable[[LocalScore], Candidates]


def score_filter(score: LocalScore) -> dict[str, tuple[str, ...]]:
    """Return for each variable those that improve its score as its only parent.

    The filter of Vandel, Mangin & de Givry (2012, PGM, section 4.3). A parent that helps only together with another
    one is lost.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10, names=["a", "b", "c"])
    >>> score_filter(LocalScore(data))
    {'a': ('b',), 'b': ('a',), 'c': ()}
    """
    names = score.data.names
    candidates = {}
    for v, name in enumerate(names):
        others = [other for u, other in enumerate(names) if u != v]
        better = score.additions(v) > score.local(v) + score.rounding
        candidates[name] = tuple(np.array(others, dtype=object)[better])
    return candidates


def candidate_matrix(score: LocalScore, neighbourhood: Neighbourhood | Candidates) -> npt.NDArray[np.bool_]:
    """Return a matrix that is true at [child, parent] where the neighbourhood lists the parent."""
    given = neighbourhood(score) if callable(neighbourhood) else neighbourhood
    if not isinstance(given, Mapping):
        raise ParameterError(f"neighbourhood must be a function or a mapping from names to names, not {given!r}")
    place = {name: v for v, name in enumerate(score.data.names)}
    for child, parents in given.items():
        if isinstance(parents, str) or not isinstance(parents, Collection):
            raise ParameterError(f"the neighbourhood of {child!r} must be a list of names, not {parents!r}")
    unknown = {name for child, parents in given.items() for name in (child, *parents)} - set(place)
    if unknown:
        listed = ", ".join(sorted(map(str, unknown))[:5])
        raise ParameterError(f"the neighbourhood names variables the data does not have: {listed}")
    missing = [name for name in place if name not in given]
    if missing:
        listed = ", ".join(missing[:5])
        raise ParameterError(f"the neighbourhood says nothing about {listed}; give an empty list for no candidates")
    matrix = np.zeros((len(place), len(place)), dtype=np.bool_)
    for child, parents in given.items():
        matrix[place[child], [place[parent] for parent in parents]] = True
    np.fill_diagonal(matrix, val=False)  # itself among its candidates: a harmless slip
    return matrix
