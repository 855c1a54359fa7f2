"""Cross-validation: by hand, against compare_methods, and what it chooses."""

import signal
from threading import Event
from typing import Any

import numpy as np
import pytest

from arcwise import (
    BayesianNetwork,
    Context,
    Dataset,
    Greedy,
    Outcome,
    ParameterError,
    Problem,
    compare_methods,
    cross_validate,
    learn,
    load_example,
    plot_validation,
)
from arcwise.comparison.methods import MethodRun
from arcwise.comparison.validation import CrossValidation, _candidates
from arcwise.runs.result import Status
from interrupting import PATIENCE

DATA = load_example("asia").sample(300, seed=1)


def test_what_is_held_out_by_hand() -> None:
    found = cross_validate(DATA, "greedy", "bic", folds=3, seed=7)
    assert [run.fold for run in found.runs] == [0, 1, 2]
    rows = np.random.default_rng(7).permutation(np.arange(300))
    for run in found.runs:
        held = rows[run.fold :: 3]
        train, test = (
            Dataset.from_codes(DATA.codes[part], names=DATA.names, states=DATA.states)
            for part in (np.setdiff1d(rows, held), held)
        )
        dag = learn(train, method="greedy", score="bic", seed=run.seed).dag
        expected = BayesianNetwork.fit(dag, train, ess=1).log_likelihoods(test).mean()
        assert run.held_out == pytest.approx(expected)
    values = np.array([run.held_out for run in found.runs], dtype=np.float64)
    assert found.best.held_out == pytest.approx(np.mean(values))
    assert found.best.standard_error == pytest.approx(np.std(values, ddof=1) / np.sqrt(3))


def test_it_is_compare_methods_on_threads() -> None:
    options: dict[str, Any] = {"folds": 4, "seed": 3}
    slow = compare_methods(DATA, ["greedy", "chow-liu"], ["bic", "aic"], **options)
    for workers in (1, 3):
        found = cross_validate(DATA, ["greedy", "chow-liu"], ["bic", "aic"], workers=workers, **options)
        assert [(run.line, run.definition, run.method, run.held_out, run.arcs) for run in found.runs] == [
            (run.line, run.definition, run.method, run.held_out, run.arcs) for run in slow.runs
        ]
        assert found.status == Status.COMPLETE


def test_it_chooses_between_scores() -> None:
    data = load_example("sachs").sample(400, seed=1)
    found = cross_validate(data, "greedy", ["bic", "loglik"], folds=4, seed=1)
    assert found.best.definition == "BIC"  # loglik joins whatever it can
    assert found.candidates[0].held_out > found.candidates[1].held_out
    assert learn(data, method=found.best.method, score=found.best.definition, seed=1).dag.n_arcs > 0


def test_labels_frames_and_words() -> None:
    methods = {"few": Greedy(climbs=1), "many": Greedy(climbs=3)}
    found = cross_validate({"x": [0.5, 1.5, 2.5, 3.5] * 9, "y": list("aabb") * 9}, methods, "bic", folds=2, seed=1,
                           discretise="quantile")  # fmt: skip
    assert {candidate.method for candidate in found.candidates} == {"few", "many"}
    frame = found.to_frame("pandas")
    assert frame["held_out"].tolist() == [candidate.held_out for candidate in found.candidates]
    assert list(found.to_frame().columns) == list(found.rows()[0])
    assert str(found).count("\n") == 2
    assert "few, BIC" in str(found)


def test_ess_is_that_of_the_probabilities() -> None:
    smooth, rough = (cross_validate(DATA, "greedy", "bic", folds=3, seed=1, ess=ess) for ess in (1000, 1))
    assert smooth.best.held_out < rough.best.held_out


def test_what_a_callback_raises_passes_through() -> None:
    seen: list[Any] = []

    def refuse(run: Any) -> None:
        seen.append(run)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # not from the keyboard: what the callback raises is its own
        cross_validate(DATA, "greedy", "bic", folds=5, seed=1, workers=1, on_run=refuse)
    assert len(seen) == 2


@pytest.mark.parametrize("finished", [0, 2])
def test_ctrl_c_returns_what_is_finished(finished: int) -> None:
    begun: list[bool] = []

    class Pressing(Greedy):
        """Greedy search that presses Ctrl-C in the middle of a run, and ends when it is told to."""

        def run(self, problem: Problem, context: Context) -> Outcome:
            begun.append(len(begun) == finished)
            if begun[-1]:
                signal.raise_signal(signal.SIGINT)
                patient = Event()
                for _ in range(int(PATIENCE / 0.01)):
                    if context.budget.exhausted:
                        break
                    patient.wait(0.01)
                assert context.budget.exhausted, "nobody has told it to end"
            return super().run(problem, context)

    seen: list[MethodRun] = []
    found = cross_validate(DATA, {"greedy": Pressing()}, "bic", folds=5, seed=1, workers=1, on_run=seen.append)
    assert found.status is Status.INTERRUPTED
    assert begun == [False] * finished + [True]  # none was begun afterwards
    assert found.runs == tuple(seen)
    whole = cross_validate(DATA, "greedy", "bic", folds=5, seed=1, workers=1)
    assert [(run.fold, run.held_out) for run in seen] == [(run.fold, run.held_out) for run in whole.runs[:finished]]
    assert [candidate.folds for candidate in found.candidates] == [finished] * bool(finished)
    if not finished:
        with pytest.raises(ParameterError, match="no fold has been finished"):
            _ = found.best


def test_candidates_are_compared_by_the_same_folds() -> None:
    """Ctrl-C came when one had finished an easy fold, and the other that one and a hard one."""

    def finished(method: str, fold: int, held_out: float) -> MethodRun:
        return MethodRun("data", fold, 1, "BIC", method, -100.0, held_out, 0.1, 10, 2, Status.LOCAL_OPTIMUM)

    runs = [finished("worse", 0, -1.0), finished("better", 0, -0.9), finished("better", 1, -3.0)]
    found = CrossValidation(tuple(_candidates(runs, 2)), tuple(runs), Status.INTERRUPTED, 1)
    assert found.best.method == "better"
    assert [(each.method, each.held_out, each.folds) for each in found.candidates] == [
        ("better", -0.9, 1),
        ("worse", -1.0, 1),
    ]
    assert list(_candidates(runs[1:], 2)) == []


def test_a_picture() -> None:
    found = cross_validate(DATA, ["greedy", "chow-liu"], "bic", folds=3, seed=1)
    picture = plot_validation(found, title="Asia")
    texts = [text.get_text() for text in picture.figure.findobj() if hasattr(text, "get_text")]
    assert {"greedy, BIC", "chow-liu, BIC", "Asia"} <= set(texts)
    with pytest.raises(ParameterError, match="validation must be a CrossValidation"):
        plot_validation(DATA)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folds": 1}, "folds must be at least 2"),
        ({"folds": 301}, "folds must be at most the 300 rows"),
        ({"methods": []}, "methods must be at least one method"),
        ({"scores": []}, "scores must be at least one score"),
        ({"ess": 0}, "ess must be a finite number above 0"),
        ({"methods": "gredy"}, "did you mean 'greedy'"),
        ({"fold": 3}, "there is no parameter 'fold'"),
    ],
)
def test_wrong_calls_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cross_validate(DATA, **{"methods": "greedy", **change})


def test_limits_are_those_of_each_run() -> None:
    found = cross_validate(DATA, "greedy", "bic", folds=2, seed=1, evaluation_limit=0)
    assert {run.status for run in found.runs} == {Status.EVALUATION_LIMIT}
