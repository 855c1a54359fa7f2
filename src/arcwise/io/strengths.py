"""Files of arc strengths, as `arcwise bootstrap` and bnlearn write them."""

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.fields import Fields, parsed_json
from arcwise.support.files import csv_rows, endings, read_text
from arcwise.support.quoting import quoted, shown_path

__all__ = ["ArcShares", "read_strengths"]

COLUMNS = ("from", "to", "strength", "direction")


class ArcShares(dict[tuple[str, str], float]):
    """Numbers by (parent, child) that are shares of replicas, from 0 to 1, and are drawn as such."""


def read_strengths(path: str | os.PathLike[str]) -> dict[tuple[str, str], float]:
    r"""Share of the replicas with each arc, by (parent, child), in a file that ``arcwise bootstrap`` has written.

    The file says how often two variables were adjacent (strength), and in which share of these replicas the arc had
    this direction; the share of all replicas with the arc is the product. Arcs that are not in the file were in none.

    Parameters
    ----------
    path
        A .csv file with the columns from, to, strength and direction, which bnlearn's ``boot.strength`` also gives, or
        a .json file; after that .gz, .xz, .bz2 or .zst may say how it is compressed.

    Raises
    ------
    ParameterError
        If the name ends otherwise.
    FormatError
        With the line, if the file says something else.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "strengths.csv")
    ...     _ = path.write_text("from,to,strength,direction\nrain,wet,1.0,0.75\nwet,rain,1.0,0.25\n")
    ...     read_strengths(path)
    {('rain', 'wet'): 0.75, ('wet', 'rain'): 0.25}
    """
    if not isinstance(path, str | os.PathLike):
        raise ParameterError.of("path", "a path", path)
    where = os.fspath(path)
    ending, _ = endings(path)
    if ending not in (".csv", ".json"):
        raise ParameterError(f"a file of strengths must end in .csv or .json; got {shown_path(Path(path).name)!r}")
    text = read_text(path)
    rows = _csv_rows(text, where) if ending == ".csv" else _json_rows(text, where)
    found = ArcShares()
    for line, tail, head, strength, direction in rows:
        if tail == head:
            raise FormatError(
                f"the arc {quoted(tail)} -> {quoted(head)} starts and ends at the same node", path=where, line=line
            )
        if (tail, head) in found:
            raise FormatError(
                f"the arc {quoted(tail)} -> {quoted(head)} is here twice; keep one", path=where, line=line
            )
        found[tail, head] = _share(strength, where, line) * _share(direction, where, line)
    return found


def _csv_rows(text: str, path: str) -> Iterator[tuple[int | None, str, str, Any, Any]]:
    rows = csv_rows(text, path)
    line, header = next(rows, (1, []))
    if tuple(field.strip().lower() for field in header) != COLUMNS:
        shown = ",".join(header)
        raise FormatError(f"the first line must be {','.join(COLUMNS)}, not {quoted(shown)}", path=path, line=line)
    for line, row in rows:
        if len(row) != len(COLUMNS):
            raise FormatError(f"the line must have {len(COLUMNS)} fields, not {len(row)}", path=path, line=line)
        yield line, row[0], row[1], row[2], row[3]


def _json_rows(text: str, path: str) -> Iterator[tuple[int | None, str, str, Any, Any]]:
    for part in Fields(parsed_json(text, path), path=path).parts("strengths"):
        yield None, part.text("from"), part.text("to"), part.number("strength"), part.number("direction")


def _share(value: Any, path: str, line: int | None) -> float:
    try:
        share = float(value)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise FormatError(
            f"strength and direction must be numbers from 0 to 1, not {quoted(value)}", path=path, line=line
        )
    return share
