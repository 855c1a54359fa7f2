"""Rows drawn from a network."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network import BayesianNetwork
from arcwise.simulation.examples import load_example
from arcwise.simulation.random import random_network
from arcwise.support.errors import ParameterError
from oracles_network import joint_distribution


def labelled_rows(data: Dataset) -> list[tuple[str, ...]]:
    return [tuple(states[code] for states, code in zip(data.states, row, strict=True)) for row in data.codes.tolist()]


@pytest.mark.parametrize(
    "network",
    [
        load_example("cancer"),
        load_example("survey"),
        random_network(4, 5, arities=[3, 2, 5, 4], alpha=2.0, seed=1),
        random_network(5, 10, arities=[1, 2, 3, 2, 3], alpha=2.0, seed=2),
    ],
    ids=["cancer", "survey", "random", "complete graph"],
)
def test_frequencies_follow_the_joint_distribution(network: BayesianNetwork) -> None:
    n_rows = 200_000
    joint = joint_distribution(network)
    seen = Counter(labelled_rows(network.sample(n_rows, seed=12)))
    assert set(seen) <= {states for states, probability in joint.items() if probability > 0}
    # Rare joint states share one bin, so that the chi-square distribution holds.
    common = [states for states, probability in joint.items() if probability * n_rows >= 10]
    observed = [seen[states] for states in common]
    expected = [joint[states] * n_rows for states in common]
    if len(common) < len(joint):
        observed.append(n_rows - sum(observed))
        expected.append(n_rows - sum(expected))
    assert chisquare(observed, expected).pvalue > 1e-4


def test_names_states_and_types_are_those_of_the_network() -> None:
    network = load_example("child")
    data = network.sample(10, seed=0)
    assert data.names == network.names
    assert data.states == network.states
    assert data.codes.shape == (10, 20)
    assert data.codes.dtype == np.uint8
    assert data.codes.flags.f_contiguous


def test_more_than_256_states_take_two_bytes() -> None:
    last = np.zeros(300)
    last[299] = 1.0
    network = BayesianNetwork(Dag(["many"]), [[str(state) for state in range(300)]], [last])
    data = network.sample(5, seed=0)
    assert data.codes.dtype == np.uint16
    assert data.codes.ravel().tolist() == [299] * 5


def test_same_seed_same_rows_and_other_seeds_other_rows() -> None:
    network = load_example("alarm")
    first = network.sample(50, seed=0).codes
    assert np.array_equal(first, network.sample(50, seed=0).codes)
    assert not np.array_equal(first, network.sample(50, seed=1).codes)
    assert not np.array_equal(network.sample(50).codes, network.sample(50).codes)


def test_the_first_rows_do_not_depend_on_how_many_follow() -> None:
    network = load_example("asia")
    assert np.array_equal(network.sample(20, seed=4).codes, network.sample(1000, seed=4).codes[:20])


@pytest.mark.parametrize("arity", [1, 2, 3, 4, 5, 7, 8, 9, 33])
def test_states_without_probability_never_come_up(arity: int) -> None:
    rng = np.random.default_rng(arity)
    for _ in range(10):
        table = rng.dirichlet([1.0] * arity) * rng.integers(0, 2, size=arity)
        table[rng.integers(arity)] += 1e-3
        table /= table.sum()
        network = BayesianNetwork(Dag(["a"]), [[str(state) for state in range(arity)]], [table])
        seen = np.unique(network.sample(2000, seed=7).codes)
        assert np.all(table[seen] > 0)


def test_probabilities_that_sum_to_less_than_one_leave_nothing_out() -> None:
    network = BayesianNetwork(Dag(["a"]), [["x", "y", "z"]], [[0.4995, 0.4997, 0.0]])
    counts = np.bincount(network.sample(100_000, seed=3).codes.ravel(), minlength=3)
    assert counts[2] == 0
    assert abs(counts[0] - 50_000) < 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_rows": 0}, "n_rows must be at least 1, not 0"),
        ({"n_rows": 1.5}, "n_rows must be an integer, not 1.5"),
        ({"n_rows": 1, "seed": -1}, "seed must be a whole number of at least 0 or None, not -1"),
        ({"n_rows": 1, "seed": "x"}, "seed must be a whole number of at least 0 or None, not 'x'"),
    ],
)
def test_impossible_requests_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        load_example("asia").sample(**arguments)
