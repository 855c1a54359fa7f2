"""Lines of arcs: where they leave and reach the boxes, how they bend, and their heads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Curve", "curves"]

Points = npt.NDArray[np.float64]

# Share of its height for which a line keeps its direction at an end, where it is upright and where it leans.
_UPRIGHT, _LEANING = 0.5, 0.4

# Most steps aside for each step down where a line passes a row, so that it stays in the gap between two boxes.
_STEEPEST = 0.7

# Share of a box's side that lines may use, and most points between two of them.
_USED, _MOST_APART = 0.6, 9.0


@dataclass(frozen=True, eq=False)
class Curve:
    """A line as a chain of cubic Bézier curves.

    Attributes
    ----------
    points
        The beginning, then two control points and the end of each curve.
    head
        The three corners of the arrow's head; None for a line without.
    """

    points: Points
    head: Points | None


def curves(
    routes: Sequence[Points], ends: Sequence[tuple[int, int]], boxes: Points, heads: Sequence[float], *, row: float
) -> list[Curve]:
    """Return a smooth line for each route, from the side of one box to that of another.

    Lines leave and reach boxes upright, but for long ones. Between, they go through the points of the route: the place
    to the right is a monotone cubic interpolation over the height (Fritsch & Carlson 1980, doi:10.1137/0717021), which
    never swings beyond the points, into a neighbour's box.

    Parameters
    ----------
    routes
        Points in the order of the arc; the first and the last are the centres of boxes.
    ends
        The boxes at both ends, by index.
    boxes
        Width and height of each box.
    heads
        Length of each arrow's head; 0 for none.
    row
        Height of a row.
    """
    shifts = _ports(routes, ends, boxes)
    found = []
    for route, (tail, head), (leave, reach), length in zip(routes, ends, shifts, heads, strict=True):
        points = np.array(route, dtype=np.float64)
        steps = np.sign(np.diff(points[:, 1]))
        if not steps.any() or (steps != steps[0]).any():
            found.append(_straight(points, boxes[tail], boxes[head], length))
            continue
        way = steps[0]
        points[0] += (leave, way * boxes[tail, 1] / 2)
        points[-1] += (reach, -way * boxes[head, 1] / 2)
        lean = _lean(points, row)
        towards = way * np.array([lean, 1.0]) / np.hypot(lean, 1.0)
        tip = points[-1].copy()
        points[-1] -= length * towards
        found.append(Curve(_smooth(points, lean), _head(tip, towards, length)))
    return found


def _lean(points: Points, row: float) -> float:
    """Return how far to the right a line goes at its ends for each step downwards.

    A line without bends over several rows is nearly straight; others are upright there.
    """
    if len(points) > 2:
        return 0.0
    right, down = points[1] - points[0]
    return float(0.85 * np.clip((abs(down) / row - 1) / 2, 0.0, 1.0) * right / down)


def _ports(routes: Sequence[Points], ends: Sequence[tuple[int, int]], boxes: Points) -> list[list[float]]:
    """Return how far from the middle of the box's side each line leaves and reaches it.

    Lines at one side are in the order of where they come from, so that they do not cross there.
    """
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for line, (route, pair) in enumerate(zip(routes, ends, strict=True)):
        for end, (here, next_to) in enumerate(((0, 1), (-1, -2))):
            below = bool(route[next_to][1] > route[here][1])
            sides.setdefault((pair[end], below), []).append((float(route[next_to][0]), line, end))
    shifts = [[0.0, 0.0] for _ in routes]
    for (box, _), lines in sides.items():
        apart = min(_MOST_APART, _USED * boxes[box, 0] / max(len(lines) - 1, 1))
        for place, (_, line, end) in enumerate(sorted(lines)):
            shifts[line][end] = float(apart * (place - (len(lines) - 1) / 2))
    return shifts


def _smooth(points: Points, lean: float) -> Points:
    """Return the Bézier curves of the monotone interpolation through points whose heights rise, or fall.

    Where the line is upright, it stays so for longer than the interpolation would, which rounds sharp turns.
    """
    x, y = points.T
    heights = np.diff(y)
    slopes = np.diff(x) / heights
    tangents = np.full(len(x), lean)
    if len(x) > 2:
        before, after = slopes[:-1], slopes[1:]
        weights = 2 * heights[1:] + heights[:-1], heights[1:] + 2 * heights[:-1]
        same = before * after > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (weights[0] + weights[1]) / (weights[0] / before + weights[1] / after)
        tangents[1:-1] = np.where(same, np.clip(mean, -_STEEPEST, _STEEPEST), 0.0)
    curve = np.empty((3 * len(heights) + 1, 2))
    curve[::3] = points
    after, before = (
        heights * np.where(tangents[side] == 0, _UPRIGHT, _LEANING) for side in (slice(-1), slice(1, None))
    )
    curve[1::3] = points[:-1] + np.column_stack((tangents[:-1] * after, after))
    curve[2::3] = points[1:] - np.column_stack((tangents[1:] * before, before))
    return curve


def _straight(points: Points, tail: Points, head: Points, length: float) -> Curve:
    """Return straight lines, from the border of one box to that of the other."""
    points[0] = _border(points[0], points[1], tail)
    tip = points[-1] = _border(points[-1], points[-2], head)
    way = points[-1] - points[-2]
    way = way / (np.hypot(*way) or 1.0)
    corners = _head(tip.copy(), way, length)
    points[-1] = tip - way * length
    steps = np.diff(points, axis=0)
    curve = np.empty((3 * len(steps) + 1, 2))
    curve[::3], curve[1::3], curve[2::3] = points, points[:-1] + steps / 3, points[1:] - steps / 3
    return Curve(curve, corners)


def _border(centre: Points, towards: Points, box: Points) -> Points:
    way = towards - centre
    with np.errstate(divide="ignore"):
        share = float(np.min(np.abs(box / 2 / np.where(way == 0, 1e-300, way))))
    return np.asarray(centre + min(share, 0.5) * way)


def _head(tip: Points, way: Points, length: float) -> Points | None:
    if length == 0:
        return None
    aside = 0.38 * length * np.array([-way[1], way[0]])
    return np.array([tip, tip - length * way + aside, tip - length * way - aside])
