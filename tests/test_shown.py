"""What objects say and show of themselves: frames, labels, notebooks, the log."""

import logging
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import narwhals as nw
import networkx as nx
import numpy as np
import pyagrum as gum
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import (
    ArcStrengths,
    ArcwiseWarning,
    BayesianNetwork,
    Budget,
    ConditionalGaussian,
    Cpdag,
    Dag,
    Dataset,
    GraphError,
    LabelledTable,
    LocalScore,
    ParameterError,
    bootstrap,
    greedy,
    load_example,
    read_network,
    read_strengths,
    write_network,
)
from arcwise.runs.progress import progress_line, somebody_watches
from arcwise.support.names import is_plain, plain_names

WET = BayesianNetwork(
    Dag(["rain", "hose", "wet"], [("rain", "wet"), ("hose", "wet")]),
    [["no", "yes"], ["off", "on"], ["dry", "damp", "wet"]],
    [[0.8, 0.2], [0.7, 0.3], [[[0.9, 0.1, 0.0], [0.1, 0.2, 0.7]], [[0.2, 0.3, 0.5], [0.0, 0.1, 0.9]]]],
)


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    n = draw(st.integers(1, 7))
    chosen = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if chosen[n * i + j]]
    place = draw(st.permutations(range(n)))
    return Dag([f"v{k}" for k in range(n)], [(f"v{place[i]}", f"v{place[j]}") for i, j in pairs])


@given(dags())
def test_markov_blanket_is_what_is_adjacent_in_the_moral_graph(dag: Dag) -> None:
    graph = nx.DiGraph(list(dag.arcs))
    graph.add_nodes_from(dag.names)
    moral = nx.moral_graph(graph)
    for node in dag.names:
        assert set(dag.markov_blanket(node)) == set(moral[node])


@given(dags())
def test_markov_blanket_separates_from_all_others(dag: Dag) -> None:
    for node in dag.names:
        blanket = dag.markov_blanket(node)
        others = [name for name in dag.names if name != node and name not in blanket]
        assert dag.is_d_separated(node, others, given=blanket)


def test_markov_blanket_of_no_node() -> None:
    with pytest.raises(GraphError, match="no node 'z'"):
        Dag(["a"]).markov_blanket("z")


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_table_as_a_frame(backend: str) -> None:
    frame = WET.to_frame("wet", backend)
    rows = nw.from_native(frame).rows(named=True)
    assert len(rows) == 12
    for row in rows:
        index = [WET.states[at].index(row[name]) for at, name in enumerate(("rain", "hose", "wet"))]
        assert row["probability"] == WET.table("wet")[tuple(index)]


def test_regression_as_a_frame() -> None:
    dag = Dag(["age", "sex", "weight"], [("age", "weight"), ("sex", "weight")])
    weight = ConditionalGaussian([10.0, 20.0], [[0.5], [0.25]], [1.0, 2.0])
    network = BayesianNetwork(dag, [[], ["f", "m"], []], [ConditionalGaussian(40.0, [], 9.0), [0.5, 0.5], weight])
    assert network.to_frame("weight").to_dicts() == [
        {"sex": "f", "intercept": 10.0, "age": 0.5, "deviation": 1.0},
        {"sex": "m", "intercept": 20.0, "age": 0.25, "deviation": 2.0},
    ]
    assert network.to_frame("age").to_dicts() == [{"intercept": 40.0, "deviation": 9.0}]
    with pytest.raises(ParameterError, match="continuous"):
        network.labelled("weight")


def test_a_node_may_be_called_like_a_column_of_the_frame() -> None:
    network = BayesianNetwork(Dag(["probability"]), [["low", "high"]], [[0.25, 0.75]])
    assert network.to_frame("probability").columns == ["probability", "probability_2"]


