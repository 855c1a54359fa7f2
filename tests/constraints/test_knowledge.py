"""Allowed arcs, closed tiers, stars, groups and ancestors, held against all graphs of four nodes."""

import random
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import (
    SEARCHES,
    ArcStrengths,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    best_networks,
    bootstrap,
    inclusion_boundary,
    learn,
    uncover_v_structures,
)
from arcwise.runs.files import read_run, write_run
from arcwise.search.climbs import kicked_graph, random_graph
from arcwise.search.search import Problem, run_search

NAMES = ("a", "b", "c", "d")
ARCS = list(permutations(NAMES, 2))
OVER_GRAPHS = ("greedy", "sgs2", "sgs3", "tabu", "lagd", "mmhc", "mtmhc")


@cache
def all_dags() -> list[Dag]:
    """All 543 graphs of four nodes: every pair has no arc or one of two."""
    found = []
    for ways in product((0, 1, 2), repeat=6):
        arcs = [(x, y) if way == 1 else (y, x) for way, (x, y) in zip(ways, combinations(NAMES, 2), strict=True) if way]
        if nx.is_directed_acyclic_graph(nx.DiGraph(arcs)):
            found.append(Dag(NAMES, arcs))
    assert len(found) == 543
    return found


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    """Whatever the new constraints may say about four variables, of which two are a group."""
    words = st.sampled_from([*NAMES, "*", "pair"])
    arcs = st.lists(st.tuples(words, words).filter(lambda arc: arc[0] != arc[1] or arc[0] == "*"), max_size=2)
    tiers = draw(st.sampled_from([[], [["a", "b"], ["c", "d"]], [["pair"], ["a"]], [["a", "b", "c", "d"]]]))
    return {
        "forbidden": draw(arcs),
        "allowed": draw(st.none() | st.lists(st.sampled_from([*ARCS, ("*", "a"), ("pair", "*")]), max_size=6)),
        "required_ancestors": draw(arcs) if draw(st.booleans()) else [],
        "forbidden_ancestors": draw(arcs),
        "tiers": tiers,
        "closed_tiers": draw(st.booleans()) if tiers else False,
        "groups": {"pair": ["c", "d"]},
    }


def expanded(pairs: list[tuple[str, str]]) -> set[tuple[str, str]]:
    words = {"*": NAMES, "pair": ("c", "d")}
    found = {(x, y) for one, other in pairs for x in words.get(one, (one,)) for y in words.get(other, (other,))}
    return {(x, y) for x, y in found if x != y}


def satisfies(dag: Dag, given: dict[str, Any]) -> bool:
    """By definition."""
    graph = nx.DiGraph(list(dag.arcs))
    graph.add_nodes_from(NAMES)
    paths = {(x, y) for x, y in ARCS if nx.has_path(graph, x, y)}
    groups = {"pair": ("c", "d")}
    tier = {name: at for at, words in enumerate(given["tiers"]) for word in words for name in groups.get(word, (word,))}
    for x, y in dag.arcs:
        if (x, y) in expanded(given["forbidden"]):
            return False
        if given["allowed"] is not None and (x, y) not in expanded(given["allowed"]):
            return False
        if x in tier and y in tier and (tier[x] > tier[y] or (given["closed_tiers"] and tier[x] == tier[y])):
            return False
    return expanded(given["required_ancestors"]) <= paths and not expanded(given["forbidden_ancestors"]) & paths


def made(given: dict[str, Any]) -> Constraints | None:
    """The constraints, or None where they are refused; then no graph satisfies them."""
    try:
        constraints = Constraints(**given)
        constraints.over(NAMES)
    except ParameterError:
        assert not any(satisfies(dag, given) for dag in all_dags())
        return None
    return constraints


@settings(max_examples=60)
@given(rules())
def test_what_satisfies_them_is_as_defined(given: dict[str, Any]) -> None:
    constraints = made(given)
    if constraints is None:
        return
    for dag in random.Random(1).sample(all_dags(), 60):
        assert constraints.satisfied_by(dag) == satisfies(dag, given)
    plain = constraints.over(NAMES)
    assert all(plain.satisfied_by(dag) == constraints.satisfied_by(dag) for dag in all_dags()[::17])


