"""Dynamic programming: the optimum by brute force, and what a result promises."""

import os
import pickle
from itertools import combinations, pairwise
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_exact as oracle
from arcwise import Budget, Constraints, LocalScore, Result, Scope, Status, _core, select
from arcwise.parents import ParentSets
from arcwise.search.exact import dynamic_programming
from arcwise.search.exact.dynamic import components, sets_within, subset_bytes
from arcwise.support.errors import ParameterError
from experiments.debd import PROVEN, load
from interrupting import half_way, presses_ctrl_c
from oracles_climbs import best_dag_score, lists_of
from parent_set_strategies import Lists, random_table, set_lists

DATA_FOLDER = Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[4] / "shared" / "data"))


def check(table: ParentSets, result: Result) -> None:
    """What holds for every result, however it ended."""
    assert result.dag.names == table.names
    assert result.score == pytest.approx(table.total(result.dag), rel=1e-12)
    assert result.bound is not None
    assert result.bound >= result.score  # exactly, whatever the rounding
    assert (result.status == Status.OPTIMAL) <= (result.gap == 0)
    assert all(before.score < after.score for before, after in pairwise(result.trace))
    assert result.trace[-1].score == pytest.approx(result.score, rel=1e-12)
    assert pickle.loads(pickle.dumps(result)) == result


def full_table(n: int, seed: int, most: int = 4) -> ParentSets:
    """All sets of up to `most` parents, so that any constraints leave some."""
    rng = np.random.default_rng(seed)
    lists = [
        [
            (-10 * rng.random() - len(members), list(members))
            for size in range(min(most, n - 1) + 1)
            for members in combinations([other for other in range(n) if other != v], size)
        ]
        for v in range(n)
    ]
    return ParentSets.from_lists([f"v{v}" for v in range(n)], lists)


# The optimum


@settings(max_examples=150, deadline=None)
@given(set_lists(most=4), st.integers(1, 3))
def test_it_is_the_best_of_all_choices(drawn: Lists, workers: int) -> None:
    best = best_dag_score(lists_of(drawn.table))
    if best is None:
        with pytest.raises(ParameterError, match="no graph without cycles gives each of"):
            dynamic_programming(drawn.table, workers=workers)
        return
    result = dynamic_programming(drawn.table, workers=workers)
    check(drawn.table, result)
    assert result.status == Status.OPTIMAL
    assert result.score == best


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_best_of_all_graphs_of_five_variables(seed: int) -> None:
    table = full_table(5, seed)
    names = table.names
    a, b, c, d, e = np.random.default_rng(seed).permutation(names).tolist()
    for constraints in (
        Constraints(),
        Constraints(required=[(a, b), (b, c)], forbidden=[(a, c), (d, e)]),
        Constraints(tiers=[[a, b], [c, d]], max_parents={b: 0, e: 1}),
        Constraints(required=[(a, e)], forbidden=[(c, e)], tiers=[[a], [b, e]], max_parents=2),
    ):
        best = max(oracle.class_scores(5, oracle.local_of(lists_of(table)), names, constraints).values())
        result = dynamic_programming(table, constraints=constraints)
        check(table, result)
        assert result.status == Status.OPTIMAL
        assert constraints.violations(result.dag) == ()
        assert result.score == pytest.approx(best, rel=1e-12)
        assert result.bound == result.score
        assert result.bound_for == Scope.CANDIDATE_SETS


@pytest.mark.parametrize("n", [11, 12, 13])
def test_larger_tables_against_the_plain_recursion(n: int) -> None:
    table = random_table(n, 12, n)
    result = dynamic_programming(table, scope=Scope.ALL_SETS)
    check(table, result)
    assert result.score == pytest.approx(oracle.subset_programming(lists_of(table)), rel=1e-12)
    assert result.bound_for == Scope.ALL_SETS


def test_workers_do_not_change_the_answer() -> None:
    table = ParentSets.from_lists(
        [f"v{v}" for v in range(16)],
        [[(-3, []), *((-(u + v) % 3, [u]) for u in range(16) if u != v)] for v in range(16)],
    )  # with many graphs that are equally good
    alone = dynamic_programming(table, workers=1)
    assert [dynamic_programming(table, workers=workers).dag for workers in (2, 3, 8)] == [alone.dag] * 3


