"""Networks with continuous nodes: what they hold, fitting, sampling, likelihood and prediction."""

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network import BayesianNetwork, ConditionalGaussian, Table
from arcwise.network.tables import FamilyCounts
from arcwise.network.tree_mixture import TreeMixture
from arcwise.scores import BIC, LocalScore, LogLikelihood
from arcwise.simulation.gaussian import random_gaussian_network, random_mixed_network
from arcwise.support.errors import DataError, ParameterError
from oracles_network_gaussian import conditional, joint_gaussian, log_density, posterior, regressions

DAG = Dag(["sex", "height", "weight"], [("sex", "height"), ("sex", "weight"), ("height", "weight")])
STATES: list[list[str]] = [["f", "m"], [], []]
HEIGHT = ConditionalGaussian([164.0, 178.0], [], [6.5, 7.0])
WEIGHT = ConditionalGaussian([-48.0, -72.0], [[0.7], [0.87]], [11.0, 12.0])
BODY = BayesianNetwork(DAG, STATES, [[0.5, 0.5], HEIGHT, WEIGHT])
seeds = st.integers(0, 2**32 - 1)


def table(**columns: Any) -> Dataset:
    """Data of columns: lists of numbers are continuous, lists of words have the states n and y."""
    n_rows = len(next(iter(columns.values())))
    codes = np.zeros((n_rows, len(columns)), dtype=np.uint8)
    states: list[tuple[str, ...]] = []
    numbers = []
    for v, column in enumerate(columns.values()):
        if isinstance(column[0], str):
            codes[:, v] = [word == "y" for word in column]
            states.append(("n", "y"))
        else:
            numbers.append(column)
            states.append(())
    return Dataset(codes, tuple(columns), tuple(states), numbers=np.array(numbers, dtype=float).T if numbers else None)


def row_of(data: Dataset, row: int) -> tuple[dict[int, int], dict[int, float]]:
    """States and numbers of a row, by variable."""
    states = {v: int(data.codes[row, v]) for v in range(data.n_variables) if data.arities[v]}
    return states, {v: float(data.numbers_of(data.names[v])[row]) for v in data.continuous}


def gaussian(network: BayesianNetwork, node: str) -> ConditionalGaussian:
    found = network.distribution(node)
    assert isinstance(found, ConditionalGaussian)
    return found


# What it holds


def test_it_holds_what_it_was_given() -> None:
    assert BODY.states == (("f", "m"), (), ())
    assert BODY.arities == (2, 0, 0)
    assert BODY.continuous == ("height", "weight")
    assert BODY.distributions == (Table([0.5, 0.5]), HEIGHT, WEIGHT)
    assert BODY.distribution("weight") is BODY.distributions[2]
    assert BODY.table("sex").tolist() == [0.5, 0.5]
    assert BODY.n_parameters == 1 + 2 * 2 + 2 * 3
    assert repr(BODY) == "<BayesianNetwork: 3 nodes, 2 of them continuous, 3 arcs, 11 parameters>"
    assert repr(random_gaussian_network(2, 1, seed=1)) == "<BayesianNetwork: 2 nodes, continuous, 1 arc, 5 parameters>"


def test_equality_is_exact_and_pickling_keeps_it() -> None:
    again = pickle.loads(pickle.dumps(BODY))
    assert again == BODY
    assert hash(again) == hash(BODY)
    nearly = ConditionalGaussian([-48.0, -72.0 - 1e-8], [[0.7], [0.87]], [11.0, 12.0])
    other = BayesianNetwork(DAG, STATES, [[0.5, 0.5], HEIGHT, nearly])
    assert other != BODY
    assert BODY.is_close(other)  # 1e-9 of 73
    assert not BODY.is_close(other, tolerance=1e-12)
    assert Table([0.5, 0.5]) != HEIGHT
    assert not HEIGHT.is_close(Table([0.5, 0.5]))
    for found in (BODY, again):
        with pytest.raises(ValueError, match="read-only"):
            gaussian(found, "weight").coefficients[0, 0] = 1.0


