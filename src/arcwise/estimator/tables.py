"""What scikit-learn calls X and y, as one table; whatever is wrong with them is said as its users know it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import assert_all_finite, check_array, check_consistent_length, column_or_1d

from arcwise.data.codes import Weights, checked_weights
from arcwise.data.column import typed_column
from arcwise.data.columns import OTHERS, Continuous
from arcwise.data.dataset import Dataset
from arcwise.data.discretise import Method
from arcwise.data.frames import column_of_series
from arcwise.data.tables import Table, table_of_array, table_of_frame
from arcwise.support.errors import DataError
from arcwise.support.later import later
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

__all__ = [
    "counts_of_rows",
    "distinct_rows",
    "is_frame",
    "kinds_of_columns",
    "seen_rows",
    "table_of_x",
    "with_y",
]


def is_frame(X: Any) -> bool:  # noqa: N803
    """Whether X is a table in memory whose columns have names and types."""
    return nw.dependencies.is_into_dataframe(X)


def table_of_x(X: Any, *, allow_nan: bool) -> Table:  # noqa: N803
    """Columns of X, which keep their types where it is a frame.

    Raises
    ------
    ValueError
        If X is not a table of discrete or numeric values.
    """
    if is_frame(X):
        return table_of_frame(X)
    if X is None or isinstance(X, Dataset | Mapping | str | Path) or hasattr(X, "collect"):
        way = {Dataset: " (its .to_frame() is one)"}.get(type(X), " (its .collect() is one)" * hasattr(X, "collect"))
        raise DataError(f"X must be a pandas, polars or pyarrow frame{way} or a two-dimensional array, not {quoted(X)}")
    if isinstance(X, np.ma.MaskedArray):
        return table_of_array(X)  # check_array forgets the mask
    if isinstance(X, list | tuple):
        X = np.array(X, dtype=object)  # noqa: N806 (so that the 1 in [[1, "a"]] stays a number)
    finite = "allow-nan" if allow_nan else True
    return table_of_array(check_array(X, dtype=None, ensure_all_finite=finite, input_name="X"))


def with_y(table: Table, name: str, y: Any, *, allow_nan: bool) -> Table:
    """Table with y as its last column.

    Raises
    ------
    ValueError
        If y is not a column of as many values.
    """
    series = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        values = column_or_1d(y, warn=True)
        assert_all_finite(values, allow_nan=allow_nan, input_name="y")
        column = typed_column(name, values)
    else:
        column = column_of_series(name, series)
    check_consistent_length(table.columns[0].values, column.values)
    return Table((*table.names, name), (*table.columns, column))


def counts_of_rows(sample_weight: Any, rows: Table | Dataset) -> Weights | None:
    """How often each row was seen, or None where nothing is said about it.

    Raises
    ------
    ValueError
        If it is not a column of whole numbers from 0, one for each row.
    """
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.ndim != 1:
        raise DataError(f"sample_weight must have one dimension, not {weights.ndim}")
    if not weights.any():
        raise DataError("all weights are zero; at least one row must count")
    return checked_weights(weights, rows.n_rows)


def seen_rows(table: Table, weights: Weights | None) -> tuple[Table, Weights | None]:
    """Rows that count, with their weights: values of others are not even states."""
    if weights is None or weights.all():
        return table, weights
    rows = np.flatnonzero(weights)
    return Table(table.names, tuple(column.take(rows) for column in table.columns)), weights[rows]


def distinct_rows(data: Dataset) -> Dataset:
    """Rows of numbers without repetitions, which weights count, in an order that does not depend on that of the data.

    Rounding is then the same for rows that are repeated and for rows that have weights, to the last bit. Rows of states
    are counted, and need no such thing; rows that differ and have no weights stay as they are.
    """
    if data.numbers is None:
        return data
    parts = np.column_stack([data.codes.astype(np.float64), data.numbers]) + 0.0  # 0.0 for -0.0
    whole = np.ascontiguousarray(parts).view(np.dtype((np.void, parts.itemsize * parts.shape[1])))[:, 0]
    _, rows, place = np.unique(whole, return_index=True, return_inverse=True)
    if rows.size == data.n_rows and data.weights is None:
        return data
    counts = np.rint(np.bincount(place, weights=data.weights, minlength=rows.size)).astype(np.uint32)
    codes, numbers = data.codes[rows], data.numbers[rows]
    return Dataset(codes, data.names, data.states, counts, data.steps, numbers=numbers)


def kinds_of_columns(
    table: Table,
    discretise: Method | Mapping[str, Method] | None,
    continuous: Continuous,
    *,
    most: int,
    but: str | None,
) -> tuple[dict[str, Method] | None, Continuous]:
    """Which columns are cut and which are continuous, as `Dataset` takes the two.

    Numbers of more than `most` values, but for those of one column, are as continuous as others unless they are named:
    they are cut where a method is for all columns, and stay numbers where none is.
    """
    methods = dict(discretise) if isinstance(discretise, Mapping) else {}
    if discretise is not None and not isinstance(discretise, Mapping):
        methods[OTHERS] = discretise
    named = {*methods, *(continuous if isinstance(continuous, Mapping) else ()), but}
    columns = {name: column for name, column in zip(table.names, table.columns, strict=True) if name not in named}
    many = [name for name, column in columns.items() if column.is_numeric and len(column.distinct()) > most]
    if OTHERS in methods:
        methods.update(dict.fromkeys(many, methods[OTHERS]))
    elif continuous is None or isinstance(continuous, Mapping):
        continuous = {**dict.fromkeys(many, True), **(continuous or {})}
    return methods or None, continuous
