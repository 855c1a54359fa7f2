"""Rank tests give what Demšar 2006 (JMLR 7, tables 5 and 6) computes, and what scikit-posthocs and scipy do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, friedmanchisquare, norm, studentized_range

from arcwise import ParameterError, Ranks, ranks_of
from arcwise.comparison.ranges import critical_range, range_tail

# AUC of C4.5, with m, with cf, with both, on 14 datasets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # printed as 0.975, but ranked before the other
        [0.957, 0.978, 0.946, 0.970],
    ]
)
NAMES = ("C4.5", "m", "cf", "m+cf")

tables = st.tuples(st.integers(3, 7), st.integers(2, 25), st.integers(0, 2**32 - 1), st.integers(2, 50)).map(
    lambda drawn: np.random.default_rng(drawn[2]).integers(0, drawn[3], size=(drawn[1], drawn[0])).astype(float)
)


def test_the_example_of_demsar() -> None:
    ranks = ranks_of(DEMSAR, NAMES)
    assert ranks.means == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    # His statistic, 9.28, has no correction for ties; with it, it is a little larger.
    assert 9.28 < ranks.statistic < 10.5
    assert ranks.p_value == pytest.approx(chi2.sf(ranks.statistic, 3))
    assert ranks.ordered == ("m+cf", "m", "cf", "C4.5")
    assert ranks.critical_difference() == pytest.approx(1.25, abs=5e-3)
    assert ranks.critical_difference(0.1) == pytest.approx(1.12, abs=5e-3)
    assert ranks.groups() == [("m+cf", "m", "cf", "C4.5")]
    # Section 3.2.2: at 0.10 the one without either, 3.143, differs from m+cf (1.964) and from m (2.000).
    assert ranks.groups(0.1) == [("m+cf", "m", "cf"), ("cf", "C4.5")]
    assert ranks.differ("m+cf", "C4.5", 0.1)
    assert not ranks.differ("m+cf", "C4.5", 0.05)


# Table 5a: critical values for 2 to 10 methods.
@pytest.mark.parametrize(
    ("alpha", "values"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_the_table(alpha: float, values: list[float]) -> None:
    for k, q in enumerate(values, start=2):
        ranks = ranks_of(np.tile(np.arange(k), (7, 1)))
        assert ranks.critical_difference(alpha) == pytest.approx(q * np.sqrt(k * (k + 1) / 42), abs=2e-3)


@settings(deadline=None, max_examples=50)
@given(tables)
def test_other_libraries_agree(values: np.ndarray) -> None:
    posthocs = pytest.importorskip("scikit_posthocs")
    ranks = ranks_of(values)
    if (values == values[:, :1]).all():
        assert (ranks.statistic, ranks.p_value) == (0, 1)
        return
    other = friedmanchisquare(*values.T)
    assert ranks.statistic == pytest.approx(other.statistic)
    assert ranks.p_value == pytest.approx(other.pvalue)
    assert ranks.pairs == pytest.approx(posthocs.posthoc_nemenyi_friedman(values).to_numpy(), abs=1e-6)


def test_two_methods_are_compared_by_signs() -> None:
    """With two methods the statistic is (wins - losses)^2 / n, and the critical value that of the normal."""
    ranks = ranks_of([[2, 1]] * 8 + [[1, 2]] * 2, ["a", "b"])
    assert ranks.statistic == pytest.approx(36 / 10)
    assert ranks.p_value == pytest.approx(2 * norm.sf(6 / np.sqrt(10)))
    assert ranks.pairs[0, 1] == pytest.approx(ranks.p_value, rel=1e-4)


def groups_by_definition(ranks: Ranks, alpha: float) -> set[tuple[str, ...]]:
    order = ranks.ordered
    runs = [order[i:j] for i in range(len(order)) for j in range(i + 2, len(order) + 1)]
    level = [run for run in runs if not ranks.differ(run[0], run[-1], alpha)]
    return {run for run in level if not any(set(run) < set(other) for other in level)}


@settings(deadline=None, max_examples=50)
@given(tables, st.sampled_from([0.01, 0.05, 0.3, 0.9]))
def test_groups_by_definition(values: np.ndarray, alpha: float) -> None:
    ranks = ranks_of(values)
    groups = ranks.groups(alpha)
    assert set(groups) == groups_by_definition(ranks, alpha)
    assert len(groups) == len(set(groups))


def test_fewer_can_be_better_and_unknown_lines_are_left_out() -> None:
    values = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 7.0]])
    assert ranks_of(values, larger_is_better=False).means.tolist() == [1, 2]
    ranks = ranks_of(values)
    assert (ranks.means.tolist(), ranks.n_lines) == ([2, 1], 2)


def test_what_differs_by_rounding_is_a_tie() -> None:
    ranks = ranks_of([[-1e5, -1e5 * (1 + 1e-14), -2e5]])
    assert ranks.means.tolist() == [1.5, 1.5, 3]


@pytest.mark.parametrize(
    ("values", "names", "message"),
    [
        ([1, 2], None, "values must be a table with a line for each dataset and at least two columns"),
        ([[1], [2]], None, "at least two columns"),
        ([[1, np.inf]], None, "values must be finite numbers"),
        ([[1, np.nan]], None, "at least one line in which all are known"),
        ([["a", "b"]], None, "values must be a table of numbers"),
        ([[1, 2]], ["a"], "names must be 2 different names"),
        ([[1, 2]], ["a", "a"], "names must be 2 different names"),
    ],
)
def test_refused(values: list[object], names: list[str] | None, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ranks_of(values, names)  # type: ignore[arg-type]


def test_levels_are_shares() -> None:
    with pytest.raises(ParameterError, match="alpha must be above 0 and below 1, not 1"):
        ranks_of([[1, 2]]).critical_difference(1)


@pytest.mark.parametrize("k", [2, 3, 5, 10, 40])
def test_the_studentized_range_is_that_of_scipy(k: int) -> None:
    ranges = np.array([[0.0, 0.3, 1.0], [2.5, 4.0, 7.0]])
    np.testing.assert_allclose(range_tail(ranges, k), studentized_range.sf(ranges, k, np.inf), atol=1e-9)
    for alpha in (0.001, 0.05, 0.3):
        assert critical_range(alpha, k) == pytest.approx(studentized_range.ppf(1 - alpha, k, np.inf), rel=1e-6)
