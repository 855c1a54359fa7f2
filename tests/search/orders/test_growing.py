"""Order search on data: the optimum where it can be enumerated, lists that grow as they should, and promises."""

import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import combinations, count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracles_climbs as oracle
from arcwise import Budget, Constraints, Dag, Dataset, Limits, LocalScore, Orders, Result, Status, learn, select
from arcwise.parents.relaxed_arcs import RelaxedArcs
from arcwise.runs.provenance import readable
from arcwise.runs.result import Improvement, Trace
from arcwise.search.classes import ges, xges
from arcwise.search.dags import greedy
from arcwise.search.orders import (
    INITIAL_ORDERS,
    STRATEGIES,
    LocalKicks,
    Memetic,
    Optimum,
    Stop,
    Strategy,
    orders,
    search_orders,
)
from arcwise.search.orders.climber import Surroundings
from arcwise.search.orders.climbs import ORDERS_OF_ARCS
from arcwise.search.orders.growing import BREEDING, KICKING, MANY_VARIABLES, GrowingClimber
from arcwise.search.orders.regrowing import perturbed_rows
from arcwise.search.trees import chow_liu
from arcwise.simulation.random import random_network
from arcwise.support.errors import ParameterError
from oracles_growth import Growth, Set
from score_cases import COUNTED
from tables import dependent_table

NLTCS = Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[4] / "shared" / "data")) / "debd" / "nltcs.npz"

every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


