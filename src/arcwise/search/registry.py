"""The searches by name: all that `learn`, the command line and the documentation know of them comes from here."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from arcwise.search.search import Search
from arcwise.support.arguments import instance
from arcwise.support.names import one_of

__all__ = ["CLASSIFIERS", "SEARCHES", "search_named"]


class _Searches(Mapping[str, Search]):
    """Searches by name, each of which is imported when it is asked for: a program runs one or two of them."""

    def __init__(self, homes: Mapping[str, tuple[str, str, dict[str, object]]]) -> None:
        self._homes = homes
        self._made = cache(self._make)

    def _make(self, name: str) -> Search:
        module, search, options = self._homes[name]
        made: Search = getattr(import_module(f"arcwise.search.{module}"), search)(**options)
        return made

    def __getitem__(self, name: str) -> Search:
        return self._made(name)

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


SEARCHES: Mapping[str, Search] = _Searches(
    {
        "orders": ("orders.growing", "Orders", {}),
        "islands": ("orders.islands", "Islands", {}),
        "obs": ("orders.tables", "Obs", {}),
        "asobs": ("orders.tables", "AsObs", {}),
        "inobs": ("orders.tables", "InObs", {}),
        "iinobs": ("orders.tables", "IInObs", {}),
        "minobs": ("orders.tables", "MInObs", {}),
        "narrow": ("orders.narrow", "Narrow", {}),
        "greedy": ("dags.greedy", "Greedy", {}),
        "sgs2": ("dags.greedy", "Greedy", {"moves": "adrs"}),
        "sgs3": ("dags.greedy", "Greedy", {"moves": "a*ds*"}),
        "tabu": ("dags.tabu", "Tabu", {}),
        "lagd": ("dags.look_ahead", "LookAhead", {}),
        "reinsertion": ("dags.reinsertion", "Reinsertion", {}),
        "mmhc": ("dags.mmhc", "Mmhc", {}),
        "mtmhc": ("dags.mtmhc", "Mtmhc", {}),
        "k2": ("dags.k2", "K2Search", {}),
        "ges": ("classes.ges", "Ges", {}),
        "kes": ("classes.kes", "Kes", {}),
        "xges": ("classes.xges", "Xges", {}),
        "chow-liu": ("trees.chow_liu", "ChowLiu", {}),
        "markov-blanket": ("targets.markov_blanket", "MarkovBlanket", {}),
        "exact": ("exact.front", "Exact", {}),
    }
)
"""The searches by name, each with its default options; ``auto`` is not one of them, but picks one."""

CLASSIFIERS: Mapping[str, Search] = _Searches(
    {
        "naive-bayes": ("targets.classifiers", "NaiveBayes", {}),
        "tan": ("targets.classifiers", "Tan", {}),
    }
)
"""Graphs around a target whose form is given: `learn` makes them by name, but they are not the best by any score."""

_ELSEWHERE = {
    "hc": "greedy",
    "hill-climbing": "greedy",
    "hill_climbing": "greedy",
    "hillclimb": "greedy",
    "fges": "ges",
    "naive_bayes": "naive-bayes",
    "chow_liu": "chow-liu",
    "gobnilp": "exact",
}
"""What other packages call some of them, for messages."""

_GROUP = "arcwise.searches"


def search_named(name: str, *others: str) -> Search:
    """Return the search of a name: one of arcwise, or one that another package has under this name.

    Other packages offer theirs as entry points of the group ``arcwise.searches``.

    Parameters
    ----------
    name
        The name.
    others
        Names that are allowed where this one was asked for, besides searches; for the message.

    Raises
    ------
    ParameterError
        If there is no search of this name.

    Examples
    --------
    >>> search_named("sgs3")
    Greedy(moves='a*ds*', climbs=10, neighbourhood=None, random_start=False, kick=0, restriction=None)
    """
    every = (*SEARCHES, *CLASSIFIERS)
    if not isinstance(name, str) or name not in every:
        for entry in entry_points(group=_GROUP):
            if entry.name == name:
                search: Search = instance(f"the search {name}", entry.load(), Search)
                return search
    name = one_of("method", name, (*others, *every), other="a search such as Greedy()", elsewhere=_ELSEWHERE)
    return SEARCHES[name] if name in SEARCHES else CLASSIFIERS[name]
