"""What tests of several folders need."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_arrives() -> Iterator[None]:
    """Let Ctrl-C interrupt, even where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
