"""Swaps and broken cycles, tabu search and look-ahead, against brute force over neighbours."""

from collections.abc import Callable

import numpy as np
import pytest

from arcwise import BDeu, Constraints, Dag, Dataset, LocalScore, ParameterError, Result, load_example
from arcwise.search.climbs import kicked_graph, random_graph
from arcwise.search.dags import greedy, look_ahead, tabu, uncover_v_structures
from oracles_graph import has_cycle
from tables import dependent_table

Arcs = frozenset[tuple[int, int]]


def arcs_of(dag: Dag) -> Arcs:
    return frozenset((parent, child) for child, row in enumerate(dag.parent_indices) for parent in row)


def neighbours(arcs: Arcs, n: int, *, swaps: bool) -> set[Arcs]:
    """All acyclic graphs one addition, deletion, reversal or swap away, by definition."""
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    changed = {arcs ^ {pair} for pair in pairs} | {(arcs - {(a, b)}) | {(b, a)} for a, b in arcs}
    if swaps:
        changed |= {(arcs - {(a, b)}) | {(c, b)} for a, b in arcs for c in range(n) if c != b and (c, b) not in arcs}
    return {graph for graph in changed if not has_cycle(n, graph)}


def total(score: LocalScore, arcs: Arcs) -> float:
    return sum(score.local(child, sorted(a for a, b in arcs if b == child)) for child in range(score.data.n_variables))


