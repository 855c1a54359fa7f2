"""Random graphs, networks and data."""

import pickle
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from arcwise.graph.dag import Dag
from arcwise.simulation.bounded_width import heuristic_width, random_dag_of_bounded_width
from arcwise.simulation.random import (
    random_dag,
    random_data,
    random_network,
    random_network_of_bounded_width,
    random_parameters,
)
from arcwise.support.errors import GraphError, ParameterError


@given(st.integers(1, 12), st.none() | st.integers(0, 5), st.data())
@settings(max_examples=60, deadline=None)
def test_a_random_dag_has_exactly_the_arcs_asked_for(
    n_nodes: int, max_parents: int | None, data: st.DataObject
) -> None:
    limit = n_nodes if max_parents is None else max_parents
    most = sum(min(before, limit) for before in range(n_nodes))
    n_arcs = data.draw(st.integers(0, most))
    dag = random_dag(n_nodes, n_arcs, max_parents=max_parents, seed=data.draw(st.integers(0, 2**32)))
    assert dag.names == tuple(f"X{node}" for node in range(n_nodes))
    assert dag.n_arcs == n_arcs
    assert max(map(len, dag.parent_indices)) <= limit


def test_orders_and_arcs_are_uniform() -> None:
    # One arc between 3 nodes: 6 graphs, each as probable as any other.
    seen = Counter(random_dag(3, 1, seed=seed).arcs for seed in range(3000))
    assert len(seen) == 6
    assert chisquare(list(seen.values())).pvalue > 1e-4
    # Complete graphs of 3 nodes are their orders.
    seen = Counter(random_dag(3, 3, seed=seed).arcs for seed in range(3000))
    assert len(seen) == 6
    assert chisquare(list(seen.values())).pvalue > 1e-4


@pytest.mark.parametrize(("max_parents", "n_arcs"), [(1, 2), (1, 3), (2, 4), (2, 5)])
def test_with_a_limit_pairs_are_taken_in_random_order_unless_the_child_is_full(max_parents: int, n_arcs: int) -> None:
    pairs = [(earlier, later) for later in range(4) for earlier in range(later)]
    expected: Counter[frozenset[tuple[str, str]]] = Counter()
    for taken in permutations(pairs):
        kept: list[tuple[int, int]] = []
        for pair in taken:
            if len(kept) < n_arcs and sum(later == pair[1] for _, later in kept) < max_parents:
                kept.append(pair)
        for order in permutations(("X0", "X1", "X2", "X3")):
            expected[frozenset((order[a], order[b]) for a, b in kept)] += 1
    total = 5000
    seen = Counter(frozenset(random_dag(4, n_arcs, max_parents=max_parents, seed=seed).arcs) for seed in range(total))
    assert set(seen) == set(expected)
    shares = {graph: count * total / expected.total() for graph, count in expected.items()}
    assert chisquare([seen[graph] for graph in shares], list(shares.values())).pvalue > 1e-4


