"""Graphs of bounded width: against brute force over all graphs of five nodes, and by widths found in another way."""

from itertools import permutations

import numpy as np
import pytest

from arcwise import (
    Budget,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    Narrow,
    OrderClimb,
    ParameterError,
    ParentSets,
    Problem,
    Stop,
    learn,
    load_example,
    narrow,
    run_search,
    search_orders,
)
from arcwise.search.orders.widths import is_narrow, width_bounds
from arcwise.simulation.random import random_dag
from oracles_graph import all_dags
from tables import dependent_table


def treewidth(dag: Dag) -> int:
    """Return the smallest width of all orders of elimination of the moral graph."""
    n = dag.n_nodes
    joined = np.zeros((n, n), dtype=bool)
    for child, parents in enumerate(dag.parent_indices):
        family = [child, *parents]
        joined[np.ix_(family, family)] = True
    np.fill_diagonal(joined, val=False)

    def width(order: tuple[int, ...]) -> int:
        left, widest = joined.copy(), 0
        for node in order:
            around = np.flatnonzero(left[node])
            widest = max(widest, around.size)
            left[np.ix_(around, around)] = True
            left[node] = left[:, node] = False
            np.fill_diagonal(left, val=False)
        return widest

    return min(width(order) for order in permutations(range(n)))


@pytest.fixture(scope="module")
def dags() -> list[tuple[Dag, int]]:
    """All graphs of four nodes, with their treewidths."""
    names = ["a", "b", "c", "d"]
    graphs = (Dag(names, [(names[a], names[b]) for a, b in arcs]) for arcs in all_dags(4))
    return [(dag, treewidth(dag)) for dag in graphs]


def dense_table(seed: int, n: int, names: list[str]) -> ParentSets:
    """Random scores of all sets, of which large ones are mostly better."""
    random = np.random.default_rng(seed)
    lists = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = [[others[i] for i in range(n - 1) if bits >> i & 1] for bits in range(1 << (n - 1))]
        lists.append(
            [(float(random.normal(3 * len(members) - 20, 3)), [names[v] for v in members]) for members in sets]
        )
    return ParentSets.from_lists(names, lists)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("width", [0, 1, 2, 3])
def test_the_best_of_all_narrow_graphs_is_found(dags: list[tuple[Dag, int]], seed: int, width: int) -> None:
    table = dense_table(seed, 4, ["a", "b", "c", "d"])
    best = max(table.total(dag) for dag, its in dags if its <= width)
    found = search_orders(table, climb=OrderClimb("narrow", width=width), stop=Stop(climbs=200), seed=1)
    assert treewidth(found.dag) <= width
    assert found.score == pytest.approx(best, rel=1e-12)


def test_of_five_nodes_the_best_narrow_graphs_are_found() -> None:
    names, graphs = list("abcde"), list(all_dags(5))
    masks = np.zeros((len(graphs), 5), dtype=np.intp)  # the parents of each node, as bits
    for row, arcs in zip(masks, graphs, strict=True):
        for parent, child in arcs:
            row[child] |= 1 << parent
    table = dense_table(1, 5, names)
    local = np.zeros((5, 32))
    for child, name in enumerate(names):
        for its, parents in table.sets(name):
            local[child, sum(1 << names.index(parent) for parent in parents)] = its
    best_first = np.argsort(-local[np.arange(5), masks].sum(axis=1), kind="stable")
    dags = (Dag(names, [(names[a], names[b]) for a, b in graphs[at]]) for at in best_first)
    best: dict[int, float] = {}  # by treewidth
    for dag in dags:
        best.setdefault(treewidth(dag), table.total(dag))
        if min(best) <= 2:
            break
    for width in (2, 3):
        found = search_orders(table, climb=OrderClimb("narrow", width=width), stop=Stop(climbs=200), seed=1)
        assert treewidth(found.dag) <= width
        assert found.score == pytest.approx(max(its for wide, its in best.items() if wide <= width), rel=1e-12)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_learning_keeps_the_width_and_says_it(width: int) -> None:
    data = load_example("child").sample(500, seed=1)
    result = learn(data, method="narrow", width=width, stop=Stop(climbs=20), seed=1)
    assert result.counters["width"] <= width
    assert max(map(len, result.dag.parent_indices)) <= width
    assert result.score == pytest.approx(LocalScore(data).total(result.dag), rel=1e-12)


def test_with_room_enough_it_is_what_order_search_finds() -> None:
    score = LocalScore(load_example("asia").sample(2000, seed=1))
    wide = run_search(Narrow(width=8, stop=Stop(climbs=100)), score, seed=1)
    assert wide.score == pytest.approx(learn(score.data, method="exact").score, rel=1e-12)


@pytest.mark.parametrize(("name", "width", "best"), [("alarm", 2, -11553.28), ("insurance", 4, -14386.30)])
def test_the_best_of_all_graphs_is_found_where_it_is_narrow(name: str, width: int, best: float) -> None:
    """Proven among all graphs by exact search; orders that lead there within the width are rarely met."""
    data = load_example(name).sample(1000, seed=1)
    result = learn(data, method="narrow", width=width, stop=Stop(climbs=20), seed=1)
    assert result.score == pytest.approx(best, abs=0.005)
    assert result.counters["width"] <= width


