"""Order searches on tables: the optimum where it is known, and what a result promises."""

import pickle
import threading
import time
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_climbs as oracle
from arcwise import Budget, Constraints, Dag, Result, Status
from arcwise.graph.nodes import Order
from arcwise.parents import ParentSets
from arcwise.runs.provenance import readable
from arcwise.runs.result import Improvement
from arcwise.search.orders import (
    INITIAL_ORDERS,
    ORDER_CLIMBS,
    STRATEGIES,
    Memetic,
    Optimum,
    OrderClimb,
    Stop,
    search_orders,
)
from arcwise.search.orders.tables import TableClimber, perturbed_table
from arcwise.support.errors import ParameterError
from interrupting import presses_ctrl_c, stepped_clock
from parent_set_strategies import Lists, random_table, set_lists

every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


def check(table: ParentSets, result: Result) -> None:
    """What holds for every result, however the search ended."""
    assert result.dag.names == table.names
    assert result.score == pytest.approx(table.total(result.dag), rel=1e-12)
    assert result.bound is not None
    assert result.bound >= result.score  # exactly, whatever the rounding
    assert result.gap == result.bound - result.score
    assert result.trace
    assert all(before.score < after.score for before, after in pairwise(result.trace))
    assert all(before.seconds <= after.seconds for before, after in pairwise(result.trace))
    assert result.trace[-1].score == pytest.approx(result.score, rel=1e-12)
    assert result.counters["sets"] <= table.n_sets
    assert pickle.loads(pickle.dumps(result)) == result


# The optimum


@settings(max_examples=50, deadline=None)
@given(set_lists(most=4), st.integers(0, 2**32))
def test_the_best_of_all_graphs_is_found(drawn: Lists, seed: int) -> None:
    # 400 random orders miss one of the 24 with probability 4e-8; if no climb went uphill, that would still be enough.
    lists, stop = oracle.lists_of(drawn.table), Stop(climbs=400)
    best, order = oracle.best_dag_score(lists), oracle.best_order_value(lists)
    if best is None:
        assert order.missing
        with pytest.raises(ParameterError, match="no order was found in 400 climbs under which every variable has a"):
            search_orders(drawn.table, strategy="restarts", stop=stop, seed=seed, workers=1)
        return
    assert order == (0, best)
    result = search_orders(drawn.table, strategy="restarts", stop=stop, seed=seed, workers=1)
    check(drawn.table, result)
    assert result.score == best


@every_strategy
def test_every_strategy_finds_the_best_of_few_orders(strategy: str) -> None:
    for seed in range(5):
        table = random_table(6, 12, seed)
        best = oracle.best_order_value(oracle.lists_of(table)).score
        result = search_orders(table, strategy=strategy, stop=Stop(climbs=300), seed=seed)
        check(table, result)
        assert result.score == pytest.approx(best)


@pytest.mark.parametrize("climb", ORDER_CLIMBS)
@pytest.mark.parametrize("initial", INITIAL_ORDERS)
def test_every_climb_from_every_initial_order(climb: str, initial: str) -> None:
    table = random_table(6, 12, 4)
    best = oracle.best_order_value(oracle.lists_of(table)).score
    result = search_orders(table, strategy="restarts", climb=climb, initial=initial, stop=Stop(climbs=40), seed=1)
    check(table, result)
    assert result.score <= best + 1e-9
    # Few initial orders are different here where they are read off the best parents; asobs does not move.
    if initial == "random" and climb != "asobs":
        assert result.score == pytest.approx(best)


def test_an_acyclic_relaxed_graph_is_proven_best() -> None:
    lists = [[(-1.1, []), (-2.2, ["c"])], [(-0.1, ["a"]), (-9, [])], [(-0.7, ["a", "b"]), (-1, ["a"]), (-9, [])]]
    table = ParentSets.from_lists(["a", "b", "c"], lists)
    for initial in ("dfs", "fas"):
        result = search_orders(table, initial=initial, stop=Stop(climbs=1), seed=1)
        assert result.dag.arcs == (("a", "b"), ("a", "c"), ("b", "c"))
        assert result.gap == 0


def test_sums_of_any_numbers_stay_below_their_bound() -> None:
    for seed in range(60):
        scores = -np.random.default_rng(seed).random(7)
        table = ParentSets.from_lists([f"v{v}" for v in range(7)], [[(score, [])] for score in scores])
        check(table, search_orders(table, stop=Stop(climbs=1), seed=1))