@pytest.mark.parametrize("moves", ["adrs", "a*ds*"])
@pytest.mark.parametrize("random_start", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_swap_improves_the_result(moves: str, random_start: bool, seed: int) -> None:
    score = LocalScore(dependent_table(n_rows=80, arities=(2, 3, 2, 2, 3, 2), seed=seed), BDeu(1))
    result = greedy(score, moves=moves, climbs=1, random_start=random_start, seed=seed)
    best = max(total(score, graph) for graph in neighbours(arcs_of(result.dag), 6, swaps=True))
    assert best <= result.score + 1e-6


@pytest.mark.parametrize("moves", ["adr", "adrs", "a*ds*"])
@pytest.mark.parametrize("random_start", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_move_within_a_limit_on_adjacent_nodes_improves_the_result(
    moves: str, random_start: bool, seed: int
) -> None:
    score = LocalScore(dependent_table(n_rows=80, arities=(2, 3, 2, 2, 3, 2), seed=seed), BDeu(1))
    limits = Constraints(max_degree=2)
    result = greedy(score, moves=moves, climbs=1, random_start=random_start, constraints=limits, seed=seed)
    around = neighbours(arcs_of(result.dag), 6, swaps=moves != "adr")
    kept = [graph for graph in around if limits.satisfied_by(Dag(score.data.names, _named(graph, score.data.names)))]
    assert limits.satisfied_by(result.dag)
    assert len(kept) < len(around)
    assert max(total(score, graph) for graph in kept) <= result.score + 1e-6


def _named(arcs: Arcs, names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(names[a], names[b]) for a, b in arcs]


def test_more_moves_find_better_graphs_on_alarm() -> None:  # the order that Tables 2 and 5 of the paper have
    score = LocalScore(load_example("alarm").sample(500, seed=3), BDeu(1))
    constraints = Constraints(max_parents=5)
    plain = [greedy(score, moves="adr", climbs=1, constraints=constraints, seed=seed).score for seed in range(8)]
    swapping = [greedy(score, moves="adrs", climbs=1, constraints=constraints, seed=seed) for seed in range(8)]
    breaking = [greedy(score, moves="a*ds*", climbs=1, constraints=constraints, seed=seed) for seed in range(8)]
    assert np.mean([result.score for result in breaking]) > np.mean([result.score for result in swapping])
    assert np.mean([result.score for result in breaking]) > np.mean(plain)
    assert sum(result.counters["swaps"] for result in swapping) > 0
    assert sum(result.counters["longer_additions"] + result.counters["longer_swaps"] for result in breaking) > 0
    assert all(constraints.violations(result.dag) == () for result in breaking)
    assert all("longest_chain" not in result.counters for result in swapping)


def test_the_longest_chain_of_climbs_is_the_longest_of_any() -> None:
    score = LocalScore(load_example("alarm").sample(500, seed=3), BDeu(1))
    options = {"moves": "a*ds*", "random_start": True, "constraints": Constraints(max_parents=5)}
    first = [greedy(score, climbs=climbs, seed=1, **options).counters["longest_chain"] for climbs in range(1, 8)]
    assert first == sorted(first)
    assert 2 <= first[-1] <= 10  # the paper found 5 at most (footnote 11)


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("moves", ["adr", "adrs", "a*ds*"])
def test_workers_do_not_change_the_result(moves: str, workers: int) -> None:
    data = dependent_table(arities=(2, 3) * 5)
    alone = greedy(LocalScore(data), moves=moves, climbs=6, seed=2, workers=1)
    assert greedy(LocalScore(data), moves=moves, climbs=6, seed=2, workers=workers).dag == alone.dag


@pytest.mark.parametrize("search", [tabu, look_ahead])
def test_tabu_and_look_ahead_continue_from_a_local_optimum(search: Callable[..., Result]) -> None:
    for seed in range(4):
        score = LocalScore(dependent_table(n_rows=60, arities=(2, 3, 2, 2, 3, 2, 2), seed=seed), BDeu(1))
        optimum = greedy(score, climbs=1, seed=seed)
        result = search(score, start=optimum.dag, climbs=1, seed=seed)
        assert result.score >= optimum.score - 1e-9
        best = max(total(score, graph) for graph in neighbours(arcs_of(result.dag), 7, swaps=False))
        assert best <= result.score + 1e-6


def test_climbs_after_kicks_are_no_worse_than_one() -> None:
    score = LocalScore(load_example("alarm").sample(500, seed=3), BDeu(1))
    one = greedy(score, climbs=1, seed=4)
    many = greedy(score, climbs=8, kick=10, seed=4)
    assert many.score >= one.score


@pytest.mark.parametrize("seed", range(5))
def test_random_graphs_keep_the_rules(seed: int) -> None:
    names = [f"v{v}" for v in range(12)]
    constraints = Constraints(
        required=[("v0", "v5")], forbidden=[("v1", "v2")], tiers=[names[:6], names[6:]], max_parents=2, max_degree=3
    )
    rules, rng = constraints.resolve(names), np.random.default_rng(seed)
    required = [[0] if v == 5 else [] for v in range(12)]
    graph = random_graph(required, rules, rng)
    assert constraints.violations(Dag.from_parents(names, graph)) == ()
    assert 6 <= sum(map(len, graph)) <= 18
    changed = kicked_graph(graph, 5, rules, rng)
    assert constraints.violations(Dag.from_parents(names, changed)) == ()
    assert changed != graph


def test_clean_up_finds_the_v_structure_and_keeps_what_is_right() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(3, size=(2, 4000))
    z = np.where(rng.random(4000) < 0.8, np.maximum(x, y), rng.integers(3, size=4000))
    data = Dataset.from_codes(np.column_stack([x, y, z]), names=["x", "y", "z"])
    wrong = Dag(data.names, [("z", "x"), ("z", "y"), ("x", "y")])
    score = LocalScore(data, BDeu(1))
    cleaned = uncover_v_structures(score, wrong)
    assert set(cleaned.arcs) == {("x", "z"), ("y", "z")}
    assert uncover_v_structures(score, cleaned) == cleaned
    kept = uncover_v_structures(score, wrong, constraints=Constraints(required=[("x", "y")]))
    assert kept.has_arc("x", "y")


def test_clean_up_looks_at_the_whole_graph_unless_told_not_to() -> None:
    """X and Y are independent without W: on X, Y and Z alone the v-structure is best; the whole graph needs X -> Y."""
    rng = np.random.default_rng(3)
    w, x = rng.integers(2, size=(2, 3000))
    y = np.where(rng.random(3000) < 0.9, w ^ x, w)
    z = np.where(rng.random(3000) < 0.9, 2 * x + y, rng.integers(4, size=3000))
    data = Dataset.from_codes(np.column_stack([w, x, y, z]), names=["w", "x", "y", "z"])
    truth = Dag(data.names, [("w", "y"), ("x", "y"), ("x", "z"), ("y", "z")])
    score = LocalScore(data)
    assert uncover_v_structures(score, truth) == truth
    worse = uncover_v_structures(score, truth, even_if_worse=True)
    assert set(worse.arcs) == {("w", "y"), ("x", "z"), ("y", "z")}
    assert score.total(worse) < score.total(truth) - 100
    kept = uncover_v_structures(score, truth, even_if_worse=True, constraints=Constraints(required=[("x", "y")]))
    assert kept == truth
    with pytest.raises(ParameterError, match="even_if_worse must be True or False"):
        uncover_v_structures(score, truth, even_if_worse=1)  # type: ignore[arg-type]


def test_clean_up_leaves_true_triangles() -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(2, size=3000)
    y = np.where(rng.random(3000) < 0.7, x, 1 - x)
    z = np.where(rng.random(3000) < 0.9, x & y, rng.integers(2, size=3000))
    data = Dataset.from_codes(np.column_stack([x, y, z]), names=["x", "y", "z"])
    triangle = Dag(data.names, [("x", "y"), ("x", "z"), ("y", "z")])
    assert uncover_v_structures(LocalScore(data), triangle) == triangle


def test_bad_arguments_are_refused() -> None:
    score = LocalScore(dependent_table())
    with pytest.raises(ParameterError, match="moves must be one of adr, adrs"):
        greedy(score, moves="add")
    with pytest.raises(ParameterError, match="climbs must be at least 1"):
        greedy(score, climbs=0)
    with pytest.raises(ParameterError, match="choose one of them"):
        greedy(score, random_start=True, kick=3)
    with pytest.raises(ParameterError, match="patience must be at least 1"):
        tabu(score, patience=0)
    with pytest.raises(ParameterError, match="directions must be at least 1"):
        look_ahead(score, directions=0)
    with pytest.raises(ParameterError, match="steps must be at most 1000"):
        look_ahead(score, steps=100_000, directions=1)
