"""`arcwise plot`, run as a user runs it."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from arcwise import Cpdag, Dag, Dataset, learn, load_example, write_graph, write_network, write_run
from arcwise.cli import app

runner = CliRunner()


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> Path:
    """Files of every kind that can be drawn."""
    write_graph(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]), in_empty_folder / "one.csv")
    write_graph(Dag(["a", "b", "c"], [("b", "a"), ("a", "c")]), in_empty_folder / "other.csv")
    write_graph(Cpdag(["a", "b"], undirected=[("a", "b")]), in_empty_folder / "class.json")
    data = load_example("cancer").sample(200, seed=1)
    write_run(learn(data, method="greedy", seed=1), in_empty_folder / "run.json")
    (in_empty_folder / "strengths.csv").write_text("from,to,strength,direction\na,b,0.9,1\nb,c,0.5,0.5\nc,b,0.5,0.5\n")
    (in_empty_folder / "groups.csv").write_text("name,group\na,first\nb,second\n")
    return in_empty_folder


def texts(path: Path) -> list[str]:
    return ["".join(item.itertext()) for item in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def run(*arguments: str) -> str:
    outcome = runner.invoke(app, ["plot", *arguments])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_example_gets_a_name_that_is_free(files: Path) -> None:
    first, second = (json.loads(run("asia", "--json")) for _ in range(2))
    assert first == {"source": "asia", "what": "network", "nodes": 8, "arcs": 8, "output": "asia.svg"}
    assert second["output"] == "asia-2.svg"
    assert (files / "asia.svg").read_bytes() == (files / "asia-2.svg").read_bytes()
    assert set(load_example("asia").names) <= set(texts(files / "asia.svg"))


@pytest.mark.parametrize(("name", "begin"), [("x.png", b"\x89PNG"), ("x.pdf", b"%PDF"), ("x.SVG", b"<?xml")])
def test_ending_says_the_format(files: Path, name: str, begin: bytes) -> None:
    assert run("cancer", "-o", name, "--quiet") == ""
    assert (files / name).read_bytes().startswith(begin)


def test_continuous_nodes_are_marked_whatever_file_they_are_in(files: Path) -> None:
    random = np.random.default_rng(1)
    dose = random.normal(size=200)
    data = Dataset.of({"sex": random.choice(["f", "m"], 200), "dose": dose, "weight": dose + random.normal(size=200)})
    found = learn(data, method="greedy", seed=1)
    write_run(found, "clinic-run.json")
    for name in ("clinic.json", "clinic.net"):
        write_network(found.network(), name)
    for source in ("clinic-run.json", "clinic.json", "clinic.net"):
        run(source, "-o", "x.svg")
        assert texts(files / "x.svg").count("continuous") == 1
        assert (files / "x.svg").read_text().count('id="inner"') == 1
    write_graph(found.dag, "clinic.csv")
    run("clinic.csv", "-o", "x.svg")
    assert "continuous" not in texts(files / "x.svg")


def test_all_that_can_be_said_of_a_network(files: Path) -> None:
    options = ["--reference", "other.csv", "--strengths", "strengths.csv", "--groups", "groups.csv", "--title", "$T$"]
    run("one.csv", *options, "-o", "x.svg")
    shown = texts(files / "x.svg")
    assert {"a", "b", "c", "first", "second", "no group", "$T$"} <= set(shown)
    # a - b is reversed; b - c is only here, a - c only in the other.
    assert {"in both (0)", "reversed (1)", "only here (1)", "only in the reference (1)"} <= set(shown)
    assert "in 20 % of the replicas" in shown


def test_two_networks_beside_each_other(files: Path) -> None:
    run("one.csv", "--beside", "other.csv", "-o", "x.svg")
    assert {"one.csv", "other.csv", "2 arcs: 0 in both, 1 reversed, 1 only here"} <= set(texts(files / "x.svg"))


def test_run_is_its_graph_or_its_trace(files: Path) -> None:
    assert json.loads(run("run.json", "--json"))["nodes"] == 5
    assert "Cancer" in texts(files / "run.svg")
    assert json.loads(run("run.json", "--what", "trace", "--json"))["output"] == "run-trace.svg"
    assert "seconds" in texts(files / "run-trace.svg")
    (files / "later.json").write_bytes((files / "run.json").read_bytes())
    run("run.json", "--what", "trace", "--beside", "later.json", "-o", "x.svg")
    assert {"run.json", "later.json"} <= set(texts(files / "x.svg"))


def test_strengths_and_classes_are_drawn(files: Path) -> None:
    found = json.loads(run("strengths.csv", "--what", "strengths", "--json"))
    assert (found["nodes"], found["arcs"], found["output"]) == (3, 3, "strengths-strengths.svg")
    assert {"parent", "child", "a"} <= set(texts(files / "strengths-strengths.svg"))
    assert json.loads(run("class.json", "--json"))["arcs"] == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("asia -o x.jpg", "--output must end in .svg, .png or .pdf; got 'x.jpg'"),
        (
            "asia --what netwrok",
            "--what must be one of network, trace, strengths, not 'netwrok'; did you mean 'network'?",
        ),
        ("run.json --what trace --groups groups.csv", "--groups is for --what network, not for --what trace"),
        ("strengths.csv --what strengths --beside run.json", "--beside is for --what network"),
        ("one.csv --beside other.csv --reference other.csv", "--beside and --reference do not go together"),
        ("one.csv --reference asia", "graph and reference must have the same nodes"),
        ("asia --strengths strengths.csv", "strengths has an arc of 'a', which the graph does not have"),
        ("asia --groups groups.csv", "groups has 'a', which the graph does not have"),
        ("one.csv --groups strengths.csv", "strengths.csv:line 1: the first line must be name,group"),
        ("one.csv --what trace", "one.csv"),
        ("strengths.csv", "strengths.csv: the file holds strengths of arcs; draw it with --what strengths"),
        ("class.json --what trace", "the file is not a run of arcwise"),
        ("nothing.bif", "there is no file 'nothing.bif'"),
        ("broken.json", "broken.json"),
    ],
)
def test_what_is_wrong_is_one_line(files: Path, command: str, message: str) -> None:
    (files / "broken.json").write_text('{"nodes": [')
    outcome = runner.invoke(app, ["plot", *command.split()])
    assert outcome.exit_code == 2, outcome.output
    (line,) = outcome.stderr.splitlines()
    assert message in line
    assert not list(files.glob("*.svg"))
