"""Where shards are kept: threads of this process, processes of their own, executors of others, workers of Dask."""

import multiprocessing
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Any, TypeVar
from uuid import uuid4

from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from arcwise.support.messages import type_of

__all__ = ["LostPlaceError", "NotYetError", "Places", "places_of"]

Answer = TypeVar("Answer")

# What the dashboard of Dask calls what is asked of shards.
_WORDS = {
    "look_through": "first pass",
    "seen_in": "values of columns",
    "load": "shard",
    "products_in": "products",
    "counts_in": "counts",
    "rows_in": "joint states",
    "forget": "end of shards",
}
# Seconds in which a client of Dask looks whether an answer is there.
_LEAST_WAIT = 0.01


class LostPlaceError(Exception):
    """A worker has gone, with what it kept."""


class NotYetError(Exception):
    """A worker has not answered yet."""


class Places(ABC):
    """Places that keep shards; what is asked of one of them is done there.

    Attributes
    ----------
    is_here
        Whether all of them are in this process.
    """

    is_here = False

    @abstractmethod
    def names(self) -> list[str]:
        """Return the places that there are now."""

    @abstractmethod
    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> "Future[Answer]":
        """Have something done at a place."""

    def result(self, place: str, future: "Future[Answer]", seconds: float) -> Answer:
        """Wait some seconds for what was asked of a place.

        Raises
        ------
        NotYetError
            If there is no answer yet.
        LostPlaceError
            If the place has gone.
        """
        if not wait([future], seconds).done:
            raise NotYetError(place)
        try:
            return future.result()
        except (BrokenExecutor, CancelledError) as error:
            raise LostPlaceError(place) from error

    @abstractmethod
    def drop(self, place: str) -> str | None:
        """Take a place that has gone, or hangs, off the list; return the one that was put there instead, if any was."""

    def close(self) -> None:  # noqa: B027
        """End what was begun for the places."""


def _closed() -> ParameterError:
    """Return what is said where shards are asked after their end."""
    return ParameterError("this table in shards has been closed, as at the end of a with block; use it before that")


class Threads(Places):
    """Threads of this process, which keep all shards together."""

    is_here = True

    def __init__(self, n_threads: int, executor: Executor | None = None) -> None:
        self._executor = ThreadPoolExecutor(n_threads, "arcwise-shard") if executor is None else executor
        self._is_own = executor is None
        self._is_closed = False
        self._n = n_threads

    def names(self) -> list[str]:
        return [f"thread {i}" for i in range(self._n)]

    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> "Future[Answer]":
        if self._is_closed:
            raise _closed()
        return self._executor.submit(function, *args)

    def drop(self, place: str) -> str | None:
        return None

    def close(self) -> None:
        if self._is_own:
            self._is_closed = True
            self._executor.shutdown(wait=False, cancel_futures=True)


class Processes(Places):
    """Processes of this machine, each with the shards that it keeps; one that is lost or hangs is replaced."""

    _executors: dict[str, ProcessPoolExecutor]

    def __init__(self, n_processes: int) -> None:
        self._executors = {f"process {i}": self._new() for i in range(1, n_processes + 1)}
        self._n_made = n_processes
        self._is_closed = False

    @staticmethod
    def _new() -> ProcessPoolExecutor:
        # A copy of a process that has threads may wait for locks that nobody will release.
        return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))

    def names(self) -> list[str]:
        return list(self._executors)

    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> "Future[Answer]":
        if self._is_closed:
            raise _closed()
        try:
            return self._executors[place].submit(function, *args)
        except (BrokenExecutor, KeyError):  # broken before, or dropped
            future: Future[Answer] = Future()
            future.set_exception(LostPlaceError(place))
            return future

    def drop(self, place: str) -> str | None:
        executor = self._executors.pop(place)
        for process in list((executor._processes or {}).values()):  # one that hangs does not end by itself
            process.kill()
        executor.shutdown(wait=False, cancel_futures=True)
        self._n_made += 1
        new = f"process {self._n_made}"
        self._executors[new] = self._new()
        return new

    def close(self) -> None:
        self._is_closed = True
        for executor in self._executors.values():
            executor.shutdown(wait=False, cancel_futures=True)


