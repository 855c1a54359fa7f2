"""Tables whose codes do not fit into memory are learned from what is left of them."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from arcwise import Dataset, ShardedDataset, learn, load_example
from arcwise.data import row_store, streamed
from arcwise.shards import reading
from arcwise.support.errors import ParameterError


@pytest.fixture(autouse=True)
def no_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let reading a chunk take nothing, which is more than these tables."""
    for module in (streamed, reading):
        monkeypatch.setattr(module, "BYTES_OF_A_CHUNK", 0)


def written(folder: Path, table: pl.DataFrame) -> Path:
    for at in range(3):
        table[at::3].write_parquet(folder / f"{at}.parquet")
    return folder


def test_codes_where_they_fit_and_bits_where_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = load_example("asia").sample(30_000, seed=1).to_frame().cast(pl.String)
    folder = written(tmp_path, table)
    # 8 codes of a row, two times and a half; 17 bits
    assert type(reading.table_of_any_size(folder, memory=30_000 * 20)) is Dataset
    data = reading.table_of_any_size(folder, memory=30_000 * 20 - 1)
    assert isinstance(data, ShardedDataset)
    assert data.n_bytes == 3 * 17 * 10_240 // 8  # whole blocks of 512 bits
    with pytest.raises(ParameterError, match=r"30,000 rows take 6.3[78]e-05 GB as bits, and memory allows 1.5e-05 GB"):
        reading.table_of_any_size(folder, memory=15_000)
    # Rows that can be merged fit as codes.
    monkeypatch.setattr(row_store, "_LEAST_TO_MERGE", 1000)
    merged = reading.table_of_any_size(folder, memory=100_000)
    assert type(merged) is Dataset
    assert merged.n_rows < 256


def test_the_same_network_and_a_word_about_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = load_example("asia").sample(3000, seed=1).to_frame().cast(pl.String)
    monkeypatch.setattr(reading, "_PER_CODE", 1e9)  # nothing fits
    found, expected = learn(written(tmp_path, table), seed=1), learn(table, seed=1)
    assert (found.dag, found.score, found.bound) == (expected.dag, expected.score, expected.bound)
    words = (
        "3,000 rows do not fit into memory as codes: only their bits are kept, 6.53e-06 GB"  # 17 planes of 3 × 1,024
    )
    assert found.decisions["data"] == words
    assert found.network() == expected.network()


def test_numbers_and_what_cannot_be_in_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=300)
    table = pl.DataFrame({"a": a, "b": a + rng.normal(size=300)})
    monkeypatch.setattr(reading, "_PER_CODE", 1e9)
    found = learn(written(tmp_path, table), seed=1)
    assert found.dag.n_arcs == 1
    assert found.decisions["data"].endswith("only the sums of products of their numbers are kept")
    with pytest.raises(ParameterError, match=r"300 rows of 2 variables take .* as codes and numbers"):
        learn(tmp_path, seed=1, missing="pairwise")
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    written(mixed, table.with_columns(c=pl.lit("x")))
    with pytest.warns(match="single value"), pytest.raises(ParameterError, match="300 rows of 3 variables take"):
        learn(mixed, seed=1)  # not that shards would take one kind of variables
