"""Graphs as lists of arcs: a csv file with the columns parent and child.

A line with an empty parent names a node without saying anything about arcs, so that nodes without arcs are in the file
too. Nodes are in the order in which the file first names them.
"""

import csv
import io
import os
from collections.abc import Mapping

from arcwise.graph.dag import Dag
from arcwise.support.errors import FormatError, GraphError, ParameterError
from arcwise.support.files import csv_rows, read_text, write_text
from arcwise.support.quoting import quoted

__all__ = ["format_arcs", "parse_arcs", "read_arcs", "write_arcs"]

HEADERS = (("parent", "child"), ("from", "to"), ("source", "target"))
"""What the first line may say; arcwise writes the first of them, the second is bnlearn's, the third Gephi's."""


def read_arcs(path: str | os.PathLike[str]) -> Dag:
    """Graph in a csv file of arcs; .gz, .xz, .bz2 and .zst are decompressed. See `parse_arcs`."""
    return parse_arcs(read_text(path), path=os.fspath(path))


def write_arcs(dag: Dag, path: str | os.PathLike[str]) -> None:
    """Write a csv file with one arc in a line, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    See `format_arcs` for what it says.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_arcs(Dag(["rain", "wet"], [("rain", "wet")]), Path(folder, "arcs.csv"))
    ...     Path(folder, "arcs.csv").read_text().split()
    ['parent,child', 'rain,wet']
    """
    write_text(path, format_arcs(dag))


def parse_arcs(text: str, *, path: str | None = None) -> Dag:
    r"""Graph in a csv text whose header is ``parent,child``, ``from,to`` or ``source,target``.

    Raises
    ------
    FormatError
        With the line, for another header, a line without exactly two fields, an empty child, an arc that is there
        twice or leads from a node to itself, and with the nodes of a cycle.

    Examples
    --------
    >>> dag = parse_arcs("parent,child\nrain,wet\n,moon\n")
    >>> dag.names, dag.arcs
    (('rain', 'wet', 'moon'), (('rain', 'wet'),))
    """
    rows = csv_rows(text, path)
    line, header = next(rows, (1, []))
    if tuple(field.strip().lower() for field in header) not in HEADERS:
        allowed, shown = ", ".join(map(",".join, HEADERS)), ",".join(header)
        message = f"the first line of a file of arcs must be one of {allowed}, not {quoted(shown)}"
        raise FormatError(message, path=path, line=line)
    names: dict[str, None] = {}
    arcs: dict[tuple[str, str], int] = {}
    for line, row in rows:
        fault = _fault(row, arcs)
        if fault is not None:
            raise FormatError(fault, path=path, line=line)
        parent, child = row
        if parent:
            arcs[parent, child] = line
            names[parent] = None
        names[child] = None
    try:
        return Dag(names, arcs)
    except GraphError as error:
        raise FormatError(str(error), path=path) from None


def _fault(row: list[str], arcs: Mapping[tuple[str, str], int]) -> str | None:
    """What is wrong with a line, after the arcs of the lines before."""
    if len(row) != 2:
        return f"a line names a parent and a child; this one has {len(row)} field{'s' * (len(row) != 1)}"
    parent, child = row
    if not child:
        return "the child is empty; only a parent can be, to name a node"
    if parent == child:
        return f"the arc {quoted(child)} -> {quoted(child)} starts and ends at the same node"
    if (parent, child) in arcs:
        return f"the arc {quoted(parent)} -> {quoted(child)} is here and in line {arcs[parent, child]}; keep one"
    return None


def format_arcs(dag: Dag) -> str:
    r"""Csv text with the header ``parent,child``, one line for each arc, and one without parent for each lonely node.

    What it loses is the order of the nodes, where that is not the one in which the lines name them.

    Raises
    ------
    ParameterError
        For a node whose name is empty, which would be taken for no node, or has a carriage return, and for a `Cpdag`.

    Examples
    --------
    >>> format_arcs(Dag(["moon", "rain", "wet"], [("rain", "wet")]))
    'parent,child\nrain,wet\n,moon\n'
    """
    if not isinstance(dag, Dag):
        raise ParameterError(
            f"a csv of arcs holds a Dag, not a {type(dag).__name__}; of a Cpdag write its consistent_extension(), or "
            "all of it as GraphML, JSON or DOT"
        )
    for name in dag.names:
        if not name or "\r" in name:
            why = "has a carriage return" if name else "is empty"
            raise ParameterError(
                f"the name {quoted(name)} {why}, which a csv of arcs cannot hold; rename it or use JSON"
            )
    lonely = [
        name
        for name, parents, children in zip(dag.names, dag.parent_indices, dag.child_indices, strict=True)
        if not parents and not children
    ]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([("parent", "child"), *dag.arcs, *(("", name) for name in lonely)])
    return text.getvalue()
