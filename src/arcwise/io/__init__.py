"""Files that hold networks and graphs."""

from arcwise.io.files import GRAPH_FORMATS, NETWORK_FORMATS, read_graph, read_network, write_graph, write_network

__all__ = [
    "GRAPH_FORMATS",
    "NETWORK_FORMATS",
    "read_graph",
    "read_network",
    "write_graph",
    "write_network",
]
