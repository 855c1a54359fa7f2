"""Strategies: where they climb from, seen from a climber that does not climb.

The climbers here leave every order where it is and give it the score that a script says, or that the order itself has.
Orders of 30 variables tell where they come from: a kick of one swap is an odd permutation that moves two variables, two
kicks of the same order differ by an even one, and orders drawn anew have hardly a position in common.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import chain, permutations, repeat
from typing import Any

import numpy as np
import pytest

import oracles_orders
from arcwise import Budget
from arcwise.graph.nodes import Order
from arcwise.runs.result import Improvement, Status, Trace
from arcwise.search.orders import (
    STRATEGIES,
    Annealing,
    Iterated,
    LocalKicks,
    Memetic,
    Optimum,
    Perturbation,
    Restarts,
    Stop,
    Strategy,
)
from arcwise.search.orders.climber import Climber, Surroundings
from arcwise.search.orders.strategies import strategy_named
from arcwise.search.orders.variations import swap_kick
from arcwise.support.errors import ParameterError

N = 30

every_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)


class Here(Executor):
    """Does the work at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = Future[Any]()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Fake(Climber):
    """Stays where it is, and remembers all that it was asked."""

    can_walk = True

    def __init__(
        self,
        score: Callable[[Order], float],
        stop: Stop,
        *,
        n: int = N,
        executor: Executor | None = None,
        budget: Budget | None = None,
        on_improvement: Callable[[Improvement], object] | None = None,
    ) -> None:
        budget = budget or Budget()
        self.trace = Trace(on_improvement, budget, 1e-6)
        around = Surroundings(budget, stop, executor or Here(), self.trace)
        super().__init__(1e-6, around)
        self.n = n
        self.score = score
        self.drawn: list[tuple[int, ...]] = []
        self.seeds: list[int] = []
        self.batches: list[list[tuple[int, ...]]] = []
        self.scores: list[list[float]] = []
        self.shared = 0
        self.temperatures: list[float] = []
        self.forgotten: list[int] = []
        self.told: list[str] = []

    def initial(self, rng: np.random.Generator) -> Order:
        order = rng.permutation(self.n)
        self.drawn.append(tuple(order.tolist()))
        return order

    def climb(self, orders: Sequence[Order], rng: np.random.Generator) -> list[Optimum]:
        self.told.append("climb")
        self.batches.append([tuple(order.tolist()) for order in orders])
        optima = super().climb(orders, rng)
        self.scores.append([optimum.score for optimum in optima])
        return optima

    def _climb(self, order: Order, seed: int) -> Optimum:
        self.seeds.append(seed)
        score = self.score(order)
        return Optimum(order, [[] for _ in range(self.n)], score, score - 1, 2)

    def _climb_elsewhere(self, order: Order, temperature: float, seed: int, budget: Budget) -> Order:
        self.temperatures.append(temperature)
        rng = np.random.default_rng(seed)
        return swap_kick(order, 1, rng) if rng.random() < 0.9 else rng.permutation(order)

    def _share(self) -> None:
        self.shared += 1

    def walk(self, orders: Sequence[Order], kicks: int, rng: np.random.Generator) -> list[Optimum]:
        self.told.append(f"walk {len(orders)} x {kicks}")
        return super().climb(orders, rng)

    def forget(self, kept: Sequence[Optimum]) -> None:
        self.told.append(f"forget {len(kept)}")
        self.forgotten.append(len(kept))

    def remember(self, optima: Sequence[Optimum]) -> None:
        if optima:
            self.told.append(f"remember {len(optima)}")

    @property
    def sizes(self) -> list[int]:
        return [len(batch) for batch in self.batches if batch]

    def is_fresh(self, order: tuple[int, ...]) -> bool:
        return order in self.drawn


def scripted(scores: Iterable[float]) -> Callable[[Order], float]:
    following: Iterator[float] = iter(scores)
    return lambda order: next(following)


def constant(order: Order) -> float:
    return -1000.0


