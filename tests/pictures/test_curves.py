"""Lines of arcs stay between the points that they go through."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arcwise.pictures.curves import curves

BOXES = np.array([[40.0, 20.0], [60.0, 20.0]])
places = st.floats(-500.0, 500.0)


def bezier(points: np.ndarray) -> np.ndarray:
    """Many points of a chain of cubic curves, by de Casteljau's definition."""
    t = np.linspace(0.0, 1.0, 40)[:, None]
    found = []
    for k in range(0, len(points) - 1, 3):
        a, b, c, d = points[k : k + 4]
        found.append((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d)
    return np.concatenate(found)


@given(st.lists(places, min_size=2, max_size=6), st.booleans())
def test_line_goes_through_its_points_and_never_beyond(x: list[float], upwards: bool) -> None:
    route = np.column_stack((x, 60.0 * np.arange(len(x))))[:: -1 if upwards else 1]
    (curve,) = curves([route], [(0, 1)], BOXES, [5.0], row=60.0)
    drawn = bezier(curve.points)
    way = -1 if upwards else 1
    assert (way * np.diff(drawn[:, 1]) >= -1e-9).all()
    for k in range(len(x) - 1):
        part = bezier(curve.points[3 * k : 3 * k + 4])
        ends = sorted((curve.points[3 * k, 0], curve.points[3 * k + 3, 0]))
        assert part[:, 0].min() >= ends[0] - 1e-9
        assert part[:, 0].max() <= ends[1] + 1e-9
    assert np.allclose(curve.points[3:-1:3], route[1:-1])


@given(places, places)
def test_head_ends_at_the_box_of_the_child(x: float, other: float) -> None:
    route = np.array([[x, 0.0], [other, 60.0]])
    (curve,) = curves([route], [(0, 1)], BOXES, [5.0], row=60.0)
    assert curve.head is not None
    assert curve.head[0].tolist() == [other, 50.0]
    base = curve.head[1:].mean(axis=0)
    assert np.allclose(base, curve.points[-1])
    assert np.isclose(np.hypot(*(curve.head[0] - base)), 5.0)


def test_lines_at_one_side_keep_their_order() -> None:
    routes = [np.array([[x, 0.0], [0.0, 60.0]]) for x in (300.0, -200.0, 10.0)]
    tips = [curve.points[-1][0] for curve in curves(routes, [(0, 1)] * 3, BOXES, [5.0] * 3, row=60.0)]
    assert tips[1] < tips[2] < tips[0]
    assert max(map(abs, tips)) < 30.0


def test_line_between_boxes_of_the_same_row_is_straight() -> None:
    (curve,) = curves([np.array([[0.0, 0.0], [200.0, 0.0]])], [(0, 1)], BOXES, [5.0], row=60.0)
    assert np.allclose(curve.points[:, 1], 0.0)
    assert curve.points[0].tolist() == [20.0, 0.0]
    assert curve.head is not None
    assert curve.head[0].tolist() == [170.0, 0.0]
