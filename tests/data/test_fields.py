"""Fields of text become numbers or labels: Python's regular expressions and float say which."""

import re
from math import isinf

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arcwise.data.fields import Fields, numbers_in
from arcwise.data.readers import TextFormat, fields_of_text, table_of_text

WHOLE = re.compile(r"(0|-?[1-9][0-9]*)\Z")
NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z|[+-]?inf\Z")

DIGITS = st.text(alphabet="0123456789", max_size=25)
SIGNS, EXPONENTS = st.sampled_from(["", "+", "-"]), st.sampled_from(["", "e", "E-", "e+"])
LIKE_NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(2**70), 2**70).map(str),
    st.tuples(SIGNS, DIGITS, st.sampled_from(["", "."]), DIGITS, EXPONENTS, DIGITS.map(lambda text: text[:3])).map(
        "".join
    ),
    st.text(alphabet="01.eE+-inf ", min_size=1, max_size=6),
)


@settings(max_examples=1000)
@given(LIKE_NUMBERS)
@example("9223372036854775807")
@example("-9223372036854775808")
@example("9223372036854775808")
@example("179769313486231580793e289")
@example("2.4703282292062328e-324")
@example("1e400")
@example("-1e-400")
@example("8.41470984807896506652502321630298999622563060798371e-1")
def test_numbers_are_those_of_python(text: str) -> None:
    found = numbers_in([text])
    if WHOLE.match(text):
        if -(2**63) <= int(text) < 2**63:
            assert found is not None
            assert found.dtype == np.int64
            assert found[0] == int(text)
        else:
            assert found is None
    elif NUMBER.match(text):
        assert found is not None
        assert found.dtype == np.float64
        assert np.array([float(text)]).tobytes() == found.tobytes()  # the sign of 0 too
    else:
        assert found is None


def test_whole_numbers_beyond_64_bits_among_others_are_numbers() -> None:
    assert numbers_in(["1", "99999999999999999999", "0.5"]).tolist() == [1, 1e20, 0.5]  # type: ignore[union-attr]
    assert numbers_in(["1", "99999999999999999999"]) is None


FIELD = st.one_of(
    st.integers(-30, 30).map(str), st.floats(-2, 2).map(repr), st.sampled_from(["", "NA", "-99", "x", "y z", "99" * 11])
)
LAYOUT = TextFormat("t.csv", ",", True, None, ("NA", "-99"))


def value(text: str, form: str) -> object:
    if text in ("", "NA", "-99"):
        return None
    return int(text) if form == "whole" else float(text) if form == "number" else text


@settings(max_examples=300)
@given(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=40), st.integers(0, 20), st.integers(0, 2**40))
def test_columns_are_the_same_however_many_texts_are_kept(
    rows: list[tuple[str, str]], most_texts: int, some: int
) -> None:
    """Whether numbers are kept by their texts or row by row, with a column read again as texts or not."""
    text = "a,b\n" + "".join(f"{a},{b}\n" for a, b in rows)
    fields = fields_of_text(text.encode(), LAYOUT, most_texts=most_texts)
    for column, name in enumerate("ab"):
        texts = [row[column] for row in rows]
        there = [each for each in texts if each not in ("", "NA", "-99")]
        whole = all(map(WHOLE.match, there))
        form = "whole" if whole else "number" if all(map(NUMBER.match, there)) else "label"
        if whole and any(abs(int(each)) >= 2**63 for each in there):
            form = "label"
        assert fields[name].form == (form if there else "nothing")
        assert fields[name].column().to_list() == [value(each, form if there else "label") for each in texts]
        stays = np.array([some >> row & 1 for row in range(len(rows))], dtype=np.bool_)
        check_part(fields[name].take(stays), [each for each, stay in zip(texts, stays, strict=True) if stay])


def check_part(part: Fields, texts: list[str]) -> None:
    there = [each for each in texts if each not in ("", "NA", "-99")]
    if part.codes is not None:
        assert sorted(part.texts) == sorted(set(there))
    if all(map(NUMBER.match, there)) and not (all(map(WHOLE.match, there)) and any(len(each) > 18 for each in there)):
        numbers = part.row_numbers()
        assert numbers is not None
        expected = [float("nan") if each in ("", "NA", "-99") else float(each) for each in texts]
        np.testing.assert_array_equal(numbers, expected)


def test_many_different_texts() -> None:
    names = [f"state number {i}" for i in range(70_000)]
    table = table_of_text(("a\n" + "\n".join(names)).encode(), TextFormat("t.csv", ",", True, None, ()))
    assert table.columns[0].to_list() == names


@pytest.mark.parametrize("word", ["inf", "-inf", "+inf"])
def test_infinity(word: str) -> None:
    found = numbers_in([word])
    assert found is not None
    assert isinf(found[0])
    assert numbers_in([word.upper()]) is None
