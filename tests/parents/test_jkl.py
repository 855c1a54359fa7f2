"""Tables of parent sets read from and written to jkl files."""

import gzip
import lzma
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given

import oracles_parents
from arcwise.parents import ParentSets
from arcwise.parents.files import read_parent_sets, write_parent_sets
from arcwise.parents.jkl import format_jkl, parse_jkl, read_jkl, write_jkl
from arcwise.parents.pss import format_pss, parse_pss
from arcwise.support.errors import FormatError, ParameterError
from parent_set_strategies import Lists, set_lists

FOLDER = Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[3] / "shared" / "data")) / "scores"
FILES = sorted(FOLDER.glob("*.xz"))

# Line 1 is the first line of the text.
TEXT = """3
a 2
-2.5 2 b c
-7 0
b 1
-1e1 0
c 2
-0.125 1 a
-3 0
"""
SETS = {"a": [(-2.5, ("b", "c")), (-7.0, ())], "b": [(-10.0, ())], "c": [(-0.125, ("a",)), (-3.0, ())]}


def contents(table: ParentSets) -> dict[str, list[tuple[float, tuple[str, ...]]]]:
    return {name: table.sets(name) for name in table.names}


# Reading


def test_a_small_text() -> None:
    table = parse_jkl(TEXT)
    assert table.names == ("a", "b", "c")
    assert contents(table) == SETS


@pytest.mark.parametrize(
    "text",
    [
        "# Method: by hand\n#\n" + TEXT,
        TEXT.replace("3\na", "3\n# Time for variable: 6.47\na"),
        "\n\n" + TEXT.replace("\n", "\n\n"),
        TEXT.rstrip(),
        TEXT.replace(" ", "\t  ").replace("\n", "  \n "),
        "3\na 2\n-7 0\n-2.5 2 c b\nb 1\n-10.0 0\nc 2\n-3.0 0\n-125e-3 1 a\n",
    ],
    ids=["comments", "comment within", "blank lines", "no last newline", "white space", "another order"],
)
def test_the_same_table_in_other_words(text: str) -> None:
    assert parse_jkl(text) == parse_jkl(TEXT)


def test_variables_by_index() -> None:
    table = parse_jkl("3\n0 1\n-1 2 1 2\n1 1\n-1 0\n2 1\n-1 1 0\n")
    assert table.names == ("0", "1", "2")
    assert contents(table) == {"0": [(-1.0, ("1", "2"))], "1": [(-1.0, ())], "2": [(-1.0, ("0",))]}
    assert table.members.tolist() == [1, 2, 0]


def test_numbers_as_names_are_names_also_in_another_order() -> None:
    table = parse_jkl("2\n1 1\n-1 1 0\n0 1\n-2 0\n")
    assert table.names == ("1", "0")
    assert table.sets("1") == [(-1.0, ("0",))]


def test_zero_scores_are_not_costs() -> None:
    assert parse_jkl("1\na 1\n0 0\n").best("a") == (0.0, ())
    assert parse_jkl("2\na 1\n5 0\nb 1\n-1 0\n").best("a") == (5.0, ())


