"""Arcs pass rows of boxes through the gaps, by hand-made arrangements."""

import numpy as np
import pytest

from arcwise.pictures.arrangement import Arrangement
from arcwise.pictures.detours import MOST_NODES, around_boxes

WIDTHS = dict.fromkeys("abcde", 0.8)


def arrangement(places: dict[str, tuple[float, float]], *arcs: tuple[str, str]) -> Arrangement:
    points = {name: np.array(place) for name, place in places.items()}
    return Arrangement(points, {(tail, head): np.array([points[tail], points[head]]) for tail, head in arcs})


def test_arc_that_would_cross_a_box_goes_beside_it() -> None:
    """a stands above b, b above c: the arc from a to c passes b's side upright."""
    column = arrangement({"a": (0.5, 0.5), "b": (0.6, 1.5), "c": (0.5, 2.5)}, ("a", "c"), ("a", "b"))
    routes = around_boxes(column, WIDTHS, 0.4).routes
    begin, above, below, end = routes["a", "c"]
    assert (begin.tolist(), end.tolist()) == ([0.5, 0.5], [0.5, 2.5])
    # b reaches from 0.2 to 1.0; its left side is nearer.
    assert above[0] == below[0] == pytest.approx(0.2, abs=0.06)
    assert above[0] < 0.2
    assert (above[1], below[1]) == (pytest.approx(1.3), pytest.approx(1.7))
    assert len(routes["a", "b"]) == 2


def test_arc_with_a_free_way_stays_straight() -> None:
    apart = arrangement({"a": (0.5, 0.5), "b": (2.5, 1.5), "c": (0.5, 2.5)}, ("a", "c"))
    assert len(around_boxes(apart, WIDTHS, 0.4).routes["a", "c"]) == 2


def test_row_is_passed_right_above_the_end_where_that_is_free() -> None:
    """The straight way from a to e crosses b; above e there is a gap between b and c."""
    places = {"a": (0.5, 0.5), "b": (1.0, 1.5), "c": (2.0, 1.5), "e": (1.5, 2.5)}
    route = around_boxes(arrangement(places, ("a", "e")), WIDTHS, 0.4).routes["a", "e"]
    assert route[1:-1, 0].tolist() == [1.5, 1.5]


def test_boxes_without_a_gap_are_passed_at_their_end() -> None:
    places = {"a": (0.5, 0.5), "b": (0.4, 1.5), "c": (1.2, 1.5), "d": (0.5, 2.5)}
    route = around_boxes(arrangement(places, ("a", "d")), WIDTHS, 0.4).routes["a", "d"]
    assert route[1, 0] < 0.0


def test_two_arcs_through_one_gap_are_two_lines() -> None:
    places = {"a": (0.5, 0.5), "b": (0.5, 1.5), "c": (0.45, 2.5), "d": (0.4, 3.5)}
    routes = around_boxes(arrangement(places, ("a", "c"), ("a", "d")), WIDTHS, 0.4).routes
    assert routes["a", "c"][1, 0] != routes["a", "d"][1, 0]


def test_large_networks_keep_their_straight_arcs() -> None:
    places = {f"v{i}": (0.5, i + 0.5) for i in range(MOST_NODES + 1)}
    large = arrangement(places, ("v0", f"v{MOST_NODES}"))
    assert around_boxes(large, dict.fromkeys(places, 0.8), 0.4) is large
