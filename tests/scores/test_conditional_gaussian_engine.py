"""The engine of mixed tables against least squares in each configuration, and against bnlearn."""

from math import isfinite, log, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import _core
from oracles_mixed import MixedTable, local_score

CACHE = 1 << 20


def engine(
    table: MixedTable, per_parameter: float = 0.0, gamma: float = 0.0, instructions: str = "auto"
) -> _core.LocalScore:
    return _core.LocalScore.conditional_gaussian(
        np.asfortranarray(table.codes),
        list(table.arities),
        np.asfortranarray(table.numbers),
        table.weights,
        per_parameter,
        gamma,
        instructions,
        CACHE,
        [(variable, rows.astype(np.uint8)) for variable, rows in (table.forced or {}).items()],
    )


def others(table: MixedTable, family: list[int]) -> list[int]:
    return [v for v in range(len(table.arities)) if v not in family]


def random_table(rng: np.random.Generator, n_rows: int, arities: list[int]) -> MixedTable:
    """Columns that follow those before them, with constant, rounded and collinear ones among them."""
    codes = np.zeros((n_rows, len(arities)), dtype=np.uint8)
    numbers: list[np.ndarray] = []
    level = rng.normal(size=n_rows)
    for v, arity in enumerate(arities):
        if arity:
            codes[:, v] = np.floor(arity / (1 + np.exp(-level + rng.normal(size=n_rows)))).clip(0, arity - 1)
            level = level + codes[:, v]
            continue
        kind = rng.integers(8)
        column = level * rng.normal() + rng.normal(size=n_rows) * rng.choice([0.1, 1, 10]) + rng.choice([0, 5, -1e3])
        if kind == 0:
            column = np.full(n_rows, 0.1)
        elif kind == 1:
            column = np.round(column)
        elif kind == 2 and numbers:
            column = 3.0 * numbers[-1] - (numbers[0] if len(numbers) > 1 else 1.0)
        numbers.append(column)
        level = (column - column.mean()) / (column.std() or 1.0)
    return MixedTable(arities, codes, np.column_stack(numbers) if numbers else np.zeros((n_rows, 0)))


@st.composite
def tables(draw: st.DrawFn) -> MixedTable:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    arities = draw(st.lists(st.sampled_from([0, 0, 1, 2, 3, 7]), min_size=2, max_size=6))
    table = random_table(rng, draw(st.integers(1, 60)), arities)
    n_rows = len(table.codes)
    weights = rng.integers(0, 4, n_rows).astype(np.uint32) if draw(st.booleans()) else None
    forced = {int(rng.integers(len(arities))): rng.random(n_rows) < 0.3} if draw(st.booleans()) else None
    return MixedTable(table.arities, table.codes, table.numbers, weights, forced)


def close(table: MixedTable, found: float, expected: float) -> bool:
    size = len(table.codes) if table.weights is None else int(table.weights.sum())
    return found == expected or abs(found - expected) <= 1e-6 * (1 + size + abs(expected))


@settings(max_examples=150, deadline=None)
@given(table=tables(), data=st.data())
def test_scores_are_sums_of_normal_densities(table: MixedTable, data: st.DataObject) -> None:
    family = data.draw(st.permutations(range(len(table.arities))))[: data.draw(st.integers(1, len(table.arities)))]
    child, parents = family[0], family[1:]
    score = engine(table, 0.7, 0.3)
    expected = local_score(table, child, parents, 0.7, 0.3)
    assert close(table, score.local(child, parents), expected)
    assert isfinite(expected) or not table.is_continuous(child)
    rest = others(table, family)
    added = score.additions(child, parents, rest)
    for candidate, found in zip(rest, added, strict=True):
        assert close(table, found, local_score(table, child, [*parents, candidate], 0.7, 0.3))
    for i, found in enumerate(engine(table, 0.7, 0.3).removals(child, parents)):
        assert close(table, found, local_score(table, child, parents[:i] + parents[i + 1 :], 0.7, 0.3))


