"""`arcwise learn`, run as a user runs it."""

import json
from functools import wraps
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arcwise import compare, load_example, read_network, read_run
from arcwise.cli import app

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")


def write_table(path: Path, n_rows: int = 2000) -> None:
    data = load_example("cancer").sample(n_rows, seed=1)
    lines = [",".join(data.names)]
    lines += [",".join(data.states[v][code] for v, code in enumerate(row)) for row in data.codes]
    path.write_text("\n".join(lines) + "\n")


def test_example_is_learned_compared_and_written(in_empty_folder: Path) -> None:
    outcome = runner.invoke(app, ["learn", "asia", "--seed", "1", "--rows", "3000"])
    assert outcome.exit_code == 0, outcome.output
    for word in ("score", "time", "SHD to the truth", "asia-learned.bif"):
        assert word in outcome.output
    learned = read_network(in_empty_folder / "asia-learned.bif")
    assert set(learned.names) == set(load_example("asia").names)
    assert compare(load_example("asia").dag, learned.dag).shd_skeleton <= 3


def test_a_second_run_overwrites_nothing(in_empty_folder: Path) -> None:
    for _ in range(2):
        assert runner.invoke(app, ["learn", "cancer", "--seed", "1"]).exit_code == 0
    written = sorted(path.name for path in in_empty_folder.iterdir())
    assert written == ["cancer-learned-2.bif", "cancer-learned.bif"]
    first, second = (read_network(in_empty_folder / name) for name in written)
    assert first == second


@pytest.mark.parametrize(
    ("command", "work", "taken"),
    [
        ("learn", "arcwise.learn", "cancer-learned.bif"),
        ("parents", "arcwise.select", "cancer.jkl"),
        ("exact", "arcwise.search.search.run_journaled", "cancer-arcs.csv"),
        ("bootstrap", "arcwise.bootstrap", "cancer-strengths.csv"),
    ],
)
def test_a_run_at_the_same_time_is_not_overwritten(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, work: str, taken: str
) -> None:
    module, name = work.rsplit(".", 1)
    real = getattr(import_module(module), name)

    @wraps(real)
    def meanwhile(*arguments: object, **options: object) -> object:
        (in_empty_folder / taken).write_text("of the other run")
        return real(*arguments, **options)

    monkeypatch.setattr(work, meanwhile)
    outcome = runner.invoke(app, [command, "cancer", "--rows", "100", "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert (in_empty_folder / taken).read_text() == "of the other run"
    assert (in_empty_folder / json.loads(outcome.stdout)["output"]).stat().st_size > 0
    assert len(list(in_empty_folder.iterdir())) == 2


def test_file_is_learned(in_empty_folder: Path) -> None:
    write_table(in_empty_folder / "patients.csv")
    options = ["-o", "out.bif.gz", "--score", "bdeu", "--ess", "5", "--require", "Smoker->Cancer", "--max-parents", "2"]
    outcome = runner.invoke(app, ["learn", "patients.csv", "--seed", "0", *options])
    assert outcome.exit_code == 0, outcome.output
    assert "SHD" not in outcome.output
    assert read_network(in_empty_folder / "out.bif.gz").dag.has_arc("Smoker", "Cancer")


def test_options_of_the_method_reach_it() -> None:
    options = ["--method", "greedy", "--set", "moves=adrs", "--set", "climbs=2", "--set", "random_start=true"]
    outcome = runner.invoke(app, ["learn", "asia", "--seed", "1", "--clean-up", *options])
    assert outcome.exit_code == 0, outcome.output
    assert "sgs2" in outcome.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.csv"], "there is no file 'nothing.csv'"),
        (["asia", "--score", "best"], "--score must be one of"),
        (["asia", "--ess", "3"], "--ess belongs to"),
        (["asia", "--require", "smoke"], "written 'A->B'"),
        (["asia", "--require", "smoke->lung", "--forbid", "smoke->lung"], "smoke"),
        (["asia", "--method", "magic"], "method must be one of"),
        (["asia", "--method", "greedy", "--set", "climb=3"], "greedy has no option 'climb'"),
        (["asia", "--set", "climbs"], "written 'name=value'"),
        (["asia", "--set", "score=aic"], "options of the method alone"),
        (["asia", "-o", "nowhere/out.bif"], "does not exist"),
        (["asia", "-o", "out.docx"], "must end in .bif"),
        (["asia", "--seed", "-3"], "--seed must be"),
        (["asia", "--time-limit", "-1"], "--time-limit must be"),
        (["ragged.csv"], "ragged.csv"),
    ],
    ids=" ".join,
)
def test_errors_are_clear_and_write_nothing(in_empty_folder: Path, arguments: list[str], message: str) -> None:
    (in_empty_folder / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    outcome = runner.invoke(app, ["learn", *arguments])
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.output.split())
    assert not list(in_empty_folder.glob("*.bif*"))


