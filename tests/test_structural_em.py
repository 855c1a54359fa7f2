"""Structural EM: its guarantee, its limits, and what it finds."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import oracles_em
from arcwise import (
    BayesianNetworkLearner,
    Budget,
    Constraints,
    Dag,
    Dataset,
    EmLimits,
    Greedy,
    Problem,
    StructuralEM,
    bootstrap,
    compare,
    compare_methods,
    fit_em,
    learn,
    load_example,
    read_network,
    read_run,
    run_search,
)
from arcwise.cli import app
from arcwise.network.em import first_network
from arcwise.network.expectation import EStep
from arcwise.runs.files import Run, write_run
from arcwise.runs.result import Result, Status
from arcwise.scores.expected import ExpectedScore
from arcwise.search.registry import SEARCHES
from arcwise.structural_em import imputed_replica, score_before_em
from arcwise.support.errors import DataError, ParameterError
from calls import calls_of
from interrupting import half_way, presses_ctrl_c, runs_out_of_time
from short_searches import SHORT

NEEDS_COUNTS = ("mmhc", "mtmhc", "mixture")


def with_gaps(data: Dataset, share: float, seed: int) -> Dataset:
    gaps = np.random.default_rng(seed).random(data.codes.shape) < share
    codes = np.where(gaps, np.array(data.arities), data.codes).astype(np.uint8)
    return Dataset(codes, data.names, data.states, data.weights)


def continuous(n_rows: int, share: float, seed: int) -> tuple[Dag, Dataset]:
    random = np.random.default_rng(seed)
    dag = Dag.from_parents(list("abcde"), [[], [0], [], [1, 2], [3]])
    values = np.zeros((n_rows, 5))
    for v, parents in enumerate(dag.parent_indices):
        values[:, v] = random.normal(size=n_rows) + values[:, list(parents)].sum(axis=1)
    values[random.random(values.shape) < share] = np.nan
    return dag, Dataset(np.zeros((n_rows, 5), dtype=np.uint8), dag.names, ((),) * 5, numbers=values)


@pytest.fixture(scope="module")
def asia() -> Dataset:
    return with_gaps(load_example("asia").sample(1000, seed=1), 0.15, 1)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), score=st.sampled_from(["bic", "aic"]))
def test_the_score_of_what_is_there_never_falls_from_round_to_round(seed: int, score: str) -> None:
    data = with_gaps(load_example("cancer").sample(150, seed=seed), 0.25, seed)
    result = learn(data, score=score, missing="em", method="greedy", seed=seed)
    for run in result.decisions["em"]["runs"]:
        assert (np.diff(run["scores"]) >= -1e-6).all()
    assert all(a.score < b.score for a, b in zip(result.trace, result.trace[1:], strict=False))
    assert result.trace[-1].score == result.score


def test_the_score_is_the_likelihood_of_what_is_there_less_the_penalty() -> None:
    data = with_gaps(load_example("cancer").sample(60, seed=3), 0.2, 3)
    result = learn(data, missing="em", score="bic", seed=1)
    network = result.network()
    penalty = 0.5 * np.log(60) * network.n_parameters
    assert result.score == pytest.approx(oracles_em.log_likelihood(network, data) - penalty, abs=1e-2)
    assert result.bound is None
    assert "structural EM" in str(result.decisions["missing"])


def test_complete_data_gives_the_ordinary_result() -> None:
    data = load_example("asia").sample(500, seed=1)
    assert learn(data, missing="em", seed=1).dag == learn(data, seed=1).dag


def test_no_graph_next_to_the_result_has_a_better_expected_score(asia: Dataset) -> None:
    result = learn(asia, missing="em", method="greedy", seed=1)
    fit = fit_em(result.dag, asia)
    score = ExpectedScore(fit.expectation, asia, "bic")
    again = run_search(Greedy(climbs=1), Problem(score, start=result.dag), seed=1)
    assert score.total(again.dag) <= score.total(result.dag) + 0.05  # its parameters have converged a little further


def test_it_finds_more_than_rows_without_gaps_tell() -> None:
    truth = load_example("asia")
    data = with_gaps(truth.sample(3000, seed=2), 0.3, 2)
    by_em = learn(data, missing="em", seed=1)
    dropped = learn(data, missing="drop", seed=1)
    assert compare(truth.dag, by_em.dag).shd_skeleton < compare(truth.dag, dropped.dag).shd_skeleton
    held_out = truth.sample(3000, seed=9)
    assert by_em.network(ess=1).log_likelihood(held_out) > dropped.network(ess=1).log_likelihood(held_out)


def test_variables_whose_gaps_depend_on_them_only_through_others_are_fitted_well() -> None:
    # b is missing more often where a is 1: missing at random. The rows that have b are not a sample of all.
    random = np.random.default_rng(4)
    a = random.integers(0, 2, 3000)
    b = (random.random(3000) < np.where(a == 1, 0.9, 0.1)).astype(int)
    c = (random.random(3000) < np.where(b == 1, 0.8, 0.2)).astype(int)
    b[random.random(3000) < np.where(a == 1, 0.8, 0.1)] = 2
    codes = np.column_stack([a, b, c]).astype(np.uint8)
    data = Dataset(codes, ("a", "b", "c"), (("0", "1"),) * 3)
    result = learn(data, missing="em", seed=1)
    assert {frozenset(arc) for arc in result.dag.arcs} == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in NEEDS_COUNTS])
def test_every_search_can_be_that_of_the_rounds(name: str, asia: Dataset) -> None:
    if not any(kind.__name__ == "LocalScore" for kind in SEARCHES[name].takes):
        pytest.skip("it takes a table of parent sets")
    result = learn(asia, missing="em", method=SHORT[name], seed=1, evaluation_limit=2000)
    assert result.method == "em"
    assert np.isfinite(result.score)
    assert result.provenance.options["search"]["type"] == type(SEARCHES[name]).__name__


@pytest.mark.parametrize("name", [name for name in NEEDS_COUNTS if name in SEARCHES])
def test_searches_that_need_counts_are_refused(name: str, asia: Dataset) -> None:
    with pytest.raises(DataError, match="needs a value in every cell"):
        learn(asia, missing="em", method=name, seed=1)


def test_workers_and_repetition_do_not_change_the_result(asia: Dataset) -> None:
    results = [learn(asia, missing="em", seed=5, workers=workers) for workers in (1, 2, 1)]
    assert len({result.dag for result in results}) == 1
    assert len({result.score for result in results}) == 1


@pytest.mark.parametrize("limits", [{"time_limit": 0}, {"evaluation_limit": 0}, {"evaluation_limit": 200}])
def test_however_small_the_limit_there_is_a_graph(limits: dict[str, int], asia: Dataset) -> None:
    result = learn(asia, missing="em", seed=1, **limits)  # type: ignore[arg-type]
    assert np.isfinite(result.score)
    assert result.status in (Status.TIME_LIMIT, Status.EVALUATION_LIMIT)


def test_ctrl_c_returns_the_best_so_far() -> None:
    data = with_gaps(load_example("asia").sample(1000, seed=1), 0.2, 1)
    middle = half_way(lambda: learn(data, missing="em", seed=1))
    with presses_ctrl_c(middle) as watch:
        result = learn(data, missing="em", seed=1, watch=watch)
    assert result.status is Status.INTERRUPTED
    assert result.score == result.trace[-1].score


def test_constraints_and_starts_are_kept(asia: Dataset) -> None:
    rules = Constraints(required=[("xray", "asia")], forbidden=[("smoke", "lung"), ("lung", "smoke")])
    result = learn(asia, missing="em", seed=1, constraints=rules)
    assert result.dag.has_arc("xray", "asia")
    assert not result.dag.has_arc("smoke", "lung")
    start = Dag(asia.names, [("asia", "tub")])
    begun = learn(asia, missing="em", seed=1, start=start)
    assert [run["from"] for run in begun.decisions["em"]["runs"]] == ["the start"]


def test_a_checkpoint_is_resumed(asia: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    first = learn(asia, missing="em", seed=1, evaluation_limit=100, checkpoint=path)
    resumed = learn(asia, missing="em", seed=1, checkpoint=path, resume=True)
    assert resumed.score >= first.score
    assert resumed.score >= learn(asia, missing="em", seed=1).score - 10.0


def test_a_run_is_written_and_read_with_expected_counts(asia: Dataset, tmp_path: Path) -> None:
    result = learn(asia, missing="em", seed=1)
    write_run(Run.of(result), tmp_path / "run.json")
    read = read_run(tmp_path / "run.json").result
    assert read.dag == result.dag
    assert read.score == result.score
    for mine, theirs in zip(read.network().distributions, result.network().distributions, strict=True):
        assert mine.is_close(theirs, tolerance=1e-2)


def test_continuous_tables() -> None:
    dag, data = continuous(1500, 0.15, 1)
    result = learn(data, missing="em", seed=1)
    assert compare(dag, result.dag).shd_cpdag == 0
    by_bge = learn(data, missing="em", score="bge", seed=1)
    assert compare(dag, by_bge.dag).shd_skeleton == 0
    assert result.network().n_parameters > 0
    write = Run.of(result)
    assert write.gains is not None


def test_bayesian_scores() -> None:
    data = with_gaps(load_example("cancer").sample(1000, seed=1), 0.1, 1)
    for score in ("bdeu", "k2"):
        result = learn(data, missing="em", score=score, seed=1)
        assert np.isfinite(result.score)
        assert result.dag.n_arcs


def test_what_it_does_not_take_is_refused(asia: Dataset) -> None:
    mixed = {"a": ["x", None, "y", "x"] * 20, "b": [0.1, 0.2, 0.35, 0.5] * 20}
    with pytest.raises(ParameterError, match="pairwise"):
        learn(mixed, missing="em")
    with pytest.raises(ParameterError, match="certify is not for missing='em'"):
        learn(asia, missing="em", certify=5)
    with pytest.raises(ParameterError, match="clean_up"):
        learn(asia, missing="em", clean_up=True)
    with pytest.raises(ParameterError, match="expected counts"):
        learn(asia, missing="em", score="fnml")
    with pytest.raises(ParameterError, match="rounds"):
        StructuralEM(rounds=0)
    with pytest.raises(ParameterError, match="search must be"):
        StructuralEM("greedy")  # type: ignore[arg-type]


def test_its_own_options(asia: Dataset) -> None:
    few = StructuralEM(Greedy(), rounds=1, limits=EmLimits(steps=2))
    result = learn(asia, missing="em", method=few, seed=1)
    assert result.counters["rounds"] <= 2
    assert run_search(few, score_before_em(asia, "bic"), seed=1).dag == result.dag


def test_bootstrap_fills_gaps_by_draws(asia: Dataset) -> None:
    strengths = bootstrap(asia, "ges", 10, seed=1, missing="em")  # a search that does not take gaps themselves
    assert strengths.n_replicas == 10
    assert strengths.edge("smoke", "bronc") == 1.0
    again = bootstrap(asia, "ges", 10, seed=1, missing="em", workers=2)
    np.testing.assert_array_equal(strengths.arcs.toarray(), again.arcs.toarray())


def test_a_replica_keeps_what_is_there_and_fills_the_rest_by_the_posterior() -> None:
    # b is a copy of a but for one row in ten: a gap of b is mostly filled by what a is.
    random = np.random.default_rng(1)
    a = random.integers(0, 2, 4000)
    b = np.where(random.random(4000) < 0.1, 1 - a, a)
    b[::2] = 2
    data = Dataset(np.column_stack([a, b]).astype(np.uint8), ("a", "b"), (("0", "1"),) * 2)
    network = fit_em(Dag(["a", "b"], [("a", "b")]), data).network
    replica = imputed_replica(data, network, 1)
    assert replica.n_rows == 4000
    assert (replica.codes[:, 0] == replica.codes[:, 1]).mean() == pytest.approx(0.9, abs=0.03)


def test_time_limits_are_kept(asia: Dataset) -> None:
    def run(seconds: float | None) -> Result:
        budget = Budget(time_limit=seconds)
        return run_search(StructuralEM(SEARCHES["orders"]), score_before_em(asia, "bic"), seed=1, budget=budget)

    runs_out_of_time(run)


def test_the_command_line_and_the_estimator_take_it(tmp_path: Path) -> None:
    complete = load_example("cancer").sample(1500, seed=1).to_frame("pandas").astype(object)
    frame = complete.mask(np.random.default_rng(1).random(complete.shape) < 0.2)
    source, network, run = tmp_path / "gaps.csv", tmp_path / "found.bif", tmp_path / "run.json"
    frame.to_csv(source, index=False)
    command = ["learn", str(source), "--missing", "em", "--seed", "1", "-o", str(network), "--run", str(run)]
    outcome = CliRunner().invoke(app, command)
    assert outcome.exit_code == 0, outcome.output
    in_python = learn(frame, missing="em", seed=1)
    assert read_run(run).result.dag == in_python.dag
    # The file has the probabilities of EM, which are not those of the rows that have each family.
    written = read_network(network)
    held_out = load_example("cancer").sample(3000, seed=2)
    assert all(len(states) == 2 for states in written.states)
    assert written.log_likelihood(held_out) == pytest.approx(in_python.network().log_likelihood(held_out), rel=1e-2)
    strengths = ["bootstrap", str(source), "--missing", "em", "--replicas", "3", "-o", str(tmp_path / "strengths.csv")]
    outcome = CliRunner().invoke(app, strengths)
    assert outcome.exit_code == 0, outcome.output
    learner = BayesianNetworkLearner(missing="em", random_state=1).fit(frame)
    assert learner.result_.method == "em"


def test_methods_are_compared_by_it(asia: Dataset) -> None:
    # xges and ges refuse gaps themselves, but not what is expected in them.
    found = compare_methods({"asia": asia}, ["ges", "greedy"], seed=1, missing="em", progress=False)
    assert [run.method for run in found.runs] == ["ges", "greedy"]
    alone = learn(asia, missing="em", method="ges", score="bic", seed=found.runs[0].seed)
    assert found.runs[0].score == alone.score


def test_little_time_is_for_the_graph_of_pairwise_scores() -> None:
    """Each variable is mostly like the one before, which the rows that have both show without any round."""
    rng = np.random.default_rng(1)
    codes = rng.integers(2, size=(300, 30)).astype(np.uint8)
    for v in range(1, 30):
        codes[:, v] = np.where(rng.random(300) < 0.9, codes[:, v - 1], codes[:, v])
    data = with_gaps(Dataset.from_codes(codes), 0.02, 1)
    score = score_before_em(data, "bic")
    found = runs_out_of_time(lambda limit: run_search(StructuralEM(), score, seed=1, workers=1, budget=Budget(limit)))
    assert found.dag.n_arcs >= 29
    assert found.decisions["em"]["runs"][0]["from"] == "the rows that have each family"


def test_expectations_of_many_variables_take_no_square_of_them() -> None:
    def calls(n: int) -> int:
        codes = np.random.default_rng(1).integers(2, size=(20, n)).astype(np.uint8)
        data = with_gaps(Dataset.from_codes(codes), 0.02, 1)
        network, e_step = first_network(Dag(data.names), data), EStep(data)
        return calls_of(lambda: e_step(network))

    assert calls(800) < 2.5 * calls(400)