def rising() -> Callable[[Order], float]:
    return scripted(float(score) for score in range(-100_000, 0))


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def run(strategy: Strategy, climber: Fake, first: Sequence[Order] = (), seed: int = 1) -> Fake:
    strategy.search(climber, np.random.default_rng(seed), first)
    return climber


# All strategies


@every_strategy
def test_exactly_so_many_climbs_are_made(strategy: Strategy) -> None:
    for climbs in (1, 3, 20, 57):
        climber = run(strategy, Fake(rising(), Stop(climbs=climbs)))
        assert len(climber.seeds) == climber.climbs == climbs
        assert climber.moves == 2 * climbs
        assert climber.best is not None
        assert climber.best.score == -100_000 + climbs - 1


@every_strategy
def test_patience_ends_a_search_after_climbs_without_improvement(strategy: Strategy) -> None:
    climber = run(strategy, Fake(constant, Stop(patience=70)))
    assert 71 <= climber.climbs <= 71 + max(climber.sizes)
    climber = run(strategy, Fake(rising(), Stop(patience=1, climbs=500)))
    assert climber.climbs == 500


@every_strategy
def test_given_orders_are_climbed_from_first(strategy: Strategy) -> None:
    first = [np.arange(N), np.arange(N)[::-1]]
    climber = run(strategy, Fake(constant, Stop(climbs=2)), first)
    assert climber.batches[0][:2] == [tuple(range(N)), tuple(range(N))[::-1]]
    assert climber.climbs == 2


@every_strategy
def test_more_given_orders_than_a_batch_takes(strategy: Strategy) -> None:
    first = [np.roll(np.arange(N), shift) for shift in range(25)]
    climber = run(strategy, Fake(constant, Stop(climbs=100)), first)
    assert climber.climbs == 100
    assert climber.batches[0][:25] == [tuple(order.tolist()) for order in first]


@every_strategy
def test_a_spent_budget_lets_the_first_orders_through(strategy: Strategy) -> None:
    budget = Budget(time_limit=0)
    for first in ([], [np.arange(N)]):
        climber = run(strategy, Fake(constant, Stop(), budget=budget), first)
        assert len(climber.sizes) == 1
        assert climber.best is not None
        assert climber.status == Status.TIME_LIMIT


@every_strategy
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_variables_are_searched_too(strategy: Strategy, n: int) -> None:
    climber = run(strategy, Fake(lambda order: float(-order[0]), Stop(climbs=200), n=n))
    assert climber.best is not None
    assert climber.best.score == 0
    assert {len(order) for order in chain(*climber.batches)} == {n}


@every_strategy
def test_a_seed_decides_everything(strategy: Strategy) -> None:
    def score(order: Order) -> float:
        return -float(order @ np.arange(N))

    one, same, other = (run(strategy, Fake(score, Stop(climbs=150)), seed=seed) for seed in (1, 1, 2))
    assert one.batches == same.batches
    assert one.seeds == same.seeds
    assert one.batches[0] != other.batches[0]
    assert len(set(one.seeds)) == len(one.seeds)
    with ThreadPoolExecutor(3) as executor:
        threads = run(strategy, Fake(score, Stop(climbs=150), executor=executor))
    assert threads.batches == one.batches
    assert threads.best is not None
    assert one.best is not None
    assert threads.best.order.tolist() == one.best.order.tolist()


@every_strategy
def test_a_slope_is_climbed(strategy: Strategy) -> None:
    """Selection pulls uphill: kicks alone find the sorted order of six, where no single climb moves."""

    def inversions(order: Order) -> float:
        return -float(np.triu(order[:, None] > order[None, :], 1).sum())

    climber = run(strategy, Fake(inversions, Stop(climbs=6000), n=6))
    assert climber.best is not None
    assert climber.best.order.tolist() == list(range(6))


def test_strategies_by_name() -> None:
    assert {name: strategy.name for name, strategy in STRATEGIES.items()} == {name: name for name in STRATEGIES}
    own = Memetic(population=3)
    assert strategy_named(own) is own
    assert strategy_named("memetic") == Memetic()

    class Nameless:
        def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None: ...

    for wrong in ("tabu", 3, None, Memetic, Nameless()):
        with pytest.raises(ParameterError, match="strategy must be"):
            strategy_named(wrong)  # type: ignore[arg-type]


