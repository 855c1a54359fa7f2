"""The best branching against all branchings."""

import networkx as nx
import numpy as np
import pytest

import oracles_trees as oracle
from arcwise.search.trees.branching import ArcsInto, best_branching


def branching(gains: np.ndarray, most: int | None = None) -> list[int]:
    """The best branching of a matrix whose last column is that of no parent; lists are cut after so many arcs."""
    n = len(gains)

    def into(node: int, is_left_out: np.ndarray) -> ArcsInto:
        row = np.where(is_left_out, -np.inf, gains[node, :n])
        parents = [parent for parent in np.argsort(-row, kind="stable").tolist() if row[parent] > -np.inf]
        listed = np.array(parents[:most], dtype=np.int32)
        return ArcsInto(listed, row[listed], gains[node, n], is_cut=len(listed) < len(parents))

    return best_branching([into(node, np.zeros(n, dtype=bool)) for node in range(n)], into)


def value(gains: np.ndarray, parents: list[int]) -> float:
    return float(sum(gains[node, parent] for node, parent in enumerate(parents)))  # -1 is the last column


@pytest.mark.parametrize("most", [None, 1, 2])
@pytest.mark.parametrize("seed", range(60))
def test_no_branching_is_better(seed: int, most: int | None) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    kind = seed % 3
    gains = rng.normal(size=(n, n + 1)) if kind else rng.integers(-2, 4, size=(n, n + 1)).astype(float)
    if kind == 2:  # nearly symmetric: every best pair is a cycle
        gains[:, :n] = np.abs(gains[:, :n] + gains[:, :n].T) + 0.01 * gains[:, :n]
    gains[:, n] = 0
    np.fill_diagonal(gains, -np.inf)
    found = branching(gains, most)
    assert oracle.is_acyclic(found)
    assert value(gains, found) == pytest.approx(oracle.best_branching(gains.tolist()))


@pytest.mark.parametrize("most", [None, 1])
@pytest.mark.parametrize("seed", range(20))
def test_missing_arcs_and_nodes_that_need_a_parent(seed: int, most: int | None) -> None:
    rng = np.random.default_rng(seed)
    n = 5
    gains = rng.normal(size=(n, n + 1))
    gains[rng.random((n, n + 1)) < 0.3] = -np.inf
    gains[:, n] = 0
    gains[1] = [-1.0, *[-np.inf] * n]  # 0 -> 1 must be there
    gains[2] = [*[-np.inf] * 4, -2.0, -np.inf]  # and 4 -> 2
    found = branching(gains, most)
    assert oracle.is_acyclic(found)
    assert (found[1], found[2]) == (0, 4)
    assert value(gains, found) == pytest.approx(oracle.best_branching(gains.tolist()))


@pytest.mark.parametrize("most", [None, 3])
def test_large_ones_are_acyclic_and_no_worse_than_a_tree(most: int | None) -> None:
    rng = np.random.default_rng(0)
    n = 120
    gains = np.zeros((n, n + 1))
    gains[:, :n] = rng.exponential(size=(n, n))
    gains[:, :n] += gains[:, :n].T  # symmetric: the best forest is Kruskal's
    np.fill_diagonal(gains, -np.inf)
    found = branching(gains, most)
    assert oracle.is_acyclic(found)
    total, _ = oracle.best_forest(n, lambda a, b: float(gains[a, b]))
    assert value(gains, found) == pytest.approx(total)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most", [None, 2])
def test_networkx_finds_as_much(seed: int, most: int | None) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    gains = np.zeros((n, n + 1))
    gains[:, :n] = rng.normal(size=(n, n)) + (rng.integers(5, size=n)[:, None] == rng.integers(5, size=n))
    np.fill_diagonal(gains, -np.inf)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from((u, v, gains[v, u]) for v in range(n) for u in range(n) if gains[v, u] > 0)
    best = nx.maximum_branching(graph)
    found = branching(gains, most)
    assert oracle.is_acyclic(found)
    assert value(gains, found) == pytest.approx(sum(gain for *_, gain in best.edges(data="weight")))


def test_a_path_of_ever_weaker_edges_is_one_tree() -> None:
    """Each node's best parent is the one before, so that every group is entered from the next: n groups, one by one."""
    n = 3000
    weights = np.linspace(2, 1, n - 1)
    arcs = []
    for v in range(n):
        parents = np.array([u for u in (v - 1, v + 1) if 0 <= u < n], dtype=np.int32)
        arcs.append(ArcsInto(parents, weights[np.minimum(parents, v)]))
    found = best_branching(arcs)
    assert is_path(found)


def is_path(parents: list[int]) -> bool:
    edges = {frozenset((v, parent)) for v, parent in enumerate(parents) if parent >= 0}
    return edges == {frozenset((v, v + 1)) for v in range(len(parents) - 1)} and parents.count(-1) == 1
