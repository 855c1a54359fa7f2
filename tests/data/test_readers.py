import bz2
import csv
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arcwise.data import Dataset
from arcwise.support.errors import DataError, ParameterError

quiet = pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")


def read(folder: Path, text: str | bytes, name: str = "table.csv", **options: Any) -> Dataset:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Dataset.from_file(path, **options)


def decoded(data: Dataset) -> list[tuple[str, ...]]:
    return [tuple(data.states[v][code] for v, code in enumerate(row)) for row in data.codes.tolist()]


def test_csv_with_numbers_and_strings(tmp_path: Path) -> None:
    data = read(tmp_path, "n,s,b\n10,x,true\n9,y,false\n")
    assert data.names == ("n", "s", "b")
    assert data.states == (("9", "10"), ("x", "y"), ("false", "true"))
    assert decoded(data) == [("10", "x", "true"), ("9", "y", "false")]


@pytest.mark.parametrize(
    ("column", "states"),
    [
        (["01", "1", "2"], ("01", "1", "2")),
        (["1.0", "2.0", "3"], ("1", "2", "3")),
        (["-3", "0", "12"], ("-3", "0", "12")),
        (["None", "Mild", "Severe"], ("Mild", "None", "Severe")),
        (["1", "2", "two"], ("1", "2", "two")),
        (["1e2", "10", "+5"], ("5", "10", "100")),
        (["99999999999999999999", "1", "2"], ("1", "2", "99999999999999999999")),
    ],
)
def test_labels_are_not_lost_to_numbers(tmp_path: Path, column: list[str], states: tuple[str, ...]) -> None:
    data = read(tmp_path, "a,b\n" + "".join(f"{value},{i}\n" for i, value in enumerate(column)))
    assert data.states[0] == states


def test_fractions_are_continuous(tmp_path: Path) -> None:
    text = "a,b\n0.5,1\n.25,2\n-1e-3,3\n"
    data = read(tmp_path, text)
    assert data.arities == (0, 3)
    assert data.numbers_of("a").tolist() == [0.5, 0.25, -0.001]
    with pytest.raises(DataError, match="'a' is continuous"):
        read(tmp_path, text, continuous=False)
    assert read(tmp_path, text, discretise="quantile").arities == (3, 3)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "a,b\n0,x\n1,y\n"),
        ("t.csv", "a;b\n0;x\n1;y\n"),
        ("t.csv", "a\tb\n0\tx\n1\ty\n"),
        ("t.csv", '"a";"b"\n0;"x"\n1;"y"'),
        ("t.tsv", "a\tb\r\n0\tx\r\n1\ty\r\n"),
        ("t.CSV", "\ufeffa,b\n0,x\n1,y\n"),
        ("t.csv", "a , b\n0, x\n 1,y \n"),
        ("t.csv", "\n\na,b\n0,x\n\n1,y\n\n\n"),
        ("t.csv", "a,b\r0,x\r1,y\r"),
    ],
)
def test_the_same_table_in_many_spellings(tmp_path: Path, name: str, text: str) -> None:
    expected = Dataset.from_codes([[0, 0], [1, 1]], names=["a", "b"], states=[["0", "1"], ["x", "y"]])
    assert read(tmp_path, text, name) == expected


def test_quoted_fields_may_hold_separators_quotes_and_line_ends(tmp_path: Path) -> None:
    data = read(tmp_path, 'a,"b,c"\n"x,1","say ""hi"""\n"two\nlines",z\n')
    assert data.names == ("a", "b,c")
    assert decoded(data) == [("x,1", 'say "hi"'), ("two\nlines", "z")]


def test_other_endings_need_a_separator(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'\.data' is unknown; known are \.csv and \.tsv"):
        read(tmp_path, "a b\n0 1\n1 0\n", "t.data")
    assert read(tmp_path, "a b\n0 1\n1 0\n", "t.data", separator=" ").names == ("a", "b")
    with pytest.raises(DataError, match="'' is unknown"):
        read(tmp_path, "a,b\n0,1\n", "noending")
    for separator in ("", ",,", '"', "\n", "é"):
        with pytest.raises(ParameterError, match="separator must be"):
            read(tmp_path, "a,b\n0,1\n", separator=separator)


@pytest.mark.parametrize(
    ("ending", "packed"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda data: pa.compress(data, codec="zstd", asbytes=True)),
    ],
)
def test_compressed_text(tmp_path: Path, ending: str, packed: Callable[[bytes], bytes]) -> None:
    text = b'a,b\n0,"x,1"\n1,y\n'
    data = read(tmp_path, packed(text), "t.csv" + ending)
    assert decoded(data) == [("0", "x,1"), ("1", "y")]
    with pytest.raises(DataError, match="line 3: this line has 1 field"):
        read(tmp_path, packed(b"a,b\n0,1\n1\n"), "t.csv" + ending)
    with pytest.raises(DataError, match="cannot be unpacked"):
        read(tmp_path, b"\x00not packed at all", "t.csv" + ending)
    with pytest.raises(DataError, match="empty"):
        read(tmp_path, packed(b""), "t.csv" + ending)


# Missing values


