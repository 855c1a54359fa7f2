"""Columns that stay numbers: which ones, what contradicts that, and what a Dataset does with them."""

import pickle
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arcwise.data import Cuts, Dataset, DroppedRows, Quantile
from arcwise.data.state_values import sorted_states, state_values
from arcwise.data.tables import table_of_columns
from arcwise.support.errors import ArcwiseWarning, DataError, ParameterError
from frames import BACKENDS

backends = pytest.mark.parametrize("frame", BACKENDS.values(), ids=BACKENDS.keys())
quiet = pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")

FEW, MANY = [3, 1, 2], list(range(101))
ROWS: dict[str, Sequence[Any]] = {"bmi": [18.5, 31.0, 22.5], "sex": ["m", "f", "f"], "ward": [3, 7, 3]}


# The rule


@backends
@pytest.mark.parametrize(
    ("column", "is_continuous"),
    [
        (FEW, False),
        (MANY, True),
        (MANY[:100], False),
        ([3.0, 1.0, 2.0], False),
        ([float(n) for n in MANY], True),
        ([0.5, 1.0, 2.0], True),
        ([Decimal("0.5"), Decimal("1"), Decimal("2")], True),
        ([Decimal("3"), Decimal("1"), Decimal("2")], False),
        ([True, False, True], False),
        (["0.5", "1.5", "2.5"], False),
    ],
)
def test_numbers_without_states_stay_numbers(frame: Callable[..., Any], column: list[Any], is_continuous: bool) -> None:
    data = Dataset.from_frame(frame({"a": column, "b": ["x", "y"] * (len(column) // 2) + ["x"] * (len(column) % 2)}))
    assert (data.arities[0] == 0) == is_continuous
    assert data.arities[1] == 2
    if is_continuous:
        assert data.numbers_of("a").tolist() == [float(value) for value in column]
        assert data.steps == ()
    else:
        assert data.kind == "discrete"
        assert data.numbers is None


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([0.5, None, 2.0], dtype="Float64"),
        pd.Series([0.5, None, 2.0], dtype="Float32"),
        pd.Series([0.5, None, 2.0], dtype="float64"),
        pd.Series([0.5, None, 2.0], dtype="float64[pyarrow]"),
        pd.Series([0.5, None, 2], dtype=object),
        pd.Series([Decimal("0.5"), None, Decimal(2)], dtype=object),
        pl.Series([0.5, None, 2.0], dtype=pl.Float32),
        pl.Series([0.5, float("nan"), 2.0]),
        pa.chunked_array([[0.5, None, 2.0]]),
        pa.chunked_array([[Decimal("0.5"), None, Decimal(2)]]),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]}-{getattr(column, 'dtype', None) or column.type}",
)
@quiet
def test_every_type_of_number_can_be_continuous(column: Any) -> None:
    frame = pa.table({"a": column}) if isinstance(column, pa.ChunkedArray) else column.rename("a").to_frame()
    assert Dataset.from_frame(frame, missing="drop").numbers_of("a").tolist() == [0.5, 2.0]


def test_categories_are_never_continuous() -> None:
    categories = pd.Categorical([0.5, 1.5, 0.5])
    assert Dataset.from_frame(pd.DataFrame({"a": categories})).states == (("0.5", "1.5"),)
    assert Dataset.from_frame(pd.DataFrame({"a": categories}), continuous=True).kind == "discrete"
    with pytest.raises(DataError, match="'a' has type Categorical; only numbers can be continuous"):
        Dataset.from_frame(pd.DataFrame({"a": categories}), continuous={"a": True})


def test_whole_numbers_beyond_max_states_are_continuous() -> None:
    assert Dataset.of({"a": FEW}, max_states=2).kind == "continuous"
    assert Dataset.of({"a": MANY}, max_states=101).kind == "discrete"


@given(
    arrays(
        np.float64, st.tuples(st.integers(2, 20), st.integers(1, 4)), elements=st.integers(-3, 6).map(lambda n: n / 2)
    ),
    st.integers(1, 6),
)
@quiet
def test_the_rule(values: npt.NDArray[np.float64], max_states: int) -> None:
    data = Dataset.from_array(values, max_states=max_states)
    for v, column in enumerate(values.T):
        has_states = all(float(x).is_integer() for x in column) and len(set(column.tolist())) <= max_states
        assert (v in data.continuous) == (not has_states)
        if has_states:
            assert [float(data.states[v][code]) for code in data.codes[:, v]] == column.tolist()
        else:
            assert data.numbers_of(data.names[v]).tolist() == column.tolist()
            assert not data.codes[:, v].any()


def test_arrays_of_fractions_just_work() -> None:
    values = np.random.default_rng(1).normal(size=(40, 3))
    data = Dataset.of(values)
    assert data.kind == "continuous"
    np.testing.assert_array_equal(data.numbers, values)
    assert data == Dataset.from_numbers(values)
    assert Dataset.of(values.astype(np.float32)).kind == "continuous"
    assert Dataset.of(values.tolist()) == data


# What callers say about it


@pytest.mark.parametrize(
    ("options", "continuous"),
    [
        ({}, ["bmi"]),
        ({"continuous": None}, ["bmi"]),
        ({"continuous": True}, ["bmi", "ward"]),
        ({"continuous": {"ward": True}}, ["bmi", "ward"]),
        ({"continuous": {"ward": False, "sex": False}}, ["bmi"]),
        ({"continuous": {"bmi": False}, "discretise": "quantile"}, []),
        ({"continuous": {"bmi": False}, "discretise": {"bmi": "quantile"}}, []),
        ({"continuous": False, "discretise": "quantile"}, []),
        ({"continuous": True, "discretise": {"bmi": "quantile"}}, ["ward"]),
        ({"continuous": True, "states": {"ward": ["3", "7"]}}, ["bmi"]),
        ({"continuous": {"bmi": True}, "discretise": "quantile"}, ["bmi"]),
        ({"continuous": {"bmi": True}, "discretise": {"*": "quantile"}}, ["bmi"]),
        ({"discretise": "quantile"}, []),
        ({"discretise": {"ward": Cuts((5,))}}, ["bmi"]),
        ({"discretise": {"*": "quantile"}}, []),
        ({"states": {"bmi": ["18.5", "22.5", "31"]}}, []),
    ],
)
def test_a_keyword_decides(options: dict[str, Any], continuous: list[str]) -> None:
    data = Dataset.of(ROWS, **options)
    assert [data.names[v] for v in data.continuous] == continuous


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"continuous": {"bmi": True}, "discretise": {"bmi": "width"}},
            ParameterError,
            "'bmi' is in discretise= and in",
        ),
        ({"continuous": {"bmi": True}, "states": {"bmi": ["1"]}}, ParameterError, "'bmi' is in states= and in contin"),
        ({"continuous": True, "discretise": "width"}, ParameterError, "continuous=True keeps.*give one of the two"),
        ({"continuous": True, "discretise": {"*": "width"}}, ParameterError, "continuous=True keeps.*give one of the"),
        ({"continuous": {"smoker": True}}, ParameterError, "continuous has an entry for 'smoker', but the data"),
        ({"continuous": "bmi"}, ParameterError, "continuous must be True, False, None, or a dict.*not 'bmi'"),
        ({"continuous": ["bmi"]}, ParameterError, "continuous must be True, False, None, or a dict"),
        ({"continuous": {"bmi": "yes"}}, ParameterError, "continuous must be True, .*, not 'yes'"),
        ({"continuous": 1}, ParameterError, "continuous must be True, .*, not 1"),
        (
            {"continuous": {"sex": True}},
            DataError,
            "'sex' has type String; only numbers can be continuous. Take it out",
        ),
        (
            {"continuous": False},
            DataError,
            r"'bmi' is continuous \(3 .* 'width' or 'adaptive'.* continuous=\{'bmi': True",
        ),
        ({"continuous": {"bmi": False}}, DataError, "'bmi' is continuous.*discretise it"),
        (
            {"continuous": {"ward": False, "bmi": True}, "max_states": 1, "states": {"sex": ["f", "m"]}},
            DataError,
            "'ward' has 2 states, more than max_states=1.*discretise it.*continuous=.'ward': True",
        ),
    ],
)
def test_contradictions_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Dataset.of(ROWS, **options)


