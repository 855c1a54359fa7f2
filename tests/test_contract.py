"""What every search must do, whatever its method."""

import os
import signal
import threading
from dataclasses import fields
from importlib import import_module
from math import isclose
from typing import Any

import numpy as np
import pytest

from arcwise import (
    BDeu,
    Budget,
    Constraints,
    Dag,
    Dataset,
    Exact,
    Improvement,
    LocalScore,
    Narrow,
    ParameterError,
    Status,
    Stop,
    learn,
    load_example,
)
from arcwise.search.orders.tables import SelectedOrders
from arcwise.search.registry import SEARCHES
from arcwise.search.search import options_of, run_search
from interrupting import PATIENCE, half_way, presses_ctrl_c, runs_out_of_time, stepped_clock
from result_checks import check
from score_cases import COUNTED
from short_searches import SHORT
from tables import dependent_table, sparse_table

every_method = pytest.mark.parametrize("method", list(SEARCHES))

#: These select parent sets first, which counts all scores anew.
SELECTING = [name for name, search in SEARCHES.items() if isinstance(search, SelectedOrders | Narrow | Exact)]


def options_of_type(kind: type) -> list[tuple[str, str]]:
    """The options of all searches that are numbers or flags, each with the name of its search."""
    return [
        (name, option.name) for name, search in SEARCHES.items() for option in fields(search) if option.type is kind
    ]


@every_method
@pytest.mark.parametrize("score", [name for name in COUNTED if name != "loglik"])
def test_result_is_what_it_says(method: str, score: str) -> None:
    data = dependent_table()
    search = SEARCHES[method] if score == "bic" else SHORT[method]
    if search.needs_equivalence and not COUNTED[score].is_equivalent:
        with pytest.raises(ParameterError, match=f"which {score} does not"):
            learn(data, method=method, score=score, seed=3)
        return
    result = learn(data, method=search, score=score, seed=3)
    check(result, data, score)
    assert result.method == run_search(search, LocalScore(data, score), seed=3).method == method
    assert result.status == (Status.OPTIMAL if method == "exact" else Status.LOCAL_OPTIMUM)
    assert result.score > LocalScore(data, score).total(Dag(data.names))


@every_method
def test_one_variable(method: str) -> None:
    data = Dataset.from_codes([[0], [1], [1]])
    result = learn(data, method=SHORT[method])
    check(result, data)
    assert result.dag.n_arcs == 0


@every_method
def test_one_row(method: str) -> None:
    data = Dataset.from_codes([[0, 1, 0]], arities=[2, 2, 2])
    check(learn(data, method=SHORT[method]), data)


@every_method
def test_constant_column(method: str) -> None:
    data = dependent_table(constant=True)
    result = learn(data, method=SHORT[method], seed=0)
    check(result, data)
    constant = data.names[-1]
    assert not result.dag.parents(constant)
    assert not result.dag.children(constant)


@every_method
@pytest.mark.parametrize(
    ("limit", "status"), [("time_limit", Status.TIME_LIMIT), ("evaluation_limit", Status.EVALUATION_LIMIT)]
)
def test_limit_zero_returns_the_start(method: str, limit: str, status: Status) -> None:
    data = dependent_table()
    result = learn(data, method=method, seed=0, **{limit: 0})  # type: ignore[arg-type]
    check(result, data)
    assert result.status == status
    assert result.dag.n_arcs == 0


