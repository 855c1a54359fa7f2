"""What callers and files gave, as messages show it: short enough to read, however much there is of it."""

import os
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["chained", "cut", "listed", "numbered", "quoted", "shown_path"]

#: Signs of one thing that a message shows.
_MOST_OF_ONE = 80
#: Signs of several things that a message shows.
_MOST_OF_ALL = 300
#: Signs of a cycle, which tells nothing without its middle.
_MOST_OF_CHAIN = 400
#: A number with more bits is not spelled out; Python itself refuses some thousands of digits.
_MOST_BITS = 256


def quoted(value: object, most: int = _MOST_OF_ONE) -> str:
    """Value as Python writes it, without its end where it is long.

    Every name, cell, word or other value that comes from a file or a caller goes through here on its way into a
    message.

    Examples
    --------
    >>> quoted("smoking"), quoted([1, 2]), quoted("a" * 1000, most=5)
    ("'smoking'", '[1, 2]', "'aaaaa…' (1,000 characters)")
    >>> quoted(10**5000)
    'a whole number of 16,610 bits'
    """
    if isinstance(value, str):
        if len(value) <= most:
            return repr(value) if value.isprintable() else cut(repr(value), 2 * most)
        text = repr(value[:most])
        return f"{cut(text[:-1], 2 * most)}…{text[-1]} ({len(value):,} characters)"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a whole number of {value.bit_length():,} bits"
    try:
        return cut(repr(value), most)
    except Exception:  # objects of others, and what is nested too deep or has too many digits within
        return f"a value of type {type(value).__name__}"


def numbered(count: int, noun: str) -> str:
    """How many there are of what a noun says, with its plural where that is an s.

    Examples
    --------
    >>> numbered(1, "arc"), numbered(1200, "arc")
    ('1 arc', '1,200 arcs')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def cut(text: str, most: int = _MOST_OF_ALL) -> str:
    """Text without its end where it is long, such as the message of another library.

    Examples
    --------
    >>> cut("short"), cut("rather long", most=6)
    ('short', 'rather…')
    """
    return text if len(text) <= most else f"{text[:most]}…"


def shown_path(path: str | os.PathLike[str], most: int = _MOST_OF_ALL) -> str:
    """Path without its middle where it is long: the beginning says where, the end which file.

    Examples
    --------
    >>> shown_path("data/asia.csv"), shown_path("/a/very/long/way/to/asia.csv", most=16)
    ('data/asia.csv', '/a/very/…sia.csv')
    """
    text = os.fspath(path)
    return text if len(text) <= most else f"{text[: most // 2]}…{text[len(text) - (most - most // 2 - 1) :]}"


def listed(
    values: Iterable[object], most: int = 10, *, show: Callable[[Any], str] = quoted, between: str = ", "
) -> str:
    """First values, in quotes unless they are shown in another way, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2), listed(["a", "b"], show=cut)
    ("'a', 'b' and 1 more", 'a, b')
    """
    every = list(values)
    shown = _first(every, most, show)
    more = len(every) - len(shown)
    return between.join(shown) + (f" and {more:,} more" if more else "")


def chained(names: Iterable[object], most: int = 50) -> str:
    """Names of a path or a cycle with arrows between them, without its middle where it is long.

    Examples
    --------
    >>> chained("aba"), chained("abcdea", most=3)
    ("'a' -> 'b' -> 'a'", "'a' -> 'b' -> … 3 more … -> 'a'")
    """
    every = list(names)
    shown = _first(every, most, quoted, _MOST_OF_CHAIN, 4)
    if len(shown) < len(every):
        shown = shown[: max(1, min(len(shown), most - 1))]
        more = len(every) - len(shown) - 1
        shown += [*([f"… {more:,} more …"] if more else []), quoted(every[-1])]
    return " -> ".join(shown)


def _first(
    values: list[object], most: int, show: Callable[[Any], str], signs: int = _MOST_OF_ALL, between: int = 2
) -> list[str]:
    """Return as many as fit, at least one where there is one."""
    shown: list[str] = []
    length = 0
    for value in values[:most]:
        text = show(value)
        length += len(text) + between
        if shown and length > signs:
            break
        shown.append(text)
    return shown