def noisy_table(n: int, n_rows: int, seed: int) -> Dataset:
    """Binary columns of up to three parents with random tables, in random order."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, n), dtype=np.uint8)
    for v in range(n):
        parents = rng.choice(v, min(v, int(rng.integers(4))), replace=False) if v else np.empty(0, dtype=int)
        configuration = codes[:, parents] @ (1 << np.arange(parents.size))
        codes[:, v] = rng.random(n_rows) < rng.random(1 << parents.size)[configuration]
    return Dataset.from_codes(codes[:, rng.permutation(n)], arities=[2] * n)


def check(result: Result, score: LocalScore, constraints: Constraints | None = None) -> None:
    """What holds for every result, however the search ended."""
    assert result.dag.names == score.data.names
    assert result.score == pytest.approx(score.total(result.dag), rel=1e-11)
    assert all(before.score < after.score for before, after in pairwise(result.trace))
    assert all(before.seconds <= after.seconds for before, after in pairwise(result.trace))
    assert result.trace[-1].score == pytest.approx(result.score, rel=1e-11)
    assert result.bound is None
    assert pickle.loads(pickle.dumps(result)) == result
    assert (constraints or Constraints()).violations(result.dag) == ()


def facts(result: Result) -> tuple[object, ...]:
    counters = {name: result.counters[name] for name in ("climbs", "moves", "sets")}
    return result.dag, result.score, counters, result.provenance, result.status


# The optimum


def families(score: LocalScore, constraints: Constraints) -> list[list[tuple[float, frozenset[int]]]]:
    """Every parent set that the constraints allow, of every variable."""
    rules, n = constraints.resolve(score.data.names), score.data.n_variables
    lists = []
    for v in range(n):
        free = [u for u in range(n) if rules.is_allowed(v, u) and not rules.is_required(v, u)]
        base = frozenset(rules.required_parents(v))
        sets = [base | set(more) for size in range(n) for more in combinations(free, size)]
        lists.append([(score.local(v, parents), parents) for parents in sets if len(parents) <= rules.max_parents[v]])
    return lists


@pytest.mark.parametrize("name", COUNTED)
def test_few_variables_nearly_always_get_the_best_graph(name: str) -> None:
    missed = 0
    for seed in range(20):
        arities = tuple(np.random.default_rng(seed).integers(2, 4, 4 + seed % 2).tolist())
        score = LocalScore(dependent_table(200, arities, seed=seed), name)
        best = oracle.best_order_value(families(score, Constraints())).score
        result = orders(score, seed=seed, stop=Stop(climbs=60))
        check(result, score)
        assert result.score <= best + 1e-7
        missed += result.score < best - 1e-7
    assert missed <= 2  # a set that no single step leads to may stay unknown


def test_the_best_of_orders_is_the_best_of_graphs() -> None:
    score = LocalScore(dependent_table(200, (2, 3, 2), seed=3), "bdeu")
    lists = families(score, Constraints())
    best = oracle.best_dag_score(lists)
    assert best == pytest.approx(oracle.best_order_value(lists).score)
    assert orders(score, seed=1, stop=Stop(climbs=30)).score == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_constrained_graphs_are_the_best_of_those_allowed(seed: int) -> None:
    score = LocalScore(dependent_table(300, (2, 3, 2, 2, 3), seed=seed))
    a, b, c, d, e = np.random.default_rng(seed).permutation(score.data.names).tolist()
    constraints = Constraints(required=[(a, b), (b, c)], forbidden=[(d, a)], tiers=[[a], [c, e]], max_parents={e: 1})
    result = orders(score, constraints=constraints, seed=seed, stop=Stop(climbs=60))
    check(result, score, constraints)
    assert result.score == pytest.approx(oracle.best_order_value(families(score, constraints)).score)


@pytest.mark.skipif(not NLTCS.exists(), reason="needs debd/nltcs.npz in $ARCWISE_DATA or ../shared/data")
@pytest.mark.parametrize("seed", range(3))
def test_the_proven_optimum_of_nltcs(seed: int) -> None:
    result = orders(nltcs_score(), seed=seed, stop=Stop(climbs=500))
    assert result.score == pytest.approx(-130785.0235, abs=1e-4)
    assert result.dag.n_arcs == 54


@cache
def nltcs_score() -> LocalScore:
    with np.load(NLTCS) as packed:
        _, n = map(int, packed["shape"])
        codes = np.unpackbits(packed["bits"], axis=1, count=n)
    return LocalScore(Dataset.from_codes(codes, arities=[2] * n))


# Growth


def climbed(score: LocalScore, constraints: Constraints, n_climbs: int, seed: int, **options: Any) -> list[Optimum]:
    """Where climbs from random orders end."""
    rng = np.random.default_rng(seed)
    with ThreadPoolExecutor(2) as executor:
        budget = options.pop("budget", Budget())
        around = Surroundings(budget, Stop(), executor, Trace(None, budget))
        climber = GrowingClimber(score, constraints.resolve(score.data.names), around)
        return climber.climb([climber.initial(rng) for _ in range(n_climbs)], rng)


@pytest.mark.parametrize("name", ["bic", "aic", "bdeu", "k2"])
@pytest.mark.parametrize("is_free", [True, False])
def test_climbs_end_where_neither_moves_nor_growth_improve(name: str, is_free: bool) -> None:
    for seed in range(15):
        score = LocalScore(noisy_table(10, 300, seed), name)
        names = score.data.names
        bound = Constraints(required=[(names[3], names[1])], forbidden=[(names[2], names[0])], max_parents=2)
        constraints = Constraints() if is_free else bound
        rules = constraints.resolve(names)
        for end in climbed(score, constraints, 4, seed):
            order = end.order.tolist()
            lists = []
            for v in range(10):
                growth, parents = Growth.at(score, rules, order, v), frozenset(end.parents[v])
                assert growth.climb(parents) == [parents]
                found: list[Set] = [growth.required, parents, *growth.fallbacks(parents), *growth.gains(parents)]
                lists.append([(growth.local(members), members) for members in found])
            value = oracle.value(lists, order)
            assert value.missing == 0
            assert value.score == pytest.approx(end.score, rel=1e-11)
            for _, neighbour in oracle.insertions(order):
                assert not oracle.value(lists, neighbour).beats(value, 1e-7)


@pytest.mark.parametrize(
    ("name", "n", "n_rows", "seed"), [("aic", 10, 300, 40), ("bic", 8, 300, 35), ("bic", 12, 1000, 27)]
)
def test_a_fallback_that_is_better_is_climbed_from(name: str, n: int, n_rows: int, seed: int) -> None:
    # Data on which a climb without one parent finds a better set than the climb with all, and one that can be improved.
    score = LocalScore(noisy_table(n, n_rows, seed), name)
    rules = Constraints().resolve(score.data.names)
    for end in climbed(score, Constraints(), 10, seed):
        for v in range(n):
            parents = frozenset(end.parents[v])
            assert Growth.at(score, rules, end.order.tolist(), v).climb(parents) == [parents]


def test_later_climbs_use_what_earlier_ones_have_found() -> None:
    score = LocalScore(noisy_table(10, 300, 1))
    rng = np.random.default_rng(1)
    with ThreadPoolExecutor(2) as executor:
        around = Surroundings(Budget(), Stop(), executor, Trace(None, Budget()))
        climber = GrowingClimber(score, Constraints().resolve(score.data.names), around)
        first = climber.lists.n_sets
        (end,) = climber.climb([np.arange(10)], rng)
        assert climber.lists.n_sets > first
        (again,) = climber.climb([end.order], rng)
    assert again.start_score == pytest.approx(end.score)
    assert again.score >= again.start_score


# The same whatever the threads do and whatever is remembered


@every_strategy
def test_workers_and_memory_do_not_change_the_result(strategy: str) -> None:
    data = noisy_table(14, 500, 3)
    options: dict[str, Any] = {"strategy": strategy, "stop": Stop(climbs=90), "seed": 5}
    first = orders(LocalScore(data), workers=1, **options)
    check(first, LocalScore(data))
    for workers, cache_bytes in ((2, 1 << 30), (5, 1 << 30), (1, 0), (5, 0), (2, 5000), (5, 40_000)):
        other = orders(LocalScore(data, cache_bytes=cache_bytes), workers=workers, **options)
        assert facts(other) == facts(first)


def test_ties_do_not_depend_on_workers() -> None:
    columns = dependent_table(200, (2, 3, 2, 3), seed=1).codes
    data = Dataset.from_codes(columns[:, [0, 1, 2, 3, 0, 1, 2, 3]])  # every column twice
    first, *others = (
        orders(LocalScore(data, "bdeu"), workers=workers, stop=Stop(climbs=120), seed=2) for workers in (1, 2, 5)
    )
    check(first, LocalScore(data, "bdeu"))
    assert [facts(other) for other in others] == [facts(first)] * 2


def test_a_score_that_knows_much_gives_the_same_graph() -> None:
    data = noisy_table(10, 300, 4)
    shared = LocalScore(data)
    first, second = (orders(shared, seed=1, stop=Stop(climbs=60)) for _ in range(2))
    assert facts(first) == facts(second)
    assert second.counters["evaluations"] == 0


@pytest.mark.parametrize("limit", [0, 1, 30, 100, 500, 2000])
def test_limits_on_evaluations_are_kept_and_reproducible(limit: int) -> None:
    data = noisy_table(12, 300, 5)
    first, second = (
        orders(LocalScore(data), seed=5, workers=workers, budget=Budget(evaluation_limit=limit)) for workers in (1, 5)
    )
    check(first, LocalScore(data))
    assert facts(first) == facts(second)
    assert first.counters["evaluations"] <= limit + 2 * data.n_variables
    assert first.status in (Status.EVALUATION_LIMIT, Status.LOCAL_OPTIMUM)


def test_a_limit_that_is_never_reached_does_not_keep_a_search_going() -> None:
    score = LocalScore(dependent_table())  # 80 families in all
    result = orders(score, seed=1, budget=Budget(evaluation_limit=10**6))
    check(result, score)
    assert result.status == Status.LOCAL_OPTIMUM


@every_strategy
def test_seeds(strategy: str) -> None:
    data = noisy_table(10, 300, 6)
    drawn = orders(LocalScore(data), strategy=strategy, stop=Stop(climbs=30))
    again = orders(LocalScore(data), strategy=strategy, stop=Stop(climbs=30), seed=drawn.seed)
    assert facts(again) == facts(drawn)
    runs = (orders(LocalScore(data), strategy=strategy, stop=Stop(climbs=30), seed=seed) for seed in range(4))
    assert len({run.counters["moves"] for run in runs}) > 1


# Promises


@pytest.mark.parametrize("limit", [None, 0])
@pytest.mark.parametrize(
    "strategy",
    [
        *STRATEGIES,
        Memetic(look_back=1, walks=LocalKicks(kicks=0.5)),
        Memetic(look_back=1, kept=0, reunion=2),
        LocalKicks(),
    ],
)
def test_chains_of_required_arcs_are_kept(strategy: str | Strategy, limit: int | None) -> None:
    # Kicks and crossovers tear the chain apart, and no single insertion mends it again.
    for seed in range(14):
        rng = np.random.default_rng(seed)
        score = LocalScore(Dataset.from_codes(rng.integers(2, size=(200, 6)), arities=[2] * 6))
        chain = rng.permutation(score.data.names).tolist()
        constraints = Constraints(required=list(pairwise(chain)))
        options: dict[str, Any] = {"constraints": constraints, "stop": Stop(climbs=250), "seed": seed}
        result = orders(score, strategy=strategy, budget=Budget(time_limit=limit), **options)
        check(result, score, constraints)


@pytest.mark.parametrize("seed", range(5))
def test_tiers_and_limits_are_kept(seed: int) -> None:
    score = LocalScore(noisy_table(9, 400, seed), "aic")
    names = np.random.default_rng(seed).permutation(score.data.names).tolist()
    constraints = Constraints(tiers=[names[:3], names[3:6]], max_parents={names[4]: 0, names[8]: 1})
    for limit in (None, 0):
        result = orders(
            score, constraints=constraints, seed=seed, stop=Stop(climbs=50), budget=Budget(time_limit=limit)
        )
        check(result, score, constraints)


@every_strategy
def test_the_start_is_not_made_worse(strategy: str) -> None:
    score = LocalScore(noisy_table(9, 300, 7))
    good = orders(score, seed=1, stop=Stop(climbs=200))
    odd = Dag(score.data.names, [(score.data.names[v], score.data.names[8]) for v in range(8)])
    for start in (good.dag, odd, good.dag.with_names_ordered(sorted(good.dag.names, reverse=True))):
        for budget in (Budget(), Budget(time_limit=0), Budget(evaluation_limit=0)):
            result = orders(score, strategy=strategy, start=start, stop=Stop(climbs=1), seed=9, budget=budget)
            check(result, score)
            assert result.score >= score.total(start) - 1e-9


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_short_search_is_no_worse_than_greedy_equivalence_search(seed: int) -> None:
    score = LocalScore(random_network(100, 150, max_parents=3, seed=seed).sample(1000, seed=seed))
    result = orders(score, strategy=Memetic(population=1), stop=Stop(patience=1), seed=seed)
    assert result.score >= ges(score, seed=seed).score


def test_starts_and_constraints_may_have_many_parents() -> None:
    rng = np.random.default_rng(1)
    score = LocalScore(Dataset.from_codes(rng.integers(2, size=(40, 67)), arities=[2] * 67))
    names = score.data.names
    arcs = [(name, names[66]) for name in names[:65]]
    constraints = Constraints(required=arcs)
    result = orders(score, constraints=constraints, start=Dag(names, arcs), stop=Stop(climbs=3), seed=1)
    check(result, score, constraints)
    assert set(result.dag.parents("X66")) >= set(names[:65])


def test_a_listener_hears_of_improvements_and_can_end_the_search() -> None:
    data = noisy_table(12, 300, 8)
    heard: list[Improvement] = []
    result = orders(LocalScore(data), seed=1, stop=Stop(climbs=60), on_improvement=heard.append)
    assert set(result.trace) <= set(heard)
    assert [point.score for point in heard] == sorted({point.score for point in heard})
    ended = orders(LocalScore(data), seed=1, on_improvement=lambda point: True)
    check(ended, LocalScore(data))
    assert ended.status == Status.INTERRUPTED


def test_wrong_arguments_are_refused_before_the_search() -> None:
    score = LocalScore(dependent_table())
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"strategy": "tabu"}, "strategy must be one of restarts, annealing, perturbation, iterated, memetic"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"seed": -1}, "seed must be"),
        ({"stop": 5}, "stop must be a Stop"),
        ({"budget": 5}, "budget must be a Budget"),
        ({"constraints": 5}, "constraints must be a Constraints"),
        ({"constraints": Constraints(forbidden=[("x", "y")])}, "forbidden mentions 'x'"),
        ({"start": 5}, "start must be a Dag"),
    ]
    for options, message in wrong:
        with pytest.raises(ParameterError, match=message):
            orders(score, **options)
    with pytest.raises(ParameterError, match="score must be a LocalScore"):
        orders(dependent_table())


def test_provenance_says_what_was_asked() -> None:
    memetic, stop = Memetic(population=5), Stop(climbs=10)
    result = orders(LocalScore(dependent_table(), "k2"), strategy=memetic, stop=stop, seed=1)
    assert result.method == "orders"
    assert result.provenance.options["strategy"] == readable(memetic)
    assert result.provenance.options["stop"] == readable(stop)
    assert result.counters["climbs"] == 10


# Initial orders


@pytest.mark.parametrize("name", ["bic", "bdeu", "k2"])
def test_lists_with_all_sets_give_the_orders_of_the_complete_table(name: str) -> None:
    score = LocalScore(dependent_table(150, (2, 3, 2, 2, 3), seed=4), name)
    table = select(score, method="sequential", limits=Limits(time_per_variable=None)).sets
    with ThreadPoolExecutor(1) as executor:
        budget = Budget()
        around = Surroundings(budget, Stop(), executor, Trace(None, budget))
        for initial in ("dfs", "fas"):
            climber = GrowingClimber(score, Constraints().resolve(score.data.names), around, initial)
            for v, sets in enumerate(families(score, Constraints())):
                for local, parents in sets:
                    climber.lists.add_family(v, sorted(parents), local)
            begin, members, weights = climber.lists.best_arcs()
            expected = table.relaxed_arcs
            assert begin.tolist() == expected.begin.tolist()
            assert members.tolist() == expected.parents.tolist()
            assert weights == pytest.approx(expected.weights, rel=1e-9)
            order = climber.initial(np.random.default_rng(3))
            seed = int(np.random.default_rng(3).integers(2**63))
            assert order.tolist() == INITIAL_ORDERS[initial](table, seed).tolist()


def test_best_parents_are_read_anew_when_lists_have_grown() -> None:
    score = LocalScore(noisy_table(8, 400, seed=2))
    with ThreadPoolExecutor(1) as executor:
        budget = Budget()
        around = Surroundings(budget, Stop(), executor, Trace(None, budget))
        climber = GrowingClimber(score, Constraints().resolve(score.data.names), around, "fas")
        rng = np.random.default_rng(1)
        before = climber.lists.best_arcs()[1].size
        (optimum,) = climber.climb([climber.initial(rng)], rng)
        after = climber.lists.best_arcs()[1].size
        assert before <= 8  # single parents
        assert after > before
        arcs = RelaxedArcs(*climber.lists.best_arcs())
        seed = int(np.random.default_rng(9).integers(2**63))
        assert climber.initial(np.random.default_rng(9)).tolist() == ORDERS_OF_ARCS["fas"](arcs, seed).tolist()
        climber.forget([])
        assert climber.lists.best_arcs()[1].size == before
        arcs = RelaxedArcs(*climber.lists.best_arcs())
        assert climber.initial(np.random.default_rng(9)).tolist() == ORDERS_OF_ARCS["fas"](arcs, seed).tolist()
        assert optimum.is_feasible


@pytest.mark.parametrize("initial", INITIAL_ORDERS)
def test_searches_from_every_initial_order(initial: str) -> None:
    score = LocalScore(noisy_table(7, 300, seed=5))
    rules = Constraints(required=[("X5", "X2")], forbidden=[("X1", "X0")])
    options: dict[str, Any] = {"strategy": "restarts", "initial": initial, "stop": Stop(climbs=40), "seed": 1}
    one, many = (orders(score, constraints=rules, workers=workers, **options) for workers in (1, 3))
    check(one, score, rules)
    assert facts(one) == facts(many)
    assert readable(one.provenance.options)["initial"] == initial


def test_a_first_order_comes_first() -> None:
    score = LocalScore(noisy_table(6, 200, seed=1))
    start = Dag(score.data.names, [("X0", "X1")])
    seen: list[list[int]] = []

    class Recorder:
        name = "recorder"

        def search(self, climber: Any, rng: np.random.Generator, first: Any = ()) -> None:
            seen.extend(order.tolist() for order in first)
            climber.climb(list(first), rng)

    result = orders(score, strategy=Recorder(), first_order=["X5", "X4", 3, "X2", "X1", "X0"], start=start, seed=1)
    assert seen == [[5, 4, 3, 2, 1, 0], seen[1]]
    assert seen[1].index(0) < seen[1].index(1)
    check(result, score)
    seen.clear()
    orders(score, strategy=Recorder(), first_order=range(6), seed=1)
    assert seen == [[0, 1, 2, 3, 4, 5]]  # and no graph of another search


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"initial": "best"}, "initial must be one of random, dfs, fas, not 'best'"),
        ({"first_order": ["X0"]}, "order must have each index from 0 to 3 once"),
        ({"first_order": "X0"}, "first_order must be a list of variables"),
    ],
)
def test_wrong_initial_orders_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        orders(LocalScore(noisy_table(4, 50, seed=1)), **options)


def test_perturbed_rows_have_the_mean_and_the_variance_that_they_must_have() -> None:
    data = noisy_table(3, 4000, seed=1).with_weights(np.tile([1, 4], 2000))
    for temperature in (0.0, 0.3, 1.0):
        changed = perturbed_rows(data, temperature, np.random.default_rng(2))
        assert changed.weights is not None
        assert data.weights is not None
        errors = changed.weights.astype(float) - data.weights
        for weight in (1, 4):
            of_weight = errors[data.weights == weight]
            assert of_weight.mean() == pytest.approx(0, abs=5 * np.sqrt(weight / 2000))
            assert of_weight.var() == pytest.approx(weight * temperature, abs=0.12 * weight)
    assert perturbed_rows(data, 0.0, np.random.default_rng(2)).weights.tolist() == data.weights.tolist()  # type: ignore[union-attr]


# Local kicks

FEW_KICKS = LocalKicks(kicks=0.5, walks=3)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_graph_of_few_variables_is_found(seed: int) -> None:
    score = LocalScore(dependent_table(300, (2, 3, 2, 2, 3), seed=seed))
    result = orders(score, strategy=LocalKicks(kicks=10), stop=Stop(climbs=20), seed=seed)
    check(result, score)
    assert result.score == pytest.approx(oracle.best_order_value(families(score, Constraints())).score)


def test_the_number_of_workers_does_not_matter() -> None:
    score = LocalScore(noisy_table(25, 300, 3))
    rules = Constraints(required=[("X5", "X2"), ("X2", "X9")], forbidden=[("X1", "X0")], max_parents=3)
    results = [
        orders(score, strategy=FEW_KICKS, constraints=rules, stop=Stop(climbs=60), seed=1, workers=workers)
        for workers in (1, 2, 5)
    ]
    check(results[0], score, rules)
    assert facts(results[0]) == facts(results[1]) == facts(results[2])


@pytest.mark.parametrize("limit", [0, 40, 4000])
def test_limits_end_it_with_a_graph(limit: int) -> None:
    score = LocalScore(noisy_table(12, 300, 4))
    result = orders(score, strategy=FEW_KICKS, seed=1, budget=Budget(evaluation_limit=limit))
    check(result, score)
    start = Dag(score.data.names, [("X0", "X1")])
    result = orders(score, strategy=FEW_KICKS, seed=1, start=start, budget=Budget(time_limit=0))
    check(result, score)
    assert result.score >= score.total(start) - 1e-9


def test_many_variables_are_kicked_from_the_class_of_the_greedy_search() -> None:
    score = LocalScore(random_network(MANY_VARIABLES, 500, max_parents=3, seed=1).sample(500, seed=1))
    result = orders(score, seed=1, stop=Stop(patience=4))
    assert result.decisions["strategy"] == readable(KICKING)
    assert result.score > ges(score).score
    assert result.counters["climbs"] < 100  # no population at first
    few = LocalScore(noisy_table(10, 100, 1))
    assert orders(few, seed=1, stop=Stop(patience=1)).decisions["strategy"] == readable(BREEDING)


@pytest.mark.parametrize("ending", [4, 40, 400])
def test_a_search_by_kicks_is_resumed_where_it_ended(ending: int, tmp_path: Path) -> None:
    data = noisy_table(20, 300, 5)
    options: dict[str, Any] = {"method": Orders(FEW_KICKS, stop=Stop(patience=80)), "seed": 1, "certify": 0}
    whole = learn(data, **options)
    calls = count(1)
    first = learn(data, **options, checkpoint=tmp_path / "run", on_improvement=lambda _: next(calls) >= ending)
    assert first.status == (Status.INTERRUPTED if next(calls) > ending else Status.LOCAL_OPTIMUM)
    resumed = learn(data, **options, checkpoint=tmp_path / "run", resume=True)
    assert resumed.score >= first.score
    assert resumed.score == pytest.approx(whole.score, rel=1e-5)


def test_kicks_with_trials_of_deletions_are_the_same_on_any_number_of_workers() -> None:
    score = LocalScore(random_network(60, 80, max_parents=3, seed=2).sample(400, seed=1))
    results = [orders(score, strategy=FEW_KICKS, stop=Stop(patience=30), seed=1, workers=workers) for workers in (1, 3)]
    assert facts(results[0]) == facts(results[1])
    check(results[0], score)
    assert results[0].score >= xges(score).score - 1e-6  # whose trials come after the first walks


def test_too_many_variables_for_the_greedy_search_over_classes_go_to_that_over_graphs() -> None:
    rng = np.random.default_rng(1)
    n = 2000
    codes = rng.integers(2, size=(40, n), dtype=np.uint8)
    codes[:, 1::2] = codes[:, ::2]  # pairs of equal columns
    data = Dataset.from_codes(codes, arities=[2] * n)

    def found(search: Callable[..., Result], part_of_pairs: float) -> float:
        budget = Budget(evaluation_limit=int(part_of_pairs * n * n))
        return search(LocalScore(data, "ebic"), seed=1, budget=budget).score

    assert found(orders, 1.8) >= found(greedy, 1.8) - 1e-6
    assert found(greedy, 1.2) > found(ges, 1.2)
    # A tree needs half of what either of them counts before its first arc, and all of these arcs are in the best tree.
    assert found(orders, 0.7) >= found(chow_liu, 0.7) - 1e-6 > found(greedy, 0.7)


def test_a_table_has_no_lists_that_grow() -> None:
    table = select(LocalScore(dependent_table())).sets
    for strategy in (LocalKicks(), Memetic(walks=LocalKicks())):
        with pytest.raises(ParameterError, match="strategy with LocalKicks needs lists that grow"):
            search_orders(table, strategy=strategy, stop=Stop(climbs=1))
        with pytest.raises(ParameterError, match="strategy with LocalKicks needs lists that grow"):
            orders(LocalScore(dependent_table()), strategy=strategy, parents="regrown", stop=Stop(climbs=1))
