"""What a first pass over a table in parts finds out about each column, chunk by chunk; what was found adds up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MOST_VALUES
from arcwise.data.column import Column, column_of_strings, column_of_values, leaving_out
from arcwise.data.fields import Fields, Form, numbers_in
from arcwise.data.parts import Chunk
from arcwise.support.errors import DataError
from arcwise.support.quoting import quoted

__all__ = ["ColumnProfile", "TableProfile", "distinct_numbers"]

Kind = Literal["boolean", "number", "string", "category", "text"]
Numbers = npt.NDArray[Any]

# Whole numbers of a wider range are sorted to see which there are.
_WIDEST_RANGE = 1 << 16


def distinct_numbers(values: Numbers) -> Numbers:
    """Different numbers of an array, sorted.

    Examples
    --------
    >>> distinct_numbers(np.array([3, -1, 3])), distinct_numbers(np.array([0.5, 0.25, 0.5]))
    (array([-1,  3]), array([0.25, 0.5 ]))
    """
    if values.dtype.kind in "iu" and values.size:
        least, most = int(values.min()), int(values.max())
        if most - least < _WIDEST_RANGE:
            seen = np.zeros(most - least + 1, dtype=np.bool_)
            seen[values - values.dtype.type(least) if values.dtype.kind == "u" else values.astype(np.int64) - least] = (
                True
            )
            return (np.flatnonzero(seen) + least).astype(values.dtype)
    return np.unique(values)


def _together(one: Numbers, other: Numbers) -> Numbers:
    """Different numbers of both; whole ones stay such."""
    kinds = {one.dtype.kind, other.dtype.kind}
    if "f" in kinds and len(kinds) > 1:
        one, other = one.astype(np.float64), other.astype(np.float64)
    elif kinds == {"i", "u"}:
        one, other = one.astype(np.int64), other.astype(np.int64)
    return np.union1d(one, other)


@dataclass
class ColumnProfile:
    """One column of a table, as far as it was read.

    Attributes
    ----------
    name
        The column.
    kind
        What its values are; None as long as there was none. "text" is what a file of text has, in which only all values
        together tell whether they are numbers.
    values
        Those that were seen, each once: numbers or booleans, or a set of strings. Not all of them where `is_many`.
    some_numbers
        Numbers of a file of text that has too many of them for their texts to be kept.
    is_many
        Whether there are more than any column can have as states.
    categories
        The states that are declared, of "category".
    n_missing
        How many are missing.
    first_missing
        The row, counted from 0, where the first one is missing.
    least, most
        The smallest and the largest number.
    is_fractional
        Whether some number is not whole.
    text_type
        What the text can be read as.
    """

    name: str
    kind: Kind | None = None
    values: "Numbers | set[str] | None" = None
    some_numbers: Numbers | None = None
    is_many: bool = False
    categories: tuple[str, ...] | None = None
    n_missing: int = 0
    first_missing: int | None = None
    least: float = np.inf
    most: float = -np.inf
    is_fractional: bool = False
    text_type: Form = "nothing"

    def add(self, column: Column | Fields, first_row: int, title: str) -> None:
        """Take in a chunk of the column.

        Parameters
        ----------
        column
            The values; null where one is missing.
        first_row
            The row of the table in which the chunk begins.
        title
            What the chunk is from, for messages.

        Raises
        ------
        DataError
            If values are of a kind that has no states and is not a number, or of another kind than those before.
        """
        absent = column.absent
        if absent is not None:
            n_missing = int(absent.sum())
            self.n_missing += n_missing
            if self.first_missing is None:
                self.first_missing = first_row + int(absent.argmax())
            if n_missing == len(column):
                return
        kind = "text" if isinstance(column, Fields) else _kind(self.name, column, title)
        if self.kind is not None and kind != self.kind:
            raise DataError(
                f"Column {quoted(self.name)} holds {_PLURALS[kind]} in {title}, and {_PLURALS[self.kind]} in a part "
                "before it; all parts must have the same types: convert one of them."
            )
        self.kind = kind
        if isinstance(column, Fields):
            self._add_text(column)
        elif column.kind == "category":
            self._add_categories(column.labels, title)
        elif column.kind == "string":
            self._add_strings(column.distinct())
        else:
            values = column.values if absent is None else column.values[~absent]
            if column.is_numeric:
                self._add_numbers(values)
            if not self.is_many:
                self._add_values(distinct_numbers(values))

    def _add_categories(self, categories: tuple[Any, ...], title: str) -> None:
        if self.categories is not None and categories != self.categories:
            raise DataError(
                f"Column {quoted(self.name)} has other categories in {title} than in a part before it; make them the "
                "same, or convert them to strings."
            )
        self.categories = categories

    def _add_numbers(self, numbers: Numbers) -> None:
        self.least, self.most = min(self.least, float(numbers.min())), max(self.most, float(numbers.max()))
        if numbers.dtype.kind == "f" and not self.is_fractional:
            self.is_fractional = bool(((numbers != np.floor(numbers)) | np.isinf(numbers)).any())

    def _add_text(self, fields: Fields) -> None:
        """Take in the texts, and what they can be read as."""
        self.text_type = _both_forms(self.text_type, fields.form)
        numbers = fields.distinct_numbers
        if self.text_type != "label" and numbers is not None:
            self._add_numbers(numbers)
        if fields.codes is not None:
            self._add_strings(fields.texts)
        elif self.some_numbers is None and numbers is not None:
            self.some_numbers, self.is_many = np.unique(numbers), True

    def _add_strings(self, strings: Iterable[Any]) -> None:
        if self.is_many:
            return
        known = self.values if isinstance(self.values, set) else set[str]()
        self.values = known | set(strings)
        self.is_many = len(self.values) > MOST_VALUES

    def _add_values(self, values: Numbers) -> None:
        self.values = values if not isinstance(self.values, np.ndarray) else _together(self.values, values)
        self.is_many = len(self.values) > MOST_VALUES

    def with_more(self, other: "ColumnProfile", first_row: int) -> "ColumnProfile":
        """Profile of the rows of both, those of the other one behind these, beginning with this row.

        Raises
        ------
        DataError
            If their kinds differ.
        """
        one, two = self.kind, other.kind
        if one is not None and two is not None and (one != two or self.categories != other.categories):
            raise DataError(
                f"Column {quoted(self.name)} holds {_PLURALS[one]} in one part and {_PLURALS[two]} in another, or "
                "other categories; all parts must have the same types: convert one of them."
            )
        first = self.first_missing
        if first is None and other.first_missing is not None:
            first = first_row + other.first_missing
        both = ColumnProfile(
            self.name,
            one if two is None else two,
            self.values,
            self.some_numbers if self.some_numbers is not None else other.some_numbers,
            self.is_many or other.is_many,
            self.categories if two is None else other.categories,
            self.n_missing + other.n_missing,
            first,
            min(self.least, other.least),
            max(self.most, other.most),
            self.is_fractional or other.is_fractional,
            _both_forms(self.text_type, other.text_type),
        )
        if isinstance(other.values, set):
            both._add_strings(other.values)
        elif other.values is not None and not both.is_many:
            both._add_values(other.values)
        return both

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same; not where states are declared."""
        return self.kind not in (None, "category") and not self.is_many and len(self.typed_values()) == 1

    @property
    def dtype(self) -> Form | None:
        """What text is to be read as; None where values have types already."""
        return self.text_type if self.kind == "text" else None

    def typed_values(self) -> Column:
        """Different values as booleans, numbers, strings or categories, sorted but for the last."""
        if self.kind == "category":
            labels = self.categories or ()
            return Column("category", np.arange(len(labels)), labels, dtype="Enum")
        if isinstance(self.values, np.ndarray):
            return column_of_values(self.values)
        texts = sorted(self.values or ())
        if self.kind == "text" and self.text_type in ("whole", "number"):
            numbers = numbers_in(texts) if texts else np.empty(0, dtype=np.int64)
            assert numbers is not None
            return column_of_values(
                np.unique(numbers) if self.some_numbers is None else _together(numbers, self.some_numbers)
            )
        if self.some_numbers is not None:
            texts = sorted({*texts, *map(str, self.some_numbers.tolist())})
        return column_of_strings(np.arange(len(texts)), texts)


