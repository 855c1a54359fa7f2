"""Panics of polars, which are not Exceptions, become errors of arcwise's own; Ctrl-C stays what it is."""

from pathlib import Path

import polars as pl
import pytest

from arcwise import Dataset
from arcwise.data.tables import Table
from arcwise.support.errors import DataError


def raising(error: BaseException):  # type: ignore[no-untyped-def]
    def raise_it(*_: object, **__: object) -> None:
        raise error

    return raise_it


PANIC = pl.exceptions.PanicException("called `Result::unwrap()` on an `Err` value: " + "x" * 5000)


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": ["x", "y"], "b": [0, 1]}).write_parquet(path)
    return path


def test_a_panic_over_parquet(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl, "read_parquet", raising(PANIC))
    with pytest.raises(DataError, match=r"t\.parquet: this cannot be read as parquet \(.*write it again\.") as caught:
        Dataset.from_file(parquet)
    assert "unwrap" not in str(caught.value)
    assert caught.value.__cause__ is PANIC


def test_a_panic_over_what_a_file_held(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "__post_init__", raising(PANIC))
    with pytest.raises(DataError, match=r"t\.parquet: the columns cannot be used"):
        Dataset.from_file(parquet)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), MemoryError()])
def test_nothing_like_it_is_caught(parquet: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    monkeypatch.setattr(pl, "read_parquet", raising(error))
    with pytest.raises(type(error)):
        Dataset.from_file(parquet)
