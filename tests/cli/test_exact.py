"""`arcwise exact`, run as a user runs it."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import ParentSets
from arcwise.cli import app
from arcwise.parents.files import write_parent_sets

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")


def write_sets(folder: Path) -> None:
    """A table whose best graph is b -> a, (a, b) -> c with the score -5: its other orders give -6 or less."""
    table = ParentSets.from_lists(
        ["a", "b", "c"],
        [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"]), (-3.5, ["a"])]],
    )
    write_parent_sets(table, folder / "sets.jkl.gz")


def arcs_in(path: Path) -> list[list[str]]:
    with path.open() as file:
        return sorted(csv.reader(file))


def test_table_becomes_the_best_graph(in_empty_folder: Path) -> None:
    write_sets(in_empty_folder)
    outcome = runner.invoke(app, ["exact", "sets.jkl.gz", "--time", "60", "--seed", "1"])
    assert outcome.exit_code == 0, outcome.output
    assert "-5.0000" in outcome.output
    assert "optimal" in outcome.output
    assert "candidate parent sets" in outcome.output
    assert arcs_in(in_empty_folder / "sets-arcs.csv") == [["a", "c"], ["b", "a"], ["b", "c"], ["parent", "child"]]


def test_constraints_reach_the_search(in_empty_folder: Path) -> None:
    write_sets(in_empty_folder)
    options = ["--forbid", "b->a", "--max-parents", "1", "-o", "mine.csv"]
    outcome = runner.invoke(app, ["exact", "sets.jkl.gz", *options])
    assert outcome.exit_code == 0, outcome.output
    assert arcs_in(in_empty_folder / "mine.csv") == [["a", "b"], ["a", "c"], ["parent", "child"]]


def test_data_gives_a_proof_for_all_graphs(in_empty_folder: Path) -> None:
    outcome = runner.invoke(app, ["exact", "cancer", "--rows", "500", "--seed", "1", "--time", "60"])
    assert outcome.exit_code == 0, outcome.output
    assert "all graphs" in outcome.output
    assert "optimal" in outcome.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.jkl"], "there is no file 'nothing.jkl'"),
        (["nothing.csv"], "there is no file 'nothing.csv'"),
        (["cancer", "--output", "x.bif"], "must end in .csv"),
    ],
)
def test_errors_say_what_is_wrong(arguments: list[str], message: str) -> None:
    outcome = runner.invoke(app, ["exact", *arguments])
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.output.split())


def test_a_checkpoint_is_resumed(in_empty_folder: Path) -> None:
    command = ["exact", "asia", "--rows", "300", "--checkpoint", "run.json", "--json"]
    first, again = (runner.invoke(app, [*command, *more]) for more in (["-o", "1.csv"], ["--resume", "-o", "2.csv"]))
    assert first.exit_code == again.exit_code == 0, again.output
    assert json.loads(first.stdout)["seed"] == json.loads(again.stdout)["seed"]
    assert (in_empty_folder / "1.csv").read_text() == (in_empty_folder / "2.csv").read_text()
    refused = runner.invoke(app, command)
    assert refused.exit_code == 2
    assert "--resume" in refused.output


def test_the_best_is_not_found_after_the_end() -> None:
    """In a process of its own, which has to load the search first."""
    program = [sys.executable, "-c", "from arcwise.cli import app; app()", "exact", "asia", "--seed", "1"]
    shown = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    found = re.search(r"([\d.e-]+) (m?s), the best after ([\d.e-]+) (m?s)", shown)
    assert found is not None
    unit = {"s": 1.0, "ms": 0.001}
    assert float(found[3]) * unit[found[4]] <= float(found[1]) * unit[found[2]]