def test_a_distribution_is_not_changed_from_outside() -> None:
    given_intercepts = np.array([164.0, 178.0])
    found = ConditionalGaussian(given_intercepts, [], [6.5, 7.0])
    given_intercepts[:] = 0.0
    assert found == HEIGHT
    probabilities = np.array([0.5, 0.5])
    coin = Table(probabilities)
    probabilities[:] = 0, 1
    assert coin == Table([0.5, 0.5])


def test_continuous_nodes_have_no_tables() -> None:
    with pytest.raises(ParameterError, match="'height' is continuous and has no table; distributions has"):
        BODY.tables  # noqa: B018
    with pytest.raises(ParameterError, match="'weight' is continuous and has no table"):
        BODY.table("weight")
    with pytest.raises(ParameterError, match="is continuous and has no table"):
        TreeMixture.of([BayesianNetwork(Dag(["x"]), [[]], [ConditionalGaussian(0.0, [], 1.0)])])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, 1.0], [1.0], [1.0, 1.0]), r"coefficients must have the axes of the intercepts, which are \(2,\)"),
        ((0.0, 1.0, 1.0), "coefficients must have the axes"),
        (([0.0, 1.0], [], 1.0), r"deviations must have the shape of the intercepts, \(2,\), not \(\)"),
        ((0.0, [], 0.0), "deviations must have finite numbers above 0, not 0.0"),
        ((0.0, [], np.inf), "deviations must have finite numbers above 0, not inf"),
        ((np.nan, [], 1.0), "intercepts must have finite numbers, not nan"),
        ((0.0, [np.inf], 1.0), "coefficients must have finite numbers, not inf"),
        (("x", [], 1.0), "intercepts must be numbers in an array"),
        ((0.0, [[1.0], [1.0, 2.0]], 1.0), "coefficients must be numbers in an array"),
    ],
)
def test_gaussians_that_do_not_fit_together_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ConditionalGaussian(*arguments)


@pytest.mark.parametrize("probabilities", [[0.5, 0.6], [], 1.0, "x", [[0.5, 0.5], [1.0, 0.1]]])
def test_tables_of_something_else_are_refused(probabilities: Any) -> None:
    with pytest.raises(ParameterError):
        Table(probabilities)


