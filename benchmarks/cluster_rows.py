"""Rows past one machine: a table in 1, 4 and 16 shards, and one that is read out of core.

``python -m benchmarks.cluster_rows --rows 10000000 --folder /tmp/rows`` writes the table where it is not there yet.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from arcwise import Dataset, LocalScore, ShardedDataset, learn
from arcwise.data.columns import Coding
from arcwise.data.parts import parts_of
from arcwise.data.streamed import profile_of

__all__ = ["out_of_core", "shards", "tables", "write_table"]

N_VARIABLES = 50
_N_TEXTS = 5  # columns whose states are words
_WORDS = ("absent", "low", "middle", "high")


def write_table(folder: Path, n_rows: int, n_files: int, *, n_variables: int = N_VARIABLES, seed: int = 1) -> None:
    """Write rows of a random network with 2 to 4 states and up to 2 parents for each node, to parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 5, n_variables)
    parents = [rng.choice(v, min(v, int(rng.integers(0, 3))), replace=False).tolist() for v in range(n_variables)]
    # Shares of states for each configuration, as bounds of a number that is drawn from 0 to 255.
    bounds = []
    for v in range(n_variables):
        n_configurations = int(np.prod([arities[p] for p in parents[v]], dtype=int))
        shares = rng.dirichlet(np.full(arities[v], 0.7), n_configurations)
        bounds.append(np.round(255 * np.cumsum(shares, axis=1)).astype(np.uint8))
    ends = np.linspace(0, n_rows, n_files + 1).astype(int)
    for at in range(n_files):
        path = folder / f"{at:04}.parquet"
        if path.exists():
            continue
        drawn = np.random.default_rng([seed, at])
        size = int(ends[at + 1] - ends[at])
        columns: list[np.ndarray] = []
        for v in range(n_variables):
            configuration = np.zeros(size, dtype=np.uint8)
            for parent in parents[v]:
                configuration = configuration * np.uint8(arities[parent]) + columns[parent]
            number = drawn.integers(0, 256, size, dtype=np.uint8)
            code = np.zeros(size, dtype=np.uint8)
            for state in range(arities[v] - 1):
                code += number > bounds[v][configuration, state]
            columns.append(code)
        frame = pl.DataFrame({f"v{v:02}": column for v, column in enumerate(columns)})
        words = [
            pl.col(f"v{v:02}").replace_strict(list(range(4)), _WORDS, return_dtype=pl.String) for v in range(_N_TEXTS)
        ]
        frame.with_columns(words).write_parquet(path.with_suffix(".part"), compression="lz4")
        path.with_suffix(".part").rename(path)
