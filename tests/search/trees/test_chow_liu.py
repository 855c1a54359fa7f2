"""The best forest by brute force; the contract suite holds the search to the rest."""

import tracemalloc
from itertools import product
from math import inf, isclose, log

import networkx as nx
import numpy as np
import pytest

import oracles
import oracles_trees as oracle
from arcwise import Budget, Constraints, Dag, Dataset, LocalScore, ParameterError, Status, chow_liu
from interrupting import runs_out_of_time
from score_cases import COUNTED
from tables import dependent_table

EQUIVALENT = [name for name, kind in COUNTED.items() if kind.is_equivalent]


def edges(dag: Dag) -> set[tuple[int, int]]:
    index = {name: v for v, name in enumerate(dag.names)}
    return {(min(index[a], index[b]), max(index[a], index[b])) for a, b in dag.arcs}


def weights_of(data: Dataset) -> list[int]:
    return [1] * data.n_rows if data.weights is None else [int(weight) for weight in data.weights]


def test_a_tree_by_hand() -> None:
    """Y follows X in 7 of 8 rows, Z follows Y in 6 of 8, and X and Z are together as often as not."""
    rows = [[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 0]]
    result = chow_liu(LocalScore(Dataset.from_codes(rows, names=["x", "y", "z"]), "loglik"))
    assert set(result.dag.arcs) == {("x", "y"), ("y", "z")}
    # Counts of (x, y): 3, 1, 0, 4, with margins 4, 4 and 3, 5. Of (y, z): 2, 1, 1, 4, with margins 3, 5 and 3, 5.
    xy = 3 / 8 * log(3 * 8 / (4 * 3)) + 1 / 8 * log(8 / (4 * 5)) + 4 / 8 * log(4 * 8 / (4 * 5))
    yz = 2 / 8 * log(2 * 8 / 9) + 2 / 8 * log(8 / 15) + 4 / 8 * log(4 * 8 / 25)
    empty = 8 * (log(0.5) + 2 * (3 / 8 * log(3 / 8) + 5 / 8 * log(5 / 8)))
    assert result.score == pytest.approx(empty + 8 * (xy + yz))
    # ln 8 / 2 = 1.04 is more than the 0.27 that the second arc gains, and less than the 2.70 of the first.
    assert chow_liu(LocalScore(Dataset.from_codes(rows, names=["x", "y", "z"]), "bic")).dag.arcs == (("x", "y"),)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_sum_of_mutual_informations_is_the_largest(seed: int, weighted: bool) -> None:
    data = dependent_table(120, (2, 3, 2, 4, 2, 2, 5, 1, 3) * 2, seed=seed)
    if weighted:
        data = data.bootstrap(seed)
    weights, n = weights_of(data), data.n_observations

    def information(a: int, b: int) -> float:
        return oracle.mutual_information(data.codes.tolist(), weights, a, b)

    result = chow_liu(LocalScore(data, "loglik"))
    total, tree = oracle.best_forest(data.n_variables, information)
    assert edges(result.dag) == tree
    empty = LocalScore(data, "loglik").total(Dag(data.names))
    assert result.score == pytest.approx(empty + n * total)


@pytest.mark.parametrize("score", EQUIVALENT)
@pytest.mark.parametrize("seed", range(3))
def test_forests_of_every_score(score: str, seed: int) -> None:
    data = dependent_table(60, (2, 3, 2, 4, 2, 2, 3), seed=seed)

    def gain(a: int, b: int) -> float:
        alone, given = (
            oracles.local_score(score, data.codes.tolist(), data.arities, b, parents) for parents in ([], [a])
        )
        return given - alone

    total, forest = oracle.best_forest(data.n_variables, gain)
    result = chow_liu(LocalScore(data, score))
    assert edges(result.dag) == forest
    assert result.score == pytest.approx(LocalScore(data, score).total(Dag(data.names)) + total)


@pytest.mark.parametrize("score", [name for name in COUNTED if name not in EQUIVALENT])
@pytest.mark.parametrize("seed", range(3))
def test_scores_that_tell_directions_apart(score: str, seed: int) -> None:
    data = dependent_table(40, (2, 3, 2, 4, 3), seed=seed)
    local = [
        [
            -inf if a == b else oracles.local_score(score, data.codes.tolist(), data.arities, b, [a] if a < 5 else [])
            for a in range(6)
        ]
        for b in range(5)
    ]
    assert chow_liu(LocalScore(data, score)).score == pytest.approx(oracle.best_branching(local))