@pytest.mark.parametrize("name", ["nltcs", "msnbc"])
def test_known_optima(name: str) -> None:
    if not (DATA_FOLDER / "debd" / f"{name}.npz").exists():
        pytest.skip(f"needs debd/{name}.npz in $ARCWISE_DATA or ../shared/data")
    selected = select(LocalScore(load(DATA_FOLDER, name)), method="exhaustive")
    assert selected.is_exact
    result = dynamic_programming(selected.sets, scope=Scope.ALL_SETS)
    assert result.status == Status.OPTIMAL
    assert result.score == pytest.approx(PROVEN[name].optimum, abs=1e-4)


# Groups


@settings(max_examples=100, deadline=None)
@given(set_lists(empty_sets=True))
def test_groups_are_those_with_common_cycles(drawn: Lists) -> None:
    table = drawn.table
    lists, groups = lists_of(table), components(table)
    of = {v: at for at, group in enumerate(groups) for v in group}
    assert sorted(of) == list(range(table.n_variables))
    for a, b in combinations(of, 2):
        assert (of[a] == of[b]) == oracle.common_cycle(lists, a, b)
    for child, sets in enumerate(lists):
        assert all(of[parent] <= of[child] for _, members in sets for parent in members)


@settings(max_examples=100, deadline=None)
@given(set_lists(), st.data())
def test_sets_within_a_group_are_the_best_that_agree_on_it(drawn: Lists, data: st.DataObject) -> None:
    table = drawn.table
    everyone = list(range(table.n_variables))
    group = sorted(data.draw(st.sets(st.sampled_from(everyone), min_size=1)))
    within = lists_of(sets_within(table, group))
    for at, v in enumerate(group):
        best: dict[frozenset[int], float] = {}
        for score, members in lists_of(table)[v]:
            inside = frozenset(group.index(member) for member in members if member in group)
            best[inside] = max(best.get(inside, score), score)
        assert {members: score for score, members in within[at]} == best
        assert len(within[at]) == len(best)


def test_tiers_take_many_variables_apart() -> None:
    table = random_table(40, 20, 5)
    tiers = [list(table.names[begin : begin + 10]) for begin in range(0, 40, 10)]
    constraints = Constraints(tiers=tiers)
    with pytest.raises(ParameterError, match=r"all subsets of the 40 variables .* which is for at most 32"):
        dynamic_programming(table)
    assert subset_bytes(table) is None
    result = dynamic_programming(table, constraints=constraints)
    check(table, result)
    assert result.status == Status.OPTIMAL
    assert constraints.satisfied_by(result.dag)
    # Later tiers cannot make earlier ones worse: each is solved with all earlier variables as parents for nothing.
    expected = []
    for begin in range(0, 40, 10):
        lists = lists_of(table)[begin : begin + 10]
        inside = [
            [
                (score, frozenset(member - begin for member in members if member >= begin))
                for score, members in sets
                if all(member < begin + 10 for member in members)
            ]
            for sets in lists
        ]
        expected.append(oracle.subset_programming(inside))
    assert result.score == pytest.approx(fsum(expected), rel=1e-12)


# Memory


def test_memory_is_checked_before_it_is_taken() -> None:
    table = full_table(20, 1, most=1)
    needed = subset_bytes(table, workers=1)
    assert needed is not None
    assert 8 * 2**20 < needed < 9 * 2**20
    with pytest.raises(ParameterError, match=f"{needed:,} bytes, more than memory allows \\({needed - 1:,}\\)"):
        dynamic_programming(table, workers=1, memory=needed - 1)
    assert dynamic_programming(table, workers=1, memory=needed).status == Status.OPTIMAL
    with pytest.raises(ParameterError, match=r"all subsets of the 32 variables .* which takes 34,36.* bytes, more"):
        dynamic_programming(full_table(32, 1, most=1), workers=1)


# Budgets


