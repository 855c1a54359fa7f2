import pickle
import warnings
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data import Bootstrap, Cuts, Dataset
from arcwise.data.steps import column_steps
from arcwise.support.errors import DataError, ParameterError
from frames import BACKENDS, decoded

quiet = pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")


# From codes


def test_codes_get_default_names_states_and_arities() -> None:
    data = Dataset.from_codes([[0, 2], [1, 0]])
    assert data.names == ("X0", "X1")
    assert data.states == (("0", "1"), ("0", "1", "2"))
    assert data.arities == (2, 3)
    assert (data.n_rows, data.n_variables, data.n_observations, len(data)) == (2, 2, 2, 2)


@pytest.mark.parametrize(("arity", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (65_535, np.uint16)])
def test_codes_have_the_smallest_type_for_all(arity: int, dtype: type) -> None:
    codes = np.array([[0, 0], [1, arity - 1]])
    data = Dataset.from_codes(codes)
    assert data.codes.dtype == dtype
    assert data.arities == (2, arity)
    np.testing.assert_array_equal(data.codes, codes)


def test_codes_are_column_major_read_only_and_a_copy() -> None:
    codes = np.zeros((3, 2), dtype=np.uint8, order="F")
    weights = np.ones(3, dtype=np.uint32)
    data = Dataset.from_codes(codes, arities=[2, 2], weights=weights)
    codes[0, 0], weights[0] = 1, 9
    assert data.codes[0, 0] == 0
    assert data.n_observations == 3
    assert data.codes.flags.f_contiguous
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0, 0] = 1
    with pytest.raises(AttributeError):
        data.names = ("a", "b")  # type: ignore[misc]


def test_a_declared_state_that_never_occurs_counts() -> None:
    assert Dataset.from_codes([[0], [1]], arities=[5]).arities == (5,)
    assert Dataset.from_codes([[0], [1]], states=[["no", "yes", "maybe"]]).arities == (3,)


