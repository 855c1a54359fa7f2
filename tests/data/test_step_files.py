"""Cuts, groups of rare states and states for missing values survive files: raw values are read after them as before."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from arcwise import (
    Adaptive,
    ArcwiseWarning,
    BayesianNetwork,
    Cuts,
    Dag,
    Dataset,
    EqualWidth,
    FormatError,
    Hartemink,
    Mdlp,
    ParameterError,
    Quantile,
    Run,
    learn,
    read_network,
    read_run,
    write_network,
    write_run,
)
from arcwise.data import Discretisation, GroupedStates, MissingState
from arcwise.data.step_files import RecordedDiscretiser
from arcwise.io.json_files import format_json, parse_json
from arcwise.runs.files import format_run, parse_run
from json_damage import damaged

SCHEMA = json.loads((files("arcwise.io") / "arcwise.schema.json").read_text(encoding="utf-8"))


def frame(n: int = 200) -> pd.DataFrame:
    """Numbers, some of them missing, and states of which some are rare."""
    generator = np.random.default_rng(5)
    dose = generator.normal(size=n)
    ward = np.where(dose > 0, "north", "south").astype(object)
    ward[:3] = ["tent", "boat", "raft"]
    holes = np.where(generator.random(n) < 0.1, np.nan, dose + 0.3 * generator.normal(size=n))
    return pd.DataFrame({"dose": dose, "effect": holes, "ward": ward})


def result() -> Any:
    return learn(frame(), method="greedy", seed=1, discretise=Quantile(3), min_count=5, missing="state")


#: Raw values: between the cuts, beyond all, missing, and a state that nobody has seen.
RAW = pd.DataFrame(
    {"dose": [-9.0, 0.01, 7.5, None], "effect": [None, 0.2, -1.0, 3.0], "ward": ["north", "yurt", "boat", "south"]}
)


def assert_reads_alike(network: BayesianNetwork, again: BayesianNetwork) -> None:
    assert again == network
    assert again.steps == network.steps
    for target in network.names:
        given = RAW.drop(columns=target)
        np.testing.assert_array_equal(again.predict(given, target), network.predict(given, target))
    answers = [each.query("ward", {"dose": 0.4, "effect": -0.3}) for each in (network, again)]
    assert dict(answers[0]) == dict(answers[1])
    pd.testing.assert_frame_equal(again.impute(RAW), network.impute(RAW))


def test_a_json_network_reads_raw_values_as_before(tmp_path: Path) -> None:
    network = result().network(ess=1)
    assert {type(step) for step in network.steps} == {Discretisation, GroupedStates, MissingState}
    write_network(network, tmp_path / "net.json.gz")
    again = read_network(tmp_path / "net.json.gz")
    assert_reads_alike(network, again)
    with pytest.warns(ArcwiseWarning, match="will not read the names"):
        write_network(network, tmp_path / "net.bif")
    with pytest.raises(ParameterError, match=r"'dose' has no state 0\.4"):
        read_network(tmp_path / "net.bif").query("ward", {"dose": 0.4})


def test_the_network_of_a_run_reads_raw_values_as_before(tmp_path: Path) -> None:
    learned = result()
    write_run(learned, tmp_path / "run.json")
    again = read_run(tmp_path / "run.json").result
    assert_reads_alike(learned.network(ess=1), again.network(ess=1))
    write_run(Run(again), tmp_path / "again.json")
    assert read_run(tmp_path / "again.json").result.network().steps == learned.network().steps


def test_files_without_steps_are_as_they_were() -> None:
    network = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
    assert "steps" not in format_json(network)
    data = Dataset.of({"a": [0, 1, 1], "b": [1, 0, 1]})
    assert "steps" not in json.loads(format_run(Run.of(learn(data, method="greedy", seed=1))))["counts"]


@dataclass(frozen=True)
class Halves:
    """A discretiser of somebody else's."""

    least_states: int = 2

    def cuts(self, values: Any, counts: Any = None) -> tuple[float, ...]:
        return (float(np.mean(values)),)


