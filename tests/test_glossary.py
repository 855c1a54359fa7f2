"""What docs/glossary.md does not say is not said elsewhere: in names, messages, comments and pages."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"

# Words of the column "not" that have no other meaning here, and how they are found whatever their ending.
REFUSED = {
    "turned": r"turned (?:a?round|the other way)|(?:arcs?|edges?) (?:is|are|was|were) turned|is_turned|found\.turned",
    "spurious": r"spurious\w*",
    "given sets": r"given (?:parent )?sets",
    "descent": r"(?<!height )descents?|descend",  # of a letter below its line: matplotlib's word
    "summit": r"summits?",
    "programme": r"programmes?",
    "go on": r"go on|goes on|went on|going on",
    "repeatable": r"repeatable",
}
# "Is no" is refused unless it is "there is no" or a comparison: "is no worse", "are no longer".
COMPARED = "longer|more|worse|better|larger|smaller|less|other|fewer|lower|higher"
IS_NO = rf"(?<!there )(?<!There )(?:is|are|was|were) no (?!{COMPARED})\w+"

FOLDERS = {"src/arcwise": ("py", "pyi", "js"), "cpp": ("cpp", "hpp"), "docs": ("md",), "benchmarks": ("py",)}
FOLDERS |= {"experiments": ("py",), "tests": ("py",)}
FILES = sorted(
    {
        *(path for folder, kinds in FOLDERS.items() for kind in kinds for path in (ROOT / folder).rglob(f"*.{kind}")),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    }
    - {GLOSSARY, Path(__file__)}
)


def as_words(text: str) -> str:
    """The text with names taken apart, so that `OrderDescent` and `class_turns` are words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("_", " "))


def found(pattern: str, text: str) -> list[str]:
    return found_in_words(pattern, as_words(text))


def found_in_words(pattern: str, words: str) -> list[str]:
    matches = re.finditer(rf"\b(?:{pattern})\b", words, re.IGNORECASE)
    return [f"{words.count(chr(10), 0, match.start()) + 1}: {match[0]}" for match in matches]


@cache
def words_of_files() -> dict[str, str]:
    """Texts of all files, with names taken apart."""
    return {str(path.relative_to(ROOT)): as_words(path.read_text(encoding="utf-8")) for path in FILES}


def test_the_glossary_names_what_is_refused() -> None:
    rows = [line.split("|") for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    refused = " ".join(row[3] for row in rows)
    assert [word for word in REFUSED if not re.search(rf"\b{word}\b", refused)] == []


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("spurious", "n_spurious = 3"),
        ("descent", "class OrderDescent:"),
        ("summit", '"""The best summits."""'),
        ("given sets", "graphs of the given parent sets"),
        ("turned", "an arc that is turned around"),
        ("go on", "def test_run_goes_on() -> None:"),
    ],
)
def test_refused_words_are_seen_in_names_and_texts(word: str, text: str) -> None:
    assert len(found(REFUSED[word], text)) == 1
    assert found(REFUSED[word], "descendants of a node return in turn, and programs of a descending order") == []


def test_is_no_is_told_from_there_is_no() -> None:
    assert found(IS_NO, "this file is no JSON") == ["1: is no JSON"]
    assert found(IS_NO, "there is no node; it is no longer there, and is no worse") == []


@pytest.mark.parametrize("word", REFUSED)
def test_refused_words_do_not_occur(word: str) -> None:
    said = {path: found_in_words(REFUSED[word], words) for path, words in words_of_files().items()}
    assert {path: lines for path, lines in said.items() if lines} == {}


def test_is_no_does_not_occur() -> None:
    said = {path: found_in_words(IS_NO, words) for path, words in words_of_files().items()}
    assert {path: lines for path, lines in said.items() if lines} == {}
