"""Tasks that are done by the workers of an executor: how they get there, what comes back, and what may go wrong."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from time import monotonic
from typing import Any
from uuid import uuid4
from warnings import warn

from arcwise.parallel.in_worker import Done, Envelope, NeedsData, OtherVersion, carried_out
from arcwise.parallel.lifeline import Address, Lifeline
from arcwise.parallel.workplace import Answer, Shared, Task, Threads, Work, Workplace, packed
from arcwise.runs.budget import Budget, WorkElsewhere, side_by_side
from arcwise.runs.provenance import versions_here
from arcwise.support.errors import ArcwiseError, ArcwiseWarning

__all__ = ["Elsewhere", "Exchange", "OnExecutor"]

_SECONDS_BETWEEN_LOOKS = 0.1
# So many for each worker are on their way, and one that waits for an earlier answer counts: enough that no worker
# waits for its next task, and few enough that little is done in vain when all of it ends.
_SENT_PER_WORKER = 4
# Workers that are called off answer within a fraction of a second; one that does not after this time is given up.
_SECONDS_TO_ANSWER = 30.0
# How often a task is sent again when it or its worker gets lost.
_MOST_TRIES = 5
# A task that has no answer after so many times as long as any other took, and so many seconds at least, is given to
# another worker too, and once more after twice that time: its worker may hang. Whoever answers first is listened to.
_TIMES_AS_LONG = 10.0
_LEAST_PATIENCE = 60.0
_MOST_COPIES = 2


@dataclass
class Sent:
    """A task that is on its way, or waits to be sent again."""

    number: int
    task: Any
    envelope: Envelope
    has_data: bool = False
    tries: int = 1
    copies: int = 0  # that were sent because there was no answer
    since: float = 0.0


class Elsewhere(Workplace):
    """Workers of other processes; kinds of executors differ in how they are asked."""

    def __init__(self) -> None:
        self.done = 0
        self.evaluations = 0
        self.is_lost = False
        self.is_broken = False

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

        With a limit on evaluations all is done in this process, where one cache says what is an evaluation; so is a
        single task, which can use all threads here.
        """
        if n_tasks == 1 or budget.evaluation_limit is not None or self.is_broken or self.is_lost:
            return Threads().map(work, tasks, budget, workers=workers, n_tasks=n_tasks)
        return _Round(self, work, budget, workers, self.threads_of_each(n_tasks)).answers(tasks)

    def at_a_time(self, workers: int) -> int:
        """Return how many tasks are done at the same time."""
        return self.n_workers

    @property
    def n_workers(self) -> int:
        """How many tasks are done at the same time, at the moment."""
        raise NotImplementedError

    def threads_of_each(self, n_tasks: int | None) -> int:
        """Return how many threads each of so many tasks may use."""
        return 1

    def exchange(self, work: Work[Any, Any, Any], round_: str) -> "Exchange":
        """Return how tasks of some work are sent, and called off."""
        raise NotImplementedError


class Exchange:
    """How the tasks of one round are sent, and called off; kinds of executors differ in it."""

    lifeline: Address | None = None
    always_has_data = False

    def submit(self, sent: Sent) -> "Future[Any]":
        """Send a task."""
        raise NotImplementedError

    def look(self) -> None:
        """Do what has to be done ten times a second while tasks are on their way."""

    def call_off(self) -> None:
        """Tell the workers that nobody waits for the rest."""

    def close(self) -> None:
        """End; what is still on its way is given up."""


class OnExecutor(Elsewhere):
    """The workers of any executor of `concurrent.futures` that works in other processes.

    Parameters
    ----------
    executor
        The executor; it is used, and not shut down.
    """

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self.executor = executor

    @property
    def n_workers(self) -> int:
        """How many workers it has; 1 where it does not say."""
        for name in ("_max_workers", "num_workers", "max_workers"):  # of Python and loky, of mpi4py, of others
            found = getattr(self.executor, name, None)
            if isinstance(found, int):
                return max(1, found)
        return 1

    @property
    def words(self) -> str:
        """Where tasks are done."""
        n = self.n_workers
        return f"{n:,} worker{'s' * (n != 1)} of {type(self.executor).__name__}"

    @property
    def is_local(self) -> bool:
        """Whether all workers are on this machine."""
        return isinstance(self.executor, ProcessPoolExecutor) or type(self.executor).__module__.startswith("loky.")

    def exchange(self, work: Work[Any, Any, Any], round_: str) -> "Exchange":
        """Return how tasks of some work are sent, and called off."""
        return _OnExecutor(self, work)


