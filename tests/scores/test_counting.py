"""Scores of tables of every shape, against dictionaries of counts: each way of counting gives the same numbers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from math import prod

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.scores import SCORES, LocalScore

NAMES = tuple(SCORES)
INSTRUCTIONS = ("plain", "avx2", "avx512")
Family = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Case:
    """A table, and the families to score in it."""

    data: Dataset
    families: tuple[Family, ...]
    rows: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", self.data.codes.tolist())

    @cache  # noqa: B019 - the cases live as long as the tests
    def expected(self, name: str, child: int, parents: tuple[int, ...]) -> float:
        weights = None if self.data.weights is None else self.data.weights.tolist()
        return oracles.local_score(name, self.rows, self.data.arities, child, parents, weights)


def random_codes(n_rows: int, arities: list[int], seed: int) -> npt.NDArray[np.int64]:
    """Columns that depend on the one before, with the last states rare, so that many configurations are not seen."""
    rng = np.random.default_rng(seed)
    columns = [np.zeros(n_rows, dtype=np.int64)]
    for r in arities:
        fresh = np.floor(r * rng.random(n_rows) ** 2).astype(np.int64)
        columns.append(np.where(rng.random(n_rows) < 0.5, columns[-1] % r, fresh))
    return np.stack(columns[1:], axis=1)


def case(n_rows: int, arities: list[int], families: list[Family], *, weighted: bool = False, seed: int = 0) -> Case:
    weights = np.random.default_rng(seed).integers(0, 40, n_rows) if weighted else None
    if weights is not None:
        weights[0] = 1
    data = Dataset.from_codes(random_codes(n_rows, arities, seed), arities=arities, weights=weights)
    return Case(data, tuple(families))


MIXED = [2, 3, 5, 1, 2, 4, 2, 3, 2, 2, 2, 2]
MIXED_FAMILIES: list[Family] = [
    (0, ()),
    (2, ()),
    (3, (0,)),
    (0, (3,)),
    (2, (1,)),
    (1, (2, 0)),
    (4, (5, 3, 2)),
    (5, (0, 1, 2, 4)),
    (0, (1, 4, 6, 7, 8)),
    (2, (0, 1, 3, 4, 5, 6, 7, 8, 9, 10)),
    (11, (4, 6, 8, 9, 10, 0)),
]
BINARY_FAMILIES: list[Family] = [(0, tuple(range(1, k + 1))) for k in range(11)]
MANY_COLUMNS: list[Family] = [(2, ()), (0, (1,)), (63, (0, 1, 2)), (5, tuple(range(20, 28))), (64, (63, 65, 99))]
WIDE_FAMILIES: list[Family] = [
    (0, (1,)), (1, (0,)), (0, (2,)), (2, (0, 1)), (3, (0, 2, 4)), (4, ()), (1, (0, 2, 3, 4)), (0, (1, 2, 3, 4))
]  # fmt: skip


@cache
def cases() -> dict[str, Case]:
    """Small enough for bit planes, large enough for histograms, and everything that is neither."""
    found = {f"mixed arities, {n} rows": case(n, MIXED, MIXED_FAMILIES, seed=n) for n in (2, 63, 64, 65, 511, 512, 513)}
    found["mixed arities, one row"] = case(1, MIXED, MIXED_FAMILIES)
    found["mixed arities, 3000 rows"] = case(3000, MIXED, MIXED_FAMILIES, seed=1)
    found["weighted"] = case(700, MIXED, MIXED_FAMILIES, weighted=True)
    found["weighted, few rows"] = case(5, MIXED, MIXED_FAMILIES, weighted=True)
    found["binary, 20000 rows"] = case(20_000, [2] * 12, BINARY_FAMILIES[::2])
    found["binary, 200 rows"] = case(200, [2] * 12, BINARY_FAMILIES)
    found["arities around 64"] = case(400, [64, 65, 63, 3, 2], WIDE_FAMILIES)
    found["arities around 256, one byte"] = case(400, [256, 255, 2, 128, 3], WIDE_FAMILIES)
    found["arities around 256, two bytes"] = case(400, [257, 256, 2, 3, 300], WIDE_FAMILIES)
    found["arities around 256, weighted"] = case(400, [257, 256, 2, 3, 300], WIDE_FAMILIES, weighted=True)
    found["largest arity"] = case(100, [65_535, 2, 3, 65_535, 2], WIDE_FAMILIES)
    found["twelve parents of arity 4"] = case(2000, [4] * 13, [(0, tuple(range(1, k))) for k in (5, 8, 10, 13)])
    found["a hundred columns"] = case(300, [2, 3] * 50, MANY_COLUMNS)
    found["a hundred columns, weighted"] = case(300, [2, 3] * 50, MANY_COLUMNS, weighted=True)
    found["65 columns, the last one constant"] = case(90, [2] * 64 + [1], MANY_COLUMNS[:4])
    found["wide columns"] = case(300, [33, 32, 2, 64, 3, 31, 64, 1, 60, 5, 2, 2], [(2, ()), (4, (2, 9)), (3, (10,))])
    found["forty binary parents"] = case(300, [2] * 41, [(0, tuple(range(1, k))) for k in (15, 20, 41)])
    return found


@pytest.fixture(params=INSTRUCTIONS)
def instructions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each set of kernels that this machine runs."""
    name = str(request.param)
    if INSTRUCTIONS.index(name) > INSTRUCTIONS.index(_core.instructions()):
        pytest.skip(f"this machine has no {name}")
    monkeypatch.setenv("ARCWISE_SIMD", name)
    return name


