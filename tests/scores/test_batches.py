"""Scores that come in batches: the same numbers and graphs as those of the kernels, and answers that are wrong."""

from typing import Any

import numpy as np
import pytest

from arcwise import Dataset, LocalScore, ParameterError, _core, select
from arcwise.search.registry import SEARCHES
from arcwise.search.search import run_search
from batch_scores import ByBatches, NumpyAnswers, WithBatches
from oracles import local_score
from score_cases import COUNTED
from short_searches import SHORT
from tables import dependent_table

every_method = pytest.mark.parametrize("method", list(SEARCHES))
BY_COUNTS = ("mmhc", "mtmhc")  # which ask for the counts themselves


def weighted(n_rows: int = 60) -> Dataset:
    data = dependent_table(n_rows=n_rows, arities=(2, 3, 4, 1, 2))
    return data.with_weights(np.random.default_rng(1).integers(0, 5, size=n_rows).astype(np.uint32))


@pytest.mark.parametrize("name", COUNTED)
def test_the_terms_of_a_score_give_its_numbers(name: str) -> None:
    data = weighted()
    assert data.weights is not None
    built_in, batches = LocalScore(data, name), ByBatches(NumpyAnswers(data, name), name)
    for child, parents in [(0, []), (1, [0]), (2, [4, 1]), (3, [0]), (4, [0, 1, 2, 3])]:
        number = batches.local(child, parents)
        assert number == built_in.local(child, parents)
        oracle = local_score(name, data.codes.tolist(), data.arities, child, parents, data.weights.tolist())
        assert number == pytest.approx(oracle, rel=1e-9, abs=1e-9)
        assert batches.additions(child, parents).tolist() == built_in.additions(child, parents).tolist()
        assert batches.removals(child, parents).tolist() == built_in.removals(child, parents).tolist()


@every_method
def test_every_search_finds_the_same_graph_by_batches(method: str) -> None:
    data = dependent_table(n_rows=100, arities=(2, 3) * 3)
    answers = NumpyAnswers(data)
    if method in BY_COUNTS:
        with pytest.raises(ValueError, match="not made of counts"):
            run_search(SHORT[method], ByBatches(answers), seed=1, workers=2)
        return
    own = run_search(SHORT[method], ByBatches(answers), seed=1, workers=2)
    built_in = run_search(SHORT[method], LocalScore(data), seed=1, workers=2)
    assert own.score == pytest.approx(built_in.score, rel=1e-12)
    assert own.status == built_in.status
    assert own.dag == built_in.dag or (method == "chow-liu" and own.dag.is_equivalent(built_in.dag))
    assert answers.batches


@every_method
@pytest.mark.parametrize("leaves_parents", [None, 1])
def test_every_search_finds_the_same_graph_with_batches_beside_the_kernels(
    method: str, leaves_parents: int | None
) -> None:
    data = dependent_table(n_rows=100, arities=(2, 3) * 3)
    answers = NumpyAnswers(data, leaves_parents=leaves_parents)
    own = run_search(SHORT[method], WithBatches(answers), seed=1, workers=2)
    built_in = run_search(SHORT[method], LocalScore(data), seed=1, workers=2)
    assert own.dag == built_in.dag
    assert own.score == built_in.score


def test_all_nodes_of_a_first_sweep_are_one_batch() -> None:
    data = dependent_table(arities=(2, 3) * 4)
    for method in ("ges", "greedy", "orders"):
        answers = NumpyAnswers(data)
        run_search(SEARCHES[method], WithBatches(answers), seed=1, workers=1)
        assert ("improvements", data.n_variables) in answers.batches


def test_batches_that_take_longer_are_left_to_the_kernels() -> None:
    answers = NumpyAnswers(dependent_table())
    run_search(SEARCHES["ges"], WithBatches(answers, seconds_per_batch=1.0), seed=1)
    assert not answers.batches


def test_parent_sets_are_selected_by_batches() -> None:
    data = dependent_table(arities=(2, 3) * 3)
    own, built_in = select(ByBatches(NumpyAnswers(data))), select(LocalScore(data))
    for name in data.names:
        assert own.sets.best(name) == built_in.sets.best(name)


class Wrong(NumpyAnswers):
    def __init__(self, answer: Any) -> None:
        super().__init__(dependent_table())
        self.answer = answer

    def scores(self, *_: Any) -> Any:
        return self.answer

    def improvements(self, *_: Any) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (np.zeros(2), "of 1 scores of a batch, 2 came back"),
        (np.zeros(1, dtype=np.float32), "came back as another kind of array"),
        ("1.0", "came back as another kind of array"),
    ],
)
def test_wrong_scores_are_refused(answer: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ByBatches(Wrong(answer)).local(0)


NO_ENDS = np.zeros(6, dtype=np.int64)
NOTHING = np.zeros(0), np.zeros(0, dtype=np.int32)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((np.zeros(5), *NOTHING), "are four arrays"),
        ((np.full(5, np.nan), *NOTHING, NO_ENDS), "not a number"),
        ((np.zeros(5), np.ones(1), np.array([7], dtype=np.int32), NO_ENDS + np.eye(6)[5].astype(int)), "do not belong"),
        ((np.zeros(5), *NOTHING, np.array([0, 2, 1, 0, 0, 0])), "do not belong"),
        ((np.zeros(5), *NOTHING, NO_ENDS[1:]), "of 6 ends of a batch, 5 came back"),
    ],
)
def test_wrong_improvements_are_refused(answer: Any, said: str) -> None:
    answers = Wrong(answer)
    answers.scores = lambda *arrays: NumpyAnswers(answers.data).scores(*arrays)  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=said):
        run_search(SEARCHES["ges"], ByBatches(answers), seed=1, workers=1)


