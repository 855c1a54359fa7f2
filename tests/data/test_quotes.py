"""Quotes in separated text: Python's csv module, which is strict when asked, says what a file holds."""

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcwise import Dataset
from arcwise.data.readers import TextFormat, table_of_text
from arcwise.data.tables import Table
from arcwise.support.errors import DataError

texts = st.lists(st.sampled_from(['"', '""', ",", "\n", "a", "b", "1", ' "', "é"]), min_size=1, max_size=25).map(
    "".join
)


def strictly(text: str) -> list[list[str]] | None:
    """Rows as the csv module reads them; None where it refuses the text."""
    try:
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None


def has_space_before_quote(text: str) -> bool:
    """Whether a field that is not quoted is blank up to a quote."""
    outside = "".join(re.split(r'(?:(?<=^)|(?<=[,\n]))"[^"]*(?:""[^"]*)*"(?=[,\n]|$)', text))
    return re.search(r'(?:^|[,\n]) +"', outside) is not None


@given(texts)
@settings(max_examples=500)
def test_rows_are_those_of_a_strict_reader(text: str) -> None:
    rows = strictly(text + "\n")
    layout = TextFormat("t.csv", ",", False, None, ())
    if rows is None or has_space_before_quote(text):
        with pytest.raises(DataError, match=r"^t\.csv, line "):
            table_of_text(text.encode(), layout)
        return
    filled = [row for row in rows if row]
    if not filled:
        return
    if len({len(row) for row in filled}) > 1:
        with pytest.raises(DataError, match=r"^t\.csv, line \d+: this line has \d+ field"):
            table_of_text(text.encode(), layout)
        return
    table = table_of_text(text.encode(), layout)
    if len(filled[0]) > 1:  # in a column by itself, a blank line can be a field
        assert as_read(table) == [[field.strip(" \t") for field in row] for row in filled]


def as_read(table: Table) -> list[list[str]]:
    columns = [["" if value is None else str(value) for value in column.to_list()] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_read_is_what_the_strict_reader_sees(pairs: list[tuple[str, str]]) -> None:
    text = "x,y\n" + "\n".join(map(",".join, pairs)) + "\n"
    layout = TextFormat("t.csv", ",", True, None, ())
    try:
        table = table_of_text(text.encode(), layout)
    except DataError:
        return
    rows = [row for row in strictly(text) or [] if row]
    assert as_read(table) == [[field.strip(" \t") for field in row] for row in rows[1:]]


def read(folder: Path, text: str) -> Dataset:
    path = folder / "t.csv"
    path.write_text(text)
    return Dataset.from_file(path)


def test_a_quote_inside_a_field_is_a_sign_like_others(tmp_path: Path) -> None:
    data = read(tmp_path, 'pipe,of\n5",steel\n6",lead\n7" or 8",steel\n')
    assert data.states == (('5"', '6"', '7" or 8"'), ("lead", "steel"))
    assert data.n_rows == 3


def test_quotes_inside_names(tmp_path: Path) -> None:
    assert read(tmp_path, 'height (5");age\n1;2\n2;3\n').names == ('height (5")', "age")
    assert read(tmp_path, 'height 5";"a;b"\n1;2\n2;3\n').names == ('height 5"', "a;b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b\n"x"y,1\n', "line 2: 'y,1' follows the closing quote of a field; a separator"),
        ('a,b\n"x,1\ny,"z"\n', r"line 3: 'z\"' follows the closing quote of a field \(the field begins in line 2\)"),
        ('a,b\nx,1\n"y,1\nz,1\n', "line 3: a quote is not closed"),
        ('a,b\n"x" ,1\n', "line 2: ' ,1' follows the closing quote"),
        ('a,b\nx, "1"\n', "line 2: the field '\"1\"' has a space before its quote"),
    ],
)
def test_damage_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


def test_a_quoted_field_of_quotes_beside_one_with_spaces(tmp_path: Path) -> None:
    assert read(tmp_path, 'a,b\n"""x""", y\nz,x\n').states[0] == ('"x"', "z")


def test_a_name_may_be_longer_than_the_csv_module_takes(tmp_path: Path) -> None:
    assert read(tmp_path, "a" * 200_000 + ",b\n1,2\n2,1\n").names == ("a" * 200_000, "b")


def test_doubled_quotes_in_the_first_row_of_a_file_without_names() -> None:
    table = table_of_text(b'"p""q","r""s","t""u",z\n', TextFormat("t.csv", ",", False, None, ()))
    assert as_read(table) == [['p"q', 'r"s', 't"u', "z"]]
