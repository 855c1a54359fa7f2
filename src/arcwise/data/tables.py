"""Frames, arrays, rows and dicts in memory, all seen as one thing: named narwhals columns of known type."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, column_names
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.later import later
from arcwise.support.messages import Setting, Text
from arcwise.support.names import default_names
from arcwise.support.quoting import cut, listed, quoted

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl
else:
    nw = later("narwhals")
    pl = later("polars")

__all__ = [
    "Column",
    "Table",
    "frame_of_columns",
    "ordered_names",
    "polars_errors",
    "refused_by_polars",
    "table_of_array",
    "table_of_columns",
    "table_of_frame",
    "table_of_rows",
    "typed_column",
]

Column: TypeAlias = "nw.Series[Any]"


@dataclass(frozen=True)
class Table:
    """Columns with names, all of the same length, at least one column and one row."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        if not self.columns:
            raise DataError("The data has no columns; give at least one.")
        if not len(self.columns[0]):
            raise DataError("The data has columns but no rows; give at least one row.")

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    def without(self, name: str | None) -> Self:
        """Table less one column, if it has one of that name."""
        kept = [v for v, other in enumerate(self.names) if other != name]
        return type(self)(tuple(self.names[v] for v in kept), tuple(self.columns[v] for v in kept))

    def ordered(self, names: Sequence[str]) -> Self:
        """Equal columns in the order of these names.

        Raises
        ------
        DataError
            If a column is missing or left over.
        """
        columns = dict(zip(self.names, self.columns, strict=True))
        return type(self)(ordered_names(self.names, names), tuple(columns[name] for name in names))

    def column(self, name: str) -> Column:
        """Column of that name.

        Raises
        ------
        DataError
            If there is none.
        """
        if name not in self.names:
            raise DataError(f"There is no column {quoted(name)}; there are {listed(self.names)}.")
        return self.columns[self.names.index(name)]


