"""The matrix of products of columns, against exact sums."""

from fractions import Fraction
from math import fsum, sqrt

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.scores import gram as module
from arcwise.scores.gram import centred_gram
from arcwise.support.errors import DataError

Columns = npt.NDArray[np.float64]


def exact(columns: Columns, weights: list[int]) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The means, and the sums of products of what is left of the columns, without rounding."""
    total = sum(weights)
    as_fractions = [[Fraction(float(x)) for x in column] for column in columns.T]
    means = [sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0)) / total for column in as_fractions]
    left = [[x - mean for x in column] for column, mean in zip(as_fractions, means, strict=True)]
    products = [
        [sum((w * x * y for w, x, y in zip(weights, a, b, strict=True)), Fraction(0)) for b in left] for a in left
    ]
    return means, products


def correlation(products: list[list[Fraction]], i: int, j: int) -> float:
    """Of two columns; its square is a fraction, which does not overflow where the products do."""
    if products[i][i] == 0 or products[j][j] == 0:
        return 0.0
    square = products[i][j] ** 2 / (products[i][i] * products[j][j])
    return sqrt(square) if products[i][j] >= 0 else -sqrt(square)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(1, 40),
    st.integers(1, 4),
    st.sampled_from([0.0, 1.0, 1e6, -1e6]),
    st.sampled_from([1.0, 1e-200, 1e200, 1e-300]),
    st.booleans(),
)
def test_it_is_that_of_exact_sums(
    seed: int, n_rows: int, n_columns: int, mean: float, scale: float, weighted: bool
) -> None:
    random = np.random.default_rng(seed)
    columns = (random.normal(size=(n_rows, n_columns)) + mean) * scale
    columns[:, 0] = np.where(random.random() < 0.2, columns[0, 0], columns[:, 0])
    weights = random.integers(0, 4, n_rows).tolist() if weighted else [1] * n_rows
    weights[0] = 1
    found = centred_gram(columns, np.array(weights) if weighted else None)
    means, products = exact(columns, weights)
    total = sum(weights)
    assert found.n_observations == total
    assert np.array_equal(found.matrix, found.matrix.T)
    for i in range(n_columns):
        assert found.means[i] == pytest.approx(float(means[i]), rel=1e-15, abs=1e-15 * scale)
        deviation = 0.0 if products[i][i] == 0 else sqrt(float(products[i][i] / Fraction(scale) ** 2) / total) * scale
        assert found.scales[i] == pytest.approx(deviation, rel=1e-14, abs=0)
        assert found.matrix[i, i] == (total if products[i][i] else 0)
        for j in range(i):
            expected = total * correlation(products, i, j)
            assert found.matrix[i, j] == pytest.approx(expected, abs=4e-15 * total)


@pytest.mark.parametrize("order", ["C", "F"])
def test_many_rows_with_large_means_are_exact(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_NUMBERS_AT_ONCE", 1)
    monkeypatch.setattr(module, "_LEAST_ROWS", 997)  # many blocks, the last of them short
    random = np.random.default_rng(1)
    columns = random.normal(size=(100_000, 3)) + 1e6
    columns[:, 1] += 0.3 * (columns[:, 0] - 1e6)
    found = centred_gram(np.asarray(columns, order=order))  # type: ignore[call-overload]
    means = [fsum(column) / len(columns) for column in columns.T]
    left = [[x - mean for x in column] for column, mean in zip(columns.T.tolist(), means, strict=True)]
    products = [[fsum(x * y for x, y in zip(a, b, strict=True)) for b in left] for a in left]
    assert found.means == pytest.approx(means, rel=2.3e-16)
    for i in range(3):
        assert found.scales[i] == pytest.approx(sqrt(products[i][i] / len(columns)), rel=2e-15)
        for j in range(3):
            expected = len(columns) * products[i][j] / sqrt(products[i][i] * products[j][j])
            assert found.matrix[i, j] == pytest.approx(expected, abs=2e-15 * len(columns))
            assert found.scatter()[i, j] == pytest.approx(products[i][j], abs=4e-15 * len(columns))


def test_more_columns_than_are_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = np.random.default_rng(2).normal(size=(50, 11))
    whole = centred_gram(columns)
    monkeypatch.setattr(module, "_COLUMNS_AT_ONCE", 4)
    parts = centred_gram(columns)
    assert parts.matrix == pytest.approx(whole.matrix, abs=1e-13)
    assert np.array_equal(parts.matrix, parts.matrix.T)
    assert whole.matrix == pytest.approx(50 * np.corrcoef(columns.T), abs=1e-12)


def test_rows_without_weight_do_not_count() -> None:
    found = centred_gram(np.array([[1.0, 2.0], [9.0, np.inf], [3.0, 2.0]]), np.array([2, 0, 2]))
    assert found.means.tolist() == [2.0, 2.0]
    assert found.scales.tolist() == [1.0, 0.0]
    assert found.matrix.tolist() == [[4.0, 0.0], [0.0, 0.0]]


def test_what_cannot_be_multiplied_is_refused() -> None:
    with pytest.raises(DataError, match="column 1 has a value that is not a finite number"):
        centred_gram(np.array([[1.0, np.nan], [2.0, 3.0]]))
    with pytest.raises(DataError, match="no row counts"):
        centred_gram(np.ones((3, 2)), np.zeros(3))
    with pytest.raises(DataError, match="a weight for each row"):
        centred_gram(np.ones((3, 2)), np.ones(2))
    with pytest.raises(DataError, match="64-bit"):
        centred_gram(np.ones((3, 2), dtype=np.float32))
