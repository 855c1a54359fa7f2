"""Exact search: the best graph there is, and the proof."""

from arcwise.search.exact.best_networks import BestNetworks, RankedNetwork, best_networks
from arcwise.search.exact.dynamic import dynamic_programme
from arcwise.search.exact.front import exact

__all__ = ["BestNetworks", "RankedNetwork", "best_networks", "dynamic_programme", "exact"]
