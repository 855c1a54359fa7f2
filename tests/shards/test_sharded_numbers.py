"""A table of numbers in shards: sums of products that are exact, so that it does not matter how rows are cut."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import Dataset, LocalScore, ShardedDataset, ges, learn
from arcwise.scores.gram import centred_gram
from arcwise.shards.products import Grid, ProductSums
from arcwise.support.errors import ParameterError
from worker_tasks import pool


def rows_of_numbers(n_rows: int = 500, *, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_rows)
    b = 1e6 + 0.5 * a + rng.normal(size=n_rows)
    c = a - 2e-3 * (b - 1e6) + 0.1 * rng.normal(size=n_rows)
    d = 1e-200 * rng.standard_cauchy(n_rows)
    e = 1e-200 * rng.normal(size=n_rows) + d
    return pl.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e, "times": rng.integers(0, 5, n_rows)})


def in_parts(table: pl.DataFrame, *cuts: int) -> list[pl.LazyFrame]:
    return [table[begin:end].lazy() for begin, end in pairwise([0, *cuts, table.height])]


def sums_of(table: npt.NDArray[np.float64], grid: Grid, weights: npt.NDArray[np.uint32] | None = None) -> ProductSums:
    sums = ProductSums(grid)
    sums.add(table, weights)
    return sums


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 4), st.booleans())
def test_moments_are_those_of_exact_fractions(seed: int, n_rows: int, n: int, has_weights: bool) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_rows, n)) * 10.0 ** rng.integers(-8, 9, n) + 10.0 ** rng.integers(-3, 7, n)
    weights = rng.integers(1, 2**20, n_rows).astype(np.uint32) if has_weights else None
    grid = Grid.of_ranges(table.min(axis=0), table.max(axis=0))
    found = sums_of(table, grid, weights).moments
    times = [1] * n_rows if weights is None else weights.tolist()
    exact = [[Fraction(value) for value in column] for column in table.T.tolist()]
    total = sum(times)
    means = [sum(w * x for w, x in zip(times, column, strict=True)) / total for column in exact]
    assert found.n_observations == total
    assert found.means == pytest.approx([float(mean) for mean in means], rel=1e-14)
    scatter = np.array(
        [
            [
                float(sum(w * (x - m) * (y - k) for w, x, y in zip(times, one, two, strict=True)))
                for two, k in zip(exact, means, strict=True)
            ]
            for one, m in zip(exact, means, strict=True)
        ]
    )
    roots = np.sqrt(np.diagonal(scatter))
    assert found.scales == pytest.approx(roots / np.sqrt(total), rel=1e-12)
    factors = np.where(roots > 0, roots, 1.0)
    assert found.matrix == pytest.approx(total * scatter / np.outer(factors, factors), abs=1e-11 * total)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5000), st.booleans())
def test_cuts_and_order_do_not_matter(seed: int, n_rows: int, has_weights: bool) -> None:
    rng = np.random.default_rng(seed)
    table = rng.standard_cauchy((n_rows, 3))
    weights = rng.integers(0, 2**32 // n_rows, n_rows).astype(np.uint32) if has_weights else None
    grid = Grid.of_ranges(table.min(axis=0), table.max(axis=0))
    whole = sums_of(table, grid, weights)
    order, cut = rng.permutation(n_rows), int(rng.integers(1, n_rows))
    parts = [sums_of(table[own], grid, None if weights is None else weights[own]) for own in np.split(order, [cut])]
    both = parts[1] + parts[0]
    assert (both.high == whole.high).all()
    assert (both.low == whole.low).all()


def test_sums_are_those_of_the_table_in_one_place() -> None:
    columns = rows_of_numbers(20_000).drop("times").to_numpy()
    found = sums_of(columns, Grid.of_ranges(columns.min(axis=0), columns.max(axis=0))).moments
    gram = centred_gram(columns)
    assert found.matrix == pytest.approx(gram.matrix, abs=1e-11 * len(columns))
    assert found.scales == pytest.approx(gram.scales, rel=1e-12)
    assert found.means == pytest.approx(gram.means, rel=1e-12)


@pytest.mark.parametrize("score", ["bic", "aic", "ebic", "bge"])
@pytest.mark.parametrize("weights", [None, "times"])
def test_scores_are_the_same_for_every_cut(score: str, weights: str | None) -> None:
    table = rows_of_numbers() if weights else rows_of_numbers().drop("times")
    whole = LocalScore(Dataset.of(table, weights=weights), score)
    seen = set()
    for cuts in ((), (1,), (100, 200, 499), tuple(range(10, 500, 10))):
        with ShardedDataset.of(in_parts(table, *cuts), weights=weights) as data:
            assert len(data.shards) == len(cuts) + 1
            assert repr(data) == (
                f"ShardedDataset(500 rows in {len(cuts) + 1} shard{'s' * bool(cuts)}"
                f"{f' for {data.n_observations:,} observations' if weights else ''}, 5 variables, continuous)"
            )
            local = LocalScore(data, score)
            found = [local.local(v, list(range(v))) for v in range(5)]
            seen.add((tuple(found), local.additions("a").tobytes(), data.summary().fingerprint))
            assert found == pytest.approx([whole.local(v, list(range(v))) for v in range(5)], rel=1e-11)
    assert len(seen) == 1


def test_searches_find_the_graph_of_the_whole_table() -> None:
    table = rows_of_numbers(2000, seed=3).drop("times")
    with pool(1) as one, pool(1) as other:
        data = ShardedDataset.of(in_parts(table, 700, 1500), executor=[one, other])
        assert ges(LocalScore(data)).dag == ges(LocalScore(Dataset.of(table))).dag
        ours, whole = learn(data, seed=1), learn(table, seed=1)
    assert ours.dag.cpdag() == whole.dag.cpdag()
    assert ours.score == pytest.approx(whole.score, rel=1e-12)
    network = ours.network()
    expected = type(network).fit(ours.dag, Dataset.of(table))
    assert network.log_likelihood(table) == pytest.approx(expected.log_likelihood(table), rel=1e-9)


def test_a_constant_column() -> None:
    table = rows_of_numbers(50).select("a", "c").with_columns(k=pl.lit(0.25))
    with pytest.warns(match="with a single value: 'k'"):
        data = ShardedDataset.of(in_parts(table, 20), continuous=True)
    assert not learn(data, seed=1).dag.parents("k")


def test_what_needs_rows_is_refused() -> None:
    with ShardedDataset.of(in_parts(rows_of_numbers(50).drop("times"), 20)) as data:
        with pytest.raises(ParameterError, match="needs the rows in one place, and this table is in shards"):
            data.numbers_of("a")
        with pytest.raises(ParameterError, match="must be one for continuous data"):
            LocalScore(data, "bdeu")
