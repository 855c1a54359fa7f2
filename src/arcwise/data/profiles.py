"""What a first pass over a table in parts finds out about each column, chunk by chunk; what was found adds up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY
from arcwise.data.readers import Form
from arcwise.support.errors import DataError
from arcwise.support.later import later
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    import polars as pl
else:
    pl = later("polars")

__all__ = ["ColumnProfile", "TableProfile", "with_nulls"]

Kind = Literal["boolean", "number", "string", "category", "text"]

# More different values than this are not kept: no column has more states.
_MOST_VALUES = MAX_ARITY + 1


def with_nulls(chunk: "pl.DataFrame") -> "pl.DataFrame":
    """Equal rows, with null in place of NaN."""
    return chunk.with_columns(pl.selectors.float().fill_nan(None))


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
        Those that were seen, each once, in no order; not all of them where `is_many`.
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
        What the text can be read as: whole numbers, numbers, or None for anything else.
    """

    name: str
    kind: Kind | None = None
    values: "pl.Series | None" = None
    is_many: bool = False
    categories: tuple[str, ...] | None = None
    n_missing: int = 0
    first_missing: int | None = None
    least: float = np.inf
    most: float = -np.inf
    is_fractional: bool = False
    # Null is what a file of text says of a column that has no value in a chunk.
    text_type: "type[pl.Int64] | type[pl.Float64] | type[pl.Null] | None" = field(default_factory=lambda: pl.Null)

    def add(self, column: "pl.Series", first_row: int, title: str, *, is_text: bool) -> None:
        """Take in a chunk of the column.

        Parameters
        ----------
        column
            The values; null where one is missing.
        first_row
            The row of the table in which the chunk begins.
        title
            What the chunk is from, for messages.
        is_text
            Whether it is from a file of text.

        Raises
        ------
        DataError
            If values are of a kind that has no states and is not a number, or of another kind than those before.
        """
        n_missing = column.null_count()
        if n_missing:
            self.n_missing += n_missing
            if self.first_missing is None:
                self.first_missing = first_row + int(column.is_null().arg_max() or 0)
        if n_missing == len(column):
            return
        kind = "text" if is_text else _kind(column, title)
        if self.kind is not None and kind != self.kind:
            raise DataError(
                f"Column {quoted(self.name)} holds {_PLURALS[kind]} in {title}, and {_PLURALS[self.kind]} in a part "
                "before it; all parts must have the same types: convert one of them."
            )
        self.kind = kind
        if kind == "category":
            self._add_categories(column, title)
            return
        if kind == "number":
            self._add_numbers(column)
        if not self.is_many or kind == "text":
            values = column.unique().drop_nulls()
            if kind == "text":
                self._add_text(values)
            self._add_values(values)

    def _add_categories(self, column: "pl.Series", title: str) -> None:
        categories = tuple(getattr(column.dtype, "categories"))  # noqa: B009
        if self.categories is not None and categories != self.categories:
            raise DataError(
                f"Column {quoted(self.name)} has other categories in {title} than in a part before it; make them the "
                "same, or convert them to strings."
            )
        self.categories = categories
        self.values = pl.Series(self.name, categories, dtype=column.dtype)

    def _add_numbers(self, column: "pl.Series") -> None:
        least, most = column.min(), column.max()
        self.least, self.most = min(self.least, float(least)), max(self.most, float(most))  # type: ignore[arg-type]
        if column.dtype.is_float() and not self.is_fractional:
            self.is_fractional = bool(((column != column.floor()) | column.is_infinite()).any())

    def _add_text(self, values: "pl.Series") -> None:
        """Take in what different texts can be read as."""
        if self.text_type is None:
            return
        dtype = Form.of(values, ()).dtype
        numbers = None if dtype is None else values.cast(dtype, strict=False)
        if dtype is None or numbers is None or numbers.null_count():  # whole numbers beyond 64 bits stay labels
            self.text_type = None
            return
        self._add_numbers(numbers)
        if self.text_type is not pl.Float64:
            self.text_type = dtype

    def _add_values(self, values: "pl.Series") -> None:
        if self.is_many:
            return
        if self.values is not None:
            if values.dtype != self.values.dtype and values.dtype.is_numeric():
                wide = pl.Float64 if values.dtype.is_float() or self.values.dtype.is_float() else pl.Int64
                values, self.values = values.cast(wide), self.values.cast(wide)
            values = pl.concat([self.values, values]).unique()
        self.values = values
        self.is_many = len(values) > _MOST_VALUES

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
        types = {self.text_type, other.text_type} - {pl.Null}
        both = ColumnProfile(
            self.name,
            one if two is None else two,
            self.values,
            self.is_many or other.is_many,
            self.categories if two is None else other.categories,
            self.n_missing + other.n_missing,
            first,
            min(self.least, other.least),
            max(self.most, other.most),
            self.is_fractional or other.is_fractional,
            None if None in types else pl.Float64 if pl.Float64 in types else pl.Int64 if types else pl.Null,
        )
        if other.values is not None:
            if both.kind == "category":
                both.values = other.values
            else:
                both._add_values(other.values)
        return both

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same; not where states are declared."""
        return self.kind not in (None, "category") and not self.is_many and self.typed_values().n_unique() == 1

    @property
    def dtype(self) -> "pl.DataType | None":
        """What text is to be read as; None where values have types already."""
        if self.kind != "text":
            return None
        return {pl.Int64: pl.Int64(), pl.Float64: pl.Float64()}.get(self.text_type, pl.String())  # type: ignore[arg-type]

    def typed_values(self) -> "pl.Series":
        """Different values as booleans, numbers, strings or categories."""
        values = pl.Series(self.name, [], dtype=pl.String) if self.values is None else self.values
        return values if self.dtype is None else values.cast(self.dtype)


_PLURALS = {
    "boolean": "booleans",
    "number": "numbers",
    "string": "strings",
    "category": "categories",
    "text": "fields of a text file",
}


def _kind(column: "pl.Series", title: str) -> Kind:
    dtype = column.dtype
    if dtype == pl.Boolean:
        return "boolean"
    if dtype.is_numeric() and dtype not in (pl.Int128, pl.UInt128):
        return "number"
    if dtype in (pl.String, pl.Categorical):
        return "string"
    if dtype == pl.Enum:
        return "category"
    raise DataError(
        f"{title}: column {quoted(column.name)} has type {dtype}, which has no states; allowed are booleans, numbers, "
        "strings and categories. Convert it (a date to its month or weekday, for instance) or leave the column out."
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
        chunk: "pl.DataFrame",
        title: str,
        weights: npt.NDArray[np.uint32] | None,
        *,
        is_text: bool,
        drops: Sequence[str] = (),
    ) -> None:
        """Take in some rows.

        Parameters
        ----------
        chunk
            The rows, with all columns; null where a value is missing.
        title
            What they are from, for messages.
        weights
            How often each counts.
        is_text
            Whether they are from a file of text.
        drops
            Columns; rows in which one of them has no value are left out.
        """
        kept = chunk
        n_complete = chunk.height if not any(chunk.null_count().row(0)) else chunk.drop_nulls().height
        if drops and n_complete < chunk.height:
            stays = chunk.select(pl.all_horizontal(pl.col(drops).is_not_null())).to_series()
            kept = chunk.filter(stays)
            weights = None if weights is None else weights[stays.to_numpy()]
            for profile in self.columns:
                if profile.name in drops:
                    profile.n_missing += chunk[profile.name].null_count()
        for profile in self.columns:
            if kept.height:
                profile.add(kept[profile.name], self.n_rows, title, is_text=is_text)
        self.n_rows += chunk.height
        self.n_kept += kept.height
        self.n_lost += chunk.height - n_complete
        self.n_observations += kept.height if weights is None else int(weights.sum(dtype=np.uint64))

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
