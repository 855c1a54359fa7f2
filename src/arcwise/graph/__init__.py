"""Graphs with named nodes, the classes they stand for, and how far two of them are apart."""

from arcwise.graph.compare import Comparison, compare
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag

__all__ = ["Comparison", "Cpdag", "Dag", "compare"]
