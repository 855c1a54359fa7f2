"""Tables of parent sets: their layout, what they refuse, and what they answer."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from itertools import product
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_parents
from arcwise.constraints.constraints import Constraints
from arcwise.graph import Dag
from arcwise.parents import ParentSets, set_arrays
from arcwise.parents.files import read_parent_sets, write_parent_sets
from arcwise.support.errors import ParameterError
from parent_set_strategies import Lists, set_lists

# a: {b, c} -1, {b} -2, {} -5; b: {} -3; c: {a} -4, {} -4.5
NAMES = ("a", "b", "c")
ARRAYS: dict[str, Any] = {
    "variable_begin": [0, 3, 4, 6],
    "set_begin": [0, 2, 3, 3, 3, 4, 4],
    "members": [1, 2, 1, 0],
    "scores": [-1, -2, -5, -3, -4, -4.5],
}


def by_hand() -> ParentSets:
    return ParentSets(NAMES, **ARRAYS)


# Layout


def test_the_arrays_are_as_the_kernels_want_them() -> None:
    table = by_hand()
    assert (table.n_variables, table.n_sets, len(table), table.max_parents) == (3, 6, 6, 2)
    wanted = {"variable_begin": np.int64, "set_begin": np.int64, "members": np.uint16, "scores": np.float64}
    for name, dtype in wanted.items():
        array = getattr(table, name)
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.tolist() == ARRAYS[name]
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert table.nbytes == 4 * 8 + 7 * 8 + 4 * 2 + 6 * 8


def test_arrays_of_the_right_type_are_not_copied() -> None:
    table = by_hand()
    again = ParentSets(table.names, table.variable_begin, table.set_begin, table.members, table.scores)
    for name in ARRAYS:
        assert np.shares_memory(getattr(table, name), getattr(again, name))


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        by_hand().names = ("x", "y", "z")  # type: ignore[misc]


@pytest.mark.parametrize("copied", [lambda t: pickle.loads(pickle.dumps(t)), copy.copy, copy.deepcopy])
def test_copies_and_pickles_are_equal_and_read_only(copied: Any) -> None:
    table = copied(by_hand())
    assert table == by_hand()
    assert not any(getattr(table, name).flags.writeable for name in ARRAYS)
    assert table.best_within("a", ["b"]) == (-2.0, ("b",))


def test_equality() -> None:
    assert by_hand() == by_hand()
    assert by_hand() != ParentSets(("a", "b", "d"), **ARRAYS)
    assert by_hand() != ParentSets(NAMES, **{**ARRAYS, "scores": [-1, -2, -6, -3, -4, -4.5]})
    assert by_hand() != ParentSets(NAMES, **{**ARRAYS, "members": [1, 2, 2, 0]})
    assert by_hand() != 1


def test_repr() -> None:
    assert repr(by_hand()) == "<ParentSets: 3 variables, 6 sets, at most 2 parents>"
    assert repr(ParentSets.from_lists(["a"], [[(0, [])]])) == "<ParentSets: 1 variable, 1 set, at most 0 parents>"
    many = ParentSets.from_lists(map(str, range(1200)), [[(-1, [])] for _ in range(1200)])
    assert repr(many) == "<ParentSets: 1,200 variables, 1,200 sets, at most 0 parents>"


# What is refused


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"variable_begin": [0, 3, 4]}, r"variable_begin must have 4 entries.*not 3"),
        ({"variable_begin": [1, 3, 4, 6]}, r"variable_begin must lead from 0 to 6, the number of scores, not from 1"),
        ({"variable_begin": [0, 3, 4, 5]}, r"variable_begin must lead from 0 to 6.*to 5"),
        ({"variable_begin": [0, 4, 3, 6]}, r"variable_begin must not fall, but variable_begin\[2\] is 3 after 4"),
        ({"variable_begin": [0, 3, 3, 6]}, r"variable 'b' has no parent set"),
        ({"variable_begin": [0.0, 3, 4, 6]}, r"variable_begin must hold integers, not float64"),
        ({"variable_begin": [[0, 3, 4, 6]]}, r"variable_begin must be one-dimensional"),
        ({"variable_begin": [[0], [3, 4]]}, r"variable_begin must be one-dimensional"),
        ({"set_begin": [0, 2, 3, 3, 3, 4]}, r"set_begin must have 7 entries"),
        ({"set_begin": [0, 2, 3, 3, 3, 4, 5]}, r"set_begin must lead from 0 to 4, the number of members"),
        ({"set_begin": [0, 2, 1, 3, 3, 4, 4]}, r"set_begin must not fall"),
        ({"members": [1, 2, 1, 3]}, r"members\[3\] is 3; members are indices of variables, from 0 to 2"),
        ({"members": [-1, 2, 1, 0]}, r"members\[0\] is -1"),
        ({"members": [1, 2, 65537, 0]}, r"members\[2\] is 65537"),
        ({"members": [1, 1, 1, 0]}, r"set 0 of 'a' \(counted from 0\), \{b, b\}, is not right: it has 'b' twice"),
        ({"members": [2, 1, 1, 0]}, r"set 0 of 'a'.*does not have its members in ascending order"),
        ({"members": [0, 1, 1, 0]}, r"set 0 of 'a'.*it has 'a' itself as a parent"),
        ({"members": [1, 2, 1, 2]}, r"set 0 of 'c'.*it has 'c' itself as a parent"),
        ({"scores": [-1, -2, nan, -3, -4, -4.5]}, r"set 2 of 'a'.*its score is nan"),
        ({"scores": [-1, -2, -inf, -3, -4, -4.5]}, r"set 2 of 'a'.*its score is -inf"),
        ({"scores": [inf, -2, -5, -3, -4, -4.5]}, r"set 0 of 'a'.*its score is inf"),
        ({"scores": ["-1", "-2", "-5", "-3", "-4", "-4"]}, r"scores must hold numbers"),
        ({"scores": [-1, -5, -2, -3, -4, -4.5]}, r"set 1 of 'a'.*is out of order"),
        ({"scores": [-1, -2, -5, -3, -4, -4]}, r"set 0 of 'c'.*is out of order"),
        ({"set_begin": [0, 1, 2, 2, 2, 3, 3], "members": [1, 1, 0]}, r"set 1 of 'a'.*the same set stands there twice"),
    ],
)
def test_arrays_that_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ParentSets(NAMES, **{**ARRAYS, **changed})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("abc", "several strings"),
        (3, "several strings"),
        ((), "1 to 65,535 variables, not 0"),
        (("a", "b", "a"), "'a' stands for more than one variable"),
        (("a", "", "b"), r"names\[1\] must be a string that is not empty"),
        (("a", 1, "b"), r"names\[1\] must be a string"),
        ([str(index) for index in range(65_536)], "1 to 65,535 variables, not 65,536"),
    ],
)
def test_names_that_are_refused(names: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ParentSets(names, **ARRAYS)


def test_as_many_variables_as_there_may_be() -> None:
    n = 65_535
    last = np.full(n, n - 1)
    last[-1] = 0
    table = ParentSets(tuple(map(str, range(n))), np.arange(n + 1), np.arange(n + 1), last, np.zeros(n))
    assert table.best(n - 2) == (0.0, ("65534",))


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([[(-1, [])]], "one entry for each of the 2 variables, not 1"),
        ([[(-1, [])], []], "variable 'b' has no parent set"),
        ([[(-1, ["c"])], [(-1, [])]], "there is no variable 'c'"),
        ([[(-1, ["A"])], [(-1, [])]], "there is no variable 'A'"),
        ([[(-1, [2])], [(-1, [])]], "no variable 2; one is given by its name or by its index from 0 to 1"),
        ([[(-1, [True])], [(-1, [])]], "no variable True"),
        ([[(-1, "b")], [(-1, [])]], "the parents of 'a' must be a list of variables, not 'b'"),
        ([[(-1, ["b", 1])], [(-1, [])]], "it has 'b' twice"),
        ([[(-1, ["a"])], [(-1, [])]], "'a' itself"),
        ([[(-1, []), (-2, [])], [(-1, [])]], "the same set stands there twice"),
        ([[(nan, [])], [(-1, [])]], "its score is nan"),
        ([[("-1", [])], [(-1, [])]], r"pairs \(score, parents\)"),
        ([[(-1,)], [(-1, [])]], r"pairs \(score, parents\)"),
        ([3, [(-1, [])]], r"the sets of 'a' must be a list of pairs"),
    ],
)
def test_lists_that_are_refused(lists: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ParentSets.from_lists(["a", "b"], lists)


# Order


def test_ties_go_to_the_smaller_set_then_to_the_lexicographically_first() -> None:
    sets = [(-1, ["c", "d"]), (-1, ["b", "e"]), (-1, ["e"]), (-1, ["b", "d"]), (-1, []), (0, ["b", "c", "d"])]
    table = ParentSets.from_lists(["a", "b", "c", "d", "e"], [sets, *([[(-1, [])]] * 4)])
    wanted = ["bcd", "", "e", "bd", "be", "cd"]
    assert ["".join(parents) for _, parents in table.sets("a")] == wanted


@given(set_lists())
def test_sets_are_best_first_whatever_their_order_was(lists: Lists) -> None:
    table = lists.table
    for name, sets in zip(lists.names, lists.sets, strict=True):
        wanted = oracles_parents.best_first(sets, lists.names)
        assert table.sets(name) == wanted
        assert table.best(name) == wanted[0]
    assert ParentSets(table.names, table.variable_begin, table.set_begin, table.members, table.scores) == table


@given(set_lists(), st.randoms(use_true_random=False))
def test_arrays_in_any_order_give_the_same_table(lists: Lists, random: Any) -> None:
    sizes, members, scores = [], [], []
    for sets in lists.sets:
        for score, parents in random.sample(list(sets), len(sets)):
            scores.append(score)
            sizes.append(len(parents))
            members += random.sample([lists.names.index(parent) for parent in parents], len(parents))
    variable_begin = np.cumsum([0, *(len(sets) for sets in lists.sets)])
    table = ParentSets.from_arrays(lists.names, variable_begin, np.cumsum([0, *sizes]), members, scores)
    assert table == lists.table


def test_many_ties_of_many_sizes() -> None:
    names = [f"v{index}" for index in range(13)]
    rng = np.random.default_rng(5)
    others = [
        frozenset(name for name, bit in zip(names[1:], bits, strict=True) if bit) for bits in product((0, 1), repeat=12)
    ]
    sets = [(float(rng.integers(-3, 0)), others[at]) for at in rng.permutation(len(others))]
    table = ParentSets.from_lists(names, [sets, *([[(-1, [])]] * 12)])
    assert table.sets(0) == oracles_parents.best_first(sets, names)


def test_sets_are_told_apart_even_where_their_keys_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_arrays, "_KEYS", np.zeros_like(set_arrays._KEYS))
    assert ParentSets(NAMES, **ARRAYS).n_sets == 6
    with pytest.raises(ParameterError, match=r"set 3 of 'a'.*the same set stands there twice"):
        ParentSets.from_lists(NAMES, [[(-1, [1]), (-2, [2]), (-3, []), (-4, [2])], [(0, [])], [(0, [])]])


# Answers


def test_variables_by_name_and_index() -> None:
    table = by_hand()
    assert table.sets("a") == table.sets(0) == [(-1.0, ("b", "c")), (-2.0, ("b",)), (-5.0, ())]
    assert table.best(2) == (-4.0, ("a",))
    assert table.best_within(0, [1]) == table.best_within("a", ["b"]) == (-2.0, ("b",))
    for wrong in (3, -1, 1.5, True, None, "d"):
        with pytest.raises(ParameterError, match="variable"):
            table.best(wrong)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="variable"):
            table.best_within("a", [wrong])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="predecessors must be a list"):
        table.best_within("a", "bc")


def test_no_set_within_the_predecessors() -> None:
    table = ParentSets.from_lists(["a", "b"], [[(-1, ["b"])], [(-1, [])]])
    assert table.best_within("a", ["b"]) == (-1.0, ("b",))
    with pytest.raises(ParameterError, match="none of the 1 parent sets of 'a' lies within the 0 predecessors"):
        table.best_within("a", [])


@given(set_lists(), st.data())
def test_best_within_is_the_best_of_all_that_fit(lists: Lists, data: st.DataObject) -> None:
    table = lists.table
    for name, sets in zip(lists.names, lists.sets, strict=True):
        predecessors = data.draw(st.lists(st.sampled_from(lists.names), unique=True))
        wanted = oracles_parents.best_within(sets, lists.names, predecessors)
        if wanted is None:
            with pytest.raises(ParameterError, match="none of the"):
                table.best_within(name, predecessors)
        else:
            assert table.best_within(name, predecessors) == wanted


def test_relaxed_score_and_graph() -> None:
    assert by_hand().relaxed_score() == -1 - 3 - 4
    assert by_hand().relaxed_graph() == {"a": ("b", "c"), "b": (), "c": ("a",)}


def test_total() -> None:
    table = by_hand()
    assert table.total(Dag(["c", "a", "b"], [("b", "a"), ("c", "a")])) == -1 - 3 - 4.5
    assert table.total(Dag(NAMES)) == -5 - 3 - 4.5
    with pytest.raises(ParameterError, match=r"no score of 'a' with the parents \{c\}"):
        table.total(Dag(NAMES, [("c", "a")]))
    with pytest.raises(ParameterError, match="differ: d"):
        table.total(Dag(["a", "b", "c", "d"]))


@given(set_lists(empty_sets=True))
def test_no_order_beats_the_relaxed_score_and_its_dag_has_the_total(lists: Lists) -> None:
    table = lists.table
    chosen = [table.best_within(name, lists.names[:position]) for position, name in enumerate(lists.names)]
    dag = Dag(
        lists.names, [(parent, name) for name, (_, row) in zip(lists.names, chosen, strict=True) for parent in row]
    )
    assert table.total(dag) == sum(score for score, _ in chosen) <= table.relaxed_score()


# Dominated sets


@given(set_lists())
def test_without_dominated_keeps_what_beats_all_its_subsets(lists: Lists) -> None:
    table = lists.table.without_dominated()
    for name, sets in zip(lists.names, lists.sets, strict=True):
        keep = oracles_parents.undominated(sets)
        assert table.sets(name) == oracles_parents.best_first([s for s in sets if s[1] in keep], lists.names)
    assert table.without_dominated() is table
    assert table.relaxed_score() == lists.table.relaxed_score()


def test_a_dominated_set_between_is_not_an_excuse() -> None:
    # {b} beats {b, c}, which stands before {b, c, d}, though {b, c} itself is gone by then.
    sets = [(-1, ["b"]), (-2, ["b", "c"]), (-3, ["b", "c", "d"]), (-4, [])]
    table = ParentSets.from_lists(["a", "b", "c", "d"], [sets, *([[(0, [])]] * 3)])
    assert table.without_dominated().sets("a") == [(-1.0, ("b",)), (-4.0, ())]


def test_all_subsets_of_many_variables() -> None:
    names = [f"v{index}" for index in range(12)]
    rng = np.random.default_rng(3)
    sets = [
        # Larger sets score a little more on average, so that neither nearly all nor nearly none are dominated.
        (float(len(members) + 3 * rng.standard_normal()), members)
        for bits in product((0, 1), repeat=11)
        for members in [frozenset(name for name, bit in zip(names[1:], bits, strict=True) if bit)]
    ]
    table = ParentSets.from_lists(names, [sets, *([[(0, [])]] * 11)]).without_dominated()
    kept = {frozenset(parents) for _, parents in table.sets(0)}
    assert kept == oracles_parents.undominated(sets)
    assert 50 < len(kept) < len(sets) / 2


# Constraints


@given(set_lists(empty_sets=True), st.data())
def test_constrained_keeps_what_satisfies_the_constraints(lists: Lists, data: st.DataObject) -> None:
    names = lists.names
    pairs = (
        st.lists(st.sampled_from([(a, b) for a in names for b in names if a != b]), max_size=4)
        if names[1:]
        else st.just([])
    )
    cut = data.draw(st.integers(0, len(names)))
    constraints = Constraints(
        forbidden=data.draw(pairs),
        tiers=data.draw(st.sampled_from([[], [names[:cut], names[cut:]]])),
        max_parents=data.draw(st.sampled_from([None, 1, 2, {names[0]: 0}])),
    )
    table = lists.table.constrained(constraints)
    for name, sets in zip(names, lists.sets, strict=True):
        # A set is allowed if the graph of this family alone is.
        allowed = [
            (score, parents)
            for score, parents in sets
            if constraints.satisfied_by(Dag(names, [(parent, name) for parent in parents]))
        ]
        assert table.sets(name) == oracles_parents.best_first(allowed, names)


def test_required_parents() -> None:
    table = by_hand().constrained(Constraints(required=[("b", "a")]))
    assert [parents for _, parents in table.sets("a")] == [("b", "c"), ("b",)]
    assert table.sets("c") == by_hand().sets("c")
    both = by_hand().constrained(Constraints(required=[("b", "a"), ("c", "a")]))
    assert both.sets("a") == [(-1.0, ("b", "c"))]
    assert both.sets("c") == [(-4.5, ())]  # a -> c would turn the required arc


def test_a_variable_without_any_allowed_set_is_named_with_the_reasons() -> None:
    with pytest.raises(ParameterError, match=r"none of the 1 parent sets of 'b' \(1 without all of 'a'\)"):
        by_hand().constrained(Constraints(required=[("a", "b")]))
    table = ParentSets.from_lists(NAMES, [[(-1, ["b"]), (-2, ["b", "c"])], [(0, [])], [(0, [])]])
    with pytest.raises(ParameterError, match=r"2 parent sets of 'a' \(2 with a parent that .*, 1 without all of 'c'\)"):
        table.constrained(Constraints(required=[("c", "a")], forbidden=[("b", "a")]))
    with pytest.raises(ParameterError, match=r"2 with more than 0 parents"):
        table.constrained(Constraints(max_parents=0))


def test_constraints_that_change_nothing_or_are_none() -> None:
    table = by_hand()
    assert table.constrained(Constraints()) is table
    with pytest.raises(ParameterError, match="constraints must be Constraints, not dict"):
        table.constrained({})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="mentions 'z'"):
        table.constrained(Constraints(forbidden=[("z", "a")]))


# Files


@pytest.mark.parametrize("ending", ["jkl", "scores", "jaa", "txt", "pss", "JKL", "jkl.gz", "pss.xz", "v2.pss.bz2"])
def test_the_end_of_the_name_decides_the_format(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"table.{ending}"
    write_parent_sets(by_hand(), path)
    assert read_parent_sets(path) == by_hand()
    assert read_parent_sets(str(path)) == by_hand()
    if path.suffix in (".jkl", ".pss"):
        assert path.read_text().startswith("META" if ending == "pss" else "3\n")


@pytest.mark.parametrize("name", ["table", "table.csv", "table.gz", "jkl", "table.jkl.zip"])
def test_unknown_ends_of_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match=r"does not say the format.*\.jkl, \.scores"):
        write_parent_sets(by_hand(), tmp_path / name)
    with pytest.raises(ParameterError, match="does not say the format"):
        read_parent_sets(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_parent_sets(tmp_path / "none.jkl")
