"""A browser for the tests of reports."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser import Reports, running_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as started:
        yield started


@pytest.fixture
def reports(browser: Browser, tmp_path: Path) -> Iterator[Reports]:
    opened = Reports(browser, tmp_path)
    yield opened
    opened.close()
