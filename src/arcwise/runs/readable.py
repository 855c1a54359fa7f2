"""Settings of searches as values that JSON has, for people to read and for programs to compare."""

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

import numpy as np

from arcwise.graph.dag import Dag

__all__ = ["readable"]


def readable(value: object) -> Any:
    """Return the value in words, numbers, lists and mappings; objects by their type and their parameters.

    What was made of the same parameters reads the same; nothing is made of it again.

    Examples
    --------
    >>> from arcwise.scores import BDeu
    >>> readable({"score": BDeu(ess=10.0), "climbs": 3, "tiers": ("a", "b")})
    {'score': {'type': 'BDeu', 'ess': 10.0}, 'climbs': 3, 'tiers': ['a', 'b']}
    >>> readable(float("inf")), readable(len)
    ('inf', 'len')
    """
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        return float(value) if isfinite(value) else str(value)
    if isinstance(value, Enum):
        return readable(value.value)
    if isinstance(value, np.generic | np.ndarray):
        return readable(value.tolist())
    if isinstance(value, Dag):
        return {"type": "Dag", "names": list(value.names), "arcs": [list(arc) for arc in value.arcs]}
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: readable(getattr(value, field.name)) for field in fields(value) if field.repr}
        return {"type": type(value).__name__, **own}
    if isinstance(value, Mapping):
        return {str(key): readable(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((readable(item) for item in value), key=repr)
    if isinstance(value, list | tuple):
        return [readable(item) for item in value]
    return _named(value)


def _named(value: object) -> str:
    """Return a name: that of a function, or what an object says of itself as long as that is not an address."""
    if hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text
