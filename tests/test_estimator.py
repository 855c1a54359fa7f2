"""The estimator: scikit-learn's own checks, its tools, and predictions that are known from elsewhere."""

import pickle
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import product
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

from arcwise import BIC, EBIC, BDeu, Constraints, DataError, Dataset, ParameterError, load_example
from arcwise.data.discretise import Discretisation
from arcwise.estimator.learner import BayesianNetworkLearner
from oracles_network import posterior

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")

NO_ARCS = Constraints(max_parents=0)


class FedContinuousValues(BayesianNetworkLearner):
    """An estimator that does not say that it takes categories: the checks then do not round what they give it."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        BayesianNetworkLearner(),
        FedContinuousValues(),
        FedContinuousValues(missing="state", discretise="quantile"),
        FedContinuousValues(method="greedy", criterion="bdeu", discretise="width"),
    ]
)
def test_scikit_learn_is_content(estimator: BayesianNetworkLearner, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_the_names_of_columns_are_checked_as_scikit_learn_does() -> None:
    check_dataframe_column_names_consistency("learner", BayesianNetworkLearner())


# What it predicts


def noisy_copies(n_rows: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """A fair coin, and three copies of it that are right with probability 0.9, 0.8 and 0.7."""
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=n_rows)
    right = rng.random((n_rows, 3)) < [0.9, 0.8, 0.7]
    return np.where(right, y[:, None], 1 - y[:, None]), y


def test_it_comes_to_the_bayes_classifier_of_a_known_distribution() -> None:
    learner = BayesianNetworkLearner(random_state=1).fit(*noisy_copies(40_000))
    cells = np.array(list(product([0, 1], repeat=3)))
    odds = np.prod(np.array([9, 4, 7 / 3]) ** (2 * cells - 1), axis=1)
    np.testing.assert_allclose(learner.predict_proba(cells)[:, 1], odds / (1 + odds), atol=0.02)
    assert learner.predict(cells).tolist() == (odds > 1).astype(int).tolist()
    assert learner.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("target", load_example("asia").names)
def test_probabilities_are_shares_of_the_joint_distribution(target: str) -> None:
    frame = load_example("asia").sample(400, seed=2).to_frame("pandas")
    learner = BayesianNetworkLearner(random_state=0).fit(frame)
    rows = frame[:6]
    expected = [posterior(learner.network_, {**row, target: ""}, target) for row in rows.to_dict("records")]
    found = learner.predict_proba(rows, target)
    assert learner.network_.states == (("yes", "no"),) * 8
    assert learner.categories_[target].tolist() == ["no", "yes"]
    np.testing.assert_allclose(found[:, ::-1], expected, rtol=1e-9, atol=1e-12)
    assert learner.predict(rows, target).tolist() == ["yes" if yes > no else "no" for yes, no in expected]


def test_a_column_of_the_table_may_be_the_target_and_then_be_missing() -> None:
    values, _ = noisy_copies(500)
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    learner = BayesianNetworkLearner(target="b", random_state=0).fit(frame)
    expected = learner.predict_proba(frame)
    assert learner.n_features_in_ == 3
    np.testing.assert_array_equal(learner.predict_proba(frame.assign(b="never heard of")), expected)
    np.testing.assert_array_equal(learner.predict_proba(frame[["c", "a"]]), expected)
    assert learner.predict(frame).dtype.kind == "i"
    by_index = BayesianNetworkLearner(target=1, random_state=0).fit(values)
    assert by_index.target_ == "X1"
    np.testing.assert_array_equal(by_index.predict_proba(values[:, [0, 2]]), expected)
    np.testing.assert_array_equal(by_index.predict(values, target=0), by_index.predict(values[:, 1:], target="X0"))


def test_new_values_are_cut_where_the_old_ones_were() -> None:
    x = np.linspace(-1, 1, 3000)[:, None]
    learner = BayesianNetworkLearner(discretise="quantile").fit(x, np.where(x[:, 0] > 0, "up", "down"))
    found = learner.predict_proba([[-1.0], [0.0], [1.0]])
    np.testing.assert_array_equal(learner.predict_proba([[-1e300], [-0.01], [1e300]]), found)
    # A third of the values is in each state: the outer ones are all down and all up, the middle one is half and half.
    np.testing.assert_allclose(found, [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], atol=0.001)
    assert learner.predict([[-3.0], [3.0]]).tolist() == ["down", "up"]


def test_numbers_of_many_values_are_continuous_or_cut_but_not_those_of_the_target() -> None:
    ages, letters = np.arange(520) % 52, np.arange(520) % 26
    frame = pd.DataFrame({"age": ages, "weekday": ages % 7})
    learner = BayesianNetworkLearner(method="greedy").fit(frame, letters)
    assert learner.network_.arities == (0, 7, 26)
    assert learner.classes_.tolist() == list(range(26))
    assert not learner.steps_
    assert learner.predict(pd.DataFrame({"age": [1000], "weekday": [0]})).shape == (1,)
    learner = BayesianNetworkLearner(method="greedy", discretise="quantile").fit(frame, letters)
    assert learner.network_.arities == (3, 7, 26)
    (step,) = learner.steps_
    assert isinstance(step, Discretisation)
    assert step.column == "age"
    assert learner.predict(pd.DataFrame({"age": [1000], "weekday": [0]})).shape == (1,)


@pytest.mark.parametrize(
    ("settings", "arities"),
    [
        ({"max_numbers": 52}, (52, 7, 26)),
        ({"target": "age"}, (52, 7, 0)),
        ({"discretise": {"weekday": "width"}}, (0, 3, 0)),
        ({"discretise": {"weekday": "width", "*": "quantile"}}, (3, 3, 3)),
        ({"discretise": "quantile", "continuous": {"age": True}}, (0, 7, 3)),
        ({"discretise": "quantile", "continuous": {"age": False}}, (52, 7, 3)),
        ({"continuous": {"weekday": True}}, (0, 0, 0)),
        ({"continuous": {"age": False}}, (52, 7, 0)),
        ({"continuous": True}, (0, 0, 0)),
        ({"continuous": False}, (52, 7, 26)),
        ({"continuous": True, "target": "weekday"}, (0, 0, 0)),
        ({"max_numbers": 1, "target": "weekday"}, (0, 7, 0)),
        ({"max_states": 6}, (0, 0, 0)),
    ],
    ids=str,
)
def test_which_columns_are_continuous(settings: dict[str, Any], arities: tuple[int, ...]) -> None:
    ages = np.arange(520) % 52
    frame = pd.DataFrame({"age": ages, "weekday": ages % 7, "letter": ages % 26})
    learner = BayesianNetworkLearner(constraints=NO_ARCS, **settings).fit(frame)
    assert learner.network_.arities == arities
    assert learner.categories_.keys() == {name for name, arity in zip(frame, arities, strict=True) if arity}
    assert hasattr(learner, "classes_") == (learner.target_ in learner.categories_)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([True, False] * 20), [False, True]),
        (np.array([10.0, 9.0] * 20), [9.0, 10.0]),
        (["b", "a"] * 20, ["a", "b"]),
        (pd.Series(["high", "low"] * 20).astype(pd.CategoricalDtype(["low", "mid", "high"])), ["high", "low", "mid"]),
        (pd.Series([7, 5] * 20, dtype="category"), [5, 7]),
        (pd.Series(["x", 1] * 20, dtype=pd.CategoricalDtype(["x", 1])), ["x", 1]),
        (pl.Series("y", [2**40, 3] * 20), [3, 2**40]),
    ],
)
def test_predictions_are_of_the_type_of_y(y: Any, classes: list[Any]) -> None:
    x = np.array([[1], [0]] * 20)
    learner = BayesianNetworkLearner().fit(x, y)
    assert learner.classes_.tolist() == classes
    assert learner.predict(x).tolist() == list(y)


# How probable rows are


def test_score_by_hand() -> None:
    x = [["a"], ["a"], ["b"], ["a"]]
    learner = BayesianNetworkLearner(ess=0).fit(x)
    assert learner.score(x) == pytest.approx((3 * log(3 / 4) + log(1 / 4)) / 4)
    assert learner.score([["b"]]) == pytest.approx(log(1 / 4))
    learner = BayesianNetworkLearner(ess=1).fit(x)
    np.testing.assert_allclose(learner.score_samples([["a"], ["b"]]), [log(3.5 / 5), log(1.5 / 5)])


def test_score_with_and_without_y_by_hand() -> None:
    x, y = [[0], [0], [0], [1]], ["p", "p", "q", "q"]
    learner = BayesianNetworkLearner(ess=0, constraints=Constraints(required=[("y", "X0")])).fit(x, y)
    # y: 1/2 each. X0 given p: always 0; given q: 1/2 each.
    np.testing.assert_allclose(learner.score_samples([[0], [0], [1]], ["p", "q", "q"]), np.log([1 / 2, 1 / 4, 1 / 4]))
    np.testing.assert_allclose(learner.score_samples([[0], [1]]), np.log([3 / 4, 1 / 4]))
    assert learner.score([[1]], ["p"]) == -np.inf
    assert learner.score([[0], [1]]) == pytest.approx((log(3 / 4) + log(1 / 4)) / 2)


# Continuous and mixed tables


def test_a_regression_is_that_of_least_squares() -> None:
    x, y = plane(500)
    learner = BayesianNetworkLearner(random_state=0).fit(x, y)
    assert learner.dag_.parents("y") == ("X0", "X1")
    assert learner.dag_.n_arcs == 2
    terms = np.column_stack([np.ones(500), x])
    weights, *_ = np.linalg.lstsq(terms, y, rcond=None)
    deviation = np.sqrt(np.mean((y - terms @ weights) ** 2))
    new = np.array([[1, 2], [-3, 0], [0, 0]])  # whole numbers, and fewer values than would be states
    means = np.column_stack([np.ones(3), new]) @ weights
    np.testing.assert_allclose(learner.predict(new), means)
    np.testing.assert_array_equal(learner.predict(new), learner.predict(new.tolist()))
    assert learner.predict(new).dtype == np.float64
    reach = norm.ppf(0.95) * deviation
    np.testing.assert_allclose(
        learner.predict_interval(new, level=0.9), np.column_stack([means - reach, means + reach])
    )
    assert not hasattr(learner, "classes_")
    assert not learner.categories_
    with pytest.raises(ParameterError, match=r"'y' is continuous and has no states .*; predict has its mean, and pred"):
        learner.predict_proba(x)
    assert cross_val_score(learner, x, y, scoring="r2", cv=3).mean() == pytest.approx(1 - 0.25 / 10.25, abs=0.01)


def plane(n_rows: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Two features, and 3 times the first less the second with some noise."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(n_rows, 2))
    return x, 3 * x[:, 0] - x[:, 1] + 5 + 0.5 * rng.normal(size=n_rows)


def test_any_column_can_be_predicted_from_the_others() -> None:
    x, y = plane(500)
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": y})
    learner = BayesianNetworkLearner(target="a", random_state=0, constraints=Constraints(required=[("a", "b")]))
    learner.fit(frame)
    # All arcs are there, so that the distribution is that of means and covariances: each column's own regression.
    assert learner.dag_.n_arcs == 3
    for name in ("a", "b", "c"):
        others = frame.drop(columns=name)
        terms = np.column_stack([np.ones(500), others])
        weights, *_ = np.linalg.lstsq(terms, frame[name], rcond=None)
        np.testing.assert_allclose(learner.predict(others, name), terms @ weights)
        np.testing.assert_allclose(learner.predict(others.assign(**{name: "?"})[list("abc")], name), terms @ weights)


def test_densities_are_those_of_the_normal_distribution() -> None:
    x, y = plane(200)
    constraints = Constraints(required=[("X0", "X1"), ("X0", "y"), ("X1", "y")])
    learner = BayesianNetworkLearner(constraints=constraints).fit(x, y)
    table = np.column_stack([x, y])
    joint = multivariate_normal(table.mean(axis=0), np.cov(table.T, ddof=0))
    np.testing.assert_allclose(learner.score_samples(x, y), joint.logpdf(table))
    assert learner.score(x, y) == pytest.approx(joint.logpdf(table).mean())
    alone = multivariate_normal(x.mean(axis=0), np.cov(x.T, ddof=0))
    np.testing.assert_allclose(learner.score_samples(x), alone.logpdf(x))
    np.testing.assert_allclose(BayesianNetworkLearner(target="X1").fit(x).score_samples(x).shape, 200)


def flowers(n_rows: int, seed: int = 3) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.str_]]:
    """Three kinds of flowers, by the length and width of their petals, and a number that says nothing of them."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(3, size=n_rows, p=SHARES)
    length, width = KINDS[kind, 0] + rng.normal(size=n_rows), rng.normal(size=n_rows)
    width = KINDS[kind, 1] + 0.5 * length + 0.5 * width
    return np.column_stack([length, width, rng.normal(size=n_rows)]), np.array(["setosa", "virginica", "versicolor"])[
        kind
    ]


