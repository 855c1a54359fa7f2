"""What a search shows and leaves behind while it runs."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arcwise import (
    Budget,
    Checkpoints,
    Dataset,
    LocalScore,
    Result,
    Status,
    Stop,
    ges,
    learn,
    load_example,
    orders,
    read_run,
)
from arcwise.search.orders.tables import SelectedOrders
from arcwise.search.registry import SEARCHES
from tables import dependent_table, large_table


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.runs.budget._SECONDS_BETWEEN_LOOKS", 0.01)


def run_until(
    is_enough: Callable[[Budget], bool], method: str, *, checkpoint: Path | None = None, **options: Any
) -> tuple[Dataset, Result]:
    """Search a table that takes long, until something is seen while it is searched.

    A table may be done between two looks on a machine that is fast or has no time to look: then a longer one is tried.
    """

    def watch(budget: Budget) -> None:
        if is_enough(budget):
            budget.interrupt()

    if isinstance(SEARCHES[method], SelectedOrders):
        # A large table is for a long time without a graph, since sets are selected first: one climb after the other.
        tables, options = iter([dependent_table()]), {"stop": Stop(climbs=10**9), **options}
    else:
        tables = (large_table(method, times) for times in (1, 4, 16))
    for data in tables:
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
            options = {**options, "checkpoint": Checkpoints(checkpoint, every=0.0)}
        result = learn(data, method=method, seed=1, watch=watch, **options)
        if result.status is Status.INTERRUPTED:
            break
    return data, result


@pytest.mark.parametrize("method", [method for method in SEARCHES if method != "exact"])
def test_a_checkpoint_is_written_in_the_middle_of_the_first_climb(method: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    _, result = run_until(lambda _: path.exists(), method, checkpoint=path)
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

    data, _ = run_until(arcs_are_there, method, checkpoint=path)
    path.write_bytes(killed[-1])
    before = read_run(path).result
    assert before.score == pytest.approx(LocalScore(data).total(before.dag))
    after = learn(data, method=method, checkpoint=path, resume=True, time_limit=0)
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
        results.append(run_until(is_enough, method, on_improvement=lambda point: heard.append(point.score))[1])

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
