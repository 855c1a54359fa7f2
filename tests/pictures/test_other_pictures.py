"""Traces, heat maps and comparisons, read back from their figures."""

import io
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread

from arcwise import (
    Constraints,
    Dag,
    GraphError,
    Improvement,
    ParameterError,
    Picture,
    Provenance,
    Result,
    Scope,
    Status,
    Tightening,
    bootstrap,
    compare,
    learn,
    load_example,
    plot_comparison,
    plot_strengths,
    plot_trace,
)
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.pictures import style
from arcwise.scores import BIC
from arcwise.strengths import ArcStrengths
from svg_parts import Parts

DAG = Dag(["a", "b"], [("a", "b")])
CLIMB = Result(
    DAG,
    -100.0,
    Status.TIME_LIMIT,
    Provenance("climb", 1),
    seconds=4.0,
    trace=(Improvement(1.0, 5, -140.0), Improvement(2.0, 9, -100.0)),
)
PROOF = replace(
    CLIMB,
    provenance=Provenance("proof", 1),
    bound=-90.0,
    bound_for=Scope.ALL_SETS,
    bounds=(Tightening(1.5, -60.0), Tightening(3.0, -90.0)),
)


def lines(picture: Picture, gid: str) -> list[Any]:
    return [line for line in picture.figure.axes[0].lines if line.get_gid() == gid]


def test_trace_has_the_improvements_up_to_the_end_of_the_search() -> None:
    (line,) = lines(plot_trace(CLIMB), "score")
    assert line.get_drawstyle() == "steps-post"
    assert line.get_xydata().tolist() == [[1.0, -140.0], [2.0, -100.0], [4.0, -100.0]]


def test_bound_falls_beside_the_score_and_what_is_between_is_shaded() -> None:
    picture = plot_trace(PROOF)
    (line,) = lines(picture, "bound")
    assert line.get_xydata().tolist() == [[1.5, -60.0], [3.0, -90.0], [4.0, -90.0]]
    (gap,) = picture.figure.axes[0].collections
    corners = gap.get_paths()[0].vertices
    assert (corners[:, 0].min(), corners[:, 0].max()) == (1.5, 4.0)  # while there is a score and a bound
    assert (corners[:, 1].min(), corners[:, 1].max()) == (-140.0, -60.0)
    assert "no graph scores more (bound)" in Parts(picture).texts("key")


def test_legend_says_among_which_graphs_a_bound_holds() -> None:
    """A graph of other parent sets may score more than a bound for the given ones."""
    given = replace(PROOF, bound_for=Scope.CANDIDATE_SETS)
    assert Parts(plot_trace(given)).texts("key")[-1] == "no graph of the candidate parent sets scores more (bound)"
    both = "no graph, or none of the candidate parent sets, scores more (bound)"
    assert Parts(plot_trace(PROOF, given)).texts("key")[-1] == both
    assert Parts(plot_trace(PROOF, CLIMB)).texts("key")[-1] == "no graph scores more (bound)"
    few = replace(PROOF, bound_for=Scope.at_most(2))
    assert Parts(plot_trace(few)).texts("key")[-1] == "no graph with so few parents scores more (bound)"
    both = "no graph, or none with so few parents, scores more (bound)"
    assert Parts(plot_trace(PROOF, few)).texts("key")[-1] == both


def test_score_holds_while_a_bound_is_found_after_the_search() -> None:
    """`certify` bounds the best score when the search is over, by the same clock."""
    picture = plot_trace(replace(PROOF, bounds=(Tightening(6.0, -60.0), Tightening(9.0, -90.0))))
    (score,), (bound,) = lines(picture, "score"), lines(picture, "bound")
    assert score.get_xydata()[-1].tolist() == [9.0, -100.0]
    assert bound.get_xydata()[-1].tolist() == [9.0, -90.0]


def test_search_with_one_bound_has_it_from_the_beginning() -> None:
    (line,) = lines(plot_trace(replace(PROOF, bounds=())), "bound")
    assert line.get_xydata().tolist() == [[1.0, -90.0], [4.0, -90.0]]


def test_several_searches_have_names_of_their_own() -> None:
    assert Parts(plot_trace(CLIMB, replace(CLIMB, provenance=Provenance("climb", 2)), PROOF)).texts("key")[:3] == [
        "climb (seed 1)",
        "climb (seed 2)",
        "proof",
    ]
    picture = plot_trace(CLIMB, PROOF, labels=("_one", "$two$"), title="$t$")
    assert Parts(picture).texts("key")[:2] == ["_one", "$two$"]
    assert Parts(picture).texts("title") == ["$t$"]
    assert len({line.get_color() for line in lines(picture, "score")}) == 2


