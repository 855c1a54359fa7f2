"""Constraints in files: TOML with all of them, or csv lists of arcs and of tiers."""

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from arcwise.constraints.checks import ANY, Arc
from arcwise.constraints.constraints import Constraints
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.fields import Fields
from arcwise.support.files import csv_rows, read_text
from arcwise.support.messages import AsKeys, InPython, Name, Setting
from arcwise.support.names import did_you_mean, one_of
from arcwise.support.quoting import cut, quoted, shown_path

__all__ = ["arc_of", "expanded", "read_constraints"]

Kind = Literal["required", "forbidden"]

_KINDS: Mapping[str, Kind] = {
    "required": "required",
    "whitelist": "required",
    "forbidden": "forbidden",
    "blacklist": "forbidden",
}
_OF_ARCS = ("required", "forbidden", "allowed", "required_ancestors", "forbidden_ancestors")
_ARC_HEADERS = (("from", "to"), ("parent", "child"), ("source", "target"))
_TIER_HEADER = ("variable", "tier")


def read_constraints(
    path: str | os.PathLike[str], names: Sequence[str] | None = None, *, kind: str | None = None
) -> Constraints:
    r"""Constraints in a file: .toml, or .csv with arcs or with tiers.

    A TOML file has any of the keys ``required``, ``forbidden``, ``allowed``, ``required_ancestors`` and
    ``forbidden_ancestors`` (lists of pairs, ``["A", "B"]`` or ``"A -> B"``), ``tiers`` (a list of lists of variables,
    earliest first), ``closed_tiers`` (true, or a list of their places), ``max_parents`` and ``max_degree`` (a number,
    or a table of numbers by variable), ``join_constants`` (true or false), and ``groups`` (a table of lists of
    variables). A csv file has the columns ``from,to,kind``, where
    the kind is required or forbidden (whitelist or blacklist); or ``from,to`` alone and the argument `kind`; or
    ``variable,tier``, where the tiers are whole numbers. In an arc, ``*`` stands for all other variables.

    Parameters
    ----------
    path
        The file.
    names
        The variables, which take the place of ``*`` and of groups; those stay in the constraints when None.
    kind
        What the arcs of a csv file without the column are: required or forbidden.

    Raises
    ------
    FormatError
        With the line where it is known, for a file that says something else, or constraints that no graph satisfies.
    ParameterError
        For a file whose name ends otherwise.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "known.toml")
    ...     _ = path.write_text('required = ["smoking -> cancer"]\nforbidden = ["* -> age"]\nmax_parents = 3')
    ...     known = read_constraints(path, ["age", "smoking", "cancer"])
    >>> known.required, known.forbidden, known.max_parents
    ((('smoking', 'cancer'),), (('cancer', 'age'), ('smoking', 'age')), 3)
    """
    where = os.fspath(path)
    ending = Path(path).suffix.lower()
    if kind is not None:
        kind = _KINDS[one_of("kind", kind, _KINDS)]
    if ending not in (".toml", ".csv"):
        raise ParameterError(f"a file of constraints must end in .toml or .csv; got {shown_path(Path(path).name)!r}")
    if kind is not None and ending == ".toml":
        raise ParameterError(
            f"{shown_path(where)}: a .toml file says itself what is required and what forbidden; ",
            InPython(("leave out ", Name("kind")), "give its name alone"),
        )
    text = read_text(path)
    found = _from_toml(text, where) if ending == ".toml" else _from_csv(text, where, kind)
    try:
        known = Constraints(**found)
        return known if names is None else known.over(names)
    except ParameterError as error:
        raise FormatError(AsKeys(error.message), path=where) from None


def arc_of(text: str) -> Arc:
    """Arc that is written as 'A->B'.

    Examples
    --------
    >>> arc_of("smoking -> cancer")
    ('smoking', 'cancer')
    """
    ends = [end.strip() for end in text.split("->")]
    if len(ends) != 2 or not all(ends):
        raise ParameterError(f"an arc is written 'A->B', got {quoted(text)}")
    return ends[0], ends[1]