@pytest.mark.parametrize(
    ("states", "distributions", "message"),
    [
        ([["f", "m"], ["low"], []], [[0.5, 0.5], HEIGHT, WEIGHT], "'height' has a ConditionalGaussian, so its states"),
        ([["f", "m"], [], []], [[0.5, 0.5], [0.5, 0.5], WEIGHT], "'height' must have from 1 to 65535 states, not 0"),
        (
            STATES,
            [Table([0.2, 0.3, 0.5]), HEIGHT, WEIGHT],
            r"'sex' must have the shape \(2,\) \(axes sex\), not \(3,\)",
        ),
        (
            STATES,
            [[0.5, 0.5], HEIGHT, ConditionalGaussian(0.0, [0.7], 1.0)],
            r"'weight' must have intercepts of the shape \(2,\) \(axes sex\) and 1 coefficients .* not \(\) and 1",
        ),
        (
            STATES,
            [[0.5, 0.5], HEIGHT, ConditionalGaussian([0.0, 0.0], [], [1.0, 1.0])],
            r"1 coefficients for each of them, not \(2,\) and 0",
        ),
        (
            [[], [], ["a", "b"]],
            [ConditionalGaussian(0.0, [], 1.0), ConditionalGaussian(0.0, [1.0], 1.0), [0.5, 0.5]],
            "'weight' has states, but its parent 'sex' is continuous: a table has no rows for numbers.*constraints",
        ),
    ],
)
def test_distributions_that_do_not_fit_the_graph_are_refused(states: Any, distributions: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        BayesianNetwork(DAG, states, distributions)


def test_too_many_configurations_are_refused_before_they_are_made() -> None:
    data = Dataset(
        np.zeros((3, 9), np.uint8),
        tuple("abcdefghi"),
        (*[tuple(map(str, range(100)))] * 8, ()),
        numbers=np.zeros((3, 1)),
    )
    with pytest.raises(ParameterError, match="for 'i' with its 8 parents; at most"):
        BayesianNetwork.fit(Dag.from_parents(data.names, [[]] * 8 + [range(8)]), data)


# Fitting


@settings(deadline=None, max_examples=40)
@given(seeds)
def test_each_configuration_has_its_least_squares(seed: int) -> None:
    network = random_mixed_network(6, 9, share_continuous=0.6, arities=range(1, 4), seed=seed)
    data = network.sample(60, seed=seed)
    fitted = BayesianNetwork.fit(network.dag, data)
    assert fitted.states == network.states
    for node, name in enumerate(network.names):
        if network.states[node]:
            continue
        parents = network.dag.parent_indices[node]
        discrete = [parent for parent in parents if network.states[parent]]
        continuous = [data.numbers_of(network.names[parent]) for parent in parents if not network.states[parent]]
        expected = regressions(
            data.codes[:, discrete].astype(float),
            [network.arities[parent] for parent in discrete],
            np.column_stack([*continuous, np.zeros((60, 0))]),
            data.numbers_of(name),
        )
        found = gaussian(fitted, name)
        for place, numbers in expected.items():
            np.testing.assert_allclose(
                [found.intercepts[place], *found.coefficients[place], found.deviations[place]],
                numbers,
                rtol=1e-7,
                atol=1e-7,
            )


def test_by_hand() -> None:
    data = table(x=[0.0, 1.0, 2.0, 3.0], y=[1.0, 2.5, 5.5, 7.0])
    fitted = BayesianNetwork.fit(Dag(["x", "y"], [("x", "y")]), data)
    # The residuals of y = 0.85 + 2.1 x are 0.15, -0.45, 0.45 and -0.15.
    assert fitted.is_close(
        BayesianNetwork(
            fitted.dag,
            [[], []],
            [ConditionalGaussian(1.5, [], np.sqrt(1.25)), ConditionalGaussian(0.85, [2.1], np.sqrt(0.45 / 4))],
        )
    )


def test_it_is_the_greatest_likelihood() -> None:
    data = BODY.sample(200, seed=3)
    fitted = BayesianNetwork.fit(DAG, data)
    best = fitted.log_likelihood(data)
    weight = gaussian(fitted, "weight")
    for step in (-1e-3, 1e-3):
        for changed in (
            ConditionalGaussian(weight.intercepts + step, weight.coefficients, weight.deviations),
            ConditionalGaussian(weight.intercepts, weight.coefficients + step, weight.deviations),
            ConditionalGaussian(weight.intercepts, weight.coefficients, weight.deviations + step),
        ):
            assert BayesianNetwork(DAG, STATES, [*fitted.distributions[:2], changed]).log_likelihood(data) < best


def test_large_means_do_not_spoil_the_deviations() -> None:
    noise = np.random.default_rng(1).standard_normal((200, 2))
    x, y = 1e8 + noise[:, 0], 2e8 + 2.0 * noise[:, 0] + 0.01 * noise[:, 1]
    found = gaussian(BayesianNetwork.fit(Dag(["x", "y"], [("x", "y")]), table(x=x, y=y)), "y")
    assert float(found.coefficients[0]) == pytest.approx(2.0, rel=1e-2)
    assert float(found.deviations) == pytest.approx(0.01, rel=0.2)


def test_weights_count_as_repeated_rows() -> None:
    data = BODY.sample(40, seed=5)
    weights = np.random.default_rng(5).integers(0, 4, size=40)
    assert data.numbers is not None
    repeated = Dataset(
        data.codes[np.repeat(np.arange(40), weights)],
        data.names,
        data.states,
        numbers=np.repeat(data.numbers, weights, axis=0),
    )
    weighted = BayesianNetwork.fit(DAG, data.with_weights(weights), ess=1)
    assert weighted.is_close(BayesianNetwork.fit(DAG, repeated, ess=1), tolerance=1e-10)
    assert weighted.log_likelihood(data.with_weights(weights)) == pytest.approx(weighted.log_likelihood(repeated))


def test_rows_in_which_a_node_was_set_do_not_count_for_it() -> None:
    data = BODY.sample(100, seed=6, interventions={"weight": range(30), "height": [99]})
    fitted = BayesianNetwork.fit(DAG, data)
    assert data.numbers is not None
    rest = Dataset(data.codes[30:], data.names, data.states, numbers=data.numbers[30:])
    assert fitted.distribution("weight").is_close(BayesianNetwork.fit(DAG, rest).distribution("weight"))
    first = Dataset(data.codes[:99], data.names, data.states, numbers=data.numbers[:99])
    assert fitted.distribution("height").is_close(BayesianNetwork.fit(DAG, first).distribution("height"))


def test_priors_are_for_tables_only() -> None:
    data = BODY.sample(20, seed=7)
    plain, prior = BayesianNetwork.fit(DAG, data), BayesianNetwork.fit(DAG, data, ess=100)
    assert plain.distributions[1:] == prior.distributions[1:]
    assert plain.distributions[0] != prior.distributions[0]


def test_configurations_with_few_rows_have_the_regression_of_all() -> None:
    x, noise = np.random.default_rng(4).standard_normal((2, 11))
    group = np.array(["n"] * 6 + ["y"] * 5)
    y = np.where(group == "n", 1 + 2 * x, -3 * x) + noise
    dag = Dag(["group", "x", "y"], [("group", "y"), ("x", "y")])
    found = gaussian(BayesianNetwork.fit(dag, table(group=group.tolist(), x=x, y=y)), "y")
    # An intercept, a coefficient and a deviation need six rows; n has them, y does not.
    for place, rows in ((0, slice(0, 6)), (1, slice(None))):
        slope, intercept = np.polyfit(x[rows], y[rows], 1)
        deviation = np.sqrt(((y - intercept - slope * x)[rows] ** 2).mean())
        assert [found.intercepts[place], found.coefficients[place, 0], found.deviations[place]] == pytest.approx(
            [intercept, slope, deviation]
        )


def test_a_parent_that_is_constant_in_a_configuration_needs_no_rows_there() -> None:
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 7.0, 7.0, 7.0], [1.0, 0.0, 2.0, 1.0, 3.0, 2.0, 8.0, 9.0, 8.0, 9.0]
    dag = Dag(["group", "x", "y"], [("group", "y"), ("x", "y")])
    found = gaussian(BayesianNetwork.fit(dag, table(group=["n"] * 6 + ["y"] * 4, x=x, y=y)), "y")
    assert [found.intercepts[1], found.coefficients[1, 0], found.deviations[1]] == pytest.approx([8.5, 0.0, 0.5])