def test_tokens_that_count_as_missing(tmp_path: Path) -> None:
    tokens = ["", '""', "NA", "N/A", "NaN", "nan", "null", "NULL", "?", " ? "]
    text = "a,b\n" + "".join(f"{token},{i}\n" for i, token in enumerate(tokens)) + "5,10\n7,11\n"
    data = read(tmp_path, text, missing="state")
    assert data.states[0] == ("5", "7", "missing")
    assert data.codes[:, 0].tolist() == [2] * len(tokens) + [0, 1]


def test_other_tokens_can_be_given(tmp_path: Path) -> None:
    text = "a,b\n-9,NA\n1,x\n2,\n"
    data = read(tmp_path, text, missing="state", missing_tokens=["-9"])
    assert data.states == (("1", "2", "missing"), ("NA", "x", "missing"))


def test_missing_values_are_an_error_by_default(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'b', row 1 .*missing; in all, 1 of 4 cells"):
        read(tmp_path, "a,b\n0,x\n1,\n")


def test_an_empty_line_in_one_column_is_a_missing_value(tmp_path: Path) -> None:
    data = read(tmp_path, "a\nx\n\ny\n\n\n", missing="state")
    assert decoded(data) == [("x",), ("missing",), ("y",)]


# Headers


def test_files_without_header(tmp_path: Path) -> None:
    text = "0,1\n1,0\n"
    assert read(tmp_path, text, header=False).names == ("X0", "X1")
    assert read(tmp_path, text, header=False, names=["a", "b"]).n_rows == 2
    with pytest.raises(DataError, match="1 name for"):
        read(tmp_path, text, header=False, names=["a"])
    with pytest.raises(ParameterError, match="header=False"):
        read(tmp_path, "a,b\n0,1\n", names=["c", "d"])


@quiet
def test_a_first_line_that_looks_like_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 1: there seems to be no header.*header=False"):
        read(tmp_path, "0,0,1\n1,0,1\n")
    assert read(tmp_path, "5,7\n1,0\n", header=True).names == ("5", "7")
    # What pandas writes for columns that never had names.
    assert read(tmp_path, "0,1,2\n1,0,1\n").names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,a\n0,1,1\n", r"line 1: the name 'a' stands for more than one column \(0 and 2, counted"),
        (",a\n0,1\n", r"line 1: column 0 .* has no name.*pandas"),
        ("a,b\n", "no rows follow the header"),
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("a,b\n0,1\n0\n1,1\n", "line 3: this line has 1 field.*line 1 has 2"),
        ("a,b\n0,1\n\n0,1,2\n", "line 4: this line has 3 field"),
        ('a,b\n"x\ny",1\n0,1,2\n', "line 4: this line has 3 field"),
        ('a,b\n0,"x\n1,y\n', "line 2: a quote is not closed"),
        ('a,b\n0, "x"\n1,y\n', "space before its quote"),
        ('a, "b"\n0,x\n1,y\n', "space before its quote"),
        (b"a,b\n0,x\n1,caf\xe9\n", "line 3: byte 0xe9 .*position 13.*UTF-8"),
        ("a,b\n0,1\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_broken_files_are_refused_with_the_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file '.*nothing\.csv'"):
        Dataset.of(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="folder"):
        Dataset.of(str(tmp_path))


# Parquet


def test_parquet_keeps_types(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"e": pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"])), "b": [True, False], "n": [10, 9]}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    data = Dataset.of(tmp_path / "t.parquet")
    assert data.states == (("lo", "mid", "hi"), ("False", "True"), ("9", "10"))
    assert data == Dataset.from_frame(frame)


def test_broken_parquet(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read as parquet"):
        read(tmp_path, b"PAR1 but not really", "t.parquet")
    with pytest.raises(DataError, match=r"'\.parquet\.gz' is unknown"):
        read(tmp_path, b"", "t.parquet.gz")


# Properties

fields = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00", exclude_categories=("Cs", "Cc")), max_size=6)


@given(
    rows=st.lists(st.lists(fields, min_size=3, max_size=3), min_size=1, max_size=12), separator=st.sampled_from(",;\t|")
)
@example(rows=[["^", "", ""]], separator=",")  # starts like a zlib file
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@quiet
def test_what_the_csv_module_writes_is_read_back(tmp_path: Path, rows: list[list[str]], separator: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(
        [["a", "b", "c"], *[["x" + f for f in row] for row in rows]]
    )
    data = read(tmp_path, text.getvalue(), "t.txt", separator=separator)
    # The "x" keeps the fields from being numbers or missing; spaces around fields are not part of them.
    assert decoded(data) == [tuple(("x" + f).strip(" \t") for f in row) for row in rows]


@given(n_rows=st.integers(2, 30), n_columns=st.integers(1, 5), seed=st.integers(0, 99))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@quiet
def test_files_agree_with_the_frame_they_were_written_from(
    tmp_path: Path, n_rows: int, n_columns: int, seed: int
) -> None:
    values = np.random.default_rng(seed).integers(-2, 12, (n_rows, n_columns))
    frame = pd.DataFrame(values, columns=[f"c{v}" for v in range(n_columns)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv.gz", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    expected = Dataset.from_frame(frame)
    for name in ("t.csv", "t.tsv.gz", "t.parquet"):
        assert Dataset.from_file(tmp_path / name) == expected
