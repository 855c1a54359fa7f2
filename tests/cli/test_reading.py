"""How commands read tables: what their options make of the columns."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from arcwise import Dag, Dataset, LocalScore, read_network, write_graph
from arcwise.cli import app
from arcwise.cli.options import Reading, load

runner = CliRunner()


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A file with a column of fractions, one of a few whole numbers and one of words."""
    path = tmp_path / "clinic.csv"
    path.write_text("bmi,ward,sex\n18.5,3,f\n31,7,m\n22.5,3,f\n")
    return str(path)


@pytest.mark.parametrize(
    ("reading", "continuous"),
    [
        (Reading(), ["bmi"]),
        (Reading(continuous="auto"), ["bmi"]),
        (Reading(continuous="all"), ["bmi", "ward"]),
        (Reading(continuous="ward"), ["bmi", "ward"]),
        (Reading(continuous="bmi, ward,"), ["bmi", "ward"]),
        (Reading(continuous="none", discretise="quantile"), []),
        (Reading(continuous="bmi", discretise="quantile"), ["bmi"]),
        (Reading(discretise="quantile"), []),
        (Reading(max_states=1, interventions="sex"), ["bmi", "ward"]),
    ],
)
def test_columns_are_continuous_by_option(table: str, reading: Reading, continuous: list[str]) -> None:
    if reading.interventions is not None:
        Path(table).write_text(Path(table).read_text().replace(",f", ",").replace(",m", ",bmi"))
    data = load(table, reading, seed=1).data
    assert [data.names[v] for v in data.continuous] == continuous


def test_a_network_of_numbers_is_written_where_it_can_be(in_empty_folder: Path) -> None:
    random = np.random.default_rng(1)
    bmi = random.normal(26, 4, 200)
    pl.DataFrame({"bmi": bmi, "pressure": 80 + bmi + random.normal(size=200)}).write_csv("clinic.csv")
    outcome = runner.invoke(app, ["learn", "clinic.csv", "--seed", "1", "--time", "5", "--report", "clinic.html"])
    assert outcome.exit_code == 0, outcome.output
    assert sorted(path.name for path in in_empty_folder.iterdir()) == [
        "clinic-learned.json",
        "clinic.csv",
        "clinic.html",
    ]
    network = read_network("clinic-learned.json")
    assert network.dag.n_arcs == 1
    outcome = runner.invoke(app, ["sample", "clinic-learned.json", "--rows", "50", "--seed", "1", "-o", "more.csv"])
    assert outcome.exit_code == 0, outcome.output
    assert Dataset.from_file("more.csv") == network.sample(50, seed=1)
    outcome = runner.invoke(app, ["learn", "clinic.csv", "-o", "clinic.bif"])
    assert outcome.exit_code == 2
    assert "'bmi', 'pressure' are continuous; JSON" in outcome.stderr
    outcome = runner.invoke(app, ["learn", "clinic.csv", "--run", "clinic-learned-2.json"])
    assert "--run are both clinic-learned-2.json" in outcome.stderr


@pytest.mark.parametrize(
    "command",
    [
        "exact counts.csv",
        "parents counts.csv -o sets.jkl",
        "bootstrap counts.csv -o strengths.csv",
        "score graph.json counts.csv",
    ],
    ids=lambda command: command.split()[0],
)
def test_commands_take_whole_numbers_as_continuous(in_empty_folder: Path, command: str) -> None:
    random = np.random.default_rng(1)
    visits = random.integers(0, 9, 200)
    columns = {"visits": visits, "pills": 3 * visits + random.integers(0, 3, 200)}
    Dataset.of(columns).to_frame().write_csv(in_empty_folder / "counts.csv")
    graph = Dag(["visits", "pills"], [("visits", "pills")])
    write_graph(graph, in_empty_folder / "graph.json")
    shown = []
    for which in ("all", "visits,pills", "none"):
        outcome = runner.invoke(app, [*command.split(), "--continuous", which, "--json", "--quiet"])
        assert outcome.exit_code == 0, outcome.output
        shown.append(json.loads(outcome.stdout))
    tables = (Dataset.from_numbers(np.column_stack(list(columns.values())), names=graph.names), Dataset.of(columns))
    numbers, states = map(LocalScore, tables)
    if command.startswith("score"):
        expected = [numbers.total(graph), numbers.total(graph), states.total(graph)]
        assert [found["scores"]["bic"] for found in shown] == pytest.approx(expected)
    if command.startswith("exact"):  # an arc is worth its coefficient, but not a table of 9 by 27 states
        expected = [numbers.total(graph), numbers.total(graph), states.total(Dag(graph.names))]
        assert [found["score"] for found in shown] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--missing foo", "--missing must be one of error, drop, state, pairwise, em, not 'foo'"),
        ("--discretise foo", "--discretise works only with a file; asia is an example"),
        ("--separator ;;", "--separator works only with a file; asia is an example"),
        ("--max-states 1", "--max-states works only with a file; asia is an example"),
        ("--no-header", "--no-header works only with a file; asia is an example"),
        ("--header", "--header works only with a file; asia is an example"),
        ("--min-count 3", "--min-count works only with a file; asia is an example"),
        ("--names a,b", "--names works only with a file; asia is an example"),
    ],
)
def test_options_about_files_are_refused_for_examples(options: str, said: str, in_empty_folder: Path) -> None:
    outcome = runner.invoke(app, ["learn", "asia", "--time", "1", *options.split()])
    assert outcome.exit_code == 2
    assert said in " ".join(outcome.output.split())
    assert not list(in_empty_folder.iterdir())


@pytest.mark.parametrize("command", ["parents", "exact", "score"])
def test_help_offers_only_what_is_taken(command: str) -> None:
    """Structural EM learns a whole network; these commands look at single families."""
    said = " ".join(runner.invoke(app, [command, "--help"]).output.split())
    assert "pairwise (each variable" in said
    assert "structural EM" not in said
    source = ["asia", "asia"] if command == "score" else ["asia"]
    assert runner.invoke(app, [command, *source, "--missing", "em"]).exit_code == 2