@pytest.mark.parametrize("n_rows", range(4, 30))
def test_a_constant_parent_is_constant_whatever_rounding_makes_of_its_mean(n_rows: int) -> None:
    y = np.random.default_rng(5).standard_normal(n_rows + 1)
    data = table(group=["n"] * n_rows + ["y"], flat=[0.7] * (n_rows + 1), y=y)
    found = gaussian(BayesianNetwork.fit(Dag(["group", "flat", "y"], [("group", "y"), ("flat", "y")]), data), "y")
    assert found.coefficients.tolist() == [[0.0], [0.0]]
    assert found.intercepts.tolist() == pytest.approx([y[:-1].mean(), y.mean()])


def test_configurations_never_seen_have_the_regression_of_all() -> None:
    data = table(group=["n"] * 4, x=[1.0, 2.0, 3.0, 5.0])
    found = gaussian(BayesianNetwork.fit(Dag(["group", "x"], [("group", "x")]), data), "x")
    assert found.intercepts.tolist() == pytest.approx([2.75, 2.75])
    assert found.deviations[0] == found.deviations[1]


@pytest.mark.filterwarnings("error")
def test_parents_that_depend_on_each_other_share_their_coefficient() -> None:
    x, noise = np.random.default_rng(2).standard_normal((2, 50))
    data = table(x=x, twice=100 * x + 7, flat=[3.3] * 50, y=2 * x + noise)
    dag = Dag(["x", "twice", "flat", "y"], [("x", "y"), ("twice", "y"), ("flat", "y")])
    found = gaussian(BayesianNetwork.fit(dag, data), "y")
    slope, intercept = np.polyfit(x, data.numbers_of("y"), 1)
    # In standard deviations of each parent both halves are equal.
    assert found.coefficients.tolist() == pytest.approx([slope / 2, slope / 200, 0.0])
    assert float(found.intercepts) == pytest.approx(intercept - slope / 200 * 7)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [0.0, 5.0, 1e9 + 0.1])
