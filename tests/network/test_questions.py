"""Questions to networks: posteriors, explanations, probabilities and draws, against enumeration and other libraries."""

import os
import pickle
import signal
import time
import warnings
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import BayesianNetwork, ConditionalGaussian, Dag, Dataset, load_example
from arcwise.network.answers import ContinuousPosterior, DiscretePosterior
from arcwise.network.interruptible import Interruptible, interruptible
from arcwise.simulation.gaussian import random_gaussian_network, random_mixed_network
from arcwise.simulation.random import random_network
from arcwise.support.errors import DataError, GraphError, ParameterError, TooWideError
from oracles_network import joint_distribution
from oracles_network_gaussian import Answers, enumerated

YES_NO = ["no", "yes"]
SPRINKLER = BayesianNetwork(
    Dag(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")]),
    [YES_NO] * 3,
    [[0.75, 0.25], [0.5, 0.5], [[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.25, 0.75]]]],
)
ASIA = load_example("asia")
BODY = BayesianNetwork(
    Dag(["sex", "height", "weight"], [("sex", "height"), ("sex", "weight"), ("height", "weight")]),
    [["f", "m"], [], []],
    [
        [0.5, 0.5],
        ConditionalGaussian([164.0, 178.0], [], [6.5, 7.0]),
        ConditionalGaussian([-48.0, -72.0], [[0.7], [0.87]], [11.0, 12.0]),
    ],
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[BayesianNetwork, dict[str, Any], dict[int, int], dict[int, float], Any]:
    """A small network of any kind, and what is known in a row of it: as a dict, and by index for the oracle."""
    network = random_mixed_network(
        6,
        draw(st.integers(0, 12)),
        share_continuous=draw(st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0])),
        arities=range(1, 4),
        seed=draw(st.integers(0, 2**32)),
    )
    row = network.sample(1, seed=draw(st.integers(0, 2**32)))
    codes: dict[int, int] = {}
    numbers: dict[int, float] = {}
    soft: dict[int, list[float]] = {}
    known: dict[str, Any] = {}
    for node, name in enumerate(network.names):
        kind = draw(st.sampled_from(["known", "not known", "soft"]))
        states = network.states[node]
        if kind == "known" and states:
            codes[node] = int(row.codes[0, node])
            known[name] = states[codes[node]]
        elif kind == "known":
            known[name] = numbers[node] = float(row.numbers_of(name)[0])
        elif kind == "soft" and states:
            soft[node] = [0.25 + 0.5 * state for state in range(len(states))]
            known[name] = dict(zip(states, soft[node], strict=True))
    return network, known, codes, numbers, soft


def unknown_nodes(network: BayesianNetwork, codes: dict[int, int], numbers: dict[int, float]) -> list[int]:
    return [node for node in range(len(network.names)) if node not in codes and node not in numbers]


@settings(deadline=None, max_examples=60)
@given(cases())
def test_posteriors_are_those_of_enumeration(case: Any) -> None:
    network, known, codes, numbers, soft = case
    expected = enumerated(network, codes, numbers, soft)
    for node in unknown_nodes(network, codes, numbers):
        found = network.query(network.names[node], known)
        if network.states[node]:
            shares = expected.probabilities([node], [len(network.states[node])])
            np.testing.assert_allclose(list(found.values()), shares, rtol=1e-7, atol=1e-12)
        else:
            mean, covariance = expected.moments([node])
            assert found.mean == pytest.approx(mean[0], rel=1e-6, abs=1e-6)
            assert found.deviation == pytest.approx(np.sqrt(covariance[0, 0]), rel=1e-6)


