"""How deep lists and objects of a JSON text are nested."""

import re

import numpy as np

from arcwise.support.errors import FormatError

__all__ = ["refuse_deep_nesting"]

#: More than any table has axes, and far less than Python can follow when it writes or shows a value.
_DEEPEST = 200

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def refuse_deep_nesting(text: str, path: str | None) -> None:
    """Raise a `FormatError` for lists and objects that are nested deeper than any file of arcwise's has them.

    `json` itself refuses only what its own stack cannot hold, which can be more than what uses the values can.

    Examples
    --------
    >>> refuse_deep_nesting('[["[[[["]]', None)
    >>> refuse_deep_nesting("[" * 300, "run.json")
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
