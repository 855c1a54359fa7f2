"""Files become frames: parquet, and text with separators (plain or compressed), with every fault named by its line."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import column_names
from arcwise.data.tables import refused_by_polars
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.files import UnpackingError, endings, read_bytes
from arcwise.support.later import later
from arcwise.support.messages import Setting
from arcwise.support.names import default_names
from arcwise.support.quoting import quoted, shown_path

if TYPE_CHECKING:
    import polars as pl
else:
    pl = later("polars")

__all__ = [
    "MISSING_TOKENS",
    "SEPARATORS",
    "Form",
    "TextFormat",
    "checked_separator",
    "decoded",
    "end_of_records",
    "fields_of_text",
    "frame_of_file",
    "frame_of_text",
    "guessed_separator",
    "with_plain_quotes",
]

#: Fields of a text file that count as missing values. "None" is not among them: it is a common name of a state.
MISSING_TOKENS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")

#: What separates fields, by the ending of a file; None where that is guessed.
SEPARATORS: Mapping[str, str | None] = {".csv": None, ".tsv": "\t"}
_GUESSES = (",", ";", "\t")
_WRITE_AGAIN = "the file is damaged, or something else: write it again"


def frame_of_file(
    path: Path,
    *,
    separator: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
) -> "pl.DataFrame":
    """Table in a file, as a polars frame; parameters as for `Dataset.from_file`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If its kind is unknown or its content is not a table.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no file {shown_path(path)!r} (looked in {Path.cwd()}).")
    if path.is_dir():
        raise DataError(f"{shown_path(path)}: this is a folder; give one csv, tsv or parquet file.")
    kind, packing = endings(path)
    if kind == ".parquet" and not packing and separator is None:
        with refused_by_polars(f"{shown_path(path)}: this cannot be read as parquet", _WRITE_AGAIN):
            return pl.read_parquet(path)
    if kind not in SEPARATORS and separator is None:
        raise DataError(
            f"{shown_path(path)}: the file type {quoted(kind + packing)} is unknown; known are .csv and .tsv "
            "(also with .gz, .bz2, .xz or .zst after it) and .parquet. For other text files give the separator, as in ",
            Setting("separator", ","),
            ".",
        )
    separator = checked_separator(separator)
    data = _text(path, packing)
    separator = separator or SEPARATORS[kind] or guessed_separator(data)
    return frame_of_text(data, TextFormat(shown_path(path), separator, header, names, tuple(missing_tokens)))


def checked_separator(separator: str | None) -> str | None:
    """Separator as it was given, if it is one.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    if separator is not None and (
        not isinstance(separator, str) or len(separator.encode()) != 1 or separator in '"\r\n'
    ):
        raise ParameterError.of("separator", "one ASCII character other than a quote or line end", separator)
    return separator


def _text(path: Path, packing: str) -> bytes:
    """File's content, unpacked: UTF-8 with line feeds, without byte order mark."""
    try:
        data = read_bytes(path)
    except UnpackingError as error:
        raise DataError(f"{shown_path(path)}: this cannot be unpacked as {packing}: {error}") from error
    data = decoded(data, shown_path(path))
    if not data.strip():
        raise DataError(f"{shown_path(path)}: the file is empty; it should hold a line of names and then rows.")
    return data


def decoded(data: bytes, path: str, *, bytes_before: int = 0, lines_before: int = 0) -> bytes:
    """Text in UTF-8 with line feeds, without byte order mark, from a file or from a part of it that ends with a line.

    Raises
    ------
    DataError
        If it is not UTF-8, with the line.
    """
    if not bytes_before and data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path}: this is UTF-16 text; convert it to UTF-8 first.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = lines_before + data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: byte 0x{data[error.start]:02x} (at position {bytes_before + error.start} of the "
            "file) is not UTF-8; convert the file to UTF-8 first (for instance with iconv)."
        ) from None
    if not bytes_before:
        data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def guessed_separator(data: bytes) -> str:
    """Whichever of comma, semicolon and tab occurs most in the first line outside quotes; comma if none does."""
    start = len(data) - len(data.lstrip(b"\n"))
    end = data.find(b"\n", start)
    line = data[start : end if end >= 0 else None].decode()

    def n_outside(separator: str) -> int:
        # Quoted is a field that begins with a quote; its end may be in a later line.
        quoted_field = rf'(?:^|(?<={separator}))"[^"]*+(?:""[^"]*+)*+(?:"(?={separator}|$)|$)'
        return re.sub(quoted_field, "", line).count(separator)

    return max(_GUESSES, key=n_outside)


