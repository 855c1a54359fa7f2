"""Graphs and networks as the objects of other libraries, and back."""

from arcwise.interop.igraph import from_igraph, to_igraph
from arcwise.interop.networkx import from_networkx, network_from_networkx, to_networkx
from arcwise.interop.pgmpy import from_pgmpy, to_pgmpy
from arcwise.interop.pyagrum import from_pyagrum, to_pyagrum

__all__ = [
    "from_igraph",
    "from_networkx",
    "from_pgmpy",
    "from_pyagrum",
    "network_from_networkx",
    "to_igraph",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
]
