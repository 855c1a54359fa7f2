"""Messages name the options of the command that runs, found by the names of its parameters."""

import dataclasses
import inspect
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import arcwise
from arcwise import ParentSets, write_parent_sets
from arcwise.cli import app
from arcwise.cli.vocabulary import Options
from arcwise.support.messages import AsKeys, InPython, Name, Setting, Text, Value, said

runner = CliRunner()
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
EVERY_OPTION = [
    (name, option)
    for name, command in COMMANDS.items()
    for option in command.params
    if option.param_type_name == "option"
]
OF_THE_PROGRAM = {
    "as_json",
    "averaged",
    "beside",
    "by_variable",
    "cases",
    "exit_code",
    "most_probable",
    "only_single",
    "output",
    "plain_names",
    "quiet",
    "replicas",
    "report",
    "run",
}
"""Parameters of commands that nothing in Python has under this name."""

OF_ANY_TEXT = {
    "--averaged",
    "--beside",
    "--cases",
    "--checkpoint",
    "--constraints",
    "--forbid",
    "--groups",
    "--output",
    "--prior",
    "--reference",
    "--report",
    "--require",
    "--run",
    "--set",
    "--strengths",
    "--title",
}
"""Options for names of files, arcs, and other texts, of which none is wrong in itself."""

TYPED = [(name, option) for name, option in EVERY_OPTION if not option.is_flag and option.opts[0] not in OF_ANY_TEXT]


def typed(case: Any) -> str:
    """Name of a command or an option, for the name of a test."""
    return case if isinstance(case, str) else str(case.opts[0])


def python_names() -> set[str]:
    """Names of all parameters that public functions, classes and their public methods have."""
    names: set[str] = set()
    for public in (getattr(arcwise, name) for name in dir(arcwise) if not name.startswith("_")):
        routines = inspect.getmembers(public, inspect.isroutine) if inspect.isclass(public) else []
        methods = [value for name, value in routines if not name.startswith("_")]
        for found in (public, *methods):
            try:
                names |= set(inspect.signature(found).parameters)
            except (TypeError, ValueError):
                continue
        if dataclasses.is_dataclass(public):
            names |= {field.name for field in dataclasses.fields(public)}
    return names | {"missing", "discretise", "max_states"}  # keywords that Dataset hands on


def test_parameters_of_commands_have_the_names_that_python_has() -> None:
    assert {option.name for _, option in EVERY_OPTION} - python_names() == OF_THE_PROGRAM


@pytest.mark.parametrize(("name", "option"), EVERY_OPTION, ids=typed)
def test_every_option_has_its_own_name(name: str, option: Any) -> None:
    words = Options(COMMANDS[name].params)
    assert said(Name(option.name), words) == option.opts[0]
    assert said(AsKeys(Name(option.name)), words) == option.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of data and one of parent sets."""
    folder = tmp_path_factory.mktemp("vocabulary")
    (folder / "table.csv").write_text("a,b\n" + "".join(f"{row * 0.37},{row % 2}\n" for row in range(50)))
    sets = ParentSets.from_lists(["a", "b"], [[(-1.0, []), (-0.5, ["b"])], [(-1.0, [])]])
    write_parent_sets(sets, folder / "sets.jkl")
    return folder


@pytest.mark.parametrize(("name", "option"), TYPED, ids=typed)
def test_a_bad_value_is_told_by_the_name_of_its_option(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, option: Any
) -> None:
    monkeypatch.chdir(folder)
    of_tables = {"discretise", "missing", "max_states", "separator"}
    of_files = {"continuous", "interventions", "leave_out", "min_count", "names", "weights"}
    data = "sets.jkl" if name == "search" else "table.csv" if option.name in of_tables else "asia"
    source = ["asia", data] if name == "score" else [data]
    more = ["--score", "bdeu"] if option.name == "ess" else []
    outcome = runner.invoke(app, [name, *source, option.opts[0], "-7", *more])
    assert outcome.exit_code == 2, outcome.output
    verb = "works only with a file" if option.name in of_files else "must"
    assert outcome.stderr.startswith(f"Error: {option.opts[0]} {verb}"), outcome.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (Name("evaluation_limit"), "--evaluations"),
        (Name("ess", "bdeu"), "--ess"),
        (Name("gamma", "ebic"), "gamma of ebic"),
        (Setting("missing", "drop"), "--missing drop"),
        (Setting("method", "chow-liu"), "--method chow-liu"),
        (Setting("separator", ","), "--separator ','"),
        (Setting("max_states", 100), "--max-states 100"),
        (Setting("memory"), "--memory"),
        (Setting("resume", True), "--resume"),
        (Setting("header", True), "--header"),
        (Setting("header", False), "--no-header"),
        (Value(None), "none"),
        (Value(True), "true"),
        (Value("drop"), "'drop'"),
        (InPython(" or None"), ""),
        (InPython("True or False", "true or false"), "true or false"),
    ],
)
def test_arguments_are_what_one_types(text: Text, shown: str) -> None:
    assert said(text, Options(COMMANDS["learn"].params)) == shown


def test_words_are_those_of_the_command_that_runs() -> None:
    assert said(Name("strategy"), Options(COMMANDS["search"].params)) == "--method"
    assert said(Name("strategy"), Options(COMMANDS["learn"].params)) == "strategy"
    assert said(Setting("memory"), Options(COMMANDS["bootstrap"].params)) == "memory"
