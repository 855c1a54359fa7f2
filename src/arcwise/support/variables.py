"""Variables that callers give by name or by index."""

import operator
from collections.abc import Iterable, Mapping

from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted
from arcwise.support.suggestions import did_you_mean

__all__ = ["index_of", "indices_of"]


def index_of(variable: str | int, position: Mapping[str, int]) -> int:
    """Index of a variable that is given by its name or its index.

    Raises
    ------
    ParameterError
        If there is no such variable.
    """
    if isinstance(variable, str):
        if variable in position:
            return position[variable]
        hint = did_you_mean(variable, position) or f" among the {len(position)}"
        raise ParameterError(f"there is no variable {quoted(variable)}{hint}")
    try:
        index = operator.index(variable)
    except TypeError:
        index = -1
    if isinstance(variable, bool) or not 0 <= index < len(position):
        raise ParameterError(
            f"there is no variable {quoted(variable)}; one is given by its name or by its index from 0 to "
            f"{len(position) - 1}"
        )
    return index


def indices_of(variables: Iterable[str | int], position: Mapping[str, int], argument: str) -> list[int]:
    """Indices of several variables; `argument` is what messages call them.

    Raises
    ------
    ParameterError
        If one is not a variable, or `variables` is not several of them.
    """
    if isinstance(variables, str) or not isinstance(variables, Iterable):
        hint = f"write [{quoted(variables)}]" if isinstance(variables, str) else ""
        raise ParameterError.of(argument, "a list of variables", variables, hint)
    return [index_of(variable, position) for variable in variables]