def test_constant_and_determined_nodes_keep_a_deviation(value: float) -> None:
    data = table(x=[1.0, 2.0, 3.0, 4.5], y=[3.0, 5.0, 7.0, 10.0], flat=[value] * 4)
    dag = Dag(["x", "y", "flat"], [("x", "y"), ("x", "flat")])
    fitted = BayesianNetwork.fit(dag, data)
    assert float(gaussian(fitted, "y").deviations) == pytest.approx(1e-5 * data.numbers_of("y").std())
    assert float(gaussian(fitted, "flat").deviations) == pytest.approx(1e-5 * (value or 1.0))
    assert gaussian(fitted, "flat").coefficients.tolist() == [0.0]
    assert np.isfinite(fitted.log_likelihoods(data)).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("x", [[1e200, 2e200, -1e200, 0.0], [1.7e308, -1.7e308, 1.7e308, 0.0]])
def test_numbers_too_large_to_be_squared_are_refused(x: list[float]) -> None:
    dag = Dag(["x", "y"], [("x", "y")])
    with pytest.raises(DataError, match="the numbers of 'x' and its continuous parents are too large"):
        BayesianNetwork.fit(dag, table(x=x, y=[1.0, 2.0, 3.0, 4.0]))


def test_a_node_that_was_set_in_all_rows_is_standard_normal() -> None:
    data = table(x=[1.0, 2.0], y=[3.0, 5.0])
    made = Dataset(data.codes, data.names, data.states, numbers=data.numbers, interventions={"y": [0, 1]})  # type: ignore[arg-type]
    found = BayesianNetwork.fit(Dag(["x", "y"], [("x", "y")]), made).distribution("y")
    assert found == ConditionalGaussian(0.0, [0.0], 1.0)


def test_a_discrete_variable_with_a_continuous_parent_is_refused() -> None:
    with pytest.raises(ParameterError, match="'sex' has states, but its parent 'height' is continuous"):
        BayesianNetwork.fit(Dag(DAG.names, [("height", "sex")]), BODY.sample(10, seed=1))


def test_moments_are_all_that_a_fit_needs() -> None:
    data = BODY.sample(50, seed=8)
    assert BayesianNetwork.fit(DAG, FamilyCounts.of(DAG, data)) == BayesianNetwork.fit(DAG, data)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_likelihood_is_what_scores_penalise(seed: int, share: float) -> None:
    network = random_mixed_network(6, 5, share_continuous=share, alpha=5.0, seed=seed)
    data = network.sample(2000, seed=seed)  # enough for each of at most 2^3 configurations
    fitted = BayesianNetwork.fit(network.dag, data)
    likelihood = fitted.log_likelihood(data)
    assert LocalScore(data, LogLikelihood()).total(network.dag) == pytest.approx(likelihood)
    penalty = fitted.n_parameters * np.log(2000) / 2
    assert LocalScore(data, BIC()).total(network.dag) == pytest.approx(likelihood - penalty)


