"""Tables of parent sets read from and written to pss files."""

from pathlib import Path

import pytest
from hypothesis import given

from arcwise.parents.jkl import parse_jkl
from arcwise.parents.pss import format_pss, parse_pss, read_pss, write_pss
from arcwise.support.errors import FormatError
from parent_set_strategies import Lists, set_lists

# Line 1 is the first line of the text.
TEXT = """META pss_version = 0.1
META num_variables=3
META score_type = BIC

VAR a
META arity=2
META values=no yes
-2.5 b c
-7

VAR b
META arity=3
-1e1

VAR c
-0.125 a
-3
"""
SAME = "3\na 2\n-2.5 2 b c\n-7 0\nb 1\n-1e1 0\nc 2\n-0.125 1 a\n-3 0\n"


def swapped(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


# Reading


def test_a_small_text() -> None:
    table = parse_pss(TEXT)
    assert table.names == ("a", "b", "c")
    assert table.sets("a") == [(-2.5, ("b", "c")), (-7.0, ())]
    assert table.sets("b") == [(-10.0, ())]
    assert table.sets("c") == [(-0.125, ("a",)), (-3.0, ())]
    assert table == parse_jkl(SAME)


@pytest.mark.parametrize(
    "text",
    [
        "VAR a\n-7 \n-2.5 c b \nVAR b\n-10.000000\nVAR c\n-3\n-0.125 a",
        "# made by hand\n" + TEXT.replace("-7", "# a comment\n-7"),
        swapped("num_variables=3", "num_variables = 3"),
        swapped("META score_type = BIC", "META input_file = my file = old.csv\nMETA ess ="),
        TEXT.replace("META arity=2", "META num_variables=9"),
        TEXT.replace(" ", "\t ").replace("\n", " \n "),
        TEXT + "\n\n",
    ],
    ids=["no metadata", "comments", "spaces", "any metadata", "metadata of a variable", "white space", "blank lines"],
)
def test_the_same_table_in_other_words(text: str) -> None:
    assert parse_pss(text) == parse_jkl(SAME)


def test_names_that_are_also_words_of_the_format() -> None:
    table = parse_pss("VAR VAR\n-1 META\nVAR META\n-2\n")
    assert table.sets("VAR") == [(-1.0, ("META",))]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "ends here, but it has 0 variables and should have at least one"),
        ("META pss_version = 0.1\n\n", 1, "it has 0 variables"),
        (swapped("num_variables=3", "num_variables=4"), 17, "it has 3 variables and should have 4"),
        (swapped("num_variables=3", "num_variables=2"), 15, r"one more than num_variables says \(2\)"),
        (swapped("num_variables=3", "num_variables=many"), 2, "'many' is not a whole number"),
        (swapped("META score_type = BIC", "META score_type"), 3, "META key = value"),
        (swapped("META score_type = BIC", "score_type = BIC"), 3, "META or VAR should stand here.*'score_type'"),
        (swapped("META score_type = BIC", "-3.5 a"), 3, "META or VAR should stand here.*'-3.5'"),
        # Lines cut short
        (TEXT[: TEXT.index("-0.125")], 15, "no parent set of 'c' follows"),
        (TEXT[: TEXT.index("VAR c")], 13, "it has 2 variables and should have 3"),
        (swapped("VAR b", "VAR"), 11, "VAR NAME should stand here, with one name, not 0"),
        (swapped("VAR b", "VAR b b"), 11, "VAR NAME should stand here, with one name, not 2"),
        (swapped("-1e1", ""), 11, "no parent set of 'b' follows"),
        # Scores
        (swapped("-7", "low"), 9, "'low' is not a number"),
        (swapped("-7", "NaN"), 9, "its score is nan"),
        (swapped("-7", "-inf"), 9, "its score is -inf"),
        ("VAR a\n7\n8 b\nVAR b\n9\n", 2, "seem to be costs"),
        # Variables and sets
        (swapped("-2.5 b c", "-2.5 b d"), 8, "the parent 'd' is not among the 3 variables"),
        (swapped("-2.5 b c", "-2.5 2 b c"), 8, "the parent '2' is not among the 3 variables"),
        (swapped("VAR c", "VAR a"), 15, "variable 'a' is declared here and in line 5"),
        (swapped("-0.125 a", "-0.125 c"), 16, "set of 'c' is not right: it has 'c' itself"),
        (swapped("-2.5 b c", "-2.5 b c b"), 8, "set of 'a' is not right: it has 'b' twice"),
        (swapped("-7", "-7 c b"), 9, r"same set stands there twice \(first in line 8\)"),
    ],
)
def test_texts_that_are_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse_pss(text, path="table.pss")
    assert (caught.value.path, caught.value.line) == ("table.pss", line)


# Writing


def test_what_is_written() -> None:
    head = "META pss_version = 0.1\nMETA num_variables = 3\n"
    sets = "\nVAR a\n-2.5 b c\n-7.0\n\nVAR b\n-10.0\n\nVAR c\n-0.125 a\n-3.0\n"
    assert format_pss(parse_jkl(SAME)) == head + sets


@given(set_lists(ties=False))
def test_what_is_written_reads_back_exactly(lists: Lists) -> None:
    assert parse_pss(format_pss(lists.table)) == lists.table


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2"])
def test_files_are_compressed_by_the_end_of_their_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table.pss{suffix}"
    write_pss(parse_pss(TEXT), path)
    assert read_pss(path) == parse_pss(TEXT)
    assert (path.read_bytes() == format_pss(parse_pss(TEXT)).encode()) == (suffix == "")
