"""Exact search: the best graph there is with its proof, and bounds for any graph."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.search.exact.best_networks import BestNetworks, RankedNetwork, best_networks
    from arcwise.search.exact.bounds import Bound, tightened_bound
    from arcwise.search.exact.credible import credible_networks
    from arcwise.search.exact.dynamic import DynamicProgramming, dynamic_programming
    from arcwise.search.exact.front import Exact, certified, exact
    from arcwise.search.exact.integer import IntegerProgramming, integer_programming

__all__ = [
    "BestNetworks",
    "Bound",
    "DynamicProgramming",
    "Exact",
    "IntegerProgramming",
    "RankedNetwork",
    "best_networks",
    "certified",
    "credible_networks",
    "dynamic_programming",
    "exact",
    "integer_programming",
    "tightened_bound",
]

names_later(
    __name__,
    {
        "best_networks": "BestNetworks RankedNetwork best_networks",
        "bounds": "Bound tightened_bound",
        "credible": "credible_networks",
        "dynamic": "DynamicProgramming dynamic_programming",
        "front": "Exact certified exact",
        "integer": "IntegerProgramming integer_programming",
    },
)