@pytest.mark.parametrize(
    ("codes", "options", "message"),
    [
        ([0, 1], {}, "two, rows by variables"),
        (np.zeros((0, 2), dtype=int), {}, "no rows"),
        (np.zeros((2, 0), dtype=int), {}, "no columns"),
        ([[0.0, 1.5]], {}, "float64"),
        ([[0, 1], [0, -1]], {}, "Column 1, row 1"),
        ([[0, 1], [0, 2]], {"arities": [1, 2]}, "'X1', row 1.* code 2.* 2 states"),
        ([[0, 65_535]], {}, "'X1' has arity 65536"),
        ([[0, 1]], {"arities": [0, 2]}, "'X0' has arity 0"),
        ([[0, 1]], {"arities": [2]}, "for 1 column, and there are 2"),
        ([[0, 1]], {"states": [["a"], ["b"]], "arities": [1, 2]}, "'X1' has 1 state, but arity 2"),
        ([[0, 1]], {"states": [["a"], ["b", "b"]]}, "two states labelled 'b'"),
        ([[0, 1]], {"names": ["a"]}, "1 name for 2 columns"),
        ([[0, 1]], {"names": ["a", "a"]}, "'a' stands for more than one column"),
        ([[0, 1]], {"names": ["a", ""]}, "not empty"),
        ([[0, 1]], {"names": "ab"}, "several strings, not the one string 'ab'"),
        ([[0, 1]], {"weights": [1, 2]}, "one weight for each row"),
        ([[0], [1]], {"weights": [1, 0.5]}, "weight of row 1 .* is 0.5.*round"),
        ([[0], [1]], {"weights": [1, -1]}, "weight of row 1 .* is -1"),
        ([[0], [1]], {"weights": [1, np.nan]}, "weight of row 1 .* is nan"),
        ([[0], [1]], {"weights": [0, 0]}, "sum to 0"),
        ([[0], [1]], {"weights": [2**32 - 1, 1]}, "sum to 4,294,967,296"),
        ([[0], [1]], {"weights": ["a", "b"]}, "whole numbers"),
    ],
)
def test_wrong_codes_are_refused(codes: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_codes(codes, **options)


def test_the_constructor_checks_too() -> None:
    with pytest.raises(DataError, match="code 3"):
        Dataset(np.array([[3]], dtype=np.uint8), ("a",), (("x", "y"),))


def test_no_warning_for_constant_codes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset.from_codes([[0], [0]], arities=[2])


# What can be made of it


def test_merging_counts_equal_rows() -> None:
    data = Dataset.from_codes([[1, 0], [0, 2], [1, 0], [0, 1]], weights=[3, 0, 4, 1])
    merged = data.merged()
    assert merged.codes.tolist() == [[0, 1], [1, 0]]
    assert merged.weights is not None
    assert merged.weights.tolist() == [1, 7]
    assert (merged.arities, merged.n_observations) == (data.arities, 8)
    assert merged.codes.flags.f_contiguous
    assert not merged.codes.flags.writeable


def test_merging_nothing_returns_the_same_object() -> None:
    data = Dataset.from_codes([[1, 0], [0, 2]])
    assert data.merged() is data
    assert Dataset.from_codes([[0], [0]]).merged().n_rows == 1


@given(
    n_columns=st.integers(1, 90),
    base=st.integers(1, 400),
    rows=st.lists(st.integers(0, 5), min_size=1, max_size=40),
    weighted=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(deadline=None)
def test_merging_agrees_with_a_counter(n_columns: int, base: int, rows: list[int], weighted: bool, seed: int) -> None:
    # Up to 90 columns of up to 400 states: many times more digits than one 63-bit number holds.
    kinds = np.random.default_rng(seed).integers(0, base, (6, n_columns))
    kinds[1:, :-1] = kinds[0, :-1]  # rows that differ, if at all, only in the last column
    codes = kinds[rows]
    weights = [i % 3 + (i == 0) for i in range(len(rows))] if weighted else None
    data = Dataset.from_codes(codes, arities=[base] * n_columns, weights=weights)
    expected: Counter[tuple[int, ...]] = Counter()
    for i, row in enumerate(codes.tolist()):
        expected[tuple(row)] += 1 if weights is None else weights[i]
    merged = data.merged()
    found = dict(
        zip(map(tuple, merged.codes.tolist()), merged.weights if merged.weights is not None else [1] * 99, strict=False)
    )
    assert {k: n for k, n in found.items() if n} == {k: n for k, n in expected.items() if n}
    if merged is not data:
        assert merged.codes.tolist() == sorted(merged.codes.tolist())
    shuffled = np.random.default_rng(seed).permutation(len(rows))
    other = Dataset.from_codes(
        codes[shuffled], arities=[base] * n_columns, weights=None if weights is None else np.array(weights)[shuffled]
    ).merged()
    assert other == merged or merged is data


def test_select_keeps_steps_of_the_selected_columns() -> None:
    frame = pl.DataFrame({"a": [0.5, 1.5], "b": ["x", "y"], "c": [0.5, 2.5]})
    data = Dataset.from_frame(frame, discretise=Cuts((1,)))
    chosen = data.select(["c", "b"])
    assert chosen.names == ("c", "b")
    assert chosen.codes.tolist() == data.codes[:, [2, 1]].tolist()
    assert [step.column for step in column_steps(chosen.steps)] == ["c"]
    assert len(chosen.steps) == 1
    for names, message in (([], "at least one"), (["q"], "no variable 'q'"), (["a", "a"], "more than one column")):
        with pytest.raises(DataError, match=message):
            data.select(names)


def test_index_of_a_variable() -> None:
    data = Dataset.from_codes([[0, 1]], names=["a", "b"])
    assert data.index("b") == 1
    with pytest.raises(DataError, match="no variable 'c'; there are 'a', 'b'"):
        data.index("c")


def test_other_weights_share_the_codes() -> None:
    data = Dataset.from_codes([[0], [1], [1]])
    weighted = data.with_weights([1, 2, 3])
    assert weighted.n_observations == 6
    assert np.shares_memory(weighted.codes, data.codes)
    assert weighted.with_weights(None) == data
    with pytest.raises(DataError, match="one weight for each row"):
        data.with_weights([1])


def test_bootstrap_draws_with_replacement_and_records_its_seed() -> None:
    data = Dataset.from_codes(np.arange(1000).reshape(-1, 1) % 7)
    replica = data.bootstrap(seed=0)
    assert replica.n_observations == 1000
    assert np.shares_memory(replica.codes, data.codes)
    assert replica == data.bootstrap(seed=0)
    assert replica != data.bootstrap(seed=1)
    assert replica.weights is not None
    # A row stays away with probability (1 - 1/n)^n, about 1/e; its standard deviation over 1000 rows is near 0.01.
    assert (replica.weights == 0).mean() == pytest.approx(np.exp(-1), abs=0.05)
    drawn = data.bootstrap()
    (step,) = drawn.steps
    assert isinstance(step, Bootstrap)
    assert drawn == data.bootstrap(seed=step.seed)
    with pytest.raises(ParameterError, match="seed"):
        data.bootstrap(seed=-1)


def test_bootstrap_of_weighted_rows_follows_the_weights() -> None:
    data = Dataset.from_codes([[0], [1], [2]], weights=[0, 90_000, 10_000])
    weights = data.bootstrap(seed=3).weights
    assert weights is not None
    assert weights[0] == 0
    assert weights.sum() == 100_000
    assert abs(int(weights[2]) - 10_000) < 600  # six standard deviations of the binomial


def test_datasets_pickle_and_compare() -> None:
    data = Dataset.of(
        {"a": [0.5, 1.5, 0.7], "b": ["x", None, "y"]}, missing="state", discretise="width", weights=[1, 2, 3]
    )
    copy = pickle.loads(pickle.dumps(data))
    assert copy == data
    assert copy.steps == data.steps
    assert copy.codes.flags.f_contiguous
    assert not copy.codes.flags.writeable
    assert data != data.with_weights(None)
    assert data != data.select(["a"])
    assert data != "something else"


def test_repr_says_what_is_in_it() -> None:
    assert repr(Dataset.from_codes([[0, 2], [1, 0]], weights=[5, 6])) == (
        "Dataset(2 rows for 11 observations, 2 variables, 2 to 3 states)"
    )


# Properties

cells = st.one_of(
    st.lists(st.integers(-5, 5), min_size=6, max_size=6),
    st.lists(st.sampled_from(["a", "b", "Z", "é", "10", "9"]), min_size=6, max_size=6),
    st.lists(st.booleans(), min_size=6, max_size=6),
    st.lists(st.one_of(st.none(), st.sampled_from(["u", "v"])), min_size=6, max_size=6),
    st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=6, max_size=6),
)
tables = st.lists(cells, min_size=1, max_size=4).map(lambda columns: {f"c{i}": c for i, c in enumerate(columns)})


def label(value: Any) -> str:
    return "missing" if value is None else str(value)


@given(table=tables)
@settings(deadline=None)
@quiet
def test_codes_lead_back_to_the_values_from_every_backend(table: dict[str, list[Any]]) -> None:
    expected = [tuple(map(label, row)) for row in zip(*table.values(), strict=True)]
    found = [Dataset.from_frame(frame(table), missing="state") for frame in BACKENDS.values()]
    assert decoded(found[0]) == expected
    assert found[0] == found[1] == found[2] == Dataset.of(table, missing="state")
    assert found[0].steps == found[1].steps == found[2].steps


@given(table=tables, order=st.permutations(range(6)))
@settings(deadline=None)
@quiet
def test_states_do_not_depend_on_the_order_of_rows(table: dict[str, list[Any]], order: list[int]) -> None:
    data = Dataset.of(table, missing="state")
    shuffled = Dataset.of({name: [values[i] for i in order] for name, values in table.items()}, missing="state")
    assert shuffled.states == data.states
    np.testing.assert_array_equal(shuffled.codes, data.codes[order])


@given(table=tables, backend=st.sampled_from(list(BACKENDS)))
@settings(deadline=None)
@quiet
def test_frames_of_a_dataset_lead_back_to_it(table: dict[str, list[Any]], backend: str) -> None:
    data = Dataset.of(table, missing="state")
    frame = data.to_frame(backend)
    assert type(frame).__module__.startswith(("pyarrow", "polars", "pandas"))
    assert Dataset.from_frame(frame) == data
    twice = data.with_weights([2, 0, 1, 0, 0, 3]).to_frame(backend)
    assert decoded(Dataset.from_frame(twice)) == [decoded(data)[i] for i in (0, 0, 2, 5, 5, 5)]


def test_unknown_backend() -> None:
    with pytest.raises(ParameterError, match="'polars', 'pandas' or 'pyarrow'"):
        Dataset.from_codes([[0]]).to_frame("spark")