KINDS, SHARES = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 2.0]]), [0.2, 0.5, 0.3]


def true_probabilities(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Probabilities of setosa, versicolor and virginica where the flowers are from."""
    joint = np.column_stack(
        [
            share * norm.pdf(x[:, 0], length) * norm.pdf(x[:, 1], width + 0.5 * x[:, 0], 0.5)
            for share, (length, width) in zip(SHARES, KINDS, strict=True)
        ]
    )[:, [0, 2, 1]]
    return np.asarray(joint / joint.sum(axis=1, keepdims=True), dtype=np.float64)


def test_classes_have_the_probabilities_that_their_densities_give_them() -> None:
    x, y = flowers(300)
    pairs = [(f"X{v}", f"X{w}") for v in range(3) for w in range(v + 1, 3)]
    constraints = Constraints(required=[*(("kind", f"X{v}") for v in range(3)), *pairs])
    learner = BayesianNetworkLearner(ess=0, target="kind", constraints=constraints).fit(x, y)
    assert learner.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    # A complete graph: a mean and a covariance for each class.
    joint = np.column_stack(
        [
            (y == kind).mean() * multivariate_normal(x[y == kind].mean(axis=0), np.cov(x[y == kind].T, ddof=0)).pdf(x)
            for kind in learner.classes_
        ]
    )
    np.testing.assert_allclose(learner.predict_proba(x), joint / joint.sum(axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(learner.score_samples(x), np.log(joint.sum(axis=1)))
    np.testing.assert_allclose(
        learner.score_samples(x, y), np.log(joint[np.arange(300), np.unique(y, return_inverse=True)[1]])
    )
    assert learner.predict(x).tolist() == learner.classes_[joint.argmax(axis=1)].tolist()
    with pytest.raises(ParameterError, match="'kind' has states; predict_proba has their probabilities"):
        learner.predict_interval(x)


def test_a_classifier_of_numbers_comes_near_the_best_one() -> None:
    learner = BayesianNetworkLearner(random_state=0).fit(*flowers(3000))
    assert learner.network_.arities == (0, 0, 0, 3)
    assert not learner.dag_.parents("y")  # states have no continuous parents
    assert learner.dag_.children("y") == ("X0", "X1")
    x, y = flowers(1000, seed=4)
    best = true_probabilities(x)
    assert log_loss(y, learner.predict_proba(x)) == pytest.approx(log_loss(y, best), abs=0.01)
    np.testing.assert_allclose(learner.predict_proba(x), best, atol=0.1)
    cut = BayesianNetworkLearner(random_state=0, discretise="quantile").fit(*flowers(3000))
    assert cut.network_.arities == (3, 3, 3, 3)
    assert log_loss(y, cut.predict_proba(x)) > log_loss(y, best) + 0.1


def test_a_continuous_target_of_states() -> None:
    rng = np.random.default_rng(5)
    drug, sex = rng.choice(["a", "b", "c"], size=600), rng.choice(["f", "m"], size=600)
    dose = np.where(drug == "a", 5.0, np.where(drug == "b", 1.0, 3.0)) + rng.normal(size=600)
    frame = pd.DataFrame({"drug": drug, "sex": sex})
    learner = BayesianNetworkLearner(ess=0, random_state=1).fit(frame, pd.Series(dose, name="dose"))
    assert learner.dag_.arcs == (("drug", "dose"),)
    means = [dose[drug == each].mean() for each in "abc"]
    np.testing.assert_allclose(learner.predict(pd.DataFrame({"drug": list("abc"), "sex": ["m"] * 3})), means)
    # Without the dose it is the share of rows with this drug, times that of this sex.
    shares = [(drug == each).mean() * (sex == "m").mean() for each in "abc"]
    new = pd.DataFrame({"drug": list("abc"), "sex": ["m"] * 3})
    np.testing.assert_allclose(learner.score_samples(new), np.log(shares))


def test_units_do_not_matter() -> None:
    x, y = flowers(400)
    alone = BayesianNetworkLearner(random_state=0).fit(x, y)
    scaled = make_pipeline(StandardScaler(), BayesianNetworkLearner(random_state=0)).fit(x, y)
    assert scaled[-1].dag_.is_equivalent(alone.dag_)
    np.testing.assert_allclose(scaled.predict_proba(x), alone.predict_proba(x), atol=1e-9)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, None])
def test_samples_have_numbers_where_columns_are_continuous(kind: Callable[[Any], Any] | None) -> None:
    x, y = plane(400)
    columns = {"a": x[:, 0], "b": x[:, 1], "up": (y > 5).astype(int), "c": y}
    given = np.column_stack(list(columns.values())) if kind is None else kind(columns)
    learner = BayesianNetworkLearner(random_state=0).fit(given)
    assert learner.network_.arities == (0, 0, 2, 0)
    sample = learner.sample(4000, random_state=1)
    assert isinstance(sample, type(given))
    found = sample if kind is None else np.column_stack([np.asarray(sample[name]) for name in columns])
    assert found.dtype == np.float64
    assert set(found[:, 2]) == {0.0, 1.0}
    np.testing.assert_allclose(found.mean(axis=0), [column.mean() for column in columns.values()], atol=0.2)
    np.testing.assert_allclose(found.std(axis=0), [column.std() for column in columns.values()], atol=0.2)


def test_samples_of_numbers_and_classes_are_numbers() -> None:
    x, y = plane(100)
    sample = BayesianNetworkLearner(random_state=0).fit(x, (y > 5).astype(int)).sample(5, random_state=1)
    assert sample.shape == (5, 3)
    assert sample.dtype == np.float64


def test_new_rows_of_whole_numbers_are_still_numbers() -> None:
    x, y = flowers(200)
    frame = pd.DataFrame(x, columns=["length", "width", "noise"])
    learner = BayesianNetworkLearner(random_state=0).fit(frame, y)
    whole = pd.DataFrame({"length": [0, 3], "width": [1, 2], "noise": [0, 0]})
    np.testing.assert_array_equal(learner.predict_proba(whole), learner.predict_proba(whole.astype(float)))
    np.testing.assert_array_equal(
        learner.score_samples(whole[:1], ["setosa"]), learner.score_samples(whole.astype(float)[:1], ["setosa"])
    )
    restored = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(restored.predict_proba(whole), learner.predict_proba(whole))
    with pytest.raises(DataError, match="'length' has type String; it is continuous"):
        learner.predict(whole.assign(length=["3", "4"]))
    learner.fit(frame, x[:, 0] + x[:, 1])
    assert not hasattr(learner, "classes_")


# What scikit-learn does with it


def test_grid_search_tells_a_good_model_from_a_bad_one() -> None:
    x, _ = noisy_copies(600)
    grid = {"criterion": ["bic", BDeu(5)], "method": ["greedy", "xges"], "ess": [1, 1e6]}
    search = GridSearchCV(BayesianNetworkLearner(random_state=0), grid, cv=3).fit(x)
    assert search.best_params_["ess"] == 1  # the other one is as good as no data
    assert search.score(x) == search.best_estimator_.score(x)
    # A million observations that say nothing: three fair coins.
    worst = search.cv_results_["mean_test_score"][search.cv_results_["param_ess"] == 1e6]
    np.testing.assert_allclose(worst, 3 * log(1 / 2), atol=0.001)


def test_cross_validation_by_accuracy_is_near_the_bayes_rate() -> None:
    x, y = noisy_copies(4000)
    accuracy = cross_val_score(BayesianNetworkLearner(random_state=0), x, y, cv=4, scoring="accuracy")
    # The first copy is right in 0.9 of all rows; that the others outvote it where they agree changes 0.9 * 0.06 for
    # 0.1 * 0.56 of them.
    assert accuracy.mean() == pytest.approx(0.902, abs=0.02)


def test_columns_of_probabilities_are_those_that_metrics_expect() -> None:
    x, y = noisy_copies(4000)
    labels = pd.Series(np.where(y == 1, "a", "b"), dtype=pd.CategoricalDtype(["b", "a"]))
    learner = BayesianNetworkLearner(random_state=0).fit(x[:2000], labels[:2000])
    loss = log_loss(labels[2000:], learner.predict_proba(x[2000:]))
    shares = [np.prod(cell) / 2 for cell in product(*[(p, 1 - p) for p in (0.9, 0.8, 0.7)])]
    entropy = -sum(share * log(share / (share + other)) for share, other in zip(shares, shares[::-1], strict=True)) * 2
    assert loss == pytest.approx(entropy, abs=0.02)


def test_it_ends_a_pipeline() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 3))
    y = (x[:, 0] + 0.1 * rng.normal(size=500) > 0).astype(int)
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    pipeline = make_pipeline(StandardScaler(), Binarizer(), BayesianNetworkLearner(random_state=0))
    pipeline.set_output(transform="pandas").fit(frame, y)
    learner = pipeline[-1]
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    assert learner.network_.arities == (2, 2, 2, 2)
    assert (pipeline.predict(frame) == y).mean() > 0.9
    assert pipeline.score(frame, y) == learner.score(pipeline[:-1].transform(frame), y)


def test_clones_and_pickles_are_the_same() -> None:
    frame = load_example("asia").sample(300, seed=3).to_frame("pandas")
    learner = BayesianNetworkLearner(
        criterion=BIC(), constraints=Constraints(max_parents=2), options={"climbs": 3}, method="greedy", random_state=5
    ).fit(frame)
    again = clone(learner).fit(frame)
    assert again.dag_ == learner.dag_
    assert again.result_.counters["climbs"] == 3
    restored = pickle.loads(pickle.dumps(learner))
    assert restored.network_ == learner.network_
    np.testing.assert_array_equal(restored.predict_proba(frame, "lung"), learner.predict_proba(frame, "lung"))


def test_a_later_fit_forgets_an_earlier_one() -> None:
    x, y = noisy_copies(200)
    learner = BayesianNetworkLearner(random_state=0).fit(pd.DataFrame(x, columns=["a", "b", "c"]), y)
    learner.fit(x[:, :2])
    assert not hasattr(learner, "classes_")
    assert not hasattr(learner, "feature_names_in_")
    assert learner.network_.names == ("X0", "X1")
    with pytest.raises(ParameterError, match="there is no target: fit with a y, or name one of the variables"):
        learner.predict(x[:, :2])


# What it is given, and what it gives back


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_any_kind_come_back_as_samples(kind: Callable[[Any], Any]) -> None:
    frame = kind({"ward": [1, 10, 1, 10] * 10, "cured": ["no", "yes", "no", "no"] * 10, "bmi": [18.5, 20, 30, 31] * 10})
    learner = BayesianNetworkLearner(target="cured", discretise={"bmi": "quantile"}, constraints=NO_ARCS).fit(frame)
    assert learner.predict(frame).tolist() == ["no"] * 40
    sample = learner.sample(5000, random_state=1)
    assert isinstance(sample, type(frame))
    columns = pd.DataFrame({name: np.asarray(sample[name]) for name in ("ward", "cured", "bmi")})
    assert (columns["ward"] == 10).mean() == pytest.approx(0.5, abs=0.03)
    assert (columns["cured"] == "yes").mean() == pytest.approx(0.25, abs=0.03)
    assert set(columns["bmi"]) == {"<=18.5", "18.5..30", ">30"}
    assert np.asarray(learner.sample(3, random_state=1)["ward"]).tolist() == columns["ward"][:3].tolist()


def test_arrays_come_back_as_samples_with_y() -> None:
    x, y = noisy_copies(500)
    sample = BayesianNetworkLearner(random_state=0).fit(x, y).sample(4, random_state=np.random.RandomState(2))
    assert sample.shape == (4, 4)
    assert sample.dtype.kind == "i"
    mixed = BayesianNetworkLearner(constraints=NO_ARCS).fit([[1, "a"], [2, "b"]]).sample(20)
    assert {type(value) for value in mixed[:, 0]} == {int}
    assert set(mixed[:, 1]) == {"a", "b"}


def test_a_state_for_missing_values_is_there_later_too() -> None:
    frame = pd.DataFrame({"a": ["x", None, "y", None] * 10, "b": [0, 1, 0, 1] * 10})
    learner = BayesianNetworkLearner(missing="state", target="b").fit(frame)
    assert learner.predict(pd.DataFrame({"a": [None, "x"], "b": [0, 0]})).tolist() == [1, 0]
    with pytest.raises(DataError, match=r"Column 'a', row 1 .* missing"):
        BayesianNetworkLearner().fit(frame)


def test_a_declared_state_that_never_occurs_can_be_met_later() -> None:
    colours = pd.CategoricalDtype(["red", "green", "blue"])
    frame = pd.DataFrame({"colour": pd.Series(["red", "green"] * 20, dtype=colours), "ripe": [1, 0] * 20})
    learner = BayesianNetworkLearner(target="ripe", handle_unknown="error").fit(frame)
    new = pd.DataFrame({"colour": pd.Series(["blue"], dtype=colours)})
    np.testing.assert_allclose(learner.predict_proba(new), [[0.5, 0.5]])
    with pytest.raises(
        DataError, match=r"Column 'colour', row 1 .*'pink' is none of the given states \('red', 'green'"
    ):
        learner.predict(pd.DataFrame({"colour": ["red", "pink"]}))


# What it refuses


def test_a_fit_that_fails_leaves_the_earlier_one() -> None:
    x, y = noisy_copies(100)
    learner = BayesianNetworkLearner(random_state=0).fit(x, y)
    expected = learner.predict_proba(x)
    with pytest.raises(ParameterError, match="mentions 'c'"):
        learner.set_params(constraints=Constraints(required=[("X0", "c")])).fit(x[:, :2])
    np.testing.assert_array_equal(learner.predict_proba(x), expected)
    unfitted = BayesianNetworkLearner(ess=-1)
    with pytest.raises(ParameterError, match="ess must be a finite number of at least 0, not -1"):
        unfitted.fit(x)
    with pytest.raises(NotFittedError):
        unfitted.predict(x)


def test_what_is_not_right_is_said() -> None:
    x, y = noisy_copies(100)
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    with pytest.raises(NotFittedError):
        BayesianNetworkLearner().sample()
    with pytest.raises(ParameterError, match="no variable 'targe'; did you mean 'target'"):
        BayesianNetworkLearner(target="targe").fit(frame.rename(columns={"a": "target"}))
    with pytest.raises(ParameterError, match=r"X has a column 'b' already.*say target='b'"):
        BayesianNetworkLearner().fit(frame, frame["b"])
    with pytest.raises(ParameterError, match="target=1 is a column of X; leave out y"):
        BayesianNetworkLearner(target=1).fit(x, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        BayesianNetworkLearner().fit(x, y[:50])
    with pytest.raises(DataError, match="lacks the column 'c'"):
        BayesianNetworkLearner(target="a").fit(frame).predict(frame[["a", "b"]])
    with pytest.raises(ValueError, match="X has 2 features, but BayesianNetworkLearner is expecting 3"):
        BayesianNetworkLearner().fit(x, y).predict(x[:, :2])
    with pytest.raises(ParameterError, match=r"the network was fitted with 'y' as a y, .* only 'y' can be predicted"):
        BayesianNetworkLearner().fit(frame, y).predict(frame, target="b")
    with pytest.raises(DataError, match="'X0' is continuous"):
        BayesianNetworkLearner(continuous=False).fit([[0.5], [0.7]])
    with pytest.raises(DataError, match=r"Column 'X0', row 1 .* is missing, and the column is continuous"):
        BayesianNetworkLearner(missing="state").fit([[0.5], [np.nan], [0.7]])
    with pytest.raises(ParameterError, match="continuous must be True, False, None, or a dict"):
        BayesianNetworkLearner(continuous="y").fit(x, y)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="method"):
        BayesianNetworkLearner(method="best").fit(x)
    with pytest.raises(ParameterError, match="max_numbers must be at least 1, not 0"):
        BayesianNetworkLearner(max_numbers=0).fit(x)
    with pytest.raises(ParameterError, match="options must be a dict from names to values, not 3"):
        BayesianNetworkLearner(options=3).fit(x)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="options holds 'seed', for which BayesianNetworkLearner has a parameter"):
        BayesianNetworkLearner(options={"seed": 3}).fit(x)


@pytest.mark.parametrize(
    ("x", "hint"),
    [
        (Dataset.from_codes([[0, 1], [1, 0]]), r" \(its .to_frame\(\) is one\)"),
        (pl.LazyFrame({"a": [0, 1]}), r" \(its .collect\(\) is one\)"),
        ("table.csv", ""),
        (None, ""),
        ({"a": [0, 1]}, ""),
    ],
)
def test_what_is_not_a_table_is_refused_with_what_is_one(x: Any, hint: str) -> None:
    with pytest.raises(DataError, match=rf"^X must be a pandas, polars or pyarrow frame{hint} or a two-dimensional"):
        BayesianNetworkLearner().fit(x)


def test_masked_values_are_missing() -> None:
    x = np.ma.array([[0, 1], [1, 0], [1, 1]], mask=np.array([[0, 0], [0, 1], [0, 0]], dtype=bool))
    with pytest.raises(DataError, match=r"Column 'X1', row 1 .* missing"):
        BayesianNetworkLearner().fit(x)
    assert BayesianNetworkLearner(missing="state").fit(x).network_.states[1] == ("1", "missing")


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    for module in ("base", "learner"):
        monkeypatch.delitem(sys.modules, f"arcwise.estimator.{module}")
    with pytest.raises(ImportError, match=r"need scikit-learn .* pip install 'arcwise\[sklearn\]'"):
        import_module("arcwise.estimator.learner")


def test_large_whole_numbers_come_back_as_they_were() -> None:
    """Doubles have 53 bits: as one of them, 2**63 + 1 would be 2**63."""
    y = np.array([5, 2**63 + 1] * 20, dtype=np.uint64)
    learner = BayesianNetworkLearner(random_state=1).fit(np.arange(40).reshape(-1, 1) % 2, y)
    assert learner.predict([[1]]).tolist() == [2**63 + 1]


def test_wide_tables_are_learned_by_another_score() -> None:
    wide = np.random.default_rng(1).integers(0, 2, size=(50, 100))
    picked = BayesianNetworkLearner(method="greedy", random_state=1).fit(wide)
    assert picked.result_.provenance.score == EBIC(1.0)
    assert "picked_score" in picked.result_.decisions
    asked = BayesianNetworkLearner(method="greedy", criterion="bic", random_state=1).fit(wide)
    assert asked.result_.provenance.score == BIC()


def test_each_family_is_learned_from_the_rows_that_have_it() -> None:
    frame = load_example("cancer").sample(2000, seed=1).to_frame("pandas")
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.3)
    learner = BayesianNetworkLearner(missing="pairwise", target="Cancer", method="greedy", random_state=1).fit(frame)
    assert {"Cancer", "Xray"} in [set(arc) for arc in learner.dag_.arcs]
    assert "rows that have all of it" in learner.result_.decisions["missing"]
    complete = frame.dropna()
    assert len(learner.predict(complete)) == len(complete)
    blanket = frame.drop(columns="Cancer").dropna()
    assert learner.predict_proba(blanket).shape == (len(blanket), 2)
    with pytest.raises(ParameterError, match="missing must be one of error, drop, state, pairwise, em"):
        BayesianNetworkLearner(missing="keep").fit(complete)  # type: ignore[arg-type]


def test_numbers_may_be_missing_where_families_are_learned_from_the_rows_that_have_them() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(500, 3))
    x[:, 1] += 2 * x[:, 0]
    x[random.random(x.shape) < 0.2] = np.nan
    learner = BayesianNetworkLearner(missing="pairwise", target=1, method="greedy", random_state=1).fit(x)
    known = x[~np.isnan(x).any(axis=1)]
    assert np.corrcoef(learner.predict(known), known[:, 1])[0, 1] > 0.8