@settings(deadline=None, max_examples=40)
@given(cases())
def test_joint_posteriors_are_those_of_enumeration(case: Any) -> None:
    network, known, codes, numbers, soft = case
    expected = enumerated(network, codes, numbers, soft)
    left = unknown_nodes(network, codes, numbers)
    discrete = [node for node in left if network.states[node]][::-1]
    continuous = [node for node in left if not network.states[node]][::-1]
    if discrete:
        found = network.query([network.names[node] for node in discrete], known, joint=True)
        shares = expected.probabilities(discrete, [len(network.states[node]) for node in discrete])
        np.testing.assert_allclose(found.probabilities, shares, rtol=1e-7, atol=1e-12)
    if continuous:
        found = network.query([network.names[node] for node in continuous], known, joint=True)
        means, covariance = expected.moments(continuous)
        np.testing.assert_allclose(found.means, means, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(found.covariance, covariance, rtol=1e-5, atol=1e-6)


@settings(deadline=None, max_examples=40)
@given(cases())
def test_probabilities_and_explanations_are_those_of_enumeration(case: Any) -> None:
    network, known, codes, numbers, soft = case
    expected = enumerated(network, codes, numbers, soft)
    assert network.probability(known) == pytest.approx(expected.weights.sum(), rel=1e-7)
    found = network.most_probable(known)
    best = int(expected.weights.argmax())
    assert found.probability == pytest.approx(expected.weights[best] / expected.weights.sum(), rel=1e-7)
    left = unknown_nodes(network, codes, numbers)
    assert list(found) == [network.names[node] for node in left]
    states = {
        node: network.states[node].index(str(found[network.names[node]])) for node in left if network.states[node]
    }
    weights = _weights_with(expected, states)
    assert max(weights) == pytest.approx(expected.weights[best], rel=1e-7)
    chosen = weights.index(max(weights))
    for node in left:
        if not network.states[node]:
            assert found[network.names[node]] == pytest.approx(expected.means[chosen][node], rel=1e-6, abs=1e-6)


def _weights_with(expected: Answers, states: dict[int, int]) -> list[float]:
    """Weights of the configurations, 0 for those that have other states."""
    agree = [all(found[node] == state for node, state in states.items()) for found in expected.states]
    return [float(weight) if agrees else 0.0 for weight, agrees in zip(expected.weights, agree, strict=True)]


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.4, 0.6, 1.0]))
def test_rows_are_answered_as_each_by_itself(seed: int, share_continuous: float) -> None:
    network = random_mixed_network(6, 9, share_continuous=share_continuous, arities=range(2, 4), seed=seed)
    rows = network.sample(12, seed=seed).to_frame().to_dicts()
    rng = np.random.default_rng(seed)
    target = network.names[int(rng.integers(6))]
    rows = [{name: value for name, value in row.items() if name != target and rng.random() < 0.6} for row in rows]
    found = network.query(target, rows)
    for row, given_ in enumerate(rows):
        alone = network.query(target, given_)
        values = [alone.mean, alone.deviation] if isinstance(alone, ContinuousPosterior) else list(alone.values())
        np.testing.assert_allclose(found.row(row), values, rtol=1e-9, atol=1e-12)
    if network.states[network.names.index(target)]:
        np.testing.assert_allclose(network.predict_proba(rows, target), found.to_numpy(), rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_allclose(network.predict(rows, target), found.to_numpy()[:, 0], rtol=1e-7, atol=1e-7)


def test_a_textbook_network_has_the_published_posteriors() -> None:
    """Lauritzen and Spiegelhalter 1988, table 1 and section 4: asia before and after evidence."""
    prior = {name: ASIA.query(name)["yes"] for name in ASIA.names}
    published = {"tub": 0.0104, "lung": 0.0550, "either": 0.0648, "xray": 0.1103, "dysp": 0.4360, "bronc": 0.45}
    for name, value in published.items():
        assert prior[name] == pytest.approx(value, abs=6e-5)
    # A visit to Asia, and shortness of breath.
    seen = {"asia": "yes", "dysp": "yes"}
    assert ASIA.query("bronc", seen)["yes"] == pytest.approx(0.8114, abs=6e-4)
    assert ASIA.query("tub", seen)["yes"] == pytest.approx(0.0878, abs=6e-4)


def test_alarm_by_hand() -> None:
    """Russell and Norvig's burglar: both call, and the chance of a burglary is 0.284."""
    dag = Dag(["b", "e", "a", "j", "m"], [("b", "a"), ("e", "a"), ("a", "j"), ("a", "m")])
    alarm = [[[0.999, 0.001], [0.71, 0.29]], [[0.06, 0.94], [0.05, 0.95]]]
    tables: list[Any] = [[0.999, 0.001], [0.998, 0.002], alarm, [[0.95, 0.05], [0.1, 0.9]], [[0.99, 0.01], [0.3, 0.7]]]
    network = BayesianNetwork(dag, [YES_NO] * 5, tables)
    assert network.query("b", {"j": "yes", "m": "yes"})["yes"] == pytest.approx(0.284, abs=5e-4)


def test_pyagrum_infers_the_same() -> None:
    pyagrum = pytest.importorskip("pyagrum")
    rng = np.random.default_rng(1)
    for name in ("asia", "child", "insurance", "alarm"):
        published = load_example(name)  # tables sum to 1 only up to their rounding
        tables = [table / table.sum(axis=-1, keepdims=True) for table in published.tables]
        network = BayesianNetwork(published.dag, published.states, tables)
        model = arcwise.to_pyagrum(network)  # which the engine does not keep alive
        engine = pyagrum.LazyPropagation(model)
        row = network.sample(1, seed=1).to_frame().row(0, named=True)
        known = {node: row[node] for node in rng.choice(network.names, 4, replace=False)}
        engine.setEvidence(known)
        engine.makeInference()
        answers = network.query(None, known)
        assert set(answers) == set(network.names) - set(known)
        for node, answer in answers.items():
            assert isinstance(answer, DiscretePosterior)
            expected = [engine.posterior(node)[{node: state}] for state in answer]
            np.testing.assert_allclose(list(answer.values()), expected, atol=1e-9)
        assert network.probability(known) == pytest.approx(engine.evidenceProbability(), rel=1e-9)


def test_pyagrum_takes_soft_evidence_alike() -> None:
    pyagrum = pytest.importorskip("pyagrum")
    model = arcwise.to_pyagrum(ASIA)
    engine = pyagrum.LazyPropagation(model)
    engine.setEvidence({"smoke": [0.3, 0.9], "xray": "yes"})
    engine.makeInference()
    order = model.variable("smoke").labels()
    found = ASIA.query("lung", {"smoke": dict(zip(order, [0.3, 0.9], strict=True)), "xray": "yes"})
    assert found["yes"] == pytest.approx(engine.posterior("lung")[{"lung": "yes"}], abs=1e-9)


def test_pgmpy_explains_alike() -> None:
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination

    elimination = VariableElimination(arcwise.to_pgmpy(ASIA))
    others = [name for name in ASIA.names if name not in ("xray", "dysp")]
    expected = elimination.map_query(others, evidence={"xray": "yes", "dysp": "no"}, show_progress=False)
    assert dict(ASIA.most_probable({"xray": "yes", "dysp": "no"})) == expected


def test_pgmpy_conditions_gaussians_alike() -> None:
    """The mean and covariance of some nodes given others, in a linear Gaussian network."""
    pytest.importorskip("pgmpy")
    network = random_gaussian_network(7, 10, seed=2)
    mean, covariance = arcwise.to_pgmpy(network).to_joint_gaussian()
    import networkx

    order = list(networkx.topological_sort(arcwise.to_pgmpy(network)))
    seen, left = [order.index(name) for name in ("X1", "X4")], [order.index(name) for name in ("X0", "X6")]
    values = np.array([0.7, -1.3])
    mean, covariance = np.asarray(mean).ravel(), np.asarray(covariance)
    gain = covariance[np.ix_(left, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
    found = network.query(["X0", "X6"], {"X1": 0.7, "X4": -1.3}, joint=True)
    np.testing.assert_allclose(found.means, mean[left] + gain @ (values - mean[seen]), rtol=1e-4, atol=1e-3)
    expected = covariance[np.ix_(left, left)] - gain @ covariance[np.ix_(seen, left)]
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-3, atol=1e-3)


# Kinds of tables.


FRAME = {"wet": ["yes", None, "no"], "sprinkler": ["no", "yes", None]}
# Rain: 0.75 * 0 against 0.25 * 0.5; 0.75 against 0.25; 0.75 * (1 + 0.5) against 0.25 * (0.5 + 0.25).
RAIN = [1.0, 0.25, 0.1875 / 1.3125]


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (FRAME, pl.DataFrame),
        ([{"wet": "yes", "sprinkler": "no"}, {"sprinkler": "yes"}, {"wet": "no", "sprinkler": None}], pl.DataFrame),
        (pl.DataFrame(FRAME), pl.DataFrame),
        (pd.DataFrame(FRAME, index=[7, 5, 3]), pd.DataFrame),
        (pd.DataFrame(FRAME).astype("category"), pd.DataFrame),
        (pa.table(FRAME), pa.Table),
    ],
    ids=["dict of columns", "list of dicts", "polars", "pandas", "pandas categories", "pyarrow"],
)
def test_tables_in_tables_out(table: Any, kind: Any) -> None:
    found: Any = SPRINKLER.query("rain", table)
    assert type(found) is kind
    columns = found.column_names if kind is pa.Table else list(found.columns)
    assert columns == ["rain=no", "rain=yes"]
    np.testing.assert_allclose(found["rain=yes"].to_numpy(), RAIN)
    np.testing.assert_allclose(SPRINKLER.predict_proba(table, "rain")[:, 1], RAIN)
    explained = SPRINKLER.most_probable(table)
    assert type(explained) is kind
    filled = SPRINKLER.impute(table)
    assert type(filled) is kind
    if kind is pd.DataFrame:
        for frame in (found, explained, filled):
            assert frame.index.tolist() == table.index.tolist()
    rain, wet = (list(map(str, np.asarray(filled[name]))) for name in ("rain", "wet"))
    assert (rain, wet) == (["yes", "no", "no"], ["yes", wet[1], "no"])
    assert list(map(str, np.asarray(explained["rain"]))) == rain


