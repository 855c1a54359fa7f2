"""The text of a report's page, without a browser."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import load_example
from arcwise.report.html import SCRIPTS, page
from arcwise.support.errors import ParameterError
from report_contents import content_of


class Parts(HTMLParser):
    """What a browser makes of a page: its elements, and what is written in scripts, style and title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: dict[str, str] = {}
        self._within = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._within = "content" if ("id", "content") in attrs else tag

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        self.texts[self._within] = self.texts.get(self._within, "") + data


ASIA = content_of(load_example("asia"))


@given(
    st.text(max_size=20) | st.sampled_from(["</script>", "<!--<script>", "$style", "${x}", "&lt;", "\ud800", "\u2028"])
)
def test_any_text_comes_back_as_it_was_and_changes_no_element(text: str) -> None:
    content: dict[str, Any] = ASIA | {"title": text, "warnings": [text]}
    parts, plain = Parts(page(content)), Parts(page(ASIA))
    assert json.loads(parts.texts["content"]) == content
    assert parts.tags == plain.tags
    page(content).encode("utf-8")


def test_content_is_plain_ascii_without_signs_of_html() -> None:
    text = Parts(page(ASIA | {"title": "<&>\u2028\u2029é"})).texts["content"]
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_the_policy_names_the_hashes_of_script_and_style() -> None:
    parts = Parts(page(ASIA))
    (policy,) = [value for name, value in parts.attributes if name == "content" and value and "default-src" in value]
    assert policy.startswith("default-src 'none'; ")
    for part in ("script", "style"):
        digest = b64encode(sha256(parts.texts[part].encode()).digest()).decode()
        assert f"{part}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_the_page_names_nothing_outside_itself() -> None:
    parts = Parts(page(ASIA))
    assert not {"link", "img", "iframe", "object"} & set(parts.tags)
    assert all(value and value.startswith("#") for name, value in parts.attributes if name in ("href", "src"))
    addresses = set(re.findall(r"https?://[^\s\"']+", parts.texts["script"] + parts.texts["style"]))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, which nobody asks for
    assert not re.search(r"url\(|@import", parts.texts["style"])


def test_scripts_make_no_markup_and_run_no_text() -> None:
    script = Parts(page(ASIA)).texts["script"]
    assert not re.search(r"\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", script)
    shipped = {file.name for file in files("arcwise.report").joinpath("page").iterdir() if file.name.endswith(".js")}
    assert shipped == set(SCRIPTS)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match="finite numbers"):
        page(ASIA | {"score": value})
