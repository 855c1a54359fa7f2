"""Climbs from one order: they end where no neighbour is better, and say what is true of that order."""

from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_climbs as oracle
from arcwise import Budget
from arcwise.parents import ParentSets
from arcwise.search.orders import ORDER_CLIMBS, Optimum, OrderClimb, climb_order
from arcwise.support.errors import ParameterError
from parent_set_strategies import Lists, random_table, set_lists

SEEDS = st.integers(0, 2**64 - 1)
INSERTING = ["inobs", "hcbo", "first"]

every_climb = pytest.mark.parametrize("climb", ORDER_CLIMBS)
every_insertion = pytest.mark.parametrize("climb", INSERTING)


@st.composite
def climbs(draw: st.DrawFn, *, empty_sets: bool = False) -> tuple[ParentSets, list[int], int]:
    """A table, an order to start from, and a seed."""
    drawn: Lists = draw(set_lists(empty_sets=empty_sets))
    return drawn.table, draw(st.permutations(range(len(drawn.names)))), draw(SEEDS)


def check(table: ParentSets, start: list[int], end: Optimum) -> oracle.Value:
    """What holds wherever a climb ends; returns how good that is."""
    lists, order = oracle.lists_of(table), end.order.tolist()
    assert sorted(order) == list(range(table.n_variables))
    for v, expected in enumerate(oracle.local_scores(lists, order)):
        assert end.is_feasible or expected is not None or end.parents[v] == []
        if expected is not None:
            assert (expected, frozenset(end.parents[v])) in lists[v]
            assert set(end.parents[v]) <= set(order[: order.index(v)])
    value, before = oracle.value(lists, order), oracle.value(lists, start)
    assert end.is_feasible == (value.missing == 0)
    assert value.missing or end.score == pytest.approx(value.score, abs=1e-9)
    assert before.missing or end.start_score == pytest.approx(before.score, abs=1e-9)
    assert value.missing <= before.missing
    assert end.score >= end.start_score - 1e-9
    return value


# Local optima


