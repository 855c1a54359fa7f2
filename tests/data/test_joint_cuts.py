"""Cuts by what other columns say: MDLP by hand and on iris, Hartemink by brute force."""

from itertools import pairwise
from math import log, log2
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import mutual_info_score

from arcwise import BayesianNetworkClassifier, Dataset, Hartemink, Mdlp, ParameterError, Quantile
from arcwise.data.discretise import Discretisation
from arcwise.data.mdlp import mdlp_cuts
from arcwise.support.errors import DataError


def cuts_of(data: Dataset) -> dict[str, tuple[float, ...]]:
    return {step.column: step.cuts for step in data.steps if isinstance(step, Discretisation)}


def test_a_cut_by_hand() -> None:
    # Six rows, cut after the third: no entropy is left. The gain is 1 bit; it costs (log2(5) + log2(7) - 2) / 6.
    assert (log2(5) + log2(7) - 2) / 6 < 1
    assert mdlp_cuts(np.arange(6.0), np.array([0, 0, 0, 1, 1, 1]), np.ones(6)) == (2.5,)
    # One row against one: the gain of 1 bit is less than (log2(1) + log2(7) - 2) / 2 = 0.4, no: it is more.
    assert mdlp_cuts(np.array([0.0, 1.0]), np.array([0, 1]), np.ones(2)) == (0.5,)
    # Two of three below and one of three above: a gain of 0.08 bits does not pay.
    assert mdlp_cuts(np.arange(6.0), np.array([0, 1, 0, 1, 0, 1]), np.ones(6)) == ()


def test_weights_are_repeated_rows() -> None:
    random = np.random.default_rng(1)
    values, weights = random.normal(size=60).round(1), random.integers(0, 4, 60)
    classes = (values + random.normal(size=60) > 0).astype(int)
    repeated = np.repeat(values, weights), np.repeat(classes, weights), np.ones(weights.sum())
    kept = weights > 0
    assert mdlp_cuts(values[kept], classes[kept], weights[kept]) == mdlp_cuts(*repeated)


def test_the_cuts_of_iris_are_those_that_others_publish() -> None:
    # R's package `discretization` (mdlp) has 5.55, 6.15; 2.95, 3.35; 2.45, 4.75; 0.80, 1.75 on this table.
    frame = load_iris(as_frame=True).frame
    found = [[round(cut, 2) for cut in cuts] for cuts in cuts_of(Dataset.of(frame, discretise="mdlp")).values()]
    assert found == [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]


def by_definition(values: npt.NDArray[Any], classes: npt.NDArray[Any]) -> list[float]:
    """MDLP, as slowly as it is written down."""

    def entropy(part: npt.NDArray[Any]) -> float:
        shares = [float((part == one).mean()) for one in set(part.tolist())]
        return -sum(share * log2(share) for share in shares)

    points = sorted(set(values.tolist()))
    best = None
    for low, high in pairwise(points):
        below, above = classes[values <= low], classes[values > low]
        within = (len(below) * entropy(below) + len(above) * entropy(above)) / len(classes)
        if best is None or within < best[0] - 1e-12:
            best = within, (low + high) / 2, below, above
    if best is None:
        return []
    within, cut, below, above = best
    n, k = len(classes), len(set(classes.tolist()))
    parts = [len(set(part.tolist())) * entropy(part) for part in (below, above)]
    delta = log2(3**k - 2) - (k * entropy(classes) - sum(parts))
    if not entropy(classes) - within > (log2(n - 1) + delta) / n:
        return []
    left, right = values <= cut, values > cut
    return [*by_definition(values[left], below), cut, *by_definition(values[right], above)]


@pytest.mark.parametrize("seed", range(8))
def test_mdlp_is_its_definition(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(size=80).round(1)
    classes = np.digitize(values + 0.4 * random.normal(size=80), [-0.5, 0.5])
    assert list(mdlp_cuts(values, classes, np.ones(80))) == pytest.approx(by_definition(values, classes))


def test_the_target_is_the_last_column_or_the_one_that_is_named() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=200)
    rows = {"first": np.where(x > 1, "a", "b"), "x": x, "last": np.where(x > -1, "a", "b")}
    last, first = (cuts_of(Dataset.of(rows, discretise=method))["x"] for method in ("mdlp", Mdlp("first")))
    assert len(last) == len(first) == 1
    assert last[0] < 0 < first[0]
    again = Dataset.of(rows, discretise={"x": Mdlp("first")})
    assert cuts_of(again)["x"] == first
    assert Dataset.of(rows, like=again).codes.tolist() == again.codes.tolist()
    with pytest.raises(ParameterError, match="target of Mdlp must be a column with states, not 'x'"):
        Dataset.of({"x": x}, discretise="mdlp")


@pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")
def test_missing_values_are_left_out_and_what_says_nothing_is_one_state() -> None:
    x = np.array([0.1, 0.2, 0.3, np.nan, 2.1, 2.2, 2.3, 2.4])
    rows = {"x": x, "noise": [0.5, 1.5] * 4, "y": ["a", "a", "a", "b", "b", "b", "b", None]}
    data = Dataset.of(rows, discretise="mdlp", missing="keep")
    assert cuts_of(data) == {"x": (pytest.approx(1.2),), "noise": ()}
    assert data.states[1] == ("all",)


@pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")
def test_a_classifier_cuts_by_its_classes() -> None:
    x, y = load_iris(return_X_y=True, as_frame=True)
    classifier = BayesianNetworkClassifier(method="naive-bayes", discretise="mdlp").fit(x, y)
    assert classifier.score(x, y) > 0.93


# Jointly


def jointly(frame: pd.DataFrame, n_states: int, initial: int) -> dict[str, list[float]]:
    """Hartemink's cuts, each mutual information computed from the rows."""
    cuts = {name: list(Quantile(initial).cuts(frame[name].to_numpy())) for name in frame}
    coded = {name: np.searchsorted(cuts[name], frame[name].to_numpy(), side="left") for name in frame}

    def information(name: Any, codes: npt.NDArray[Any]) -> float:
        return float(sum(mutual_info_score(codes, coded[other]) for other in frame if other != name))

    while any(len(points) >= n_states for points in cuts.values()):
        for name in frame:
            if len(cuts[name]) < n_states:
                continue
            tried = []
            for at in range(len(cuts[name])):
                fewer = cuts[name][:at] + cuts[name][at + 1 :]
                tried.append(information(name, np.searchsorted(fewer, frame[name].to_numpy(), side="left")))
            best = next(at for at, value in enumerate(tried) if value >= max(tried) - 1e-12)
            del cuts[name][best]
            coded[name] = np.searchsorted(cuts[name], frame[name].to_numpy(), side="left")
    return {str(name): points for name, points in cuts.items()}


@pytest.mark.parametrize("seed", range(3))
def test_hartemink_is_the_least_loss_of_mutual_information(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=120)
    frame = pd.DataFrame({"x": x, "y": np.sin(2 * x) + 0.2 * random.normal(size=120), "z": random.normal(size=120)})
    found = cuts_of(Dataset.of(frame, discretise=Hartemink(3, initial=8)))
    assert {name: list(cuts) for name, cuts in found.items()} == jointly(frame, 3, 8)


def test_hartemink_finds_what_quantiles_lose() -> None:
    x = np.random.default_rng(1).uniform(-1, 1, 1000)
    frame = pd.DataFrame({"x": x, "y": (np.abs(x) > 0.8) * 1.5 + 0.1 * np.random.default_rng(2).normal(size=1000)})
    both = [Dataset.of(frame, discretise=method) for method in (Hartemink(3), Quantile(3))]
    kept, lost = (mutual_info_score(data.codes[:, 0], data.codes[:, 1]) for data in both)
    assert kept > 0.4 > log(2) / 2 > lost
    assert cuts_of(both[0])["x"] == pytest.approx((-0.8, 0.8), abs=0.05)


@pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")
def test_columns_with_states_count_and_rows_with_gaps_do_not() -> None:
    x = np.random.default_rng(1).uniform(0, 10, 400)
    rows: dict[str, Any] = {"x": x.copy(), "ward": np.where(x > 7, "a", "b")}
    rows["x"][5] = np.nan
    assert cuts_of(Dataset.of(rows, discretise=Hartemink(2), missing="keep"))["x"] == pytest.approx((7,), abs=0.4)
    with pytest.raises(DataError, match="cannot be cut jointly"):
        Dataset.of(
            {"x": [np.nan, 0.5], "y": [0.5, np.nan]}, discretise={"x": Hartemink(2), "y": Hartemink(2)}, missing="keep"
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hartemink(1), "n_states of Hartemink must be a whole number from 2"),
        (lambda: Hartemink(5, initial=3), r"initial of Hartemink must be at least n_states \(5\)"),
        (lambda: Mdlp("y").cuts([0.5, 1.5]), "cuts columns by what others say"),
    ],
)
def test_wrong_options_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()
