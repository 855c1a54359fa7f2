"""Graphs in DOT, the language of Graphviz, for drawing."""

import os

from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.support.errors import ParameterError
from arcwise.support.files import write_text

__all__ = ["format_dot", "write_dot"]


def write_dot(graph: Dag | Cpdag, path: str | os.PathLike[str]) -> None:
    """Write a graph to a DOT file, compressed when the name ends in .gz, .xz, .bz2 or .zst; see `format_dot`."""
    write_text(path, format_dot(graph))


def format_dot(graph: Dag | Cpdag) -> str:
    r"""DOT text of a graph; undirected edges of a `Cpdag` are lines without heads.

    Backslashes are doubled and line breaks written as ``\n``, so that Graphviz draws the names as they are.

    Raises
    ------
    ParameterError
        For a name with a carriage return or a zero byte, where Graphviz would take the text to end.

    Examples
    --------
    >>> print(format_dot(Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")])), end="")
    digraph {
      "a";
      "b";
      "c";
      "a" -> "b";
      "b" -> "c" [dir=none];
    }
    """
    quoted = {name: _quoted(name) for name in graph.names}
    arcs, edges = (graph.arcs, ()) if isinstance(graph, Dag) else (graph.directed, graph.undirected)
    lines = [f"  {name};" for name in quoted.values()]
    lines += [f"  {quoted[a]} -> {quoted[b]};" for a, b in arcs]
    lines += [f"  {quoted[a]} -> {quoted[b]} [dir=none];" for a, b in edges]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    if "\0" in name or "\r" in name:
        raise ParameterError(f"{name!r} cannot be written in DOT: a name must have no carriage return and no zero byte")
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
    return '"' + "".join(escapes.get(character, character) for character in name) + '"'
