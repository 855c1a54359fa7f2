"""Classes of graphs under interventions, against all graphs of few nodes."""

import pytest

import oracles_graph
import oracles_interventions
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.support.errors import GraphError
from graph_strategies import dag_of

NOTHING = frozenset[int]()


@pytest.mark.parametrize(
    "targets",
    [
        (),
        (NOTHING,),
        (frozenset({0}),),
        (NOTHING, frozenset({0}), frozenset({2})),
        (NOTHING, frozenset({0, 1}), frozenset({1, 3})),
        (frozenset({0, 1, 2, 3}),),
        (NOTHING, frozenset({1}), frozenset({1, 2, 3})),
    ],
)
def test_edges_without_direction_are_those_that_some_member_reverses(targets: oracles_interventions.Targets) -> None:
    names = list("abcd")
    for members in oracles_interventions.classes(4, targets):
        directed, undirected = oracles_graph.cpdag(members)
        expected = Cpdag(
            names,
            [(names[a], names[b]) for a, b in directed],
            [(names[a], names[b]) for a, b in map(sorted, undirected)],
        )
        named = [[names[v] for v in target] for target in targets]
        for arcs in members:
            assert dag_of(arcs, 4).cpdag(named) == expected


def test_a_target_must_be_a_node() -> None:
    with pytest.raises(GraphError, match="'c'"):
        Dag(["a", "b"], [("a", "b")]).cpdag([["c"]])
