"""Searches over Markov equivalence classes."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.search.classes.boundary import ClassNeighbour, inclusion_boundary
    from arcwise.search.classes.ges import Ges, ges
    from arcwise.search.classes.kes import Kes, kes
    from arcwise.search.classes.xges import Xges, xges

__all__ = ["ClassNeighbour", "Ges", "Kes", "Xges", "ges", "inclusion_boundary", "kes", "xges"]

names_later(
    __name__,
    {
        "boundary": "ClassNeighbour inclusion_boundary",
        "ges": "Ges ges",
        "kes": "Kes kes",
        "xges": "Xges xges",
    },
)
