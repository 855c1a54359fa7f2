"""Where shards are kept: threads of this process, processes of their own, executors of others, workers of Dask."""

import multiprocessing
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Any, TypeVar
from uuid import uuid4

from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from arcwise.support.messages import type_of

__all__ = ["LostPlaceError", "Places", "places_of"]

Answer = TypeVar("Answer")

# Between two looks whether a worker of Dask is still there.
_SECONDS_BETWEEN_LOOKS = 0.5


class LostPlaceError(Exception):
    """A worker has gone, with what it kept."""


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

    def result(self, place: str, future: "Future[Answer]") -> Answer:
        """Wait for what was asked of a place.

        Raises
        ------
        LostPlaceError
            If the place has gone.
        """
        try:
            return future.result()
        except (BrokenExecutor, CancelledError) as error:
            raise LostPlaceError(place) from error

    @abstractmethod
    def drop(self, place: str) -> str | None:
        """Take a place that has gone off the list; return the one that was put there instead, if any was."""

    def close(self) -> None:  # noqa: B027
        """End what was begun for the places."""


class Threads(Places):
    """Threads of this process, which keep all shards together."""

    is_here = True

    def __init__(self, n_threads: int, executor: Executor | None = None) -> None:
        self._executor = ThreadPoolExecutor(n_threads, "arcwise-shard") if executor is None else executor
        self._is_own = executor is None
        self._n = n_threads

    def names(self) -> list[str]:
        return [f"thread {i}" for i in range(self._n)]

    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> "Future[Answer]":
        return self._executor.submit(function, *args)

    def drop(self, place: str) -> str | None:
        return None

    def close(self) -> None:
        if self._is_own:
            self._executor.shutdown(wait=False, cancel_futures=True)


class Processes(Places):
    """Processes of this machine, each with the shards that it keeps; one that is lost is replaced."""

    def __init__(self, n_processes: int) -> None:
        self._executors = {f"process {i}": self._new() for i in range(1, n_processes + 1)}
        self._n_made = n_processes

    @staticmethod
    def _new() -> Executor:
        # A copy of a process that has threads may wait for locks that nobody will release.
        return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))

    def names(self) -> list[str]:
        return list(self._executors)

    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> "Future[Answer]":
        try:
            return self._executors[place].submit(function, *args)
        except (BrokenExecutor, KeyError):  # broken before, or dropped
            future: Future[Answer] = Future()
            future.set_exception(LostPlaceError(place))
            return future

    def drop(self, place: str) -> str | None:
        self._executors.pop(place).shutdown(wait=False, cancel_futures=True)
        self._n_made += 1
        new = f"process {self._n_made}"
        self._executors[new] = self._new()
        return new

    def close(self) -> None:
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

    def drop(self, place: str) -> str | None:
        return None

    def names(self) -> list[str]:
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def submit(self, place: str, function: Callable[..., Answer], *args: Any) -> Any:
        key = f"arcwise-{function.__name__.replace('_', '-')}-{uuid4().hex}"  # what the dashboard shows
        return self._client.submit(function, *args, workers=[place], allow_other_workers=False, pure=False, key=key)

    def result(self, place: str, future: Any) -> Any:
        from distributed import TimeoutError as DaskTimeoutError
        from distributed.scheduler import KilledWorker

        while True:
            try:
                return future.result(timeout=_SECONDS_BETWEEN_LOOKS)
            except (DaskTimeoutError, FutureTimeoutError, TimeoutError):
                if place not in self.names():
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
