"""Hill climbing that forbids arcs on its way, against a slow twin."""

import numpy as np
import pytest

from arcwise import BDeu, Constraints, Dag, Dataset, LocalScore, ParameterError, greedy, learn, load_example
from oracles_graph import Arcs, has_cycle
from oracles_restriction import constrained_climb
from tables import dependent_table


def arcs_of(dag: Dag) -> Arcs:
    return frozenset((parent, child) for child, row in enumerate(dag.parent_indices) for parent in row)


@pytest.mark.parametrize("seed", range(12))
def test_equals_the_slow_twin(seed: int) -> None:
    score = LocalScore(dependent_table(n_rows=100, arities=(2, 3, 2, 2, 3, 2, 2), seed=seed), "k2")  # without ties
    result = greedy(score, restriction="constrained", climbs=1, seed=seed)
    twin = constrained_climb(score.local, 7, frozenset())
    assert arcs_of(result.dag) == twin
    start = Dag(score.names, [(score.names[a], score.names[b]) for a in range(7) for b in range(a) if (a + b) % 3])
    result = greedy(score, restriction="constrained", climbs=1, start=start, seed=seed)
    assert arcs_of(result.dag) == constrained_climb(score.local, 7, arcs_of(start))


def test_it_is_a_restriction() -> None:
    """Some climbs end elsewhere than without it, at graphs that single changes of an arc still improve."""
    scores = [LocalScore(dependent_table(n_rows=100, arities=(2, 3) * 5, seed=seed), "k2") for seed in range(20)]
    free, constrained = (
        np.array([greedy(score, restriction=restriction, climbs=1, seed=1).score for score in scores])
        for restriction in (None, "constrained")
    )
    assert (free != constrained).any()
    lifted = np.array([greedy(score, restriction="two-phase", climbs=1, seed=1).score for score in scores])
    assert (lifted >= constrained - 1e-9).all()
    assert (lifted > constrained + 1e-6).any()


@pytest.mark.parametrize("moves", ["adr", "adrs", "a*ds*"])
@pytest.mark.parametrize("seed", range(4))
def test_two_phases_end_in_a_local_optimum(moves: str, seed: int) -> None:
    score = LocalScore(dependent_table(n_rows=80, arities=(2, 3, 2, 2, 3, 2), seed=seed), BDeu(1))
    result = greedy(score, moves=moves, restriction="two-phase", climbs=1, random_start=True, seed=seed)
    again = greedy(score, moves=moves, climbs=1, start=result.dag, seed=seed)
    assert again.dag == result.dag
    arcs, pairs = arcs_of(result.dag), [(a, b) for a in range(6) for b in range(6) if a != b]
    changed = [arcs ^ {pair} for pair in pairs] + [(arcs - {(a, b)}) | {(b, a)} for a, b in arcs]
    for graph in changed:
        if not has_cycle(6, graph):
            dag = Dag.from_parents(score.names, [[a for a, b in graph if b == child] for child in range(6)])
            assert score.total(dag) <= result.score + 1e-6


def test_fewer_scores_are_counted() -> None:
    data = load_example("alarm").sample(1000, seed=1)
    counted = {
        restriction: greedy(LocalScore(data), restriction=restriction, climbs=1, seed=1).counters["evaluations"]
        for restriction in (None, "constrained", "two-phase")
    }
    assert 2 * counted["constrained"] < counted[None]
    assert counted["constrained"] < counted["two-phase"]


@pytest.mark.parametrize("moves", ["adr", "adrs", "a*ds*"])
@pytest.mark.parametrize("restriction", ["constrained", "two-phase"])
def test_constraints_and_seeds_hold(moves: str, restriction: str) -> None:
    data = dependent_table(arities=(2, 3) * 5)
    names = data.names
    rules = Constraints(required=[(names[0], names[5])], forbidden=[(names[1], names[2])], max_parents=2, max_degree=4)
    first, second = (
        learn(data, method="greedy", moves=moves, restriction=restriction, constraints=rules, seed=3, workers=workers)
        for workers in (1, 3)
    )
    assert rules.satisfied_by(first.dag)
    assert first.dag == second.dag
    cut = learn(data, method="greedy", moves=moves, restriction=restriction, constraints=rules, evaluation_limit=60)
    assert rules.satisfied_by(cut.dag)


def test_an_independent_pair_is_never_joined() -> None:
    """X and Y are independent, and joined by Z: once their arc has lost, it does not come back."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(2, size=(2, 500))
    data = Dataset.from_codes(np.column_stack([x, y, x + y]), names=["x", "y", "z"])
    result = greedy(LocalScore(data), restriction="constrained", seed=1)
    assert not result.dag.has_arc("x", "y")
    assert not result.dag.has_arc("y", "x")


def test_other_words_are_refused() -> None:
    with pytest.raises(ParameterError, match="restriction must be one of constrained, two-phase"):
        greedy(LocalScore(dependent_table()), restriction="constraint")
