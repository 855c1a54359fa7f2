"""The searches by name: all that `learn`, the command line and the documentation know of them comes from here."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from types import MappingProxyType

from arcwise.search.classes.ges import Ges
from arcwise.search.classes.kes import Kes
from arcwise.search.classes.xges import Xges
from arcwise.search.dags.greedy import Greedy
from arcwise.search.dags.k2 import K2Search
from arcwise.search.dags.look_ahead import LookAhead
from arcwise.search.dags.mmhc import Mmhc
from arcwise.search.dags.mtmhc import Mtmhc
from arcwise.search.dags.reinsertion import Reinsertion
from arcwise.search.dags.tabu import Tabu
from arcwise.search.exact.front import Exact
from arcwise.search.orders.growing import Orders
from arcwise.search.orders.islands import Islands
from arcwise.search.orders.tables import AsObs, IInObs, InObs, MInObs, Obs
from arcwise.search.search import Search
from arcwise.search.targets.classifiers import NaiveBayes, Tan
from arcwise.search.targets.markov_blanket import MarkovBlanket
from arcwise.search.trees.chow_liu import ChowLiu
from arcwise.support.arguments import instance
from arcwise.support.names import one_of

__all__ = ["CLASSIFIERS", "SEARCHES", "search_named"]

_EVERY: tuple[Search, ...] = (
    Orders(),
    Islands(),
    Obs(),
    AsObs(),
    InObs(),
    IInObs(),
    MInObs(),
    Greedy(),
    Greedy(moves="adrs"),
    Greedy(moves="a*ds*"),
    Tabu(),
    LookAhead(),
    Reinsertion(),
    Mmhc(),
    Mtmhc(),
    K2Search(),
    Ges(),
    Kes(),
    Xges(),
    ChowLiu(),
    MarkovBlanket(),
    Exact(),
)

SEARCHES: Mapping[str, Search] = MappingProxyType({search.name: search for search in _EVERY})
"""The searches by name, each with its default options; ``auto`` is not one of them, but picks one."""

CLASSIFIERS: Mapping[str, Search] = MappingProxyType({search.name: search for search in (NaiveBayes(), Tan())})
"""Graphs around a target whose form is given: `learn` makes them by name, but they are not the best by any score."""

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
    if not isinstance(name, str) or name not in (*SEARCHES, *CLASSIFIERS):
        for entry in entry_points(group=_GROUP):
            if entry.name == name:
                search: Search = instance(f"the search {name}", entry.load(), Search)
                return search
    every = {**SEARCHES, **CLASSIFIERS}
    return every[one_of("method", name, (*others, *every), other="a search such as Greedy()")]
