"""One call takes a table and how it is read: what somebody new to the package tries first."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcwise import (
    BayesianNetwork,
    Cuts,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    Quantile,
    bootstrap,
    compare_methods,
    fit_em,
    learn,
    select,
)
from arcwise.data import Discretisation
from arcwise.support.errors import DataError

READING: dict[str, Any] = {"discretise": Quantile(2), "weights": "times", "min_count": 5}


def frame(n: int = 300) -> pd.DataFrame:
    """Numbers, states of which some are rare, and weights."""
    generator = np.random.default_rng(3)
    dose = generator.normal(size=n)
    effect = dose + 0.5 * generator.normal(size=n)
    ward = np.where(effect > 0, "north", "south")
    ward[:3] = ["tent", "boat", "tent"]
    return pd.DataFrame({"dose": dose, "effect": effect, "ward": ward, "times": generator.integers(1, 3, n)})


def coded() -> Dataset:
    return Dataset.of(frame(), **READING)


def test_learn_cuts_the_columns_of_a_frame() -> None:
    result = learn(frame().drop(columns="times"), discretise="quantile", seed=1)
    assert isinstance(result.data, Dataset)
    assert result.data.kind == "discrete"
    assert result.dag.n_arcs > 0
    assert learn(frame().drop(columns="times"), discretize="quantile", seed=1).data == result.data


def test_every_front_door_reads_alike(tmp_path: Path) -> None:
    data, table = coded(), frame()
    path = tmp_path / "doses.csv"
    table.to_csv(path, index=False)
    for source in (table, pl.from_pandas(table), path, str(path), table.to_dict("list"), table.to_dict("records")):
        assert Dataset.of(source, **READING) == data
        assert learn(source, seed=1, **READING).data == data
    assert (
        learn(table, method="greedy", climbs=2, seed=1, **READING).dag
        == learn(data, method="greedy", climbs=2, seed=1).dag
    )
    assert bootstrap(table, m=3, seed=1, **READING).adjacent() == bootstrap(data, m=3, seed=1).adjacent()
    assert select(table, **READING).sets == select(data).sets
    assert LocalScore(table, **READING).data == data
    ours, theirs = (
        compare_methods(each, ["greedy", "tabu"], seed=1, **options) for each, options in ((table, READING), (data, {}))
    )
    assert [run.score for run in ours.runs] == [run.score for run in theirs.runs]


def test_names_and_weights_of_an_array() -> None:
    array = np.array([[0, 1], [1, 0], [1, 1]])
    result = learn(array, names=["rain", "wet"], weights=[5, 5, 0], seed=1)
    assert isinstance(result.data, Dataset)
    assert result.dag.names == ("rain", "wet")
    assert result.data.n_observations == 10
    assert learn(Dataset.from_codes(array), weights=[5, 5, 0], seed=1).data.n_observations == 10  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"discretse": "quantile"},
            r"learn has no parameter 'discretse'; it takes score, method, .* did you mean 'disc",
        ),
        ({"tme_limit": 3}, r"learn has no parameter 'tme_limit'.*did you mean 'time_limit'\?"),
        ({"time": 3}, r"learn has no parameter 'time'.*did you mean 'time_limit'\?"),
        ({"forbidden": [("a", "b")]}, r"no parameter 'forbidden'.*; write constraints=Constraints\(forbidden=…\)$"),
        ({"method": "greedy", "tiers": []}, r"no option 'tiers'.*; write constraints=Constraints\(tiers=…\)$"),
        ({"method": "hc"}, r"not 'hc'; did you mean 'greedy'\?"),
        (
            {"method": "greedy", "climb": 3},
            r"greedy has no option 'climb'.*learn itself takes .*did you mean 'climbs'\?",
        ),
        ({"method": "tabu", "wieghts": [1]}, r"tabu has no option 'wieghts'.*did you mean 'weights'\?"),
        ({"separator": ";"}, "separator cannot be given for this data: it says how a file or an array is read"),
    ],
)
def test_an_unknown_keyword_names_those_of_learn(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        learn(frame(), **options)


def test_other_front_doors_name_theirs() -> None:
    with pytest.raises(ParameterError, match=r"there is no parameter 'discretse'; .*did you mean 'discretise'\?"):
        bootstrap(frame(), m=2, discretse="quantile")  # type: ignore[call-arg]
    with pytest.raises(
        ParameterError, match=r"discretise cannot be given for this data: this is a Dataset, which is al"
    ):
        learn(coded(), discretise="quantile")


# Frames and paths wherever a Dataset is taken


def fitted() -> BayesianNetwork:
    return learn(frame(), seed=1, **READING).network(ess=1)


def test_a_result_takes_a_frame_for_its_probabilities(tmp_path: Path) -> None:
    result, other = learn(frame(), seed=1, **READING), frame(100).drop(columns="times")
    path = tmp_path / "new.csv"
    other.to_csv(path, index=False)
    cut = Dataset.of(other, like=coded())
    for source in (other, pl.from_pandas(other), path, cut, Dataset.of(other)):
        assert result.network(source, ess=1).is_close(result.network(cut, ess=1), tolerance=0)


def test_log_likelihoods_of_frames_arrays_and_files(tmp_path: Path) -> None:
    network, table = fitted(), frame(50).drop(columns="times")
    path = tmp_path / "new.csv"
    table.to_csv(path, index=False)
    like = Dataset.of(table, like=coded())
    expected = network.log_likelihoods(like)
    for source in (table, pl.from_pandas(table), path, str(path), table.to_dict("records"), Dataset.of(table)):
        assert network.log_likelihoods(source) == pytest.approx(expected)
        assert network.log_likelihood(source) == pytest.approx(expected.sum())
    assert network.log_likelihoods(table.to_numpy(object)) == pytest.approx(expected)
    with pytest.raises(DataError, match="the data has no column for 'ward'"):
        network.log_likelihood(table.drop(columns="ward"))
    gap = table.copy()
    gap.loc[0, "ward"] = None
    assert network.log_likelihoods(gap)[0] == pytest.approx(
        np.log(network.probability({"dose": table["dose"][0], "effect": table["effect"][0]}))
    )


def test_predictions_use_the_cuts_that_were_learned(tmp_path: Path) -> None:
    network, table = fitted(), frame(50).drop(columns=["times", "ward"])
    path = tmp_path / "new.csv"
    table.to_csv(path, index=False)
    cuts = {step.column: step.cuts[0] for step in network.steps if isinstance(step, Discretisation)}
    labels = {
        name: [f"<={cut:.6g}" if value <= cut else f">{cut:.6g}" for value in table[name]] for name, cut in cuts.items()
    }
    expected = network.predict_proba(labels, "ward")
    for source in (table, pl.from_pandas(table), path, Dataset.of(table), table.to_numpy()):
        assert network.predict_proba(source, "ward") == pytest.approx(expected)
    row = {name: float(table[name][0]) for name in cuts}
    assert [network.query("ward", row)[state] for state in network.states[2]] == pytest.approx(expected[0])
    assert network.do({"dose": 2.5}) == network.do({"dose": labels_of(network, "dose")[-1]})
    filled = network.impute(table.assign(ward=None))
    assert filled["dose"].tolist() == table["dose"].tolist()
    assert set(filled["ward"]) <= set(network.states[2])


def labels_of(network: BayesianNetwork, name: str) -> tuple[str, ...]:
    return network.states[network.names.index(name)]


def test_whole_numbers_that_were_cut_are_cut_again() -> None:
    ages = {"age": [3, 30, 50, 70] * 5, "ill": ["no", "no", "yes", "yes"] * 5}
    network = BayesianNetwork.fit(
        Dag(["age", "ill"], [("age", "ill")]), Dataset.of(ages, discretise={"age": Cuts((40,))})
    )
    assert network.predict(Dataset.of({"age": [39, 41]}), "ill").tolist() == ["no", "yes"]  # states '39' and '41' there
    assert network.predict({"age": [39.5, 40.5]}, "ill").tolist() == ["no", "yes"]


def test_rare_and_new_values_are_in_the_group() -> None:
    network = fitted()
    assert labels_of(network, "ward") == ("north", "south", "other")
    known = {"dose": [0.0] * 3, "effect": [0.0] * 3}
    rows = {**known, "ward": ["tent", "boat", "moon"]}
    assert len(set(network.log_likelihoods(rows).tolist())) == 1
    assert network.query("dose", {"ward": "moon"}) == network.query("dose", {"ward": "other"})


def test_missing_values_that_are_a_state_stay_one() -> None:
    rows = {"a": ["x", None, "y", "x"], "b": ["u", "v", "u", "u"]}
    data = Dataset.of(rows, missing="state")
    network = BayesianNetwork.fit(Dag(["a", "b"], [("a", "b")]), data, ess=1)
    assert network.log_likelihoods(rows) == pytest.approx(network.log_likelihoods(data))


def test_networks_are_fitted_to_frames() -> None:
    rows = {"a": ["x", "x", "y"], "b": ["u", "v", "u"]}
    dag = Dag(["a", "b"], [("a", "b")])
    assert BayesianNetwork.fit(dag, pd.DataFrame(rows)) == BayesianNetwork.fit(dag, Dataset.of(rows))
    gaps = {**rows, "b": ["u", None, "u"]}
    assert fit_em(dag, gaps, ess=1).network == fit_em(dag, Dataset.of(gaps, missing="keep"), ess=1).network


def test_a_copy_of_a_network_keeps_its_cuts() -> None:
    import pickle

    network = fitted()
    assert pickle.loads(pickle.dumps(network)).steps == network.steps
    assert network.do({"ward": "north"}).steps == network.steps
    assert network.sample(5, seed=1).steps == network.steps
