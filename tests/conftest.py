"""What all tests need."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_arrives() -> Iterator[None]:
    """Let Ctrl-C interrupt, even where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
