"""Data with interventions, from a table to a network: directions that are found, and what must refuse such data."""

import json
from functools import cache
from math import log
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import arcwise
import oracles_exact
import oracles_graph
import oracles_interventions
from arcwise import BayesianNetwork, Dag, Dataset, LocalScore, ParameterError, bootstrap, learn, load_example
from arcwise.cli import app
from arcwise.network.tables import FamilyCounts
from arcwise.parents.selection import select
from arcwise.report.content import content_of
from arcwise.runs.file_parts import result_as_json, result_of_json
from arcwise.runs.files import Run, read_run, write_run
from arcwise.search.registry import SEARCHES
from arcwise.support.errors import FormatError
from arcwise.support.fields import Fields
from interrupting import stepped_clock
from score_cases import random_codes
from short_searches import SHORT

REFUSING = ("ges", "kes", "xges", "mmhc", "mtmhc")


def pair() -> BayesianNetwork:
    """The cause before its effect in the names, and after it in the graph."""
    dag = Dag(["effect", "cause"], [("cause", "effect")])
    return BayesianNetwork(dag, [["no", "yes"]] * 2, [[[0.9, 0.1], [0.2, 0.8]], [0.4, 0.6]])


@cache
def small() -> Dataset:
    """Four variables; two were set, once together."""
    rng = np.random.default_rng(3)
    kind = rng.integers(3, size=300)
    made = {"X1": kind > 0, "X2": kind == 2}
    return Dataset.from_codes(random_codes(300, [2, 3, 2, 2], 3), arities=[2, 3, 2, 2], interventions=made)


def by_definition(name: str, child: int, parents: tuple[int, ...]) -> float:
    """A local score of the small table."""
    data, made = small(), small().interventions
    assert made is not None
    targets = [data.index(name) for name in made.names]
    forced = [[v for v, is_set in zip(targets, row, strict=True) if is_set] for row in made.forced.tolist()]
    return oracles_interventions.local_score(name, (data.codes.tolist(), data.arities, None), forced, child, parents)


@cache
def best_of_all(name: str, most_parents: int = 3) -> float:
    """The best graph of all over the four variables, by the definition of the score."""
    local = cache(by_definition)
    graphs = (oracles_exact.parents_of(4, arcs) for arcs in oracles_graph.all_dags(4))
    return max(
        sum(local(name, child, tuple(sorted(row))) for child, row in enumerate(parents))
        for parents in graphs
        if max(map(len, parents)) <= most_parents
    )


# Directions


def test_interventions_give_the_direction_that_observations_cannot() -> None:
    network = pair()
    for targets in (["cause"], ["effect"], ["cause", "effect"]):
        rows = {name: np.arange(400) % 4 == place for place, name in enumerate(targets)}
        data = network.sample(400, seed=1, interventions=rows)
        result = learn(data, seed=1)
        assert result.dag.arcs == (("cause", "effect"),)
        assert result.cpdag.directed == (("cause", "effect"),)
        backwards = Dag(network.names, [("effect", "cause")])
        score = LocalScore(data)
        assert score.total(result.dag) > score.total(backwards) + 1
    blind = learn(network.sample(400, seed=1), seed=1)
    assert blind.cpdag.undirected == (("effect", "cause"),)


def test_all_arcs_of_sachs_get_their_direction() -> None:
    """Its class leaves all 17 arcs without direction."""
    truth = load_example("sachs")
    assert len(truth.dag.cpdag().undirected) == 17
    rows = {name: np.arange(6000) % 22 == place for place, name in enumerate(truth.names)}
    result = learn(truth.sample(6000, seed=1, interventions=rows), seed=1, evaluation_limit=20_000)
    assert result.dag == truth.dag
    assert not result.cpdag.undirected


# Searches


@pytest.mark.parametrize("name", ["bic", "bdeu", "k2"])
def test_exact_search_finds_the_best_of_all_graphs(name: str) -> None:
    result = learn(small(), score=name, seed=1)
    assert result.method == "exact"
    assert str(result.status) == "optimal"
    assert result.score == pytest.approx(best_of_all(name))
    assert arcwise.exact(LocalScore(small(), name), seed=1).score == pytest.approx(best_of_all(name))


def test_chow_liu_finds_the_best_of_all_forests() -> None:
    assert arcwise.chow_liu(LocalScore(small(), "bdeu"), seed=1).score == pytest.approx(best_of_all("bdeu", 1))


