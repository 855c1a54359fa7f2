import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from arcwise import Dag, load_example
from arcwise.pictures import layout as layout_module
from arcwise.pictures.layout import layered
from arcwise.simulation.random import random_dag


@st.composite
def dags(draw: st.DrawFn, most: int = 12) -> Dag:
    n = draw(st.integers(1, most))
    pairs = [(i, j) for j in range(n) for i in range(j)]
    arcs = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Dag([f"v{i}" for i in range(n)], [(f"v{i}", f"v{j}") for i, j in arcs])


def arcs_of(dag: Dag) -> list[tuple[int, int]]:
    return [(i, j) for j, parents in enumerate(dag.parent_indices) for i in parents]


@given(dags())
@settings(deadline=None, max_examples=40)
def test_arcs_point_downwards_and_nodes_have_their_room(dag: Dag) -> None:
    layout = layered(dag)
    x, y = layout.positions.T
    assert all(y[i] < y[j] for i, j in arcs_of(dag))
    apart = np.maximum(np.abs(x[:, None] - x), np.abs(y[:, None] - y)) + 2 * np.eye(dag.n_nodes)
    assert apart.min() > 1 - 1e-9
    assert x.min() >= 0.5 - 1e-9
    assert y.min() >= 0.5 - 1e-9
    assert x.max() <= layout.width - 0.5 + 1e-9
    assert y.max() <= layout.height - 0.5 + 1e-9


@given(dags())
@settings(deadline=None, max_examples=40)
def test_routes_lead_from_parent_to_child_and_never_up(dag: Dag) -> None:
    layout = layered(dag)
    assert len(layout.routes) == dag.n_arcs
    for (i, j), route in zip(arcs_of(dag), layout.routes, strict=True):
        assert route[0].tolist() == layout.positions[i].tolist()
        assert route[-1].tolist() == layout.positions[j].tolist()
        assert (np.diff(route[:, 1]) > 0).all()


@given(dags(most=5))
@settings(deadline=None, max_examples=40)
def test_arcs_are_as_short_as_layers_allow(dag: Dag) -> None:
    arcs = arcs_of(dag)
    shortest = min(
        sum(layers[j] - layers[i] for i, j in arcs)
        for layers in product(range(dag.n_nodes), repeat=dag.n_nodes)
        if all(layers[i] < layers[j] for i, j in arcs)
    )
    # Flat and wide: no layer is folded, so that rows are layers.
    y = layered(dag, aspect=1000).positions[:, 1]
    assert sum(y[j] - y[i] for i, j in arcs) == pytest.approx(shortest)


@given(dags())
@settings(deadline=None, max_examples=40)
def test_no_node_of_a_large_graph_can_move_alone_and_make_arcs_shorter(dag: Dag) -> None:
    arcs = arcs_of(dag)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout_module, "SHORTEST", 0)  # as if it were too large for the linear program
        # Flat and wide: no layer is folded, so that rows are layers.
        y = layered(dag, aspect=1000).positions[:, 1]
    assert all(y[i] < y[j] for i, j in arcs)
    for node, way in product(range(dag.n_nodes), (-1, 1)):
        moved = y.copy()
        moved[node] += way
        if all(moved[i] < moved[j] for i, j in arcs):
            assert sum(moved[j] - moved[i] for i, j in arcs) >= sum(y[j] - y[i] for i, j in arcs) - 1e-9


def test_arcs_of_a_tree_do_not_cross() -> None:
    names = [f"v{i}" for i in range(15)]
    dag = Dag(names, [(names[(i - 1) // 2], names[i]) for i in range(1, 15)])
    x, y = layered(dag, aspect=4).positions.T
    arcs = arcs_of(dag)
    crossed = [(a, b) for a in arcs for b in arcs if y[a[0]] == y[b[0]] and x[a[0]] < x[b[0]] and x[a[1]] > x[b[1]]]
    assert crossed == []


def test_long_arcs_of_small_graphs_go_around_nodes() -> None:
    dag = Dag(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    layout = layered(dag)
    route = layout.routes[dag.arcs.index(("a", "c"))]
    assert len(route) == 3
    assert abs(route[1][0] - layout.positions[1][0]) >= 0.5


@pytest.mark.parametrize("aspect", [0.7, 1.6, 3.0])
def test_large_graphs_take_the_wanted_form(aspect: float) -> None:
    layout = layered(random_dag(400, 450, seed=1), aspect=aspect)
    assert 0.6 * aspect < 1.9 * layout.width / layout.height < 1.7 * aspect


def test_many_nodes_without_arcs_make_a_block() -> None:
    layout = layered(Dag([f"v{i}" for i in range(100)]))
    assert layout.width * layout.height <= 120


def test_the_same_graph_has_the_same_layout() -> None:
    dag = load_example("alarm").dag
    assert (layered(dag).positions == layered(dag).positions).all()


def test_memory_does_not_grow_with_the_number_of_layers_times_their_width() -> None:
    n = 2000  # in a chain, and as many in one layer below its first node: 4 million widths of layers
    names = [f"v{i}" for i in range(2 * n)]
    dag = Dag.from_parents(names, [[], *([i] for i in range(n - 1)), *([0] for _ in range(n))])
    tracemalloc.start()
    layered(dag)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * n * n


@given(st.lists(st.floats(-100, 100, allow_nan=False), min_size=1, max_size=30))
def test_numbers_that_never_fall_are_those_of_scipy(wanted: list[float]) -> None:
    found = layout_module._ascending(np.array(wanted))
    np.testing.assert_allclose(found, isotonic_regression(wanted).x, atol=1e-9)
