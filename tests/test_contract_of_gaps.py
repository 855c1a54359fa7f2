"""What every search must do with tables that have gaps, as test_contract.py has it for complete ones."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import (
    Constraints,
    Dag,
    DataError,
    Dataset,
    Limits,
    LocalScore,
    ParameterError,
    Result,
    Status,
    Stop,
    bootstrap,
    compare_methods,
    learn,
    load_example,
    read_run,
    select,
    write_run,
)
from arcwise.search.registry import SEARCHES
from arcwise.search.search import options_of
from oracles_gaps import pairwise_score
from oracles_graph import all_dags
from result_checks import check
from tables import dependent_table, table_of_numbers


def with_gaps(data: Dataset, share: float = 0.2, seed: int = 1) -> Dataset:
    hidden = np.random.default_rng(seed).random(data.codes.shape) < share
    hidden[0] = False
    codes = np.ma.array(data.codes, mask=hidden)
    return Dataset.from_codes(codes, names=data.names, states=data.states, weights=data.weights)


TAKEN = [name for name, search in SEARCHES.items() if not (search.needs_equivalence or search.needs_states)]
REFUSED = [name for name in SEARCHES if name not in TAKEN]

every_search = pytest.mark.parametrize("method", TAKEN)


def learned(method: str, data: Dataset, **options: Any) -> Result:
    limits = {"climbs": 3, "stop": Stop(climbs=20)}
    few = {name: limit for name, limit in limits.items() if name in options_of(type(SEARCHES[method]))}
    return learn(data, method=method, **{"seed": 3, **few, **options})


def test_all_but_those_by_classes_and_tests_take_gaps() -> None:
    assert sorted(REFUSED) == sorted(["ges", "kes", "xges", "mmhc", "mtmhc"])


@every_search
@pytest.mark.parametrize("score", ["bic", "ebic", "aic"])
def test_result_is_what_it_says(method: str, score: str, tmp_path: Path) -> None:
    data = with_gaps(dependent_table())
    result = learned(method, data, score=score, workers=1)
    check(result, data, score)
    assert result.score > LocalScore(data, score).total(Dag(data.names))
    expected = sum(
        pairwise_score(score, data, v, [data.index(name) for name in result.dag.parents(data.names[v])])
        for v in range(data.n_variables)
    )
    assert result.score == pytest.approx(expected)
    others = learned(method, data, score=score, workers=3)
    assert (others.dag, others.score) == (result.dag, result.score)
    assert "scored on the rows that have all of it" in result.decisions["missing"]
    write_run(result, tmp_path / "run.json")
    restored = read_run(tmp_path / "run.json")
    assert (restored.result.dag, restored.result.score) == (result.dag, result.score)
    assert restored.data is not None
    assert restored.data.gaps == data.summary().gaps
    np.testing.assert_array_equal(
        [table.probabilities.ravel()[0] for table in restored.result.network(ess=1).distributions],  # type: ignore
        [table.probabilities.ravel()[0] for table in result.network(ess=1).distributions],  # type: ignore
    )


@every_search
@pytest.mark.parametrize("kinds", ["cccc", "c2c3"])
def test_numbers_may_be_missing_too(method: str, kinds: str, tmp_path: Path) -> None:
    data = table_of_numbers(kinds)
    hidden = np.random.default_rng(1).random(data.codes.shape) < 0.2
    codes = np.where(hidden & (np.array(data.arities) > 0), data.arities, data.codes).astype(np.uint8)
    numbers = np.where(hidden[:, list(data.continuous)], np.nan, np.asarray(data.numbers))
    gaps = Dataset(codes, data.names, data.states, numbers=numbers)
    result = learned(method, gaps, score="bic")
    check(result, gaps, "bic")
    assert result.score > LocalScore(gaps, "bic").total(Dag(data.names))
    write_run(result, tmp_path / "run.json")
    restored = read_run(tmp_path / "run.json")
    assert restored.result.score == result.score
    assert restored.data is not None
    assert restored.data.gaps == gaps.summary().gaps
    assert np.isfinite(result.network().log_likelihood(data))


@pytest.mark.parametrize("method", REFUSED)
def test_others_say_what_to_do(method: str) -> None:
    with pytest.raises((ParameterError, DataError), match=r"gaps.*search over graphs|value in every cell.*'drop'"):
        learned(method, with_gaps(dependent_table()))


@every_search
def test_gaps_in_one_variable(method: str) -> None:
    data = dependent_table()
    codes = np.ma.array(data.codes, mask=np.zeros(data.codes.shape, dtype=bool))
    codes[::3, 1] = np.ma.masked
    few = Dataset.from_codes(codes, names=data.names, states=data.states)
    check(learned(method, few, score="bic"), few, "bic")


@every_search
def test_nearly_nothing_is_known(method: str) -> None:
    data = with_gaps(dependent_table(), 0.95)
    check(learned(method, data, score="bic"), data, "bic")


@every_search
def test_limits_and_constraints_are_kept(method: str) -> None:
    data = with_gaps(dependent_table())
    first, second, third = data.names[:3]
    rules = Constraints(required=[(second, first)], forbidden=[(first, third)], max_parents=2)
    result = learned(method, data, constraints=rules)
    assert (second, first) in result.dag.arcs
    assert (first, third) not in result.dag.arcs
    assert max(len(result.dag.parents(name)) for name in data.names) <= 2
    ended = learned(method, data, evaluation_limit=0)
    assert ended.status in (Status.EVALUATION_LIMIT, Status.LOCAL_OPTIMUM, Status.OPTIMAL)


@pytest.mark.parametrize("seed", range(4))
def test_exact_search_finds_the_best_of_all_graphs(seed: int) -> None:
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.integers(0, 2, 60), random.integers(0, 3, 60), random.integers(0, 2, 60)])
    codes = np.column_stack([codes, (codes[:, 0] + codes[:, 2] + (random.random(60) < 0.2)) % 2])
    data = with_gaps(Dataset.from_codes(codes), 0.3, seed)
    score = LocalScore(data)
    best = max(sum(score.local(v, [p for p, child in arcs if child == v]) for v in range(4)) for arcs in all_dags(4))
    result = learn(data, method="exact", seed=1)
    assert result.status is Status.OPTIMAL
    assert result.score == pytest.approx(best)


@pytest.mark.parametrize("method", ["sequential", "greedy", "independence"])
def test_selected_sets_lose_nothing(method: str) -> None:
    """Without a limit all sets are there that no subset of theirs beats: bounds have not left out any."""
    data = with_gaps(dependent_table())
    score = LocalScore(data)
    found = select(score, method=method, limits=Limits(max_parents=3)).sets
    for child in data.names:
        others = [name for name in data.names if name != child]
        scores = {
            frozenset(parents): score.local(child, parents)
            for size in range(4)
            for parents in combinations(others, size)
        }
        best = {
            parents
            for parents, its in scores.items()
            if all(its > scores[fewer] + score.rounding for fewer in scores if fewer < parents)
        }
        assert {frozenset(parents) for _, parents in found.sets(child)} == best


def test_missing_values_of_frames() -> None:
    frame = with_gaps(load_example("asia").sample(2000, seed=1)).to_frame()
    with pytest.raises(DataError, match=r"missing='drop' leaves out .*missing='pairwise'"):
        learn(frame)
    result = learn(frame, missing="pairwise", seed=1, time_limit=2)
    assert result.data is not None
    assert result.data.has_gaps  # type: ignore[union-attr]
    assert "8 variables with gaps" in result.decisions["plan"]
    with pytest.warns(UserWarning, match="rows are dropped"):
        dropped = learn(frame, missing="drop", seed=1, time_limit=2)
    assert "missing" not in dropped.decisions
    assert learn(frame, missing="state", seed=1, time_limit=2).data.arities[0] == 3  # type: ignore[union-attr]
    with pytest.raises(ParameterError, match="missing must be one of error, drop, state, pairwise, em"):
        learn(frame, missing="ignore")  # type: ignore[arg-type]


def test_a_dataset_with_gaps_is_taken_as_it_is() -> None:
    data = with_gaps(dependent_table())
    assert learn(data, method="greedy", seed=1).dag == learn(data, method="greedy", missing="pairwise", seed=1).dag
    complete = learn(data, method="greedy", missing="drop", seed=1)
    assert complete.data == data.complete_rows()
    with pytest.raises(ParameterError, match="missing='state' is for tables that are read"):
        learn(data, missing="state")


def test_graphs_come_nearer_to_the_truth_than_those_of_complete_rows() -> None:
    truth = load_example("asia")
    data = with_gaps(truth.sample(3000, seed=1), 0.3)
    assert data.complete_rows().n_rows < 250
    test = truth.sample(5000, seed=2)
    by_pairs = learn(data, seed=1, time_limit=3).network(ess=1).log_likelihood(test)
    by_complete = learn(data, missing="drop", seed=1, time_limit=3).network(ess=1).log_likelihood(test)
    assert by_pairs > by_complete


def test_a_parent_is_not_taken_because_it_is_missing_where_the_child_varies() -> None:
    """X and Y are independent, but Y is known only where X is 0, so that the mean likelihood is 0 in those rows."""
    random = np.random.default_rng(1)
    codes = np.ma.array(random.integers(0, 2, (2000, 2)), mask=False)
    codes[codes[:, 0] == 1, 1] = np.ma.masked
    assert learn(Dataset.from_codes(codes), seed=1).dag.arcs == ()


def test_strengths_and_comparisons() -> None:
    frame = with_gaps(load_example("cancer").sample(1500, seed=1)).to_frame()
    strengths = bootstrap(frame, "greedy", 5, missing="pairwise", seed=1)
    assert strengths.n_replicas == 5
    assert strengths.edge("Cancer", "Xray") > 0
    found = compare_methods({"cancer": frame}, ["greedy", "tabu"], missing="pairwise", seed=1)
    assert len(found.runs) == 2
    with pytest.raises(DataError, match="Holding rows out needs a value in every cell"):
        compare_methods({"cancer": frame}, ["greedy", "tabu"], missing="pairwise", folds=2, seed=1)
