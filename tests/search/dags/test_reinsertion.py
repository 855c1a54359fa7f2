"""Optimal reinsertion against brute force over all parents and children of each node."""

import numpy as np
import pytest

from arcwise import (
    BDeu,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    Reinsertion,
    greedy,
    load_example,
    reinsertion,
)
from arcwise.search.climbs import random_graph
from oracles_graph import Arcs
from oracles_reinsertion import reinsertions, single_changes
from tables import dependent_table


def arcs_of(dag: Dag) -> Arcs:
    return frozenset((parent, child) for child, row in enumerate(dag.parent_indices) for parent in row)


def total(score: LocalScore, arcs: Arcs) -> float:
    return sum(score.local(child, sorted(a for a, b in arcs if b == child)) for child in range(score.data.n_variables))


@pytest.mark.parametrize("set_size", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_no_reinsertion_and_no_change_of_an_arc_improves_the_result(set_size: int, seed: int) -> None:
    score = LocalScore(dependent_table(n_rows=60, arities=(2, 3, 2, 2, 3), seed=seed), BDeu(1))
    result = reinsertion(score, set_size=set_size, climbs=1, random_start=seed % 2 == 1, seed=seed)
    arcs = arcs_of(result.dag)
    for graph in (*reinsertions(arcs, 5, set_size), *single_changes(arcs, 5)):
        assert total(score, graph) <= result.score + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_of_the_graphs_that_are_allowed_no_reinsertion_is_better(seed: int) -> None:
    data = dependent_table(n_rows=60, arities=(2, 3, 2, 2, 3), seed=seed)
    names = data.names
    constraints = Constraints(
        required=[(names[4], names[1]), (names[2], names[3])], forbidden=[(names[0], names[2])], max_parents=2
    )
    score = LocalScore(data, "aic")
    result = reinsertion(score, constraints=constraints, climbs=1, seed=seed)
    assert constraints.violations(result.dag) == ()
    for graph in reinsertions(arcs_of(result.dag), 5, 2):
        dag = Dag(names, [(names[parent], names[child]) for parent, child in graph])
        if constraints.violations(dag) == ():
            assert total(score, graph) <= result.score + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_the_result_is_no_worse_than_the_start(seed: int) -> None:
    data = dependent_table(n_rows=60, arities=(2, 3) * 4, seed=seed)
    score, rules = LocalScore(data, BDeu(1)), Constraints().resolve(data.names)
    start = Dag.from_parents(data.names, random_graph([[]] * 8, rules, np.random.default_rng(seed)))
    result = reinsertion(score, start=start, set_size=1, candidates=1, climbs=1, seed=seed)
    assert result.score >= score.total(start)
    assert reinsertion(score, start=result.dag, climbs=1, seed=seed).score >= result.score


def test_it_leads_on_from_where_hill_climbing_ends() -> None:
    """A climb stays where no single arc helps; on samples of Alarm a node with all of its arcs mostly does."""
    score = LocalScore(load_example("alarm").sample(500, seed=3), BDeu(1))
    for seed in range(5):
        climbed = greedy(score, climbs=1, seed=seed)
        result = reinsertion(score, start=climbed.dag, climbs=1, seed=seed)
        assert result.score > climbed.score + 1
        assert result.counters["reinsertions"] > 0


def test_reinsertions_alone_find_a_v_structure_of_equal_parents() -> None:
    """Of an exclusive or, neither parent helps alone, so that no single arc is a gain; together they explain it."""
    codes = [[x, y, x ^ y] for x in (0, 1) for y in (0, 1)] * 30
    score = LocalScore(Dataset.from_codes(codes, names=["x", "y", "z"]))
    assert greedy(score, seed=1).dag.n_arcs == 0
    found = reinsertion(score, climbs=1, seed=1)
    assert found.dag.n_arcs == 2
    assert (found.counters["reinsertions"], found.counters["additions"]) == (1, 0)
    assert reinsertion(score, set_size=1, seed=1).dag.n_arcs == 0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="set_size must be at least 1"):
        Reinsertion(set_size=0)
    with pytest.raises(ParameterError, match="candidates must be at most 64, not 65"):
        Reinsertion(candidates=65)
    with pytest.raises(ParameterError, match="20 candidates have 137,979 sets of up to 7, and each"):
        Reinsertion(set_size=7)
    with pytest.raises(ParameterError, match="choose one of them"):
        Reinsertion(random_start=True, kick=3)
    assert Reinsertion(set_size=2**60, candidates=10).set_size == 2**60
