"""Datasets from frames, arrays and anything else that holds a table."""

import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from arcwise.data import Cuts, Dataset, DroppedRows, MissingState
from arcwise.support.errors import ArcwiseWarning, DataError, ParameterError
from frames import BACKENDS, decoded

backends = pytest.mark.parametrize("frame", BACKENDS.values(), ids=BACKENDS.keys())
quiet = pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")


# From frames


@backends
def test_values_are_sorted_by_their_type(frame: Callable[..., Any]) -> None:
    table = {"n": [10, 9, -1], "s": ["b", "a", "B"], "b": [True, False, True], "f": [2.0, 0.0, 10.0]}
    data = Dataset.from_frame(frame(table))
    assert data.names == ("n", "s", "b", "f")
    assert data.states == (("-1", "9", "10"), ("B", "a", "b"), ("False", "True"), ("0", "2", "10"))
    assert data.codes.tolist() == [[2, 2, 1, 1], [1, 1, 0, 0], [0, 0, 1, 2]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"])}),
        pd.DataFrame({"a": pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"], ordered=True)}),
        pl.DataFrame({"a": pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"]))}),
        pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0, 2]), pa.array(["lo", "mid", "hi"]))}),
    ],
    ids=["pandas", "pandas ordered", "polars", "pyarrow"],
)
def test_declared_categories_keep_order_and_unused_states(frame: Any) -> None:
    data = Dataset.from_frame(frame)
    assert data.states == (("lo", "mid", "hi"),)
    assert data.codes.ravel().tolist() == [0, 2]


def test_categories_that_are_numbers() -> None:
    data = Dataset.from_frame(pd.DataFrame({"a": pd.Categorical([3, 1], categories=[3, 2, 1])}))
    assert data.states == (("3", "2", "1"),)
    assert data.codes.ravel().tolist() == [0, 2]


def test_arrow_dictionaries_may_differ_between_chunks() -> None:
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    data = Dataset.from_frame(pa.table({"x": pa.chunked_array(chunks)}))
    assert decoded(data) == [("b",), ("a",), ("c",), ("a",)]


def test_polars_categoricals_have_the_states_that_occur() -> None:
    other = pl.Series(["q", "r"], dtype=pl.Categorical)  # fills the pool that both columns share
    data = Dataset.from_frame(pl.DataFrame({"a": pl.Series(["y", "x"], dtype=pl.Categorical), "b": other}))
    assert data.states == (("x", "y"), ("q", "r"))


def test_nullable_pandas_types() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.Series([2, None, 1], dtype="Int64"),
            "b": pd.Series([True, None, False], dtype="boolean"),
            "f": pd.Series([1.0, None, 2.0], dtype="Float64"),
            "s": pd.Series(["u", None, "v"], dtype="string"),
            "o": pd.Series([True, None, False], dtype=object),
        }
    )
    data = Dataset.from_frame(frame.set_index(pd.Index([7, 7, 3])), missing="state")
    assert [states[:2] for states in data.states] == [
        ("1", "2"),
        ("False", "True"),
        ("1", "2"),
        ("u", "v"),
        ("False", "True"),
    ]
    assert decoded(data)[0] == ("2", "True", "1", "u", "True")
    assert set(decoded(data)[1]) == {"missing"}


def test_column_numbers_become_names() -> None:
    assert Dataset.from_frame(pd.DataFrame([[0, 1], [1, 0]])).names == ("0", "1")