def test_times_far_apart_have_a_logarithmic_axis() -> None:
    assert plot_trace(CLIMB).figure.axes[0].get_xscale() == "linear"
    long = replace(CLIMB, seconds=500.0, trace=(Improvement(0.0, 0, -300.0), *CLIMB.trace))
    picture = plot_trace(long)
    assert picture.figure.axes[0].get_xscale() == "log"
    # The point at 0 s, which has no logarithm, is shown at the earliest time that has one.
    assert lines(picture, "score")[0].get_xydata()[0].tolist() == [1.0, -300.0]


def test_first_climb_leaves_room_for_the_rest_and_is_told() -> None:
    trace = tuple(Improvement(time, 0, score) for time, score in ((0.01, -9000.0), (0.02, -110.0), (5.0, -100.0)))
    picture = plot_trace(replace(CLIMB, trace=trace, seconds=50.0))
    low, high = picture.figure.axes[0].get_ylim()
    assert -9000.0 < low < -110.0 < -100.0 < high
    assert Parts(picture).texts("beyond") == ["the first climb begins below, at −9,000.0"]
    assert not Parts(plot_trace(CLIMB)).texts("beyond")


def test_result_without_a_trace_is_a_point() -> None:
    (line,) = lines(plot_trace(replace(CLIMB, trace=())), "end")
    assert line.get_xydata().tolist() == [[4.0, -100.0]]


def test_trace_of_a_real_search_ends_at_its_score() -> None:
    result = learn(load_example("child").sample(300, seed=1), method="tabu", seed=1)
    (line,) = lines(plot_trace(result), "score")
    assert line.get_ydata()[-1] == result.score
    assert (np.diff(line.get_ydata()) >= 0).all()


def test_trace_refuses_what_is_not_a_result() -> None:
    with pytest.raises(ParameterError, match="give at least one Result"):
        plot_trace()
    with pytest.raises(ParameterError, match="of type Result, not Dag"):
        plot_trace(DAG)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="labels must be 2 texts"):
        plot_trace(CLIMB, PROOF, labels=["one"])
    with pytest.raises(ParameterError, match="labels must be 1 texts, one for each result, not 3"):
        plot_trace(CLIMB, labels=3)  # type: ignore[arg-type]


def heat(picture: Picture) -> tuple[list[str], Any]:
    axes = picture.figure.axes[0]
    return [label.get_text() for label in axes.get_yticklabels()], np.asarray(axes.images[0].get_array())


def test_heat_map_has_the_share_of_every_arc() -> None:
    strengths = bootstrap(load_example("asia").sample(300, seed=2), m=7, seed=1)
    names, matrix = heat(plot_strengths(strengths))
    assert sorted(names) == sorted(strengths.names)
    for i, parent in enumerate(names):
        for j, child in enumerate(names):
            share = strengths.edge(parent, child) * strengths.direction(parent, child)
            assert matrix[i, j] == pytest.approx(share)


def test_variables_that_belong_together_stand_together() -> None:
    """Two groups of three, listed in turn; nothing joins them, and one variable is alone."""
    names = ("a1", "b1", "x", "a2", "b2", "a3", "b3")
    arcs = np.zeros((7, 7))
    for one in names:
        for other in names:
            if one < other and one[0] == other[0]:
                arcs[names.index(one), names.index(other)] = 0.8
    picture = plot_strengths(
        ArcStrengths(
            names,
            PairNumbers.of_array(arcs + arcs.T),
            PairNumbers.of_array(arcs),
            10,
            Status.COMPLETE,
            "m",
            BIC(),
            Constraints(),
            0,
            0.0,
        )
    )
    order = heat(picture)[0]
    assert order[-1] == "x"
    assert "".join(name[0] for name in order[:6]) in ("aaabbb", "bbbaaa")


def test_numbers_of_both_signs_are_white_at_zero() -> None:
    picture = plot_strengths({("a", "$b$"): 4.0, ("$b$", "c"): -2.0}, title="_t")
    names, matrix = heat(picture)
    assert matrix[names.index("a"), names.index("$b$")] == 4.0
    image = picture.figure.axes[0].images[0]
    assert image.get_clim() == (-4.0, 4.0)
    assert image.to_rgba(0.0)[:3] == pytest.approx((1.0, 1.0, 1.0), abs=0.02)


