"""Scores of continuous data against regressions, whole determinants and bnlearn."""

import gc
from collections.abc import Sequence
from itertools import pairwise
from math import log

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_gaussian as oracles
from arcwise import _core
from arcwise.scores.gram import centred_gram

Columns = npt.NDArray[np.float64]
INSTRUCTIONS = ("plain", "avx2", "avx512")
CACHE = 1 << 20


@pytest.fixture(params=INSTRUCTIONS)
def instructions(request: pytest.FixtureRequest) -> str:
    """Each set of kernels that this machine runs."""
    if INSTRUCTIONS.index(request.param) > INSTRUCTIONS.index(_core.instructions()):
        pytest.skip(f"this machine has no {request.param}")
    return str(request.param)


def dependent_columns(n_rows: int, n_columns: int, seed: int) -> Columns:
    """Columns with other means and scales, each of which depends on some before it."""
    random = np.random.default_rng(seed)
    columns = random.normal(size=(n_rows, n_columns))
    for i in range(1, n_columns):
        columns[:, i] += columns[:, :i] @ (random.normal(size=i) * (random.random(i) < 0.4))
    columns *= np.exp(random.normal(scale=2, size=n_columns))
    shifted: Columns = columns + random.normal(scale=10, size=n_columns)
    return shifted


def blocks_of(widths: Sequence[int]) -> list[list[int]]:
    """The columns of each variable."""
    return [list(range(begin, end)) for begin, end in pairwise(np.cumsum([0, *widths]).tolist())]


def penalised(
    columns: Columns, widths: Sequence[int], per_parameter: float, gamma: float = 0.0, instructions: str = "auto"
) -> _core.LocalScore:
    gram = centred_gram(columns)
    log_scales = [float(np.log(gram.scales[block]).sum()) for block in blocks_of(widths)]
    score = _core.PenalisedGaussian(per_parameter, gamma)
    return _core.LocalScore.gaussian(
        gram.matrix, list(widths), log_scales, gram.n_observations, score, instructions, CACHE
    )


def bayesian(columns: Columns, alpha_mu: float, alpha_w: float, instructions: str = "auto") -> _core.LocalScore:
    gram = centred_gram(columns)
    n = columns.shape[1]
    t = alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1)
    matrix = gram.scatter() + t * np.eye(n)
    score = _core.BayesianGaussian(alpha_mu, alpha_w)
    return _core.LocalScore.gaussian(matrix, [1] * n, [0.0] * n, gram.n_observations, score, instructions, CACHE)


@st.composite
def families(draw: st.DrawFn, n: int, most: int = 5) -> tuple[int, list[int]]:
    child = draw(st.integers(0, n - 1))
    others = [v for v in range(n) if v != child]
    return child, draw(st.lists(st.sampled_from(others), unique=True, max_size=most))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 1000))
def test_a_penalised_score_is_the_density_at_the_best_regression_less_the_penalty(
    data: st.DataObject, seed: int
) -> None:
    widths = data.draw(st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=2, max_size=8))
    columns = dependent_columns(data.draw(st.sampled_from([40, 300])), sum(widths), seed)
    per_parameter = data.draw(st.sampled_from([0.0, 1.0, log(len(columns)) / 2]))
    gamma = data.draw(st.sampled_from([0.0, 0.5]))
    score = penalised(columns, widths, per_parameter, gamma)
    blocks = blocks_of(widths)
    child, parents = data.draw(families(len(widths)))
    of_parents = [column for parent in parents for column in blocks[parent]]
    expected = (
        oracles.log_likelihood(columns, blocks[child], of_parents)
        - per_parameter * oracles.n_parameters(blocks[child], of_parents)
        - gamma * oracles.choices(len(widths), len(parents))
    )
    assert score.local(child, parents) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 1000), st.sampled_from([(1.0, 2.0), (3.0, 7.5), (0.1, 1.25)]))
