"""A real Chromium that opens reports and minds what they do."""

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

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


# Pages that no test has at the moment, by the options that they were opened with. Another process for each report
# would take three times as long as the report itself.
_idle: WeakKeyDictionary[Browser, defaultdict[str, list[Page]]] = WeakKeyDictionary()


class Reports:
    """Opens reports and keeps what no report may do: complain, ask, or reach out for anything."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.idle = _idle.setdefault(browser, defaultdict(list))
        self.browser = browser
        self.folder = folder
        self.pages: list[tuple[str, Page]] = []
        self.misdeeds: list[str] = []
        self.requests: list[str] = []
        self.addresses: list[str] = []
        self.minded: dict[Literal["console", "pageerror", "request", "dialog"], Callable[[Any], None]] = {
            "console": lambda message: self.misdeeds.append(f"console {message.type}: {message.text}"),
            "pageerror": lambda error: self.misdeeds.append(f"error: {error}"),
            "request": lambda request: self.requests.append(request.url.partition("#")[0]),
            "dialog": self._dismiss,
        }

    def open(self, content: Mapping[str, Any], *, hash: str = "", **options: Any) -> Page:  # noqa: A002
        """Write the report of a content, open it offline and wait until it is built."""
        file = self.folder / f"report{len(self.addresses)}.html"
        file.write_text(report_page(content), encoding="utf-8")
        self.addresses.append(file.as_uri())
        page = self._page(options)
        for event, mind in self.minded.items():
            page.on(event, mind)
        page.goto(file.as_uri() + hash)
        page.evaluate("arcwiseReport.ready")
        return page

    def _page(self, options: Mapping[str, Any]) -> Page:
        """Take a page that shows nothing of this test yet."""
        kind = repr(sorted(options.items()))
        if self.idle[kind]:
            page = self.idle[kind].pop()
        else:
            page = self.browser.new_context(**{"reduced_motion": "reduce", "offline": True, **options}).new_page()
        self.pages.append((kind, page))
        return page

    def _dismiss(self, dialog: Dialog) -> None:
        self.misdeeds.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self) -> None:
        """Leave the pages as they were before they were opened, and tell of what was done."""
        for kind, page in self.pages:
            for event, mind in self.minded.items():
                page.remove_listener(event, mind)
            page.emulate_media(media="null")
            page.mouse.move(0, 0)
            page.goto("about:blank")
            self.idle[kind].append(page)
        assert self.misdeeds == []
        assert self.requests == self.addresses


def position(page: Page, node: str) -> tuple[float, float]:
    place = page.evaluate("name => arcwiseReport.positionOf(name)", node)
    return place["x"], place["y"]


def selected(page: Page) -> str | None:
    name: str | None = page.evaluate("arcwiseReport.selected")
    return name


def overflow(page: Page) -> float:
    """By how many pixels the page is wider than the window."""
    return float(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


# Contrast as the Web Content Accessibility Guidelines define it, of all texts that can be seen: those below 4.5.
FAINT_TEXTS = """() => {
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
        pixel.clearRect(0, 0, 1, 1);
        pixel.fillStyle = colour;
        pixel.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = (one, other) => [0, 1, 2].map((i) => one[i] * one[3] + other[i] * (1 - one[3]));
    const linear = (part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const faint = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const holder = texts.currentNode.parentElement;
        if (!texts.currentNode.textContent.trim() || !holder.checkVisibility() || holder.closest(".unseen")) continue;
        let ground = [255, 255, 255];
        let opacity = 1;
        const around = [];
        for (let one = holder; one; one = one.parentElement) around.unshift(one);
        for (const one of around) {
            ground = over(rgba(getComputedStyle(one).backgroundColor), ground);
            opacity *= getComputedStyle(one).opacity;
        }
        const style = getComputedStyle(holder);
        const ink = rgba(holder instanceof SVGElement ? style.fill : style.color);
        const [one, other] = [over([...ink.slice(0, 3), ink[3] * opacity], ground), ground].map(luminance);
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (contrast < 4.5) faint.push(`${holder.tagName}.${holder.className} ${contrast.toFixed(2)}`);
    }
    return [...new Set(faint)];
}"""
