"""Constraints: contradictions, arrays and violations, against the definitions arc by arc."""

import gc
import pickle
import weakref
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import Dataset, LocalScore, _core
from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph import Dag
from arcwise.graph.node_lists import NodeLists
from arcwise.support.errors import ParameterError
from constraint_strategies import constraints_over
from graph_strategies import dags


def lists_of(rules: ResolvedConstraints) -> list[NodeLists]:
    found = (rules.required, rules.forbidden, rules.exempt, rules.candidates)
    return [lists for lists in found if lists is not None]


class TestContradictions:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "'a' -> 'b' is both required and forbidden"),
            ({"required": [("a", "b"), ("b", "a")]}, "cycle: 'a' -> 'b' -> 'a'"),
            ({"required": [("a", "b"), ("b", "c"), ("c", "a"), ("x", "a")]}, "cycle: 'a' -> 'b' -> 'c' -> 'a'"),
            ({"required": [("c", "a")], "tiers": [["a"], ["b"], ["c"]]}, "'c' -> 'a' leads from tier 2 back to tier 0"),
            (
                {"required": [("a", "c"), ("b", "c")], "max_parents": 1},
                r"'c' has more required parents \(2\) than the limit on parents allows \(1\)",
            ),
            ({"required": [("a", "c"), ("b", "c")], "max_parents": {"c": 1}}, "'c' has more required parents"),
            ({"required": [("a", "c")], "max_parents": 0}, "'c' has more required parents"),
            (
                {"required": [("a", "b"), ("b", "c")], "max_degree": 1},
                r"'b' is in more required arcs \(2\) than the limit on adjacent nodes allows \(1\)",
            ),
            ({"required": [("a", "b")], "max_degree": {"a": 0}}, r"'a' is in more required arcs \(1\)"),
            ({"tiers": [["a"], ["b", "a"]]}, "'a' is in tiers 0 and 1"),
            ({"tiers": [["a", "a"]]}, "'a' is in tier 0 twice"),
        ],
    )
    def test_refused(self, arguments: dict[str, Any], words: str) -> None:
        with pytest.raises(ParameterError, match=words):
            Constraints(**arguments)

    def test_what_looks_alike_and_is_possible(self) -> None:
        Constraints(required=[("a", "b")], forbidden=[("b", "a")])
        Constraints(forbidden=[("a", "b"), ("b", "a")])
        Constraints(required=[("a", "b")], tiers=[["a", "b"]])
        Constraints(required=[("a", "b")], tiers=[["b"]])
        Constraints(required=[("a", "b")], max_parents={"a": 0})
        Constraints(tiers=[[], ["a"]])


class TestMalformed:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"required": ("a", "b")}, r"required must hold pairs \(parent, child\) of variable names, not 'a'"),
            ({"required": "ab"}, "required must be a list of pairs"),
            ({"required": 3}, "required must be a list of pairs"),
            ({"forbidden": [("a", "b", "c")]}, "forbidden must hold pairs"),
            ({"forbidden": [("a", 1)]}, "forbidden must hold pairs"),
            ({"required": [("a", "a")]}, "required must not hold the arc 'a' -> 'a'"),
            ({"forbidden": [("a", "a")]}, "forbidden must not hold the arc 'a' -> 'a'"),
            ({"tiers": ["a", "b"]}, "a tier must be a list of variable names, not 'a'"),
            ({"tiers": "ab"}, "tiers must be a list"),
            ({"tiers": [["a", 1]]}, "not 1"),
            ({"max_parents": -1}, "max_parents must be at least 0, not -1"),
            ({"max_parents": True}, "not True"),
            ({"max_parents": 2.0}, "not 2.0"),
            ({"max_parents": "2"}, "not '2'"),
            ({"max_parents": {"a": -1}}, "max_parents for 'a' must be at least 0, not -1"),
            ({"max_parents": {1: 1}}, "must map variable names to limits, not 1"),
            ({"max_degree": -1}, "max_degree must be at least 0, not -1"),
            ({"max_degree": {"a": 1.5}}, "max_degree for 'a' must be"),
        ],
    )
    def test_refused(self, arguments: dict[str, Any], words: str) -> None:
        with pytest.raises(ParameterError, match=words):
            Constraints(**arguments)

    @pytest.mark.parametrize(
        "arguments",
        [
            {"required": [("smoke", "lungs")]},
            {"forbidden": [("lungs", "smoke")]},
            {"tiers": [["smoke"], ["lungs"]]},
            {"max_parents": {"lungs": 1}},
            {"max_degree": {"lungs": 1}},
        ],
    )
    def test_unknown_names(self, arguments: dict[str, Any]) -> None:
        constraints = Constraints(**arguments)
        place = next(iter(arguments))
        for question in (
            constraints.resolve,
            constraints.required_dag,
            lambda names: constraints.violations(Dag(names)),
        ):
            with pytest.raises(ParameterError, match=f"{place} mentions 'lungs', .* did you mean 'lung'"):
                question(["smoke", "lung"])

    def test_repeated_names(self) -> None:
        with pytest.raises(ParameterError, match="names must differ"):
            Constraints().resolve(["a", "a"])


