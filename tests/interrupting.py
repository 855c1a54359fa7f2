"""Searches that are cut short while they run, however fast the machine is."""

import signal
from collections.abc import Callable
from typing import Protocol, TypeVar

from arcwise import Budget, Status

__all__ = ["presses_ctrl_c", "runs_out_of_time"]


def presses_ctrl_c() -> Callable[[Budget], None]:
    """Return a watch that sends Ctrl-C once, when the main thread first waits for a search."""
    pressed: list[Budget] = []

    def press(budget: Budget) -> None:
        if not pressed:
            pressed.append(budget)
            signal.raise_signal(signal.SIGINT)

    return press


class Ends(Protocol):
    """What says how it ended."""

    @property
    def status(self) -> Status:
        """Why it ended."""


R = TypeVar("R", bound=Ends)


def runs_out_of_time(run: Callable[[float], R]) -> R:
    """Return what `run` gives with the largest of ever smaller time limits that it cannot finish in."""
    for limit in (0.5, 0.1, 0.02, 0.004, 0.0008):
        result = run(limit)
        if result.status == Status.TIME_LIMIT:
            return result
    raise AssertionError("the work is too small, or the time limit is not kept")
