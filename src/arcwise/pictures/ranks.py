"""Mean ranks of methods on a line, with bars over those that do not differ: the critical difference diagram."""

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

from arcwise.comparison.ranks import Ranks
from arcwise.pictures import style
from arcwise.pictures.labels import families, one_line, shortened, width_of
from arcwise.pictures.network import checked_title
from arcwise.pictures.paper import Paper, checked_axes
from arcwise.pictures.picture import Picture
from arcwise.support.arguments import instance

__all__ = ["plot_critical_differences"]

# In points.
_AXIS, _MARGIN, _STEP, _BAR_STEP, _LONGEST_NAME = 300.0, 14.0, 17.0, 8.0, 190.0


def plot_critical_differences(
    ranks: Ranks, *, alpha: float = 0.05, title: str | None = None, ax: Any = None
) -> Picture:
    """Picture of mean ranks, with bars over methods that the Nemenyi test does not tell apart.

    The diagram of Demšar 2006, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, figure 1: the
    best methods are on the left, and over the line is how far two must be apart.

    Parameters
    ----------
    ranks
        What `MethodComparison.ranks` or `ranks_of` gives.
    alpha
        The level of the test.
    title
        A line over the picture.
    ax
        Axes of matplotlib to draw in, in place of a figure of its own.

    Examples
    --------
    >>> from arcwise import ranks_of
    >>> plot_critical_differences(ranks_of([[3, 2, 1]] * 9 + [[1, 2, 3]], ["a", "b", "c"]))
    <Picture: mean ranks of 3 methods, ... inches>
    """
    ranks = instance("ranks", ranks, Ranks)
    title, ax = checked_title(title), checked_axes(ax)
    critical, groups = ranks.critical_difference(alpha), ranks.groups(alpha)
    with style.drawing():
        diagram = _Diagram(ranks, title, n_bars=len(groups), ax=ax)
        diagram.draw_axis()
        diagram.draw_critical_difference(critical)
        diagram.draw_names()
        diagram.draw_bars(groups)
    what = f"mean ranks of {len(ranks.names)} methods"
    return Picture(diagram.figure, what=what, titles=diagram.titles, is_part=ax is not None)


class _Diagram:
    """A sheet in points, downwards, on which ranks are places to the right."""

    def __init__(self, ranks: Ranks, title: str | None, *, n_bars: int, ax: Any = None) -> None:
        self._means: dict[str, float] = dict(zip(ranks.names, ranks.means.tolist(), strict=True))
        self._names = ranks.ordered
        self._texts = {name: shortened(one_line(name), _LONGEST_NAME, style.FONT) for name in self._names}
        self.titles: dict[str, str] = {}
        # What lies beyond the ranks is left out, so that those in the middle have room.
        means: list[float] = ranks.means.tolist()
        self._low, self._high = max(1, floor(min(means))), min(len(means), ceil(max(means)))
        if self._high == self._low:
            self._low, self._high = max(1, self._low - 1), min(len(means), self._high + 1)
        half = (len(self._names) + 1) // 2
        side = max(width_of(self._label(name), style.FONT) for name in self._names) + 20.0
        self._left = _MARGIN + side
        self._axis = _MARGIN + 24.0 * (title is not None) + 50.0
        self._first = self._axis + 16.0 + _BAR_STEP * n_bars
        width = 2 * self._left + _AXIS
        height = self._first + _STEP * half + _MARGIN
        self._paper = Paper.of(width, height, ax)
        if title is not None:
            text = shortened(one_line(title), 0.85 * (width - 2 * _MARGIN), 11.0)  # bold is wider
            self._write(width / 2, _MARGIN + 7.0, text, size=11.0, weight="bold", gid="title")

    @property
    def figure(self) -> Any:
        """The whole figure."""
        return self._paper.figure

    def _place(self, rank: float) -> float:
        return self._left + _AXIS * (rank - self._low) / (self._high - self._low)

    def _label(self, name: str) -> str:
        return f"{self._texts[name]}  {self._means[name]:.2f}"

    def _write(self, x: float, y: float, text: str, **options: Any) -> None:
        options = {"ha": "center", "va": "center_baseline", "size": style.FONT, **options}
        options["size"] *= self._paper.scale
        self._paper.axes.text(x, y, text, family=families(text), parse_math=False, **options)

    def _line(self, xs: Sequence[float], ys: Sequence[float], **options: Any) -> None:
        options = {"color": style.LINE, "lw": style.LINE_WIDTH, "solid_capstyle": "butt", **options}
        options["lw"] *= self._paper.scale
        self._paper.axes.plot(xs, ys, **options)

    def draw_axis(self) -> None:
        """Draw the line of ranks, 1 on the left, with a tick for each whole one."""
        self._line([self._place(self._low), self._place(self._high)], [self._axis] * 2, gid="axis")
        for rank in range(self._low, self._high + 1):
            self._line([self._place(rank)] * 2, [self._axis - 4, self._axis], gid="tick")
            self._write(self._place(rank), self._axis - 11, str(rank), color=style.SOFT, gid="rank")

    def draw_critical_difference(self, critical: float) -> None:
        """Draw over the ranks how far two methods must be apart; where that is more than all ranks, it is said only."""
        y = self._axis - 32
        self._write(
            self._left, y - 10, f"critical difference {critical:.2f}", ha="left", color=style.SOFT, gid="critical"
        )
        if critical <= self._high - self._low:
            begin, end = self._place(self._low), self._place(self._low + critical)
            self._line([begin, end], [y, y], gid="critical-difference")
            for x in (begin, end):
                self._line([x, x], [y - 3, y + 3], gid="critical-end")

    def draw_names(self) -> None:
        """Write the better half of the methods on the left and the others on the right, with lines to their ranks."""
        half = (len(self._names) + 1) // 2
        for at, name in enumerate(self._names):
            is_left = at < half
            y = self._first + _STEP * (at if is_left else len(self._names) - 1 - at) + _STEP / 2
            x, edge = self._place(self._means[name]), self._left - 10.0 if is_left else self._left + _AXIS + 10.0
            self._line([x, x, edge], [self._axis, y, y], gid="method")
            mean, label = f"{self._means[name]:.2f}", self._texts[name]
            text = f"{label}  {mean}" if is_left else f"{mean}  {label}"
            self._write(edge + (-4.0 if is_left else 4.0), y, text, ha="right" if is_left else "left", gid=f"name-{at}")
            if label != name:
                self.titles[f"name-{at}"] = name

    def draw_bars(self, groups: Sequence[tuple[str, ...]]) -> None:
        """Draw a bar under the line for each group of methods of which no two differ."""
        for at, group in enumerate(groups):
            begin, end = self._place(self._means[group[0]]), self._place(self._means[group[-1]])
            y = self._axis + 8.0 + _BAR_STEP * at
            self._line([begin - 3, end + 3], [y, y], color=style.INK, lw=3.0, gid="bar")
