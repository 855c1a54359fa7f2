"""Columns that are not variables: a table without them gives the same."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcwise import ShardedDataset, bootstrap, learn
from arcwise.data import Dataset, LeftOutColumns
from arcwise.support.errors import DataError, ParameterError


def visits() -> pd.DataFrame:
    """A table with columns that cannot be variables."""
    generator = np.random.default_rng(1)
    n = 150
    return pd.DataFrame(
        {
            "patient": [f"p{i}" for i in range(n)],
            "sex": generator.choice(["f", "m"], n),
            "day": [date(2024, 1, 1 + i % 28) for i in range(n)],
            "ward": generator.choice(["A", "B", "C"], n),
            "times": generator.integers(1, 4, n),
        }
    )


def test_the_rest_is_read_as_without_them() -> None:
    table, out = visits(), ["day", "patient"]
    expected = Dataset.of(table.drop(columns=out))
    for source in (table, pl.from_pandas(table), table.to_dict("list"), table.to_dict("records")):
        data = Dataset.of(source, leave_out=out)
        assert data == expected
        assert data.steps == (LeftOutColumns(("patient", "day")),)  # in the order of the table
    assert str(data.steps[0]) == "columns left out: patient, day"
    assert Dataset.of(table[["sex", "ward"]].to_numpy(), names=["a", "b"], leave_out="a").names == ("b",)
    assert Dataset.of(table[["sex", "ward"]], leave_out=[]).steps == ()


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_of_files_and_of_tables_in_parts(tmp_path: Path, ending: str) -> None:
    table = pl.from_pandas(visits())
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, part in enumerate((table[:60], table[60:])):
        path = folder / f"{number}.{ending}"
        if ending == "parquet":
            part.write_parquet(path)
        else:
            part.write_csv(path, separator="\t" if ending == "tsv" else ",")
    options: dict[str, Any] = {"leave_out": ["patient", "day"], "weights": "times"}
    expected = Dataset.of(table.drop("patient", "day"), weights="times")
    assert Dataset.of(folder, **options) == expected
    first = Dataset.of(folder / f"0.{ending}", **options, like=expected)
    assert first == Dataset.of(table[:60].drop("patient", "day"), weights="times", like=expected)
    with ShardedDataset.of(folder, **options) as shards:
        assert (shards.names, shards.states) == (expected.names, expected.states)
        assert shards.steps == (LeftOutColumns(("patient", "day")),)
        assert learn(shards, seed=1).dag == learn(expected, seed=1).dag


def test_data_like_other_data_leaves_out_the_same() -> None:
    table = visits()
    data = Dataset.of(table, leave_out=["patient", "day", "times"])
    assert Dataset.of(table[:20], like=data) == Dataset.of(table[:20][["sex", "ward"]], like=data)
    assert Dataset.of(table[:20].drop(columns="patient"), like=data).names == ("sex", "ward")
    with pytest.raises(DataError, match="has the column 'age' besides"):
        Dataset.of(table[:20].assign(age=1), like=data)
    assert Dataset.of(table[:20].assign(age=1), like=data, leave_out="age").names == ("sex", "ward")


def test_weights_and_interventions_are_not_variables_anyway() -> None:
    table = visits().assign(set=["sex"] * 10 + [""] * 140)
    options: dict[str, Any] = {"weights": "times", "interventions": "set", "max_states": 3}
    data = Dataset.of(table, leave_out=["patient", "day"], **options)
    assert data == Dataset.of(table.drop(columns=["patient", "day"]), **options)
    with pytest.raises(DataError, match="There is no column 'times' to be left out"):
        Dataset.of(table, leave_out="times", **options)


def test_every_front_door_takes_it() -> None:
    table = visits()
    fewer = table.drop(columns=["patient", "day"])
    assert learn(table, leave_out=["patient", "day"], seed=1).data == Dataset.of(fewer)
    found = bootstrap(table, m=3, seed=1, leave_out=["patient", "day"])
    assert found.names == ("sex", "ward", "times")


def test_what_cannot_be_left_out() -> None:
    table = visits()
    with pytest.raises(DataError, match=r"There is no column 'age' to be left out; there are 'patient', 'sex'"):
        Dataset.of(table, leave_out="age")
    with pytest.raises(DataError, match=r"leave_out names all columns \('sex', 'ward'\); at least one must stay"):
        Dataset.of(table[["sex", "ward"]], leave_out=["ward", "sex"])
    with pytest.raises(ParameterError, match="already coded"):
        learn(Dataset.of(table[["sex", "ward"]]), leave_out="sex")


@pytest.mark.parametrize(
    ("column", "why"), [("patient", "has 150 states"), ("day", "objects of type date"), ("at", "which has no states")]
)
def test_messages_say_how(column: str, why: str) -> None:
    with pytest.raises(DataError, match=rf"{why}.*leave the column out with leave_out='{column}'"):
        Dataset.of(visits().assign(at=pd.Timestamp("2024-01-01"))[[column, "sex"]])
