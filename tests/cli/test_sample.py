"""`arcwise sample`, run as a user runs it."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from arcwise import load_example
from arcwise.cli import app

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_rows_go_to_stdout_and_nothing_else() -> None:
    outcome = runner.invoke(app, ["sample", "cancer", "--rows", "20", "--seed", "1"])
    assert outcome.exit_code == 0
    lines = outcome.stdout.splitlines()
    network = load_example("cancer")
    assert lines[0] == ",".join(network.names)
    assert len(lines) == 21
    for line in lines[1:]:
        assert all(state in states for state, states in zip(line.split(","), network.states, strict=True))


@pytest.mark.parametrize(
    "name", ["rows.csv", "rows.csv.gz", "rows.tsv", "rows.parquet", "rows.TSV", "ROWS.PARQUET", "old.parquet.csv"]
)
def test_files_hold_the_same_rows(in_empty_folder: Path, name: str) -> None:
    options = ["--rows", "50", "--seed", "7"]
    outcome = runner.invoke(app, ["sample", "survey", *options, "-o", name, "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout) == {
        "network": "survey",
        "rows": 50,
        "variables": 6,
        "seed": 7,
        "output": name,
    }
    path = in_empty_folder / name
    if name.lower().endswith("parquet"):
        frame = pl.read_parquet(path)
    else:
        frame = pl.read_csv(path, separator="\t" if name.lower().endswith("tsv") else ",")
    assert frame.cast(pl.String).write_csv() == runner.invoke(app, ["sample", "survey", *options]).stdout


def test_packed_parquet_is_refused(in_empty_folder: Path) -> None:
    outcome = runner.invoke(app, ["sample", "survey", "-o", "rows.parquet.gz"])
    assert outcome.exit_code == 2
    assert "leave .gz out" in outcome.stderr
    assert not list(in_empty_folder.iterdir())


def test_frequencies_are_the_probabilities(in_empty_folder: Path) -> None:
    """P(Smoker=True) = 0.3 in the published network; 20,000 rows give it to within 0.015 but once in 10^5 times."""
    runner.invoke(app, ["sample", "cancer", "--rows", "20000", "--seed", "1", "-o", "rows.csv"])
    share = (pl.read_csv(in_empty_folder / "rows.csv")["Smoker"].cast(pl.String).str.to_lowercase() == "true").mean()
    assert share == pytest.approx(0.3, abs=0.015)