@pytest.mark.parametrize(
    "method",
    [Quantile(4), EqualWidth(2), Cuts((1, 2.5)), Adaptive(2, 3), Mdlp("ward"), Mdlp(), Hartemink(2, 9), Halves()],
)
def test_what_chose_the_cuts_is_known_after_a_file(method: Any) -> None:
    table = frame()[["dose", "ward"]]
    data = Dataset.of(table, discretise=method)
    network = BayesianNetwork.fit(Dag(["dose", "ward"], [("dose", "ward")]), data)
    again = parse_json(format_json(network))
    assert isinstance(again, BayesianNetwork)
    (before,), (after,) = network.steps, again.steps
    assert str(after) == str(before)
    if isinstance(method, Halves):
        assert isinstance(after, Discretisation)
        assert after.method == RecordedDiscretiser(str(method))
        with pytest.raises(ParameterError, match="comes from a file and cannot choose cuts"):
            after.method.cuts([1.0])
        assert parse_json(format_json(again)) == network
    else:
        assert after == before
    assert Draft202012Validator(SCHEMA).is_valid(json.loads(format_json(network)))


def test_states_in_another_order_are_found_by_their_labels() -> None:
    document = json.loads(format_json(result().network(ess=1)))
    node = next(node for node in document["nodes"] if node["name"] == "dose")
    alone = {"name": "dose", "states": node["states"][::-1], "parents": [], "table": [0.2, 0.3, 0.5]}
    steps = [step for step in document["steps"] if step["column"] == "dose"]
    network = parse_json(json.dumps({**document, "nodes": [alone], "steps": steps}))
    assert isinstance(network, BayesianNetwork)
    low = steps[0]["cuts"][0] - 1
    assert network.log_likelihood({"dose": [low]}) == pytest.approx(np.log(0.5))  # the last state now
    assert network.log_likelihood([{"dose": low}]) == pytest.approx(np.log(0.5))


# As docs/formats.md has it
BY_HAND: dict[str, Any] = {
    "format": "arcwise-network",
    "version": 1,
    "nodes": [
        {"name": "age", "states": ["<=31", "31..67", ">67", "missing"], "parents": [], "table": [0.25] * 4},
        {"name": "drug", "states": ["A", "B", "other"], "parents": [], "table": [0.5, 0.25, 0.25]},
        {"name": "dose", "parents": [], "gaussian": {"intercepts": 170, "coefficients": [], "deviations": 9}},
    ],
    "steps": [
        {"column": "age", "type": "cut", "cuts": [31, 67], "method": {"type": "Quantile", "n_states": 3}},
        {"column": "age", "type": "missing", "n_missing": 12},
        {"column": "drug", "type": "grouped", "kept": ["A", "B"], "grouped": 7},
    ],
}


def changed(place: Sequence[Any], value: object) -> dict[str, Any]:
    """Return the steps with another value at a place, or without it where that is None."""
    document = json.loads(json.dumps(BY_HAND))
    inner = document["steps"]
    for key in place[:-1]:
        inner = inner[key]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return dict(document)


