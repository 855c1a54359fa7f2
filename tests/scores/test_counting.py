"""Scores of tables of every shape, against dictionaries of counts: each way of counting gives the same numbers."""

import subprocess
import sys
from collections.abc import Iterator
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.scores import LocalScore
from score_cases import NAMES, Family, case, cases, near

INSTRUCTIONS = ("plain", "avx2", "avx512")


@pytest.fixture(params=INSTRUCTIONS)
def instructions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each set of kernels that this machine runs."""
    name = str(request.param)
    if INSTRUCTIONS.index(name) > INSTRUCTIONS.index(_core.instructions()):
        pytest.skip(f"this machine has no {name}")
    monkeypatch.setenv("ARCWISE_SIMD", name)
    return name


def n_cells(data: Dataset, family: Family) -> float:
    child, parents = family
    return float(prod(data.arities[v] for v in (child, *parents)))


@pytest.mark.usefixtures("instructions")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("label", cases())
def test_local_scores_are_those_of_the_definition(label: str, name: str) -> None:
    table = cases()[label]
    score = LocalScore(table.data, name)
    for child, parents in table.families:
        cells = n_cells(table.data, (child, parents))
        assert score.local(child, parents) == near(table.expected(name, child, parents), name, cells), (child, parents)


def candidates(data: Dataset, family: Family) -> Iterator[int]:
    child, parents = family
    return (v for v in range(data.n_variables) if v != child and v not in parents)


@pytest.mark.usefixtures("instructions")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("label", cases())
def test_batches_are_their_single_scores(label: str, name: str) -> None:
    """A batch counts in another way than single scores do; nothing is remembered between the two."""
    table = cases()[label]
    single = LocalScore(table.data, name, cache_bytes=0)
    for child, parents in table.families:
        cells = n_cells(table.data, (child, parents))
        added = [single.local(child, (*parents, v)) for v in candidates(table.data, (child, parents))]
        assert LocalScore(table.data, name).additions(child, parents).tolist() == near(added, name, 10 * cells)
        removed = [single.local(child, parents[:i] + parents[i + 1 :]) for i in range(len(parents))]
        assert LocalScore(table.data, name).removals(child, parents).tolist() == near(removed, name, cells)


def test_a_batch_over_columns_with_and_without_bit_planes() -> None:
    """Candidates keep their order when some are counted by planes and others by histograms."""
    arities = [2, 70, 2, 300, 3, 64, 65, 1, 2]
    table = case(600, arities, [])
    score = LocalScore(table.data, "bic")
    order = [3, 8, 1, 7, 6, 2, 5, 4]
    expected = [table.expected("bic", 0, (v,)) for v in order]
    assert score.additions(0, [], order).tolist() == near(expected, "bic")


@pytest.mark.usefixtures("instructions")
@pytest.mark.parametrize("order", ["as they come", "backwards", "shuffled", "few"])
def test_candidates_in_any_order(order: str) -> None:
    """Many columns are counted together, a block at a time; asking for them in another order changes nothing."""
    table = cases()["a hundred columns"]
    rest = list(candidates(table.data, (5, (20, 22))))
    chosen = {
        "as they come": rest,
        "backwards": rest[::-1],
        "shuffled": np.random.default_rng(1).permutation(rest).tolist(),
        "few": [99, 0, 64, 3],
    }[order]
    for name in ("bic", "bds"):
        expected = [table.expected(name, 5, (20, 22, v)) for v in chosen]
        assert LocalScore(table.data, name).additions(5, (20, 22), chosen).tolist() == near(expected, name)


@pytest.mark.usefixtures("instructions")
def test_one_cell_with_very_many_rows() -> None:
    """70,000 rows that share one cell: counters of 8 or 16 bits would wrap around. By hand: ℓ of two halves."""
    codes = np.zeros((70_000, 70), dtype=np.int64)
    codes[:, 1:] = np.arange(70_000)[:, None] % 2
    codes[:, 69] = np.arange(70_000) % 70  # keeps some rows apart
    codes[0, 0] = 1
    data = Dataset.from_codes(codes, arities=[2] * 69 + [70])
    score = LocalScore(data, "loglik")
    in_one_half = np.log(1 / 35_000) + 34_999 * np.log(34_999 / 35_000)
    assert score.additions(0, [], range(1, 69)).tolist() == pytest.approx([in_one_half] * 68, abs=1e-8)
    both_ways = score.additions(1, [0], range(2, 69)).tolist()
    assert both_ways == pytest.approx([0.0] * 67, abs=1e-8)


def test_a_constant_column_behind_a_full_block_of_columns() -> None:
    """64 binary columns fill a word per row; a column with one state after them has no word to be read from.

    In a process of its own: reading past the end of so many rows ends the process.
    """
    program = """
import numpy as np
from arcwise.data.dataset import Dataset
from arcwise.scores import LocalScore
codes = np.zeros((400_000, 65), dtype=np.uint8)
codes[:, :64] = np.random.default_rng(0).integers(0, 2, (400_000, 64))
score = LocalScore(Dataset.from_codes(codes, arities=[2] * 64 + [1]), "loglik")
for parents in ([1], [1, 2, 3], [1, 2, 3, 4, 5]):
    assert abs(score.additions(0, parents)[-1] - score.local(0, parents)) < 1e-6
