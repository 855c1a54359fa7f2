"""The 20 binary datasets on which the papers about order-based search report their results.

They are the density estimation benchmarks of the tractable models community (all columns binary, rows split into train,
valid and test). A data folder holds them as ``debd/NAME.npz``, made with::

    np.savez_compressed(path, bits=np.packbits(rows, axis=1), shape=rows.shape, splits=[n_train, n_valid, n_test])

where ``rows`` are the 0/1 rows of train, valid and test, one behind the other.
"""

import os
import zipfile
from pathlib import Path

import numpy as np

from arcwise import Dataset
from arcwise.errors import DataError, ParameterError

__all__ = ["DATASETS", "data_folder", "load"]

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


def load(folder: Path, name: str) -> Dataset:
    """Return all rows of a dataset: train, valid and test.

    Every column has two states, also one in which only one of them occurs.

    Raises
    ------
    ParameterError
        If there is no dataset of this name.
    DataError
        If the file is absent or damaged.
    """
    if name not in DATASETS:
        raise ParameterError(f"dataset must be one of {', '.join(DATASETS)}, got {name!r}")
    path = folder / "debd" / f"{name}.npz"
    if not path.exists():
        raise DataError(f"{path} does not exist; the module's documentation says how such a file is made")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            n_rows, n_variables = (int(length) for length in arrays["shape"])
            rows = np.unpackbits(arrays["bits"], axis=1, count=n_variables)
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read ({error}); it must hold the arrays bits and shape") from error
    if len(rows) != n_rows:
        raise DataError(f"{path} has {len(rows):,} rows, but its shape says {n_rows:,}; make or copy the file again")
    return Dataset.from_codes(rows, arities=[2] * n_variables)