@pytest.mark.parametrize("method", SEARCHES)
def test_every_search_takes_interventions_or_says_what_does(method: str) -> None:
    score = LocalScore(small(), "bic")
    if method in REFUSING:
        with pytest.raises(ParameterError, match=r"intervention.*\(orders, greedy, sgs3, tabu, exact\)"):
            learn(small(), method=method, seed=1)
        return
    result = learn(small(), method=SHORT[method], seed=1, evaluation_limit=5000)
    assert result.score == pytest.approx(score.total(result.dag))
    families = enumerate(result.dag.parent_indices)
    assert result.score == pytest.approx(sum(by_definition("bic", child, parents) for child, parents in families))
    assert result.targets == ((), ("X1",), ("X1", "X2"))


def test_what_counts_all_rows_alike_refuses() -> None:
    score = LocalScore(small(), "bic")
    for refused in (
        lambda: arcwise.mmpc(score),
        lambda: arcwise.mtmpc(score),
        lambda: arcwise.tree_strengths(score),
        lambda: arcwise.inclusion_boundary(score, Dag(small().names)),
    ):
        with pytest.raises(ParameterError, match="intervention"):
            refused()


def test_exhaustive_selection_scores_family_by_family() -> None:
    score = LocalScore(small(), "bic")
    assert select(score, method="exhaustive").sets == select(score, method="sequential").sets


def test_plan_says_it() -> None:
    wide = Dataset.from_codes(random_codes(50, [2] * 12, 1), arities=[2] * 12, interventions={"X1": range(20)})
    with stepped_clock(seconds_per_look=0.01):
        result = learn(wide, seed=1, time_limit=2, certify=0)
    assert result.decisions["plan"] == "12 variables with interventions: order search, at most 2 s"
    assert "few enough" in learn(small(), seed=1).decisions["plan"]


def test_learn_takes_them_in_every_form() -> None:
    data = small()
    made = data.interventions
    assert made is not None
    plain, by_name = data.with_interventions(None), {name: made.rows(name) for name in made.names}
    frame = data.to_frame(interventions="targets")
    expected = learn(data, seed=1)
    for result in (
        learn(plain, interventions=by_name, seed=1),
        learn(plain.to_frame(), interventions=by_name, seed=1),
        learn(frame, interventions="targets", seed=1),
    ):
        assert (result.dag, result.score) == (expected.dag, expected.score)


# Networks


def test_tables_are_fitted_to_rows_in_which_the_variable_was_free() -> None:
    codes = [[0, 0], [0, 1], [1, 1], [1, 1], [1, 0], [0, 1]]
    dag = Dag(["a", "b"], [("a", "b")])
    data = Dataset.from_codes(codes, names=["a", "b"], interventions={"b": [4, 5], "a": [0]})
    network = BayesianNetwork.fit(dag, data)
    assert network.table("a").tolist() == pytest.approx([2 / 5, 3 / 5])
    assert network.table("b").ravel().tolist() == pytest.approx([1 / 2, 1 / 2, 0, 1])
    weighted = data.with_weights([1, 2, 1, 1, 9, 9])
    assert BayesianNetwork.fit(dag, weighted).table("b").ravel().tolist() == pytest.approx([1 / 3, 2 / 3, 0, 1])
    # Row 4 would be impossible if b had not been set in it.
    assert network.log_likelihood(data) == pytest.approx(
        log(1 / 2) + (log(2 / 5) + log(1 / 2)) + 2 * log(3 / 5) + log(3 / 5) + log(2 / 5)
    )
    assert LocalScore(data, "loglik").total(dag) == pytest.approx(network.log_likelihood(data))


def test_a_child_that_was_set_does_not_tell_of_its_parent() -> None:
    data = Dataset.from_codes([[1], [1], [0]], names=["effect"], states=[["no", "yes"]], interventions={"effect": [0]})
    seen = 0.6 * 0.8 / (0.6 * 0.8 + 0.4 * 0.1)
    unseen = 0.6 * 0.2 / (0.6 * 0.2 + 0.4 * 0.9)
    assert pair().predict_proba(data, "cause")[:, 1].tolist() == pytest.approx([0.6, seen, unseen])