@every_strategy
def test_one_and_two_variables(strategy: str) -> None:
    one = ParentSets.from_lists(["a"], [[(0, [])]])
    result = search_orders(one, strategy=strategy, seed=1)
    check(one, result)
    assert (result.score, result.dag.n_arcs, result.status) == (0, 0, Status.LOCAL_OPTIMUM)
    two = ParentSets.from_lists(["a", "b"], [[(-5, []), (-3, ["b"])], [(-5, []), (-1, ["a"])]])
    result = search_orders(two, strategy=strategy, seed=1)
    check(two, result)
    assert (result.score, result.bound, result.dag.arcs) == (-6, -4, (("a", "b"),))


# The same whatever the threads do


def facts(result: Result) -> tuple[object, ...]:
    return result.dag, result.score, result.counters, result.provenance, result.status


@every_strategy
@pytest.mark.parametrize("climb", ["inobs", "first", "obs-tabu"])
def test_workers_do_not_change_the_result(strategy: str, climb: str) -> None:
    table = random_table(15, 40, 7)
    options: dict[str, Any] = {"strategy": strategy, "climb": climb, "stop": Stop(climbs=90), "seed": 3}
    first, *others = (search_orders(table, workers=workers, **options) for workers in (1, 2, 5, None))
    check(table, first)
    assert first.counters["climbs"] == 90
    for other in others:
        assert facts(other) == facts(first)


@every_strategy
def test_the_timing_of_threads_does_not_change_the_result(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(12, 30, 8)
    alone = search_orders(table, strategy=strategy, stop=Stop(climbs=60), seed=3, workers=1)
    climb, rng = TableClimber._climb, np.random.default_rng(1)

    def slow(self: TableClimber, order: Order, seed: int) -> Optimum:
        time.sleep(rng.exponential(0.002))
        return climb(self, order, seed)

    monkeypatch.setattr(TableClimber, "_climb", slow)
    together = search_orders(table, strategy=strategy, stop=Stop(climbs=60), seed=3, workers=5)
    check(table, together)
    assert facts(together) == facts(alone)


@every_strategy
def test_seeds(strategy: str) -> None:
    table = random_table(15, 40, 9)
    drawn = search_orders(table, strategy=strategy, stop=Stop(climbs=30))
    assert facts(search_orders(table, strategy=strategy, stop=Stop(climbs=30), seed=drawn.seed)) == facts(drawn)
    moves = {
        search_orders(table, strategy=strategy, stop=Stop(climbs=30), seed=seed).counters["moves"] for seed in range(5)
    }
    assert len(moves) > 1
    assert search_orders(table, strategy=strategy, stop=Stop(climbs=1), seed=0).seed == 0


# When it ends


def test_without_any_limit_a_search_runs_out_of_patience() -> None:
    table = random_table(5, 6, 1)
    endings = [
        search_orders(table, seed=1),
        search_orders(table, seed=1, stop=Stop()),
        search_orders(table, seed=1, budget=Budget(evaluation_limit=10**6)),  # a table costs no evaluations
        search_orders(table, seed=1, budget=Budget(time_limit=float("inf"))),
    ]
    for result in endings:
        check(table, result)
        assert result.status == Status.LOCAL_OPTIMUM
        assert 1000 < result.counters["climbs"] < 3000


@every_strategy
def test_a_spent_budget_still_gives_a_graph(strategy: str) -> None:
    table = random_table(8, 10, 2)
    for budget, status in ((Budget(0), Status.TIME_LIMIT), (Budget(None, 0), Status.EVALUATION_LIMIT)):
        result = search_orders(table, strategy=strategy, seed=1, budget=budget)
        check(table, result)
        assert result.status == status
        assert result.counters["moves"] == 0


@every_strategy
def test_a_time_limit_ends_a_search(strategy: str) -> None:
    table = random_table(12, 30, 2)
    with stepped_clock(seconds_per_look=1.0) as clock:  # a limit ends it, not its patience
        result = search_orders(table, strategy=strategy, seed=1, budget=Budget(time_limit=50_000))
        assert clock.looks <= 50_100
    check(table, result)
    assert result.status == Status.TIME_LIMIT


@every_strategy
def test_a_listener_hears_of_improvements_and_can_end_the_search(strategy: str) -> None:
    table = random_table(15, 40, 3)
    heard: list[Improvement] = []
    result = search_orders(table, strategy=strategy, stop=Stop(climbs=100), seed=1, on_improvement=heard.append)
    assert set(result.trace) <= set(heard)
    assert [point.score for point in heard] == sorted({point.score for point in heard})
    ended = search_orders(table, strategy=strategy, seed=1, on_improvement=lambda point: True)
    check(table, ended)
    assert ended.status == Status.INTERRUPTED
    with pytest.raises(ZeroDivisionError):
        search_orders(table, strategy=strategy, seed=1, on_improvement=lambda point: 1 / 0)


def test_interrupted_before_it_starts() -> None:
    table = random_table(8, 10, 2)
    budget = Budget()
    budget.interrupt()
    result = search_orders(table, seed=1, budget=budget)
    check(table, result)
    assert result.status == Status.INTERRUPTED


def test_ctrl_c_returns_the_best_so_far() -> None:
    table = random_table(30, 60, 2)
    with presses_ctrl_c(after_looks=1000) as watch:
        result = search_orders(table, seed=1, budget=Budget(watch=watch))
    check(table, result)
    assert result.status == Status.INTERRUPTED


def test_searches_run_side_by_side() -> None:
    table = random_table(12, 30, 4)
    alone = [facts(search_orders(table, stop=Stop(climbs=50), seed=seed)) for seed in range(4)]
    found: dict[int, object] = {}

    def work(seed: int) -> None:
        found[seed] = facts(search_orders(table, stop=Stop(climbs=50), seed=seed))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[seed] for seed in range(4)] == alone


