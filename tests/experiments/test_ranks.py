"""The rank tests give what Demšar 2006 (JMLR 7, table 6 and section 3.2.2) computes from his example."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from experiments.ranks import friedman, mean_ranks, nemenyi, ordered, plot_critical_differences

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


def test_mean_ranks_and_friedman() -> None:
    ranks = mean_ranks(DEMSAR)
    assert ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    # His statistic, 9.28, has no correction for ties; with it, it is a little larger.
    assert 0.5 * chi2.sf(9.28, 3) < friedman(DEMSAR) < chi2.sf(9.28, 3)
    assert ordered(["C4.5", "m", "cf", "m+cf"], ranks) == ["m+cf", "m", "cf", "C4.5"]


def test_fewer_can_be_better_and_unknown_lines_are_left_out() -> None:
    values = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 7.0]])
    assert mean_ranks(values, larger_is_better=False).tolist() == [1, 2]
    assert mean_ranks(values).tolist() == [2, 1]


def test_ties_everywhere_give_no_p_value() -> None:
    assert np.isnan(friedman(np.ones((5, 3))))


def test_nemenyi_agrees_with_the_critical_difference() -> None:
    """With 3 methods and 20 datasets it is 2.343 sqrt(3 * 4 / (6 * 20)) = 0.741 at 0.05 (Demšar, table 5)."""
    pytest.importorskip("scikit_posthocs")
    assert nemenyi(DEMSAR).min() > 0.05  # the largest difference of ranks, 1.179, is below the critical one, 1.25
    for swapped, is_significant in ((2, True), (3, False)):  # ranks of the first two differ by 0.8 and by 0.7
        lines = np.array([[3.0, 2.0, 1.0]] * (20 - swapped) + [[2.0, 3.0, 1.0]] * swapped)
        assert (nemenyi(lines)[0, 1] < 0.05) == is_significant


def test_a_plot_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("scikit_posthocs")
    pytest.importorskip("matplotlib")
    values = np.array([[3.0, 2.0, 1.0]] * 5 + [[3.0, 1.0, 2.0]])
    for suffix in ("png", "svg"):
        path = tmp_path / "plots" / f"scores.{suffix}"
        plot_critical_differences(path, "scores", ["a", "b", "c"], mean_ranks(values), nemenyi(values))
        assert path.stat().st_size > 1000
