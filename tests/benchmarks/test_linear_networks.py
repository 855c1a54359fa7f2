"""Random linear Gaussian networks."""

import tracemalloc

import numpy as np
import numpy.typing as npt
import pytest

from arcwise.graph.dag import Dag
from arcwise.support.errors import ParameterError
from benchmarks.linear_networks import LinearNetwork, random_linear_network


def covariance(network: LinearNetwork) -> npt.NDArray[np.float64]:
    """(I - B)^-T Ω (I - B)^-1, where B[j, i] is the weight of the arc from j to i."""
    n = network.dag.n_nodes
    weights = np.zeros((n, n))
    for node, (parents, row) in enumerate(zip(network.dag.parent_indices, network.coefficients, strict=True)):
        weights[list(parents), node] = row
    inverse = np.linalg.inv(np.eye(n) - weights)
    found: npt.NDArray[np.float64] = inverse.T @ np.diag(network.standard_deviations**2) @ inverse
    return found


def test_rows_have_the_covariance_of_the_network() -> None:
    network = random_linear_network(8, 14, noise=(0.5, 2.0), seed=3)
    n_rows = 200_000
    rows = network.sample(n_rows, seed=4)
    expected = covariance(network)
    # Of Gaussian rows, the variance of an empirical covariance is (s_ii s_jj + s_ij²) / n.
    deviation = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / n_rows)
    assert np.all(np.abs(np.cov(rows, rowvar=False) - expected) < 5 * deviation)
    assert np.all(np.abs(rows.mean(axis=0)) < 5 * np.sqrt(np.diag(expected) / n_rows))


def test_intercepts_go_down_the_arcs() -> None:
    # a has the mean 3, and b = 1 + 2 a has 7.
    network = LinearNetwork(
        Dag(["b", "a"], [("a", "b")]),
        (np.array([2.0]), np.array([])),
        np.array([1.0, 3.0]),
        np.array([1e-9, 1e-9]),
    )
    assert network.sample(5, seed=1) == pytest.approx(np.tile([7.0, 3.0], (5, 1)))


def test_weights_and_noise_are_in_their_ranges_with_both_signs() -> None:
    network = random_linear_network(60, 400, weights=(0.2, 0.7), noise=(0.5, 2), seed=1)
    weights = np.concatenate(network.coefficients)
    assert len(weights) == network.dag.n_arcs == 400
    assert [len(row) for row in network.coefficients] == [len(row) for row in network.dag.parent_indices]
    assert 0.2 <= np.abs(weights).min() < 0.22
    assert 0.68 < np.abs(weights).max() <= 0.7
    assert 0.4 < np.mean(weights > 0) < 0.6
    assert 0.5 <= network.standard_deviations.min() < 0.7 < 1.8 < network.standard_deviations.max() <= 2


def test_the_same_seed_gives_the_same_network_and_rows() -> None:
    first, second, other = (random_linear_network(10, 20, seed=seed) for seed in (5, 5, 6))
    assert first.dag == second.dag != other.dag
    assert np.array_equal(first.sample(10, seed=1), second.sample(10, seed=1))
    assert not np.array_equal(first.sample(10, seed=1), first.sample(10, seed=2))


def test_ten_thousand_nodes_take_nothing_for_each_pair() -> None:
    tracemalloc.start()
    random_linear_network(10_000, 20_000, seed=1).sample(10, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000**2 / 2  # bytes: half of one for each pair


@pytest.mark.parametrize("ends", [(2.0, 1.0), (0.0, 1.0), (1.0,), 1.0, (1.0, np.inf)])
def test_a_range_is_two_numbers_above_zero(ends: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match="weights"):
        random_linear_network(3, 2, weights=ends, seed=1)
    with pytest.raises(ParameterError, match="noise"):
        random_linear_network(3, 2, noise=ends, seed=1)
