"""Names of variables, columns and nodes."""

from collections.abc import Iterable

from arcwise.support.errors import ArcwiseError
from arcwise.support.quoting import quoted

__all__ = ["checked_names", "default_names"]


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
