"""Networks to and from pgmpy and pyAgrum, and inference there."""

import logging
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import interop
from arcwise.graph import Dag
from arcwise.interop import from_pgmpy, from_pyagrum, to_networkx, to_pgmpy, to_pyagrum
from arcwise.network import BayesianNetwork, ConditionalGaussian
from arcwise.simulation.examples import load_example
from arcwise.simulation.gaussian import random_gaussian_network
from arcwise.simulation.random import random_network
from arcwise.support.errors import ArcwiseError, GraphError, MissingLibraryError, ParameterError
from network_cases import MIXED
from oracles_network import joint_distribution
from oracles_network_gaussian import joint_gaussian

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pgmpy.factors.continuous
    import pgmpy.factors.discrete
    import pgmpy.inference
    import pgmpy.models
    import pyagrum

gum: Any = pyagrum  # its functions have no types
logging.getLogger("pgmpy").setLevel(logging.ERROR)

Posterior = Callable[[BayesianNetwork, str, Mapping[str, str]], dict[str, float]]


def by_brute_force(network: BayesianNetwork, target: str, evidence: Mapping[str, str]) -> dict[str, float]:
    """Distribution of a node given others: a sum over all joint states."""
    place = {name: index for index, name in enumerate(network.names)}
    weights = dict.fromkeys(network.states[place[target]], 0.0)
    for row, probability in joint_distribution(network).items():
        if all(row[place[name]] == state for name, state in evidence.items()):
            weights[row[place[target]]] += probability
    total = sum(weights.values())
    return {state: weight / total for state, weight in weights.items()}


def by_pgmpy(network: BayesianNetwork, target: str, evidence: Mapping[str, str]) -> dict[str, float]:
    model = to_pgmpy(network)
    assert model.check_model()
    found = pgmpy.inference.VariableElimination(model).query([target], evidence=dict(evidence), show_progress=False)
    return {state: found.get_value(**{target: state}) for state in network.states[network.names.index(target)]}


def by_pyagrum(network: BayesianNetwork, target: str, evidence: Mapping[str, str]) -> dict[str, float]:
    model = to_pyagrum(network)
    propagation = gum.LazyPropagation(model)
    propagation.setEvidence(dict(evidence))
    found = propagation.posterior(target).tolist()
    return dict(zip(model.variable(target).labels(), found, strict=True))


@st.composite
def networks(draw: st.DrawFn) -> BayesianNetwork:
    """Networks whose nodes are not in topological order, with signs and blanks in names, states in any order."""
    drawn = random_network(5, draw(st.integers(0, 8)), arities=range(2, 4), seed=draw(st.integers(0, 2**32)))
    labels = draw(st.permutations(["z", "a b", "é", "x-1", "Y", "10", "9"]))
    states = draw(st.permutations(["no", "yes, sir", "10", "9", "<1"]))
    dag = Dag.from_parents(labels[:5], drawn.dag.parent_indices)
    return BayesianNetwork(dag, [states[:arity] for arity in drawn.arities], drawn.tables)


@pytest.mark.parametrize("posterior", [by_pgmpy, by_pyagrum])
@pytest.mark.parametrize(
    ("name", "target", "evidence"),
    [
        ("asia", "lung", {"xray": "yes", "asia": "yes"}),
        ("asia", "dysp", {"smoke": "no"}),
        ("asia", "tub", {}),
        ("cancer", "Cancer", {"Xray": "positive", "Smoker": "True"}),
        ("cancer", "Pollution", {"Dyspnoea": "True"}),
    ],
)
def test_inference_agrees_with_a_sum_over_all_states(
    posterior: Posterior, name: str, target: str, evidence: dict[str, str]
) -> None:
    network = load_example(name)
    assert posterior(network, target, evidence) == pytest.approx(by_brute_force(network, target, evidence))


