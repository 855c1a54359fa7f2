"""K2 against its slow twin, and against the example of the paper that named it."""

from fractions import Fraction
from itertools import permutations
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Budget, Constraints, Dag, Dataset, LocalScore, ParameterError, Status
from arcwise.search.dags.k2 import K2Search, k2
from oracles import local_score
from oracles_k2 import Family, k2_parents
from score_cases import COUNTED
from tables import dependent_table

# Table 1 of Cooper and Herskovits (1992): ten cases of x1, x2, x3.
PAPER = Dataset.from_codes(
    [[1, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0]],
    names=["x1", "x2", "x3"],
)


def family_of(data: Dataset, score: str) -> Family:
    rows = [tuple(map(int, row)) for row in data.codes]
    return lambda child, parents: local_score(score, rows, data.arities, child, sorted(parents))


def test_the_example_of_cooper_and_herskovits() -> None:
    result = k2(LocalScore(PAPER, "k2"), order=["x1", "x2", "x3"])
    assert result.dag.arcs == (("x1", "x2"), ("x2", "x3"))
    # By hand: 5! 5! / 11! for x1, (4! 1! / 6!)² for x2 given x1, 5! / 6! times 4! 1! / 6! for x3 given x2.
    assert exp(result.score) == pytest.approx(float(Fraction(1, 2772) * Fraction(1, 900) * Fraction(1, 180)))
    # The paper prints 2.23 · 10^-9 for this graph, and 2.23 · 10^-10 for x2 <- x1 -> x3.
    assert exp(result.score) == pytest.approx(2.23e-9, rel=2e-3)
    fork = Dag(["x1", "x2", "x3"], [("x1", "x2"), ("x1", "x3")])
    assert exp(LocalScore(PAPER, "k2").total(fork)) == pytest.approx(2.23e-10, rel=2e-3)


@pytest.mark.parametrize("score", COUNTED)
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_slow_twin(score: str, seed: int) -> None:
    data = dependent_table(n_rows=120, arities=(2, 3, 2, 3, 2, 2), seed=seed)
    order = np.random.default_rng(seed).permutation(6).tolist()
    result = k2(LocalScore(data, score), order=order)
    assert list(result.dag.parent_indices) == k2_parents(family_of(data, score), order, 5)


def test_every_order_of_four_variables() -> None:
    data = dependent_table(n_rows=80, arities=(2, 3, 2, 2), seed=4)
    shared, family = LocalScore(data, "k2"), family_of(data, "k2")
    for order in permutations(range(4)):
        assert list(k2(shared, order=order).dag.parent_indices) == k2_parents(family, order, 3)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_equals_the_slow_twin_under_constraints(draw: st.DataObject) -> None:
    data = dependent_table(n_rows=60, arities=(2, 3, 2, 2, 3), seed=draw.draw(st.integers(0, 20)))
    order = draw.draw(st.permutations(range(5)))
    limit, degree = draw.draw(st.integers(1, 4)), draw.draw(st.none() | st.integers(1, 4))
    pairs = [(p, c) for i, c in enumerate(order) for p in order[:i]]
    required = draw.draw(st.sampled_from(pairs))
    forbidden = draw.draw(st.lists(st.sampled_from(pairs).filter(lambda pair: pair != required), max_size=4))
    names = data.names
    constraints = Constraints(
        required=[(names[required[0]], names[required[1]])],
        forbidden=[(names[p], names[c]) for p, c in forbidden],
        max_parents=limit,
        max_degree=degree,
    )
    result = k2(LocalScore(data, "bdeu"), order=order, constraints=constraints, workers=2)
    start = [[required[0]] if child == required[1] else [] for child in range(5)]
    twin = k2_parents(family_of(data, "bdeu"), order, limit, lambda p, c: (p, c) not in forbidden, start, degree)
    assert list(result.dag.parent_indices) == twin
    assert constraints.satisfied_by(result.dag)


def test_equal_candidates_go_by_the_order() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=200)
    child = np.where(rng.random(200) < 0.2, 1 - a, a)
    data = Dataset.from_codes(np.column_stack([a, a, child]), names=["a", "copy", "child"])
    assert k2(LocalScore(data), order=["a", "copy", "child"]).dag.parents("child") == ("a",)
    assert k2(LocalScore(data), order=["copy", "a", "child"]).dag.parents("child") == ("copy",)


