"""A table in shards has the scores of the whole table, to the last bit."""

import os
import pickle
import signal
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import polars as pl
import pytest

import worker_tasks
from arcwise import (
    ArcwiseWarning,
    Dataset,
    Greedy,
    LocalScore,
    ShardedDataset,
    Status,
    bootstrap,
    ges,
    learn,
    load_example,
    mmhc,
    mtmhc,
)
from arcwise.data import parts, row_store
from arcwise.scores import SCORES
from arcwise.shards import dataset as sharded_dataset
from arcwise.shards import keeper, requests
from arcwise.shards.requests import Request
from arcwise.support.errors import ArcwiseError, DataError, ParameterError
from worker_tasks import pool


def rows_of_insurance(n_rows: int = 600) -> pl.DataFrame:
    table: pl.DataFrame = load_example("insurance").sample(n_rows, seed=1).to_frame().cast(pl.String)
    return table.with_columns(times=pl.Series(np.random.default_rng(1).integers(0, 4, n_rows)))


def in_parts(table: pl.DataFrame, n_parts: int) -> list[pl.LazyFrame]:
    """Rows sorted by the first column, so that some states occur in some parts only."""
    ordered = table.sort(table.columns[:2])
    ends = np.linspace(0, table.height, n_parts + 1).astype(int)
    return [ordered[begin:end].lazy() for begin, end in pairwise(ends)]


def assert_same_scores(data: Dataset, whole: Dataset, score: str) -> None:
    one, other = LocalScore(data, score), LocalScore(whole, score)
    assert (one.rounding, one.is_equivalent) == (other.rounding, other.is_equivalent)
    rng, n = np.random.default_rng(2), whole.n_variables
    for child in range(0, n, 3):
        others = [v for v in rng.permutation(n).tolist() if v != child]
        for k in (0, 1, 2, 4):
            assert one.local(child, others[:k]) == other.local(child, others[:k])
            assert one.additions(child, others[:k]).tolist() == other.additions(child, others[:k]).tolist()
        assert one.removals(child, others[:3]).tolist() == other.removals(child, others[:3]).tolist()


@pytest.mark.parametrize("n_shards", [1, 4, 16])
@pytest.mark.parametrize("weights", [None, "times"])
def test_scores_are_those_of_the_whole_table(n_shards: int, weights: str | None) -> None:
    table = rows_of_insurance() if weights else rows_of_insurance().drop("times")
    whole = Dataset.of(table, weights=weights)
    with ShardedDataset.of(in_parts(table, n_shards), weights=weights) as data:
        assert len(data.shards) == n_shards
        assert (data.names, data.states, data.arities) == (whole.names, whole.states, whole.arities)
        assert (data.n_rows, data.n_observations) == (whole.n_rows, whole.n_observations)
        assert data.state_counts == whole.summary().counts
        for score in ("bic", "bdeu(ess=3)", "bds", "fnml") if n_shards == 4 else ("bic", "bdeu"):
            assert_same_scores(data, whole, score)


@pytest.mark.parametrize("score", [name for name, kind in SCORES.items() if "discrete" in kind.kinds])
def test_every_score_of_states(score: str) -> None:
    table = load_example("cancer").sample(200, seed=3).to_frame().cast(pl.String)
    with ShardedDataset.of(in_parts(table, 3)) as data:
        assert_same_scores(data, Dataset.of(table), score)


def test_families_with_very_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    table = rows_of_insurance(100).drop("times")
    whole = Dataset.of(table)
    with ShardedDataset.of(in_parts(table, 3)) as data:
        one, other = LocalScore(data, "bds"), LocalScore(whole, "bds")
        assert one.local(0, range(1, 20)) == other.local(0, range(1, 20))  # 10^9 cells
        monkeypatch.setattr(sharded_dataset, "MOST_CELLS", 30)
        monkeypatch.setattr(sharded_dataset, "_CELLS_AT_ONCE", 300)
        assert_same_scores(data, whole, "bdeu")