@backends
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "no columns"),
        ({"a": []}, "no rows"),
        ({"a": [date(2024, 1, 1), date(2024, 1, 2)]}, "'a' (has type Date|holds objects of type date)"),
        ({"a": [[0], [1]]}, "'a' (has type List|holds objects of type list)"),
        (
            {"a": [str(i) for i in range(101)]},
            "'a' has 101 states.*group its rare values, .* min_count=10",
        ),
        (
            {"ok": [0, 1, 2], "a": [1, None, None]},
            "'a', row 1 .*missing; .* 2 of 6 cells.*'drop'.* 2 of 3; .*'state'",
        ),
        ({"ok": [0, 1, 2], "a": ["x", "y", None]}, "'a', row 2 .*missing; in all, 1 of 6"),
        ({"a": [0.0, float("nan")], "b": ["", None]}, "'a', row 1 .* 2 of 2 columns"),
    ],
)
def test_what_cannot_be_coded_is_refused(frame: Callable[..., Any], table: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_frame(frame(table))


def test_max_states_can_be_raised() -> None:
    frame = pl.DataFrame({"a": np.arange(300)})
    data = Dataset.from_frame(frame, max_states=300)
    assert data.arities == (300,)
    assert data.codes.dtype == np.uint16
    np.testing.assert_array_equal(data.codes[:, 0], np.arange(300))


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame([[0, 1]], columns=["a", "a"]), pa.table([pa.array([0]), pa.array([1])], names=["a", "a"])],
    ids=["pandas", "pyarrow"],
)
def test_repeated_names_are_refused(frame: Any) -> None:
    with pytest.raises(DataError, match=r"'a' stands for more than one column \(0 and 1, counted"):
        Dataset.from_frame(frame)


def test_mixed_objects_are_refused_with_a_row_for_each() -> None:
    mixed = pd.Series([None, "x"] + ["y"] * 200 + [3], dtype=object)
    with pytest.raises(DataError, match="'a' mixes types: a string in row 1, a whole number in row 202"):
        Dataset.from_frame(pd.DataFrame({"a": mixed}), missing="state")


def test_no_frames() -> None:
    with pytest.raises(DataError, match="collect"):
        Dataset.from_frame(pl.LazyFrame({"a": [0]}))
    with pytest.raises(DataError, match="of type int"):
        Dataset.from_frame(3)


def test_constant_columns_are_kept_and_warned_about_once() -> None:
    with pytest.warns(ArcwiseWarning, match="2 column.* 'b', 'c'") as seen:
        data = Dataset.of({"a": [0, 1], "b": ["x", "x"], "c": [1, 1]})
    assert len(seen) == 1
    assert data.arities == (2, 1, 1)


# Missing values


@backends
def test_dropped_rows_are_warned_about_and_recorded(frame: Callable[..., Any]) -> None:
    table = frame({"a": [1, None, 3, 2], "b": ["x", "only here", None, "y"]})
    with pytest.warns(ArcwiseWarning, match="2 of 4 rows .*'a', 'b'"):
        data = Dataset.from_frame(table, missing="drop", weights=[5, 1, 1, 7])
    assert decoded(data) == [("1", "x"), ("2", "y")]
    assert data.states == (("1", "2"), ("x", "y"))
    assert data.steps == (DroppedRows(2, 4, ("a", "b")),)
    assert data.weights is not None
    assert data.weights.tolist() == [5, 7]


@backends
def test_missing_can_be_a_last_state(frame: Callable[..., Any]) -> None:
    data = Dataset.from_frame(frame({"a": [1, None, 0], "b": ["x", "y", "y"]}), missing="state")
    assert data.states == (("0", "1", "missing"), ("x", "y"))
    assert data.codes[:, 0].tolist() == [1, 2, 0]
    assert data.steps == (MissingState("a", 1),)


def test_dropping_every_row_is_refused() -> None:
    with pytest.raises(DataError, match="Every row"):
        Dataset.of({"a": [None, 1], "b": [0, None]}, missing="drop")


def test_a_state_called_missing_is_not_confused_with_missing_values() -> None:
    with pytest.raises(DataError, match="rename"):
        Dataset.of({"a": ["missing", None]}, missing="state")


@quiet
def test_a_column_of_missing_values_only() -> None:
    data = Dataset.of({"a": [None, None], "b": [0, 1]}, missing="state")
    assert data.states == (("missing",), ("0", "1"))


def test_unknown_choice_for_missing() -> None:
    with pytest.raises(ParameterError, match="missing must be one of error, drop, state, keep, not 'ignore'"):
        Dataset.of({"a": [0, 1]}, missing="ignore")  # type: ignore[arg-type]


# Weights


@backends
def test_weights_from_a_column(frame: Callable[..., Any]) -> None:
    data = Dataset.from_frame(frame({"a": [0, 1, 1], "times": [2.0, 0.0, 3.0]}), weights="times")
    assert data.names == ("a",)
    assert data.weights is not None
    assert data.weights.dtype == np.uint32
    assert data.weights.tolist() == [2, 0, 3]
    assert (data.n_rows, data.n_observations) == (3, 5)


