"""Searches over Markov equivalence classes."""

from arcwise.search.classes.boundary import ClassNeighbour, inclusion_boundary
from arcwise.search.classes.ges import Ges, ges
from arcwise.search.classes.kes import Kes, kes
from arcwise.search.classes.xges import Xges, xges

__all__ = ["ClassNeighbour", "Ges", "Kes", "Xges", "ges", "inclusion_boundary", "kes", "xges"]
