"""Work on several threads, whose answers come in order and whose tasks are taken when there is room for them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from arcwise.runs.budget import Budget

__all__ = ["side_by_side", "until_exhausted"]

Task = TypeVar("Task")
Answer = TypeVar("Answer")

# A slow task at the head of the queue holds back the answers of those behind it: so many for each thread are begun.
_BEGUN_PER_WORKER = 64


def side_by_side(
    work: Callable[[Task], Answer], tasks: Iterable[Task], workers: int, budget: Budget
) -> Iterator[Answer]:
    """Give what `work` returns for each task, in the order of the tasks.

    Parameters
    ----------
    work
        What is done for a task.
    tasks
        Any number of them: only those about to be done are taken, so that a budget can end a list of a billion.
    workers
        Threads.
    budget
        Interrupted when work fails, so that the rest does not continue in vain.

    Examples
    --------
    >>> list(side_by_side(abs, [-3, 2, -1], 2, Budget()))
    [3, 2, 1]
    """
    if workers == 1:
        yield from map(work, tasks)
        return
    begun: deque[Future[Answer]] = deque()
    with ThreadPoolExecutor(max_workers=workers) as executor:
        try:
            for task in tasks:
                begun.append(executor.submit(work, task))
                if len(begun) >= _BEGUN_PER_WORKER * workers:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        except BaseException:
            budget.interrupt()
            executor.shutdown(cancel_futures=True)
            raise


def until_exhausted(tasks: Iterable[Task], budget: Budget) -> Iterator[Task]:
    """Give tasks as long as the budget allows.

    Examples
    --------
    >>> list(until_exhausted(range(3), Budget(evaluation_limit=0)))
    []
    """
    for task in tasks:
        if budget.exhausted:
            return
        yield task
