"""A table in parts that is read piece by piece: several files, folders of them, lazy frames."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.data.codes import MOST_VALUES, column_names
from arcwise.data.column import Column, Mask
from arcwise.data.fields import Fields
from arcwise.data.frames import refused_by_libraries
from arcwise.data.parquet import ParquetFile
from arcwise.data.readers import (
    MISSING_TOKENS,
    SEPARATORS,
    TextFormat,
    checked_separator,
    decoded,
    end_of_records,
    fields_of_text,
    guessed_separator,
    unknown_type,
)
from arcwise.data.tables import table_of_frame
from arcwise.support.errors import DataError, MissingLibraryError, ParameterError
from arcwise.support.files import UnpackingError, endings, opened
from arcwise.support.later import later
from arcwise.support.messages import type_of
from arcwise.support.quoting import listed, quoted, shown_path

if TYPE_CHECKING:
    import polars as pl
else:
    pl = later("polars")

__all__ = ["Chunk", "DaskPart", "LazyPart", "ParquetPart", "Part", "TextPart", "has_parts", "is_large", "parts_of"]

# Cells, and rows, that are read at once.
_CELLS_AT_ONCE = 1 << 24
_MOST_ROWS_AT_ONCE = 1 << 19
# Bytes of text that are read at once.
_BYTES_AT_ONCE = 1 << 25


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table, by column."""

    columns: Mapping[str, Column | Fields]
    n_rows: int

    @classmethod
    def of_frame(cls, frame: Any) -> "Chunk":
        """Rows of a frame of any library."""
        table = table_of_frame(frame)
        return cls(dict(zip(table.names, table.columns, strict=True)), table.n_rows)

    def without(self, name: str) -> "Chunk":
        """Rows without one of the columns."""
        return Chunk({other: column for other, column in self.columns.items() if other != name}, self.n_rows)

    def absent(self, names: Iterable[str]) -> Mask | None:
        """Where one of some columns has no value; None where all have one."""
        found = [absent for name in names if (absent := self.columns[name].absent) is not None]
        return np.logical_or.reduce(found) if found else None

    def take(self, stays: Mask) -> "Chunk":
        """Some of the rows."""
        rows = np.flatnonzero(stays)
        return Chunk({name: column.take(rows) for name, column in self.columns.items()}, rows.size)


@dataclass(frozen=True)
class ParquetPart:
    """A parquet file."""

    path: Path

    is_text = False

    @property
    def title(self) -> str:
        """Its name, for messages."""
        return shown_path(self.path)

    def n_rows(self) -> int | None:
        """How many rows it has, if that is known without reading it."""
        return ParquetFile(self.path).n_rows()

    def names(self) -> tuple[str, ...]:
        """Its columns."""
        return ParquetFile(self.path).names()

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Return its rows, some at a time and in their order; only some of the columns, where these are given."""
        names = self.names() if columns is None else columns
        for batch in ParquetFile(self.path).batches(columns, _rows_at_once(len(names))):
            if len(batch):
                yield Chunk.of_frame(batch)


@dataclass(frozen=True)
class LazyPart:
    """A lazy frame of polars, which is computed again for each pass over it."""

    frame: "pl.LazyFrame"
    title: str = "the lazy frame"

    is_text = False

    def n_rows(self) -> int | None:
        """Return None: only computing it would tell."""
        return None

    def names(self) -> tuple[str, ...]:
        """Its columns."""
        with refused_by_libraries(f"{self.title} cannot be computed", "correct what it is made of"):
            return column_names(self.frame.collect_schema().names())

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Return its rows, some at a time and in their order; only some of the columns, where these are given."""
        with refused_by_libraries(f"{self.title} cannot be computed", "correct what it is made of"):
            chosen = self.frame if columns is None else self.frame.select(columns)
            n_rows = _rows_at_once(len(chosen.collect_schema()))
            for batch in chosen.collect_batches(chunk_size=n_rows, maintain_order=True):
                if batch.height:
                    yield Chunk.of_frame(batch)


