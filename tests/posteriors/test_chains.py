"""Chains of graphs: their means against exact sums, and whether the same seed gives the same."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from arcwise import (
    ArcPosterior,
    Budget,
    Constraints,
    Dataset,
    LocalScore,
    ParameterError,
    Status,
    load_example,
    posterior,
)
from arcwise.graph.dag import Dag
from arcwise.posteriors.candidates import candidates_of
from arcwise.search.search import Problem
from interrupting import presses_ctrl_c
from oracles_graph import descendants
from oracles_posterior import blanket, children, posterior_of_graphs, probabilities
from posterior_checks import known
from tables import dependent_table, table_of_numbers


def is_near(found: ArcPosterior, expected: np.ndarray) -> bool:
    """Three of the standard errors that it says itself, of which `error` is two, for the worst of all arcs."""
    return bool(np.abs(found.arcs.toarray() - expected).max() <= 1.5 * found.error)


@pytest.mark.parametrize("seed", range(3))
def test_means_are_shares_of_all_graphs(seed: int) -> None:
    data = dependent_table(50, (2, 3, 2, 2), seed)
    found = posterior(data, method="partition", seed=seed, draws=4000)
    weights = posterior_of_graphs(LocalScore(data, "bdeu"))
    assert found.status == Status.COMPLETE
    assert found.error <= 0.02
    assert is_near(found, probabilities(4, weights, children))
    of_draws = 4 / np.sqrt(len(found.graphs))  # generous: graphs in a row are not independent
    np.testing.assert_allclose(known(found.ancestors), probabilities(4, weights, descendants), atol=of_draws)
    np.testing.assert_allclose(known(found.blankets), probabilities(4, weights, blanket), atol=of_draws)
    assert found.blanket(0, 1) == found.blanket(1, 0)
    assert found.ancestor(0, 1) == pytest.approx(found.probability(lambda dag: "X0" in dag.ancestors("X1")))


def test_the_mean_over_draws_is_that_of_any_feature() -> None:
    data = dependent_table(50, (2, 3, 2, 2))
    found = posterior(data, method="partition", seed=1, draws=4000)
    weights = posterior_of_graphs(LocalScore(data, "bdeu"))
    expected = sum(len(arcs) * weight for arcs, weight in weights.items())
    assert found.probability(lambda dag: dag.n_arcs) == pytest.approx(expected, abs=0.1)
    assert isinstance(found.graphs[0], Dag)
    assert len(found.graphs[:10]) == 10


def test_constraints_hold_in_all_draws() -> None:
    data = dependent_table(60, (2, 3, 2, 2, 2), 1)
    a, b, c, d, e = data.names
    for constraints in (
        Constraints(required=[(c, a), (e, c)], forbidden=[(b, d)], max_parents=2),
        Constraints(tiers=[[d], [a, b]]),
    ):
        found = posterior(data, method="partition", constraints=constraints, seed=2)
        exact = posterior(data, method="exact", constraints=constraints)
        assert is_near(found, exact.arcs.toarray())
        for dag in found.graphs:
            constraints.checked_start(data.names, dag)


def test_a_network_against_exact_sums() -> None:
    data = load_example("asia").sample(300, seed=2)
    found = posterior(data, method="partition", seed=1, precision=0.04)
    assert is_near(found, posterior(data, method="exact").arcs.toarray())
    assert found.diagnostics is not None
    assert found.diagnostics.r_hat <= 1.05
    assert found.diagnostics.effective_draws > 100


def test_few_candidates_are_those_that_matter() -> None:
    """Each variable follows the one before it: the others add next to nothing."""
    rng = np.random.default_rng(1)
    codes = rng.integers(2, size=(1000, 10), dtype=np.uint8)
    for v in range(1, 10):
        follows = rng.random(1000) < 0.7
        codes[follows, v] = codes[follows, v - 1]
    data = Dataset.from_codes(codes)
    found = posterior(data, method="partition", candidates=4, seed=1, precision=0.05)
    exact = posterior(data, method="exact")
    assert found.diagnostics is not None
    assert found.diagnostics.candidates == 4
    assert found.diagnostics.outside < 0.05
    assert np.abs(found.arcs.toarray() - exact.arcs.toarray()).max() <= 0.1


def test_candidates_are_the_best_sets_there_are() -> None:
    data = dependent_table(500, (2,) * 9, 2)
    score = LocalScore(data, "bdeu")
    problem = Problem(score)
    found = candidates_of(score, problem.rules, Dag(data.names), 3, 2, Budget())
    assert found is not None
    for child, its in enumerate(found):
        alone = score.additions(child, [], [v for v in range(9) if v != child])
        best = [v for v in range(9) if v != child][int(alone.argmax())]
        assert len(its) == 3
        assert best in its
        assert child not in its


@pytest.mark.parametrize("candidates", [None, 3])
def test_the_same_seed_gives_the_same_for_any_number_of_workers(candidates: int | None) -> None:
    data = dependent_table(100, (2, 3, 2, 2, 2, 2), 1)
    one, other = (
        posterior(data, method="partition", seed=5, workers=workers, precision=0.05, candidates=candidates)
        for workers in (1, 3)
    )
    np.testing.assert_array_equal(one.arcs.toarray(), other.arcs.toarray())
    assert list(one.graphs) == list(other.graphs)
    assert one.error == other.error


def test_a_resumed_run_is_as_if_it_had_not_ended() -> None:
    data = dependent_table(100, (2, 3, 2, 2, 2), 1)
    whole = posterior(data, method="partition", seed=5, precision=0.03)
    part = posterior(data, method="partition", seed=5, precision=0.1)
    assert part.error > whole.error
    resumed = posterior(data, resume=pickle.loads(pickle.dumps(part)), precision=0.03)
    np.testing.assert_array_equal(resumed.arcs.toarray(), whole.arcs.toarray())
    assert (resumed.seed, resumed.error) == (5, whole.error)
    for options, message in [
        ({"score": "bic"}, "another score"),
        ({"seed": 6}, "seed must be 5"),
        ({"constraints": Constraints(max_parents=1)}, "other constraints"),
    ]:
        with pytest.raises(ParameterError, match=message):
            posterior(data, resume=part, **options)  # type: ignore[arg-type]


def test_ctrl_c_keeps_what_was_drawn() -> None:
    data = dependent_table(100, (2, 3, 2, 2, 2), 1)
    part = posterior(data, method="partition", seed=5, precision=0.1)
    with presses_ctrl_c() as press:
        more = posterior(data, resume=part, precision=1e-9, budget=Budget(watch=press))
    assert more.status == Status.INTERRUPTED
    assert more.error <= part.error
    assert len(more.graphs) > 0
    assert replace(more, status=Status.COMPLETE).arcs.nnz > 0


def test_one_variable_constants_and_numbers() -> None:
    assert posterior({"a": ["x", "y"]}, method="partition", seed=1).arcs.nnz == 0
    data = dependent_table(50, (2, 2, 2), constant=True)
    assert posterior(data, method="partition", seed=1).arcs.toarray()[2].sum() == 0
    numbers = table_of_numbers("cccc", 40)
    found = posterior(numbers, "bge", method="partition", seed=1)
    assert is_near(found, posterior(numbers, "bge", method="exact").arcs.toarray())


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(ParameterError, match="take fewer candidates"):
        posterior(dependent_table(20, (2,) * 20), method="partition", memory=1000)
