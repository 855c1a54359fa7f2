"""Cpdag: classes and extensions, against enumeration of all DAGs."""

import copy
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given

import oracles_graph as oracles
from arcwise.graph import Cpdag, Dag
from arcwise.support.errors import GraphError
from calls import calls_of
from graph_strategies import NAMES, chest_clinic, dag_of, dags, large_dag


def cpdag_of(n: int, directed: oracles.Arcs, undirected: frozenset[frozenset[int]]) -> Cpdag:
    named = [tuple(NAMES[v] for v in sorted(edge)) for edge in undirected]
    return Cpdag(list(NAMES[:n]), [(NAMES[a], NAMES[b]) for a, b in directed], [(a, b) for a, b in named])


class TestClasses:
    @pytest.mark.parametrize(("n", "n_classes"), [(0, 1), (1, 1), (2, 2), (3, 11), (4, 185)])
    def test_every_dag_has_the_arcs_its_class_shares(self, n: int, n_classes: int) -> None:
        found = set()
        for members in oracles.classes(n):
            expected = cpdag_of(n, *oracles.cpdag(members))
            assert {dag_of(arcs, n).cpdag() for arcs in members} == {expected}
            found.add(expected)
        assert len(found) == n_classes

    def test_all_dags_on_five_nodes(self) -> None:
        """29,281 DAGs in 8,782 classes (Gillispie & Perlman 2001)."""
        dags_by_cpdag: dict[Cpdag, list[oracles.Arcs]] = {}
        for arcs in oracles.all_dags(5):
            dags_by_cpdag.setdefault(dag_of(arcs, 5).cpdag(), []).append(arcs)
        assert sum(map(len, dags_by_cpdag.values())) == 29_281
        assert len(dags_by_cpdag) == 8_782
        for cpdag, members in dags_by_cpdag.items():
            assert cpdag == cpdag_of(5, *oracles.cpdag(members))

    def test_chest_clinic(self) -> None:
        """By hand: the v-structures at `either` and `dysp` compel all but the arcs above them."""
        dag = chest_clinic()
        cpdag = dag.cpdag()
        assert cpdag.undirected == (("visit", "tub"), ("smoke", "lung"), ("smoke", "bronc"))
        assert cpdag.directed == (
            ("tub", "either"),
            ("lung", "either"),
            ("either", "xray"),
            ("bronc", "dysp"),
            ("either", "dysp"),
        )
        assert cpdag.skeleton == dag.skeleton

    @given(dags(max_nodes=10))
    def test_extension_of_the_class_is_in_the_class(self, dag: Dag) -> None:
        cpdag = dag.cpdag()
        assert cpdag.is_valid()
        extension = cpdag.consistent_extension()
        assert extension.is_equivalent(dag)
        assert extension.cpdag() == cpdag

    @given(dags(min_nodes=1, max_nodes=10))
    def test_reversing_a_covered_arc_keeps_the_class(self, dag: Dag) -> None:
        for a, b in dag.covered_arcs():
            other = Dag(dag.names, [(b, a) if arc == (a, b) else arc for arc in dag.arcs])
            assert other.cpdag() == dag.cpdag()
            assert tuple(sorted((a, b), key=dag.names.index)) in dag.cpdag().undirected

    @given(dags(max_nodes=10))
    def test_order_of_names_does_not_matter(self, dag: Dag) -> None:
        backwards = dag.names[::-1]
        assert dag.with_names_ordered(backwards).cpdag() == dag.cpdag().with_names_ordered(backwards)


