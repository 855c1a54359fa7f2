"""Files that hold networks and graphs."""

from arcwise.io.bif import format_bif, parse_bif, read_bif, write_bif
from arcwise.io.files import GRAPH_FORMATS, NETWORK_FORMATS, read_graph, read_network, write_graph, write_network

__all__ = [
    "GRAPH_FORMATS",
    "NETWORK_FORMATS",
    "format_bif",
    "parse_bif",
    "read_bif",
    "read_graph",
    "read_network",
    "write_bif",
    "write_graph",
    "write_network",
]
