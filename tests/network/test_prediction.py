"""The posterior of one node given all others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network import BayesianNetwork
from arcwise.simulation.examples import load_example
from arcwise.simulation.random import random_network
from arcwise.support.errors import DataError, GraphError, ParameterError
from oracles_network import posterior

YES_NO = ["no", "yes"]
SPRINKLER = BayesianNetwork(
    Dag(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")]),
    [YES_NO] * 3,
    [[0.75, 0.25], [0.5, 0.5], [[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.25, 0.75]]]],
)


def labels(data: Dataset, row: int) -> dict[str, str]:
    """One row as a dict from names to labels."""
    codes = data.codes[row].tolist()
    return {name: states[code] for name, states, code in zip(data.names, data.states, codes, strict=True)}


def test_by_hand() -> None:
    data = Dataset.of({"sprinkler": ["no", "yes", "yes"], "wet": ["yes", "yes", "no"]})
    # Rain and wet: 0.75 * 0 against 0.25 * 0.5; 0.75 * 0.5 against 0.25 * 0.75; 0.75 * 0.5 against 0.25 * 0.25.
    expected = [[0.0, 1.0], [2 / 3, 1 / 3], [6 / 7, 1 / 7]]
    np.testing.assert_allclose(SPRINKLER.predict_proba(data, "rain"), expected, rtol=1e-12)
    assert SPRINKLER.predict(data, "rain").tolist() == ["yes", "no", "no"]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_it_is_the_share_of_the_joint_distribution(seed: int, target: int) -> None:
    network = random_network(6, 8, arities=range(1, 4), seed=seed)
    data = network.sample(15, seed=seed)
    name = network.names[target]
    found = network.predict_proba(data, name)
    expected = [posterior(network, labels(data, row), name) for row in range(data.n_rows)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    best = np.array(network.states[target])[np.argmax(found, axis=1)]
    assert network.predict(data, name).tolist() == best.tolist()


def test_pyagrum_infers_the_same() -> None:
    pyagrum = pytest.importorskip("pyagrum")
    network = load_example("asia")
    model = pyagrum.fastBN(";".join(f"{parent}->{child}" for parent, child in network.dag.arcs))
    for name in network.names:
        axes = (*network.dag.parents(name), name)
        backwards = network.table(name).transpose([axes.index(member) for member in reversed(model.cpt(name).names)])
        model.cpt(name)[:] = np.ascontiguousarray(backwards)
    data = network.sample(12, seed=3)
    for target in network.names:
        inference = pyagrum.LazyPropagation(model)
        expected = []
        for codes in data.codes.tolist():
            evidence = dict(zip(data.names, codes, strict=True))
            del evidence[target]
            inference.setEvidence(evidence)
            inference.makeInference()
            expected.append(inference.posterior(target).tolist())
        np.testing.assert_allclose(network.predict_proba(data, target), expected, rtol=1e-9, atol=1e-12)


def test_the_target_column_does_not_matter() -> None:
    with_target = Dataset.of({"wet": ["yes", "no"], "rain": ["unheard of", "yes"], "sprinkler": ["yes", "no"]})
    without = with_target.select(["sprinkler", "wet"])
    found = SPRINKLER.predict_proba(with_target, "rain")
    np.testing.assert_array_equal(found, SPRINKLER.predict_proba(without, "rain"))
    weighted = SPRINKLER.predict_proba(without.with_weights([7, 0]), "rain")
    np.testing.assert_array_equal(found, weighted)


def test_columns_are_matched_by_name_and_states_by_label() -> None:
    backwards = Dataset.from_codes([[0, 1]], names=["wet", "sprinkler"], states=[["yes", "no"], ["yes", "no"]])
    np.testing.assert_allclose(SPRINKLER.predict_proba(backwards, "rain"), [[0.0, 1.0]])


def test_many_children_do_not_underflow() -> None:
    n_children = 2000
    names = ["cause", *(f"effect{child}" for child in range(n_children))]
    network = BayesianNetwork(
        Dag(names, [("cause", name) for name in names[1:]]),
        [YES_NO] * len(names),
        [[0.5, 0.5], *[[[0.75, 0.25], [0.25, 0.75]]] * n_children],
    )
    codes = np.tile([0, 1], (2, n_children // 2))
    codes[1, 0] = 1
    data = Dataset.from_codes(codes, names=names[1:], states=[YES_NO] * n_children)
    # As many effects for as against; then two more for, each three times as probable with the cause.
    np.testing.assert_allclose(network.predict_proba(data, "cause"), [[0.5, 0.5], [0.1, 0.9]], rtol=1e-6)


def test_of_equally_probable_states_the_first_is_predicted() -> None:
    network = BayesianNetwork(Dag(["a", "b"]), [["z", "y"], ["0", "1"]], [[0.5, 0.5], [0.5, 0.5]])
    assert network.predict(Dataset.of({"b": [0, 1]}), "a").tolist() == ["z", "z"]


def test_a_row_that_is_impossible_either_way_is_named() -> None:
    broken = BayesianNetwork(Dag(["a", "b"], [("a", "b")]), [YES_NO, YES_NO], [[0.5, 0.5], [[1.0, 0.0], [1.0, 0.0]]])
    with pytest.raises(DataError, match=r"^Row 1 \(rows count from 0\) is impossible .* whatever 'a' is.*ess=1"):
        broken.predict_proba(Dataset.of({"b": ["no", "yes"]}), "a")


def test_unknown_states_columns_and_targets_are_named() -> None:
    data = Dataset.of({"sprinkler": ["no", "yes"], "wet": ["no", "soaked"]})
    with pytest.raises(DataError, match=r"Column 'wet', row 1 .*the state 'soaked'.*its states are 'no', 'yes'"):
        SPRINKLER.predict(data, "rain")
    with pytest.raises(DataError, match="the columns 'fog' are not nodes"):
        SPRINKLER.predict(Dataset.of({"sprinkler": ["no", "yes"], "wet": ["no", "yes"], "fog": [0, 1]}), "rain")
    with pytest.raises(GraphError, match="there is no node 'rian'; did you mean 'rain'"):
        SPRINKLER.predict(data, "rian")
    with pytest.raises(ParameterError, match=r"what is given must be a dict from nodes .* or a Dataset, not"):
        SPRINKLER.predict([["no", "yes"]], "rain")
