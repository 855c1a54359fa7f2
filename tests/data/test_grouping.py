"""Rare states grouped into one."""

from collections import Counter
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Dataset, GroupedStates
from arcwise.support.errors import DataError, ParameterError
from frames import decoded

LETTERS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=40)


def expected(values: list[str], least: int, most: int) -> list[str]:
    """What becomes of the values, by the definition."""
    seen = Counter(values)
    ranked = sorted(seen, key=lambda value: (-seen[value], value))
    room = most if len(seen) <= most else most - 1
    kept = {value for value in ranked[:room] if seen[value] >= least}
    if len(seen) - len(kept) < 2:
        return values
    return [value if value in kept else "other" for value in values]


@given(LETTERS, st.integers(1, 6), st.integers(2, 10))
def test_states_are_grouped_by_the_definition(values: list[str], least: int, most: int) -> None:
    data = Dataset.of({"x": values}, min_count=least, max_states=most)
    assert [row[0] for row in decoded(data)] == expected(values, least, most)


@given(LETTERS, st.integers(1, 6))
def test_new_data_is_grouped_alike(values: list[str], least: int) -> None:
    data = Dataset.of({"x": values}, min_count=least)
    assert Dataset.of({"x": values}, like=data).codes.tolist() == data.codes.tolist()
    if data.steps:
        assert decoded(Dataset.of({"x": ["never seen"]}, like=data)) == [("other",)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_weights_count_and_kinds_of_columns_do_not_matter(make: Any) -> None:
    rows = make({"ward": [1, 2, 3, 3], "drug": ["A", "B", "C", "C"], "times": [9, 1, 1, 1]})
    data = Dataset.of(rows, min_count=3, weights="times")
    assert data.states == (("1", "other"), ("A", "other"))
    assert data.steps == (GroupedStates("ward", ("1",), 2), GroupedStates("drug", ("A",), 2))
    assert str(data.steps[0]) == "ward: 2 rare states are one, 'other'"


def test_columns_by_name() -> None:
    rows = {"a": list("xxyz"), "b": list("uvwx"), "c": list("ppqr")}
    assert Dataset.of(rows, min_count={"a": 2}).arities == (2, 4, 3)
    assert Dataset.of(rows, min_count={"a": 1, "*": 2}).arities == (3, 1, 2)


def test_values_called_other_join_the_group() -> None:
    rows = {"a": ["other"] * 3 + ["x"] * 3 + ["y", "z"]}
    data = Dataset.of(rows, min_count=2)
    assert data.states == (("x", "other"),)
    assert data.codes[:, 0].tolist() == [1, 1, 1, 0, 0, 0, 1, 1]


def test_missing_values_stay_a_state_of_their_own() -> None:
    rows = {"a": ["x", "x", "y", "z", None]}
    data = Dataset.of(rows, min_count=2, missing="state")
    assert data.states == (("x", "other", "missing"),)
    assert Dataset.of(rows, like=data).codes.tolist() == data.codes.tolist()


def test_identifiers_need_no_longer_be_refused() -> None:
    rows = {"id": [f"patient {i}" for i in range(150)], "sex": ["f", "m"] * 75}
    with pytest.raises(DataError, match=r"150 states, more than max_states=100\..*min_count=10"):
        Dataset.of(rows)
    assert Dataset.of(rows, min_count=1).arities == (100, 2)
    assert Dataset.of(rows, min_count=2).states[0] == ("other",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 0}, "min_count must be at least 1, not 0"),
        ({"min_count": {"a": -1}}, "min_count must be at least 1"),
        ({"min_count": {"z": 2}}, "min_count has an entry for 'z', but the data has no such column"),
        ({"min_count": {"a": 2}, "states": {"a": ["x", "y"]}}, "in min_count= and in states="),
    ],
)
def test_wrong_counts_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Dataset.of({"a": ["x", "y"]}, **options)
