"""Tables of results in the pages of the documentation: written by the experiments, between marks."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from arcwise.support.errors import FormatError

__all__ = ["number", "table", "with_text", "write"]


def number(value: float, digits: int = 1) -> str:
    """Return a number as the pages write it.

    Examples
    --------
    >>> number(-1234.56)
    '−1,234.6'
    """
    return f"{value:,.{digits}f}".replace("-", "−")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> list[str]:
    """Return the lines of a table; so many columns from the first on are words, the others numbers.

    Examples
    --------
    >>> table(["data", "n"], [["asia", "8"]])
    ['| data | n |', '| --- | ---: |', '| asia | 8 |']
    """
    under = ["---"] * words + ["---:"] * (len(headings) - words)
    return [f"| {' | '.join(cells)} |" for cells in (headings, under, *rows)]


def with_text(page: str, name: str, text: str) -> str:
    r"""Return a page with another text between the marks of this name.

    Raises
    ------
    FormatError
        If the page has no such marks.

    Examples
    --------
    >>> with_text("<!-- begin x -->\nold\n<!-- end x -->\n", "x", "new").splitlines()
    ['<!-- begin x -->', 'new', '<!-- end x -->']
    """
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
    before, found, rest = page.partition(begin)
    _, found_too, after = rest.partition(end)
    if not found or not found_too:
        raise FormatError(
            f"the page must have the lines {begin.strip()} and {end.strip()}; put them where the text goes"
        )
    return f"{before}{begin}{text}\n{end}{after}"


def write(path: Path, texts: dict[str, str]) -> None:
    """Put texts between the marks of their names in a page."""
    page = path.read_text(encoding="utf-8")
    for name, text in texts.items():
        page = with_text(page, name, text)
    path.write_text(page, encoding="utf-8")
