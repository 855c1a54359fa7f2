"""The best graph from data: against all graphs, and for which graphs the proof holds."""

import pytest

import oracles_exact as oracle
from arcwise import Budget, Constraints, Limits, LocalScore, ParentSets, Scope, Status, select
from arcwise.search.exact import exact, front
from arcwise.support.errors import ParameterError
from parent_set_strategies import random_table
from score_cases import COUNTED
from tables import dependent_table


@pytest.mark.parametrize("score", [name for name in COUNTED if name != "loglik"])
def test_no_graph_of_five_variables_is_better(score: str) -> None:
    local = LocalScore(dependent_table(n_rows=80), score)
    names = local.data.names
    for constraints in (
        Constraints(),
        Constraints(
            required=[(names[4], names[1])],
            forbidden=[(names[0], names[2])],
            tiers=[[names[3]], [names[0]]],
            max_parents=2,
        ),
    ):
        best = max(oracle.class_scores(5, local.local, names, constraints).values())
        result = exact(local, constraints=constraints)
        assert result.status == Status.OPTIMAL
        assert result.bound_for == Scope.ALL_SETS
        assert constraints.violations(result.dag) == ()
        assert result.score == pytest.approx(best, rel=1e-9)
        assert result.score == pytest.approx(local.total(result.dag), rel=1e-9)
        assert result.counters["sets"] >= 5


def test_the_proof_is_for_the_sets_that_were_looked_at() -> None:
    local = LocalScore(dependent_table())
    limited = exact(select(local, limits=Limits(max_parents=1)).sets)
    assert limited.status == Status.OPTIMAL
    assert limited.bound_for == Scope.CANDIDATE_SETS
    assert max(len(limited.dag.parents(name)) for name in limited.dag.names) <= 1
    table = random_table(6, 10, 1)
    assert exact(table).bound_for == Scope.CANDIDATE_SETS
    for budget in (Budget(time_limit=0), Budget(evaluation_limit=0)):
        ended = exact(local, budget=budget)
        assert ended.status in (Status.TIME_LIMIT, Status.EVALUATION_LIMIT)
        assert ended.bound_for is None  # nothing was looked at


def test_where_sets_are_missing_an_order_search_finds_a_good_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    local = LocalScore(dependent_table())
    best = exact(local).score
    empty = ParentSets.from_lists(local.names, [[(local.local(name), [])] for name in local.names])
    found = front.Candidates(empty, Scope.CANDIDATE_SETS, Status.TIME_LIMIT)
    monkeypatch.setattr(front, "candidate_table", lambda *_, **__: found)
    monkeypatch.setattr(front, "_ENUMERABLE_VARIABLES", 0)
    result = exact(local, seed=1)
    assert result.score == pytest.approx(best, rel=1e-9)
    assert result.status == Status.TIME_LIMIT
    assert (result.bound, result.bound_for) == (None, None)  # no sets but those of the graph


def test_tables_beyond_the_memory_go_to_integer_programming() -> None:
    table = random_table(6, 10, 1)
    small, large = exact(table, seed=1), exact(table, seed=1, memory=0)
    assert (small.method, large.method) == ("exact", "exact")
    assert (small.decisions["by"], large.decisions["by"]) == ("dynamic programming", "integer programming")
    assert large.status == Status.OPTIMAL
    assert large.score == pytest.approx(small.score, rel=1e-9)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="source must be a LocalScore or a ParentSets"):
        exact("data.csv")
    with pytest.raises(ParameterError, match="budget must be a Budget"):
        exact(LocalScore(dependent_table()), budget=5)
