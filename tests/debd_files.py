"""Data folders like those that the experiments read."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["chain_rows", "write_debd"]


def write_debd(folder: Path, name: str, rows: npt.NDArray[np.uint8]) -> None:
    """Put rows into a data folder under the name of a dataset; a quarter of them is valid, another one test."""
    (folder / "debd").mkdir(exist_ok=True)
    quarter = len(rows) // 4
    np.savez_compressed(
        folder / "debd" / f"{name}.npz",
        bits=np.packbits(rows, axis=1),
        shape=rows.shape,
        splits=[len(rows) - 2 * quarter, quarter, quarter],
    )


def chain_rows(n_variables: int = 6, n_rows: int = 400) -> npt.NDArray[np.uint8]:
    """Rows of binary variables, each of which is mostly the one before it."""
    rng = np.random.default_rng(7)
    columns = [rng.integers(0, 2, n_rows)]
    for _ in range(n_variables - 1):
        columns.append(np.where(rng.random(n_rows) < 0.1, 1 - columns[-1], columns[-1]))
    return np.column_stack(columns).astype(np.uint8)
