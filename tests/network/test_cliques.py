"""Junction trees: what makes them right for inference, and widths that are known."""

import math
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import load_example
from arcwise.network.cliques import JunctionTree, _FillGraph, junction_tree

Parents = list[tuple[int, ...]]


@st.composite
def families(draw: st.DrawFn, most_nodes: int = 12) -> Parents:
    """The parents of each node of a graph, whose order has nothing to do with their indices."""
    n = draw(st.integers(1, most_nodes))
    order = draw(st.permutations(range(n)))
    parents: dict[int, tuple[int, ...]] = {}
    for k, node in enumerate(order):
        parents[node] = tuple(sorted(draw(st.sets(st.sampled_from(order[:k]), max_size=4)))) if k else ()
    return [parents[node] for node in range(n)]


@st.composite
def polytrees(draw: st.DrawFn) -> Parents:
    """The parents of each node of a tree whose arcs point either way."""
    parents: list[list[int]] = [[]]
    for node in range(1, draw(st.integers(2, 15))):
        other = draw(st.integers(0, node - 1))
        upwards = draw(st.booleans())
        parents.append([] if upwards else [other])
        if upwards:
            parents[other].append(node)
    return [tuple(sorted(row)) for row in parents]


def made(parents: Parents, arities: list[int] | None = None) -> JunctionTree:
    tree = junction_tree(parents, arities or [2] * len(parents))
    assert tree is not None
    return tree


def moral_edges(parents: Parents) -> set[frozenset[int]]:
    return {frozenset(pair) for node, row in enumerate(parents) for pair in combinations((*row, node), 2)}


def smallest_width(parents: Parents) -> int:
    """Least width over all orders of elimination, each by definition."""
    widths = []
    for order in permutations(range(len(parents))):
        edges, widest = moral_edges(parents), 0
        for node in order:
            near = {one for edge in edges if node in edge for one in edge} - {node}
            widest = max(widest, len(near))
            edges = {edge for edge in edges if node not in edge} | set(map(frozenset, combinations(near, 2)))
        widths.append(widest)
    return min(widths)


@given(families(), st.data())
def test_trees_are_right_for_inference(parents: Parents, data: st.DataObject) -> None:
    arities = data.draw(st.lists(st.integers(1, 4), min_size=len(parents), max_size=len(parents)))
    tree = made(parents, arities)
    for node, home in enumerate(tree.homes):
        assert {node, *parents[node]} <= set(tree.cliques[home])
    assert not any(set(one) <= set(other) for one, other in permutations(tree.cliques, 2))
    assert all(up < clique for clique, up in enumerate(tree.above))
    # The cliques that have a node are connected: only one of them is above all others of them.
    for node in range(len(parents)):
        having = [clique for clique, members in enumerate(tree.cliques) if node in members]
        assert sum(tree.above[clique] not in having for clique in having) == 1
    for clique, up in enumerate(tree.above):
        shared = set(tree.cliques[clique]) & set(tree.cliques[up]) if up >= 0 else set()
        assert set(tree.separators[clique]) == shared
        assert shared or up < 0
    assert tree.sizes == tuple(math.prod(arities[node] for node in clique) for clique in tree.cliques)


@given(families())
def test_parts_of_the_graph_have_trees_of_their_own(parents: Parents) -> None:
    tree = made(parents)
    part = list(range(len(parents)))
    for one, other in map(tuple, moral_edges(parents)):
        part = [part[one] if each == part[other] else each for each in part]
    assert tree.above.count(-1) == len(set(part))


@given(families(most_nodes=6))
def test_no_tree_is_narrower_than_the_narrowest(parents: Parents) -> None:
    assert made(parents).width >= smallest_width(parents)


@given(polytrees())
def test_a_polytree_is_as_wide_as_its_largest_family(parents: Parents) -> None:
    tree = made(parents)
    assert tree.width == max(map(len, parents))
    # Each family with parents is a clique, and nothing else is.
    assert {frozenset(clique) for clique in tree.cliques} == {
        frozenset((node, *row)) for node, row in enumerate(parents) if row
    }


# No tree is narrower: a family of cancer has 3 nodes and one of alarm (CATECHOL) 5, and the loop of asia takes 3.
@pytest.mark.parametrize(("name", "width"), [("asia", 2), ("cancer", 2), ("alarm", 4)])
def test_widths_of_known_networks(name: str, width: int) -> None:
    network = load_example(name)
    tree = junction_tree(network.dag.parent_indices, network.arities)
    assert tree is not None
    assert tree.width == width


def test_a_loop_takes_one_node_more() -> None:
    n = 10
    # 0 → 1 → … → 9 and 0 → 9: a circle with the edge 0 – 8 that the parents of 9 have.
    parents: Parents = [(), *((k - 1,) for k in range(1, n - 1)), (0, n - 2)]
    assert made(parents).width == 2


def test_of_equal_fill_the_smaller_clique_comes_first() -> None:
    # A square without diagonals: 0 - 1 - 2 - 3 - 0, each edge by a child of its own. Joining 1 and 3 is cheap.
    parents: Parents = [(), (), (), (), (0, 1), (1, 2), (2, 3), (0, 3)]
    tree = made(parents, [50, 2, 50, 2, 2, 2, 2, 2])
    assert max(tree.sizes) == 200
    assert (0, 1, 3) in tree.cliques
    assert (1, 2, 3) in tree.cliques


def test_too_many_cells_are_refused_at_once() -> None:
    n = 60
    complete: Parents = [tuple(range(node)) for node in range(n)]
    assert junction_tree(complete, [10] * n, most_cells=10**9) is None
    assert made(complete, [10] * n).cells == 10**n
    chain: Parents = [(), *((k,) for k in range(9))]
    assert junction_tree(chain, [2] * 10, most_cells=36) is not None
    assert junction_tree(chain, [2] * 10, most_cells=35) is None


@given(families(), st.data())
def test_fill_is_kept_up(parents: Parents, data: st.DataObject) -> None:
    graph = _FillGraph([2] * len(parents))
    for one, other in map(sorted, moral_edges(parents)):
        graph.join(one, other)
    for _ in range(len(parents)):
        left = [node for node in range(len(parents)) if node not in graph.gone]
        for node in left:
            near = graph.neighbours[node]
            assert graph.fill[node] == sum(b not in graph.neighbours[a] for a, b in combinations(near, 2))
            assert graph.weights[node] == (len(near) + 1) * 2**20
        gone = data.draw(st.sampled_from(left))
        for one, other in combinations(graph.neighbours[gone], 2):
            graph.join(one, other)
        graph.remove(gone)