# Odd values


@backends
@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinite_numbers_are_refused_with_their_place(frame: Callable[..., Any], value: float) -> None:
    for column in ([0.5, 1.5, value], [1.0, 2.0, value]):
        with pytest.raises(DataError, match=r"'a', row 2 .*infinite.*Cuts"):
            Dataset.from_frame(frame({"a": column}))
    with (
        pytest.raises(DataError, match=r"'a', row 3 .*infinite"),
        pytest.warns(ArcwiseWarning, match="1 of 4 rows are dropped"),
    ):
        Dataset.from_frame(frame({"a": [0.5, None, 1.5, value]}), missing="drop")
    assert Dataset.from_frame(frame({"a": [0.5, 1.5, value]}), discretise={"a": Cuts((1,))}).arities == (2,)


def test_missing_numbers_are_an_error_that_offers_what_helps() -> None:
    with pytest.raises(
        DataError, match=r"'a', row 1 .*missing='drop' leaves out .*, 1 of \d; learn can .* missing='keep'"
    ):
        Dataset.of({"a": [0.5, None, 1.5]})
    with pytest.raises(DataError, match=r"'a', row 1 .*missing='state' makes missing a state of its own;"):
        Dataset.of({"a": [0.5, None, 1.5]}, discretise="width")
    with pytest.raises(DataError, match=r"'a', row 1 .*no state for missing.*missing='drop'.*discretise=.'a': 'quant"):
        Dataset.of({"a": [0.5, None, 1.5]}, missing="state")
    with pytest.raises(DataError, match=r"'a', row 0 .*no state for missing"):
        Dataset.of({"a": [None, None], "b": ["x", "y"]}, missing="state", continuous={"a": True})


