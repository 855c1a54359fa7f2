"""Trees: the best one, and mixtures of many."""

from arcwise.search.trees.chow_liu import ChowLiu, chow_liu
from arcwise.search.trees.mixture import LearnedMixture, tree_mixture

__all__ = ["ChowLiu", "LearnedMixture", "chow_liu", "tree_mixture"]
