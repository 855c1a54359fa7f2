"""Graphs read from and written to GraphML, and written to DOT."""

from pathlib import Path
from typing import Any

import networkx as nx
import pydot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.graph import Cpdag, Dag
from arcwise.interop import from_networkx, to_networkx
from arcwise.io.dot import format_dot
from arcwise.io.graphml import format_graphml, parse_graphml, read_graphml, write_graphml
from arcwise.support.errors import FormatError, ParameterError
from graph_strategies import dags
from network_cases import SMALL

ODD = Dag(["a b", "<&>", '"', "é", "x\ty\nz", " pad "], [("a b", "<&>"), ('"', "é"), (" pad ", "a b")])

TEXT = """<?xml version="1.0"?>
<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
  <g:key id="d0" for="node" attr.name="colour" attr.type="string"/>
  <g:graph id="G" edgedefault="undirected">
    <g:node id="a"><g:data key="d0">green</g:data></g:node>
    <g:node id="b"/>
    <g:node id="c"/>
    <g:edge source="a" target="b" directed="true"/>
    <g:edge source="b" target="c"/>
  </g:graph>
</g:graphml>
"""


def test_a_mixed_graph_with_prefixes_and_data() -> None:
    assert parse_graphml(TEXT) == Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")])


@given(dags() | st.just(ODD))
def test_networkx_reads_what_is_written_and_the_other_way_round(dag: Dag) -> None:
    text = format_graphml(dag)
    assert parse_graphml(text) == dag
    assert from_networkx(nx.parse_graphml(text, force_multigraph=False)) == dag
    theirs = "\n".join(nx.generate_graphml(to_networkx(dag)))
    assert parse_graphml(theirs) == dag


@given(dags())
def test_a_cpdag_reads_back_equal(dag: Dag) -> None:
    cpdag = dag.cpdag()
    read = parse_graphml(format_graphml(cpdag))
    assert (read if isinstance(read, Cpdag) else Cpdag(read.names, read.arcs)) == cpdag


def test_states_go_with_the_nodes_of_a_network(tmp_path: Path) -> None:
    write_graphml(SMALL["asia"], tmp_path / "asia.graphml.gz")
    assert read_graphml(tmp_path / "asia.graphml.gz") == SMALL["asia"].dag
    graph = nx.parse_graphml(format_graphml(SMALL["asia"]))
    assert graph.nodes["tub"]["states"] == '["yes", "no"]'


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("g:graphml", "g:gexf", 2, "its root must be graphml, not gexf"),
        (TEXT[TEXT.index("  <g:graph id") : TEXT.index("</g:graphml>")], "", 2, "graphml must have one graph, not 0"),
        ('edgedefault="undirected"', "", 4, "this graph has no 'edgedefault'"),
        ("undirected", "both", 4, "edgedefault must be directed or undirected, not 'both'"),
        ('<g:node id="b"/>', "<g:node/>", 6, "this node has no 'id'"),
        ('id="c"', 'id="b"', 7, "the node 'b' is here a second time"),
        ('<g:node id="c"/>', '<g:node id="c"><g:graph/></g:node>', 7, "graph cannot stand in node"),
        ('<g:node id="c"/>', "<g:hyperedge/>", 7, "hyperedge cannot stand in graph; expected node, edge"),
        ('directed="true"', 'directed="yes"', 8, "directed must be true or false, not 'yes'"),
        ('target="c"', 'target="d"', 9, "there is no node 'd'"),
        ('source="b" target="c"', 'source="a" target="b"', 9, "the edge from 'a' to 'b' is here and in line 8"),
        ('source="b" target="c"', 'source="b" target="a"', None, "there is more than one edge between"),
        ('target="c"/', 'target="c"', 10, "mismatched tag"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, line: int | None, message: str) -> None:
    assert old in TEXT
    with pytest.raises(FormatError) as caught:
        parse_graphml(TEXT.replace(old, new), path="x.graphml")
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == ("x.graphml", line)


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(ParameterError, match="cannot be written in GraphML"):
        format_graphml(Dag(["a\0b"]))


@given(dags() | st.just(Dag(["a b", "digraph", "1", "x-y", "é;", "[x]"], [("a b", "x-y"), ("é;", "[x]")])))
@settings(deadline=None)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pydot_reads_the_dot_that_is_written(dag: Dag) -> None:
    graphs: Any = pydot.graph_from_dot_data(format_dot(dag))
    (graph,) = graphs
    assert [node.get_name().strip('"') for node in graph.get_nodes()] == list(dag.names)
    arcs = {(edge.get_source().strip('"'), edge.get_destination().strip('"')) for edge in graph.get_edges()}
    assert arcs == set(dag.arcs)


def test_dot_escapes_what_graphviz_would_take_for_something_else() -> None:
    lines = format_dot(Dag(['say "x"', "back\\slash\\", "two\nlines"])).splitlines()
    assert lines[1:-1] == ['  "say \\"x\\"";', '  "back\\\\slash\\\\";', '  "two\\nlines";']


@pytest.mark.parametrize("name", ["a\0b", "a\rb"])
def test_what_dot_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="cannot be written in DOT"):
        format_dot(Dag([name]))
