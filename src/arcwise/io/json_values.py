"""JSON texts of others: each value knows its place in the document, and says so when it is not what it must be."""

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, NoReturn

from arcwise.support.errors import FormatError
from arcwise.support.nesting import refuse_deep_nesting
from arcwise.support.quoting import quoted

__all__ = ["Value", "parse_value"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a document, and the way to it, such as ``nodes[2].states``."""

    content: Any
    place: str
    path: str | None

    def error(self, message: str) -> FormatError:
        """Error about this value; the message goes on from its place."""
        return FormatError(f"{self.place or 'the document'} {message}", path=self.path)

    def key(self, name: str) -> "Value":
        """Value of a key, which must be there."""
        if name not in self.content:
            raise self.error(f"has no {quoted(name)}")
        return Value(self.content[name], f"{self.place}.{name}" if self.place else name, self.path)

    def items(self) -> list["Value"]:
        """Values of a list."""
        if not isinstance(self.content, list):
            raise self._of_wrong_type("a list")
        return [Value(item, f"{self.place}[{index}]", self.path) for index, item in enumerate(self.content)]

    def string(self) -> str:
        """The value, which must be a string that can be written again."""
        if not isinstance(self.content, str):
            raise self._of_wrong_type("a string")
        try:
            self.content.encode()
        except UnicodeEncodeError:
            raise self.error(f"has half of a surrogate pair: {quoted(self.content)}") from None
        return self.content

    def strings(self) -> tuple[str, ...]:
        """Values of a list, which must be strings."""
        return tuple(item.string() for item in self.items())

    def number(self) -> float:
        """The value, which must be a number."""
        if isinstance(self.content, bool) or not isinstance(self.content, int | float):
            raise self._of_wrong_type("a number")
        try:
            return float(self.content)
        except OverflowError:
            return math.inf if self.content > 0 else -math.inf

    def whole(self) -> int:
        """The value, which must be a whole number."""
        if isinstance(self.content, bool) or not isinstance(self.content, int):
            raise self._of_wrong_type("a whole number")
        return self.content

    def refuse_not_object(self) -> None:
        """Refuse a value that has no keys."""
        if not isinstance(self.content, dict):
            raise self._of_wrong_type("an object")

    def refuse_others(self, *keys: str) -> None:
        """Refuse an object with other keys."""
        for key in self.content:
            if key not in keys:
                raise self.error(f"has the unknown key {quoted(key)}; allowed are {', '.join(keys)}")

    def _of_wrong_type(self, expected: str) -> FormatError:
        kinds: dict[type, str] = {list: "a list", dict: "an object"}
        shown = kinds.get(type(self.content)) or json.dumps(self.content)
        return self.error(f"must be {expected}, not {shown if len(shown) < 40 else shown[:36] + ' …'}")


def parse_value(text: str, path: str | None = None) -> Value:
    """Document in a JSON text, without the NaN and Infinity that Python would take.

    Raises
    ------
    FormatError
        With the line, for what is no JSON, an object with a key twice, and lists nested too deep.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise FormatError(f"an object has the key {quoted(twice)} twice; keep one", path=path)
        return content

    def no_number(word: str) -> NoReturn:
        raise FormatError(f"{word} is no number in JSON", path=path)

    refuse_deep_nesting(text, path)
    try:
        content = json.loads(text, object_pairs_hook=unique, parse_constant=no_number)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is no JSON: {error.msg}", path=path, line=error.lineno) from None
    except FormatError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise FormatError(f"this is no JSON that can be read: {error}", path=path) from None
    return Value(content, "", path)
