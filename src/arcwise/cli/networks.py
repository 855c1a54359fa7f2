"""Networks and graphs that commands read and write: files of any format, and examples."""

import os
import warnings
from pathlib import Path
from typing import Any

import typer

import arcwise
from arcwise.cli import choices
from arcwise.cli.options import existing_file, is_example
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.quoting import shown_path

__all__ = [
    "ending",
    "endings",
    "graph_of",
    "has_tables",
    "network_argument",
    "network_of",
    "network_or_graph_of",
    "refuse_names",
    "with_plain_names",
    "write",
]

_WANTED = f"a file of a network or graph, or an example: {', '.join(choices.EXAMPLES)}"


def network_argument(metavar: str, help_text: str | None = None) -> Any:
    """Argument that names a network or graph."""
    either = f"File of a network or graph, or one of {', '.join(choices.EXAMPLES)}."
    return typer.Argument(metavar=metavar, help=help_text or either, autocompletion=choices.completing_sources)


def network_of(source: str) -> "arcwise.BayesianNetwork":
    """Return the network of a file or an example."""
    if is_example(source):
        return arcwise.load_example(source)
    path = existing_file(source, wanted=_WANTED)
    if not has_tables(path):
        allowed = choices.listed(choices.NETWORK_ENDINGS)
        raise ParameterError(
            f"{shown_path(source)!r} is not a file of a network with its tables; such files end in {allowed}"
        )
    return arcwise.read_network(path)


def graph_of(source: str) -> "arcwise.Dag":
    """Return the graph of a file or an example."""
    if is_example(source):
        return arcwise.load_example(source).dag
    return arcwise.read_graph(existing_file(source, wanted=_WANTED))


def network_or_graph_of(source: str) -> "arcwise.BayesianNetwork | arcwise.Dag":
    """Return the network of a file or an example, or a graph where the file has no tables."""
    if is_example(source):
        return arcwise.load_example(source)
    path = existing_file(source, wanted=_WANTED)
    if not has_tables(path):
        return arcwise.read_graph(path)
    try:
        return arcwise.read_network(path)
    except FormatError:
        if ending(path) not in choices.GRAPH_ENDINGS:  # some formats hold either
            raise
        return arcwise.read_graph(path)


def with_plain_names(found: "arcwise.BayesianNetwork | arcwise.Dag") -> "arcwise.BayesianNetwork | arcwise.Dag":
    """Return a network or graph with names that any program reads."""
    from arcwise.support.names import plain_names

    if isinstance(found, arcwise.BayesianNetwork):
        return found.with_plain_names()
    return found.renamed(dict(zip(found.names, plain_names(found.names), strict=True)))


def has_tables(path: Path) -> bool:
    """Whether files with this name hold networks with their tables."""
    return ending(path) in choices.NETWORK_ENDINGS


def ending(path: Path) -> str:
    """End of the name that says the format, without that of a compression."""
    from arcwise.support import files

    return files.endings(path)[0]


def endings() -> list[str]:
    """Ends of the names of all files that can be written, each once, networks first."""
    return list(dict.fromkeys([*choices.NETWORK_ENDINGS, *choices.GRAPH_ENDINGS]))


def write(found: "arcwise.BayesianNetwork | arcwise.Dag", path: Path, *, why_no_tables: str = "") -> None:
    """Write a network, or only its graph where the file's format has no tables.

    Parameters
    ----------
    found
        A network, or a graph.
    path
        The file; the end of its name says the format.
    why_no_tables
        For the message when a graph is to become a network.
    """
    if has_tables(path) and isinstance(found, arcwise.BayesianNetwork):
        arcwise.write_network(found, path)
    elif ending(path) in choices.GRAPH_ENDINGS or not has_tables(path):
        arcwise.write_graph(found, path)
    else:
        raise ParameterError(
            f"cannot write {shown_path(path.name)!r}: {why_no_tables}; files of graphs end in "
            f"{choices.listed(choices.GRAPH_ENDINGS)}"
        )


def refuse_names(data: "arcwise.Dataset", path: Path) -> None:
    """Refuse names and states that a file's format cannot express, before the hours that it takes to learn its arcs."""
    from arcwise.io.files import GRAPH_FORMATS, NETWORK_FORMATS

    formats, write = (
        (NETWORK_FORMATS, arcwise.write_network) if has_tables(path) else (GRAPH_FORMATS, arcwise.write_graph)
    )
    chosen = next(name for name, ends in formats.items() if ending(path) in ends)
    if chosen == "uai":  # which has no names; the warning comes when the file is written
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they come when the file is written
        write(arcwise.BayesianNetwork.fit(arcwise.Dag(data.names), data, ess=1.0), os.devnull, chosen)