def test_missing_states_beside_numbers() -> None:
    data = Dataset.of({"a": [0.5, 0.7, 1.5], "b": ["x", None, "y"]}, missing="state")
    assert data.states == ((), ("x", "y", "missing"))
    assert data.numbers_of("a").tolist() == [0.5, 0.7, 1.5]


def test_rows_with_missing_numbers_are_dropped() -> None:
    columns = {"a": [0.5, None, 1.5, 2.5], "b": ["x", "y", None, "y"]}
    with pytest.warns(ArcwiseWarning, match="2 of 4 rows are dropped"):
        data = Dataset.of(columns, missing="drop", weights=[1, 2, 3, 4], interventions={"a": [0, 1]})
    assert data.numbers_of("a").tolist() == [0.5, 2.5]
    assert data.codes.tolist() == [[0, 0], [0, 1]]
    assert data.weights is not None
    assert data.weights.tolist() == [1, 4]
    assert data.interventions is not None
    assert data.interventions.rows("a").tolist() == [True, False]
    assert data.steps == (DroppedRows(2, 4, ("a", "b")),)


def test_constant_numbers_are_kept_with_a_warning() -> None:
    with pytest.warns(ArcwiseWarning, match=r"1 column with a single value: 'a'"):
        data = Dataset.of({"a": [0.5, 0.5], "b": [0.5, 1.5]})
    assert data.numbers_of("a").tolist() == [0.5, 0.5]


def test_the_largest_numbers_are_as_good_as_others(recwarn: pytest.WarningsRecorder) -> None:
    data = Dataset.of({"a": [-1.7e308, 0.5, 1.7e308]})
    assert data.numbers_of("a").tolist() == [-1.7e308, 0.5, 1.7e308]
    assert data.summary().spreads is not None
    assert not recwarn.list


# Like another


def test_like_keeps_numbers_and_states(recwarn: pytest.WarningsRecorder) -> None:
    train = Dataset.of({"a": [0.5, 1.5, 2.5], "n": [1, 2, 1], "c": [0.5, 1.5, 2.5]}, discretise={"c": Cuts((1,))})
    data = Dataset.of({"c": [9, 0], "n": [1.0, 1.0], "a": [3, 3]}, like=train)
    assert data.states == train.states
    assert data.numbers_of("a").tolist() == [3.0, 3.0]
    assert data.codes.tolist() == [[0, 0, 1], [0, 0, 0]]
    assert not recwarn.list  # what is constant here was not there
    with pytest.raises(DataError, match="'a' has type String; it is continuous in the data of like="):
        Dataset.of({"c": [9], "n": [1], "a": ["3"]}, like=train)
    with pytest.raises(DataError, match=r"'n', row 0 .*'1\.5' is none of the given states"):
        Dataset.of({"c": [9], "n": [1.5], "a": [3]}, like=train)
    with pytest.raises(
        DataError, match=r"'a', row 1 .*missing='drop' leaves out .*, 1 of \d; learn can .* missing='keep'"
    ):
        Dataset.of({"c": [9, 9], "n": [1, 1], "a": [3, None]}, like=train)


# What a Dataset does with them


def mixed(**options: Any) -> Dataset:
    return Dataset.of(ROWS, **options)