def near(expected: float | list[float], name: str, cells: float = 0) -> object:
    """Equal but for rounding; beyond 65,536 outcomes qNML is documented to be an approximation."""
    return pytest.approx(expected, rel=1e-11, abs=1e-4 if name == "qnml" and cells > 2**16 else 1e-8)


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


def test_weights_are_repeated_rows() -> None:
    rng = np.random.default_rng(3)
    codes = random_codes(150, [2, 3, 5, 2, 2], seed=3)
    weights = rng.integers(0, 9, 150)
    weighted = Dataset.from_codes(codes, arities=[2, 3, 5, 2, 2], weights=weights)
    repeated = Dataset.from_codes(np.repeat(codes, weights, axis=0), arities=[2, 3, 5, 2, 2])
    for name in NAMES:
        a, b = LocalScore(weighted, name), LocalScore(repeated, name)
        for child, parents in ((0, ()), (2, (1,)), (1, (0, 2, 3)), (4, (0, 1, 2, 3))):
            assert a.local(child, parents) == near(b.local(child, parents), name)
            assert a.removals(child, parents).tolist() == near(b.removals(child, parents).tolist(), name)
            assert a.additions(child, parents).tolist() == near(b.additions(child, parents).tolist(), name)


def test_counts_beyond_the_tables_of_logarithms() -> None:
    """Tables of functions of counts end at 65,536; larger counts are computed."""
    weights = [70_000, 65_535, 65_536, 65_537, 90_000, 1]
    codes = [[0, 0, 1], [1, 0, 0], [1, 1, 1], [0, 1, 0], [2, 1, 1], [2, 0, 0]]
    table = Case(Dataset.from_codes(codes, weights=weights), ())
    for name in NAMES:
        score = LocalScore(table.data, name)
        for child, parents in ((0, ()), (0, (1,)), (2, (0, 1))):
            expected = table.expected(name, child, parents)
            assert score.local(child, parents) == pytest.approx(expected, rel=1e-11, abs=1e-7), name


def test_weights_up_to_the_largest() -> None:
    """Sums of 2^32 − 1: no counter may wrap around."""
    table = Case(Dataset.from_codes([[0, 0, 1], [1, 0, 0], [1, 1, 1], [0, 1, 0]], weights=[2**31, 2**31 - 8, 4, 3]), ())
    for name in ("loglik", "bic", "aic", "bdeu", "bds", "k2"):
        score = LocalScore(table.data, name)
        for child, parents in ((0, ()), (0, (1,)), (2, (0, 1))):
            # The terms are of the size of N ln N = 1e11, so that their sum is known to about 1e-4.
            expected = pytest.approx(table.expected(name, child, parents), rel=1e-11, abs=1e-3)
            assert score.local(child, parents) == expected
        added = [table.expected(name, 0, (2, 1))]
        assert score.additions(0, [2]).tolist() == pytest.approx(added, rel=1e-11, abs=1e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_merged_rows_score_like_rows_kept_apart(weighted: bool) -> None:
    """A column in which all rows differ keeps them apart; families without it must not notice."""
    codes = random_codes(2000, [2, 3, 2, 2], seed=9)
    weights = np.random.default_rng(9).integers(0, 5, 2000) if weighted else None
    merging = Dataset.from_codes(codes, arities=[2, 3, 2, 2], weights=weights)
    assert merging.merged().n_rows <= 24
    numbered = np.column_stack([codes, np.arange(2000)])
    apart = Dataset.from_codes(numbered, arities=[2, 3, 2, 2, 2000], weights=weights)
    assert apart.merged().n_rows >= 1500
    for name in NAMES:
        a, b = LocalScore(merging, name), LocalScore(apart, name)
        for child, parents in ((0, ()), (1, (0,)), (2, (0, 1, 3)), (1, (3, 2, 0))):
            assert a.local(child, parents) == near(b.local(child, parents), name)
            some = [v for v in range(4) if v != child and v not in parents]
            assert a.additions(child, parents).tolist() == near(b.additions(child, parents, some).tolist(), name)


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
    turned = [data.names[v] for v in reversed(parents)]
    assert other.local(data.names[child], turned) == near(expected(*parents), name)
    rest = [v for v in variables[1:] if v not in parents]
    assert score.additions(child, parents, rest).tolist() == near([expected(*parents, v) for v in rest], name)
    removed = [expected(*(p for p in parents if p != v)) for v in parents]
    assert score.removals(child, parents).tolist() == near(removed, name)
