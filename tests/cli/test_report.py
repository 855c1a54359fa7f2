"""`arcwise report` and the runs and reports of `arcwise learn`, run as a user runs them."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from arcwise import load_example, read_graph, read_network, read_run
from arcwise.cli import app

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")


def content_in(path: Path) -> dict[str, Any]:
    """What the page of a report shows, as it is carried in the file."""
    text = path.read_text(encoding="utf-8")
    begin = text.index(">", text.index('type="application/json"')) + 1
    content: dict[str, Any] = json.loads(text[begin : text.index("</script>", begin)])
    return content


def test_learn_writes_run_and_report_of_the_same_network(in_empty_folder: Path) -> None:
    command = ["learn", "asia", "--rows", "500", "--method", "greedy", "--report", "a.html", "--run", "a.json"]
    outcome = runner.invoke(app, command)
    assert outcome.exit_code == 0, outcome.output
    assert "asia-learned.bif, a.json, a.html" in " ".join(outcome.output.split())
    run, learned = read_run("a.json"), read_network("asia-learned.bif")
    assert run.result.network().dag == run.result.dag == learned.dag.with_names_ordered(run.result.dag.names)
    content = content_in(in_empty_folder / "a.html")
    assert content["nodes"]["name"] == list(run.result.dag.names)
    assert content["reference"] is not None
    assert sum(content["nodes"]["counts"][0]) == 500


def test_a_report_has_rows_where_learn_has_just_read_them(in_empty_folder: Path) -> None:
    random = np.random.default_rng(1)
    bmi = random.normal(26, 4, 200)
    pressure = 80 + bmi + random.normal(size=200)
    lines = [
        "bmi,pressure",
        *(f"{one!r},{other!r}" for one, other in zip(bmi.tolist(), pressure.tolist(), strict=True)),
    ]
    Path("clinic.csv").write_text("\n".join(lines) + "\n")
    command = ["learn", "clinic.csv", "--method", "greedy", "--report", "now.html", "--run", "run.json"]
    assert runner.invoke(app, command).exit_code == 0
    assert runner.invoke(app, ["report", "run.json", "-o", "later.html"]).exit_code == 0
    now, later = (content_in(in_empty_folder / name)["nodes"] for name in ("now.html", "later.html"))
    assert now.pop("points")["rows"] == 200
    assert later.pop("points") is None
    assert now == later
    assert now["histograms"][0]["counts"] == np.histogram(bmi, bins=12)[0].tolist()


def test_the_command_in_a_run_makes_it_again(in_empty_folder: Path) -> None:
    odd = in_empty_folder / "it's a table.csv"
    assert runner.invoke(app, ["sample", "cancer", "--rows", "300", "--seed", "1", "-o", str(odd)]).exit_code == 0
    first = ["learn", str(odd), "--method", "sgs3", "--run", "first.json", "-o", "first.bif"]
    assert runner.invoke(app, first).exit_code == 0
    run = read_run("first.json")
    assert run.command is not None
    program, *again = shlex.split(run.command)
    assert program == "arcwise"
    assert again == [*first, "--seed", str(run.result.seed)]
    Path("first.json").rename("kept.json")
    assert runner.invoke(app, again).exit_code == 0
    assert read_run("first.json").result.dag == run.result.dag


def test_a_seed_that_was_given_is_not_added_again() -> None:
    for seed in (["--seed", "7"], ["--seed=7"]):
        runner.invoke(app, ["learn", "cancer", "--method", "greedy", *seed, "--run", "run.json"])
        assert (read_run("run.json").command or "").count("--seed") == 1


def test_warnings_are_in_the_run_and_in_the_report(in_empty_folder: Path) -> None:
    rows = "".join(f"{'xy'[row % 2]},{'uv'[row % 3 % 2]},same\n" for row in range(60))
    Path("table.csv").write_text("a,b,c\n" + rows)
    outcome = runner.invoke(app, ["learn", "table.csv", "--method", "greedy", "--report", "r.html", "--run", "r.json"])
    assert outcome.exit_code == 0, outcome.output
    (warning,) = read_run("r.json").warnings
    assert "'c'" in warning
    assert warning in content_in(in_empty_folder / "r.html")["warnings"]


def test_report_of_a_run_with_strengths_and_reference(in_empty_folder: Path) -> None:
    runner.invoke(app, ["learn", "cancer", "--seed", "1", "--method", "greedy", "--run", "run.json"])
    runner.invoke(app, ["bootstrap", "cancer", "--replicas", "5", "--seed", "1", "-o", "arcs.csv"])
    command = ["report", "run.json", "--strengths", "arcs.csv", "--reference", "cancer", "--title", "A & B", "--json"]
    outcome = runner.invoke(app, command)
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout)
    assert record["output"] == "run-report.html"
    content = content_in(in_empty_folder / "run-report.html")
    assert content["title"] == "A & B"
    assert content["strengths"]["pairs"]
    assert len(content["reference"]["status"]) == read_run("run.json").result.dag.n_arcs
    again = runner.invoke(app, ["report", "run.json", "--json"])
    assert json.loads(again.stdout)["output"] == "run-report-2.html"


def test_a_checkpoint_is_a_run_too(in_empty_folder: Path) -> None:
    command = ["learn", "cancer", "--seed", "1", "--method", "greedy", "--checkpoint", "c.json"]
    assert runner.invoke(app, command).exit_code == 0
    assert runner.invoke(app, ["report", "c.json", "-o", "c.html"]).exit_code == 0
    assert content_in(in_empty_folder / "c.html")["nodes"]["name"] == list(load_example("cancer").names)


def test_a_graph_whose_tables_are_too_large_is_not_lost(in_empty_folder: Path) -> None:
    rows = "".join(",".join(f"s{(row + 7 * column) % 60}" for column in range(6)) + "\n" for row in range(120))
    Path("table.csv").write_text("a,b,c,d,e,f\n" + rows)
    arcs = [word for parent in "abcde" for word in ("--require", f"{parent}->f")]  # 60 to the 6 in one table
    outcome = runner.invoke(
        app, ["learn", "table.csv", "--method", "greedy", *arcs, "--report", "r.html", "--run", "r.json"]
    )
    assert outcome.exit_code == 0, outcome.output
    assert "table-learned.bif is not written" in outcome.stderr
    assert "tables would take" in outcome.stderr
    assert not Path("table-learned.bif").exists()
    run = read_run("r.json")
    assert read_graph("table-learned-arcs.csv").with_names_ordered(list("abcdef")) == run.result.dag
    assert set("abcde") <= set(run.result.dag.parents("f"))
    assert run.result.data is None
    assert any("tables would take" in warning for warning in content_in(in_empty_folder / "r.html")["warnings"])
