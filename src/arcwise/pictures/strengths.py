"""Arc strengths as a heat map: parents in rows, children in columns."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arcwise.graph.nodes import Pair
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.pictures import style
from arcwise.pictures.edges import strengths_in
from arcwise.pictures.labels import families, one_line, shortened, width_of
from arcwise.pictures.network import checked_title
from arcwise.pictures.paper import checked_axes, points_of, whole_figure
from arcwise.pictures.picture import Picture
from arcwise.support.libraries import library

if TYPE_CHECKING:
    from arcwise.arc_probabilities import ArcProbabilities

__all__ = ["plot_strengths"]

Matrix = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.float64]

_LABELLED = 60
"""Most variables that all have their names written; up to four times as many, some of them have."""
_CELL, _LARGEST, _SMALLEST = 13.0, 640.0, 190.0
_MOST_CELLS = int(_LARGEST)
"""In a row: with smaller ones, a picture would leave out some."""
_LABEL_WIDTH = 90.0
_MARGIN = 18.0
_CLUSTERED = 2000
"""Most variables that are clustered."""
_BEST_ORDER = 250
"""Most variables for which the branches of the clustering are ordered the best way."""


def plot_strengths(
    strengths: "ArcProbabilities | Mapping[Pair, float]", *, title: str | None = None, ax: Any = None
) -> Picture:
    """Picture of how strong every possible arc is, as a heat map.

    Variables that are often adjacent stand next to each other: they are in the order of a hierarchical clustering by
    how often the edge between them was found, or by the absolute sums of the numbers of both directions; of more than
    2,000 variables, in an order that has the ends of arcs near each other. Where there
    are more variables than can be told apart, a cell stands for several of them, and shows the strongest arc.

    Parameters
    ----------
    strengths
        What `bootstrap` or `posterior` gives, or numbers by (parent, child).
    title
        A line over the picture.
    ax
        Axes of matplotlib to draw in, in place of a figure of its own.

    Examples
    --------
    >>> from arcwise import bootstrap, load_example
    >>> plot_strengths(bootstrap(load_example("asia").sample(500, seed=1), m=10, seed=1))
    <Picture: strengths of the arcs of 8 variables, ... inches>
    """
    from arcwise.arc_probabilities import ArcProbabilities

    found, title, ax = strengths_in(strengths, None), checked_title(title), checked_axes(ax)
    names = (
        strengths.names
        if isinstance(strengths, ArcProbabilities)
        else tuple(dict.fromkeys(end for arc in found.values for end in arc))
    )
    index = {name: place for place, name in enumerate(names)}
    parents, children = ([index[arc[end]] for arc in found.values] for end in (0, 1))
    numbers = np.fromiter(found.values.values(), dtype=np.float64)
    matrix = PairNumbers(len(names), parents, children, numbers)
    order = _order(PairNumbers(len(names), [*parents, *children], [*children, *parents], np.abs([*numbers, *numbers])))
    label = "share of the replicas with the arc" if found.are_shares else "strength of the arc"
    label = strengths.called if isinstance(strengths, ArcProbabilities) else label
    limits = (0.0, 1.0) if found.are_shares else _limits(numbers)
    with style.drawing():
        figure = _heat_map(_Cells(matrix, order), [names[v] for v in order], limits, label, title, ax)
    return Picture(figure, what=f"strengths of the arcs of {len(names):,} variables", is_part=ax is not None)


def _limits(numbers: Numbers) -> tuple[float, float]:
    """Return the range of colours: from 0, or as far below as above where there are negative numbers."""
    most = float(np.abs(numbers).max(initial=0.0)) or 1.0
    return (-most if (numbers < 0).any() else 0.0), most


def _order(adjacent: PairNumbers) -> list[int]:
    """Return the variables in an order that has neighbours near each other, those without any arc last.

    It is that of the leaves of an average-linkage clustering, which takes the distances of all pairs; for many
    variables, that of Cuthill & McKee (1969, doi:10.1145/800195.805928) by their arcs alone, reversed.
    """
    has_arcs = np.bincount(adjacent.row, adjacent.data, adjacent.shape[0]) > 0
    joined, alone = np.flatnonzero(has_arcs), np.flatnonzero(~has_arcs)
    if len(joined) < 3:
        return [*joined.tolist(), *alone.tolist()]
    row, col = np.searchsorted(joined, adjacent.row), np.searchsorted(joined, adjacent.col)
    near = PairNumbers(len(joined), row, col, adjacent.data)
    order = _along_arcs(near) if len(joined) > _CLUSTERED else _clustered(near)
    return [*joined[order].tolist(), *alone.tolist()]


def _clustered(near: PairNumbers) -> npt.NDArray[np.integer[Any]]:
    hierarchy = _scipy("cluster.hierarchy")
    far = 1.0 - near.toarray() / near.max()
    pairs = far[np.triu_indices(len(far), 1)]
    tree = hierarchy.linkage(pairs, "average", optimal_ordering=len(far) <= _BEST_ORDER)
    return np.asarray(hierarchy.leaves_list(tree))


def _along_arcs(near: PairNumbers) -> npt.NDArray[np.integer[Any]]:
    matrix = _scipy("sparse").csr_array((near.data, (near.row, near.col)), shape=near.shape)
    return np.asarray(_scipy("sparse.csgraph").reverse_cuthill_mckee(matrix, symmetric_mode=True))


def _scipy(module: str) -> Any:
    return library(f"scipy.{module}", called="scipy", package="scipy", extra="plot")


class _Cells:
    """Numbers of arcs, with the variables in an order."""

    def __init__(self, matrix: PairNumbers, order: list[int]) -> None:
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order))
        self._n = len(order)
        self._rows, self._columns, self._numbers = place[matrix.row], place[matrix.col], matrix.data

    def strongest(self, together: int) -> Matrix:
        """Return the number that is farthest from 0 in each square of so many rows and columns."""
        side = -(-self._n // together)
        high, low = np.zeros((side, side)), np.zeros((side, side))
        cells = self._rows // together, self._columns // together
        np.maximum.at(high, cells, self._numbers)
        np.minimum.at(low, cells, self._numbers)
        return np.where(high >= -low, high, low)


def _heat_map(
    cells: _Cells, names: list[str], limits: tuple[float, float], label: str, title: str | None, ax: Any
) -> Any:
    """Draw the cells, with a bar of colours beside them, and return the figure."""
    n = len(names)
    side = float(np.clip(_CELL * n, _SMALLEST, _LARGEST)) if ax is None else min(points_of(ax))
    shown = list(range(0, n, -(-n // _LABELLED))) if 0 < n <= 4 * _LABELLED else []
    size = float(np.clip(0.72 * side / max(len(shown), 1), style.SMALLEST_FONT, 8.0))
    texts = [shortened(one_line(names[place]), _LABEL_WIDTH, size) for place in shown]
    if ax is not None:
        image = _draw_cells(ax, cells, n, limits, shown, texts, size)
        _draw_bar(ax.figure.colorbar(image, ax=ax, shrink=0.8), label)
        if title:
            ax.set_title(one_line(title), size=11, weight="bold", parse_math=False, gid="title")
        return whole_figure(ax)
    left = 42.0 + max([6.0, *(width_of(text, size) for text in texts)])
    top = left + (26.0 if title else 0.0)
    width, height = left + side + 84.0, top + side + _MARGIN
    figure = style.matplotlib("figure").Figure(figsize=(width / 72, height / 72), facecolor=style.BACKGROUND)

    def axes_at(x: float, wide: float, high: float) -> Any:
        return figure.add_axes((x / width, _MARGIN / height, wide / width, high / height))

    image = _draw_cells(axes_at(left, side, side), cells, n, limits, shown, texts, size)
    _draw_bar(figure.colorbar(image, cax=axes_at(left + side + 14.0, 11.0, min(side, 220.0))), label)
    if title:
        text = shortened(one_line(title), width - 40.0, 11.0)
        figure.text(
            *(0.5, 1 - 18.0 / height, text),
            **{"ha": "center", "va": "center", "size": 11, "weight": "bold"},
            **{"family": families(text), "parse_math": False, "gid": "title"},
        )
    return figure


def _draw_cells(
    axes: Any, cells: _Cells, n: int, limits: tuple[float, float], shown: list[int], texts: list[str], size: float
) -> Any:
    """Draw the cells and the names beside them, and return the image."""
    together = max(1, -(-n // _MOST_CELLS))
    image = axes.imshow(
        cells.strongest(together) if n else np.zeros((1, 1)),
        cmap=_colours(both_signs=limits[0] < 0),
        vmin=limits[0],
        vmax=limits[1],
        interpolation="nearest",
        gid="strengths",
    )
    aside = "" if shown else f" ({n:,} variables{f', {together} to a cell' * (together > 1)})"
    axes.set_xlabel(f"child{aside}", labelpad=6, size=style.FONT)
    axes.set_ylabel(f"parent{aside}", labelpad=6, size=style.FONT)
    _write_names(axes, shown, texts, size)
    if n <= _LABELLED:
        _rule(axes, n)
    return image


def _draw_bar(bar: Any, label: str) -> None:
    bar.set_label(label, size=style.FONT)
    bar.ax.tick_params(labelsize=8, length=2)
    bar.outline.set(edgecolor=style.RULE)


def _colours(*, both_signs: bool) -> Any:
    """Return the colours of the numbers: white is 0, and blue is above."""
    blue, orange = ("#c6dbef", "#4292c6", "#08306b"), ("#7f3b08", "#e08214", "#fdd0a2")
    shades = (*orange, style.BACKGROUND, *blue) if both_signs else (style.BACKGROUND, *blue)
    return style.matplotlib("colors").LinearSegmentedColormap.from_list("arcwise", shades)


def _write_names(axes: Any, shown: list[int], texts: list[str], size: float) -> None:
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    looks = {"size": size, "parse_math": False, "family": families("".join(texts)), "color": style.INK}
    for axis, rotation in ((axes.xaxis, 90), (axes.yaxis, 0)):
        axis.set_ticks(shown, texts, rotation=rotation, **looks)
        axis.set_tick_params(length=2, width=0.5, pad=2)
    for spine in axes.spines.values():
        spine.set(edgecolor=style.RULE, linewidth=0.8)


def _rule(axes: Any, n: int) -> None:
    """Draw thin lines between the cells."""
    lines = style.matplotlib("collections").LineCollection
    ends = -0.5, n - 0.5
    across = [((ends[0], place), (ends[1], place)) for place in np.arange(n - 1) + 0.5]
    down = [((place, ends[0]), (place, ends[1])) for place in np.arange(n - 1) + 0.5]
    axes.add_collection(lines(across + down, colors=style.RULE, linewidths=0.4, gid="cells"), autolim=False)