# Simulated annealing


def test_worse_orders_are_accepted_as_often_as_metropolis_says() -> None:
    """At temperature 10 after 3 steps that halve it, 1.25 are left: exp(-1 / 1.25) of the orders that are 1 worse."""
    annealing = Annealing(temperature=10, cooling=0.5)
    rng = np.random.default_rng(1)
    accepted = np.mean([annealing.accepts(-6.0, -5.0, 3, rng) for _ in range(20_000)])
    assert accepted == pytest.approx(np.exp(-0.8), abs=4 * 0.5 / np.sqrt(20_000))
    assert all(annealing.accepts(-5.0, -5.0, 50, rng) for _ in range(20))
    assert not any(Annealing(temperature=0).accepts(-5.1, -5.0, 0, rng) for _ in range(20))
    assert not annealing.accepts(-np.inf, -5.0, 0, rng)
    assert annealing.accepts(-np.inf, -np.inf, 0, rng)


def test_orders_of_a_warm_chain_have_the_probabilities_of_boltzmann() -> None:
    """Without cooling, swaps of three variables go to all six orders; visits are as exp(score / temperature)."""
    score = {order: -float(place) for place, order in enumerate(permutations(range(3)))}
    visits: Counter[int] = Counter()

    class Watched(Annealing):
        def accepts(self, new: float, present: float, steps: float, rng: np.random.Generator) -> bool:
            is_accepted = super().accepts(new, present, steps, rng)
            visits[-int(new if is_accepted else present)] += 1
            return is_accepted

    warm = Watched(kick=0.0, temperature=2.0, cooling=1.0, steps=10**9, chains=1)
    run(warm, Fake(lambda order: score[tuple(order.tolist())], Stop(climbs=20_000), n=3))
    weights = np.exp(-np.arange(6) / 2.0)
    shares = np.array([visits[place] for place in range(6)]) / sum(visits.values())
    assert shares == pytest.approx(weights / weights.sum(), abs=0.02)


def test_chains_start_anew_after_their_steps() -> None:
    climber = run(Annealing(chains=2, steps=3), Fake(constant, Stop(climbs=2 * 9)))
    assert climber.sizes == [2] * 9
    assert len(climber.drawn) == 2 * 3  # before the first batch, and after every three steps


@pytest.mark.parametrize(
    "options", [{"kick": -1}, {"temperature": -1}, {"cooling": 0}, {"cooling": 1.1}, {"steps": 0}, {"chains": 0}]
)
def test_wrong_schedules_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(options))} must be"):
        Annealing(**options)


# Data perturbation


def test_temperatures_fall_and_chains_start_anew_together() -> None:
    climber = run(Perturbation(temperature=0.8, cooling=0.5, steps=2, chains=3), Fake(constant, Stop(climbs=3 * 7)))
    assert climber.sizes == [3] * 7
    assert climber.temperatures == [0.8] * 3 + [0.4] * 3 + [0.8] * 3 + [0.4] * 3
    assert len(climber.drawn) == 3 * 3


@pytest.mark.parametrize("options", [{"temperature": 1.5}, {"cooling": 0}, {"cooling": 2}, {"steps": 0}, {"chains": 0}])
def test_wrong_perturbations_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(options))} must be"):
        Perturbation(**options)


# The climber itself


def test_the_first_of_equal_optima_is_best() -> None:
    climber = Fake(scripted([-2, -1, -1 + 1e-9, -1]), Stop())
    orders = [np.roll(np.arange(N), shift) for shift in range(4)]
    climber.climb(orders, np.random.default_rng(1))
    assert climber.best is not None
    assert climber.best.order.tolist() == orders[1].tolist()


