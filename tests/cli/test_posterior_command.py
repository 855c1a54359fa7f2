"""`arcwise posterior`, run as a user runs it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import posterior, read_network, read_strengths
from arcwise.cli import app

runner = CliRunner()


@pytest.fixture(autouse=True)
def coins(in_empty_folder: Path) -> Path:
    """Coins a and b fall alike; c has nothing to do with them."""
    rows = [f"{a},{a},{c}" for a in "ht" for c in "ht"] * 25
    (in_empty_folder / "coins.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    return in_empty_folder


def test_the_file_has_the_probabilities_and_is_one_of_strengths(coins: Path) -> None:
    outcome = runner.invoke(app, ["posterior", "coins.csv"])
    assert outcome.exit_code == 0, outcome.output
    assert "1 more probable than not" in outcome.stdout
    found = read_strengths(coins / "coins-posterior.csv")
    expected = posterior(coins / "coins.csv")
    for arc, probability in found.items():
        assert probability == pytest.approx(expected.arc(*arc))
    assert found["a", "b"] == pytest.approx(0.5, abs=0.01)


def test_chains_and_the_average_are_written(coins: Path) -> None:
    options = ["--method", "partition", "--seed", "1", "--forbid", "b->a", "-o", "s.json", "--averaged", "mean.bif"]
    outcome = runner.invoke(app, ["posterior", "coins.csv", *options, "--json"])
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout)
    assert record == json.loads((coins / "s.json").read_text())
    assert (record["method"], record["status"], record["averaged"]) == ("partition", "complete", "mean.bif")
    assert record["r_hat"] < 1.05
    assert read_network(coins / "mean.bif").dag.arcs == (("a", "b"),)


def test_messages_name_the_options() -> None:
    for options, message in [
        (["--method", "best"], "--method must be"),
        (["--candidates", "30"], "--candidates must be at most 20"),
        (["--precision", "0"], "--precision must be a finite number above 0"),
    ]:
        outcome = runner.invoke(app, ["posterior", "coins.csv", *options])
        assert outcome.exit_code == 2
        assert message in outcome.stderr
