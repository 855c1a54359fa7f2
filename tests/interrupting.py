"""Searches that are cut short while they run, by clocks that do not depend on how fast the machine is."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar
from unittest.mock import patch

import arcwise.runs.budget as budgets
from arcwise import Budget, Status, _core
from arcwise.runs.budget import timed_by

__all__ = ["PATIENCE", "Press", "half_way", "presses_ctrl_c", "runs_out_of_time", "stepped_clock", "takes_turns"]

_ALL = 2**64 - 1

PATIENCE = 600.0  # seconds after which what is held is let go


@contextmanager
def stepped_clock(seconds_per_look: float = 0.0, allowed: int = _ALL) -> Iterator[_core.SteppedClock]:
    """Give the clock of all budgets that are made meanwhile, on which time passes by looks at them.

    Other threads than this one are held when they look more often than is allowed, until it allows more. A test that
    forgets them fails after some minutes instead of waiting for ever. Who watches a search looks at it without a pause.
    """
    clock = _core.SteppedClock(seconds_per_look, allowed)
    mercy = threading.Timer(PATIENCE, clock.allow, [_ALL])
    mercy.daemon = True
    if allowed != _ALL:
        mercy.start()
    try:
        with timed_by(clock), patch.object(budgets, "_SECONDS_BETWEEN_LOOKS", 0.001):
            yield clock
    finally:
        mercy.cancel()
        clock.allow(_ALL)


@contextmanager
def presses_ctrl_c(after_looks: int = 3) -> Iterator[Callable[[Budget], None]]:
    """Give a watch that sends Ctrl-C once, in the middle of a search on a budget that is made meanwhile.

    The search is held after so many looks, until the interrupt has arrived.
    """
    with stepped_clock(allowed=after_looks) as clock:
        press = Press(lambda: clock.looks > after_looks, lambda: clock.allow(_ALL))
        yield press
        assert press.was_pressed, "the work ended before it was interrupted"


class Press:
    """A watch that sends Ctrl-C once, when work is held, and lets go of it afterwards."""

    def __init__(self, is_held: Callable[[], bool], let_go: Callable[[], object]) -> None:
        self.is_held, self.let_go, self.was_pressed = is_held, let_go, False

    def __call__(self, budget: Budget) -> None:
        if self.was_pressed:
            self.let_go()
        elif self.is_held():
            self.was_pressed = True
            signal.raise_signal(signal.SIGINT)


@contextmanager
def takes_turns(is_enough: Callable[[Budget], bool]) -> Iterator[Callable[[Budget], None]]:
    """Give a watch that interrupts a search as soon as enough is seen of it.

    The search and the watch take turns. Of the search they are looks at its budget: one, then ever more of them.
    """
    with stepped_clock(allowed=0) as clock:
        done: list[Budget] = []

        def watch(budget: Budget) -> None:
            if not done and is_enough(budget):
                done.append(budget)
                budget.interrupt()
            clock.allow(_ALL if done else 1 + clock.looks // 5)

        yield watch
        assert done, "the work ended before enough was seen"


class Ends(Protocol):
    """What says how it ended."""

    @property
    def status(self) -> Status:
        """Why it ended."""


R = TypeVar("R", bound=Ends)


def half_way(run: Callable[[], object]) -> int:
    """Return half of the looks at budgets that work takes."""
    with stepped_clock() as clock:
        run()
        return clock.looks // 2


def runs_out_of_time(run: Callable[[float | None], R]) -> R:
    """Return what `run` gives with a time limit that ends after half of the looks that it takes without one.

    It is to end soon after: there are few looks more than are allowed.
    """
    limit = half_way(lambda: run(None))
    with stepped_clock(seconds_per_look=1.0) as clock:
        result = run(limit)
        assert result.status == Status.TIME_LIMIT
        assert clock.looks <= limit + 100
    return result
