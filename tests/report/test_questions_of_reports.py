"""What a report carries to answer questions, and why some carry nothing."""

import json
from base64 import b64decode

import numpy as np
import pytest

from arcwise import (
    BayesianNetwork,
    ConditionalGaussian,
    Dag,
    Provenance,
    Result,
    Run,
    Status,
    Table,
    learn,
    load_example,
)
from arcwise.report.content import content_of
from arcwise.report.questions import questions_of
from arcwise.simulation.gaussian import random_gaussian_network, random_mixed_network
from arcwise.simulation.random import random_network


def test_a_page_carries_all_tables_to_the_last_bit() -> None:
    network = load_example("alarm")
    found = questions_of(network)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    numbers = np.frombuffer(b64decode(found["tables"]), dtype="<f8")
    rows = [table / table.sum(axis=-1, keepdims=True) for table in network.tables]
    np.testing.assert_array_equal(numbers, np.concatenate([table.ravel() for table in rows]))
    for node, home in enumerate(found["homes"]):
        assert {node, *network.dag.parent_indices[node]} <= set(found["cliques"][home])


def test_the_network_that_is_asked_is_the_one_that_is_shown() -> None:
    data = load_example("asia").sample(500, seed=1)
    result = learn(data, method="greedy", seed=1)
    assert content_of(Run.of(result, data), title="")["questions"] == questions_of(result.network(ess=1.0))


def test_without_probabilities_there_is_nothing_to_ask() -> None:
    result = Result(Dag(["a", "b"]), -1.0, Status.COMPLETE, Provenance("greedy", 0), 1.0)
    assert content_of(Run(result), title="")["questions"] is None


def test_networks_of_numbers_carry_their_regressions() -> None:
    network = random_gaussian_network(9, 14, seed=1)
    found = questions_of(network)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["refusal"] is None
    order = found["gaussian"]["order"]
    for node, (parents, each) in enumerate(zip(network.dag.parent_indices, network.distributions, strict=True)):
        assert all(order.index(parent) < order.index(node) for parent in parents)
        assert isinstance(each, ConditionalGaussian)
        assert found["gaussian"]["intercepts"][node] == each.intercepts
        assert found["gaussian"]["coefficients"][node] == each.coefficients.tolist()
        assert found["gaussian"]["deviations"][node] == each.deviations


def test_thousands_of_continuous_nodes_are_refused() -> None:
    refusal = questions_of(random_gaussian_network(1001, 1000, seed=1))["refusal"]
    assert "1,001 continuous variables" in refusal
    assert "arcwise query" in refusal


def test_continuous_nodes_are_left_out() -> None:
    network = random_mixed_network(12, 20, arities=range(2, 4), seed=2)
    found = questions_of(network)
    continuous = {network.names.index(name) for name in network.continuous}
    assert 0 < len(continuous) < 12
    assert not continuous & {node for clique in found["cliques"] for node in clique}
    assert {node for node, home in enumerate(found["homes"]) if home is None} == continuous
    assert f"{len(continuous)} of 12" in found["note"]
    assert questions_of(load_example("asia"))["note"] == ""


def test_dense_networks_are_refused_with_their_size() -> None:
    # 22 nodes that are all joined, with 2 states each, and families that are small all the same.
    names = [f"v{k}" for k in range(22)]
    pairs = [(a, b) for k, a in enumerate(names) for b in names[:k]]
    children = [f"{a} {b}" for a, b in pairs]
    dag = Dag([*names, *children], [(a, child) for ends, child in zip(pairs, children, strict=True) for a in ends])
    tables = [[0.5, 0.5]] * 22 + [[[[0.5, 0.5]] * 2] * 2] * len(children)
    found = questions_of(BayesianNetwork(dag, [["0", "1"]] * dag.n_nodes, tables))
    assert list(found) == ["refusal"]
    assert f"{2**22 + 8 * len(children):,} cells" in found["refusal"]
    assert "22 variables" in found["refusal"]
    assert "arcwise query" in found["refusal"]


def test_networks_that_are_hopelessly_dense_are_refused_at_once() -> None:
    found = questions_of(random_network(2000, 6000, max_parents=4, seed=1))
    assert "more than 1,000,000,000,000 cells" in found["refusal"]


def test_long_tables_are_refused() -> None:
    dag = Dag(["a", "b"], [("a", "b")])
    states = [str(state) for state in range(400)]
    uniform = [np.full(400, 1 / 400), np.full((400, 400), 1 / 400)]
    found = questions_of(BayesianNetwork(dag, [states] * 2, uniform))
    assert f"{400 + 160_000:,} probabilities" in found["refusal"]


@pytest.mark.parametrize("states", [["only"], ["no", "yes"]])
def test_a_node_alone(states: list[str]) -> None:
    table = Table(np.full(len(states), 1 / len(states)))
    gaussian = ConditionalGaussian(np.zeros(len(states)), [[]] * len(states), np.ones(len(states)))
    found = questions_of(BayesianNetwork(Dag(["a", "x"], [("a", "x")]), [states, []], [table, gaussian]))
    assert found["cliques"] == [[0]]
    assert found["above"] == [-1]
    assert found["homes"] == [0, None]
