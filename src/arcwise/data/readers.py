"""Files become tables: parquet, and text with separators (plain or compressed), with every fault named by its line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from arcwise import _core
from arcwise.data.codes import column_names
from arcwise.data.fields import Fields, numbers_in
from arcwise.data.parquet import ParquetFile
from arcwise.data.tables import Table
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.files import UnpackingError, endings, read_bytes
from arcwise.support.messages import Setting
from arcwise.support.names import default_names
from arcwise.support.quoting import quoted, shown_path

__all__ = [
    "MISSING_TOKENS",
    "SEPARATORS",
    "TextFormat",
    "checked_separator",
    "decoded",
    "end_of_records",
    "fields_of_text",
    "guessed_separator",
    "table_of_file",
    "table_of_text",
    "unknown_type",
]

#: Fields of a text file that count as missing values. "None" is not among them: it is a common name of a state.
MISSING_TOKENS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")

#: What separates fields, by the ending of a file; None where that is guessed.
SEPARATORS: Mapping[str, str | None] = {".csv": None, ".tsv": "\t"}
_GUESSES = (",", ";", "\t")


def table_of_file(
    path: Path,
    *,
    separator: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
) -> Table:
    """Table in a file; parameters as for `Dataset.from_file`.

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
        return ParquetFile(path).table()
    if kind not in SEPARATORS and separator is None:
        raise unknown_type(path)
    separator = checked_separator(separator)
    data = _text(path, packing)
    separator = separator or SEPARATORS[kind] or guessed_separator(data)
    return table_of_text(data, TextFormat(shown_path(path), separator, header, names, tuple(missing_tokens)))


# What files hold that is not a table of text, by the ends of their names, and what to do.
_NO_TEXT = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "is a spreadsheet; save the sheet as .csv"),
    **dict.fromkeys(
        (".bif", ".xmlbif", ".bifxml", ".xbif", ".net", ".xdsl", ".uai"), "is a network, not data; give a table of rows"
    ),
}


def unknown_type(path: Path) -> DataError:
    """Return what is said of a file whose name does not say that it has a table."""
    kind, packing = endings(path)
    if kind in _NO_TEXT:
        return DataError(f"{shown_path(path)} {_NO_TEXT[kind]}.")
    return DataError(
        f"{shown_path(path)}: the file type {quoted(kind + packing)} is unknown; known are .csv and .tsv "
        "(also with .gz, .bz2, .xz or .zst after it) and .parquet. For other text files give the separator, as in ",
        Setting("separator", ","),
        ".",
    )


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


_QUOTE, _NEWLINE = ord('"'), ord("\n")
# A column of numbers with more different ones than this is read number by number.
_MANY_NUMBERS = 1000


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


def table_of_text(data: bytes, layout: TextFormat) -> Table:
    """Table in UTF-8 text: every column whole numbers, numbers, or strings.

    Spaces around fields are removed. Blank lines are skipped, except within a file of one column, where an empty line
    is an empty field.

    Raises
    ------
    DataError
        If lines differ in their number of fields, a quote is not closed, or the names are not right; says the line.
    """
    fields = fields_of_text(data, layout, most_texts=_MANY_NUMBERS)
    return Table(tuple(fields), tuple(each.column() for each in fields.values()))


def fields_of_text(data: bytes, layout: TextFormat, *, most_texts: int) -> dict[str, Fields]:
    """Fields of UTF-8 text by column; see `table_of_text`.

    Parameters
    ----------
    data
        The text.
    layout
        How it is laid out.
    most_texts
        Columns of numbers with more different texts than this are read number by number.
    """
    if not data.endswith(b"\n"):
        data += b"\n"
    has_names, tokens = layout.header is not False, list(layout.missing_tokens)
    text = _core.TextTable(data, layout.separator, has_names, layout.n_fields or 0, most_texts, tokens)
    if text.fault is not None:
        _refuse(data, text, layout)
    if has_names:
        names = _names_in_header([field.strip() for field in text.names], layout)
    else:
        names = column_names(layout.names or default_names(text.n_fields), text.n_fields)
    if not text.n_rows:
        raise DataError(
            f"{layout.path}: no rows follow the header; give at least one (or say ", Setting("header", False), ")."
        )
    return {name: Fields.of(text, place) for place, name in enumerate(names)}


def _refuse(data: bytes, text: _core.TextTable, layout: TextFormat) -> NoReturn:
    """Say what is wrong with a text, and in which line."""
    assert text.fault is not None
    fault, begin, end, n_fields = text.fault
    first_line = _line(data, begin, layout.lines_before)
    if fault == "open quote":
        raise DataError(
            f"{layout.path}, line {first_line}: a quote is not closed; close it, or double it within a quoted field."
        )
    if fault == "after quote":
        line = _line(data, end, layout.lines_before)
        after = data[end : end + 40].split(b"\n")[0].decode(errors="ignore")
        where = "" if first_line == line else f" (the field begins in line {first_line})"
        raise DataError(
            f"{layout.path}, line {line}: {quoted(after)} follows the closing quote of a field{where}; a separator or "
            "the end of the line should. Double the quotes within quoted fields, or correct the line."
        )
    if fault == "space before":
        raise DataError(
            f"{layout.path}, line {first_line}: the field {quoted(data[begin:end].decode().strip())} has a space "
            "before its quote; remove the spaces between separators and quotes."
        )
    first = _line(data, end, layout.lines_before)
    others = f"line {first} has" if layout.n_fields is None else "the lines before have"
    raise DataError(
        f"{layout.path}, line {first_line}: this line has {n_fields} field(s), but {others} {text.n_fields} (separated "
        f"by {quoted(layout.separator)}); all lines must have equally many. "
        "Correct the line, quote fields that contain the separator, or give another ",
        Setting("separator"),
        ".",
    )


def _names_in_header(fields: list[str], layout: TextFormat) -> tuple[str, ...]:
    if layout.names is not None:
        raise ParameterError(
            Setting("names"),
            " is for files without header: say ",
            Setting("header", False),
            ", or rename the columns afterwards.",
        )
    counted = [[str(v) for v in range(start, start + len(fields))] for start in (0, 1)]
    if layout.header is None and fields not in counted and numbers_in(fields) is not None:
        raise DataError(
            f"{layout.path}, line 1: there seems to be no header, since all its fields are numbers. Say ",
            Setting("header", False),
            " if the first line is data, or ",
            Setting("header", True),
            " if these are the names.",
        )
    if fields[0].lower().startswith("sep=") and not any(fields[1:]):
        raise DataError(f"{layout.path}, line 1: {quoted(fields[0])} is a note for Excel; delete this line.")
    if "" in fields:
        raise DataError(
            f"{layout.path}, line 1: column {fields.index('')} (counted from 0) has no name. Give it one, "
            "or leave it out (pandas writes its index as such a column, unless it is told not to)."
        )
    try:
        return column_names(fields)
    except DataError as error:
        raise DataError(
            f"{layout.path}, line 1: ", error.message, ". If there is no header, say ", Setting("header", False), "."
        ) from None


_QUOTED_FIELD = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')


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
