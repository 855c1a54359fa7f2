"""Graphs and networks to and from networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.graph import Cpdag, Dag
from arcwise.interop import from_networkx, network_from_networkx, to_networkx
from arcwise.network import BayesianNetwork
from arcwise.simulation.examples import load_example
from arcwise.simulation.random import random_network
from arcwise.support.errors import ArcwiseError, GraphError, ParameterError
from graph_strategies import dags
from network_cases import MIXED, mixed_networks


@given(dags())
def test_a_dag_is_the_same_after_both_ways(dag: Dag) -> None:
    graph = to_networkx(dag)
    assert nx.is_directed_acyclic_graph(graph)
    assert from_networkx(graph) == dag


@given(dags(min_nodes=2))
def test_networkx_finds_the_same_separations(dag: Dag) -> None:
    graph = to_networkx(dag)
    first, last, *rest = dag.names
    for given_names in ([], rest[:1], rest):
        assert nx.is_d_separator(graph, {first}, {last}, set(given_names)) == dag.is_d_separated(
            first, last, given=given_names
        )


@given(dags())
def test_a_cpdag_has_the_matrix_that_networkx_makes(dag: Dag) -> None:
    cpdag = dag.cpdag()
    if dag.n_nodes:
        matrix = nx.to_numpy_array(to_networkx(cpdag), dtype=np.bool_)
        assert np.array_equal(matrix, cpdag.adjacency())
        assert Cpdag.from_adjacency(matrix, cpdag.names) == cpdag


def test_a_network_keeps_states_and_tables() -> None:
    for network in (load_example("asia"), random_network(6, 9, arities=range(1, 5), seed=3)):
        assert network_from_networkx(to_networkx(network)) == network


@given(mixed_networks(st.text(max_size=5)))
@settings(max_examples=50, deadline=None)
def test_a_network_keeps_its_gaussians(network: BayesianNetwork) -> None:
    graph = to_networkx(network)
    assert network_from_networkx(graph) == network
    for name in network.names:
        attributes = graph.nodes[name]
        assert ("table" in attributes) == bool(attributes["states"])
        assert ("deviations" in attributes) == (name in network.continuous)


def test_parents_of_continuous_nodes_may_be_in_another_order() -> None:
    graph = to_networkx(MIXED)
    for name in MIXED.continuous:
        attributes = graph.nodes[name]
        attributes["parents"] = attributes["parents"][::-1]
        for key in ("intercepts", "deviations"):
            attributes[key] = attributes[key].T
        axes = [*reversed(range(attributes["intercepts"].ndim)), attributes["intercepts"].ndim]
        attributes["coefficients"] = attributes["coefficients"].transpose(axes)[..., ::-1]
    assert network_from_networkx(graph) == MIXED


def test_gaussians_that_do_not_fit_are_refused() -> None:
    name = next(name for name in MIXED.continuous if MIXED.dag.parents(name))
    graph = to_networkx(MIXED)
    graph.nodes[name]["deviations"] = -np.asarray(graph.nodes[name]["deviations"])
    with pytest.raises(ParameterError, match=f"the distribution of '{name}' does not fit together: deviations must"):
        network_from_networkx(graph)
    graph.nodes[name].update(intercepts=0.0, coefficients=[], deviations=1.0)
    with pytest.raises(ParameterError, match=rf"the intercepts of '{name}' must have \d axes, .* not 0 and 0"):
        network_from_networkx(graph)
    del graph.nodes[name]["deviations"]
    with pytest.raises(GraphError, match=f"node '{name}' has no attribute 'deviations'"):
        network_from_networkx(graph)


def test_nodes_and_axes_may_be_in_another_order() -> None:
    network = random_network(5, 8, arities=range(2, 5), seed=1)
    graph = to_networkx(network)
    backwards = nx.DiGraph()
    for name in reversed(network.names):
        attributes = graph.nodes[name]
        parents, table = attributes["parents"], attributes["table"]
        axes = [*reversed(range(len(parents))), len(parents)]
        backwards.add_node(
            name, states=list(attributes["states"]), parents=parents[::-1], table=table.transpose(axes).tolist()
        )
    backwards.add_edges_from(graph.edges)
    back = network_from_networkx(backwards)
    assert back.names == network.names[::-1]
    data = network.sample(100, seed=0)
    assert np.allclose(back.log_likelihoods(data), network.log_likelihoods(data))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph([("a", "b")]), "undirected edges"),
        (nx.MultiDiGraph([("a", "b")]), r"make it simple: networkx.DiGraph\(graph\)"),
        (nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")]), "the arcs form a cycle: '.' -> '.' -> '.'"),
        (nx.DiGraph([("a", "a")]), "starts and ends at the same node"),
        (nx.DiGraph([(0, 1)]), r"the node 0 must be a string, not int; .* networkx.relabel_nodes\(graph, str\)"),
    ],
)
def test_what_is_not_a_dag_is_refused(graph: nx.Graph, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        from_networkx(graph)


def test_what_is_not_a_network_is_refused() -> None:
    graph = to_networkx(load_example("cancer"))
    graph.nodes["Cancer"]["parents"] = ("Smoker", "Xray")
    with pytest.raises(GraphError, match="the attribute 'parents' of 'Cancer' is"):
        network_from_networkx(graph)
    graph.nodes["Cancer"]["parents"] = ("Smoker", "Pollution")
    graph.nodes["Cancer"]["table"] = [0.5, 0.5]
    with pytest.raises(ParameterError, match="the table of 'Cancer' must have 3 axes"):
        network_from_networkx(graph)
    del graph.nodes["Pollution"]["states"]
    with pytest.raises(GraphError, match="node 'Pollution' has no attribute 'states'"):
        network_from_networkx(graph)


def test_other_objects_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"must be a networkx\.DiGraph, not list"):
        from_networkx([("a", "b")])
    with pytest.raises(ArcwiseError, match="must be a Dag, a Cpdag or a BayesianNetwork, not list"):
        to_networkx([("a", "b")])  # type: ignore[arg-type]