"""
    finished = subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=False)
    assert finished.returncode == 0


def test_product_of_arities_beyond_64_bits() -> None:
    """2 · 4^40 = 2^81 cells, of which at most 500 occur; nothing may wrap around."""
    table = case(500, [2] + [4] * 40, [])
    parents = tuple(range(1, 41))
    for name in NAMES:
        expected = table.expected(name, 0, parents)
        assert LocalScore(table.data, name).local(0, parents) == near(expected, name, 2.0**81), name
        assert LocalScore(table.data, name).additions(0, parents[:-1])[0] == near(expected, name, 2.0**81), name
        assert LocalScore(table.data, name).removals(0, parents)[-1] == near(
            table.expected(name, 0, parents[:-1]), name, 2.0**79
        ), name


@pytest.mark.parametrize("name", ["loglik", "bdeu", "bds", "k2", "fnml", "qnml"])
def test_product_of_arities_beyond_the_largest_double(name: str) -> None:
    """1,100 binary parents; all rows differ. The limits: ln α_jk − ln α_j = −ln r for each row, and C(N, k) ~ k^N."""
    rng = np.random.default_rng(0)
    data = Dataset.from_codes(rng.integers(0, 2, (20, 1101)), arities=[2] * 1101)
    alone = -20 * np.log(2)  # every row is alone in its configuration, and costs ln 2
    expected = {"loglik": 0.0}.get(name, alone)
    assert LocalScore(data, name).local(0, range(1, 1101)) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@st.composite
def tables(draw: st.DrawFn) -> Dataset:
    n_rows, n_variables = draw(st.integers(1, 30)), draw(st.integers(2, 5))
    arities = draw(st.lists(st.integers(1, 4), min_size=n_variables, max_size=n_variables))
    codes = [[draw(st.integers(0, r - 1)) for r in arities] for _ in range(n_rows)]
    weights = draw(st.none() | st.lists(st.integers(0, 5), min_size=n_rows, max_size=n_rows).filter(any))
    return Dataset.from_codes(np.array(codes), arities=arities, weights=weights)


@given(tables(), st.sampled_from(NAMES), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_random_tables_in_any_order(data: Dataset, name: str, random: object) -> None:
    """Single scores, batches, and the same table with its rows and columns shuffled, against the definition."""
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    rows, weights = data.codes.tolist(), None if data.weights is None else data.weights.tolist()
    columns = rng.permutation(data.n_variables)
    order = rng.permutation(data.n_rows)
    shuffled = Dataset.from_codes(
        data.codes[order][:, columns],
        arities=[data.arities[v] for v in columns],
        names=[data.names[v] for v in columns],
        weights=None if data.weights is None else data.weights[order],
    )
    variables = rng.permutation(data.n_variables).tolist()
    child, parents = variables[0], variables[1 : 1 + int(rng.integers(data.n_variables))]
    score, other = LocalScore(data, name), LocalScore(shuffled, name)

    def expected(*parents: int) -> float:
        return oracles.local_score(name, rows, data.arities, child, parents, weights)

    assert score.local(child, parents) == near(expected(*parents), name)
    backwards = [data.names[v] for v in reversed(parents)]
    assert other.local(data.names[child], backwards) == near(expected(*parents), name)
    rest = [v for v in variables[1:] if v not in parents]
    assert score.additions(child, parents, rest).tolist() == near([expected(*parents, v) for v in rest], name)
    removed = [expected(*(p for p in parents if p != v)) for v in parents]
    assert score.removals(child, parents).tolist() == near(removed, name)


def ways_of_counting(data: Dataset, name: str, child: int, parents: list[int]) -> Iterator[float]:
    """The score of one family alone, from each family with a parent less, and from each with one more."""
    score = LocalScore(data, name, cache_bytes=0)  # nothing is remembered
    for order in (parents, parents[::-1]):
        yield score.local(child, order)
        for one in order:
            fewer = [v for v in order if v != one]
            yield float(score.additions(child, fewer, [one])[0])
            yield float(score.additions(child, fewer)[sorted(candidates(data, (child, tuple(fewer)))).index(one)])
        for one in candidates(data, (child, tuple(parents))):
            yield float(score.removals(child, [*order, one])[len(order)])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("label", cases())
def test_a_score_is_the_same_to_the_last_bit_however_it_is_counted(
    label: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is remembered must not depend on who counted it first: ties would then depend on the threads."""
    table = cases()[label]
    for child, parents in table.families:
        values = set(ways_of_counting(table.data, name, child, list(parents)))
        with monkeypatch.context() as patch:
            patch.setenv("ARCWISE_SIMD", "plain")
            values.add(LocalScore(table.data, name).local(child, parents))
        assert len(values) == 1, (child, parents, sorted(values))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_holds_for_more_configurations_than_a_double_can_count(name: str) -> None:
    """Products of 60 arities are rounded, one way in one order and another way in another."""
    rng = np.random.default_rng(1)
    arities = [3, 5, 7, 2, 6] * 12
    data = Dataset.from_codes(rng.integers(0, arities, (50, 60)), arities=arities)
    score = LocalScore(data, name, cache_bytes=0)
    parents = list(range(1, 59))
    values = {score.local(0, rng.permutation(parents).tolist()) for _ in range(20)}
    values |= {float(score.additions(0, [v for v in parents if v != one], [one])[0]) for one in parents}
    values |= {float(score.removals(0, [*rng.permutation(parents).tolist(), 59])[-1]) for _ in range(5)}
    assert len(values) == 1
