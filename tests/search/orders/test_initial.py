"""Initial orders: what the paper's algorithms promise, against slow twins and graphs worked out by hand."""

import pickle
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_orders
from arcwise import _core
from arcwise.parents import ParentSets
from arcwise.search.orders.climbs import INITIAL_ORDERS, dfs_order, fas_order, random_order
from arcwise.support.errors import ParameterError
from oracles_orders import Arc, Parents
from parent_set_strategies import Lists, set_lists

SEEDS = st.integers(0, 2**64 - 1)


def table_of(parents: Parents, weights: dict[Arc, float] | None = None) -> ParentSets:
    """Table in which these are the best parents, and the arcs weigh so much (1 where nothing is said)."""
    lists: list[list[tuple[float, list[int]]]] = []
    for node, best in enumerate(parents):
        sets = {tuple(sorted(best)): 0.0}
        heavy = [(weights or {}).get((parent, node), 1.0) for parent in sorted(best)]
        for parent, weighs in zip(sorted(best), heavy, strict=True):
            if weighs < inf:
                sets[tuple(sorted(set(best) - {parent}))] = -weighs
        if inf not in heavy:
            sets.setdefault((), -1e6)
        lists.append([(score, list(members)) for members, score in sets.items()])
    return ParentSets.from_lists([f"v{node}" for node in range(len(parents))], lists)


def relaxed_parents(table: ParentSets) -> list[set[int]]:
    return [{table.names.index(name) for name in table.best(v)[1]} for v in range(table.n_variables)]


def arc_weights(table: ParentSets) -> dict[Arc, float]:
    return {
        (table.names.index(parent), v): oracles_orders.weight(table.sets(v), parent)
        for v in range(table.n_variables)
        for parent in table.best(v)[1]
    }


@st.composite
def graphs(draw: st.DrawFn, most: int = 5) -> tuple[list[set[int]], dict[Arc, float]]:
    """Parents of up to `most` nodes, and whole weights, of which few differ and some are infinite."""
    n = draw(st.integers(1, most))
    parents = [draw(st.sets(st.sampled_from(range(n)))) - {v} for v in range(n)]
    heavy = st.sampled_from([1.0, 2.0, 3.0, 7.0, inf])
    return parents, {arc: draw(heavy) for arc in sorted(oracles_orders.arcs(parents))}


# Weights


@given(set_lists())
def test_arcs_weigh_what_the_variable_falls_back_to(drawn: Lists) -> None:
    table = drawn.table
    arcs = table.relaxed_arcs
    listed = [
        (int(parent), v) for v in range(len(drawn.names)) for parent in arcs.parents[slice(*arcs.begin[v : v + 2])]
    ]
    assert dict(zip(listed, arcs.weights.tolist(), strict=True)) == arc_weights(table)
    assert len(listed) == arcs.begin[-1]
    assert (arcs.weights > 0).all()


def test_a_missing_set_is_replaced_by_the_best_inside_it() -> None:
    lists = [[(0, ["b", "c"]), (-1, ["c"]), (-5, [])], [(-3, []), (-1, ["a"])], [(-2, ["a"])]]
    table = ParentSets.from_lists(["a", "b", "c"], lists)
    # Without c, a has only the empty set ({b} is missing); c has nothing at all without a.
    assert table.relaxed_arcs.weights.tolist() == [1, 5, 2, inf]
    assert pickle.loads(pickle.dumps(table)).relaxed_arcs.weights.tolist() == [1, 5, 2, inf]


