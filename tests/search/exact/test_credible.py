"""All networks within a Bayes factor of the best, against all graphs of a few nodes."""

from math import log

import pytest

import oracles_exact as oracle
from arcwise import Budget, Constraints, LocalScore, ParameterError, Status, credible_networks, load_example
from oracles_graph import Arcs
from tables import dependent_table


def classes_within(expected: dict[tuple[Arcs, ...], float], factor: float) -> set[tuple[Arcs, ...]]:
    best = max(expected.values())
    return {members for members, score in expected.items() if score >= best - log(factor)}


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("factor", [1, 5, 500])
def test_they_are_all_classes_within_the_factor(score: str, factor: float) -> None:
    local = LocalScore(dependent_table(60, (2, 3, 2, 3)), score)
    a, b, c, d = local.names
    for constraints in (
        Constraints(),
        Constraints(required=[(c, a)], forbidden=[(b, d)], max_parents=2),
        Constraints(tiers=[[d], [a, b]]),
    ):
        expected = oracle.class_scores(4, local.local, local.names, constraints)
        wanted = classes_within(expected, factor)
        found = credible_networks(local, factor, constraints=constraints)
        assert found.status == Status.OPTIMAL
        met = set()
        for network in found.networks:
            arcs = frozenset((tail, head) for head, row in enumerate(network.dag.parent_indices) for tail in row)
            (members,) = [members for members in expected if arcs in members]
            assert network.score == pytest.approx(expected[members])
            met.add(members)
        assert met == wanted
        assert len(found.networks) == len(met)


def test_more_than_16_variables_and_any_number_of_workers() -> None:
    """The best of all is the first; each network is within the factor, and of a class of its own."""
    local = LocalScore(dependent_table(800, (2,) * 17, 3), "bdeu")
    one, other = (credible_networks(local, 60, workers=workers) for workers in (1, 2))
    assert one.networks == other.networks
    assert len({network.cpdag for network in one.networks}) == len(one.networks) > 1
    assert all(network.score >= one.networks[0].score - log(60) - 1e-9 for network in one.networks)
    assert sum(one.weights) == pytest.approx(1)


def test_limits() -> None:
    local = LocalScore(load_example("asia").sample(100, seed=1), "bdeu")
    assert credible_networks(local, 1000, most=10).status == Status.SET_LIMIT
    assert credible_networks(local, 1000, most=10).networks == ()
    assert credible_networks(local, budget=Budget(time_limit=0)).status == Status.TIME_LIMIT
    with pytest.raises(ParameterError, match="bayes_factor must be at least 1"):
        credible_networks(local, 0.5)
    with pytest.raises(ParameterError, match="at most 24 variables, not 25"):
        credible_networks(LocalScore(dependent_table(20, (2,) * 25)))
    with pytest.raises(ParameterError, match="more than memory allows"):
        credible_networks(local, memory=1000)
