"""`arcwise search`, run as a user runs it."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import ParentSets
from arcwise.cli import app
from arcwise.parents.files import write_parent_sets
from arcwise.search.orders import ORDER_CLIMBS, STRATEGIES
from interrupting import stepped_clock

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")


def write_sets(folder: Path) -> Path:
    """A table whose best graph is b -> a, (a, b) -> c with the score -5: its other orders give -6 or less."""
    table = ParentSets.from_lists(
        ["a", "b", "c"],
        [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"]), (-3.5, ["a"])]],
    )
    write_parent_sets(table, folder / "sets.jkl")
    return folder / "sets.jkl"


@pytest.mark.parametrize("method", list(STRATEGIES))
@pytest.mark.parametrize("climb", list(ORDER_CLIMBS))
def test_table_becomes_arcs(in_empty_folder: Path, method: str, climb: str) -> None:
    write_sets(in_empty_folder)
    options = ["--method", method, "--climb", climb, "--climbs", "50", "--seed", "1"]
    outcome = runner.invoke(app, ["search", "sets.jkl", *options])
    assert outcome.exit_code == 0, outcome.output
    assert "-5.0000" in outcome.output
    with (in_empty_folder / "sets-arcs.csv").open() as file:
        assert sorted(csv.reader(file)) == [["a", "c"], ["b", "a"], ["b", "c"], ["parent", "child"]]


def test_time_limit_and_constraints_reach_the_search(in_empty_folder: Path) -> None:
    """Without constraints every order has one of the best sets on a cycle; with them, the best sets are a graph."""
    write_sets(in_empty_folder)
    with stepped_clock(seconds_per_look=0.001):
        free = runner.invoke(app, ["search", "sets.jkl", "--time", "0.2"])
    assert "time limit" in free.output
    options = ["--forbid", "b->a", "--max-parents", "1", "-o", "mine.csv", "--initial", "fas"]
    outcome = runner.invoke(app, ["search", "sets.jkl", *options])
    assert outcome.exit_code == 0, outcome.output
    with (in_empty_folder / "mine.csv").open() as file:
        assert sorted(csv.reader(file)) == [["a", "b"], ["a", "c"], ["parent", "child"]]


def test_a_search_ends_when_no_graph_can_be_better(in_empty_folder: Path) -> None:
    """The best sets have no cycle, so that the first climb has what no other can improve, however long it may take."""
    best = ParentSets.from_lists(["a", "b"], [[(-3, []), (-1, ["b"])], [(-2, [])]])
    write_parent_sets(best, in_empty_folder / "tree.jkl")
    outcome = runner.invoke(app, ["search", "tree.jkl", "--json", "--time", "100000", "--seed", "1"])
    record = json.loads(outcome.stdout)
    assert (record["score"], record["bound"], record["status"]) == (-3.0, -3.0, "local optimum")
    assert record["counters"]["climbs"] < 1000  # which in vain would have ended it otherwise


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.jkl"], "there is no file 'nothing.jkl'"),
        (["sets.jkl", "--method", "magic"], "must be one of restarts, annealing, perturbation, iterated, memetic"),
        (["sets.jkl", "--climb", "magic"], "climb must be one of"),
        (["sets.jkl", "--initial", "magic"], "initial must be one of"),
        (["sets.jkl", "--climbs", "0"], "climbs must be at least 1"),
        (["sets.jkl", "-o", "out.csv.gz"], "must end in .csv; got"),
        (["sets.jkl", "--require", "a->z"], "z"),
    ],
)
def test_mistakes_are_explained(in_empty_folder: Path, arguments: list[str], message: str) -> None:
    write_sets(in_empty_folder)
    outcome = runner.invoke(app, ["search", *arguments])
    assert outcome.exit_code == 2
    assert message in outcome.output
    assert [path.name for path in in_empty_folder.iterdir()] == ["sets.jkl"]
