"""The best networks of different equivalence classes, against all graphs of a few nodes."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_exact as oracle
from arcwise import BDeu, Budget, Constraints, LocalScore, Scope, Status, select
from arcwise.search.exact import BestNetworks, best_networks, exact
from arcwise.support.errors import ParameterError
from oracles_climbs import lists_of
from oracles_graph import Arcs
from parent_set_strategies import Lists, random_table, set_lists
from tables import dependent_table


def check(found: BestNetworks, expected: dict[tuple[Arcs, ...], float], k: int) -> None:
    """The networks are of different classes, each its best, and these are the best classes."""
    ranked = sorted(expected.values(), reverse=True)
    assert found.status == Status.OPTIMAL
    assert [network.score for network in found.networks] == pytest.approx(ranked[:k], rel=1e-9)
    assert len({network.cpdag for network in found.networks}) == min(k, len(ranked))
    for network in found.networks:
        arcs = frozenset((tail, head) for head, row in enumerate(network.dag.parent_indices) for tail in row)
        (score,) = [score for members, score in expected.items() if arcs in members]
        assert network.score == pytest.approx(score, rel=1e-9)
    assert pickle.loads(pickle.dumps(found)) == found


@settings(max_examples=60, deadline=None)
@given(set_lists(most=4), st.integers(1, 60), st.integers(1, 3))
def test_they_are_the_best_classes_of_a_table(drawn: Lists, k: int, workers: int) -> None:
    table = drawn.table
    expected = oracle.class_scores(table.n_variables, oracle.local_of(lists_of(table)))
    if not expected:
        with pytest.raises(ParameterError, match="no graph without cycles gives every variable one of its parent sets"):
            best_networks(table, k, workers=workers)
        return
    found = best_networks(table, k, workers=workers)
    check(found, expected, k)
    assert found.proven_for == Scope.CANDIDATE_SETS


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("n", [4, 5])
def test_they_are_the_best_classes_of_all_on_data(score: str, n: int) -> None:
    local = LocalScore(dependent_table(n_rows=60, arities=(2, 3, 2, 3, 2)[:n]), score)
    names = local.data.names
    for constraints in (
        Constraints(),
        Constraints(required=[(names[2], names[0])], forbidden=[(names[1], names[3])], max_parents=2),
        Constraints(tiers=[[names[3]], [names[0], names[1]]]),
    ):
        expected = oracle.class_scores(n, local.local, names, constraints)
        found = best_networks(local, 25, constraints=constraints)
        check(found, expected, 25)
        assert found.proven_for == Scope.ALL_SETS
        assert all(constraints.satisfied_by(network.dag) for network in found.networks)


def test_there_are_185_classes_of_four_variables() -> None:
    # Gillispie & Perlman 2001 counted 1, 2, 11, 185, 8782 classes of 1, 2, … variables.
    for n, expected in ((1, 1), (2, 2), (3, 11), (4, 185)):
        found = best_networks(LocalScore(dependent_table(arities=(2,) * n)), 1000)
        assert len({network.cpdag for network in found.networks}) == len(found.networks) == expected
        assert sum(found.weights) == pytest.approx(1)


def test_the_first_is_the_optimum_and_scores_fall() -> None:
    local = LocalScore(dependent_table(n_rows=500, arities=(2, 3) * 4), BDeu(10))
    found = best_networks(local, 50)
    scores = [network.score for network in found.networks]
    assert scores[0] == pytest.approx(exact(local).score, rel=1e-12)
    assert scores == sorted(scores, reverse=True)
    assert [local.total(network.dag) for network in found.networks] == pytest.approx(scores, rel=1e-12)
    # A table without the sets that a subset beats has the optimum, but not all that come next.
    pruned = best_networks(select(local, method="exhaustive").sets, 50)
    assert pruned.networks[0].score == pytest.approx(scores[0], rel=1e-12)
    assert all(a.score <= b + 1e-9 for a, b in zip(pruned.networks, scores, strict=True))


def test_workers_do_not_change_the_answer() -> None:
    table = random_table(9, 30, 3)
    alone = best_networks(table, 40, workers=1)
    assert best_networks(table, 40, workers=3).networks == alone.networks


def test_an_ended_budget_gives_no_network() -> None:
    local = LocalScore(dependent_table())
    for source in (local, select(local, method="exhaustive").sets):
        found = best_networks(source, 3, budget=Budget(time_limit=0))
        assert (found.networks, found.status, found.weights) == ((), Status.TIME_LIMIT, ())
    limited = best_networks(LocalScore(dependent_table(seed=1)), 3, budget=Budget(evaluation_limit=20))
    assert limited.status == Status.EVALUATION_LIMIT


def test_wrong_arguments_are_refused() -> None:
    table = random_table(4, 3, 1)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"k": 0}, "k must be at least 1"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"k": 10**9}, "the 1,000,000,000 best networks of 4 variables may take .* bytes, more than memory allows"),
        ({"constraints": 5}, "constraints must be a Constraints"),
    ]
    for options, message in wrong:
        with pytest.raises(ParameterError, match=message):
            best_networks(table, **options)
    with pytest.raises(ParameterError, match="at most 16 variables, not 17"):
        best_networks(random_table(17, 3, 1))
    with pytest.raises(ParameterError, match="source must be a LocalScore or a ParentSets"):
        best_networks(np.zeros(3))  # type: ignore[arg-type]
