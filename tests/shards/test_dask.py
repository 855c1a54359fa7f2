"""Shards with the workers of a Dask cluster."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcwise import Dataset, LocalScore, ShardedDataset, ges, load_example

distributed = pytest.importorskip("distributed")
dask_frame = pytest.importorskip("dask.dataframe")


def test_partitions_of_a_dask_frame_are_parts() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a": rng.integers(0, 3, 50), "b": rng.choice(["x", "y"], 50), "c": rng.random(50) < 0.5})
    frame = dask_frame.from_pandas(table, npartitions=4)
    assert Dataset.of(frame) == Dataset.of(table)
    with ShardedDataset.of(frame) as data:
        assert len(data.shards) == 4
        assert LocalScore(data).local("a", ["b", "c"]) == LocalScore(Dataset.of(table)).local("a", ["b", "c"])


def test_shards_of_a_lost_worker_are_read_again_by_another() -> None:
    table = load_example("asia").sample(300, seed=1).to_frame().cast(pl.String)
    whole = LocalScore(Dataset.of(table))
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        parts = [table[begin : begin + 100].lazy() for begin in (0, 100, 200)]
        with ShardedDataset.of(parts, executor=client) as data:
            score = LocalScore(data)
            assert ges(score).dag == ges(whole).dag
            client.retire_workers([sorted(client.scheduler_info(n_workers=-1)["workers"])[0]])
            assert LocalScore(data, "bdeu").local(0, [1, 2]) == LocalScore(Dataset.of(table), "bdeu").local(0, [1, 2])
            assert data.n_lost == 1
