"""Arcs at variables that have one value in all rows: what they gain, and that no search adds them."""

from math import isclose
from pathlib import Path

import numpy as np
import pytest

import oracles
from arcwise import (
    BDeu,
    BDs,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    chow_liu,
    exact,
    ges,
    inclusion_boundary,
    learn,
    read_constraints,
    read_run,
    select,
    write_run,
)
from arcwise.scores.constants import constants, rules_for
from arcwise.search.registry import SEARCHES
from oracles_graph import all_dags
from score_cases import COUNTED
from short_searches import SHORT

every_method = pytest.mark.parametrize("method", list(SEARCHES))


def skewed(n_rows: int = 200, seed: int = 0) -> Dataset:
    """Two columns that nearly never vary and nearly agree, two that do, and two that have one of their states only."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, 5), dtype=np.uint8)
    codes[:, 0] = rng.random(n_rows) < 0.02
    codes[:, 1] = codes[:, 0] ^ (rng.random(n_rows) < 0.02)
    codes[:, 2] = rng.integers(0, 3, n_rows)
    codes[:, 4] = 1
    return Dataset.from_codes(codes, names=["a", "b", "c", "one", "other"], arities=[2, 2, 3, 3, 2])


def at_constants(dag: Dag) -> list[tuple[str, str]]:
    return [arc for arc in dag.arcs if {"one", "other"} & set(arc)]


@pytest.mark.parametrize("ess", [1.0, 10.0])
def test_a_constant_parent_divides_the_equivalent_sample_size(ess: float) -> None:
    data = skewed()
    by_whole, by_third = LocalScore(data, BDeu(ess)), LocalScore(data, BDeu(ess / 3))
    for child, parents in (("b", ["a"]), ("a", []), ("c", ["a", "b"])):
        assert by_whole.local(child, [*parents, "one"]) == pytest.approx(by_third.local(child, parents), rel=1e-12)
    rows = data.codes.tolist()
    counts = {state: sum(row[0] == state for row in rows) for state in (0, 1)}
    expected = oracles.dirichlet(counts, ess / 6, ess / 3)
    assert by_whole.local("a", ["one"]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", COUNTED)
def test_who_gains_by_constants(name: str) -> None:
    """What a score says of itself holds on tables in which constants have more states than they show, or one."""
    most = -np.inf
    for seed in range(5):
        data = skewed(seed=seed)
        declared = data.arities if seed % 2 else [2, 2, 3, 1, 1]
        score = LocalScore(Dataset.from_codes(data.codes % declared, arities=declared), COUNTED[name]())
        for constant in (3, 4):
            others = [v for v in range(5) if v != constant]
            for v in others:
                most = max(most, score.local(v, [constant]) - score.local(v))
                most = max(most, score.local(constant, [v]) - score.local(constant))
                for parent in set(others) - {v}:
                    most = max(most, score.local(v, [parent, constant]) - score.local(v, [parent]))
                    most = max(most, score.local(constant, [parent, v]) - score.local(constant, [parent]))
    assert (most > 1e-3) == COUNTED[name].gains_by_constants
    assert most > 1e-3 or most <= score.rounding


@pytest.mark.parametrize("score", [BDeu(10), BDs(10)], ids=str)
@every_method
def test_no_search_adds_them(method: str, score: BDeu | BDs) -> None:
    if SEARCHES[method].needs_equivalence and not score.is_equivalent:
        return
    result = learn(skewed(), score=score, method=SHORT[method], seed=1, evaluation_limit=20_000)
    assert not at_constants(result.dag)
    assert isclose(result.score, LocalScore(skewed(), score).total(result.dag), rel_tol=1e-9)


def test_exact_search_is_best_among_graphs_without_them_or_among_all() -> None:
    score = LocalScore(skewed(), BDeu(10))
    names = score.names
    graphs = [Dag(names, [(names[a], names[b]) for a, b in arcs]) for arcs in all_dags(5)]
    totals = [(score.total(graph), graph) for graph in graphs]
    best = max(total for total, graph in totals if not at_constants(graph))
    found = exact(score)
    assert found.score == pytest.approx(best, rel=1e-12)
    assert str(found.status) == "optimal"
    of_all = max(total for total, _ in totals)
    assert of_all > best + 1
    joined = exact(score, constraints=Constraints(join_constants=True))
    assert joined.score == pytest.approx(of_all, rel=1e-12)
    assert at_constants(joined.dag)


@pytest.mark.parametrize("method", ["balanced", "sequential", "greedy", "independence", "exhaustive"])
def test_tables_of_parent_sets_have_none(method: str) -> None:
    sets = select(LocalScore(skewed(), BDeu(10)), method=method).sets
    for name in sets.names:
        for _, parents in sets.sets(name):
            assert not {"one", "other"} & set(parents)
            assert name not in ("one", "other") or not parents


def test_classes_are_searched_as_if_they_were_not_there() -> None:
    data = skewed(2000)
    varying = data.select(["a", "b", "c"])
    whole, without = LocalScore(data, BDeu(10)), LocalScore(varying, BDeu(10))
    found, expected = ges(whole, seed=1), ges(without, seed=1)
    assert set(found.dag.arcs) == set(expected.dag.arcs)
    assert found.score == pytest.approx(expected.score + whole.local("one") + whole.local("other"), rel=1e-12)
    # The gains of the classes next to the end say that it is one, by the same rules.
    assert max(one.gain for one in inclusion_boundary(whole, found.dag)) <= whole.rounding


@every_method
def test_required_arcs_and_those_of_the_start_may_be_there(method: str) -> None:
    data, score = skewed(), BDeu(10)
    required = Constraints(required=[("one", "a")])
    assert at_constants(learn(data, score=score, method=SHORT[method], constraints=required, seed=1).dag) == [
        ("one", "a")
    ]
    start = Dag(data.names, [("one", "other")])
    result = learn(data, score=score, method=SHORT[method], start=start, seed=1)
    assert set(at_constants(result.dag)) <= {("one", "other"), ("other", "one")}
    local = LocalScore(data, score)
    if method != "k2":  # which takes but the order of its start
        assert result.score >= local.total(start) - local.rounding


def test_rows_that_do_not_count_vary_nothing() -> None:
    rows = [[0, 0], [1, 0], [1, 1]]
    assert constants(Dataset.from_codes(rows, weights=[0, 2, 1])).tolist() == [True, False]
    assert constants(Dataset.from_codes(rows)).tolist() == [False, False]
    data = Dataset.from_codes(rows, weights=[0, 2, 1])
    assert not rules_for(LocalScore(data, "bdeu"), Constraints()).allowed_matrix().any()
    assert rules_for(LocalScore(data, "bic"), Constraints()).allows_all


def test_best_forests_keep_pairs_apart() -> None:
    score = LocalScore(skewed(500), BDeu(10))
    names = score.names
    for apart, constraints in (
        ([], Constraints()),
        ([("a", "b"), ("b", "a")], Constraints(forbidden=[("a", "b"), ("b", "a")], join_constants=True)),
    ):
        totals = []
        for arcs in all_dags(5):
            dag = Dag(names, [(names[tail], names[head]) for tail, head in arcs])
            is_forest = all(len(dag.parents(name)) <= 1 for name in names)
            is_allowed = not set(apart) & set(dag.arcs) if apart else not at_constants(dag)
            if is_forest and is_allowed:
                totals.append(score.total(dag))
        assert chow_liu(score, constraints=constraints).score == pytest.approx(max(totals), rel=1e-12)


def test_what_was_asked_for_is_in_files(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text("join_constants = true")
    constraints = read_constraints(path)
    assert constraints == Constraints(join_constants=True) != Constraints()
    result = learn(skewed(), score=BDeu(10), constraints=constraints, seed=1)
    write_run(result, tmp_path / "run.json")
    assert read_run(tmp_path / "run.json").result.provenance.constraints == constraints
