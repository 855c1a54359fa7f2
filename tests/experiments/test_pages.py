"""Tables that experiments write into the pages of the documentation."""

from pathlib import Path

import pytest

from arcwise import FormatError
from experiments import pages
from experiments.kept import Kept
from experiments.perez_maua_2016_page import texts

ROOT = Path(pages.__file__).parents[1]


def test_texts_go_between_their_marks(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# A\n<!-- begin x -->\n<!-- end x -->\nb\n<!-- begin y -->\nold\n<!-- end y -->\n")
    pages.write(path, {"x": "new", "y": "newer"})
    expected = "# A\n<!-- begin x -->\nnew\n<!-- end x -->\nb\n<!-- begin y -->\nnewer\n<!-- end y -->\n"
    assert path.read_text() == expected


@pytest.mark.parametrize("page", ["", "<!-- begin x -->\n", "<!-- end x -->\n<!-- begin x -->\n"])
def test_a_page_without_marks_is_refused(page: str) -> None:
    with pytest.raises(FormatError, match="the page must have the lines <!-- begin x --> and <!-- end x -->"):
        pages.with_text(page, "x", "| a |")


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the documentation is not here")
def test_the_page_on_initial_orders_has_the_tables_of_the_results() -> None:
    """After more runs, `experiments.perez_maua_2016_page` writes them anew."""
    text = (ROOT / "docs" / "results" / "perez-maua-2016.md").read_text(encoding="utf-8")
    made = texts(Kept(ROOT / "experiments" / "results" / "perez_maua_2016.jsonl"))
    for name, tables in made.items():
        assert pages.with_text(text, name, tables) == text