def test_what_is_set_is_drawn_from_all_states_whatever_the_parents_are() -> None:
    network, n = load_example("asia"), 40_000
    free = network.sample(n, seed=1)
    data = network.sample(n, seed=1, interventions={"either": range(20_000)})
    before = [name for name in network.names if name not in ("either", "xray", "dysp")]
    assert data.select(before) == free.select(before)
    either, lung = data.codes[:20_000, data.index("either")], data.codes[:20_000, data.index("lung")]
    for state in (0, 1):
        assert abs(either[lung == state].mean() - 0.5) < 0.06
    np.testing.assert_array_equal(data.codes[20_000:], free.codes[20_000:])
    xray = data.codes[:20_000, data.index("xray")]
    table = network.table("xray")
    for state in (0, 1):
        assert abs(xray[either == state].mean() - table[state][1]) < 0.02


# Bootstrap


def test_replicas_know_directions() -> None:
    network = pair()
    strengths = bootstrap(network.sample(400, seed=1, interventions={"effect": range(150)}), "greedy", 20, seed=1)
    assert strengths.direction("cause", "effect") == 1
    blind = bootstrap(network.sample(400, seed=1), "greedy", 20, seed=1)
    assert blind.direction("cause", "effect") == 0.5


# Files and reports


def test_files_of_runs_keep_targets(tmp_path: Path) -> None:
    result, path = learn(small(), seed=1), tmp_path / "run.json"
    write_run(result, path)
    run = read_run(path)
    assert run.result == result
    assert run.result.cpdag == result.cpdag
    assert run.data is not None
    made = small().interventions
    assert made is not None
    assert run.data.interventions == {name: made.rows(name).sum() for name in ("X1", "X2")}
    assert isinstance(run.result.data, FamilyCounts)
    assert run.result.network() == result.network()
    damaged = {**result_as_json(result), "targets": [["X1", "Z"]]}
    with pytest.raises(FormatError, match="targets must have variables of the graph, not 'Z'"):
        result_of_json(Fields(damaged, path=path))


def test_a_checkpoint_of_other_targets_is_refused(tmp_path: Path) -> None:
    data, path = small(), tmp_path / "run.json"
    learn(data, method="greedy", seed=1, checkpoint=path)
    other = data.with_interventions({"X1": [0]})
    with pytest.raises(ParameterError, match=r"other data \(300 rows of 4 variables, 2 of them set in some; now 300"):
        learn(other, method="greedy", seed=1, checkpoint=path, resume=True)
    assert learn(data, method="greedy", seed=1, checkpoint=path, resume=True).score


def test_reports_tell_of_interventions() -> None:
    network = pair()
    result = learn(network.sample(400, seed=1, interventions={"effect": range(150)}), seed=1)
    shown = content_of(Run.of(result), title="")
    words = dict(shown["data"]["rows"])
    assert words["set by interventions"] == "effect in 150 observations, which do not count for what it depends on"
    assert shown["arcs"]["reversible"] == [False]


# The command line


def test_commands_take_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = pair().sample(400, seed=1, interventions={"effect": range(150)})
    data.to_frame(interventions="do").write_csv("trial.csv")
    runner = CliRunner()
    done = runner.invoke(
        app, ["learn", "trial.csv", "--interventions", "do", "-o", "trial.bif", "--json", "--seed", "1"]
    )
    assert done.exit_code == 0, done.output
    assert arcwise.read_network("trial.bif").dag.arcs == (("cause", "effect"),)
    assert json.loads(done.stdout)["score"] == pytest.approx(learn(data, seed=1).score)
    scored = runner.invoke(app, ["score", "trial.bif", "trial.csv", "--interventions", "do", "--json"])
    assert json.loads(scored.stdout)["scores"]["bic"] == pytest.approx(learn(data, seed=1).score)
    proven = runner.invoke(app, ["exact", "trial.csv", "--interventions", "do", "--json", "-o", "proven.csv"])
    assert json.loads(proven.stdout)["score"] == pytest.approx(learn(data, seed=1).score)
    refused = runner.invoke(app, ["learn", "trial.csv", "--interventions", "dose"])
    assert refused.exit_code != 0
    assert "There is no column 'dose'" in refused.output
    example = runner.invoke(app, ["learn", "asia", "--interventions", "do"])
    assert example.exit_code != 0
    assert "--interventions works only with a file; asia is an example" in example.output
    classes = runner.invoke(app, ["learn", "trial.csv", "--interventions", "do", "--method", "ges"])
    assert classes.exit_code != 0
    assert "interventions of the data tell equivalent graphs apart" in " ".join(classes.output.split())