def test_bge_is_the_difference_of_the_probabilities_of_two_sets(
    data: st.DataObject, seed: int, prior: tuple[float, float]
) -> None:
    n = data.draw(st.integers(2, 9))
    columns = dependent_columns(data.draw(st.sampled_from([5, 50, 400])), n, seed)
    alpha_mu, alpha_w = prior[0], prior[1] + n
    child, parents = data.draw(families(n))
    expected = oracles.bge(columns, child, parents, alpha_mu, alpha_w)
    assert bayesian(columns, alpha_mu, alpha_w).local(child, parents) == pytest.approx(expected, rel=1e-9, abs=1e-7)


def two_scores(columns: Columns, instructions: str) -> tuple[_core.LocalScore, _core.LocalScore]:
    n = columns.shape[1]
    return penalised(columns, [1] * n, 2.5, 0.5, instructions), bayesian(columns, 1, n + 2, instructions)


def test_additions_are_the_scores_of_their_families_to_the_last_bit(instructions: str) -> None:
    columns = dependent_columns(200, 40, 3)
    random = np.random.default_rng(4)
    for n_parents in (0, 1, 2, 3, 5, 9):
        child, *parents = random.permutation(40)[: n_parents + 1].tolist()
        others = [v for v in range(40) if v not in (child, *parents)]
        scores, of_one_by_one = two_scores(columns, instructions), two_scores(columns, instructions)
        for score, alone in zip(scores, of_one_by_one, strict=True):
            assert score.additions(child, parents).tolist() == [alone.local(child, [*parents, v]) for v in others]
            fewer = [[w for w in parents if w != v] for v in parents]
            assert score.removals(child, parents).tolist() == [alone.local(child, rest) for rest in fewer]


def test_all_instructions_give_the_same_bits() -> None:
    columns = dependent_columns(200, 40, 5)
    found = [
        [
            score.additions(child, parents).tolist()
            for score in two_scores(columns, name)
            for child, parents in ((0, []), (39, [7]), (20, [11, 3, 25]), (4, [39, 1, 2, 20, 33, 8]))
        ]
        for name in INSTRUCTIONS[: INSTRUCTIONS.index(_core.instructions()) + 1]
    ]
    assert all(scores == found[0] for scores in found)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(5)), st.permutations(range(5)))
def test_complete_graphs_have_the_same_score_in_every_order(seed: int, first: list[int], second: list[int]) -> None:
    widths = [1, 2, 1, 3, 1]
    columns = dependent_columns(100, 8, seed)
    scores = (penalised(columns, widths, 1.7, 1.0), bayesian(columns[:, :5], 1, 7))
    for score in scores:
        totals = [sum(score.local(order[i], order[:i]) for i in range(5)) for order in (first, second)]
        assert totals[0] == pytest.approx(totals[1], abs=20 * score.rounding)


# As bnlearn 4.8.1 has them in R 4.2.2 (options(digits = 17)):
#   d <- data.frame(A = c(0.5, ...), B = ..., C = ..., D = ...)
#   score(model2network("[A][B|A][C|A:B][D|C]"), d, type = "bic-g", by.node = TRUE)
#   score(..., type = "bge", by.node = TRUE); score(..., type = "bge", iss.mu = 3, iss.w = 10, by.node = TRUE)
BNLEARN_TABLE = np.array(
    [
        [0.5, -1.25, 2.0, 0.75, -0.5, 1.5, -2.25, 0.25, 3.0, -1.0, 1.25, -0.75],
        [1.0, -0.5, 1.75, 2.5, -1.5, 0.5, -1.0, 0.0, 2.25, 0.25, 1.5, -2.0],
        [10.5, 8.25, 13.0, 14.75, 6.5, 11.0, 5.25, 9.5, 16.0, 8.75, 12.25, 7.0],
        [100.0, 230.0, -50.0, 20.0, 410.0, 90.0, 330.0, 150.0, -120.0, 260.0, 40.0, 370.0],
    ]
).T
BNLEARN_FAMILIES: list[tuple[int, list[int]]] = [(0, []), (1, [0]), (2, [0, 1]), (3, [2])]
BNLEARN = {
    "loglik-g": [-21.478093771767039, -15.762734800065592, -12.613307471472295, -64.325967307667938],
    "aic-g": [-23.478093771767039, -18.762734800065594, -16.613307471472297, -67.325967307667938],
    "bic-g": [-23.963000421555041, -19.490094774747593, -17.583120771048296, -68.053327282349940],
}
BNLEARN_BGE = {
    (1.0, 6.0): [-25.856091530209191, -21.669542517583569, -21.158172642270948, -86.871703717459340],
    (3.0, 10.0): [-24.500009886203845, -19.567485567628548, -22.819844737922690, -99.046616439563721],
}


