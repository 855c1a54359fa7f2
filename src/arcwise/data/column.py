"""One column of a table, whatever the table was: numbers and booleans as they are, strings and categories as codes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import DataError
from arcwise.support.messages import Setting, Text
from arcwise.support.quoting import cut, listed, quoted

__all__ = ["Column", "column_of_strings", "column_of_values", "typed_column"]

Kind = Literal["boolean", "number", "string", "category", "other"]
Mask = npt.NDArray[np.bool_]
Rows: TypeAlias = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column.

    Attributes
    ----------
    kind
        What they are. "other" is what has no states and is not a number, and is refused when it is used.
    values
        Booleans, whole or floating numbers; of strings and categories the places of their labels; other objects.
    labels
        The different strings, sorted, or the categories as they were declared. Some may not occur.
    absent
        Where a value is missing; None where none is.
    dtype
        What the column's library calls its type, for messages.
    problem
        Why it cannot be used, of "other".
    """

    kind: Kind
    values: npt.NDArray[Any]
    labels: tuple[Any, ...] = ()
    absent: Mask | None = None
    dtype: str = ""
    problem: DataError | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers, which can be discretised, or stay as they are."""
        return self.kind == "number"

    @property
    def is_float(self) -> bool:
        """Whether the values are floating numbers."""
        return self.kind == "number" and self.values.dtype.kind == "f"

    @property
    def has_labels(self) -> bool:
        """Whether the values are places of labels."""
        return self.kind in ("string", "category")

    @property
    def n_absent(self) -> int:
        """How many values are missing."""
        return 0 if self.absent is None else int(self.absent.sum())

    def is_absent(self) -> Mask:
        """Where a value is missing."""
        return np.zeros(len(self), dtype=np.bool_) if self.absent is None else self.absent

    def used(self) -> "Column":
        """Equal column, if it can be used.

        Raises
        ------
        DataError
            Otherwise.
        """
        if self.problem is not None:
            raise self.problem
        return self

    def take(self, rows: Rows | Mask) -> "Column":
        """Some of the values."""
        absent = None if self.absent is None else self.absent[rows]
        return replace(self, values=self.values[rows], absent=absent if absent is not None and absent.any() else None)

    def distinct(self) -> npt.NDArray[Any] | tuple[Any, ...]:
        """States as values: the declared categories as they stand, or else the values that occur, sorted."""
        if self.kind == "category":
            return self.labels
        values = self.values if self.absent is None else self.values[~self.absent]
        if self.kind == "string":
            return tuple(self.labels[place] for place in np.flatnonzero(np.bincount(values)).tolist())
        return np.unique(values)

    def codes(self, distinct: npt.NDArray[Any] | Sequence[Any]) -> npt.NDArray[np.integer[Any]]:
        """Each value's place among the distinct ones; anything where it is missing."""
        if isinstance(distinct, np.ndarray):
            return np.searchsorted(distinct, self.values)
        if self.kind == "category" or len(distinct) == len(self.labels):
            return self.values
        place_of = {label: place for place, label in enumerate(distinct)}
        places = np.array([place_of.get(label, 0) for label in self.labels] or [0], dtype=np.int64)
        return np.asarray(places[self.values])

    def to_list(self) -> list[Any]:
        """Values as Python has them, None where one is missing."""
        if self.has_labels:
            found = [self.labels[place] for place in self.values.tolist()] if self.labels else [None] * len(self)
        else:
            found = self.values.tolist()
        if self.absent is not None:
            for row in np.flatnonzero(self.absent).tolist():
                found[row] = None
        return found


def column_of_values(values: npt.NDArray[Any], absent: Mask | None = None, dtype: str = "") -> Column:
    """Column of booleans or numbers; what is not a number (NaN) is missing."""
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
        lacking = np.isnan(values)
        if lacking.any():
            absent = lacking if absent is None else absent | lacking
    named = dtype or {"b": "Boolean", "f": "Float64"}.get(
        values.dtype.kind, values.dtype.name.title().replace("Ui", "UI")
    )
    kind: Kind = "boolean" if values.dtype.kind == "b" else "number"
    return Column(kind, np.ascontiguousarray(values), absent=_any(absent), dtype=named)


