"""Priors in files: TOML with all of one, or a csv list of arcs with their probabilities."""

import os
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from arcwise.constraints.checks import ANY
from arcwise.constraints.files import arc_of, expanded
from arcwise.scores.priors import Prior
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.fields import Fields
from arcwise.support.files import csv_rows, read_text
from arcwise.support.messages import AsKeys
from arcwise.support.quoting import cut, quoted, shown_path

__all__ = ["read_prior"]

Arc = tuple[str, str]
_Entry = tuple[Arc, Any]

_HEADERS = (("from", "to"), ("parent", "child"), ("source", "target"))
_KINDS = {"arc": "arcs", "edge": "edges"}


def read_prior(path: str | os.PathLike[str], names: Sequence[str] | None = None) -> Prior:
    r"""Prior in a file: .toml or .csv.

    A TOML file has any of the keys ``arcs`` and ``edges``, tables such as ``"A -> B" = 0.9`` and ``"A -- B" = 0.8`` or
    lists such as ``[["A", "B", 0.9]]``, and ``parents``, a number or ``"uniform"``; `Prior` says what they mean. A csv
    file has the columns ``from,to,probability``, and after them ``kind`` where some lines are not about an arc but
    about an edge. A ``*`` stands for all other variables; a line about two variables by name goes before one with it.

    Parameters
    ----------
    path
        The file.
    names
        The variables, for arcs and edges with ``*``.

    Raises
    ------
    FormatError
        With the line where it is known, for a file that says something else.
    ParameterError
        For a file whose name ends otherwise, and for ``*`` without `names`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "believed.toml")
    ...     _ = path.write_text('parents = 0.1\n[arcs]\n"smoking -> cancer" = 0.9\n"* -> age" = 0.01')
    ...     read_prior(path, ["age", "smoking", "cancer"]).arcs
    (('cancer', 'age', 0.01), ('smoking', 'age', 0.01), ('smoking', 'cancer', 0.9))
    """
    where, ending = os.fspath(path), Path(path).suffix.lower()
    if ending not in (".toml", ".csv"):
        raise ParameterError(f"a file of a prior must end in .toml or .csv; got {shown_path(Path(path).name)!r}")
    text = read_text(path)
    found = _from_toml(text, where) if ending == ".toml" else _from_csv(text, where)
    for key in ("arcs", "edges"):
        found[key] = _by_name(found.get(key, ()), names, where, is_directed=key == "arcs")
    try:
        return Prior(**found)
    except ParameterError as error:
        raise FormatError(AsKeys(error.message), path=where) from None


def _by_name(
    entries: Iterable[_Entry], names: Sequence[str] | None, where: str, *, is_directed: bool
) -> dict[Arc, Any]:
    """Return probabilities by pairs of names; what was said with a star does not overrule what was said without."""
    found: dict[bool, dict[Arc, Any]] = {True: {}, False: {}}
    for arc, p in entries:
        for one, other in expanded([arc], names, where):
            pair = (one, other) if is_directed else (min(one, other), max(one, other))
            other_p = found[ANY in arc].setdefault(pair, p)
            if other_p is not p and other_p != p:  # what is not a number differs from itself, and is refused later
                raise FormatError(f"{quoted(one)} and {quoted(other)} have two probabilities; keep one", path=where)
    return found[True] | found[False]


def _from_toml(text: str, path: str) -> dict[str, Any]:
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise FormatError("the lists and tables are nested too deep", path=path) from None
    except ValueError as error:  # no TOML, or an integer of thousands of digits
        raise FormatError(f"this is not TOML: {cut(str(error))}", path=path) from None
    fields = Fields(found, path=path)
    fields.refuse_others("arcs", "edges", "parents")
    for key, parse, form in (("arcs", arc_of, "A -> B"), ("edges", _edge_of, "A -- B")):
        if key in fields:
            found[key] = _toml_entries(fields, key, parse, form)
    return found


def _toml_entries(fields: Fields, key: str, parse: Callable[[str], Arc], form: str) -> list[_Entry]:
    if isinstance(fields.plain(key), dict):
        try:
            return [(parse(text), p) for text, p in fields.mapping(key).items()]
        except ParameterError as error:
            raise fields.wrong_at(key, f"must be a table of entries {quoted(form)} = 0.9: {error}") from None
    found = []
    for entry in fields.items(key):
        if not isinstance(entry, list) or len(entry) != 3 or not all(isinstance(end, str) for end in entry[:2]):
            raise fields.wrong_at(key, f'must hold entries ["A", "B", 0.9], not {quoted(entry)}')
        found.append(((entry[0], entry[1]), entry[2]))
    return found


def _edge_of(text: str) -> Arc:
    ends = [end.strip() for end in text.split("--")]
    if len(ends) != 2 or not all(ends):
        raise ParameterError(f"an edge is written 'A -- B', got {quoted(text)}")
    return ends[0], ends[1]


def _from_csv(text: str, path: str) -> dict[str, Any]:
    rows = [(line, [field.strip() for field in row]) for line, row in csv_rows(text, path)]
    header = tuple(field.lower() for field in rows[0][1]) if rows else ()
    if header[:2] not in _HEADERS or header[2:] not in (("probability",), ("probability", "kind")):
        raise FormatError(
            f"the first line must be from,to,probability or from,to,probability,kind, not {quoted(','.join(header))}",
            path=path,
            line=1,
        )
    found: dict[str, list[_Entry]] = {"arcs": [], "edges": []}
    for line, row in rows[1:]:
        if len(row) != len(header) or not all(row):
            raise FormatError(f"the line must have {len(header)} fields that are not empty", path=path, line=line)
        kind = row[3].lower() if len(row) > 3 else "arc"
        if kind not in _KINDS:
            raise FormatError(f"the kind must be arc or edge, not {quoted(row[3])}", path=path, line=line)
        try:
            found[_KINDS[kind]].append(((row[0], row[1]), float(row[2])))
        except ValueError:
            raise FormatError(f"the probability must be a number, not {quoted(row[2])}", path=path, line=line) from None
    return found