def test_traces_rise_and_are_heard_of() -> None:
    heard: list[Improvement] = []
    climber = Fake(scripted([-5, -7, -3, -3, -9, -1]), Stop(), on_improvement=heard.append)
    climber.climb([np.arange(N)] * 6, np.random.default_rng(1))
    scores = [point.score for point in climber.trace.points]
    assert scores == sorted(set(scores))
    assert scores[-1] == -1
    assert [point.score for point in heard] == sorted({point.score for point in heard})
    assert climber.shared == 1


@pytest.mark.parametrize("answer", [True, 1, np.True_, "stop", False, 0, None])
def test_something_true_from_the_listener_ends_a_search(answer: object) -> None:
    climber = run(Restarts(), Fake(rising(), Stop(climbs=50), on_improvement=lambda point: answer))
    assert climber.status == (Status.INTERRUPTED if answer else Status.LOCAL_OPTIMUM)
    assert climber.climbs == (16 if answer else 50)


def test_errors_of_climbs_and_listeners_reach_the_caller() -> None:
    def fail(_: object) -> float:
        raise ZeroDivisionError

    for climber in (Fake(fail, Stop()), Fake(constant, Stop(), on_improvement=fail)):
        with pytest.raises(ZeroDivisionError):
            run(Restarts(), climber)
        assert climber.status == Status.INTERRUPTED


@pytest.mark.parametrize("limit", [0, -1, 1.5, True])
def test_wrong_ends_are_refused(limit: int) -> None:
    with pytest.raises(ParameterError, match="climbs must be"):
        Stop(climbs=limit)
    with pytest.raises(ParameterError, match="patience must be"):
        Stop(patience=limit)


# Restarts


def test_restarts_climb_from_new_orders_only() -> None:
    climber = run(Restarts(batch=7), Fake(constant, Stop(climbs=30)))
    assert climber.sizes == [7, 7, 7, 7, 7]
    orders = list(chain(*climber.batches))
    assert orders == climber.drawn
    assert len(set(orders)) == 35


# Iterated


def chain_run(scores: Iterable[float], climbs: int, **options: Any) -> Fake:
    return run(Iterated(chains=1, **options), Fake(scripted(scores), Stop(climbs=climbs)))


@pytest.mark.parametrize(
    ("score", "is_accepted"),
    [(-999.0, True), (-1000.0, True), (-1000.04, True), (-1000.0499, True), (-1000.0501, False), (-1001.0, False)],
)
def test_slightly_worse_optima_are_accepted(score: float, is_accepted: bool) -> None:
    # Lee & van Beek accept s' when s' (1 - 0.00005) < s, for costs s.
    assert is_accepted == (-score * (1 - 0.00005) < 1000)
    climber = chain_run([-1000, score, -5000], 3)
    (start,), (kicked,), (again,) = climber.batches[:3]
    assert distance(start, kicked) == 2
    assert distance(kicked if is_accepted else start, again) == 2
    assert distance(start if is_accepted else kicked, again) != 2


def test_leeway_is_not_part_of_scores_that_are_equal_to_zero() -> None:
    climber = chain_run([0, -1e-9, 0, 0], 4, leeway=0)
    (start,), (kicked,), (again,), _ = climber.batches[:4]
    assert distance(start, again) == 2  # not from the second, which is worse
    assert distance(kicked, again) != 2


def test_a_chain_starts_anew_out_of_patience() -> None:
    climber = chain_run(repeat(-7.0), 13, patience=2)
    assert [climber.is_fresh(order) for (order,) in climber.batches if order] == [True, False, False, False] * 3 + [
        True
    ]


def test_a_better_optimum_restores_patience() -> None:
    climber = chain_run(chain([-9.0, -9.0, -9.0, -8.0], repeat(-8.0)), 9, patience=2)
    assert [climber.is_fresh(order) for (order,) in climber.batches] == [True, *[False] * 6, True, False]


def test_rounding_is_not_an_improvement() -> None:
    climber = chain_run((-9 + step * 1e-8 for step in range(100)), 9, patience=2)
    assert [climber.is_fresh(order) for (order,) in climber.batches] == [True, False, False, False] * 2 + [True]


def test_a_chain_starts_anew_after_so_many_steps() -> None:
    climber = chain_run(range(-1000, 0), 11, steps=4)
    assert [climber.is_fresh(order) for (order,) in climber.batches] == [True, *[False] * 4] * 2 + [True]


