"""Dag: construction, order, equivalence and separation, against definitions and published counts."""

import copy
import pickle
from itertools import chain, combinations, pairwise, permutations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_graph as oracles
from arcwise.graph import Dag
from arcwise.support.errors import ArcwiseError, GraphError
from calls import calls_of
from graph_strategies import NAMES, chest_clinic, dag_of, dags, large_dag


@pytest.fixture
def asia() -> Dag:
    return chest_clinic()


class TestConstruction:
    def test_attributes(self, asia: Dag) -> None:
        assert asia.n_nodes == 8
        assert asia.n_arcs == 8
        assert asia.parents("dysp") == ("bronc", "either")
        assert asia.children("smoke") == ("lung", "bronc")
        assert asia.ancestors("either") == ("visit", "tub", "smoke", "lung")
        assert asia.descendants("lung") == ("either", "xray", "dysp")
        assert asia.has_arc("tub", "either")
        assert not asia.has_arc("either", "tub")
        assert asia.parent_indices == ((), (0,), (), (2,), (2,), (1, 3), (5,), (4, 5))
        assert asia.child_indices == ((1,), (5,), (3, 4), (5,), (7,), (6, 7), (), ())

    def test_arcs_are_sorted_by_child_then_parent(self) -> None:
        dag = Dag(["a", "b", "c"], [("b", "c"), ("c", "a"), ("b", "a")])
        assert dag.arcs == (("b", "a"), ("c", "a"), ("b", "c"))
        assert dag.skeleton == (("a", "b"), ("a", "c"), ("b", "c"))

    def test_three_ways_to_the_same_graph(self) -> None:
        named = Dag(["X0", "X1", "X2"], [("X2", "X0"), ("X0", "X1")])
        assert Dag.from_parents(["X0", "X1", "X2"], [{2}, (0,), np.array([], dtype=np.int64)]) == named
        assert Dag.from_adjacency([[0, 1, 0], [0, 0, 0], [1, 0, 0]]) == named
        assert Dag.from_adjacency(named.adjacency(), named.names) == named

    def test_without_arcs_and_without_nodes(self) -> None:
        assert Dag(["a"]).arcs == ()
        assert Dag([]).names == ()
        assert Dag.from_adjacency(np.zeros((0, 0))) == Dag([])
        assert Dag([]).adjacency().shape == (0, 0)
        assert Dag([]).topological_order() == ()

    def test_numpy_strings_become_plain(self) -> None:
        dag = Dag(np.array(["a", "b"]), [("a", "b")])
        assert all(type(name) is str for name in dag.names)

    @given(dags())
    def test_equality_hash_pickle_and_copy(self, dag: Dag) -> None:
        same = Dag(dag.names, reversed(dag.arcs))
        assert same == dag
        assert hash(same) == hash(dag)
        assert pickle.loads(pickle.dumps(dag)) == dag
        assert copy.deepcopy(dag) == dag
        assert dag != dag.names

    def test_order_of_names_counts_for_equality(self) -> None:
        dag = Dag(["a", "b"], [("a", "b")])
        assert dag.with_names_ordered(["b", "a"]) != dag
        assert dag.with_names_ordered(["b", "a"]).arcs == dag.arcs
        assert dag.with_names_ordered(["b", "a"]).with_names_ordered(["a", "b"]) == dag

    def test_cannot_be_changed(self, asia: Dag) -> None:
        for name in ("names", "arcs", "parent_indices", "anything"):
            with pytest.raises(AttributeError):
                setattr(asia, name, ())

    def test_repr_is_short(self, asia: Dag) -> None:
        assert repr(asia) == "<Dag: 8 nodes, 8 arcs>"


