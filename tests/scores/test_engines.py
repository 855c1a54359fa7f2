"""Which kernel a score has on which kind of data, and what is refused."""

import numpy as np
import pytest

from arcwise import Dataset, LocalScore
from arcwise.scores import SCORES, engines, scores_for
from arcwise.support.errors import ParameterError


def table(kind: str, n_rows: int = 60) -> Dataset:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=n_rows), rng.integers(0, 3, n_rows)
    c = 2 * a + b + rng.normal(size=n_rows)
    columns = {"discrete": {"b": b, "d": (c > 0).astype(int)}, "continuous": {"a": a, "c": c}}
    return Dataset.of(columns.get(kind, {"a": a, "b": b, "c": c}))


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
@pytest.mark.parametrize("name", SCORES)
def test_a_score_takes_the_kinds_of_data_that_it_says(kind: str, name: str) -> None:
    data = table(kind)
    assert data.kind == kind
    if name in scores_for(kind):
        assert np.isfinite(LocalScore(data, name).local(data.names[-1], data.names[:1]))
    else:
        with pytest.raises(ParameterError, match=f"score must be one for {kind} data .*, not {name}"):
            LocalScore(data, name)


def test_a_continuous_score_is_that_of_a_regression_on_the_rows() -> None:
    data = table("continuous")
    assert data.numbers is not None
    a, c = data.numbers.T
    slope, intercept = np.polyfit(a, c, 1)
    variance = np.mean((c - intercept - slope * a) ** 2)
    expected = -0.5 * len(a) * (np.log(2 * np.pi * variance) + 1) - 1.5 * np.log(len(a))
    assert LocalScore(data, "bic").local("c", ["a"]) == pytest.approx(expected, rel=1e-12)
    assert LocalScore(data, "dg").local("c", ["a"]) == pytest.approx(expected, rel=1e-12)


def test_a_matrix_that_does_not_fit_is_refused_with_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "available_memory", lambda: 95)
    with pytest.raises(ParameterError, match=r"the products of all pairs of 2 columns need about 9\.6e-08 GB"):
        LocalScore(table("continuous"))


def test_rows_count_as_often_as_their_weights_say() -> None:
    data = table("continuous", 12)
    weights = np.arange(12) % 3
    repeated = Dataset.from_numbers(np.repeat(np.asarray(data.numbers), weights, axis=0), names=data.names)
    for name in ("bic", "bge", "loglik"):
        weighted = LocalScore(data.with_weights(weights), name).local("c", ["a"])
        assert weighted == pytest.approx(LocalScore(repeated, name).local("c", ["a"]), rel=1e-10)


@pytest.mark.parametrize("is_dependent", [False, True])
def test_what_earlier_columns_leave_is_that_of_one_column_after_the_other(
    is_dependent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.random.default_rng(1).normal(size=(300, 20)).cumsum(axis=1)
    if is_dependent:
        numbers[:, 7] = 2 * numbers[:, 3] - numbers[:, 1]
    correlations = np.corrcoef(numbers.T)
    left = engines._left_by_earlier(correlations)
    monkeypatch.setattr(engines, "_CLEARLY_LEFT", np.inf)
    assert left == pytest.approx(engines._left_by_earlier(correlations), rel=1e-9, abs=1e-12)
    assert np.flatnonzero(left < engines._NOTHING_LEFT).tolist() == [7] * is_dependent
