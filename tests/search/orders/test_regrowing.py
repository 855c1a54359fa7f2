"""Climbs over orders whose parents are regrown by each move: against every move of a slow twin, and exact search."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_regrowth as oracle
from arcwise import Budget, Constraints, Dag, Dataset, LocalScore, Orders, Stop, _core, exact, learn
from arcwise.simulation.gaussian import random_gaussian_network
from arcwise.support.errors import ParameterError
from tables import dependent_table


def table(n_nodes: int, n_arcs: int, n_rows: int, seed: int) -> Dataset:
    return random_gaussian_network(n_nodes, n_arcs, seed=seed).sample(n_rows, seed=seed)


RULES = {
    "none": Constraints(),
    "some": Constraints(
        required=[("X1", "X0"), ("X2", "X0")], forbidden=[("X3", "X4")], tiers=[["X5"], ["X4"]], max_parents={"X3": 1}
    ),
}


@pytest.mark.parametrize("score", ["bic", "bge", "aic"])
@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000))
def test_no_move_of_the_slow_twin_improves_where_a_climb_ends(score: str, rules: str, seed: int) -> None:
    local = LocalScore(table(6, 9, 60, seed), score)
    resolved = RULES[rules].resolve(local.names)
    kernel = _core.RegrowingClimb(local.core, resolved.core)
    sequence = np.array([5, 4, 3, 2, 1, 0])
    order = kernel.inserted(sequence, 4 * local.rounding, Budget().core)
    assert sorted(order.tolist()) == list(range(6))
    found = kernel.run(order, 4 * local.rounding, seed, Budget().core)
    families = [frozenset(parents) for parents in found.parents]
    place = {v: at for at, v in enumerate(found.order.tolist())}
    assert all(place[parent] < place[child] for child, parents in enumerate(families) for parent in parents)
    assert RULES[rules].violations(Dag.from_parents(local.names, found.parents)) == ()
    assert found.score == pytest.approx(sum(local.local(v, parents) for v, parents in enumerate(families)), rel=1e-12)
    for v, parents in enumerate(families):
        before = [other for other in range(6) if place[other] < place[v]]
        assert oracle.grown(local, resolved, v, before, parents) == parents
    best = max(total for _, _, total in oracle.moves(local, resolved, found.order.tolist(), families))
    assert best <= found.score + 16 * local.rounding


def test_a_kernel_that_remembers_ends_where_a_new_one_does() -> None:
    local = LocalScore(table(12, 24, 200, 1))
    rules = Constraints().resolve(local.names)
    old = _core.RegrowingClimb(local.core, rules.core)
    rng = np.random.default_rng(1)
    for seed in range(5):
        order = rng.permutation(12)
        new = _core.RegrowingClimb(local.core, rules.core)
        found = [kernel.run(order, 4 * local.rounding, seed, Budget().core) for kernel in (old, new)]
        assert found[0].parents == found[1].parents
        assert found[0].order.tolist() == found[1].order.tolist()


def test_few_continuous_variables_end_in_the_best_graph() -> None:
    for seed in range(5):
        local = LocalScore(table(8, 14, 300, seed))
        best = exact(local).score
        assert learn(local.data, method="orders", seed=1, stop=Stop(climbs=30)).score == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("kind", ["counted", "continuous"])
def test_parents_may_be_regrown_or_listed_on_any_data(kind: str) -> None:
    data = dependent_table(n_rows=200) if kind == "counted" else table(6, 8, 200, 1)
    best = exact(LocalScore(data)).score
    for parents in ("lists", "regrown"):
        result = learn(data, method=Orders(parents=parents, stop=Stop(climbs=30)), seed=1)
        assert result.score == pytest.approx(best, rel=1e-9)


def test_climbs_end_with_their_budget_and_keep_what_they_have() -> None:
    local = LocalScore(table(20, 40, 100, 1))
    rules = Constraints().resolve(local.names)
    for limit in (0, 1, 30, 300, 3000):
        kernel = _core.RegrowingClimb(local.core, rules.core)
        budget = Budget(evaluation_limit=limit)
        order = kernel.inserted(np.arange(20), 4 * local.rounding, budget.core)
        found = kernel.run(order, 4 * local.rounding, 1, budget.core)
        assert sorted(found.order.tolist()) == list(range(20))
        assert found.score == pytest.approx(local.total(Dag.from_parents(local.names, found.parents)), rel=1e-12)


def test_what_the_search_over_classes_has_found_is_kept_where_no_time_is_left_to_climb() -> None:
    data = table(30, 60, 200, 4)
    of_classes = learn(data, method="ges", seed=1)
    spent = of_classes.counters["evaluations"]
    for limit in (spent // 2, spent, spent + 10):  # of which a fifth is for climbs
        alone = learn(data, method="ges", seed=1, evaluation_limit=limit * 4 // 5)
        assert learn(data, method="orders", seed=1, evaluation_limit=limit).score >= alone.score - 1e-6


def test_the_workers_do_not_change_the_answer() -> None:
    data = table(15, 30, 200, 2)
    found = [learn(data, method="orders", seed=3, stop=Stop(climbs=24), workers=workers) for workers in (1, 3)]
    assert found[0].dag == found[1].dag
    assert found[0].score == found[1].score


def test_orders_off_lists_need_lists() -> None:
    with pytest.raises(ParameterError, match="parents"):
        Orders(parents="regrown", initial="fas")
    with pytest.raises(ParameterError, match="parents must be"):
        Orders(parents="neither")


def test_climbs_side_by_side_do_not_disturb_each_other() -> None:
    local = LocalScore(table(15, 30, 200, 3))
    rules = Constraints().resolve(local.names)

    def climbed(seed: int) -> list[list[int]]:
        order = np.random.default_rng(seed).permutation(15)
        kernel = _core.RegrowingClimb(local.core, rules.core)
        return kernel.run(order, 4 * local.rounding, seed, Budget().core).parents

    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(climbed, range(8))) == [climbed(seed) for seed in range(8)]
