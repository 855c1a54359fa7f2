"""Linear programs, held against those of scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from arcwise.support.linear_programs import LinearProgram, Rows


def random_program(seed: int, *, whole: bool) -> tuple[LinearProgram, np.ndarray]:
    random = np.random.default_rng(seed)
    n, m = random.integers(1, 7, 2)
    matrix = random.integers(-3, 4, (m, n)).astype(float)
    at, column = np.nonzero(matrix)
    inside = matrix @ random.integers(0, 4, n)
    program = LinearProgram(
        random.integers(-4, 5, n).astype(float),
        np.zeros(n),
        np.full(n, 5.0),
        Rows.of_entries(m, at, column, matrix[at, column]),
        inside - random.integers(0, 3, m),
        np.where(random.random(m) < 0.5, np.inf, inside),
        np.full(n, whole),
    )
    return program, matrix


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_least_sum_and_its_prices_are_those_of_scipy(seed: int) -> None:
    program, matrix = random_program(seed, whole=False)
    finite = np.isfinite(program.row_upper)
    theirs = linprog(
        program.cost,
        np.vstack([-matrix, matrix[finite]]),
        np.r_[-program.row_lower, program.row_upper[finite]],
        bounds=(0, 5),
    )
    ours = program.solved()
    assert ours is not None
    assert program.cost @ ours.values == pytest.approx(theirs.fun)
    np.testing.assert_allclose(program.rows.times(ours.values), matrix @ ours.values, atol=1e-9)
    # The prices prove it: what they say of the sum is no less.
    reduced = program.cost - matrix.T @ ours.prices
    held = np.where(ours.prices > 0, program.row_lower, np.where(finite, program.row_upper, 0.0))
    assert ours.prices @ held + np.minimum(reduced, 0).sum() * 5 == pytest.approx(theirs.fun)


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_whole_numbers_are_those_of_scipy(seed: int) -> None:
    program, matrix = random_program(seed, whole=True)
    rows = LinearConstraint(matrix, program.row_lower, program.row_upper)
    theirs = milp(
        program.cost, integrality=np.ones(len(program.cost), dtype=np.int64), bounds=Bounds(0, 5), constraints=rows
    )
    ours = program.solved()
    assert ours is not None
    assert program.cost @ ours.values == pytest.approx(theirs.fun)
    np.testing.assert_allclose(ours.values, np.rint(ours.values), atol=1e-6)


def test_what_cannot_be_has_no_answer() -> None:
    rows = Rows.of_entries(1, [0], [0], [1.0])
    program = LinearProgram(np.ones(1), np.zeros(1), np.ones(1), rows, np.array([2.0]), np.array([3.0]))
    assert program.solved() is None