def test_ended_before_it_starts() -> None:
    table = full_table(8, 2)
    for budget, status in (
        (Budget(time_limit=0), Status.TIME_LIMIT),
        (Budget(evaluation_limit=0), Status.EVALUATION_LIMIT),
        (Budget(), Status.INTERRUPTED),
    ):
        if status == Status.INTERRUPTED:
            budget.interrupt()
        result = dynamic_programming(table, budget=budget)
        check(table, result)
        assert result.status == status
        assert result.bound == pytest.approx(sum(max(score for score, _ in sets) for sets in lists_of(table)))


def test_constraints_hold_when_it_is_ended() -> None:
    table = full_table(6, 3)
    constraints = Constraints(required=[("v5", "v0"), ("v0", "v3")], forbidden=[("v1", "v2")], max_parents=2)
    result = dynamic_programming(table, constraints=constraints, budget=Budget(time_limit=0))
    check(table, result)
    assert constraints.violations(result.dag) == ()


def test_without_any_graph_at_the_end_it_says_so() -> None:
    circle = ParentSets.from_lists(["a", "b"], [[(-1, ["b"])], [(-1, ["a"])]])
    with pytest.raises(ParameterError, match="no graph without cycles gives each of 'a', 'b' one of its parent sets"):
        dynamic_programming(circle)
    with pytest.raises(ParameterError, match="the budget ended before a graph was found"):
        dynamic_programming(circle, budget=Budget(time_limit=0))


def test_a_graph_that_climbs_miss_is_found() -> None:
    # Only the order v0, v1, … gives every variable a set.
    names = [f"v{v}" for v in range(12)]
    chain = ParentSets.from_lists(names, [[(-1, names[:v])] for v in range(12)])
    assert dynamic_programming(chain).score == -12


def test_groups_that_are_done_tighten_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = [[(-1, ["b"]), (-2, [])], [(-1, ["a"]), (-2, [])]]
    other = [[(-1, ["d"]), (-2, [])], [(-1, ["c"]), (-2, [])]]
    table = ParentSets.from_lists(["a", "b", "c", "d"], [*pair, *other])
    budget, solve = Budget(), _core.best_order

    def once(*arguments: Any) -> _core.BestOrder:
        found = solve(*arguments)
        budget.interrupt()
        return found

    monkeypatch.setattr(_core, "best_order", once)
    result = dynamic_programming(table, budget=budget)
    check(table, result)
    assert result.status == Status.INTERRUPTED
    assert (result.score, result.bound) == (-6, -5)  # -3 for the pair that was solved, -2 for the other one


def test_ctrl_c_returns_the_best_so_far() -> None:
    table = random_table(12, 40, 2)
    middle = half_way(lambda: dynamic_programming(table))
    with presses_ctrl_c(middle) as watch:
        result = dynamic_programming(table, budget=Budget(watch=watch))
    check(table, result)
    assert result.status == Status.INTERRUPTED


def test_improvements_are_told() -> None:
    table = random_table(10, 20, 1)
    heard: list[float] = []
    result = dynamic_programming(table, on_improvement=lambda point: heard.append(point.score))
    assert heard == [point.score for point in result.trace]
    ended = dynamic_programming(table, on_improvement=lambda point: True)
    check(table, ended)
    assert ended.status == Status.INTERRUPTED


# Arguments


def test_one_variable() -> None:
    result = dynamic_programming(ParentSets.from_lists(["a"], [[(-1, [])]]))
    assert (result.score, result.dag.n_arcs, result.status) == (-1, 0, Status.OPTIMAL)


def test_wrong_arguments_are_refused() -> None:
    table = random_table(4, 3, 1)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"workers": 0}, "workers must be at least 1"),
        ({"memory": -1}, "memory must be at least 0"),
        ({"budget": 5}, "budget must be a Budget"),
        ({"scope": "all graphs"}, "scope must be a Scope"),
        ({"constraints": 5}, "constraints must be a Constraints"),
        ({"constraints": Constraints(forbidden=[("x", "v1")])}, "forbidden mentions 'x'"),
    ]
    for options, message in wrong:
        with pytest.raises(ParameterError, match=message):
            dynamic_programming(table, **options)
    with pytest.raises(ParameterError, match="table must be a ParentSets"):
        dynamic_programming([[]])