def ordered_names(names: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """Names in the wanted order, if they are the same.

    Raises
    ------
    DataError
        If one is missing or left over.
    """
    there, asked_for = frozenset(names), frozenset(wanted)
    lacking = [name for name in wanted if name not in there]
    extra = [name for name in names if name not in asked_for]
    if lacking or extra:
        what = f"lacks the column {quoted(lacking[0])}" if lacking else f"has the column {quoted(extra[0])} besides"
        raise DataError(f"The data {what}; with ", Setting("like"), f" the columns must be {listed(wanted)}.")
    return tuple(wanted)


def table_of_frame(frame: Any) -> Table:
    """Columns of a pandas, polars or pyarrow frame, or of any other eager frame narwhals knows.

    Raises
    ------
    DataError
        If it is not such a frame, or its columns have no proper names.
    """
    try:
        table = nw.from_native(frame, eager_only=True)
        names = list(table.columns)
    except nw.exceptions.DuplicateError:
        # Only the frame itself can say which name it is and where.
        names = list(getattr(frame, "column_names", None) or frame.columns)
    except TypeError as error:
        hint = "call its .collect() first" if hasattr(frame, "collect") else "give a pandas, polars or pyarrow frame"
        raise DataError(
            f"A {type(frame).__module__}.{type(frame).__name__} cannot be read as a frame; {hint}."
        ) from error
    return Table(column_names(map(_text_of_name, names)), tuple(table.iter_columns()))


def table_of_array(values: npt.ArrayLike, names: Sequence[str] | None = None) -> Table:
    """Columns of a two-dimensional array of any values, named X0, X1, … when there are no names.

    Raises
    ------
    DataError
        If it has another number of dimensions, or a type that is of no use here.
    """
    # Lists as objects, so that the 1 in [[1, "a"]] stays a number.
    array: npt.NDArray[Any] = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if isinstance(array, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(array)
        array = np.array(array, dtype=object)
        array[mask] = None
    if array.ndim != 2:
        raise DataError(f"The array has {array.ndim} dimension(s); it must have two, rows by variables.")
    names = default_names(array.shape[1]) if names is None else column_names(names, array.shape[1])
    return Table(names, tuple(typed_column(name, array[:, v]) for v, name in enumerate(names)))


def table_of_columns(columns: Mapping[str, Sequence[Any]]) -> Table:
    """Columns of a dict of sequences.

    Raises
    ------
    DataError
        If the sequences differ in length.
    """
    names = column_names(columns)
    arrays = [values if isinstance(values, np.ndarray) else _objects(values) for values in columns.values()]
    for name, array in zip(names, arrays, strict=True):
        if array.shape != arrays[0].shape:
            raise DataError(
                f"Column {quoted(name)} has {len(array)} rows, but column {quoted(names[0])} has {len(arrays[0])}; "
                "all columns must be equally long."
            )
    return Table(names, tuple(typed_column(name, array) for name, array in zip(names, arrays, strict=True)))


def table_of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Columns of a list of dicts, one for each row; a key that a row lacks is a missing value there."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return table_of_columns({name: [row.get(name) for row in rows] for name in names})


def frame_of_columns(
    codes: Codes,
    numbers: npt.NDArray[np.float64] | None,
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    backend: str,
) -> Any:
    """Labels of the codes as columns of categories, and one of numbers for each variable without states.

    Raises
    ------
    ParameterError
        If the backend is none of "polars", "pandas" and "pyarrow".
    """
    if backend not in ("polars", "pandas", "pyarrow"):
        raise ParameterError.of("backend", "'polars', 'pandas' or 'pyarrow'", backend)
    # narwhals makes no Arrow categories, but polars turns its own into them.
    made_with: Literal["polars", "pandas"] = "pandas" if backend == "pandas" else "polars"
    kept = iter(() if numbers is None else numbers.T)
    columns = [
        nw.new_series(name, np.array([*labels, None], dtype=object)[codes[:, v]], nw.Enum(labels), backend=made_with)
        if labels
        else _series_of_numbers(name, np.ascontiguousarray(next(kept)), made_with)
        for v, (name, labels) in enumerate(zip(names, states, strict=True))
    ]
    frame = nw.concat([column.to_frame() for column in columns], how="horizontal")
    return frame.to_arrow() if backend == "pyarrow" else frame.to_native()


def _series_of_numbers(name: str, numbers: npt.NDArray[np.float64], backend: Literal["polars", "pandas"]) -> Column:
    """Numbers as a column, in which gaps (NaN) are null where there is such a thing."""
    series = nw.new_series(name, numbers, nw.Float64, backend=backend)
    if backend == "polars" and np.isnan(numbers).any():
        return nw.from_native(series.to_native().fill_nan(None), series_only=True)
    return series


def typed_column(name: str, values: npt.NDArray[Any], rows: npt.NDArray[np.intp] | None = None) -> Column:
    """Column of one type, from an array of numbers, strings, or objects that are all of one kind.

    Objects may be booleans, whole numbers, other numbers or strings; None and NaN among them are missing values.
    Whole and other numbers together count as numbers. With `rows`, messages name these rows instead of 0, 1, ….

    Raises
    ------
    DataError
        If the kinds are mixed (with a row for each) or of no use here.
    """
    if values.dtype == object:
        values = _one_kind(name, values, rows)
    elif values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
    elif values.dtype.kind not in "biuUTM":
        raise DataError(f"Column {quoted(name)} has type {values.dtype}; allowed are booleans, numbers and strings.")
    if values.dtype.kind in "UT":
        values = values.astype(object)
    try:
        series = pl.Series(name, values.tolist() if values.dtype == object else np.ascontiguousarray(values))
    except polars_errors(TypeError, OverflowError, ValueError) as error:
        raise DataError(f"Column {quoted(name)} cannot be read: {cut(str(error))}") from error
    return nw.from_native(series, series_only=True)


def _one_kind(name: str, values: npt.NDArray[np.object_], rows: npt.NDArray[np.intp] | None) -> npt.NDArray[Any]:
    """Objects as an array of their common kind, None where one is missing."""
    try:
        absent = (values == None) | (values != values)  # noqa: E711 (NaN is what differs from itself)
    except (TypeError, ValueError, ArithmeticError) as error:  # the last for Decimal("sNaN")
        raise DataError(
            f"Column {quoted(name)} holds objects that cannot be compared ({cut(str(error))}); use None for missing."
        ) from None
    kinds = {_kind(name, kind): kind for kind in set(map(type, values[~absent]))}
    if len(kinds) > 1 and set(kinds) != {"whole number", "number"}:
        types = list(map(type, values))
        where = range(len(types)) if rows is None else rows
        found = [f"a {word} in row {where[types.index(kind)]}" for word, kind in sorted(kinds.items())]
        raise DataError(
            f"Column {quoted(name)} mixes types: {listed(found, show=cut)} (rows count from 0). "
            "Make them one type, for instance strings: column.astype(str)."
        )
    if absent.any():
        values = values.copy()
        values[absent] = None
    if "number" in kinds:
        return np.where(absent, np.nan, values).astype(np.float64)
    return values


def _kind(name: str, kind: type) -> str:
    for word, types in (
        ("boolean", (bool, np.bool_)),
        ("whole number", (int, np.integer)),
        ("number", (float, np.floating, Decimal)),
        ("string", (str,)),
    ):
        if issubclass(kind, types):
            return word
    raise DataError(
        f"Column {quoted(name)} holds objects of type {kind.__name__}; allowed are booleans, numbers and strings. "
        "Convert them, for instance with column.astype(str), or drop the column."
    )


def _objects(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Values as a one-dimensional array of objects, whatever they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def _text_of_name(name: Any) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, int | np.integer):
        return str(name)
    raise DataError(
        f"A column is named {quoted(name)}; names must be strings (or whole numbers): rename or flatten them."
    )


def polars_errors(*others: type[BaseException]) -> tuple[type[BaseException], ...]:
    """Errors of polars, and others. A panic, which damaged files cause, is one that `except Exception` lets through."""
    return pl.exceptions.PolarsError, pl.exceptions.PanicException, *others


@contextmanager
def refused_by_polars(what: str, remedy: Text) -> Iterator[None]:
    """Make a `DataError` of any error of polars in the block, panics and those of reading files included.

    Parameters
    ----------
    what
        What is wrong, with the file.
    remedy
        What to do about it.

    Examples
    --------
    >>> with refused_by_polars("a.parquet: this cannot be read as parquet", "write it again"):
    ...     raise pl.exceptions.ComputeError("no magic number")
    Traceback (most recent call last):
        ...
    arcwise.DataError: a.parquet: this cannot be read as parquet (no magic number); write it again.
    """
    try:
        yield
    except polars_errors(OSError) as error:
        # A panic says where in polars it was, which tells the user nothing.
        panic = isinstance(error, pl.exceptions.PanicException)
        reason = "polars gave up over it" if panic else cut(" ".join(str(error).split()))
        raise DataError(f"{what} ({reason}); ", remedy, ".") from error
