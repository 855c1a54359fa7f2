"""Wrong values put into JSON, one at a time."""

import copy
from collections.abc import Iterator
from typing import Any

WRONG: tuple[Any, ...] = (None, "x", -1, 7, [], {}, True, 1.5, [["a"]], 10**30)


def damaged(whole: Any, *, items: int = 2) -> Iterator[tuple[str, Any]]:
    """Give the value with each of its parts wrong in each way, or missing; of lists only the first few items."""
    for path in list(_paths(whole, items)):
        for wrong in WRONG:
            broken, parent = _copied(whole, path)
            parent[path[-1]] = wrong
            yield f"{path} = {wrong!r}", broken
        broken, parent = _copied(whole, path)
        del parent[path[-1]]
        yield f"{path} is missing", broken


def _paths(value: Any, items: int, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = value if isinstance(value, dict) else range(min(len(value), items)) if isinstance(value, list) else ()
    for key in keys:
        yield (*before, key)
        yield from _paths(value[key], items, (*before, key))


def _copied(whole: Any, path: tuple[Any, ...]) -> tuple[Any, Any]:
    broken = copy.deepcopy(whole)
    parent = broken
    for key in path[:-1]:
        parent = parent[key]
    return broken, parent