def test_several_targets_of_a_frame_have_columns_each() -> None:
    found = BODY.query(["sex", "weight"], pl.DataFrame({"height": [170.0, None]}))
    assert found.columns == ["sex=f", "sex=m", "weight mean", "weight deviation"]
    alone = BODY.query("weight", {"height": 170.0})
    assert found.row(0)[2:] == pytest.approx((alone.mean, alone.deviation))
    together = BODY.query(["height", "weight"], pl.DataFrame({"sex": ["f", "m"]}), joint=True)
    assert together.columns == [
        "height mean",
        "weight mean",
        "height deviation",
        "weight deviation",
        "height, weight covariance",
    ]
    # 0.7 * 6.5 ** 2 and 0.87 * 7 ** 2.
    assert together["height, weight covariance"].to_list() == pytest.approx([29.575, 42.63])
    joint = SPRINKLER.query(["rain", "sprinkler"], [{"wet": "yes"}], joint=True)
    assert joint.columns == [f"rain={one}, sprinkler={other}" for one, other in product(YES_NO, YES_NO)]
    assert sum(joint.row(0)) == pytest.approx(1)


def test_columns_of_the_same_name_are_refused() -> None:
    network = BayesianNetwork(Dag(["a", "a=b"]), [["b=c", "d"], ["c", "d"]], [[0.5, 0.5]] * 2)
    assert network.query("a=b", [{}]).columns == ["a=b=c", "a=b=d"]
    with pytest.raises(ParameterError, match="two columns would be called 'a=b=c'; ask for 'a=b' by itself"):
        network.query(None, [{}])


def test_numbers_and_truth_values_are_states_by_their_labels() -> None:
    network = BayesianNetwork(Dag(["a", "b"], [("a", "b")]), [["0", "1"], ["False", "True"]], [[0.5, 0.5], np.eye(2)])
    for value in (1, 1.0, "1", np.int64(1), np.float32(1)):
        assert network.query("b", {"a": value})["True"] == 1.0
    assert network.query("a", {"b": True})["1"] == 1.0
    assert network.query("a", {"b": np.bool_(False)})["0"] == 1.0
    filled = network.impute(pl.DataFrame({"a": [0, None], "b": [None, True]}))
    assert filled.rows() == [(0, False), (1, True)]
    assert filled.dtypes == [pl.Int64, pl.Boolean]
    floats = network.impute(pd.DataFrame({"a": [0.0, np.nan], "b": [None, True]}))
    assert floats["a"].tolist() == [0.0, 1.0]


def test_datasets_give_datasets() -> None:
    data = Dataset.of({"wet": ["yes", "no"], "sprinkler": ["no", "yes"]}).with_weights([3, 4])
    filled = SPRINKLER.impute(data)
    assert isinstance(filled, Dataset)
    assert filled.names == ("wet", "sprinkler", "rain")
    assert filled.weights is not None
    assert filled.weights.tolist() == [3, 4]
    assert filled.to_frame()["rain"].to_list() == ["yes"] * 3 + ["no"] * 4
    mixed = BODY.impute(BODY.sample(10, seed=1).select(["sex"]))
    assert isinstance(mixed, Dataset)
    assert set(np.round(mixed.numbers_of("height"), 9)) <= {164.0, 178.0}
    assert SPRINKLER.query("rain", data)["rain=yes"].to_list() == pytest.approx([1.0, 0.25 * 0.25 / 0.4375])


