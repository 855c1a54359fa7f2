"""How fast csv is read: ``python -m benchmarks.csv_reading [ROWS]``, on one thread, beside polars and pandas.

Processor time from the bytes of a file to typed columns: strings as codes of their categories, as all that learn from
them need. arcwise checks besides what the others do not: fields of every line, quotes, UTF-8.
"""

import os
import sys

os.environ["POLARS_MAX_THREADS"] = "1"  # before it is imported

import io
from collections.abc import Callable
from time import process_time

import numpy as np
import pandas as pd
import polars as pl

from arcwise import load_example
from arcwise.data.readers import TextFormat, decoded, table_of_text
from arcwise.data.writers import text_of_columns, text_of_dataset


def tables(n_rows: int) -> dict[str, str]:
    """Return the text of each table: words, whole numbers, numbers, words in quotes."""
    random = np.random.default_rng(1)
    wholes = random.integers(0, 100, (n_rows, 20))
    numbers = random.normal(size=(n_rows // 2, 20))
    words = random.choice([f'"state, {i}"' for i in range(8)], (n_rows // 2, 20))
    return {
        "Alarm, 37 columns of words": text_of_dataset(load_example("alarm").sample(n_rows, seed=1)),
        "20 columns of whole numbers": text_of_columns({f"w{v}": map(str, wholes[:, v]) for v in range(20)}),
        "20 columns of numbers": text_of_columns({f"x{v}": map(repr, numbers[:, v].tolist()) for v in range(20)}),
        "20 columns of quoted words": text_of_columns({f"q{v}": words[:, v].tolist() for v in range(20)}),
    }


def by_arcwise(data: bytes) -> object:
    """Read as `Dataset.from_file` does."""
    return table_of_text(decoded(data, "table.csv"), TextFormat("table.csv", ",", True, None, ("NA",)))


def by_polars(data: bytes) -> object:
    """Read as users do, with types guessed from the first 100 rows; strings become categories.

    Guessing from all rows (``infer_schema_length=None``) would take it several times as long.
    """
    return _with_categories(pl.read_csv(data))


def by_polars_as_text(data: bytes) -> object:
    """Read with all columns as strings, which then become categories: no guess can be wrong, as in arcwise."""
    return _with_categories(pl.read_csv(data, infer_schema=False))


def _with_categories(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col(pl.String).cast(pl.Categorical))


def by_pandas(data: bytes) -> object:
    """Read with pandas' own reader in C; strings become categories."""
    frame = pd.read_csv(io.BytesIO(data))
    words = frame.select_dtypes(exclude="number").columns
    return frame.astype(dict.fromkeys(words, "category"))


def seconds(read: Callable[[bytes], object], data: bytes) -> float:
    """Return the least processor time of five."""
    taken = []
    for _ in range(5):
        begin = process_time()
        read(data)
        taken.append(process_time() - begin)
    return min(taken)


def main(n_rows: int = 200_000) -> None:
    """Print a line of the table in docs/benchmarks.md for each kind of file."""
    print(
        "| table | MB | arcwise, rows/s | polars | polars, all as text | pandas | of polars' best time | of pandas' |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, text in tables(n_rows).items():
        data = text.encode()
        rows = text.count("\n") - 1
        readers = by_arcwise, by_polars, by_polars_as_text, by_pandas
        own, polars, as_text, pandas = (seconds(read, data) for read in readers)
        rates = " | ".join(f"{rows / each:,.0f}" for each in (own, polars, as_text, pandas))
        print(f"| {name} | {len(data) / 1e6:.0f} | {rates} | {own / min(polars, as_text):.2f} | {own / pandas:.2f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
