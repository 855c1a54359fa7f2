"""Graphs as lists of arcs."""

import csv
import os
from pathlib import Path

from arcwise.graph.dag import Dag

__all__ = ["write_arcs"]


def write_arcs(dag: Dag, path: str | os.PathLike[str]) -> None:
    """Write a csv file with one arc in a line, under the header ``parent,child``; nodes without arcs are not in it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_arcs(Dag(["rain", "wet"], [("rain", "wet")]), Path(folder, "arcs.csv"))
    ...     Path(folder, "arcs.csv").read_text().split()
    ['parent,child', 'rain,wet']
    """
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("parent", "child"), *dag.arcs])
