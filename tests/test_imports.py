"""Importing arcwise: cheap, complete, and the same whichever module comes first."""

import subprocess
import sys
from pathlib import Path

import pytest

import arcwise

HEAVY = ("numpy", "scipy", "polars", "narwhals", "rich", "typer", "arcwise._core")


def printed_by(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_import_loads_nothing_heavy() -> None:
    program = f"import sys, arcwise; dir(arcwise); print([m for m in {HEAVY} if m in sys.modules])"
    assert printed_by(program) == "[]"


def test_module_of_the_same_name_leaves_the_function() -> None:
    first = "from arcwise.learn import METHODS; import arcwise.learn; print(arcwise.learn.__qualname__)"
    assert printed_by(first) == "learn"


def test_star_brings_every_name() -> None:
    names: dict[str, object] = {}
    exec("from arcwise import *", names)
    assert {"learn", "Dataset", "LocalScore", "BayesianNetwork", "bootstrap", "EXAMPLES"} <= set(names)
    assert set(vars(arcwise)["__all__"]) <= set(names)


def test_every_listed_name_is_there() -> None:
    for name in dir(arcwise):
        assert getattr(arcwise, name) is not None


WITHOUT_SKLEARN = """
import sys

sys.modules["sklearn"] = None

import arcwise
from arcwise import *

print(learn.__name__, "BayesianNetworkLearner" in globals())
try:
    arcwise.BayesianNetworkLearner
except ImportError as error:
    print(error)
"""


def test_name_of_a_missing_extra_is_left_out_until_asked_for() -> None:
    first, second = printed_by(WITHOUT_SKLEARN).splitlines()
    assert first == "learn False"
    assert "pip install 'arcwise[sklearn]'" in second


def test_packages_are_reached_from_the_top() -> None:
    assert printed_by("import arcwise; print(arcwise.scores.BIC().name)") == "bic"


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'arcwise' has no attribute 'lern'"):
        arcwise.lern  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="lern"):
        exec("from arcwise import lern")


def test_version_is_that_of_the_distribution() -> None:
    assert arcwise.__version__.split(".")[0] == "0"


READ_SCORE_COMPARE = """
import sys
import arcwise

data = arcwise.Dataset.from_file(sys.argv[1])
arcwise.LocalScore(data, "bdeu").total(arcwise.Dag(data.names))
arcwise.compare(arcwise.Dag(["a", "b"]), arcwise.Dag(["a", "b"], [("a", "b")]))
"""
LEARN = """
import sys
from arcwise.cli.app import app
import arcwise.cli

try:
    app(["learn", sys.argv[1], "--method", "greedy", "--seed", "1", "--quiet"])
except SystemExit as ended:
    assert ended.code == 0
"""


@pytest.mark.parametrize("program", [READ_SCORE_COMPARE, LEARN], ids=["read, score, compare", "learn by greedy"])
def test_scipy_is_loaded_by_what_needs_it_alone(program: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "0,x\n1,y\n0,y\n1,x\n" * 5)
    program += "print([name for name in sys.modules if name.partition('.')[0] == 'scipy'])"
    command = [sys.executable, "-c", program, str(table)]
    written = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert written.splitlines()[-1] == "[]"
