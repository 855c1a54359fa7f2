"""Small random tables whose columns depend on one another."""

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
