"""Tasks that are done on a Dask cluster, by its client."""

from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from math import ceil
from threading import Thread
from time import monotonic
from typing import Any

from arcwise.parallel.elsewhere import Elsewhere, Exchange, Sent
from arcwise.parallel.in_worker import Done, Envelope, NeedsData, OtherVersion, call_off, carried_out
from arcwise.parallel.workplace import Work
from arcwise.runs.provenance import versions_here
from arcwise.support.errors import ArcwiseError, ParameterError

__all__ = ["OnDask", "connected"]

_SECONDS_TO_CONNECT = 20.0
_SECONDS_BETWEEN_COUNTS = 1.0


@contextmanager
def connected(address: str) -> Iterator["OnDask"]:
    """Connect to the scheduler of a Dask cluster, and end the connection afterwards.

    Parameters
    ----------
    address
        Such as tcp://host:8786.
    """
    if "://" not in address:
        raise ParameterError.of("executor", "the address of a scheduler of Dask, such as tcp://host:8786", address)
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise ParameterError("a cluster of Dask needs the package distributed; install arcwise[distributed]") from error
    try:
        client = Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ParameterError.of(
            "executor", "the address of a scheduler of Dask that answers", address, str(error)
        ) from error
    with client:
        yield OnDask(client)


class OnDask(Elsewhere):
    """The workers of a Dask cluster.

    Parameters
    ----------
    client
        A `distributed.Client`; it is used, and not closed.
    """

    def __init__(self, client: Any) -> None:
        super().__init__()
        if getattr(client, "asynchronous", False):
            raise ParameterError.of("executor", "a client of Dask that waits for answers, with asynchronous=False")
        self.client = client
        self._threads: dict[str, int] = {}
        self._counted = -_SECONDS_BETWEEN_COUNTS
        self._check_versions()

    def _check_versions(self) -> None:
        """Refuse workers with other versions, before anything is sent that they may not understand."""
        own = versions_here()["arcwise"]
        for worker, found in self.client.run(version, "arcwise", on_error="return").items():
            if isinstance(found, Exception) and not isinstance(found, PackageNotFoundError):
                continue  # it is about to go away
            if found != own:
                has = f"has arcwise {found}" if isinstance(found, str) else "does not have arcwise"
                raise ArcwiseError(
                    f"the worker {worker} {has}, and this process has {own}; install the same version everywhere"
                )

    @property
    def n_workers(self) -> int:
        """How many tasks are done at the same time: all threads of all workers."""
        return max(1, sum(self._threads_of_workers().values()))

    @property
    def workers(self) -> set[str]:
        """The addresses of the workers, as they were a second ago at most."""
        return set(self._threads_of_workers())

    def _threads_of_workers(self) -> dict[str, int]:
        if monotonic() - self._counted > _SECONDS_BETWEEN_COUNTS and self.is_connected:
            self._counted = monotonic()
            with suppress(OSError):  # the scheduler goes away at this very moment
                self._threads = dict(self.client.nthreads())
        return self._threads

    def threads_of_each(self, n_tasks: int | None) -> int:
        """Return how many threads each of so many tasks may use: those that its worker does not need for others."""
        threads = self._threads_of_workers().values()
        if n_tasks is None or not threads:
            return 1
        return max(1, min(threads) // max(1, ceil(n_tasks / len(threads))))

    @property
    def is_connected(self) -> bool:
        """Whether the scheduler is there."""
        return bool(self.client.status == "running")

    @property
    def words(self) -> str:
        """Where tasks are done."""
        n = self.n_workers
        return f"{n:,} worker{'s' * (n != 1)} of Dask at {self.client.scheduler.address}"

    def exchange(self, work: Work[Any, Any, Any], round_: str) -> "Exchange":
        """Return how tasks of some work are sent, and called off."""
        return _OnDask(self, work, round_)


class _OnDask(Exchange):
    always_has_data = True  # the scheduler knows which workers have it, and they get it from each other

    def __init__(self, place: OnDask, work: Work[Any, Any, Any], round_: str) -> None:
        self._place, self._client, self._work, self._round = place, place.client, work, round_
        self._data: Any = None
        self._futures: list[Any] = []
        # A key that was lost must not come back: the scheduler may yet tell a worker to forget what it just got.
        self._keys = count()
        self._told: set[str] | None = None  # which workers know that all is called off

    def submit(self, sent: Sent) -> "Future[Any]":
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()  # whether it runs already is for the scheduler to know
        try:
            future = self._submitted(sent) if self._place.is_connected else None
        except Exception:
            if self._place.is_connected:
                raise
            future = None
        if future is None:  # the scheduler is gone, as `look` will say
            answer.set_exception(CancelledError())
            return answer
        self._futures.append(future)
        future.add_done_callback(lambda done: _pass_on(done, answer, self._work.name))
        return answer

    def _submitted(self, sent: Sent) -> Any:
        if self._data is None or self._data.status in ("cancelled", "lost", "error"):
            name = f"shared-{self._work.parcel.key[:16]}-{self._round[:8]}-{next(self._keys)}"
            self._data = self._client.scatter({name: self._work.parcel.content}, broadcast=True)[name]
        task = f"{self._work.name}-{self._round}-{sent.number}-"
        where: dict[str, Any] = {}
        if sent.copies:  # not where it may hang
            busy = self._client.processing().items()
            others = [worker for worker, keys in busy if not any(str(each).startswith(task) for each in keys)]
            where = {"workers": others, "allow_other_workers": True} if others else {}
        key = f"{task}{next(self._keys)}"
        return self._client.submit(_carried_out, sent.envelope, self._data, key=key, pure=False, **where)

    def look(self) -> None:
        if not self._place.is_connected:
            self._place.is_lost = True
        elif self._told is not None:  # a worker that has come since then may have been given one of the tasks
            self._tell(self._place.workers - self._told)

    def call_off(self) -> None:
        self._told = set()
        if self._place.is_connected:
            self._tell(self._place.workers)

    def _tell(self, workers: set[str]) -> None:
        """Tell workers that all is called off, in a thread, because one that hangs does not answer."""
        if workers:
            self._told = workers | (self._told or set())
            Thread(target=self._call_off_on, args=[sorted(workers)], daemon=True).start()

    def _call_off_on(self, workers: list[str]) -> None:
        with suppress(Exception):  # where the scheduler goes away meanwhile
            self._client.run(call_off, self._round, workers=workers, on_error="ignore")

    def close(self) -> None:
        if self._place.is_connected:
            self._client.cancel([future for future in self._futures if not future.done()], force=True)
        self._futures.clear()
        self._data = None


def _carried_out(envelope: Envelope, content: bytes) -> Done | NeedsData | OtherVersion:
    """Do a task in a worker of Dask, until its scheduler says that nobody wants it any more."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_over() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return carried_out(envelope, content, is_over=is_over)


def _pass_on(done: Any, answer: "Future[Any]", name: str) -> None:
    """Give the answer of Dask to who waits for it."""
    from distributed import KilledWorker

    if done.status == "finished":
        try:
            answer.set_result(done.result())
        except BaseException as error:  # it was there, and its worker is gone with it
            answer.set_exception(CancelledError(str(error)))
    elif done.status == "error":
        raised = done.exception()
        if isinstance(raised, KilledWorker):
            raised = ArcwiseError(
                f"a {name} has ended one worker of Dask after the other, the last of them {raised.last_worker}: it "
                "probably needs more memory than they have"
            )
        answer.set_exception(raised)
    else:
        answer.set_exception(CancelledError())
