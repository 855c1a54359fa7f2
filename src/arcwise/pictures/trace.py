"""How searches came to their results: the best score by time, and the bound where there is one."""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.pictures import style
from arcwise.pictures.labels import families, one_line, shortened, width_of
from arcwise.pictures.network import checked_labels, checked_title
from arcwise.pictures.paper import checked_axes, whole_figure
from arcwise.pictures.picture import Picture
from arcwise.runs.result import Result, Scope
from arcwise.support.errors import ParameterError
from arcwise.support.messages import type_of

__all__ = ["plot_trace"]

_WIDTH, _HEIGHT = 7.4, 4.4

# Times that lie this many times apart are shown by their logarithms.
_FAR_APART = 30.0

# What happens after the first climb and below the first bounds is enlarged where it has less than the first share of
# the height, and so far that no less than the second share of all is shown.
_SQUEEZED, _CLOSEST = 0.2, 0.03


def plot_trace(
    *results: Result, labels: Sequence[str] | None = None, title: str | None = None, ax: Any = None
) -> Picture:
    """Picture of the best score against time, for one search or several.

    A search that bounds the best score has the bound as a thinner line above, and what is left between them shaded.

    Parameters
    ----------
    results
        What searches gave.
    labels
        A name for each; by default the method.
    title
        A line over the picture.
    ax
        Axes of matplotlib to draw in, in place of a figure of its own.

    Examples
    --------
    >>> from arcwise import learn, load_example
    >>> data = load_example("asia").sample(500, seed=1)
    >>> plot_trace(learn(data, method="tabu", seed=1), learn(data, method="exact", seed=1))
    <Picture: trace of 2 searches, 7.4 x 4.4 inches>
    """
    for result in results:
        if not isinstance(result, Result):
            raise ParameterError.of("results", "what searches give, of type Result", type_of(result))
    if not results:
        raise ParameterError("there is nothing to plot; give at least one Result")
    names, title, ax = _labels(results, labels), checked_title(title), checked_axes(ax)
    steps = [_steps(result) for result in results]
    with style.drawing():
        axes = _own_axes(with_title=bool(title)) if ax is None else ax
        first = _time_axis(axes, steps)
        for place, step in enumerate(steps):
            colour = style.SERIES[place % len(style.SERIES)]
            _draw(axes, step, colour, first, dashed=place >= len(style.SERIES))
        _frame(axes, names, {result.bound_for for result in results if result.bound is not None})
        _score_axis(axes, steps, first)
        if ax is None:
            _make_room(axes)
        if title:
            text = shortened(one_line(title), 0.83 * 72 * _WIDTH, 11.0)
            axes.set_title(text, size=11, weight="bold", pad=10, family=families(text), parse_math=False, gid="title")
    plural = f"{len(results)} searches" if len(results) > 1 else "a search"
    return Picture(whole_figure(axes), what=f"trace of {plural}", is_part=ax is not None)


@dataclass(frozen=True)
class _Steps:
    """Columns of time and value, up to the end of the search and of the proof that follows it."""

    scores: npt.NDArray[np.float64]
    bounds: npt.NDArray[np.float64]


def _labels(results: Sequence[Result], labels: Sequence[str] | None) -> list[str]:
    if labels is None:
        same = Counter(result.method for result in results)
        return [
            f"{result.method} (seed {result.seed})" if same[result.method] > 1 else result.method for result in results
        ]
    return checked_labels(labels, len(results), wanted=f"{len(results)} texts, one for each result")


def _steps(result: Result) -> _Steps:
    scores = [(point.seconds, point.score) for point in result.trace] or [(result.seconds, result.score)]
    bounds = [(point.seconds, point.bound) for point in result.bounds]
    end = max([result.seconds, *(seconds for seconds, _ in bounds)])  # a bound may be found after the search
    if result.bound is not None:
        bounds = bounds or [(scores[0][0], result.bound)]
        bounds.append((end, result.bound))
    if scores[-1][0] < end:
        scores.append((end, result.score))
    found = [np.array([pair for pair in pairs if np.isfinite(pair[1])]).reshape(-1, 2) for pairs in (scores, bounds)]
    return _Steps(*found)


def _time_axis(axes: Any, steps: Sequence[_Steps]) -> float:
    """Choose the axis, and return the earliest time that it shows."""
    times = np.concatenate([part[:, 0] for step in steps for part in (step.scores, step.bounds)])
    late = float(times.max(initial=0.0))
    early = float(times[times > 0].min(initial=np.inf))
    axes.set_xlabel("seconds")
    if np.isfinite(early) and late / early >= _FAR_APART:
        axes.set_xscale("log")
        axes.set_xlim(early / 1.15, late * 1.15)
        return early
    axes.set_xlim(0.0, 1.03 * late or 1.0)
    return 0.0


