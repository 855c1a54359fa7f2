"""The way from a table with continuous columns to a network, and what can be done with that, as a user goes it."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from arcwise import Dataset, LocalScore, learn, read_network
from arcwise.cli import app
from tables import table_of_numbers

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")

TABLES = {"continuous": "ccccc", "mixed": "c2c3c"}

each_table = pytest.mark.parametrize("name", list(TABLES))


def write_table(name: str) -> Dataset:
    data = table_of_numbers(TABLES[name])
    data.to_frame().write_csv(f"{name}.csv")
    return data


@each_table
def test_learned_scored_and_sampled(name: str, in_empty_folder: Path) -> None:
    data = write_table(name)
    outcome = runner.invoke(app, ["learn", f"{name}.csv", "--seed", "1", "--json"])
    assert outcome.exit_code == 0, outcome.output
    told = json.loads(outcome.stdout)
    assert told["score"] == pytest.approx(learn(data, method="exact").score)
    network = read_network(in_empty_folder / f"{name}-learned.json")
    assert network.arities == data.arities

    outcome = runner.invoke(app, ["score", f"{name}-learned.json", f"{name}.csv", "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout)["scores"]["bic"] == pytest.approx(LocalScore(data).total(network.dag))

    arguments = ["sample", f"{name}-learned.json", "--rows", "2000", "--seed", "1", "-o", "rows.csv"]
    outcome = runner.invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    rows, table = pl.read_csv("rows.csv"), data.to_frame()
    for column in data.names:
        if data.arities[data.index(column)]:
            assert set(rows[column]) == set(table[column].cast(pl.String))
        else:
            assert rows[column].mean() == pytest.approx(np.mean(data.numbers_of(column)), abs=0.15)
            assert rows[column].std() == pytest.approx(np.std(data.numbers_of(column)), abs=0.15)

    again = runner.invoke(app, ["learn", "rows.csv", "--seed", "1", "--json", "-o", "again.json"])
    assert again.exit_code == 0, again.output
    assert read_network(in_empty_folder / "again.json").arities == data.arities


@each_table
def test_strengths(name: str) -> None:
    write_table(name)
    outcome = runner.invoke(app, ["bootstrap", f"{name}.csv", "--seed", "1", "--replicas", "20", "-o", "strengths.csv"])
    assert outcome.exit_code == 0, outcome.output
    strengths = pl.read_csv("strengths.csv")
    assert strengths["strength"].max() == 1.0
    if name == "mixed":  # X1 and X3 have states, which have no continuous parents
        towards_states = strengths.filter(~pl.col("from").is_in(["X1", "X3"]) & pl.col("to").is_in(["X1", "X3"]))
        assert set(towards_states["direction"]) <= {0.0}


def test_what_states_cannot_have_is_said_in_the_words_of_the_command() -> None:
    write_table("mixed")
    for arguments, words in (
        (["--score", "bdeu"], "or cut them into states, for instance with --discretise quantile"),
        (["--method", "xges"], "take --score dg, or search over graphs or orders"),
        (["--method", "mmhc"], "cut them into states, for instance with --discretise quantile, or search over"),
        (["-o", "mixed.bif"], "JSON and NET files hold such networks"),
    ):
        outcome = runner.invoke(app, ["learn", "mixed.csv", "--time", "5", *arguments])
        assert outcome.exit_code == 2
        assert words in " ".join(outcome.stderr.split())


def test_a_graph_without_a_network_is_written_as_arcs(in_empty_folder: Path) -> None:
    write_table("mixed")
    outcome = runner.invoke(app, ["learn", "mixed.csv", "--score", "dg", "--seed", "1", "-o", "graph.json"])
    assert outcome.exit_code == 0, outcome.output
    assert [path.name for path in in_empty_folder.glob("graph*")] == ["graph-arcs.csv"]


def test_cut_columns_have_states() -> None:
    write_table("mixed")
    outcome = runner.invoke(app, ["learn", "mixed.csv", "--discretise", "quantile", "--seed", "1", "-o", "cut.bif"])
    assert outcome.exit_code == 0, outcome.output
    assert read_network("cut.bif").arities == (3, 2, 3, 3, 3)
