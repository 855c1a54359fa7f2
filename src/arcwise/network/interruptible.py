"""Work of kernels that Ctrl-C ends: Python hears of it only between two of its own steps."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from arcwise import _core

__all__ = ["Interruptible", "interruptible"]

Answer = TypeVar("Answer")


class Interruptible:
    """A budget without limits, for kernels that are to end when somebody asks them to."""

    def __init__(self) -> None:
        self._core = _core.Budget()

    def for_kernel(self, threads: int) -> _core.Budget:
        """Return the budget as a kernel takes it that may use so many threads."""
        return _core.Budget(whole=self._core, threads=threads)

    def interrupt(self) -> None:
        """Ask all work on this budget to end soon."""
        self._core.interrupt()

    def check(self) -> None:
        """Raise a `KeyboardInterrupt` where the work is to end."""
        if self._core.exhausted:
            raise KeyboardInterrupt


def interruptible(work: Callable[[Interruptible], Answer]) -> Answer:
    """Return what the work returns, unless Ctrl-C comes: then it ends soon, and Ctrl-C is raised as ever.

    Only the main thread hears Ctrl-C, so that the work is done in another one while that waits.

    Examples
    --------
    >>> interruptible(lambda budget: budget.for_kernel(2).threads)
    2
    """
    budget = Interruptible()
    if threading.current_thread() is not threading.main_thread():
        return work(budget)
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            budget.check()
            answer.set_result(work(budget))
        except BaseException as error:
            answer.set_exception(error)

    thread = threading.Thread(target=run)
    try:
        thread.start()
        return answer.result()
    except KeyboardInterrupt:
        budget.interrupt()
        if thread.is_alive():  # or Ctrl-C came while it was about to begin, and it ends at once
            thread.join()
        raise