def test_steps_written_by_hand() -> None:
    network = parse_json(json.dumps(BY_HAND))
    assert isinstance(network, BayesianNetwork)
    assert network.steps == (
        Discretisation("age", Quantile(3), (31.0, 67.0)),
        MissingState("age", 12),
        GroupedStates("drug", ("A", "B"), 7),
    )
    assert Draft202012Validator(SCHEMA).is_valid(BY_HAND)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ([0], 3, "steps[0] must be an object, not 3"),
        ([0, "column"], "aeg", "steps[0].column must be one of the variables, not 'aeg'; did you mean 'age'?"),
        ([0, "column"], None, "steps[0].column is missing"),
        (
            [0, "column"],
            "drug",
            "steps[0].column must have the states that the step makes ('<=31', '31..67', '>67'), not 'A'",
        ),
        ([0, "column"], "dose", "('<=31', '31..67', '>67'), not numbers"),
        ([0, "type"], "cuts", "steps[0].type must be one of cut, grouped, left out, missing, not 'cuts'"),
        ([0, "kept"], [], "steps[0].kept is an unknown field; allowed are column, type, cuts, method"),
        ([0, "cuts"], [67, 31], "steps[0].cuts must be increasing numbers"),
        ([0, "cuts"], [31, "67"], "steps[0].cuts[1] must be a number, not '67'"),
        ([0, "cuts"], [31, 68], "steps[0].column must have the states that the step makes ('<=31', '31..68', '>68')"),
        ([0, "cuts"], None, "steps[0].cuts is missing"),
        ([0, "method"], 3, "steps[0].method must be an object, not 3"),
        (
            [0, "method", "type"],
            "Median",
            "steps[0].method.type must be one of Quantile, EqualWidth, Cuts, Adaptive, M",
        ),
        ([0, "method", "n_states"], 1, "steps[0].method does not fit together: n_states of Quantile must be"),
        ([0, "method", "k"], 1, "steps[0].method.k is an unknown field; allowed are type, n_states"),
        ([1, "n_missing"], -1, "steps[1].n_missing must be a whole number from 0, not -1"),
        (
            [1, "column"],
            "drug",
            "steps[1].column must have the states that the step makes ('missing'), not 'A', 'B', 'other'",
        ),
        (
            [2, "kept"],
            ["A", "C"],
            "steps[2].column must have the states that the step makes ('A', 'C', 'other'), not 'A', 'B'",
        ),
        ([2, "kept"], "A", "steps[2].kept must be a list, not 'A'"),
        ([2, "grouped"], None, "steps[2].grouped is missing"),
    ],
)
def test_damaged_steps_are_refused_with_their_key(place: Sequence[Any], value: object, message: str) -> None:
    document = changed(place, value)
    with pytest.raises(FormatError, match=re.escape(message)):
        parse_json(json.dumps(document), path="net.json")
    with pytest.raises(FormatError, match=re.escape(f"counts.steps[{place[0]}]")):  # a run has the same list
        parse_run(json.dumps(_run(document)))


def _run(document: dict[str, Any]) -> dict[str, Any]:
    """Return a file of a run whose data was read by these steps."""
    learned = learn(Dataset.of({"age": [1, 2, 1], "drug": [1, 2, 2]}), method="greedy", seed=1)
    run = json.loads(format_run(Run.of(learned)))
    run["result"]["graph"]["arcs"] = []
    run["gains"], run["data"] = None, None
    states = [node["states"] for node in document["nodes"][:2]]
    run["counts"] = {"states": states, "families": [[1, 1, 1, 1], [2, 1, 1]], "steps": document["steps"]}
    return dict(run)


def test_a_run_names_the_key_of_a_damaged_step() -> None:
    assert parse_run(json.dumps(_run(BY_HAND))).result.network().steps[0].column == "age"
    with pytest.raises(FormatError, match=r"counts\.steps\[0\]\.cuts must be increasing numbers"):
        parse_run(json.dumps(_run(changed([0, "cuts"], [67, 31]))))


def test_any_damage_is_refused_or_harmless() -> None:
    for what, broken in damaged({"steps": BY_HAND["steps"]}, items=3):
        for read, document in ((parse_json, BY_HAND | broken), (parse_run, _RUN | {"counts": _RUN["counts"] | broken})):
            with suppress(FormatError):
                found: Any = read(json.dumps(document))
                network = found if isinstance(found, BayesianNetwork) else found.result.network()
                answer = network.query("drug", {"age": "31..67"})
                assert sum(answer.values()) == pytest.approx(1), what


_RUN = _run(BY_HAND)


def test_steps_that_make_other_states_are_refused() -> None:
    step = Discretisation("coin", Cuts((1.0,)), (1.0,))
    with pytest.raises(
        ParameterError, match=r"'coin' must have the states that its steps make \('<=1', '>1'\), not 'h"
    ):
        BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]], steps=[step])
