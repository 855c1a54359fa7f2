"""Searches over directed acyclic graphs."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.search.dags.clean_up import uncover_v_structures
    from arcwise.search.dags.greedy import Greedy, greedy
    from arcwise.search.dags.k2 import K2Search, k2
    from arcwise.search.dags.look_ahead import LookAhead, look_ahead
    from arcwise.search.dags.mmhc import Mmhc, mmhc
    from arcwise.search.dags.mtmhc import Mtmhc, mtmhc
    from arcwise.search.dags.reinsertion import Reinsertion, reinsertion
    from arcwise.search.dags.tabu import Tabu, tabu

__all__ = [
    "Greedy",
    "K2Search",
    "LookAhead",
    "Mmhc",
    "Mtmhc",
    "Reinsertion",
    "Tabu",
    "greedy",
    "k2",
    "look_ahead",
    "mmhc",
    "mtmhc",
    "reinsertion",
    "tabu",
    "uncover_v_structures",
]

names_later(
    __name__,
    {
        "clean_up": "uncover_v_structures",
        "greedy": "Greedy greedy",
        "k2": "K2Search k2",
        "look_ahead": "LookAhead look_ahead",
        "mmhc": "Mmhc mmhc",
        "mtmhc": "Mtmhc mtmhc",
        "reinsertion": "Reinsertion reinsertion",
        "tabu": "Tabu tabu",
    },
)
