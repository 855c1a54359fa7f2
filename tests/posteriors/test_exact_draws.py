"""Graphs that are drawn from exact sums, against all graphs one after the other."""

import pickle
from collections import Counter

import numpy as np
import pytest

from arcwise import (
    Adjusted,
    ArcPosterior,
    Budget,
    Constraints,
    Dag,
    LocalScore,
    ParameterError,
    Prior,
    Status,
    load_example,
    posterior,
)
from arcwise.data.dataset import Dataset
from arcwise.posteriors.exact_draws import blankets_in, exact_draws
from arcwise.scores.definitions import Score
from arcwise.search.search import Problem
from interrupting import half_way, stepped_clock
from oracles_graph import Arcs, descendants
from oracles_posterior import Weights, blanket, posterior_of_graphs, probabilities
from posterior_checks import known
from tables import dependent_table, table_of_numbers

DRAWS = 20_000


def shares_of(found: ArcPosterior) -> dict[Arcs, float]:
    """How often each graph was drawn."""
    order = {name: at for at, name in enumerate(found.names)}
    counts = Counter(frozenset((order[a], order[b]) for a, b in dag.arcs) for dag in found.graphs)
    return {arcs: count / len(found.graphs) for arcs, count in counts.items()}


def check_shares(found: ArcPosterior, weights: Weights) -> None:
    """Each graph comes as often as its probability says, up to five deviations; and chi-squared of all is as usual."""
    expected = {frozenset(arcs): weight for arcs, weight in weights.items()}
    shares, n = shares_of(found), len(found.graphs)
    assert shares.keys() <= expected.keys()
    for arcs, weight in expected.items():
        assert abs(shares.get(arcs, 0.0) - weight) <= 5 * np.sqrt(weight * (1 - weight) / n) + 5 / n
    often = [arcs for arcs, weight in expected.items() if n * weight >= 5]
    squares = sum(n * (shares.get(arcs, 0.0) - expected[arcs]) ** 2 / expected[arcs] for arcs in often)
    assert squares <= len(often) + 5 * np.sqrt(2 * len(often)) + 5  # with as many degrees of freedom, at most


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_graphs_come_as_often_as_they_are_probable(prior: str, seed: int) -> None:
    data = dependent_table(30, (2, 3, 2, 2), seed)
    found = posterior(data, prior=prior, seed=seed, draws=DRAWS)
    weights = posterior_of_graphs(LocalScore(data, "bdeu"), by_orders=prior == "orders")
    assert (found.method, len(found.graphs)) == ("exact", DRAWS)
    check_shares(found, weights)
    near = 2.5 / np.sqrt(DRAWS)  # five standard errors
    np.testing.assert_allclose(known(found.blankets), probabilities(4, weights, blanket), atol=near)
    expected = sum(weight for arcs, weight in weights.items() if 3 in descendants(arcs, 0))
    assert found.probability(lambda dag: "X0" in dag.ancestors("X3")) == pytest.approx(expected, abs=near)


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_graphs_keep_to_the_constraints(prior: str) -> None:
    data = dependent_table(30, (2, 3, 2, 2), 1)
    a, b, c, d = data.names
    for constraints in (
        Constraints(required=[(c, a)], forbidden=[(b, d)], max_parents=2),
        Constraints(tiers=[[d], [a, b]]),
        Constraints(max_parents={a: 0, d: 1}),
    ):
        found = posterior(data, prior=prior, constraints=constraints, seed=2, draws=DRAWS)
        check_shares(found, posterior_of_graphs(LocalScore(data, "bdeu"), constraints, by_orders=prior == "orders"))


def test_other_kinds_of_data_and_of_scores() -> None:
    cases: list[tuple[Dataset, str | Score]] = [
        (table_of_numbers("cccc", 20), "bge"),
        (table_of_numbers("c2c3", 20), "bic"),
        (dependent_table(20, (2, 3, 2, 2)), Adjusted("bdeu", Prior(arcs={("X0", "X1"): 0.9}), least_gain=0.5)),
        (dependent_table(20, (2, 3, 2, 2)), Adjusted("bic", penalty_factor=2.0)),
    ]
    for data, score in cases:
        found = posterior(data, score, seed=1, draws=DRAWS)
        check_shares(found, posterior_of_graphs(LocalScore(data, score)))