class InAnyOrder(NumpyAnswers):
    """Improvements as a card notes them: records that are not sorted."""

    def found(self, *batch: Any) -> tuple[Any, Any]:
        own, scores, variables, ends = self.improvements(*batch)
        records = np.zeros(len(scores), dtype=[("score", np.float64), ("family", np.int32), ("variable", np.int32)])
        records["score"], records["variable"] = scores, variables
        records["family"] = np.repeat(np.arange(len(own)), np.diff(ends))
        return own, np.random.default_rng(1).permutation(records).view(np.uint8)


@pytest.mark.parametrize("threads", [1, 3])
def test_improvements_in_any_order_are_sorted(threads: int) -> None:
    data = dependent_table(arities=(2, 3) * 4)
    families = np.arange(8, dtype=np.int32), np.arange(9), (np.arange(8, dtype=np.int32) + 3) % 8
    sorted_here, built_in = WithBatches(InAnyOrder(data)), LocalScore(data)
    found, expected = (_core.improvements(score.core, *families, threads) for score in (sorted_here, built_in))
    assert [part.tolist() for part in found] == [part.tolist() for part in expected]
    assert len(found[1]) > 0


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((np.zeros(5),), "two arrays"),
        ((np.zeros(4), np.zeros(0, dtype=np.uint8)), "of 5 scores of a batch, 4 came back"),
        ((np.zeros(5), np.zeros(17, dtype=np.uint8)), "records of 16 bytes"),
        ((np.zeros(5), np.full(16, 1, dtype=np.uint8)), "a family that is not in the batch"),
        ((np.zeros(5), np.array([0, 0, 0, 7], dtype=np.int32).view(np.uint8)), "do not belong together"),
    ],
)
def test_wrong_records_of_a_batch_are_refused(answer: Any, said: str) -> None:
    answers: Any = NumpyAnswers(dependent_table())
    answers.found = lambda *_: answer
    with pytest.raises(ValueError, match=said):
        run_search(SEARCHES["ges"], ByBatches(answers), seed=1, workers=1)


def test_what_batches_raise_comes_out_as_it_is() -> None:
    class Raises(NumpyAnswers):
        def improvements(self, *_: Any) -> Any:
            raise ParameterError("out of reach")

    with pytest.raises(ParameterError, match="out of reach"):
        run_search(SEARCHES["ges"], ByBatches(Raises(dependent_table())), seed=1, workers=2)


@pytest.mark.parametrize("n_found", [0, 5, 1000, 200_000])
@pytest.mark.parametrize("threads", [1, 3])
def test_improvements_are_sorted_by_family_score_and_variable(n_found: int, threads: int) -> None:
    rng = np.random.default_rng(n_found)
    n_families, n_variables = 40, 20_000
    pairs = rng.permutation(n_families * n_variables)[:n_found]
    found = np.zeros(n_found, dtype=[("score", np.float64), ("family", np.int32), ("variable", np.int32)])
    found["score"] = np.where(rng.random(n_found) < 0.5, rng.normal(size=n_found), rng.integers(-3, 3, size=n_found))
    found["family"], found["variable"] = pairs // n_variables, pairs % n_variables
    order = np.lexsort((found["variable"], -found["score"], found["family"]))
    scores, variables, ends = _core.sorted_improvements(found.view(np.uint8), n_families, threads)
    assert scores.tolist() == found["score"][order].tolist()
    assert variables.tolist() == found["variable"][order].tolist()
    assert np.diff(ends).tolist() == np.bincount(found["family"], minlength=n_families).tolist()


def test_wrong_records_of_improvements_are_refused() -> None:
    with pytest.raises(ValueError, match="records of 16 bytes"):
        _core.sorted_improvements(np.zeros(15, dtype=np.uint8), 1)
    with pytest.raises(ValueError, match="a family that is not in the batch"):
        _core.sorted_improvements(np.zeros(16, dtype=np.uint8), 0, 2)


def test_batches_of_the_kernels_are_checked() -> None:
    core, one, none = LocalScore(dependent_table()).core, np.zeros(1, dtype=np.int32), np.zeros(0, dtype=np.int32)
    with pytest.raises(ValueError, match="do not belong together"):
        _core.improvements(core, one, np.array([0, 1]), none, threads=1)
    with pytest.raises(ValueError, match="variable 0 is unknown or named twice"):
        _core.improvements(core, one, np.array([0, 1]), one, threads=1)


def test_counts_are_those_of_states() -> None:
    with pytest.raises(ValueError, match="counts are those of states"):
        _core.CountedScore("bic", 1.0, 10, [2, 0])