def test_chains_do_not_mix() -> None:
    # The chains of the first and the third order improve at every step, the second never: only that one starts anew.
    script = chain.from_iterable((-500.0 + step, -600.0, -700.0 + step) for step in range(100))
    climber = run(Iterated(chains=3, patience=1), Fake(scripted(script), Stop(climbs=21)))
    fresh = [[climber.is_fresh(order) for order in batch] for batch in climber.batches]
    assert fresh == [[True] * 3, *[[False] * 3] * 2, [False, True, False], *[[False] * 3] * 2, [False, True, False]]
    for before, after in zip(climber.batches, climber.batches[1:], strict=False):
        for at in (0, 2):
            assert distance(before[at], after[at]) == 2


@pytest.mark.parametrize(("kick", "most"), [(0.0, 2), (0.03, 2), (0.05, 4), (0.5, 30)])
def test_kicks_are_as_large_as_asked(kick: float, most: int) -> None:
    climber = chain_run(repeat(-7.0), 20, kick=kick)
    moved = [distance(a, b) for (a,), (b,) in zip(climber.batches, climber.batches[1:], strict=False)]
    assert max(moved) <= most
    assert max(moved) > most / 2


def test_wrong_settings_of_iterated_search_are_refused() -> None:
    for options in ({"kick": -0.1}, {"leeway": -1.0}, {"patience": -1}, {"steps": 0}, {"chains": 0}, {"kick": "x"}):
        with pytest.raises(ParameterError, match=f"{next(iter(options))} must be"):
            Iterated(**options)


# Memetic


def test_a_population_and_its_offspring() -> None:
    climber = run(Memetic(), Fake(rising(), Stop(climbs=98)))
    assert climber.sizes == [20, 26, 26, 26]
    assert climber.batches[0] == climber.drawn


def survivors(climber: Fake, generation: int, population: int) -> list[tuple[int, ...]]:
    """The best of everything before this generation, one of each score, found the slow way."""
    alive: list[tuple[float, tuple[int, ...]]] = []
    for batch, scores in zip(climber.batches[:generation], climber.scores[:generation], strict=True):
        alive += zip(scores, batch, strict=False)
        if batch is not climber.batches[0]:
            distinct = dict(reversed(alive))  # the earliest of each score
            alive = [(score, distinct[score]) for score in sorted(distinct, reverse=True)[:population]]
    return [order for _, order in alive]


def test_mutants_are_kicks_of_survivors() -> None:
    rng = np.random.default_rng(5)
    script = rng.integers(-40, -10, size=10_000).astype(float)  # few scores, so that many are the same
    memetic = Memetic(population=4, crossovers=0, mutations=5, look_back=1000)
    climber = run(memetic, Fake(scripted(script), Stop(climbs=204)))
    assert climber.sizes == [4, *[5] * 40]
    chosen = set()
    for generation in range(1, 41):
        alive = survivors(climber, generation, 4)
        for mutant in climber.batches[generation]:
            near = [at for at, order in enumerate(alive) if distance(order, mutant) == 2]
            assert near
            chosen.update(near)
    assert chosen == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("crossover", "children"),
    [
        ("cx", oracles_orders.cycle_children),
        ("rx", oracles_orders.rank_children),
        ("ob", oracles_orders.order_based_children),
    ],
)
def test_children_are_crossed_from_two_survivors(crossover: str, children: Callable[..., Iterable[Any]]) -> None:
    rng = np.random.default_rng(5)
    memetic = Memetic(population=3, crossover=crossover, crossovers=3, mutations=0, look_back=1000)
    climber = run(memetic, Fake(scripted(rng.random(1000) - 2), Stop(climbs=33), n=6))
    for generation in range(1, 11):
        alive = survivors(climber, generation, 3)
        pairs = [(a, b) for a in alive for b in alive if a is not b]
        assert set(climber.batches[generation]) <= {child for a, b in pairs for child in children(a, b)}