@every_insertion
@given(drawn=climbs())
def test_no_insertion_improves_where_a_climb_ends(climb: str, drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, seed = drawn
    end = climb_order(table, start, climb, seed=seed)
    value, lists = check(table, start, end), oracle.lists_of(table)
    for _, neighbour in oracle.insertions(end.order.tolist()):
        other = oracle.value(lists, neighbour)
        # Among orders that leave as many variables without a set, any may be taken for better.
        assert not other.beats(value) if value.missing == 0 else other.missing >= value.missing


@given(climbs())
def test_no_adjacent_swap_improves_where_a_climb_ends(drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, seed = drawn
    end = climb_order(table, start, "obs", seed=seed)
    value, lists = check(table, start, end), oracle.lists_of(table)
    for neighbour in oracle.adjacent_swaps(end.order.tolist()):
        other = oracle.value(lists, neighbour)
        assert not other.beats(value) if value.missing == 0 else other.missing >= value.missing


@every_insertion
def test_larger_tables_end_in_local_optima_too(climb: str) -> None:
    for seed in range(3):
        table = random_table(14, 40, seed)
        lists = oracle.lists_of(table)
        start = np.random.default_rng(seed).permutation(14).tolist()
        end = climb_order(table, start, climb, seed=seed)
        value = check(table, start, end)
        assert end.moves > 0
        assert all(
            not oracle.value(lists, other).beats(value, 1e-9) for _, other in oracle.insertions(end.order.tolist())
        )


@every_climb
@given(drawn=climbs())
def test_results_are_what_they_say(climb: str, drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, seed = drawn
    end = climb_order(table, start, climb, seed=seed)
    check(table, start, end)
    again = climb_order(table, start, climb, seed=seed)
    assert again.order.tolist() == end.order.tolist()
    assert (again.score, again.moves, again.parents) == (end.score, end.moves, end.parents)


# Single moves


@given(climbs(empty_sets=True))
def test_best_choice_makes_the_best_of_all_insertions(drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, _ = drawn
    lists = oracle.lists_of(table)
    end = climb_order(table, start, OrderClimb(choice="best", max_moves=1))
    scores = [oracle.value(lists, other).score for _, other in oracle.insertions(start)]
    assert end.score == max([end.start_score, *scores])
    assert end.moves == (end.score > end.start_score)


@given(climbs(empty_sets=True))
def test_hybrid_choice_makes_the_best_insertion_of_one_variable(drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, seed = drawn
    lists = oracle.lists_of(table)
    end = climb_order(table, start, OrderClimb(max_moves=1), seed=seed)
    best: dict[int, float] = {}
    for variable, other in oracle.insertions(start):
        best[variable] = max(best.get(variable, end.start_score), oracle.value(lists, other).score)
    improving = {score for score in best.values() if score > end.start_score}
    assert end.score in (improving or {end.start_score})
    assert end.moves == bool(improving)


@given(climbs(empty_sets=True))
def test_first_choice_makes_an_insertion_that_improves(drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, seed = drawn
    lists = oracle.lists_of(table)
    end = climb_order(table, start, OrderClimb(choice="first", max_moves=1), seed=seed)
    better = [other for _, other in oracle.insertions(start) if oracle.value(lists, other).score > end.start_score]
    assert end.order.tolist() in (better or [start])


def test_first_choice_makes_any_of_the_improving_insertions() -> None:
    names = ["a", "b", "c"]
    table = ParentSets.from_lists(names, [[(0, [])], [(0, [])], [(-3, []), (-2, ["a"]), (-1, ["b"]), (0, ["a", "b"])]])
    ends = {
        tuple(climb_order(table, [2, 0, 1], OrderClimb(choice="first", max_moves=1), seed=seed).order)
        for seed in range(60)
    }
    assert ends == {(0, 2, 1), (0, 1, 2), (1, 2, 0)}


@given(climbs(empty_sets=True))
def test_adjacent_swaps_make_the_best_of_all_swaps(drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, _ = drawn
    lists = oracle.lists_of(table)
    end = climb_order(table, start, OrderClimb("adjacent", max_moves=1))
    assert end.score == max([end.start_score, *(oracle.value(lists, o).score for o in oracle.adjacent_swaps(start))])


@pytest.mark.parametrize("climb", [name for name in ORDER_CLIMBS if name != "asobs"])
def test_moves_are_limited_and_counted(climb: str) -> None:
    table = random_table(20, 15, 5, most=1)
    start = list(range(20))
    named = ORDER_CLIMBS[climb]
    all_moves = climb_order(table, start, named).moves
    assert all_moves > 3
    ends = [
        climb_order(table, start, OrderClimb(named.moves, named.choice, named.tabu, most))
        for most in range(all_moves + 2)
    ]
    assert [end.moves for end in ends] == [*range(all_moves + 1), all_moves]
    assert all(after.score >= before.score for before, after in pairwise(ends))
    if climb != "obs-tabu":
        assert ends[0].order.tolist() == start
        assert all(after.score > before.score for before, after in pairwise(ends[:-1]))


# Tabu


@given(climbs(empty_sets=True), st.integers(1, 8))
def test_tabu_moves_as_its_twin_does(drawn: tuple[ParentSets, list[int], int], tabu: int) -> None:
    table, start, _ = drawn
    end = climb_order(table, start, OrderClimb("adjacent", tabu=tabu))
    check(table, start, end)
    order, moves = oracle.tabu_moves(oracle.lists_of(table), start, tabu)
    assert end.order.tolist() == order
    assert end.moves == moves


def test_tabu_leaves_a_local_optimum_that_swaps_cannot_improve() -> None:
    # c gains 1 only with both others before it: no single swap from c, a, b helps, two do.
    table = ParentSets.from_lists(["a", "b", "c"], [[(0, [])], [(0, [])], [(-1, []), (0, ["a", "b"])]])
    assert climb_order(table, [2, 0, 1], "obs").order.tolist() == [2, 0, 1]
    assert climb_order(table, [2, 0, 1], OrderClimb("adjacent", tabu=3)).score == 0


# Acyclic selection


@given(climbs())
def test_acyclic_selection_is_what_its_definition_says(drawn: tuple[ParentSets, list[int], int]) -> None:
    table, start, _ = drawn
    lists = oracle.lists_of(table)
    end = climb_order(table, start, "asobs")
    check(table, start, end)
    chosen = oracle.acyclic_selection(lists, start)
    assert oracle.is_acyclic(chosen)
    assert end.order.tolist() == oracle.sorted_like(start, chosen)
    if end.is_feasible:
        selected = [{members: score for score, members in lists[v]}.get(chosen[v]) for v in range(len(lists))]
        assert None in selected or end.score >= sum(score for score in selected if score is not None) - 1e-9


def test_acyclic_selection_over_more_variables_than_a_word_has_bits() -> None:
    table = random_table(130, 12, 3)
    lists = oracle.lists_of(table)
    start = np.random.default_rng(3).permutation(130).tolist()
    end = climb_order(table, start, "asobs")
    chosen = oracle.acyclic_selection(lists, start)
    assert end.order.tolist() == oracle.sorted_like(start, chosen)
    assert end.score > end.start_score + 1


# Extremes


def test_one_variable_stays() -> None:
    table = ParentSets.from_lists(["a"], [[(-2.5, [])]])
    for climb in ORDER_CLIMBS:
        end = climb_order(table, [0], climb)
        assert (end.score, end.start_score, end.moves, end.parents, end.is_feasible) == (-2.5, -2.5, 0, [[]], True)


def test_two_variables_take_the_better_direction() -> None:
    table = ParentSets.from_lists(["a", "b"], [[(-5, []), (-3, ["b"])], [(-5, []), (-1, ["a"])]])
    for climb in (*INSERTING, "obs", "obs-tabu"):
        for start in ([0, 1], [1, 0]):
            end = climb_order(table, start, climb)
            assert (end.score, end.order.tolist(), end.parents) == (-6, [0, 1], [[], [0]])


@pytest.mark.parametrize("climb", [*INSERTING, "obs"])
def test_any_order_with_sets_beats_every_order_without(climb: str) -> None:
    # Only b before a before c gives each a set; the sets are far worse than what the others would lose.
    lists = [[(-1e6, ["b"])], [(0, ["a", "c"]), (-1e6, [])], [(-1e6, ["a"]), (-1e7, ["a", "b"])]]
    table = ParentSets.from_lists(["a", "b", "c"], lists)
    for start in permutations(range(3)):
        end = climb_order(table, list(start), climb)
        if climb in INSERTING:
            assert end.is_feasible
        if end.is_feasible:
            assert end.score == -3e6


def test_a_table_without_any_graph_says_so() -> None:
    table = ParentSets.from_lists(["a", "b"], [[(-1, ["b"])], [(-1, ["a"])]])
    for climb in ORDER_CLIMBS:
        assert not climb_order(table, [0, 1], climb).is_feasible


def large_sets(size: int) -> ParentSets:
    """The last variable wants all `size` others, can do without the one before it, and that one wants it."""
    empty: list[list[tuple[float, list[int]]]] = [[(0, [])] for _ in range(size - 1)]
    before: list[tuple[float, list[int]]] = [(-5, []), (0, [size])]
    last: list[tuple[float, list[int]]] = [(-1, list(range(size))), (-2, list(range(size - 1))), (-100, [])]
    return ParentSets.from_lists([f"v{v}" for v in range(size + 1)], [*empty, before, last])


@pytest.mark.parametrize("climb", [*INSERTING, "obs"])
@pytest.mark.parametrize("size", [63, 64, 65, 129])
def test_sets_may_have_many_members(climb: str, size: int) -> None:
    table = large_sets(size)
    end = climb_order(table, list(range(size + 1)), climb)
    assert end.start_score == -6
    assert end.score == -2
    assert end.parents[size] == list(range(size - 1))
    assert end.parents[size - 1] == [size]


@pytest.mark.parametrize("climb", INSERTING)
def test_rounding_does_not_keep_a_climb_going(climb: str) -> None:
    # To the left of all ys, x is worth the sum of these numbers to them; added in one direction it comes out above x's
    # own loss, in the other direction below. Both moves seem to improve, by 5e-10.
    worth = [708418.76, 789154.62, 799196.38, 322286.72, 796639.18, 225328.44]
    ys = [f"y{at}" for at in range(6)]
    lists = [[(0, ["x"]), (-score, [])] for score in worth] + [[(0, ys), (-1e8, [])], [(0, ["p"]), (-3641024.1, [])]]
    budget = Budget(time_limit=60)
    end = climb_order(ParentSets.from_lists([*ys, "p", "x"], lists), list(range(8)), climb, budget=budget)
    assert not budget.exhausted
    assert end.score == pytest.approx(-3641024.1)


# Budgets and arguments


@every_climb
def test_a_spent_budget_gives_the_start(climb: str) -> None:
    table, start = random_table(10, 20, 1), list(range(10))[::-1]
    end = climb_order(table, start, climb, budget=Budget(time_limit=0))
    assert check(table, start, end).missing == 0
    if climb != "asobs":
        assert end.order.tolist() == start
        assert end.moves == 0


@pytest.mark.parametrize(
    "start", [range(4), (3, 1, 2, 0), np.arange(4)[::-1], np.arange(8, dtype=np.int16)[:4], np.repeat(range(4), 2)[::2]]
)
def test_orders_may_be_any_whole_numbers_in_a_row(start: npt.ArrayLike) -> None:
    table = random_table(4, 5, 2)
    assert climb_order(table, start, OrderClimb(max_moves=0)).order.tolist() == np.asarray(start).tolist()


def test_the_given_order_is_left_alone() -> None:
    start = np.arange(12)
    end = climb_order(random_table(12, 30, 5), start)
    assert start.tolist() == list(range(12))
    assert not np.shares_memory(end.order, start)


def test_wrong_arguments_are_refused() -> None:
    table = random_table(3, 3, 1)
    with pytest.raises(ParameterError, match="climb must be one of inobs, hcbo, first, obs, obs-tabu, asobs"):
        climb_order(table, [0, 1, 2], "best")
    with pytest.raises(ParameterError, match="moves must be one of insert, adjacent, acyclic, narrow, not 'swap'"):
        OrderClimb("swap")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="choice must be one of hybrid, best, first"):
        OrderClimb(choice="worst")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="tabu is for adjacent moves, not for insert"):
        OrderClimb(tabu=3)
    with pytest.raises(ParameterError, match="choice is for insert moves, not for adjacent"):
        OrderClimb("adjacent", choice="first")
    with pytest.raises(ParameterError, match="max_moves is for insert and adjacent moves"):
        OrderClimb("acyclic", max_moves=3)
    with pytest.raises(ParameterError, match="max_moves must be at least 0, not -1"):
        OrderClimb(max_moves=-1)
    with pytest.raises(ParameterError, match="table must be a ParentSets"):
        climb_order([[]], [0])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="order must have each index from 0 to 2 once"):
        climb_order(table, [0, 1])
    with pytest.raises(ParameterError, match="budget must be a Budget"):
        climb_order(table, [0, 1, 2], budget=3)  # type: ignore[arg-type]
    for seed in (-1, 2**64, 0.5):
        with pytest.raises(ParameterError, match="seed must be"):
            climb_order(table, [0, 1, 2], seed=seed)  # type: ignore[arg-type]
