"""Whole text files, plain or compressed; the end of the name decides."""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from arcwise.errors import FormatError, ParameterError


def read_text(path: str | os.PathLike[str]) -> str:
    """Content of a UTF-8 file, decompressed when its name ends in .gz, .xz, .bz2 or .zst; lines end in a newline.

    Raises
    ------
    FormatError
        If the content cannot be decompressed or is not UTF-8.
    ParameterError
        For .zst where this Python has no zstandard.
    """
    data = Path(path).read_bytes()
    decompress = _functions(path)[1]
    try:
        data = decompress(data)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
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

    The same text gives the same bytes: no time is stored.
    """
    Path(path).write_bytes(_functions(path)[0](text.encode("utf-8")))


def _functions(path: str | os.PathLike[str]) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    """Functions that compress and decompress for the end of a name."""
    match Path(path).suffix.lower():
        case ".gz":
            return (lambda data: gzip.compress(data, mtime=0)), gzip.decompress
        case ".xz":
            return lzma.compress, lzma.decompress
        case ".bz2":
            return bz2.compress, bz2.decompress
        case ".zst":
            return _zstandard(path)
        case _:
            return bytes, bytes


def _zstandard(path: str | os.PathLike[str]) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    try:
        zstd = import_module("compression.zstd")  # part of Python since 3.14
    except ImportError:
        raise ParameterError(
            f"{os.fspath(path)!r} needs zstandard, which this Python does not have (3.14 does); use .gz, .xz or .bz2"
        ) from None
    return zstd.compress, zstd.decompress
