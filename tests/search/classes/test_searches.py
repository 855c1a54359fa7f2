"""Searches over classes, against brute force on few variables and against what is known of them on more."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest
from scipy.stats import chisquare

from arcwise import (
    BDeu,
    Budget,
    Constraints,
    Dag,
    Dataset,
    Kes,
    LocalScore,
    ParameterError,
    Result,
    Status,
    ges,
    inclusion_boundary,
    kes,
    load_example,
    xges,
)
from oracles_classes import KINDS, Score, boundary, climb, extended_climb, k_greedy_ends, key_of
from oracles_graph import Arcs
from tables import dependent_table

EMPTY: Arcs = frozenset()


def dag_of(arcs: Arcs, names: tuple[str, ...]) -> Dag:
    return Dag(names, [(names[a], names[b]) for a, b in arcs])


def arcs_of(dag: Dag) -> Arcs:
    return frozenset((parent, child) for child, row in enumerate(dag.parent_indices) for parent in row)


def meets(constraints: Constraints, names: tuple[str, ...], arcs: Arcs) -> bool:
    return constraints.satisfied_by(dag_of(arcs, names))


def total(score: LocalScore) -> Score:
    return cache(lambda arcs: score.total(dag_of(arcs, score.data.names)))


def few_rows(seed: int, n: int = 5) -> LocalScore:
    """So little data that searches differ, with a score without ties."""
    return LocalScore(dependent_table(n_rows=40, arities=(2, 3, 2, 3, 2)[:n], seed=seed), BDeu(5))


ALL_AT_ONCE = (("insert", "delete"),)
DELETING_FIRST = (("delete",), ("reverse",), ("insert",))

SEARCHES: dict[str, tuple[Callable[..., Result], Callable[[Score], Arcs]]] = {
    "ges": (ges, lambda score: climb(5, EMPTY, score, ALL_AT_ONCE)),
    "ges with reversals": (
        partial(ges, reversing=True),
        lambda score: climb(5, EMPTY, score, (("insert", "delete", "reverse"),)),
    ),
    "ges by phases": (
        partial(ges, by_phases=True),
        lambda score: climb(5, climb(5, EMPTY, score, (("insert",),)), score, (("delete",),)),
    ),
    "xges-0": (partial(xges, extended=False), lambda score: climb(5, EMPTY, score, DELETING_FIRST)),
    "xges": (xges, lambda score: extended_climb(5, EMPTY, score)),
}


@pytest.mark.parametrize("name", list(SEARCHES))
def test_searches_end_where_brute_force_ends(name: str) -> None:
    search, oracle = SEARCHES[name]
    for seed in range(6):
        score = few_rows(seed)
        result = search(score, seed=seed)
        expected = oracle(total(score))
        assert key_of(arcs_of(result.dag)) == key_of(expected)
        assert result.score == pytest.approx(total(score)(expected), abs=1e-8)
        assert [(one.dag, one.climbs) for one in result.optima] == [(result.dag, 1)]


def test_phases_with_reversals_continue_until_no_phase_improves() -> None:
    for seed in range(6):
        score = few_rows(seed)
        arcs, before = EMPTY, None
        while arcs != before:
            before = arcs
            for kind in ("insert", "delete", "reverse"):
                arcs = climb(5, arcs, total(score), ((kind,),))
        result = ges(score, by_phases=True, reversing=True, seed=seed)
        assert key_of(arcs_of(result.dag)) == key_of(arcs)


@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(max_parents=1),
        Constraints(required=[("X4", "X0")], forbidden=[("X0", "X1"), ("X2", "X1")]),
        Constraints(tiers=[["X3", "X4"], ["X0", "X1"]], max_parents={"X2": 0}),
    ],
)
def test_under_constraints_too(constraints: Constraints) -> None:
    for seed in range(3):
        score = few_rows(seed)
        names = score.data.names
        start = arcs_of(constraints.required_dag(names))
        expected = climb(5, start, total(score), ALL_AT_ONCE, partial(meets, constraints, names))
        result = ges(score, constraints=constraints, seed=seed)
        assert constraints.satisfied_by(result.dag)
        assert key_of(arcs_of(result.dag)) == key_of(expected)


@pytest.mark.parametrize("table", [5, 7])
@pytest.mark.parametrize("k", [0, 0.3, 0.8])
def test_draws_have_the_probabilities_of_the_definition(k: float, table: int) -> None:
    climbs = 3000
    score = LocalScore(dependent_table(n_rows=60, arities=(2, 2, 3, 2), seed=table), BDeu(10))
    expected = k_greedy_ends(4, EMPTY, total(score), k)
    result = kes(score, k=k, climbs=climbs, seed=5)
    met = {key_of(arcs_of(one.dag)): one.climbs for one in result.optima}
    assert set(met) <= set(expected)
    likely = [key for key, probability in expected.items() if probability * climbs >= 5]
    assert len(likely) > 2
    shares = np.array([expected[key] for key in likely])
    counts = np.array([met.get(key, 0) for key in likely])
    assert climbs - counts.sum() <= 10  # the others are rare
    assert chisquare(counts, counts.sum() * shares / shares.sum()).pvalue > 1e-3


def test_without_ties_the_greediest_search_is_not_random() -> None:
    for table in range(3):
        score = few_rows(table)
        result = kes(score, k=1, climbs=20, seed=table)
        assert [(one.dag, one.climbs) for one in result.optima] == [(ges(score, seed=0).dag, 20)]


def test_a_sampled_boundary_makes_greedy_steps_where_all_of_it_comes_up() -> None:
    for seed in range(6):
        score = few_rows(seed)
        result = kes(score, k=1, climbs=5, boundary="sampled", patience=200, seed=seed)
        expected = climb(5, EMPTY, total(score), ALL_AT_ONCE)
        assert [(key_of(arcs_of(one.dag)), one.climbs) for one in result.optima] == [(key_of(expected), 5)]
        assert result.dag == ges(score, seed=1).dag


@pytest.mark.parametrize("k", [0, 0.4, 0.8])
def test_climbs_on_sampled_boundaries_end_where_steps_upwards_end(k: float) -> None:
    for table in (5, 7):
        score = LocalScore(dependent_table(n_rows=60, arities=(2, 2, 3, 2), seed=table), BDeu(10))
        anywhere = k_greedy_ends(4, EMPTY, total(score), 0)  # all optima that steps upwards lead to
        result = kes(score, k=k, climbs=300, boundary="sampled", patience=50, seed=table)
        met = {key_of(arcs_of(one.dag)): one.climbs for one in result.optima}
        assert len(met) == len(result.optima) > 1  # each class once
        assert set(met) <= set(anywhere)
        if k == 0:
            assert {key for key, probability in anywhere.items() if probability > 0.05} <= set(met)


@pytest.mark.parametrize("k", [0.005, 0.1, 0.4, 0.8, 0.99])
def test_a_step_is_expected_to_meet_its_share_of_a_sampled_boundary(k: float) -> None:
    size = 37 * 36
    draws = Kes(k=k, boundary="sampled").draws(37)
    assert 1 - (1 - 1 / size) ** draws.per_step == pytest.approx(k, abs=1 / size)
    assert k != 0.4 or draws.per_step / size == pytest.approx(0.5, abs=0.02)  # the paper's example
    assert (Kes(k=0, boundary="sampled").draws(37).per_step, draws.idle) == (1, 20 * size)
    assert Kes(k=1, boundary="sampled").draws(37).per_step == 20 * size


def test_constraints_hold_on_sampled_boundaries() -> None:
    constraints = Constraints(required=[("X4", "X0")], forbidden=[("X0", "X1"), ("X2", "X1")], max_parents=2)
    for seed in range(4):
        score = few_rows(seed)
        result = kes(score, k=0.5, climbs=20, boundary="sampled", constraints=constraints, seed=seed)
        assert all(constraints.satisfied_by(one.dag) for one in result.optima)
        assert result.score == pytest.approx(score.total(result.dag), abs=1e-8)


def test_nearly_all_climbs_on_sampled_boundaries_end_in_local_optima() -> None:
    score = LocalScore(load_example("asia").sample(500, seed=4), "bic")
    result = kes(score, k=0.4, climbs=100, boundary="sampled", seed=1)
    short = sum(one.climbs for one in result.optima if inclusion_boundary(score, one.dag)[0].gain > 1e-6)
    assert short <= 2
    hasty = kes(score, k=0.4, climbs=100, boundary="sampled", patience=0.5, seed=1)
    assert np.mean([one.score for one in hasty.optima]) < np.mean([one.score for one in result.optima])


@pytest.mark.parametrize("search", [ges, partial(kes, k=0, climbs=300), xges])
def test_order_of_the_columns_does_not_matter(search: Callable[..., Result]) -> None:
    data = dependent_table(n_rows=60, arities=(2, 3, 2, 3, 2, 2, 3), seed=3)
    expected = search(LocalScore(data, BDeu(3)), seed=1)
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(data.n_variables)
        shuffled = Dataset.from_codes(
            data.codes[:, order], arities=[data.arities[v] for v in order], names=[data.names[v] for v in order]
        )
        result = search(LocalScore(shuffled, BDeu(3)), seed=1)
        assert result.cpdag.with_names_ordered(data.names) == expected.cpdag
        assert result.score == pytest.approx(expected.score, abs=1e-8)


def test_results_are_local_optima_on_more_variables() -> None:
    score = LocalScore(load_example("alarm").sample(500, seed=2), "bic")
    for result in (ges(score, seed=1), kes(score, k=0.5, climbs=3, seed=1), xges(score, seed=1)):
        assert inclusion_boundary(score, result.dag)[0].gain < 1e-6
    for result in (ges(score, reversing=True, seed=1), xges(score, seed=1)):
        assert inclusion_boundary(score, result.dag, reversing=True)[0].gain < 1e-6


def test_large_samples_give_the_class_back() -> None:  # Chickering 2002, theorem 15 and lemma 10
    for name in ("cancer", "asia"):
        truth = load_example(name)
        score = LocalScore(truth.sample(200_000, seed=1), "bic")
        for search in (ges, partial(ges, by_phases=True), kes, partial(kes, k=0), xges):
            assert search(score, seed=1).cpdag == truth.dag.cpdag()


def test_optima_are_different_classes_best_first() -> None:
    score = LocalScore(load_example("asia").sample(500, seed=4), "bic")
    result = kes(score, k=0, climbs=200, seed=1)
    scores = [one.score for one in result.optima]
    assert scores == sorted(scores, reverse=True)
    assert len({one.cpdag for one in result.optima}) == len(result.optima) > 1
    assert sum(one.climbs for one in result.optima) == result.counters["climbs"] == 200
    assert (result.optima[0].dag, result.optima[0].score) == (result.dag, result.score)
    for one in result.optima:
        assert one.score == pytest.approx(score.total(one.dag), rel=1e-12)
        assert inclusion_boundary(score, one.cpdag)[0].gain < 1e-6


def test_climbs_that_are_cut_short_are_not_optima() -> None:
    score = LocalScore(load_example("alarm").sample(500, seed=2), "bic")
    result = kes(score, climbs=50, seed=1, budget=Budget(evaluation_limit=8000))
    assert result.status == Status.EVALUATION_LIMIT
    assert sum(one.climbs for one in result.optima) == result.counters["climbs"] - 1
    assert ges(score, budget=Budget(time_limit=0)).optima == ()


@pytest.mark.parametrize(
    "search",
    [
        partial(kes, k=0.2, climbs=20, random_start=True),
        partial(kes, k=0, climbs=30),
        partial(kes, climbs=20, boundary="sampled", random_start=True),
    ],
)
def test_workers_do_not_change_the_result(search: Callable[..., Result]) -> None:
    data = load_example("asia").sample(300, seed=3)
    alone = search(LocalScore(data), seed=2, workers=1)
    for workers in (2, 5):
        result = search(LocalScore(data), seed=2, workers=workers)
        assert (result.dag, result.optima) == (alone.dag, alone.optima)


def test_every_graph_of_a_class_is_the_same_start() -> None:
    score = LocalScore(load_example("asia").sample(300, seed=3))
    names = score.data.names
    chains = [
        Dag(names, [(names[0], names[1]), (names[1], names[2])]),
        Dag(names, [(names[2], names[1]), (names[1], names[0])]),
    ]
    first, second = (ges(score, start=start, seed=1) for start in chains)
    assert first.dag == second.dag
    assert first.trace[0].score == pytest.approx(second.trace[0].score)


def test_extended_search_beats_greedy_search_on_few_rows() -> None:  # Nazaret & Blei 2024
    better = 0
    for seed in range(5):
        score = LocalScore(load_example("alarm").sample(1000, seed=seed), "bic")
        plain, extended = ges(score, seed=1), xges(score, seed=1)
        assert extended.score >= xges(score, extended=False, seed=1).score
        better += extended.score > plain.score
    assert better >= 4


def test_wrong_arguments_are_refused() -> None:
    score = few_rows(0)
    for k in (-0.1, 1.5, float("nan"), "half"):
        with pytest.raises(ParameterError, match="k must be"):
            kes(score, k=k)
    with pytest.raises(ParameterError, match="boundary must be one of exact, sampled, not 'sample'"):
        kes(score, boundary="sample")
    with pytest.raises(ParameterError, match="patience must be a finite number above 0"):
        kes(score, boundary="sampled", patience=0)
    with pytest.raises(ParameterError, match="boundary='sampled' has no reversals"):
        kes(score, boundary="sampled", reversing=True)
    for search in (ges, kes, xges):
        with pytest.raises(
            ParameterError,
            match="bds does not; take one of bic, ebic, aic, hqc, loglik, bdeu, qnml, or",
        ):
            search(LocalScore(score.data, "bds"))
        with pytest.raises(ParameterError, match="score must be a LocalScore"):
            search("bic")
        with pytest.raises(ParameterError, match="climbs must be at least 1"):
            search(score, climbs=0)


def test_a_local_optimum_to_which_no_step_upwards_leads_is_not_found() -> None:
    xor = Dataset.from_codes([[x, y, x ^ y] for x in (0, 1) for y in (0, 1)] * 50)
    score = LocalScore(xor)
    collider = Dag(xor.names, [("X0", "X2"), ("X1", "X2")])
    result = kes(score, k=0, climbs=50, seed=1)  # each single arc of an exclusive or gains nothing
    assert (result.dag.n_arcs, len(result.optima)) == (0, 1)
    assert score.total(collider) > result.score + 100
    assert kes(score, k=0, start=collider, seed=1).cpdag == collider.cpdag()


@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(),
        Constraints(max_parents=2),
        Constraints(forbidden=[("X0", "X1"), ("X3", "X2")]),
        Constraints(forbidden=[("X0", "X1"), ("X1", "X0"), ("X3", "X2"), ("X2", "X3")]),  # no direction is told apart
    ],
)
def test_trials_never_lose_and_end_in_local_optima(constraints: Constraints) -> None:
    for seed in range(8):
        score = LocalScore(dependent_table(n_rows=80, arities=(2, 3, 2, 3, 2), seed=seed), BDeu(8))
        greedy_phase = xges(score, extended=False, constraints=constraints, seed=seed)
        result = xges(score, constraints=constraints, seed=seed)
        assert result.score >= greedy_phase.score - 1e-9
        near = boundary(5, arcs_of(result.dag), KINDS, partial(meets, constraints, score.data.names))
        assert max(map(total(score), near.values())) <= result.score + 1e-9
        expected = extended_climb(5, EMPTY, total(score), partial(meets, constraints, score.data.names))
        assert key_of(arcs_of(result.dag)) == key_of(expected)