def test_the_arcs_are_found_once_and_cannot_be_written_to() -> None:
    table = table_of([{1}, set()])
    assert table.relaxed_arcs is table.relaxed_arcs
    for array in (table.relaxed_arcs.begin, table.relaxed_arcs.parents, table.relaxed_arcs.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# All orders


@given(set_lists(), SEEDS, st.sampled_from(sorted(INITIAL_ORDERS)))
def test_they_are_orders_and_the_seed_decides(drawn: Lists, seed: int, method: str) -> None:
    table = drawn.table
    order = INITIAL_ORDERS[method](table, seed)
    assert order.dtype == np.intp
    assert sorted(order.tolist()) == list(range(table.n_variables))
    assert order.tolist() == INITIAL_ORDERS[method](table, seed).tolist()


@given(st.data(), SEEDS)
def test_they_are_optimal_where_the_best_parents_close_no_cycle(data: st.DataObject, seed: int) -> None:
    n = data.draw(st.integers(1, 12))
    hidden = data.draw(st.permutations(range(n)))
    parents: list[set[int]] = [set() for _ in range(n)]
    for before, after in combinations(hidden, 2):
        if data.draw(st.booleans()):
            parents[after].add(before)
    table = table_of(parents)
    for method in (dfs_order, fas_order):
        order = method(table, seed).tolist()
        score = sum(table.best_within(v, order[:at])[0] for at, v in enumerate(order))
        assert score == table.relaxed_score()


def test_random_orders_are_all_as_probable() -> None:
    times = Counter(tuple(random_order(table_of([set(), {0}, {1}]), seed).tolist()) for seed in range(600))
    assert len(times) == 6
    assert min(times.values()) > 60  # 100 on average, standard deviation 9


@pytest.mark.parametrize("method", INITIAL_ORDERS.values())
def test_wrong_arguments_are_refused(method: Callable[..., object]) -> None:
    table = table_of([set()])
    for seed in (-1, 2**64, 1.5, None, True):
        with pytest.raises(ParameterError, match="seed must be"):
            method(table, seed)
    with pytest.raises(ParameterError, match="table must be a ParentSets"):
        method([[]], 1)


# DFS


@given(set_lists(), SEEDS)
def test_dfs_always_takes_a_best_node(drawn: Lists, seed: int) -> None:
    table = drawn.table
    order = dfs_order(table, seed).tolist()
    parents = relaxed_parents(table)
    for at, node in enumerate(order):
        assert node in oracles_orders.dfs_choices(parents, order[at:])


@pytest.mark.parametrize("density", [0.2, 0.5, 0.8])
def test_dfs_takes_a_best_node_of_dense_graphs(density: float) -> None:
    # Where all nodes wait for several parents, leaving one out changes the goodness of those before it.
    rng = np.random.default_rng(3)
    for seed in range(40):
        parents = [set(np.flatnonzero(rng.random(9) < density).tolist()) - {node} for node in range(9)]
        order = dfs_order(table_of(parents), seed).tolist()
        for at, node in enumerate(order):
            assert node in oracles_orders.dfs_choices(parents, order[at:])


def test_dfs_takes_each_of_the_best_nodes() -> None:
    parents = [{1, 4}, {2}, {0, 3}, {2}, {1, 3}]
    best = oracles_orders.dfs_choices(parents, range(5))
    assert len(best) == 2
    times = Counter(int(dfs_order(table_of(parents), seed)[0]) for seed in range(400))
    assert set(times) == best
    assert min(times.values()) > 150


def test_dfs_of_the_papers_example() -> None:
    # A graph with everything that the text says of Figure 2, which itself is not in the text: A has no parents;
    # without A, the nodes B, C and F have the fewest and F the least goodness; C, B and A are parents of D.
    a, b, c, d, e, f = range(6)
    parents = [set[int](), {d}, {f}, {a, b, c, e}, {c, f}, {e}]
    assert oracles_orders.dfs_choices(parents, {a, b, c, d, e, f}) == {a}
    table = table_of(parents)
    times = Counter(tuple(dfs_order(table, seed).tolist()) for seed in range(200))
    assert set(times) == {(a, f, c, e, b, d), (a, f, c, e, d, b)}
    assert min(times.values()) > 60


# FAS


@given(graphs(), SEEDS)
def test_fas_loses_a_light_set_of_arcs_and_none_too_many(
    drawn: tuple[list[set[int]], dict[Arc, float]], seed: int
) -> None:
    parents, weights = drawn
    table = table_of(parents, weights)
    assert arc_weights(table) == weights
    order = fas_order(table, seed).tolist()
    lost = oracles_orders.backward(order, parents)
    kept = oracles_orders.arcs(parents) - lost
    assert all(oracles_orders.closes_cycle(arc, kept) for arc in lost)
    least = oracles_orders.least_feedback(parents, weights)
    weighs = sum(weights[arc] for arc in lost)
    # Demetrescu & Finocchi's guarantee; an infinite arc is lost only where there is no way round it.
    assert least <= weighs
    assert weighs <= max(1, oracles_orders.longest_cycle(parents)) * least


@given(set_lists(), SEEDS)
def test_fas_keeps_all_it_can_of_any_table(drawn: Lists, seed: int) -> None:
    table = drawn.table
    parents = relaxed_parents(table)
    lost = oracles_orders.backward(fas_order(table, seed).tolist(), parents)
    kept = oracles_orders.arcs(parents) - lost
    assert all(oracles_orders.closes_cycle(arc, kept) for arc in lost)


def test_fas_breaks_a_single_cycle_at_its_lightest_arc() -> None:
    ring: list[set[int]] = [{(node - 1) % 6} for node in range(6)]
    table = table_of(ring, {((node - 1) % 6, node): 5.0 + (node != 4) for node in range(6)})
    for seed in range(20):
        assert fas_order(table, seed).tolist() == [4, 5, 0, 1, 2, 3]


def test_fas_cuts_the_arc_that_many_cycles_share() -> None:
    # 0 -> 1 weighs 3, and 1 -> i -> 0 weigh 2 and 10 for i from 2 to 6: each cycle has a lighter arc of its own, but
    # after two cycles the shared one has lost its weight, and is all that need be lost.
    parents = [set(range(2, 7)), {0}, *({1} for _ in range(5))]
    weights = {(0, 1): 3.0} | {(1, i): 2.0 for i in range(2, 7)} | {(i, 0): 10.0 for i in range(2, 7)}
    for seed in range(20):
        assert oracles_orders.backward(fas_order(table_of(parents, weights), seed).tolist(), parents) == {(0, 1)}


def test_fas_lets_the_heaviest_arc_return_first() -> None:
    # Whichever cycle is first, 0 -> 1, 1 -> 0 and 1 -> 2 are cut; 0 -> 1 may return, and then neither of the others.
    table = table_of([{1, 2}, {0}, {1}], {(0, 1): 5.0, (1, 0): 2.0, (1, 2): 3.0, (2, 0): 10.0})
    for seed in range(20):
        assert fas_order(table, seed).tolist() == [2, 0, 1]


def test_fas_takes_any_cycle_any_of_equal_arcs_and_any_order() -> None:
    ring: list[set[int]] = [{(node - 1) % 4} for node in range(4)]
    lost = Counter(
        next(iter(oracles_orders.backward(fas_order(table_of(ring), seed).tolist(), ring))) for seed in range(200)
    )
    assert set(lost) == oracles_orders.arcs(ring)
    assert min(lost.values()) > 25
    no_arcs = Counter(tuple(fas_order(table_of([set(), set(), set()]), seed).tolist()) for seed in range(300))
    assert len(no_arcs) == 6
    assert min(no_arcs.values()) > 25


def test_fas_with_nothing_but_infinite_arcs_gives_an_order() -> None:
    parents: list[set[int]] = [{1, 2}, {0, 2}, {0, 1}]
    table = table_of(parents, dict.fromkeys(oracles_orders.arcs(parents), inf))
    assert np.isinf(table.relaxed_arcs.weights).all()
    assert len({tuple(fas_order(table, seed).tolist()) for seed in range(100)}) == 6


# The kernels


BEGIN, PARENTS, WEIGHTS = np.array([0, 1, 2]), np.array([1, 0], dtype=np.uint16), np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("begin", "parents"),
    [
        ([0, 1], [1, 0]),
        ([1, 1, 2], [1, 0]),
        ([0, 3, 2], [1, 0]),
        ([], []),
        ([0, 1, 2], [2, 0]),
        ([0, 1, 2], [0, 0]),
        ([0, 2, 2], [1, 1]),
    ],
)
def test_the_kernels_refuse_what_is_not_a_graph(begin: list[int], parents: list[int]) -> None:
    offsets, members = np.array(begin, dtype=np.int64), np.array(parents, dtype=np.uint16)
    with pytest.raises(ValueError, match=r"do not fit|does not exist|must ascend"):
        _core.dfs_order(offsets, members, 1)
    with pytest.raises(ValueError, match=r"do not fit|does not exist|must ascend"):
        _core.fas_order(offsets, members, np.ones(len(parents)), 1)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, np.nan]])
