"""Greedy hill climbing against brute force over small graphs."""

from math import inf

import numpy as np
import pytest

from arcwise import Constraints, Dag, Dataset, LocalScore, ParameterError, Status, greedy
from oracles import local_score
from oracles_graph import all_dags, has_cycle
from tables import dependent_table

Arcs = frozenset[tuple[int, int]]


def total(data: Dataset, arcs: Arcs, score: str = "bic") -> float:
    """The score of a graph by definition."""
    rows = [tuple(map(int, row)) for row in data.codes]
    return sum(
        local_score(score, rows, data.arities, child, sorted(a for a, b in arcs if b == child))
        for child in range(data.n_variables)
    )


def arcs_of(dag: Dag) -> Arcs:
    return frozenset((parent, child) for child, row in enumerate(dag.parent_indices) for parent in row)


def neighbours(arcs: Arcs, n: int) -> set[Arcs]:
    """All acyclic graphs one addition, deletion or reversal away, by definition."""
    changed = {arcs ^ {(a, b)} for a in range(n) for b in range(n) if a != b}
    changed |= {(arcs - {(a, b)}) | {(b, a)} for a, b in arcs}
    return {graph for graph in changed if not has_cycle(n, graph)}


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("seed", range(3))
def test_no_neighbour_is_better(score: str, seed: int) -> None:
    data = dependent_table(n_rows=120, seed=seed)
    result = greedy(LocalScore(data, score), seed=seed, climbs=1)
    found = total(data, arcs_of(result.dag), score)
    assert result.score == pytest.approx(found)
    best = max(total(data, graph, score) for graph in neighbours(arcs_of(result.dag), data.n_variables))
    assert best <= found + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_never_above_the_optimum_and_often_there(seed: int) -> None:
    data = dependent_table(n_rows=150, arities=(2, 3, 2, 2), seed=seed)
    optimum = max(total(data, frozenset(arcs)) for arcs in all_dags(4))
    scores = [greedy(LocalScore(data), seed=s, climbs=1).score for s in range(20)]
    assert max(scores) <= optimum + 1e-6
    assert max(scores) == pytest.approx(optimum)  # four variables have few local optima


def test_a_chain_is_recovered_up_to_its_class() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(2, size=3000)]
    for _ in range(3):
        columns.append(np.where(rng.random(3000) < 0.1, 1 - columns[-1], columns[-1]))
    data = Dataset.from_codes(np.column_stack(columns).astype(np.uint8), names=["a", "b", "c", "d"])
    chain = Dag(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])
    for seed in range(10):
        assert greedy(LocalScore(data), seed=seed, climbs=1).cpdag == chain.cpdag()


def test_ties_are_broken_at_random() -> None:
    codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]] * 20, dtype=np.uint8)
    data = Dataset.from_codes(codes, names=["a", "b"])
    arcs = {greedy(LocalScore(data), seed=seed, climbs=1).dag.arcs for seed in range(20)}
    assert arcs == {(("a", "b"),), (("b", "a"),)}


def test_more_climbs_never_end_lower() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    scores = [greedy(LocalScore(data), seed=7, climbs=climbs).score for climbs in (1, 2, 5, 20)]
    assert scores == sorted(scores)


def test_counters_add_up() -> None:
    data = dependent_table()
    score = LocalScore(data)
    result = greedy(score, seed=0, climbs=1)
    moves = result.counters
    assert result.dag.n_arcs == moves["additions"] - moves["deletions"]
    assert len(result.trace) == 1 + moves["additions"] + moves["deletions"] + moves["reversals"]
    assert moves["evaluations"] == score.evaluations
    assert result.status is Status.LOCAL_OPTIMUM
    assert result.gap is None
    assert result.trace[0].score > -inf


def test_a_required_arc_is_part_of_the_start() -> None:
    data = dependent_table()
    a, *_, e = data.names
    result = greedy(LocalScore(data), constraints=Constraints(required=[(e, a)]), seed=0)
    assert result.dag.has_arc(e, a)


def test_bad_climbs_are_refused() -> None:
    with pytest.raises(ParameterError, match="climbs must be at least 1"):
        greedy(LocalScore(dependent_table()), climbs=0)