class TestErrors:
    @pytest.mark.parametrize(
        ("names", "arcs", "words"),
        [
            ("ab", [], "one string 'ab'"),
            (5, [], "several strings, not 5"),
            (["a", 1], [], r"names\[1\] must be a string, not 1"),
            (["a", "b", "a"], [], "'a' stands for more than one node"),
            (["a", "b"], [("a", "c")], "no node 'c'"),
            (["smoke", "b"], [("smok", "b")], "did you mean 'smoke'"),
            (["a", "b"], [("a", 1)], "not by 1"),
            (["a", "b"], [("a", ["b"])], "not by"),
            (["a", "b"], ["ab"], "pair of node names, not 'ab'"),
            (["a", "b"], [("a", "b", "c")], "pair of node names"),
            (["a", "b"], 7, "iterable of pairs of node names, not int"),
            (["a", "b"], [("a", "a")], "same node"),
            (["a", "b"], [("a", "b"), ("a", "b")], "'a' -> 'b' is given twice"),
            (["a", "b"], [("a", "b"), ("b", "a")], "cycle: 'a' -> 'b' -> 'a'|cycle: 'b' -> 'a' -> 'b'"),
        ],
    )
    def test_constructor(self, names: list[str], arcs: list[tuple[str, str]], words: str) -> None:
        with pytest.raises(GraphError, match=words):
            Dag(names, arcs)

    @pytest.mark.parametrize(
        ("parents", "words"),
        [
            ([[]], "each of the 2 nodes, not 1"),
            ([[], [2]], "'b' must be positions from 0 to 1, not 2"),
            ([[], [-1]], "not -1"),
            ([[], ["a"]], "must be positions .integers., not 'a'"),
            ([[], [True]], "not True"),
            ([[], 0], "several positions, not 0"),
            ([[], [0.0]], "not 0.0"),
            ([[0], []], "same node"),
            ([[], [0, 0]], "given twice"),
            ([[1], [0]], "cycle"),
        ],
    )
    def test_from_parents(self, parents: list[list[int]], words: str) -> None:
        with pytest.raises(GraphError, match=words):
            Dag.from_parents(["a", "b"], parents)

    @pytest.mark.parametrize(
        ("matrix", "words"),
        [
            ([0, 1], "square"),
            ([[0, 1]], "square"),
            ([[0, 2], [0, 0]], "only 0 and 1"),
            ([[0, np.nan], [0, 0]], "only 0 and 1"),
            ([["a", "b"], ["c", "d"]], "only 0 and 1"),
            ([[0, 1], [1, 0]], "cycle"),
        ],
    )
    def test_from_adjacency(self, matrix: list[list[float]], words: str) -> None:
        with pytest.raises(GraphError, match=words):
            Dag.from_adjacency(matrix)

    def test_unknown_nodes_and_names(self, asia: Dag) -> None:
        for question in (asia.parents, asia.children, asia.ancestors, asia.descendants):
            with pytest.raises(GraphError, match="no node 'nothing'"):
                question("nothing")
        with pytest.raises(GraphError, match="only in names: 'z'"):
            asia.with_names_ordered([*asia.names, "z"])
        with pytest.raises(GraphError, match="only in this graph: 'visit'"):
            asia.with_names_ordered(asia.names[1:])
        assert issubclass(GraphError, ArcwiseError)
        assert issubclass(GraphError, ValueError)

    @given(st.integers(2, 40), st.integers(0, 60), st.randoms(use_true_random=False))
    def test_named_cycle_is_a_cycle(self, length: int, extra: int, random) -> None:  # type: ignore[no-untyped-def]
        names = [f"n{i}" for i in range(length + 20)]
        random.shuffle(names)
        ring = names[:length]
        arcs = {(ring[i - 1], ring[i]) for i in range(length)}
        for _ in range(extra):
            a, b = random.sample(range(len(names)), 2)
            arcs.add((names[a], names[b]))
        with pytest.raises(GraphError, match="form a cycle") as caught:
            Dag(sorted(names), arcs)
        path = [part.strip("'") for part in str(caught.value).split(": ")[1].split(";")[0].split(" -> ")]
        assert path[0] == path[-1]
        assert len(set(path)) == len(path) - 1
        assert all(arc in arcs for arc in pairwise(path))


