"""Importing arcwise: cheap, complete, and the same whichever module comes first."""

import json
import pkgutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import arcwise
from arcwise.search.registry import CLASSIFIERS, SEARCHES
from arcwise.search.search import Search

HEAVY = ("numpy", "scipy", "polars", "narwhals", "rich", "typer", "arcwise._core")


def printed_by(program: str) -> str:
    """Return what a program prints; it must end without a word besides."""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    return ended.stdout.strip()


def test_import_loads_nothing_heavy() -> None:
    program = f"import sys, arcwise; dir(arcwise); print([m for m in {HEAVY} if m in sys.modules])"
    assert printed_by(program) == "[]"


def test_module_of_the_same_name_leaves_the_function() -> None:
    first = "from arcwise.learn import Plan; import arcwise.learn; print(arcwise.learn.__qualname__)"
    assert printed_by(first) == "learn"


def test_star_brings_every_name() -> None:
    names: dict[str, object] = {}
    exec("from arcwise import *", names)
    assert {"learn", "Dataset", "LocalScore", "BayesianNetwork", "bootstrap", "EXAMPLES"} <= set(names)
    assert set(vars(arcwise)["__all__"]) <= set(names)


def test_a_program_with_every_name_ends_quietly() -> None:
    assert printed_by("from arcwise import *") == ""


def test_every_listed_name_is_there() -> None:
    for name in dir(arcwise):
        assert getattr(arcwise, name) is not None


# Each module in a process of its own that has imported no Python module of arcwise. The kernels and other libraries are
# there already, which saves most of the time. What a package imports itself comes after it whoever is first: Python
# begins with the package, and its modules need not be tried again.
EACH_ALONE = """
import gc, importlib, json, os, sys
import matplotlib.figure, narwhals, numpy.random, polars, rich.console, scipy.optimize, scipy.sparse.csgraph, typer
import arcwise._core

gc.disable()  # a process ends before there is garbage
failed, with_its_package = [], set()
for module in json.load(sys.stdin):
    if module in with_its_package:
        continue
    inner, outer = os.pipe()
    if os.fork() == 0:
        try:
            importlib.import_module(module)
        except BaseException as error:
            print(f"{module}: {error!r}", file=sys.stderr, flush=True)
            os._exit(1)
        loaded = [name for name in sys.modules if name.rpartition(".")[0] == module]
        os.write(outer, json.dumps(loaded).encode())
        os._exit(0)
    os.close(outer)
    with os.fdopen(inner) as answer:
        loaded = answer.read()
    if os.wait()[1] != 0:
        failed.append(module)
    else:
        with_its_package.update(json.loads(loaded))
print(json.dumps(failed))
"""


def failed_alone(modules: list[str]) -> tuple[list[str], str]:
    """Return those of the modules that cannot be imported first, and what they say."""
    program = [sys.executable, "-W", "ignore", "-c", EACH_ALONE]
    ended = subprocess.run(program, input=json.dumps(modules), capture_output=True, text=True, check=True)
    return json.loads(ended.stdout), ended.stderr


def test_whatever_is_imported_first_can_be() -> None:
    """Every package, and every public name, which is imported by importing its module.

    The other modules come after their package; that no two modules import each other, directly or not, is for
    import-linter to say (`.ci/run`).
    """
    packages = sorted(module.name for module in pkgutil.walk_packages(arcwise.__path__, "arcwise.") if module.ispkg)
    homes = set(vars(arcwise)["_HOMES"].values()) - {"arcwise"}
    assert failed_alone(list(dict.fromkeys([*packages, *sorted(homes)]))) == ([], "")


@pytest.mark.parametrize("name", ["ges", "inclusion_boundary", "learn", "Result"])
def test_a_public_name_is_imported_first(name: str) -> None:
    assert printed_by(f"from arcwise import {name}; print({name}.__name__)") == name


def test_a_failure_to_import_is_seen() -> None:
    failed, said = failed_alone(["arcwise.learn", "arcwise.lern"])
    assert failed == ["arcwise.lern"]
    assert "lern" in said


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


LEARN_CODES = """
data = arcwise.Dataset.from_codes([[0, 1], [1, 0], [1, 1], [0, 0]] * 5)
assert arcwise.learn(data, seed=1).dag.n_nodes == 2
assert arcwise.learn(data, method="greedy", seed=1).dag.n_nodes == 2
"""


@pytest.mark.parametrize("program", ["", LEARN_CODES], ids=["ready", "learned"])
def test_learning_from_codes_loads_only_numpy(program: str) -> None:
    """What reads tables, solves programs and draws is loaded by who does that."""
    heavy = ("polars", "narwhals", "scipy", "rich", "typer", "matplotlib", "pandas", "pyarrow", "sklearn")
    said = f"print([name for name in {heavy} if name in sys.modules])"
    assert printed_by(f"import sys, arcwise\narcwise.learn\n{program}\n{said}") == "[]"


def test_learn_is_ready_before_any_search() -> None:
    program = (
        "import sys, arcwise; arcwise.learn; before = set(sys.modules); arcwise.SEARCHES['tabu'];"
        "print('arcwise.search.dags.tabu' in before, 'arcwise.search.dags.tabu' in sys.modules,"
        "[name for name in ('classes', 'exact', 'orders', 'trees') if 'arcwise.search.' + name in sys.modules])"
    )
    assert printed_by(program) == "False True []"


def test_function_of_a_package_comes_before_the_module_of_its_name() -> None:
    program = (
        "import arcwise.search.dags.greedy; from arcwise.search import dags;"
        "from arcwise.search.dags import greedy, tabu;"
        "print(greedy.__class__.__name__, tabu.__class__.__name__, 'Mmhc' in dir(dags), hasattr(dags, 'gredy'))"
    )
    assert printed_by(program) == "function function True False"


def test_libraries_that_come_later_are_the_libraries() -> None:
    program = (
        "import sys; from arcwise.support.later import later; pl = later('polars'); before = 'polars' in sys.modules;"
        "series = pl.Series([1]); import polars; print(before, isinstance(series, polars.Series), hasattr(pl, 'Serie'))"
    )
    assert printed_by(program) == "False True False"


@pytest.mark.parametrize("searches", [SEARCHES, CLASSIFIERS], ids=["searches", "classifiers"])
def test_searches_are_listed_by_their_names(searches: Mapping[str, Search]) -> None:
    assert {name: search.name for name, search in searches.items()} == {name: name for name in searches}
    assert all(searches[name] is searches[name] for name in searches)
    assert "auto" not in searches