def test_labelled_table_is_a_mapping() -> None:
    table = WET.labelled("wet")
    assert isinstance(table, LabelledTable)
    assert (table.node, table.parents, len(table)) == ("wet", ("rain", "hose"), 12)
    assert table["yes", "off", "damp"] == 0.3
    assert WET.labelled("rain")["yes"] == 0.2
    assert dict(table)["no", "on", "wet"] == 0.7
    with pytest.raises(KeyError, match="give a state of each of 'rain', 'hose', 'wet'"):
        table["yes", "off"]
    assert repr(table).splitlines()[:2] == [
        "rain  hose  wet=dry  wet=damp  wet=wet",
        "no    off    0.9000    0.1000   0.0000",
    ]


def test_strengths_as_a_frame_and_a_file_are_the_same(tmp_path: Any) -> None:
    found = bootstrap(load_example("cancer").sample(1000, seed=1), m=10, seed=1)
    frame = found.to_frame()
    assert frame["strength"].is_sorted(descending=True)
    frame.write_csv(tmp_path / "strengths.csv")
    read = read_strengths(tmp_path / "strengths.csv")
    for (tail, head), share in read.items():
        assert share == pytest.approx(found.arcs[found.names.index(tail), found.names.index(head)])
    assert len(read) == found.edges.nnz


def test_renaming() -> None:
    other = WET.renamed({"wet": "street"}, {"wet": {"dry": "trocken"}})
    assert other.names == ("rain", "hose", "street")
    assert other.states[2] == ("trocken", "damp", "wet")
    assert np.array_equal(other.table("street"), WET.table("wet"))
    assert other.dag.parents("street") == ("rain", "hose")
    with pytest.raises(GraphError, match="no node 'wett'"):
        WET.renamed({"wett": "street"})
    with pytest.raises(ParameterError, match="has no state 'drie'"):
        WET.renamed(states={"wet": {"drie": "x"}})
    with pytest.raises(ParameterError, match="states has 'wett'"):
        WET.renamed(states={"wett": {}})
    with pytest.raises(GraphError, match="more than one node"):
        WET.renamed({"wet": "rain"})


@given(st.lists(st.text(max_size=6), unique=True))
def test_plain_names_are_plain_and_differ_whatever_their_case(names: list[str]) -> None:
    found = plain_names(names)
    assert all(map(is_plain, found))
    assert len({name.lower() for name in found}) == len(names)
    kept = plain_names(found)
    assert kept == found


@given(st.lists(st.text(max_size=6), unique=True))
def test_plain_states_are_plain_and_differ(labels: list[str]) -> None:
    found = plain_names(labels, are_states=True)
    assert all(map(is_plain, found))
    assert len(set(found)) == len(labels)
    assert plain_names(found, are_states=True) == found


@pytest.mark.parametrize("graph", [WET.dag, WET.dag.cpdag()], ids=["dag", "cpdag"])
def test_graphs_show_themselves(graph: Dag | Cpdag) -> None:
    svg = graph._repr_svg_()
    assert svg is not None
    assert svg.count(">hose<") == 1


def test_without_matplotlib_or_in_large_graphs_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Dag([f"v{k}" for k in range(1000)])._repr_svg_() is None
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert WET.dag._repr_svg_() is None
    assert "wet given rain, hose" in WET._repr_html_()


def test_networks_data_and_strengths_show_themselves_with_escaped_names() -> None:
    network = WET.renamed({"wet": "<b>"}, {"wet": {"dry": "<i>"}})
    data = network.sample(50, seed=1)
    strengths = bootstrap(data, m=3, seed=1)
    for shown in (network, data, strengths):
        html = shown._repr_html_()
        assert "<b>" not in html
        assert "<i>" not in html
    assert "<svg" in network._repr_html_()
    assert "0.7000" in network._repr_html_()
    counts = data.counts_of("rain")
    assert f"no: {counts['no']}, yes: {counts['yes']}" in data._repr_html_()
    assert sum(counts.values()) == 50


