"""Tests of scores on tables with gaps: each family on the rows that have all of it."""

from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Adjusted, CountScore, Dag, DataError, Dataset, LocalScore, Prior
from arcwise.scores.definitions import SCORES
from oracles_gaps import node_average, pairwise_score
from tables import dependent_table, table_of_numbers

TAKING = [name for name, score in SCORES.items() if score.takes_gaps]
COLUMNS = {
    "a": ["x", "x", "x", "y", "y", None, "x", None],
    "b": ["u", "v", None, "u", "u", "v", "u", "v"],
    "c": ["p", "q", "q", "p", None, "q", "p", "p"],
}


def with_gaps(data: Dataset, share: float, seed: int, *, whole: int | None = None) -> Dataset:
    """The same data with some cells missing, but for one variable that has all."""
    mask = np.random.default_rng(seed).random(data.codes.shape) < share
    mask[0] = False
    if whole is not None:
        mask[:, whole] = False
    codes = np.ma.array(data.codes, mask=mask)
    return Dataset.from_codes(codes, names=data.names, states=data.states, weights=data.weights)


def families(n: int) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (child, parents)
        for child in range(n)
        for size in range(n)
        for parents in combinations([v for v in range(n) if v != child], size)
    ]


def test_those_that_take_gaps_are_likelihoods_with_a_price_for_each_parameter() -> None:
    assert TAKING == ["bic", "ebic", "aic", "hqc", "loglik"]


def test_by_hand() -> None:
    score = LocalScore(Dataset.of(COLUMNS, missing="keep"), "bic")
    # a is x, x, x, y, y, x in 6 of 8 rows.
    alone = 8 / 6 * (4 * log(4 / 6) + 2 * log(2 / 6))
    assert score.local("a") == pytest.approx(alone - max(8 / 6 * log(8) / 2, 8**0.75 / 3 * 2 / 8))
    # b with a: (x, u), (x, v), (y, u), (y, u), (x, u) in 5 rows; of b alone 4 u and 1 v in these, 4 u and 3 v in 7.
    gain = (2 * log(2 / 3) + log(1 / 3)) - (4 * log(4 / 5) + log(1 / 5))
    own = 8 / 7 * (4 * log(4 / 7) + 3 * log(3 / 7))
    price = max(8 / 5 * 2 * log(8) / 2, 8**0.75 / 3 * 3 / 8 * 2)
    assert score.local("b", ["a"]) == pytest.approx(8 / 5 * gain + own - price)


def test_averages_are_those_of_bnlearn() -> None:
    # bnlearn 4.9: score(dag, data, type = "nal", by.node = TRUE) for [a][b|a][c|a:b] and the graph without arcs.
    data = Dataset.of(COLUMNS, missing="keep")
    assert node_average(data, 0, ()) == pytest.approx(-0.636514168294813, rel=1e-14)
    assert node_average(data, 1, (0,)) == pytest.approx(-0.381908500976888, rel=1e-14)
    assert node_average(data, 2, (0, 1)) == pytest.approx(0.0, abs=1e-14)
    assert node_average(data, 2, ()) == pytest.approx(-0.682908104700472, rel=1e-14)
    score = LocalScore(data, "loglik")
    assert score.local("a") / 8 == pytest.approx(-0.636514168294813, rel=1e-14)
    assert score.local("c") / 8 == pytest.approx(-0.682908104700472, rel=1e-14)
    # With parents, what c is without them in the four rows that have all three (p, q, p, p) is replaced by what it is
    # in all of its own.
    in_those = (3 * log(3 / 4) + log(1 / 4)) / 4
    assert score.local("c", ["a", "b"]) / 8 == pytest.approx(0.0 - in_those - 0.682908104700472, rel=1e-14)


