"""Critical difference diagrams, read back from their figures."""

from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from arcwise import ParameterError, Picture, plot_critical_differences, ranks_of
from svg_parts import Parts

RANKS = ranks_of([[4, 3, 2, 1]] * 10, ["a", "b", "c", "d"])


def spans(picture: Picture, gid: str) -> list[tuple[float, float]]:
    lines = [line for line in picture.figure.axes[0].lines if line.get_gid() == gid]
    return [(float(min(line.get_xdata())), float(max(line.get_xdata()))) for line in lines]


def test_places_are_mean_ranks_and_bars_are_groups() -> None:
    picture = plot_critical_differences(RANKS)
    ((left, right),) = spans(picture, "axis")
    lines = [line for line in picture.figure.axes[0].lines if line.get_gid() == "method"]
    places = [(line.get_xdata()[0] - left) / (right - left) for line in lines]
    assert places == pytest.approx([0, 1 / 3, 2 / 3, 1])
    unit = (right - left) / 3
    ((begin, end),) = spans(picture, "critical-difference")
    assert (end - begin) / unit == pytest.approx(RANKS.critical_difference())
    bars = spans(picture, "bar")
    assert len(bars) == len(RANKS.groups()) == 3
    assert [((begin - left + 3) / unit, (end - left - 3) / unit) for begin, end in bars] == [
        pytest.approx(pair) for pair in ((0, 1), (1, 2), (2, 3))
    ]


def test_names_stand_beside_their_ranks() -> None:
    texts = Parts(plot_critical_differences(RANKS, title="$x$"))
    assert texts.texts("title") == ["$x$"]
    assert [texts.texts(f"name-{at}")[0] for at in range(4)] == ["a  1.00", "b  2.00", "3.00  c", "4.00  d"]


def test_texts_stay_within_the_picture_and_apart() -> None:
    names = [f"a method with quite a long name that is number {at}" for at in range(9)]
    ranks = ranks_of(np.random.default_rng(1).normal(size=(15, 9)), names)
    picture = plot_critical_differences(ranks, title="ranks " * 40)
    figure = picture.figure
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    boxes = [text.get_window_extent(renderer) for text in figure.axes[0].texts]
    for box in boxes:
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y1 <= figure.bbox.height
    assert not any(a.overlaps(b) for at, a in enumerate(boxes) for b in boxes[:at])


@pytest.mark.parametrize("values", [[[1, 1, 1]] * 3, [[1, 2]], [[1, 1]], np.tile(np.arange(12), (30, 1))])
def test_odd_ranks_have_a_picture(values: object) -> None:
    assert plot_critical_differences(ranks_of(values)).svg()  # type: ignore[arg-type]


def test_refused() -> None:
    with pytest.raises(ParameterError, match="ranks must be a Ranks"):
        plot_critical_differences([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="alpha must be"):
        plot_critical_differences(RANKS, alpha=2)
