"""Bounds for the results of other searches, and the tables they come from."""

import sys
import warnings
from itertools import combinations

import pytest

from arcwise import (
    Budget,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    Problem,
    Scope,
    Status,
    Stop,
    learn,
    load_example,
)
from arcwise.parents.selection import with_families
from arcwise.search.exact.front import candidate_table, certified
from interrupting import stepped_clock, takes_turns
from oracles_graph import all_dags
from tables import dependent_table


def four_columns() -> Dataset:
    return Dataset.from_codes(dependent_table().codes[:, :4].copy())


def best_of_all(score: LocalScore, constraints: Constraints | None = None) -> float:
    names = score.data.names
    dags = (Dag(names, [(names[a], names[b]) for a, b in arcs]) for arcs in all_dags(len(names)))
    return max(score.total(dag) for dag in dags if constraints is None or constraints.satisfied_by(dag))


@pytest.mark.parametrize("kind", ["bic", "k2"])  # k2 is not the same for equivalent graphs
@pytest.mark.parametrize("method", ["orders", "greedy", "chow-liu"])
def test_the_bound_of_any_method_is_that_of_all_graphs(method: str, kind: str) -> None:
    if (method, kind) == ("chow-liu", "k2"):
        return
    data = four_columns()
    best = best_of_all(LocalScore(data, kind))
    result = learn(data, method=method, score=kind, seed=1, certify=20)
    assert result.bound is not None
    assert result.bound >= best - 1e-9
    assert result.bound == pytest.approx(best)
    assert result.bound_for is Scope.ALL_SETS
    assert (result.status is Status.OPTIMAL) == (result.score >= best - 1e-6)
    assert result.provenance.certify == 20


def test_constraints_count() -> None:
    data = four_columns()
    names = data.names
    constraints = Constraints(required=[(names[3], names[0])], max_parents=1)
    result = learn(data, constraints=constraints, seed=1, certify=20)
    assert result.bound == pytest.approx(best_of_all(LocalScore(data), constraints))
    assert result.status is Status.OPTIMAL


def test_without_time_there_is_no_bound() -> None:
    """No graph of the result's own sets is better, which says nothing of others."""
    data = load_example("alarm").sample(500, seed=1)
    found = learn(data, method="greedy", seed=1)
    assert learn(data, method="greedy", seed=1, certify=0).bound is None
    result = certified(found, LocalScore(data), seconds=0)
    assert (result.bound, result.gap, result.bound_for, result.bounds) == (None, None, None, ())
    assert (result.status, result.dag, result.counters) == (found.status, found.dag, found.counters)
    assert result.provenance.certify == 0


@pytest.mark.parametrize("rules", [Constraints(), Constraints(required=[("asia", "tub")])], ids=["free", "required"])
def test_a_search_that_ends_at_once_proves_nothing(rules: Constraints) -> None:
    """The true graph is far better than the first one, so that a gap of 0 would mislead."""
    truth = load_example("asia")
    data = truth.sample(5000, seed=1)
    for method in ("auto", "exact"):
        result = learn(data, method=method, seed=1, constraints=rules, time_limit=0)
        assert result.dag.arcs == rules.required
        assert LocalScore(data).total(truth.dag) > result.score + 1000
        assert (result.bound, result.gap, result.bound_for, result.bounds) == (None, None, None, ())


def test_the_seconds_of_a_bound_are_told_apart_from_those_of_the_search() -> None:
    """On a clock that passes by looks, both take some."""
    data = load_example("cancer").sample(500, seed=1)
    with stepped_clock(seconds_per_look=1e-6):
        found = learn(data, method="greedy", seed=1)
        result = learn(data, method="greedy", seed=1, certify=60)
    assert (found.bound_seconds, found.bound) == (0, None)
    assert result.seconds == found.seconds > 0
    assert result.bound_seconds > 0
    assert result.bounds[-1].seconds == pytest.approx(result.seconds + result.bound_seconds, rel=0.5)


def test_the_sets_of_the_result_are_added() -> None:
    score = LocalScore(four_columns())
    names = score.data.names
    table, scope, _ = candidate_table(Problem(score, Constraints(max_parents=1)), Budget(), workers=1)
    assert scope is Scope.ALL_SETS  # of those that the constraints allow
    parents = [(), (0,), (0, 1), (0, 1, 2)]
    more = with_families(table, parents, score)
    for child, of in enumerate(parents):
        found = {parents: value for value, parents in more.sets(child)}
        assert found[tuple(names[v] for v in of)] == pytest.approx(score.local(child, of))
        assert set(table.sets(child)) <= set(more.sets(child))
    assert with_families(more, parents, score) == more


def test_two_selections_make_one_table() -> None:
    data = load_example("alarm").sample(300, seed=1)
    score = LocalScore(data)
    table, scope, _ = candidate_table(Problem(score), Budget(0.5), workers=2)
    assert scope is Scope.CANDIDATE_SETS
    for child in range(0, data.n_variables, 9):
        sets = {frozenset(of): value for value, of in table.sets(child)}
        assert len(sets) == len(table.sets(child))
        for of, value in sets.items():
            assert value == pytest.approx(score.local(child, [data.index(name) for name in of]))
            assert not any(
                sets.get(frozenset(less), -1e99) >= value for k in range(len(of)) for less in combinations(of, k)
            )


@pytest.mark.parametrize("seconds", [-1, float("nan"), "long"])
def test_wrong_times_are_refused(seconds: float) -> None:
    with pytest.raises(ParameterError, match="certify must be a finite number of at least 0"):
        learn(four_columns(), certify=seconds)


def test_a_result_of_other_data_is_refused_by_its_names() -> None:
    score = LocalScore(four_columns())
    other = learn(load_example("cancer").sample(50, seed=1), method="greedy", seed=1)
    with pytest.raises(ValueError):
        certified(other, score, seconds=1)


def test_a_bound_without_scip_comes_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    monkeypatch.delitem(sys.modules, "arcwise.search.exact.branching", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = learn(load_example("child").sample(200, seed=1), method="greedy", seed=1, certify=300)
    assert result.bound is not None
    assert result.bound >= result.score
    assert result.status == Status.OPTIMAL or result.decisions["solver"] == "SCIP is not installed"


def ended_by_a_bound(budget: Budget) -> None:
    if budget.standing.bound is not None:
        budget.interrupt()


def test_bounds_come_after_the_search() -> None:
    data = load_example("child").sample(500, seed=1)
    stop = Stop(climbs=30)
    result = learn(data, method="orders", stop=stop, seed=1, certify=300, watch=ended_by_a_bound)
    times = [point.seconds for point in result.bounds]
    assert times == sorted(times)
    assert times[0] >= result.seconds >= result.trace[-1].seconds


def test_ctrl_c_in_the_bound_is_seen_in_the_status() -> None:
    data = load_example("alarm").sample(2000, seed=1)
    found = learn(data, method="greedy", seed=1)
    with takes_turns(lambda budget: budget.standing.bound is not None) as watch:
        result = certified(found, LocalScore(data), seconds=60, watch=watch)
    assert (result.status, result.dag) == (Status.INTERRUPTED, found.dag)
    assert result.bound is not None
    assert result.bound >= result.score
