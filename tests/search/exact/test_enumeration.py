"""Parent sets that a better graph may have: found among all sets, against brute force."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from math import inf
from typing import Any

import numpy as np
import pytest

from arcwise import (
    Adjusted,
    Budget,
    Constraints,
    Dag,
    Dataset,
    Limits,
    LocalScore,
    ParentSets,
    Prior,
    Problem,
    Scope,
    Status,
    _core,
    dynamic_programming,
    exact,
    select,
)
from arcwise.runs.result import Trace
from arcwise.search.exact import enumeration, front
from arcwise.search.exact.enumeration import Enumerated, enumerated
from arcwise.search.search import Context
from oracles_graph import all_dags

Set = tuple[int, ...]


def random_data(seed: int, n: int, rows: int = 80) -> Dataset:
    """Columns of two or three states, each of which depends on two before it."""
    random = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for v in range(n):
        noise = random.integers(0, 3, rows)
        before = sum((columns[int(random.integers(0, v))] for _ in range(2)), np.zeros(rows, dtype=int)) if v else noise
        columns.append(np.where(random.random(rows) < 0.3, noise, before) % (2 + v % 2))
    return Dataset.from_codes(np.stack(columns, axis=1).astype(np.uint8))


def subsets(of: Sequence[int]) -> Iterator[Set]:
    return chain.from_iterable(combinations(of, size) for size in range(len(of) + 1))


def undominated(score: LocalScore, child: int, within: Sequence[int]) -> dict[Set, float]:
    """The sets that beat all of their subsets, with their scores."""
    scores = {parents: score.local(child, parents) for parents in subsets(within)}
    return {
        parents: its
        for parents, its in scores.items()
        if all(its > scores[fewer] + score.rounding for fewer in subsets(parents) if fewer != parents)
    }


def value(score: float, child: int, parents: Set, rows: Sequence[tuple[Set, int]], prices: Iterable[float]) -> float:
    """The score and the prices of the rows that the set keeps."""
    kept = (
        price
        for (nodes, first), price in zip(rows, prices, strict=True)
        if child in nodes and len(set(nodes) & set(parents)) < first
    )
    return score + sum(kept)


def sets_of(found: _core.ParentSearchResult) -> dict[Set, float]:
    begin, members, scores = found.take()
    return {tuple(members[begin[i] : begin[i + 1]].tolist()): score for i, score in enumerate(scores.tolist())}


@pytest.mark.parametrize("kind", ["bic", "ebic", "bdeu", "k2", "fnml"])
@pytest.mark.parametrize("seed", range(4))
def test_every_set_above_the_threshold_is_found(kind: str, seed: int) -> None:
    score, random = LocalScore(random_data(seed, 6), kind), np.random.default_rng(seed)
    rows = [((0, 1, 2), 1), ((1, 2, 3, 4), 2), ((0, 5), 1), ((0, 2, 3, 4, 5), 3)]
    prices = random.integers(0, 5, len(rows)) / 4
    for child in range(6):
        others = [v for v in range(6) if v != child]
        wanted = undominated(score, child, others)
        values = {parents: value(its, child, parents, rows, prices) for parents, its in wanted.items()}
        best = max(values.values())
        for below in (0.5, 5.0, 50.0):
            found = _core.enumerate_parents(
                score.core, child, [], others, rows, prices, 5, 5, best - below, 10**6, Budget().core
            )
            listed = sets_of(found.found)
            assert found.found.is_complete
            assert found.rest == -inf
            assert set(listed) >= {parents for parents, its in values.items() if its > best - below + 1e-9}
            assert () in listed
            for parents, its in listed.items():
                assert its == score.local(child, parents)


def mixed_data(seed: int, n: int, kind: str) -> Dataset:
    """The same columns with gaps, as numbers, or half of them as numbers."""
    codes, random = random_data(seed, n, 40).codes, np.random.default_rng(seed)
    columns: dict[str, list[Any]] = {}
    for v in range(n):
        states = [f"s{code}" for code in codes[:, v]]
        if kind == "gaps":
            columns[f"v{v}"] = [None if random.random() < 0.1 else state for state in states]
        elif kind == "continuous" or v % 2:
            columns[f"v{v}"] = (codes[:, v] + random.normal(0, 0.5, len(states))).tolist()
        else:
            columns[f"v{v}"] = states
    return Dataset.of(columns, missing="keep")


def named(data: Dataset) -> Dataset:
    return Dataset.from_codes(data.codes, names=[f"v{v}" for v in range(data.n_variables)], arities=data.arities)


PRIORS = {
    "no prior": None,
    "uniform": Prior(parents="uniform"),
    "many parents": Prior(parents=0.9),
    "few parents": Prior(parents=0.05),
    "edges": Prior(parents="uniform", edges={("v0", "v1"): 0.95, ("v2", "v3"): 0.1, ("v1", "v4"): 0.9}),
}
SCORES_OF_KINDS = {
    "discrete": ["bic", "aic", "hqc", "loglik", "ebic(gamma=1)", "bdeu", "bdeu(ess=100)", "bds", "k2", "fnml", "qnml"],
    "gaps": ["bic", "aic", "ebic(gamma=1)"],
    "continuous": ["bic", "aic", "ebic(gamma=1)", "bge"],
    "mixed": ["bic", "ebic(gamma=1)"],
}
CASES = [(kind, name) for kind, names in SCORES_OF_KINDS.items() for name in names]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_what_was_not_looked_at_is_bounded(kind: str, name: str, prior: str) -> None:
    data = named(random_data(3, 6)) if kind == "discrete" else mixed_data(3, 6, kind)
    score = LocalScore(data, name if PRIORS[prior] is None else Adjusted(name, PRIORS[prior]))
    rows, prices = [((0, 1, 2), 1), ((1, 2, 3, 4), 2)], np.array([0.5, 2.0])
    for child in range(6):
        others = [v for v in range(6) if v != child]
        wanted = undominated(score, child, others)
        values = {parents: value(its, child, parents, rows, prices) for parents, its in wanted.items()}
        for threshold in (max(values.values()) - 30, max(values.values())):
            for most in (1, 2, 5):
                for scored in (0, 3, 12, 10**6):
                    found = _core.enumerate_parents(
                        score.core,
                        child,
                        [],
                        others,
                        rows,
                        prices,
                        most,
                        5,
                        threshold,
                        10**6,
                        Budget(evaluation_limit=scored).core,
                    )
                    listed = sets_of(found.found)
                    for parents, its in values.items():
                        if parents not in listed:
                            rest = found.rest if len(parents) <= most else max(found.rest, found.deeper)
                            assert its <= max(threshold, rest) + 1e-7 * (1 + abs(its))


def test_no_more_sets_are_kept_than_were_asked_for() -> None:
    score = LocalScore(random_data(3, 6), "bic")
    for child in range(6):
        others = [v for v in range(6) if v != child]
        wanted = undominated(score, child, others)
        threshold = max(wanted.values()) - 30
        few = _core.enumerate_parents(score.core, child, [], others, [], np.empty(0), 5, 5, threshold, 1, Budget().core)
        listed = sets_of(few.found)
        assert few.found.is_complete == (sum(its > threshold for its in wanted.values()) <= 1)
        assert all(its <= max(threshold, few.rest) + 1e-9 for parents, its in wanted.items() if parents not in listed)


def test_a_proof_among_all_graphs_holds_where_a_prior_likes_many_parents() -> None:
    random = np.random.default_rng(29)
    columns = random.normal(size=(10, 16))
    for v in range(1, 16):
        columns[:, v] += columns[:, :v] @ random.normal(size=v) * 3
    data = Dataset.from_codes((columns > 0).astype(np.uint8), arities=[2] * 16)
    score = LocalScore(data, Adjusted("k2", Prior(parents="uniform")))
    unlimited = Limits(time_per_variable=None, scored_per_variable=None, kept_per_variable=None)
    best = dynamic_programming(select(score, method="sequential", limits=unlimited).sets).score
    found = exact(score, seed=1)
    assert found.score <= best + 1e-6
    if found.bound_for == Scope.ALL_SETS:
        assert found.bound is not None
        assert found.bound >= best - 1e-6


def context(budget: Budget | None = None, workers: int = 1) -> Context:
    budget = budget or Budget()
    return Context(1, budget, workers, Trace(None, budget))


def only_empty_sets(score: LocalScore) -> ParentSets:
    return ParentSets.from_lists(score.names, [[(score.local(name), [])] for name in score.names])


def best_of_all(score: LocalScore, constraints: Constraints) -> float:
    names = score.names
    dags = (Dag(names, [(names[a], names[b]) for a, b in arcs]) for arcs in all_dags(len(names)))
    return max(score.total(dag) for dag in dags if constraints.satisfied_by(dag))


@pytest.mark.parametrize("kind", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("seed", range(3))
def test_from_nothing_but_empty_sets_the_table_has_the_best_of_all_graphs(kind: str, seed: int) -> None:
    score = LocalScore(random_data(seed, 4), kind)
    found = enumerated(only_empty_sets(score), Problem(score), Dag(score.names), context(), 1 << 30)
    best = best_of_all(score, Constraints())
    assert exact(found.table).score == pytest.approx(best, rel=1e-12)
    assert found.rest <= best + 1e-9
    assert found.few_parents >= 3
    assert found.scored > 0


def test_constraints_hold_for_all_sets() -> None:
    score = LocalScore(random_data(1, 4))
    names = score.names
    constraints = Constraints(required=[(names[3], names[0])], forbidden=[(names[1], names[2])], max_parents=2)
    start = Dag(names, [(names[3], names[0])])
    table = ParentSets.from_lists(
        names, [[(score.local(v, start.parent_indices[v]), start.parent_indices[v])] for v in range(4)]
    )
    found = enumerated(table, Problem(score, constraints), start, context(), 1 << 30)
    best = best_of_all(score, constraints)
    assert exact(found.table, constraints=constraints).score == pytest.approx(best, rel=1e-12)
    assert found.rest <= best + 1e-9
    assert all(len(parents) <= 2 for name in names for _, parents in found.table.sets(name))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exact_search_without_a_lattice_proves_the_same(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    for kind in ("bic", "bdeu"):
        score = LocalScore(random_data(5, 9, rows=300), kind)
        by_lattice = exact(score, seed=1)
        monkeypatch.setattr(front, "_LATTICE_VARIABLES", 0)
        monkeypatch.setattr(front, "_SCORED_BEFORE_ENUMERATION", 5)
        result = exact(score, seed=1, workers=workers)
        monkeypatch.undo()
        assert result.score == pytest.approx(by_lattice.score, rel=1e-12)
        assert result.status is Status.OPTIMAL
        assert result.bound_for is Scope.ALL_SETS
        assert result.gap == 0
        assert result.counters["enumerated"] > 0


def test_where_sets_of_any_size_are_too_many_the_scope_says_how_many_parents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: Any = _core.enumerate_parents

    def impatient(*args: Any, max_parents: int, budget: _core.Budget, **rest: Any) -> Any:
        ended = Budget(evaluation_limit=0).core
        return searched(*args, max_parents=max_parents, budget=ended if max_parents > 3 else budget, **rest)

    score = LocalScore(random_data(6, 9, rows=300), "bdeu")
    monkeypatch.setattr(front, "_LATTICE_VARIABLES", 0)
    monkeypatch.setattr(front, "_SCORED_BEFORE_ENUMERATION", 5)
    monkeypatch.setattr(_core, "enumerate_parents", impatient)
    result = exact(score, seed=1)
    assert result.bound_for is Scope.at_most(3)
    assert result.status is not Status.OPTIMAL
    monkeypatch.undo()
    best = exact(score, constraints=Constraints(max_parents=3)).score
    assert result.bound is not None
    assert result.bound >= best - 1e-9


def test_sets_of_more_parents_than_the_scope_has_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: Any = _core.enumerate_parents

    def impatient(*args: Any, max_parents: int, budget: _core.Budget, **rest: Any) -> Any:
        soon = Budget(evaluation_limit=40).core
        return searched(*args, max_parents=max_parents, budget=soon if max_parents > 2 else budget, **rest)

    score = LocalScore(random_data(6, 7, rows=400), "aic")
    monkeypatch.setattr(_core, "enumerate_parents", impatient)

    def found() -> Enumerated:
        return enumerated(only_empty_sets(score), Problem(score), Dag(score.names), context(), 1 << 30)

    few = found()
    monkeypatch.setattr(enumeration._Enumeration, "_leave_out", lambda *_: None)
    all_found = found()
    assert 2 <= few.few_parents < 6
    assert few.rest == inf
    for parents, name in zip(few.dag.parent_indices, score.names, strict=True):
        longest = max(few.few_parents, len(parents))
        assert [entry for entry in all_found.table.sets(name) if len(entry[1]) <= longest] == few.table.sets(name)
    assert few.table.n_sets < all_found.table.n_sets
    best = exact(score, constraints=Constraints(max_parents=few.few_parents)).score
    assert exact(few.table).score >= best - 1e-9


def test_a_variable_that_needs_more_time_than_others_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: Any = _core.enumerate_parents
    tried: list[int] = []

    def slow_once(core: Any, child: int, *args: Any, max_parents: int, budget: _core.Budget, **rest: Any) -> Any:
        ended = Budget(0).core if max_parents == 7 and not tried else budget
        tried.extend([child] if max_parents == 7 else [])
        return searched(core, child, *args, max_parents=max_parents, budget=ended, **rest)

    score = LocalScore(random_data(6, 8, rows=300), "bdeu")
    monkeypatch.setattr(_core, "enumerate_parents", slow_once)
    found = enumerated(only_empty_sets(score), Problem(score), Dag(score.names), context(Budget(1e6)), 1 << 30)
    assert len(set(tried)) > 3
    assert tried.count(tried[0]) > 1
    assert found.few_parents == 8
    monkeypatch.undo()
    best = exact(score).score
    assert found.rest <= best + 1e-9
    assert exact(found.table).score == pytest.approx(best, rel=1e-12)


def test_where_many_variables_need_more_time_it_goes_to_graphs_with_fewer_parents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: Any = _core.enumerate_parents
    looked_at: list[int] = []

    def slow(core: Any, child: int, *args: Any, max_parents: int, budget: _core.Budget, **rest: Any) -> Any:
        looked_at.extend([child] if max_parents == 7 and not budget.exhausted else [])
        ended = Budget(0).core if max_parents > 4 else budget
        return searched(core, child, *args, max_parents=max_parents, budget=ended, **rest)

    score = LocalScore(random_data(6, 8, rows=300), "bdeu")
    monkeypatch.setattr(_core, "enumerate_parents", slow)
    found = enumerated(only_empty_sets(score), Problem(score), Dag(score.names), context(Budget(1e6)), 1 << 30)
    assert found.few_parents == 4
    assert 2 < len(looked_at) < 8  # more than a quarter, but not all
    monkeypatch.undo()
    best = exact(score, constraints=Constraints(max_parents=4)).score
    assert exact(found.table).score >= best - 1e-9


def test_the_strongest_statement_is_made() -> None:
    score = LocalScore(random_data(1, 4))
    table = only_empty_sets(score)

    def said(rest: float, few: int, bound: float) -> tuple[Scope, float]:
        return Enumerated(table, rest, few, 0, Dag(score.names)).scope_of(-1000.0, bound)

    assert said(-1000.0, 4, -1000.0) == (Scope.ALL_SETS, -1000.0)
    assert said(-995.0, 0, -990.0) == (Scope.ALL_SETS, -990.0)
    assert said(-995.0, 3, -1000.0) == (Scope.at_most(3), -1000.0)
    assert said(-995.0, 0, -1000.0) == (Scope.ALL_SETS, -995.0)
    assert said(-900.0, 1, -1000.0) == (Scope.CANDIDATE_SETS, -1000.0)


def test_scopes_of_few_parents_are_the_same_object_and_no_other_words_are_one() -> None:
    assert Scope.at_most(1) == "all graphs with at most 1 parent"
    assert Scope("all graphs with at most 12 parents") is Scope.at_most(12)
    with pytest.raises(ValueError, match="not a valid Scope"):
        Scope("all graphs with at most many parents")


def test_a_budget_that_has_ended_leaves_what_was_there() -> None:
    score = LocalScore(random_data(1, 4))
    found = enumerated(only_empty_sets(score), Problem(score), Dag(score.names), context(Budget(0)), 1 << 30)
    assert found.rest == inf
    assert found.few_parents == 0


@pytest.mark.filterwarnings("error")
def test_without_time_for_any_set_nothing_is_known_of_all_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "_SHARE_OF_SETS", 0.0)
    score = LocalScore(random_data(1, 6))
    found = enumerated(only_empty_sets(score), Problem(score), Dag(score.names), context(Budget(1000)), 1 << 30)
    assert found.rest == inf
    assert found.few_parents == 0
