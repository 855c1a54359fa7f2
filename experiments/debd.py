"""The 20 binary datasets on which the papers about order-based search report their results.

They are the density estimation benchmarks of the tractable models community (all columns binary, rows split into train,
valid and test). A data folder holds them as ``debd/NAME.npz``, made with::

    np.savez_compressed(path, bits=np.packbits(rows, axis=1), shape=rows.shape, splits=[n_train, n_valid, n_test])

where ``rows`` are the 0/1 rows of train, valid and test, one behind the other.
"""

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arcwise import Dataset
from arcwise.support.errors import DataError, ParameterError

__all__ = ["DATASETS", "PROVEN", "SPLITS", "Proven", "data_folder", "load"]

# In the order of the papers' tables: by number of variables, 16 to 1,556.
DATASETS: tuple[str, ...] = (
    "nltcs",
    "msnbc",
    "kdd",
    "plants",
    "baudio",
    "bnetflix",
    "jester",
    "accidents",
    "tretail",
    "pumsb_star",
    "dna",
    "kosarek",
    "msweb",
    "book",
    "tmovie",
    "cwebkb",
    "cr52",
    "c20ng",
    "bbc",
    "ad",
)

SPLITS = ("train", "valid", "test")


@dataclass(frozen=True)
class Proven:
    """Scores that are known for certain: BIC over all rows, in natural logarithms.

    `empty` is that of the graph without arcs, `optimum` the best over all graphs without cycles.
    """

    empty: float
    optimum: float

    @property
    def relative_optimum(self) -> float:
        """How much of its score the empty graph gains at most.

        Examples
        --------
        >>> round(PROVEN["nltcs"].relative_optimum, 4)
        0.3466
        """
        return (self.optimum - self.empty) / abs(self.empty)


# The optima have 54 arcs and at most 4 parents, and 95 arcs and at most 10 parents.
PROVEN = {
    "nltcs": Proven(empty=-200164.919, optimum=-130785.0235),
    "msnbc": Proven(empty=-2630082.723, optimum=-2410246.6912),
}


def data_folder(argument: Path | None) -> Path:
    """Return the folder that holds ``debd/``: the argument, or else the environment variable ARCWISE_DATA.

    Raises
    ------
    ParameterError
        If neither is given, or the folder has no ``debd`` in it.
    """
    chosen = argument or (Path(os.environ["ARCWISE_DATA"]) if os.environ.get("ARCWISE_DATA") else None)
    if chosen is None:
        raise ParameterError(
            "no data folder: give one with --data FOLDER, or set the environment variable ARCWISE_DATA"
        )
    if not (chosen / "debd").is_dir():
        source = "--data" if argument else "ARCWISE_DATA"
        raise ParameterError(
            f"{source}: {chosen} has no folder debd; the datasets are expected as {chosen}/debd/NAME.npz"
        )
    return chosen


def load(folder: Path, name: str, split: str | None = None) -> Dataset:
    """Return all rows of a dataset: train, valid and test; or those of one of them.

    Every column has two states, also one in which only one of them occurs.

    Parameters
    ----------
    folder
        What `data_folder` returns.
    name
        One of `DATASETS`.
    split
        One of `SPLITS`; all rows when None.

    Raises
    ------
    ParameterError
        If there is no dataset or split of this name.
    DataError
        If the file is absent or damaged.
    """
    if name not in DATASETS:
        raise ParameterError(f"dataset must be one of {', '.join(DATASETS)}, got {name!r}")
    if split is not None and split not in SPLITS:
        raise ParameterError(f"split must be one of {', '.join(SPLITS)} or None, got {split!r}")
    path = folder / "debd" / f"{name}.npz"
    if not path.exists():
        raise DataError(f"{path} does not exist; the module's documentation says how such a file is made")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            n_rows, n_variables = (int(length) for length in arrays["shape"])
            rows = np.unpackbits(arrays["bits"], axis=1, count=n_variables)
            lengths = [int(length) for length in arrays["splits"]] if split else []
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read ({error}); it must hold the arrays bits, shape and splits") from error
    if len(rows) != n_rows:
        raise DataError(f"{path} has {len(rows):,} rows, but its shape says {n_rows:,}; make or copy the file again")
    if split:
        if len(lengths) != len(SPLITS) or sum(lengths) != n_rows:
            raise DataError(
                f"{path}: splits are {lengths}, but must be the lengths of {len(SPLITS)} parts of {n_rows:,}"
            )
        at = SPLITS.index(split)
        rows = rows[sum(lengths[:at]) : sum(lengths[: at + 1])]
    return Dataset.from_codes(rows, arities=[2] * n_variables)