@every_method
def test_evaluation_limits_are_kept_and_reproducible(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    batch = data.n_variables
    for limit in (20, 100, 300):
        first, second = (learn(data, method=SHORT[method], seed=5, evaluation_limit=limit) for _ in range(2))
        check(first, data)
        assert first.dag == second.dag
        assert first.counters["evaluations"] <= limit + 2 * batch


@every_method
def test_same_seed_same_network(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    first, second = (learn(data, method=SHORT[method], seed=0) for _ in range(2))
    assert first.dag == second.dag
    assert first.score == second.score
    assert first.seed == 0


@every_method
def test_a_drawn_seed_is_recorded_and_repeats_the_run(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    drawn = learn(data, method=SHORT[method])
    assert learn(data, method=SHORT[method], seed=drawn.seed).dag == drawn.dag


@every_method
def test_a_shared_score_does_not_change_the_network(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    shared = LocalScore(data)
    first, second = (run_search(SHORT[method], shared, seed=1) for _ in range(2))
    assert first.dag == second.dag == learn(data, method=SHORT[method], seed=1).dag
    if method not in SELECTING:
        assert second.counters["evaluations"] == 0


@every_method
def test_interrupted_before_it_starts(method: str) -> None:
    data = dependent_table()
    budget = Budget()
    budget.interrupt()
    result = run_search(SHORT[method], LocalScore(data), seed=0, budget=budget)
    check(result, data)
    assert result.status == Status.INTERRUPTED


@every_method
def test_ctrl_c_returns_the_best_so_far(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    middle = half_way(lambda: run_search(SHORT[method], LocalScore(data), seed=0, budget=Budget()))
    with presses_ctrl_c(middle) as watch:
        result = run_search(SHORT[method], LocalScore(data), seed=0, budget=Budget(watch=watch))
    check(result, data)
    assert result.status == Status.INTERRUPTED


@every_method
def test_time_limit_is_kept(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    result = runs_out_of_time(lambda seconds: learn(data, method=method, seed=0, time_limit=seconds))
    check(result, data)


@every_method
def test_the_trace_ends_no_later_than_the_search(method: str) -> None:
    with stepped_clock(seconds_per_look=1.0):
        budget = Budget()
        assert not budget.exhausted  # a look: its clock runs before the search begins
        result = run_search(SHORT[method], LocalScore(dependent_table()), seed=1, budget=budget)
        assert 1 <= result.trace[-1].seconds <= result.seconds <= budget.elapsed


@every_method
def test_callbacks_see_the_trace_and_can_stop(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    seen: list[Improvement] = []
    result = learn(data, method=SHORT[method], seed=0, on_improvement=seen.append)
    assert set(result.trace) <= set(seen)
    assert [point.score for point in seen] == sorted(point.score for point in seen)
    stopped = learn(data, method=SHORT[method], seed=0, on_improvement=lambda _: True)
    check(stopped, data)
    assert stopped.status == Status.INTERRUPTED


@every_method
def test_searches_run_side_by_side(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    alone = [learn(data, method=SHORT[method], seed=seed).dag for seed in range(4)]
    found: dict[int, Dag] = {}

    def work(seed: int) -> None:
        found[seed] = learn(data, method=SHORT[method], seed=seed).dag

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[seed] for seed in range(4)] == alone


@pytest.mark.parametrize(
    ("method", "options"),
    [
        *((name, {"climbs": 1}) for name, search in SEARCHES.items() if "climbs" in options_of(type(search))),
        ("kes", {"climbs": 1, "reversing": True}),
        ("ges", {"by_phases": True, "reversing": True}),
        ("greedy", {"climbs": 1, "restriction": "two-phase"}),
        ("greedy", {"climbs": 3, "kick": 5}),
        ("orders", {"stop": Stop(climbs=1)}),
        ("orders", {"stop": Stop(climbs=3), "strategy": "annealing"}),
    ],
    ids=str,
)
def test_the_threads_of_one_climb_do_not_change_its_end(method: str, options: dict[str, Any]) -> None:
    data = sparse_table()
    alone, *others = (learn(data, method=method, seed=3, workers=workers, **options) for workers in (1, 2, 5))
    for other in others:
        assert other.dag == alone.dag
        assert other.score == alone.score
        # Two threads may count the same score before either remembers it.
        uncounted = dict.fromkeys(("evaluations", "cache_hits"), 0)
        assert {**other.counters, **uncounted} == {**alone.counters, **uncounted}


@every_method
@pytest.mark.parametrize("seed", range(5))
def test_constraints_are_honoured(method: str, seed: int) -> None:
    data = dependent_table(arities=(2, 3) * 4, seed=seed)
    rng = np.random.default_rng(seed)
    order = [str(name) for name in rng.permutation(data.names)]
    free = learn(data, method=SHORT[method], seed=seed).dag
    constraints = Constraints(
        required=[(order[0], order[-1])],
        forbidden=list(free.arcs[:2]) if (order[0], order[-1]) not in free.arcs[:2] else [],
        tiers=[order[:4], order[4:]],
        max_parents=2,
    )
    result = learn(data, method=SHORT[method], seed=seed, constraints=constraints)
    check(result, data)
    assert constraints.violations(result.dag) == ()
    limited = learn(data, method=SHORT[method], seed=seed, constraints=constraints, time_limit=0)
    assert constraints.violations(limited.dag) == ()


@every_method
@pytest.mark.parametrize("seed", range(5))
def test_limits_on_adjacent_nodes_are_honoured_or_refused(method: str, seed: int) -> None:
    data = dependent_table(arities=(2, 3) * 4, seed=seed)
    names = data.names
    free = learn(data, method=SHORT[method], seed=seed).dag
    most = max(len(free.parents(name)) + len(free.children(name)) for name in names)
    for limit in (1, max(1, most - 1), {names[seed]: 1, names[seed + 1]: 0}):
        constraints = Constraints(max_degree=limit)
        if not SEARCHES[method].honours_degrees:
            with pytest.raises(ParameterError, match=f"{method} cannot limit how many nodes are adjacent to one"):
                learn(data, method=SHORT[method], seed=seed, constraints=constraints)
            continue
        result = learn(data, method=SHORT[method], seed=seed, constraints=constraints)
        check(result, data)
        assert constraints.violations(result.dag) == ()
        assert result.dag.n_arcs > 0 or method == "markov-blanket"  # whose one neighbour may be the one without any
    if SEARCHES[method].honours_degrees:  # one that does not bind changes nothing
        loose = Constraints(max_degree=data.n_variables - 1)
        assert learn(data, method=SHORT[method], seed=seed, constraints=loose).dag == free


@every_method
def test_start_is_never_made_worse(method: str) -> None:
    data = dependent_table()
    names = data.names
    start = Dag(names, [(names[4], names[0]), (names[0], names[1])])
    result = learn(data, method=SHORT[method], start=start, seed=0)
    assert result.score >= LocalScore(data).total(start) - 1e-9
    with pytest.raises(ParameterError, match="start breaks the constraints"):
        learn(data, method=SHORT[method], start=start, constraints=Constraints(forbidden=[(names[0], names[1])]))


@every_method
def test_scores_can_be_given_as_objects(method: str) -> None:
    data = dependent_table()
    for score in (BDeu(ess=0.01), BDeu(ess=50)):
        result = learn(data, method=SHORT[method], score=score, seed=0)
        assert result.provenance.score == score
        assert isclose(result.score, LocalScore(data, score).total(result.dag), rel_tol=1e-9)


@every_method
@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_bad_seeds_are_refused(method: str, seed: object) -> None:
    with pytest.raises(ParameterError, match="seed must be"):
        learn(dependent_table(), method=method, seed=seed)  # type: ignore[arg-type]


def test_unknown_method_is_refused() -> None:
    with pytest.raises(ParameterError, match="method must be one of auto, orders, islands, obs, "):
        learn(dependent_table(), method="magic")


@pytest.mark.parametrize(
    ("method", "option"),
    [(method, option) for method, option in options_of_type(int) if option in ("climbs", "trees")],
)
@pytest.mark.parametrize("limit", [{"time_limit": 0}, {"evaluation_limit": 0}], ids=str)
def test_a_limit_ends_any_number_of_climbs(method: str, option: str, limit: dict[str, int]) -> None:
    """Nothing is made for each climb before the first one: ten million of them take minutes."""
    data = dependent_table()
    check(learn(data, method=method, seed=0, **{option: 10**7}, **limit), data)  # type: ignore[arg-type]


@pytest.mark.parametrize(("method", "option"), [*options_of_type(bool), ("greedy", "clean_up")])
@pytest.mark.parametrize("value", ["no", 1, None])
def test_flags_are_true_or_false(method: str, option: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{option} must be True or False"):
        learn(dependent_table(), method=method, **{option: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(("method", "option"), options_of_type(int))
def test_counts_fit_into_kernels(method: str, option: str) -> None:
    with pytest.raises(ParameterError, match=rf"{option} must be less than 2\^64"):
        learn(dependent_table(), method=method, **{option: 2**64})  # type: ignore[arg-type]


def test_names_that_cannot_be_hashed() -> None:
    with pytest.raises(ParameterError, match="method must be one of"):
        learn(dependent_table(), method=["greedy"])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="moves must be one of"):
        learn(dependent_table(), method="greedy", moves=["adr"])


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("exact", "arcwise.search.exact.front.subset_bytes"),
        ("greedy", "arcwise.search.dags.clean_up.uncover_v_structures"),
        ("greedy", "arcwise.search.exact.front.with_families"),
    ],
)
def test_ctrl_c_between_kernels_keeps_the_result(method: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _, name = place.rpartition(".")
    module = import_module(path)
    inner, interrupt, pressed, arrived = getattr(module, name), Budget.interrupt, threading.Event(), threading.Event()

    def noticed(budget: Budget) -> None:
        interrupt(budget)
        arrived.set()

    def interrupted(*arguments: Any, **named: Any) -> Any:
        if not pressed.is_set():  # a second Ctrl-C, for which nothing waits, might come when the search is over
            pressed.set()
            os.kill(os.getpid(), signal.SIGINT)
        assert arrived.wait(PATIENCE), "Ctrl-C did not come while the work was held"
        return inner(*arguments, **named)

    monkeypatch.setattr(module, name, interrupted)
    monkeypatch.setattr(Budget, "interrupt", noticed)
    data = load_example("asia").sample(500, seed=1)
    result = learn(data, method=method, clean_up=True, certify=5.0, seed=1)
    assert pressed.is_set()
    assert result.score == pytest.approx(LocalScore(data).total(result.dag))