class Executors(Places):
    """Executors with one worker each, which whoever has made them ends; those that break are not used any more."""

    def __init__(self, executors: Sequence[Executor]) -> None:
        self._executors = {f"executor {i}": executor for i, executor in enumerate(executors)}

    def names(self) -> list[str]:
        return list(self._executors)

    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> "Future[Answer]":
        try:
            return self._executors[place].submit(function, *args)
        except (BrokenExecutor, RuntimeError, KeyError):  # broken before, shut down, or dropped
            future: Future[Answer] = Future()
            future.set_exception(LostPlaceError(place))
            return future

    def drop(self, place: str) -> str | None:
        del self._executors[place]
        return None


class DaskWorkers(Places):
    """The workers of a Dask cluster, by their addresses; those that come later take over from those that go."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._dropped: set[str] = set()  # which may be there, and hang

    def drop(self, place: str) -> str | None:
        self._dropped.add(place)
        return None

    def names(self) -> list[str]:
        return sorted(set(self._client.scheduler_info(n_workers=-1)["workers"]) - self._dropped)

    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> Any:
        key = f"{_WORDS.get(function.__name__, 'shard')}-{uuid4().hex}"
        return self._client.submit(function, *args, workers=[place], allow_other_workers=False, pure=False, key=key)

    def result(self, place: str, future: Any, seconds: float) -> Any:
        from distributed import TimeoutError as DaskTimeoutError
        from distributed.scheduler import KilledWorker

        try:
            return future.result(timeout=max(seconds, _LEAST_WAIT))
        except (DaskTimeoutError, FutureTimeoutError, TimeoutError):
            if future.done():  # then it comes from what was asked
                raise
            if place in self.names():
                raise NotYetError(place) from None
            with suppress(Exception):
                future.cancel()
            raise LostPlaceError(place) from None
        except (KilledWorker, CancelledError) as error:
            raise LostPlaceError(place) from error


def places_of(executor: Any) -> Places:
    """Return the places that a caller means.

    Parameters
    ----------
    executor
        None for threads of this process; a number for so many processes; an executor with one worker, or a list of
        them; a ``ThreadPoolExecutor``; a client of Dask, or the address of a scheduler.
    """
    module = type(executor).__module__.partition(".")[0]
    if executor is None:
        return Threads(usable_cores())
    if isinstance(executor, int) and not isinstance(executor, bool):
        return Processes(count("executor", executor, least=1))
    if isinstance(executor, str):
        try:
            from distributed import Client
        except ModuleNotFoundError as error:
            raise ParameterError("a cluster of Dask needs the package distributed; install it") from error
        return DaskWorkers(Client(executor, set_as_default=False))  # type: ignore[no-untyped-call]
    if module == "distributed" and hasattr(executor, "scatter"):
        return DaskWorkers(executor)
    several = list(executor) if isinstance(executor, list | tuple) else [executor]
    if not several or not all(isinstance(each, Executor) for each in several):
        raise ParameterError.of(
            "executor",
            "a number of processes, executors of concurrent.futures with one worker each, a client of Dask or the "
            "address of its scheduler",
            type_of(executor),
        )
    if len(several) == 1 and isinstance(several[0], ThreadPoolExecutor):
        return Threads(several[0]._max_workers, several[0])
    for each in several:
        n_workers = getattr(each, "_max_workers", 1)
        if n_workers != 1 and not isinstance(each, ThreadPoolExecutor):
            raise ParameterError(
                f"an executor hands what it is given to any of its {n_workers} workers, and a shard stays with one of "
                "them; give a list of executors with one worker each, such as [ProcessPoolExecutor(1), …], or a number "
                "of processes"
            )
    return Executors(several)
