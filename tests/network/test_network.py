"""What a BayesianNetwork holds and refuses."""

import pickle
from typing import Any

import numpy as np
import pytest

from arcwise.graph.dag import Dag
from arcwise.network import BayesianNetwork
from arcwise.network.tables import MAX_BYTES
from arcwise.simulation.random import random_network
from arcwise.support.errors import GraphError, ParameterError
from oracles_network import joint_distribution

COLLIDER = Dag(["a", "b", "c"], [("a", "c"), ("b", "c")])
STATES = [["n", "y"], ["0", "1", "2"], ["n", "y"]]
TABLE_C = [[[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]]]
TABLES: list[Any] = [[0.25, 0.75], [0.5, 0.25, 0.25], TABLE_C]


@pytest.fixture
def network() -> BayesianNetwork:
    return BayesianNetwork(COLLIDER, STATES, TABLES)


def test_it_holds_what_it_was_given(network: BayesianNetwork) -> None:
    assert network.dag == COLLIDER
    assert network.names == ("a", "b", "c")
    assert network.states == (("n", "y"), ("0", "1", "2"), ("n", "y"))
    assert network.arities == (2, 3, 2)
    assert [table.tolist() for table in network.tables] == TABLES
    assert network.table("b").tolist() == [0.5, 0.25, 0.25]


def test_free_parameters_are_one_less_than_states_per_configuration(network: BayesianNetwork) -> None:
    assert network.n_parameters == 1 + 2 + 6 * 1
    assert repr(network) == "<BayesianNetwork: 3 nodes, 2 arcs, 9 parameters>"


def test_probabilities_are_kept_as_given_even_if_they_sum_to_one_only_nearly() -> None:
    given = [0.3333, 0.3333, 0.3333]
    assert BayesianNetwork(Dag(["a"]), [["x", "y", "z"]], [given]).tables[0].tolist() == given


def test_tables_cannot_be_changed_from_outside(network: BayesianNetwork) -> None:
    given = np.array([0.5, 0.5])
    coin = BayesianNetwork(Dag(["coin"]), [["h", "t"]], [given])
    given[:] = 0, 1
    assert coin.tables[0].tolist() == [0.5, 0.5]
    for held in (network, pickle.loads(pickle.dumps(network))):
        with pytest.raises(ValueError, match="read-only"):
            held.tables[0][0] = 1.0


def test_equality_is_exact_and_pickling_keeps_it(network: BayesianNetwork) -> None:
    other_number = BayesianNetwork(COLLIDER, STATES, [[0.25 + 1e-12, 0.75 - 1e-12], *TABLES[1:]])
    other_state = BayesianNetwork(COLLIDER, [["n", "yes"], *STATES[1:]], TABLES)
    assert network == BayesianNetwork(COLLIDER, STATES, TABLES)
    assert network == pickle.loads(pickle.dumps(network))
    assert hash(network) == hash(pickle.loads(pickle.dumps(network)))
    assert network not in (other_number, other_state)
    assert network != "network"
    assert network.is_close(other_number)
    assert not network.is_close(other_number, tolerance=1e-13)
    assert not network.is_close(other_state)


def test_an_unknown_node_is_named(network: BayesianNetwork) -> None:
    with pytest.raises(GraphError, match="'d'"):
        network.table("d")


@pytest.mark.parametrize(
    ("states", "tables", "message"),
    [
        (STATES[:2], TABLES, "states must have one entry for each of 3 nodes, not 2"),
        (STATES, TABLES[:2], "distributions must have one entry for each of 3 nodes, not 2"),
        ([["n", "n"], *STATES[1:]], TABLES, "'a' has the state 'n' twice"),
        ([[], *STATES[1:]], TABLES, "'a' must have from 1 to 65535 states, not 0"),
        (["ny", *STATES[1:]], TABLES, "the states of 'a' must be a sequence of strings, not 'ny'"),
        ([[0, 1], *STATES[1:]], TABLES, "the states of 'a' must be a sequence of strings"),
        (
            STATES,
            [TABLES[0], TABLES[1], np.full((3, 2, 2), 0.5)],
            r"'c' must have the shape \(2, 3, 2\) \(axes a, b",
        ),
        (STATES, [[0.5, 0.25, 0.25], *TABLES[1:]], r"'a' must have the shape \(2,\) \(axes a\), not \(3,\)"),
        (STATES, [[[0.5], [0.2, 0.3]], *TABLES[1:]], r"'a' must be numbers of shape \(2,\)"),
        (STATES, [["x", "y"], *TABLES[1:]], r"'a' must be numbers of shape \(2,\)"),
        (STATES, [[1.25, -0.25], *TABLES[1:]], "'a' must hold probabilities"),
        (STATES, [[np.nan, 1.0], *TABLES[1:]], "'a' must hold probabilities"),
        (STATES, [[np.inf, 0.0], *TABLES[1:]], "'a' must hold probabilities"),
        (
            STATES,
            [[0.5, 0.498], *TABLES[1:]],
            r"must hold probabilities that sum to 1 within 0.001, not \[0.5, 0.498",
        ),
        (
            STATES,
            [*TABLES[:2], [TABLE_C[0], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.6]]]],
            r"'c' at the parents' states \(1, 2\) must hold",
        ),
    ],
)
def test_what_does_not_fit_is_refused(states: list[list[str]], tables: list[Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        BayesianNetwork(COLLIDER, states, tables)


def test_graphs_of_other_kinds_are_refused() -> None:
    with pytest.raises(ParameterError, match="dag must be a Dag, not list"):
        BayesianNetwork([], [], [])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="at least one node"):
        BayesianNetwork(Dag([]), [], [])


def test_tables_too_large_for_memory_are_refused_before_they_are_made() -> None:
    names = [f"X{node}" for node in range(31)]
    dag = Dag.from_parents(names, [[]] * 30 + [range(30)])
    with pytest.raises(ParameterError, match=f"{8 * 2**31} for 'X30' with its 30 parents; at most {MAX_BYTES}"):
        BayesianNetwork(dag, [["0", "1"]] * 31, [[0.5, 0.5]] * 31)


def test_more_parents_than_an_array_has_axes_are_refused() -> None:
    names = [f"X{node}" for node in range(41)]
    dag = Dag.from_parents(names, [[]] * 40 + [range(40)])
    with pytest.raises(ParameterError, match="'X40' has 40 parents; a table can have at most 31"):
        BayesianNetwork(dag, [["only"]] * 41, [[1.0]] * 41)


@pytest.mark.parametrize("seed", range(5))
def test_the_joint_distribution_sums_to_one(seed: int) -> None:
    network = random_network(5, 6, arities=range(1, 4), seed=seed)
    assert sum(joint_distribution(network).values()) == pytest.approx(1.0)


@pytest.mark.parametrize("wrong", [[1e308, 1e308], [np.inf, -np.inf]])
@pytest.mark.filterwarnings("error")
def test_numbers_whose_sum_is_not_finite_are_refused_without_a_warning(wrong: list[float]) -> None:
    with pytest.raises(ParameterError, match="must hold probabilities"):
        BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [wrong])
