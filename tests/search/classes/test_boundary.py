"""The classes next to a class, against brute force over all members and all single changes of them."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from arcwise import (
    ArcwiseError,
    BDeu,
    Budget,
    Constraints,
    Cpdag,
    Dag,
    Dataset,
    GraphError,
    LocalScore,
    ParameterError,
    inclusion_boundary,
)
from interrupting import half_way, presses_ctrl_c
from oracles_classes import KINDS, boundary, key_of, members
from oracles_graph import Arcs, classes
from score_cases import COUNTED
from tables import dependent_table

ARITIES = (2, 3, 2, 3, 2, 2)


def score_of(n: int) -> LocalScore:
    return LocalScore(dependent_table(n_rows=150, arities=ARITIES[:n], seed=n), BDeu(1))


def dag_of(arcs: Arcs, names: tuple[str, ...]) -> Dag:
    return Dag(names, [(names[a], names[b]) for a, b in arcs])


def arcs_of(dag: Dag) -> Arcs:
    return frozenset((parent, child) for child, row in enumerate(dag.parent_indices) for parent in row)


def random_graphs(n: int, count: int) -> Iterator[Arcs]:
    rng = random.Random(n)
    for _ in range(count):
        order, density = rng.sample(range(n), n), rng.choice((0.2, 0.5, 0.7, 0.9))
        yield frozenset((a, b) for i, a in enumerate(order) for b in order[i + 1 :] if rng.random() < density)


def check(arcs: Arcs, score: LocalScore, *, reversing: bool, constraints: Constraints | None = None) -> int:
    """The answer has every class once, and every gain is the difference of the scores."""
    n, names = score.data.n_variables, score.data.names
    graph = dag_of(arcs, names)
    found = inclusion_boundary(score, graph, reversing=reversing, constraints=constraints)
    keys = [key_of(arcs_of(neighbour.dag)) for neighbour in found]
    allowed = None if constraints is None else lambda other: constraints.satisfied_by(dag_of(other, names))
    assert len(keys) == len(set(keys))
    assert set(keys) == set(boundary(n, arcs, KINDS if reversing else KINDS[:2], allowed))
    assert constraints is None or all(constraints.satisfied_by(neighbour.dag) for neighbour in found)
    for neighbour in found:
        assert score.total(neighbour.dag) - score.total(graph) == pytest.approx(neighbour.gain, abs=1e-8)
    gains = [neighbour.gain for neighbour in found]
    assert gains == sorted(gains, reverse=True)
    return len(found)


@pytest.mark.parametrize("reversing", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_classes_of_few_variables(n: int, reversing: bool) -> None:
    score = score_of(n)
    assert len(classes(n)) == {1: 1, 2: 2, 3: 11, 4: 185}[n]  # Gillispie & Perlman 2001
    for group in classes(n):
        check(group[0], score, reversing=reversing)


@pytest.mark.parametrize("reversing", [False, True])
@pytest.mark.parametrize(("n", "count"), [(5, 60), (6, 6)])
def test_random_classes(n: int, count: int, reversing: bool) -> None:
    score = score_of(n)
    for arcs in random_graphs(n, count):
        check(arcs, score, reversing=reversing)


@pytest.mark.parametrize("reversing", [False, True])
@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(max_parents=1),
        Constraints(max_parents=2),
        Constraints(max_parents={"X1": 0, "X2": 1}),
        Constraints(forbidden=[("X0", "X1"), ("X3", "X2"), ("X2", "X3")]),
        Constraints(required=[("X0", "X1")]),
        Constraints(max_degree=2),
        Constraints(max_degree={"X1": 1}, max_parents=2),
        Constraints(max_degree=2, tiers=[["X2", "X3"], ["X1"]]),
        Constraints(tiers=[["X2", "X3"], ["X1"]], max_parents=2),
        Constraints(required=[("X2", "X0")], forbidden=[("X1", "X3")], tiers=[["X1", "X2"], ["X3"]]),
    ],
)
def test_constraints_leave_the_classes_with_a_graph_that_meets_them(constraints: Constraints, reversing: bool) -> None:
    score, rng, left = score_of(4), random.Random(1), 0
    for group in rng.sample(classes(4), 60):
        if any(constraints.satisfied_by(dag_of(arcs, score.data.names)) for arcs in group):
            left += check(group[0], score, reversing=reversing, constraints=constraints)
        else:
            with pytest.raises(ParameterError, match="no graph of its class meets them"):
                inclusion_boundary(score, dag_of(group[0], score.data.names), constraints=constraints)
    assert left > 50


def test_every_member_has_the_same_boundary() -> None:
    score = score_of(5)
    for arcs in random_graphs(5, 5):
        graphs = [dag_of(member, score.data.names) for member in members(5, arcs)]
        whole = {one.cpdag for one in inclusion_boundary(score, graphs[0].cpdag(), reversing=True)}
        for graph in graphs[:20]:
            assert {one.cpdag for one in inclusion_boundary(score, graph, reversing=True)} == whole


def test_gains_of_every_equivalent_score() -> None:
    data = dependent_table(n_rows=60, arities=(2, 3, 2, 4, 2), seed=2)
    for name in (name for name, kind in COUNTED.items() if kind.is_equivalent):
        for arcs in random_graphs(5, 8):
            check(arcs, LocalScore(data, name), reversing=True)


def test_wrong_arguments_are_refused() -> None:
    score = score_of(3)
    with pytest.raises(
        ParameterError,
        match="which k2 does not; take one of bic, ebic, aic, hqc, loglik, bdeu, qnml, or",
    ):
        inclusion_boundary(LocalScore(score.data, "k2"), Dag(score.data.names))
    with pytest.raises(GraphError, match="not that of an equivalence class"):
        inclusion_boundary(score, Cpdag(score.data.names, [("X0", "X1")]))
    with pytest.raises(ParameterError, match="graph must be a Dag"):
        inclusion_boundary(score, "X0")  # type: ignore[arg-type]


def test_a_budget_that_ends_first_gives_an_error_and_not_a_part() -> None:
    score = score_of(5)
    graph = Dag(score.data.names)
    assert len(inclusion_boundary(score, graph, budget=Budget(60))) == 10
    with pytest.raises(ArcwiseError, match="the budget ended before all classes"):
        inclusion_boundary(score, graph, budget=Budget(evaluation_limit=0))
    interrupted = Budget()
    interrupted.interrupt()
    with pytest.raises(KeyboardInterrupt):
        inclusion_boundary(score, graph, budget=interrupted)


def test_ctrl_c_ends_it() -> None:
    data = Dataset.from_codes(np.random.default_rng(1).integers(0, 2, size=(20, 30)))
    star = Dag(data.names, [(data.names[0], name) for name in data.names[1:]])
    middle = half_way(lambda: inclusion_boundary(LocalScore(data, "aic"), star, reversing=True))
    with presses_ctrl_c(middle) as watch, pytest.raises(KeyboardInterrupt):
        inclusion_boundary(LocalScore(data, "aic"), star, reversing=True, budget=Budget(watch=watch))


def test_a_class_that_joins_what_must_be_apart_is_refused() -> None:
    score = LocalScore(dependent_table())
    for arcs in ([("X0", "X1")], [("X1", "X0")]):
        for forbidden in ([("X0", "X1"), ("X1", "X0")], [("X0", "X1"), ("X1", "X0"), ("X2", "X3")]):
            with pytest.raises(ParameterError, match="graph breaks the constraints"):
                inclusion_boundary(score, Dag(score.names, arcs), constraints=Constraints(forbidden=forbidden))
