"""Objects of a JSON file, whose fields are checked when they are asked for."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, TypeVar

from arcwise.support.errors import ArcwiseError, FormatError
from arcwise.support.nesting import refuse_deep_nesting
from arcwise.support.quoting import cut, quoted

__all__ = ["Fields", "parsed_json"]

Answer = TypeVar("Answer")

#: Whole numbers of a file are those that kernels can count.
_MOST = 2**64

_Path = str | os.PathLike[str]


class Fields:
    """The fields of a JSON object; each is given back in the type that was asked for, or the file is refused.

    Parameters
    ----------
    values
        The object as `json` reads it.
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
    arcwise.FormatError: run.json: seed must be text, not 3
    """

    def __init__(self, values: object, *, place: str = "", path: _Path | None = None) -> None:
        self._place = place
        self.path = None if path is None else os.fspath(path)
        if not isinstance(values, Mapping):
            raise self.wrong(f"{place or 'the file'} must be an object with fields, not {quoted(values)}")
        self._values: Mapping[str, Any] = values

    def wrong(self, message: str) -> FormatError:
        """Return an error about this file."""
        return FormatError(message, path=self.path)

    def made(self, make: Callable[[], Answer]) -> Answer:
        """Return what `make` makes of values that were read here; what it refuses is the file's fault."""
        try:
            return make()
        except FormatError:
            raise
        except ArcwiseError as error:
            raise self.wrong(f"{self._place or 'the file'} does not fit together: {error}") from error

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
        """Return a text."""
        return self._of_type(name, str, "text")

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
        """Return a list of texts."""
        return tuple(self._text(f"{self._at(name)}[{i}]", value) for i, value in enumerate(self.items(name)))

    def wholes(self, name: str) -> tuple[int, ...]:
        """Return a list of whole numbers from 0."""
        return tuple(self._whole(f"{self._at(name)}[{i}]", value) for i, value in enumerate(self.items(name)))

    def numbers(self, name: str, *, null: float | None = None) -> tuple[float, ...]:
        """Return a list of finite numbers; `null` stands for what JSON has no number for."""
        filled = (null if value is None else value for value in self.items(name))
        places = (f"{self._at(name)}[{i}]" for i in range(len(self.items(name))))
        return tuple(
            null if null is not None and value == null else self._number(place, value)
            for place, value in zip(places, filled, strict=True)
        )

    def rows(self, name: str, kind: type[Answer]) -> tuple[tuple[Answer, ...], ...]:
        """Return a list of lists of texts or of whole numbers."""
        check: Callable[[str, object], Any] = self._text if kind is str else self._whole
        found = []
        for i, row in enumerate(self.items(name)):
            place = f"{self._at(name)}[{i}]"
            if not isinstance(row, list):
                raise self.wrong(f"{place} must be a list, not {quoted(row)}")
            found.append(tuple(check(f"{place}[{j}]", value) for j, value in enumerate(row)))
        return tuple(found)

    def as_mapping(self) -> Mapping[str, Any]:
        """Return all fields as they are."""
        return self._values

    def mapping(self, name: str) -> dict[str, Any]:
        """Return an object as it is."""
        return self._of_type(name, dict, "an object with fields")

    def part(self, name: str) -> "Fields":
        """Return an object."""
        return Fields(self.plain(name), place=self._at(name), path=self.path)

    def parts(self, name: str) -> list["Fields"]:
        """Return a list of objects."""
        listed = enumerate(self.items(name))
        return [Fields(value, place=f"{self._at(name)}[{i}]", path=self.path) for i, value in listed]

    def _at(self, name: str) -> str:
        return f"{self._place}.{cut(name, most=60)}" if self._place else cut(name, most=60)

    def _of_type(self, name: str, kind: type[Answer], words: str) -> Answer:
        value = self.plain(name)
        if not isinstance(value, kind):
            raise self.wrong(f"{self._at(name)} must be {words}, not {quoted(value)}")
        return value

    def _text(self, place: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.wrong(f"{place} must be text, not {quoted(value)}")
        return value

    def _whole(self, place: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
            raise self.wrong(f"{place} must be a whole number from 0, not {quoted(value)}")
        return value

    def _number(self, place: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
            raise self.wrong(f"{place} must be a finite number, not {quoted(value)}")
        return value


def parsed_json(text: str, path: _Path | None = None) -> object:
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
            twice = next(field for field, _ in pairs if sum(field == other for other, _ in pairs) > 1)
            raise FormatError(f"the field {quoted(twice)} is there twice", path=name)
        return fields

    refuse_deep_nesting(text, name)
    try:
        return json.loads(text, parse_constant=finite, parse_float=finite, object_pairs_hook=each_once)
    except json.JSONDecodeError as error:
        message = f"this is not JSON, or it was cut off: {error.msg}"
        raise FormatError(message, path=name, line=error.lineno) from None
    except FormatError:
        raise
    except ValueError as error:  # thousands of digits
        raise FormatError(f"this cannot be read: {error}", path=name) from None
