"""A selection that is stopped returns a valid table, says why it stopped, and claims no more than it has."""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from arcwise.constraints.constraints import Constraints
from arcwise.data.dataset import Dataset
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import SELECTIONS, Limits, Selected, select
from arcwise.runs.budget import Budget
from arcwise.runs.result import Status
from arcwise.scores import LocalScore
from arcwise.support.errors import ParameterError
from interrupting import half_way, presses_ctrl_c, runs_out_of_time
from oracles_selection import subsets, worth_keeping
from score_cases import COUNTED
from tables import dependent_table

SEARCHES = [method for method in SELECTIONS if method != "exhaustive"]
DATA_FOLDER = Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[3] / "shared" / "data"))

every_method = pytest.mark.parametrize("method", SELECTIONS)
every_search = pytest.mark.parametrize("method", SEARCHES)


def check(selected: Selected, score: LocalScore) -> None:
    """What holds for every table, however it ended: each set beats its subsets and has its score."""
    sets = selected.sets
    assert sets.names == score.data.names
    assert sets == sets.without_dominated()
    assert len(selected.complete) == sets.n_variables
    assert selected.is_exact == all(selected.complete) == (selected.status == Status.COMPLETE)
    for child in range(sets.n_variables):
        families = sets.sets(child)
        for found, parents in families[:20] + families[-1:]:
            assert found == pytest.approx(score.local(child, parents), rel=1e-11, abs=1e-9)


def smallest_only(sets: ParentSets) -> bool:
    return all([parents for _, parents in sets.sets(v)] == [()] for v in range(sets.n_variables))


def has_smallest(sets: ParentSets) -> bool:
    return all(() in [parents for _, parents in sets.sets(v)] for v in range(sets.n_variables))


@pytest.mark.parametrize("name", COUNTED)
@every_search
def test_counts_make_the_same_table_for_any_number_of_workers(method: str, name: str) -> None:
    data = dependent_table(300, (2, 3, 4) * 4, seed=2)
    limits = Limits(scored_per_variable=150, time_per_variable=None)
    first, *others = (
        select(LocalScore(data, name), method=method, limits=limits, workers=workers) for workers in (1, 1, 2, 4)
    )
    check(first, LocalScore(data, name))
    for other in others:
        assert other.sets == first.sets
        assert (other.scored, other.complete, other.status) == (first.scored, first.complete, first.status)
    assert first.status == Status.EVALUATION_LIMIT
    assert first.scored < 12 * (150 + 12)


def test_a_score_does_not_depend_on_what_was_scored_before() -> None:
    """Otherwise it depends on which of several threads comes first."""
    rng = np.random.default_rng(27)
    n_rows = int(rng.integers(3000, 40_000))
    codes = (rng.random((n_rows, 9)) < 0.03).astype(np.int64)
    codes[:, 8] = rng.integers(0, 4, n_rows)
    data = Dataset.from_codes(codes, arities=[2] * 8 + [4])
    constraints = Constraints(required=[(f"X{parent}", "X0") for parent in range(1, 8)])
    limits = Limits(scored_per_variable=0)
    fresh, used = LocalScore(data, "bdeu"), LocalScore(data, "bdeu")
    used.local("X8", [f"X{parent}" for parent in range(1, 7)])
    tables = [select(score, constraints=constraints, limits=limits, workers=1).sets for score in (fresh, used)]
    assert tables[0] == tables[1]


@every_search
@pytest.mark.parametrize("scored", [0, 1, 2, 30])
def test_few_sets_may_be_scored(method: str, scored: int) -> None:
    data = dependent_table(300, (2, 3) * 4)
    score = LocalScore(data)
    selected = select(score, method=method, limits=Limits(scored_per_variable=scored))
    check(selected, score)
    assert selected.status == Status.EVALUATION_LIMIT
    assert has_smallest(selected.sets)
    assert smallest_only(selected.sets) == (scored < 2)
    assert selected.scored <= 8 * (max(1, scored) + 7)


@every_method
@pytest.mark.parametrize("kept", [1, 2, 5])
def test_the_best_sets_are_kept(method: str, kept: int) -> None:
    data = dependent_table(300, (2, 3) * 3)
    score = LocalScore(data)
    everything = select(score, method=method, limits=Limits(time_per_variable=None))
    selected = select(score, method=method, limits=Limits(time_per_variable=None, kept_per_variable=kept))
    for child in range(data.n_variables):
        best_first = everything.sets.sets(child)
        smallest = next(family for family in best_first if not family[1])
        expected = best_first[:kept]
        assert selected.sets.sets(child) == expected + [smallest] * (smallest not in expected)


