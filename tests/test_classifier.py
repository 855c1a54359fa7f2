"""The classifier: scikit-learn's own checks, its tools, and what new users fell into."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from arcwise import (
    ArcwiseWarning,
    BayesianNetworkClassifier,
    BayesianNetworkLearner,
    DataError,
    ParameterError,
    load_example,
)

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")


class FedContinuousValues(BayesianNetworkClassifier):
    """A classifier that does not say that it takes categories: the checks then do not round what they give it."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        BayesianNetworkClassifier(),
        FedContinuousValues(method="naive-bayes"),
        FedContinuousValues(method="tan", discretise="quantile"),
    ]
)
def test_scikit_learn_is_content(estimator: BayesianNetworkClassifier, check: Callable[[Any], None]) -> None:
    check(estimator)


# What new users fell into


def test_accuracies_of_sorted_classes_are_stratified() -> None:
    x, y = load_wine(return_X_y=True, as_frame=True)
    assert is_classifier(BayesianNetworkClassifier())
    for method in (None, "naive-bayes"):
        found = cross_val_score(BayesianNetworkClassifier(method=method, random_state=1), x, y, scoring="accuracy")
        assert found.min() > 0.9


@pytest.mark.parametrize("estimator", [BayesianNetworkClassifier, BayesianNetworkLearner])
def test_a_state_that_only_a_test_fold_has_is_not_nan(estimator: Any) -> None:
    frame = load_example("asia").sample(200, seed=1).to_frame("pandas").astype(str)
    frame.loc[7, "smoke"] = "pipe"
    x, y = frame.drop(columns="bronc"), frame["bronc"]
    grid = GridSearchCV(estimator(random_state=1, method="greedy"), {"ess": [0.1, 1, 10]}, cv=3, error_score="raise")
    grid.fit(x, y)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()
    with pytest.raises(DataError, match="'pipe' is none of the given states"):
        cross_val_score(estimator(random_state=1, handle_unknown="error"), x, y, cv=3, error_score="raise")


def test_what_is_not_known_is_summed_over() -> None:
    frame = load_example("asia").sample(500, seed=1).to_frame("pandas").astype(str)
    learner = BayesianNetworkLearner(random_state=1).fit(frame)
    new = frame.head(2).copy()
    new.loc[0, "smoke"] = "pipe"
    with pytest.warns(ArcwiseWarning, match=r"Column 'smoke', row 0 .*'pipe'.* none of its states"):
        found = learner.score_samples(new)
    both = [learner.score_samples(frame.head(1).assign(smoke=state))[0] for state in ("no", "yes")]
    assert found[0] == pytest.approx(np.logaddexp(*both))
    assert found[1] == pytest.approx(learner.score_samples(frame.head(2))[1])


def test_a_grid_tells_scores_apart() -> None:
    x, y = load_iris(return_X_y=True, as_frame=True)
    classifier = BayesianNetworkClassifier(method="naive-bayes", random_state=1)
    grid = GridSearchCV(classifier, {"discretise": [None, "quantile"], "ess": [0.1, 1]}, cv=3).fit(x, y)
    assert grid.best_score_ > 0.9


# Weights and later rows


@pytest.mark.parametrize("estimator", [BayesianNetworkClassifier, BayesianNetworkLearner])
@pytest.mark.parametrize("kind", ["states", "numbers"])
def test_weights_are_repeated_rows(estimator: Any, kind: str) -> None:
    x, y = table(kind)
    weights = np.random.default_rng(3).integers(0, 4, len(x))
    weighted = estimator(random_state=1).fit(x, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(x)), weights)
    repeated = estimator(random_state=1).fit(x.iloc[rows], y.iloc[rows])
    assert weighted.dag_ == repeated.dag_
    np.testing.assert_allclose(weighted.predict_proba(x), repeated.predict_proba(x), rtol=1e-9)


@pytest.mark.parametrize("estimator", [BayesianNetworkClassifier, BayesianNetworkLearner])
@pytest.mark.parametrize("kind", ["states", "numbers"])
def test_later_rows_have_the_distributions_of_all(estimator: Any, kind: str) -> None:
    x, y = table(kind)
    first = estimator(random_state=1).fit(x[:200], y[:200])
    parts = estimator(random_state=1)
    for begin, end in ((0, 200), (200, 230), (230, 400)):
        parts.partial_fit(x[begin:end], y[begin:end])
    assert parts.dag_ == first.dag_
    whole = first.result_.network(x.assign(y=y), ess=1)
    assert parts.network_.is_close(whole, tolerance=1e-9)
    weights = np.ones(400, dtype=int)
    weights[300:] = 0
    light = estimator(random_state=1).partial_fit(x[:200], y[:200]).partial_fit(x, y, sample_weight=weights)
    both = pd.concat([x[:200], x[:300]]).assign(y=pd.concat([y[:200], y[:300]]))
    assert light.network_.is_close(first.result_.network(both, ess=1), tolerance=1e-9)


def table(kind: str) -> tuple[pd.DataFrame, "pd.Series[Any]"]:
    """Four hundred rows of a known network, as states, or with noise, as numbers."""
    frame = load_example("asia").sample(400, seed=2).to_frame("pandas")  # all states are declared
    x, y = frame.drop(columns="bronc"), frame["bronc"].rename("y")
    if kind == "states":
        return x, y
    noise = np.random.default_rng(1).normal(size=x.shape)
    return x.astype(str).eq("yes").astype(float) + 0.3 * noise, y


def test_classes_can_be_declared_before_they_come() -> None:
    x, y = table("states")
    early = y[:200].astype(str).eq("yes").map({True: 2, False: 1})
    classifier = BayesianNetworkClassifier(method="naive-bayes").partial_fit(x[:200], early, classes=[1, 2, 3])
    assert classifier.classes_.tolist() == [1, 2, 3]
    classifier.partial_fit(x[200:], pd.Series([3] * 200))
    assert set(classifier.predict(x[200:])) == {1, 2, 3}
    with pytest.raises(ParameterError, match="partial_fit is not for missing='em'"):
        BayesianNetworkLearner(missing="em").fit(x).partial_fit(x)


def test_threads_do_not_change_the_result() -> None:
    x, y = table("states")
    one, two = (BayesianNetworkClassifier(random_state=1, n_jobs=n).fit(x, y) for n in (1, 2))
    assert one.dag_ == two.dag_


def test_more_classes_than_states_are_allowed() -> None:
    y = np.arange(300) % 150
    classifier = BayesianNetworkClassifier(method="naive-bayes", continuous=True).fit(y[:, None] + 0.5, y)
    assert classifier.classes_.tolist() == list(range(150))
    assert classifier.predict_proba(y[:, None] + 0.5).shape == (300, 150)


def test_rare_states_are_grouped_but_for_the_classes() -> None:
    x, y = table("states")
    x, y = x.astype(str), y.astype(str)
    x.loc[0, "smoke"], x.loc[1, "smoke"], y[0], y[1] = "pipe", "cigar", "maybe", "unclear"
    classifier = BayesianNetworkClassifier(min_count=5, random_state=1).fit(x, y)
    assert set(classifier.categories_["smoke"]) == {"no", "yes", "other"}
    assert set(classifier.classes_) == {"maybe", "no", "unclear", "yes"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier.predict(x.head(1).assign(smoke="chewing"))


@pytest.mark.parametrize("options", [{"handle_unknown": "drop"}, {"min_count": 0}])
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        BayesianNetworkClassifier(**options).fit(*table("states"))
