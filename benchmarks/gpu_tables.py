"""Tables and batches for `benchmarks.gpu`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise import Dataset

Row = dict[str, Any]
Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Sizes:
    """How large the tables are."""

    variables: tuple[int, ...] = (1000, 20_000)
    rows: tuple[int, ...] = (10_000, 131_072)
    batches: tuple[int, ...] = (1, 16, 256, 4096)
    masks: tuple[int, ...] = (16, 32, 64, 128, 1024, 8192)
    ges: tuple[int, ...] = (5000, 20_000)
    ges_rows: int = 100_000
    trees: tuple[int, int, int] = (20_000, 100_000, 100)
    continuous: tuple[tuple[int, int], ...] = ((2000, 20_000), (10_000, 20_000))
    replicas: int = 200
    wide_replicas: tuple[int, int, int] = (5000, 50_000, 16)
    selection: tuple[int, int] = (500, 100_000)
    datasets: int = 20
    checked_rows: int = 400
    checked_weights: tuple[int, ...] = (0, 6, 300)


QUICK = Sizes(
    (40,), (500,), (1, 16), (16, 64), (30,), 500, (30, 500, 3), ((30, 200),), 3, (30, 300, 2), (12, 300), 1, 100, (6,)
)


@lru_cache(maxsize=1)
def simulated(n: int, n_rows: int, seed: int = 1) -> Dataset:
    """Return rows of a random network of binary variables with one or two parents each, but for the first."""
    rng = np.random.default_rng(seed)
    codes: Codes = np.empty((n_rows, n), dtype=np.uint8, order="F")
    for v in range(n):
        parents: list[int] = rng.integers(0, v, size=1 + v % 2).tolist() if v else []
        cell = np.zeros(n_rows, dtype=np.uint8)
        for parent in parents:
            cell = 2 * cell + codes[:, parent]
        least = rng.integers(20, 236, size=4).astype(np.uint8)
        codes[:, v] = rng.integers(0, 256, size=n_rows, dtype=np.uint8) < least[cell]
    return Dataset.from_codes(codes, arities=[2] * n)


def simulated_numbers(n: int, n_rows: int, seed: int = 1) -> Dataset:
    """Return rows of a random linear network with one or two parents for each variable but the first."""
    rng = np.random.default_rng(seed)
    numbers = np.empty((n_rows, n), order="F")
    for v in range(n):
        column = rng.normal(size=n_rows)
        for parent in rng.integers(0, v, size=1 + v % 2).tolist() if v else []:
            column += rng.uniform(0.3, 0.9) * numbers[:, parent]
        numbers[:, v] = column / column.std()
    return Dataset.from_numbers(numbers)


def table_with_states(arities: tuple[int, ...], largest_weight: int, n_rows: int) -> Dataset:
    """Return a small table whose columns follow each other, with weights unless 0 is their largest."""
    rng = np.random.default_rng(3)
    codes = np.empty((n_rows, len(arities)), dtype=np.uint8, order="F")
    hidden = rng.random(n_rows)
    for v, arity in enumerate(arities):
        codes[:, v] = (arity * (0.7 * hidden + 0.3 * rng.random(n_rows))).astype(np.uint8)
        hidden = rng.permutation(hidden) if v % 3 == 2 else hidden
    data = Dataset.from_codes(codes, arities=list(arities))
    return data.with_weights(rng.integers(0, largest_weight, size=n_rows)) if largest_weight else data


def families(n: int, count: int, n_parents: int = 1) -> tuple[Any, Any, Any]:
    """Return a batch of so many families with so many parents each."""
    children = (np.arange(count) % n).astype(np.int32)
    steps = 1 + np.arange(count)[:, None] // n + np.arange(n_parents)
    parents = np.sort((children[:, None] + 1 + (steps - 1) % (n - 1)) % n, axis=1).astype(np.int32)
    return children, n_parents * np.arange(count + 1, dtype=np.int64), parents.reshape(-1)


def dataset(folder: Path, name: str) -> Dataset:
    """Return one of the 20 datasets, without its last rows."""
    with np.load(folder / f"{name}.npz") as kept:
        n_rows, n = map(int, kept["shape"])
        codes = np.unpackbits(kept["bits"], axis=1, count=n)[:n_rows]
    return Dataset.from_codes(np.asfortranarray(codes), arities=[2] * n)


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the median time of a few runs, after one that is not counted."""
    work()
    taken = []
    for _ in range(times):
        begin = perf_counter()
        work()
        taken.append(perf_counter() - begin)
    return float(np.median(taken))


def timed(search: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a search finds, and its seconds."""
    begin = perf_counter()
    found = search()
    return found, perf_counter() - begin
