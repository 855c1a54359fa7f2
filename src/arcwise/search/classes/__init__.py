"""Searches over Markov equivalence classes."""

from arcwise.search.classes.boundary import ClassNeighbour, inclusion_boundary
from arcwise.search.classes.ges import ges
from arcwise.search.classes.kes import kes
from arcwise.search.classes.xges import xges

__all__ = ["ClassNeighbour", "ges", "inclusion_boundary", "kes", "xges"]