def column_of_strings(
    places: npt.NDArray[np.integer[Any]], texts: Sequence[str], absent: Mask | None = None, dtype: str = "String"
) -> Column:
    """Column of strings, given the place of each among different ones, in any order."""
    order = sorted(range(len(texts)), key=texts.__getitem__)
    ranks = np.empty(max(1, len(order)), dtype=np.min_scalar_type(max(1, len(order))))
    ranks[order] = np.arange(len(order))
    labels = tuple(texts[place] for place in order)
    return Column("string", ranks[places] if len(places) else places, labels, _any(absent), dtype)


def _any(absent: Mask | None) -> Mask | None:
    return absent if absent is not None and absent.any() else None


def typed_column(name: str, values: npt.NDArray[Any], absent: Mask | None = None, dtype: str = "") -> Column:
    """Column of one kind, from an array of numbers, strings, or objects that are all of one kind.

    Objects may be booleans, whole numbers, other numbers or strings; None and NaN among them are missing values.
    Whole and other numbers together count as numbers. Where the kinds are mixed, or of no use here, using the column
    raises a `DataError` (with a row for each).

    Parameters
    ----------
    name
        The column.
    values
        What it has.
    absent
        Where a value is known to be missing.
    dtype
        What to call its type.
    """
    if values.dtype == object:
        try:
            return _of_objects(name, values, absent)
        except DataError as problem:
            return Column("other", values, absent=absent, dtype=dtype or "Object", problem=problem)
    if values.dtype.kind in "UT":
        distinct, places = np.unique(values, return_inverse=True)
        return column_of_strings(places.ravel(), distinct.tolist(), absent)
    if values.dtype.kind in "biuf":
        return column_of_values(values, absent, dtype)
    if values.dtype.kind == "M":
        return Column("other", values, absent=_any(np.isnat(values)), dtype=dtype, problem=stateless(name, "Datetime"))
    raise DataError(f"Column {quoted(name)} has type {values.dtype}; allowed are booleans, numbers and strings.")


def leaving_out(name: str) -> Text:
    """Words for how a column is left out.

    Examples
    --------
    >>> from arcwise.support.messages import said
    >>> said(leaving_out("id"))
    "leave the column out with leave_out='id'"
    """
    return "leave the column out with ", Setting("leave_out", name)


def stateless(name: str, dtype: str) -> DataError:
    """What is said of a column whose type has no states."""
    return DataError(
        f"Column {quoted(name)} has type {dtype}, which has no states; allowed are booleans, numbers, strings "
        "and categories. Convert it (a date to its month or weekday, for instance) or ",
        leaving_out(name),
        ".",
    )


def _of_objects(name: str, values: npt.NDArray[np.object_], absent: Mask | None) -> Column:
    """Objects as a column of their common kind."""
    if absent is None:
        try:
            absent = np.asarray((values == None) | (values != values), dtype=np.bool_)  # noqa: E711 (NaN differs from itself)
        except (TypeError, ValueError, ArithmeticError) as error:  # the last for Decimal("sNaN")
            raise DataError(
                f"Column {quoted(name)} holds objects that cannot be compared ({cut(str(error))}); use None "
                "for missing."
            ) from None
    rows = np.flatnonzero(~absent)
    there = values[rows].tolist()
    kinds = {_kind(name, kind): kind for kind in set(map(type, there))}
    if len(kinds) > 1 and set(kinds) != {"whole number", "number"}:
        types = list(map(type, there))
        found = [f"a {word} in row {rows[types.index(kind)]}" for word, kind in sorted(kinds.items())]
        raise DataError(
            f"Column {quoted(name)} mixes types: {listed(found, show=cut)} (rows count from 0). "
            "Make them one type, for instance strings: column.astype(str)."
        )
    if "string" in kinds or not kinds:
        number: dict[str, int] = {}
        places = np.zeros(len(values), dtype=np.uint32)
        places[rows] = [number.setdefault(each, len(number)) for each in there]
        return column_of_strings(places, list(number), absent)
    try:
        found_type = np.float64 if "number" in kinds else np.bool_ if "boolean" in kinds else _whole(there)
        made = np.zeros(len(values), dtype=found_type)
        made[rows] = there
    except (OverflowError, TypeError, ValueError) as error:
        raise DataError(f"Column {quoted(name)} cannot be read: {cut(str(error))}") from error
    return column_of_values(made, absent)


def _whole(values: list[int]) -> type[np.int64] | type[np.uint64]:
    """Type of whole numbers that has room for all of them."""
    return np.uint64 if max(values) > np.iinfo(np.int64).max else np.int64


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
        "Convert them, for instance with column.astype(str), or ",
        leaving_out(name),
        ".",
    )
