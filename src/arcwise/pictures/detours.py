"""Ways around boxes: an arc that passes a row of nodes does so between two of them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from arcwise.pictures.arrangement import Arrangement

__all__ = ["around_boxes"]

Points = npt.NDArray[np.float64]
Row = list[tuple[float, float]]

MOST_NODES = 120
"""In larger networks straight arcs are clearer than such with many bends."""

_MARGIN = 0.05
"""Between a line and a box, in units."""
_APART = 0.03
"""Between two lines."""


def around_boxes(arrangement: Arrangement, widths: Mapping[str, float], height: float) -> Arrangement:
    """Lead each arc upright through a gap in every row whose boxes it would cross.

    Parameters
    ----------
    arrangement
        Places of nodes, and ways of arcs.
    widths
        How wide each box is, in units.
    height
        How high all are.
    """
    if len(arrangement.places) > MOST_NODES:
        return arrangement
    rows: dict[float, Row] = {}
    for name, (x, y) in arrangement.places.items():
        half = widths[name] / 2 + _MARGIN
        rows.setdefault(float(y), []).append((float(x) - half, float(x) + half))
    taken = {y: _joined(sorted(row)) for y, row in sorted(rows.items())}
    used: set[tuple[float, float]] = set()
    routes = {arc: _detour(route, taken, height, used) for arc, route in arrangement.routes.items()}
    return replace(arrangement, routes=routes)


def _detour(route: Points, taken: Mapping[float, Row], height: float, used: set[tuple[float, float]]) -> Points:
    points = [route[0], *_bends(route, taken, height), route[-1]]

    def led(begin: Points, end: Points) -> list[Points]:
        """Return points after the beginning, up to the end."""
        slope = (end[0] - begin[0]) / (end[1] - begin[1])
        aside = abs(slope) * height / 2
        passed = [(y, begin[0] + slope * (y - begin[1]), row) for y, row in taken.items() if begin[1] < y < end[1]]
        for y, straight, row in passed:
            if _is_free(straight - aside, straight + aside, row):
                continue
            # A single row is passed right above the end or right below the beginning, where that is free.
            upright = [float(x) for x in (end[0], begin[0]) if len(passed) == 1 and _is_free(x, x, row)]
            x = upright[0] if upright else _nearest_gap(straight, y, row, used)
            used.add((y, x))
            # The ways to the gap and on from there are not the straight one, and may cross boxes that it does not.
            above, below = _upright(x, y, height)
            return [*led(begin, above), below, *led(below, end)]
        if begin is points[0] and end is points[-1]:
            return [end]
        # A line that bends before or after swings aside between its points.
        return [*(np.array([straight, y]) for y, straight, _ in passed), end]

    return np.array([route[0], *(point for pair in pairwise(points) for point in led(*pair))])


def _bends(route: Points, taken: Mapping[float, Row], height: float) -> Iterator[Points]:
    """Give the bends of a route without those in a box, and upright where a slanting line would touch one."""
    for before, (x, y), after in zip(route, route[1:-1], route[2:], strict=False):
        row = taken.get(float(y), [])
        sides = [x, *(x + (end[0] - x) * height / 2 / abs(end[1] - y) for end in (before, after))]
        if _is_free(min(sides), max(sides), row):
            yield np.array([x, y])
        elif _is_free(x, x, row):
            yield from _upright(x, y, height)


def _upright(x: float, y: float, height: float) -> tuple[Points, Points]:
    """Return where a line that passes a row upright comes in and goes out."""
    return np.array([x, y - height / 2]), np.array([x, y + height / 2])


def _joined(row: Row) -> Row:
    """Return what is taken of a row, where boxes without a gap between them are one."""
    found: Row = []
    for left, right in row:
        if found and left <= found[-1][1]:
            found[-1] = (found[-1][0], max(right, found[-1][1]))
        else:
            found.append((left, right))
    return found


def _is_free(left: float, right: float, row: Row) -> bool:
    return not any((begin < right and left < end) or begin < left < end for begin, end in row)


def _nearest_gap(x: float, y: float, row: Row, used: set[tuple[float, float]]) -> float:
    """Return the free place nearest to x, a little aside where another line has it and there is room."""
    begin, end = min(row, key=lambda box: max(box[0] - x, x - box[1]))
    place, step = (begin, -_APART) if x - begin < end - x else (end, _APART)
    while (y, place) in used and _is_free(place + step, place + step, row):
        place += step
    return place
