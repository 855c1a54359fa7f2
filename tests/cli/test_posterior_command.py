"""`arcwise posterior`, run as a user runs it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import Budget, posterior, read_network, read_strengths
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


def test_chains_are_resumed_from_their_checkpoint(coins: Path) -> None:
    """What two commands find together is what one finds that runs as long."""
    start = ["posterior", "coins.csv", "--checkpoint", "chains.npz", "--json"]
    first = runner.invoke(app, [*start, "--seed", "3", "--precision", "0.3", "-o", "first.csv"])
    assert first.exit_code == 0, first.output
    record = json.loads(first.stdout)
    assert (record["method"], record["status"], record["seed"]) == ("partition", "complete", 3)
    assert (coins / "chains.npz").is_file()
    second = runner.invoke(app, [*start, "--resume", "--precision", "0.02", "-o", "second.csv"])
    assert second.exit_code == 0, second.output
    assert json.loads(second.stdout)["seed"] == 3
    whole = posterior(coins / "coins.csv", method="partition", seed=3, precision=0.02)
    found = read_strengths(coins / "second.csv")
    assert found == {arc: pytest.approx(whole.arc(*arc)) for arc in found}


def test_without_a_checkpoint_chains_begin_anew(coins: Path) -> None:
    outcome = runner.invoke(app, ["posterior", "coins.csv", "--checkpoint", "chains.npz", "--resume", "--seed", "1"])
    assert outcome.exit_code == 0, outcome.output
    assert "there is no checkpoint chains.npz; the chains start from the beginning" in outcome.stderr
    assert (coins / "chains.npz").is_file()


def test_wrong_checkpoints_are_refused_in_options(coins: Path) -> None:
    (coins / "other.csv").write_text((coins / "coins.csv").read_text().replace("h,h,t", "t,h,t"))
    assert runner.invoke(app, ["posterior", "coins.csv", "--checkpoint", "chains.npz"]).exit_code == 0
    (coins / "text.npz").write_text("chains")
    for options, message in [
        ("coins.csv --resume", "--resume needs --checkpoint, the name of its file"),
        ("coins.csv --checkpoint chains.npz", "chains.npz is there already; resume it"),
        ("other.csv --checkpoint chains.npz --resume", "chains.npz are of other data"),
        ("coins.csv --checkpoint chains.npz --resume --score k2", "chains.npz are of another score"),
        ("coins.csv --checkpoint chains.npz --resume --seed 77", "--seed must be"),
        ("coins.csv --checkpoint chains.npz --resume --chains 8", "--chains must be 4"),
        ("coins.csv --checkpoint chains.npz --resume --candidates 1", "--candidates must be 2"),
        ("coins.csv --checkpoint chains.npz --resume --method exact", "for exact sums drop --resume"),
        ("coins.csv --checkpoint new.npz --method exact", "exact sums leave nothing to resume; drop --checkpoint"),
        ("coins.csv --checkpoint text.npz --resume", "text.npz: this is not a whole file of chains"),
        ("coins.csv --checkpoint same.csv -o same.csv", "same.csv"),
    ]:
        outcome = runner.invoke(app, ["posterior", *options.split()])
        assert outcome.exit_code == 2, outcome.output
        assert message in outcome.stderr


def test_probable_arcs_from_outside_the_candidates_are_shown(coins: Path) -> None:
    """A die that adds up three coins has all of them as parents, and two candidates are too few."""
    rows = [f"{a},{b},{c},{a + b + c}" for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 10
    (coins / "die.csv").write_text("\n".join(["a,b,c,die", *rows]) + "\n")
    start = ["posterior", "die.csv", "--method", "partition", "--seed", "1", "--precision", "0.2"]
    outcome = runner.invoke(app, [*start, "--candidates", "1"])
    assert outcome.exit_code == 0, outcome.output
    assert "give more --candidates than 1" in outcome.stderr
    assert "1; arcs from others have a probability of at most" in " ".join(outcome.stdout.split())
    few, all_of_them = (
        json.loads(runner.invoke(app, [*start, "--candidates", number, "--json"]).stdout) for number in ("1", "3")
    )
    assert (few["candidates"], all_of_them["candidates"]) == (1, 3)
    assert few["outside"] > 0.05
    assert all_of_them["outside"] == 0


def test_nothing_is_not_written(coins: Path) -> None:
    outcome = runner.invoke(app, ["posterior", "coins.csv", "--time", "0"])
    assert outcome.exit_code == 2
    assert "no probabilities: what ended it (time limit) came before the first" in outcome.stderr
    assert [path.name for path in coins.iterdir()] == ["coins.csv"]


def test_ctrl_c_before_the_first_probability_writes_nothing(coins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget()
    budget.interrupt()
    nothing = posterior(coins / "coins.csv", budget=budget)
    monkeypatch.setattr("arcwise.posterior", lambda *_, **__: nothing)
    outcome = runner.invoke(app, ["posterior", "coins.csv"])
    assert outcome.exit_code == 130
    about_copies = "Warning: Columns that say the same"  # which the coins are
    assert [line for line in outcome.stderr.splitlines() if not line.startswith(about_copies)] == ["Interrupted"]
    assert [path.name for path in coins.iterdir()] == ["coins.csv"]
