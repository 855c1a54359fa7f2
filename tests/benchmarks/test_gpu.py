"""The benchmark of a card, with numpy in its place."""

import pytest

import arcwise.scores.device.choice as choice
from arcwise.scores.device.numpy_card import NumpyCard
from benchmarks.gpu import PARTS, parsed
from benchmarks.gpu_tables import QUICK, simulated


@pytest.mark.parametrize("part", [name for name in PARTS if name != "graphs"])
def test_rows_of_a_part(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "why_no_card", lambda: None)
    monkeypatch.setattr(choice, "_card", NumpyCard)
    rows = list(PARTS[part](QUICK, NumpyCard(), parsed(["--limit", "60"])))
    assert rows
    assert all(row.get("same", True) for row in rows)


def test_simulated_tables_are_those_of_a_seed() -> None:
    assert simulated(5, 50) == simulated(5, 50)
    assert simulated(5, 50) != simulated(5, 50, seed=2)
