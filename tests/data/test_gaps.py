"""Tests of tables with gaps: how they are marked, kept, counted, merged, written back and refused."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import Dataset
from arcwise.data.gaps import GapSummary
from arcwise.support.errors import DataError

FRAME = {"a": ["x", None, "y", "x"], "b": [0.5, 1.5, None, 2.5], "c": ["u", "v", "u", None]}


def with_gaps(**options: Any) -> Dataset:
    return Dataset.of(FRAME, missing="keep", **options)


def test_gaps_are_the_code_after_the_last_and_nan() -> None:
    data = with_gaps()
    assert data.arities == (2, 0, 2)
    assert data.states == (("x", "y"), (), ("u", "v"))
    assert data.codes.tolist() == [[0, 0, 0], [2, 0, 1], [1, 0, 0], [0, 0, 2]]
    np.testing.assert_array_equal(data.numbers_of("b"), [0.5, 1.5, np.nan, 2.5])
    assert data.has_gaps
    assert data.gaps is not None
    assert data.gaps.tolist() == [
        [False, False, False],
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert not data.gaps.flags.writeable
    assert "3 gaps" in repr(data)


def test_without_gaps_there_is_no_mask() -> None:
    data = Dataset.of({"a": ["x", "y"]}, missing="keep")
    assert not data.has_gaps
    assert data.gaps is None
    assert data == Dataset.of({"a": ["x", "y"]})
    assert data.summary().gaps is None


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(FRAME),
        pl.DataFrame(FRAME),
        pa.table(FRAME),
        FRAME,
        np.array(list(zip(*FRAME.values(), strict=True))),
    ],
)
def test_every_reader_keeps_gaps(frame: Any) -> None:
    data = Dataset.of(frame, missing="keep")
    expected = with_gaps()
    np.testing.assert_array_equal(data.gaps, expected.gaps)
    np.testing.assert_array_equal(data.codes, expected.codes)


def test_files_keep_gaps(tmp_path: Any) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\nx,NA\n?,u\ny,u\nx,v\n")
    assert Dataset.of(path, missing="keep").codes.tolist() == [[0, 2], [2, 0], [1, 0], [0, 1]]


def test_masked_arrays_have_gaps() -> None:
    codes = np.ma.masked_less(np.array([[0, 2], [-1, 1], [1, -1]]), 0)
    data = Dataset.from_codes(codes)
    assert data.arities == (2, 3)
    assert data.codes.tolist() == [[0, 2], [2, 1], [1, 3]]
    assert not Dataset.from_codes(np.ma.array([[0, 1]])).has_gaps
    numbers = Dataset.from_numbers(np.ma.masked_invalid(np.array([[0.5, np.nan], [1.5, 2.5]])))
    np.testing.assert_array_equal(numbers.gaps, [[False, True], [False, False]])


def test_nothing_is_a_gap_that_is_not_said_to_be_one() -> None:
    with pytest.raises(DataError, match="mask"):
        Dataset.from_codes([[0], [-1]])
    with pytest.raises(DataError, match=r"code 2.*2 states"):
        Dataset.from_codes([[0], [2]], arities=[2])
    with pytest.raises(DataError, match=r"'X1', row 0 .* nan.*mask"):
        Dataset.from_numbers([[0.5, np.nan]])
    with pytest.raises(DataError, match="inf"):
        Dataset.from_numbers(np.ma.masked_invalid(np.array([[0.5, 1.0]])) + np.inf)


@pytest.mark.parametrize(("arity", "dtype"), [(255, np.uint8), (256, np.uint16), (65_535, np.uint16)])
def test_the_type_of_codes_holds_the_gap(arity: int, dtype: type) -> None:
    data = Dataset.from_codes(np.ma.masked_less(np.array([[0], [arity - 1], [-1]]), 0))
    assert data.codes.dtype == dtype
    assert data.codes[:, 0].tolist() == [0, arity - 1, arity]
    assert data.gaps is not None
    assert data.gaps[:, 0].tolist() == [False, False, True]
    read = Dataset.of({"a": [*map(str, range(arity)), None]}, missing="keep", max_states=65_535)
    assert read.codes.dtype == dtype
    assert read.has_gaps


def test_the_error_says_what_each_choice_would_do_with_the_table() -> None:
    columns = {**FRAME, "d": [0, 1, 1, 0]}
    with pytest.raises(DataError) as error:
        Dataset.of(columns)
    message = str(error.value)
    assert "'a', row 1" in message
    assert "in all, 3 of 16 cells in 3 of 4 columns are missing" in message
    assert "missing='drop' leaves out the rows that have such cells, 3 of 4;" in message
    assert "missing='state' makes missing a state of its own (not of the numbers in 'b')" in message
    assert "missing='pairwise'" in message
    assert "missing='em'" in message


def test_a_column_without_any_value_needs_its_states() -> None:
    with pytest.raises(DataError, match="'a' has no value in any row"):
        Dataset.of({"a": [None, None], "b": [0, 1]}, missing="keep")
    data = Dataset.of({"a": [None, None], "b": [0, 1]}, missing="keep", states={"a": ["x", "y"]})
    assert data.codes[:, 0].tolist() == [2, 2]


def test_gaps_of_new_data_like_the_old() -> None:
    train = with_gaps()
    new = Dataset.of({"a": [None], "b": [None], "c": ["v"]}, missing="keep", like=train)
    assert new.states == train.states
    assert new.codes.tolist() == [[2, 0, 1]]
    assert np.isnan(new.numbers_of("b")).all()
    assert new.summary().spreads == (None, None, None)
    with pytest.raises(DataError, match="missing"):
        Dataset.of({"a": [None], "b": [0.5], "c": ["v"]}, like=train)


def test_given_states_need_no_label_for_gaps() -> None:
    assert Dataset.of({"a": ["x", None]}, missing="keep", states={"a": ["y", "x"]}).codes.tolist() == [[1], [2]]


def test_a_state_for_missing_values_stays_one_where_gaps_are_kept() -> None:
    train = Dataset.of({"a": ["x", None], "b": ["u", "v"]}, missing="state")
    new = Dataset.of({"a": [None, "x"], "b": [None, "v"]}, missing="keep", like=train)
    assert new.codes.tolist() == [[1, 2], [0, 1]]


def test_equality_hash_pickle_and_fingerprint() -> None:
    data, same = with_gaps(), with_gaps()
    filled = Dataset.of({**FRAME, "a": ["x", "x", "y", "x"]}, missing="keep")
    assert data == same
    assert hash(data) == hash(same)
    assert pickle.loads(pickle.dumps(data)) == data
    assert data != filled
    assert data.summary().fingerprint == same.summary().fingerprint != filled.summary().fingerprint
    odd = -np.array(np.nan)  # another NaN than np.nan, bit for bit
    columns = (("a",), ((),))
    one, other = (Dataset(np.zeros((2, 1), int), *columns, numbers=np.array([[0.0], [x]])) for x in (np.nan, odd))
    assert one == other
    assert one.summary().fingerprint == other.summary().fingerprint


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 2, None])] * 3), min_size=1, max_size=20), st.booleans())
def test_merging_keeps_gaps_apart_from_states(rows: list[tuple[int | None, ...]], weighted: bool) -> None:
    codes = np.ma.masked_less(np.array([[-1 if cell is None else cell for cell in row] for row in rows]), 0)
    weights = np.arange(1, len(rows) + 1) if weighted else None
    data = Dataset.from_codes(codes, arities=[3, 3, 3], weights=weights)
    merged = data.merged()
    counts: dict[tuple[int | None, ...], int] = {}
    for at, row in enumerate(rows):
        counts[row] = counts.get(row, 0) + (at + 1 if weighted else 1)
    times = np.ones(merged.n_rows, int) if merged.weights is None else merged.weights
    labels = [tuple(None if code == 3 else code for code in row) for row in merged.codes.tolist()]
    assert dict(zip(labels, times.tolist(), strict=True)) == counts
    assert merged.has_gaps == data.has_gaps
    assert (merged.gaps is None) == (data.gaps is None)
    assert merged.gaps is None or merged.gaps.shape == merged.codes.shape


def test_selection_weights_and_replicas_keep_gaps() -> None:
    data = with_gaps()
    assert data.select(["c", "b"]).gaps is not None
    assert data.select(["c", "b"]).gaps.tolist() == data.gaps[:, [2, 1]].tolist()  # type: ignore[union-attr, index]
    assert not Dataset.of({"a": ["x", None], "b": [0, 1]}, missing="keep").select(["b"]).has_gaps
    replica = data.bootstrap(seed=1)
    assert replica.has_gaps
    np.testing.assert_array_equal(replica.gaps, data.gaps)


def test_complete_rows() -> None:
    data = with_gaps(weights=[3, 1, 1, 1], interventions={"a": [0, 1]})
    complete = data.complete_rows()
    assert complete.codes.tolist() == [[0, 0, 0]]
    assert complete.n_observations == 3
    assert not complete.has_gaps
    assert str(complete.steps[-1]) == "3 of 4 rows left out: missing values in a, b, c"
    assert complete.complete_rows() is complete
    with pytest.raises(DataError, match="Every row has a gap"):
        data.with_weights([0, 1, 1, 1]).complete_rows()


def test_a_gap_in_a_column_of_targets_names_none() -> None:
    data = Dataset.of({"a": ["x", "y", "x"], "do": ["a", None, "none"]}, missing="keep")
    made = data.with_interventions("do").interventions
    assert made is not None
    assert made.rows("a").tolist() == [True, False, False]


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_have_null_for_gaps_and_lead_back(backend: str) -> None:
    data = with_gaps()
    assert Dataset.from_frame(data.to_frame(backend), missing="keep") == data
    if backend == "polars":
        assert data.to_frame().rows() == [("x", 0.5, "u"), (None, 1.5, "v"), ("y", None, "u"), ("x", 2.5, None)]


def test_summary_counts_gaps_and_patterns() -> None:
    summary = Dataset.of({**FRAME, "a": ["x", None, None, "x"]}, missing="keep", weights=[1, 2, 3, 4]).summary()
    assert summary.gaps == GapSummary((5, 3, 4), 1, 4, (((2,), 4), ((0, 1), 3), ((0,), 2), ((), 1)))
    assert summary.counts == ((5,), (), (4, 2))
    assert summary.spreads is not None
    assert summary.spreads[1] is not None
    assert summary.spreads[1].mean == pytest.approx((0.5 + 2 * 1.5 + 4 * 2.5) / 7)
    assert "12 values missing" in str(summary)


def test_a_summary_in_another_order() -> None:
    assert GapSummary((5, 3, 4), 1, 2, (((0, 2), 4), ((), 1))).ordered([2, 0, 1]) == GapSummary(
        (4, 5, 3), 1, 2, (((0, 1), 4), ((), 1))
    )


def test_what_needs_every_value_refuses_gaps() -> None:
    with pytest.raises(DataError, match=r"A tree needs a value in every cell, and 3 are missing .*3 of 4 rows"):
        with_gaps().refuse_gaps("A tree")
    Dataset.of({"a": ["x"]}, missing="keep").refuse_gaps("A tree")