def _score_axis(axes: Any, steps: Sequence[_Steps], first: float) -> None:
    """Choose the scores that are shown.

    All of them, unless the first climb, or the first bounds, would leave no room for what came after.
    """
    scores = np.concatenate([step.scores[:, 1] for step in steps])
    bounds = np.concatenate([scores.max(keepdims=True), *(step.bounds[:, 1] for step in steps)])
    low, high = float(scores.min()), float(bounds.max())
    settled = min(_settled(step.scores, 0.5, logarithm=first > 0) for step in steps)
    closing = max([float(scores.max()), *(_settled(step.bounds, 0.25) for step in steps if len(step.bounds))])
    room = max(closing - settled, _CLOSEST * (high - low), 1e-3 * abs(high), 1e-6)
    notes = []
    if settled < closing and room < _SQUEEZED * (high - low):
        if settled - low > room:
            notes.append(f"the first climb begins below, at {low:,.1f}")
            low = settled - room
        if high - closing > room:
            notes.append(f"the bound begins above, at {high:,.1f}")
            high = closing + room
    if notes:
        words = "; ".join(notes).replace("-", "\N{MINUS SIGN}")
        axes.text(0.0, -0.165, words, transform=axes.transAxes, size=8, color=style.SOFT, va="bottom", gid="beyond")
    margin = 0.06 * (high - low) or room
    axes.set_ylim(low - margin, high + margin)


def _own_axes(*, with_title: bool) -> Any:
    figure = style.matplotlib("figure").Figure(figsize=(_WIDTH, _HEIGHT), facecolor=style.BACKGROUND)
    return figure.add_axes((0.135, 0.135, 0.835, 0.75 if with_title else 0.82))


def _make_room(axes: Any) -> None:
    """Give the numbers beside the axis their room."""
    texts = axes.yaxis.get_major_formatter().format_ticks(axes.yaxis.get_majorticklocs())
    left = (34.0 + max(width_of(text, 9.0) for text in texts)) / 72 / _WIDTH
    box = axes.get_position()
    axes.set_position((left, box.y0, 0.97 - left, box.height))


def _settled(steps: npt.NDArray[np.float64], part: float, *, logarithm: bool = False) -> float:
    """Return the value after a part of the time, or of its logarithm."""
    early, late = steps[0, 0], steps[-1, 0]
    time = early ** (1 - part) * late**part if logarithm else early + part * (late - early)
    return float(_at(steps, np.array([np.clip(time, early, late)]))[0])


def _draw(axes: Any, step: _Steps, colour: str, first: float, *, dashed: bool) -> None:
    scores, bounds = step.scores.copy(), step.bounds.copy()
    for part in (scores, bounds):
        part[:, 0] = np.maximum(part[:, 0], first)  # a logarithm has no 0
    if len(bounds):
        times = np.unique(np.concatenate([scores[:, 0], bounds[:, 0]]))
        below, above = _at(scores, times), _at(bounds, times)
        axes.fill_between(times, below, above, step="post", color=colour, alpha=style.BOUND_TONE, lw=0, gid="gap")
        axes.step(*bounds.T, where="post", color=style.INK, lw=0.9, ls=(0, (4, 2)), zorder=3, gid="bound")
    axes.plot(*scores[-1:].T, "o", color=colour, ms=4, gid="end")
    axes.step(*scores.T, where="post", color=colour, lw=1.8, ls=(0, (5, 1)) if dashed else "solid", gid="score")


def _at(steps: npt.NDArray[np.float64], times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the values at given times; nothing before the first."""
    place = np.searchsorted(steps[:, 0], times, side="right") - 1
    return np.where(place >= 0, steps[np.maximum(place, 0), 1], np.nan)


def _frame(axes: Any, names: Sequence[str], scopes: Set[Scope | None]) -> None:
    ticker = style.matplotlib("ticker")
    axes.set_ylabel("score (natural logarithm)")
    axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.10g}"))
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.10g}"))
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.tick_params(labelsize=9)
    axes.grid(color=style.RULE, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    lines = [line for line in axes.lines if line.get_gid() == "score"]
    # matplotlib leaves out labels that begin with _, so that the texts are put in afterwards.
    texts = [shortened(one_line(name), 200.0, 9.0) for name in names]
    if any(line.get_gid() == "bound" for line in axes.lines):
        sample = style.matplotlib("lines").Line2D([], [], color=style.INK, lw=0.9, ls=(0, (4, 2)))
        lines.append(sample)
        texts.append(_bound_words(scopes))
    legend = axes.legend(lines, [str(place) for place in range(len(lines))], loc="best", fontsize=9, frameon=True)
    legend.get_frame().set(edgecolor=style.RULE, linewidth=0.6)
    for text, words in zip(legend.get_texts(), texts, strict=True):
        text.set(text=words, parse_math=False, family=families(words), gid="key")


def _bound_words(scopes: Set[Scope | None]) -> str:
    """Return what bounds say that hold among such graphs."""
    if scopes <= {Scope.ALL_SETS, None}:
        return "no graph scores more (bound)"
    if scopes == {Scope.CANDIDATE_SETS}:
        return "no graph of the candidate parent sets scores more (bound)"
    if Scope.CANDIDATE_SETS in scopes:
        return "no graph, or none of the candidate parent sets, scores more (bound)"
    if scopes & {Scope.ALL_SETS}:
        return "no graph, or none with so few parents, scores more (bound)"
    return "no graph with so few parents scores more (bound)"
