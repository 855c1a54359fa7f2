"""The order that is kept up while arcs are added, held against all ways there are."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from arcwise.graph.growing_order import GrowingOrder
from arcwise.graph.nodes import closure, reversed_arcs


@given(st.integers(1, 8), st.data())
def test_nodes_reach_those_that_arcs_lead_to(n: int, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=25))
    order = GrowingOrder(n)
    parents: list[list[int]] = [[] for _ in range(n)]
    for parent, child in pairs:
        children = reversed_arcs(parents)
        for start, end in product(range(n), repeat=2):
            assert order.reaches(start, end) == (start == end or end in closure([start], children))
        if not order.reaches(child, parent):
            order.add(parent, child)
            parents[child].append(parent)
