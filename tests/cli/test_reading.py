"""How commands read tables: what their options make of the columns."""

from pathlib import Path

import pytest

from arcwise.cli.options import Reading, load


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A file with a column of fractions, one of a few whole numbers and one of words."""
    path = tmp_path / "clinic.csv"
    path.write_text("bmi,ward,sex\n18.5,3,f\n31,7,m\n22.5,3,f\n")
    return str(path)


@pytest.mark.parametrize(
    ("reading", "continuous"),
    [
        (Reading(), ["bmi"]),
        (Reading(continuous="auto"), ["bmi"]),
        (Reading(continuous="all"), ["bmi", "ward"]),
        (Reading(continuous="ward"), ["bmi", "ward"]),
        (Reading(continuous="bmi, ward,"), ["bmi", "ward"]),
        (Reading(continuous="none", discretise="quantile"), []),
        (Reading(continuous="bmi", discretise="quantile"), ["bmi"]),
        (Reading(discretise="quantile"), []),
        (Reading(max_states=1, interventions="sex"), ["bmi", "ward"]),
    ],
)
def test_columns_are_continuous_by_option(table: str, reading: Reading, continuous: list[str]) -> None:
    if reading.interventions is not None:
        Path(table).write_text(Path(table).read_text().replace(",f", ",").replace(",m", ",bmi"))
    data = load(table, reading, seed=1).data
    assert [data.names[v] for v in data.continuous] == continuous
