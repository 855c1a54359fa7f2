"""The best branching against all branchings."""

import numpy as np
import pytest

import oracles_trees as oracle
from arcwise.search.trees.branching import best_branching


def value(gains: np.ndarray, parents: list[int]) -> float:
    return float(sum(gains[node, parent] for node, parent in enumerate(parents)))  # -1 is the last column


@pytest.mark.parametrize("seed", range(60))
def test_no_branching_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    kind = seed % 3
    gains = rng.normal(size=(n, n + 1)) if kind else rng.integers(-2, 4, size=(n, n + 1)).astype(float)
    if kind == 2:  # nearly symmetric: every best pair is a cycle
        gains[:, :n] = np.abs(gains[:, :n] + gains[:, :n].T) + 0.01 * gains[:, :n]
    gains[:, n] = 0
    np.fill_diagonal(gains, -np.inf)
    found = best_branching(gains)
    assert found is not None
    assert oracle.is_acyclic(found)
    assert value(gains, found) == pytest.approx(oracle.best_branching(gains.tolist()))


@pytest.mark.parametrize("seed", range(20))
def test_missing_arcs_and_nodes_that_need_a_parent(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 5
    gains = rng.normal(size=(n, n + 1))
    gains[rng.random((n, n + 1)) < 0.3] = -np.inf
    gains[:, n] = 0
    gains[1] = [-1.0, *[-np.inf] * n]  # 0 -> 1 must be there
    gains[2] = [*[-np.inf] * 4, -2.0, -np.inf]  # and 4 -> 2
    found = best_branching(gains)
    assert found is not None
    assert oracle.is_acyclic(found)
    assert (found[1], found[2]) == (0, 4)
    assert value(gains, found) == pytest.approx(oracle.best_branching(gains.tolist()))


def test_large_ones_are_acyclic_and_no_worse_than_a_tree() -> None:
    rng = np.random.default_rng(0)
    n = 120
    gains = np.zeros((n, n + 1))
    gains[:, :n] = rng.exponential(size=(n, n))
    gains[:, :n] += gains[:, :n].T  # symmetric: the best forest is Kruskal's
    found = best_branching(gains)
    assert found is not None
    assert oracle.is_acyclic(found)
    total, _ = oracle.best_forest(n, lambda a, b: float(gains[a, b]))
    assert value(gains, found) == pytest.approx(total)


def test_it_can_be_given_up() -> None:
    assert best_branching(np.zeros((3, 4)), ended=lambda: True) is None
