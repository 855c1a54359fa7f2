"""Weights of rows: the same as rows repeated, merged or not, up to the largest."""

import numpy as np
import pytest

from arcwise.data.dataset import Dataset
from arcwise.scores import LocalScore
from score_cases import NAMES, Case, near, random_codes


def test_weights_are_repeated_rows() -> None:
    rng = np.random.default_rng(3)
    codes = random_codes(150, [2, 3, 5, 2, 2], seed=3)
    weights = rng.integers(0, 9, 150)
    weighted = Dataset.from_codes(codes, arities=[2, 3, 5, 2, 2], weights=weights)
    repeated = Dataset.from_codes(np.repeat(codes, weights, axis=0), arities=[2, 3, 5, 2, 2])
    for name in NAMES:
        a, b = LocalScore(weighted, name), LocalScore(repeated, name)
        for child, parents in ((0, ()), (2, (1,)), (1, (0, 2, 3)), (4, (0, 1, 2, 3))):
            assert a.local(child, parents) == near(b.local(child, parents), name)
            assert a.removals(child, parents).tolist() == near(b.removals(child, parents).tolist(), name)
            assert a.additions(child, parents).tolist() == near(b.additions(child, parents).tolist(), name)


def test_counts_beyond_the_tables_of_logarithms() -> None:
    """Tables of functions of counts end at 65,536; larger counts are computed."""
    weights = [70_000, 65_535, 65_536, 65_537, 90_000, 1]
    codes = [[0, 0, 1], [1, 0, 0], [1, 1, 1], [0, 1, 0], [2, 1, 1], [2, 0, 0]]
    table = Case(Dataset.from_codes(codes, weights=weights), ())
    for name in NAMES:
        score = LocalScore(table.data, name)
        for child, parents in ((0, ()), (0, (1,)), (2, (0, 1))):
            expected = table.expected(name, child, parents)
            assert score.local(child, parents) == pytest.approx(expected, rel=1e-11, abs=1e-7), name


def test_weights_up_to_the_largest() -> None:
    """Sums of 2^32 − 1: no counter may wrap around."""
    table = Case(Dataset.from_codes([[0, 0, 1], [1, 0, 0], [1, 1, 1], [0, 1, 0]], weights=[2**31, 2**31 - 8, 4, 3]), ())
    for name in (name for name in NAMES if not name.endswith("nml")):  # their oracles take as long as there are rows
        score = LocalScore(table.data, name)
        for child, parents in ((0, ()), (0, (1,)), (2, (0, 1))):
            # The terms are of the size of N ln N = 1e11, so that their sum is known to about 1e-4.
            expected = pytest.approx(table.expected(name, child, parents), rel=1e-11, abs=1e-3)
            assert score.local(child, parents) == expected
        added = [table.expected(name, 0, (2, 1))]
        assert score.additions(0, [2]).tolist() == pytest.approx(added, rel=1e-11, abs=1e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_merged_rows_score_like_rows_kept_apart(weighted: bool) -> None:
    """A column in which all rows differ keeps them apart; families without it must not notice."""
    codes = random_codes(2000, [2, 3, 2, 2], seed=9)
    weights = np.random.default_rng(9).integers(0, 5, 2000) if weighted else None
    same = np.zeros(2000, dtype=np.int64)  # a score may look at the number of variables
    merging = Dataset.from_codes(np.column_stack([codes, same]), arities=[2, 3, 2, 2, 1], weights=weights)
    assert merging.merged().n_rows <= 24
    numbered = np.column_stack([codes, np.arange(2000)])
    apart = Dataset.from_codes(numbered, arities=[2, 3, 2, 2, 2000], weights=weights)
    assert apart.merged().n_rows >= 1500
    for name in NAMES:
        a, b = LocalScore(merging, name), LocalScore(apart, name)
        for child, parents in ((0, ()), (1, (0,)), (2, (0, 1, 3)), (1, (3, 2, 0))):
            assert a.local(child, parents) == near(b.local(child, parents), name)
            some = [v for v in range(4) if v != child and v not in parents]
            assert a.additions(child, parents, some).tolist() == near(b.additions(child, parents, some).tolist(), name)
