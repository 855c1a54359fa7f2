"""Whole files: read plain or compressed, written whole or not at all, and the rows of small csv files."""

import bz2
import csv
import errno
import gzip
import io
import lzma
import os
import secrets
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from arcwise.support.errors import ArcwiseError, FormatError, ParameterError
from arcwise.support.quoting import cut, quoted

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["SUFFIXES", "UnpackingError", "csv_rows", "opened", "read_bytes", "read_text", "replaced", "write_text"]


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """File open for writing bytes that takes the place of `path` when the block ends without an error.

    Until then it lies under a temporary name in the same folder, so that whoever reads `path` sees the old content or
    the new one, never a part, and an error or a full disk leaves the old content as it was. So does a kill, which also
    leaves the temporary file, .arcwise-….part. After the block the new content stays, even if the power fails then.
    Permissions of a file that is there are kept and a link is followed; a device or a pipe, such as /dev/stdout, is
    written to directly.

    Raises
    ------
    OSError
        Of the usual kind, with `path` as its file, if the folder is missing, or this is a folder or not writable.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "note.txt")
    ...     with replaced(path) as file:
    ...         _ = file.write(b"done")
    ...     path.read_bytes(), len(os.listdir(folder))
    (b'done', 1)
    """
    target = Path(os.path.realpath(path))  # a file in the place of a link would cut the link
    if target.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    if target.exists() and not os.access(target, os.W_OK):  # putting another file in its place would be possible
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    part = target.with_name(f".arcwise-{secrets.token_hex(8)}.part")
    try:
        file = part.open("xb")
    except OSError as error:  # with a name that means nothing to the user
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(target.stat().st_mode)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _keep_name(target.parent)


def _keep_name(folder: Path) -> None:
    """Have the folder written too: after a power cut, a new name that is only in memory would be gone.

    Some systems and file systems cannot do it (Windows opens no folders); the file is complete all the same.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class UnpackingError(Exception):
    """The content is not compressed as the file's name says."""


class _Codec(NamedTuple):
    compress: Callable[[bytes], bytes]
    decompress: Callable[[bytes], bytes]
    open: Callable[..., Any]


_CODECS = {
    ".gz": _Codec(
        lambda data: gzip.compress(data, mtime=0), gzip.decompress, gzip.open
    ),  # no time: same text, same bytes
    ".xz": _Codec(lzma.compress, lzma.decompress, lzma.open),
    ".bz2": _Codec(bz2.compress, bz2.decompress, bz2.open),
    ".zst": _Codec(zstd.compress, zstd.decompress, zstd.open),
}

#: Ends of names that say how a file is compressed.
SUFFIXES = tuple(_CODECS)


def endings(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Ends of a name in lower case: that of the format, and that of the compression after it; empty where none is.

    Examples
    --------
    >>> endings("asia.BIF.gz"), endings("asia.bif"), endings("asia.gz"), endings("asia")
    (('.bif', '.gz'), ('.bif', ''), ('', '.gz'), ('', ''))
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packing = suffixes.pop() if suffixes and suffixes[-1] in _CODECS else ""
    return suffixes[-1] if suffixes else "", packing


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Content of a file, decompressed when its name ends in .gz, .xz, .bz2 or .zst.

    Raises
    ------
    UnpackingError
        If it cannot be decompressed.
    """
    data = Path(path).read_bytes()
    codec = _CODECS.get(Path(path).suffix.lower())
    if codec is None:
        return data
    try:
        return codec.decompress(data)
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error, zstd.ZstdError) as error:
        raise UnpackingError(cut(str(error))) from error


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """File open for reading bytes, piece by piece, decompressed as by `read_bytes`.

    Raises
    ------
    UnpackingError
        If it cannot be decompressed, also while it is read in the block.
    """
    codec = _CODECS.get(Path(path).suffix.lower())
    if codec is None:
        with Path(path).open("rb") as file:
            yield file
        return
    try:
        with codec.open(path, "rb") as file:
            yield file
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error, zstd.ZstdError) as error:
        if isinstance(error, ArcwiseError):  # of the reader of what was unpacked
            raise
        raise UnpackingError(cut(str(error))) from error


def read_text(path: str | os.PathLike[str]) -> str:
    """Content of a UTF-8 file, decompressed as by `read_bytes`; lines end in a newline.

    Raises
    ------
    FormatError
        If the content cannot be decompressed or is not UTF-8.
    """
    try:
        data = read_bytes(path)
    except UnpackingError as error:
        raise FormatError(f"the file cannot be decompressed: {error}", path=os.fspath(path)) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8; convert the file to UTF-8 first"
        raise FormatError(message, path=os.fspath(path), line=line) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 file, compressed when its name ends in .gz, .xz, .bz2 or .zst.

    The same text gives the same bytes. The file appears under its name when it is complete; see
    `arcwise.support.files`.

    Raises
    ------
    ParameterError
        If the text has half of a surrogate pair, which UTF-8 has no bytes for.
    """
    codec = _CODECS.get(Path(path).suffix.lower())
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        near = text[max(error.start - 10, 0) : error.end + 10]
        raise ParameterError(
            f"{quoted(near)} has a surrogate, which cannot be written as UTF-8; use another name"
        ) from None
    with replaced(path) as file:
        file.write(data if codec is None else codec.compress(data))


def csv_rows(text: str, path: str | None = None) -> Iterator[tuple[int, list[str]]]:
    r"""Fields of each line that is not empty, with the number of the line.

    Raises
    ------
    FormatError
        With the line, where a quote is wrong or a field too long.

    Examples
    --------
    >>> list(csv_rows('from,to\n\n"a, b",c\n'))
    [(1, ['from', 'to']), (3, ['a, b', 'c'])]
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise FormatError(f"the line is not csv: {error}", path=path, line=reader.line_num) from None