def test_weights_column_must_exist_and_be_whole() -> None:
    with pytest.raises(DataError, match="no column 'w'"):
        Dataset.of({"a": [0, 1]}, weights="w")
    with pytest.raises(DataError, match="every row needs one"):
        Dataset.of({"a": [0, 1], "w": [1, None]}, weights="w")
    with pytest.raises(DataError, match="no columns"):
        Dataset.of({"w": [1, 1]}, weights="w")


# Given states


def test_given_states_fix_the_codes() -> None:
    frame = pl.DataFrame({"a": ["x", "y"], "n": [0.5, 2.0]})
    data = Dataset.from_frame(frame, states={"a": ["z", "y", "x"], "n": ["2", "0.5"]})
    assert data.codes.tolist() == [[2, 1], [1, 0]]
    assert data.arities == (3, 2)


@backends
def test_like_gives_equal_codes_whatever_the_column_order(frame: Callable[..., Any]) -> None:
    train = Dataset.from_frame(frame({"a": ["x", "y", "z"], "n": [0.0, 2.0, 4.0]}), discretise={"n": Cuts((1, 3))})
    data = Dataset.from_frame(frame({"n": [2.5, 99.5], "a": ["z", "z"]}), like=train)
    assert data.names == train.names
    assert data.states == train.states
    assert data.codes.tolist() == [[2, 1], [2, 2]]
    assert data.steps == train.steps


def test_like_remembers_that_missing_is_a_state() -> None:
    train = Dataset.of({"a": ["x", None, "y"], "n": [0.5, None, 1.5]}, missing="state", discretise={"n": Cuts((1,))})
    data = Dataset.of({"a": [None, "y"], "n": [2.5, None]}, like=train)
    assert decoded(data) == [("missing", ">1"), ("y", "missing")]
    again = Dataset.of({"a": ["x"], "n": [0.5]}, like=data)
    assert again.states == train.states


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"a": ["x", None, "q"]}, {"missing": "drop"}, "'a', row 2 .*'q' is none of the given states"),
        ({"a": ["x", None]}, {"missing": "state"}, "'a', row 1 .*missing.*no 'missing'"),
        ({"b": ["x"]}, {}, "lacks the column 'a'"),
        ({"a": ["x"], "b": [1]}, {}, "has the column 'b' besides"),
    ],
)
@quiet
def test_what_is_not_like_the_other_is_refused(table: dict[str, Any], options: dict[str, Any], message: str) -> None:
    train = Dataset.of({"a": ["x", "y"]})
    with pytest.raises(DataError, match=message):
        Dataset.of(table, like=train, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"states": {"b": ["x"]}}, "states has an entry for 'b'"),
        ({"discretise": {"b": "quantile"}}, "discretise has an entry for 'b'"),
        ({"states": {"a": ["0", "1"]}, "discretise": {"a": "quantile"}}, "one of the two"),
        ({"states": [["0", "1"]]}, "must be a dict"),
        ({"max_states": 0}, "between 1 and 65,535"),
        ({"max_states": 70_000}, "between 1 and 65,535"),
        ({"max_states": 2.5}, "whole number"),
        ({"like": Dataset.from_codes([[0], [1]], names=["a"]), "states": {"a": ["0", "1"]}}, "leave out"),
        ({"like": Dataset.from_codes([[0], [1]], names=["a"]), "continuous": True}, "leave out"),
    ],
)
def test_contradictory_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Dataset.of({"a": [0, 1]}, **options)


# From anything


def test_of_takes_whatever_holds_a_table() -> None:
    expected = Dataset.from_codes([[0, 1], [1, 0]], names=["a", "b"], states=[["1", "2"], ["x", "y"]])
    for data in (
        expected,
        {"a": [1, 2], "b": ["y", "x"]},
        {"a": np.array([1, 2]), "b": ("y", "x")},
        [{"a": 1, "b": "y"}, {"a": 2, "b": "x"}],
        pd.DataFrame({"a": [1, 2], "b": ["y", "x"]}),
        nw.from_native(pl.DataFrame({"a": [1, 2], "b": ["y", "x"]})),
    ):
        assert Dataset.of(data) == expected
    for rows in ([[1, "y"], [2, "x"]], np.array([[1, "y"], [2, "x"]], dtype=object)):
        assert Dataset.of(rows, names=["a", "b"]) == expected
    assert Dataset.of(expected) is expected
    with pytest.raises(ParameterError, match="already coded"):
        Dataset.of(expected, missing="drop")


