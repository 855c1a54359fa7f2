"""Neighbourhoods: which variables are looked at as parents of which.

A neighbourhood is a function that takes a `LocalScore` and gives, for each variable by name, the names of its candidate
parents; a mapping of that form will do too. Any selection of parent sets, and any search that asks for candidates, can
be restricted by one. A function with an argument ``budget`` that is None by default is given half of what the search
may use, so that something is left for the search.
"""

from collections.abc import Callable, Collection, Mapping
from inspect import signature
from warnings import warn

import numpy as np

from arcwise.graph.node_lists import NodeLists
from arcwise.parents.open_names import OpenNames
from arcwise.runs.budget import Budget
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.quoting import cut, listed, quoted

__all__ = ["CandidateParents", "Neighbourhood", "candidate_lists", "score_filter"]

CandidateParents = Mapping[str, Collection[str]]
Neighbourhood = Callable[..., CandidateParents]

# Of what a search may use, what looking for neighbours may take.
_SHARE = 0.5
# Candidates of all variables that a budget left open together, of which searches make lists.
_MOST_LISTED = 1 << 22


def score_filter(score: LocalScore, *, budget: Budget | None = None) -> dict[str, Collection[str]]:
    """Return for each variable those that improve its score as its only parent.

    The filter of Vandel, Mangin & de Givry (2012, PGM, section 4.3). A parent that helps only together with another
    one is lost.

    Parameters
    ----------
    score
        The score, bound to its data.
    budget
        When to stop; what has not been scored by then stays a candidate, with a warning. Variables of which nothing
        has been scored have sets that are not listed.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10, names=["a", "b", "c"])
    >>> score_filter(LocalScore(data))
    {'a': ('b',), 'b': ('a',), 'c': ()}
    """
    names = instance("score", score, LocalScore).data.names
    core = instance("budget", budget, Budget, default=Budget).core
    candidates: dict[str, Collection[str]] = {}
    unknown = 0
    for v, name in enumerate(names):
        if core.exhausted and len(names) > 1:
            break
        others = np.delete(np.arange(len(names)), v)
        gains = score.core.additions(v, [], None, core) - score.core.local(v, [], core)
        unknown += bool(np.isnan(gains).any())  # a batch that was cut short
        candidates[name] = tuple(names[u] for u in others[~(gains <= score.rounding)].tolist())
    if left := names[len(candidates) :]:
        unknown += len(left)
        shared = frozenset(names)
        candidates |= {name: OpenNames.of(shared, [name]) for name in left}
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
        That of the search, of which the function gets a half where it takes a budget and has none of its own. Where it
        ended so early that what it left open has too many pairs to list, variables left open are joined only with
        those of which they are candidates themselves.
    """
    given = _found(score, neighbourhood, budget) if callable(neighbourhood) else neighbourhood
    if not isinstance(given, Mapping):
        raise ParameterError.of("neighbourhood", "a function or a mapping from names to names", given)
    place = {name: v for v, name in enumerate(score.data.names)}
    for child, parents in given.items():
        if isinstance(parents, str) or not isinstance(parents, Collection):
            raise ParameterError(f"the neighbourhood of {quoted(child)} must be a list of names, not {quoted(parents)}")
    given, left_open = _short_enough(given)
    unknown = {name for child, parents in given.items() for name in (child, *parents)} - set(place)
    if unknown:
        shown = listed(sorted(map(str, unknown)), most=5, show=cut)
        raise ParameterError(f"the neighbourhood names variables the data does not have: {shown}")
    missing = [name for name in place if name not in given]
    if missing:
        shown = listed(missing, most=5, show=cut)
        raise ParameterError(f"the neighbourhood says nothing about {shown}; give an empty list for no candidates")
    # Itself among its candidates is a harmless slip.
    lists = NodeLists.from_lists([[place[one] for one in given[name] if one != name] for name in place])
    if not left_open:
        return lists
    is_open = np.array([name in left_open for name in place])
    back = lists.transposed
    return lists | back.where(is_open[back.pairs[:, 0]])


def _short_enough(given: CandidateParents) -> tuple[CandidateParents, Collection[str]]:
    """Return what was found alone where a budget left too much open to list it, and of which variables it did."""
    left = {name: parents for name, parents in given.items() if isinstance(parents, OpenNames)}
    if sum(map(len, left.values())) <= _MOST_LISTED:
        return given, ()
    warn(
        f"a budget left the neighbours of {len(left):,} of {len(given):,} variables open, too many to look at all of "
        "them; they are joined only with variables of which they are neighbours",
        ArcwiseWarning,
        stacklevel=2,
    )
    return {**given, **{name: parents.besides for name, parents in left.items()}}, left


def _found(score: LocalScore, neighbourhood: Neighbourhood, budget: Budget | None) -> CandidateParents:
    try:
        takes = signature(neighbourhood).parameters.get("budget")
    except ValueError:  # a compiled function does not tell
        takes = None
    if budget is None or takes is None or takes.default is not None:
        return neighbourhood(score)
    return neighbourhood(score, budget=budget.part(share=_SHARE, evaluation_share=_SHARE))