@pytest.mark.parametrize("score", ["bic", "k2"])
@pytest.mark.parametrize("seed", range(6))
def test_constraints_by_brute_force(score: str, seed: int) -> None:
    data = dependent_table(80, (2, 3, 2, 2), seed=seed)
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.permutation(data.names)]
    constraints = [
        Constraints(required=[(names[0], names[1])], forbidden=[(names[2], names[3])]),
        Constraints(tiers=[names[:2], names[2:]], max_parents={names[3]: 0}),
        Constraints(forbidden=[(names[0], names[1]), (names[1], names[0])]),
    ][seed % 3]
    scored = LocalScore(data, score)
    best = -inf
    for parents in product(range(-1, 4), repeat=4):
        if all(parent != v for v, parent in enumerate(parents)) and oracle.is_acyclic(parents):
            dag = Dag.from_parents(data.names, [[] if parent < 0 else [parent] for parent in parents])
            if constraints.satisfied_by(dag):
                best = max(best, scored.total(dag))
    result = chow_liu(scored, constraints=constraints)
    assert constraints.satisfied_by(result.dag)
    assert result.score == pytest.approx(best)


@pytest.mark.parametrize("seed", range(2))
def test_many_states_are_counted_another_way(seed: int) -> None:
    data = dependent_table(200, (2, 90, 3, 70, 2, 5, 80), seed=seed)
    wide = Dataset.from_codes(data.codes, arities=[2, 300, 3, 70, 2, 5, 80])
    weights = weights_of(data)
    total, tree = oracle.best_forest(7, lambda a, b: oracle.mutual_information(data.codes.tolist(), weights, a, b))
    for table in (data, wide):
        result = chow_liu(LocalScore(table, "loglik"))
        assert edges(result.dag) == tree
        empty = LocalScore(table, "loglik").total(Dag(data.names))
        assert isclose(result.score, empty + 200 * total)


def test_more_variables_than_one_block() -> None:
    data = dependent_table(60, (2, 3) * 50, seed=3)
    weights = weights_of(data)
    result = chow_liu(LocalScore(data, "loglik"))
    total, _ = oracle.best_forest(100, lambda a, b: oracle.mutual_information(data.codes.tolist(), weights, a, b))
    assert result.score == pytest.approx(LocalScore(data, "loglik").total(Dag(data.names)) + 60 * total)
    assert result.dag.n_arcs == 99
    assert all(len(parents) <= 1 for parents in result.dag.parent_indices)
    assert result.counters["evaluations"] == 100 + 100 * 99 // 2


