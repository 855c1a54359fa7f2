"""Pictures of networks, read back from their svg."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from arcwise import (
    ArcStrengths,
    Constraints,
    Cpdag,
    Dag,
    Dataset,
    GraphError,
    ParameterError,
    Status,
    arc_gains,
    bootstrap,
    compare,
    learn,
    load_example,
    plot_comparison,
    plot_network,
    read_run,
    write_run,
)
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.pictures import style
from arcwise.pictures.arrangement import arranged
from arcwise.pictures.edges import edges_of
from arcwise.scores import BIC
from svg_parts import Parts, width

TRUTH = load_example("asia")
CHAIN = Dag(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])


def strengths_of(names: tuple[str, ...], arcs: dict[tuple[str, str], float]) -> ArcStrengths:
    matrix = np.zeros((len(names), len(names)))
    for (parent, child), share in arcs.items():
        matrix[names.index(parent), names.index(child)] = share
    edges, shares = PairNumbers.of_array(matrix + matrix.T), PairNumbers.of_array(matrix)
    return ArcStrengths(names, edges, shares, 10, Status.COMPLETE, "by hand", BIC(), Constraints(), 0, 0.0)


@pytest.mark.parametrize("name", ["asia", "alarm", "win95pts"])
def test_every_node_and_every_arc_is_drawn_once(name: str) -> None:
    network = load_example(name)
    parts = Parts(plot_network(network))
    assert len(parts.group("nodes")) == network.dag.n_nodes
    assert len(parts.group("arcs")) == len(parts.group("heads")) == network.dag.n_arcs
    assert Counter(parts.texts(r"node-\d+")) == Counter(network.names)
    assert not parts.texts("key")


def test_large_network_has_all_its_names_in_a_size_that_can_be_read() -> None:
    dag = _random(400, 600)
    picture = plot_network(dag)
    parts = Parts(picture)
    assert sorted(parts.texts(r"node-\d+")) == sorted(dag.names)
    sizes = {text.get_size() for text in picture.figure.axes[0].texts}
    assert min(sizes) >= 5.0


def _random(n: int, m: int) -> Dag:
    random = np.random.default_rng(1)
    pairs = {tuple(sorted(random.choice(n, 2, replace=False).tolist())) for _ in range(m)}
    return Dag([f"X{v}" for v in range(n)], [(f"X{i}", f"X{j}") for i, j in pairs])


def test_boxes_have_room_for_their_names_and_do_not_overlap() -> None:
    picture = plot_network(load_example("alarm"))
    canvas: Any = FigureCanvasAgg(picture.figure)
    renderer = canvas.get_renderer()
    axes = picture.figure.axes[0]
    (boxes,) = [found for found in axes.collections if found.get_gid() == "nodes"]
    extents = [path.get_extents() for path in boxes.get_paths()]
    for text, box in zip(axes.texts, extents, strict=True):
        own = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert box.x0 < own.x0 < own.x1 < box.x1
    for i, one in enumerate(extents):
        assert not any(one.overlaps(other) for other in extents[:i])


def test_arcs_point_downwards_and_end_at_the_box() -> None:
    picture = plot_network(CHAIN)
    axes = picture.figure.axes[0]
    found = {part.get_gid(): part.get_paths() for part in axes.collections}
    boxes = [path.get_extents() for path in found["nodes"]]
    for place, head in enumerate(found["heads"]):
        tip = head.vertices[0]
        # y grows downwards: the tip touches the upper side of the child's box, between its corners.
        assert tip[1] == pytest.approx(boxes[place + 1].y0)
        assert boxes[place + 1].x0 < tip[0] < boxes[place + 1].x1
        line = found["arcs"][place].vertices
        assert line[0][1] == pytest.approx(boxes[place].y1)
        assert line[-1][1] < tip[1]


@pytest.mark.parametrize(
    "dag",
    [
        *(load_example(name).dag for name in ("alarm", "hailfinder", "win95pts")),
        Dag([f"v{i}" for i in range(100)], [(f"v{i}", "v0") for i in range(1, 100)]),
        Dag([f"v{i}" for i in range(12)], [(f"v{i}", f"v{j}") for j in range(12) for i in range(j)]),
    ],
)
def test_no_arc_runs_through_the_box_of_another_node(dag: Dag) -> None:
    axes = plot_network(dag).figure.axes[0]
    found = {part.get_gid(): part.get_paths() for part in axes.collections}
    inner = {name: path.get_extents().padded(-0.8) for name, path in zip(dag.names, found["nodes"], strict=True)}
    crossed = {
        (*arc, name)
        for arc, line in zip(dag.arcs, found["arcs"], strict=True)
        for name, box in inner.items()
        if name not in arc and line.intersects_bbox(box, filled=False)
    }
    assert not crossed


def test_undirected_edges_have_no_head() -> None:
    cpdag = Cpdag(["a", "b", "c", "d"], [("a", "c"), ("b", "c")], [("c", "d")])
    parts = Parts(plot_network(cpdag))
    assert (len(parts.group("arcs")), len(parts.group("heads"))) == (3, 2)


def test_graph_that_is_not_a_class_is_drawn_too() -> None:
    """A search's half-made graph may have a directed cycle."""
    circle = Cpdag(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    assert len(Parts(plot_network(circle)).group("heads")) == 3


def test_width_goes_by_the_share_of_replicas_on_an_absolute_scale() -> None:
    strengths = strengths_of(CHAIN.names, {("a", "b"): 0.2, ("b", "c"): 0.5, ("c", "d"): 0.35})
    parts = Parts(plot_network(CHAIN, strengths=strengths))
    first, second, third = map(width, parts.group("arcs"))
    assert first < third < second
    # A line that runs from the width of 0 to that of 1 is at the middle for 0.5.
    assert second == pytest.approx(sum(style.WIDTHS) / 2, abs=0.01)
    assert parts.texts("key") == ["in 20 % of the replicas", "60 %", "100 %"]


def test_other_numbers_are_relative_to_the_largest_and_below_zero_is_dashed() -> None:
    parts = Parts(plot_network(CHAIN, strengths={("a", "b"): 50.0, ("b", "c"): -3.0, ("d", "a"): 900.0}))
    lines = parts.group("arcs")
    # d -> a is not an arc of the graph; of those that are, a -> b is the largest, and c -> d has no number.
    assert list(map(width, lines)) == pytest.approx([style.WIDTHS[1], style.WIDTHS[0], style.WIDTHS[0]], abs=0.01)
    assert ["stroke-dasharray" in line for line in lines] == [False, True, False]
    assert parts.texts("key") == ["strength 0", "25", "50", "below 0"]


@pytest.mark.parametrize("name", ["asia", "alarm", "win95pts"])
def test_samples_of_the_legend_are_as_wide_as_arcs_of_that_strength(name: str) -> None:
    """Names of large networks are smaller, and their lines thinner."""
    dag = load_example(name).dag
    strengths = dict(zip(dag.arcs, [1.0, 0.6, 0.2, *[0.0] * dag.n_arcs], strict=False))
    axes = plot_network(dag, strengths=strengths_of(dag.names, strengths)).figure.axes[0]
    samples = [line.get_linewidth() for line in axes.patches if line.get_gid() == "key-line"]
    (arcs,) = [part for part in axes.collections if part.get_gid() == "arcs"]
    assert samples == pytest.approx(arcs.get_linewidths()[2::-1])


@pytest.mark.parametrize(
    ("largest", "words"),
    [
        (999.7, ["strength 0", "500", "1,000"]),
        (5e6, ["strength 0", "2,500,000", "5,000,000"]),
        (2e300, ["strength 0", "1e+300", "2e+300"]),
        (2e-9, ["strength 0", "1e-09", "2e-09"]),
    ],
)
def test_strengths_of_the_legend_can_be_read(largest: float, words: list[str]) -> None:
    assert Parts(plot_network(CHAIN, strengths={("a", "b"): largest})).texts("key") == words


def test_undirected_edge_is_as_strong_as_both_directions_together() -> None:
    cpdag = Cpdag(["a", "b", "c"], undirected=[("a", "b"), ("b", "c")])
    shares = {("a", "b"): 0.5, ("b", "a"): 0.5, ("b", "c"): 0.5}
    first, second = map(width, Parts(plot_network(cpdag, strengths=strengths_of(cpdag.names, shares))).group("arcs"))
    assert first == pytest.approx(style.WIDTHS[1], abs=0.01)
    assert second == pytest.approx(sum(style.WIDTHS) / 2, abs=0.01)


def clinic() -> Dataset:
    random = np.random.default_rng(1)
    ward, dose = random.choice(["north", "south"], 300), random.gamma(3.0, 2.0, 300)
    return Dataset.of(
        {"ward": ward, "dose": dose, "bmi": 20 + 3.0 * (ward == "north") + dose + random.normal(size=300)}
    )


def test_continuous_nodes_have_a_second_border(tmp_path: Path) -> None:
    data = clinic()
    result = learn(data, seed=1)
    assert result.dag.arcs == (("ward", "bmi"), ("dose", "bmi"))
    write_run(result, tmp_path / "run.json")
    gains = arc_gains(result.dag, data)
    for graph in (result, result.network(), read_run(tmp_path / "run.json").result):
        parts = Parts(plot_network(graph, strengths=gains))
        assert len(parts.group("nodes")) == 3
        assert len(parts.group("inner")) == 2
        assert parts.texts("key")[0] == "continuous"
        assert len(parts.texts("key")) == 4  # and three widths
        first, second = map(width, parts.group("arcs"))
        assert (first < second) == (gains["ward", "bmi"] < gains["dose", "bmi"])
    # A second border is within the first, and around the name.
    drawn = {part.get_gid(): part.get_paths() for part in plot_network(result).figure.axes[0].collections}
    outer = dict(zip(result.dag.names, (path.get_extents() for path in drawn["nodes"]), strict=True))
    for name, path in zip(("dose", "bmi"), drawn["inner"], strict=True):
        inner = path.get_extents()
        assert outer[name].x0 < inner.x0 < inner.x1 < outer[name].x1
        assert outer[name].y0 < inner.y0 < inner.y1 < outer[name].y1


def test_what_is_not_known_to_be_continuous_has_one_border() -> None:
    result = learn(clinic(), seed=1)
    for graph in (result.dag, load_example("asia"), learn(load_example("asia").sample(100, seed=1), seed=1)):
        parts = Parts(plot_network(graph))
        assert not parts.has("inner")
        assert not parts.texts("key")
    assert len(Parts(plot_network(result.dag, reference=result)).group("inner")) == 2
    assert not Parts(plot_comparison(result.dag, result.dag)).has("inner-1")
    parts = Parts(plot_comparison(result.dag, result))
    assert len(parts.group("inner-1")) == len(parts.group("inner-2")) == 2
    assert parts.texts("key")[-1] == "continuous"


def test_groups_of_continuous_nodes_keep_their_colours() -> None:
    network = learn(clinic(), seed=1).network()
    groups = {"ward": "place", "dose": "care"}
    plain, marked = (Parts(plot_network(graph, groups=groups)) for graph in (network.dag, network))
    assert plain.group("nodes") == marked.group("nodes")
    assert marked.texts("key") == [*plain.texts("key"), "continuous"]


def test_groups_have_colours_and_a_legend() -> None:
    parts = Parts(plot_network(CHAIN, groups={"a": "_first", "b": "$second$", "d": "_first"}))
    fills = [box["fill"] for box in parts.group("nodes")]
    assert fills[0] == fills[3]
    assert len(set(fills)) == 3
    assert parts.texts("key") == ["_first", "$second$", "no group"]


def test_many_groups_can_be_told_apart_and_too_many_are_refused() -> None:
    dag = Dag([f"v{i}" for i in range(25)])
    some = {name: f"group {name}" for name in dag.names[:24]}
    boxes = Parts(plot_network(dag, groups=some)).group("nodes")
    looks = {tuple(sorted(box.items())) for box in boxes[:24]}
    assert len(looks) == 24
    with pytest.raises(ParameterError, match="25 words, and at most 24"):
        plot_network(dag, groups={name: name for name in dag.names})


def test_differences_to_a_reference_are_those_that_compare_finds() -> None:
    truth = load_example("insurance")
    dag = learn(truth.sample(500, seed=3), method="greedy", seed=1).dag
    found = compare(truth.dag, dag)
    parts = Parts(plot_network(dag, reference=truth))
    assert found.reversed is not None
    common = dag.n_arcs - len(found.extra) - len(found.reversed)
    assert parts.texts("key") == [
        f"in both ({common})",
        f"reversed ({len(found.reversed)})",
        f"only here ({len(found.extra)})",
        f"only in the reference ({len(found.missing)})",
    ]
    lines = parts.group("arcs")
    colours = Counter(line["stroke"] for line in lines)
    assert colours == {
        style.LINE: common,
        style.REVERSED: len(found.reversed),
        style.EXTRA: len(found.extra),
        style.MISSING: len(found.missing),
    }
    assert {line["stroke"] for line in lines if "stroke-dasharray" in line} == {style.MISSING}


def test_arc_against_a_line_is_directed_otherwise() -> None:
    dag = Dag(["a", "b", "c"], [("a", "b"), ("b", "c")])
    keys = Parts(plot_network(dag, reference=dag.cpdag())).texts("key")
    assert keys[:2] == ["in both (0)", "directed otherwise (2)"]
    beside = Parts(plot_comparison(dag.cpdag(), dag))
    assert beside.texts("counts") == ["2 arcs: 0 in both, 2 directed otherwise, 0 only here"] * 2
    assert "directed otherwise in the other" in beside.texts("key")
    other = Dag(dag.names, [("b", "a"), ("b", "c")])
    assert Parts(plot_network(dag, reference=other)).texts("key")[:2] == ["in both (1)", "reversed (1)"]
    assert Parts(plot_network(dag.cpdag(), reference=dag.cpdag())).texts("key")[0] == "in both (2)"


def test_result_draws_itself() -> None:
    truth = load_example("asia")
    data = truth.sample(300, seed=1)
    result = learn(data, seed=1)
    strengths = bootstrap(data, m=3, seed=1)
    options = {"strengths": strengths, "groups": {"asia": "travel"}, "reference": truth, "title": "Asia"}
    assert result.plot(**options).svg() == plot_network(result, **options).svg()  # type: ignore[arg-type]


@pytest.mark.parametrize("names", [(), ("alone",), ("one", "two")])
def test_graphs_without_arcs(names: tuple[str, ...]) -> None:
    parts = Parts(plot_network(Dag(names), title="few"))
    assert parts.texts(r"node-\d+") == list(names)
    assert parts.texts("title") == ["few"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strengths": {("a", "bb"): 1.0}}, "strengths has an arc of 'bb', which the graph does not have"),
        ({"strengths": {"ab": 1.0}}, r"given by \(parent, child\), two names, not by 'ab'"),
        ({"strengths": {("a", "b"): float("nan")}}, r"strength of \('a', 'b'\) must be a finite number, not nan"),
        ({"strengths": {("a", "b"): "1"}}, "must be a finite number, not '1'"),
        ({"strengths": [0.5]}, "strengths must be what arcwise.bootstrap or arcwise.posterior gives, or a mapping"),
        ({"groups": {"e": "x"}}, "groups has 'e', which the graph does not have"),
        ({"groups": {"a": 3}}, "the group of 'a' must be a word, not 3"),
        ({"groups": ["x"]}, "groups must be a mapping"),
        ({"reference": "alarm"}, "reference must be a Dag, a Cpdag, a BayesianNetwork or a Result, not str"),
        ({"title": 3}, "title must be a text or None, not 3"),
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plot_network(CHAIN, **options)  # type: ignore[arg-type]


def test_other_nodes_are_refused() -> None:
    with pytest.raises(GraphError, match="graph and reference must have the same nodes; only in graph: 'd'"):
        plot_network(CHAIN, reference=Dag(["a", "b", "c"]))
    with pytest.raises(GraphError, match="the graph and strengths must have the same nodes"):
        plot_network(CHAIN, strengths=strengths_of(("a", "b"), {}))
    with pytest.raises(ParameterError, match="graph must be a Dag"):
        plot_network([("a", "b")])  # type: ignore[arg-type]


def test_pictures_that_would_take_minutes_are_refused_and_the_report_is_named() -> None:
    dag = Dag([f"v{i}" for i in range(20_001)])
    with pytest.raises(ParameterError, match="room for 20,000 nodes at most, not for 20,001; write_report shows more"):
        plot_network(dag)


def test_layers_are_above_one_another() -> None:
    """Also against the arcs: the first layer is the one of the findings."""
    layers = [["xray", "dysp"], ["either"], ["asia", "smoke"]]
    arrangement = arranged(TRUTH.names, edges_of(TRUTH.dag), aspect=1.6, bands=layers)
    heights = [[arrangement.places[name][1] for name in layer] for layer in layers]
    assert all(max(above) < min(below) for above, below in pairwise(heights))
    assert set(arrangement.places) == set(TRUTH.names)
    assert {frozenset(arc) for arc in arrangement.routes} == {frozenset(arc) for arc in TRUTH.dag.arcs}
    assert plot_network(TRUTH, layers=layers).svg().count(">either<") == 1


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ("xray", "layers must be a list of lists of nodes"),
        (["xray"], "layers must be a list of lists of nodes"),
        ([["xry"]], "layers has 'xry', which the graph does not have; did you mean 'xray'"),
        ([["xray"], ["xray"]], "'xray' is in layers twice"),
    ],
)
def test_wrong_layers_are_refused(layers: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plot_network(TRUTH, layers=layers)