class TestAgainstBruteForce:
    @pytest.mark.parametrize(("n", "n_dags", "n_classes"), [(1, 1, 1), (2, 3, 2), (3, 25, 11), (4, 543, 185)])
    def test_counts_of_the_oracle(self, n: int, n_dags: int, n_classes: int) -> None:
        """Numbers of DAGs (Robinson 1973) and of their classes (Gillispie & Perlman 2001)."""
        assert len(oracles.all_dags(n)) == n_dags
        assert len(oracles.classes(n)) == n_classes

    def test_every_matrix_on_three_nodes_is_a_dag_or_refused(self) -> None:
        accepted = 0
        for bits in range(2**6):
            matrix = np.zeros((3, 3), dtype=bool)
            matrix[~np.eye(3, dtype=bool)] = [bits >> i & 1 for i in range(6)]
            try:
                Dag.from_adjacency(matrix)
                accepted += 1
            except GraphError:
                assert oracles.has_cycle(3, [(a, b) for a, b in np.argwhere(matrix).tolist()])
        assert accepted == 25

    @pytest.mark.parametrize("n", [1, 2, 3, 4])
    def test_v_structures(self, n: int) -> None:
        for arcs in oracles.all_dags(n):
            found = dag_of(arcs, n).v_structures()
            assert {(frozenset(NAMES.index(x) for x in (a, b)), NAMES.index(c)) for a, c, b in found} == (
                oracles.v_structures(arcs)
            )
            assert len(set(found)) == len(found)
            assert all(a < b for a, _, b in found)

    def test_equivalence_on_three_nodes(self) -> None:
        by_class = {arcs: members for members in oracles.classes(3) for arcs in members}
        for a in by_class:
            for b in by_class:
                assert dag_of(a, 3).is_equivalent(dag_of(b, 3)) == (b in by_class[a])

    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_reversing_an_arc_keeps_the_class_exactly_when_it_is_covered(self, n: int) -> None:
        by_class = {arcs: members for members in oracles.classes(n) for arcs in members}
        for arcs, members in by_class.items():
            covered = dag_of(arcs, n).covered_arcs()
            reversible = {(a, b) for a, b in arcs if arcs - {(a, b)} | {(b, a)} in members}
            assert {(NAMES.index(a), NAMES.index(b)) for a, b in covered} == reversible

    def test_topological_order_is_the_smallest(self) -> None:
        for arcs in oracles.all_dags(4):
            orders = (o for o in permutations(range(4)) if all(o.index(a) < o.index(b) for a, b in arcs))
            assert dag_of(arcs, 4).topological_order() == tuple(NAMES[v] for v in next(orders))

    def test_d_separation_on_four_nodes(self) -> None:
        """All sets of nodes, all DAGs, against the definition by paths."""
        subsets = [set(s) for k in range(5) for s in combinations(range(4), k)]
        for arcs in oracles.all_dags(4)[::3]:
            dag = dag_of(arcs, 4)
            for x in subsets:
                for y in subsets:
                    for z in subsets:
                        if x and y and min(x) < min(y) and not (x & y or x & z or y & z):
                            named = [[NAMES[v] for v in part] for part in (x, y, z)]
                            assert dag.is_d_separated(*named) == oracles.is_d_separated(arcs, x, y, z)

    def test_equivalent_graphs_have_the_same_separations(self) -> None:
        for members in oracles.classes(4)[::5]:
            graphs = [dag_of(arcs, 4) for arcs in members]
            for a, b in combinations("abcd", 2):
                rest = [v for v in "abcd" if v not in (a, b)]
                for z in chain.from_iterable(combinations(rest, k) for k in range(3)):
                    assert len({g.is_d_separated(a, b, z) for g in graphs}) == 1


class TestSeparation:
    def test_chest_clinic(self, asia: Dag) -> None:
        assert asia.is_d_separated("visit", "smoke")
        assert not asia.is_d_separated("visit", "smoke", given="xray")
        assert asia.is_d_separated("visit", "xray", given=["either"])
        assert not asia.is_d_separated("lung", "bronc")
        assert asia.is_d_separated(["lung", "tub"], ["bronc"], given=["smoke"])
        assert not asia.is_d_separated(["lung", "tub"], ["bronc"], given=["smoke", "dysp"])

    def test_nothing_is_separated_from_anything(self, asia: Dag) -> None:
        assert asia.is_d_separated([], "lung")
        assert asia.is_d_separated("lung", [])

    @pytest.mark.parametrize("sets", [("lung", "lung", ()), ("lung", "tub", "tub"), (["lung", "tub"], "dysp", "lung")])
    def test_shared_nodes_are_refused(self, asia: Dag, sets: tuple[str, str, str]) -> None:
        with pytest.raises(GraphError, match="must not share nodes"):
            asia.is_d_separated(*sets)

    @given(dags(min_nodes=3, max_nodes=12), st.data())
    def test_as_networkx(self, dag: Dag, data: st.DataObject) -> None:
        marks = data.draw(st.lists(st.sampled_from("xyz."), min_size=dag.n_nodes, max_size=dag.n_nodes))
        x, y, z = ({name for name, mark in zip(dag.names, marks, strict=True) if mark == m} for m in "xyz")
        graph = networkx.DiGraph(dag.arcs)
        graph.add_nodes_from(dag.names)
        assert dag.is_d_separated(x, y, z) == networkx.is_d_separator(graph, x, y, z)


@given(dags(max_nodes=12))
def test_closures_and_order_as_networkx(dag: Dag) -> None:
    graph = networkx.DiGraph(dag.arcs)
    graph.add_nodes_from(dag.names)
    for name in dag.names:
        assert set(dag.ancestors(name)) == networkx.ancestors(graph, name)
        assert set(dag.descendants(name)) == networkx.descendants(graph, name)
    place = {name: i for i, name in enumerate(dag.names)}
    assert dag.topological_order() == tuple(networkx.lexicographical_topological_sort(graph, key=place.__getitem__))


def test_large_graphs_are_quick() -> None:
    dag = large_dag()
    assert (dag.n_nodes, dag.n_arcs) == (1500, 5000)
    for work in (
        lambda: Dag(dag.names, dag.arcs),
        dag.topological_order,
        lambda: dag.ancestors(dag.names[-1]),
        dag.covered_arcs,
        dag.v_structures,
        lambda: dag.is_equivalent(dag.with_names_ordered(sorted(dag.names))),
        lambda: dag.is_d_separated(dag.names[:10], dag.names[-10:], dag.names[100:200]),
    ):
        assert calls_of(work) < 100 * (dag.n_nodes + dag.n_arcs)  # all pairs are more than a million
