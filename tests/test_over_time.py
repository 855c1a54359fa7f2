"""Networks over time, held against tables made by hand and against powers of matrices."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcwise import Dag, DataError, ParameterError, lagged, learn, plot_network

VISITS = pl.DataFrame(
    {
        "patient": ["p", "q", "p", "p", "q", "r"],
        "visit": [3, 1, 1, 2, 2, 1],
        "ill": ["c", "d", "a", "b", "e", "f"],
        "dose": [3.5, 11.5, 1.5, 2.5, 12.5, 0.5],
    }
)


def test_rows_have_those_before_them_beside_them() -> None:
    panel = lagged(VISITS, by="patient", time="visit")
    assert panel.data.names == ("ill.lag1", "dose.lag1", "ill", "dose")
    assert panel.data.to_frame().cast({"ill": str, "ill.lag1": str}).rows() == [
        ("a", 1.5, "b", 2.5),
        ("b", 2.5, "c", 3.5),
        ("d", 11.5, "e", 12.5),
    ]
    assert panel.data.states[0] == panel.data.states[2] == tuple("abcdef")
    two = lagged(VISITS, 2, by="patient", time="visit")
    assert two.data.names == ("ill.lag2", "dose.lag2", "ill.lag1", "dose.lag1", "ill", "dose")
    assert two.data.n_rows == 1
    assert two.layers == [("ill.lag2", "dose.lag2"), ("ill.lag1", "dose.lag1"), ("ill", "dose")]


def test_frames_of_any_kind_and_files_are_the_same(tmp_path: Path) -> None:
    VISITS.write_csv(tmp_path / "visits.csv")
    wanted = lagged(VISITS, by="patient", time="visit").data
    for frame in (VISITS.to_pandas(), VISITS.to_dict(as_series=False), tmp_path / "visits.csv"):
        assert lagged(frame, by="patient", time="visit").data == wanted


def test_without_columns_of_series_and_time_rows_are_one_series() -> None:
    panel = lagged({"x": list("abca")})
    assert panel.data.to_frame().cast(str).rows() == [("a", "b"), ("b", "c"), ("c", "a")]


def test_gaps_stay_gaps() -> None:
    panel = lagged({"x": ["a", None, "b", "b"]})
    assert panel.data.gaps is not None
    assert panel.data.gaps.tolist() == [[False, True], [True, False], [False, False]]


def test_arcs_lead_to_the_last_time_only() -> None:
    names = lagged(VISITS, 2, by="patient", time="visit").data.names
    for within in (True, False):
        rules = lagged(VISITS, 2, by="patient", time="visit", within=within).constraints.resolve(names)
        for child, parent in product(range(6), repeat=2):
            is_now = parent >= 4
            assert rules.is_allowed(child, parent) == (child >= 4 and child != parent and (within or not is_now))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"by": "patent"}, "no column 'patent'; did you mean 'patient'"),
        ({"by": "patient", "time": "dose", "lags": 3}, "Every series has at most 3 rows; lags=3 needs at least 4"),
        ({"by": "patient", "time": "patient"}, "the same time twice"),
        ({"by": "patient", "weights": "dose"}, "cannot have weights"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        lagged(VISITS, **given)


def test_other_wrong_arguments() -> None:
    with pytest.raises(ParameterError, match="lags must be at least 1"):
        lagged(VISITS, 0)
    with pytest.raises(ParameterError, match="frame must be a frame, a dict of columns or a path, not int"):
        lagged(3)
    with pytest.raises(DataError, match="missing values; every row must say"):
        lagged({"who": ["a", None], "x": [0, 1]}, by="who")
    panel = lagged({"x": list("abab"), "y": list("aabb")})
    with pytest.raises(ParameterError, match=r"not one over time: the arc 'x' -> 'x.lag1' is forbidden"):
        panel.network(Dag(panel.data.names, [("x", "x.lag1")]))
    network = panel.network(Dag(panel.data.names))
    with pytest.raises(DataError, match="no column 'y'"):
        network.predict({"x": ["a"]})
    with pytest.raises(ParameterError, match="no variable 'z'"):
        network.predict_proba({"x": ["a"], "y": ["a"]}, "z")


def chain(n_rows: int, seed: int) -> tuple[np.ndarray, pl.DataFrame]:
    """A Markov chain of three states, and rows of it."""
    matrix = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.4, 0.1, 0.5]])
    rng, state, found = np.random.default_rng(seed), 0, []
    for _ in range(n_rows):
        state = int(rng.choice(3, p=matrix[state]))
        found.append("abc"[state])
    return matrix, pl.DataFrame({"x": found})


def test_prediction_of_a_chain_is_a_power_of_its_matrix() -> None:
    _, rows = chain(2000, 1)
    panel = lagged(rows)
    network = panel.network(Dag(panel.data.names, [("x.lag1", "x")]), ess=0)
    matrix = network.transition.table("x")
    counts = np.zeros((3, 3))
    for one, other in zip(rows["x"][:-1], rows["x"][1:], strict=True):
        counts["abc".index(one), "abc".index(other)] += 1
    assert np.allclose(matrix, counts / counts.sum(axis=1, keepdims=True))
    for state in "abc":
        ahead = network.predict_proba({"x": ["a", state]}, "x", steps=5)
        assert ahead["step"].to_list() == [1, 2, 3, 4, 5]
        for step in range(5):
            power = np.linalg.matrix_power(matrix, step + 1)["abc".index(state)]
            assert np.allclose(ahead.select("a", "b", "c").row(step), power)


def test_a_chain_that_is_learned_is_near_the_true_one() -> None:
    matrix, rows = chain(5000, 2)
    panel = lagged(rows, 2)
    result = learn(panel.data, constraints=panel.constraints, seed=1)
    assert result.dag.arcs == (("x.lag1", "x"),)
    network = panel.network(result.dag)
    assert np.abs(network.transition.table("x") - matrix).max() < 0.05


def test_slices_are_tied_and_the_first_have_what_parents_there_are() -> None:
    rng = np.random.default_rng(3)
    panel = lagged({"x": rng.choice(list("ab"), 300).tolist(), "y": rng.choice(list("ab"), 300).tolist()}, 2)
    dag = Dag(panel.data.names, [("x.lag2", "y"), ("x.lag1", "x"), ("x", "y"), ("y.lag1", "y")])
    network = panel.network(dag)
    whole = network.unrolled(4)
    assert whole.dag.parents("y.t0") == ("x.t0",)
    assert whole.dag.parents("y.t1") == ("y.t0", "x.t1")
    assert whole.dag.parents("y.t2") == ("x.t0", "y.t1", "x.t2")
    assert whole.dag.parents("y.t3") == ("x.t1", "y.t2", "x.t3")
    assert np.array_equal(whole.table("y.t2"), whole.table("y.t3"))
    assert np.array_equal(whole.table("y.t3"), network.transition.table("y"))
    layers = network.layers(4)
    assert layers[1] == ["x.t1", "y.t1"]
    assert plot_network(whole, layers=layers).svg().count(">y.t3<") == 1
    assert repr(network) == "<DynamicNetwork: 2 variables, 2 lags, 4 arcs to each slice>"


def test_prediction_sums_over_all_that_is_not_known() -> None:
    """By brute force over the states of two variables at two times, and one series that is shorter than the lags."""
    rng = np.random.default_rng(4)
    rows = {
        "who": ["p"] * 60 + ["q"] * 60,
        "x": rng.choice(list("ab"), 120).tolist(),
        "y": rng.choice(list("abc"), 120).tolist(),
    }
    panel = lagged(rows, by="who")
    dag = Dag(panel.data.names, [("x.lag1", "x"), ("y.lag1", "x"), ("x", "y"), ("y.lag1", "y")])
    network = panel.network(dag)
    x, y = network.transition.table("x"), network.transition.table("y")  # axes x1 y1 x, and y1 x y
    ahead = network.predict_proba({"who": ["q", "p"], "x": ["b", "a"], "y": ["c", None]}, "y", steps=2)
    assert ahead["who"].to_list() == ["q", "q", "p", "p"]
    two = np.zeros(3)
    for x1, y1, x2 in product(range(2), range(3), range(2)):
        two += x[1, 2, x1] * y[2, x1, y1] * x[x1, y1, x2] * y[y1, x2]
    assert np.allclose(ahead.select("a", "b", "c").row(1), two)
    best = network.predict({"who": ["q"], "x": ["b"], "y": ["c"]}, steps=2)
    assert best["y"][1] == "abc"[int(two.argmax())]


def test_numbers_are_predicted_by_their_means() -> None:
    rng = np.random.default_rng(5)
    x = [0.0]
    for _ in range(400):
        x.append(1.0 + 0.5 * x[-1] + rng.normal(0, 0.1))
    panel = lagged(pd.DataFrame({"x": x}))
    network = panel.network(Dag(panel.data.names, [("x.lag1", "x")]))
    slope, intercept = np.polyfit(x[:-1], x[1:], 1)
    one = intercept + slope * 7.0
    found = network.predict({"x": [7.0]}, steps=2, backend="pandas")
    assert found["x"].tolist() == pytest.approx([one, intercept + slope * one])
    with pytest.raises(ParameterError, match="continuous"):
        network.predict_proba({"x": [7.0]}, "x")