@pytest.mark.parametrize("name", TAKING)
@settings(max_examples=25, deadline=None)
@given(
    arities=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    n_rows=st.integers(2, 30),
    share=st.sampled_from([0.05, 0.3, 0.7]),
    weighted=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_families_equal_the_twin(
    name: str, arities: list[int], n_rows: int, share: float, weighted: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.integers(0, arity, n_rows) for arity in arities])
    weights = random.integers(1, 9, n_rows) if weighted else None
    data = with_gaps(Dataset.from_codes(codes, arities=arities, weights=weights), share, seed)
    score = LocalScore(data, name)
    for child, parents in families(len(arities)):
        assert score.local(child, parents) == pytest.approx(pairwise_score(name, data, child, parents), abs=1e-9)


@pytest.mark.parametrize("name", TAKING)
def test_additions_and_removals_are_the_same_to_the_last_bit(name: str) -> None:
    data = with_gaps(dependent_table(), 0.2, 1)
    score, fresh = LocalScore(data, name), LocalScore(data, name, cache_bytes=0)
    n = data.n_variables
    for child, parents in families(n):
        others = [v for v in range(n) if v not in (child, *parents)]
        added = score.additions(child, parents).tolist()
        assert added == [fresh.local(child, (*parents, other)) for other in others]
        removed = score.removals(child, parents).tolist()
        assert removed == [fresh.local(child, [p for p in parents if p != gone]) for gone in parents]