def test_data_with_gaps_and_numbers_shows_itself() -> None:
    data = Dataset.of({"bmi": [18.5, None, 31.5], "sex": ["f", "m", None]}, missing="keep")
    html = data._repr_html_()
    assert "from 18.5 to 31.5" in html
    assert html.count("<td>1</td>") == 2
    wide = Dataset.from_codes(np.zeros((2, 80), dtype=np.uint8))
    assert "and 30 more" in wide._repr_html_()


def test_strengths_that_no_replica_has() -> None:
    constant = Dataset.from_codes([[0, 0]] * 5, arities=[2, 2])
    strengths = bootstrap(constant, m=2, seed=1)
    assert isinstance(strengths, ArcStrengths)
    assert strengths.to_frame().height == 0
    assert "<table>" in strengths._repr_html_()


def test_the_log_says_when_a_search_begins_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    score = LocalScore(load_example("cancer").sample(500, seed=1))
    with caplog.at_level(logging.INFO, logger="arcwise"):
        result = greedy(score, seed=3)
        bootstrap(score.data, m=3, seed=1)
    assert [record.name for record in caplog.records] == ["arcwise", "arcwise"]
    first, last = (record.getMessage() for record in caplog.records)
    assert first.startswith("greedy begins: 5 variables, 500 rows, BIC, seed 3")
    assert last == str(result)


def test_the_log_is_silent_by_itself() -> None:
    handlers = logging.getLogger("arcwise").handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What a notebook's display shows, one after the other."""
    shown: list[dict[str, str]] = []

    def display(content: dict[str, str], *, raw: bool, display_id: bool) -> SimpleNamespace:
        assert raw
        assert display_id
        shown.append(content)
        return SimpleNamespace(update=lambda content, raw: shown.append(content))

    module = ModuleType("IPython.display")
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shown


def test_progress_in_a_notebook_is_a_display_that_goes_away(notebook: list[dict[str, str]]) -> None:
    assert somebody_watches()
    budget = Budget(time_limit=60)
    budget.standing.score = -1000.0
    with progress_line("tabu <1>") as watch:
        assert watch is not None
        watch(budget)
    assert notebook[0]["text/plain"] == "tabu <1> …"
    assert notebook[1]["text/plain"].startswith("tabu <1> · score -1,000.0")
    assert "tabu &lt;1&gt;" in notebook[1]["text/html"]
    assert notebook[-1]["text/plain"] == ""


def test_bif_with_names_that_others_cannot_read_comes_with_a_warning(tmp_path: Path) -> None:
    """pyAgrum reads neither the first nor the second network, and both after they have got plain names."""
    path = tmp_path / "network.bif"
    for network in (WET.renamed({"wet": "wet street"}), WET.renamed(states={"wet": {"dry": "< 1 mm"}})):
        with pytest.warns(ArcwiseWarning, match=r"pyAgrum or pgmpy will not read .*with_plain_names\(\) has others"):
            write_network(network, path)
        with pytest.raises(gum.GumException):
            gum.loadBN(str(path))
        plain = network.with_plain_names()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            write_network(plain, path)
        model = gum.loadBN(str(path))
        assert set(model.names()) == set(plain.names)
        assert read_network(path) == plain
    with pytest.warns(ArcwiseWarning, match="'rain', 'Rain'"):
        write_network(WET.renamed({"wet": "Rain"}), path)


@pytest.mark.parametrize(
    "word", ["a", "2nd", "-1", "10", "a-b", "a.b", "_a", "a b", "é", "1.5", "a/b", "<=3", ".a", "table", "type"]
)
def test_plain_is_what_pyagrum_reads(word: str, tmp_path: Path) -> None:
    path = tmp_path / "network.bif"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_network(BayesianNetwork(Dag(["z"]), [[word, "no"]], [[0.5, 0.5]]), path)
    try:
        model = gum.loadBN(str(path))  # which must outlive its variables
        labels = model.variable("z").labels()
    except gum.GumException:
        labels = ()
    assert is_plain(word) == (word in labels)
