"""Neighbourhoods: which variables are looked at as parents of which.

A neighbourhood is a function that takes a `LocalScore` and gives, for each variable by name, the names of its candidate
parents; a mapping of that form will do too. Any selection of parent sets, and any search that asks for candidates, can
be restricted by one. A function with an argument ``budget`` that is None by default is given that of the search.
"""

from collections.abc import Callable, Collection, Mapping
from inspect import signature
from warnings import warn

import numpy as np

from arcwise.graph.node_lists import NodeLists
from arcwise.runs.budget import Budget
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.quoting import cut, listed, quoted

__all__ = ["CandidateParents", "Neighbourhood", "candidate_lists", "score_filter"]

CandidateParents = Mapping[str, Collection[str]]
Neighbourhood = Callable[..., CandidateParents]


def score_filter(score: LocalScore, *, budget: Budget | None = None) -> dict[str, tuple[str, ...]]:
    """Return for each variable those that improve its score as its only parent.

    The filter of Vandel, Mangin & de Givry (2012, PGM, section 4.3). A parent that helps only together with another
    one is lost.

    Parameters
    ----------
    score
        The score, bound to its data.
    budget
        When to stop; what has not been scored by then stays a candidate, with a warning.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10, names=["a", "b", "c"])
    >>> score_filter(LocalScore(data))
    {'a': ('b',), 'b': ('a',), 'c': ()}
    """
    names = instance("score", score, LocalScore).data.names
    core = instance("budget", budget, Budget, default=Budget).core
    candidates, unknown = {}, 0
    for v, name in enumerate(names):
        others = np.delete(np.arange(len(names)), v)
        gains = np.full(len(others), np.nan)
        if not core.exhausted:
            gains = score.core.additions(v, [], others.tolist(), core) - score.core.local(v, [], core)
        unknown += bool(np.isnan(gains).any())  # a batch that was cut short
        candidates[name] = tuple(names[u] for u in others[~(gains <= score.rounding)].tolist())
    if unknown:
        warn(
            f"the budget ended before the candidates of {unknown} of {len(names)} variables were scored; those that "
            "were not are among them",
            ArcwiseWarning,
            stacklevel=2,
        )
    return candidates


def candidate_lists(
    score: LocalScore, neighbourhood: Neighbourhood | CandidateParents, budget: Budget | None = None
) -> NodeLists:
    """Return the candidate parents of each variable by index.

    Parameters
    ----------
    score
        The score, bound to its data.
    neighbourhood
        A function or a mapping.
    budget
        When to stop looking for neighbours, where the function takes a budget and has none of its own.
    """
    given = _found(score, neighbourhood, budget) if callable(neighbourhood) else neighbourhood
    if not isinstance(given, Mapping):
        raise ParameterError.of("neighbourhood", "a function or a mapping from names to names", given)
    place = {name: v for v, name in enumerate(score.data.names)}
    for child, parents in given.items():
        if isinstance(parents, str) or not isinstance(parents, Collection):
            raise ParameterError(f"the neighbourhood of {quoted(child)} must be a list of names, not {quoted(parents)}")
    unknown = {name for child, parents in given.items() for name in (child, *parents)} - set(place)
    if unknown:
        shown = listed(sorted(map(str, unknown)), most=5, show=cut)
        raise ParameterError(f"the neighbourhood names variables the data does not have: {shown}")
    missing = [name for name in place if name not in given]
    if missing:
        shown = listed(missing, most=5, show=cut)
        raise ParameterError(f"the neighbourhood says nothing about {shown}; give an empty list for no candidates")
    # Itself among its candidates is a harmless slip.
    return NodeLists.from_lists([[place[one] for one in given[name] if one != name] for name in place])


def _found(score: LocalScore, neighbourhood: Neighbourhood, budget: Budget | None) -> CandidateParents:
    try:
        takes = signature(neighbourhood).parameters.get("budget")
    except ValueError:  # a compiled function does not tell
        takes = None
    if budget is None or takes is None or takes.default is not None:
        return neighbourhood(score)
    return neighbourhood(score, budget=budget)