def swapped(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


def test_the_number_of_variables_may_be_left_out() -> None:
    assert TEXT.startswith("3\n")
    assert parse_jkl(TEXT[2:]) == parse_jkl(TEXT)
    assert parse_jkl("# from another program\n" + TEXT[2:]) == parse_jkl(TEXT)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "ends here, but the number of variables has not come"),
        ("# nothing\n\n# more\n\n", 3, "the number of variables has not come"),
        ("3 variables follow\n" + TEXT[2:], 1, "the number of variables should stand here, alone"),
        (swapped("3\na", "three\na"), 1, "'three' is not a whole number; the number of variables"),
        (swapped("3\na", "-3\na"), 1, "'-3' is not a whole number"),
        (swapped("3\na", "0\na"), 1, "possible are 1 to 65,535"),
        (swapped("3\na", "65536\na"), 1, "there are 65,536 variables; possible are 1 to 65,535"),
        (swapped("3\na", "2\na"), 7, "should have ended before this line, after 2 variables"),
        (swapped("3\na", "4\na"), 9, "variable 4 of 4 has not come yet"),
        (TEXT + "-4 1 b\n", 10, r"should have ended before.*'c' has 2 by line 7"),
        # The number of sets
        (swapped("a 2", "a 1"), 4, r"NAME COUNT should stand here, variable 2 of 3.*'-7 0'.*'a' has 1 by line 2"),
        (swapped("a 2", "a 3"), 5, r"SCORE K P1 … PK should stand here.*'a' has 3 by line 2.*'b 1'"),
        (swapped("c 2", "c 3"), 9, r"ends here, but only 2 sets of the last variable have come \('c' has 3 by line 7"),
        (swapped("a 2", "a two"), 2, "'two' is not a whole number; the number of sets of 'a'"),
        (swapped("a 2", "a 2.0"), 2, "'2.0' is not a whole number"),
        (swapped("a 2", "a"), 2, "NAME COUNT should stand here"),
        (swapped("a 2", "a b 2"), 2, "NAME COUNT should stand here"),
        (swapped("b 1", "b 0"), 5, "at least 1, not 'b 0'"),
        ("2\n0 1\n-1 0\n-2 1 1\n1 1\n-1 0\n", 4, "if this is one more set, correct the number of sets"),
        ("2\n0 2\n-1 0\n1 1\n-1 0\n", 4, r"not '1 1'"),
        # Lines cut short
        (TEXT[: TEXT.index("-3 0")], 8, "only 1 sets of the last variable have come"),
        (TEXT[: TEXT.index("c 2")], 6, "variable 3 of 3 has not come yet"),
        (TEXT[: TEXT.index("c 2") + 1], 7, "NAME COUNT should stand here"),
        (TEXT[: TEXT.rindex(" 0")], 9, "SCORE K P1 … PK should stand here"),
        (swapped("-2.5 2 b c", "-2.5 2 b"), 3, "as many parents as K says"),
        (swapped("-2.5 2 b c", "-2.5 2 b c b"), 3, "as many parents as K says"),
        (swapped("-2.5 2 b c", "-2.5 b c"), 3, "as many parents as K says"),
        (swapped("-2.5 2 b c", "-2.5 2.0 b c"), 3, "as many parents as K says"),
        # Scores
        (swapped("-7 0", "low 0"), 4, "'low' is not a number"),
        (swapped("-7 0", "-1_000 0"), 4, "'-1_000' is not a number"),
        (swapped("-7 0", "-٣ 0"), 4, "is not a number"),
        (swapped("-7 0", "nan 0"), 4, "its score is nan"),
        (swapped("-7 0", "-inf 0"), 4, "its score is -inf"),
        (swapped("-7 0", "-1e999 0"), 4, "its score is -inf"),
        (swapped("-7 0", "Infinity 0"), 4, "its score is inf"),
        ("# costs\n2\na 1\n3 0\nb 1\n4.5 0\n", 4, "seem to be costs.*larger scores are better"),
        ("2\na 1\n0 0\nb 1\n4.5 0\n", 3, "seem to be costs"),
        # Variables and sets
        (swapped("-2.5 2 b c", "-2.5 2 b d"), 3, "the parent 'd' is not among the 3 variables"),
        (swapped("-0.125 1 a", "-0.125 1 aa"), 8, "'aa' is not among the 3 variables; did you mean 'a'"),
        (swapped("b 1", "a 1"), 5, "variable 'a' is declared here and in line 2"),
        (swapped("-2.5 2 b c", "-2.5 2 a c"), 3, "set of 'a' is not right: it has 'a' itself"),
        (swapped("-2.5 2 b c", "-2.5 2 c c"), 3, "set of 'a' is not right: it has 'c' twice"),
        (
            "3\na 3\n-1 2 b c\n-2 0\n-3 2 c b\nb 1\n-1 0\nc 1\n-1 0\n",
            5,
            r"same set stands there twice \(first in line 3\)",
        ),
        ("1\na 2\n-1 0\n\n-1 0\n", 5, r"set of 'a' .*twice \(first in line 3\)"),
    ],
)
def test_texts_that_are_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse_jkl(text, path="table.jkl")
    assert (caught.value.path, caught.value.line) == ("table.jkl", line)
    assert str(caught.value).startswith(f"table.jkl:line {line}: ")


