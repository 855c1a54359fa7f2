"""Interventions of a Dataset: how they are given, kept, and refused."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcwise.data import Dataset
from arcwise.data.interventions import Interventions
from arcwise.support.errors import DataError, ParameterError

CODES = [[0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1]]
NAMES = ["a", "b", "c"]
NOTHING: tuple[dict[str, Any] | None, ...] = ({}, {"a": []}, {"a": [False] * 4}, None)


def made_of(data: Dataset) -> dict[str, list[int]]:
    made = data.interventions
    return {} if made is None else {name: np.flatnonzero(made.rows(name)).tolist() for name in made.names}


@pytest.mark.parametrize("rows", [[1, 2], np.array([2, 1]), (1, 2), [False, True, True, False]])
def test_rows_are_indices_or_truth_values(rows: Any) -> None:
    data = Dataset.from_codes(CODES, names=NAMES, interventions={"b": rows})
    assert made_of(data) == {"b": [1, 2]}
    assert repr(data) == "Dataset(4 rows, 3 variables, 2 states each, interventions on 1)"


def test_nothing_set_counts_as_none() -> None:
    for nothing in NOTHING:
        data = Dataset.from_codes(CODES, names=NAMES, interventions=nothing)
        assert data.interventions is None
        assert data == Dataset.from_codes(CODES, names=NAMES)


@pytest.mark.parametrize("missing", ["", None, "none", "None", "-", " "])
def test_a_column_names_the_targets(missing: str | None) -> None:
    columns: dict[str, list[Any]] = {"a": [0, 1, 1, 0], "b": [1, 1, 0, 0], "do": [missing, "b", "a;b", "b + a"]}
    for table in (columns, pl.DataFrame(columns), pd.DataFrame(columns)):
        data = Dataset.of(table, interventions="do")
        assert data.names == ("a", "b")
        assert made_of(data) == {"a": [2, 3], "b": [1, 2, 3]}
    with_labels = Dataset.of({**columns, "do": ["" if label is None else label for label in columns["do"]]})
    assert with_labels.with_interventions("do") == data


def test_categories_and_numbers_are_names_too() -> None:
    frame = pd.DataFrame({"1": [0, 1, 1], "2": [1, 0, 0], "do": [1, 2, np.nan]}).astype({"do": "Int64"})
    assert made_of(Dataset.of(frame, interventions="do")) == {"1": [0], "2": [1]}
    frame["do"] = pd.Categorical(["1", "2", None])
    assert made_of(Dataset.of(frame, interventions="do")) == {"1": [0], "2": [1]}


def test_a_variable_comes_before_words_for_nothing_and_separators() -> None:
    data = Dataset.of({"none": [0, 1, 1], "x;y": [1, 0, 1], "do": ["none", "x;y", ""]}, interventions="do")
    assert made_of(data) == {"none": [0], "x;y": [1]}


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "experiments.csv"
    path.write_text("a,b,do\n0,1,\n1,1,NA\n1,0,a\n0,0,a+b\n")
    data = Dataset.of(path, interventions="do")
    assert made_of(data) == {"a": [2, 3], "b": [3]}
    again = tmp_path / "again.csv"
    data.to_frame(interventions="do").write_csv(again)
    assert Dataset.from_file(again, interventions="do") == data


def test_dropped_rows_take_their_interventions_along() -> None:
    table = {"a": [0, 1, None, 1, 0], "b": [1, 1, 0, 0, 1], "do": ["", "a", "b", "a;b", ""]}
    with pytest.warns(match="dropped"):
        data = Dataset.of(table, interventions="do", missing="drop")
    assert made_of(data) == {"a": [1, 2], "b": [2]}
    del table["do"]
    with pytest.warns(match="dropped"):
        data = Dataset.of(table, interventions={"a": [1, 2], "b": [0]}, missing="drop")
    assert made_of(data) == {"a": [1], "b": [0]}


def test_equal_rows_with_other_targets_stay_apart() -> None:
    codes = [[0, 1], [0, 1], [0, 1], [1, 0], [0, 1], [1, 0]]
    data = Dataset.from_codes(codes, names=["a", "b"], interventions={"a": [1, 4], "b": [4, 5]})
    merged = data.merged()
    assert merged.weights is not None
    assert merged.interventions is not None
    rows = zip(merged.codes.tolist(), merged.interventions.labels(), merged.weights.tolist(), strict=True)
    assert sorted((*row, label, weight) for row, label, weight in rows) == [
        (0, 1, "", 2),
        (0, 1, "a", 1),
        (0, 1, "a;b", 1),
        (1, 0, "", 1),
        (1, 0, "b", 1),
    ]


def test_many_targets() -> None:
    """More than fit one machine word."""
    rng = np.random.default_rng(1)
    forced = rng.random((50, 100)) < 0.5
    forced[25:] = forced[:25]
    forced[0] = forced[25] = False
    names = [f"v{v}" for v in range(100)]
    made = Interventions.of({name: forced[:, v] for v, name in enumerate(names)}, names, 50)
    assert made is not None
    assert len(made.targets) == len({tuple(row) for row in forced.tolist()}) == 25
    numbers, sets = made.kinds
    np.testing.assert_array_equal(sets[numbers], made.forced)


def test_they_survive_what_is_made_of_the_data() -> None:
    data = Dataset.from_codes(CODES, names=NAMES, interventions={"b": [1], "c": [2, 3]})
    assert pickle.loads(pickle.dumps(data)) == data
    assert made_of(data.bootstrap(seed=1)) == made_of(data.with_weights([1, 2, 3, 4])) == made_of(data)
    assert made_of(data.select(["c", "a"])) == {"c": [2, 3]}
    assert data.select(["a"]).interventions is None
    assert data.with_interventions(None) == Dataset.from_codes(CODES, names=NAMES)
    assert Dataset.of(data) is data
    assert made_of(Dataset.of(data, interventions={"a": [0]})) == {"a": [0]}
    bootstrapped = pickle.loads(pickle.dumps(data.with_weights([0, 1, 0, 0])))
    assert made_of(bootstrapped) == made_of(data)  # even where all that counts was set


def test_they_tell_data_apart() -> None:
    plain = Dataset.from_codes(CODES, names=NAMES)
    some, other = (plain.with_interventions(made) for made in ({"a": [1]}, {"b": [1]}))
    more = plain.with_interventions({"a": [1, 2]})
    kinds = [plain, some, other, more]
    assert len({data.summary().fingerprint for data in kinds}) == 4
    assert [a == b for a in kinds for b in kinds] == [a is b for a in kinds for b in kinds]
    assert more.with_weights([1, 5, 2, 1]).summary().interventions == {"a": 7}
    assert str(more.summary()) == "4 rows of 3 variables, 1 of them set in some"


@pytest.mark.parametrize(
    ("interventions", "message"),
    [
        ({"d": [1]}, "There is no variable 'd'; there are 'a', 'b', 'c'"),
        ({"A": [1]}, "did you mean 'a'"),
        ({"a": [True, False]}, "have 2 truth values; there must be one for each of 4 rows"),
        ({"a": [4]}, "have the index 4; there are 4 rows, counted from 0"),
        ({"a": [-1]}, "have the index -1"),
        ({"a": [1, 0, 0, 1]}, r"have the index 0 twice; give each index once, or a truth value \(bool\) for each row"),
        ({"a": [0.5]}, "must be a list of indices, or a truth value for each row, not an array of type float64"),
        ({"a": [[1]]}, r"with 2 dimension\(s\)"),
        ({"a": 1}, r"with 0 dimension\(s\)"),
        ([1, 2], "interventions= must be a mapping from variables to the rows"),
        ({"a": [0, 1, 2, 3]}, "'a' was set in all rows, so that none says what it depends on; add rows"),
    ],
)
def test_what_is_refused(interventions: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_codes(CODES, names=NAMES, interventions=interventions)
    frame = Dataset.from_codes(CODES, names=NAMES).to_frame()
    with pytest.raises(DataError, match=message):
        Dataset.from_frame(frame, interventions=interventions)


def test_columns_of_targets_that_are_refused() -> None:
    table = {"a": [0, 1], "b": [0, 1], "do": ["", "c"]}
    with pytest.raises(
        DataError, match="Column 'do' should name the variables that were set, but 'c' is not a variable"
    ):
        Dataset.of(table, interventions="do")
    table |= {"note": [0, 1], "do": ["note", "not"]}
    with pytest.raises(DataError, match=r"but 'not' is not a variable; .*; did you mean 'note'\?$"):
        Dataset.of(table, interventions="do")
    with pytest.raises(DataError, match="There is no column 'dose'"):
        Dataset.of(table, interventions="dose")
    with pytest.raises(DataError, match="'b' was set in all rows"):
        Dataset.of({**table, "do": ["b", "a;b"]}, interventions="do")
    with pytest.raises(DataError, match="There is no variable 'x'"):
        Dataset.of(Dataset.of({"a": [0, 1]}), interventions="x")
    with pytest.raises(ParameterError, match="missing"):
        Dataset.of(Dataset.of({"a": [0, 1]}), interventions={"a": [1]}, missing="drop")


def test_a_variable_that_only_rows_of_weight_0_leave_free() -> None:
    with pytest.raises(DataError, match="'a' was set in all rows"):
        Dataset.from_codes(CODES, names=NAMES, weights=[0, 1, 1, 1], interventions={"a": [1, 2, 3]})
