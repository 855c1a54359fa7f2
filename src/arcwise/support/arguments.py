"""Arguments that callers give, checked: numbers, arrays, flags, functions, objects, seeds, keywords in any spelling."""

import math
import operator
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import ParameterError
from arcwise.support.messages import InPython
from arcwise.support.quoting import cut

__all__ = [
    "BRITISH",
    "callback",
    "count",
    "either_spelling",
    "flag",
    "instance",
    "kernel_seed",
    "kernel_seeds",
    "made_of",
    "number",
    "real_numbers",
    "recorded_seed",
    "respelled",
    "seed_sequence",
]

Kind = TypeVar("Kind")
Called = TypeVar("Called", bound=Callable[..., object])


def count(name: str, value: int, *, least: int = 0, reason: str = "") -> int:
    """Integer that is not below `least` and fits into 64 bits, or a `ParameterError` that names the argument."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ParameterError.of(name, "an integer", value) from None
    if isinstance(value, bool):
        raise ParameterError.of(name, "an integer", value)
    if number < least:
        raise ParameterError.of(name, f"at least {least}{reason}", number)
    if number >= 1 << 64:  # what kernels can take
        raise ParameterError.of(name, "less than 2^64", number)
    return number


def number(name: str, value: float, *, positive: bool = False, owner: str = "") -> float:
    """Finite number that is not negative (or above 0), or a `ParameterError` that names the argument and its owner."""
    try:
        real = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        real = math.nan
    if not (math.isfinite(real) and real >= 0 and (real > 0 or not positive)):
        allowed = f"a finite number {'above' if positive else 'of at least'} 0"
        raise ParameterError.of(name, allowed, value, owner=owner)
    return real


def flag(name: str, value: bool) -> bool:
    """True or False, or a `ParameterError` that names the argument: "no" would be as true as "yes"."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError.of(name, InPython("True or False", "true or false"), value)
    return bool(value)


def callback(name: str, value: Called | None) -> Called | None:
    """The value if it can be called or is None, or a `ParameterError` that names the argument."""
    if value is not None and not callable(value):
        raise ParameterError.of(name, "a function or None", value)
    return value


def instance(name: str, value: Kind | None, kind: type[Kind], *, default: Callable[[], Kind] | None = None) -> Kind:
    """The value if it is of this kind, what `default` makes for None, or a `ParameterError` that names the argument."""
    if value is None and default is not None:
        return default()
    if not isinstance(value, kind):
        raise ParameterError.of(name, f"a {kind.__name__}", value, made_of(value, kind))
    return value


def made_of(value: object, *kinds: type) -> str:
    """Return how to make what is wanted of what was given, where that is easily confused; else nothing.

    Examples
    --------
    >>> made_of({"a": [0, 1]}, type("LocalScore", (), {})), made_of(5, int)
    ('make a score of data with LocalScore(data)', '')
    """
    if any(isinstance(getattr(value, "sets", None), kind) for kind in kinds):  # what `select` returns
        return "give its .sets"
    is_data = isinstance(value, str | os.PathLike | Mapping) or hasattr(value, "columns") or hasattr(value, "n_rows")
    if is_data and "LocalScore" in {kind.__name__ for kind in kinds}:
        return "make a score of data with LocalScore(data)"
    return ""


def real_numbers(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Copy of an array as real numbers, or a `TypeError` that says in a few words what else it holds.

    numpy itself would drop imaginary parts with a warning of its own, and read texts and dates as numbers.

    Examples
    --------
    >>> real_numbers([1, 2.5])
    array([1. , 2.5])
    >>> real_numbers([1j])
    Traceback (most recent call last):
        ...
    TypeError: complex128 instead of real numbers
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"{cut(str(array.dtype), 60)} instead of real numbers")
        return np.array(array, dtype=np.float64)
    except (ValueError, OverflowError, RecursionError) as error:  # rows of different lengths; numbers too large
        raise TypeError(cut(str(error))) from None


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


def recorded_seed(seed: int | None) -> int:
    """Return the seed to use and to record: the given one, or a fresh one for None."""
    if seed is None:
        return secrets.randbits(32)
    try:
        number = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise ParameterError.of("seed", ("a whole number of at least 0", InPython(" or None")), seed)
    return number


def seed_sequence(seed: int | None) -> np.random.SeedSequence:
    """Return a source of independent random streams."""
    return np.random.SeedSequence(recorded_seed(seed))


def kernel_seed(seed: int) -> int:
    """Return the seed of one kernel as it is given: a whole number of 64 bits."""
    return count("seed", seed)


def kernel_seeds(seed: int, count: int) -> Iterator[int]:
    """Give seeds of 64 well-mixed bits for `count` independent kernels; the first ones do not depend on the count.

    One at a time, because a budget often ends long before the count is reached.
    """
    for number in range(count):
        child = np.random.SeedSequence(seed, spawn_key=(number,))  # as SeedSequence.spawn makes them
        yield int(child.generate_state(1, np.uint64)[0])