def test_columns_can_be_selected_in_any_order() -> None:
    data = Dataset.of({"x": [0.5, 1.5], "s": ["a", "b"], "y": [2.5, 3.5]}).select(["y", "s", "x"])
    assert data.states == ((), ("a", "b"), ())
    np.testing.assert_array_equal(data.numbers, [[2.5, 0.5], [3.5, 1.5]])
    assert data.select(["s"]).numbers is None


def test_weights_by_name_are_not_a_variable() -> None:
    data = mixed(weights="ward")
    assert data.names == ("bmi", "sex")
    assert data.n_observations == 13
    assert data.merged() is data


def test_targets_by_name_are_not_a_variable() -> None:
    data = Dataset.of({**ROWS, "do": ["bmi", "", ""]}, interventions="do")
    assert data.interventions is not None
    assert data.interventions.rows("bmi").tolist() == [True, False, False]
    with pytest.raises(DataError, match="'bmi' is continuous; a column that names targets"):
        mixed().with_interventions("bmi")


def test_a_bootstrap_shares_the_numbers() -> None:
    data = mixed()
    drawn = data.bootstrap(seed=3)
    assert drawn.numbers is data.numbers
    assert drawn.n_observations == 3
    assert drawn.summary().fingerprint != data.summary().fingerprint


def test_copies_are_equal_and_others_are_not() -> None:
    data = mixed()
    assert pickle.loads(pickle.dumps(data)) == data
    assert Dataset.of({**ROWS, "bmi": [18.5, 31.0, 22.6]}) != data
    assert mixed(continuous=True) != data
    assert Dataset.of(data) is data


