"""Candidate parent sets: what order-based and exact searches choose from."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.parents.mmpc import mmpc
    from arcwise.parents.mtmpc import mtmpc
    from arcwise.parents.neighbourhoods import score_filter
    from arcwise.parents.parent_sets import ParentSets
    from arcwise.parents.selection import SELECTIONS, Limits, Selected, select

__all__ = ["SELECTIONS", "Limits", "ParentSets", "Selected", "mmpc", "mtmpc", "score_filter", "select"]

names_later(
    __name__,
    {
        "mmpc": "mmpc",
        "mtmpc": "mtmpc",
        "neighbourhoods": "score_filter",
        "parent_sets": "ParentSets",
        "selection": "SELECTIONS Limits Selected select",
    },
)