def test_version_is_shown() -> None:
    assert runner.invoke(app, ["--version"]).output.startswith("arcwise 0.")


def test_the_score_is_picked_by_the_size_of_the_table(in_empty_folder: Path) -> None:
    codes = np.random.default_rng(1).integers(0, 2, size=(40, 80))
    lines = [",".join(f"v{v}" for v in range(80)), *(",".join(map(str, row)) for row in codes)]
    (in_empty_folder / "wide.csv").write_text("\n".join(lines) + "\n")
    options = ["learn", "wide.csv", "--method", "greedy", "--seed", "1"]
    record = json.loads(runner.invoke(app, [*options, "--json"]).stdout)
    assert record["score_name"] == "ebic"
    assert record["picked_score"].startswith("40 rows of 80 variables: BIC would add")
    told = json.loads(runner.invoke(app, [*options, "--score", "bic", "--json"]).stdout)
    assert (told["score_name"], told["picked_score"]) == ("bic", None)
    shown = runner.invoke(app, [*options, "--score", "auto"]).output
    assert "picked score" in shown
    refused = runner.invoke(app, [*options, "--ess", "10"])
    assert refused.exit_code != 0
    assert "--ess" in refused.output


def test_tables_with_gaps_are_learned_from(tmp_path: Path) -> None:
    frame = load_example("cancer").sample(2000, seed=1).to_frame("pandas")
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.3)
    source, network, run = tmp_path / "gaps.csv", tmp_path / "found.bif", tmp_path / "run.json"
    frame.to_csv(source, index=False)
    command = ["learn", str(source), "--missing", "pairwise", "--seed", "1", "-o", str(network), "--run", str(run)]
    outcome = runner.invoke(app, command)
    assert outcome.exit_code == 0, outcome.output
    found = read_network(network)
    assert all(len(states) == 2 for states in found.states)  # none of them stands for what is missing
    restored = read_run(run)
    assert restored.data is not None
    assert restored.data.gaps is not None
    assert restored.data.gaps.n_complete == len(frame.dropna())
    for more in (["score", str(network)], ["bootstrap"], ["parents"], ["exact"]):
        ending = ".jkl" if more[0] == "parents" else ".csv"
        output = [] if more[0] == "score" else ["-o", str(tmp_path / f"{more[0]}{ending}")]
        limits = ["--replicas", "3"] if more[0] == "bootstrap" else []
        outcome = runner.invoke(app, [*more, str(source), "--missing", "pairwise", *output, *limits])
        assert outcome.exit_code == 0, outcome.output


def test_weights_names_and_rare_states_are_said_as_in_python(in_empty_folder: Path) -> None:
    rows = ["A;yes;30", "B;no;30", "C;no;1", "D;yes;1"]
    Path("trial.csv").write_text("\n".join(rows))
    options = ["--no-header", "--names", "drug, cured,times", "--weights", "times", "--min-count", "5"]
    outcome = runner.invoke(app, ["learn", "trial.csv", *options, "--seed", "1", "-o", "trial.bif"])
    assert outcome.exit_code == 0, outcome.output
    network = read_network("trial.bif")
    assert network.names == ("drug", "cured")
    assert network.states[0] == ("A", "B", "other")
    outcome = runner.invoke(app, ["learn", "asia", "--weights", "times"])
    assert "--weights works only with a file; asia is an example" in outcome.output


def test_options_of_no_method_and_of_another_are_refused(in_empty_folder: Path) -> None:
    """Only options of methods are listed: nothing that --set refuses, and no parameter of Python."""

    def said(*options: str) -> str:
        return " ".join(runner.invoke(app, ["learn", "asia", "--time", "1", *options]).output.split())

    assert "no method that auto may pick has an option 'foo'; they have" in said("--set", "foo=3")
    assert "on_improvement" not in said("--set", "foo=3")
    other = "exact, which auto has picked here, has no option 'climbs'; name a method that has it, such as --method "
    assert other in said("--set", "climbs=3")


@pytest.mark.parametrize("method", ["naive-bayes", "tan", "markov-blanket"])
def test_the_target_is_named_where_the_last_column_is_taken(method: str, in_empty_folder: Path) -> None:
    def said(*options: str) -> str:
        command = ["learn", "asia", "--method", method, "--seed", "1", "--evaluations", "1000", "-o", "asia.bif"]
        return " ".join(runner.invoke(app, [*command, *options]).output.split())

    assert "target │ dysp (the last column)" in said()
    assert "target │ lung │" in said("--set", "target=lung")
