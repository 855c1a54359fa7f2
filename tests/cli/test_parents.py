"""`arcwise parents`, run as a user runs it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import LocalScore, load_example
from arcwise.cli import app
from arcwise.parents.files import read_parent_sets

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")


def write_table(path: Path, n_rows: int = 1000) -> None:
    data = load_example("survey").sample(n_rows, seed=1)
    data.to_frame().write_csv(path)


@pytest.mark.parametrize("method", ["balanced", "sequential", "greedy", "independence", "exhaustive"])
def test_table_becomes_parent_sets(in_empty_folder: Path, method: str) -> None:
    write_table(in_empty_folder / "survey.csv")
    options = ["-o", "survey.pss.gz", "--method", method, "--time-per-variable", "2", "--max-parents", "2"]
    outcome = runner.invoke(app, ["parents", "survey.csv", *options])
    assert outcome.exit_code == 0, outcome.output
    sets = read_parent_sets(in_empty_folder / "survey.pss.gz")
    score = LocalScore(load_example("survey").sample(1000, seed=1))
    assert set(sets.names) == set(score.data.names)
    assert sets.max_parents <= 2
    for name in sets.names:
        for value, parents in sets.sets(name):
            assert value == pytest.approx(score.local(name, parents))


def test_options_reach_the_selection(in_empty_folder: Path) -> None:
    options = ["--scored", "50", "--keep", "5", "--filter", "--require", "smoke->lung", "--forbid", "xray->either"]
    outcome = runner.invoke(app, ["parents", "asia", "--seed", "1", "--score", "bdeu", "--ess", "2", *options])
    assert outcome.exit_code == 0, outcome.output
    sets = read_parent_sets(in_empty_folder / "asia.jkl")
    assert max(len(sets.sets(name)) for name in sets.names) <= 6  # five and the smallest
    assert all("smoke" in parents for _, parents in sets.sets("lung"))
    assert all("xray" not in parents for _, parents in sets.sets("either"))


def test_a_second_run_overwrites_nothing(in_empty_folder: Path) -> None:
    for _ in range(2):
        assert runner.invoke(app, ["parents", "cancer", "--seed", "1", "--scored", "10"]).exit_code == 0
    assert sorted(path.name for path in in_empty_folder.iterdir()) == ["cancer-2.jkl", "cancer.jkl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["asia", "--method", "magic"], "method must be one of"),
        (["asia", "-o", "out.bif"], "must end in .jkl or .pss"),
        (["alarm", "--method", "exhaustive"], "at most 24 variables"),
        (["asia", "--workers", "0"], "workers must be at least 1"),
        (["asia", "--keep", "0"], "--keep must be at least 1"),
        (["asia", "--time-per-variable", "-1"], "--time-per-variable must be"),
    ],
    ids=" ".join,
)
def test_errors_are_clear_and_write_nothing(in_empty_folder: Path, arguments: list[str], message: str) -> None:
    outcome = runner.invoke(app, ["parents", *arguments])
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.output.split())
    assert not list(in_empty_folder.iterdir())


def test_rows_drawn_by_chance_can_be_drawn_again(in_empty_folder: Path) -> None:
    outcome = runner.invoke(app, ["parents", "cancer", "-o", "one.jkl", "--json"])
    seed = json.loads(outcome.stdout)["seed"]
    assert runner.invoke(app, ["parents", "cancer", "-o", "two.jkl", "--seed", str(seed)]).exit_code == 0
    assert (in_empty_folder / "one.jkl").read_bytes() == (in_empty_folder / "two.jkl").read_bytes()


def test_no_seed_where_nothing_is_drawn(in_empty_folder: Path) -> None:
    write_table(in_empty_folder / "survey.csv", 100)
    outcome = runner.invoke(app, ["parents", "survey.csv", "--json"])
    assert json.loads(outcome.stdout)["seed"] is None