def test_the_kernel_refuses_weights_that_are_none(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="each parent must have a weight"):
        _core.fas_order(BEGIN, PARENTS, np.array(weights), 1)


def test_the_kernels_do_not_convert_arrays() -> None:
    with pytest.raises(TypeError):
        _core.fas_order(BEGIN.astype(np.int32), PARENTS, WEIGHTS, 1)
    with pytest.raises(TypeError):
        _core.dfs_order(BEGIN, PARENTS.astype(np.float64), 1)


def test_the_weights_of_arrays_that_do_not_fit_are_refused() -> None:
    table = table_of([{1}, {0}])
    begin, sets, members, scores = table.variable_begin, table.set_begin, table.members, table.scores
    assert _core.relaxed_weights(begin, sets, members, scores).tolist() == [1, 1]
    wrong = [
        (begin[:-1], sets, members, scores),
        (begin, sets[:-1], members, scores),
        (begin, sets, members[:-1], scores),
        (begin, sets, members, scores[:-1]),
        (begin, sets, members + np.uint16(1), scores),
        (np.array([0, 0, 4]), sets, members, scores),
    ]
    for arrays in wrong:
        with pytest.raises(ValueError, match=r"do not fit|does not exist|has no parent set"):
            _core.relaxed_weights(*arrays)
