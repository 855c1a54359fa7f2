"""Constraints read from files say what was written in them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from arcwise import Constraints, FormatError, read_constraints, read_network
from arcwise.cli import app
from arcwise.constraints.files import expanded

runner = CliRunner()
DOCUMENT = Path(__file__).parents[2] / "docs" / "constraints.md"


def read(folder: Path, name: str, text: str, names: list[str] | None = None, kind: str | None = None) -> Constraints:
    (folder / name).write_text(text, encoding="utf-8")
    return read_constraints(folder / name, names, kind=kind)


def test_toml_has_everything(tmp_path: Path) -> None:
    text = """
    required = ["smoking -> cancer", ["age", "smoking"]]
    forbidden = [["cancer", "age"]]
    tiers = ["age", ["smoking", "cancer"]]
    max_parents = { cancer = 2 }
    """
    assert read(tmp_path, "known.toml", text) == Constraints(
        required=[("smoking", "cancer"), ("age", "smoking")],
        forbidden=[("cancer", "age")],
        tiers=[["age"], ["smoking", "cancer"]],
        max_parents={"cancer": 2},
    )


def test_one_limit_holds_for_all(tmp_path: Path) -> None:
    assert read(tmp_path, "known.toml", "max_parents = 3") == Constraints(max_parents=3)
    assert read(tmp_path, "known.toml", "max_degree = 3") == Constraints(max_degree=3)
    assert read(tmp_path, "known.toml", "max_degree = {b = 3}") == Constraints(max_degree={"b": 3})


def test_empty_file_asks_for_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "known.toml", "") == Constraints()


def test_csv_has_arcs_of_both_kinds(tmp_path: Path) -> None:
    text = "from,to,kind\na,b,required\nb,c,whitelist\nc,a,forbidden\nc,b,Blacklist\n"
    expected = Constraints(required=[("a", "b"), ("b", "c")], forbidden=[("c", "a"), ("c", "b")])
    assert read(tmp_path, "known.csv", text) == expected


@pytest.mark.parametrize("header", ["from,to", "parent,child", "source,target", "From, To"])
@pytest.mark.parametrize("kind", ["required", "forbidden"])
def test_list_of_arcs_is_of_the_kind_that_is_asked_for(tmp_path: Path, header: str, kind: str) -> None:
    found = read(tmp_path, "list.csv", f'{header}\na,b\n"x, y",z\n', kind=kind)
    arcs = [("a", "b"), ("x, y", "z")]
    assert found == (Constraints(required=arcs) if kind == "required" else Constraints(forbidden=arcs))


def test_csv_of_tiers_is_sorted_by_number(tmp_path: Path) -> None:
    text = "variable,tier\nlung,10\nage,-1\nsex,-1\nsmoke,2\n"
    assert read(tmp_path, "tiers.csv", text) == Constraints(tiers=[["age", "sex"], ["smoke"], ["lung"]])


def test_star_is_every_other_variable(tmp_path: Path) -> None:
    found = read(tmp_path, "known.toml", 'forbidden = ["* -> c"]\nrequired = ["c -> *"]', ["a", "b", "c"])
    assert found == Constraints(required=[("c", "a"), ("c", "b")], forbidden=[("a", "c"), ("b", "c")])


def test_star_waits_for_the_names(tmp_path: Path) -> None:
    known = read(tmp_path, "known.toml", 'forbidden = ["* -> a"]')
    assert known.forbidden == (("*", "a"),)
    assert known.over("abc").forbidden == (("b", "a"), ("c", "a"))


def test_all_keys_of_a_file(tmp_path: Path) -> None:
    text = """
    allowed = ["a -> people", ["b", "d"]]
    required_ancestors = ["a -> d"]
    forbidden_ancestors = ["people -> a"]
    tiers = [["a"], ["people"]]
    closed_tiers = [1]
    groups = { people = ["b", "c", "d"] }
    """
    known = read(tmp_path, "known.toml", text)
    assert known == Constraints(
        allowed=[("a", "people"), ("b", "d")],
        required_ancestors=[("a", "d")],
        forbidden_ancestors=[("people", "a")],
        tiers=[["a"], ["people"]],
        closed_tiers=[1],
        groups={"people": ["b", "c", "d"]},
    )
    with pytest.raises(FormatError, match="closed_tiers must be places of the 1 tiers"):
        read(tmp_path, "wrong.toml", "tiers = [['a']]\nclosed_tiers = [1]")


def test_ancestors_of_files_reach_the_search(in_empty_folder: Path) -> None:
    (in_empty_folder / "known.toml").write_text('forbidden_ancestors = ["* -> smoke"]\nallowed = ["* -> *"]\n')
    outcome = runner.invoke(
        app,
        ["learn", "asia", "--rows", "300", "--method", "sgs3", "--constraints", "known.toml", "--json", "--seed", "1"],
    )
    assert outcome.exit_code == 0, outcome.output
    assert all(child != "smoke" for _, child in json.loads(outcome.stdout)["arcs"])
    refused = runner.invoke(app, ["learn", "asia", "--method", "ges", "--constraints", "known.toml"])
    assert refused.exit_code == 2
    assert "cannot enforce constraints on ancestors" in " ".join(refused.stderr.split())


@given(st.lists(st.sampled_from("abcdef*"), min_size=2, max_size=2))
def test_star_is_the_product_without_loops(ends: list[str]) -> None:
    names = list("abcdef")
    tail, head = ends
    if tail == head != "*":
        return
    wanted = {(one, other) for one in names for other in names if one != other}
    wanted = {arc for arc in wanted if tail in ("*", arc[0]) and head in ("*", arc[1])}
    found = expanded([(tail, head)], names)
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_files_and_options_hold_together(in_empty_folder: Path) -> None:
    (in_empty_folder / "known.toml").write_text('tiers = [["smoke", "asia"], ["lung", "tub"]]\nmax_parents = 1\n')
    (in_empty_folder / "white.csv").write_text("from,to\nsmoke,lung\n")
    (in_empty_folder / "black.csv").write_text("from,to\n*,xray\n")
    files = ["known.toml", "required=white.csv", "forbidden=black.csv"]
    options = [word for file in files for word in ("--constraints", file)]
    command = ["learn", "asia", "--seed", "1", "--rows", "1000", "--forbid", "dysp->*", "-o", "x.bif", "--json"]
    outcome = runner.invoke(app, [*command, *options])
    assert outcome.exit_code == 0, outcome.output
    dag = read_network(in_empty_folder / "x.bif").dag
    assert [list(arc) for arc in dag.arcs] == json.loads(outcome.stdout)["arcs"]
    assert dag.has_arc("smoke", "lung")
    assert not dag.parents("xray")
    assert not dag.children("dysp")
    assert max(map(len, dag.parent_indices)) == 1
    assert not {("lung", "smoke"), ("lung", "asia"), ("tub", "smoke"), ("tub", "asia")} & set(dag.arcs)


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the documentation is not here")
def test_files_of_the_documentation_are_read(tmp_path: Path) -> None:
    """Every block of TOML and csv in it is a file that can be read, and together they hold for its variables."""
    names = ["age", "sex", "smoking", "asbestos", "cancer", "cough"]
    blocks = re.findall(r"```(toml|text)\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) >= 4
    for language, text in blocks:
        ending = {"toml": "toml", "text": "csv"}[language]
        kind = "forbidden" if text.startswith("from,to\n") else None
        found = read(tmp_path, f"known.{ending}", text, names, kind)
        assert found != Constraints()
        found.resolve(names)


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the documentation is not here")
def test_python_of_the_documentation_runs_with_its_file(in_empty_folder: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    first = {ending: re.findall(rf"```{ending}\n(.*?)```", text, flags=re.DOTALL)[0] for ending in ("python", "toml")}
    (in_empty_folder / "known.toml").write_text(first["toml"])
    rows = ["0,1,1,0,1,0", "1,0,0,0,0,1", "1,1,0,1,0,0", "0,0,1,1,1,1"]
    (in_empty_folder / "patients.csv").write_text("\n".join(["age,sex,smoking,asbestos,cancer,cough", *rows]))
    found: dict[str, Any] = {}
    exec(first["python"], found)
    assert not found["result"].dag.children("cough")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("required = " + "[" * 3000 + "]" * 3000, "nested too deep"),
        ("max_parents = " + "9" * 5000, "this is not TOML: .*4300 digits"),
        ("tiers = " + repr("x" * 100_000), r"tiers must be a list, not 'xxx.*' \(100,000 characters\)"),
    ],
)
def test_what_python_refuses_for_its_size_is_refused_in_a_few_words(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as caught:
        read_constraints(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 1000
