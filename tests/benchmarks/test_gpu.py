"""The benchmark of a card, with numpy in its place."""

import argparse

import pytest

import arcwise.scores.device.choice as choice
from arcwise.scores.device.numpy_card import NumpyCard
from benchmarks.gpu import QUICK, TABLES, simulated


@pytest.mark.parametrize("table", [name for name in TABLES if name not in ("graphs", "replicas")])
def test_rows_of_a_table(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "why_no_card", lambda: None)
    monkeypatch.setattr(choice, "_card", NumpyCard)
    rows = list(TABLES[table](QUICK, NumpyCard(), argparse.Namespace(data=None, only_card=False, quick=True)))
    assert rows
    assert all(row.get("same", True) for row in rows)


def test_simulated_tables_are_those_of_a_seed() -> None:
    assert simulated(5, 50) == simulated(5, 50)
    assert simulated(5, 50) != simulated(5, 50, seed=2)