@dataclass(frozen=True)
class DaskPart:
    """A partition of a Dask frame, which is computed where it is read, again for each pass over it."""

    partition: Any
    columns: tuple[str, ...]
    title: str

    is_text = False

    def n_rows(self) -> int | None:
        """Return None: only computing it would tell."""
        return None

    def names(self) -> tuple[str, ...]:
        """Its columns."""
        return column_names(self.columns)

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Return its rows; only some of the columns, where these are given."""
        frame = self.partition.compute(scheduler="synchronous")
        if len(frame):
            chunk = Chunk.of_frame(frame)
            yield chunk if columns is None else Chunk({name: chunk.columns[name] for name in columns}, chunk.n_rows)


def _rows_at_once(n_columns: int) -> int:
    return max(1, min(_MOST_ROWS_AT_ONCE, _CELLS_AT_ONCE // max(1, n_columns)))


@dataclass(frozen=True)
class TextPart:
    """A file of text with separators; its fields are strings, whatever is in them."""

    path: Path
    separator: str | None = None
    header: bool | None = None
    given_names: tuple[str, ...] | None = None
    missing_tokens: tuple[str, ...] = MISSING_TOKENS

    is_text = True

    @property
    def title(self) -> str:
        """Its name, for messages."""
        return shown_path(self.path)

    def n_rows(self) -> int | None:
        """Return None: only reading it would tell."""
        return None

    def names(self) -> tuple[str, ...]:
        """Its columns."""
        return tuple(next(self._chunks(_BYTES_OF_NAMES)))

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Return its rows, some at a time, without spaces around fields."""
        for fields in self._chunks(_BYTES_AT_ONCE):
            chosen = fields if columns is None else {name: fields[name] for name in columns}
            yield Chunk(chosen, len(next(iter(fields.values()))))

    def _chunks(self, bytes_at_once: int) -> Iterator[dict[str, Fields]]:
        layout: TextFormat | None = None
        for text in self._pieces(bytes_at_once):
            if layout is None:
                separator = self.separator or SEPARATORS.get(endings(self.path)[0]) or guessed_separator(text)
                layout = TextFormat(self.title, separator, self.header, self.given_names, self.missing_tokens)
            fields = fields_of_text(text, layout, most_texts=MOST_VALUES)
            yield fields
            lines, names = layout.lines_before + text.count(b"\n"), tuple(fields)
            layout = replace(layout, header=False, names=names, lines_before=lines, n_fields=len(names))
        if layout is None:
            raise DataError(f"{self.title}: the file is empty; it should hold a line of names and then rows.")

    def _pieces(self, bytes_at_once: int) -> Iterator[bytes]:
        """Return the text in pieces of whole records, the first one of more than the names."""
        raw, text, n_bytes, n_lines, separator = b"", b"", 0, 0, self.separator
        is_first = True
        for block in self._blocks(bytes_at_once):
            raw += block
            # A return at the very end may belong to a line feed that comes next.
            end = max(raw.rfind(b"\n"), raw.rfind(b"\r", 0, len(raw) - 1)) + 1 if block else len(raw)
            piece = decoded(raw[:end], self.title, bytes_before=n_bytes, lines_before=n_lines)
            n_bytes, n_lines, raw = n_bytes + end, n_lines + piece.count(b"\n"), raw[end:]
            text += piece
            if not text.strip():
                continue
            separator = separator or SEPARATORS.get(endings(self.path)[0]) or guessed_separator(text)
            end = end_of_records(text, separator) if block else len(text)
            if not block or _is_complete(text[:end], separator, is_first=is_first):
                yield text[:end]
                text, is_first = text[end:], False

    def _blocks(self, n_bytes: int) -> Iterator[bytes]:
        """Return the bytes of the file, some at a time, and none at the end."""
        try:
            with opened(self.path) as file:
                while block := file.read(n_bytes):
                    yield block
        except UnpackingError as error:
            raise DataError(f"{self.title}: this cannot be unpacked as {self.path.suffix}: {error}") from error
        yield b""


def _is_complete(text: bytes, separator: str, *, is_first: bool) -> bool:
    """Whether a piece of whole records can be read by itself.

    Not where it has one column: a blank line is an empty field there, unless it is at an end of the file. Nor where it
    is the first one and has only the names.
    """
    records = text.strip(b"\n")
    return separator.encode() in records and not (is_first and not end_of_records(records, separator))


# Of a table that is read at once at most: cells of parquet, and bytes of text.
_MANY_CELLS = 1 << 27
_MANY_BYTES = 1 << 28
# Of a file of text, to see its names.
_BYTES_OF_NAMES = 1 << 16

Part = ParquetPart | TextPart | LazyPart | DaskPart

_KNOWN = re.compile(r"\.(parquet|(csv|tsv)(\.(gz|bz2|xz|zst))?)$", re.IGNORECASE)


