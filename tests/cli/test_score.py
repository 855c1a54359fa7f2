"""`arcwise score`, run as a user runs it."""

import json
from math import log
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import Dag, write_graph
from arcwise.cli import app

runner = CliRunner()


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> Path:
    """Two fair coins that always fall alike, and two graphs over them."""
    (in_empty_folder / "coins.csv").write_text("a,b\nh,h\nh,h\nt,t\nt,t\n")
    (in_empty_folder / "arc.csv").write_text("parent,child\na,b\n")
    (in_empty_folder / "empty.csv").write_text("parent,child\n,a\n,b\n")
    return in_empty_folder


def scored(*arguments: str) -> dict[str, dict[str, float]]:
    outcome = runner.invoke(app, ["score", *arguments, "--json"])
    assert outcome.exit_code == 0, outcome.output
    found: dict[str, dict[str, float]] = json.loads(outcome.stdout)
    return found


def test_scores_are_those_computed_by_hand() -> None:
    """Each coin alone: 4 ln ½ and one parameter; the second given the first: certain, and two parameters."""
    options = ["--score", "bic", "--score", "loglik", "--by-variable"]
    coin, parameter = 4 * log(0.5), log(4) / 2
    alone = scored("empty.csv", "coins.csv", *options)
    assert alone["scores"] == pytest.approx({"bic": 2 * (coin - parameter), "loglik": 2 * coin})
    together = scored("arc.csv", "coins.csv", *options)
    assert together["scores"] == pytest.approx({"bic": coin - 3 * parameter, "loglik": coin})
    assert together["by_variable"]["bic"] == pytest.approx({"a": coin - parameter, "b": -2 * parameter})


def test_table_shows_every_variable() -> None:
    outcome = runner.invoke(app, ["score", "arc.csv", "coins.csv", "--by-variable"])
    assert outcome.exit_code == 0, outcome.output
    assert "-3.466" in outcome.stdout  # 4 ln ½ - ln 2
    assert "-4.852" in outcome.stdout  # -7 ln 2


def test_quiet_shows_nothing() -> None:
    outcome = runner.invoke(app, ["score", "arc.csv", "coins.csv", "--quiet"])
    assert (outcome.exit_code, outcome.output) == (0, "")


def test_sample_size_goes_to_the_scores_that_have_one() -> None:
    few = scored("arc.csv", "coins.csv", "--score", "bdeu", "--score", "bic", "--ess", "1")
    many = scored("arc.csv", "coins.csv", "--score", "bdeu", "--score", "bic", "--ess", "10")
    assert few["scores"]["bic"] == many["scores"]["bic"]
    assert few["scores"]["bdeu"] != many["scores"]["bdeu"]


def test_a_sample_size_is_given_once(in_empty_folder: Path) -> None:
    """By hand: four tosses of a coin, two of each side, by a beta prior with 1 and with 5 on either side."""
    Path("coin.csv").write_text("coin\nh\nt\nh\nt\n")
    write_graph(Dag(["coin"]), "coin.json")

    def said(*options: str) -> str:
        outcome = runner.invoke(app, ["score", "coin.json", "coin.csv", "--json", *options])
        return outcome.output if outcome.exit_code else str(json.loads(outcome.stdout)["scores"])

    for_two, for_ten = log(1 / 30), log((5 * 6) ** 2 / (10 * 11 * 12 * 13))
    one = ["--score", "bdeu(ess=10)"]
    assert json.loads(said(*one).replace("'", '"')) == {"bdeu": pytest.approx(for_ten)}
    assert said(*one, "--ess", "10") == said(*one)
    both = json.loads(said(*one, "--score", "bdeu(ess=2)").replace("'", '"'))
    assert both == {"BDeu(ess=10)": pytest.approx(for_ten), "BDeu(ess=2)": pytest.approx(for_two)}
    message = "--score bdeu(ess=10) and --ess 5 contradict each other"
    assert message in said(*one, "--ess", "5")
    assert message in runner.invoke(app, ["learn", "asia", *one, "--ess", "5"]).output


def test_columns_that_the_graph_has_not_can_be_left_out(in_empty_folder: Path) -> None:
    Path("coins.csv").write_text("coin,day\nh,1\nt,2\nh,1\n")
    write_graph(Dag(["coin"]), "coin.json")
    refused = runner.invoke(app, ["score", "coin.json", "coins.csv"])
    assert "the graph has no node for 'day'; leave columns out with --leave-out" in " ".join(refused.output.split())
    assert runner.invoke(app, ["score", "coin.json", "coins.csv", "--leave-out", "day"]).exit_code == 0