def test_equal_scores_are_pruned_and_a_stuck_population_is_diversified() -> None:
    # All have the same score: one survives each generation, and after look_back generations strangers replace the rest.
    climber = run(Memetic(look_back=3), Fake(constant, Stop(climbs=400)))
    assert climber.sizes[:11] == [20, *[26] * 4, 19, *[26] * 4, 19]
    assert all(climber.is_fresh(order) for order in climber.batches[5])
    survivor = climber.batches[0][0]
    for batch in climber.batches[2:5]:
        assert batch[:20] == [survivor] * 20  # crossed with itself
        assert {distance(survivor, mutant) for mutant in batch[20:]} == {2}


def test_the_best_survive_a_diversification() -> None:
    chosen = set()
    for seed in range(5):
        script = chain([-1, -2, -3], repeat(-50, 2 * 6), [-10, -11], repeat(-50))
        memetic = Memetic(population=3, crossovers=0, mutations=6, kept=1, look_back=1)
        climber = run(memetic, Fake(scripted(script), Stop(climbs=23)), seed=seed)
        assert climber.sizes == [3, 6, 6, 2, 6]
        alive = [climber.batches[0][0], *climber.batches[3]]
        for mutant in climber.batches[4]:
            near = [at for at, order in enumerate(alive) if distance(order, mutant) == 2]
            assert len(near) == 1
            chosen.update(near)
    assert chosen == {0, 1, 2}


def test_a_changing_average_is_not_a_reason_to_diversify() -> None:
    memetic = Memetic(look_back=3, least_change=2.9)
    assert set(run(memetic, Fake(rising(), Stop(climbs=1000))).sizes[1:-1]) == {26}  # the average rises by 26 each time
    memetic = Memetic(look_back=3, least_change=79.0)  # by 78 within three generations
    assert 16 in run(memetic, Fake(rising(), Stop(climbs=1000))).sizes


def test_nothing_need_survive_a_diversification() -> None:
    climber = run(Memetic(look_back=1, kept=0), Fake(constant, Stop(climbs=300)))
    assert climber.sizes[:4] == [20, 26, 26, 20]
    assert climber.best is not None
    assert climber.climbs == 300


def test_a_population_of_one() -> None:
    climber = run(Memetic(population=1, kept=4), Fake(rising(), Stop(climbs=200)))
    assert climber.climbs == 200


def test_wrong_settings_of_memetic_search_are_refused() -> None:
    wrong: list[dict[str, Any]] = [
        {"population": 0},
        {"crossover": "pmx"},
        {"crossovers": -1},
        {"mutations": 1.5},
        {"look_back": 0},
        {"kept": -1},
        {"kick": -0.5},
        {"least_change": float("nan")},
        {"smallest": 0},
        {"walks": 3},
    ]
    for options in wrong:
        with pytest.raises(ParameterError, match=f"{next(iter(options))} must be"):
            Memetic(**options)
    with pytest.raises(ParameterError, match="must not both be 0"):
        Memetic(crossovers=0, mutations=0)


def test_champions_of_populations_meet() -> None:
    climber = Fake(scripted(-float(i) for i in range(100)), Stop(climbs=60))
    strategy = Memetic(population=2, crossovers=1, mutations=0, look_back=1, least_change=100.0, kept=0, reunion=2)
    strategy.search(climber, np.random.default_rng(1))
    # After each two generations a population ends: the first is replaced by strangers, after the second the best of
    # both meet, and so on.
    assert climber.forgotten[:4] == [0, 2, 0, 2]
    assert climber.sizes[:8] == [2, 1, 1, 2, 1, 1, 1, 1]


def test_strangers_do_not_know_what_given_orders_have_taught() -> None:
    given = np.arange(N)
    climber = run(Memetic(population=5, look_back=100), Fake(constant, Stop(climbs=40)), [given])
    assert climber.batches[0] == [tuple(given.tolist())]
    assert len(climber.batches[1]) == 4
    assert all(climber.is_fresh(order) for order in climber.batches[1])
    assert climber.told == ["climb", "forget 0", "climb", "remember 1", *["climb"] * (len(climber.batches) - 2)]
    alone = run(Memetic(population=5), Fake(constant, Stop(climbs=1)), [given])
    assert alone.told == ["climb"]  # there is nothing left for strangers


