"""Integer programming against all graphs of up to five variables, and what its results promise."""

import sys
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arcwise import (
    ArcwiseWarning,
    Budget,
    Constraints,
    Dag,
    Improvement,
    ParameterError,
    ParentSets,
    Result,
    Scope,
    Status,
)
from arcwise.search.exact import dynamic_programming, integer, integer_programming, splitting
from arcwise.search.exact.relaxation import Relaxation
from arcwise.search.exact.splitting import split
from interrupting import half_way, presses_ctrl_c
from oracles_clusters import best_score
from parent_set_strategies import Lists, random_table, set_lists

needs_scip = pytest.mark.skipif(find_spec("pyscipopt") is None, reason="SCIP is not installed")


@pytest.fixture(params=["all steps", "SCIP alone", "splitting alone"])
def steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole method, or branching without the steps before it: small cases would never come to it."""
    if request.param == "splitting alone":
        leave_it_to_branching(monkeypatch)
        hide_scip(monkeypatch)
        return
    pytest.importorskip("pyscipopt")
    if request.param == "SCIP alone":
        leave_it_to_branching(monkeypatch)


def leave_it_to_branching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integer, "_search_orders", lambda *arguments: None)
    monkeypatch.setattr(integer, "rounds", lambda *arguments, **options: None)


def hide_scip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arcwise.search.exact.branching", None)


def check(table: ParentSets, result: Result, best: float) -> None:
    assert result.status is Status.OPTIMAL
    assert result.score == pytest.approx(best, abs=1e-9)
    assert result.score == pytest.approx(table.total(result.dag), abs=1e-9)
    assert result.bound == result.score
    assert result.gap == 0
    assert all(before.score < after.score for before, after in pairwise(result.trace))
    assert all(before.bound > after.bound for before, after in pairwise(result.bounds))
    assert result.trace[-1].score == result.score


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("seed", range(6))
def test_five_variables(seed: int) -> None:
    table = random_table(5, 14, seed=seed)
    best = best_score(table)
    assert best is not None
    check(table, integer_programming(table, seed=seed), best)


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(required=[("v0", "v1"), ("v1", "v2")]),
        Constraints(forbidden=[("v0", "v1"), ("v3", "v2"), ("v4", "v0")], max_parents=2),
        Constraints(tiers=[["v4", "v1"], ["v0"]], max_parents={"v2": 1}),
    ],
    ids=["required", "forbidden", "tiers"],
)
def test_constraints(constraints: Constraints) -> None:
    names = [f"v{i}" for i in range(5)]
    lists = [
        [(-9.0 + 2.3 * len(of) - 0.37 * ((child * 7 + sum(of) * 3) % 11), of) for of in _subsets(5, child)]
        for child in range(5)
    ]
    table = ParentSets.from_lists(names, lists)
    best = best_score(table, constraints)
    assert best is not None
    result = integer_programming(table, constraints=constraints, seed=1)
    check(table, result, best)
    assert constraints.satisfied_by(result.dag)


def _subsets(n: int, child: int) -> list[list[int]]:
    return [[v for v in range(n) if mask >> v & 1] for mask in range(2**n) if not mask >> child & 1]


@settings(max_examples=20, deadline=None)
@given(set_lists(most=4), st.booleans(), st.booleans())
@example(Lists(("a",), ([(0.0, frozenset())],)), True, False)
def test_any_table(drawn: Lists, branching_alone: bool, has_scip: bool) -> None:
    pytest.importorskip("pyscipopt")
    best = best_score(drawn.table)
    with pytest.MonkeyPatch.context() as patch:
        if branching_alone:
            leave_it_to_branching(patch)
        if not has_scip:
            hide_scip(patch)
        if best is None:
            with pytest.raises(ParameterError, match=r"no .*graph"):
                integer_programming(drawn.table, seed=1)
        else:
            check(drawn.table, integer_programming(drawn.table, seed=1), best)


@settings(max_examples=20, deadline=None)
@given(set_lists(most=4))
@example(Lists(("a", "b"), ([(0.0, frozenset())], [(0.0, frozenset("a"))])))
def test_halves_alone_end_with_the_best_graph(drawn: Lists) -> None:
    """Where the linear solver gives up on every half, its last one is still a graph."""
    best = best_score(drawn.table)
    with pytest.MonkeyPatch.context() as patch:
        leave_it_to_branching(patch)
        hide_scip(patch)
        patch.setattr(splitting, "rounds", lambda *arguments, **options: None)
        patch.setattr(Relaxation, "solve", lambda *arguments: None)
        if best is None:
            with pytest.raises(ParameterError, match=r"no .*graph"):
                integer_programming(drawn.table, seed=1)
        else:
            check(drawn.table, integer_programming(drawn.table, seed=1), best)


@needs_scip
def test_scip_improves_on_a_bad_start(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_it_to_branching(monkeypatch)
    table = random_table(5, 14, seed=2)
    best = best_score(table)
    assert best is not None
    seen: list[Improvement] = []
    result = integer_programming(table, start=Dag(table.names), seed=1, on_improvement=seen.append)
    check(table, result, best)
    assert tuple(seen) == result.trace


def test_no_time_still_gives_a_graph_and_a_bound() -> None:
    table = random_table(8, 30, seed=1)
    result = integer_programming(table, start=Dag(table.names), budget=Budget(0), seed=1)
    assert result.status is Status.TIME_LIMIT
    assert result.bound is not None
    assert result.bound >= result.score
    assert result.bound_for is Scope.CANDIDATE_SETS


@pytest.mark.parametrize("seconds", [0, 0.01])
def test_a_graph_comes_however_short_the_time(seconds: float) -> None:
    table = random_table(30, 300, seed=1)
    result = integer_programming(table, budget=Budget(seconds), seed=1)
    assert result.score == pytest.approx(table.total(result.dag))
    assert result.bound is not None
    assert result.bound >= result.score


def test_ctrl_c_in_the_first_step_ends_all_of_them() -> None:
    table = random_table(12, 60, seed=1, most=5)
    with presses_ctrl_c() as watch:
        result = integer_programming(table, start=Dag(table.names), seed=1, budget=Budget(watch=watch))
    assert result.status is Status.INTERRUPTED
    assert result.counters["rounds"] == 0


@needs_scip
def test_ctrl_c_ends_scip_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_it_to_branching(monkeypatch)
    table = random_table(12, 60, seed=1, most=5)
    middle = half_way(lambda: integer_programming(table, start=Dag(table.names), seed=1))
    with presses_ctrl_c(middle) as watch:
        result = integer_programming(table, start=Dag(table.names), seed=1, budget=Budget(watch=watch))
    assert result.status is Status.INTERRUPTED
    assert result.bound is not None
    assert result.bound >= result.score


def test_a_relaxation_that_is_not_tight_is_split_without_scip(monkeypatch: pytest.MonkeyPatch) -> None:
    hide_scip(monkeypatch)
    table = random_table(12, 120, seed=5, most=5)
    expected = dynamic_programming(table)
    result = integer_programming(table, seed=1)
    assert result.counters["nodes"] > 0
    check(table, result, expected.score)


def test_where_time_is_short_without_scip_there_is_a_bound_and_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    hide_scip(monkeypatch)
    table = random_table(12, 120, seed=5, most=5)
    best = dynamic_programming(table).score

    def interrupted(relaxation: Any, incumbent: Any, budget: Budget, log: Any) -> dict[str, int]:
        budget.interrupt()
        return split(relaxation, incumbent, budget, log)

    monkeypatch.setattr(integer, "split", interrupted)
    with pytest.warns(ArcwiseWarning, match=r"pip install 'arcwise\[exact\]'"):
        result = integer_programming(table, seed=1)
    assert result.status is Status.INTERRUPTED
    assert result.bound is not None
    assert result.score <= best + 1e-9 <= result.bound + 2e-9
