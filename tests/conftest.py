"""What tests of several folders need."""

import gc
import os
import signal
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:  # what drives a browser is loaded where one is started
    from playwright.sync_api import Browser

    from browser import Reports

# Tests run side by side, one on each core, and their matrices are small: threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How long an example takes says nothing about the code, and a change is not to fail for an example that nobody has seen
# before: they are the same in every run. `--hypothesis-profile=search` looks for others.
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("any machine", parent=settings.get_profile("search"), derandomize=True)
settings.load_profile("any machine")


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_arrives() -> Iterator[None]:
    """Let Ctrl-C interrupt, even where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def commands_are_made_once() -> Iterator[None]:
    """Let typer's runner remember the commands of the program, which it else makes all again for each that it runs."""
    from typer.main import get_command

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Start a Chromium for the tests of a module."""
    from browser import running_browser

    with running_browser() as started:
        yield started


@pytest.fixture
def reports(browser: "Browser", tmp_path: Path) -> "Iterator[Reports]":
    """Open reports, and see to it that they do nothing they must not."""
    from browser import Reports

    opened = Reports(browser, tmp_path)
    yield opened
    opened.close()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the collector of garbage what is collected here: nearly all of it lives until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give each worker whole runs of tests, until one has nothing to do: what a module has made once is made once."""
    if config.getoption("dist") != "load":  # another way was asked for
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Start two workers more than there are cores: some tests wait for processes that they start and stop."""
    from arcwise.support.machine import usable_cores

    return usable_cores() + 2