def test_populations_double_up_to_their_size() -> None:
    memetic = Memetic(kick=1 / 90, look_back=2, kept=0, smallest=5)
    given = np.arange(N)
    climber = run(memetic, Fake(constant, Stop(climbs=300)), [given])
    # Of 20 crossovers and 6 mutations the same part as of the population, rounded up.
    assert climber.sizes[:14] == [1, 4, *[5 + 2] * 3, 10, *[10 + 3] * 3, 20, *[20 + 6] * 3, 40]
    without = run(memetic, Fake(constant, Stop(climbs=5)))
    assert all(without.is_fresh(order) for order in without.batches[0])


def test_the_best_of_small_populations_meet_before_the_first_large_one() -> None:
    def ever_worse() -> Fake:
        return Fake(scripted(-float(i) for i in range(2000)), Stop(climbs=1000))

    memetic = Memetic(population=20, look_back=1, kept=0, reunion=4, smallest=5)
    assert run(memetic, ever_worse()).forgotten[:6] == [0, 2, 0, 0, 0, 4]  # of 5 and 10, and then of 20 in each case
    alone = Memetic(population=10, look_back=1, kept=0, reunion=4, smallest=5)
    assert run(alone, ever_worse()).forgotten[:4] == [0, 0, 0, 4]  # one cannot meet
    never = Memetic(population=20, look_back=1, kept=0, smallest=5)
    assert set(run(never, ever_worse()).forgotten) == {0}


def test_champions_that_are_the_same_do_not_meet_and_populations_grow_until_one_is_new() -> None:
    memetic = Memetic(population=2, crossovers=1, mutations=0, look_back=1, kept=0, reunion=2, smallest=1)
    same = run(memetic, Fake(constant, Stop(climbs=200)))
    assert set(same.forgotten) == {0}
    # Of each population its first climbs, and two generations of half as many children, rounded up.
    assert same.sizes[:18] == [1, 1, 1, 2, 1, 1, 4, 2, 2, 8, 4, 4, 16, 8, 8, 16, 8, 8]
    # The third population finds another optimum: then the two meet, and the next population is small again.
    script = chain([-5.0] * 13, [-4.0], repeat(-5.0))
    other = run(memetic, Fake(scripted(script), Stop(climbs=60)))
    assert other.forgotten[:4] == [0, 0, 2, 0]
    assert other.sizes[:13] == [1, 1, 1, 2, 1, 1, 4, 2, 2, 2, 1, 1, 2]
    as_published = run(Memetic(population=2, look_back=1, kept=0), Fake(constant, Stop(climbs=400)))
    assert max(as_published.sizes) == 26  # as many children as ever


def test_walks_follow_given_orders_and_populations_until_they_bring_little() -> None:
    # The given order: -1000; walks, what both have changed together, walks that bring less than a tenth of the first.
    of_given = [-1000.0, -900.0, -901.0, -800.0, -800.0, -799.0]
    # A stranger joins it; three generations of one child each; walks from the best bring nothing.
    of_population = [-850.0, -860.0, -870.0, -880.0, -799.0, -799.0]
    memetic = Memetic(2, crossovers=1, mutations=0, look_back=2, kept=0, walks=LocalKicks(kicks=0.5, walks=2))
    script = chain(of_given, of_population, repeat(-900.0))
    climber = run(memetic, Fake(scripted(script), Stop(climbs=40)), [np.arange(N)])
    walk = f"walk 2 x {N // 2}"
    risen = ["climb", walk, "climb", walk, "forget 0", "climb", "remember 1"]
    assert climber.told[: len(risen) + 5] == [*risen, *["climb"] * 3, walk, "forget 0"]
    without = run(Memetic(population=2, look_back=1), Fake(constant, Stop(climbs=40)), [np.arange(N)])
    assert not any(told.startswith("walk") for told in without.told)