@pytest.mark.parametrize("name", TAKING)
@pytest.mark.parametrize("instructions", ["plain", "avx2", "avx512"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("states", [4, 300])
def test_families_without_gaps_have_the_ordinary_score_to_the_last_bit(
    name: str, instructions: str, weighted: bool, states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    n_rows, arities = 500, [2, 3, 2, states, 2, 3]
    codes = np.column_stack([random.integers(0, arity, n_rows) for arity in arities])
    weights = random.integers(0, 9, n_rows) if weighted else None
    complete = Dataset.from_codes(codes, arities=arities, weights=weights)
    hidden = np.zeros(codes.shape, dtype=bool)
    hidden[:100, 5] = True
    gaps = Dataset.from_codes(np.ma.array(codes, mask=hidden), arities=arities, weights=weights)
    assert gaps.codes.dtype == (np.uint16 if states > 256 else np.uint8)
    monkeypatch.setenv("ARCWISE_SIMD", instructions)
    try:
        found = LocalScore(gaps, name)
    except ValueError:
        pytest.skip(f"this machine has no {instructions}")
    expected = LocalScore(complete, name)
    for child, parents in families(5):
        assert found.local(child, parents) == expected.local(child, parents)
        others = [v for v in range(5) if v not in (child, *parents)]
        assert found.additions(child, parents, others).tolist() == expected.additions(child, parents, others).tolist()


@pytest.mark.parametrize("instructions", ["plain", "avx2", "avx512"])
def test_instructions_do_not_matter(instructions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = with_gaps(dependent_table(), 0.2, 1)
    expected = [LocalScore(data).additions(child, ()).tolist() for child in range(data.n_variables)]
    monkeypatch.setenv("ARCWISE_SIMD", instructions)
    try:
        found = LocalScore(data)
    except ValueError:
        pytest.skip(f"this machine has no {instructions}")
    assert [found.additions(child, ()).tolist() for child in range(data.n_variables)] == expected


def test_rows_merged_or_not_score_the_same() -> None:
    data = with_gaps(Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (2000, 3))), 0.2, 1)
    score = LocalScore(data)
    assert score.table.n_rows < data.n_rows
    for child, parents in families(3):
        assert score.local(child, parents) == pytest.approx(pairwise_score("bic", data, child, parents), abs=1e-8)


def test_interventions_and_gaps_together() -> None:
    data = with_gaps(dependent_table(), 0.2, 4).with_interventions({"X0": range(20), "X2": range(10, 50)})
    score = LocalScore(data)
    for child, parents in families(4):
        assert score.local(child, parents) == pytest.approx(pairwise_score("bic", data, child, parents), abs=1e-8)


def test_it_is_not_equivalent_and_has_no_lattice() -> None:
    score = LocalScore(with_gaps(dependent_table(), 0.2, 1))
    assert not score.is_equivalent
    assert not score.core.has_set_function
    assert not score.is_one_matrix


def test_a_parent_that_is_never_there_with_the_child_says_nothing() -> None:
    hidden = np.zeros((100, 2), dtype=bool)
    hidden[:50, 0] = hidden[50:, 1] = True
    codes = np.random.default_rng(1).integers(0, 2, (100, 2))
    score = LocalScore(Dataset.from_codes(np.ma.array(codes, mask=hidden)))
    assert score.local(0, [1]) < score.local(0)


@pytest.mark.parametrize("factor", [0.0, 0.5, 3.0])
def test_factors_on_the_penalty_multiply_what_is_paid(factor: float) -> None:
    data = with_gaps(dependent_table(), 0.2, 1)
    free, plain = LocalScore(data, "loglik"), LocalScore(data, "bic")
    adjusted = LocalScore(data, Adjusted("bic", penalty_factor=factor))
    for child, parents in families(4):
        paid = free.local(child, parents) - plain.local(child, parents)
        assert adjusted.local(child, parents) == pytest.approx(free.local(child, parents) - factor * paid, abs=1e-8)


def test_priors_are_added() -> None:
    data = with_gaps(dependent_table(), 0.2, 1)
    arc = (data.names[0], data.names[1])
    adjusted = LocalScore(data, Adjusted("bic", Prior(arcs={arc: 0.05})))
    gain = adjusted.local(1, [0]) - LocalScore(data).local(1, [0])
    assert gain == pytest.approx(log(0.05 / 0.475))


class Naive(CountScore):
    def of_counts(self, counts: Any, family: Any) -> float:
        return float(counts.sum())


@pytest.mark.parametrize("score", [*sorted(set(SCORES) - set(TAKING) - {"bge", "dg"}), Naive()])
def test_scores_that_have_no_common_scale_refuse_gaps(score: Any) -> None:
    with pytest.raises(DataError, match="needs a value in every cell"):
        LocalScore(with_gaps(dependent_table(), 0.2, 1), score)


def test_a_column_without_values_is_refused() -> None:
    codes = np.ma.array(np.zeros((4, 2), dtype=int), mask=[[True, False]] * 4)
    with pytest.raises(DataError, match="Nothing is known of 'X0'"):
        LocalScore(Dataset.from_codes(codes, arities=[2, 2]))


def test_a_replica_may_have_no_value_of_a_column() -> None:
    codes = np.ma.array([[0, 1, 0], [1, 0, 1], [1, 1, 1]], mask=[[True, False, False]] + 2 * [[False] * 3])
    score = LocalScore(Dataset.from_codes(codes, weights=[5, 0, 0]))
    assert score.local(0, [1]) < score.local(0) <= 0
    assert score.local(1, [0]) < score.local(1)


def test_totals_are_sums_of_families() -> None:
    data = with_gaps(dependent_table(), 0.2, 1)
    names = data.names
    dag = Dag(names, [(names[0], names[1]), (names[1], names[2])])
    expected = sum(pairwise_score("bic", data, v, dag.parent_indices[v]) for v in range(data.n_variables))
    assert LocalScore(data).total(dag) == pytest.approx(expected)


# Continuous and mixed data


def numbers_with_gaps(kinds: str, share: float, seed: int, *, n_rows: int = 60, weighted: bool = False) -> Dataset:
    """Rows of the kinds of `table_of_numbers`, with some cells of all columns missing."""
    data = table_of_numbers(kinds, n_rows, seed)
    random = np.random.default_rng(seed)
    hidden = random.random(data.codes.shape) < share
    hidden[0] = False
    codes = np.where(hidden & (np.array(data.arities) > 0), data.arities, data.codes).astype(np.uint8)
    numbers = np.where(hidden[:, list(data.continuous)], np.nan, np.asarray(data.numbers))
    weights = random.integers(1, 4, n_rows).astype(np.uint32) if weighted else None
    return Dataset(codes, data.names, data.states, weights, numbers=numbers)


def known_families(data: Dataset) -> list[tuple[int, tuple[int, ...]]]:
    """Those in which a discrete child has no continuous parents."""
    return [
        (child, parents)
        for child, parents in families(data.n_variables)
        if not data.arities[child] or all(data.arities[parent] for parent in parents)
    ]


@pytest.mark.parametrize("kinds", ["ccc", "c2c3", "22c"])
@pytest.mark.parametrize("name", TAKING)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_families_with_numbers_equal_the_twin(kinds: str, name: str, weighted: bool, share: float) -> None:
    data = numbers_with_gaps(kinds, share, 3, weighted=weighted)
    score = LocalScore(data, name)
    for child, parents in known_families(data):
        assert score.local(child, parents) == pytest.approx(pairwise_score(name, data, child, parents), abs=1e-6)


def test_a_regression_by_hand() -> None:
    columns = {"x": [0.5, 1.5, 2.0, 3.5, None, 5.0, 6.5], "y": [1.0, None, 2.5, 3.0, 4.5, 7.0, 5.5]}
    data = Dataset.of(columns, missing="keep")
    x, y = np.array([0.5, 2.0, 3.5, 5.0, 6.5]), np.array([1.0, 2.5, 3.0, 7.0, 5.5])
    own = np.array([1.0, 2.5, 3.0, 4.5, 7.0, 5.5])
    share = 1 - np.corrcoef(x, y)[0, 1] ** 2
    price = max(7 / 5 * 3 * log(7) / 2, 7**0.75 / 2 * 2 / 7 * 3)
    expected = 7 * (-0.5 * log(share)) - 7 * 0.5 * (log(2 * np.pi * own.var()) + 1) - price
    # Five rows are too few for three parameters; said twice they are ten.
    twice = Dataset.of({name: 2 * values for name, values in columns.items()}, missing="keep")
    assert LocalScore(data).local("y", ["x"]) != pytest.approx(expected)
    price = max(14 / 10 * 3 * log(14) / 2, 14**0.75 / 2 * 4 / 14 * 3)
    expected = 14 * (-0.5 * log(share)) - 14 * 0.5 * (log(2 * np.pi * own.var()) + 1) - price
    assert LocalScore(twice).local("y", ["x"]) == pytest.approx(expected)


@pytest.mark.parametrize("kinds", ["cccc", "c2c3"])
def test_batches_of_numbers_are_the_same_to_the_last_bit(kinds: str) -> None:
    data = numbers_with_gaps(kinds, 0.2, 5)
    score, fresh = LocalScore(data), LocalScore(data, cache_bytes=0)
    for child, parents in known_families(data):
        others = [v for v in range(data.n_variables) if v not in (child, *parents)]
        added = [fresh.local(child, (*parents, other)) for other in others]
        assert score.additions(child, parents).tolist() == added
        removed = [fresh.local(child, [p for p in parents if p != gone]) for gone in parents]
        assert score.removals(child, parents).tolist() == removed


@pytest.mark.parametrize("kinds", ["cccc", "c2c3"])
def test_families_of_numbers_without_gaps_have_the_ordinary_score(kinds: str) -> None:
    data = table_of_numbers(f"{kinds}c", 80, 1)
    numbers = np.array(data.numbers)
    numbers[:30, -1] = np.nan
    gaps = Dataset(data.codes, data.names, data.states, numbers=numbers)
    # By rows, as for interventions: one matrix of products rounds in another way.
    complete = LocalScore(data.with_interventions({data.names[-1]: [0]}))
    score = LocalScore(gaps)
    for child, parents in families(4):
        if not data.arities[child] or all(data.arities[parent] for parent in parents):
            assert score.local(child, parents) == complete.local(child, parents)
            assert score.local(child, parents) == pytest.approx(LocalScore(data).local(child, parents))


@pytest.mark.parametrize("score", ["bge", "dg"])
def test_scores_of_one_matrix_refuse_gaps(score: str) -> None:
    with pytest.raises(DataError, match="needs a value in every cell"):
        LocalScore(numbers_with_gaps("ccc", 0.2, 1), score)