def test_draws_of_many_variables_agree_with_the_sums() -> None:
    """Arcs of all pairs of 12 variables, each within five standard errors."""
    data = dependent_table(100, (2, 3) * 6, 1)
    found = posterior(data, seed=1, draws=4000)
    arcs = found.arcs.toarray()
    shares = np.zeros_like(arcs)
    for dag in found.graphs:
        for child, its in enumerate(dag.parent_indices):
            shares[list(its), child] += 1 / 4000
    assert (np.abs(shares - arcs) <= 5 * np.sqrt(arcs * (1 - arcs) / 4000) + 5 / 4000).all()


def test_the_same_seed_gives_the_same_graphs() -> None:
    data = dependent_table(100, (2, 3, 2, 2, 2), 1)
    one, other = (posterior(data, seed=5, workers=workers) for workers in (1, 3))
    assert list(one.graphs) == list(other.graphs) == list(pickle.loads(pickle.dumps(one)).graphs)
    assert len(one.graphs) == 1000
    assert list(one.graphs) != list(posterior(data, seed=6).graphs)
    assert isinstance(one.graphs[0], Dag)


def test_blankets_are_those_of_each_graph() -> None:
    """0 -> 2 <- 1 and 3: the two parents are in each other's blankets; and 0 -> 1 -> 2."""
    masks = np.array([[0, 0, 0b11, 0], [0, 0b1, 0b10, 0]], dtype=np.uint32)
    graphs = [{(0, 2), (1, 2)}, {(0, 1), (1, 2)}]
    expected = probabilities(4, {frozenset(arcs): 0.5 for arcs in graphs}, blanket)
    np.testing.assert_allclose(blankets_in(masks), expected)


def test_one_variable_and_constants() -> None:
    assert {dag.n_arcs for dag in posterior({"a": ["x", "y"]}).graphs} == {0}
    data = dependent_table(50, (2, 2, 2), constant=True)
    assert all(not dag.parents("X2") and not dag.children("X2") for dag in posterior(data).graphs)


def test_a_limit_between_sums_and_draws_keeps_the_sums() -> None:
    data = load_example("asia").sample(100, seed=1)
    problem = Problem(LocalScore(data, "bdeu"))
    evaluated = Budget()
    posterior(data, budget=evaluated, workers=1)
    # The sums need half of the local scores, and the draws the same ones again.
    found = posterior(data, budget=Budget(evaluation_limit=evaluated.evaluations * 3 // 4))
    assert found.status == Status.EVALUATION_LIMIT
    assert found.arc("smoke", "lung") == pytest.approx(posterior(data).arc("smoke", "lung"))
    assert len(found.graphs) == 0
    with pytest.raises(ParameterError, match=r"what ended it \(evaluation limit\) came before the first"):
        found.blanket("smoke", "lung")
    half = half_way(lambda: exact_draws(problem, "graphs", 500, 1, Budget()))
    with stepped_clock(seconds_per_look=1.0) as clock:
        assert exact_draws(problem, "graphs", 500, 1, Budget(time_limit=half)) is None
        assert clock.looks <= half + 100


def test_where_no_graphs_can_be_drawn_it_is_said() -> None:
    data = dependent_table(20, (2,) * 17)
    found = posterior(data, method="exact")
    assert found.status == Status.COMPLETE
    assert len(found.graphs) == 0
    with pytest.raises(ParameterError, match="here there are none; take method='partition'"):
        found.blanket(0, 1)
    with pytest.raises(ParameterError, match="here there are none; take method='partition'"):
        found.probability(lambda dag: dag.n_arcs)
    with pytest.raises(ParameterError, match="exact sums of few variables only, as far as memory allows; drop draws"):
        posterior(data, method="exact", draws=10)
    with pytest.raises(ParameterError, match="drop draws, or take prior='graphs' and method='partition'"):
        posterior(dependent_table(), prior="orders", draws=10, memory=10**4)
    few_bytes = posterior(dependent_table(), draws=10, memory=10**4, precision=0.3, seed=1)
    assert few_bytes.method == "partition"
    assert len(few_bytes.graphs) >= 10
    with pytest.raises(ParameterError, match="drop candidates, or take method='partition'"):
        posterior(dependent_table(), method="exact", candidates=2)
