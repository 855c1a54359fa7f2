"""Tests of independence by permutations: against permuted rows, exact probabilities and the level of a test."""

from math import exp, log

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom

import oracles_independence as oracle
from arcwise import Budget, Dataset, LocalScore, ParameterError, _core, mmhc, mmpc
from tables import dependent_table


def by_permutations(
    data: Dataset, test: str, target: int, given: list[int], candidates: list[int], draws: int, alpha: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _core.test_independence(
        LocalScore(data).core, _core.Statistic[test], target, given, candidates, Budget().core, draws, 7, log(alpha)
    )


def permuted_rows(data: Dataset, test: str, target: int, given: list[int], candidate: int, times: int) -> np.ndarray:
    """Statistics after the target's column was shuffled within the configurations of the conditions."""
    rng = np.random.default_rng(0)
    codes = data.codes.copy()
    configuration = (
        np.unique(codes[:, given], axis=0, return_inverse=True)[1].ravel() if given else np.zeros(len(codes))
    )
    found = []
    for _ in range(times):
        for each in np.unique(configuration):
            rows = np.flatnonzero(configuration == each)
            codes[rows, target] = rng.permutation(codes[rows, target])
        found.append(oracle.statistic(oracle.strata(codes, target, candidate, given), test)[0])
    return np.array(found)


@pytest.mark.parametrize("test", ["g2", "chi2"])
@pytest.mark.parametrize("given", [[], [1], [1, 4]])
def test_the_distribution_is_that_of_permuted_rows(test: str, given: list[int]) -> None:
    data = dependent_table(40, (2, 3, 3, 2, 2), seed=2)
    times = 2000
    shuffled = permuted_rows(data, test, 0, given, 2, times)
    observed = oracle.statistic(oracle.strata(data.codes, 0, 2, given), test)[0]
    # With an alpha of nearly 1 all draws are made.
    values, means, _ = by_permutations(data, test, 0, given, [2], times, 0.999999)
    assert values[0] == pytest.approx(observed)
    spread = shuffled.std() * np.sqrt(2 / times)
    assert abs(means[0] - shuffled.mean()) < 5 * spread
    # The draws end when p must be above alpha: an alpha just below p lets nearly all of them be made.
    p = (1 + (shuffled >= observed - 1e-9).sum()) / (1 + times)
    if p > 0.02:
        _, _, log_p = by_permutations(data, test, 0, given, [2], times, 0.9 * p)
        assert abs(exp(log_p[0]) - p) < 6 * np.sqrt(p / times) + 0.1 * p


@pytest.mark.parametrize("test", ["g2", "chi2"])
@pytest.mark.parametrize("given", [[], [1], [4, 1]])
def test_it_does_not_matter_which_of_the_two_is_the_target(test: str, given: list[int]) -> None:
    """Neighbours must be found from both sides: with draws of their own for each it would be harder to pass."""
    data = dependent_table(60, (2, 3, 3, 2, 2, 4), seed=5)
    for one, other in ((0, 2), (2, 3), (5, 0)):
        _, _, from_one = by_permutations(data, test, one, given, [other], 500, 0.5)
        _, _, from_other = by_permutations(data, test, other, given[::-1], [one], 500, 0.5)
        assert from_one == pytest.approx(from_other, rel=1e-9)


@pytest.mark.parametrize("ones", [(6, 8), (3, 15), (10, 10), (1, 4)])
@pytest.mark.parametrize("test", ["g2", "chi2"])
def test_two_by_two_tables_by_enumeration(ones: tuple[int, int], test: str) -> None:
    """Decisions agree with the exact test wherever it is not near the level."""
    n = 20
    for both in range(max(0, sum(ones) - n), min(ones) + 1):
        table = np.array([[both, ones[0] - both], [ones[1] - both, n - sum(ones) + both]])
        rows = [(i, j) for (i, j), times in np.ndenumerate(table) for _ in range(times)]
        data = Dataset.from_codes(rows, arities=[2, 2])
        observed = oracle.statistic(oracle.strata(data.codes, 0, 1, []), test)[0]
        p = 0.0
        for other in range(max(0, sum(ones) - n), min(ones) + 1):
            like = np.array([[other, ones[0] - other], [ones[1] - other, n - sum(ones) + other]])
            cells = [(i, j) for (i, j), times in np.ndenumerate(like) for _ in range(times)]
            if oracle.statistic(oracle.strata(np.array(cells), 0, 1, []), test)[0] >= observed - 1e-9:
                p += float(hypergeom.pmf(other, n, *ones))
        for alpha in (0.01, 0.05, 0.3):
            if abs(p - alpha) > 0.3 * alpha:
                _, _, log_p = by_permutations(data, test, 0, [], [1], 3000, alpha)
                assert (log_p[0] <= log(alpha)) == (p <= alpha), (both, p, alpha)


def test_the_mean_of_pearsons_statistic_is_known() -> None:
    """N (r − 1)(c − 1) / (N − 1) in every configuration of the conditions."""
    data = dependent_table(60, (3, 2, 4), seed=1)
    _, means, _ = by_permutations(data, "chi2", 0, [1], [2], 20_000, 0.999999)
    expected = 0.0
    for state in range(2):
        n = int((data.codes[:, 1] == state).sum())
        (table,) = oracle.strata(data.codes[data.codes[:, 1] == state], 0, 2, [])
        expected += n * (table.shape[0] - 1) * (table.shape[1] - 1) / (n - 1)
    assert means[0] == pytest.approx(expected, rel=0.02)


def test_strong_dependences_are_told_apart() -> None:
    """No draw comes near them: their p is that of χ² with the mean of the draws as its degrees of freedom."""
    rng = np.random.default_rng(0)
    column = rng.integers(2, size=300)
    noisy = np.where(rng.random(300) < 0.05, 1 - column, column)
    noisier = np.where(rng.random(300) < 0.2, 1 - column, column)
    data = Dataset.from_codes(np.column_stack([column, noisy, noisier]).astype(np.uint8))
    values, means, log_p = by_permutations(data, "g2", 0, [], [1, 2], 999, 0.05)
    assert log_p[0] < log_p[1] < log(1e-6)
    assert log_p == pytest.approx(chi2.logsf(values, means), rel=1e-6)


def test_the_level_is_kept_where_that_of_chi2_is_not() -> None:
    """Columns with few ones: G² exceeds its χ² quantile more often than it should, or never."""
    rng = np.random.default_rng(1)
    n_rows, n_variables = 25, 40
    codes = (rng.random((n_rows, n_variables)) < rng.uniform(0.1, 0.5, size=n_variables)).astype(np.uint8)
    data = Dataset.from_codes(codes, arities=[2] * n_variables)
    shown = 0
    tested = 0
    for target in range(0, n_variables, 4):
        others = [v for v in range(n_variables) if v != target]
        _, _, log_p = by_permutations(data, "g2", target, [], others, 499, 0.05)
        shown += int((log_p <= log(0.05)).sum())
        tested += len(others)
    assert shown / tested <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / tested)