def expanded(arcs: Iterable[Arc], names: Sequence[str] | None, where: str = "") -> list[Arc]:
    """Arcs with each ``*`` replaced by all variables other than the arc's other end.

    Examples
    --------
    >>> expanded([("*", "age")], ["age", "sex", "smoking"])
    [('sex', 'age'), ('smoking', 'age')]
    """
    found: list[Arc] = []
    for tail, head in arcs:
        if ANY not in (tail, head):
            found.append((tail, head))
        elif names is None:
            place = f"{shown_path(where)}: " if where else ""
            raise ParameterError(
                f"{place}the arc {cut(tail)} -> {cut(head)} stands for all variables, so their names are needed"
            )
        else:
            tails, heads = (list(names) if end == ANY else [end] for end in (tail, head))
            found += [(one, other) for one in tails for other in heads if one != other]
    return found


def _from_toml(text: str, path: str) -> dict[str, Any]:
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise FormatError("the lists and tables are nested too deep", path=path) from None
    except ValueError as error:  # no TOML, or an integer of thousands of digits
        raise FormatError(f"this is not TOML: {cut(str(error))}", path=path) from None
    fields = Fields(found, path=path)
    fields.refuse_others(*_OF_ARCS, "tiers", "closed_tiers", "max_parents", "max_degree", "join_constants", "groups")
    for key in _OF_ARCS:
        if key in fields:
            found[key] = [_toml_arc(arc, key, fields) for arc in fields.items(key)]
    if "tiers" in fields:
        found["tiers"] = [[tier] if isinstance(tier, str) else tier for tier in fields.items("tiers")]
    return found


def _toml_arc(arc: object, key: str, fields: Fields) -> Arc:
    if isinstance(arc, str) and arc.count("->") == 1:
        return arc_of(arc)
    if isinstance(arc, list) and len(arc) == 2 and all(isinstance(end, str) for end in arc):
        return arc[0], arc[1]
    raise fields.wrong_at(key, f'must hold arcs, "A -> B" or ["A", "B"], not {quoted(arc)}')


def _from_csv(text: str, path: str, kind: str | None) -> dict[str, Any]:
    rows = [(line, [field.strip() for field in row]) for line, row in csv_rows(text, path)]
    header = tuple(field.lower() for field in rows[0][1]) if rows else ()
    for line, row in rows[1:]:
        if len(row) != len(header) or not all(row):
            raise FormatError(f"the line must have {len(header)} fields that are not empty", path=path, line=line)
    if header == _TIER_HEADER:
        return {"tiers": _csv_tiers(rows[1:], path)}
    if header[:2] in _ARC_HEADERS and header[2:] in ((), ("kind",)):
        return _csv_arcs(rows[1:], path, None if header[2:] else kind, has_kind=bool(header[2:]))
    raise FormatError(
        f"the first line must be from,to,kind or from,to or variable,tier, not {quoted(','.join(header))}",
        path=path,
        line=1,
    )


def _csv_arcs(rows: list[tuple[int, list[str]]], path: str, kind: str | None, *, has_kind: bool) -> dict[str, Any]:
    if not has_kind and kind is None:
        remedy = f"give the file as required={shown_path(path)} or forbidden={shown_path(path)}"
        raise FormatError(
            (
                "nothing says whether these arcs are required or forbidden: add a column 'kind', or ",
                InPython(("say which with ", Setting("kind")), remedy),
            ),
            path=path,
        )
    found: dict[str, list[Arc]] = {"required": [], "forbidden": []}
    for line, (tail, head, *own) in rows:
        word = own[0].lower() if own else str(kind)
        if word not in _KINDS:
            hint = did_you_mean(word, _KINDS)
            raise FormatError(
                f"the kind must be one of {', '.join(_KINDS)}, not {quoted(own[0])}{hint}", path=path, line=line
            )
        found[_KINDS[word]].append((tail, head))
    return found


def _csv_tiers(rows: list[tuple[int, list[str]]], path: str) -> list[list[str]]:
    tiers: dict[int, list[str]] = {}
    for line, (variable, tier) in rows:
        try:
            tiers.setdefault(int(tier), []).append(variable)
        except ValueError:
            raise FormatError(f"the tier must be a whole number, not {quoted(tier)}", path=path, line=line) from None
    return [tiers[number] for number in sorted(tiers)]