class TestResolve:
    def test_no_constraints(self) -> None:
        resolved = Constraints().resolve(["a", "b", "c"])
        assert np.array_equal(resolved.allowed_matrix(), ~np.eye(3, dtype=bool))
        assert resolved.allows_all
        assert not resolved.requires_any
        assert resolved.max_parents.tolist() == [2, 2, 2]

    def test_by_hand(self) -> None:
        constraints = Constraints(
            required=[("a", "b")], forbidden=[("d", "a")], tiers=[["a", "b"], ["c"]], max_parents={"c": 1, "d": 9}
        )
        resolved = constraints.resolve(["c", "b", "a", "d"])
        # Rows are children, columns are parents, both c, b, a, d: c is later than a and b, d is free.
        assert resolved.allowed_matrix().astype(int).tolist() == [
            [0, 1, 1, 1],
            [0, 0, 1, 1],
            [0, 0, 0, 0],
            [1, 1, 1, 0],
        ]
        assert resolved.required_arcs.tolist() == [[2, 1]]
        assert resolved.required_parents(1) == [2]
        assert resolved.optional_parents(1).tolist() == [3]
        assert resolved.max_parents.tolist() == [1, 3, 3, 3]

    def test_arrays_are_what_the_kernels_take(self) -> None:
        resolved = Constraints(required=[("a", "b")], tiers=[["a"], ["b"]], max_parents=2).resolve(["a", "b", "c", "d"])
        lists = NodeLists.from_lists([[1], [0], [3], [0]])
        rules = resolved.isolating(np.arange(4) == 3, lists).restricted_to(lists)
        restored: ResolvedConstraints = pickle.loads(pickle.dumps(rules))
        for one in (rules, restored):
            for array, dtype in (
                (one.max_parents, np.int32),
                (one.max_degree, np.int32),
                (one.tiers, np.int32),
                (one.isolated, np.bool_),
                *((part.begin, np.int64) for part in lists_of(one)),
                *((part.nodes, np.uint32) for part in lists_of(one)),
            ):
                assert array.dtype == dtype
                assert array.flags.c_contiguous
                assert not array.flags.writeable
        assert restored.max_parents.tolist() == [2, 2, 2, 2]
        assert np.array_equal(restored.allowed_matrix(), rules.allowed_matrix())

    def test_kernels_refuse_arrays_that_do_not_fit(self) -> None:
        three, two = NodeLists.none(3).core, NodeLists.none(2).core
        tiers, isolated, limits = np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.bool_), np.zeros(3, dtype=np.int32)
        rules: list[Any] = [three, three, tiers, isolated, three]
        fitting = _core.ArcRestrictions(*rules)
        assert _core.ArcRules(fitting, three, limits, limits).n_variables == 3
        for at, wrong in enumerate((two, two, tiers[:2], isolated[:2], two)):
            changed = [*rules[:at], wrong, *rules[at + 1 :]]
            restrictions = _core.ArcRestrictions(*changed)
            with pytest.raises(ValueError, match="different numbers of variables"):
                _core.ArcRules(restrictions, three, limits, limits)
        for required, most_parents, most_adjacent in (
            (two, limits, limits),
            (three, limits[:2], limits),
            (three, limits, limits[:2]),
        ):
            with pytest.raises(ValueError, match="different numbers of variables"):
                _core.ArcRules(fitting, required, most_parents, most_adjacent)

    @pytest.mark.parametrize(
        ("begin", "nodes", "words"),
        [
            ([], [], "one behind the other"),
            ([1, 1, 1], [], "one behind the other"),
            ([0, 2, 1, 2], [0, 1], "one behind the other"),
            ([0, 1, 1], [1, 0], "one behind the other"),
            ([0, 0, 3], [0], "one behind the other"),
            ([0, 1, 1], [0], "ascending, of nodes other than its own"),
            ([0, 1, 1], [2], "ascending, of nodes other than its own"),
            ([0, 2, 2, 2], [2, 1], "ascending, of nodes other than its own"),
            ([0, 2, 2, 2], [1, 1], "ascending, of nodes other than its own"),
        ],
    )
    def test_kernels_refuse_lists_of_what_does_not_exist(self, begin: list[int], nodes: list[int], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            _core.NodeLists(np.array(begin, dtype=np.int64), np.array(nodes, dtype=np.uint32))

    def test_kernels_convert_no_arrays(self) -> None:
        begin, nodes, lists = np.zeros(4, dtype=np.int64), np.zeros(0, dtype=np.uint32), NodeLists.none(3).core
        limits, isolated = np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.bool_)
        other: Any
        for other in (begin.astype(np.int32), np.zeros(8, dtype=np.int64)[::2]):
            with pytest.raises(TypeError):
                _core.NodeLists(other, nodes)
        other = nodes.astype(np.int64)
        with pytest.raises(TypeError):
            _core.NodeLists(begin, other)
        other = isolated.astype(np.uint8)
        with pytest.raises(TypeError):
            _core.ArcRestrictions(lists, None, limits, other, lists)
        free = _core.ArcRestrictions(lists, None, limits, isolated, lists)
        for other in (limits.astype(np.int64), np.zeros(6, dtype=np.int32)[::2]):
            with pytest.raises(TypeError):
                _core.ArcRestrictions(lists, None, other, isolated, lists)
            with pytest.raises(TypeError):
                _core.ArcRules(free, lists, other, limits)
            with pytest.raises(TypeError):
                _core.ArcRules(free, lists, limits, other)

    def test_there_are_no_rules_about_variables_that_do_not_exist(self) -> None:
        rules = Constraints().resolve(["a", "b"])
        for question in (
            lambda: rules.is_allowed(2, 0),
            lambda: rules.is_required(0, 2),
            lambda: rules.are_allowed([0, 1], [1, 2]),
            lambda: rules.are_allowed([0, -1], [1, 1]),
            lambda: rules.allowed_parents(2),
        ):
            with pytest.raises(ValueError, match="no such variable"):
                question()

    def test_kernels_refuse_rules_over_other_variables(self) -> None:
        score = LocalScore(Dataset.from_codes([[0, 0], [1, 1], [0, 1]], names=["a", "b"]))
        rules = Constraints().resolve(["a", "b", "c"]).core
        with pytest.raises(ValueError, match="another number of variables"):
            _core.GrowingLists(score.core, rules, _core.Budget())
        with pytest.raises(ValueError, match="another number of variables"):
            _core.hill_climb(score.core, rules, _core.DagMoves.add_delete_reverse, [[], []], 1, _core.Budget())
        with pytest.raises(ValueError, match="another number of variables"):
            _core.neighbours_of_class(score.core, rules, True, [[], []], _core.Budget())

    def test_rules_of_kernels_keep_their_arrays_and_no_longer_than_they_live(self) -> None:
        resolved = Constraints().resolve(["a", "b", "c"])
        assert resolved.core is resolved.core
        arrays = [
            weakref.ref(array)
            for array in (resolved.forbidden.begin, resolved.required.nodes, resolved.tiers, resolved.max_parents)
        ]
        rules = resolved.core
        del resolved
        gc.collect()
        assert all(array() is not None for array in arrays)
        del rules
        gc.collect()
        assert all(array() is None for array in arrays)

    def test_one_and_no_variable(self) -> None:
        assert Constraints().resolve([]).core.n_variables == 0
        assert Constraints(max_parents=3).resolve(["a"]).max_parents.tolist() == [0]
        assert Constraints().resolve([]).allowed_matrix().shape == (0, 0)

    def test_path_around_a_forbidden_arc_stays(self) -> None:
        constraints = Constraints(forbidden=[("a", "c")])
        assert constraints.satisfied_by(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]))