def test_a_random_graph_takes_memory_for_its_arcs_and_not_for_all_pairs() -> None:
    n_nodes = 4000  # whose pairs alone would be 64 MB
    tracemalloc.start()
    dag = random_dag(n_nodes, 6000, max_parents=3, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert dag.n_arcs == 6000
    assert peak < n_nodes**2 / 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: random_dag(0, 0), "n_nodes must be at least 1, not 0"),
        (lambda: random_dag(3, -1), "n_arcs must be at least 0, not -1"),
        (lambda: random_dag(5, 11), "n_arcs must be at most 10 with 5 nodes of at most 4 parents, not 11"),
        (lambda: random_dag(5, 8, max_parents=2), "n_arcs must be at most 7 with 5 nodes of at most 2 parents, not 8"),
        (lambda: random_dag(2.5, 1), "n_nodes must be an integer, not 2.5"),  # type: ignore[arg-type]
        (lambda: random_dag(3, 1, seed=-5), "seed must be a whole number of at least 0"),
        (lambda: random_network(3, 1, arities=0), "arities must be at least 1, not 0"),
        (lambda: random_network(3, 1, arities=[2, 2]), "arities must have one number for each of 3 nodes, not 2"),
        (lambda: random_network(3, 1, arities=range(0)), "must not be the empty range"),
        (lambda: random_network(3, 1, arities=70_000), "arities must be at most 65535"),
        (lambda: random_network(3, 1, alpha=0), "alpha must be a finite number above 0, not 0"),
        (lambda: random_data(0, 3), "n_rows must be at least 1"),
        (lambda: random_data(3, 0), "n_variables must be at least 1"),
        (lambda: random_dag_of_bounded_width(5, 0), "max_width must be at least 1, not 0"),
        (lambda: random_dag_of_bounded_width(5, 2, max_degree=1), "max_degree must be at least 2 for the graph to be"),
        (lambda: random_dag_of_bounded_width(5, 2, max_arcs=3), "max_arcs must be at least 4 for the graph to be"),
        (lambda: random_dag_of_bounded_width(5, 2, n_steps=-1), "n_steps must be at least 0"),
    ],
)
def test_impossible_requests_are_refused_with_the_reason(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_same_seed_same_everything() -> None:
    for make in (
        lambda seed: random_dag(10, 15, seed=seed),
        lambda seed: random_network(10, 15, arities=range(2, 5), seed=seed),
        lambda seed: random_dag_of_bounded_width(10, 3, seed=seed),
        lambda seed: random_network_of_bounded_width(10, 3, arities=range(2, 5), seed=seed),
        lambda seed: random_data(10, 15, arities=range(2, 5), seed=seed).codes.tobytes(),
    ):
        assert make(0) == make(0)
        assert make(0) != make(1)
        assert make(None) != make(None)


def test_arities_are_one_number_or_drawn_or_given() -> None:
    assert random_network(5, 4, arities=3, seed=1).arities == (3,) * 5
    assert random_network(5, 4, arities=[2, 3, 4, 5, 1], seed=1).arities == (2, 3, 4, 5, 1)
    drawn = random_network(300, 4, arities=range(2, 6), seed=1).arities
    assert set(drawn) == {2, 3, 4, 5}
    assert random_data(50, 3, arities=[2, 300, 4], seed=1).arities == (2, 300, 4)


def test_tables_follow_the_dirichlet_distribution() -> None:
    # The first coordinate of a symmetric Dirichlet over r states has mean 1/r and variance (r-1) / (r^2 (r alpha + 1)).
    dag = Dag([f"X{node}" for node in range(3)], [("X0", "X2"), ("X1", "X2")])
    for alpha in (0.5, 1.0, 5.0):
        values = random_parameters(dag, arities=[100, 100, 3], alpha=alpha, seed=2).table("X2")[..., 0]
        assert values.mean() == pytest.approx(1 / 3, abs=0.02)
        assert values.var() == pytest.approx(2 / (9 * (3 * alpha + 1)), rel=0.1)


def test_very_small_alpha_gives_proper_tables() -> None:
    network = random_network(10, 15, arities=4, alpha=1e-3, seed=3)
    assert all(np.allclose(table.sum(axis=-1), 1) for table in network.tables)


def test_random_data_is_uniform_and_independent() -> None:
    data = random_data(60_000, 2, arities=[2, 3], seed=4)
    counts = np.bincount(data.codes[:, 0] * 3 + data.codes[:, 1], minlength=6)
    assert chisquare(counts).pvalue > 1e-4
    assert data.names == ("X0", "X1")


# Bounded width


def least_width(dag: Dag) -> int:
    """Induced width by definition: the best of all elimination orders of the moral graph."""
    moral = {frozenset(pair) for pair in dag.skeleton}
    moral |= {frozenset({a, b}) for row in map(dag.parents, dag.names) for a in row for b in row if a != b}
    return min(width_of_order(moral, order) for order in permutations(dag.names))


def width_of_order(edges: set[frozenset[str]], order: tuple[str, ...]) -> int:
    edges = set(edges)
    width = 0
    for node in order:
        around = {other for edge in edges if node in edge for other in edge - {node}}
        width = max(width, len(around))
        edges = {edge for edge in edges if node not in edge}
        edges |= {frozenset({a, b}) for a in around for b in around if a != b}
    return width


def is_connected(dag: Dag) -> bool:
    seen = {dag.names[0]}
    while True:
        more = {x for a, b in dag.arcs for x in (a, b) if {a, b} & seen} | seen
        if more == seen:
            return len(seen) == dag.n_nodes
        seen = more


@pytest.mark.parametrize("n_nodes", [1, 2, 5, 6])
def test_the_heuristic_width_is_an_upper_bound_and_exact_on_small_graphs(n_nodes: int) -> None:
    # Up to 6 nodes the order by fewest neighbours happens to be optimal on all of these.
    for seed in range(15):
        dag = random_dag(n_nodes, min(seed, comb(n_nodes, 2)), seed=seed)
        assert heuristic_width(dag) == least_width(dag)


def test_widths_of_known_graphs() -> None:
    names = [f"X{node}" for node in range(9)]
    star = Dag(names, [("X0", name) for name in names[1:]])
    collider = Dag(names, [(name, "X0") for name in names[1:]])
    down = [(f"X{i}", f"X{i + 3}") for i in range(6)]
    right = [(f"X{i}", f"X{i + 1}") for i in range(8) if i % 3 < 2]
    assert heuristic_width(Dag(names)) == 0
    assert heuristic_width(star) == 1
    assert heuristic_width(collider) == 8
    assert heuristic_width(random_dag(9, 36, seed=1)) == 8
    # A 3 x 3 grid, in which joining the parents adds one diagonal to each square.
    assert heuristic_width(Dag(names, down + right)) == 3


@given(st.integers(1, 12), st.integers(1, 4), st.integers(2, 5), st.integers(0, 6), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_bounds_hold_and_the_graph_is_connected(
    width_nodes: int, width: int, degree: int, extra: int, seed: int
) -> None:
    n_nodes, max_arcs = width_nodes, width_nodes - 1 + extra
    dag = random_dag_of_bounded_width(n_nodes, width, max_degree=degree, max_arcs=max_arcs, n_steps=300, seed=seed)
    assert is_connected(dag)
    assert heuristic_width(dag) <= width
    assert dag.n_arcs <= max_arcs
    assert max(len(dag.parents(name)) + len(dag.children(name)) for name in dag.names) <= degree


def all_dags(n_nodes: int) -> Iterator[Dag]:
    names = [f"X{node}" for node in range(n_nodes)]
    pairs = [(a, b) for a in names for b in names if a < b]
    for kinds in product((0, 1, 2), repeat=len(pairs)):
        arcs = [pair if kind == 1 else pair[::-1] for pair, kind in zip(pairs, kinds, strict=True) if kind]
        try:
            yield Dag(names, arcs)
        except GraphError:
            continue


@pytest.mark.parametrize(("width", "n_graphs"), [(1, 9), (2, 18)])
def test_all_graphs_within_the_bounds_are_equally_probable(width: int, n_graphs: int) -> None:
    # 18 of the 25 graphs with 3 nodes are connected; 9 of them have neither a collider nor a triangle.
    seen = Counter(random_dag_of_bounded_width(3, width, n_steps=80, seed=seed) for seed in range(100 * n_graphs))
    assert set(seen) == {dag for dag in all_dags(3) if is_connected(dag) and least_width(dag) <= width}
    assert len(seen) == n_graphs
    assert chisquare(list(seen.values())).pvalue > 1e-4


@pytest.mark.parametrize("width", [1, 2])
def test_every_graph_of_four_nodes_within_the_bounds_is_reached(width: int) -> None:
    expected = {dag for dag in all_dags(4) if is_connected(dag) and least_width(dag) <= width}
    seen = {random_dag_of_bounded_width(4, width, n_steps=60, seed=seed) for seed in range(12 * len(expected))}
    assert seen == expected


def test_wider_bounds_give_denser_graphs() -> None:
    arcs = [random_dag_of_bounded_width(30, width, n_steps=3000, seed=1).n_arcs for width in (1, 2, 4)]
    assert arcs[0] == 29
    assert arcs[0] < arcs[1] < arcs[2]


def test_networks_of_bounded_width_have_tables_and_pickle() -> None:
    network = random_network_of_bounded_width(20, 3, max_arcs=30, arities=range(2, 4), seed=5)
    assert heuristic_width(network.dag) <= 3
    assert set(network.arities) == {2, 3}
    assert pickle.loads(pickle.dumps(network)) == network