@pytest.mark.parametrize(("n", "together"), [(1600, 3), (6400, 10)])
def test_no_arc_of_many_variables_is_left_out(n: int, together: int) -> None:
    """Every second variable is the parent of the next; there are more variables than dots in the width of a png."""
    picture = plot_strengths({(f"v{i}", f"v{i + 1}"): -1.0 if i % 4 else 1.0 for i in range(0, n, 2)})
    dots = imread(io.BytesIO(picture.content("png")))[:, :, :3]
    box = picture.figure.axes[0].get_position()
    inside = dots[:, int(box.x0 * dots.shape[1]) + 5 : int(box.x1 * dots.shape[1]) - 5]
    assert (np.ptp(inside, axis=2) > 0.3).sum() >= n / 2 / together
    assert f"child ({n:,} variables, {together} to a cell)" in Parts(picture).texts()


def test_memory_for_the_strengths_is_that_of_the_arcs() -> None:
    n = 4000  # for whose pairs 128 MB are needed
    tracemalloc.start()
    plot_strengths({(f"v{i}", f"v{i + 1}"): 1.0 for i in range(n - 1)})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * n * n


@pytest.mark.parametrize(("n", "labels"), [(0, 0), (1, 1), (60, 60), (150, 50), (500, 0)])
def test_names_are_written_as_long_as_there_is_room(n: int, labels: int) -> None:
    names = tuple(f"v{i}" for i in range(n))
    strengths = ArcStrengths(
        names, PairNumbers(n), PairNumbers(n), 1, Status.COMPLETE, "m", BIC(), Constraints(), 0, 0.0
    )
    picture = plot_strengths(strengths)
    assert len(heat(picture)[0]) == labels
    assert picture.content("svg").startswith(b"<?xml")


def test_comparison_has_the_same_places_and_the_differences_of_compare() -> None:
    truth = load_example("insurance")
    dag = learn(truth.sample(500, seed=3), method="greedy", seed=1).dag
    found = compare(truth.dag, dag)
    picture = plot_comparison(truth, dag, labels=("$truth$", "_learned"), title="Insurance")
    parts = Parts(picture)
    assert found.reversed is not None
    n_reversed = len(found.reversed)
    common = dag.n_arcs - len(found.extra) - n_reversed
    assert parts.texts("label") == ["$truth$", "_learned"]
    assert parts.texts("counts") == [
        f"52 arcs: {common} in both, {n_reversed} reversed, {len(found.missing)} only here",
        f"{dag.n_arcs} arcs: {common} in both, {n_reversed} reversed, {len(found.extra)} only here",
    ]
    for panel, own in (("1", found.missing), ("2", found.extra)):
        colours = Counter(line["stroke"] for line in parts.group(f"arcs-{panel}"))
        assert colours == {style.LINE: common, style.REVERSED: n_reversed, style.EXTRA: len(own)}
    boxes = {part.get_gid(): part.get_paths() for part in picture.figure.axes[0].collections}
    shifts = {
        (round(right.vertices[0][0] - left.vertices[0][0], 6), round(right.vertices[0][1] - left.vertices[0][1], 6))
        for left, right in zip(boxes["nodes-1"], boxes["nodes-2"], strict=True)
    }
    assert len(shifts) == 1


@pytest.mark.parametrize("n", [2, 60, 300])
def test_captions_of_high_networks_stand_side_by_side(n: int) -> None:
    """The text grows with the picture, which is as high as the chain is long."""
    names = [f"v{i}" for i in range(n)]
    chain = Dag(names, list(pairwise(names)))
    picture = plot_comparison(chain, Dag(names), labels=("a chain of all", "nothing at all"))
    canvas: Any = FigureCanvasAgg(picture.figure)
    page = picture.figure.bbox
    for gid in ("label", "counts"):
        left, right = (
            text.get_window_extent(canvas.get_renderer())
            for text in picture.figure.axes[0].texts
            if text.get_gid() == gid
        )
        assert page.x0 <= left.x0 < left.x1 < right.x0 < right.x1 <= page.x1


def test_comparison_refuses_other_nodes_and_labels() -> None:
    with pytest.raises(GraphError, match="one and other must have the same nodes"):
        plot_comparison(DAG, Dag(["a", "c"]))
    with pytest.raises(ParameterError, match="labels must be two texts"):
        plot_comparison(DAG, DAG, labels=["one"])
    with pytest.raises(ParameterError, match="labels must be two texts, not None"):
        plot_comparison(DAG, DAG, labels=None)  # type: ignore[arg-type]