class TestExtension:
    def test_every_partially_directed_graph_on_four_nodes(self) -> None:
        """An extension is found exactly when enumeration finds one, and it is one of those."""
        pairs = [(a, b) for b in range(4) for a in range(b)]
        n_valid = 0
        classes = {cpdag_of(4, *oracles.cpdag(members)) for members in oracles.classes(4)}
        for kinds in product(range(4), repeat=len(pairs)):
            marked = list(zip(pairs, kinds, strict=True))
            directed = frozenset([p for p, k in marked if k == 1] + [p[::-1] for p, k in marked if k == 2])
            undirected = [p for p, k in marked if k == 3]
            graph = cpdag_of(4, directed, frozenset(map(frozenset, undirected)))
            expected = [dag_of(arcs, 4) for arcs in oracles.consistent_extensions(4, directed, undirected)]
            if expected:
                assert graph.consistent_extension() in expected
            else:
                with pytest.raises(GraphError, match="no DAG has this skeleton"):
                    graph.consistent_extension()
            assert graph.is_valid() == (graph in classes)
            n_valid += graph.is_valid()
        assert n_valid == 185

    def test_message_names_the_nodes_in_the_way(self) -> None:
        graph = Cpdag(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "a")], [("c", "d")])
        with pytest.raises(GraphError, match="none of 'a', 'b', 'c' can be a sink"):
            graph.consistent_extension()

    def test_large_trees_and_stars_are_quick(self) -> None:
        names = [f"v{i}" for i in range(1500)]
        for parents in ([i - 1 for i in range(1500)], [0] * 1500, [(i - 1) // 2 for i in range(1500)]):
            tree = Cpdag(names, undirected=[(names[parents[i]], names[i]) for i in range(1, 1500)])
            assert tree.consistent_extension().cpdag() == tree  # a tree has no v-structure
            assert calls_of(tree.consistent_extension) < 100 * 1500

    def test_large_random_graphs_are_quick(self) -> None:
        dag = large_dag()
        assert calls_of(lambda: dag.cpdag().consistent_extension()) < 100 * (dag.n_nodes + dag.n_arcs)
        assert dag.cpdag().consistent_extension().is_equivalent(dag)


class TestConstruction:
    def test_attributes(self) -> None:
        graph = Cpdag(["a", "b", "c", "d"], [("d", "c"), ("b", "c")], [("b", "a")])
        assert graph.directed == (("b", "c"), ("d", "c"))
        assert graph.undirected == (("a", "b"),)
        assert graph.skeleton == (("a", "b"), ("b", "c"), ("c", "d"))
        assert graph.parents("c") == ("b", "d")
        assert graph.children("b") == ("c",)
        assert graph.neighbours("b") == ("a",)
        assert graph.n_nodes == 4
        assert graph.n_edges == 3
        assert repr(graph) == "<Cpdag: 4 nodes, 2 directed and 1 undirected edges>"

    def test_adjacency(self) -> None:
        graph = Cpdag(["a", "b", "c"], [("a", "c")], [("a", "b")])
        assert graph.adjacency().tolist() == [[False, True, True], [True, False, False], [False, False, False]]

    @given(dags(max_nodes=8))
    def test_equality_hash_pickle_copy_and_matrix(self, dag: Dag) -> None:
        cpdag = dag.cpdag()
        same = Cpdag(cpdag.names, cpdag.directed[::-1], [(b, a) for a, b in cpdag.undirected])
        assert same == cpdag
        assert hash(same) == hash(cpdag)
        assert pickle.loads(pickle.dumps(cpdag)) == cpdag
        assert copy.deepcopy(cpdag) == cpdag
        assert Cpdag.from_adjacency(cpdag.adjacency(), cpdag.names) == cpdag
        assert cpdag != dag

    def test_default_names(self) -> None:
        assert Cpdag.from_adjacency(np.array([[0, 1], [0, 0]])).directed == (("X0", "X1"),)

    def test_cannot_be_changed(self) -> None:
        graph = Cpdag(["a"])
        for name in ("names", "directed", "anything"):
            with pytest.raises(AttributeError):
                setattr(graph, name, ())

    @pytest.mark.parametrize(
        ("directed", "undirected", "words"),
        [
            ([("a", "a")], [], "same node 'a'"),
            ([], [("b", "b")], "same node 'b'"),
            ([("a", "b"), ("a", "b")], [], "more than one edge between 'a' and 'b'"),
            ([("a", "b"), ("b", "a")], [], "more than one edge"),
            ([("a", "b")], [("b", "a")], "more than one edge"),
            ([], [("a", "b"), ("b", "a")], "more than one edge"),
            ([("a", "z")], [], "no node 'z'"),
            ([], ["ab"], "an edge must be a pair"),
        ],
    )
    def test_errors(self, directed: list[tuple[str, str]], undirected: list[tuple[str, str]], words: str) -> None:
        with pytest.raises(GraphError, match=words):
            Cpdag(["a", "b"], directed, undirected)

    def test_errors_of_names(self) -> None:
        with pytest.raises(GraphError, match="more than one node"):
            Cpdag(["a", "a"])
        with pytest.raises(GraphError, match="each of the 2 rows, not 1"):
            Cpdag.from_adjacency([[0, 1], [0, 0]], ["a"])
        with pytest.raises(GraphError, match="same node"):
            Cpdag.from_adjacency([[1]])
        with pytest.raises(GraphError, match="only in names: 'c'"):
            Cpdag(["a", "b"]).with_names_ordered(["a", "b", "c"])
