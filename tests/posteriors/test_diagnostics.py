"""Diagnostics of chains, against numbers that are computed by hand."""

from math import inf, sqrt

import numpy as np
import pytest

from arcwise.posteriors.diagnostics import effective_sizes, r_hats, standard_errors


def test_chains_that_agree_have_1() -> None:
    assert r_hats(np.full((4, 8, 3), 0.3)).tolist() == [1, 1, 1]
    assert r_hats(np.zeros((4, 8, 1))).tolist() == [1]


def test_chains_that_are_stuck_have_infinity() -> None:
    means = np.zeros((2, 4, 1))
    means[0] = 1
    assert r_hats(means).tolist() == [inf]


def test_r_hat_by_hand() -> None:
    """Halves of two chains: 0.2, 0.4, 0.6, 0.4; within 0.22, between 0.08 / 3."""
    means = np.array([[[0.1], [0.3], [0.4], [0.4]], [[0.6], [0.6], [0.5], [0.3]]])
    assert r_hats(means)[0] == pytest.approx(sqrt(1 + (0.08 / 3) / 0.22))


def test_standard_errors_and_effective_sizes_by_hand() -> None:
    """Batches 0.4, 0.6, 0.4, 0.6: deviation 0.1 √(4/3), error half of that."""
    means = np.array([[[0.4], [0.6]], [[0.4], [0.6]]])
    assert standard_errors(means)[0] == pytest.approx(0.1 * sqrt(4 / 3) / 2)
    assert effective_sizes(means)[0] == pytest.approx(0.25 / (0.01 / 3))
    assert effective_sizes(np.full((2, 2, 1), 0.5))[0] == inf


def test_independent_draws_count_as_many_as_they_are() -> None:
    rng = np.random.default_rng(1)
    draws = rng.random((4, 20, 500, 50)) < 0.3
    sizes = effective_sizes(draws.mean(axis=2))
    assert np.median(sizes) == pytest.approx(4 * 20 * 500, rel=0.1)