# Where it starts, and what it must keep to


@every_strategy
def test_the_start_is_not_made_worse(strategy: str) -> None:
    table = random_table(10, 20, 6)
    good = search_orders(table, stop=Stop(climbs=300), seed=1)
    order = good.dag.topological_order()
    by_index = np.array([table.names.index(name) for name in order])
    starts: list[dict[str, Any]] = [{"start": good.dag}, {"first_order": order}, {"first_order": by_index}]
    for start in starts:
        for budget in (Budget(), Budget(time_limit=0)):
            result = search_orders(table, strategy=strategy, stop=Stop(climbs=1), seed=5, budget=budget, **start)
            check(table, result)
            assert result.score >= good.score
    with pytest.raises(ParameterError, match="order must have each index from 0 to 9 once"):
        search_orders(table, first_order=[0, 1])


@every_strategy
def test_a_first_order_comes_before_that_of_the_start(strategy: str) -> None:
    table = random_table(10, 20, 6)
    good, poor = search_orders(table, stop=Stop(climbs=300), seed=1).dag, Dag(table.names)
    options: dict[str, Any] = {"strategy": strategy, "seed": 5, "stop": Stop(climbs=1), "budget": Budget(time_limit=0)}
    first = search_orders(table, first_order=good.topological_order(), start=poor, **options)
    assert first.score >= table.total(good)


def full_table(n: int, seed: int) -> ParentSets:
    """All sets of up to three parents, so that any constraints leave some."""
    rng = np.random.default_rng(seed)
    lists = [
        [
            (-10 * rng.random() - len(members), list(members))
            for size in range(4)
            for members in combinations([other for other in range(n) if other != v], size)
        ]
        for v in range(n)
    ]
    return ParentSets.from_lists([f"v{v}" for v in range(n)], lists)


@every_strategy
@pytest.mark.parametrize("seed", range(4))
def test_constraints_are_honoured(strategy: str, seed: int) -> None:
    table = full_table(7, seed)
    a, b, c, d, e, f, g = np.random.default_rng(seed).permutation(table.names).tolist()
    constraints = Constraints(
        required=[(a, b), (b, c), (c, d)], forbidden=[(e, d), (a, c)], tiers=[[a, e], [b, c, f]], max_parents=2
    )
    allowed = oracle.lists_of(table.constrained(constraints))
    bound = sum(max(score for score, _ in sets) for sets in allowed)
    for budget in (None, Budget(time_limit=0)):
        result = search_orders(
            table, strategy=strategy, constraints=constraints, stop=Stop(climbs=60), seed=seed, budget=budget
        )
        check(table, result)
        assert constraints.violations(result.dag) == ()
        assert result.bound == pytest.approx(bound)
    assert g in result.dag.names


def test_constrained_searches_find_the_constrained_optimum() -> None:
    table = full_table(5, 3)
    constraints = Constraints(required=[("v0", "v1"), ("v1", "v2")], forbidden=[("v3", "v2")], max_parents={"v4": 1})
    best = oracle.best_order_value(oracle.lists_of(table.constrained(constraints)))
    result = search_orders(table, constraints=constraints, stop=Stop(climbs=200), seed=1)
    assert best.missing == 0
    assert result.score == pytest.approx(best.score)