# Draws.


def test_draws_have_the_posterior_shares() -> None:
    """Among 20,000 rows a share is within 0.02 of its probability but once in 10^7 times."""
    rows = SPRINKLER.sample(20_000, {"wet": "yes"}, seed=3)
    assert set(rows.to_frame()["wet"]) == {"yes"}
    expected = SPRINKLER.query(["rain", "sprinkler"], {"wet": "yes"}, joint=True)
    counts = Counter(rows.to_frame().select("rain", "sprinkler").rows())
    for key, probability in expected.items():
        assert counts[key] / 20_000 == pytest.approx(probability, abs=0.02)
    assert SPRINKLER.sample(50, {"wet": "yes"}, seed=3) == SPRINKLER.sample(50, {"wet": "yes"}, seed=3)
    assert SPRINKLER.sample(50, {"wet": "yes"}, seed=3) != SPRINKLER.sample(50, {"wet": "yes"}, seed=4)


@settings(deadline=None, max_examples=10)
@given(cases(), st.integers(0, 2**32))
def test_draws_of_mixed_networks_have_the_posterior_moments(case: Any, seed: int) -> None:
    """Means of 4,000 draws are within 6 standard errors of what they should be but once in 10^8 times."""
    network, known, _, _, _ = case
    rows, n = network.sample(4000, known, seed=seed), 4000
    for name in network.names:
        node = network.names.index(name)
        if name in known and not isinstance(known[name], dict):
            continue
        answer = network.query(name, known)
        if isinstance(answer, ContinuousPosterior):
            numbers = rows.numbers_of(name)
            assert abs(numbers.mean() - answer.mean) < 6 * answer.deviation / np.sqrt(n)
            fourth = ((numbers - numbers.mean()) ** 4).mean()
            assert abs(numbers.var() - answer.deviation**2) < 8 * np.sqrt(fourth / n) + 1e-12
        else:
            shares = np.bincount(rows.codes[:, node], minlength=len(answer)) / n
            for share, probability in zip(shares, answer.values(), strict=True):
                assert abs(share - probability) < 6 * np.sqrt(probability * (1 - probability) / n) + 1e-9


def test_imputed_draws_keep_what_is_there_and_vary() -> None:
    frame = pl.DataFrame({"wet": ["yes"] * 200, "sprinkler": ["no", None] * 100, "rain": [None] * 200})
    drawn = SPRINKLER.impute(frame, draws=3, seed=1)
    assert len(drawn) == 3
    for one in drawn:
        assert one["wet"].to_list() == ["yes"] * 200
        assert one["sprinkler"].to_list()[::2] == ["no"] * 100
        assert set(one["rain"].to_list()[::2]) == {"yes"}
        assert set(one["rain"].to_list()[1::2]) == {"no", "yes"}
    assert not drawn[0].equals(drawn[1])
    again = SPRINKLER.impute(frame, draws=3, seed=1)
    assert all(one.equals(other) for one, other in zip(drawn, again, strict=True))


def test_what_is_imputed_is_most_probable_together() -> None:
    """One by one, both would be no."""
    joint = [[0.3, 0.25], [0.45, 0.0]]  # of a and b; by themselves 0.55 of a and 0.75 of b have no
    network = BayesianNetwork(
        Dag(["a", "b"], [("a", "b")]), [YES_NO] * 2, [[0.55, 0.45], np.array(joint) / [[0.55], [0.45]]]
    )
    assert network.impute([{}]).row(0) == ("yes", "no")
    explanation = network.most_probable()
    assert dict(explanation) == {"a": "yes", "b": "no"}
    assert explanation.probability == pytest.approx(0.45)
    assert network.query("a").most_probable == "no"


# Interventions.


def test_what_is_set_says_nothing_about_its_causes() -> None:
    """Simpson's paradox in Pearl's drug (Causality, 2nd edition, chapter 6): by summing over the confounder."""
    dag = Dag(["sex", "drug", "well"], [("sex", "drug"), ("sex", "well"), ("drug", "well")])
    states = [["m", "f"], ["off", "on"], YES_NO]
    well = [[[0.3, 0.7], [0.4, 0.6]], [[0.7, 0.3], [0.8, 0.2]]]  # the drug harms both
    network = BayesianNetwork(dag, states, [[0.5, 0.5], [[0.25, 0.75], [0.75, 0.25]], well])
    # Seen: 0.6 * 0.75 + 0.2 * 0.25 with the drug, 0.7 * 0.25 + 0.3 * 0.75 without: it seems to help.
    assert network.query("well", {"drug": "on"})["yes"] == pytest.approx(0.5)
    assert network.query("well", {"drug": "off"})["yes"] == pytest.approx(0.4)
    # Set: the sexes are as many as they are.
    assert network.do({"drug": "on"}).query("well")["yes"] == pytest.approx((0.6 + 0.2) / 2)
    assert network.do({"drug": "off"}).query("well")["yes"] == pytest.approx((0.7 + 0.3) / 2)
    cut = network.do({"drug": "on"})
    assert cut.dag.arcs == (("sex", "well"), ("drug", "well"))
    assert cut.query("sex", {"drug": "on"})["m"] == pytest.approx(0.5)
    assert set(cut.sample(100, seed=1).to_frame()["drug"]) == {"on"}
    assert arcwise.compare(network.dag, cut.dag).missing == (("sex", "drug"),)
    mixed = network.do({"drug": {"on": 0.25, "off": 0.75}})
    assert mixed.query("well")["yes"] == pytest.approx(0.25 * 0.4 + 0.75 * 0.5)


