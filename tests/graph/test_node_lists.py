"""Lists of nodes against square matrices of flags."""

import pickle

import numpy as np
import numpy.typing as npt
import pytest

from arcwise.graph.node_lists import NodeLists

Matrix = npt.NDArray[np.bool_]


def matrix_of(lists: NodeLists) -> Matrix:
    matrix = np.zeros((lists.n_nodes, lists.n_nodes), dtype=bool)
    for node in range(lists.n_nodes):
        assert np.all(np.diff(lists.of(node).astype(int)) > 0)
        matrix[node, lists.of(node)] = True
    return matrix


def lists_of(matrix: Matrix) -> NodeLists:
    return NodeLists.from_lists([np.flatnonzero(row).tolist() for row in matrix])


@pytest.mark.parametrize("n", [0, 1, 2, 7, 30])
@pytest.mark.parametrize("density", [0.0, 0.1, 0.8])
def test_lists_say_what_a_matrix_does(n: int, density: float) -> None:
    rng = np.random.default_rng(n)
    one, other = (rng.random((n, n)) < density for _ in range(2))
    lists, others = lists_of(one), lists_of(other)
    assert np.array_equal(matrix_of(lists), one)
    assert (lists.n_nodes, lists.n_members) == (n, one.sum())
    assert lists.lengths.tolist() == one.sum(axis=1).tolist()
    assert lists.pairs.tolist() == np.argwhere(one).tolist()
    assert np.array_equal(matrix_of(lists.transposed), one.T)
    assert np.array_equal(matrix_of(lists.either_way), one | one.T)
    assert np.array_equal(matrix_of(lists | others), one | other)
    assert np.array_equal(matrix_of(lists & others), one & other)
    assert np.array_equal(matrix_of(lists.where(~other[one])), one & ~other)
    assert np.array_equal(matrix_of(pickle.loads(pickle.dumps(lists))), one)
    assert not matrix_of(NodeLists.none(n)).any()


def test_members_may_come_twice_and_in_any_order() -> None:
    assert NodeLists.from_lists([[2, 1, 2], [], (0,)]).of(0).tolist() == [1, 2]
    pairs = np.array([[1, 2], [0, 1], [1, 0], [0, 1]])
    assert NodeLists.from_pairs(3, pairs).pairs.tolist() == [[0, 1], [1, 0], [1, 2]]


def test_pairs_of_many_nodes_are_told_apart() -> None:
    n = 100_000  # whose square is beyond 32 bits
    lists = NodeLists.from_pairs(n, np.array([[n - 1, n - 2], [0, n - 1]]))
    assert lists.pairs.tolist() == [[0, n - 1], [n - 1, n - 2]]
