"""Signed ranks by enumeration: without a difference, every difference has either sign with the same probability."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.signed_ranks import Comparison, compare_pairs, least_samples


def p_by_enumeration(differences: list[int]) -> float:
    """Part of all signs for which the ranks of the positive differences add up to at least what they do."""
    ranks = [1 + sorted(map(abs, differences)).index(abs(difference)) for difference in differences]
    seen = sum(rank for rank, difference in zip(ranks, differences, strict=True) if difference > 0)
    signs = product((0, 1), repeat=len(ranks))
    sums = [sum(rank * sign for rank, sign in zip(ranks, line, strict=True)) for line in signs]
    return sum(total >= seen for total in sums) / len(sums)


@given(st.lists(st.integers(-1000, 1000).filter(bool), min_size=1, max_size=8, unique_by=abs))
def test_p_values_by_enumeration(differences: list[int]) -> None:
    compared = compare_pairs(differences, [0] * len(differences))
    assert compared.p_better == pytest.approx(p_by_enumeration(differences))
    assert compared.p_worse == pytest.approx(p_by_enumeration([-difference for difference in differences]))


def test_equal_but_for_rounding_does_not_count() -> None:
    """Of six samples five differ, all the same way: 1/32; none differs: nothing to tell."""
    first = [-5000.0 + at for at in range(1, 7)]
    second = [*(-5000.0 - at**2 for at in range(1, 6)), first[-1] + 1e-7]
    assert compare_pairs(first, second) == Comparison(1 / 32, 1.0)
    assert compare_pairs(first, [value + 1e-7 for value in first]) == Comparison(1.0, 1.0)


def test_signs_and_brackets() -> None:
    assert [Comparison(*p).cell(0.001, 0.05) for p in ((0.0005, 1), (0.01, 1), (1, 0.0005), (1, 0.01), (0.4, 0.6))] == [
        "+",
        "(+)",
        "-",
        "(-)",
        "~",
    ]


def test_how_many_samples_it_takes() -> None:
    """With ten samples p is at least 1/1024, above the paper's level of 6.25e-4; with eleven it can be below."""
    assert least_samples(6.25e-4) == 11
    assert compare_pairs(range(1, 11), [0.0] * 10).p_better == pytest.approx(1 / 1024)
    assert least_samples(1 / 1024) == 10