@every_method
def test_a_table_that_was_cut_is_not_complete(method: str) -> None:
    data = dependent_table(300, (2, 3) * 3)
    score = LocalScore(data)
    n_sets = [len(select(score, method=method).sets.sets(child)) for child in range(data.n_variables)]
    kept = max(n_sets) - 1
    selected = select(score, method=method, limits=Limits(kept_per_variable=kept))
    assert selected.complete == tuple(n <= kept for n in n_sets)
    assert not selected.is_exact
    assert selected.status != Status.COMPLETE
    enough = select(score, method=method, limits=Limits(kept_per_variable=kept + 1))
    assert enough.is_exact


@cache
def twelve_variables() -> tuple[LocalScore, list[dict[frozenset[int], float]]]:
    """A table with more undominated sets than fit a mebibyte, and all its families."""
    score = LocalScore(dependent_table(2000, (2,) * 12, seed=1), "loglik")
    scores = []
    for child in range(12):
        sets = subsets([v for v in range(12) if v != child])
        scores.append({parents: score.local(child, parents) for parents in sets})
    return score, scores


@every_method
@pytest.mark.parametrize("memory", [1 << 20, 1 << 30])
def test_little_memory_is_enough_for_a_valid_table(method: str, memory: int) -> None:
    score, scores = twelve_variables()
    selected = select(score, method=method, limits=Limits(time_per_variable=None, memory=memory))
    check(selected, score)
    assert selected.status == (Status.MEMORY_LIMIT if memory == 1 << 20 else Status.COMPLETE)
    for child, is_complete in enumerate(selected.complete):
        if is_complete:
            found = {frozenset(map(score.data.index, parents)) for _, parents in selected.sets.sets(child)}
            # A few children are enough: all subsets of all sets are many.
            assert child > 1 or worth_keeping(scores[child], margin=1e-6) <= found


@every_method
@pytest.mark.parametrize(
    ("limits", "budget", "status"),
    [
        ({"time_per_variable": 0}, {}, Status.TIME_LIMIT),
        ({}, {"time_limit": 0}, Status.TIME_LIMIT),
        ({}, {"evaluation_limit": 0}, Status.EVALUATION_LIMIT),
    ],
    ids=["time per variable", "time", "evaluations"],
)
def test_limit_zero_leaves_the_smallest_sets(
    method: str, limits: dict[str, int], budget: dict[str, int], status: Status
) -> None:
    score = LocalScore(dependent_table())
    selected = select(score, method=method, limits=Limits(**limits), budget=Budget(**budget))  # type: ignore[arg-type]
    check(selected, score)
    assert selected.status == status
    assert not any(selected.complete)
    assert smallest_only(selected.sets)


@every_method
def test_interrupted_before_it_starts(method: str) -> None:
    data = dependent_table()
    constraints = Constraints(required=[("X4", "X1"), ("X2", "X1")])
    budget = Budget()
    budget.interrupt()
    selected = select(LocalScore(data), method=method, budget=budget, constraints=constraints)
    check(selected, LocalScore(data))
    assert selected.status == Status.INTERRUPTED
    assert selected.sets.relaxed_graph() == {"X0": (), "X1": ("X2", "X4"), "X2": (), "X3": (), "X4": ()}


@every_method
def test_ctrl_c_returns_what_was_found(method: str) -> None:
    score, limits = LocalScore(dependent_table(arities=(2, 3) * 6)), Limits(time_per_variable=None)
    middle = half_way(lambda: select(score, method=method, limits=limits))
    with presses_ctrl_c(middle) as watch:
        selected = select(score, method=method, limits=limits, budget=Budget(watch=watch))
    check(selected, score)
    assert selected.status == Status.INTERRUPTED
    assert has_smallest(selected.sets)
    assert not all(selected.complete)


@every_method
def test_a_time_limit_is_kept(method: str) -> None:
    score, limits = LocalScore(dependent_table(arities=(2, 3) * 6)), Limits(time_per_variable=None)
    selected = runs_out_of_time(
        lambda seconds: select(score, method=method, limits=limits, budget=Budget(time_limit=seconds))
    )
    check(selected, score)
    assert has_smallest(selected.sets)
    assert not all(selected.complete)


def test_a_limit_is_shared_fairly() -> None:
    """Time and evaluations by the same shares, and evaluations do not depend on the machine."""
    score = LocalScore(dependent_table(n_rows=5000, arities=(2,) * 40, seed=1), "aic")
    budget = Budget(evaluation_limit=40 * 500)
    selected = select(score, limits=Limits(time_per_variable=None), budget=budget, workers=1)
    n_sets = [len(selected.sets.sets(child)) for child in range(40)]
    assert selected.status == Status.EVALUATION_LIMIT
    assert min(n_sets) > 1


