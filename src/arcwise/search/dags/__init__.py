"""Searches over directed acyclic graphs."""

from arcwise.search.dags.clean_up import uncover_v_structures
from arcwise.search.dags.greedy import greedy
from arcwise.search.dags.k2 import k2
from arcwise.search.dags.look_ahead import look_ahead
from arcwise.search.dags.mmhc import mmhc
from arcwise.search.dags.mtmhc import mtmhc
from arcwise.search.dags.tabu import tabu

__all__ = ["greedy", "k2", "look_ahead", "mmhc", "mtmhc", "tabu", "uncover_v_structures"]
