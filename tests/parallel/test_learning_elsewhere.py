"""Networks are the same wherever they are learned: on threads, on any number of processes, and after some have died."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import worker_tasks
from arcwise import (
    ArcwiseWarning,
    Bagging,
    Budget,
    Greedy,
    Islands,
    Limits,
    LocalScore,
    ParameterError,
    Result,
    Status,
    Stop,
    bootstrap,
    islands,
    learn,
    load_example,
    mtmpc,
    select,
    tree_mixture,
)
from arcwise.parents.bagged_trees import bagged_trees
from interrupting import stepped_clock

DATA = load_example("asia").sample(400, seed=1)
SEARCHES: dict[str, dict[str, Any]] = {
    "sgs3": {"climbs": 5},
    "tabu": {"climbs": 3, "random_start": True},
    "kes": {"climbs": 4},
    "islands": {"islands": 3, "climbs": 20, "epochs": 2, "survivors": 4},
}


@pytest.fixture(scope="module", params=[1, 2, 4])
def pool(request: pytest.FixtureRequest) -> Iterator[ProcessPoolExecutor]:
    with worker_tasks.pool(request.param) as executor:
        yield executor


@pytest.mark.parametrize("method", SEARCHES)
def test_the_same_seed_gives_the_same_network_on_any_number_of_workers(pool: ProcessPoolExecutor, method: str) -> None:
    here = learn(DATA, method=method, seed=3, **SEARCHES[method])
    there = learn(DATA, method=method, seed=3, executor=pool, **SEARCHES[method])
    climbs = SEARCHES[method]["climbs"] if method != "islands" else 3 * 2  # islands in epochs
    assert there.decisions["where"].startswith(f"{climbs} tasks by ")
    assert (there.dag, there.score, there.status) == (here.dag, here.score, here.status)
    assert [optimum.dag for optimum in there.optima] == [optimum.dag for optimum in here.optima]
    moves = set(here.counters) - {"evaluations", "cache_hits"}
    assert {name: there.counters[name] for name in moves} == {name: here.counters[name] for name in moves}
    assert there.counters["evaluations"] > 0
    assert there.trace[-1].score == pytest.approx(there.score)


def test_the_same_seed_gives_the_same_strengths_on_any_number_of_workers(pool: ProcessPoolExecutor) -> None:
    here, heard = bootstrap(DATA, "greedy", 7, seed=2), list[int]()
    there = bootstrap(DATA, "greedy", 7, seed=2, executor=pool, on_replica=heard.append)
    np.testing.assert_array_equal(there.arcs.toarray(), here.arcs.toarray())
    assert heard == [1, 2, 3, 4, 5, 6, 7]


MORE = load_example("child").sample(200, seed=1)  # too many variables for exact search
SHORT: dict[str, Any] = {"islands": 3, "climbs": 3, "epochs": 2, "survivors": 2, "begins_with_classes": False}


def test_auto_picks_a_search_whose_tasks_are_done_elsewhere(pool: ProcessPoolExecutor) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ArcwiseWarning)  # nothing is said about workers that did nothing
        there = learn(MORE, seed=3, time_limit=inf, certify=0, executor=pool, **SHORT)
    assert there.method == "islands"
    assert there.decisions["where"].startswith("6 tasks by ")
    assert str(there.decisions["plan"]).startswith("20 variables, and an executor for tasks: order search on islands")
    here = learn(MORE, method="islands", seed=3, **SHORT)
    assert (there.dag, there.score) == (here.dag, here.score)


def test_auto_keeps_orders_on_threads_and_where_its_own_options_are_asked_for(pool: ProcessPoolExecutor) -> None:
    few: dict[str, Any] = {"stop": Stop(climbs=2), "time_limit": inf, "seed": 3, "certify": 0}
    with ThreadPoolExecutor(1) as threads:
        here = learn(MORE, executor=threads, **few)
    with pytest.warns(ArcwiseWarning, match=r"nothing was done by .* orders has worked in this process"):
        there = learn(MORE, executor=pool, **few)
    assert here.method == there.method == "orders"
    assert here.dag == there.dag


def test_islands_end_after_epochs_that_bring_nothing_better() -> None:
    for limit in (None, 1e6):  # seconds of a clock that stands
        with stepped_clock():
            result = islands(LocalScore(DATA), islands=2, climbs=5, idle_epochs=3, seed=1, budget=Budget(limit))
        assert result.status is not Status.TIME_LIMIT
        assert result.counters["epochs"] >= 4
    with pytest.raises(ParameterError, match="idle_epochs must be at least 1, not 0"):
        Islands(idle_epochs=0)


def test_what_has_no_tasks_side_by_side_says_so(pool: ProcessPoolExecutor) -> None:
    with pytest.warns(ArcwiseWarning, match=r"nothing was done by .* ges has worked in this process"):
        result = learn(DATA, method="ges", seed=1, executor=pool)
    assert "where" not in result.decisions


def test_a_worker_that_is_killed_in_the_middle_of_a_climb_costs_nothing_but_its_part(tmp_path: Path) -> None:
    options: dict[str, Any] = {"method": "greedy", "climbs": 4, "random_start": True, "seed": 1}
    with worker_tasks.pool(2) as executor, pytest.warns(ArcwiseWarning, match="what is left is done in this process"):
        there = learn(DATA, score=worker_tasks.KillingBic(str(tmp_path)), executor=executor, **options)
    assert (tmp_path / "killed").exists()
    here = learn(DATA, score="bic", **options)
    assert (there.dag, there.counters["climbs"]) == (here.dag, 4)


@contextmanager
def scheduler_and_worker(folder: Path) -> Iterator[tuple[str, int]]:
    """Start a cluster of three processes, this one among them; give the address and the process of the scheduler."""
    file, here = folder / "scheduler.json", str(Path(worker_tasks.__file__).parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}
    both = ["--no-dashboard", "--scheduler-file", str(file)]
    started = [
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port=0", *both],
        [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny", "--nthreads=1", *both],
    ]
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in started
    ]
    try:
        worker_tasks.until_exists(file)
        yield worker_tasks.address_in(file), processes[0].pid
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_scheduler_that_goes_away_leaves_the_best_so_far_and_a_checkpoint_that_resumes_on_none(
    tmp_path: Path,
) -> None:
    checkpoint = tmp_path / "run.json"
    with scheduler_and_worker(tmp_path) as (address, scheduler):
        search = worker_tasks.KillsScheduler(climbs=9, random_start=True, folder=str(tmp_path), pid=scheduler)
        with pytest.warns(ArcwiseWarning, match="is lost, which ends the search with the best so far"):
            lost = learn(
                DATA,
                method=search,
                seed=5,
                executor=address,
                checkpoint=checkpoint,
                on_improvement=lambda _: (tmp_path / "heard").touch(),
            )
    assert lost.status is Status.WORKERS_LOST
    assert 1 <= lost.counters["climbs"] <= 2
    resumed: Result = learn(DATA, method=search, checkpoint=checkpoint, resume=True)
    whole = learn(DATA, method=Greedy(climbs=9, random_start=True), seed=5)
    assert (resumed.dag, resumed.score, resumed.counters["climbs"]) == (whole.dag, whole.score, 9)


def test_parent_sets_are_the_same_on_any_number_of_workers(pool: ProcessPoolExecutor) -> None:
    score, limits = LocalScore(DATA), Limits(time_per_variable=None, scored_per_variable=40, max_parents=3)
    here, heard = select(score, limits=limits), list[tuple[int, int]]()
    there = select(score, limits=limits, executor=pool, on_variable=lambda *done: heard.append(done))
    assert (there.status, there.complete, there.scored) == (here.status, here.complete, here.scored)
    assert there.sets.summary() == here.sets.summary()
    assert heard == [(done, 8) for done in range(1, 9)]
    over = select(score, executor=pool, budget=Budget(time_limit=0))
    assert over.status is Status.TIME_LIMIT
    assert over.sets.summary() == select(score, budget=Budget(time_limit=0)).sets.summary()


@pytest.mark.parametrize("tree_search", ["best", "sampled"])
def test_trees_are_the_same_on_any_number_of_workers(pool: ProcessPoolExecutor, tree_search: str) -> None:
    bagging = Bagging(trees=9, tree_search=tree_search, seed=4)
    here = bagged_trees(LocalScore(DATA), bagging)
    there = bagged_trees(LocalScore(DATA), bagging, executor=pool)
    np.testing.assert_array_equal(there.parents, here.parents)
    assert mtmpc(LocalScore(DATA), trees=9, executor=pool) == mtmpc(LocalScore(DATA), trees=9)
    learned = tree_mixture(LocalScore(DATA), trees=9, tree_search=tree_search, seed=4, executor=pool)
    np.testing.assert_array_equal(learned.mixture.parents, here.parents)
