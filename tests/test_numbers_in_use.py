"""Continuous and mixed data in what surrounds the searches: strengths, comparisons, bounds, gains and checks."""

from itertools import combinations
from math import isfinite

import numpy as np
import pytest

from arcwise import (
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    Status,
    arc_gains,
    bootstrap,
    check_score,
    compare_methods,
    learn,
    select,
    uncover_v_structures,
)
from oracles_graph import all_dags, skeleton, v_structures
from tables import table_of_numbers

CONTINUOUS, MIXED = "ccccc", "c2c3c"
CASES = [(CONTINUOUS, "bic"), (CONTINUOUS, "bge"), (MIXED, "bic"), (MIXED, "dg")]

every_case = pytest.mark.parametrize(("kinds", "score"), CASES)


def trial(n_rows: int = 300) -> Dataset:
    """A dose and a drug that decide about a reading, a copy of that with noise, and a number for itself."""
    rng = np.random.default_rng(2)
    dose, drug = rng.normal(size=n_rows), rng.choice(["a", "b"], size=n_rows)
    reading = 2 * dose + np.where(drug == "a", 3, 0) + rng.normal(size=n_rows)
    copy = reading + rng.normal(size=n_rows)
    return Dataset.of({"dose": dose, "drug": drug, "reading": reading, "copy": copy, "noise": rng.normal(size=n_rows)})


@pytest.mark.parametrize("score", ["bic", "dg"])
def test_strengths_of_mixed_data(score: str) -> None:
    strengths = bootstrap(trial(), "greedy", 20, score=score, seed=1)
    assert strengths.status is Status.COMPLETE
    for one, other in (("dose", "reading"), ("drug", "reading"), ("reading", "copy")):
        assert strengths.edge(one, other) == 1.0
    assert strengths.edge("noise", "dose") < 0.5
    assert strengths.averaged().has_arc("drug", "reading")
    again = bootstrap(trial(), "greedy", 20, score=score, seed=1, workers=2)
    assert again.averaged() == strengths.averaged()


def test_states_have_no_continuous_parents_in_any_replica() -> None:
    """Not even by half, where the arc could be reversed if both were discrete."""
    data = trial().select(["drug", "reading"])
    strengths = bootstrap(data, "greedy", 10, seed=1)
    assert strengths.direction("drug", "reading") == 1.0
    assert strengths.direction("reading", "drug") == 0.0
    alike = bootstrap(data, "greedy", 10, score="dg", seed=1)
    assert alike.direction("drug", "reading") == alike.direction("reading", "drug") == 0.5


def test_classes_of_mixed_data_have_the_graphs_of_one_score() -> None:
    data = table_of_numbers("2c3c", n_rows=200)
    score, classes = LocalScore(data), dict[object, list[frozenset[tuple[int, int]]]]()
    for arcs in all_dags(4):
        if not any(data.arities[child] and not data.arities[parent] for parent, child in arcs):
            classes.setdefault((skeleton(arcs), v_structures(arcs)), []).append(frozenset(arcs))
    assert any(len(members) > 1 for members in classes.values())
    for members in classes.values():
        dags = [Dag(data.names, [(data.names[a], data.names[b]) for a, b in arcs]) for arcs in members]
        either_way = {arc for arcs in members for arc in arcs if any(arc[::-1] in other for other in members)}
        for dag in dags:
            assert score.total(dag) == pytest.approx(score.total(dags[0]))
            undirected = dag.cpdag(score.targets).undirected
            assert {(data.index(a), data.index(b)) for a, b in undirected} == {(a, b) for a, b in either_way if a < b}
    result = learn(data, method="greedy", seed=1)
    assert result.cpdag == result.dag.cpdag(score.targets)
    assert LocalScore(data, "dg").targets == ()


@pytest.mark.parametrize("score", ["bic", "bge"])
def test_strengths_of_continuous_data(score: str) -> None:
    data = trial().select(["dose", "reading", "copy", "noise"])
    strengths = bootstrap(data, "orders", 10, score=score, seed=1)
    assert strengths.edge("dose", "reading") == strengths.edge("reading", "copy") == 1.0
    two = bootstrap(data.select(["dose", "reading"]), "orders", 5, score=score, seed=1)
    assert two.direction("dose", "reading") == two.direction("reading", "dose") == 0.5


