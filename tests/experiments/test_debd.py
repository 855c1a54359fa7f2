"""Datasets and their splits are read as they were written."""

from pathlib import Path

import numpy as np
import pytest

from arcwise.support.errors import DataError, ParameterError
from debd_files import write_debd
from experiments.debd import PROVEN, data_folder, load

ROWS = np.random.default_rng(0).integers(0, 2, (40, 5), dtype=np.uint8)


def test_all_rows_and_each_split_are_read(tmp_path: Path) -> None:
    write_debd(tmp_path, "nltcs", ROWS)
    assert np.array_equal(load(tmp_path, "nltcs").codes, ROWS)
    assert np.array_equal(load(tmp_path, "nltcs", "train").codes, ROWS[:20])
    assert np.array_equal(load(tmp_path, "nltcs", "valid").codes, ROWS[20:30])
    assert np.array_equal(load(tmp_path, "nltcs", "test").codes, ROWS[30:])


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    write_debd(tmp_path, "nltcs", ROWS)
    with pytest.raises(ParameterError, match="dataset must be one of nltcs"):
        load(tmp_path, "iris")
    with pytest.raises(ParameterError, match="split must be one of train, valid, test"):
        load(tmp_path, "nltcs", "dev")
    with pytest.raises(DataError, match=r"msnbc\.npz does not exist"):
        load(tmp_path, "msnbc")
    np.savez(tmp_path / "debd" / "kdd.npz", bits=np.packbits(ROWS, axis=1), shape=ROWS.shape, splits=[40, 1, 1])
    with pytest.raises(DataError, match="splits are"):
        load(tmp_path, "kdd", "test")


def test_a_missing_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARCWISE_DATA", raising=False)
    with pytest.raises(ParameterError, match="--data FOLDER"):
        data_folder(None)
    with pytest.raises(ParameterError, match="no folder debd"):
        data_folder(tmp_path)


def test_relative_optima() -> None:
    """By hand: 69379.8955 / 200164.919 and 219836.0318 / 2630082.723."""
    assert PROVEN["nltcs"].relative_optimum == pytest.approx(0.346614, abs=1e-6)
    assert PROVEN["msnbc"].relative_optimum == pytest.approx(0.083585, abs=1e-6)
