"""Budgets end by time, by count and by hand."""

import threading
import time

import pytest

from arcwise import Budget, ParameterError, _core
from arcwise.runs.budget import timed_by
from arcwise.runs.journal import Journal, Used
from interrupting import PATIENCE


def test_no_limit_never_ends() -> None:
    budget = Budget()
    assert not budget.exhausted
    assert budget.evaluations == 0


def test_time_ends_it() -> None:
    assert not Budget(time_limit=1000.0).exhausted
    budget = Budget(time_limit=0.02)
    time.sleep(0.03)
    assert budget.exhausted
    assert budget.elapsed >= 0.03


def test_a_processor_clock_counts_work_and_not_waiting() -> None:
    before = time.process_time()
    with timed_by(_core.ProcessorClock()):
        budget = Budget(time_limit=0.05)
    time.sleep(0.1)
    assert budget.elapsed <= time.process_time() - before + 1e-5  # which counts in microseconds
    while not budget.exhausted:
        pass
    assert time.process_time() - before >= 0.05
    waiting = Budget()  # on the usual clock again
    time.sleep(0.01)
    assert waiting.elapsed >= 0.01


def test_count_ends_it() -> None:
    budget = Budget(evaluation_limit=10)
    budget.core.charge(9)
    assert not budget.exhausted
    budget.core.charge(1)
    assert budget.exhausted
    assert budget.evaluations == 10


def test_interrupt_ends_it_from_another_thread() -> None:
    budget = Budget()
    thread = threading.Thread(target=budget.interrupt)
    thread.start()
    thread.join()
    assert budget.exhausted


@pytest.mark.parametrize(
    "limits",
    [{"time_limit": -1.0}, {"time_limit": float("nan")}, {"time_limit": "1"}, {"evaluation_limit": -1}],
    ids=str,
)
def test_bad_limits_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="must be at least 0"):
        Budget(**limits)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [1.5, "7", True, 2**64])
def test_limits_that_are_not_counts_are_refused(limit: object) -> None:
    with pytest.raises(ParameterError, match="evaluation_limit must be"):
        Budget(evaluation_limit=limit)  # type: ignore[arg-type]


def test_run_returns_the_answer_and_passes_errors_on() -> None:
    assert Budget().run(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        Budget().run(lambda: 1 // 0)


def test_run_passes_on_an_interrupt_that_the_work_itself_raises() -> None:
    def work() -> None:
        raise KeyboardInterrupt("not from the keyboard")

    with pytest.raises(KeyboardInterrupt, match="not from the keyboard"):
        Budget().run(work)


def test_run_shows_progress_while_it_works() -> None:
    seen: list[Budget] = []
    budget = Budget(watch=seen.append)

    def until_it_is_seen() -> None:
        while not seen:
            time.sleep(0.01)

    budget.run(until_it_is_seen)
    assert all(budget is watched for watched in seen)


class _Earlier(Journal):
    """Of a run that has used a hundred seconds and seven evaluations."""

    @property
    def used(self) -> Used:
        return Used(100.0, 7)


def test_what_earlier_parts_of_a_run_have_used_counts() -> None:
    budget = Budget(time_limit=1000.0, evaluation_limit=8, journal=_Earlier())
    assert 100.0 <= budget.elapsed < 1000.0
    assert budget.evaluations == 7
    assert not budget.exhausted
    assert Budget(time_limit=100.0, journal=_Earlier()).exhausted
    assert Budget(evaluation_limit=7, journal=_Earlier()).exhausted


def test_part_has_its_share_of_what_is_left() -> None:
    whole = Budget(evaluation_limit=100)
    whole.core.charge(20)
    assert whole.part().evaluation_limit == 80
    assert whole.part(evaluation_share=0.25).evaluation_limit == 20
    assert whole.part(evaluation_limit=7, evaluation_share=0.25).evaluation_limit == 7
    assert Budget().part(evaluation_share=0.25).evaluation_limit is None
    timed = Budget(time_limit=100_100.0, journal=_Earlier()).part(share=0.25).time_limit
    assert timed is not None
    assert 24_000 < timed <= 25_000


def test_an_error_of_the_watcher_ends_the_work() -> None:
    def broken(budget: Budget) -> None:
        raise RuntimeError("no more paper")

    budget = Budget(60, watch=broken)
    with pytest.raises(RuntimeError, match="no more paper"):
        budget.run(lambda: wait_for_the_end_of(budget))
    assert budget.is_interrupted


def wait_for_the_end_of(budget: Budget) -> None:
    while not budget.exhausted:
        time.sleep(0.01)


@pytest.mark.parametrize("is_begun", [False, True])
def test_ctrl_c_while_the_thread_starts_loses_nothing(is_begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes before a thread has begun, or while it works already; the work is done once all the same."""
    start, starts, work, is_at_work = threading.Thread.start, list[str](), list[bool](), threading.Event()
    continues = threading.Event()

    def interrupted(thread: threading.Thread) -> None:
        starts.append("start")
        if len(starts) > 1 or is_begun:
            start(thread)
        if len(starts) == 1:
            assert not is_begun or is_at_work.wait(PATIENCE)
            raise KeyboardInterrupt
        continues.set()  # a second thread is there, if it was not known whether the first one is

    def long() -> str:
        work.append(budget.is_interrupted)
        is_at_work.set()
        assert continues.wait(PATIENCE)
        return "answer"

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    budget = Budget()
    assert budget.run(long) == "answer"
    assert budget.is_interrupted
    assert work == [not is_begun]
    assert len(starts) == 2
