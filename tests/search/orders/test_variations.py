"""Kicks and crossovers: how far they go, that they go everywhere, and what they keep."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_orders
from arcwise.search.orders.variations import (
    CROSSOVERS,
    cycle_crossover,
    order_based_crossover,
    rank_crossover,
    swap_kick,
)
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


def test_kicks_refuse_wrong_arguments() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ParameterError, match="count must be at least 0, not -1"):
        swap_kick(np.arange(3), -1, rng)
    with pytest.raises(ParameterError, match="count must be an integer"):
        swap_kick(np.arange(3), 0.5, rng)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="but it has 0 twice"):
        swap_kick(np.array([0, 0, 1]), 1, rng)
    with pytest.raises(ParameterError, match="rng must be a Generator"):
        swap_kick(np.arange(3), 1, 7)  # type: ignore[arg-type]


Pair = tuple[list[int], list[int]]
SEEDS = st.integers(0, 2**32)
CHILDREN: dict[str, Callable[[list[int], list[int]], set[tuple[int, ...]]]] = {
    "cx": oracles_orders.cycle_children,
    "rx": oracles_orders.rank_children,
    "ob": lambda first, second: set(oracles_orders.order_based_children(first, second)),
}


@st.composite
def pairs(draw: st.DrawFn, most: int = 6) -> Pair:
    n = draw(st.integers(1, most))
    return draw(st.permutations(range(n))), draw(st.permutations(range(n)))


def children(method: str, pair: Pair, times: int) -> Counter[tuple[int, ...]]:
    rng = np.random.default_rng(1)
    first, second = np.array(pair[0]), np.array(pair[1])
    return Counter(tuple(CROSSOVERS[method](first, second, rng).tolist()) for _ in range(times))


@given(pairs(), SEEDS, st.sampled_from(sorted(CROSSOVERS)))
def test_a_child_is_one_that_the_definition_allows(pair: Pair, seed: int, method: str) -> None:
    first, second = np.array(pair[0]), np.array(pair[1])
    child = CROSSOVERS[method](first, second, np.random.default_rng(seed))
    assert child.dtype == np.intp
    assert tuple(child.tolist()) in CHILDREN[method](*pair)
    assert (first.tolist(), second.tolist()) == pair


@given(st.permutations(range(30)), SEEDS, st.sampled_from(sorted(CROSSOVERS)))
def test_parents_that_are_equal_have_an_equal_child(order: list[int], seed: int, method: str) -> None:
    assert CROSSOVERS[method](np.array(order), np.array(order), np.random.default_rng(seed)).tolist() == order


@given(st.permutations(range(30)), st.permutations(range(30)), SEEDS)
def test_ranks_keep_what_both_parents_agree_on(first: list[int], second: list[int], seed: int) -> None:
    child = rank_crossover(np.array(first), np.array(second), np.random.default_rng(seed)).tolist()
    for before, after in pairwise(child):
        assert first.index(before) < first.index(after) or second.index(before) < second.index(after)


def test_cycles_come_from_either_parent_with_the_same_probability() -> None:
    # Three cycles: positions {0, 2, 3}, {1, 4} and {5}, where the parents agree.
    times = children("cx", ([0, 1, 2, 3, 4, 5], [2, 4, 3, 0, 1, 5]), 400)
    assert set(times) == {
        (0, 1, 2, 3, 4, 5),
        (0, 4, 2, 3, 1, 5),
        (2, 1, 3, 0, 4, 5),
        (2, 4, 3, 0, 1, 5),
    }
    assert min(times.values()) > 60


def test_variables_of_the_same_mean_rank_come_in_any_order() -> None:
    # Mean positions of 0 to 4: 1, 1, 1, 3.5, 3.5.
    times = children("rx", ([0, 1, 2, 3, 4], [2, 1, 0, 4, 3]), 1200)
    assert len(times) == 12
    assert min(times.values()) > 60


def test_each_half_stays_in_place_with_the_same_probability() -> None:
    first, second = list(range(5)), [4, 3, 2, 1, 0]
    expected = Counter(oracles_orders.order_based_children(first, second))
    times = children("ob", (first, second), 200 * expected.total())
    assert set(times) == set(expected)
    for child, choices in expected.items():
        assert times[child] == pytest.approx(200 * choices, abs=70)  # five standard deviations of 200


def test_order_based_crossover_by_hand() -> None:
    first, second = np.array([0, 1, 2, 3]), np.array([3, 1, 0, 2])
    seen = {tuple(order_based_crossover(first, second, np.random.default_rng(seed)).tolist()) for seed in range(60)}
    # What stays: 01 -> 0132, 02 -> 0321, 03 -> 0123, 12 -> 3120, 13 -> 0123, 23 -> 1023.
    assert seen == {(0, 1, 3, 2), (0, 3, 2, 1), (0, 1, 2, 3), (3, 1, 2, 0), (1, 0, 2, 3)}


@pytest.mark.parametrize("crossover", [cycle_crossover, rank_crossover, order_based_crossover])
def test_crossovers_refuse_wrong_arguments(crossover: Callable[..., object]) -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ParameterError, match="each index from 0 to 2 once, but it has 2 entries"):
        crossover(np.arange(3), np.arange(2), rng)
    with pytest.raises(ParameterError, match="but it has 1 twice"):
        crossover(np.array([1, 1, 0]), np.arange(3), rng)
    with pytest.raises(ParameterError, match="rng must be a Generator"):
        crossover(np.arange(3), np.arange(3), 1)
