"""A real Chromium that opens reports and minds what they do."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from arcwise.report.html import page as report_page

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium() -> str | None:
    """Return the Chromium of this machine: ARCWISE_CHROMIUM, or one on the path."""
    named = os.environ.get("ARCWISE_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start Chromium; skip the test where there is none, unless ARCWISE_BROWSER_TESTS=required."""
    found = chromium()
    if found is None:
        message = "no Chromium: install one (Debian: apt install chromium) or name it in ARCWISE_CHROMIUM"
        if os.environ.get("ARCWISE_BROWSER_TESTS") == "required":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


class Reports:
    """Opens reports and keeps what no report may do: complain, ask, or reach out for anything."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser = browser
        self.folder = folder
        self.misdeeds: list[str] = []
        self.requests: list[str] = []
        self.addresses: list[str] = []

    def open(self, content: Mapping[str, Any], *, hash: str = "", **options: Any) -> Page:  # noqa: A002
        """Write the report of a content, open it offline and wait until it is built."""
        file = self.folder / f"report{len(self.addresses)}.html"
        file.write_text(report_page(content), encoding="utf-8")
        self.addresses.append(file.as_uri())
        context = self.browser.new_context(**{"reduced_motion": "reduce", "offline": True, **options})
        page = context.new_page()
        page.on("console", lambda message: self.misdeeds.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.misdeeds.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url.partition("#")[0]))
        page.on("dialog", self._dismiss)
        page.goto(file.as_uri() + hash)
        page.evaluate("arcwiseReport.ready")
        return page

    def _dismiss(self, dialog: Dialog) -> None:
        self.misdeeds.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self) -> None:
        """Close all that was opened, and tell of what was done."""
        for context in self.browser.contexts:
            context.close()
        assert self.misdeeds == []
        assert self.requests == self.addresses


def position(page: Page, node: str) -> tuple[float, float]:
    place = page.evaluate("name => arcwiseReport.positionOf(name)", node)
    return place["x"], place["y"]


def selected(page: Page) -> str | None:
    name: str | None = page.evaluate("arcwiseReport.selected")
    return name
