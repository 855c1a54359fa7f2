"""Graphs in GraphML (Brandes et al. 2002, "GraphML progress report", GD), which networkx, igraph, Gephi and yEd know.

The id of a node is its name. Undirected edges of a `Cpdag` have the attribute ``directed="false"``, as the format has
it for mixed graphs; programs that know only one kind of edge at a time, such as networkx, refuse such a file. Reading
takes the structure and leaves out all data about it.
"""

import json
import os
from collections.abc import Sequence

from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.io.xml_tree import Element, escaped, only, parse_xml, read_xml, refuse_others
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import FormatError, GraphError
from arcwise.support.files import write_text
from arcwise.support.quoting import cut, quoted

__all__ = ["format_graphml", "parse_graphml", "read_graphml", "write_graphml"]


def read_graphml(path: str | os.PathLike[str]) -> Dag | Cpdag:
    """Graph in a GraphML file; .gz, .xz, .bz2 and .zst are decompressed. See `parse_graphml`."""
    return _graph(read_xml(path), os.fspath(path))


def write_graphml(graph: Dag | Cpdag | BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a graph to a GraphML file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_graphml` gives back an equal graph. See `format_graphml`.
    """
    write_text(path, format_graphml(graph))


def parse_graphml(text: str | bytes, *, path: str | None = None) -> Dag | Cpdag:
    """Graph in a GraphML text, its nodes in the order of the text; a `Cpdag` if it has undirected edges.

    Parameters
    ----------
    text
        The whole document; bytes are decoded as they declare it.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, for what is not XML or not GraphML, for entities, nested graphs and hyperedges, for a node or an
        edge that is there twice, an edge of unknown nodes, and with the nodes of a cycle.

    Examples
    --------
    >>> parse_graphml('''<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/>
    ... <edge source="a" target="b"/></graph></graphml>''').arcs
    (('a', 'b'),)
    """
    return _graph(parse_xml(text, path=path), path)


def _graph(root: Element, path: str | None) -> Dag | Cpdag:
    if root.tag != "graphml":
        raise FormatError(
            f"this is not GraphML: its root must be graphml, not {cut(root.tag)}", path=path, line=root.line
        )
    graph = only(root, "graph", path=path)
    refuse_others(graph, ["node", "edge", "data", "desc"], path=path)
    for node in graph.all("node"):
        refuse_others(node, ["data", "desc", "port"], path=path)
    default = _attribute(graph, "edgedefault", path)
    if default not in ("directed", "undirected"):
        message = f"edgedefault must be directed or undirected, not {quoted(default)}"
        raise FormatError(message, path=path, line=graph.line)
    names: dict[str, None] = {}
    for node in graph.all("node"):
        name = _attribute(node, "id", path)
        if name in names:
            raise FormatError(f"the node {quoted(name)} is here a second time; keep one", path=path, line=node.line)
        names[name] = None
    arcs, edges = _edges(graph.all("edge"), names, default == "directed", path)
    try:
        return Cpdag(names, arcs, edges) if edges else Dag(names, arcs)
    except GraphError as error:
        raise FormatError(str(error), path=path) from None


def _edges(
    elements: Sequence[Element], names: dict[str, None], directed: bool, path: str | None
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Directed and undirected pairs."""
    arcs: list[tuple[str, str]] = []
    edges: list[tuple[str, str]] = []
    seen: dict[tuple[str, str], int] = {}
    for edge in elements:
        pair = _attribute(edge, "source", path), _attribute(edge, "target", path)
        for name in pair:
            if name not in names:
                raise FormatError(f"there is no node {quoted(name)} for this edge", path=path, line=edge.line)
        if pair in seen:
            message = f"the edge from {quoted(pair[0])} to {quoted(pair[1])} is here and in line {seen[pair]}; keep one"
            raise FormatError(message, path=path, line=edge.line)
        seen[pair] = edge.line
        own = edge.attributes.get("directed")
        if own not in (None, "true", "false"):
            raise FormatError(f"directed must be true or false, not {quoted(own)}", path=path, line=edge.line)
        (arcs if (directed if own is None else own == "true") else edges).append(pair)
    return arcs, edges


def _attribute(element: Element, name: str, path: str | None) -> str:
    if name not in element.attributes:
        raise FormatError(f"this {element.tag} has no {quoted(name)}", path=path, line=element.line)
    return element.attributes[name]


def format_graphml(graph: Dag | Cpdag | BayesianNetwork) -> str:
    """GraphML text of a graph; nodes of a network have their states with them, as a JSON list.

    Raises
    ------
    ParameterError
        For a name that has characters that XML cannot hold.

    Examples
    --------
    >>> print(format_graphml(Dag(["a", "b"], [("a", "b")])), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
      <graph edgedefault="directed">
        <node id="a"/>
        <node id="b"/>
        <edge source="a" target="b"/>
      </graph>
    </graphml>
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    if isinstance(graph, BayesianNetwork):
        lines.append('  <key id="states" for="node" attr.name="states" attr.type="string"/>')
        contents = [json.dumps(states, ensure_ascii=False) for states in graph.states]
        data = [f'><data key="states">{escaped(content, "GraphML")}</data></node>' for content in contents]
        graph = graph.dag
    else:
        data = ["/>"] * graph.n_nodes
    written = {name: escaped(name, "GraphML") for name in graph.names}
    lines.append('  <graph edgedefault="directed">')
    lines += [f'    <node id="{written[name]}"{rest}' for name, rest in zip(graph.names, data, strict=True)]
    arcs, edges = (graph.arcs, ()) if isinstance(graph, Dag) else (graph.directed, graph.undirected)
    lines += [f'    <edge source="{written[a]}" target="{written[b]}"/>' for a, b in arcs]
    lines += [f'    <edge source="{written[a]}" target="{written[b]}" directed="false"/>' for a, b in edges]
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"
