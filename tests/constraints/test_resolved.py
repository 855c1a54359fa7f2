"""Constraints by index: against the definitions arc by arc, and in the space of what they name."""

import tracemalloc
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles_constraints as oracle
from arcwise import Dataset, LocalScore
from arcwise.constraints.constraints import Arc, Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.node_lists import NodeLists
from arcwise.parents.neighbourhoods import candidate_lists
from arcwise.scores.constants import rules_for
from constraint_strategies import constraints_over
from graph_strategies import dags


def lists(names: tuple[str, ...], arcs: set[Arc]) -> NodeLists:
    return NodeLists.from_lists([[names.index(parent) for parent, to in arcs if to == child] for child in names])


def check(rules: ResolvedConstraints, expected: np.ndarray) -> None:
    """Every question about arcs has the answer that a matrix by [child, parent] gives."""
    n = len(expected)
    assert np.array_equal(rules.allowed_matrix(), expected)
    for child, parent in product(range(n), repeat=2):
        assert rules.is_allowed(child, parent) == expected[child, parent]
    for child in range(n):
        assert rules.allowed_parents(child).tolist() == np.flatnonzero(expected[child]).tolist()
        optional = [
            parent for parent in np.flatnonzero(expected[child]).tolist() if not rules.is_required(child, parent)
        ]
        assert rules.optional_parents(child).tolist() == optional
        assert np.array_equal(rules.are_allowed(child, np.arange(n)), expected[child])
    pairs = np.array(list(product(range(n), repeat=2)), dtype=np.int64).reshape(-1, 2)
    assert np.array_equal(rules.may_join(pairs).reshape(n, n), expected | expected.T)
    assert rules.is_symmetric == np.array_equal(expected, expected.T)
    if rules.allows_all:
        assert np.array_equal(expected, ~np.eye(n, dtype=bool))


@given(st.data())
def test_lists_allow_what_the_definitions_do(data: st.DataObject) -> None:
    names = tuple("abcde"[: data.draw(st.integers(1, 5))])
    constraints = data.draw(constraints_over(names))
    if constraints is None:
        return
    arcs = [(parent, child) for parent, child in product(names, repeat=2) if parent != child]
    some_arcs = st.sets(st.sampled_from(arcs)) if arcs else st.just(set[Arc]())
    rules = constraints.resolve(names)
    isolated, exempt, candidates = set[str](), set[Arc](), None
    if data.draw(st.booleans()):
        isolated, exempt = data.draw(st.sets(st.sampled_from(names))), data.draw(some_arcs)
        rules = rules.isolating(np.array([name in isolated for name in names]), lists(names, exempt))
    if data.draw(st.booleans()):
        candidates = data.draw(some_arcs)
        rules = rules.restricted_to(lists(names, candidates))
        if data.draw(st.booleans()):
            others = data.draw(some_arcs)
            rules, candidates = rules.restricted_to(lists(names, others)), candidates & others
    expected = [
        [
            oracle.is_allowed(constraints, (parent, child), isolated=isolated, exempt=exempt, candidates=candidates)
            for parent in names
        ]
        for child in names
    ]
    check(rules, np.array(expected, dtype=bool))
    assert {(names[parent], names[child]) for parent, child in rules.required_arcs} == set(constraints.required)
    assert rules.requires_any == bool(constraints.required)
    for child in range(len(names)):
        required = [parent for parent in range(len(names)) if rules.is_required(child, parent)]
        assert rules.required_parents(child) == required


@given(dags(min_nodes=2, max_nodes=5), st.data())
def test_constant_columns_are_joined_by_required_arcs_and_those_of_the_start(start: Dag, data: st.DataObject) -> None:
    names = start.names
    constraints = data.draw(constraints_over(names))
    if constraints is None:
        return
    isolated = data.draw(st.sets(st.sampled_from(names), max_size=len(names) - 1))
    rows = [[0] * len(names), [int(name not in isolated) for name in names]]
    table = Dataset.from_codes(rows, names=list(names), arities=[2] * len(names))
    exempt = {*start.arcs, *((child, parent) for parent, child in start.arcs)}
    expected = [
        [oracle.is_allowed(constraints, (parent, child), isolated=isolated, exempt=exempt) for parent in names]
        for child in names
    ]
    check(rules_for(LocalScore(table, "bdeu"), constraints, start), np.array(expected, dtype=bool))


def test_fifty_thousand_variables_take_little_memory() -> None:
    """A byte for each pair would be 2.5 GB."""
    names = [f"v{number}" for number in range(50_000)]
    constraints = Constraints(
        required=[("v0", "v1"), ("v49999", "v3")],
        forbidden=[(name, "v7") for name in names if name != "v7"],
        tiers=[names[:25_000], names[25_000:49_000]],
        max_parents={"v5": 2},
        max_degree=100,
    )
    tracemalloc.start()
    try:
        rules = constraints.resolve(names)
        candidates = NodeLists.from_lists([[0] if v else [1] for v in range(50_000)])
        isolated = np.arange(50_000) % 1000 == 11
        limited = rules.isolating(isolated, NodeLists.none(50_000)).restricted_to(candidates)
        assert limited.is_allowed(2, 0)
        assert not limited.is_allowed(2, 1)
        assert not limited.is_allowed(11, 0)
        assert limited.is_allowed(3, 49_999)
        assert not rules.is_symmetric
        assert rules.allowed_parents(7).size == 0
        assert rules.allowed_parents(8).size == 25_000 - 1 + 1_000  # its tier, and those in no tier
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_a_neighbourhood_of_fifty_thousand_variables_takes_the_space_of_its_lists() -> None:
    score = LocalScore(Dataset.from_codes(np.arange(2)[:, None].repeat(50_000, axis=1), arities=[2] * 50_000))
    mapping = {name: [score.names[v - 1]] if v else [] for v, name in enumerate(score.names)}
    tracemalloc.start()
    try:
        found = candidate_lists(score, mapping)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.n_members == 49_999
    assert peak < 100e6
