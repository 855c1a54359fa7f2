"""Ctrl-C while a search runs, however fast the machine is."""

import signal
from collections.abc import Callable

from arcwise import Budget

__all__ = ["presses_ctrl_c"]


def presses_ctrl_c() -> Callable[[Budget], None]:
    """Return a watch that sends Ctrl-C once, when the main thread first waits for a search."""
    pressed: list[Budget] = []

    def press(budget: Budget) -> None:
        if not pressed:
            pressed.append(budget)
            signal.raise_signal(signal.SIGINT)

    return press