def has_parts(data: Any) -> bool:
    """Whether this is a table in parts: a folder, a pattern of names, a list of files, a lazy frame of polars or Dask.

    Examples
    --------
    >>> has_parts(["one.csv", "two.csv"]), has_parts("visits-*.parquet"), has_parts("one.csv"), has_parts([[0, 1]])
    (True, True, False, False)
    """
    if _is_lazy(data) or _is_dask(data):
        return True
    if isinstance(data, str | Path):
        return Path(data).is_dir() or (has_magic(str(data)) and not Path(data).exists())
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(each, str | Path) or _is_lazy(each) or _is_dask(each) for each in data)
    return False


def _is_lazy(data: Any) -> bool:
    """Whether this is a lazy frame of polars; nothing is where nobody has imported polars."""
    return "polars" in sys.modules and isinstance(data, pl.LazyFrame)


def _is_dask(data: Any) -> bool:
    return type(data).__module__.startswith("dask.") and hasattr(data, "to_delayed") and hasattr(data, "columns")


def is_large(path: Path) -> bool:
    """Whether a file is better read piece by piece than at once."""
    if not path.is_file():
        return False
    if endings(path) == (".parquet", ""):
        try:
            file = ParquetFile(path)
            return file.n_rows() * len(file.names()) > _MANY_CELLS
        except (DataError, MissingLibraryError):  # those who read it say what is wrong
            return False
    return path.stat().st_size > _MANY_BYTES


def parts_of(
    data: Any,
    *,
    separator: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
) -> tuple[Part, ...]:
    """Parts of a table, in the order in which they are read, all with the same columns.

    Parameters
    ----------
    data
        A path, of a file or a folder; a pattern such as ``"visits-*.csv"``; a lazy frame of polars, or a frame of Dask,
        whose partitions are the parts; or several of them.
        Files of a folder, also those further down, and of a pattern come in the order of their names.
    separator, header, names, missing_tokens
        How text is laid out, as for `Dataset.from_file`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If a file is of an unknown kind, a folder has none of those that are known, or columns differ.
    """
    given = list(data) if isinstance(data, list | tuple) else [data]
    separator, tokens = checked_separator(separator), tuple(missing_tokens)
    parts: list[Part] = []
    for at, each in enumerate(given):
        if _is_dask(each):
            titles = f"partition {{}} of {'the Dask frame' if len(given) == 1 else f'Dask frame {at}'}"
            names_of = tuple(map(str, each.columns))
            parts += [DaskPart(one, names_of, titles.format(k)) for k, one in enumerate(each.to_delayed())]
            continue
        if _is_lazy(each):
            parts.append(LazyPart(each, "the lazy frame" if len(given) == 1 else f"lazy frame {at}"))
            continue
        if not isinstance(each, str | os.PathLike):
            allowed = "paths of files, lazy frames of polars or a frame of Dask"
            raise ParameterError.of("data", allowed, type_of(each), "a table that is in memory goes to Dataset.of")
        for path in _files(Path(each), is_text=separator is not None):
            if endings(path) == (".parquet", "") and separator is None:
                parts.append(ParquetPart(path))
            elif separator is None and endings(path)[0] not in SEPARATORS:
                raise unknown_type(path)
            else:
                parts.append(TextPart(path, separator, header, None if names is None else tuple(names), tokens))
    _check_columns(parts)
    return tuple(parts)


def _files(given: str | Path, *, is_text: bool) -> list[Path]:
    """Return the files that a path or pattern stands for."""
    path = Path(given)
    if path.is_dir():
        # Names that begin with a dot or an underscore are those of what programs keep beside the data.
        inside = [each for each in path.rglob("*") if not any(p[0] in "._" for p in each.relative_to(path).parts)]
        found = sorted(each for each in inside if each.is_file() and (is_text or _KNOWN.search(each.name)))
        if not found:
            raise DataError(
                f"{shown_path(path)}: this folder has no csv, tsv or parquet file; give one that has, or the files."
            )
        return found
    if path.exists():
        return [path]
    found = sorted(map(Path, glob(str(given), recursive=True))) if has_magic(str(given)) else []  # noqa: PTH207
    if not found:
        raise FileNotFoundError(f"There is no file {shown_path(path)!r} (looked in {Path.cwd()}).")
    return [file for each in found for file in _files(each, is_text=is_text)]


def _check_columns(parts: Sequence[Part]) -> None:
    """Refuse parts whose columns differ from those of the first."""
    first = parts[0].names()
    for part in parts[1:]:
        names = part.names()
        lacking = [name for name in first if name not in names]
        extra = [name for name in names if name not in first]
        if lacking or extra:
            what = f"lacks the column {quoted(lacking[0])}" if lacking else f"has the column {quoted(extra[0])} besides"
            raise DataError(f"{part.title} {what}; all parts of a table have the same columns: {listed(first)}.")
