"""Graphs read from and written to csv files of arcs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.graph import Cpdag, Dag
from arcwise.io.arcs import format_arcs, parse_arcs, read_arcs, write_arcs
from arcwise.support.errors import FormatError, ParameterError
from graph_strategies import dags


@pytest.mark.parametrize("header", ["parent,child", "from,to", "source,target", '"from","to"', "Parent, Child"])
def test_headers_of_several_programs(header: str) -> None:
    assert parse_arcs(f"{header}\na,c\nb,c\n") == Dag(["a", "c", "b"], [("a", "c"), ("b", "c")])


def test_a_line_without_parent_names_a_node() -> None:
    assert parse_arcs("parent,child\n,z\n,y\ny,x\n\n,x") == Dag(["z", "y", "x"], [("y", "x")])
    assert parse_arcs("parent,child\n") == Dag([])


def test_names_with_commas_quotes_and_line_breaks() -> None:
    dag = Dag(["a,b", 'c"d', "e\nf", " g "], [("a,b", 'c"d'), ("a,b", "e\nf")])
    assert parse_arcs(format_arcs(dag)) == dag


@given(dags(), st.sampled_from(["arcs.csv", "arcs.csv.gz"]))
def test_what_is_written_is_the_same_graph(tmp_path_factory: pytest.TempPathFactory, dag: Dag, name: str) -> None:
    path = tmp_path_factory.getbasetemp() / name
    write_arcs(dag, path)
    assert read_arcs(path).with_names_ordered(dag.names) == dag


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "must be one of parent,child, from,to, source,target, not ''"),
        ("rain,wet\n", 1, "not 'rain,wet'"),
        ("parent,child,strength\n", 1, "not 'parent,child,strength'"),
        ("parent,child\na,b\na\n", 3, "this one has 1 field"),
        ("parent,child\na,b,c\n", 2, "this one has 3 fields"),
        ("parent,child\na,\n", 2, "the child is empty"),
        ("parent,child\na,b\n\na,b\n", 4, "the arc 'a' -> 'b' is here and in line 2"),
        ("parent,child\na,a\n", 2, "starts and ends at the same node"),
        ("parent,child\na,b\nb,a\n", None, "the arcs form a cycle"),
        ('parent,child\na,"b\n', 2, "the line is not csv"),
        ('parent,child\na,"b"c\n', 2, "the line is not csv"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_arcs(text, path="arcs.csv")
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == ("arcs.csv", line)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Dag([""]), "is empty"),
        (Dag(["a\rb"]), "has a carriage return"),
        (Cpdag(["a", "b"], [], [("a", "b")]), "not a Cpdag"),
    ],
)
def test_what_a_csv_cannot_hold_is_refused(graph: Dag, message: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=message):
        write_arcs(graph, tmp_path / "arcs.csv")
    assert not list(tmp_path.iterdir())