def test_numbers_are_set_too() -> None:
    tall = BODY.do({"height": 190})
    assert tall.query("sex")["m"] == pytest.approx(0.5)
    weight = tall.query("weight")
    means = np.array([-48 + 0.7 * 190, -72 + 0.87 * 190])
    assert weight.mean == pytest.approx(means.mean())
    assert weight.deviation == pytest.approx(np.sqrt((11.0**2 + 12.0**2) / 2 + means.var()))
    assert set(tall.sample(100, seed=1).numbers_of("height")) == {190.0}
    assert tall.query("weight", {"height": 190}).mean == pytest.approx(weight.mean)
    assert tall.query("height", {"weight": 60.0}).mean == pytest.approx(190)
    # What was set leaves the weight as the only sign of the sex.
    densities = np.exp(-(((60.0 - means) / [11.0, 12.0]) ** 2) / 2) / [11.0, 12.0]
    assert tall.query("sex", {"weight": 60.0})["m"] == pytest.approx(densities[1] / densities.sum())
    nothing = BODY.do({"height": 0.0})
    assert nothing.query("weight", {"sex": "f"}).mean == pytest.approx(-48)


def test_rows_in_which_nodes_were_set_are_told_apart() -> None:
    data = Dataset.of({"wet": ["yes", "yes", "no"]}).with_interventions({"wet": [1]})
    found = SPRINKLER.predict_proba(data, "rain")[:, 1]
    seen = SPRINKLER.query("rain", {"wet": "yes"})["yes"]
    unseen = SPRINKLER.query("rain", {"wet": "no"})["yes"]
    np.testing.assert_allclose(found, [seen, 0.25, unseen])
    assert SPRINKLER.impute(data).to_frame()["rain"].to_list()[1] == "no"


# Conditional Gaussian networks.


def test_intervals_of_mixtures_hold_their_probability() -> None:
    low, high = BODY.predict_interval([{}], "weight", level=0.9)[0]
    numbers = BODY.sample(200_000, seed=1).numbers_of("weight")
    assert (numbers < low).mean() == pytest.approx(0.05, abs=0.003)
    assert (numbers > high).mean() == pytest.approx(0.05, abs=0.003)
    # With the sex known it is a Gaussian.
    interval = BODY.predict_interval([{"sex": "f"}], "height", level=0.95)[0]
    np.testing.assert_allclose(interval, [164 - 1.959964 * 6.5, 164 + 1.959964 * 6.5], rtol=1e-6)


def test_numbers_far_out_do_not_underflow() -> None:
    assert BODY.query("sex", {"height": 1e4})["m"] == pytest.approx(1.0)
    found = BODY.query("weight", {"height": 1e4})
    assert found.mean == pytest.approx(-72 + 0.87e4)


def test_naive_bayes_of_many_numbers_needs_no_enumeration() -> None:
    """Each number is a likelihood of its only parent, however many discrete nodes there are."""
    names = [f"d{at}" for at in range(40)] + [f"x{at}" for at in range(40)]
    arcs = [(f"d{at}", f"d{at + 1}") for at in range(39)] + [(f"d{at}", f"x{at}") for at in range(40)]
    tables: list[Any] = [[0.5, 0.5], *[[[0.9, 0.1], [0.2, 0.8]]] * 39]
    network = BayesianNetwork(
        Dag(names, arcs),
        [*[YES_NO] * 40, *[[]] * 40],
        [*tables, *[ConditionalGaussian([0.0, 1.0], [], [1.0, 1.0])] * 40],
    )
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=40)
    found = network.query("d20", {f"x{at}": float(numbers[at]) for at in range(40)})
    # The forward and backward passes of a hidden Markov chain.
    step = np.array([[0.9, 0.1], [0.2, 0.8]])
    seen = np.exp(-((numbers[:, None] - [0.0, 1.0]) ** 2) / 2)
    forward, backward = np.array([0.5, 0.5]) * seen[0], np.ones(2)
    for at in range(1, 21):
        forward = (forward @ step) * seen[at]
    for at in range(39, 20, -1):
        backward = step @ (seen[at] * backward)
    expected = forward * backward / (forward * backward).sum()
    np.testing.assert_allclose(list(found.values()), expected, rtol=1e-9)


def test_many_numbers_do_not_underflow() -> None:
    """As many children for as against the cause, and three more for it: each e times as probable with it."""
    n = 1003  # the product of their densities is less than e to the power of -1000
    child = ConditionalGaussian([0.0, 1.0], [], [1.0, 1.0])
    network = BayesianNetwork(
        Dag(["cause", *(f"x{at}" for at in range(n))], [("cause", f"x{at}") for at in range(n)]),
        [YES_NO, *[[]] * n],
        [[0.5, 0.5], *[child] * n],
    )
    known = {f"x{at}": 1.5 if at % 2 == 0 or at == 1 else -0.5 for at in range(n)}
    # 1.5 is e times as probable with the mean 1, and -0.5 with the mean 0.
    assert network.query("cause", known)["yes"] == pytest.approx(1 / (1 + np.exp(-3)))


def test_too_many_configurations_are_refused_with_their_number() -> None:
    n = 20
    names = [*(f"d{at}" for at in range(n)), "x"]
    network = BayesianNetwork(
        Dag(names, [(f"d{at}", "x") for at in range(n)]),
        [*[YES_NO] * n, []],
        [*[[0.5, 0.5]] * n, ConditionalGaussian(np.zeros((2,) * n), [], np.ones((2,) * n))],
    )
    with pytest.raises(
        TooWideError, match=r"20 discrete nodes that are not known .*1,048,576 configurations"
    ) as caught:
        network.query("d0", {"x": 0.5})
    assert caught.value.cells == 2**20
    some = {f"d{at}": "yes" for at in range(10)}
    assert network.query("d15", {"x": 0.5, **some})["yes"] == pytest.approx(0.5)
    assert network.query("d15")["yes"] == pytest.approx(0.5)  # x is barren