def test_weights_are_repetitions() -> None:
    data = dependent_table(30, (2, 3, 2), seed=1)
    counts = np.random.default_rng(0).integers(1, 4, size=30).astype(np.uint32)
    weighted = data.with_weights(counts)
    repeated = Dataset.from_codes(np.repeat(data.codes, counts, axis=0), arities=data.arities)
    one, two = (by_permutations(table, "g2", 0, [2], [1], 500, 0.05) for table in (weighted, repeated))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_neighbours_by_permutations() -> None:
    data = dependent_table(60, (2, 3) * 4, seed=3)
    found = mmpc(LocalScore(data), permutations=199, least_per_cell=0, max_conditions=2, workers=1)
    assert mmpc(LocalScore(data), permutations=199, least_per_cell=0, max_conditions=2, workers=3) == found
    assert all(of in found[name] for of, row in found.items() for name in row)
    assert any(found.values())
    # With many observations both kinds of tests say the same.
    large = dependent_table(3000, (2, 3) * 3, seed=3)
    assert mmpc(LocalScore(large), permutations=199, alpha=0.01) == mmpc(LocalScore(large), alpha=0.01)


def test_hill_climbing_on_them() -> None:
    data = dependent_table(60, (2, 3) * 3, seed=3)
    first, second = (mmhc(LocalScore(data), permutations=99, seed=1) for _ in range(2))
    assert first.dag == second.dag
    assert first.decisions["independence"]["permutations"] == 99


def test_the_budget_ends_them() -> None:
    data = dependent_table(60, (2, 3) * 4, seed=3)
    budget = Budget()
    budget.interrupt()
    with pytest.warns(match="the budget ended before"):
        mmpc(LocalScore(data), permutations=100_000, budget=budget)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"permutations": -1}, "permutations must be at least 0"),
        ({"permutations": 5}, "permutations must be 0 or at least 19, not 5"),
        ({"permutations": 100, "alpha": 1e-320}, "permutations must be 0 or at least"),
        ({"permutations": 99, "alpha": 0.001}, "at least 999"),
        ({"seed": -1}, "seed must be"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mmpc(LocalScore(dependent_table()), **options)  # type: ignore[arg-type]