def test_orders_in_any_form_are_the_same() -> None:
    listed = K2Search([2, 0, 1])
    assert len({listed, K2Search((2, 0, 1)), K2Search(np.array([2, 0, 1]))}) == 1  # type: ignore[arg-type]


def test_workers_do_not_change_the_result() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    one, many = (k2(LocalScore(data), seed=3, workers=workers) for workers in (1, 4))
    assert one.dag == many.dag
    assert one.score == many.score
    assert one.decisions["order"] == many.decisions["order"]


def test_a_random_order_is_recorded_and_repeats_the_run() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    drawn = k2(LocalScore(data))
    order = drawn.decisions["order"]
    assert isinstance(order, list)
    assert sorted(order) == sorted(data.names)
    assert k2(LocalScore(data), order=order).dag == drawn.dag
    assert len({tuple(k2(LocalScore(data), seed=seed).decisions["order"]) for seed in range(5)}) == 5


def test_a_random_order_fits_tiers_and_required_arcs() -> None:
    data = dependent_table(arities=(2,) * 7)
    a, b, c, d, e, f, g = data.names
    constraints = Constraints(tiers=[[e, f], [a, b]], required=[(g, c), (c, d)])
    for seed in range(20):
        order = k2(LocalScore(data), seed=seed, constraints=constraints).decisions["order"]
        assert isinstance(order, list)
        assert max(map(order.index, (e, f))) < min(map(order.index, (a, b)))
        assert order.index(g) < order.index(c) < order.index(d)


def test_a_start_keeps_its_arcs_and_gives_the_order() -> None:
    data = dependent_table(arities=(2, 3) * 4)
    names = data.names
    start = Dag(names, [(names[7], names[0]), (names[0], names[5])])
    score = LocalScore(data)
    result = k2(score, start=start)
    assert result.decisions["order"] == list(start.topological_order())
    assert set(start.arcs) <= set(result.dag.arcs)
    assert result.score >= score.total(start)
    assert result.counters["additions"] == result.dag.n_arcs - 2
    assert result.trace[0].score == pytest.approx(score.total(start))


def test_counters_and_trace_add_up() -> None:
    data = dependent_table()
    score = LocalScore(data)
    result = k2(score, seed=0)
    assert result.status is Status.LOCAL_OPTIMUM
    assert result.counters["evaluations"] == score.evaluations
    assert len(result.trace) == 1 + result.counters["additions"]
    assert result.trace[-1].evaluations <= score.evaluations


def test_a_limit_that_ends_it_early_is_said() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    whole = k2(LocalScore(data), seed=1)
    part = k2(LocalScore(data), seed=1, budget=Budget(evaluation_limit=40))
    assert part.status is Status.EVALUATION_LIMIT
    assert set(part.dag.arcs) < set(whole.dag.arcs)
    enough = k2(LocalScore(data), seed=1, budget=Budget(evaluation_limit=100_000))
    assert enough.dag == whole.dag


def test_remembered_scores_are_free() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    shared = LocalScore(data)
    whole = k2(shared, seed=1)
    again = k2(shared, seed=1, budget=Budget(evaluation_limit=1))
    assert again.dag == whole.dag
    assert again.counters["evaluations"] == 0
    assert again.status is Status.LOCAL_OPTIMUM


def test_bad_orders_are_refused() -> None:
    score = LocalScore(PAPER)
    for order, words in [
        (["x1", "x2"], "2 entries"),
        (["x1", "x2", "x2"], "has 1 twice"),
        (["x1", "x2", "x4"], "no variable 'x4'"),
        ([0, 1, 3], "no variable 3"),
        ("x1", "must be a list of variables"),
    ]:
        with pytest.raises(ParameterError, match=words):
            k2(score, order=order)


def test_arcs_against_the_order_are_refused() -> None:
    score = LocalScore(PAPER)
    with pytest.raises(ParameterError, match="'x3' -> 'x1' must be in the graph, but order has 'x1' before 'x3'"):
        k2(score, order=["x1", "x2", "x3"], constraints=Constraints(required=[("x3", "x1")]))
    with pytest.raises(ParameterError, match="order has 'x1' before 'x2'"):
        k2(score, order=["x1", "x2", "x3"], start=Dag(PAPER.names, [("x2", "x1")]))
    with pytest.raises(ParameterError, match="workers must be at least 1"):
        k2(score, workers=0)
