"""Frames, arrays, rows and dicts in memory, all seen as one thing: named columns of known kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import column_names
from arcwise.data.column import Column, typed_column
from arcwise.data.frames import column_of_series
from arcwise.support.errors import DataError
from arcwise.support.later import later
from arcwise.support.messages import Setting
from arcwise.support.names import default_names
from arcwise.support.quoting import listed, numbered, quoted

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

__all__ = [
    "Table",
    "ordered_names",
    "table_of_array",
    "table_of_columns",
    "table_of_frame",
    "table_of_rows",
]


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
        return self.chosen([other for other in self.names if other != name])

    def chosen(self, names: Sequence[str]) -> Self:
        """Some of the columns, in the order of these names."""
        columns = dict(zip(self.names, self.columns, strict=True))
        return type(self)(tuple(names), tuple(columns[name] for name in names))

    def ordered(self, names: Sequence[str]) -> Self:
        """Equal columns in the order of these names.

        Raises
        ------
        DataError
            If a column is missing or left over.
        """
        return self.chosen(ordered_names(self.names, names))

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
        if frame is None:
            raise DataError("The data is None; give a file name, a frame, an array or a dict of columns.") from error
        hint = "call its .collect() first" if hasattr(frame, "collect") else "give a pandas, polars or pyarrow frame"
        raise DataError(
            f"The data is of type {type(frame).__name__}, which cannot be read as a frame; {hint}."
        ) from error
    found = column_names(map(_text_of_name, names))
    columns = zip(found, table.iter_columns(), strict=True)
    return Table(found, tuple(column_of_series(name, series) for name, series in columns))


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
        raise DataError(f"The array has {numbered(array.ndim, 'dimension')}; it must have two, rows by variables.")
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
    arrays = [_array(values) for values in columns.values()]
    for name, array in zip(names, arrays, strict=True):
        if array.shape != arrays[0].shape:
            raise DataError(
                f"Column {quoted(name)} has {numbered(len(array), 'row')}, but column {quoted(names[0])} has "
                f"{len(arrays[0])}; all columns must be equally long."
            )
    return Table(names, tuple(typed_column(name, array) for name, array in zip(names, arrays, strict=True)))


def table_of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Columns of a list of dicts, one for each row; a key that a row lacks is a missing value there."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return table_of_columns({name: [row.get(name) for row in rows] for name in names})


def _array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Values as a one-dimensional array, of objects where they have no type in common, whatever they are."""
    if isinstance(values, np.ndarray):
        return values
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
