"""The program as a whole: what its help loads, how it ends, what it completes."""

import json
import os
import re
import subprocess
import sys
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

import arcwise
from arcwise.cli import app, choices
from arcwise.cli.app import ORDER
from arcwise.cli.examples import PUBLISHED
from arcwise.data.missing import MissingValues
from arcwise.io.files import GRAPH_FORMATS, NETWORK_FORMATS
from arcwise.parents.selection import SELECTIONS
from arcwise.pictures.picture import ENDINGS
from arcwise.scores.definitions import SCORES
from arcwise.search.orders import INITIAL_ORDERS, ORDER_CLIMBS, STRATEGIES
from arcwise.search.registry import SEARCHES

runner = CliRunner()
DOCUMENT = Path(__file__).parents[2] / "docs" / "commands.md"
PROGRAM = [sys.executable, "-c", "from arcwise.cli import app; app()"]


def test_help_loads_nothing_heavy() -> None:
    """Where the help of a command would load numpy, it would no longer start at once."""
    program = (
        "import sys\nfrom arcwise.cli import app\n"
        f"for name in {['', *ORDER]!r}:\n"
        "    try:\n        app([name, '--help'] if name else ['--help'])\n    except SystemExit as end:\n"
        "        assert end.code == 0, name\n"
        "heavy = ('numpy', 'scipy', 'polars', 'narwhals', 'pandas', 'rich', 'arcwise._core')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ORDER)
def test_help_has_an_example(command: str) -> None:
    outcome = runner.invoke(app, [command, "--help"])
    assert outcome.exit_code == 0
    assert f"\n    arcwise {command}" in outcome.stdout
    assert "--json" in outcome.stdout
    assert "--quiet" in outcome.stdout


def test_names_in_help_are_those_there_are() -> None:
    assert ("auto", *SEARCHES) == choices.METHODS
    assert tuple(SCORES) == choices.SCORES
    assert tuple(SELECTIONS) == choices.SELECTIONS
    assert tuple(STRATEGIES) == choices.STRATEGIES
    assert tuple(ORDER_CLIMBS) == choices.ORDER_CLIMBS
    assert tuple(INITIAL_ORDERS) == choices.INITIAL_ORDERS
    assert get_args(MissingValues) == choices.MISSING
    assert tuple(end for ends in NETWORK_FORMATS.values() for end in ends) == choices.NETWORK_ENDINGS
    assert tuple(end for ends in GRAPH_FORMATS.values() for end in ends) == choices.GRAPH_ENDINGS
    assert choices.PICTURE_ENDINGS == ENDINGS
    assert choices.EXAMPLES == arcwise.EXAMPLES == tuple(PUBLISHED)


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the documentation is not here")
@pytest.mark.parametrize(
    ("command", "row"),
    [
        ("learn cancer --method greedy --rows 100 -o x.bif", "`learn`"),
        ("parents cancer --rows 100 --scored 10 -o x.jkl", "`parents`"),
        ("exact cancer --rows 100 -o x.csv", "`search`, `exact`"),
        ("score cancer cancer --rows 100", "`score`"),
        ("compare cancer cancer", "`compare`"),
        ("query cancer Cancer --given Smoker=True", "`query`"),
        ("query cancer Cancer Xray --joint", "`query`"),
        ("query cancer --most-probable", "`query`"),
        ("sample cancer --rows 10 -o x.csv", "`sample`"),
        ("bootstrap cancer --rows 100 -m 2 -o x.csv", "`bootstrap`"),
        ("plot cancer -o x.svg", "`plot`"),
        ("convert cancer x.bif", "`convert`"),
    ],
)
def test_json_has_the_documented_keys(in_empty_folder: Path, command: str, row: str) -> None:
    lines = [line.split("|") for line in DOCUMENT.read_text().splitlines() if line.startswith("|")]
    rows = {line[1].strip(): line[2] for line in lines}
    documented = re.sub(r"\(.*?\)", "", rows[row].replace("*result*", rows["*result*"]))
    outcome = runner.invoke(app, [*command.split(), "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert list(json.loads(outcome.stdout)) == [key.strip() for key in documented.split(",")]


@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("learn cancer --rows 100", "arcwise.learn"),
        ("learn cancer --rows 100 --method greedy", "arcwise.learn"),
        ("exact cancer --rows 100", "arcwise.search.search.run_journaled"),
        ("search sets.jkl", "arcwise.search.search.run_journaled"),
        ("parents cancer --rows 100", "arcwise.select"),
        ("bootstrap cancer --rows 100 -m 2", "arcwise.bootstrap"),
    ],
)
def test_number_of_threads_reaches_the_work(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, work: str
) -> None:
    arcwise.write_parent_sets(arcwise.ParentSets.from_lists(["a", "b"], [[(-1, [])], [(-1, [])]]), "sets.jkl")
    module, name = work.rsplit(".", 1)
    home = import_module(module)
    real, seen = getattr(home, name), []

    @wraps(real)
    def listening(*arguments: object, **options: object) -> object:
        seen.append(options["workers"])
        return real(*arguments, **options)

    monkeypatch.setattr(home, name, listening)
    outcome = runner.invoke(app, [*command.split(), "--workers", "3"])
    assert outcome.exit_code == 0, outcome.output
    assert seen == [3]
    refused = runner.invoke(app, [*command.split(), "--workers", "0"])
    assert (refused.exit_code, refused.stderr) == (2, "Error: --workers must be at least 1, not 0\n")


def test_without_arguments_help_is_shown() -> None:
    outcome = runner.invoke(app, [])
    assert outcome.exit_code == 0
    for command in ORDER:
        assert f"\n  {command} " in outcome.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("learn --method gr", ["greedy"]),
        ("learn --score bd", ["bdeu", "bds"]),
        ("learn asi", ["asia", "asia.csv"]),
        ("search --climb ob", ["obs", "obs-tabu"]),
        ("examples ca", ["cancer"]),
        ("query asia tu", ["tub"]),
        ("query asia lung --given sm", ["smoke="]),
        ("query asia lung --do smoke=", ["smoke=yes", "smoke=no"]),
        ("query nothing lu", []),
        ("ex", ["exact", "examples"]),
        ("learn --cons", ["--constraints"]),
    ],
)
def test_shell_completes(in_empty_folder: Path, typed: str, offered: list[str]) -> None:
    (in_empty_folder / "asia.csv").touch()
    words = f"arcwise {typed}"
    asked = {"_ARCWISE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    outcome = runner.invoke(app, [], env=asked, prog_name="arcwise")
    assert outcome.stdout.split() == offered


def test_warnings_are_one_line_on_stderr(in_empty_folder: Path) -> None:
    (in_empty_folder / "gaps.csv").write_text("a,b\nx,y\n,y\nx,z\nw,z\n")
    outcome = runner.invoke(app, ["learn", "gaps.csv", "--missing", "drop", "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout)["observations"] == 3
    (line,) = outcome.stderr.splitlines()
    assert line.startswith("Warning: ")


def test_warning_that_is_to_be_an_error_is_one(in_empty_folder: Path) -> None:
    command = [*PROGRAM, "convert", "asia", "x.uai"]  # a format without names
    done = subprocess.run(command, env={**os.environ, "PYTHONWARNINGS": "error"}, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: UAI files hold neither names nor states")
    assert len(done.stderr.splitlines()) == 1


def test_nobody_needs_to_listen(in_empty_folder: Path) -> None:
    command = " ".join([f"'{part}'" for part in PROGRAM]) + " convert asia x.bif >&-"
    done = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert arcwise.read_network(in_empty_folder / "x.bif").dag.n_nodes == 8


def test_warning_that_cannot_be_shown_costs_nothing(in_empty_folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, "convert", "asia", "x.uai"], stderr=full, check=False)
    assert done.returncode == 0
    assert arcwise.read_network(in_empty_folder / "x.uai").dag.n_nodes == 8


def test_mistake_of_the_program_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(arcwise, "load_example", broken)
    outcome = runner.invoke(app, ["examples", "asia"])
    assert outcome.exit_code == 70
    assert outcome.stderr.startswith("Error: arcwise has made a mistake, please report it: KeyError: 'asia'")
    assert len(outcome.stderr.splitlines()) == 1


def test_lack_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(name: str) -> None:
        raise MemoryError

    monkeypatch.setattr(arcwise, "load_example", hungry)
    outcome = runner.invoke(app, ["examples", "asia"])
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("Error: there is not enough memory")


def test_reader_that_leaves_is_not_an_error(in_empty_folder: Path) -> None:
    command = " ".join([f"'{part}'" for part in PROGRAM]) + " sample asia --rows 100000 | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("asia,tub,")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("work", "command"),
    [
        ("learn", ["learn", "table.csv"]),
        ("learn", ["learn", "table.csv", "-o", "table.net"]),
        ("select", ["parents", "table.csv"]),
        ("bootstrap", ["bootstrap", "table.csv", "--averaged", "table.bif.gz"]),
    ],
)
def test_names_that_the_output_cannot_hold_are_refused_before_the_work(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch, work: str, command: list[str]
) -> None:
    def begin(*_: object, **__: object) -> None:
        raise AssertionError("hours of work, of which nothing could be written")

    (in_empty_folder / "table.csv").write_text('the length,b\n"6""",x\n"7""",y\n"6""",x\n')
    monkeypatch.setattr(arcwise, work, begin)
    outcome = runner.invoke(app, command)
    assert outcome.exit_code == 2, outcome.output
    assert "cannot be written" in outcome.stderr
    assert [path.name for path in in_empty_folder.iterdir()] == ["table.csv"]
