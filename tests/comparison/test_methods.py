"""Compared methods: every run is what learn gives alone, and lines, folds and interruptions are what they are said."""

import signal

import numpy as np
import pytest

from arcwise import (
    BDeu,
    Dataset,
    Greedy,
    MethodComparison,
    MethodRun,
    ParameterError,
    Status,
    compare_methods,
    learn,
    load_example,
)
from arcwise.support.arguments import kernel_seeds
from tables import dependent_table

TABLES = {name: dependent_table(60, (2, 3, 2, 2), seed=seed) for seed, name in enumerate(("one", "two", "three"))}


def test_runs_are_what_learn_gives() -> None:
    found = compare_methods(TABLES, ["greedy", "chow-liu"], ["bic", BDeu(10)], seeds=2, seed=3, workers=1)
    assert (found.status, found.seed, len(found.runs)) == (Status.COMPLETE, 3, 3 * 2 * 2 * 2)
    assert found.definitions == ("BIC", "BDeu(ess=10)")
    seeds = list(kernel_seeds(3, 2))
    for run in found.runs:
        assert run.seed in seeds
        score = "bic" if run.definition == "BIC" else BDeu(10)
        # With more than one, two may count the same score before either remembers it.
        result = learn(TABLES[run.dataset], method=run.method, score=score, seed=run.seed, workers=1)
        assert (run.score, run.arcs, run.evaluations) == (
            result.score,
            result.dag.n_arcs,
            result.counters["evaluations"],
        )
        assert (run.fold, run.held_out) == (None, None)
    for definition in found.definitions:
        lines, values = found.values("score", definition)
        assert lines == tuple(TABLES)
        for line, row in zip(lines, values, strict=True):
            for method, value in zip(found.methods, row, strict=True):
                runs = [run for run in found.runs if (run.dataset, run.method) == (line, method)]
                assert value == pytest.approx(np.mean([run.score for run in runs if run.definition == definition]))
    assert found.ranks("arcs").means.sum() == 3


def test_folds_hold_out_every_row_once() -> None:
    data = dependent_table(50, (2, 3, 2), seed=1).with_weights([1, 2] * 25)
    found = compare_methods(data, ["greedy", "chow-liu"], folds=4, seed=5)
    lines, values = found.values("held_out")
    assert (len(lines), values.shape) == (4, (4, 2))
    assert lines[0].startswith("data, fold 0, seed ")
    # By definition: the same rows, drawn in the same way, learned from and looked at as tables of their own.
    rows = np.random.default_rng(5).permutation(np.repeat(np.arange(50), [1, 2] * 25))
    for fold in range(4):
        held = np.isin(np.arange(75), np.arange(fold, 75, 4))
        train, test = (
            Dataset.from_codes(data.codes[rows[part]], names=data.names, states=data.states) for part in (~held, held)
        )
        for column, method in enumerate(found.methods):
            result = learn(train, method=method, seed=next(iter(kernel_seeds(5, 1))))
            fit = result.network(ess=1).log_likelihood(test) / test.n_rows
            assert values[fold, column] == pytest.approx(fit)


def test_labels_tell_one_method_with_several_options_apart() -> None:
    found = compare_methods(TABLES, {"once": Greedy(climbs=1), "often": Greedy(climbs=5)}, seed=1)
    assert found.methods == ("once", "often")
    values = found.values()[1]
    assert (values[:, 1] >= values[:, 0] - 1e-9).all()
    with pytest.raises(ParameterError, match="give a mapping from labels to methods"):
        compare_methods(TABLES, [Greedy(climbs=1), Greedy(climbs=5)])


def test_ctrl_c_keeps_what_there_is() -> None:
    seen: list[MethodRun] = []

    def press(run: MethodRun) -> None:
        seen.append(run)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)

    found = compare_methods(TABLES, ["greedy", "chow-liu"], seed=1, on_run=press)
    assert found.status == Status.INTERRUPTED
    assert found.runs == tuple(seen)
    lines, values = found.values()  # the second dataset has one method only
    assert (len(lines), values.shape) == (1, (1, 2))


def test_nothing_finished_is_nothing_to_rank() -> None:
    none = MethodComparison(("a", "b"), ("BIC",), (), Status.INTERRUPTED, 1)
    assert none.values()[1].shape == (0, 2)
    with pytest.raises(ParameterError, match="nothing to rank"):
        none.ranks()
    assert none.to_frame().height == 0


def test_rows_and_frame() -> None:
    found = compare_methods(TABLES, ["greedy", "chow-liu"], seed=1, folds=2)
    frame = found.to_frame()
    assert frame.height == len(found.rows()) == 12
    assert frame["held_out"].null_count() == 0
    assert frame["seed"].to_list() == [run.seed for run in found.runs]
    assert "held_out: " in str(found)
    without = compare_methods(TABLES, ["greedy", "chow-liu"], seed=1)
    assert without.to_frame()["held_out"].null_count() == 6
    with pytest.raises(ParameterError, match="give folds"):
        without.ranks("held_out")


def test_limits_reach_the_runs() -> None:
    data = load_example("alarm").sample(200, seed=1)
    found = compare_methods(data, ["greedy", "tabu"], evaluation_limit=100, seed=1)
    assert all(run.status == Status.EVALUATION_LIMIT for run in found.runs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["greedy"]}, "methods must be at least two methods"),
        ({"methods": "greedy"}, "methods must be a list of at least two methods"),
        ({"methods": ["greedy", "gredy"]}, "did you mean 'greedy'"),
        ({"scores": []}, "scores must be at least one score"),
        ({"folds": 1}, "folds must be at least 2"),
        ({"folds": 61}, "folds must be at most the 60 rows of one"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"data": {}}, "data must be at least one table"),
        ({"on_run": 3}, "on_run must be a function"),
        ({"methods": ["greedy", "ges"], "scores": ["bic", "k2"]}, "Markov equivalent"),
    ],
)
def test_refused_before_anything_runs(change: dict[str, object], message: str) -> None:
    def fail(run: MethodRun) -> None:
        raise AssertionError(run)

    arguments = {"data": TABLES, "methods": ["greedy", "chow-liu"], "on_run": fail, **change}
    with pytest.raises(ParameterError, match=message):
        compare_methods(**arguments)  # type: ignore[arg-type]