@every_method
@pytest.mark.parametrize("workers", [1, 3])
def test_every_finished_variable_is_reported(method: str, workers: int) -> None:
    seen: list[tuple[int, int]] = []
    select(
        LocalScore(dependent_table()),
        method=method,
        workers=workers,
        on_variable=lambda done, n: seen.append((done, n)),
    )
    # Exhaustive selection finishes all variables at once.
    assert seen == ([(5, 5)] if method == "exhaustive" else [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)])


def test_an_error_in_the_callback_ends_the_selection() -> None:
    def fail(done: int, n: int) -> None:
        raise ZeroDivisionError

    data = dependent_table(n_rows=20_000, arities=(2, 3, 4) * 8, seed=1)
    budget = Budget()
    with pytest.raises(ZeroDivisionError):
        select(LocalScore(data), limits=Limits(time_per_variable=0.2), workers=1, budget=budget, on_variable=fail)
    assert budget.is_interrupted


@pytest.mark.parametrize("method", ["magic", "Sequential", "", None, 3])
def test_unknown_methods_are_refused(method: object) -> None:
    with pytest.raises(ParameterError, match="method must be one of balanced, sequential"):
        select(LocalScore(dependent_table()), method=method)  # type: ignore[arg-type]


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_bad_numbers_of_workers_are_refused(workers: object) -> None:
    with pytest.raises(ParameterError, match="workers must be"):
        select(LocalScore(dependent_table()), workers=workers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_parents", -1),
        ("max_parents", 1.5),
        ("max_parents", True),
        ("time_per_variable", -0.1),
        ("time_per_variable", float("nan")),
        ("time_per_variable", "2"),
        ("scored_per_variable", -1),
        ("scored_per_variable", 1e3),
        ("kept_per_variable", 0),
        ("kept_per_variable", "5"),
        ("memory", 1000),
        ("memory", None),
        ("memory", 1e9),
    ],
)
def test_bad_limits_are_refused(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be"):
        Limits(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("limits", {"max_parents": 2}),
        ("limits", {}),
        ("constraints", {}),
        ("constraints", [("X0", "X1")]),
        ("budget", 10.0),
        ("on_variable", 3),
    ],
    ids=str,
)
def test_arguments_of_other_types_are_refused(argument: str, value: object) -> None:
    with pytest.raises(ParameterError, match=argument):
        select(LocalScore(dependent_table()), **{argument: value})  # type: ignore[arg-type]


def test_data_in_the_place_of_a_score_is_for_bic() -> None:
    table = dependent_table()
    assert select(table, method="sequential").sets == select(LocalScore(table, "bic"), method="sequential").sets
    with pytest.raises(ParameterError, match="discretise says how a table is read, and the LocalScore has read it"):
        select(LocalScore(table), discretise="quantile")


def test_parameters_that_do_not_exist_are_refused_whatever_is_given_with_them() -> None:
    table = dependent_table()
    for given in (table, LocalScore(table)):
        with pytest.raises(ParameterError, match=r"one of the limits; give limits=Limits\(max_parents=…\)"):
            select(given, max_parents=3)  # type: ignore[call-arg]
        with pytest.raises(ParameterError, match=r"there is no parameter 'discretse'.* did you mean 'discretise'"):
            select(given, discretse="quantile")  # type: ignore[call-arg]


def test_constraints_on_unknown_variables_are_refused() -> None:
    with pytest.raises(ParameterError, match="'X9', which is not among"):
        select(LocalScore(dependent_table()), constraints=Constraints(forbidden=[("X9", "X0")]))


@pytest.mark.skipif(not (DATA_FOLDER / "debd").is_dir(), reason="the data folder is not there")
@pytest.mark.parametrize(("name", "relaxed_score", "most"), [("nltcs", -109786.480, None), ("msnbc", -2162786.435, 11)])
def test_known_best_parent_sets(name: str, relaxed_score: float, most: int | None) -> None:
    with np.load(DATA_FOLDER / "debd" / f"{name}.npz") as file:
        n = int(file["shape"][1])
        codes = np.unpackbits(file["bits"], axis=1, count=n)
    selected = select(LocalScore(Dataset.from_codes(codes, arities=[2] * n)), method="exhaustive")
    assert selected.is_exact
    assert selected.scored == n * 2 ** (n - 1)
    assert selected.sets.relaxed_score() == pytest.approx(relaxed_score, abs=6e-4)
    if most is not None:
        assert max(map(len, selected.sets.relaxed_graph().values())) == most
