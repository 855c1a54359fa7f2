"""Whole files, plain or compressed; the end of the name decides."""

import bz2
import gzip
import lzma
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arcwise.support.atomic import replaced
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.quoting import cut, quoted

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["SUFFIXES", "UnpackingError", "read_bytes", "read_text", "write_text"]


class UnpackingError(Exception):
    """The content is not compressed as the file's name says."""


class _Codec(NamedTuple):
    compress: Callable[[bytes], bytes]
    decompress: Callable[[bytes], bytes]


_CODECS = {
    ".gz": _Codec(lambda data: gzip.compress(data, mtime=0), gzip.decompress),  # no time: same text, same bytes
    ".xz": _Codec(lzma.compress, lzma.decompress),
    ".bz2": _Codec(bz2.compress, bz2.decompress),
    ".zst": _Codec(zstd.compress, zstd.decompress),
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
    `arcwise.support.atomic`.

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
