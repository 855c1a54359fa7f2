"""Keywords in American spelling, taken where the documented one is British."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from arcwise.support.errors import ParameterError

__all__ = ["BRITISH", "either_spelling", "respelled"]

#: The documented keyword for each that is spelled differently in American English.
BRITISH = {"discretize": "discretise", "neighborhood": "neighbourhood"}

Value = TypeVar("Value")
Callee = TypeVar("Callee", bound=Callable[..., Any])


def respelled(options: Mapping[str, Value]) -> dict[str, Value]:
    """Return the options under their documented names.

    Raises
    ------
    ParameterError
        If an option is given in both spellings.

    Examples
    --------
    >>> respelled({"neighborhood": None, "climbs": 3})
    {'neighbourhood': None, 'climbs': 3}
    """
    for american, british in BRITISH.items():
        if american in options and british in options:
            raise ParameterError(f"{british} and {american} are two spellings of one option; give one of them")
    return {BRITISH.get(name, name): value for name, value in options.items()}


def either_spelling(callee: Callee) -> Callee:
    """Return a function, or a class with its constructor, that takes its keywords in either spelling.

    Signatures keep the documented one.

    Examples
    --------
    >>> @either_spelling
    ... def cut(*, discretise: str) -> str:
    ...     return discretise
    >>> cut(discretize="quantile")
    'quantile'
    """
    if isinstance(callee, type):
        callee.__init__ = either_spelling(callee.__init__)  # type: ignore[misc]
        return callee

    @wraps(callee)
    def called(*args: Any, **options: Any) -> Any:
        return callee(*args, **(respelled(options) if options.keys() & BRITISH.keys() else options))

    return cast("Callee", called)
