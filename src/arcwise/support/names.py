"""Names that callers give: checked, found among those there are, with the nearest one for a slip."""

import operator
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import count
from typing import TypeVar
from unicodedata import normalize

from arcwise.support.errors import ArcwiseError, ParameterError
from arcwise.support.messages import InPython
from arcwise.support.quoting import quoted

__all__ = [
    "checked_names",
    "default_names",
    "did_you_mean",
    "free_name",
    "index_of",
    "indices_of",
    "is_plain",
    "nearest",
    "one_of",
    "plain_names",
    "refuse_unknown",
]

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
    """Word that is most like the given one, whatever their cases, or begins with it; None where none is near.

    Examples
    --------
    >>> nearest("GREDY", ["greedy", "tabu"])
    'greedy'
    >>> nearest("time", ["like", "time_limit"])
    'time_limit'
    """
    if not isinstance(word, str):
        return None
    by_lower_case = {name.lower(): name for name in allowed}
    longer = [name for name in by_lower_case if re.match(rf"{re.escape(word.lower())}[_-]", name)]
    near = longer or get_close_matches(word.lower(), by_lower_case, n=1)
    return by_lower_case[near[0]] if near else None


def one_of(
    parameter: str,
    value: object,
    allowed: Iterable[Name],
    *,
    other: str = "",
    elsewhere: Mapping[str, str] | None = None,
) -> Name:
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
    elsewhere
        What other packages call the same; the message asks for the name here.

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
    known = (elsewhere or {}).get(value.lower()) if isinstance(value, str) else None
    hint = did_you_mean(value if known is None else known, names)
    raise ParameterError.of(parameter, ("one of ", *listed), value, hint.removeprefix("; "))


def refuse_unknown(given: Iterable[str], allowed: Iterable[str], about: str) -> None:
    """Refuse keywords that nothing takes, and name the nearest of those there are; `about` says what they are for.

    Raises
    ------
    ParameterError
        With the first of them.

    Examples
    --------
    >>> refuse_unknown(["discretse"], ["discretise", "weights"], "for reading the data")
    Traceback (most recent call last):
        ...
    arcwise.ParameterError: there is no parameter 'discretse'; for reading the data there are discretise, weights; \
did you mean 'discretise'?
    """
    names = sorted(allowed)
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names)
            raise ParameterError(f"there is no parameter {quoted(name)}; {about} there are {', '.join(names)}{hint}")


def checked_names(
    names: Iterable[str], of: str, error: type[ArcwiseError], *, may_be_empty: bool = False
) -> tuple[str, ...]:
    """Names as a tuple of strings that differ, or an error that says which one is wrong.

    Parameters
    ----------
    names
        What the caller gave, of any type.
    of
        What has the names, in one word, for messages.
    error
        What is raised otherwise.
    may_be_empty
        Whether the empty string is a name.

    Examples
    --------
    >>> from arcwise.support.errors import GraphError
    >>> checked_names(["rain", "wet"], "node", GraphError)
    ('rain', 'wet')
    >>> checked_names(["rain", "wet", "rain"], "node", GraphError)
    Traceback (most recent call last):
        ...
    arcwise.GraphError: the name 'rain' stands for more than one node (0 and 2, counted from 0); names must differ
    """
    if isinstance(names, str):
        raise error(f"names must be several strings, not the one string {quoted(names)}; write [{quoted(names)}]")
    if not isinstance(names, Iterable):
        raise error(f"names must be several strings, not {quoted(names)}")
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if not isinstance(name, str):
            raise error(f"names[{position}] must be a string, not {quoted(name)} ({type(name).__name__})")
        if not name and not may_be_empty:
            raise error(f"names[{position}] must be a string that is not empty; give each {of} a name")
        if first.setdefault(name, position) != position:
            raise error(
                f"the name {quoted(name)} stands for more than one {of} ({first[name]} and {position}, counted from "
                "0); names must differ"
            )
    return tuple(map(str, first))


def default_names(n: int) -> tuple[str, ...]:
    """Names "X0", "X1", … for what has none."""
    return tuple(f"X{position}" for position in range(n))


def free_name(name: str, taken: Iterable[str]) -> str:
    """Name that nothing else has: the given one, or with a number behind it.

    Examples
    --------
    >>> free_name("wet", ["rain"]), free_name("wet", ["wet", "wet_2"])
    ('wet', 'wet_3')
    """
    others = frozenset(taken)
    return next(each for number in count(1) if (each := name if number == 1 else f"{name}_{number}") not in others)


# What the lexers of pyAgrum's BIF and other formats take for a name, and words that these have for themselves.
_PLAIN = re.compile(r"-?[0-9]+|[0-9]*[A-Za-z_][A-Za-z0-9_.-]*")
_KEPT = frozenset(("default", "discrete", "network", "probability", "property", "table", "type", "variable"))


def is_plain(name: str) -> bool:
    """Whether any program reads this name: ASCII letters, digits, ``_``, ``-`` and ``.``, and not a word of a format.

    Examples
    --------
    >>> [is_plain(name) for name in ("age", "2nd", "-1", "1.5", "blood pressure", "table")]
    [True, True, True, False, False, False]
    """
    return _PLAIN.fullmatch(name) is not None and name not in _KEPT


def plain_names(names: Iterable[str], *, are_states: bool = False) -> list[str]:
    """Names that any format takes and any program reads, as near to the given ones as that allows, and all different.

    They are of ASCII letters, digits and ``_``, and begin with a letter, as NET and XDSL have them; states may begin
    with a digit. Those that are like that already stay as they are. Of others, accents are taken off, a minus before a
    number becomes a word, and other signs become ``_``; a number tells apart what would be equal, of names also in
    small letters.

    Examples
    --------
    >>> plain_names(["age", "blood pressure", "Größe", "Age", "<= 1.5", "年", "table"])
    ['age', 'blood_pressure', 'Groe', 'Age_2', 'X1_5', 'X', 'table_2']
    >>> plain_names(["-1", "0", "1", "1.5", "Yes", "yes"], are_states=True)
    ['minus_1', '0', '1', '1_5', 'Yes', 'yes']
    """
    found: list[str] = []
    taken = set(_KEPT)
    for name in names:
        plain = _plain_word(name, may_begin_with_digit=are_states)
        tries = (plain if number == 1 else f"{plain}_{number}" for number in count(1))
        chosen = next(each for each in tries if (each if are_states else each.lower()) not in taken)
        taken.add(chosen if are_states else chosen.lower())
        found.append(chosen)
    return found


def _plain_word(name: str, *, may_begin_with_digit: bool) -> str:
    """Return letters, digits and ``_`` that stand for a name."""
    first = "A-Za-z0-9_" if may_begin_with_digit else "A-Za-z"
    if re.fullmatch(f"[{first}][A-Za-z0-9_]*", name):
        return name
    letters = re.sub(r"^-(?=\.?[0-9])", "minus ", normalize("NFKD", name).encode("ascii", "ignore").decode())
    plain = re.sub(r"[^A-Za-z0-9]+", "_", letters).strip("_") or "X"
    return plain if may_begin_with_digit or plain[0].isalpha() else f"X{plain}"


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
