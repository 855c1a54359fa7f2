"""Local kicks: how what several walks have changed is put together. (What a search by them promises: test_growing.)"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.search.orders.local_kicks import LocalKicks, merged
from arcwise.support.errors import ParameterError


def moved(order: list[int], variable: int, place: int) -> list[int]:
    rest = [other for other in order if other != variable]
    return [*rest[:place], variable, *rest[place:]]


@given(st.permutations(range(9)), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=3))
def test_an_order_that_is_alone_in_having_changed_is_the_result(order: list[int], moves: list[tuple[int, int]]) -> None:
    start = np.array(order)
    for variable, place in moves:
        order = moved(order, variable, place)
    assert merged(start, start, np.array(order)).tolist() == order
    assert merged(start, np.array(order), start).tolist() == order


@given(st.permutations(range(6)), st.permutations(range(6)), st.permutations(range(6)))
def test_what_only_the_first_has_changed_stays(start: list[int], first: list[int], second: list[int]) -> None:
    child = merged(np.array(start), np.array(first), np.array(second)).tolist()
    assert sorted(child) == list(range(6))
    # as few variables as possible were moved: all others are in the order of the first
    common = max(
        size
        for size in range(1, 7)
        for kept in combinations(range(6), size)
        if [v for v in start if v in kept] == [v for v in second if v in kept]
    )
    stays = [
        kept
        for kept in combinations(range(6), common)
        if [v for v in start if v in kept] == [v for v in second if v in kept]
        and [v for v in first if v in kept] == [v for v in child if v in kept]
    ]
    assert stays


def test_changes_far_apart_are_put_together() -> None:
    first, second = moved(list(range(20)), 3, 1), moved(list(range(20)), 12, 17)
    assert merged(np.arange(20), np.array(first), np.array(second)).tolist() == moved(first, 12, 17)


def test_wrong_numbers_are_refused() -> None:
    for options in ({"kicks": -1}, {"walks": 0}, {"patience": -1}, {"shake": -0.1}):
        with pytest.raises(ParameterError, match=next(iter(options))):
            LocalKicks(**options)