# Sampling


def test_samples_have_the_distribution() -> None:
    data = BODY.sample(20_000, seed=9)
    height = data.numbers_of("height")
    for code, (mean, deviation) in enumerate([(164.0, 6.5), (178.0, 7.0)]):
        assert kstest(height[data.codes[:, 0] == code], norm(mean, deviation).cdf).pvalue > 1e-3
    rows = data.codes[:, 0] == 1
    left = data.numbers_of("weight")[rows] - (-72.0 + 0.87 * height[rows])
    assert kstest(left, norm(0.0, 12.0).cdf).pvalue > 1e-3


def test_linear_gaussian_samples_have_the_joint_covariance() -> None:
    network = random_gaussian_network(5, 8, seed=10)
    data = network.sample(200_000, seed=10)
    assert data.kind == "continuous"
    assert data.numbers is not None
    _, mean, covariance = joint_gaussian(network, {})
    scale = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(data.numbers.mean(axis=0) / scale, mean / scale, atol=0.02)
    np.testing.assert_allclose(
        np.cov(data.numbers.T) / np.outer(scale, scale), covariance / np.outer(scale, scale), atol=0.02
    )


def test_first_rows_do_not_depend_on_their_number() -> None:
    network = random_mixed_network(8, 14, seed=11)
    few, many = network.sample(10, seed=11), network.sample(1000, seed=11)
    assert few.numbers is not None
    assert many.numbers is not None
    np.testing.assert_array_equal(few.numbers, many.numbers[:10])
    np.testing.assert_array_equal(few.codes, many.codes[:10])


def test_a_node_that_is_set_forgets_its_parents_and_keeps_its_distribution() -> None:
    network = random_gaussian_network(2, 1, weights=(2.0, 2.0), seed=12)
    parent, child = network.dag.arcs[0]
    n_rows = 20_000
    data = network.sample(2 * n_rows, seed=12, interventions={child: range(n_rows)})
    free = network.sample(2 * n_rows, seed=12)
    _, mean, covariance = joint_gaussian(network, {})
    place = network.names.index(child)
    forced, cause = data.numbers_of(child)[:n_rows], data.numbers_of(parent)[:n_rows]
    assert kstest(forced, norm(mean[place], np.sqrt(covariance[place, place])).cdf).pvalue > 1e-3
    assert abs(np.corrcoef(forced, cause)[0, 1]) < 0.03
    np.testing.assert_array_equal(data.numbers_of(parent), free.numbers_of(parent))
    np.testing.assert_array_equal(data.numbers_of(child)[n_rows:], free.numbers_of(child)[n_rows:])


# Likelihood and prediction