@settings(max_examples=100, deadline=None)
@given(table=tables(), data=st.data())
def test_a_number_depends_on_its_family_alone(table: MixedTable, data: st.DataObject) -> None:
    """To the last bit: in whatever order parents come, however it is asked for, in whatever instructions."""
    family = data.draw(st.permutations(range(len(table.arities))))
    child, parents = family[0], family[1:]
    number = engine(table).local(child, parents)
    assert number == engine(table).local(child, data.draw(st.permutations(parents)))
    assert number == engine(table, instructions="plain").local(child, parents)
    if parents:
        assert number == engine(table).additions(child, parents[:-1], parents[-1:])[0]
        one_less = engine(table).removals(child, parents)
        assert all(
            one_less[i] == engine(table).local(child, parents[:i] + parents[i + 1 :]) for i in range(len(parents))
        )


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_row_of_weight_three_is_three_rows(seed: int) -> None:
    """Where each configuration has rows enough to be estimated."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, 200, [2, 0, 0, 2, 0])
    weights = rng.integers(1, 4, 200).astype(np.uint32)
    rows = np.repeat(np.arange(200), weights)
    once = MixedTable(table.arities, table.codes, table.numbers, weights)
    repeated = MixedTable(table.arities, table.codes[rows], table.numbers[rows])
    counts = np.unique(table.codes[:, [0, 3]], axis=0, return_counts=True)[1]
    if counts.min() >= 8:
        for child, parents in [(1, [0, 2]), (4, [0, 1, 2, 3]), (3, [0]), (2, [])]:
            assert close(once, engine(once).local(child, parents), engine(repeated).local(child, parents))


def test_a_discrete_child_has_no_continuous_parents() -> None:
    table = random_table(np.random.default_rng(1), 50, [2, 0, 3, 0])
    score = engine(table)
    assert score.local(0, [1]) == -np.inf
    assert score.local(0, [2, 3]) == -np.inf
    assert score.additions(0, []).tolist()[0::2] == [-np.inf, -np.inf]
    assert isfinite(score.additions(0, [])[1])
    assert np.all(score.additions(0, [1]) == -np.inf)
    assert score.removals(0, [1, 2])[1] == -np.inf
    assert isfinite(score.removals(0, [1, 2])[0])
    assert not score.is_equivalent


def test_by_hand() -> None:
    """Two configurations: in one the values are 1, 1, 3, 3 (variance 1), in the other 0, 4, 0, 4 (variance 4)."""
    codes = np.array([[0, 0]] * 4 + [[1, 0]] * 4, dtype=np.uint8)
    table = MixedTable([2, 0], codes, np.array([[1.0], [1], [3], [3], [0], [4], [0], [4]]))
    expected = -0.5 * 4 * (log(2 * pi * 1) + 1) - 0.5 * 4 * (log(2 * pi * 4) + 1)
    assert engine(table).local(1, [0]) == pytest.approx(expected, rel=1e-14)
    assert engine(table, 2.0).local(1, [0]) == pytest.approx(expected - 2 * 2 * 2, rel=1e-14)
    assert engine(table).local(1, []) == pytest.approx(-0.5 * 8 * (log(2 * pi * 2.5) + 1), rel=1e-14)


@pytest.mark.parametrize("n_rare", [1, 2, 3])
def test_few_rows_gain_nothing_by_fitting_well(n_rare: int) -> None:
    """A rare state whose rows are all alike: its variance is 0, and says nothing."""
    rng = np.random.default_rng(n_rare)
    numbers = rng.normal(size=(500, 1))
    numbers[:n_rare] = 0.1
    codes = np.zeros((500, 2), dtype=np.uint8)
    codes[:n_rare, 0] = 1
    score = engine(MixedTable([2, 0], codes, numbers), 0.5 * log(500))
    assert score.local(1, [0]) < score.local(1, [])


def test_chance_draws_few_arcs_from_rare_states() -> None:
    """Independent columns with rounded numbers and states that three of 200 rows have, and bootstraps of them.

    Were every configuration estimated that has a row more than coefficients, BIC would take one arc in 75, and one in
    10 in a bootstrap, which draws the same row again.
    """
    rng = np.random.default_rng(5)
    arities = [2] * 10 + [0] * 10
    n_arcs = np.zeros(2, dtype=int)
    for _ in range(10):
        codes = np.zeros((200, 20), dtype=np.uint8)
        codes[:, :10] = rng.random((200, 10)) < 0.015
        numbers = np.round(rng.normal(size=(200, 10)), 1)
        for i, weights in enumerate([None, rng.multinomial(200, [1 / 200] * 200).astype(np.uint32)]):
            score = engine(MixedTable(arities, codes, numbers, weights), 0.5 * log(200))
            for child in range(10, 20):
                n_arcs[i] += np.sum(score.additions(child, [], list(range(10))) > score.local(child, []))
    assert n_arcs[0] <= 10  # of a thousand
    assert n_arcs[1] <= 40


def test_as_many_parents_as_rows_gain_nothing() -> None:
    rng = np.random.default_rng(2)
    table = MixedTable([0] * 12, np.zeros((12, 12), dtype=np.uint8), rng.normal(size=(12, 12)))
    score = engine(table, 0.5 * log(12))
    assert score.local(0, list(range(1, 12))) < score.local(0, [])


def test_numbers_of_any_size() -> None:
    """Scaled by a power of two, a score moves by its logarithm; shifted far away, by little."""
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(2, size=100), np.zeros((100, 2))]).astype(np.uint8)
    child = MixedTable([2, 0, 0], codes, rng.normal(size=(100, 2)))
    near = engine(child).local(1, [0, 2])
    for exponent in [-1000, -500, 400, 1000]:
        scaled = MixedTable(child.arities, child.codes, child.numbers * 2.0**exponent)
        assert engine(scaled).local(1, [0, 2]) == pytest.approx(near - 100 * exponent * log(2), rel=1e-9)
    shifted = MixedTable(child.arities, child.codes, child.numbers + 1e6)
    assert engine(shifted).local(1, [0, 2]) == pytest.approx(near, rel=1e-7)


def test_rounding_gives_no_arc_to_a_child_that_is_nearly_determined() -> None:
    """It is the sum of two columns but for little that is at right angles to all; mixtures of the two say no more."""
    rng = np.random.default_rng(0)
    n = 200_000
    columns = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 4))]))[0][:, 1:] * np.sqrt(n)
    a, b, rest, other = columns.T
    mixtures = [a + 0.5 * k * b + 0.3 * other for k in range(1, 4)] + [b + 0.1 * a, a - b]
    numbers = np.column_stack([*mixtures, a, b, a + b + 3e-5 * rest])
    score = engine(MixedTable([0] * 8, np.zeros((n, 8), dtype=np.uint8), numbers))
    assert np.abs(score.additions(7, [5, 6]) - score.local(7, [5, 6])).max() < 0.1


def test_wrong_tables_are_refused() -> None:
    codes = np.zeros((3, 2), dtype=np.uint8, order="F")
    good = np.array([[1.0], [2.0], [4.0]], order="F")
    make = _core.LocalScore.conditional_gaussian
    for numbers, arities, per_parameter, message in [
        (np.array([[1.0], [np.nan], [2.0]]), [1, 0], 0.0, "finite"),
        (good[:2], [1, 0], 0.0, "belong together"),
        (good, [1, 1], 0.0, "belong together"),
        (good, [1, 0], -1.0, "not negative"),
    ]:
        with pytest.raises(ValueError, match=message):
            make(codes, arities, np.asfortranarray(numbers), None, per_parameter, 0.0, "auto", CACHE)


def test_against_bnlearn() -> None:
    """What bnlearn 4.9.4 says; it takes densities with the unbiased variance, ours with the one that maximises them.

    In R: i <- 0:199; data <- data.frame(a = factor((i * 7) %% 3), b = factor(((i * 11) %/% 5) %% 2),
    x = ((i * 37) %% 101) / 10, y = ((i * 53) %% 97) / 7 + (i %% 3),
    z = ((i * 29) %% 89) / 5 - 2 * ((i * 37) %% 101) / 10);
    score(model2network("[a][b|a][x|a:b][y|x][z|a:x:y]"), data, type = "loglik-cg", by.node = TRUE), and "bic-cg".
    On its clgaussian.test (5000 rows, 4 discrete and 4 continuous variables) three graphs agree to 8 decimals.
    """
    i = np.arange(200)
    codes = np.zeros((200, 5), dtype=np.uint8)
    codes[:, 0], codes[:, 1] = (i * 7) % 3, (i * 11) // 5 % 2
    x = i * 37 % 101 / 10
    table = MixedTable([3, 2, 0, 0, 0], codes, np.column_stack([x, i * 53 % 97 / 7 + i % 3, i * 29 % 89 / 5 - 2 * x]))
    graphs: list[tuple[list[list[int]], list[float], float, int]] = [
        (
            [[], [], [], [], []],
            [-219.717449337474, -138.629436111989, -498.367231289289, -565.100056578391, -687.537056609563],
            -2133.19365807617,
            9,
        ),
        (
            [[], [0], [0, 1], [2], [0, 2, 3]],
            [-219.717449337474, -138.614510184659, -488.587290812121, -564.783803582752, -606.058621113421],
            -2102.5347528952,
            32,
        ),
        (
            [[], [], [1], [1, 2], [2, 3]],
            [-219.717449337474, -138.629436111989, -496.139233538882, -564.220901072901, -611.251746098910],
            -2074.99446377581,
            17,
        ),
    ]
    for parents, expected, bic, n_parameters in graphs:
        ours = [engine(table).local(child, its) + unbiased(table, child, its) for child, its in enumerate(parents)]
        assert ours == pytest.approx(expected, rel=1e-12)
        penalised = sum(engine(table, 0.5 * log(200)).local(child, its) for child, its in enumerate(parents))
        plain = sum(engine(table).local(child, its) for child, its in enumerate(parents))
        assert plain - penalised == pytest.approx(0.5 * log(200) * n_parameters)
        assert penalised + sum(ours) - plain == pytest.approx(bic, rel=1e-12)


def unbiased(table: MixedTable, child: int, parents: list[int]) -> float:
    """What the density with RSS / (n - c - 1) as the variance is more than that with RSS / n."""
    if not table.is_continuous(child):
        return 0.0
    discrete = [parent for parent in parents if not table.is_continuous(parent)]
    n = np.unique(table.codes[:, discrete], axis=0, return_counts=True)[1] if discrete else np.array([len(table.codes)])
    left = n - (len(parents) - len(discrete)) - 1
    return float(np.sum(n / 2 * np.log(left / n) + (n - left) / 2))