def test_what_no_graph_can_satisfy_is_refused() -> None:
    circle = ParentSets.from_lists(["a", "b"], [[(-1, ["b"])], [(-1, ["a"])]])
    with pytest.raises(
        ParameterError, match="add the empty set of every variable to the table, or relax the constraints"
    ):
        search_orders(circle, stop=Stop(climbs=5), seed=1)
    table = ParentSets.from_lists(["a", "b"], [[(-1, [])], [(-1, ["a"]), (-2, [])]])
    with pytest.raises(ParameterError, match="the constraints allow none of the 1 parent sets of 'a'"):
        search_orders(table, constraints=Constraints(required=[("b", "a")]), seed=1)


def test_sets_may_be_large() -> None:
    names = [f"v{v}" for v in range(70)]
    lists: list[list[tuple[float, list[str]]]] = [[(-1, [])] for _ in names[1:]]
    table = ParentSets.from_lists(names, [[(-1, names[1:]), (-2, names[1:65]), (-3, [])], *lists])
    assert search_orders(table, seed=1, stop=Stop(climbs=3)).score == -70
    result = search_orders(table, seed=1, stop=Stop(climbs=3), constraints=Constraints(max_parents=64))
    assert result.score == -71
    assert len(result.dag.parents("v0")) == 64


def test_wrong_arguments_are_refused_before_the_search() -> None:
    table = random_table(4, 3, 1)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"strategy": "tabu"}, "strategy must be one of restarts, annealing, perturbation, iterated, memetic"),
        ({"strategy": Memetic}, "strategy must be a name, or an object"),
        ({"climb": "best"}, "climb must be one of inobs"),
        ({"initial": "best"}, "initial must be one of random, dfs, fas, not 'best'"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"seed": -1}, "seed must be"),
        ({"stop": 5}, "stop must be a Stop"),
        ({"budget": 5}, "budget must be a Budget"),
        ({"constraints": 5}, "constraints must be a Constraints"),
        ({"constraints": Constraints(forbidden=[("x", "v1")])}, "forbidden mentions 'x'"),
        ({"first_order": ["v0"]}, "order must have each index from 0 to 3 once"),
        ({"first_order": "v0"}, "first_order must be a list of variables"),
        ({"first_order": ["v0", "v1", "v2", "x"]}, "'x'"),
        ({"start": [0, 1, 2, 3]}, "start must be a Dag"),
    ]
    for options, message in wrong:
        with pytest.raises(ParameterError, match=message):
            search_orders(table, **options)
    with pytest.raises(ParameterError, match="table must be a ParentSets"):
        search_orders([[]])


def test_provenance_says_what_was_asked() -> None:
    memetic, climb, stop = Memetic(population=5), OrderClimb(choice="best"), Stop(climbs=10)
    table = random_table(4, 3, 1)
    result = search_orders(table, strategy=memetic, climb=climb, initial="fas", stop=stop, seed=1)
    assert result.method == "memetic"
    expected = {"strategy": memetic, "climb": climb, "initial": "fas", "first_order": None, "stop": stop}
    assert result.provenance.options == readable(expected)


def test_perturbed_scores_err_as_they_must() -> None:
    """By definition: no error at 0 and for the worst set; else variance 2 T g, and half of it shared with a subset."""
    lists: list[list[tuple[float, list[str | int]]]] = [
        [(-10, ["v1", "v2"]), (-14, ["v1"]), (-30, [])],
        [(-5, ["v2"]), (-7, [])],
        [(-3, [])],
    ]
    table = ParentSets.from_lists(["v0", "v1", "v2"], lists)
    assert perturbed_table(table, 0.0, np.random.default_rng(1)).scores.tolist() == table.scores.tolist()
    rng, n = np.random.default_rng(1), 4000
    errors = np.zeros((n, 2))
    for at in range(n):
        changed = perturbed_table(table, 0.25, rng)
        scores = {parents: score for score, parents in changed.sets("v0")}
        assert list(scores.values()) == sorted(scores.values(), reverse=True)
        assert (scores[()], changed.best("v2")) == (-30, (-3, ()))
        errors[at] = scores["v1", "v2"] + 10, scores["v1",] + 14
    covariance = np.cov(errors.T)
    assert errors.mean(axis=0) == pytest.approx([0, 0], abs=5 * np.sqrt(10 / n))
    assert covariance[0, 0] == pytest.approx(2 * 0.25 * 20, rel=0.1)
    assert covariance[1, 1] == pytest.approx(2 * 0.25 * 16, rel=0.1)
    assert covariance[0, 1] == pytest.approx(2 * 0.25 * np.sqrt(20 * 16) / np.sqrt(2), rel=0.1)