def _both_forms(one: Form, other: Form) -> Form:
    """Return what texts can be read as, of which some can be read as one thing, others as another."""
    forms = {one, other} - {"nothing"}
    return "label" if "label" in forms else "number" if "number" in forms else "whole" if forms else "nothing"


_PLURALS = {
    "boolean": "booleans",
    "number": "numbers",
    "string": "strings",
    "category": "categories",
    "text": "fields of a text file",
}


def _kind(name: str, column: Column, title: str) -> Kind:
    if column.kind != "other":
        return column.kind
    raise DataError(
        f"{title}: column {quoted(name)} has type {column.dtype}, which has no states; allowed are booleans, numbers, "
        "strings and categories. Convert it (a date to its month or weekday, for instance) or ",
        leaving_out(name),
        ".",
    )


@dataclass
class TableProfile:
    """What a first pass has found out about a table, or about a part of it.

    Attributes
    ----------
    columns
        The columns.
    n_rows
        How many rows were read.
    n_kept
        How many of them stay: all, or those without missing values where these are left out.
    n_observations
        The sum of the weights of these.
    n_lost
        How many rows have missing values.
    """

    columns: list[ColumnProfile] = field(default_factory=list)
    n_rows: int = 0
    n_kept: int = 0
    n_observations: int = 0
    n_lost: int = 0

    @classmethod
    def of_names(cls, names: Iterable[str]) -> "TableProfile":
        """Return the profile of no rows."""
        return cls([ColumnProfile(name) for name in names])

    def add(
        self,
        chunk: Chunk,
        title: str,
        weights: npt.NDArray[np.uint32] | None,
        *,
        drops: Sequence[str] = (),
    ) -> None:
        """Take in some rows.

        Parameters
        ----------
        chunk
            The rows, with all columns.
        title
            What they are from, for messages.
        weights
            How often each counts.
        drops
            Columns; rows in which one of them has no value are left out.
        """
        kept = chunk
        absent = chunk.absent(chunk.columns)
        n_incomplete = 0 if absent is None else int(absent.sum())
        if drops and n_incomplete:
            lacking = chunk.absent(drops)
            if lacking is not None:
                kept = chunk.take(~lacking)
                weights = None if weights is None else weights[~lacking]
            for profile in self.columns:
                own = chunk.columns[profile.name].absent
                if profile.name in drops and own is not None:
                    profile.n_missing += int(own.sum())
        for profile in self.columns:
            if kept.n_rows:
                profile.add(kept.columns[profile.name], self.n_rows, title)
        self.n_rows += chunk.n_rows
        self.n_kept += kept.n_rows
        self.n_lost += n_incomplete
        self.n_observations += kept.n_rows if weights is None else int(weights.sum(dtype=np.uint64))

    def with_more(self, other: "TableProfile") -> "TableProfile":
        """Profile of the rows of both, those of the other one behind these."""
        columns = [one.with_more(two, self.n_rows) for one, two in zip(self.columns, other.columns, strict=True)]
        return TableProfile(
            columns,
            self.n_rows + other.n_rows,
            self.n_kept + other.n_kept,
            self.n_observations + other.n_observations,
            self.n_lost + other.n_lost,
        )