@pytest.mark.parametrize("prior", BNLEARN_BGE)
def test_bge_is_that_of_bnlearn(prior: tuple[float, float]) -> None:
    score = bayesian(BNLEARN_TABLE, *prior)
    found = [score.local(child, parents) for child, parents in BNLEARN_FAMILIES]
    assert found == pytest.approx(BNLEARN_BGE[prior], rel=1e-13)


@pytest.mark.parametrize(("name", "per_parameter"), [("loglik-g", 0.0), ("aic-g", 1.0), ("bic-g", log(12) / 2)])
def test_penalised_scores_are_those_of_bnlearn_but_for_the_estimate_of_the_variance(
    name: str, per_parameter: float
) -> None:
    # bnlearn takes the density at the unbiased variance, RSS / (N - d) with d = k + 1 coefficients, and not at the one
    # that maximises it, RSS / N: so much less. Its scores are not equivalent for that reason.
    score = penalised(BNLEARN_TABLE, [1] * 4, per_parameter)
    for (child, parents), expected in zip(BNLEARN_FAMILIES, BNLEARN[name], strict=True):
        d = len(parents) + 1
        less = -6 * log((12 - d) / 12) - d / 2
        assert score.local(child, parents) - less == pytest.approx(expected, rel=1e-13)


def test_the_number_of_parameters_is_that_of_bnlearn() -> None:
    aic, likelihood = penalised(BNLEARN_TABLE, [1] * 4, 1.0), penalised(BNLEARN_TABLE, [1] * 4, 0.0)
    for i, (child, parents) in enumerate(BNLEARN_FAMILIES):
        of_bnlearn = BNLEARN["loglik-g"][i] - BNLEARN["aic-g"][i]
        assert likelihood.local(child, parents) - aic.local(child, parents) == pytest.approx(of_bnlearn, abs=1e-12)


def test_the_number_of_parameters_of_blocks_is_that_of_the_degenerate_gaussian_score_and_the_means() -> None:
    # Andrews, Ramsey & Cooper (2019): (a (a + 1) - b (b + 1)) / 2 with a columns of the family and b of the parents.
    widths = [2, 3, 1, 4]
    columns = dependent_columns(100, 10, 1)
    aic, likelihood = penalised(columns, widths, 1.0), penalised(columns, widths, 0.0)
    for child, parents in ((0, []), (0, [1]), (1, [0, 3]), (3, [1, 2]), (2, [0, 1, 3])):
        b = sum(widths[parent] for parent in parents)
        a = b + widths[child]
        expected = (a * (a + 1) - b * (b + 1)) / 2 + widths[child]
        assert likelihood.local(child, parents) - aic.local(child, parents) == pytest.approx(expected, abs=1e-9)


def test_constant_and_collinear_columns_give_no_arc_and_no_nan() -> None:
    columns = dependent_columns(1000, 6, 8)
    columns[:, 2] = 7.0
    columns[:, 4] = columns[:, 0] * 3 - columns[:, 1]
    columns[:, 5] = -columns[:, 3]
    gram = centred_gram(columns)
    log_scales = np.log(np.where(gram.scales > 0, gram.scales, 1)).tolist()
    for widths in ([1] * 6, [1, 1, 1, 1, 2]):
        score = _core.LocalScore.gaussian(
            gram.matrix, widths, log_scales[: len(widths)], 1000, _core.PenalisedGaussian(log(1000) / 2), "auto", CACHE
        )
        n = len(widths)
        for child in range(n):
            for parents in ([], [v for v in range(n) if v != child][:3], [v for v in range(n) if v != child]):
                own = score.local(child, parents)
                assert np.isfinite(own)
                assert np.isfinite(score.additions(child, parents)).all()
                if 2 not in (child, *parents):
                    assert score.local(child, [*parents, 2]) < own  # the constant
        assert (score.additions(2, []) < score.local(2, [])).all()
        assert (score.additions(4, [0, 1, 3]) < score.local(4, [0, 1, 3])).all()  # it is determined by these
    ones = penalised(columns[:, [0, 1, 3, 5]], [1] * 4, 1.0)
    assert ones.local(1, [2]) == pytest.approx(ones.local(1, [3]), rel=1e-13)  # copies are worth the same
    assert ones.local(1, [2, 3]) == pytest.approx(ones.local(1, [2]) - 1, rel=1e-13)  # and both of them no more


