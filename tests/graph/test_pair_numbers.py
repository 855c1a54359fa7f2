"""Numbers for pairs of nodes, held against matrices of scipy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, triu

from arcwise.graph.nodes import components
from arcwise.graph.pair_numbers import PairNumbers

ENTRIES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-3, 3)), max_size=12)


def both(entries: list[tuple[int, int, int]]) -> tuple[PairNumbers, Any]:
    row, col, data = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    return PairNumbers(5, row, col, data), coo_array((data.astype(float), (row, col)), shape=(5, 5)).tocsr()


@given(ENTRIES, ENTRIES)
def test_they_are_what_scipy_has(one: list[tuple[int, int, int]], two: list[tuple[int, int, int]]) -> None:
    (ours, theirs), (other, their_other) = both(one), both(two)
    assert (ours.toarray() == theirs.toarray()).all()
    assert (ours.T.toarray() == theirs.T.toarray()).all()
    assert ((ours + other).toarray() == (theirs + their_other).toarray()).all()
    assert ((ours - other).toarray() == (theirs - their_other).toarray()).all()
    assert ((0.5 * ours).toarray() == (0.5 * theirs).toarray()).all()
    assert (ours.upper().toarray() == triu(theirs, 1).toarray()).all()
    assert (ours.sum(), ours.max()) == (theirs.sum(), theirs.max())
    assert ours.nnz == np.count_nonzero(theirs.toarray())
    rows, columns = np.indices((5, 5))
    assert (ours.at(rows, columns) == theirs.toarray()).all()
    assert (PairNumbers.of_array(theirs.toarray()).toarray() == ours.toarray()).all()


def test_there_is_nothing_outside() -> None:
    numbers = PairNumbers(2, [1], [0], [3.0])
    assert numbers[-1, 0] == 3
    for place in ((2, 0), (0, -3)):
        with pytest.raises(IndexError, match="2 rows and columns"):
            numbers[place]
    with pytest.raises(IndexError, match="outside"):
        PairNumbers(2, [2], [0], [1.0])


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=10))
def test_components_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    from scipy.sparse.csgraph import connected_components

    row, col = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    matrix = coo_array((np.ones(len(pairs)), (row, col)), shape=(8, 8))
    assert components(8, pairs) == connected_components(matrix, directed=False)[1].tolist()
