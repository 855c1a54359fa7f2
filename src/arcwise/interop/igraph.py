"""Graphs as those of igraph, and back."""

from typing import TYPE_CHECKING, Any

from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import GraphError, ParameterError
from arcwise.support.libraries import library
from arcwise.support.messages import type_of

if TYPE_CHECKING:
    import igraph

__all__ = ["from_igraph", "to_igraph"]


def to_igraph(graph: Dag | Cpdag | BayesianNetwork) -> "igraph.Graph":
    """Directed graph for igraph, its nodes in the same order, with the attribute ``name``.

    An undirected edge of a `Cpdag` is two arcs, one in either direction, as in `Cpdag.adjacency`.

    Raises
    ------
    MissingLibraryError
        If igraph is not installed: it is under the GPL, and no extra of arcwise brings it.

    Examples
    --------
    >>> to_igraph(Dag(["rain", "wet"], [("rain", "wet")])).get_edgelist()
    [(0, 1)]
    """
    if isinstance(graph, BayesianNetwork):
        graph = graph.dag
    if not isinstance(graph, Dag | Cpdag):
        raise ParameterError.of("graph", "a Dag, a Cpdag or a BayesianNetwork", type_of(graph))
    arcs = [(parent, child) for child, row in enumerate(graph.parent_indices) for parent in row]
    if isinstance(graph, Cpdag):
        arcs += [(one, other) for one, row in enumerate(graph.neighbour_indices) for other in row]
    made: Any = _igraph().Graph(n=graph.n_nodes, edges=arcs, directed=True)
    made.vs["name"] = list(graph.names)
    return made


def from_igraph(graph: "igraph.Graph") -> Dag:
    """DAG of a directed graph of igraph, whose nodes have the attribute ``name``, or are called X0, X1, ….

    Raises
    ------
    GraphError
        For an undirected graph, parallel arcs and a cycle, whose nodes are named.
    ParameterError
        For something else than a graph of igraph.
    MissingLibraryError
        If igraph is not installed.

    Examples
    --------
    >>> from_igraph(to_igraph(Dag(["rain", "wet"], [("rain", "wet")]))).arcs
    (('rain', 'wet'),)
    """
    if not isinstance(graph, _igraph().Graph):
        raise ParameterError.of("graph", "a Graph of igraph", type_of(graph))
    if not graph.is_directed():
        raise GraphError("the graph is undirected; a DAG has directed arcs only")
    named = "name" in graph.vs.attributes()
    names = list(graph.vs["name"]) if named else [f"X{place}" for place in range(graph.vcount())]
    return Dag(names, [(names[tail], names[head]) for tail, head in graph.get_edgelist()])


def _igraph() -> Any:
    return library("igraph", called="igraph", package="igraph", extra=None)