class TestViolations:
    def test_each_kind(self) -> None:
        constraints = Constraints(
            required=[("a", "b")], forbidden=[("b", "d")], tiers=[["a"], ["c"]], max_parents={"d": 1}
        )
        dag = Dag(["a", "b", "c", "d"], [("b", "a"), ("c", "a"), ("b", "d"), ("c", "d")])
        assert constraints.violations(dag) == (
            "the required arc 'a' -> 'b' is missing",
            "the arc 'b' -> 'd' is forbidden",
            "the arc 'c' -> 'a' leads from tier 1 back to tier 0 (counted from 0)",
            "'d' has more parents (2) than it may have (1)",
        )
        assert not constraints.satisfied_by(dag)

    def test_required_arcs_alone_are_fine(self) -> None:
        constraints = Constraints(required=[("c", "a"), ("b", "a")], tiers=[["b", "c"], ["a"]], max_parents=2)
        dag = constraints.required_dag(["a", "b", "c", "d"])
        assert dag.arcs == (("b", "a"), ("c", "a"))
        assert constraints.violations(dag) == ()


@given(dags(min_nodes=1, max_nodes=5), st.data())
def test_arrays_and_words_agree(dag: Dag, data: st.DataObject) -> None:
    """A graph satisfies the constraints exactly when it fits the arrays; the required arcs alone always do."""
    constraints = data.draw(constraints_over(dag.names))
    if constraints is None:
        return
    names = data.draw(st.permutations(dag.names))
    resolved = constraints.resolve(names)
    for graph in (dag, constraints.required_dag(dag.names)):
        parents = graph.with_names_ordered(names).adjacency().T
        fits = (
            not (parents & ~resolved.allowed_matrix()).any()
            and all(parents[child, parent] for parent, child in resolved.required_arcs)
            and (parents.sum(axis=1) <= resolved.max_parents).all()
            and (parents.sum(axis=1) + parents.sum(axis=0) <= resolved.max_degree).all()
        )
        assert constraints.satisfied_by(graph) == fits
    assert constraints.satisfied_by(constraints.required_dag(dag.names))


def test_equality_hash_and_pickle() -> None:
    one = Constraints(required=[("a", "b"), ("c", "d")], tiers=[["a", "c"], ["b"]], max_parents={"a": 1, "b": 2})
    two = Constraints(required=[("c", "d"), ("a", "b")], tiers=[["c", "a"], ["b"]], max_parents={"b": 2, "a": 1})
    assert one == two
    assert hash(one) == hash(two)
    assert pickle.loads(pickle.dumps(one)) == one
    assert Constraints(tiers=[["a"], ["b"]]) != Constraints(tiers=[["b"], ["a"]])
    with pytest.raises(FrozenInstanceError):
        one.required = ()  # type: ignore[misc]


def test_parent_limit() -> None:
    assert Constraints().parent_limit("a") is None
    assert Constraints(max_parents=0).parent_limit("a") == 0
    limits = Constraints(max_parents={"a": np.int64(2)})  # type: ignore[dict-item]
    assert limits.parent_limit("a") == 2
    assert limits.parent_limit("b") is None