def test_rows_of_families_against_brute_force() -> None:
    rng = np.random.default_rng(4)
    codes = np.asfortranarray(rng.integers(0, 3, (40, 3), dtype=np.uint8))
    weights = rng.integers(0, 3, 40).astype(np.uint32)
    halves = [requests.merged(codes[rows], weights[rows], (3, 3, 3)) for rows in (slice(0, 17), slice(17, 40))]
    table = requests.added_up(halves, (2, (0, 1)), (3, 3, 3)).reshape(-1, 3)
    expected = np.zeros((3, 3, 3), dtype=int)
    np.add.at(expected, tuple(codes.T.astype(int)), weights)
    seen = expected.reshape(9, 3)
    assert table.tolist() == seen[seen.any(axis=1)].tolist()


def test_searches_find_the_same_graph() -> None:
    table = load_example("asia").sample(1500, seed=5).to_frame().cast(pl.String)
    with ShardedDataset.of(in_parts(table, 4)) as data:
        assert ges(LocalScore(data)).dag == ges(LocalScore(Dataset.of(table))).dag
        for method in ("orders", "greedy", "exact", "xges"):
            ours, whole = (learn(each, method=method, seed=1, evaluation_limit=3000) for each in (data, table))
            assert (ours.dag, ours.score, ours.status) == (whole.dag, whole.score, whole.status), method
        trees = [learn(each, method="chow-liu", seed=1) for each in (data, table)]  # any root is as good
        assert trees[0].dag.cpdag() == trees[1].dag.cpdag()
        ours, whole = learn(data, seed=1), learn(table, seed=1)
        assert (ours.dag, ours.score, ours.bound) == (whole.dag, whole.score, whole.bound)
        assert ours.network() == whole.network()
        assert ours.network(ess=2) == whole.network(ess=2)


def test_states_are_agreed_on(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b,n\n1,x,0.5\n2,x,0.25\n,y,1.5\n")
    (tmp_path / "2.csv").write_text("a,b,n\n10,y,2\n3,z,8\n")
    (tmp_path / "3.csv").write_text("a,b,n\n,y,2\n")
    options: dict[str, Any] = {"missing": "drop", "discretise": "quantile"}
    with pytest.warns(match="2 of 6 rows are dropped"):
        data = ShardedDataset.of(tmp_path, **options)
    with pytest.warns(match="2 of 6 rows are dropped"):
        whole = Dataset.of(tmp_path, **options)
    with data:
        assert (data.states, data.steps, data.n_rows) == (whole.states, whole.steps, 4)
        assert len(data.shards) == 2  # nothing is left of the third
        assert LocalScore(data).local("b", ["n"]) == LocalScore(whole).local("b", ["n"])


def test_equal_rows_are_merged_in_each_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_store, "_LEAST_TO_MERGE", 100)
    monkeypatch.setattr(parts, "_MOST_ROWS_AT_ONCE", 64)
    table = load_example("cancer").sample(1000, seed=6).to_frame().cast(pl.String)
    with ShardedDataset.of(in_parts(table, 2)) as data:
        assert max(shard.n_kept for shard in data.shards) <= 32
        assert_same_scores(data, Dataset.of(table), "bic")


def test_what_needs_rows_is_refused() -> None:
    table = load_example("cancer").sample(100, seed=7).to_frame().cast(pl.String)
    with ShardedDataset.of(in_parts(table, 2)) as data:
        for what in (
            lambda: bootstrap(data, m=2),
            lambda: mmhc(LocalScore(data)),
            lambda: mtmhc(LocalScore(data)),
            lambda: data.with_weights([1] * 100),
            lambda: data.bootstrap(seed=1),
            lambda: data.to_frame(),
            lambda: data.select(["Xray"]),
        ):
            with pytest.raises(ParameterError, match="needs the rows in one place, and this table is in shards"):
                what()
        with pytest.raises(ParameterError, match="cannot be sent to other processes"):
            pickle.dumps(data)
    numbers = pl.LazyFrame({"x": [0.5, 1.5], "y": [1, 2]})
    with pytest.raises(DataError, match="has variables of one kind, and of this one 'x' would be continuous"):
        ShardedDataset.of(numbers)
    with pytest.raises(ParameterError, match="missing must be 'error', 'drop' or 'state' for a table in shards"):
        ShardedDataset.of(numbers, missing="keep")


