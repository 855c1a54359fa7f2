"""Tables of every shape with families to score, and what their scores are by definition."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

import oracles
from arcwise.data.dataset import Dataset
from arcwise.scores import SCORES

#: The scores of discrete data, by name.
COUNTED = {name: kind for name, kind in SCORES.items() if "discrete" in kind.kinds}
NAMES = tuple(COUNTED)
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


def near(expected: float | list[float], name: str, cells: float = 0) -> object:
    """Equal but for rounding; beyond 65,536 outcomes qNML is documented to be an approximation."""
    return pytest.approx(expected, rel=1e-11, abs=1e-4 if name == "qnml" and cells > 2**16 else 1e-8)
