"""Files become frames: csv and tsv (plain or compressed) and parquet, with every fault named by its line."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from arcwise.data.delimited import TextFormat, frame_of_text
from arcwise.data.panics import refused_by_polars
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.files import UnpackingError, endings, read_bytes
from arcwise.support.messages import Setting
from arcwise.support.quoting import quoted, shown_path

#: Fields of a text file that count as missing values. "None" is not among them: it is a common name of a state.
MISSING_TOKENS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")

_SEPARATORS: Mapping[str, str | None] = {".csv": None, ".tsv": "\t"}
_GUESSES = (",", ";", "\t")
_WRITE_AGAIN = "the file is damaged, or something else: write it again"


def frame_of_file(
    path: Path,
    *,
    separator: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
) -> pl.DataFrame:
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
    if kind not in _SEPARATORS and separator is None:
        raise DataError(
            f"{shown_path(path)}: the file type {quoted(kind + packing)} is unknown; known are .csv and .tsv "
            "(also with .gz, .bz2, .xz or .zst after it) and .parquet. For other text files give the separator, as in ",
            Setting("separator", ","),
            ".",
        )
    if separator is not None and (
        not isinstance(separator, str) or len(separator.encode()) != 1 or separator in '"\r\n'
    ):
        raise ParameterError.of("separator", "one ASCII character other than a quote or line end", separator)
    data = _text(path, packing)
    separator = separator or _SEPARATORS[kind] or _guessed_separator(data)
    return frame_of_text(data, TextFormat(shown_path(path), separator, header, names, tuple(missing_tokens)))


def _text(path: Path, packing: str) -> bytes:
    """File's content, unpacked: UTF-8 with line feeds, without byte order mark."""
    try:
        data = read_bytes(path)
    except UnpackingError as error:
        raise DataError(f"{shown_path(path)}: this cannot be unpacked as {packing}: {error}") from error
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{shown_path(path)}: this is UTF-16 text; convert it to UTF-8 first.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{shown_path(path)}, line {line}: byte 0x{data[error.start]:02x} (at position {error.start} of the "
            "file) is not UTF-8; convert the file to UTF-8 first (for instance with iconv)."
        ) from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise DataError(f"{shown_path(path)}: the file is empty; it should hold a line of names and then rows.")
    return data


def _guessed_separator(data: bytes) -> str:
    """Whichever of comma, semicolon and tab occurs most in the first line outside quotes; comma if none does."""
    start = len(data) - len(data.lstrip(b"\n"))
    end = data.find(b"\n", start)
    line = data[start : end if end >= 0 else None].decode()

    def n_outside(separator: str) -> int:
        # Quoted is a field that begins with a quote; its end may be in a later line.
        quoted_field = rf'(?:^|(?<={separator}))"[^"]*+(?:""[^"]*+)*+(?:"(?={separator}|$)|$)'
        return re.sub(quoted_field, "", line).count(separator)

    return max(_GUESSES, key=n_outside)
