"""Random networks with continuous nodes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.graph.dag import Dag
from arcwise.network import ConditionalGaussian, Table
from arcwise.simulation.gaussian import random_gaussian_network, random_gaussians, random_mixed_network
from arcwise.support.errors import ParameterError


@given(st.integers(1, 12), st.floats(0, 1), st.data())
@settings(max_examples=60, deadline=None)
def test_a_mixed_network_has_what_was_asked_for(n_nodes: int, share: float, data: st.DataObject) -> None:
    n_arcs = data.draw(st.integers(0, n_nodes * (n_nodes - 1) // 2))
    seed = data.draw(st.integers(0, 2**32))
    network = random_mixed_network(n_nodes, n_arcs, share_continuous=share, arities=range(2, 4), seed=seed)
    assert network == random_mixed_network(n_nodes, n_arcs, share_continuous=share, arities=range(2, 4), seed=seed)
    assert network.names == tuple(f"X{node}" for node in range(n_nodes))
    assert network.dag.n_arcs == n_arcs
    assert len(network.continuous) == round(share * n_nodes)
    assert {arity for arity in network.arities if arity} <= {2, 3}
    for parent, child in network.dag.arcs:
        assert parent not in network.continuous or child in network.continuous


@given(st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_numbers_are_in_their_ranges(seed: int) -> None:
    network = random_mixed_network(8, 20, weights=(0.25, 0.75), deviations=(2.0, 3.0), seed=seed)
    for name, found in zip(network.names, network.distributions, strict=True):
        if isinstance(found, Table):
            assert name not in network.continuous
            continue
        assert ((np.abs(found.coefficients) >= 0.25) & (np.abs(found.coefficients) <= 0.75)).all()
        assert ((found.deviations >= 2.0) & (found.deviations <= 3.0)).all()
        if found.shape:
            assert ((np.abs(found.intercepts) >= 0.25) & (np.abs(found.intercepts) <= 0.75)).all()
        else:
            assert float(found.intercepts) == 0.0


def test_signs_and_sizes_are_spread() -> None:
    network = random_gaussian_network(60, 1500, weights=(0.5, 2.0), seed=1)
    coefficients = np.concatenate([found.coefficients for found in network.distributions])  # type: ignore[union-attr]
    assert network.arities == (0,) * 60
    assert len(coefficients) == 1500
    assert abs((coefficients > 0).mean() - 0.5) < 0.05
    assert np.abs(coefficients).mean() == pytest.approx(1.25, abs=0.05)


def test_limits_of_parents() -> None:
    network = random_mixed_network(30, 40, max_parents=2, seed=2)
    assert max(map(len, network.dag.parent_indices)) == 2
    assert max(map(len, random_gaussian_network(30, 40, max_parents=2, seed=2).dag.parent_indices)) == 2


def test_kinds_by_node() -> None:
    dag = Dag(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    network = random_gaussians(dag, arities=[3, 0, 0], seed=1)
    assert network.states == (("0", "1", "2"), (), ())
    last = network.distribution("c")
    assert isinstance(last, ConditionalGaussian)
    assert last.coefficients.shape == (3, 1)
    assert random_gaussians(dag, seed=1).continuous == ("a", "b", "c")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share_continuous": 1.5}, "share_continuous must be at most 1, not 1.5"),
        ({"share_continuous": -1}, "share_continuous must be a finite number of at least 0"),
        ({"weights": 1.0}, "weights must be two numbers, the least and the largest, not 1.0"),
        ({"weights": (2.0, 1.0)}, "weights must be two numbers, the smaller one first"),
        ({"deviations": (0.0, 1.0)}, "deviations must be above 0"),
        ({"deviations": (1.0, float("inf"))}, "deviations must be a finite number"),
        ({"arities": [2, 2]}, "arities must have one number for each of 4 nodes, not 2"),
        ({"alpha": 0}, "alpha must be"),
        ({"n_arcs": 7}, "n_arcs must be at most 6 with 4 nodes"),
    ],
)
def test_impossible_networks_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        random_mixed_network(**{"n_nodes": 4, "n_arcs": 3, "seed": 1, **options})


def test_other_kinds_than_nodes_are_refused() -> None:
    with pytest.raises(ParameterError, match="one number for each of 2 nodes, not 1"):
        random_gaussians(Dag(["a", "b"]), arities=[0], seed=1)
    with pytest.raises(ParameterError, match="'b' has states, but its parent 'a' is continuous"):
        random_gaussians(Dag(["a", "b"], [("a", "b")]), arities=[0, 2], seed=1)
