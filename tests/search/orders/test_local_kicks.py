"""Local kicks: how what several walks have changed is put together. (What a search by them promises: test_growing.)"""

import json
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.search.orders import Optimum
from arcwise.search.orders.climber import StrategyState
from arcwise.search.orders.local_kicks import LocalKicks, _adjacent, _region, _Stand, merged, placed
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields


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


@given(st.permutations(range(8)), st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_some_variables_follow_another_order(first: list[int], second: list[int], chosen: set[int]) -> None:
    child = placed(np.array(first), np.array(second), chosen).tolist()
    assert sorted(child) == list(range(8))
    assert [v for v in child if v not in chosen] == [v for v in first if v not in chosen]
    if chosen == set(range(8)):
        assert child == second
    # In a run of chosen variables of the second order all follow whom they follow there.
    for before, variable in pairwise(second):
        if variable in chosen and before in chosen:
            assert child.index(before) < child.index(variable)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=15), st.integers(0, 9), st.integers(1, 10))
def test_regions_are_balls_of_a_graph(arcs: list[tuple[int, int]], centre: int, size: int) -> None:
    parents = [sorted({a for a, b in arcs if b == child and a < b}) for child in range(10)]
    balls = [{centre}]
    while True:
        more = {v for v in range(10) if any(w in balls[-1] for w in parents[v])}
        more |= {w for v in balls[-1] for w in parents[v]}
        if more <= balls[-1]:
            break
        balls.append(balls[-1] | more)
    found = _region(_adjacent(parents), centre, size)
    assert found == next((ball for ball in balls if len(ball) >= size), balls[-1])


def optimum(score: float, parents: list[list[int]]) -> Optimum:
    return Optimum(np.arange(len(parents)), parents, score, score, 0)


def test_how_a_search_stands_is_kept() -> None:
    stand = _Stand(optimum(-10.0, [[], [0], [1]]))
    stand.rise_to(optimum(-8.0, [[], [0], []]))
    assert (stand.gain, stand.largest_gain, stand.best.score) == (2.0, 2.0, -8.0)
    stand.meet([optimum(-12.0, [[], [], []])])
    stand.rise_to(optimum(-7.0, [[], [], [1]]))
    assert (stand.best.score, stand.present.score) == (-8.0, -7.0)
    for is_rising in (True, False):
        if not is_rising:
            stand.compare(np.random.default_rng(1))
        as_kept = json.loads(json.dumps(stand.state().as_json()))
        back = _Stand.of(StrategyState.of_json(Fields(as_kept), 3))
        assert replace(back, best=None, other=None) == replace(stand, best=None, other=None)  # type: ignore[arg-type]
        assert back.present.parents == stand.present.parents
    assert (stand.best.score, stand.is_rising, sorted(stand.untried)) == (-7.0, False, [1, 2])


def test_wrong_numbers_are_refused() -> None:
    for options in ({"kicks": -1}, {"walks": 0}, {"least": -1}, {"region": -0.1}):
        with pytest.raises(ParameterError, match=next(iter(options))):
            LocalKicks(**options)
