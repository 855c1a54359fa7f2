"""Separated text becomes a frame: lines counted, the header checked, columns typed without losing a label."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from arcwise.data.checks import column_names
from arcwise.data.panics import refused_by_polars
from arcwise.data.quotes import with_plain_quotes
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.messages import Setting
from arcwise.support.names import default_names
from arcwise.support.quoting import quoted

_QUOTE, _NEWLINE = ord('"'), ord("\n")
# Polars unpacks what looks compressed, and text that starts with "x^" looks like zlib: a first line to be skipped.
_NO_MAGIC = b"-\n"
# No leading zeros: "007" is a label, not the number 7.
_WHOLE = r"^(0|-?[1-9][0-9]*)$"
_NUMBER = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?inf$"


@dataclass(frozen=True)
class TextFormat:
    """How a text file is laid out.

    Parameters
    ----------
    path
        The file's name, for messages.
    separator
        What stands between fields.
    header
        Whether the first line holds the names; None if it should, unless it looks like data.
    names
        Names of the columns, when there is no header.
    missing_tokens
        Fields that count as missing; the empty field always does.
    """

    path: str
    separator: str
    header: bool | None
    names: Sequence[str] | None
    missing_tokens: tuple[str, ...]


def frame_of_text(data: bytes, layout: TextFormat) -> pl.DataFrame:
    """Table in UTF-8 text: every column whole numbers, numbers, or strings.

    Spaces around fields are removed. Blank lines are skipped, except within a file of one column, where an empty line
    is an empty field.

    Raises
    ------
    DataError
        If lines differ in their number of fields, a quote is not closed, or the names are not right; says the line.
    """
    if not data.endswith(b"\n"):
        data += b"\n"
    data, ends = _checked_lines(with_plain_quotes(data, layout.separator, layout.path), layout)
    first = _first_fields(data[: ends[0]].decode(), layout)
    if layout.header is False:
        names = column_names(layout.names or default_names(len(first)), len(first))
    else:
        names = _names_in_header(first, layout)
        data, ends = data[ends[0] :], ends[1:]
    if not ends.size:
        raise DataError(
            f"{layout.path}: no rows follow the header; give at least one (or say ", Setting("header", False), ")."
        )
    what = f"{layout.path}: this cannot be read as text separated by {layout.separator!r}"
    with refused_by_polars(what, ("correct the file, or give another ", Setting("separator"))):
        frame = pl.read_csv(
            _NO_MAGIC + data,
            skip_rows=1,
            has_header=False,
            infer_schema=False,
            separator=layout.separator,
            new_columns=list(names),
        )
    if frame.shape != (ends.size, len(names)):
        raise DataError(
            f"{layout.path}: {ends.size:,} rows of {len(names)} fields were counted, but {frame.height:,} of "
            f"{frame.width} read; look for what is odd in it, or write the file again with another program."
        )
    return pl.DataFrame([_typed(column, layout) for column in frame.iter_columns()])


def _checked_lines(data: bytes, layout: TextFormat) -> tuple[bytes, npt.NDArray[np.intp]]:
    """Text without blank lines and where its records end, if all have equally many fields.

    Polars fills short lines up without a word, so that the fields are counted here.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    newline, separator = text == _NEWLINE, text == ord(layout.separator)
    if b'"' in data:
        outside = np.cumsum(text == _QUOTE, dtype=np.uint8) % 2 == 0
        newline &= outside
        separator &= outside
    ends = np.flatnonzero(newline) + 1
    starts = np.concatenate([[0], ends[:-1]])
    n_fields = np.add.reduceat(separator.view(np.uint8), starts, dtype=np.int32) + 1
    blank = ends - starts == 1
    wanted = int(n_fields[np.argmin(blank)])
    wrong = ~blank & (n_fields != wanted)
    if wrong.any():
        at = int(np.argmax(wrong))
        line, first_line = (data.count(b"\n", 0, start) + 1 for start in (starts[at], starts[np.argmin(blank)]))
        raise DataError(
            f"{layout.path}, line {line}: this line has {n_fields[at]} field(s), but line "
            f"{first_line} has {wanted} (separated by {quoted(layout.separator)}); all lines must have equally many. "
            "Correct the line, quote fields that contain the separator, or give another ",
            Setting("separator"),
            ".",
        )
    if wanted == 1:
        blank[np.argmin(blank) : blank.size - np.argmin(blank[::-1])] = False
    if blank.any():
        removed = np.zeros(text.size, dtype=np.bool_)
        removed[starts[blank]] = True
        data, ends = text[~removed].tobytes(), (ends - np.cumsum(blank))[~blank]
    return data, ends


def _first_fields(line: str, layout: TextFormat) -> list[str]:
    try:
        fields = next(csv.reader(io.StringIO(line, newline=""), delimiter=layout.separator, strict=True))
    except csv.Error as error:  # a field larger than the module takes
        raise DataError(f"{layout.path}, line 1: this cannot be the names or the first row: {error}.") from None
    return [field.strip() for field in fields]


def _names_in_header(fields: list[str], layout: TextFormat) -> tuple[str, ...]:
    if layout.names is not None:
        raise ParameterError(
            Setting("names"),
            " is for files without header: say ",
            Setting("header", False),
            ", or rename the columns afterwards.",
        )
    counted = [[str(v) for v in range(start, start + len(fields))] for start in (0, 1)]
    if layout.header is None and fields not in counted and all(re.match(_NUMBER, field) for field in fields):
        raise DataError(
            f"{layout.path}, line 1: there seems to be no header, since all its fields are numbers. Say ",
            Setting("header", False),
            " if the first line is data, or ",
            Setting("header", True),
            " if these are the names.",
        )
    if "" in fields:
        raise DataError(
            f"{layout.path}, line 1: column {fields.index('')} (counted from 0) has no name. Give it one, "
            "or leave it out (pandas writes its index as such a column, unless it is told not to)."
        )
    try:
        return column_names(fields)
    except DataError as error:
        raise DataError(
            f"{layout.path}, line 1: ", error.message, " If there is no header, say ", Setting("header", False), "."
        ) from None


def _typed(column: pl.Series, layout: TextFormat) -> pl.Series:
    """Column without spaces around its fields, null where one is missing, as numbers if all the rest are."""
    missing_tokens = ["", *layout.missing_tokens]
    distinct = column.unique()
    stripped = distinct.str.strip_chars(" \t")
    if (distinct != stripped).any():
        column, distinct = column.str.strip_chars(" \t"), stripped
    absent = distinct.is_in(missing_tokens)
    if absent.any():
        column = column.to_frame().select(pl.when(~pl.first().is_in(missing_tokens)).then(pl.first())).to_series()
    present = distinct.filter(~absent)
    if present.is_empty():
        return column
    for pattern, dtype in ((_WHOLE, pl.Int64), (_NUMBER, pl.Float64)):
        if present.str.contains(pattern).all():
            numbers = column.cast(dtype, strict=False)
            # Whole numbers beyond 64 bits stay labels.
            return numbers if numbers.null_count() == column.null_count() else column
    return column