@settings(max_examples=60)
@given(rules())
def test_single_arcs_are_allowed_as_defined(given: dict[str, Any]) -> None:
    constraints = made({**given, "required_ancestors": []})
    if constraints is None:
        return
    allowed = constraints.resolve(NAMES).allowed_matrix()
    for x, y in ARCS:
        alone = satisfies(Dag(NAMES, [(x, y)]), {**given, "required_ancestors": []})
        assert allowed[NAMES.index(y), NAMES.index(x)] == alone


@settings(max_examples=60)
@given(rules())
def test_first_graph_satisfies_them_or_says_that_it_cannot(given: dict[str, Any]) -> None:
    constraints = made(given)
    if constraints is None:
        return
    try:
        first = constraints.required_dag(NAMES)
    except ParameterError as error:
        assert "no way was found" in str(error)  # noqa: PT017
        return
    assert satisfies(first, given)


def neighbours(dag: Dag) -> list[Dag]:
    """Graphs that differ by one arc added, deleted or reversed."""
    arcs = set(dag.arcs)
    changed = [arcs - {arc} for arc in arcs]
    changed += [arcs - {(x, y)} | {(y, x)} for x, y in arcs]
    changed += [arcs | {(x, y)} for x, y in ARCS if (x, y) not in arcs and (y, x) not in arcs]
    return [Dag(NAMES, sorted(each)) for each in changed if nx.is_directed_acyclic_graph(nx.DiGraph(list(each)))]