@pytest.mark.parametrize("part", [1e-3, 1e-5, 4e-6, 1e-7])
def test_what_rounding_leaves_of_a_child_that_is_nearly_determined_gives_no_arc(part: float) -> None:
    # One column is the sum of two others but for a small part of something at right angles to all. Those that are mixed
    # with the two say nothing more of it; but eliminated before them, they change what rounding leaves.
    basis = np.linalg.qr(np.column_stack([np.ones(64), np.random.default_rng(10).normal(size=(64, 40))]))[0][:, 1:]
    columns = np.array(basis)
    columns[:, 38] = 0.6 * basis[:, 38] + 0.8 * basis[:, 39]
    columns[:, :37] += np.outer(columns[:, 38], np.linspace(-1, 1, 37)) + 0.3 * columns[:, [39]]
    columns[:, 20] = basis[:, 37] * part + columns[:, 38] + columns[:, 39]
    gram = centred_gram(columns, np.full(64, 100_000))
    score = _core.LocalScore.gaussian(
        gram.matrix, [1] * 40, [0.0] * 40, gram.n_observations, _core.PenalisedGaussian(0.0), "auto", CACHE
    )
    others = [v for v in range(37) if v != 20]
    gains = score.additions(20, [38, 39], others) - score.local(20, [38, 39])
    assert np.abs(gains).max() < 1  # where 1e-12 of the diagonal is the least residual it is up to 170


def test_the_matrix_lives_as_long_as_the_score() -> None:
    columns = dependent_columns(50, 30, 9)
    score = penalised(columns, [1] * 30, 1.0)
    expected = oracles.log_likelihood(columns, [3], [5]) - 3
    gc.collect()
    _ = [np.full((30, 30), np.nan) for _ in range(20)]  # would take its place
    assert score.local(3, [5]) == pytest.approx(expected)


def test_what_does_not_belong_together_is_refused() -> None:
    score = _core.PenalisedGaussian(1.0)
    good = np.eye(3) * 10
    with pytest.raises(ValueError, match="not square"):
        _core.LocalScore.gaussian(np.ones((2, 3)), [1, 1], [0.0] * 2, 10, score, "auto", CACHE)
    with pytest.raises(ValueError, match="9 numbers is not that of 2 variables with 2 columns, 4 numbers"):
        _core.LocalScore.gaussian(good, [1, 1], [0.0] * 2, 10, score, "auto", CACHE)
    with pytest.raises(ValueError, match="more than the number of variables and one, 4"):
        _core.LocalScore.gaussian(good, [1] * 3, [0.0] * 3, 10, _core.BayesianGaussian(1, 4), "auto", CACHE)
    with pytest.raises(ValueError, match="one column for each variable"):
        _core.LocalScore.gaussian(good, [1, 2], [0.0] * 2, 10, _core.BayesianGaussian(1, 9), "auto", CACHE)
    with pytest.raises(ValueError, match="not symmetric and finite at row 1, column 0"):
        _core.LocalScore.gaussian(np.array([[1, 0.5], [0.4, 1]]), [1, 1], [0.0] * 2, 1, score, "auto", CACHE)
    with pytest.raises(TypeError):  # no silent copy of another type
        _core.LocalScore.gaussian(good.astype(np.float32), [1] * 3, [0.0] * 3, 10, score, "auto", CACHE)
