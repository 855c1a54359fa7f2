"""`arcwise compare`, run as a user runs it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise.cli import app

runner = CliRunner()


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> Path:
    (in_empty_folder / "truth.csv").write_text("parent,child\na,b\nb,c\nc,d\n")
    (in_empty_folder / "learned.csv").write_text("parent,child\nb,a\nb,c\nb,d\n")
    return in_empty_folder


def test_differences_are_those_seen_by_eye() -> None:
    """c-d is missing, b-d is extra, a->b is reversed; the classes are the skeletons, as there is no collider."""
    outcome = runner.invoke(app, ["compare", "truth.csv", "learned.csv", "--json"])
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert found["missing"] == [["c", "d"]]
    assert found["extra"] == [["b", "d"]]
    assert found["reversed"] == [["a", "b"]]
    assert (found["shd_dag"], found["shd_cpdag"], found["shd_skeleton"]) == (3, 2, 2)
    assert (found["precision"], found["recall"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_table_names_the_arcs() -> None:
    outcome = runner.invoke(app, ["compare", "truth.csv", "learned.csv"])
    for words in ("1: c->d", "1: b->d", "1: a->b", "3 (graphs)"):
        assert words in outcome.stdout


@pytest.mark.parametrize(("other", "code"), [("truth.csv", 0), ("learned.csv", 1)])
def test_exit_code_says_whether_they_differ(other: str, code: int) -> None:
    outcome = runner.invoke(app, ["compare", "truth.csv", other, "--exit-code", "--quiet"])
    assert (outcome.exit_code, outcome.output) == (code, "")


def test_examples_are_compared() -> None:
    assert json.loads(runner.invoke(app, ["compare", "asia", "asia", "--json"]).stdout)["shd_dag"] == 0
