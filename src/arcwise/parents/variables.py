"""Variables of a table of parent sets, by name or by index."""

import operator
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from arcwise.errors import ParameterError
from arcwise.parents.set_arrays import MAX_VARIABLES


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names as a tuple: strings that are not empty, each of them once, at least one and at most 65,535.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError(f"names must be several strings, not {names!r}")
    listed = tuple(names)
    if not 1 <= len(listed) <= MAX_VARIABLES:
        raise ParameterError(f"there must be 1 to {MAX_VARIABLES:,} variables, not {len(listed):,}")
    seen: set[str] = set()
    for position, name in enumerate(listed):
        if not isinstance(name, str) or not name:
            raise ParameterError(f"names[{position}] must be a string that is not empty, not {name!r}")
        if name in seen:
            raise ParameterError(f"the name {name!r} stands for more than one variable; names must differ")
        seen.add(name)
    return tuple(map(str, listed))


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
        close = get_close_matches(variable, position, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else f" among the {len(position)} of the table"
        raise ParameterError(f"there is no variable {variable!r}{hint}")
    try:
        index = operator.index(variable)
    except TypeError:
        index = -1
    if isinstance(variable, bool) or not 0 <= index < len(position):
        raise ParameterError(
            f"a variable is given by its name or by its index from 0 to {len(position) - 1}, not by {variable!r}"
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
        raise ParameterError(f"{argument} must be a list of variables, not {variables!r}")
    return [index_of(variable, position) for variable in variables]
