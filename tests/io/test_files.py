"""Networks and graphs in files whose names say their format."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise.graph import Dag
from arcwise.io.files import GRAPH_FORMATS, NETWORK_FORMATS, read_graph, read_network, write_graph, write_network
from arcwise.network import BayesianNetwork
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import SUFFIXES
from network_cases import MIXED, SMALL

ASIA = SMALL["asia"]
DAG: Any = ASIA.dag
WORD: Any = "asia"
NUMBER: Any = 3


@pytest.mark.parametrize("compression", ["", *SUFFIXES])
@pytest.mark.parametrize("ending", [ending for endings in NETWORK_FORMATS.values() for ending in endings])
@pytest.mark.filterwarnings("ignore:UAI files hold neither")
def test_networks_by_ending(ending: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"asia{ending.upper()}{compression}"
    write_network(ASIA, path)
    read = read_network(path)
    assert [table.tolist() for table in read.tables] == [table.tolist() for table in ASIA.tables]
    assert read == ASIA or ending == ".uai"
    assert read_graph(path) == read.dag


@pytest.mark.parametrize("compression", ["", *SUFFIXES])
@pytest.mark.parametrize("ending", [ending for endings in GRAPH_FORMATS.values() for ending in endings])
def test_graphs_by_ending(ending: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"asia{ending}{compression}"
    write_graph(ASIA, path)
    assert path.stat().st_size > 0
    if ending not in GRAPH_FORMATS["dot"]:
        assert read_graph(os.fspath(path)).with_names_ordered(ASIA.names) == ASIA.dag


@pytest.mark.parametrize("name", NETWORK_FORMATS)
@pytest.mark.filterwarnings("ignore:UAI files hold neither")
def test_a_format_by_name_needs_no_ending(name: str, tmp_path: Path) -> None:
    path = tmp_path / "network"
    write_network(ASIA, path, format=name)
    assert read_network(path, format=name).dag.n_arcs == ASIA.dag.n_arcs


def test_cpdags_are_written_where_the_format_has_undirected_edges(tmp_path: Path) -> None:
    cpdag = ASIA.dag.cpdag()
    for ending in ("json", "graphml"):
        write_graph(cpdag, tmp_path / f"asia.{ending}")
        with pytest.raises(FormatError, match="the graph has undirected edges, such as 'asia' - 'tub'"):
            read_graph(tmp_path / f"asia.{ending}")
    write_graph(cpdag, tmp_path / "asia.dot")
    with pytest.raises(ParameterError, match="not a Cpdag"):
        write_graph(cpdag, tmp_path / "asia.csv")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: read_network("asia.biff"), "did you mean .bif?"),
        (lambda: read_network("asia.xmlbi.gz"), "did you mean .xmlbif?"),
        (
            lambda: read_network("asia"),
            "allowed are .bif, .xml, .xmlbif, .xbif, .bifxml, .net, .uai, .xdsl, .json, optionally followed by .gz",
        ),
        (
            lambda: read_network("asia.gz"),
            "unknown ending '' of 'asia.gz'; allowed are .bif",
        ),
        (
            lambda: read_network("asia.bif", format="BIFF"),
            "the format 'BIFF' is not possible here; did you mean bif? Allowed",
        ),
        (lambda: read_network("asia.csv"), "csv is for graphs, see read_graph and write_graph; allowed are .bif"),
        (lambda: read_graph("asia.dot"), "dot is only written, not read; allowed are"),
        (lambda: read_graph("asia.txt", format="dot"), "dot is only written, not read; allowed are"),
        (lambda: write_graph(ASIA.dag, "asia.bif"), "bif is for networks, which have probabilities"),
        (lambda: write_graph(ASIA, "asia.grapml"), "did you mean .graphml?"),
        (lambda: write_network(ASIA, "asia.graphml"), "graphml is for graphs, see read_graph and write_graph"),
        (lambda: write_network(DAG, "asia.bif"), "must be a BayesianNetwork, not Dag; write_graph writes graphs"),
        (lambda: write_graph(WORD, "asia.csv"), "must be a Dag, a Cpdag or a BayesianNetwork, not str"),
        (lambda: read_network(NUMBER), "path must be a path, not 3"),
    ],
)
def test_wrong_names_and_objects_are_told(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_graph_is_not_a_network(tmp_path: Path) -> None:
    write_graph(ASIA, tmp_path / "asia.json")
    with pytest.raises(FormatError, match="holds a graph without probabilities"):
        read_network(tmp_path / "asia.json")


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    odd = BayesianNetwork(Dag(["lung-cancer"]), [["yes"]], [[1.0]])
    path = tmp_path / "network.net"
    path.write_text("precious")
    with pytest.raises(ParameterError):
        write_network(odd, path)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["precious"]


@pytest.mark.parametrize("name", NETWORK_FORMATS)
def test_continuous_nodes_are_kept_or_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "network"
    if name in ("json", "net"):
        write_network(MIXED, path, name)
        assert read_network(path, name) == MIXED
        return
    message = rf"{name.upper()} has discrete nodes only, and 'X\d'.* are continuous; JSON and NET files hold such"
    with pytest.raises(ParameterError, match=message):
        write_network(MIXED, path, name)
    assert not path.exists()


@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_graphs_of_networks_with_continuous_nodes(name: str, tmp_path: Path) -> None:
    write_graph(MIXED, tmp_path / "graph", name)
    if name != "dot":
        assert set(read_graph(tmp_path / "graph", name).arcs) == set(MIXED.dag.arcs)


def test_a_missing_file_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.xml"):
        read_network(tmp_path / "nothing.xml")


def test_the_functions_are_at_the_front_door() -> None:
    assert arcwise.read_network is read_network
    assert arcwise.write_graph is write_graph


@pytest.mark.parametrize("ending", [ending for endings in NETWORK_FORMATS.values() for ending in endings])
@pytest.mark.filterwarnings("ignore:UAI files hold neither")
@pytest.mark.parametrize("names", [["1", "2x"], ["a-b", "a.b"], ["-", "_"], ["Größe", "table"], ["p.1", "P1"]], ids=str)
def test_every_format_takes_plain_names(names: list[str], ending: str, tmp_path: Path) -> None:
    """XDSL, which takes least, wants a letter first, and then letters, digits and _."""
    states = [["-1", "0", "1"], ["<= 1.5", "> 1.5"]]
    tables: Any = [[0.5, 0.25, 0.25], [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]]
    plain = BayesianNetwork(Dag(names, [(names[0], names[1])]), states, tables).with_plain_names()
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) for name in plain.names)
    assert plain.states == (("minus_1", "0", "1"), ("1_5", "1_5_2"))
    write_network(plain, tmp_path / f"network{ending}")
    read = read_network(tmp_path / f"network{ending}")
    assert [read.dag.n_arcs, sorted(table.size for table in read.tables)] == [1, [3, 6]]
    if ending != ".uai":  # which has no names
        assert read == plain
