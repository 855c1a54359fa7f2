"""What a search may use: one deadline, one evaluation limit, one interrupt flag; and work on threads under them."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from math import inf, isnan
from numbers import Real
from typing import Protocol, TypeVar

from arcwise import _core
from arcwise.runs.journal import Found, Journal, State, Used
from arcwise.runs.provenance import RunLimits
from arcwise.support.arguments import callback, count
from arcwise.support.errors import ParameterError
from arcwise.support.messages import InPython

__all__ = [
    "Budget",
    "Standing",
    "WorkElsewhere",
    "side_by_side",
    "threads_of_each",
    "timed_by",
    "until_exhausted",
]

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_SECONDS_BETWEEN_LOOKS = 0.1
# Tells budgets the time; see `timed_by`.
_clock = _core.Clock()
# A slow task at the head of the queue holds back the answers of those behind it: so many for each thread are begun.
_BEGUN_PER_WORKER = 64


@dataclass
class WorkElsewhere:
    """How far the workers of an executor are.

    Parameters
    ----------
    name
        What a task is, in a word.
    workers
        How many workers there are.
    done
        How many tasks they have done.
    since
        When they began, in seconds of the budget.
    """

    name: str
    workers: int
    done: int
    since: float


@dataclass
class Standing:
    """How searches on a budget stand: the best score so far and the lowest bound, None where there is none yet.

    Where tasks are done by the workers of an executor, `elsewhere` says how far these are.
    """

    score: float | None = None
    bound: float | None = None
    elsewhere: WorkElsewhere | None = None


class Listener(Protocol):
    """Hears what kernels show of their work while they run; see `arcwise.runs.result.Trace`."""

    def collect(self) -> None:
        """Take what kernels have shown since the last time."""


class Budget:
    """A deadline, a limit on evaluations and an interrupt flag, shared by Python and every kernel.

    The clock starts when the budget is made, and does not follow changes of the system's time. Kernels look at it
    between batches, every few milliseconds unless one pass over the rows takes longer, and return the best they have
    when it ends. While they run, they show the best graph they have here.

    Parameters
    ----------
    time_limit
        Seconds; no limit when None.
    evaluation_limit
        How many local scores may be counted from the data; no limit when None. Scores that are answered from the cache
        are free. A batch that has begun may go over the limit by its own size.
    watch
        Called with this budget about ten times a second while a search on it runs, to show progress.
    journal
        Hears how searches on this budget stand, and lets them resume an earlier run. What that has used counts here:
        the clock starts with its seconds, and so do the evaluations.

    Examples
    --------
    >>> budget = Budget(evaluation_limit=0)
    >>> budget.exhausted
    True
    """

    def __init__(
        self,
        time_limit: float | None = None,
        evaluation_limit: int | None = None,
        *,
        watch: Callable[["Budget"], object] | None = None,
        journal: Journal | None = None,
    ) -> None:
        if time_limit is not None and (not isinstance(time_limit, Real) or isnan(time_limit) or time_limit < 0):
            raise ParameterError.of("time_limit", ("at least 0 seconds", InPython(" or None")), time_limit)
        if evaluation_limit is not None:
            evaluation_limit = count("evaluation_limit", evaluation_limit)
        self.time_limit = time_limit
        self.evaluation_limit = evaluation_limit
        self.watch = callback("watch", watch)
        self.standing = Standing()
        self._whole: Budget | None = None
        self._home = self  # where kernels show their work
        self._listener: Listener | None = None
        self._runs = 0
        self._is_watched = False
        self._lock = threading.Lock()
        self.journal = Journal() if journal is None else journal
        seconds, evaluations = self.journal.used
        limit = inf if time_limit is None else time_limit
        self.core = _core.Budget(limit, _unlimited(evaluation_limit), used=seconds, clock=_clock)
        self.core.charge(evaluations)

    @property
    def limits(self) -> RunLimits:
        """The limits."""
        return RunLimits(self.time_limit, self.evaluation_limit)

    @property
    def is_part(self) -> bool:
        """Whether it is a part of another budget."""
        return self._whole is not None

    @property
    def elapsed(self) -> float:
        """Seconds since the budget was made, after those of earlier parts of the run."""
        return self.core.elapsed

    @property
    def evaluations(self) -> int:
        """Evaluations made on this budget."""
        return self.core.evaluations

    @property
    def exhausted(self) -> bool:
        """Whether work on this budget must stop."""
        return self.core.exhausted

    @property
    def is_interrupted(self) -> bool:
        """Whether it was asked to stop, by Ctrl-C or by a callback."""
        return self.core.reason == _core.StopReason.interrupt

    def interrupt(self) -> None:
        """Ask all work on this budget, and on the one that it is a part of, to stop soon; from any thread."""
        self.core.interrupt()
        if self._whole is not None:
            self._whole.interrupt()

    def note(self, search: str, found: Found | None, state: Callable[[], State | None]) -> None:
        """Tell the journal how a search on this budget stands; see `Journal.note`."""
        self.journal.note(search, found, state, Used(self.elapsed, self.evaluations))

    def part(
        self,
        time_limit: float | None = None,
        evaluation_limit: int | None = None,
        *,
        share: float = 1.0,
        evaluation_share: float = 1.0,
        apart: bool = False,
    ) -> "Budget":
        """Return a budget for a part of the work, which ends with this one and is charged to it too.

        Parameters
        ----------
        time_limit, evaluation_limit
            Limits of its own; none when None.
        share
            The part of the time that is left here which it may take.
        evaluation_share
            The part of the evaluations that are left here which it may make.
        apart
            Whether the work is on other data or another score, so that what it finds says nothing about how the search
            on this budget stands.

        Examples
        --------
        >>> whole = Budget(evaluation_limit=100)
        >>> half = whole.part(evaluation_limit=50)
        >>> half.core.charge(60)
        >>> half.exhausted, whole.exhausted, whole.evaluations
        (True, False, 60)
        """
        if self.time_limit is not None:
            seconds = min(1.0, share) * max(0.0, self.time_limit - self.elapsed)
            time_limit = seconds if time_limit is None else min(time_limit, seconds)
        if self.evaluation_limit is not None:
            most = int(min(1.0, evaluation_share) * max(0, self.evaluation_limit - self.evaluations))
            evaluation_limit = most if evaluation_limit is None else min(evaluation_limit, most)
        part = Budget(time_limit, evaluation_limit, watch=self.watch)
        part._whole = self
        if not apart:
            part._home, part.standing = self._home, self.standing
        seconds = inf if time_limit is None else time_limit
        part.core = _core.Budget(seconds, _unlimited(evaluation_limit), self.core, apart=apart)
        return part

    def for_kernel(self, threads: int) -> _core.Budget:
        """Return this budget as a kernel takes it that may use so many threads; one where evaluations are limited.

        Parameters
        ----------
        threads
            How many, its own one included.

        Examples
        --------
        >>> Budget().for_kernel(4).threads, Budget(evaluation_limit=100).for_kernel(4).threads
        (4, 1)
        """
        return _core.Budget(whole=self.core, threads=threads)

    def attach(self, listener: Listener) -> bool:
        """Let a search hear what kernels show on this budget, and say whether it does.

        A search that is part of another one does not: the other one hears all of it.
        """
        home = self._home
        with home._lock:
            if home._runs and home._listener is not None:
                return False
            home._listener = listener
        home.core.forget_graphs()
        return True

    def run(self, work: Callable[[], Answer]) -> Answer:
        """Return what `work` returns, and let Ctrl-C end it early instead of losing its result.

        The work is done in a thread of its own while this one waits: it takes Ctrl-C, which Python delivers to the main
        thread only and a kernel would block, and about ten times a second looks at what kernels have to show. Work
        within such work is done at once.

        Parameters
        ----------
        work
            A function that looks at this budget.
        """
        outermost = self._outermost()
        with self._home._running():
            if outermost._is_watched:
                return work()
            outermost._is_watched = True
            try:
                return self._watched(work)
            finally:
                outermost._is_watched = False

    def _watched(self, work: Callable[[], Answer]) -> Answer:
        answer: Future[Answer] = Future()
        begin = threading.Lock()

        def once() -> None:
            if not begin.acquire(blocking=False):
                return
            try:
                answer.set_result(work())
            except BaseException as error:
                answer.set_exception(error)

        is_started = False
        while True:
            try:
                if not is_started:  # Ctrl-C may come while a thread starts, so that nobody knows whether it has
                    threading.Thread(target=once).start()
                    is_started = True
                wait([answer], timeout=_SECONDS_BETWEEN_LOOKS)
                if answer.done():
                    return answer.result()
                self._outermost()._look()
            except KeyboardInterrupt as error:
                self.interrupt()
                if answer.done() and answer.exception() is error:
                    raise  # not from the keyboard: the work itself has raised it
            except BaseException:
                self.interrupt()  # nobody waits for the answer
                if not begin.acquire(blocking=False):
                    wait([answer])
                raise

    def _look(self) -> None:
        """Tell everybody who wants to know how the work stands."""
        listener = self._listener
        if listener is not None:
            listener.collect()
        self.journal.look(lambda: self.best_graph, Used(self.elapsed, self.evaluations))
        if self.watch is not None:
            self.watch(self)

    @property
    def best_graph(self) -> Found | None:
        """A good graph of the kernels that run, and its score; None where there is none yet."""
        found = self.core.best_graph()
        return None if found is None else Found(*found)

    @contextmanager
    def _running(self) -> Iterator[None]:
        with self._lock:
            self._runs += 1
        try:
            yield
        finally:
            with self._lock:
                self._runs -= 1
                listener = self._listener
                if self._runs == 0:
                    self._listener = None
            if listener is not None:
                listener.collect()

    def _outermost(self) -> "Budget":
        return self if self._whole is None else self._whole._outermost()

    def __repr__(self) -> str:
        return f"Budget(time_limit={self.time_limit}, evaluation_limit={self.evaluation_limit})"


@contextmanager
def timed_by(clock: _core.Clock) -> Iterator[None]:
    """Let this clock tell the time to all budgets that are made meanwhile, in any thread.

    Experiments that run beside other work have a `ProcessorClock`, on which a minute is a minute of the processor's
    work for this process; tests have a `SteppedClock`, which does not depend on how fast the machine is.

    Parameters
    ----------
    clock
        The clock.

    Examples
    --------
    >>> from time import sleep
    >>> with timed_by(_core.ProcessorClock()):
    ...     budget = Budget(time_limit=0.2)
    >>> sleep(0.3)
    >>> budget.exhausted
    False
    """
    global _clock
    before, _clock = _clock, clock
    try:
        yield
    finally:
        _clock = before


def _unlimited(limit: int | None) -> int:
    return 2**64 - 1 if limit is None else limit


def side_by_side(
    work: Callable[[Task], Answer],
    tasks: Iterable[Task],
    workers: int,
    budget: Budget,
    pool: ThreadPoolExecutor | None = None,
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
    pool
        Whose threads; new ones when None.

    Examples
    --------
    >>> list(side_by_side(abs, [-3, 2, -1], 2, Budget()))
    [3, 2, 1]
    """
    if workers == 1:
        yield from map(work, tasks)
        return
    begun: deque[Future[Answer]] = deque()
    with nullcontext(pool) if pool is not None else ThreadPoolExecutor(max_workers=workers) as executor:
        try:
            for task in tasks:
                begun.append(executor.submit(work, task))
                if len(begun) >= _BEGUN_PER_WORKER * workers:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        except BaseException:
            budget.interrupt()
            for future in begun:
                future.cancel()
            wait(begun)
            raise


def threads_of_each(workers: int, tasks: int) -> int:
    """Return how many threads each of so many tasks may use itself, if as many of them as can be run side by side.

    Examples
    --------
    >>> [threads_of_each(8, tasks) for tasks in (0, 1, 2, 3, 100)]
    [8, 8, 4, 2, 1]
    """
    return workers // max(1, min(workers, tasks))


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