def test_numbers_cannot_be_changed() -> None:
    given = np.array([[0.5], [1.5]])
    data = Dataset.from_numbers(given)
    given[0] = 7
    assert data.numbers_of("X0").tolist() == [0.5, 1.5]
    with pytest.raises(ValueError, match="read-only"):
        data.numbers_of("X0")[0] = 7
    with pytest.raises(DataError, match="'sex' has states, not numbers"):
        mixed().numbers_of("sex")


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([0.5, 1.5], {}, "1 dimension"),
        (np.empty((0, 2)), {}, "no rows"),
        (np.empty((2, 0)), {}, "no columns"),
        ([[0.5], ["x"]], {}, "not numbers"),
        ([[0.5], [1j]], {}, "not numbers"),
        ([[0.5], [None]], {}, "'X0', row 1 .*nan; numbers must be finite"),
        ([[0.5, 0.5], [0.5, np.inf]], {}, "'X1', row 1 .*inf; numbers must be finite"),
        ([[0.5]], {"names": ["a", "b"]}, "2 names for 1 column"),
        ([[0.5]], {"weights": [0.5]}, "whole numbers"),
        ([[0.5]], {"interventions": {"X0": [0]}}, "'X0' was set in all rows"),
    ],
)
def test_wrong_numbers_are_refused(values: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_numbers(values, **options)


def test_from_numbers_takes_whatever_is_given() -> None:
    data = Dataset.from_numbers([[1, 2.5], [0, 2.5]], names=["a", "b"], weights=[2, 3], interventions={"a": [1]})
    assert data.kind == "continuous"
    np.testing.assert_array_equal(data.numbers, [[1, 2.5], [0, 2.5]])
    assert data.n_observations == 5
    assert data.interventions is not None


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_frame_has_the_numbers(backend: str) -> None:
    data = mixed(weights=[1, 0, 2])
    frame = data.to_frame(backend, interventions="do")
    again = Dataset.from_frame(frame, like=mixed(), interventions="do")
    assert again.numbers_of("bmi").tolist() == [18.5, 22.5, 22.5]
    assert again.codes.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert nw.from_native(frame)["bmi"].dtype == nw.Float64


@given(arrays(np.float64, (7, 2), elements=st.floats(allow_nan=False, allow_infinity=False)))
@quiet
def test_files_keep_every_digit(values: npt.NDArray[np.float64]) -> None:
    data = Dataset.from_numbers(values, names=["a", "b"])
    with TemporaryDirectory() as folder:
        path = Path(folder, "numbers.csv")
        data.to_frame().write_csv(path)
        assert Dataset.from_file(path, continuous=True) == data


def test_a_continuous_column_has_no_values_of_states() -> None:
    table = table_of_columns(ROWS)
    values = state_values(table, Dataset.from_table(table))
    assert {name: each.tolist() for name, each in values.items()} == {"sex": ["f", "m"], "ward": [3, 7]}
    assert sorted_states(values, Dataset.from_table(table)).keys() == {"sex", "ward"}


# What is known of it without keeping it


def test_fingerprints_of_discrete_data_are_what_they_were_before_there_were_numbers() -> None:
    data = Dataset.of([["yes", 1], ["no", 3], ["yes", 3]], names=["smoker", "ward"])
    assert data.summary().fingerprint == "2a5a254125b28bd0181c4de7de5eebe5a0161e6a02eb3f950459eaa2eac6e9a5"
    data = Dataset.from_codes([[0, 1], [1, 2], [1, 0]], names=["a", "b"], weights=[3, 0, 2], interventions={"a": [0]})
    assert data.summary().fingerprint == "2e32b19e83ca9026e5343918146e42af322cef1f3fadf6b3b8ddd8d0aa2e304c"
    assert data.summary().spreads is None


def test_fingerprints_tell_numbers_apart() -> None:
    values = [[0.5, 1.5], [0.0, 2.5]]
    fingerprints = {
        Dataset.from_numbers(given, names=names).summary().fingerprint
        for given, names in (
            (values, ["a", "b"]),
            (values, ["b", "a"]),
            (values[::-1], ["a", "b"]),
            ([[0.5, 1.5], [1e-300, 2.5]], ["a", "b"]),
        )
    }
    assert len(fingerprints) == 4
    same = Dataset.from_numbers([[0.5, 1.5], [-0.0, 2.5]], names=["a", "b"])
    assert same == Dataset.from_numbers(values, names=["a", "b"])
    assert same.summary().fingerprint in fingerprints


def test_a_summary_says_what_numbers_are_like() -> None:
    summary = mixed(weights=[1, 2, 0]).summary()
    assert summary.states == ((), ("f", "m"), ("3", "7"))
    assert summary.arities == (0, 2, 2)
    assert summary.counts == ((), (2, 1), (1, 2))
    assert summary.spreads is not None
    of_bmi, *others = summary.spreads
    assert others == [None, None]
    assert of_bmi is not None
    seen = [18.5, 31.0, 31.0]
    assert of_bmi.mean == pytest.approx(np.mean(seen))
    assert of_bmi.deviation == pytest.approx(np.std(seen))
    assert (of_bmi.minimum, of_bmi.maximum) == (18.5, 31.0)
    assert of_bmi.histogram == (1, 0, 2)  # twice the cube root of 3, rounded up


@pytest.mark.parametrize(("n", "intervals"), [(2, 3), (8, 4), (1000, 20), (100_000, 24)])
def test_histograms_have_more_intervals_for_more_observations(n: int, intervals: int) -> None:
    numbers = np.random.default_rng(1).normal(size=n)
    (spread,) = Dataset.from_numbers(numbers[:, None]).summary().spreads or ()
    assert spread is not None
    assert len(spread.histogram) == intervals
    assert spread.histogram == tuple(np.histogram(numbers, bins=intervals)[0])


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 1.7e308])
def test_spreads_of_any_size(scale: float) -> None:
    spreads = Dataset.from_numbers([[-scale], [scale], [scale], [-scale]]).summary().spreads
    assert spreads is not None
    assert spreads[0] is not None
    assert spreads[0].mean == 0
    assert spreads[0].deviation == pytest.approx(scale, rel=1e-3)
    assert (spreads[0].minimum, spreads[0].maximum) == (-scale, scale)
    assert spreads[0].histogram == (2, 0, 0, 2)


def test_numbers_that_are_all_the_same_have_no_histogram() -> None:
    (spread,) = Dataset.from_numbers([[3.5], [3.5]]).summary().spreads or ()
    assert spread is not None
    assert spread.histogram == ()


# The constructor


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (None, r"shape \(2, 0\); it must be \(2, 1\)"),
        ([[0.5, 0.5], [0.5, 0.5]], r"shape \(2, 2\); it must be \(2, 1\)"),
        ([[0.5], [np.inf]], "'a', row 1 .*finite"),
    ],
)
def test_numbers_belong_to_variables_without_states(numbers: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset(np.zeros((2, 2), dtype=np.uint8), ("a", "b"), ((), ("x",)), numbers=numbers)


def test_what_takes_states_only_says_so() -> None:
    with pytest.raises(DataError, match=r"This takes variables with states only.*\('bmi'\).*discretise='quantile'"):
        mixed().refuse_continuous("This")
    mixed(discretise=Quantile(2)).refuse_continuous("This")
