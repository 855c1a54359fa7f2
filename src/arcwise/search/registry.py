"""The searches by name: all that `learn`, the command line and the documentation know of them comes from here."""

from arcwise.search.classes.ges import Ges
from arcwise.search.classes.kes import Kes
from arcwise.search.classes.xges import Xges
from arcwise.search.dags.greedy import Greedy
from arcwise.search.dags.k2 import K2Search
from arcwise.search.dags.look_ahead import LookAhead
from arcwise.search.dags.mmhc import Mmhc
from arcwise.search.dags.mtmhc import Mtmhc
from arcwise.search.dags.tabu import Tabu
from arcwise.search.exact.front import Exact
from arcwise.search.orders.growing import Orders
from arcwise.search.orders.selected import AsObs, IInObs, InObs, MInObs, Obs
from arcwise.search.search import Search
from arcwise.search.trees.chow_liu import ChowLiu

__all__ = ["SEARCHES"]

SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Orders(),
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
        Mmhc(),
        Mtmhc(),
        K2Search(),
        Ges(),
        Kes(),
        Xges(),
        ChowLiu(),
        Exact(),
    )
}
"""The searches by name, each with its default options; ``auto`` is not one of them, but picks one."""