def test_exact_measurements_are_believed() -> None:
    """Regressions with hardly any noise: what they say is as exact as the numbers are."""
    dag = Dag(["x", "y", "z"], [("x", "y"), ("y", "z")])
    tight = ConditionalGaussian(1.0, [2.0], 1e-9)
    network = BayesianNetwork(dag, [[], [], []], [ConditionalGaussian(0.0, [], 100.0), tight, tight])
    found = network.query(["x", "y"], {"z": 31.0})
    assert found["y"].mean == pytest.approx(15.0, rel=1e-12)
    assert found["x"].mean == pytest.approx(7.0, rel=1e-12)
    assert found["x"].deviation == pytest.approx(np.sqrt((0.5e-9) ** 2 + (0.25e-9) ** 2), rel=1e-6)


def test_hundreds_of_continuous_nodes() -> None:
    network = random_gaussian_network(300, 500, weights=(0.1, 0.4), seed=1)
    row = network.sample(1, seed=1)
    known = {name: float(row.numbers_of(name)[0]) for name in network.names[::2]}
    target = network.names[101]
    n = 300
    b, variances = np.zeros((n, n)), np.zeros(n)
    for node in range(n):
        found = network.distributions[node]
        assert isinstance(found, ConditionalGaussian)
        b[node, list(network.dag.parent_indices[node])] = found.coefficients
        variances[node] = found.deviations**2
    inverse = np.linalg.inv(np.eye(n) - b)
    covariance = inverse @ np.diag(variances) @ inverse.T
    mean = inverse @ np.array([float(d.intercepts) for d in network.distributions])  # type: ignore[union-attr]
    seen = list(range(0, n, 2))
    gain = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[seen, 101])
    answer = network.query(target, known)
    assert answer.mean == pytest.approx(mean[101] + gain @ (np.array(list(known.values())) - mean[seen]), rel=1e-8)
    assert answer.deviation**2 == pytest.approx(covariance[101, 101] - gain @ covariance[seen, 101], rel=1e-8)


# Answers.


def test_answers_are_mappings_that_print() -> None:
    answer = SPRINKLER.query("rain", {"wet": "yes", "sprinkler": "yes"})
    assert dict(answer) == pytest.approx({"no": 2 / 3, "yes": 1 / 3})
    assert answer.to_frame("pandas").to_dict("list") == {"rain": YES_NO, "probability": pytest.approx([2 / 3, 1 / 3])}
    assert str(answer) == "rain  probability\nno         0.6667\nyes        0.3333"
    assert answer.errors is None
    assert pickle.loads(pickle.dumps(answer)) == answer
    with pytest.raises(KeyError, match="'rain' has no state 'yess'; did you mean 'yes'"):
        answer["yess"]
    several = SPRINKLER.query(["rain", "sprinkler"])
    assert list(several) == ["rain", "sprinkler"]
    with pytest.raises(KeyError, match="nothing was asked about 'wet'"):
        several["wet"]
    joint = SPRINKLER.query(["wet", "rain"], joint=True)
    assert joint.most_probable == ("no", "no")
    assert sum(joint.values()) == pytest.approx(1)
    table = joint_distribution(SPRINKLER)
    assert joint["yes", "no"] == pytest.approx(sum(p for key, p in table.items() if (key[2], key[0]) == ("yes", "no")))
    with pytest.raises(KeyError, match="a key is a state for each of 'wet', 'rain'"):
        joint["yes"]
    assert joint.to_frame().columns == ["wet", "rain", "probability"]


def test_probabilities_of_events() -> None:
    assert SPRINKLER.probability({"wet": "yes"}, {"rain": "yes", "sprinkler": "no"}) == pytest.approx(0.5)
    assert SPRINKLER.probability({"wet": "yes"}, {"rain": "no", "sprinkler": "no"}) == 0.0
    assert SPRINKLER.probability({}) == pytest.approx(1)
    rows = SPRINKLER.probability({"wet": "yes"}, pl.DataFrame({"rain": ["yes", "no"], "sprinkler": ["no", "no"]}))
    np.testing.assert_allclose(rows, [0.5, 0.0])
    assert SPRINKLER.probability([{"wet": "yes"}, {"wet": "no"}]).sum() == pytest.approx(1)
    either = ASIA.probability({"smoke": {"yes": 1, "no": 1}})
    assert either == pytest.approx(1)
    # The density of a Gaussian at its mean.
    assert BODY.probability({"height": 164.0}, {"sex": "f"}) == pytest.approx(1 / np.sqrt(2 * np.pi) / 6.5)
    # The product of the shares and densities of a whole row.
    row = BODY.sample(1, seed=1)
    values = row.to_frame().row(0, named=True)
    assert np.log(BODY.probability(values)) == pytest.approx(BODY.log_likelihood(row))


