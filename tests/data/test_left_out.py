"""Columns that are not variables: a table without them gives the same."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcwise import ShardedDataset, bootstrap, learn, read_network, read_run, write_network, write_run
from arcwise.data import Dataset, LeftOut
from arcwise.support.errors import DataError, FormatError, ParameterError


def visits() -> pd.DataFrame:
    """A table with columns that cannot be variables."""
    generator = np.random.default_rng(1)
    n = 150
    sex = generator.choice(["f", "m"], n)
    return pd.DataFrame(
        {
            "patient": [f"p{i}" for i in range(n)],
            "sex": sex,
            "day": [date(2024, 1, 1 + i % 28) for i in range(n)],
            "ward": np.where(generator.random(n) < 0.8, np.where(sex == "f", "A", "B"), "C"),
            "times": generator.integers(1, 4, n),
        }
    )


def test_the_rest_is_read_as_without_them() -> None:
    table, out = visits(), ["day", "patient"]
    expected = Dataset.of(table.drop(columns=out))
    for source in (table, pl.from_pandas(table), table.to_dict("list"), table.to_dict("records")):
        data = Dataset.of(source, leave_out=out)
        assert data == expected
        assert data.steps == (LeftOut("patient"), LeftOut("day"))  # in the order of the table
    assert str(data.steps[0]) == "patient: left out"
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
        assert shards.steps == (LeftOut("patient"), LeftOut("day"))
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


def test_networks_remember_what_was_left_out(tmp_path: Path) -> None:
    table = visits().drop(columns="times")
    out = ["patient", "day"]
    result = learn(table, leave_out=out, seed=1)
    plain = learn(table.drop(columns=out), seed=1).network(ess=1)
    write_network(result.network(ess=1), tmp_path / "net.json")
    write_run(result, tmp_path / "run.json")
    asked = table.assign(ward=None)
    assert result.dag.n_arcs == 1
    for network in (
        result.network(ess=1),
        read_network(tmp_path / "net.json"),
        read_run(tmp_path / "run.json").result.network(ess=1),
        result.network(table, ess=1),
    ):
        assert network == plain
        expected = plain.query("ward", asked[["sex"]])
        assert network.query("ward", asked.drop(columns="ward")).equals(expected)
        records = network.query("ward", asked[["patient", "sex"]].to_dict("records"))
        assert (records.to_numpy() == expected.to_numpy()).all()
        assert network.log_likelihood(table) == plain.log_likelihood(table[["sex", "ward"]])
        whole = network.impute(asked)
        assert list(whole.columns) == list(table.columns)
        assert (whole.patient == table.patient).all()
        assert (whole.ward == plain.predict(asked[["sex"]], "ward")).all()
    with pytest.raises(DataError, match="the columns 'patient', 'day' are not nodes"):
        plain.query("sex", table)


def test_a_step_of_a_file_leaves_no_variable_out(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    write_network(learn(visits()[["sex", "ward", "patient"]], leave_out="patient", seed=1).network(ess=1), path)
    path.write_text(path.read_text().replace('"column": "patient"', '"column": "sex"'))
    with pytest.raises(FormatError, match=r"steps\[0\].column must not be one of the variables, such as 'sex'"):
        read_network(path)


def test_chosen_variables_and_new_names_keep_it() -> None:
    data = Dataset.of(visits(), leave_out=["patient", "day"])
    assert data.select(["ward"]).steps == data.steps
    network = learn(data, seed=1).network(ess=1)
    renamed = network.renamed({"ward": "place"})
    assert renamed.steps == data.steps
    assert network.renamed({"ward": "day"}).steps == (LeftOut("patient"),)
