"""The probability of data under a network."""

import math

import numpy as np
import pytest

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network import BayesianNetwork
from arcwise.simulation.examples import load_example
from arcwise.simulation.random import random_network
from arcwise.support.errors import DataError
from oracles_network import joint_distribution

CHAIN = BayesianNetwork(
    Dag(["rain", "wet"], [("rain", "wet")]), [["no", "yes"], ["no", "yes"]], [[0.75, 0.25], [[0.5, 0.5], [0.0, 1.0]]]
)


def test_by_hand() -> None:
    data = Dataset.from_codes([[0, 0], [0, 1], [1, 1]], names=["rain", "wet"], states=[["no", "yes"], ["no", "yes"]])
    assert CHAIN.log_likelihood(data) == pytest.approx(math.log(0.75 * 0.5) + math.log(0.75 * 0.5) + math.log(0.25))
    assert CHAIN.log_likelihoods(data).tolist() == pytest.approx([math.log(0.375), math.log(0.375), math.log(0.25)])


def test_an_impossible_row_makes_the_data_impossible() -> None:
    data = Dataset.from_codes([[0, 0], [1, 0]], names=["rain", "wet"], states=[["no", "yes"], ["no", "yes"]])
    assert CHAIN.log_likelihood(data) == -math.inf
    assert CHAIN.log_likelihoods(data).tolist() == [pytest.approx(math.log(0.375)), -math.inf]


def test_weights_count_as_repeated_rows() -> None:
    states = [["no", "yes"], ["no", "yes"]]
    data = Dataset.from_codes([[0, 0], [1, 1], [1, 0]], names=["rain", "wet"], states=states, weights=[3, 2, 0])
    assert CHAIN.log_likelihood(data) == pytest.approx(3 * math.log(0.375) + 2 * math.log(0.25))


def test_columns_are_matched_by_name_and_states_by_label() -> None:
    plain = Dataset.from_codes([[0, 0], [0, 1], [1, 1]], names=["rain", "wet"], states=[["no", "yes"], ["no", "yes"]])
    backwards = Dataset.from_codes(
        [[1, 1], [0, 1], [0, 0]], names=["wet", "rain"], states=[["yes", "no"], ["yes", "no"]]
    )
    fewer = Dataset.from_codes([[0, 0], [0, 0]], names=["wet", "rain"], states=[["yes"], ["yes"]])
    more = Dataset.from_codes([[1, 1], [1, 1]], names=["wet", "rain"], states=[["?", "yes"], ["no", "yes"]])
    assert CHAIN.log_likelihood(backwards) == pytest.approx(CHAIN.log_likelihood(plain))
    assert CHAIN.log_likelihood(fewer) == pytest.approx(2 * math.log(0.25))
    assert CHAIN.log_likelihood(more) == pytest.approx(2 * math.log(0.25))


@pytest.mark.parametrize("seed", range(5))
def test_it_agrees_with_the_joint_distribution(seed: int) -> None:
    network = random_network(5, 7, arities=range(1, 4), seed=seed)
    joint = joint_distribution(network)
    data = network.sample(40, seed=seed)
    rows = [tuple(states[code] for states, code in zip(data.states, row, strict=True)) for row in data.codes.tolist()]
    np.testing.assert_allclose(network.log_likelihoods(data), [math.log(joint[row]) for row in rows])


def test_rounded_tables_are_divided_by_their_sums() -> None:
    network = BayesianNetwork(Dag(["a"]), [["x", "y", "z"]], [[0.3333, 0.3333, 0.3333]])
    data = Dataset.from_codes([[0], [1], [2]], names=["a"], states=[["x", "y", "z"]])
    assert network.log_likelihood(data) == pytest.approx(3 * math.log(1 / 3), abs=1e-12)


def test_pyagrum_gives_the_same_probabilities_of_rows() -> None:
    pyagrum = pytest.importorskip("pyagrum")
    network = load_example("asia")
    model = pyagrum.fastBN(";".join(f"{parent}->{child}" for parent, child in network.dag.arcs))
    for name in network.names:
        axes = (*network.dag.parents(name), name)
        theirs = [*reversed(model.cpt(name).names)]
        backwards = network.table(name).transpose([axes.index(member) for member in theirs])
        model.cpt(name)[:] = np.ascontiguousarray(backwards)
    data = network.sample(100, seed=5)
    row = model.completeInstantiation()
    expected = []
    for codes in data.codes.tolist():
        row.fromdict(dict(zip(data.names, codes, strict=True)))
        expected.append(model.log2JointProbability(row) * math.log(2))
    np.testing.assert_allclose(network.log_likelihoods(data), expected)


def test_a_missing_or_extra_column_is_named() -> None:
    with pytest.raises(DataError, match="no column for 'wet'; its columns are 'rain'"):
        CHAIN.log_likelihood(Dataset.from_codes([[0], [1]], names=["rain"], states=[["no", "yes"]]))
    extra = Dataset.from_codes([[0, 0, 0], [1, 1, 1]], names=["rain", "id", "wet"], states=[["no", "yes"]] * 3)
    with pytest.raises(DataError, match="columns 'id' are not nodes"):
        CHAIN.log_likelihood(extra)


def test_an_unknown_state_is_named_with_its_row() -> None:
    data = Dataset.from_codes([[0, 1], [1, 2]], names=["rain", "wet"], states=[["no", "yes"], ["no", "yes", "soaked"]])
    with pytest.raises(DataError, match=r"Column 'wet', row 1 .*the state 'soaked'.*its states are 'no', 'yes'"):
        CHAIN.log_likelihood(data)
