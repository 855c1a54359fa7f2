"""The report's page: template, style, scripts and content put together in one file that opens offline."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from arcwise.support.errors import ParameterError

__all__ = ["SCRIPTS", "page"]

SCRIPTS = (
    "dom.js",
    "graph.js",
    "curves.js",
    "camera.js",
    "labels.js",
    "painter.js",
    "network.js",
    "search.js",
    "tables.js",
    "probabilities.js",
    "regressions.js",
    "inference.js",
    "gaussian.js",
    "questions.js",
    "bars.js",
    "ask.js",
    "node_panel.js",
    "charts.js",
    "sections.js",
    "main.js",
)
"""The page's own scripts, in the order in which they are put together. There is no other JavaScript in it."""


def page(content: Mapping[str, Any]) -> str:
    r"""Return the report as the text of an HTML file.

    Nothing of the content becomes markup: it is carried as JSON, which the page's script turns into texts. A
    Content-Security-Policy lets only this script and this style run, by their hashes, and nothing be loaded.

    Parameters
    ----------
    content
        What the page shows, as `arcwise.report.content` makes it: words, numbers, lists and mappings.

    Raises
    ------
    ParameterError
        If the content is not JSON, or has a number that is not finite.

    Examples
    --------
    >>> nodes = {"name": ["a</script>", "b"], "x": [0, 1], "y": [0, 1], "states": None, "counts": None, "tables": None}
    >>> arcs = {"from": [0], "to": [1], "gain": None, "share": None, "reversible": [True], "route": [None]}
    >>> text = page({"title": "a & b", "nodes": nodes, "arcs": arcs})
    >>> "<title>a &amp; b</title>" in text, "a</script>" in text, r"a\u003c/script\u003e" in text
    (True, False, True)
    """
    style, script = _style(), _script()
    return Template(_part("template.html")).substitute(
        policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'",
        # Characters outside ASCII, half a surrogate pair among them, as character references.
        title=escape(str(content.get("title", "arcwise"))).encode("ascii", "xmlcharrefreplace").decode(),
        style=style,
        content=_json(content),
        script=script,
    )


def _json(content: Mapping[str, Any]) -> str:
    """Return the content in ASCII and without a sign that means something in HTML."""
    try:
        text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ParameterError.of("content", f"words, finite numbers, lists and mappings: {error}") from error
    return re.sub("[<>&]", lambda sign: f"\\u{ord(sign.group()):04x}", text)


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


@cache
def _part(name: str) -> str:
    return files("arcwise.report").joinpath("page", name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    return _part("style.css")


@cache
def _script() -> str:
    """Return all scripts as one function, so that their names are theirs alone."""
    return '"use strict";\n(() => {\n' + "\n".join(_part(name) for name in SCRIPTS) + "})();\n"