# What is wrong.


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (lambda: ASIA.query("lungs"), GraphError, "there is no node 'lungs'; did you mean 'lung'"),
        (lambda: ASIA.query("lung", {"smok": "yes"}), GraphError, "there is no node 'smok'; did you mean 'smoke'"),
        (
            lambda: ASIA.query("lung", {"smoke": "yess"}),
            ParameterError,
            "'smoke' has no state 'yess'; did you mean 'yes'",
        ),
        (
            lambda: ASIA.query("lung", {"smoke": 3}),
            ParameterError,
            "'smoke' has no state 3; its states are 'yes', 'no'",
        ),
        (
            lambda: ASIA.query("lung", [{}, {"smoke": "x"}]),
            ParameterError,
            r"'smoke' has no state 'x' \(row 1, counted from 0\); its states",
        ),
        (lambda: ASIA.query("lung", {"lung": "yes"}), ParameterError, "'lung' is asked for and given; leave it out"),
        (
            lambda: ASIA.query("lung", pl.DataFrame({"lung": [None, "yes"]})),
            ParameterError,
            r"'lung' is asked for and given \(in row 1, counted from 0\); .*predict_proba do not look",
        ),
        (
            lambda: ASIA.query("lung", {"either": "no", "tub": "yes"}),
            ParameterError,
            "what is given is impossible: 'either' = 'no' has probability 0 given 'tub' = 'yes'; .*ess=1",
        ),
        (
            lambda: ASIA.query("lung", pl.DataFrame({"either": ["no", "no"], "tub": ["no", "yes"]})),
            DataError,
            r"Row 1 \(rows count from 0\) is impossible in this network; leave it out",
        ),
        (
            lambda: ASIA.most_probable({"either": "no", "tub": "yes"}),
            ParameterError,
            "what is given is impossible",
        ),
        (lambda: ASIA.sample(3, {"either": "no", "tub": "yes"}), ParameterError, "what is given is impossible"),
        (
            lambda: ASIA.impute([{"either": "no", "tub": "yes"}] * 2, draws=1),
            DataError,
            r"Row 0 .* \(2 rows of 2 are like this\)",
        ),
        (
            lambda: ASIA.probability({"lung": "yes"}, {"either": "no", "tub": "yes"}),
            ParameterError,
            "what is given is impossible",
        ),
        (
            lambda: ASIA.probability({"lung": "yes"}, {"lung": "yes"}),
            ParameterError,
            "'lung' is in the event and given",
        ),
        (
            lambda: ASIA.probability([{"lung": "yes"}] * 2, [{}] * 3),
            ParameterError,
            "the event has 2 rows, and what is given has 3",
        ),
        (
            lambda: ASIA.query("lung", {"smoke": {"yes": -1}}),
            ParameterError,
            "the likelihood of 'smoke' = 'yes' must be a finite number of at least 0, not -1",
        ),
        (
            lambda: ASIA.query("lung", {"smoke": {"no": 0}}),
            ParameterError,
            "what is given for the states of 'smoke' is 0 for all of them",
        ),
        (lambda: ASIA.query("lung", {"smoke": {"nay": 1}}), ParameterError, "'smoke' has no state 'nay'"),
        (
            lambda: BODY.query("sex", {"height": "tall"}),
            ParameterError,
            "'height' is continuous and takes a finite number, not 'tall'",
        ),
        (
            lambda: BODY.query("sex", {"height": float("inf")}),
            ParameterError,
            "'height' is continuous and takes a finite number, not inf",
        ),
        (
            lambda: BODY.query("sex", {"height": {"tall": 1}}),
            ParameterError,
            "'height' is continuous and takes a finite number, not {'tall': 1}",
        ),
        (
            lambda: BODY.query("sex", pl.DataFrame({"height": [None, "tall"]})),
            DataError,
            "Column 'height', row 1 .*holds 'tall', but the network takes numbers",
        ),
        (
            lambda: ASIA.query("lung", pl.DataFrame({"smoke": ["yes", "often"]})),
            DataError,
            "Column 'smoke', row 1 .*'often' is none of the given states",
        ),
        (
            lambda: ASIA.query("lung", pl.DataFrame({"smokes": ["yes"]})),
            DataError,
            "the columns 'smokes' are not nodes .*; did you mean 'smoke'",
        ),
        (lambda: ASIA.query("lung", 3), ParameterError, "what is given must be a dict from nodes"),
        (lambda: ASIA.query([]), ParameterError, r"targets must be a node or a list of nodes, not \[\]"),
        (lambda: ASIA.query(["lung", "lung"]), ParameterError, "the target 'lung' is named twice"),
        (lambda: ASIA.query("lung", joint="yes"), ParameterError, "joint must be True or False"),  # type: ignore[arg-type]
        (lambda: SPRINKLER.query(None, dict.fromkeys(SPRINKLER.names, "yes")), ParameterError, "all nodes are given"),
        (
            lambda: BODY.query(["sex", "height"], joint=True),
            ParameterError,
            "joint=True takes targets that are all discrete or all continuous; of these, 'height' are continuous",
        ),
        (lambda: ASIA.do({"smoke": "often"}), ParameterError, "'smoke' has no state 'often'"),
        (lambda: ASIA.do({"smok": "yes"}), GraphError, "there is no node 'smok'"),
        (lambda: ASIA.do("smoke"), ParameterError, "values must be a dict from nodes to what they are set to"),  # type: ignore[arg-type]
        (lambda: ASIA.do({"smoke": {"yes": 0.5}}), ParameterError, "must hold probabilities that sum to 1"),
        (lambda: ASIA.do({"smoke": {"yes": "x"}}), ParameterError, "the probability of 'smoke' = 'yes' must be"),
        (lambda: BODY.do({"height": None}), ParameterError, "'height' is continuous and takes a finite number"),
        (lambda: ASIA.impute(pl.DataFrame({"smoke": ["yes"]}), draws=0), ParameterError, "draws must be at least 1"),
        (
            lambda: ASIA.sample(3, [{"smoke": "yes"}]),  # type: ignore[arg-type]
            ParameterError,
            r"given must be a dict .*; impute\(rows, draws=1\)",
        ),
        (
            lambda: ASIA.sample(3, {"smoke": "yes"}, interventions={"lung": [0]}),
            ParameterError,
            "give given or interventions, not both",
        ),
        (lambda: ASIA.sample(0, {"smoke": "yes"}), ParameterError, "n_rows must be at least 1, not 0"),
    ],
)
def test_what_is_wrong_is_said(ask: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ask()


def test_networks_that_were_asked_can_be_pickled() -> None:
    network = random_network(5, 6, seed=1)
    network.query(network.names[0])
    assert pickle.loads(pickle.dumps(network)) == network


# Estimates.


@settings(deadline=None, max_examples=25)
@given(cases(), st.integers(0, 2**32))
def test_estimates_are_as_near_as_their_errors_say(case: Any, seed: int) -> None:
    """Within 6 standard errors, but once in 10^8 times, where enough draws count."""
    network, known, codes, numbers, _ = case
    left = [network.names[node] for node in unknown_nodes(network, codes, numbers)]
    if not left:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = network.query(left, known, approximate=20_000, seed=seed)
        except arcwise.ArcwiseWarning:
            return  # too few draws count
    exact = network.query(left, known)
    for name in left:
        answer, truth = found[name], exact[name]
        if isinstance(answer, ContinuousPosterior):
            assert answer.error is not None
            assert abs(answer.mean - truth.mean) <= 8 * answer.error + 1e-12
        else:
            assert answer.errors is not None
            for state, error in answer.errors.items():
                assert abs(answer[state] - truth[state]) <= 8 * error + 1e-3


def test_estimates_of_frames_have_columns_of_errors() -> None:
    rows = [{"wet": "yes"}, {}]
    found = SPRINKLER.query("rain", rows, approximate=5000, seed=1)
    assert found.columns == ["rain=no", "rain=yes", "rain=no error", "rain=yes error"]
    assert found.equals(SPRINKLER.query("rain", rows, approximate=5000, seed=1))
    # Nothing is given in the second row: the error of a share of 5,000 draws.
    assert found["rain=yes error"][1] == pytest.approx(np.sqrt(0.25 * 0.75 / 5000), rel=0.05)
    numbers = BODY.query("weight", [{"sex": "f"}], approximate=True, seed=1)
    assert numbers.columns == ["weight mean", "weight deviation", "weight mean error"]
    one = BODY.query("weight", {"sex": "f"}, approximate=True, seed=1)
    assert repr(one).startswith("weight: mean 6")
    assert "(standard error 0." in repr(one)
    assert "standard error" in repr(SPRINKLER.query("rain", approximate=100, seed=1))


def test_what_is_too_wide_is_estimated() -> None:
    n = 20
    names = [*(f"d{at}" for at in range(n)), "x"]
    means = np.zeros((2,) * n)
    means[1] = 1.0  # of all the parents only the first matters
    network = BayesianNetwork(
        Dag(names, [(f"d{at}", "x") for at in range(n)]),
        [*[YES_NO] * n, []],
        [*[[0.5, 0.5]] * n, ConditionalGaussian(means, [], np.ones((2,) * n))],
    )
    with pytest.raises(TooWideError, match="With approximate=True it is estimated by draws"):
        network.query("d0", {"x": 1.5})
    found = network.query("d0", {"x": 1.5}, approximate=True, seed=1)
    # The densities at 1.5 with means 1 and 0.
    expected = np.exp(-0.125) / (np.exp(-0.125) + np.exp(-1.125))
    assert abs(found["yes"] - expected) < 6 * found.errors["yes"]


def test_a_wide_discrete_network_is_refused_or_estimated() -> None:
    """A grid of 40 by 40 nodes, each with the parents above and before it: any order makes a clique of 40 nodes."""
    side = 40
    names = [f"{row},{column}" for row in range(side) for column in range(side)]
    arcs = [(f"{row},{column}", f"{row + 1},{column}") for row in range(side - 1) for column in range(side)]
    arcs += [(f"{row},{column}", f"{row},{column + 1}") for row in range(side) for column in range(side - 1)]
    dag = Dag(names, arcs)
    # Whatever its parents are, each is yes with 0.25; but exact inference does not know that.
    tables = [np.broadcast_to([0.75, 0.25], (*[2] * len(parents), 2)) for parents in dag.parent_indices]
    network = BayesianNetwork(dag, [YES_NO] * len(names), tables)
    last = names[-1]
    with pytest.raises(
        TooWideError, match=r"cells, and .*GB.* With approximate=True it is estimated by draws"
    ) as caught:
        network.query(last)
    assert caught.value.cells >= 2**side
    for ask in (
        network.most_probable,
        lambda: network.sample(2, {last: "yes"}),
        lambda: network.impute([{last: "yes"}]),
    ):
        with pytest.raises(TooWideError):
            ask()
    found = network.query(last, approximate=2000, seed=1)
    assert abs(found["yes"] - 0.25) < 6 * found.errors["yes"]


def test_too_few_draws_are_said() -> None:
    with pytest.warns(arcwise.ArcwiseWarning, match=r"Only about \d+ of 50 draws count.*approximate=5000"):
        SPRINKLER.query("rain", {"wet": "yes"}, approximate=50, seed=1)
    with pytest.raises(DataError, match=r"None of 10 draws agrees with what is given: .*approximate=1000"):
        ASIA.query("lung", {"either": "no", "tub": "yes"}, approximate=10, seed=1)
    with pytest.raises(ParameterError, match="approximate= is about each target by itself; leave out joint=True"):
        ASIA.query(["lung", "tub"], approximate=True, joint=True)
    with pytest.raises(ParameterError, match="approximate must be at least 1, not 0"):
        ASIA.query("lung", approximate=0)


def test_ctrl_c_ends_the_work() -> None:
    ended: list[bool] = []

    def work(budget: Interruptible) -> None:
        kernel = budget.for_kernel(1)
        os.kill(os.getpid(), signal.SIGINT)
        while not kernel.exhausted:
            time.sleep(0.01)
        ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        interruptible(work)
    while not ended:  # the thread may not have begun when Ctrl-C came
        time.sleep(0.01)
