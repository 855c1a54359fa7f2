"""Searches on tables of parent sets through the driver of all searches: what holds for each of them."""

from pathlib import Path

import pytest

import arcwise
from arcwise import (
    Budget,
    Checkpoints,
    Constraints,
    Dag,
    DynamicProgramming,
    Exact,
    Greedy,
    IntegerProgramming,
    LocalScore,
    OrdersOnTable,
    ParameterError,
    ParentSets,
    Problem,
    Search,
    Status,
    Stop,
    run_search,
)
from arcwise.runs.checkpoints import journal_of
from arcwise.runs.provenance import RunLimits
from arcwise.search.search import run_journaled, task_of
from oracles_climbs import best_dag_score, lists_of
from parent_set_strategies import random_table
from tables import dependent_table

SEARCHES: list[Search] = [OrdersOnTable(stop=Stop(climbs=60)), DynamicProgramming(), IntegerProgramming(), Exact()]
every_search = pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)


@every_search
def test_results_are_the_best_of_few_graphs(search: Search) -> None:
    table = random_table(5, 8, 3)
    heard: list[float] = []
    result = run_search(search, table, seed=1, on_improvement=lambda point: heard.append(point.score))
    assert result.score == pytest.approx(best_dag_score(lists_of(table)))
    assert result.score == table.total(result.dag)
    assert result.bound is not None
    assert result.score <= result.bound
    assert heard == [point.score for point in result.trace]
    assert heard[-1] == pytest.approx(result.score)
    assert (result.method, result.seed, result.counters["evaluations"]) == (search.name, 1, 0)
    assert result.provenance.score is None  # a table does not say which score it has


@every_search
def test_a_start_is_not_made_worse_without_time(search: Search) -> None:
    table = random_table(9, 20, 4)
    good = run_search(Exact(), table, seed=1).dag
    for budget in (Budget(time_limit=0), Budget(evaluation_limit=0)):
        result = run_search(search, Problem(table, start=good), seed=2, budget=budget)
        assert result.score >= table.total(good) - table.rounding


@every_search
def test_a_start_may_have_sets_that_the_table_lacks(search: Search) -> None:
    table = ParentSets.from_lists(["a", "b", "c"], [[(-3, []), (-1, ["b"])], [(-3, [])], [(-4, []), (-1, ["a"])]])
    start = Dag(table.names, [("b", "a"), ("a", "c"), ("b", "c")])
    for budget in (Budget(), Budget(time_limit=0)):
        result = run_search(search, Problem(table, start=start), seed=1, budget=budget)
        assert result.score == -5  # along the order of the start


@every_search
def test_problems_are_checked_before_anything_is_done(search: Search) -> None:
    table = random_table(4, 6, 1)
    with pytest.raises(ParameterError, match="start breaks the constraints"):
        Problem(table, Constraints(forbidden=[("v0", "v1")]), Dag(table.names, [("v0", "v1")]))
    with pytest.raises(ParameterError, match="forbidden mentions 'x'"):
        run_search(search, Problem(table, Constraints(forbidden=[("x", "v1")])))
    with pytest.raises(ParameterError, match="source must be a LocalScore or a ParentSets, not 3"):
        Problem(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"(table must be a|source must be a LocalScore or a) ParentSets, not 3"):
        run_search(search, 3)  # type: ignore[arg-type]


def test_a_search_takes_what_it_says() -> None:
    table, score = random_table(4, 6, 1), LocalScore(dependent_table())
    for search in SEARCHES[:3]:
        with pytest.raises(ParameterError, match="table must be a ParentSets, not LocalScore"):
            run_search(search, score)
        with pytest.raises(ParameterError, match="table must be a ParentSets, not LocalScore"):
            arcwise.learn(score.data, method=search)
    with pytest.raises(ParameterError, match="score must be a LocalScore, not <ParentSets"):
        run_search(Greedy(), table)
    with pytest.raises(ParameterError, match="score must be a LocalScore, not <ParentSets"):
        arcwise.greedy(table)


@every_search
def test_runs_are_resumed_with_the_seed_and_the_best_graph(search: Search, tmp_path: Path) -> None:
    table, path = random_table(8, 12, 2), Checkpoints(tmp_path / "run.json", every=0.0)
    problem = Problem(table)
    journal = journal_of(path, False, task_of(search, problem, 7, RunLimits()))
    first = run_journaled(search, problem, Budget(time_limit=0, journal=journal))
    assert (first.status, first.seed) == (Status.TIME_LIMIT, 7)
    journal = journal_of(path, True, task_of(search, problem, None, RunLimits()))
    second = run_journaled(search, problem, Budget(journal=journal))
    assert second.seed == 7
    assert second.score >= first.score
    with pytest.raises(ParameterError, match="is of other data"):
        journal_of(path, True, task_of(search, Problem(random_table(8, 12, 3)), None, RunLimits()))