_FEW = 20  # values of a column
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
    lines_before
        How many lines of the file are not in the text, where that is a later part of it.
    n_fields
        How many fields its lines have, where earlier ones have said so.
    """

    path: str
    separator: str
    header: bool | None
    names: Sequence[str] | None
    missing_tokens: tuple[str, ...]
    lines_before: int = 0
    n_fields: int | None = None


def frame_of_text(data: bytes, layout: TextFormat) -> "pl.DataFrame":
    """Table in UTF-8 text: every column whole numbers, numbers, or strings.

    Spaces around fields are removed. Blank lines are skipped, except within a file of one column, where an empty line
    is an empty field.

    Raises
    ------
    DataError
        If lines differ in their number of fields, a quote is not closed, or the names are not right; says the line.
    """
    frame = fields_of_text(data, layout)
    forms: dict[frozenset[str | None], Form] = {}
    return pl.DataFrame([_typed(column, layout, forms) for column in frame.iter_columns()])


def fields_of_text(data: bytes, layout: TextFormat) -> "pl.DataFrame":
    """Fields of UTF-8 text as they stand, all of them strings; see `frame_of_text`."""
    if not data.endswith(b"\n"):
        data += b"\n"
    plain = with_plain_quotes(data, layout.separator, layout.path, lines_before=layout.lines_before)
    data, ends = _checked_lines(plain, layout)
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
    return frame


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
    wanted = layout.n_fields or int(n_fields[np.argmin(blank)])
    wrong = ~blank & (n_fields != wanted)
    if wrong.any():
        at = int(np.argmax(wrong))
        line, first_line = (_line(data, start, layout.lines_before) for start in (starts[at], starts[np.argmin(blank)]))
        others = f"line {first_line} has" if layout.n_fields is None else "the lines before have"
        raise DataError(
            f"{layout.path}, line {line}: this line has {n_fields[at]} field(s), but {others} {wanted} (separated "
            f"by {quoted(layout.separator)}); all lines must have equally many. "
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


@dataclass(frozen=True)
class Form:
    """What the fields of a column are: some with spaces around, some missing, and what all others can be read as."""

    is_padded: bool
    has_missing: bool
    dtype: "type[pl.Int64] | type[pl.Float64] | None"

    @classmethod
    def of(cls, distinct: "pl.Series", missing_tokens: Sequence[str]) -> "Form":
        """Return the form of a column with these values."""
        stripped = distinct.str.strip_chars(" \t")
        absent = stripped.is_in(missing_tokens)
        present = stripped.filter(~absent)
        dtypes = ((_WHOLE, pl.Int64), (_NUMBER, pl.Float64))
        matching = (dtype for pattern, dtype in dtypes if present.str.contains(pattern).all())
        dtype = None if present.is_empty() else next(matching, None)
        return cls(bool((distinct != stripped).any()), bool(absent.any()), dtype)


def _typed(column: "pl.Series", layout: TextFormat, forms: dict[frozenset[str | None], Form]) -> "pl.Series":
    """Column without spaces around its fields, null where one is missing, as numbers if all the rest are.

    Columns of the same few values, of which there may be thousands, have the same of the `forms`.
    """
    missing_tokens = ["", *layout.missing_tokens]
    distinct = column.unique()
    values = frozenset(distinct.to_list()) if len(distinct) <= _FEW else None
    form = None if values is None else forms.get(values)
    if form is None:
        form = Form.of(distinct, missing_tokens)
        if values is not None:
            forms[values] = form
    if form.is_padded:
        column = column.str.strip_chars(" \t")
    if form.has_missing:
        column = column.to_frame().select(pl.when(~pl.first().is_in(missing_tokens)).then(pl.first())).to_series()
    if form.dtype is None:
        return column
    numbers = column.cast(form.dtype, strict=False)
    # Whole numbers beyond 64 bits stay labels.
    return numbers if numbers.null_count() == column.null_count() else column


_QUOTED_FIELD = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')


def with_plain_quotes(data: bytes, separator: str, path: str, *, lines_before: int = 0) -> bytes:
    r"""Text that says the same with quotes around fields only, and those within quoted fields doubled.

    A field is quoted if a quote is its first sign; it ends with the next quote that is not doubled, after which a
    separator or the end of the line must follow. A quote further inside a field is a sign like any other: 5" is five
    inches. Programs differ in where they think such a row ends, polars among them, so that fields with such a quote
    are quoted here.

    Parameters
    ----------
    data
        Lines that end in line feeds, the last one too.
    separator
        What stands between fields.
    path
        The file, for messages.
    lines_before
        How many lines of the file are not in the data, for messages.

    Raises
    ------
    DataError
        With the line, for a quoted field that does not end or has text after its end, and for spaces before a quote.

    Examples
    --------
    >>> with_plain_quotes(b'size,"of"\n5" pipe,x\n', ",", "pipes.csv")
    b'size,"of"\n"5"" pipe",x\n'
    """
    if b'"' not in data or _all_plain(data, separator):
        return data
    return b"".join(_pieces(data, separator, path, lines_before))


def _all_plain(data: bytes, separator: str) -> bool:
    """Whether each first quote of two follows the end of a field or a quote, and each second one is before such."""
    text = np.frombuffer(data, dtype=np.uint8)
    quote = text == _QUOTE
    inside = (np.cumsum(quote, dtype=np.uint8) & 1).view(np.bool_)
    edge = quote | (text == _NEWLINE) | (text == ord(separator))
    # The last sign is a line feed, so that no quote is without one after it.
    wrong_first = (quote[1:] & inside[1:] & ~edge[:-1]).any()
    wrong_second = (quote[:-1] & ~inside[:-1] & ~edge[1:]).any()
    return not (inside[-1] or wrong_first or wrong_second)


def _pieces(data: bytes, separator: str, path: str, lines_before: int) -> Iterator[bytes]:
    between = separator.encode()
    next_end = re.compile(b"[\n" + re.escape(between) + b"]")
    end = kept = 0  # where the last field with quotes ended, and what was given already
    while (at := data.find(b'"', end)) >= 0:
        begin = max(data.rfind(between, end, at), data.rfind(b"\n", end, at)) + 1
        begin = max(begin, end)
        if begin == at:
            end = _end_of_quoted(data, at, between, path, lines_before)
            continue
        found = next_end.search(data, at)
        assert found is not None  # the last line ends too
        end = found.start()
        field = data[begin:end]
        if not data[begin:at].strip(b" \t"):
            line = _line(data, at, lines_before)
            raise DataError(
                f"{path}, line {line}: the field {quoted(field.decode().strip())} has a space before its "
                "quote; remove the spaces between separators and quotes."
            )
        yield data[kept:begin]
        yield b'"' + field.replace(b'"', b'""') + b'"'
        kept = end
    yield data[kept:]


def _end_of_quoted(data: bytes, at: int, between: bytes, path: str, lines_before: int) -> int:
    field = _QUOTED_FIELD.match(data, at)
    if field is None:
        line = _line(data, at, lines_before)
        raise DataError(f"{path}, line {line}: a quote is not closed; close it, or double it within a quoted field.")
    end = field.end()
    if data[end : end + 1] not in (between, b"\n"):
        begins, line = _line(data, at, lines_before), _line(data, end, lines_before)
        after = data[end : end + 40].split(b"\n")[0].decode(errors="ignore")
        where = "" if begins == line else f" (the field begins in line {begins})"
        raise DataError(
            f"{path}, line {line}: {quoted(after)} follows the closing quote of a field{where}; a separator or the "
            "end of the line should. Double the quotes within quoted fields, or correct the line."
        )
    return end


def _line(data: bytes, at: int, lines_before: int) -> int:
    return lines_before + data.count(b"\n", 0, at) + 1


def end_of_records(data: bytes, separator: str) -> int:
    r"""Where the last complete record of a text ends, 0 if there is none: a line feed in a quoted field ends nothing.

    Parameters
    ----------
    data
        The beginning of a text, cut off anywhere.
    separator
        What stands between fields.

    Examples
    --------
    >>> end_of_records(b'a,b\n1,"x\n', ",")
    4
    """
    end = data.rfind(b"\n") + 1
    if b'"' not in data or (end and _all_plain(data[:end], separator)):
        return end
    between = separator.encode()
    next_end = re.compile(b"[\n" + re.escape(between) + b"]")
    # The next quote, where the field with the last one ends, and the end of what is complete.
    at, seen, end = data.find(b'"'), 0, 0
    while at >= 0:
        end = max(end, data.rfind(b"\n", seen, at) + 1)
        field_begins = at == seen or data[at - 1 : at] in (between, b"\n")
        found = _QUOTED_FIELD.match(data, at) if field_begins else next_end.search(data, at)
        if found is None or found.end() == len(data):  # what comes after a quote at the very end may double it
            return end
        seen = found.end() if field_begins else found.start()
        at = data.find(b'"', seen)
    return max(end, data.rfind(b"\n", seen) + 1)