@pytest.mark.parametrize("posterior", [by_pgmpy, by_pyagrum])
@given(networks(), st.integers(0, 4), st.integers(1, 4), st.booleans())
@settings(max_examples=25, deadline=None)
def test_inference_agrees_on_random_networks(
    posterior: Posterior, network: BayesianNetwork, target: int, step: int, seen: bool
) -> None:
    other = (target + step) % 5
    evidence = {network.names[other]: network.states[other][-1]} if seen else {}
    name = network.names[target]
    assert posterior(network, name, evidence) == pytest.approx(by_brute_force(network, name, evidence))


@given(networks())
@settings(max_examples=50, deadline=None)
def test_both_ways_give_the_same_network(network: BayesianNetwork) -> None:
    assert from_pgmpy(to_pgmpy(network)) == network
    assert from_pyagrum(to_pyagrum(network)) == network


def test_nodes_with_one_state_and_the_examples() -> None:
    for network in (
        random_network(6, 9, arities=range(1, 4), seed=7),
        BayesianNetwork(Dag(["a", "b"], [("b", "a")]), [["only"]] * 2, [[[1.0]], [1.0]]),
        load_example("alarm"),
    ):
        assert from_pgmpy(to_pgmpy(network)) == network
        assert from_pyagrum(to_pyagrum(network)) == network


@pytest.mark.parametrize("seed", range(5))
def test_pgmpy_makes_the_same_joint_gaussian(seed: int) -> None:
    network = random_gaussian_network(6, 9, seed=seed)
    model = to_pgmpy(network)
    assert isinstance(model, pgmpy.models.LinearGaussianBayesianNetwork)
    assert from_pgmpy(model) == network
    mean, covariance = model.to_joint_gaussian()  # in a topological order of its own
    order = [network.names.index(name) for name in nx.topological_sort(model)]
    _, expected_mean, expected_covariance = joint_gaussian(network, {})
    np.testing.assert_allclose(mean, expected_mean[order], atol=1e-7)
    np.testing.assert_allclose(covariance, expected_covariance[np.ix_(order, order)], atol=1e-7)
    data = network.sample(50, seed=seed)
    frame = pd.DataFrame(data.numbers, columns=list(data.names))
    assert network.log_likelihood(data) == pytest.approx(model.log_likelihood(frame))


def test_a_linear_gaussian_model_made_in_pgmpy() -> None:
    model = pgmpy.models.LinearGaussianBayesianNetwork([("b", "c"), ("a", "c")])
    model.add_cpds(pgmpy.factors.continuous.LinearGaussianCPD("a", [1], 4))
    model.add_cpds(pgmpy.factors.continuous.LinearGaussianCPD("b", [2], 0.5))
    with pytest.raises(ParameterError, match="the node 'c' of the model has no distribution; add one with add_cpds"):
        from_pgmpy(model)
    model.add_cpds(pgmpy.factors.continuous.LinearGaussianCPD("c", [0.25, -1, 3], 2, ["a", "b"]))
    network = from_pgmpy(model)
    assert network.names == ("b", "c", "a")
    assert network.distribution("b") == ConditionalGaussian(2.0, [], 0.5)
    assert network.distribution("c") == ConditionalGaussian(0.25, [3.0, -1.0], 2.0)  # b comes before a
    model.get_cpds("c").beta = np.array([1.0, 2.0])
    with pytest.raises(ParameterError, match="'c' of the model has 2 parents and 1 coefficients"):
        from_pgmpy(model)


def test_what_other_libraries_have_no_model_for_is_refused() -> None:
    with pytest.raises(ParameterError, match="pgmpy has no model for discrete and continuous nodes together"):
        to_pgmpy(MIXED)
    with pytest.raises(ParameterError, match=r"a BayesNet of pyAgrum has discrete nodes only, and 'X\d'"):
        to_pyagrum(MIXED)


