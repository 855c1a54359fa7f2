"""Names that callers give, checked against those there are, with the nearest one for a slip."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

from arcwise.support.errors import ParameterError
from arcwise.support.messages import InPython
from arcwise.support.quoting import quoted

__all__ = ["did_you_mean", "nearest", "one_of"]

Name = TypeVar("Name", bound=str)


def did_you_mean(word: object, allowed: Iterable[str]) -> str:
    """Question that names the nearest of the allowed words; empty where none is near.

    Examples
    --------
    >>> did_you_mean("gredy", ["greedy", "tabu"])
    "; did you mean 'greedy'?"
    >>> did_you_mean("annealing", ["greedy", "tabu"])
    ''
    """
    near = nearest(word, allowed)
    return "" if near is None else f"; did you mean {quoted(near)}?"


def nearest(word: object, allowed: Iterable[str]) -> str | None:
    """Word that is most like the given one, whatever their cases; None where none is near.

    Examples
    --------
    >>> nearest("GREDY", ["greedy", "tabu"])
    'greedy'
    """
    by_lower_case = {name.lower(): name for name in allowed}
    near = get_close_matches(word.lower(), by_lower_case, n=1) if isinstance(word, str) else []
    return by_lower_case[near[0]] if near else None


def one_of(parameter: str, value: object, allowed: Iterable[Name], *, other: str = "") -> Name:
    """Value if it is one of the allowed names, or a `ParameterError` that lists them and asks for the nearest.

    Parameters
    ----------
    parameter
        What the value is for.
    value
        What the caller gave, of any type.
    allowed
        The names.
    other
        What else the parameter takes in Python, in words, for the message.

    Examples
    --------
    >>> one_of("method", "greedy", ["greedy", "tabu"])
    'greedy'
    >>> one_of("method", "gredy", ["greedy", "tabu"])
    Traceback (most recent call last):
        ...
    arcwise.ParameterError: method must be one of greedy, tabu, not 'gredy'; did you mean 'greedy'?
    """
    names = list(allowed)
    for name in names:
        if isinstance(value, str) and value == name:
            return name
    listed = ", ".join(names), InPython(f" or {other}" if other else "")
    raise ParameterError.of(parameter, ("one of ", *listed), value, did_you_mean(value, names).removeprefix("; "))
