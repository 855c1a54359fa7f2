"""Ctrl-C at every moment of a command that searches: what was found is written, and the program ends with 130."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import arcwise
from arcwise import LocalScore, load_example, read_graph, read_network, select
from arcwise.cli import app
from arcwise.cli.interrupts import ctrl_c_keeps_the_best
from arcwise.parents.files import read_parent_sets, write_parent_sets

runner = CliRunner()
PROGRAM = [sys.executable, "-c", "from arcwise.cli import app; app()"]
PATIENCE = 900.0  # seconds after which a test gives up; a slow machine is not a failure

LEARN = "learn cancer --rows 200 --seed 1 --method greedy --certify 60 -o found.bif --run r.json --report r.html"
LEARN += " --checkpoint c.json"
SEARCH = "search sets.jkl --seed 1 -o found.csv --checkpoint c.json"
EXACT = "exact cancer --rows 200 --seed 1 -o found.csv"
BOOTSTRAP = "bootstrap cancer --rows 200 --seed 1 -m 3 -o strengths.json --averaged found.bif"
PARENTS = "parents cancer --rows 200 --seed 1 --scored 20 -o found.jkl"

MOMENTS = [
    (LEARN, "arcwise.learn.journal_of"),
    (LEARN, "arcwise.search.exact.front.certified"),
    (LEARN, "arcwise.runs.checkpoints._Checkpointed.close"),
    (LEARN, "arcwise.cli.learn.still_free"),
    (LEARN, "arcwise.runs.files.Run.__post_init__"),
    (LEARN, "os.fsync"),
    (LEARN, "arcwise.runs.result.Result.network"),
    (LEARN, "arcwise.cli.output.Output.show"),
    (SEARCH, "arcwise.runs.checkpoints._Checkpointed.searched"),
    (SEARCH, "arcwise.runs.checkpoints._Checkpointed.close"),
    (SEARCH, "arcwise.cli.search.still_free"),
    (SEARCH, "arcwise.cli.output.Output.show"),
    (EXACT, "arcwise.search.exact.front.best_graph"),
    (EXACT, "arcwise.search.exact.front.warn_without_solver"),
    (EXACT, "arcwise.cli.exact.still_free"),
    (EXACT, "arcwise.cli.output.Output.show"),
    (BOOTSTRAP, "arcwise.strengths._status"),
    (BOOTSTRAP, "arcwise.support.files.write_text"),
    (BOOTSTRAP, "arcwise.cli.networks.write"),
    (BOOTSTRAP, "arcwise.cli.output.Output.show"),
    (PARENTS, "arcwise.parents.selection._table"),
    (PARENTS, "arcwise.write_parent_sets"),
    (PARENTS, "arcwise.cli.output.Output.show"),
]


@pytest.mark.parametrize(("command", "moment"), MOMENTS, ids=[f"{at[0].split()[0]} {at[1]}" for at in MOMENTS])
def test_ctrl_c_loses_nothing_whenever_it_comes(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, moment: str
) -> None:
    write_parent_sets(select(LocalScore(load_example("cancer").sample(200, seed=1))).sets, "sets.jkl")
    came = _interrupting(monkeypatch, moment)
    outcome = runner.invoke(app, [*command.split(), "--json"])
    assert came, "that moment never was"
    assert outcome.exit_code == 130, outcome.output
    assert outcome.stderr == "Interrupted\n"
    shown = json.loads(outcome.stdout)
    for written in (in_empty_folder / name for name in (shown["output"], shown.get("averaged")) if name):
        _check_whole(written)
    if "--run" in command:
        assert arcwise.read_run(in_empty_folder / "r.json").result.dag.n_nodes == 5
        assert (in_empty_folder / "r.html").read_text().endswith("</html>\n")
    if "--checkpoint" in command:
        assert arcwise.read_run(in_empty_folder / "c.json").result.score == pytest.approx(shown["score"])
    assert not list(in_empty_folder.glob(".arcwise*")), "a file that is half written"


def _interrupting(monkeypatch: pytest.MonkeyPatch, moment: str) -> list[str]:
    """Have Ctrl-C come twice in a row right before a function or method; return what fills when it does."""
    owner_name, _, name = moment.rpartition(".")
    try:
        owner: Any = import_module(owner_name)
    except ImportError:
        module, _, kind = owner_name.rpartition(".")
        owner = getattr(import_module(module), kind)
    real: Callable[..., Any] = getattr(owner, name)
    came: list[str] = []

    @wraps(real)
    def interrupted(*arguments: Any, **options: Any) -> Any:
        if not came:
            came.append(moment)
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, interrupted)
    return came


def _check_whole(file: Path) -> None:
    if file.suffix == ".bif":
        assert read_network(file).dag.n_nodes == 5
    elif file.suffix == ".csv":
        assert read_graph(file).n_nodes == 5
    elif file.suffix == ".jkl":
        assert read_parent_sets(file).n_variables == 5
    else:
        assert json.loads(file.read_text())["replicas"] <= 3


def _when_it_writes(command: list[str], file: Path) -> subprocess.CompletedProcess[str]:
    """Run a command, and press Ctrl-C when a file appears."""
    with subprocess.Popen([*PROGRAM, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + PATIENCE
        while not file.exists():
            assert process.poll() is None, "the command ended by itself"
            assert time.monotonic() < deadline, "there is no file"
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)


@pytest.mark.parametrize("command", ["learn insurance --rows 1000 -o found.bif", "search sets.jkl -o found.csv"])
def test_ctrl_c_in_a_real_process_keeps_the_best(in_empty_folder: Path, command: str) -> None:
    data = load_example("insurance").sample(1000, seed=1)
    limits = arcwise.Limits(time_per_variable=None, scored_per_variable=300)
    write_parent_sets(select(LocalScore(data), limits=limits).sets, "sets.jkl")
    limited = [*command.split(), "--seed", "1", "--time", "6000", "--json", "--checkpoint", "c.json"]
    done = _when_it_writes(limited, in_empty_folder / "c.json")
    assert (done.returncode, done.stderr) == (130, "Interrupted\n")
    shown = json.loads(done.stdout)
    assert shown["status"] == "interrupted"
    assert (in_empty_folder / shown["output"]).stat().st_size > 0
    assert arcwise.read_run(in_empty_folder / "c.json").result.score == pytest.approx(shown["score"])


def test_ctrl_c_is_as_before_afterwards() -> None:
    with ctrl_c_keeps_the_best() as ctrl_c:
        signal.raise_signal(signal.SIGINT)
    assert ctrl_c.has_come
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_who_ignores_ctrl_c_still_ignores_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ctrl_c_keeps_the_best() as ctrl_c:
            signal.raise_signal(signal.SIGINT)
        assert not ctrl_c.has_come
    finally:
        signal.signal(signal.SIGINT, before)
