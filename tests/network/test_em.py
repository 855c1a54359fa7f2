"""EM of parameters, against all ways to fill the gaps and against what can be worked out by hand."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_em
from arcwise import BayesianNetwork, Dag, Dataset, EmLimits, fit_em, load_example
from arcwise.network.em import first_network
from arcwise.network.expectation import EStep
from arcwise.support.errors import DataError, ParameterError

NAMES = tuple("abcdef")


def random_case(seed: int, n: int = 5, rows: int = 25) -> tuple[BayesianNetwork, Dataset]:
    """Return a network and a table with gaps and weights, of which the network knows nothing."""
    random = np.random.default_rng(seed)
    arities = random.integers(1, 4, n).tolist()
    parents = [np.flatnonzero(random.random(v) < 0.5).tolist() for v in range(n)]
    dag = Dag.from_parents(NAMES[:n], parents)
    tables = [random.dirichlet(np.full(arities[v], 0.7), size=[arities[u] for u in parents[v]]) for v in range(n)]
    states = tuple(tuple(f"s{k}" for k in range(arity)) for arity in arities)
    network = BayesianNetwork(dag, states, tables)
    columns = np.column_stack([random.integers(0, arity, rows) for arity in arities])
    codes = np.where(random.random(columns.shape) < 0.35, arities, columns).astype(np.uint8)
    weights = random.integers(0, 4, rows).astype(np.uint32)
    weights[0] = 1
    return network, Dataset(np.asfortranarray(codes), NAMES[:n], states, weights)


def without(values: npt.NDArray[np.float64], share: float, seed: int) -> Dataset:
    """Return a continuous table in which a share of the numbers is missing."""
    gaps = np.random.default_rng(seed).random(values.shape) < share
    numbers = np.where(gaps, np.nan, values)
    n = values.shape[1]
    codes = np.zeros(values.shape, dtype=np.uint8, order="F")
    return Dataset(codes, NAMES[:n], tuple(() for _ in range(n)), numbers=np.asfortranarray(numbers))


@pytest.mark.parametrize("most_cells", [4096, 64])
@pytest.mark.parametrize("seed", range(12))
def test_likelihood_and_expected_counts_are_those_of_all_completions(seed: int, most_cells: int) -> None:
    network, data = random_case(seed)
    expected = EStep(data, most_cells=most_cells)(network)
    assert expected is not None
    assert expected.log_likelihood == pytest.approx(oracles_em.log_likelihood(network, data), rel=1e-9)
    other = Dag.from_parents(data.names, [[1, 2], [], [4], [0, 1, 2], []])
    # Few components have more than 64 joint states, of which there are draws then.
    tolerance = 1e-6 if most_cells == 4096 else 0.05 * data.n_observations
    for dag in (network.dag, other):
        families = expected.families(dag)
        for node, parents in enumerate(dag.parent_indices):
            slow = oracles_em.expected_counts(network, data, node, parents)
            np.testing.assert_allclose(np.asarray(families.counts[node]), slow, atol=tolerance)


def test_components_too_large_to_list_have_their_exact_likelihood_and_draws_of_their_posterior() -> None:
    random = np.random.default_rng(5)
    n, arity = 6, 3  # one component of 3^6 = 729 joint states, with room for 64
    dag = Dag.from_parents(NAMES, [[], [0], [1], [1, 2], [3], [4]])
    tables = [random.dirichlet(np.ones(arity), size=[arity] * len(dag.parent_indices[v])) for v in range(n)]
    states = tuple(("x", "y", "z") for _ in range(n))
    network = BayesianNetwork(dag, states, tables)
    rows = 400
    codes = np.full((rows, n), arity, dtype=np.uint8, order="F")
    data = Dataset(codes, NAMES, states)
    drawn = EStep(data, most_cells=64, seed=3)(network)
    assert drawn is not None
    assert drawn.n_drawn_rows == rows
    assert drawn.log_likelihood == pytest.approx(0.0, abs=1e-9)  # nothing is there, which is certain
    one = Dataset(codes[:1], NAMES, states)
    exact = rows * oracles_em.expected_counts(network, one, 3, [1, 2])
    counts = np.asarray(drawn.families(Dag.from_parents(NAMES, [[], [], [], [1, 2], [], []])).counts[3])
    assert counts.sum() == pytest.approx(rows)
    # Systematic draws are unbiased: the mean of 400 × 64 of them is within five standard errors of the posterior.
    np.testing.assert_allclose(counts, exact, atol=5 * math.sqrt(rows * 0.25 / 64) + 1e-9)


def test_draws_depend_on_the_seed_alone() -> None:
    network, data = random_case(3)
    expected = EStep(data)(network)
    assert expected is not None
    first, again, other = expected.completed(1), expected.completed(1), expected.completed(2)
    assert first == again
    assert not first.has_gaps
    assert first != other
    assert data.gaps is not None
    assert (first.codes[~data.gaps] == data.codes[~data.gaps]).all()


def test_draws_have_the_frequencies_of_the_posterior() -> None:
    network, data = random_case(8, rows=3)
    expected = EStep(data)(network)
    assert expected is not None
    filled, _ = oracles_em.completions(network, data, 1)
    seen = [tuple(expected.completed(seed).codes[1].tolist()) for seed in range(2000)]
    for row, posterior in filled:
        deviation = math.sqrt(posterior * (1 - posterior) / len(seen))
        assert abs(seen.count(row) / len(seen) - posterior) <= 5 * deviation + 1e-6


def test_a_textbook_step_by_hand() -> None:
    # Two binary variables a -> b; rows (0, 0), (0, 1), (1, 1), (0, ?), (?, 1). From P(a = 1) = 1/2, P(b = 1 | a) = 1/2
    # the posterior of both gaps is one half. So a: n1 = 1 + 1/2 of 5; b given a = 0: 1 + 1/2 of 2 + 1/2 + 1/2 + ...
    dag = Dag(["a", "b"], [("a", "b")])
    codes = np.asfortranarray(np.array([[0, 0], [0, 1], [1, 1], [0, 2], [2, 1]], dtype=np.uint8))
    data = Dataset(codes, ("a", "b"), (("0", "1"), ("0", "1")))
    start = BayesianNetwork(dag, data.states, [[0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]]])
    fit = fit_em(dag, data, start=start, limits=EmLimits(steps=1))
    # a = 0 in rows 1, 2, 4 and half of row 5: 3.5 of 5. b = 1 given a = 0: row 2, half of row 4, half of row 5: 2.
    np.testing.assert_allclose(fit.network.table("a"), [0.7, 0.3])
    np.testing.assert_allclose(fit.network.table("b"), [[1.5 / 3.5, 2 / 3.5], [0.0, 1.0]])
    before = 3 * math.log(0.25) + 2 * math.log(0.5)
    after = math.log(0.3) + math.log(0.4) + math.log(0.3) + math.log(0.7) + math.log(0.7)
    assert fit.log_likelihoods == pytest.approx((before, after))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_likelihood_of_what_is_there_never_falls(seed: int) -> None:
    network, data = random_case(seed)
    fit = fit_em(network.dag, data, limits=EmLimits(steps=15, tolerance=0))
    steps = np.diff(fit.log_likelihoods)
    assert (steps >= -1e-6).all()
    assert fit.log_likelihood == pytest.approx(oracles_em.log_likelihood(fit.network, data), rel=1e-7)


def test_without_gaps_it_is_the_ordinary_fit() -> None:
    network = load_example("cancer")
    data = network.sample(500, seed=1)
    fit = fit_em(network.dag, data, ess=2.0)
    ordinary = BayesianNetwork.fit(network.dag, data, ess=2.0)
    assert all(a.is_close(b) for a, b in zip(fit.network.distributions, ordinary.distributions, strict=True))
    assert fit.is_converged
    assert fit.log_likelihood == pytest.approx(ordinary.log_likelihood(data))


def test_values_missing_at_random_do_not_bias_what_is_fitted() -> None:
    # b is missing where a is 1, most of the time: rows that have b are not a sample of all, but of those with their a.
    random = np.random.default_rng(1)
    a = random.integers(0, 2, 20_000)
    b = (random.random(a.size) < np.where(a == 1, 0.9, 0.2)).astype(int)
    b[(a == 1) & (random.random(a.size) < 0.8)] = 2
    codes = np.asfortranarray(np.column_stack([a, b]).astype(np.uint8))
    data = Dataset(codes, ("a", "b"), (("0", "1"), ("0", "1")))
    dag = Dag(["a", "b"], [("b", "a")])  # against the arc, so that what few rows have both must be weighed
    fit = fit_em(dag, data, limits=EmLimits(tolerance=1e-9, steps=1000))
    assert fit.network.table("b")[1] == pytest.approx(0.55, abs=0.02)
    assert BayesianNetwork.fit(dag, data).table("b")[1] < 0.4  # rows that have b alone


def test_gaussian_expectations_are_those_of_the_joint_distribution() -> None:
    random = np.random.default_rng(2)
    mixing = random.normal(size=(3, 3))
    values = random.normal(size=(60, 3)) @ mixing.T + [1.0, -20.0, 300.0]
    data = without(values, 0.3, 4)
    dag = Dag(NAMES[:3], [("a", "b"), ("a", "c"), ("b", "c")])
    fit = fit_em(dag, data, limits=EmLimits(steps=3))
    # The complete graph has any mean and covariance: those of the last step but one, conditioned row by row.
    before = fit_em(dag, data, limits=EmLimits(steps=2)).network
    sample = before.sample(200_000, seed=1).numbers
    assert sample is not None
    mean, covariance = sample.mean(axis=0), np.cov(sample.T)
    filled, left, likelihood = values.copy(), np.zeros((3, 3)), 0.0
    assert data.numbers is not None
    for row, numbers in enumerate(data.numbers):
        m, o = np.flatnonzero(np.isnan(numbers)), np.flatnonzero(~np.isnan(numbers))
        gain = covariance[np.ix_(m, o)] @ np.linalg.inv(covariance[np.ix_(o, o)])
        filled[row, m] = mean[m] + gain @ (numbers[o] - mean[o])
        left[np.ix_(m, m)] += covariance[np.ix_(m, m)] - gain @ covariance[np.ix_(o, m)]
        off = numbers[o] - mean[o]
        likelihood -= 0.5 * (off @ np.linalg.inv(covariance[np.ix_(o, o)]) @ off)
        likelihood -= 0.5 * np.linalg.slogdet(2 * np.pi * covariance[np.ix_(o, o)])[1]
    expected = EStep(data)(before)
    assert expected is not None
    assert expected.log_likelihood == pytest.approx(likelihood, rel=1e-3)
    slope = (np.cov(filled.T, bias=True) + left / 60)[0, 1] / (np.cov(filled.T, bias=True) + left / 60)[0, 0]
    fitted = fit.network.distribution("b")
    assert float(fitted.coefficients[0]) == pytest.approx(slope, rel=0.02)  # type: ignore[union-attr]


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_gaussian_likelihood_never_falls(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(size=(40, 4)) @ random.normal(size=(4, 4))
    data = without(values, 0.25, seed)
    dag = Dag.from_parents(NAMES[:4], [[], [0], [0], [1, 2]])
    fit = fit_em(dag, data, limits=EmLimits(steps=15, tolerance=0))
    assert (np.diff(fit.log_likelihoods) >= -1e-6).all()


def test_gaussian_em_without_gaps_is_the_ordinary_fit_and_its_draws_fill_all_gaps() -> None:
    values = np.random.default_rng(3).normal(size=(50, 3)).cumsum(axis=1)
    dag = Dag.from_parents(NAMES[:3], [[], [0], [1]])
    whole = without(values, 0.0, 0)
    fit, ordinary = fit_em(dag, whole), BayesianNetwork.fit(dag, whole)
    pairs = zip(fit.network.distributions, ordinary.distributions, strict=True)
    assert all(a.is_close(b, tolerance=1e-6) for a, b in pairs)
    assert fit.log_likelihood == pytest.approx(ordinary.log_likelihood(whole))
    data = without(values, 0.3, 1)
    drawn = fit_em(dag, data).expectation.completed(1)
    assert drawn.numbers is not None
    assert data.numbers is not None
    assert np.isfinite(drawn.numbers).all()
    assert (drawn.numbers == data.numbers)[~np.isnan(data.numbers)].all()
    assert drawn == fit_em(dag, data).expectation.completed(1)


def test_what_em_does_not_take_is_refused_with_what_to_do() -> None:
    mixed = Dataset.of({"a": ["x", None, "y", "x"], "b": [0.1, 0.2, 0.35, 0.5]}, missing="keep")
    with pytest.raises(ParameterError, match="pairwise"):
        fit_em(Dag(["a", "b"]), mixed)
    data = Dataset.of({"a": ["x", None, "y"], "b": ["0", "1", "1"]}, missing="keep")
    impossible = BayesianNetwork(Dag(["a", "b"]), data.states, [[1.0, 0.0], [0.5, 0.5]])
    with pytest.raises(DataError, match="row 2"):
        fit_em(Dag(["a", "b"]), data, start=impossible)
    with pytest.raises(ParameterError, match="interventions"):
        fit_em(Dag(["a", "b"]), data.with_interventions({"a": [0]}))


def test_no_row_is_impossible_in_the_first_network() -> None:
    for seed in range(10):
        network, data = random_case(seed)
        first = first_network(network.dag, data)
        assert math.isfinite(oracles_em.log_likelihood(first, data))
