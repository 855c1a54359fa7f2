"""Priors come out of files as they were written: those of users, and those of runs."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from arcwise import (
    Adjusted,
    ArcwiseError,
    Dag,
    FormatError,
    LocalScore,
    ParameterError,
    Prior,
    Run,
    learn,
    load_example,
    read_prior,
    read_run,
    write_report,
    write_run,
)
from arcwise.cli import app

runner = CliRunner()
DOCUMENT = Path(__file__).parents[2] / "docs" / "how-to" / "priors.md"


def read(folder: Path, name: str, text: str, names: list[str] | None = None) -> Prior:
    (folder / name).write_text(text, encoding="utf-8")
    return read_prior(folder / name, names)


def test_toml_has_everything(tmp_path: Path) -> None:
    text = """
    parents = 0.1
    [arcs]
    "smoking -> cancer" = 0.9
    "age->cancer" = 0.5
    [edges]
    "sex -- smoking" = 0.2
    """
    arcs = {("smoking", "cancer"): 0.9, ("age", "cancer"): 0.5}
    assert read(tmp_path, "believed.toml", text) == Prior(arcs, edges={("sex", "smoking"): 0.2}, parents=0.1)


def test_toml_takes_lists_for_names_with_arrows(tmp_path: Path) -> None:
    text = 'arcs = [["a -> b", "c", 0.9]]\nedges = [["x--y", "c", 0.1]]\nparents = "uniform"'
    expected = Prior({("a -> b", "c"): 0.9}, edges={("x--y", "c"): 0.1}, parents="uniform")
    assert read(tmp_path, "believed.toml", text) == expected


def test_empty_file_says_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "believed.toml", "") == Prior()
    assert read(tmp_path, "believed.toml", "").is_even


@pytest.mark.parametrize("header", ["from,to,probability", "parent,child,probability", "Source, Target, Probability"])
def test_csv_has_arcs(tmp_path: Path, header: str) -> None:
    assert read(tmp_path, "believed.csv", f"{header}\na,b,0.9\n") == Prior({("a", "b"): 0.9})


def test_csv_has_edges_where_it_says_so(tmp_path: Path) -> None:
    text = "from,to,probability,kind\na,b,0.9,arc\nb,c,0.2,Edge\n"
    assert read(tmp_path, "believed.csv", text) == Prior({("a", "b"): 0.9}, edges={("b", "c"): 0.2})


def test_a_star_stands_for_all_others_that_are_not_named(tmp_path: Path) -> None:
    text = '[arcs]\n"* -> age" = 0.01\n"sex -> age" = 0.2\n'
    found = read(tmp_path, "believed.toml", text, ["age", "sex", "cancer"])
    assert found == Prior({("cancer", "age"): 0.01, ("sex", "age"): 0.2})
    edges = read(tmp_path, "believed.toml", '[edges]\n"age -- *" = 0.1', ["age", "sex", "cancer"])
    assert edges == Prior(edges={("age", "sex"): 0.1, ("age", "cancer"): 0.1})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.toml", "arcs = 3", "arcs must be a list, not 3"),
        ("p.toml", '[arcs]\n"a b" = 0.5', "an arc is written 'A->B', got 'a b'"),
        ("p.toml", '[edges]\n"a -> b" = 0.5', "an edge is written 'A -- B'"),
        ("p.toml", 'arcs = [["a", "b"]]', "arcs must hold entries"),
        ("p.toml", '[arcs]\n"a -> b" = 1', "a probability between 0 and 1, not 1; what is certain"),
        ("p.toml", '[arcs]\n"a -> b" = "often"', "a probability between 0 and 1, not 'often'"),
        ("p.toml", '[arcs]\n"a -> b" = 0.5\n"a->b" = 0.6', "'a' and 'b' have two probabilities"),
        ("p.toml", '[edges]\n"a -- b" = 0.5\n"b -- a" = 0.6', "have two probabilities"),
        ("p.toml", "parent = 0.5", "parent is an unknown field.*did you mean 'parents'"),
        ("p.toml", "parents = true", "parents must be a probability between 0 and 1, not True"),
        ("p.toml", "parents = ", "this is not TOML"),
        ("p.csv", "from,to\na,b\n", "the first line must be from,to,probability"),
        ("p.csv", "", "the first line must be"),
        ("p.csv", "from,to,probability\na,b,much\n", "line 2: the probability must be a number, not 'much'"),
        ("p.csv", "from,to,probability\na,b\n", "line 2: the line must have 3 fields"),
        ("p.csv", "from,to,probability,kind\na,b,0.5,path\n", "the kind must be arc or edge, not 'path'"),
        ("p.csv", "from,to,probability\na,b,nan\n", "a probability between 0 and 1, not nan"),
    ],
)
def test_files_that_say_something_else_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(tmp_path, name, text)


def test_stars_need_names_and_files_an_ending(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="their names are needed"):
        read(tmp_path, "p.toml", '[arcs]\n"* -> a" = 0.5')
    with pytest.raises(ParameterError, match=r"must end in .toml or .csv"):
        read(tmp_path, "p.json", "{}")


@given(st.text(max_size=40), st.sampled_from(["p.toml", "p.csv"]))
def test_any_text_is_a_prior_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str, name: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    with suppress(ArcwiseError):
        assert isinstance(read(folder, name, text, ["a", "b"]), Prior)


def test_examples_of_the_document_are_read(tmp_path: Path) -> None:
    blocks = re.findall(r"```(toml|text)\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = ["age", "sex", "smoking", "asbestos", "cancer", "cough", "xray", "fever"]
    tables = [text for kind, text in blocks if kind == "toml"]
    lists = [text for kind, text in blocks if kind == "text" and text.startswith("from,to,probability")]
    assert tables
    assert lists
    for name, texts in (("p.toml", tables), ("p.csv", lists)):
        for text in texts:
            read(tmp_path, name, text, names).terms(names)


SCORE = Adjusted("bic", Prior({("asia", "tub"): 0.9}, edges={("dysp", "xray"): 0.1}, parents=0.2), least_gain=1.5)


def test_runs_keep_what_was_added(tmp_path: Path) -> None:
    result = learn(load_example("asia").sample(200, seed=1), score=SCORE, method="greedy", seed=1)
    write_run(Run.of(result), tmp_path / "run.json")
    run = read_run(tmp_path / "run.json")
    assert run.result.provenance.score == SCORE
    assert run.result == result
    uniform = Adjusted("aic", Prior(parents="uniform"), penalty_factor=2)
    result = learn(load_example("asia").sample(200, seed=1), score=uniform, method="greedy", seed=1)
    write_run(Run.of(result), tmp_path / "other.json")
    assert read_run(tmp_path / "other.json").result.provenance.score == uniform


@pytest.mark.parametrize(
    "damage",
    [
        {"least_gain": -1},
        {"least_gain": "much"},
        {"prior": {"arcs": [["asia", "tub", 2]], "edges": [], "parents": 0.5}},
        {"prior": {"arcs": [["asia", "tub"]], "edges": [], "parents": 0.5}},
        {"prior": {"arcs": [], "edges": [], "parents": "often"}},
        {"score": {"name": "adjusted"}},
        {"score": {"name": "bdeu", "ess": 1.0}, "penalty_factor": 2.0},
        {"prior": None},
    ],
)
def test_runs_with_impossible_additions_are_refused(tmp_path: Path, damage: dict[str, Any]) -> None:
    result = learn(load_example("asia").sample(50, seed=1), score=SCORE, method="greedy", seed=1)
    write_run(Run.of(result), tmp_path / "run.json")
    kept = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    kept["result"]["provenance"]["score"] |= damage
    (tmp_path / "run.json").write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(FormatError):
        read_run(tmp_path / "run.json")


def test_a_run_is_resumed_with_the_same_prior_alone(tmp_path: Path) -> None:
    data, path = load_example("asia").sample(200, seed=1), tmp_path / "run.json"
    learn(data, score=SCORE, method="tabu", seed=1, evaluation_limit=100, checkpoint=path)
    for other in (
        "bic",
        Adjusted("bic", SCORE.prior),
        Adjusted("bic", Prior({("asia", "tub"): 0.8}), least_gain=1.5),
    ):
        with pytest.raises(ParameterError, match=r"has the score BIC with least gain 1.5, prior asia -> tub 0.9"):
            learn(data, score=other, method="tabu", seed=1, checkpoint=path, resume=True)
    again = Adjusted("bic", SCORE.prior, least_gain=1.5)
    resumed = learn(data, score=again, method="tabu", seed=1, checkpoint=path, resume=True)
    assert resumed.score == pytest.approx(LocalScore(data, SCORE).total(resumed.dag))


def test_reports_say_what_was_added(tmp_path: Path) -> None:
    result = learn(load_example("asia").sample(200, seed=1), score=SCORE, method="greedy", seed=1)
    write_report(result, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "BIC with least gain 1.5, prior asia" in text
    assert "bound and gains are those of the score with what was added to it" in text


@pytest.mark.usefixtures("in_empty_folder")
def test_commands_take_priors() -> None:
    Path("believed.toml").write_text('[edges]\n"asia -- xray" = 0.999999999999', encoding="utf-8")
    options = ["--rows", "200", "--seed", "1", "--json"]
    added = ["--prior", "believed.toml", "--least-gain", "1.5", "--penalty-factor", "1.1"]
    found = runner.invoke(app, ["learn", "asia", *options, *added])
    assert found.exit_code == 0, found.stderr
    record = json.loads(found.stdout)
    assert record["score_name"] == "adjusted bic"
    prior = Prior(edges={("asia", "xray"): 0.999999999999})
    score = LocalScore(
        load_example("asia").sample(200, seed=1), Adjusted("bic", prior, least_gain=1.5, penalty_factor=1.1)
    )
    dag = Dag(score.names, list(map(tuple, record["arcs"])))
    assert dag.has_arc("asia", "xray") or dag.has_arc("xray", "asia")
    assert record["score"] == pytest.approx(score.total(dag))
    Path("arcs.csv").write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in dag.arcs), encoding="utf-8")
    for command in (["exact", "asia"], ["bootstrap", "asia", "-m", "2"], ["parents", "asia"]):
        found = runner.invoke(app, [*command, *options, *added])
        assert found.exit_code == 0, found.stderr
    scored = runner.invoke(app, ["score", "asia-learned.bif", "asia", *options, *added])
    assert json.loads(scored.stdout)["scores"]["bic"] == pytest.approx(score.total(dag))


@pytest.mark.usefixtures("in_empty_folder")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--least-gain", "-1"], "--least-gain must be a finite number of at least 0"),
        (["--penalty-factor", "2", "--score", "bdeu"], "--penalty-factor is for scores with a penalty"),
        (["--prior", "nowhere.toml"], "there is no file 'nowhere.toml'; give a file of probabilities"),
        (["--prior", "other.toml"], "arcs of the prior mention 'asai'"),
    ],
)
def test_commands_refuse_what_cannot_be_added(options: list[str], message: str) -> None:
    Path("other.toml").write_text('[arcs]\n"asai -> xray" = 0.9', encoding="utf-8")
    found = runner.invoke(app, ["learn", "asia", "--rows", "100", *options])
    assert found.exit_code != 0
    assert message in found.stderr
