"""What a search shows and leaves behind while it runs."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arcwise import (
    Budget,
    Checkpoints,
    LocalScore,
    Result,
    Status,
    ges,
    learn,
    load_example,
    orders,
    read_run,
)
from arcwise.runs.budget import Listener
from arcwise.runs.result import Trace
from arcwise.search.registry import SEARCHES
from interrupting import takes_turns
from tables import dependent_table

DATA = dependent_table(arities=(2, 3) * 6)


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.runs.budget._SECONDS_BETWEEN_LOOKS", 0.001)


def run_until(is_enough: Callable[[Budget], bool], method: str, **options: Any) -> Result:
    """Search until something is seen meanwhile."""
    with takes_turns(is_enough) as watch:
        return learn(DATA, method=method, seed=1, watch=watch, **options)


@pytest.mark.parametrize("method", [method for method in SEARCHES if method != "exact"])
def test_a_checkpoint_is_written_in_the_middle_of_the_first_climb(method: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    result = run_until(lambda _: path.exists(), method, checkpoint=Checkpoints(path, every=0.0))
    assert result.status is Status.INTERRUPTED
    left = read_run(path)
    assert left.checkpoint is not None
    assert left.result.score == pytest.approx(result.score)


@pytest.mark.parametrize("method", ["ges", "xges", "lagd", "greedy", "k2", "orders"])
def test_a_kill_in_the_middle_of_a_climb_keeps_its_best_graph(method: str, tmp_path: Path) -> None:
    path, killed = tmp_path / "run.json", list[bytes]()

    def arcs_are_there(_: Budget) -> bool:
        if not (path.exists() and read_run(path).result.dag.n_arcs > 0):
            return False
        killed.append(path.read_bytes())
        return True

    run_until(arcs_are_there, method, checkpoint=Checkpoints(path, every=0.0))
    path.write_bytes(killed[-1])
    before = read_run(path).result
    assert before.score == pytest.approx(LocalScore(DATA).total(before.dag))
    after = learn(DATA, method=method, checkpoint=path, resume=True, time_limit=0)
    assert after.score >= before.score - 1e-9 * abs(before.score)
    assert after.trace[-1].score == pytest.approx(after.score)


@pytest.mark.parametrize("is_main", [True, False])
@pytest.mark.parametrize("method", ["ges", "orders", "tabu"])
def test_progress_is_seen_in_any_thread_and_never_falls(method: str, is_main: bool) -> None:
    seen, heard, results = list[float](), list[float](), list[Result]()

    def is_enough(budget: Budget) -> bool:
        if budget.standing.score is not None:
            seen.append(budget.standing.score)
        return len(seen) >= 5

    def work() -> None:
        results.append(run_until(is_enough, method, on_improvement=lambda point: heard.append(point.score)))

    if is_main:
        work()
    else:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    (result,) = results
    assert result.status is Status.INTERRUPTED
    assert seen == sorted(seen)
    assert heard == sorted(heard)
    assert set(seen) <= set(heard)
    assert result.score >= seen[-1] - 1e-9 * abs(seen[-1])


@pytest.mark.parametrize("limit", [600, 1500, 3000, 6000])
def test_order_search_is_never_below_what_its_greedy_start_has_found(limit: int) -> None:
    data = load_example("alarm").sample(300, seed=1)
    greedy = ges(LocalScore(data), seed=1, workers=1, budget=Budget(evaluation_limit=limit // 2))
    result = orders(LocalScore(data), seed=1, budget=Budget(evaluation_limit=limit))
    assert result.score >= greedy.score - 1e-9 * abs(greedy.score)
    assert any(point.score == pytest.approx(greedy.score) for point in result.trace)


def test_a_trace_may_be_asked_to_collect_as_soon_as_it_is_attached() -> None:
    class Hasty(Budget):
        def attach(self, listener: Listener) -> bool:
            is_attached = super().attach(listener)
            listener.collect()  # as the thread may that waits for the search
            return is_attached

    trace = Trace(None, Hasty())
    trace.reach(-1.0)
    assert [point.score for point in trace.points] == [-1.0]