@every_case
def test_methods_are_compared(kinds: str, score: str) -> None:
    data = table_of_numbers(kinds)
    found = compare_methods({"table": data}, ["greedy", "exact"], scores=score, seeds=2, seed=1)
    best = learn(data, method="exact", score=score).score
    assert [run.score for run in found.runs if run.method == "exact"] == pytest.approx([best] * 2)
    assert all(run.score <= best + 1e-9 for run in found.runs)
    if (kinds, score) == (MIXED, "dg"):
        with pytest.raises(ParameterError, match=r"folds cannot be used with dg and the mixed data of table: .* bic"):
            compare_methods({"table": data}, ["greedy", "k2"], scores=score, folds=2)
        return
    folded = compare_methods({"table": data}, ["greedy", "k2"], scores=score, folds=2, seed=1)
    assert all(run.held_out is not None and isfinite(run.held_out) for run in folded.runs)


@every_case
def test_selected_sets_are_the_best_of_all(kinds: str, score: str) -> None:
    data = table_of_numbers(kinds)
    local = LocalScore(data, score)
    found = select(local)
    assert all(found.complete)
    for child in data.names:
        others = [name for name in data.names if name != child]
        every = [local.local(child, some) for size in range(5) for some in combinations(others, size)]
        sets = found.sets.sets(child)
        assert sets[0][0] == pytest.approx(max(every))
        assert all(isfinite(score) for score, _ in sets)


@every_case
def test_bounds_are_those_of_exact_search(kinds: str, score: str) -> None:
    data = table_of_numbers(kinds, seed=4)
    best = learn(data, method="exact", score=score)
    assert best.status is Status.OPTIMAL
    proven = learn(data, method="k2", score=score, seed=1, certify=5.0)
    assert proven.bound == pytest.approx(best.score)
    assert proven.score <= best.score + 1e-9


@every_case
def test_gains_are_differences_of_scores(kinds: str, score: str) -> None:
    data = table_of_numbers(kinds)
    dag = Dag(data.names, [("X1", "X0"), ("X3", "X0"), ("X2", "X0"), ("X1", "X4")])
    local = LocalScore(data, score)
    for (parent, child), gain in arc_gains(dag, data, score).items():
        without = Dag(data.names, [arc for arc in dag.arcs if arc != (parent, child)])
        assert gain == pytest.approx(local.total(dag) - local.total(without))


@pytest.mark.parametrize(
    ("kinds", "score"), [*CASES, (CONTINUOUS, "dg"), (CONTINUOUS, "ebic"), (MIXED, "aic"), (MIXED, "ebic")]
)
def test_scores_keep_what_they_promise(kinds: str, score: str) -> None:
    assert check_score(score, table_of_numbers(kinds), seed=1) == ()


@pytest.mark.parametrize("score", ["bic", "bge"])
def test_v_structures_of_numbers_are_uncovered(score: str) -> None:
    data = trial().select(["dose", "noise"])
    both = data.numbers_of("dose") + data.numbers_of("noise") + 0.3 * np.random.default_rng(3).normal(size=data.n_rows)
    table = Dataset.of({"dose": data.numbers_of("dose"), "noise": data.numbers_of("noise"), "both": both})
    wrong = Dag(table.names, [("both", "dose"), ("both", "noise"), ("dose", "noise")])
    cleaned = uncover_v_structures(LocalScore(table, score), wrong)
    assert set(cleaned.arcs) == {("dose", "both"), ("noise", "both")}


def test_v_structures_of_mixed_data_are_uncovered_only_where_they_are_better() -> None:
    data = trial()
    local = LocalScore(data)
    covered = Dag(data.names, [("drug", "reading"), ("dose", "reading"), ("drug", "dose"), ("reading", "copy")])
    cleaned = uncover_v_structures(local, covered)
    assert set(cleaned.arcs) == {("drug", "reading"), ("dose", "reading"), ("reading", "copy")}
    assert local.total(cleaned) > local.total(covered)
    # A state that decides about two numbers, of which one decides about the other, is not a v-structure.
    rng = np.random.default_rng(4)
    sex = rng.integers(2, size=300)
    height = 2.0 * sex + rng.normal(size=300)
    table = Dataset.of(
        {"weight": height + 2 * sex + rng.normal(size=300), "sex": np.array(["f", "m"])[sex], "height": height}
    )
    triangle = Dag(table.names, [("sex", "height"), ("sex", "weight"), ("height", "weight")])
    for even_if_worse in (False, True):
        assert uncover_v_structures(LocalScore(table), triangle, even_if_worse=even_if_worse) == triangle


@every_case
def test_clean_up_keeps_to_the_rules(kinds: str, score: str) -> None:
    data = table_of_numbers(kinds, seed=2)
    constraints = Constraints(required=[("X1", "X0")])
    result = learn(data, method="greedy", score=score, constraints=constraints, clean_up=True, seed=1)
    assert constraints.violations(result.dag) == ()
    assert result.score == pytest.approx(LocalScore(data, score).total(result.dag))
