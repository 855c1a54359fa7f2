"""Tables fitted to data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network import BayesianNetwork
from arcwise.simulation.random import random_dag, random_data
from arcwise.support.errors import DataError, ParameterError

# a has states 0 1; b has states 0 1 2, of which 2 never occurs; c depends on both.
ROWS = [[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0]]
DATA = Dataset.from_codes(ROWS, names=["a", "b", "c"], arities=[2, 3, 2])
DAG = Dag(["a", "b", "c"], [("a", "c"), ("b", "c")])


def test_maximum_likelihood_is_the_share_of_each_state() -> None:
    network = BayesianNetwork.fit(DAG, DATA)
    assert network.states == DATA.states
    assert network.table("a").tolist() == [4 / 5, 1 / 5]
    assert network.table("b").tolist() == [4 / 5, 1 / 5, 0]
    assert network.table("c")[0].tolist() == [[2 / 3, 1 / 3], [0, 1], [0.5, 0.5]]


def test_configurations_never_seen_are_uniform_without_a_prior() -> None:
    assert BayesianNetwork.fit(DAG, DATA).table("c")[1].tolist() == [[1, 0], [0.5, 0.5], [0.5, 0.5]]


def test_an_equivalent_sample_size_is_spread_over_the_cells() -> None:
    network = BayesianNetwork.fit(DAG, DATA, ess=6)  # 3 for each state of a, 2 of b, 1/2 for each cell of c
    assert network.table("a").tolist() == pytest.approx([7 / 11, 4 / 11])
    assert network.table("b").tolist() == pytest.approx([6 / 11, 3 / 11, 2 / 11])
    assert network.table("c")[0, 0].tolist() == pytest.approx([2.5 / 4, 1.5 / 4])
    assert network.table("c")[1, 2].tolist() == [0.5, 0.5]


def test_a_pseudo_count_is_added_to_each_cell() -> None:
    network = BayesianNetwork.fit(DAG, DATA, pseudo_count=1)
    assert network.table("b").tolist() == pytest.approx([5 / 8, 2 / 8, 1 / 8])
    assert network.table("c")[0, 0].tolist() == pytest.approx([3 / 5, 2 / 5])


def test_weights_count_as_repeated_rows() -> None:
    weights = [2, 1, 0, 3, 4]
    weighted = Dataset.from_codes(ROWS, names=["a", "b", "c"], arities=[2, 3, 2], weights=weights)
    repeated = Dataset.from_codes(np.repeat(ROWS, weights, axis=0), names=["a", "b", "c"], arities=[2, 3, 2])
    assert BayesianNetwork.fit(DAG, weighted, ess=1) == BayesianNetwork.fit(DAG, repeated, ess=1)


def test_variables_are_matched_by_name() -> None:
    backwards = Dataset.from_codes(np.fliplr(ROWS), names=["c", "b", "a"], arities=[2, 3, 2])
    assert BayesianNetwork.fit(DAG, backwards) == BayesianNetwork.fit(DAG, DATA)


@pytest.mark.parametrize(
    ("names", "message"), [(["a", "b"], "no column for 'c'"), (["a", "b", "c", "d"], "columns 'd' are not nodes")]
)
def test_other_variables_than_nodes_are_refused(names: list[str], message: str) -> None:
    data = Dataset.from_codes([[0] * len(names), [1] * len(names)], names=names)
    with pytest.raises(DataError, match=message):
        BayesianNetwork.fit(DAG, data)


def test_something_else_than_a_table_is_refused() -> None:
    with pytest.raises(DataError, match="cannot be read as a frame; give a pandas, polars or pyarrow frame"):
        BayesianNetwork.fit(DAG, DAG)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"ess": -1}, "ess must be a finite number of at least 0, not -1"),
        ({"ess": float("nan")}, "ess must be"),
        ({"pseudo_count": float("inf")}, "pseudo_count must be"),
        ({"pseudo_count": "one"}, "pseudo_count must be a finite number of at least 0, not 'one'"),
        ({"ess": 1, "pseudo_count": 1}, "give ess or pseudo_count, not both"),
    ],
)
def test_impossible_priors_are_refused(prior: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        BayesianNetwork.fit(DAG, DATA, **prior)


def test_tables_too_large_for_memory_are_refused_with_their_size() -> None:
    data = random_data(10, 11, arities=100, seed=1)
    dag = Dag.from_parents(data.names, [[]] * 10 + [range(10)])
    with pytest.raises(ParameterError, match=f"{8 * 100**11} for 'X10' with its 10 parents"):
        BayesianNetwork.fit(dag, data)


@given(st.integers(0, 2**32), st.floats(0, 10))
@settings(max_examples=30, deadline=None)
def test_maximum_likelihood_is_not_beaten_by_a_prior(seed: int, ess: float) -> None:
    data = random_data(30, 4, arities=range(1, 4), seed=seed)
    dag = random_dag(4, 4, seed=seed)
    best = BayesianNetwork.fit(dag, data).log_likelihood(data)
    assert best >= BayesianNetwork.fit(dag, data, ess=ess).log_likelihood(data) - 1e-9


@pytest.mark.parametrize("prior", [{}, {"ess": 7}, {"pseudo_count": 1}], ids=str)
def test_pyagrum_fits_the_same_tables(prior: dict[str, float]) -> None:
    pd = pytest.importorskip("pandas")
    pyagrum = pytest.importorskip("pyagrum")
    data = random_data(500, 4, arities=[2, 3, 2, 4], seed=3)
    dag = Dag(data.names, [("X0", "X2"), ("X1", "X2"), ("X2", "X3")])
    learner = pyagrum.BNLearner(pd.DataFrame(np.asarray(data.codes), columns=list(data.names)).astype(str))
    if "ess" in prior:
        learner.useBDeuPrior(prior["ess"])
    elif "pseudo_count" in prior:
        learner.useSmoothingPrior(prior["pseudo_count"])
    else:
        learner.useNoPrior()
    graph = pyagrum.DAG()
    graph.addNodes(4)
    for child, parents in enumerate(dag.parent_indices):
        for parent in parents:
            graph.addArc(parent, child)
    model = learner.learnParameters(graph)
    network = BayesianNetwork.fit(dag, data, **prior)
    for name in dag.names:
        axes = [*reversed(model.cpt(name).names)]
        theirs = model.cpt(name).toarray().transpose([axes.index(member) for member in (*dag.parents(name), name)])
        assert model.variable(name).labels() == network.states[dag.names.index(name)]
        np.testing.assert_allclose(theirs, network.table(name), atol=1e-12)
