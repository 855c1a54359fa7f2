"""What a place is where tasks are done, and the one that is always there: threads of this process."""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from arcwise.runs.budget import Budget, side_by_side, threads_of_each
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted

__all__ = ["Parcel", "Threads", "Work", "Workplace", "packed"]

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Parcel:
    """What all tasks of some work have in common, as it is sent: its content, and the SHA-256 of that as its name."""

    key: str
    content: bytes


@dataclass(frozen=True, eq=False)
class Work(Generic[Shared, Task, Answer]):
    """What is done for each task, wherever that is.

    Parameters
    ----------
    name
        What a task is, in a word: "climb" or "replica". Dashboards show it.
    function
        Called with what is shared, the task, a budget and the number of threads that it may use. When the budget is
        exhausted it returns at once what it has: tasks that are left when a search ends are all called once more.
    shared
        What all tasks need, such as a score with its data. It goes to each worker once.
    """

    name: str
    function: Callable[[Shared, Task, Budget, int], Answer]
    shared: Shared

    @cached_property
    def parcel(self) -> Parcel:
        """The function and what is shared, as they are sent to other processes."""
        content = packed((self.function, self.shared))
        return Parcel(sha256(content).hexdigest(), content)


class Workplace(ABC):
    """Where tasks are done.

    Attributes
    ----------
    done
        How many tasks have been done elsewhere, in other processes.
    evaluations
        How many local scores were counted there.
    is_lost
        Whether all workers have gone at once, with whatever handed tasks out to them.
    is_broken
        Whether the executor has ended with one of its workers, so that this process does what is left.
    """

    done: int = 0
    evaluations: int = 0
    is_lost: bool = False
    is_broken: bool = False

    @abstractmethod
    def map(
        self,
        work: Work[Shared, Task, Answer],
        tasks: Iterable[Task],
        budget: Budget,
        *,
        workers: int,
        n_tasks: int | None = None,
    ) -> Iterator[Answer]:
        """Give what is done for each task, in the order of the tasks.

        Parameters
        ----------
        work
            What is done.
        tasks
            Any number of them: only those about to be done are taken, so that a budget can end a list of a billion.
        budget
            When to end. Interrupted when work fails, so that the rest does not continue in vain.
        workers
            How many threads of this process may work; those of an executor are as many as it has.
        n_tasks
            How many tasks there are at most. Where they are fewer than the workers, each may use several threads; by
            default they are many.
        """

    @abstractmethod
    def at_a_time(self, workers: int) -> int:
        """Return how many tasks are done at the same time, where this process has so many threads."""

    @property
    def words(self) -> str | None:
        """Where tasks are done, for people to read; None for this process."""
        return None


@dataclass(frozen=True)
class Threads(Workplace):
    """Threads of this process, which share everything.

    Parameters
    ----------
    executor
        Whose threads; own ones for each map when None.

    Examples
    --------
    >>> def scaled(factor, task, budget, threads):
    ...     return factor * task
    >>> list(Threads().map(Work("product", scaled, 10), [3, 1, 2], Budget(), workers=2))
    [30, 10, 20]
    """

    executor: ThreadPoolExecutor | None = None

    def map(
        self,
        work: Work[Shared, Task, Answer],
        tasks: Iterable[Task],
        budget: Budget,
        *,
        workers: int,
        n_tasks: int | None = None,
    ) -> Iterator[Answer]:
        """Give what is done for each task, in the order of the tasks."""
        workers = self.at_a_time(workers)
        at_a_time = workers if n_tasks is None else max(1, min(workers, n_tasks))
        threads = 1 if n_tasks is None else threads_of_each(workers, at_a_time)

        def done(task: Task) -> Answer:
            return work.function(work.shared, task, budget, threads)

        return side_by_side(done, tasks, at_a_time, budget, self.executor)

    def at_a_time(self, workers: int) -> int:
        """Return how many tasks are done at the same time."""
        return workers if self.executor is None else self.executor._max_workers


def packed(content: object) -> bytes:
    """Return an object as other processes can read it, or raise a `ParameterError` where they cannot.

    With cloudpickle, which Dask brings along, that may have functions and classes of a program or a notebook.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(packed({"a": 1}))
    {'a': 1}
    """
    try:
        return _dumps()(content)
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise ParameterError(
            f"what is to be done cannot be sent to other processes ({quoted(str(error))}); use functions and classes "
            "of a module, install cloudpickle, or leave out the executor"
        ) from error


def _dumps() -> Callable[[Any], bytes]:
    if find_spec("cloudpickle") is not None:
        return partial(import_module("cloudpickle").dumps, protocol=pickle.HIGHEST_PROTOCOL)
    return partial(pickle.dumps, protocol=pickle.HIGHEST_PROTOCOL)
