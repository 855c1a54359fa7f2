"""JSON texts become values; what JSON does not have, or what cannot be meant, is refused."""

import json
import os
import re
from collections import Counter
from math import isfinite
from typing import Any

import numpy as np

from arcwise.support.errors import FormatError
from arcwise.support.quoting import quoted

__all__ = ["parsed_json"]

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