@pytest.mark.parametrize("instructions", ["plain", "avx2"])
def test_other_machines_find_the_same(instructions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = dependent_table(1000, (2, 3, 9, 2) * 20, seed=1)
    here = chow_liu(LocalScore(data))
    monkeypatch.setenv("ARCWISE_SIMD", instructions)
    try:
        there = LocalScore(data)
    except ParameterError:
        pytest.skip(f"this machine has no {instructions}")
    assert chow_liu(there).score == pytest.approx(here.score)


def test_a_budget_leaves_the_forest_of_the_pairs_so_far() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    n = data.n_variables
    # 12 variables alone, then the 11 pairs of the first one
    result = chow_liu(LocalScore(data), budget=Budget(evaluation_limit=n + 1))
    assert result.status == Status.EVALUATION_LIMIT
    assert result.dag.n_arcs > 0
    assert all(data.names[0] in arc for arc in result.dag.arcs)


@pytest.mark.parametrize("score", ["k2", "bic"])
@pytest.mark.parametrize("seed", range(4))
def test_a_budget_leaves_the_best_branching_of_the_arcs_so_far(score: str, seed: int) -> None:
    """Into two of five variables; where the score does not tell directions apart, also out of these."""
    data = dependent_table(40, (2, 3, 2, 4, 3), seed=seed)
    rules = Constraints(forbidden=[(data.names[0], data.names[3])])
    is_known = [[b < 2 or (score == "bic" and a < 2 and (a, b) != (0, 3)) for a in range(5)] for b in range(5)]
    local = [
        [
            oracles.local_score(score, data.codes.tolist(), data.arities, b, [a] if a < 5 else [])
            if a == 5 or (a != b and is_known[b][a])
            else -inf
            for a in range(6)
        ]
        for b in range(5)
    ]
    # five variables alone, then twice the five families of one variable
    found = chow_liu(LocalScore(data, score), constraints=rules, budget=Budget(evaluation_limit=15))
    assert found.status == Status.EVALUATION_LIMIT
    assert found.score == pytest.approx(oracle.best_branching(local))
    assert rules.satisfied_by(found.dag)


def test_time_that_runs_out_leaves_a_forest() -> None:
    data = dependent_table(100, (2, 3) * 100, seed=1)
    rules = Constraints(required=[(data.names[1], data.names[0])])
    found = runs_out_of_time(
        lambda limit: chow_liu(LocalScore(data), constraints=rules, workers=1, budget=Budget(limit))
    )
    assert rules.satisfied_by(found.dag)
    assert found.dag.n_arcs > 1
    assert found.score == pytest.approx(LocalScore(data).total(found.dag))


@pytest.mark.parametrize("score", ["bic", "k2", "loglik"])
def test_long_lists_of_arcs_may_be_cut(score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = dependent_table(60, (2, 3, 2) * 6, seed=2)
    rules = Constraints(tiers=[data.names[:9], data.names[9:]], forbidden=[(data.names[0], data.names[1])])
    whole = chow_liu(LocalScore(data, score), constraints=rules)
    monkeypatch.setattr("arcwise.search.trees.sweep._MOST_ARCS", 0)
    monkeypatch.setattr("arcwise.search.trees.sweep._LEAST_OF_EACH", 2)
    cut = chow_liu(LocalScore(data, score), constraints=rules)
    assert cut.score == pytest.approx(whole.score, rel=1e-12)
    gains = [
        [
            LocalScore(data, score).local(b, [a] if a < 18 else [])
            if a == 18 or (a != b and data.names[a] in allowed_parents(rules, data, b))
            else -inf
            for a in range(19)
        ]
        for b in range(18)
    ]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(18))
    graph.add_weighted_edges_from(
        (a, b, gains[b][a] - gains[b][18]) for a in range(18) for b in range(18) if gains[b][a] > gains[b][18] + 1e-9
    )
    best = sum(gain for *_, gain in nx.maximum_branching(graph).edges(data="weight"))
    assert whole.score == pytest.approx(best + sum(row[18] for row in gains))


def allowed_parents(rules: Constraints, data: Dataset, child: int) -> set[str]:
    return {
        name
        for name in data.names
        if name != data.names[child] and rules.satisfied_by(Dag(data.names, [(name, data.names[child])]))
    }


def test_no_matrix_of_all_arcs_is_made() -> None:
    """Of 3,000 variables it would take 72 MB."""
    rng = np.random.default_rng(1)
    data = Dataset.from_codes(rng.integers(2, size=(50, 3000)).astype(np.uint8))
    rules, score = Constraints(required=[(data.names[0], data.names[1])]), LocalScore(data)
    tracemalloc.start()
    try:
        found = chow_liu(score, constraints=rules)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.dag.has_arc(data.names[0], data.names[1])
    assert found.status == Status.LOCAL_OPTIMUM
    assert peak < 36e6


def test_a_better_start_is_kept() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=(2, 500))
    data = Dataset.from_codes(np.column_stack([a, b, a ^ b]).astype(np.uint8), names=["a", "b", "c"])
    start = Dag(["a", "b", "c"], [("a", "c"), ("b", "c")])
    result = chow_liu(LocalScore(data), start=start)
    assert result.dag == start
    assert chow_liu(LocalScore(data)).dag.n_arcs == 0


def test_several_required_parents_are_refused() -> None:
    data = dependent_table()
    a, b, c = data.names[:3]
    with pytest.raises(ParameterError, match="has 2 required parents, but in a tree a variable has at most one"):
        chow_liu(LocalScore(data), constraints=Constraints(required=[(a, c), (b, c)]))
