"""Every picture can be drawn in axes of the caller's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from arcwise import (
    ParameterError,
    Picture,
    bootstrap,
    learn,
    load_example,
    plot_comparison,
    plot_critical_differences,
    plot_network,
    plot_strengths,
    plot_trace,
    ranks_of,
)

TRUTH = load_example("asia")
DATA = TRUTH.sample(300, seed=1)
RESULT = learn(DATA, method="greedy", seed=1)
PLOTS: dict[str, Callable[..., Picture]] = {
    "network": lambda **options: plot_network(TRUTH, **options),
    "result": lambda **options: RESULT.plot(**options),
    "comparison": lambda **options: plot_comparison(TRUTH, RESULT, **options),
    "strengths": lambda **options: plot_strengths(bootstrap(DATA, m=3, seed=1), **options),
    "trace": lambda **options: plot_trace(RESULT, **options),
    "ranks": lambda **options: plot_critical_differences(ranks_of([[3, 2, 1]] * 9, ["a", "b", "c"]), **options),
}


@pytest.mark.parametrize("name", PLOTS)
def test_picture_is_drawn_in_the_axes_that_are_given(name: str) -> None:
    figure = Figure(figsize=(8, 4))
    left, right = figure.subplots(1, 2)
    picture = PLOTS[name](ax=left, title="a title")
    assert picture.figure is figure
    assert picture._repr_svg_() is None  # the caller's figure shows itself
    assert picture._repr_png_() is None
    assert not right.has_data()
    assert len(left.get_children()) > 10
    assert picture.svg().count(">a title<") == 1


@pytest.mark.parametrize("name", ["network", "comparison", "ranks"])
def test_letters_are_as_much_smaller_as_the_picture_is(name: str) -> None:
    """Half the room has letters of half the size, so that they still fit their boxes."""

    def drawn(width: float) -> Any:
        figure = Figure(figsize=(width, width))
        picture = PLOTS[name](ax=figure.add_axes((0, 0, 1, 1)))
        return np.array([text.get_size() for text in picture.figure.axes[0].texts])

    assert np.allclose(drawn(8.0), 2 * drawn(4.0))


def test_part_of_a_figure_will_do() -> None:
    figure = Figure(figsize=(8, 4))
    parts: Any = figure.subfigures(1, 2)
    assert PLOTS["network"](ax=parts[1].subplots()).figure is figure


@pytest.mark.parametrize("name", PLOTS)
def test_anything_else_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="ax must be Axes of matplotlib or None, not Figure"):
        PLOTS[name](ax=Figure())
