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


def test_rows_with_gaps_have_no_likelihood_of_all_nodes() -> None:
    data = Dataset.of(FRAME, missing="keep")
    network = BayesianNetwork.fit(Dag(["a", "b", "n"], []), data)
    with pytest.raises(DataError, match=r"needs a value in every cell, and 2 are missing \(in 'a'\)"):
        network.log_likelihoods(data)
    assert np.isfinite(network.log_likelihoods(data.complete_rows())).all()


def test_gaps_of_the_target_do_not_matter_for_its_prediction() -> None:
    data = Dataset.of(FRAME.drop("n").filter(pl.col("b").is_not_null()), missing="keep")
    network = BayesianNetwork.fit(Dag(["a", "b"], [("a", "b")]), data)
    assert network.predict_proba(data, "a").shape == (7, 2)
    with pytest.raises(DataError, match="missing"):
        network.predict_proba(data, "b")
