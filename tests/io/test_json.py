"""Networks and graphs read from and written to JSON."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.graph import Cpdag, Dag
from arcwise.io.json_files import format_json, parse_json, read_json, write_json
from arcwise.network import BayesianNetwork, ConditionalGaussian
from arcwise.support.errors import FormatError, ParameterError
from graph_strategies import dags
from network_cases import MIXED, SMALL, mixed_networks, networks

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "formats.md"
SCHEMA = json.loads((files("arcwise.io") / "arcwise.schema.json").read_text(encoding="utf-8"))

COIN = {
    "format": "arcwise-network",
    "version": 1,
    "nodes": [
        {"name": "side", "states": ["heads", "tails"], "parents": [], "table": [0.5, 0.5]},
        {"name": "win", "states": ["no", "half", "yes"], "parents": ["side"], "table": [[1, 0, 0], [0, 0.25, 0.75]]},
    ],
}
BODY = {
    "format": "arcwise-network",
    "version": 1,
    "nodes": [
        {"name": "sex", "states": ["f", "m"], "parents": [], "table": [0.5, 0.5]},
        {
            "name": "weight",
            "parents": ["height", "sex"],
            "gaussian": {"intercepts": [-48, -72], "coefficients": [[0.7], [0.87]], "deviations": [11, 12.5]},
        },
        {"name": "height", "parents": [], "gaussian": {"intercepts": 170, "coefficients": [], "deviations": 9}},
    ],
}
GRAPH = {"format": "arcwise-graph", "version": 1, "nodes": ["a", "b", "c"], "arcs": [["a", "b"]], "edges": [["b", "c"]]}


def is_valid(document: object) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(document))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_documents_written_by_hand() -> None:
    network = parse_json(json.dumps(COIN))
    dag = Dag(["side", "win"], [("side", "win")])
    tables: list[Any] = [[0.5, 0.5], [[1, 0, 0], [0, 0.25, 0.75]]]
    assert network == BayesianNetwork(dag, [["heads", "tails"], ["no", "half", "yes"]], tables)
    assert parse_json(json.dumps(GRAPH)) == Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")])
    assert parse_json(json.dumps(GRAPH | {"edges": []})) == Dag(["a", "b", "c"], [("a", "b")])
    assert parse_json(json.dumps(BODY)) == BayesianNetwork(
        Dag(["sex", "weight", "height"], [("sex", "weight"), ("height", "weight")]),
        [["f", "m"], [], []],
        [
            [0.5, 0.5],
            ConditionalGaussian([-48, -72], [[0.7], [0.87]], [11, 12.5]),
            ConditionalGaussian(170, [], 9),
        ],
    )
    assert is_valid(COIN)
    assert is_valid(BODY)
    assert is_valid(GRAPH)


def test_parents_may_be_listed_in_any_order() -> None:
    network = SMALL["backwards"]
    document = json.loads(format_json(network))
    child = document["nodes"][0]
    assert child["parents"] == ["b", "a"]
    child["parents"] = ["a", "b"]
    child["table"] = [[row[a] for row in child["table"]] for a in range(2)]
    assert parse_json(json.dumps(document)) == network


def test_continuous_parents_may_be_listed_in_any_order() -> None:
    document = json.loads(format_json(MIXED))
    node = max(document["nodes"], key=lambda node: len(node["parents"]) if "gaussian" in node else 0)
    places = {parent: MIXED.names.index(parent) for parent in node["parents"]}
    discrete = [parent for parent in node["parents"] if MIXED.states[places[parent]]]
    assert len(node["parents"]) > len(discrete) > 0
    assert len(node["parents"]) - len(discrete) > 1
    node["parents"].reverse()
    for key, numbers in node["gaussian"].items():
        array = np.array(numbers)
        axes = [*reversed(range(len(discrete))), len(discrete)][: array.ndim]
        node["gaussian"][key] = (
            array.transpose(axes)[..., ::-1] if key == "coefficients" else array.transpose(axes)
        ).tolist()
    assert parse_json(json.dumps(document)) == MIXED


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@given(networks(text, text) | mixed_networks(text))
@settings(max_examples=150, deadline=None)
def test_what_is_written_reads_back_equal_and_follows_the_schema(network: BayesianNetwork) -> None:
    written = format_json(network)
    assert parse_json(written) == network
    assert is_valid(json.loads(written))


@given(dags())
def test_graphs_read_back_equal(dag: Dag) -> None:
    for graph in (dag, dag.cpdag()):
        written = format_json(graph)
        assert is_valid(json.loads(written))
        read = parse_json(written)
        if isinstance(graph, Cpdag) and not graph.undirected:
            assert isinstance(read, Dag)
            assert read.arcs == graph.directed
        else:
            assert read == graph


def test_files_may_be_compressed(tmp_path: Path) -> None:
    write_json(SMALL["asia"], tmp_path / "asia.json.zst")
    assert read_json(tmp_path / "asia.json.zst") == SMALL["asia"]


def changed(document: Any, place: list[Any], value: object) -> str:
    """Text of the document with another value at a place; None takes it away."""
    copy = json.loads(json.dumps(document))
    *way, last = place
    inner = copy
    for step in way:
        inner = inner[step]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(copy)


@pytest.mark.parametrize(
    ("document", "place", "value", "message"),
    [
        (COIN, ["format"], None, "format is missing"),
        (COIN, ["format"], "bif", "format must be 'arcwise-network' or 'arcwise-graph', not 'bif'"),
        (COIN, ["format"], 3, "format must be a string, not 3"),
        (COIN, ["version"], 2, "the file has version 2, this arcwise reads 1; update it"),
        (COIN, ["version"], 0, "the file has version 0, this arcwise reads 1"),
        (COIN, ["version"], True, "version must be a whole number from 0, not true"),
        (COIN, ["version"], "1", "version must be a whole number from 0, not '1'"),
        (COIN, ["nodes"], None, "nodes is missing"),
        (COIN, ["nodes"], {}, "nodes must be a list, not an object"),
        (COIN, ["nodes"], [], "the file declares no variable"),
        (COIN, ["arcs"], [], "arcs is an unknown field; allowed are format, version, nodes"),
        (COIN, ["nodes", 1], "win", "nodes[1] must be an object, not 'win'"),
        (COIN, ["nodes", 1, "name"], 7, "nodes[1].name must be a string, not 7"),
        (COIN, ["nodes", 1, "name"], "side", "variable 'side' is declared twice"),
        (COIN, ["nodes", 1, "name"], "\ud800", "nodes[1].name has half of a surrogate pair"),
        (COIN, ["nodes", 1, "states"], "no", "nodes[1].states must be a list, not 'no'"),
        (COIN, ["nodes", 1, "states", 2], 1.5, "nodes[1].states[2] must be a string, not 1.5"),
        (COIN, ["nodes", 1, "states", 2], "no", "variable 'win' has the state 'no' twice"),
        (COIN, ["nodes", 1, "states"], [], "variable 'win' has 0 states"),
        (COIN, ["nodes", 1, "parents"], None, "nodes[1].parents is missing"),
        (COIN, ["nodes", 1, "parents"], ["coin"], "there is no variable 'coin'"),
        (COIN, ["nodes", 1, "parents"], ["side", "side"], "the parents of 'win' must differ"),
        (COIN, ["nodes", 1, "parents"], ["win"], "the arcs form a cycle: 'win' -> 'win'"),
        (
            COIN,
            ["nodes", 1, "parnts"],
            [],
            "nodes[1].parnts is an unknown field; allowed are name, states, parents, table; did you mean 'parents'?",
        ),
        (COIN, ["nodes", 1, "table", 1, 2], "0.75", "nodes[1].table[1][2] must be a number, not '0.75'"),
        (COIN, ["nodes", 1, "table", 1, 2], True, "nodes[1].table[1][2] must be a number, not true"),
        (COIN, ["nodes", 1, "table", 1, 2], {}, "nodes[1].table[1][2] must be a number, not an object"),
        (COIN, ["nodes", 1, "table", 1, 2], 0.5, "the probabilities of 'win' must not be negative and must sum to 1"),
        pytest.param(
            COIN,
            ["nodes", 1, "table", 1, 2],
            10**400,
            "table[1][2] must be a number from -1e+300 to 1e+300, not a whole",
            id="huge",
        ),
        pytest.param(
            COIN,
            ["nodes", 1, "table", 1, 2],
            -(10**400),
            "table[1][2] must be a number from -1e+300 to 1e+300, not a whole",
            id="low",
        ),
        (
            COIN,
            ["nodes", 1, "table", 1],
            [1, 0],
            "nodes[1].table must be lists nested for side, win, of the lengths 2 x",
        ),
        (COIN, ["nodes", 1, "table"], [1, 0, 0, 0, 1, 0], "of the lengths 2 x 3"),
        (COIN, ["nodes", 1, "table"], [[1, 0], [0, 1], [1, 0]], "of the lengths 2 x 3"),
        (COIN, ["nodes", 0, "table"], 0.5, "nodes[0].table must be lists nested for side, of the lengths 2"),
        (BODY, ["nodes", 1, "table"], [1], "nodes[1].table is an unknown field; allowed are name, parents, gaussian"),
        (BODY, ["nodes", 1, "gaussian"], 3, "nodes[1].gaussian must be an object, not 3"),
        (BODY, ["nodes", 1, "gaussian"], None, "nodes[1].states is missing"),
        (BODY, ["nodes", 1, "gaussian", "intercepts"], None, "nodes[1].gaussian.intercepts is missing"),
        (BODY, ["nodes", 1, "gaussian", "variance"], 1, "nodes[1].gaussian.variance is an unknown field"),
        (
            BODY,
            ["nodes", 1, "gaussian", "intercepts"],
            [1],
            "intercepts must be lists nested for sex, of the lengths 2",
        ),
        (
            BODY,
            ["nodes", 1, "gaussian", "coefficients"],
            [1, 2],
            "nested for sex, continuous parents, of the lengths 2 x 1",
        ),
        (BODY, ["nodes", 2, "gaussian", "deviations"], [1], "nodes[2].gaussian.deviations must be a number"),
        (BODY, ["nodes", 2, "gaussian", "deviations"], 0, "deviations must have finite numbers above 0, not 0.0"),
        (BODY, ["nodes", 0, "parents"], ["height"], "'sex' has states, but its parent 'height' is continuous"),
        (GRAPH, ["nodes"], ["a", "b", "c", "a"], "the name 'a' stands for more than one node"),
        (GRAPH, ["arcs"], [["a", "d"]], "there is no node 'd'"),
        (GRAPH, ["arcs"], [["a", "b", "c"]], "arcs[0] must be two names, not 3"),
        (GRAPH, ["arcs"], None, "arcs is missing"),
        (GRAPH | {"edges": []}, ["arcs"], [["a", "b"], ["b", "a"]], "the arcs form a cycle"),
        (GRAPH, ["edges"], {}, "edges must be a list, not an object"),
        (GRAPH, ["edges"], [["a", "b"]], "more than one edge between"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(document: object, place: list[Any], value: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_json(changed(document, place, value), path="x.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("x.json: ")


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", 1, "this is not JSON, or it was cut off"),
        ('{"format":\n', 2, "this is not JSON, or it was cut off: Expecting value"),
        ("[]", None, "the file must be an object, not a list"),
        ('{"format": NaN}', None, "NaN is not a finite number"),
        ('{"format": -Infinity}', None, "-Infinity is not a finite number"),
        ('{"format": 1, "format": 2}', None, "an object has the field 'format' twice; keep one"),
        ("[" * 100_000, None, "nested too deep"),
        ('{"format": ' + "1" * 5000 + "}", None, "this cannot be read"),
    ],
)
def test_what_is_not_json_is_refused(content: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_json(content)
    assert message in str(caught.value)
    assert caught.value.line == line


def test_other_objects_are_refused() -> None:
    with pytest.raises(ParameterError, match="not dict"):
        format_json(COIN)  # type: ignore[arg-type]


@pytest.mark.skipif(not DOCUMENTATION.exists(), reason="the documentation is not on this machine")
def test_the_examples_of_the_documentation() -> None:
    examples = re.findall(r"```json\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    network, body, cut, graph = map(parse_json, examples)
    assert network == BayesianNetwork(
        Dag(["rain", "wet"], [("rain", "wet")]), [["no", "yes"]] * 2, [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]]
    )
    assert body == parse_json(json.dumps(BODY))
    assert isinstance(cut, BayesianNetwork)
    assert cut.query("age", {"drug": "seen by nobody"}) == cut.query("age", {"drug": "other"})
    assert graph == Dag(["rain", "wet", "moon"], [("rain", "wet")])
    assert all(is_valid(json.loads(example)) for example in examples)


@pytest.mark.filterwarnings("error")
def test_numbers_whose_sum_may_not_be_finite_are_refused_without_a_warning() -> None:
    node = '{"name": "coin", "states": ["heads", "tails"], "parents": [], "table": [1e308, 1e308]}'
    with pytest.raises(FormatError, match=r"table\[0\] must be a number from -1e\+300 to 1e\+300, not 1e\+308"):
        parse_json('{"format": "arcwise-network", "version": 1, "nodes": [' + node + "]}")
