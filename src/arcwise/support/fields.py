"""JSON texts become values, and objects of JSON or TOML have their fields checked when they are asked for."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from arcwise.support.errors import ArcwiseError, FormatError
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import cut, quoted

__all__ = ["Fields", "parsed_json"]

#: More than any table has axes, and far less than Python can follow when it writes or shows a value.
_DEEPEST = 200

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def parsed_json(text: str, path: str | os.PathLike[str] | None = None) -> object:
    """Value of a JSON text, in which every number is finite and no object has the same field twice.

    Raises
    ------
    FormatError
        Otherwise; the message says in which line.

    Examples
    --------
    >>> parsed_json('{"seed": 3}')
    {'seed': 3}
    >>> parsed_json('{"seed": 3', path="run.json")
    Traceback (most recent call last):
    ...
    arcwise.FormatError: run.json:line 1: this is not JSON, or it was cut off: Expecting ',' delimiter
    """
    name = None if path is None else os.fspath(path)

    def finite(digits: str) -> float:
        value = float(digits)
        if not isfinite(value):
            raise FormatError(f"{digits} is not a finite number", path=name)
        return value

    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            twice = Counter(field for field, _ in pairs).most_common(1)[0][0]
            raise FormatError(f"an object has the field {quoted(twice)} twice; keep one", path=name)
        return fields

    _refuse_deep_nesting(text, name)
    try:
        return json.loads(text, parse_constant=finite, parse_float=finite, object_pairs_hook=each_once)
    except json.JSONDecodeError as error:
        message = f"this is not JSON, or it was cut off: {error.msg}"
        raise FormatError(message, path=name, line=error.lineno) from None
    except FormatError:
        raise
    except ValueError as error:  # thousands of digits
        raise FormatError(f"this cannot be read: {error}", path=name) from None


def _refuse_deep_nesting(text: str, path: str | None) -> None:
    """Raise a `FormatError` for lists and objects that are nested deeper than any file of arcwise's has them.

    `json` itself refuses only what its own stack cannot hold, which can be more than what uses the values can.

    Examples
    --------
    >>> _refuse_deep_nesting('[["[[[["]]', None)
    >>> _refuse_deep_nesting("[" * 300, "run.json")
    Traceback (most recent call last):
        ...
    arcwise.FormatError: run.json: the lists and objects are nested too deep, more than 200 in each other
    """
    if text.count("[") + text.count("{") <= _DEEPEST:
        return
    signs = np.frombuffer(_STRING.sub("", text).encode("utf-8", "replace"), dtype=np.uint8)
    steps = np.zeros(256, dtype=np.int8)
    steps[list(b"[{")], steps[list(b"]}")] = 1, -1
    if signs.size and np.cumsum(steps[signs], dtype=np.int64).max() > _DEEPEST:
        message = f"the lists and objects are nested too deep, more than {_DEEPEST} in each other"
        raise FormatError(message, path=path)


Answer = TypeVar("Answer")

#: Whole numbers of a file are those that kernels can count.
_MOST = 2**64
#: Beyond this, a sum of a file's numbers may not be finite any more.
_LARGEST = 1e300

_Path = str | os.PathLike[str]


class Fields:
    """The fields of an object in a file; each is given back in the type that was asked for, or the file is refused.

    Parameters
    ----------
    values
        The object as `parsed_json` or `tomllib` reads it.
    place
        Where in the file it is, for messages.
    path
        The file, for messages.

    Examples
    --------
    >>> fields = Fields({"seed": 3, "score": -1.5}, path="run.json")
    >>> fields.whole("seed"), fields.number("score"), "graph" in fields
    (3, -1.5, False)
    >>> fields.text("seed")
    Traceback (most recent call last):
    ...
    arcwise.FormatError: run.json: seed must be a string, not 3
    """

    def __init__(self, values: object, *, place: str = "", path: _Path | None = None) -> None:
        self._place = place
        self.path = None if path is None else os.fspath(path)
        if not isinstance(values, Mapping):
            raise self.wrong(f"{place or 'the file'} must be an object, not {_shown(values)}")
        self._values: Mapping[str, Any] = values

    def wrong(self, message: str) -> FormatError:
        """Return an error about this file."""
        return FormatError(message, path=self.path)

    def wrong_at(self, name: str, message: str) -> FormatError:
        """Return an error about a field; the message begins after its place."""
        return self.wrong(f"{self._at(name)} {message}")

    def made(self, make: Callable[[], Answer]) -> Answer:
        """Return what `make` makes of values that were read here; what it refuses is the file's fault."""
        try:
            return make()
        except FormatError:
            raise
        except ArcwiseError as error:
            raise self.wrong(f"{self._place or 'the file'} does not fit together: {error}") from error

    def refuse_others(self, *names: str) -> None:
        """Refuse fields with other names, which would be ignored."""
        for name in self._values:
            if name not in names:
                hint = did_you_mean(name, names)
                raise self.wrong_at(name, f"is an unknown field; allowed are {', '.join(names)}{hint}")

    def check_version(self, newest: int) -> None:
        """Refuse a file whose field ``version`` is not from 1 to the newest version that can be read."""
        version = self.whole("version")
        if not 1 <= version <= newest:
            remedy = "; update it" if version > newest else ""
            raise self.wrong(f"the file has version {version}, this arcwise reads {newest}{remedy}")

    def __contains__(self, name: str) -> bool:
        """Whether the field is there, and not null."""
        return self._values.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def plain(self, name: str) -> Any:
        """Return any value."""
        if name not in self._values:
            raise self.wrong(f"{self._at(name)} is missing")
        return self._values[name]

    def text(self, name: str) -> str:
        """Return a string, which can be written again."""
        return self._text(self._at(name), self.plain(name))

    def flag(self, name: str) -> bool:
        """Return true or false."""
        return self._of_type(name, bool, "true or false")

    def whole(self, name: str) -> int:
        """Return a whole number from 0."""
        return self._whole(self._at(name), self.plain(name))

    def number(self, name: str) -> float:
        """Return a finite number."""
        return self._number(self._at(name), self.plain(name))

    def items(self, name: str) -> list[Any]:
        """Return a list of anything."""
        return self._of_type(name, list, "a list")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings."""
        return tuple(self._text(f"{self._at(name)}[{i}]", value) for i, value in enumerate(self.items(name)))

    def wholes(self, name: str) -> tuple[int, ...]:
        """Return a list of whole numbers from 0."""
        return tuple(self._whole(f"{self._at(name)}[{i}]", value) for i, value in enumerate(self.items(name)))

    def numbers(self, name: str, *, null: float | None = None) -> tuple[float, ...]:
        """Return a list of finite numbers; `null` stands for what JSON has no number for."""
        filled = (null if value is None else value for value in self.items(name))
        return tuple(
            null if null is not None and value == null else self._number(f"{self._at(name)}[{i}]", value)
            for i, value in enumerate(filled)
        )

    def nested_numbers(self, name: str) -> list[float]:
        """Return the finite numbers of lists within lists, in their order."""
        numbers: list[float] = []
        waiting = [(self._at(name), self.plain(name))]
        while waiting:
            place, value = waiting.pop()
            if isinstance(value, list):
                waiting += reversed([(f"{place}[{i}]", item) for i, item in enumerate(value)])
            else:
                numbers.append(self._number(place, value))
        return numbers

    def pairs(self, name: str) -> list[tuple[str, str]]:
        """Return a list of lists of two strings."""
        rows = self.rows(name, str)
        for i, row in enumerate(rows):
            if len(row) != 2:
                raise self.wrong(f"{self._at(name)}[{i}] must be two names, not {len(row)}")
        return [(first, second) for first, second in rows]

    def rows(self, name: str, kind: type[Answer]) -> tuple[tuple[Answer, ...], ...]:
        """Return a list of lists of strings, of whole numbers or of any numbers."""
        checks: Mapping[type, Callable[[str, object], Any]] = {str: self._text, float: self._number}
        check = checks.get(kind, self._whole)
        found = []
        for i, row in enumerate(self.items(name)):
            place = f"{self._at(name)}[{i}]"
            if not isinstance(row, list):
                raise self.wrong(f"{place} must be a list, not {_shown(row)}")
            found.append(tuple(check(f"{place}[{j}]", value) for j, value in enumerate(row)))
        return tuple(found)

    def as_mapping(self) -> Mapping[str, Any]:
        """Return all fields as they are."""
        return self._values

    def mapping(self, name: str) -> dict[str, Any]:
        """Return an object as it is."""
        return self._of_type(name, dict, "an object")

    def part(self, name: str) -> "Fields":
        """Return an object."""
        return Fields(self.plain(name), place=self._at(name), path=self.path)

    def parts(self, name: str) -> list["Fields"]:
        """Return a list of objects."""
        listed = enumerate(self.items(name))
        return [Fields(value, place=f"{self._at(name)}[{i}]", path=self.path) for i, value in listed]

    def parts_or_none(self, name: str) -> list["Fields | None"]:
        """Return a list of objects, and None where it has null."""
        listed = enumerate(self.items(name))
        return [
            None if value is None else Fields(value, place=f"{self._at(name)}[{i}]", path=self.path)
            for i, value in listed
        ]

    def _at(self, name: str) -> str:
        return f"{self._place}.{cut(name, most=60)}" if self._place else cut(name, most=60)

    def _of_type(self, name: str, kind: type[Answer], words: str) -> Answer:
        value = self.plain(name)
        if not isinstance(value, kind):
            raise self.wrong_at(name, f"must be {words}, not {_shown(value)}")
        return value

    def _text(self, place: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.wrong(f"{place} must be a string, not {_shown(value)}")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.wrong(f"{place} has half of a surrogate pair: {quoted(value)}") from None
        return value

    def _whole(self, place: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
            raise self.wrong(f"{place} must be a whole number from 0, not {_shown(value)}")
        return value

    def _number(self, place: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f"{place} must be a number, not {_shown(value)}")
        if not -_LARGEST <= value <= _LARGEST:
            raise self.wrong(f"{place} must be a number from {-_LARGEST:g} to {_LARGEST:g}, not {_shown(value)}")
        return float(value)


def _shown(value: object) -> str:
    """Value of a file in a message."""
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "an object"
    constants = {None: "null", True: "true", False: "false"}
    return constants[value] if value is None or isinstance(value, bool) else quoted(value)