@settings(deadline=None, max_examples=40)
@given(seeds, st.floats(0, 1))
def test_densities_are_those_of_the_joint_distribution(seed: int, share: float) -> None:
    network = random_mixed_network(6, 8, share_continuous=share, arities=range(1, 4), seed=seed)
    data = network.sample(10, seed=seed)
    expected = [log_density(network, *row_of(data, row)) for row in range(10)]
    np.testing.assert_allclose(network.log_likelihoods(data), expected, rtol=1e-7, atol=1e-7)
    assert network.log_likelihood(data) == pytest.approx(sum(expected))


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(0, 5))
def test_predictions_are_those_of_the_joint_distribution(seed: int, target: int) -> None:
    network = random_mixed_network(6, 9, arities=range(1, 4), seed=seed)
    data, name = network.sample(10, seed=seed), network.names[target]
    rows = [row_of(data, row) for row in range(10)]
    others = data.select([other for other in data.names if other != name])
    if network.states[target]:
        found = network.predict_proba(others, name)
        expected = [posterior(network, states, numbers, target) for states, numbers in rows]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
        best = np.array(network.states[target])[found.argmax(axis=1)]
        assert network.predict(others, name).tolist() == best.tolist()
    else:
        means, deviations = np.array([conditional(network, *row, target) for row in rows]).T
        np.testing.assert_allclose(network.predict(others, name), means, rtol=1e-6, atol=1e-6)
        bounds = norm(means, deviations).ppf([[0.1], [0.9]]).T
        np.testing.assert_allclose(network.predict_interval(others, name, level=0.8), bounds, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(network.predict(others, name), network.predict(data, name))


def test_a_child_that_was_set_says_nothing_about_its_parents() -> None:
    data = BODY.sample(20, seed=13)
    assert data.numbers is not None
    numbers = np.array(data.numbers)
    numbers[:5, 1] = 1000.0
    made = Dataset(data.codes, data.names, data.states, numbers=numbers, interventions={"weight": range(5)})  # type: ignore[arg-type]
    means = np.where(data.codes[:5, 0] == 1, 178.0, 164.0)
    np.testing.assert_allclose(BODY.predict(made, "height")[:5], means)
    free = BODY.predict(data, "height")
    np.testing.assert_array_equal(BODY.predict(made, "height")[5:], free[5:])
    densities = [norm(164.0, 6.5).pdf(numbers[:5, 0]), norm(178.0, 7.0).pdf(numbers[:5, 0])]
    np.testing.assert_allclose(BODY.predict_proba(made, "sex")[:5, 0], densities[0] / (densities[0] + densities[1]))
    of_height = BODY.log_likelihoods(made)[:5] - np.log(0.5)
    np.testing.assert_allclose(of_height, np.log(np.choose(data.codes[:5, 0], densities)))


def test_far_from_all_means_the_nearer_state_is_predicted() -> None:
    network = BayesianNetwork(
        Dag(["d", "x"], [("d", "x")]), [["a", "b"], []], [[0.5, 0.5], ConditionalGaussian([0.0, 1.0], [], [1.0, 1.0])]
    )
    # Both densities are 0 in floating point; their ratio is exp(x - 1/2).
    assert network.predict_proba(table(x=[1e3]), "d").tolist() == [[0.0, 1.0]]
    np.testing.assert_allclose(network.predict_proba(table(x=[0.5, 1.5]), "d")[:, 1], [0.5, 1 / (1 + np.exp(-1.0))])


def test_predictions_of_the_other_kind_are_refused() -> None:
    data = BODY.sample(3, seed=1)
    with pytest.raises(ParameterError, match=r"'height' is continuous and has no states.*predict_interval"):
        BODY.predict_proba(data, "height")
    with pytest.raises(ParameterError, match="'sex' has states; predict_proba"):
        BODY.predict_interval(data, "sex")
    for level in (0.0, 1.0, -1, float("nan")):
        with pytest.raises(ParameterError, match="level must be"):
            BODY.predict_interval(data, "height", level=level)


@pytest.mark.parametrize("call", ["log_likelihood", "predict"])
def test_numbers_for_states_and_states_for_numbers_are_refused(call: str) -> None:
    def ask(data: Dataset) -> npt.ArrayLike:
        return BODY.predict(data, "weight") if call == "predict" else BODY.log_likelihood(data)

    with pytest.raises(DataError, match="column 'sex' holds numbers, but the network knows states of it: 'f', 'm'"):
        ask(table(sex=[0.0, 1.0], height=[1.0, 2.0], weight=[1.0, 2.0]))
    with pytest.raises(DataError, match=r"column 'height' has states \('n', 'y'\), but the network takes numbers"):
        ask(Dataset(np.zeros((1, 3), np.uint8), DAG.names, (("f", "m"), ("n", "y"), ()), numbers=np.zeros((1, 1))))