def test_a_model_made_in_pgmpy() -> None:
    model = pgmpy.models.DiscreteBayesianNetwork([("b", "c"), ("a", "c")])
    table = pgmpy.factors.discrete.TabularCPD
    model.add_cpds(
        table("a", 2, [[0.25], [0.75]], state_names={"a": ["no", "yes"]}),
        table("b", 3, [[0.5], [0.25], [0.25]]),
        table(
            "c",
            2,
            [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]],
            evidence=["a", "b"],
            evidence_card=[2, 3],
            state_names={"a": ["no", "yes"], "b": [0, 1, 2], "c": ["x", "y"]},
        ),
    )
    network = from_pgmpy(model)
    assert network.names == ("b", "c", "a")
    assert network.states == (("0", "1", "2"), ("x", "y"), ("no", "yes"))
    assert network.table("c")[..., 0].tolist() == [[0.1, 0.4], [0.2, 0.5], [0.3, 0.6]]


def test_a_model_made_in_pyagrum() -> None:
    model = gum.fastBN("a{no|yes}->c{x|y};b[1,3]->c")
    for a in (0, 1):
        for b in (0, 1, 2):
            first = 0.1 * (1 + 3 * a + b)
            model.cpt("c")[{"a": a, "b": b}] = [first, 1 - first]
    network = from_pyagrum(model)
    assert network.dag.arcs == (("a", "c"), ("b", "c"))
    assert dict(zip(network.names, network.states, strict=True))["b"] == ("1", "2", "3")
    table = network.table("c")
    table = table if network.dag.parents("c") == ("a", "b") else table.transpose(1, 0, 2)
    for a in (0, 1):
        for b in (0, 1, 2):
            assert table[a, b, 0] == pytest.approx(0.1 * (1 + 3 * a + b))


def test_what_pgmpy_allows_and_a_network_cannot_hold() -> None:
    model = pgmpy.models.DiscreteBayesianNetwork([("a", "b")])
    with pytest.raises(ParameterError, match="pgmpy finds fault with the model: No CPD associated with a"):
        from_pgmpy(model)
    with pytest.raises(GraphError, match="the node 0 must be a string, not int"):
        from_pgmpy(pgmpy.models.DiscreteBayesianNetwork([(0, 1)]))


def test_tables_that_pyagrum_never_filled() -> None:
    model = gum.BayesNet()
    model.add(gum.LabelizedVariable("a", "", 2))
    with pytest.raises(ParameterError, match="the table of 'a' must hold probabilities"):
        from_pyagrum(model)


@pytest.mark.parametrize("labels", [("a\0b", "x"), ("a", "x\0y")])
def test_a_zero_byte_is_refused_for_pyagrum(labels: tuple[str, str]) -> None:
    network = BayesianNetwork(Dag([labels[0]]), [[labels[1], "z"]], [[0.5, 0.5]])
    with pytest.raises(ParameterError, match="zero byte"):
        to_pyagrum(network)
    assert from_pgmpy(to_pgmpy(network)) == network


@pytest.mark.parametrize("convert", [from_pgmpy, from_pyagrum, to_pgmpy, to_pyagrum])
def test_other_objects_are_refused(convert: Callable[[object], object]) -> None:
    with pytest.raises(ParameterError, match="must be a"):
        convert(to_networkx(load_example("cancer")))


@pytest.mark.parametrize(
    ("module", "function", "message"),
    [
        ("networkx", "to_networkx", "this needs networkx, which is not installed"),
        ("pgmpy.models", "to_pgmpy", "this needs pgmpy, which is not installed"),
        ("pyagrum", "to_pyagrum", "this needs pyAgrum, which is not installed"),
    ],
)
def test_a_missing_library_is_told_with_the_command_that_installs_it(
    module: str, function: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # what Python itself takes for "not installed"
    with pytest.raises(MissingLibraryError, match=message) as caught:
        getattr(interop, function)(load_example("cancer"))
    assert "pip install 'arcwise[interop]'" in str(caught.value)
    assert isinstance(caught.value, ArcwiseError)
    assert isinstance(caught.value, ImportError)