def test_executors_that_cannot_keep_shards_are_refused() -> None:
    rows = pl.LazyFrame({"a": [0, 1], "b": [1, 0]})
    with ProcessPoolExecutor(2) as executor, pytest.raises(ParameterError, match="any of its 2 workers"):
        ShardedDataset.of(rows, executor=executor)
    with pytest.raises(ParameterError, match="executor must be a number of processes, executors"):
        ShardedDataset.of(rows, executor=["a"])
    with ThreadPoolExecutor(2) as threads, ShardedDataset.of([rows, rows], executor=threads) as data:
        assert LocalScore(data).local("a", ["b"]) == LocalScore(Dataset.of([rows, rows])).local("a", ["b"])


class Brittle(Executor):
    """An executor that does what it is given at once, until it breaks."""

    def __init__(self) -> None:
        self.is_broken = False

    def submit(self, function: Any, /, *args: Any, **options: Any) -> "Future[Any]":
        if self.is_broken:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Any] = Future()
        future.set_result(function(*args, **options))
        return future


def test_shards_of_a_lost_executor_go_to_the_others() -> None:
    table = load_example("cancer").sample(100, seed=8).to_frame().cast(pl.String)
    executors = [Brittle(), Brittle(), Brittle()]
    with ShardedDataset.of(in_parts(table, 5), executor=executors) as data:
        score, whole = LocalScore(data), LocalScore(Dataset.of(table))
        assert score.local(0) == whole.local(0)
        executors[0].is_broken = executors[2].is_broken = True
        assert score.additions(1).tolist() == whole.additions(1).tolist()
        assert data.n_lost == 2
        executors[1].is_broken = True
        with pytest.raises(ArcwiseError, match=r"there is no worker|all workers that kept shards have gone"):
            score.local(2, [0, 1])


