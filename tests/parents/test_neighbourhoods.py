"""Neighbourhoods list candidate parents by name."""

import tracemalloc

import numpy as np
import pytest

import oracles
from arcwise.data.dataset import Dataset
from arcwise.parents.mmpc import mmpc
from arcwise.parents.neighbourhoods import candidate_lists, score_filter
from arcwise.parents.open_names import OpenNames
from arcwise.parents.selection import select
from arcwise.runs.budget import Budget
from arcwise.scores import LocalScore
from arcwise.support.errors import ArcwiseWarning, ParameterError
from score_cases import COUNTED
from tables import dependent_table

DATA = Dataset.from_codes([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10, names=["a", "b", "c"])


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("seed", range(3))
def test_score_filter_by_definition(name: str, seed: int) -> None:
    data = dependent_table(120, (2, 3, 2, 4, 2), seed=seed)
    rows = data.codes.tolist()
    expected = {
        data.names[v]: tuple(
            data.names[u]
            for u in range(data.n_variables)
            if u != v
            and oracles.local_score(name, rows, data.arities, v, [u]) > oracles.local_score(name, rows, data.arities, v)
        )
        for v in range(data.n_variables)
    }
    assert score_filter(LocalScore(data, name)) == expected


@pytest.mark.parametrize("name", COUNTED)
def test_score_filter_leaves_out_what_adds_nothing(name: str) -> None:
    """A constant column never says anything, however the sums were rounded."""
    for seed in range(10):
        codes = dependent_table(97, (3, 3, 2), seed=seed).codes
        data = Dataset.from_codes(np.column_stack([np.zeros(97, dtype=int), codes]), arities=[2, 3, 3, 2])
        candidates = score_filter(LocalScore(data, name))
        assert candidates["X0"] == ()
        assert not any("X0" in of_child for of_child in candidates.values())


def test_score_filter_of_one_variable() -> None:
    assert score_filter(LocalScore(Dataset.from_codes([[0], [1]]))) == {"X0": ()}


def test_lists_of_a_mapping_and_of_a_function() -> None:
    mapping = {"b": ["c", "a", "b"], "a": ("c",), "c": set[str]()}  # itself is a slip
    for given in (mapping, lambda score: mapping):
        found = candidate_lists(LocalScore(DATA), given)
        assert [found.of(v).tolist() for v in range(3)] == [[2], [0, 2], []]


def test_a_function_gets_the_score() -> None:
    seen = []

    def everything(score: LocalScore) -> dict[str, list[str]]:
        seen.append(score)
        return {name: [other for other in score.data.names if other != name] for name in score.data.names}

    score = LocalScore(DATA)
    assert select(score, neighbourhood=everything).sets == select(score).sets
    assert seen == [score]


@pytest.mark.parametrize(
    ("neighbourhood", "message"),
    [
        ({"a": ["b"], "b": [], "c": ["d"]}, "does not have: d"),
        ({"a": [], "b": [], "c": [], "e": []}, "does not have: e"),
        ({"a": ["b"]}, "says nothing about b, c"),
        ({}, "says nothing about a, b, c"),
    ],
    ids=str,
)
def test_unknown_and_missing_variables_are_refused(neighbourhood: dict[str, list[str]], message: str) -> None:
    score = LocalScore(DATA)
    for given in (neighbourhood, lambda _: neighbourhood):
        with pytest.raises(ParameterError, match=message):
            candidate_lists(score, given)
        with pytest.raises(ParameterError, match=message):
            select(score, neighbourhood=given)


@pytest.mark.parametrize(
    "neighbourhood",
    [
        [["b"], [], []],
        lambda score: [["b"], [], []],
        lambda score: None,
        {"a": "b", "b": [], "c": []},
        {"a": "bc", "b": [], "c": []},
        {"a": 1, "b": [], "c": []},
        {"a": [1], "b": [], "c": []},
        {0: [1], 1: [], 2: []},
        "score_filter",
    ],
    ids=["list", "gives a list", "gives None", "text", "longer text", "number", "index", "indices", "a name"],
)
def test_other_things_are_refused(neighbourhood: object) -> None:
    with pytest.raises(ParameterError, match="neighbourhood"):
        select(LocalScore(DATA), neighbourhood=neighbourhood)  # type: ignore[arg-type]


def test_a_selection_looks_for_neighbours_within_its_budget() -> None:
    score = LocalScore(dependent_table(arities=(2, 3) * 6))
    with pytest.warns(ArcwiseWarning, match="the budget ended"):
        select(score, neighbourhood=mmpc, budget=Budget(evaluation_limit=0))
    assert score.evaluations <= score.data.n_variables


def test_a_function_gets_half_of_the_budget() -> None:
    seen = []

    def asked(score: LocalScore, *, budget: Budget | None = None) -> dict[str, list[str]]:
        assert budget is not None
        seen.append(budget)
        return {name: [] for name in score.data.names}

    candidate_lists(LocalScore(DATA), asked, Budget(evaluation_limit=100))
    assert seen[0].evaluation_limit == 50


def test_what_a_limit_left_open_takes_no_list_for_each_variable() -> None:
    """Names of all others for each of 4,000 variables would be 16 million, half a gigabyte."""
    rng = np.random.default_rng(1)
    score = LocalScore(Dataset.from_codes(rng.integers(2, size=(50, 4000)).astype(np.uint8)))
    tracemalloc.start()
    try:
        with pytest.warns(ArcwiseWarning, match="3998 of 4000 variables"):
            found = score_filter(score, budget=Budget(evaluation_limit=5000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found["X3999"]) == 3999
    assert peak < 30e6


def test_of_too_much_that_is_left_open_what_was_found_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = frozenset("abc")
    mapping = {"a": ["b"], "b": OpenNames.of(shared, "b"), "c": OpenNames.of(shared, "c")}
    whole = candidate_lists(LocalScore(DATA), mapping)
    assert [whole.of(v).tolist() for v in range(3)] == [[1], [0, 2], [0, 1]]
    monkeypatch.setattr("arcwise.parents.neighbourhoods._MOST_LISTED", 3)
    with pytest.warns(ArcwiseWarning, match="left the neighbours of 2 of 3 variables open"):
        found = candidate_lists(LocalScore(DATA), mapping)
    assert [found.of(v).tolist() for v in range(3)] == [[1], [0], []]
