"""Tests of networks that meet tables with gaps: each family is fitted on the rows that have all of it."""

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from arcwise import BayesianNetwork, Dag, Dataset
from arcwise.network.distributions import Table
from arcwise.support.errors import DataError

FRAME = pl.DataFrame(
    {
        "a": ["x", "x", "x", "y", "y", None, "x", None],
        "b": ["u", "v", None, "u", "u", "v", "u", "v"],
        "n": [0.5, 1.5, 2.5, None, 1.0, 3.0, 4.5, None],
    }
)


def table_of(network: BayesianNetwork, node: int) -> npt.NDArray[np.float64]:
    distribution = network.distributions[node]
    assert isinstance(distribution, Table)
    return distribution.probabilities


def test_probabilities_are_shares_of_the_rows_that_have_the_family() -> None:
    data = Dataset.of(FRAME.drop("n"), missing="keep")
    network = BayesianNetwork.fit(Dag(["a", "b"], [("a", "b")]), data, ess=0)
    # Of a there are 4 x and 2 y; of (x, b) there are u, v, u and of (y, b) there are u, u.
    np.testing.assert_allclose(table_of(network, 0), [4 / 6, 2 / 6])
    np.testing.assert_allclose(table_of(network, 1), [[2 / 3, 1 / 3], [1.0, 0.0]])


def test_weights_and_interventions_count_as_before() -> None:
    data = Dataset.of(FRAME.drop("n"), missing="keep", weights=[1, 2, 3, 1, 1, 1, 1, 1], interventions={"b": [0, 3]})
    network = BayesianNetwork.fit(Dag(["a", "b"], [("a", "b")]), data, ess=0)
    np.testing.assert_allclose(table_of(network, 1), [[1 / 3, 2 / 3], [1.0, 0.0]])


def test_regressions_are_those_of_the_rows_that_have_the_family() -> None:
    data = Dataset.of(FRAME, missing="keep")
    graph = Dag(["a", "b", "n"], [("b", "n")])
    complete = Dataset.of(FRAME.drop("a").drop_nulls())
    found = BayesianNetwork.fit(graph, data).distributions[2]
    expected = BayesianNetwork.fit(Dag(["b", "n"], [("b", "n")]), complete).distributions[1]
    assert found == expected


def test_the_likelihood_of_a_row_with_gaps_is_that_of_what_is_known() -> None:
    data = Dataset.of(FRAME, missing="keep")
    network = BayesianNetwork.fit(Dag(["a", "b", "n"], [("a", "b"), ("b", "n")]), data, ess=1)
    found = network.log_likelihoods(data)
    complete = ~data.gaps.any(axis=1) if data.gaps is not None else None
    np.testing.assert_allclose(found[complete], network.log_likelihoods(data.complete_rows()), rtol=1e-9)
    # In row 2, b is missing: the sum over its two states.
    row = Dataset.of({"a": ["x", "x"], "b": ["u", "v"], "n": [2.5, 2.5]}, like=data)
    assert np.exp(found[2]) == pytest.approx(np.exp(network.log_likelihoods(row)).sum())
    assert np.exp(found[7]) == pytest.approx(network.query("b")["v"])  # only b is known there
    with pytest.raises(DataError, match="no column for 'n'"):
        network.log_likelihoods(data.select(["a", "b"]))


def test_what_was_set_has_no_probability_of_its_own_in_rows_with_gaps() -> None:
    data = Dataset.of(FRAME, missing="keep", interventions={"b": [1, 2, 5], "n": [0, 5]})
    network = BayesianNetwork.fit(Dag(["a", "b", "n"], [("a", "b"), ("b", "n")]), data, ess=1)
    complete = np.flatnonzero(~data.gaps.any(axis=1)) if data.gaps is not None else None
    found = network.log_likelihoods(data)
    np.testing.assert_allclose(found[complete], network.log_likelihoods(data.complete_rows()), rtol=1e-9, atol=1e-12)
    assert found[5] == pytest.approx(0.0, abs=1e-12)  # b and n were set, and a is missing


def test_gaps_are_not_known_in_predictions_and_are_filled_by_imputation() -> None:
    data = Dataset.of(FRAME.drop("n"), missing="keep")
    network = BayesianNetwork.fit(Dag(["a", "b"], [("a", "b")]), data, ess=1)
    found = network.predict_proba(data, "b")
    np.testing.assert_allclose(found[0], network.table("b")[0])
    np.testing.assert_allclose(found[5], list(network.query("b").values()))
    filled = network.impute(data)
    assert isinstance(filled, Dataset)
    assert not filled.has_gaps
    kept = data.gaps is not None and ~data.gaps
    np.testing.assert_array_equal(filled.codes[kept], data.codes[kept])
    assert network.query("b", data.select(["a"]))["b=u"].to_list() == pytest.approx(found[:, 0].tolist())