def test_lines_are_counted_over_long_texts() -> None:
    n = 16_000  # with such names more than a megabyte
    names = [f"variable{index:050}" for index in range(n)]
    lines = [str(n), *(f"{name} 1\n-{index}.5 0" for index, name in enumerate(names))]
    text = "\n".join(lines)
    assert len(text) > 2**20
    assert parse_jkl(text).relaxed_score() == -n * n / 2
    lines[-1] = f"{names[-1]} 1\n-1 1 nobody"
    with pytest.raises(FormatError, match="'nobody'") as caught:
        parse_jkl("\n".join(lines))
    assert caught.value.line == 2 * n + 1


# Writing


def test_what_is_written() -> None:
    wanted = "3\na 2\n-2.5 2 b c\n-7.0 0\nb 1\n-10.0 0\nc 2\n-0.125 1 a\n-3.0 0\n"
    assert format_jkl(parse_jkl(TEXT)) == wanted


@given(set_lists(ties=False))
def test_what_is_written_reads_back_exactly(lists: Lists) -> None:
    table = lists.table
    assert parse_jkl(format_jkl(table)) == table
    plain = oracles_parents.plain_jkl(format_jkl(table))
    assert {name: set(sets) for name, sets in plain.items()} == dict(
        zip(lists.names, map(set, lists.sets), strict=True)
    )


@pytest.mark.parametrize("name", ["two words", "tab\tbed", "line\nbreak", "no\xa0break", "#", "item#3", " a"])
def test_names_that_cannot_be_written(name: str) -> None:
    table = ParentSets.from_lists([name], [[(-1, [])]])
    for written in (format_jkl, format_pss):
        with pytest.raises(ParameterError, match="cannot be written"):
            written(table)


def test_costs_cannot_be_written() -> None:
    table = ParentSets.from_lists(["a"], [[(1, [])]])
    for written in (format_jkl, format_pss):
        with pytest.raises(ParameterError, match="taken for costs"):
            written(table)


# Files


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2"])
def test_files_are_compressed_by_the_end_of_their_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table.jkl{suffix}"
    write_jkl(parse_jkl(TEXT), path)
    assert read_jkl(path) == parse_jkl(TEXT)
    assert (path.read_bytes() == format_jkl(parse_jkl(TEXT)).encode()) == (suffix == "")


def test_a_fault_in_a_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "table.jkl.gz"
    path.write_bytes(gzip.compress(TEXT.replace("-7 0", "-7").replace("\n", "\r\n").encode()))
    with pytest.raises(FormatError, match=r"table\.jkl\.gz:line 4: SCORE K") as caught:
        read_jkl(path)
    assert caught.value.path == str(path)


def test_zstandard(tmp_path: Path) -> None:
    path = tmp_path / "table.jkl.zst"
    write_jkl(parse_jkl(TEXT), path)
    data = format_jkl(parse_jkl(TEXT)).encode()
    assert pa.decompress(path.read_bytes(), len(data), codec="zstd", asbytes=True) == data
    path.write_bytes(pa.compress(data, codec="zstd", asbytes=True))
    assert read_jkl(path) == parse_jkl(TEXT)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(FormatError, match="cannot be decompressed"):
        read_jkl(path)


@pytest.mark.skipif(not FILES, reason="needs the score files in $ARCWISE_DATA or ../shared/data")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_of_other_programs(path: Path, tmp_path: Path) -> None:
    table = read_parent_sets(path)
    plain = oracles_parents.plain_jkl(lzma.decompress(path.read_bytes()).decode())
    assert table.names == tuple(plain)
    for name, sets in plain.items():
        assert {(score, frozenset(parents)) for score, parents in table.sets(name)} == set(sets)
    assert table.relaxed_score() == pytest.approx(sum(max(score for score, _ in sets) for sets in plain.values()))
    assert parse_jkl(format_jkl(table)) == parse_pss(format_pss(table)) == table
    write_parent_sets(table, tmp_path / path.name)
    assert read_parent_sets(tmp_path / path.name) == table
