"""Frames of every kind that datasets are made of."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

from arcwise.data import Dataset

BACKENDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def decoded(data: Dataset) -> list[tuple[str, ...]]:
    """Rows of labels, the slow way."""
    return [tuple(data.states[v][code] for v, code in enumerate(row)) for row in data.codes.tolist()]
