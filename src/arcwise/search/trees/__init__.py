"""Trees: the best one, and mixtures of many."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.search.trees.chow_liu import ChowLiu, chow_liu
    from arcwise.search.trees.mixture import LearnedMixture, tree_mixture

__all__ = ["ChowLiu", "LearnedMixture", "chow_liu", "tree_mixture"]

names_later(
    __name__,
    {
        "chow_liu": "ChowLiu chow_liu",
        "mixture": "LearnedMixture tree_mixture",
    },
)
