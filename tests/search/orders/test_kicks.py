"""Kicks: how far they go, and that they go everywhere."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_orders
from arcwise.search.orders.kicks import swap_kick
from arcwise.support.errors import ParameterError


@given(st.integers(2, 30).flatmap(lambda n: st.permutations(range(n))), st.integers(0, 20), st.integers(0, 2**32))
def test_every_swap_changes_the_parity_and_moves_two(order: list[int], count: int, seed: int) -> None:
    before = np.array(order)
    after = swap_kick(before, count, np.random.default_rng(seed))
    assert before.tolist() == order
    assert sorted(after.tolist()) == sorted(order)
    assert (after != before).sum() <= 2 * count
    assert (oracles_orders.is_even(after.tolist()) == oracles_orders.is_even(order)) == (count % 2 == 0)


def test_every_pair_is_as_probable() -> None:
    rng = np.random.default_rng(1)
    kicked = [swap_kick(np.arange(4), 1, rng) for _ in range(600)]
    pairs = Counter(tuple(np.flatnonzero(order != np.arange(4)).tolist()) for order in kicked)
    assert len(pairs) == 6
    assert min(pairs.values()) > 60  # 100 on average, standard deviation 9


def test_the_kicked_order_is_another_array() -> None:
    for order in (np.arange(1), np.arange(5)):
        assert not np.shares_memory(swap_kick(order, 0, np.random.default_rng(1)), order)


def test_a_single_variable_stays() -> None:
    assert swap_kick(np.array([0]), 3, np.random.default_rng(1)).tolist() == [0]


def test_wrong_arguments_are_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ParameterError, match="count must be at least 0, not -1"):
        swap_kick(np.arange(3), -1, rng)
    with pytest.raises(ParameterError, match="count must be an integer"):
        swap_kick(np.arange(3), 0.5, rng)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="but it has 0 twice"):
        swap_kick(np.array([0, 0, 1]), 1, rng)
    with pytest.raises(ParameterError, match="rng must be a Generator"):
        swap_kick(np.arange(3), 1, 7)  # type: ignore[arg-type]
