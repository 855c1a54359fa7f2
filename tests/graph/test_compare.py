"""compare: hand-made cases, and distances counted pair by pair from the definitions."""

import math
import pickle
from dataclasses import FrozenInstanceError
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.graph import Cpdag, Dag, compare
from arcwise.support.errors import GraphError
from graph_strategies import dags


def pairwise_distance(a: Dag | Cpdag, b: Dag | Cpdag) -> int:
    """Number of pairs of nodes with different entries in the two adjacency matrices."""
    x, y = a.adjacency(), b.adjacency()
    return sum((x[i, j], x[j, i]) != (y[i, j], y[j, i]) for i, j in combinations(range(len(x)), 2))


def test_by_hand() -> None:
    """Collider a -> c <- b with c -> d, learned as a chain a - c -> d with the extra edge a - d."""
    truth = Dag(["a", "b", "c", "d"], [("a", "c"), ("b", "c"), ("c", "d")])
    learned = Dag(["d", "c", "b", "a"], [("c", "a"), ("c", "d"), ("a", "d")])
    found = compare(truth, learned)
    assert found.missing == (("b", "c"),)
    assert found.extra == (("a", "d"),)
    assert found.reversed == (("a", "c"),)
    assert found.shd_skeleton == 2
    assert found.shd_dag == 3
    # The learned class is the triangle a - c - d without directions: a-c, c-d, b-c and a-d all differ.
    assert found.shd_cpdag == 4
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(2 / 3)
    assert found.euclidean == pytest.approx(math.sqrt(8) / 3)


def test_formulas_of_vandel_2012() -> None:
    """e = 5 true edges, m = 2 missing, s = 1 extra: precision 3/4, recall 3/5."""
    names = list("abcdef")
    truth = Dag(names, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")])
    learned = Dag(names, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "f")])
    found = compare(truth, learned)
    assert found.shd_skeleton == 3
    assert (found.precision, found.recall) == (0.75, 0.6)
    assert found.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert found.euclidean == pytest.approx(math.sqrt(0.75**2 + 0.6**2))


def test_equivalent_graphs_differ_only_as_dags() -> None:
    truth = Dag(["a", "b", "c"], [("a", "b"), ("b", "c")])
    found = compare(truth, Dag(["a", "b", "c"], [("c", "b"), ("b", "a")]))
    assert (found.shd_skeleton, found.shd_dag, found.shd_cpdag) == (0, 2, 0)
    assert found.reversed == (("a", "b"), ("b", "c"))
    assert (found.precision, found.recall, found.f1) == (1, 1, 1)
    assert found.euclidean == pytest.approx(math.sqrt(2))


class TestWithoutEdges:
    empty, arc = Dag(["a", "b"]), Dag(["a", "b"], [("a", "b")])

    def test_both(self) -> None:
        found = compare(self.empty, self.empty)
        assert (found.precision, found.recall, found.f1) == (1, 1, 1)

    def test_nothing_learned(self) -> None:
        found = compare(self.arc, self.empty)
        assert (found.precision, found.recall, found.f1, found.euclidean) == (0, 0, 0, 0)
        assert (found.shd_skeleton, found.shd_dag, found.shd_cpdag) == (1, 1, 1)

    def test_nothing_to_learn(self) -> None:
        found = compare(self.empty, self.arc)
        assert (found.precision, found.recall, found.f1, found.euclidean) == (0, 0, 0, 0)

    def test_no_nodes(self) -> None:
        assert compare(Dag([]), Dag([])).shd_dag == 0


class TestCpdags:
    dag = Dag(["a", "b", "c", "d"], [("a", "c"), ("b", "c"), ("c", "d")])

    def test_a_class_against_its_member(self) -> None:
        for pair in ((self.dag, self.dag.cpdag()), (self.dag.cpdag(), self.dag), (self.dag.cpdag(),) * 2):
            found = compare(*pair)
            assert (found.shd_skeleton, found.shd_dag, found.shd_cpdag) == (0, None, 0)
            assert found.reversed is None

    def test_edges_are_written_as_they_are(self) -> None:
        learned = Cpdag(["a", "b", "c", "d"], undirected=[("d", "b"), ("a", "c")])
        found = compare(self.dag, learned)
        assert found.missing == (("b", "c"), ("c", "d"))
        assert found.extra == (("b", "d"),)
        assert found.shd_cpdag == 4

    def test_partially_directed_graph_is_taken_as_it_is(self) -> None:
        found = compare(Cpdag(["a", "b"], [("a", "b")]), Dag(["a", "b"], [("a", "b")]))
        assert found.shd_cpdag == 1


@given(dags(max_nodes=8), st.data())
def test_definitions(truth: Dag, data: st.DataObject) -> None:
    learned = data.draw(dags(min_nodes=truth.n_nodes, max_nodes=truth.n_nodes))
    found = compare(truth, learned)
    assert found.shd_dag == pairwise_distance(truth, learned)
    assert found.shd_cpdag == pairwise_distance(truth.cpdag(), learned.cpdag())
    assert found.shd_skeleton == len(set(truth.skeleton) ^ set(learned.skeleton))
    assert found.shd_skeleton <= min(found.shd_dag, found.shd_cpdag)
    assert set(found.missing) == {arc for arc in truth.arcs if not {arc, arc[::-1]} & set(learned.arcs)}
    back = compare(learned, truth)
    assert (back.precision, back.recall, back.f1) == (found.recall, found.precision, found.f1)
    assert (back.missing, back.extra) == (found.extra, found.missing)
    assert compare(truth, learned.with_names_ordered(learned.names[::-1])).shd_cpdag == found.shd_cpdag
    # Tsamardinos' distance is zero exactly within a class.
    assert (found.shd_cpdag == 0) == truth.is_equivalent(learned)


def test_different_nodes_are_named() -> None:
    with pytest.raises(GraphError, match="only in truth: 'a'; only in learned: 'c'"):
        compare(Dag(["a", "b"]), Dag(["b", "c"]))
    with pytest.raises(GraphError, match="same nodes; only in learned: 'c'"):
        compare(Dag(["b"]), Cpdag(["b", "c"]))


def test_other_types_are_refused() -> None:
    with pytest.raises(GraphError, match="learned must be a Dag or a Cpdag, not list"):
        compare(Dag(["a"]), [])  # type: ignore[arg-type]


def test_comparison_is_frozen_and_pickles() -> None:
    found = compare(Dag(["a"]), Dag(["a"]))
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(FrozenInstanceError):
        found.precision = 0.5  # type: ignore[misc]
