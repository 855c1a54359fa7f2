"""Ctrl-C while a command works: it ends the search, and what was found is written all the same."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from arcwise.cli.app import INTERRUPTED

if TYPE_CHECKING:
    import arcwise

__all__ = ["Interrupts", "ctrl_c_keeps_the_best"]


class Interrupts:
    """Whether Ctrl-C has come.

    It raises nothing, because Python would raise it anywhere: between a search and its bound, or while a file is
    written. Budgets ask for it instead.
    """

    def __init__(self) -> None:
        self.has_come = False

    def __call__(self, *_: Any) -> None:
        """Take note of Ctrl-C, as the handler of its signal."""
        self.has_come = True

    def watched(self, watch: "Callable[[arcwise.Budget], object] | None" = None) -> "Callable[[arcwise.Budget], None]":
        """Return what to give to a budget as ``watch``, so that Ctrl-C ends the work on it.

        Parameters
        ----------
        watch
            What else is to see the budget.
        """

        def look(budget: "arcwise.Budget") -> None:
            if self.has_come:
                budget.interrupt()
            if watch is not None:
                watch(budget)

        return look

    def end(self, status: "arcwise.Status") -> None:
        """End the program like one that Ctrl-C ended, where it came: all that was found by then is written.

        Parameters
        ----------
        status
            Why the search ended.
        """
        if self.has_come or status == "interrupted":
            raise typer.Exit(INTERRUPTED)


@contextmanager
def ctrl_c_keeps_the_best() -> Iterator[Interrupts]:
    """Let Ctrl-C end searches early, and nothing else, until the block ends: a search, its bound, and its files."""
    interrupts = Interrupts()
    # Elsewhere signals do not arrive; and who has them ignored, as nohup does, wants that.
    arrives = threading.current_thread() is threading.main_thread()
    if not arrives or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupts
        return
    before = signal.signal(signal.SIGINT, interrupts)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