class _OnExecutor(Exchange):
    def __init__(self, place: OnExecutor, work: Work[Any, Any, Any]) -> None:
        self._executor, self._parcel = place.executor, work.parcel
        self._lifeline = Lifeline(is_local=place.is_local)
        self.lifeline = self._lifeline.address

    def submit(self, sent: Sent) -> "Future[Any]":
        return self._executor.submit(carried_out, sent.envelope, self._parcel.content if sent.has_data else None)

    def look(self) -> None:
        self._lifeline.hold()

    def call_off(self) -> None:
        self._lifeline.cut()

    def close(self) -> None:
        self._lifeline.cut()


class _Round:
    """One list of tasks, from the first that is sent to the last that is answered."""

    def __init__(self, place: Elsewhere, work: Work[Any, Any, Any], budget: Budget, workers: int, threads: int) -> None:
        self._place, self._work, self._budget = place, work, budget
        self._workers, self._threads = workers, threads
        self._name = uuid4().hex
        self._exchange = place.exchange(work, self._name)
        self._sent: dict[Future[Any], Sent] = {}
        self._waiting: deque[Sent] = deque()  # for the data, until those that have it are back
        self._answers: dict[int, Any] = {}
        self._next = 0
        self._longest: float | None = None  # from sending a task to its answer
        standing = budget.standing
        self._standing = standing.elsewhere = standing.elsewhere or WorkElsewhere(
            work.name, place.n_workers, 0, budget.elapsed
        )
        self._standing.name = work.name

    def answers(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Give the answers, in the order of the tasks."""
        numbered = enumerate(tasks)
        try:
            while self._continues(numbered):
                self._take()
                yield from self._in_order()  # which makes room for others
            self._end()
            yield from self._in_order()
            left = {sent.number: sent.task for sent in chain(self._sent.values(), self._waiting)}
            yield from self._here(chain(sorted(left.items(), key=itemgetter(0)), numbered))
        except BaseException:
            self._budget.interrupt()
            self._exchange.call_off()
            for future in self._sent:
                future.cancel()
            raise
        finally:
            self._exchange.close()

    def _continues(self, numbered: Iterator[tuple[int, Any]]) -> bool:
        """Send what there is room for, and say whether answers are still to come from elsewhere."""
        place = self._place
        room = _SENT_PER_WORKER * place.n_workers
        while len(self._sent) + len(self._waiting) + len(self._answers) < room and self._is_open:
            number, task = next(numbered, (-1, None))
            if number < 0:
                break
            envelope = Envelope(
                versions_here()["arcwise"],
                self._name,
                self._work.parcel.key,
                packed(task),
                None,
                self._threads,
                self._exchange.lifeline,
            )
            self._send(Sent(number, task, envelope, has_data=self._exchange.always_has_data))
        return bool(self._sent or self._waiting) and self._is_open

    @property
    def _is_open(self) -> bool:
        return not (self._budget.exhausted or self._place.is_broken or self._place.is_lost)

    def _send(self, sent: Sent) -> None:
        limit = self._budget.time_limit
        seconds = None if limit is None else max(0.0, limit - self._budget.elapsed)
        sent.envelope = replace(sent.envelope, seconds=seconds)
        sent.since = monotonic()
        try:
            self._sent[self._exchange.submit(sent)] = sent
        except BrokenExecutor as error:
            self._waiting.append(sent)
            self._break(error)

    def _take(self) -> None:
        """Wait a moment for answers, and take them."""
        self._exchange.look()
        if self._place.is_lost:
            self._lose()
            return
        for future in wait(self._sent, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED).done:
            if future in self._sent:  # and not a copy of what has been answered
                self._answered(self._sent.pop(future), future)
        self._send_copies()
        with_data = sum(sent.has_data for sent in self._sent.values())
        while self._waiting and (with_data < self._place.n_workers or self._exchange.always_has_data):
            with_data += 1
            self._send(self._waiting.popleft())
            if not self._is_open:
                return
        self._standing.workers = self._place.n_workers

    def _answered(self, sent: Sent, future: "Future[Any]") -> None:
        try:
            reply = future.result()
        except BrokenExecutor as error:
            self._waiting.append(sent)
            self._break(error)
            return
        except CancelledError:
            self._send_again(sent)
            return
        if isinstance(reply, OtherVersion):
            own = sent.envelope.version
            raise ArcwiseError(
                f"a worker ({reply.worker}) has arcwise {reply.version}, and this process has {own}; install the same "
                "version everywhere"
            )
        if isinstance(reply, NeedsData):
            sent.has_data = True
            self._waiting.append(sent)
            return
        assert isinstance(reply, Done)
        self._longest = max(self._longest or 0.0, monotonic() - sent.since)
        self._forget_copies(sent.number)
        self._answers[sent.number] = reply.answer
        self._budget.core.charge(reply.evaluations)
        self._place.evaluations += reply.evaluations
        self._place.done += 1
        self._standing.done += 1

    def _send_copies(self) -> None:
        """Send tasks again whose workers may hang."""
        if self._longest is None or not self._is_open:
            return
        patience = max(_LEAST_PATIENCE, _TIMES_AS_LONG * self._longest)
        for sent in list(self._sent.values()):
            if sent.copies < _MOST_COPIES and monotonic() - sent.since > patience * 2**sent.copies:
                for other in self._sent.values():
                    other.copies += other.number == sent.number
                self._send(replace(sent))

    def _forget_copies(self, number: int) -> None:
        """Give up all that is on its way for a task that is answered."""
        for future in [future for future, sent in self._sent.items() if sent.number == number]:
            future.cancel()
            del self._sent[future]
        self._waiting = deque(sent for sent in self._waiting if sent.number != number)

    def _send_again(self, sent: Sent) -> None:
        """Keep a task that got lost on its way."""
        self._waiting.append(sent)
        sent.tries += 1
        if sent.tries > _MOST_TRIES and self._is_open:
            raise ArcwiseError(
                f"a {self._work.name} got lost {_MOST_TRIES} times on {self._place.words}: its workers are killed, or "
                "its data is; see their logs, and give them more memory"
            )

    def _break(self, error: BaseException) -> None:
        """Continue without an executor that has lost a worker, and with it all others."""
        if not self._place.is_broken and not self._budget.exhausted:
            warn(
                ArcwiseWarning(
                    f"a worker has ended ({error}), and with it all {self._place.words}; what is left is done in this "
                    "process"
                ),
                stacklevel=2,
            )
        self._place.is_broken = True

    def _lose(self) -> None:
        """End with what there is when nobody is left to hand tasks out."""
        warn(
            ArcwiseWarning(
                f"the connection to {self._place.words} is lost, which ends the search with the best so far; a "
                "checkpoint of it can be resumed on other workers, or on none"
            ),
            stacklevel=2,
        )
        self._budget.interrupt()

    def _end(self) -> None:
        """Call off what is still on its way, and take the answers that are there in time."""
        if not self._sent:
            return
        self._exchange.call_off()
        deadline = monotonic() + _SECONDS_TO_ANSWER
        for future in [future for future in self._sent if future.cancel()]:
            self._waiting.append(self._sent.pop(future))
        while self._sent and monotonic() < deadline and not self._place.is_lost:
            self._exchange.look()
            for future in wait(self._sent, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED).done:
                if future in self._sent:
                    self._answered(self._sent.pop(future), future)

    def _in_order(self) -> Iterator[Any]:
        while self._next in self._answers:
            yield self._answers.pop(self._next)
            self._next += 1

    def _here(self, left: Iterable[tuple[int, Any]]) -> Iterator[Any]:
        """Give the answers that are still missing, found in this process: at once where the budget is exhausted."""

        def done(numbered: tuple[int, Any]) -> tuple[int, Any]:
            number, task = numbered
            return number, self._work.function(self._work.shared, task, self._budget, 1)

        for number, answer in side_by_side(done, left, self._workers, self._budget):
            self._answers[number] = answer
            yield from self._in_order()
