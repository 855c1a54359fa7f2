"""Tasks are done wherever a caller says, once each and in their order, and nothing that happens there loses one."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest

import worker_tasks
from arcwise import ArcwiseError, ArcwiseWarning, Budget, ParameterError
from arcwise.parallel import elsewhere
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Threads, Work, packed
from arcwise.runs.progress import line_of
from interrupting import Press


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with worker_tasks.pool(2) as executor:
        yield executor


def test_threads_and_processes_give_the_same_in_the_order_of_the_tasks(two: Executor) -> None:
    work = Work("number", worker_tasks.doubled, 100)
    here = list(Threads().map(work, range(50), Budget(), workers=2))
    with ThreadPoolExecutor(2) as threads, workplace_of(threads) as place:
        assert list(place.map(work, iter(range(50)), Budget(), workers=1)) == here
        assert (place.at_a_time(1), place.words) == (2, None)
    with workplace_of(two) as place:
        there = list(place.map(work, iter(range(50)), Budget(), workers=1))
        assert (place.done, place.at_a_time(1)) == (50, 2)
        assert place.words == "2 workers of ProcessPoolExecutor"
    assert [answer for answer, _ in there] == [answer for answer, _ in here] == [100 + 2 * task for task in range(50)]
    assert {process for _, process in here}.isdisjoint({process for _, process in there})


def test_what_is_shared_is_unpacked_once_in_each_process(two: Executor, tmp_path: Path) -> None:
    work = Work("number", worker_tasks.process, worker_tasks.Told(tmp_path))
    with workplace_of(two) as place:
        processes = {*place.map(work, range(30), Budget(), workers=1), *place.map(work, range(30), Budget(), workers=1)}
    unpacked = Counter(int(path.name.partition("-")[0]) for path in tmp_path.iterdir())
    assert set(unpacked) == processes
    assert set(unpacked.values()) == {1}


def test_what_a_task_raises_ends_all_of_them(two: Executor) -> None:
    budget = Budget()
    with workplace_of(two) as place, pytest.raises(ValueError, match="the third task"):
        list(place.map(Work("number", worker_tasks.failing, None), range(100), budget, workers=1))
    assert budget.is_interrupted


def test_a_task_whose_worker_hangs_is_done_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "_LEAST_PATIENCE", 0.1)
    with worker_tasks.pool(2) as executor, workplace_of(executor) as place:
        budget = Budget()
        answers = list(place.map(Work("number", worker_tasks.hanging, tmp_path), range(20), budget, workers=1))
        assert not budget.is_interrupted
        assert place.done == 20
        (tmp_path / "over").touch()
    assert answers == list(range(20))
    assert (tmp_path / "hanging").exists()


def test_ctrl_c_ends_tasks_that_run_and_leaves_nothing_running(two: Executor, tmp_path: Path) -> None:
    budget = Budget(watch=Press(lambda: any(tmp_path.glob("begun-*")), lambda: None))
    with workplace_of(two) as place:
        work = Work("number", worker_tasks.waiting, tmp_path)
        answers = budget.run(lambda: list(place.map(work, range(10), budget, workers=1)))
    assert budget.is_interrupted
    assert set(answers) <= {"called off", "not begun"}
    assert len(answers) == 10
    assert "called off" in answers
    assert worker_tasks.all_ended(tmp_path)


def test_a_time_limit_holds_in_the_workers(two: Executor, tmp_path: Path) -> None:
    budget = Budget(time_limit=0.5)
    with workplace_of(two) as place:
        answers = list(place.map(Work("number", worker_tasks.waiting, tmp_path), range(4), budget, workers=1))
    assert len(answers) == 4
    assert set(answers) <= {"called off", "not begun"}
    assert worker_tasks.all_ended(tmp_path)


def test_a_killed_process_costs_its_part_which_is_done_here(tmp_path: Path) -> None:
    with (
        worker_tasks.pool(2) as executor,
        workplace_of(executor) as place,
        pytest.warns(ArcwiseWarning, match="in this process"),
    ):
        answers = list(place.map(Work("number", worker_tasks.killing, tmp_path), range(20), Budget(), workers=1))
    assert answers == list(range(20))
    assert (tmp_path / "killed").exists()
    assert list(place.map(Work("number", worker_tasks.killing, tmp_path), range(3), Budget(), workers=1)) == [0, 1, 2]


def test_another_version_is_refused_by_name() -> None:
    with (
        worker_tasks.pool(1, initializer=worker_tasks.pretend_version, initargs=("0.0.1",)) as executor,
        workplace_of(executor) as place,
        pytest.raises(ArcwiseError, match=r"has arcwise 0\.0\.1, and this process has .*; install the same"),
    ):
        list(place.map(Work("number", worker_tasks.doubled, 1), range(3), Budget(), workers=1))


def test_with_a_limit_on_evaluations_all_is_done_here(two: Executor) -> None:
    with workplace_of(two) as place:
        work = Work("number", worker_tasks.doubled, 1)
        list(place.map(work, range(3), Budget(evaluation_limit=10), workers=1))
        assert place.done == 0


def test_progress_tells_of_workers_and_their_rate(two: Executor) -> None:
    budget = Budget()
    with workplace_of(two) as place:
        list(place.map(Work("number", worker_tasks.doubled, 1), range(7), budget, workers=1))
    assert "2 workers, 7 × number, " in line_of(budget)


def test_what_is_not_an_executor_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"executor must be an Executor of concurrent\.futures"), workplace_of(3):
        pass
    with pytest.raises(ParameterError, match="a scheduler of Dask that answers"), workplace_of("nonsense://x"):
        pass


def test_what_cannot_be_sent_is_refused() -> None:
    with pytest.raises(ParameterError, match="cannot be sent"):
        packed(Lock())
