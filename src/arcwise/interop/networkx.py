"""Graphs and networks as networkx graphs, and back."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Table
from arcwise.network.network import BayesianNetwork
from arcwise.support.arguments import real_numbers
from arcwise.support.errors import GraphError, ParameterError
from arcwise.support.libraries import library
from arcwise.support.messages import type_of
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    import networkx

__all__ = ["from_networkx", "network_from_networkx", "to_networkx"]

#: The attributes of a continuous node that have its distribution, in the order of `ConditionalGaussian`.
_GAUSSIAN = ("intercepts", "coefficients", "deviations")


def to_networkx(graph: Dag | Cpdag | BayesianNetwork) -> "networkx.DiGraph":
    """Graph for networkx, its nodes in the same order.

    An undirected edge of a `Cpdag` is two arcs, one in either direction, as in `Cpdag.adjacency`; a directed one has no
    opposite. The nodes of a network have the attributes ``states``, ``parents`` and ``table``, the probabilities with
    one axis for each of these parents and a last one for the node. Continuous nodes have no states, and instead of the
    table ``intercepts``, ``coefficients`` and ``deviations`` as `ConditionalGaussian` has them.

    Raises
    ------
    MissingLibraryError
        If networkx is not installed.

    Examples
    --------
    >>> graph = to_networkx(Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")]))
    >>> list(graph.edges)
    [('a', 'b'), ('b', 'c'), ('c', 'b')]
    """
    if not isinstance(graph, Dag | Cpdag | BayesianNetwork):
        raise ParameterError.of("graph", "a Dag, a Cpdag or a BayesianNetwork", type_of(graph))
    made = _networkx().DiGraph()
    if isinstance(graph, BayesianNetwork):
        for name, states, found in zip(graph.names, graph.states, graph.distributions, strict=True):
            numbers = {"table": found.probabilities} if isinstance(found, Table) else _gaussian_attributes(found)
            made.add_node(name, states=states, parents=graph.dag.parents(name), **numbers)
        made.add_edges_from(graph.dag.arcs)
        return made
    made.add_nodes_from(graph.names)
    if isinstance(graph, Dag):
        made.add_edges_from(graph.arcs)
    else:
        made.add_edges_from(graph.directed)
        made.add_edges_from(pair for a, b in graph.undirected for pair in ((a, b), (b, a)))
    return made


def _gaussian_attributes(gaussian: ConditionalGaussian) -> dict[str, Any]:
    return {key: getattr(gaussian, key) for key in _GAUSSIAN}


def from_networkx(graph: "networkx.DiGraph") -> Dag:
    """DAG of a networkx graph, its nodes in the same order; attributes are left out.

    Raises
    ------
    GraphError
        For a graph with undirected or parallel edges, a node that is not a string, an arc from a node to itself, and a
        cycle, whose nodes are named.
    ParameterError
        For something else than a graph of networkx.
    MissingLibraryError
        If networkx is not installed.

    Examples
    --------
    >>> import networkx
    >>> from_networkx(networkx.DiGraph([("rain", "wet"), ("sprinkler", "wet")])).parents("wet")
    ('rain', 'sprinkler')
    """
    _refuse_other_graphs(graph)
    return Dag(graph.nodes, graph.edges)


def network_from_networkx(graph: "networkx.DiGraph") -> BayesianNetwork:
    """Network of a networkx graph whose nodes have the attributes that `to_networkx` gives them.

    Raises
    ------
    GraphError
        As `from_networkx`, and if a node has no such attribute or its ``parents`` are not those of the graph.
    ParameterError
        If states and tables do not fit the graph or each other, or a table holds something else than probabilities.

    Examples
    --------
    >>> network = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
    >>> network_from_networkx(to_networkx(network)) == network
    True
    """
    dag = from_networkx(graph)
    states: list[Sequence[str]] = []
    for name in dag.names:
        attributes = graph.nodes[name]
        _refuse_missing(name, attributes, ("states", "parents"))
        for key in ("states", "parents"):
            if not isinstance(attributes[key], list | tuple):
                raise GraphError(
                    f"the attribute {quoted(key)} of {quoted(name)} must be a list, not {quoted(attributes[key])}"
                )
        _refuse_missing(name, attributes, ("table",) if attributes["states"] else _GAUSSIAN)
        states.append(attributes["states"])
    continuous = {name for name, labels in zip(dag.names, states, strict=True) if not labels}
    found = []
    for name in dag.names:
        parents, attributes = dag.parents(name), graph.nodes[name]
        _refuse_other_parents(name, parents, attributes["parents"])
        if name in continuous:
            found.append(_gaussian(name, parents, attributes, continuous))
        else:
            found.append(_transposed(name, parents, attributes["parents"], attributes["table"]))
    return BayesianNetwork(dag, states, found)


def _refuse_missing(name: str, attributes: Mapping[str, Any], keys: Sequence[str]) -> None:
    missing = [key for key in keys if key not in attributes]
    if missing:
        raise GraphError(
            f"node {quoted(name)} has no attribute {quoted(missing[0])}; to_networkx says which ones are needed"
        )


def _refuse_other_parents(name: str, parents: Sequence[str], given: Sequence[str]) -> None:
    if len(given) != len(parents) or any(parent not in given for parent in parents):
        raise GraphError(
            f"the attribute 'parents' of {quoted(name)} is {quoted(given)}, but in the graph they are {quoted(parents)}"
        )


def _gaussian(
    name: str, parents: Sequence[str], attributes: Mapping[str, Any], continuous: Collection[str]
) -> ConditionalGaussian:
    """Distribution of a continuous node, for parents in the order of the graph."""
    try:
        found = ConditionalGaussian(*(attributes[key] for key in _GAUSSIAN))
    except ParameterError as error:
        raise ParameterError(f"the distribution of {quoted(name)} does not fit together: {error}") from None
    orders = []
    for is_continuous in (False, True):
        given = [parent for parent in attributes["parents"] if (parent in continuous) == is_continuous]
        orders.append([given.index(parent) for parent in parents if parent in given])
    if (len(found.shape), found.n_coefficients) != (len(orders[0]), len(orders[1])):
        raise ParameterError(
            f"the intercepts of {quoted(name)} must have {len(orders[0])} axes, one for each discrete parent, and "
            f"{len(orders[1])} coefficients each, not {len(found.shape)} and {found.n_coefficients}"
        )
    return found.reordered(*orders)


def _transposed(name: str, parents: tuple[str, ...], given: Sequence[str], table: Any) -> Any:
    """Table with its axes in the order of the graph, which may not be the order in which they were given."""
    try:
        values = real_numbers(table)
    except TypeError:
        raise ParameterError(f"the table of {quoted(name)} must be numbers in an array, not {quoted(table)}") from None
    if values.ndim != len(given) + 1:
        raise ParameterError(
            f"the table of {quoted(name)} must have {len(given) + 1} axes, for {quoted([*given, name])}"
        )
    return values.transpose(*(given.index(parent) for parent in parents), len(given))


def _refuse_other_graphs(graph: Any) -> None:
    if not isinstance(graph, _networkx().Graph):
        raise ParameterError.of("graph", "a networkx.DiGraph", type_of(graph))
    if graph.is_multigraph():
        raise GraphError("the graph can have several edges between two nodes; make it simple: networkx.DiGraph(graph)")
    if not graph.is_directed():
        raise GraphError("the graph has undirected edges; a DAG needs directed ones: make a networkx.DiGraph of them")
    for node in graph.nodes:
        if not isinstance(node, str):
            raise GraphError(
                f"the node {quoted(node)} must be a string, not {type(node).__name__}; rename the nodes with "
                "networkx.relabel_nodes(graph, str)"
            )


def _networkx() -> Any:
    return library("networkx", called="networkx", package="networkx")