def test_constraints_are_kept() -> None:
    random = np.random.default_rng(1)
    data = Dataset.from_codes(random.integers(0, 2, (200, 6)).astype(np.uint8))
    a, b, c, *_ = data.names
    constraints = Constraints(required=[(a, b), (b, c)], forbidden=[(c, "X3")])
    found = narrow(LocalScore(data), width=1, constraints=constraints, stop=Stop(climbs=10), seed=1)
    assert constraints.satisfied_by(found.dag)
    with pytest.raises(ParameterError, match="'X2' has more required parents than width allows \\(1\\)"):
        run_search(Narrow(width=1), Problem(LocalScore(data), Constraints(required=[(a, c), (b, c)])))


ARCS_WITHOUT_AN_ORDER = [("X2", "X4"), ("X2", "X1"), ("X6", "X0"), ("X4", "X0"), ("X0", "X1")]


@pytest.mark.parametrize("has_start", [False, True])
def test_required_arcs_to_which_no_order_leads_are_kept(has_start: bool) -> None:
    """X0 is after X2 in every order, but has two other neighbours before it already when X1 joins the two."""
    data = dependent_table(300, (2, 3, 2, 3, 2, 3, 2), seed=1)
    required = Constraints(required=ARCS_WITHOUT_AN_ORDER)
    graph = Dag(data.names, ARCS_WITHOUT_AN_ORDER)
    assert treewidth(graph) == 2
    start = graph if has_start else None
    found = learn(data, method="narrow", width=2, constraints=required, start=start, stop=Stop(climbs=30), seed=1)
    assert required.satisfied_by(found.dag)
    assert treewidth(found.dag) <= 2
    assert found.score == pytest.approx(LocalScore(data).total(found.dag), rel=1e-12)
    assert found.score > LocalScore(data).total(graph)  # others fit in besides
    assert found.bound is not None
    assert found.bound >= found.score


@pytest.mark.parametrize("seed", range(25))
def test_required_arcs_are_refused_where_they_alone_are_too_wide(seed: int) -> None:
    dag = random_dag(6, 5 + seed % 5, max_parents=2, seed=seed)
    data, constraints = dependent_table(100, (2,) * 6, seed=seed), Constraints(required=dag.arcs)
    width = 2
    if treewidth(dag) > width:
        with pytest.raises(ParameterError, match=r"required arcs alone make a graph of width 3.*width allows 2"):
            learn(data, method="narrow", width=width, constraints=constraints, stop=Stop(climbs=5), seed=1)
    else:
        found = learn(data, method="narrow", width=width, constraints=constraints, stop=Stop(climbs=5), seed=1)
        assert constraints.satisfied_by(found.dag)
        assert treewidth(found.dag) <= width


def test_a_narrow_start_is_not_lost() -> None:
    data = dependent_table(300, (2, 3, 2, 3, 2, 3, 2), seed=1)
    best = learn(data, method="exact").dag
    found = learn(data, method="narrow", width=treewidth(best), start=best, stop=Stop(climbs=1), seed=1)
    assert found.score >= LocalScore(data).total(best) - 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_the_width_lies_between_its_bounds(seed: int) -> None:
    dag = random_dag(7, 4 + seed % 10, max_parents=3, seed=seed)
    least, most = width_bounds(dag)
    assert least <= treewidth(dag) <= most
    assert is_narrow(dag.parent_indices, most)
    assert not is_narrow(dag.parent_indices, least - 1)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_widths_of_cliques_and_grids_are_known(n: int) -> None:
    nodes = [str(v) for v in range(n * n)]
    clique = Dag(nodes[:n], [(nodes[a], nodes[b]) for b in range(n) for a in range(b)])
    assert width_bounds(clique) == (n - 1, n - 1)
    # A grid whose edges have a node each, which is the child of both ends: no other parents are joined.
    edges = [(v, v + 1) for v in range(n * n) if v % n < n - 1] + [(v, v + n) for v in range(n * n - n)]
    between = [f"{a}-{b}" for a, b in edges]
    arcs = [(nodes[v], child) for (a, b), child in zip(edges, between, strict=True) for v in (a, b)]
    least, most = width_bounds(Dag([*nodes, *between], arcs))
    assert least <= n <= most  # of the grid it is n, of its edges' triangles 2
    assert width_bounds(Dag(nodes)) == (0, 0)


def test_a_start_that_is_too_wide_does_not_make_the_graph_wide() -> None:
    data = load_example("asia").sample(1000, seed=1)
    names = data.names
    start = Dag(names, [(names[i], names[j]) for j in range(5) for i in range(j)])
    found = learn(data, method="narrow", width=1, start=start, stop=Stop(climbs=5), seed=1)
    assert treewidth_at_most_one(found.dag)


def treewidth_at_most_one(dag: Dag) -> bool:
    return all(len(parents) <= 1 for parents in dag.parent_indices)


def test_a_budget_ends_a_climb_with_what_it_has() -> None:
    table = dense_table(1, 6, list("abcdef"))
    end = OrderClimb("narrow", width=2).run(table.core, range(6), 0.0, 1, Budget(0))
    assert end.is_feasible
    assert end.moves == 0
    assert OrderClimb("narrow", width=2, max_moves=1).run(table.core, range(6), 0.0, 1, Budget()).moves <= 1


@pytest.mark.parametrize("wrong", [{"moves": "narrow"}, {"moves": "insert", "width": 2}])
def test_width_belongs_to_narrow_moves(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="width is for narrow moves"):
        OrderClimb(**wrong)  # type: ignore[arg-type]
