"""Small random tables whose columns depend on one another."""

from functools import cache

import numpy as np

from arcwise import Dataset


def dependent_table(
    n_rows: int = 300, arities: tuple[int, ...] = (2, 3, 2, 3, 2), seed: int = 0, constant: bool = False
) -> Dataset:
    """Each column follows one of the columns before it half of the time; the last may be constant."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, len(arities)), dtype=np.uint8)
    for v, arity in enumerate(arities):
        codes[:, v] = rng.integers(arity, size=n_rows)
        if v:
            follows = rng.random(n_rows) < 0.5
            codes[follows, v] = codes[follows, rng.integers(v)] % arity
    if constant:
        codes[:, -1] = 0
    return Dataset.from_codes(codes, arities=list(arities))


def table_of_numbers(kinds: str = "ccccc", n_rows: int = 100, seed: int = 0) -> Dataset:
    """Each column follows one before it; "c" stands for a continuous one, a digit for one of so many states."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n_rows, len(kinds)))
    for v in range(1, len(kinds)):
        hidden[:, v] = 0.8 * hidden[:, rng.integers(v)] + 0.6 * hidden[:, v]
    columns = {}
    for v, (kind, numbers) in enumerate(zip(kinds, hidden.T, strict=True)):
        ranks = numbers.argsort().argsort()
        columns[f"X{v}"] = numbers if kind == "c" else np.array(list("abcdefghi"))[ranks * int(kind) // n_rows]
    return Dataset.of(columns)


@cache
def sparse_table() -> Dataset:
    """Enough rows and variables for the kernels of one climb to share their work among threads."""
    return dependent_table(n_rows=20_000, arities=(2, 2, 2, 3) * 20, seed=2)
