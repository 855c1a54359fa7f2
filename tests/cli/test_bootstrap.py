"""`arcwise bootstrap`, run as a user runs it."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arcwise import read_graph, read_network
from arcwise.cli import app

runner = CliRunner()


@pytest.fixture(autouse=True)
def coins(in_empty_folder: Path) -> Path:
    """Coins a and b fall alike, all times but one; c has nothing to do with them."""
    rows = [f"{a},{a},{c}" for a in "ht" for c in "ht"] * 25 + ["h,t,h"]
    (in_empty_folder / "coins.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    return in_empty_folder


def strengths(path: Path) -> dict[tuple[str, str], tuple[float, float]]:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {(row["from"], row["to"]): (float(row["strength"]), float(row["direction"])) for row in rows}


def test_sure_edge_has_no_sure_direction(coins: Path) -> None:
    """Both directions of a single edge are equivalent, so each counts half."""
    outcome = runner.invoke(app, ["bootstrap", "coins.csv", "-m", "20", "--seed", "1"])
    assert outcome.exit_code == 0, outcome.output
    found = strengths(coins / "coins-strengths.csv")
    assert found["a", "b"] == found["b", "a"] == (1.0, 0.5)


def test_constraints_give_the_direction_and_the_average_is_written(coins: Path) -> None:
    (coins / "known.csv").write_text("from,to\nb,a\n")
    options = ["-m", "20", "--seed", "1", "--constraints", "forbidden=known.csv", "-o", "s.json"]
    outcome = runner.invoke(app, ["bootstrap", "coins.csv", *options, "--averaged", "mean.bif", "--json"])
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout)
    assert record == json.loads((coins / "s.json").read_text())
    assert {"from": "a", "to": "b", "strength": 1.0, "direction": 1.0} in record["strengths"]
    assert (record["replicas"], record["status"], record["averaged"]) == (20, "complete", "mean.bif")
    assert read_network(coins / "mean.bif").dag.arcs == (("a", "b"),)


def test_average_is_written_as_a_graph_where_the_name_says_so(coins: Path) -> None:
    options = ["-m", "5", "--threshold", "0.9", "--averaged", "mean.csv", "--quiet"]
    outcome = runner.invoke(app, ["bootstrap", "coins.csv", *options])
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert read_graph(coins / "mean.csv").n_arcs == 1


@pytest.mark.parametrize("name", ["s.JSON", "s.csv.json"])
def test_the_last_ending_says_the_format(in_empty_folder: Path, name: str) -> None:
    assert runner.invoke(app, ["bootstrap", "cancer", "-m", "2", "--rows", "50", "-o", name]).exit_code == 0
    assert json.loads((in_empty_folder / name).read_text())["replicas"] == 2


def test_json_before_the_last_ending_says_nothing(in_empty_folder: Path) -> None:
    assert runner.invoke(app, ["bootstrap", "cancer", "-m", "2", "--rows", "50", "-o", "s.json.csv"]).exit_code == 0
    assert (in_empty_folder / "s.json.csv").read_text().startswith("from,to,strength,direction\n")


def test_significant_edges_are_those_of_more_than_half_of_the_replicas(coins: Path) -> None:
    """The threshold that is found lies below one half, and no edge between the two."""
    assert "in more than half of the replicas" in runner.invoke(app, ["bootstrap", "coins.csv", "-m", "5"]).output
    options = ["-m", "5", "--threshold", "0.9", "-o", "other.csv"]
    assert "in more than 90 % of the replicas" in runner.invoke(app, ["bootstrap", "coins.csv", *options]).output


@pytest.mark.parametrize("command", [["bootstrap", "-m", "2"], ["parents", "--scored", "10"]], ids=" ".join)
def test_the_score_is_picked_by_the_size_of_the_table(command: list[str], in_empty_folder: Path) -> None:
    codes = np.random.default_rng(1).integers(0, 2, size=(40, 80))
    lines = [",".join(f"v{v}" for v in range(80)), *(",".join(map(str, row)) for row in codes)]
    (in_empty_folder / "wide.csv").write_text("\n".join(lines) + "\n")
    name, *options = command
    shown = runner.invoke(app, [name, "wide.csv", *options, "--json"])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["score_name"] == "ebic"
    refused = runner.invoke(app, [name, "wide.csv", *options, "--ess", "10"])
    assert refused.exit_code != 0
    assert "--ess" in refused.output