@cache
def score() -> LocalScore:
    """A table in which nearly everything depends on everything, so that rules matter."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, 400)
    b = (a + (rng.random(400) < 0.2)) % 2
    c = (a + b + (rng.random(400) < 0.3)) % 3
    d = (b + c + (rng.random(400) < 0.25)) % 2
    return LocalScore(Dataset.from_codes(np.column_stack([a, b, c, d]), names=NAMES))


@settings(max_examples=40, deadline=None)
@given(rules(), st.sampled_from(["greedy", "sgs3", "tabu", "lagd"]), st.integers(0, 3))
def test_searches_over_graphs_end_where_no_allowed_neighbour_is_better(
    given: dict[str, Any], method: str, seed: int
) -> None:
    constraints = made(given)
    if constraints is None:
        return
    try:
        constraints.required_dag(NAMES)
    except ParameterError:
        return
    found = run_search(SEARCHES[method], Problem(score(), constraints), seed=seed, workers=1)
    assert satisfies(found.dag, given)
    for other in neighbours(found.dag):
        if satisfies(other, given):
            assert score().total(other) <= found.score + 1e-9


@pytest.mark.parametrize("method", sorted(set(SEARCHES) - set(OVER_GRAPHS)))
def test_other_searches_refuse_ancestors_in_words(method: str) -> None:
    search, known = SEARCHES[method], Constraints(forbidden_ancestors=[("a", "b")])
    if LocalScore not in search.takes:
        pytest.skip("on a table of parent sets")
    with pytest.raises(ParameterError, match=r"constraints on ancestors.*forbidden_ancestors.*search over graphs"):
        run_search(search, Problem(score(), known), seed=1)


def test_so_do_functions_that_list_graphs() -> None:
    known = Constraints(required_ancestors=[("a", "b")])
    with pytest.raises(ParameterError, match="required_ancestors"):
        best_networks(score(), 3, constraints=known)
    with pytest.raises(ParameterError, match="required_ancestors"):
        inclusion_boundary(score(), Dag(NAMES), constraints=known)


@pytest.mark.parametrize("method", ["auto", *OVER_GRAPHS])
def test_learn_keeps_to_them(method: str) -> None:
    known = Constraints(required_ancestors=[("d", "a")], forbidden_ancestors=[("b", "*")], allowed=[("*", "*")])
    result = learn(score().data, method=method, constraints=known, seed=1, time_limit=5, clean_up=True)
    assert known.satisfied_by(result.dag)
    assert "d" in result.dag.ancestors("a")
    assert not result.dag.descendants("b")


@pytest.mark.parametrize("options", [{"random_start": True, "climbs": 4}, {"kick": 3, "climbs": 4}])
def test_random_starts_and_kicks_keep_to_them(options: dict[str, Any]) -> None:
    known = Constraints(required_ancestors=[("d", "a")], forbidden_ancestors=[("b", "c")])
    result = learn(score().data, method="greedy", constraints=known, seed=1, **options)
    assert known.satisfied_by(result.dag)
    rng, resolved = np.random.default_rng(3), known.resolve(NAMES)
    first = [list(row) for row in known.required_dag(NAMES).parent_indices]
    for _ in range(30):
        for graph in (random_graph(first, resolved, rng), kicked_graph(first, 3, resolved, rng)):
            assert known.satisfied_by(Dag.from_parents(NAMES, graph))


def test_cleaning_up_keeps_to_them() -> None:
    dag = Dag(NAMES, [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("b", "d")])
    known = Constraints(required_ancestors=[("a", "d"), ("b", "d"), ("a", "b")])
    assert known.satisfied_by(uncover_v_structures(score(), dag, constraints=known, even_if_worse=True))


def test_averaged_graph_keeps_to_them() -> None:
    known = Constraints(required_ancestors=[("d", "a")], forbidden_ancestors=[("b", "c")])
    strengths = bootstrap(score().data, "greedy", 5, constraints=known, seed=1)
    assert isinstance(strengths, ArcStrengths)
    assert known.satisfied_by(strengths.averaged(0.2))


def test_a_start_must_satisfy_them() -> None:
    with pytest.raises(ParameterError, match="start breaks the constraints: 'a' is not an ancestor of 'd'"):
        Problem(score(), Constraints(required_ancestors=[("a", "d")]), Dag(NAMES, [("a", "b")]))


def test_they_go_through_the_file_of_a_run(tmp_path: Any) -> None:
    known = Constraints(
        required_ancestors=[("d", "a")],
        forbidden_ancestors=[("b", "*")],
        allowed=[("*", "*")],
        tiers=[["c"], ["pair"]],
        closed_tiers=True,
        groups={"pair": ["b", "d"]},
    )
    result = learn(score().data, method="greedy", constraints=known, seed=1)
    write_run(result, tmp_path / "run.json")
    assert read_run(tmp_path / "run.json").result.provenance.constraints == known


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required_ancestors": [("a", "b"), ("b", "a")]}, "form a cycle: 'a' -> 'b' -> 'a'"),
        ({"required": [("a", "b")], "required_ancestors": [("b", "a")]}, "form a cycle"),
        (
            {"required": [("a", "b"), ("b", "c")], "forbidden_ancestors": [("a", "c")]},
            "'a' must not be an ancestor of 'c', but required arcs and ancestors lead",
        ),
        ({"required_ancestors": [("a", "a")]}, "from a variable to itself"),
        ({"groups": {"g": ["a"], "h": ["g"]}}, "the group 'h' holds 'g', which is a group"),
        ({"groups": ["a"]}, "groups must be a mapping"),
        ({"groups": {"g": "abc"}}, "must be a list of variable names"),
        ({"tiers": [["a"]], "closed_tiers": [1]}, "closed_tiers must be places of the 1 tiers"),
        ({"tiers": [["a"]], "closed_tiers": "0"}, "closed_tiers must be True, False or a list"),
        ({"tiers": [["a", "b"]], "closed_tiers": True, "required": [("a", "b")]}, "within tier 0 .* is closed"),
        ({"allowed": "ab"}, "allowed must be a list of pairs"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Constraints(**given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"forbidden": [("x", "a")]}, "forbidden mentions 'x'"),
        ({"groups": {"a": ["b"]}}, "a group is called 'a', which is also a variable"),
        ({"groups": {"g": ["x"]}}, "groups mentions 'x'"),
        ({"required": [("a", "b")], "forbidden": [("*", "b")]}, "is both required and forbidden"),
    ],
)
def test_what_is_wrong_for_some_variables_is_said_then(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Constraints(**given).resolve(NAMES)


def test_limits_may_be_those_of_a_group() -> None:
    known = Constraints(max_parents={"pair": 1, "c": 0}, groups={"pair": ["c", "d"]})
    assert known.resolve(NAMES).max_parents.tolist() == [3, 3, 0, 1]
