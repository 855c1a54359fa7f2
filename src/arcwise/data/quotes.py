"""Quotes in separated text: where a quoted field begins and ends, and which quotes are only signs like others."""

import re
from collections.abc import Iterator

import numpy as np

from arcwise.support.errors import DataError
from arcwise.support.quoting import quoted

__all__ = ["with_plain_quotes"]

_QUOTE, _NEWLINE = ord('"'), ord("\n")
_QUOTED_FIELD = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')


def with_plain_quotes(data: bytes, separator: str, path: str) -> bytes:
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
    return b"".join(_pieces(data, separator, path))


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


def _pieces(data: bytes, separator: str, path: str) -> Iterator[bytes]:
    between = separator.encode()
    next_end = re.compile(b"[\n" + re.escape(between) + b"]")
    end = kept = 0  # where the last field with quotes ended, and what was given already
    while (at := data.find(b'"', end)) >= 0:
        begin = max(data.rfind(between, end, at), data.rfind(b"\n", end, at)) + 1
        begin = max(begin, end)
        if begin == at:
            end = _end_of_quoted(data, at, between, path)
            continue
        found = next_end.search(data, at)
        assert found is not None  # the last line ends too
        end = found.start()
        field = data[begin:end]
        if not data[begin:at].strip(b" \t"):
            raise DataError(
                f"{path}, line {_line(data, at)}: the field {quoted(field.decode().strip())} has a space before its "
                "quote; remove the spaces between separators and quotes."
            )
        yield data[kept:begin]
        yield b'"' + field.replace(b'"', b'""') + b'"'
        kept = end
    yield data[kept:]


def _end_of_quoted(data: bytes, at: int, between: bytes, path: str) -> int:
    field = _QUOTED_FIELD.match(data, at)
    if field is None:
        line = _line(data, at)
        raise DataError(f"{path}, line {line}: a quote is not closed; close it, or double it within a quoted field.")
    end = field.end()
    if data[end : end + 1] not in (between, b"\n"):
        begins, line = _line(data, at), _line(data, end)
        after = data[end : end + 40].split(b"\n")[0].decode(errors="ignore")
        where = "" if begins == line else f" (the field begins in line {begins})"
        raise DataError(
            f"{path}, line {line}: {quoted(after)} follows the closing quote of a field{where}; a separator or the "
            "end of the line should. Double the quotes within quoted fields, or correct the line."
        )
    return end


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
