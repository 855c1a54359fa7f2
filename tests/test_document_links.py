"""The documentation leads where it says, also for those who read it in the repository, where Sphinx lists no pages.

Every link has a file and a heading at its end, every page can be reached from README, and every command that a text
names exists with its options.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from typer.main import get_command

from arcwise.cli import app

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")))
COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]

pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the documentation is not here")


def inline(page: Path) -> Iterator[Token]:
    """What stands in the texts of a page: links, pictures, code, words."""
    for token in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8")):
        yield from token.children or ()


def links(page: Path) -> Iterator[str]:
    """Where a page leads to within the repository."""
    for token in inline(page):
        target = str(token.attrs.get("href", token.attrs.get("src", "")))
        if target and not re.match(r"[a-z]+:", target):
            yield target


def anchors(page: Path) -> set[str]:
    """Names of a page's headings in addresses, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_links_lead_from_readme_to_every_page() -> None:
    reached, new = set(), {ROOT / "README.md", ROOT / "CONTRIBUTING.md"}
    while new:
        page = new.pop()
        reached.add(page)
        targets = {(page.parent / link.partition("#")[0]).resolve() for link in links(page)}
        new |= {target for target in targets if target.suffix == ".md"} - reached
    reference = set(ROOT.glob("docs/api/*.md"))  # made by Sphinx from docstrings, which no other reader shows
    assert not set(PAGES) - reached - reference


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_a_text_exist_with_their_options(page: Path) -> None:
    for token in inline(page):
        words = shlex.split(token.content) if token.type == "code_inline" else []
        if words[:1] == ["arcwise"] and words[1:2] and re.fullmatch("[a-z]+", words[1]):
            command = COMMANDS[words[1]]
            known = {"--help", *(option for parameter in command.params for option in parameter.opts)}
            assert {word for word in words if word.startswith("-")} <= known, token.content


def test_every_command_has_its_place_in_the_tables_of_commands() -> None:
    purposes, keys = (ROOT / "docs/commands.md").read_text(encoding="utf-8").split("## JSON")
    listed = {name for row in re.findall(r"^\| (`.*?) \|", keys, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert set(re.findall(r"^\| `arcwise (\w+)`", purposes, re.MULTILINE)) == set(COMMANDS)
    assert listed == set(COMMANDS)
