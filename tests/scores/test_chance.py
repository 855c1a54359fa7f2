"""How many pairs of independent variables a score joins by chance: by hand, and by simulation."""

from math import erfc, log, sqrt

import numpy as np
import pytest
from scipy.special import chdtrc

from arcwise import BIC, EBIC, Dataset, LocalScore
from arcwise.plan import planned_score
from arcwise.scores.chance import pairs_by_chance
from arcwise.scores.definitions import Score


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_pairs_by_hand(gamma: float) -> None:
    """Three variables of two states, two of three and one of a single one: 3, 6 and 1 pairs that may be joined."""
    n_rows, among = 200, 2 * gamma * log(5)
    expected = sum(
        pairs * chdtrc(degrees, degrees * log(n_rows) + among) for pairs, degrees in ((3, 1), (3 * 2, 2), (1, 4))
    )
    assert pairs_by_chance([2, 3, 2, 1, 3, 2], n_rows, gamma) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n_rows", [2, 5, 30, 1000])
@pytest.mark.parametrize(("a", "b"), [(2, 4), (3, 4), (4, 4), (2, 100), (11, 11), (12, 11), (40, 50), (2, 300)])
def test_many_states(a: int, b: int, n_rows: int) -> None:
    degrees = (a - 1) * (b - 1)
    expected = chdtrc(degrees, degrees * log(n_rows))
    assert pairs_by_chance([a, b], n_rows) == pytest.approx(expected, rel=1e-9 if degrees <= 100 else 0.2, abs=1e-5)


def test_nothing_to_join() -> None:
    assert pairs_by_chance([], 10) == pairs_by_chance([2], 10) == pairs_by_chance([1, 1, 5], 10) == 0
    assert pairs_by_chance([2, 2], 1) == 1  # BIC takes nothing off for one row


@pytest.mark.parametrize(
    ("arities", "score"), [([2] * 300, BIC()), ([2] * 300, EBIC(0.25)), ([2, 3] * 150, BIC())], ids=str
)
def test_pairs_by_simulation(arities: list[int], score: Score) -> None:
    """Independent columns are joined as often as expected, within five deviations of a Poisson number."""
    n_rows, rng = 500, np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, arity, n_rows) for arity in arities])
    local = LocalScore(Dataset.from_codes(codes, arities=arities), score)
    joined = 0
    for child in range(1, len(arities)):
        joined += int((local.additions(child, [], range(child)) > local.local(child)).sum())
    expected = pairs_by_chance(arities, n_rows, getattr(score, "gamma", 0.0))
    assert expected > 50
    assert abs(joined - expected) < 5 * sqrt(expected) + 0.1 * expected  # chi-squared is the limit for many rows


def sized(n_variables: int, n_rows: int, arity: int = 2) -> Dataset:
    """A table of this size; as only that matters, with one row that counts so often."""
    codes = np.zeros((1, n_variables), dtype=np.uint8)
    return Dataset.from_codes(codes, arities=[arity] * n_variables, weights=[n_rows])


@pytest.mark.parametrize(
    ("n_variables", "n_rows"),
    [(8, 100), (37, 50), (37, 500), (37, 5000), (294, 37_711), (724, 5000), (1058, 2225), (1556, 3279)],
)
def test_usual_tables_keep_bic(n_variables: int, n_rows: int) -> None:
    assert planned_score(sized(n_variables, n_rows))[0] == BIC()


@pytest.mark.parametrize(
    ("data", "gamma"),
    [
        (sized(100, 50), 1.0),
        (sized(1000, 1000), 1.0),
        (sized(5000, 1000), 1.0),
        (sized(10_000, 50_000), 0.5),
        (sized(20_000, 100), 1.0),
        (sized(20_000, 100, arity=3), 1.0),
    ],
)
def test_wide_tables_get_ebic(data: Dataset, gamma: float) -> None:
    score, reason = planned_score(data)
    assert score == EBIC(gamma)
    assert f"{data.n_observations:,} rows of {data.n_variables:,} variables" in reason
    assert str(score) in reason


def test_the_rule_by_hand() -> None:
    """For binary variables BIC joins (n - 1) / 2 pairs per variable times the tail beyond ln N."""
    for n_variables, n_rows in ((930, 1000), (935, 1000), (3000, 2500), (42, 50), (43, 50), (60, 50)):
        by_chance = (n_variables - 1) / 2 * erfc(sqrt(log(n_rows) / 2))
        is_wide = by_chance > (1 if n_variables > n_rows else 4)
        assert (planned_score(sized(n_variables, n_rows))[0] != BIC()) == is_wide


def test_many_states_need_no_more() -> None:
    assert planned_score(sized(5000, 1000, arity=3))[0] == BIC()
