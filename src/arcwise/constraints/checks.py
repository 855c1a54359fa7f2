"""What callers give as constraints, checked and brought into one form."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Shown
from arcwise.support.quoting import quoted

__all__ = [
    "ANY",
    "Arc",
    "Limits",
    "arrow",
    "checked_arcs",
    "checked_closed",
    "checked_groups",
    "checked_limits",
    "checked_tiers",
    "degrees_of",
    "leads_back",
    "limits_of",
]

Arc = tuple[str, str]
Limits = int | tuple[tuple[str, int], ...] | None
Item = TypeVar("Item")

ANY = "*"
"""Stands for all other variables in an arc."""


def checked_arcs(arcs: Iterable[Arc], parameter: str) -> tuple[Arc, ...]:
    """Pairs of names, sorted and each once; ``*`` may stand for all others, also at both ends."""
    checked: set[Arc] = set()
    for arc in _listed(arcs, parameter, "pairs (parent, child)"):
        if isinstance(arc, str) or not isinstance(arc, Sequence) or [isinstance(end, str) for end in arc] != [True] * 2:
            raise ParameterError.of(parameter, "pairs (parent, child) of variable names", arc, verb="hold")
        if arc[0] == arc[1] != ANY:
            raise ParameterError(Name(parameter), f" must not hold the arc {arrow(arc)} from a variable to itself")
        checked.add((str(arc[0]), str(arc[1])))
    return tuple(sorted(checked))


def checked_tiers(tiers: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Tiers as sorted names, each in one of them at most."""
    checked = [_listed(tier, "a tier", "variable names") for tier in _listed(tiers, "tiers", "tiers")]
    place: dict[str, int] = {}
    for position, tier in enumerate(checked):
        for name in tier:
            if not isinstance(name, str):
                raise ParameterError.of(
                    "tiers", "variable names", Shown(f"{quoted(name)} (in tier {position})"), verb="hold"
                )
            if name in place:
                where = f"tiers {place[name]} and {position}" if place[name] != position else f"tier {position} twice"
                raise ParameterError(
                    f"{quoted(name)} is in {where} (counted from 0); a variable is in one tier at most"
                )
            place[name] = position
    return tuple(tuple(sorted(tier)) for tier in checked)


def checked_closed(closed: object, n_tiers: int) -> tuple[int, ...]:
    """Places of the tiers without arcs of their own: all of them for True, none for False."""
    if isinstance(closed, bool):
        return tuple(range(n_tiers)) if closed else ()
    wanted = "True, False or a list of places of tiers, counted from 0"
    if not isinstance(closed, Iterable) or isinstance(closed, str):
        raise ParameterError.of("closed_tiers", wanted, closed)
    places = sorted({count("closed_tiers", place) for place in closed})
    if places and places[-1] >= n_tiers:
        raise ParameterError.of("closed_tiers", f"places of the {n_tiers} tiers, counted from 0", places[-1])
    return tuple(places)


def checked_groups(groups: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names of groups with their variables, sorted; a group has no other group in it."""
    if not isinstance(groups, Mapping):
        raise ParameterError.of("groups", "a mapping from names of groups to lists of variables", groups)
    checked: dict[str, tuple[str, ...]] = {}
    for name, members in groups.items():
        listed = _listed(members, f"the group {quoted(name)}", "variable names")
        if not isinstance(name, str) or not all(isinstance(member, str) for member in listed):
            raise ParameterError.of("groups", "names of groups and lists of variable names", name, verb="hold")
        checked[str(name)] = tuple(sorted(set(map(str, listed))))
    for name, members in checked.items():
        inner = next((member for member in members if member in checked), None)
        if inner is not None:
            raise ParameterError(
                f"the group {quoted(name)} holds {quoted(inner)}, which is a group; list its variables instead"
            )
    return tuple(sorted(checked.items()))


def checked_limits(limits: int | Mapping[str, int] | None, parameter: str) -> Limits:
    """One limit for all, or limits by name."""
    if limits is None:
        return None
    if not isinstance(limits, Mapping):
        return count(parameter, limits)
    for name in limits:
        if not isinstance(name, str):
            raise ParameterError.of(parameter, "variable names to limits", name, verb="map")
    return tuple(sorted((str(name), count(f"{parameter} for {quoted(name)}", limit)) for name, limit in limits.items()))


def limits_of(limits: Limits, names: Iterable[str]) -> list[int | None]:
    """Limits of these variables, None for those without one."""
    if isinstance(limits, tuple):
        return list(map(dict(limits).get, names))
    return [limits for _ in names]


def degrees_of(arcs: Iterable[Arc]) -> Counter[str]:
    """How many nodes each is adjacent to, given arcs of which no two join the same nodes."""
    return Counter(name for arc in arcs for name in arc)


def leads_back(arc: Arc, tier_of: Mapping[str, int], closed: Sequence[int]) -> str:
    """Words for an arc from a later tier to an earlier one, or within one that is closed; empty for any other."""
    tail, head = (tier_of.get(name) for name in arc)
    if tail is None or head is None or tail < head:
        return ""
    if tail == head:
        return f"is within tier {tail} (counted from 0), which is closed" if tail in closed else ""
    return f"leads from tier {tail} back to tier {head} (counted from 0)"


def arrow(arc: Sequence[str]) -> str:
    """Arc in words."""
    return f"{quoted(arc[0])} -> {quoted(arc[1])}"


def _listed(items: Iterable[Item], parameter: str, what: str) -> list[Item]:
    """List the items, unless they are one string (a slip) or not iterable at all."""
    if not isinstance(items, Iterable) or isinstance(items, str):
        raise ParameterError.of(parameter, f"a list of {what}", items)
    return list(items)
