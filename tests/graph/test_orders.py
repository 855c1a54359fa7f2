"""What is an order, and what is not."""

from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from arcwise.graph import Dag
from arcwise.graph.nodes import checked_order, parents_first, strong_components
from arcwise.support.errors import ParameterError
from graph_strategies import dags


def test_an_order_of_the_right_type_is_not_copied() -> None:
    order = np.array([1, 0, 2], dtype=np.intp)
    assert checked_order(order, 3) is order


@pytest.mark.parametrize("order", [[1, 0, 2], (1, 0, 2), np.array([1, 0, 2], dtype=np.uint16)])
def test_other_whole_numbers_become_indices(order: npt.ArrayLike) -> None:
    checked = checked_order(order, 3)
    assert checked.dtype == np.intp
    assert checked.tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1], "each index from 0 to 2 once, but it has 2 entries"),
        ([0, 1, 2, 3], "but it has 4 entries"),
        ([0, 1, 3], r"but order\[2\] is 3"),
        ([0, -1, 1], r"but order\[1\] is -1"),
        ([0, 1, 1], "but it has 1 twice"),
        ([2, 2, 2], "but it has 2 3 times"),
        ([0.0, 1.0, 2.0], "list of whole numbers"),
        ([True, False, True], "list of whole numbers"),
        (["a", "b", "c"], "list of whole numbers"),
        ([[0, 1, 2]], "list of whole numbers"),
        ([[0], [1, 2]], "list of whole numbers"),
        (None, "list of whole numbers"),
    ],
)
def test_what_is_not_an_order_is_refused(order: npt.ArrayLike, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        checked_order(order, 3)


@given(dags(max_nodes=6), st.data())
def test_required_parents_come_first_and_else_the_order_is_kept(dag: Dag, data: st.DataObject) -> None:
    """Of all orders with parents first, it is the one that begins most like the given one."""
    order = data.draw(st.permutations(range(dag.n_nodes)))
    arcs = [(parent, child) for child, parents in enumerate(dag.parent_indices) for parent in parents]
    fitting = [
        chosen
        for chosen in permutations(order)
        if all(chosen.index(parent) < chosen.index(child) for parent, child in arcs)
    ]
    expected = min(fitting, key=lambda chosen: [order.index(node) for node in chosen])
    required = np.array(arcs, dtype=np.int64).reshape(-1, 2)
    assert parents_first(np.array(order, dtype=np.intp), required).tolist() == list(expected)


@given(st.integers(1, 8).flatmap(lambda n: st.lists(st.sets(st.integers(0, n - 1)), min_size=n, max_size=n)))
def test_strong_components_are_those_that_scipy_finds_and_parents_come_first(sets: list[set[int]]) -> None:
    arcs = np.array([[tail in parents for parents in sets] for tail in range(len(sets))])
    groups = strong_components([sorted(parents) for parents in sets])
    n_groups, group = connected_components(csr_array(arcs), connection="strong")
    assert sorted(groups) == sorted(np.flatnonzero(group == at).tolist() for at in range(n_groups))
    place = {node: at for at, nodes in enumerate(groups) for node in nodes}
    assert all(place[parent] <= place[node] for node, parents in enumerate(sets) for parent in parents)


def test_strong_components_of_a_long_path_need_no_recursion() -> None:
    assert strong_components([[node + 1] for node in range(9999)] + [[]]) == [[node] for node in range(9999, -1, -1)]