def test_rows_may_lack_a_key() -> None:
    data = Dataset.of([{"a": 0}, {"a": 1, "b": "x"}, {"a": 1, "b": "y"}], missing="state")
    assert decoded(data) == [("0", "missing"), ("1", "x"), ("1", "y")]


def test_arrays_of_numbers_strings_and_masked_arrays() -> None:
    assert Dataset.from_array(np.array([[1.0, 3.0], [2.0, 20.0]])).states == (("1", "2"), ("3", "20"))
    assert Dataset.from_array(np.array([["10"], ["9"]])).states == (("10", "9"),)
    assert Dataset.from_array(np.array([[True], [False]])).states == (("False", "True"),)
    masked = np.ma.masked_array([[7, 8], [9, 8], [9, 6]], mask=[[False, False], [True, False], [False, False]])
    assert decoded(Dataset.from_array(masked, missing="state")) == [("7", "8"), ("missing", "8"), ("9", "6")]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1, 2]), "two, rows by variables"),
        (np.array([[1j]]), "complex128"),
        (np.array([[b"x"]]), "S1"),
        ([[1, "a"], ["z", "b"]], "'X0' mixes types: a string in row 1, a whole number in row 0"),
        ([[True], [2]], "'X0' mixes types: a boolean in row 0, a whole number in row 1"),
        ([[object()]], "holds objects of type object"),
        ([[2**70]], "'X0' (has type Int128|cannot be read)"),
        (np.array([[np.datetime64("2024-01-01")]]), "'X0' has type Date"),
    ],
)
def test_wrong_arrays_are_refused(values: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_array(values)


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(DataError, match="'b' has 1 row, but column 'a' has 2"):
        Dataset.of({"a": [0, 1], "b": [0]})


AGES = [20 + row % 60 for row in range(600)]


@pytest.mark.parametrize("in_parts", [False, True])
def test_numbers_that_become_many_states_with_few_rows_each_are_told(in_parts: bool, tmp_path: Path) -> None:
    """60 ages have ten rows each, and 19 wards more; what is said of a column is taken as meant."""
    table = {"age": AGES, "ward": [row % 19 for row in range(600)], "name": [f"n{age}" for age in AGES]}

    def read(**options: Any) -> Dataset:
        if not in_parts:
            return Dataset.of(table, **options)
        pl.DataFrame(table)[:300].write_csv(tmp_path / "1.csv")
        pl.DataFrame(table)[300:].write_csv(tmp_path / "2.csv")
        return Dataset.of(tmp_path, **options)

    with pytest.warns(ArcwiseWarning, match=r"Column 'age' has 60 states for 600 rows, few.*\{'age': True\}") as seen:
        data = read(leave_out="name")
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(leave_out="name", continuous=False).states == data.states
        read(leave_out="name", continuous={"age": True})
        read(leave_out="name", discretise={"age": "quantile"})
        if not in_parts:
            Dataset.of(table, like=data)


def test_columns_that_say_the_same_are_told() -> None:
    """In the same words, or in others; not constant ones, and not numbers, of which scores tell."""
    rows: dict[str, list[Any]] = {
        "sex": ["f", "m", "m", "f", "f"],
        "Sex": ["male", "female", "female", "male", "male"],
        "old": [1, 0, 0, 1, 0],
        "site": ["x"] * 5,
        "land": ["y"] * 5,
        "bmi": [0.5, 1.5, 2.5, 3.5, 4.5],
        "BMI": [0.5, 1.5, 2.5, 3.5, 4.5],
    }
    with pytest.warns(ArcwiseWarning) as seen:
        Dataset.of({name: 4 * values for name, values in rows.items()})
    said = [str(each.message) for each in seen]
    assert len(said) == 2
    assert "2 columns with a single value: 'site', 'land'" in said[0]
    assert "Columns that say the same as another in every row: 'Sex'. Arcs" in said[1]
