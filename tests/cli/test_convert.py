"""`arcwise convert` and `arcwise examples`, run as a user runs them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import load_example, read_graph, read_network
from arcwise.cli import app

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_network_goes_round(in_empty_folder: Path) -> None:
    for source, target in (("sachs", "one.bif"), ("one.bif", "two.bif.gz")):
        outcome = runner.invoke(app, ["convert", source, target, "--json"])
        assert outcome.exit_code == 0, outcome.output
        assert json.loads(outcome.stdout)["tables"] is True
    assert read_network(in_empty_folder / "two.bif.gz") == load_example("sachs")


def test_graph_alone_is_said_to_be_one(in_empty_folder: Path) -> None:
    outcome = runner.invoke(app, ["convert", "sachs", "arcs.csv"])
    assert "the graph alone" in outcome.stdout
    assert set(read_graph(in_empty_folder / "arcs.csv").arcs) == set(load_example("sachs").dag.arcs)
    assert json.loads(runner.invoke(app, ["convert", "arcs.csv", "again.csv.xz", "--json"]).stdout)["arcs"] == 17


@pytest.mark.parametrize(
    ("name", "nodes", "arcs", "parameters"),
    [("asia", 8, 8, 18), ("sachs", 11, 17, 178), ("alarm", 37, 46, 509), ("win95pts", 76, 112, 574)],
)
def test_examples_are_listed_as_published(name: str, nodes: int, arcs: int, parameters: int) -> None:
    """What the Bayesian network repository says of them."""
    listed = json.loads(runner.invoke(app, ["examples", "--json"]).stdout)["examples"]
    found = next(example for example in listed if example["name"] == name)
    assert (found["nodes"], found["arcs"], found["parameters"]) == (nodes, arcs, parameters)


def test_example_is_written_and_overwrites_nothing(in_empty_folder: Path) -> None:
    for _ in range(2):
        assert runner.invoke(app, ["examples", "cancer"]).exit_code == 0
    assert sorted(path.name for path in in_empty_folder.iterdir()) == ["cancer-2.bif", "cancer.bif"]
    assert read_network(in_empty_folder / "cancer-2.bif") == load_example("cancer")


def test_a_long_name_is_shown_whole(in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    name = "a_name_that_is_longer_than_the_table_is_wide_where_the_file_went.dot"
    outcome = runner.invoke(app, ["convert", "asia", name])
    assert outcome.exit_code == 0, outcome.output
    cells = [line.split("│")[2].strip() for line in outcome.stdout.splitlines() if line.startswith("│")]
    assert name in "".join(cells)


def test_what_a_format_loses_is_said() -> None:
    assert "all of it" in runner.invoke(app, ["convert", "asia", "asia.net"]).stdout
    assert "no names" in runner.invoke(app, ["convert", "asia", "asia.uai"]).stdout


def test_output_may_be_an_option_as_in_other_commands(in_empty_folder: Path) -> None:
    assert runner.invoke(app, ["convert", "asia", "-o", "one.bif"]).exit_code == 0
    assert runner.invoke(app, ["convert", "one.bif", "--output", "two.net"]).exit_code == 0
    assert set(read_network(in_empty_folder / "two.net").dag.arcs) == set(load_example("asia").dag.arcs)


@pytest.mark.parametrize("given", [[], ["one.bif", "-o", "two.bif"]])
def test_where_to_write_is_said_once(given: list[str]) -> None:
    outcome = runner.invoke(app, ["convert", "asia", *given])
    assert outcome.exit_code == 2
    assert "say once where to write" in " ".join(outcome.stderr.split())


def test_names_become_plain(in_empty_folder: Path) -> None:
    (in_empty_folder / "arcs.csv").write_text("from,to\nblood pressure,stroke\n", encoding="utf-8")
    for target in ("plain.csv", "plain.graphml"):
        outcome = runner.invoke(app, ["convert", "arcs.csv", target, "--plain-names"])
        assert outcome.exit_code == 0, outcome.output
        assert read_graph(in_empty_folder / target).arcs == (("blood_pressure", "stroke"),)
    outcome = runner.invoke(app, ["convert", "sachs", "sachs.bif", "--plain-names"])
    assert read_network(in_empty_folder / "sachs.bif") == load_example("sachs")  # all of them were plain