@dataclass(frozen=True)
class DeadlyRequest(Request):
    """A request in the middle of which the worker is killed, the first times that it is looked at."""

    folder: str = ""
    times: int = 1

    def sizes(self, arities: Sequence[int]) -> list[int]:
        for at in range(self.times):
            try:
                Path(self.folder, f"killed {at}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return super().sizes(arities)


@dataclass(frozen=True)
class HangingRequest(Request):
    """A request that never ends in the first worker that looks at it."""

    folder: str = ""

    def sizes(self, arities: Sequence[int]) -> list[int]:
        if worker_tasks.first(Path(self.folder), "hanging"):
            Event().wait()
        return super().sizes(arities)


def test_processes_keep_shards_and_may_be_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = load_example("asia").sample(400, seed=9).to_frame().cast(pl.String)
    (tmp_path / "rows").mkdir()
    for at, part in enumerate(in_parts(table, 3)):
        part.collect().write_parquet(tmp_path / "rows" / f"{at}.parquet")
    whole = Dataset.of(table)
    with ShardedDataset.of(tmp_path / "rows", executor=2) as data:
        workers = {shard.worker for shard in data.shards}
        assert len(workers) == 2
        assert not any(worker.endswith(f":{os.getpid()}") for worker in workers)
        assert data.where == f"3 shards read by 2 workers: {', '.join(sorted(workers))}"
        assert learn(data, method="greedy", seed=1).decisions["shards"] == data.where
        assert_same_scores(data, whole, "bic")

        families = ((0, (1, 2)), (3, ()))
        counts = data._keeper.counts([DeadlyRequest(families, None, str(tmp_path), times=1)])
        assert (tmp_path / "killed 0").exists()
        assert data.n_lost == 1
        assert counts.tolist() == data._keeper.counts([Request(families)]).tolist()
        assert counts.sum() == 2 * whole.n_observations
        assert_same_scores(data, whole, "bdeu")

        monkeypatch.setattr(keeper, "_MOST_TRIES", 1)
        with pytest.raises(ArcwiseError, match="was lost with its worker 1 times"):
            data._keeper.counts([DeadlyRequest(families, None, str(tmp_path), times=2)])
        monkeypatch.undo()
        assert LocalScore(data).local(0, [1]) == LocalScore(whole).local(0, [1])


def rows_of_eight_states() -> pl.LazyFrame:
    rng = np.random.default_rng(10)
    return pl.LazyFrame({f"v{i}": rng.integers(0, 8, 5000) for i in range(16)})


def test_a_shard_that_is_larger_than_memory_is_refused() -> None:
    rows = rows_of_eight_states()
    # a bit for each of 128 states of a row, and one for being there
    refused = r"5,000 rows take 8.06e-05 GB as bits, and memory allows 4e-05 GB for them"
    with pytest.raises(ParameterError, match=refused):
        ShardedDataset.of(rows, memory=40_000)
    with ShardedDataset.of(rows, executor=None, memory=81_000) as data:
        assert data.n_bytes <= 85_000


def test_a_worker_with_less_memory_than_its_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = load_example("asia").sample(400, seed=9).to_frame().cast(pl.String)
    whole = Dataset.of(table)
    executors = [pool(1) for _ in range(2)]
    try:
        executors[0].submit(worker_tasks.pretend_memory, 100).result()
        with ShardedDataset.of(in_parts(table, 2), executor=executors) as data:
            assert len({shard.worker for shard in data.shards}) == 1  # the other one has no room
            assert_same_scores(data, whole, "bic")
        executors[1].submit(worker_tasks.pretend_memory, 100).result()
        with pytest.raises(ParameterError, match=r"which take .* as bits, and no worker has as much"):
            ShardedDataset.of(in_parts(table, 2), executor=executors)
    finally:
        for executor in executors:
            executor.shutdown()


def test_a_search_whose_rows_find_no_room_ends_with_the_best_so_far() -> None:
    table = load_example("asia").sample(400, seed=9).to_frame().cast(pl.String)
    executors = [pool(1) for _ in range(2)]
    try:
        with ShardedDataset.of(in_parts(table, 2), executor=executors) as data:

            def starve(improvement: Any) -> None:
                """Let one worker be killed, whose shard the other one has no room for."""
                for executor, task in zip(executors, (worker_tasks.pretend_memory, worker_tasks.kill), strict=True):
                    with suppress(BrokenExecutor):
                        executor.submit(task, 100).result()

            with pytest.warns(ArcwiseWarning, match="the rows are lost with their workers, .* no worker has as much"):
                result = learn(data, method=Greedy(climbs=200), seed=1, on_improvement=starve, certify=1.0)
            assert result.status == Status.WORKERS_LOST
            assert result.score == pytest.approx(LocalScore(Dataset.of(table)).total(result.dag))
    finally:
        for executor in executors:
            executor.shutdown()


def test_a_worker_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "_LEAST_PATIENCE", 0.2)
    monkeypatch.setattr(keeper, "_TIMES_AS_LONG", 1)
    monkeypatch.setattr(keeper, "_SECONDS_BETWEEN_LOOKS", 0.02)
    table = load_example("asia").sample(400, seed=9).to_frame().cast(pl.String)
    (tmp_path / "rows").mkdir()
    for at, part in enumerate(in_parts(table, 3)):
        part.collect().write_parquet(tmp_path / "rows" / f"{at}.parquet")
    whole = Dataset.of(table)
    with ShardedDataset.of(tmp_path / "rows", executor=2) as data:
        before = data.n_lost  # whoever is slow may be given up too: nothing is lost but time
        families = ((0, (1, 2)), (3, ()))
        counts = data._keeper.counts([HangingRequest(families, None, str(tmp_path))])
        assert (tmp_path / "hanging").exists()
        assert data.n_lost > before
        assert counts.sum() == 2 * whole.n_observations
        assert_same_scores(data, whole, "bic")
