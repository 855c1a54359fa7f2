"""A cluster of Dask with real worker processes does the same as threads, and forgives the same."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from typer.testing import CliRunner

import worker_tasks
from arcwise import ArcwiseError, Budget, Status, bootstrap, compare_methods, load_example
from arcwise.cli import app
from arcwise.parallel import elsewhere
from arcwise.parallel.dask_client import OnDask
from arcwise.parallel.elsewhere import Sent
from arcwise.parallel.in_worker import Envelope
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Work, packed
from arcwise.runs.provenance import versions_here
from interrupting import Press

DATA = load_example("asia").sample(300, seed=1)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    patient = {f"distributed.comm.timeouts.{kind}": f"{worker_tasks.PATIENCE} s" for kind in ("connect", "tcp")}
    with (
        dask.config.set(patient),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        yield client


def test_tasks_are_done_by_workers_and_named_in_words(client: Client) -> None:
    with workplace_of(client) as place:
        work = Work("climb", worker_tasks.doubled, 100)
        answers = list(place.map(work, iter(range(20)), Budget(), workers=1))
        assert (place.done, place.at_a_time(1)) == (20, 2)
        assert str(place.words).startswith("2 workers of Dask at tcp://127.0.0.1:")
    assert [answer for answer, _ in answers] == [100 + 2 * task for task in range(20)]
    assert os.getpid() not in {process for _, process in answers}

    def names(dask_scheduler: Any) -> set[str]:
        return set(dask_scheduler.task_prefixes)

    assert "climb" in client.run_on_scheduler(names)  # type: ignore[no-untyped-call]


def test_its_executor_and_its_address_are_the_same_workers(client: Client) -> None:
    assert client.scheduler is not None
    for executor in (client.get_executor(), client.scheduler.address):  # type: ignore[no-untyped-call]
        with workplace_of(executor) as place:
            answers = list(place.map(Work("climb", worker_tasks.doubled, 1), range(3), Budget(), workers=1))
            assert ([answer for answer, _ in answers], place.done) == ([1, 3, 5], 3)


def test_a_task_whose_worker_hangs_is_done_by_another(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "_LEAST_PATIENCE", 0.1)
    with workplace_of(client) as place:
        answers = list(place.map(Work("climb", worker_tasks.hanging, tmp_path), range(20), Budget(), workers=1))
    (tmp_path / "over").touch()
    assert answers == list(range(20))
    assert (tmp_path / "hanging").exists()


def test_what_is_shared_is_unpacked_once_in_each_process(client: Client, tmp_path: Path) -> None:
    work = Work("climb", worker_tasks.process, worker_tasks.Told(tmp_path))
    with workplace_of(client) as place:
        processes = {*place.map(work, range(30), Budget(), workers=1), *place.map(work, range(30), Budget(), workers=1)}
    assert sorted(int(path.name.partition("-")[0]) for path in tmp_path.iterdir()) == sorted(processes)


def test_a_replica_whose_worker_is_killed_is_done_by_another(client: Client, tmp_path: Path) -> None:
    here = bootstrap(DATA, "greedy", 6, seed=1)
    there = bootstrap(DATA, worker_tasks.KillsOnce(tmp_path), 6, seed=1, executor=client)
    assert (tmp_path / "killed").exists()
    assert (there.status, there.n_replicas) == (Status.COMPLETE, 6)
    np.testing.assert_array_equal(there.arcs.toarray(), here.arcs.toarray())


def test_data_that_is_lost_with_all_workers_is_sent_again(client: Client, tmp_path: Path) -> None:
    with workplace_of(client) as place:
        work = Work("climb", worker_tasks.killing_all, tmp_path)
        assert list(place.map(work, range(12), Budget(), workers=1)) == list(range(12))


def test_what_is_sent_again_has_another_name(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker may be told to forget the first when it has the second: under one name, it would forget both."""
    scattered: dict[str, Any] = {}
    submitted: list[str] = []
    scatter, submit = client.scatter, client.submit

    def scatter_by_name(data: dict[str, Any], **options: Any) -> Any:
        futures = scatter(data, **options)  # type: ignore[no-untyped-call]
        assert not scattered.keys() & futures.keys()
        scattered.update(futures)
        return futures

    def submit_by_key(*task: Any, key: str, **options: Any) -> Any:
        submitted.append(key)
        return submit(*task, key=key, **options)

    monkeypatch.setattr(client, "scatter", scatter_by_name)
    monkeypatch.setattr(client, "submit", submit_by_key)
    with workplace_of(client) as place:
        assert isinstance(place, OnDask)
        work = Work("climb", worker_tasks.doubled, 1)
        exchange = place.exchange(work, "twice")
        sent = Sent(3, 5, Envelope(versions_here()["arcwise"], "twice", work.parcel.key, packed(5), None, 1, None))
        try:
            first = exchange.submit(sent).result()
            client.cancel(list(scattered.values()), force=True)  # type: ignore[no-untyped-call]
            assert worker_tasks.becomes_true(lambda: all(each.cancelled() for each in scattered.values()))
            again = exchange.submit(sent).result()
        finally:
            exchange.close()
    assert (first.answer[0], again.answer[0]) == (11, 11)
    assert len(scattered) == 2
    assert len(set(submitted)) == 2


def test_ctrl_c_ends_tasks_that_run_and_keeps_what_they_have(client: Client, tmp_path: Path) -> None:
    budget = Budget(watch=Press(lambda: any(tmp_path.glob("begun-*")), lambda: None))
    with workplace_of(client) as place:
        work = Work("climb", worker_tasks.waiting, tmp_path)
        answers = budget.run(lambda: list(place.map(work, range(10), budget, workers=1)))
    assert budget.is_interrupted
    assert set(answers) <= {"called off", "not begun"}
    assert len(answers) == 10
    assert "called off" in answers
    assert worker_tasks.all_ended(tmp_path)


def test_workers_that_come_after_ctrl_c_are_told_too(client: Client) -> None:
    assert client.cluster is not None
    with workplace_of(client) as place:
        assert isinstance(place, OnDask)
        exchange = place.exchange(Work("climb", worker_tasks.doubled, 1), "ended")
        exchange.call_off()
        before = set(client.nthreads())  # type: ignore[no-untyped-call]
        client.cluster.scale(len(before) + 1)
        try:
            client.wait_for_workers(len(before) + 1, timeout=worker_tasks.PATIENCE)
            assert set(client.nthreads()) > before  # type: ignore[no-untyped-call]

            def are_told() -> bool:
                exchange.look()
                return all(client.run(worker_tasks.is_called_off, "ended").values())

            assert worker_tasks.becomes_true(are_told)
        finally:
            exchange.close()
            client.cluster.scale(len(before))
            # The next test must not meet a worker that is about to leave.
            assert worker_tasks.becomes_true(lambda: len(client.nthreads()) == len(before))  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("version", "said"), [("0.0.1", r"has arcwise 0\.0\.1, and this"), (None, "does not have arcwise, and this")]
)
def test_another_version_is_refused_by_name(client: Client, version: str | None, said: str) -> None:
    client.run(worker_tasks.pretend_version_on_dask, version)
    try:
        with pytest.raises(ArcwiseError, match=f"the worker tcp://.* {said}"), workplace_of(client):
            pass
    finally:
        client.run(worker_tasks.pretend_version_on_dask, "")


def test_methods_are_compared_by_workers_as_here(client: Client) -> None:
    tables = {"one": DATA, "two": load_example("cancer").sample(200, seed=2)}
    here = compare_methods(tables, ["greedy", "chow-liu"], ["bic", "bdeu"], folds=2, seeds=2, seed=3)
    there = compare_methods(tables, ["greedy", "chow-liu"], ["bic", "bdeu"], folds=2, seeds=2, seed=3, executor=client)
    assert there.status is Status.COMPLETE
    assert [(run.line, run.definition, run.method, run.score, run.held_out) for run in there.runs] == [
        (run.line, run.definition, run.method, run.score, run.held_out) for run in here.runs
    ]


def test_commands_work_on_a_cluster(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert client.scheduler is not None
    cluster = ["--cluster", str(client.scheduler.address), "--seed", "1", "--json"]
    learned = CliRunner().invoke(app, ["learn", "asia", "--rows", "200", "--method", "sgs3", "-o", "a.bif", *cluster])
    assert learned.exit_code == 0, learned.output
    strong = CliRunner().invoke(app, ["bootstrap", "asia", "--rows", "200", "-m", "5", "-o", "a.csv", *cluster])
    assert json.loads(strong.stdout)["replicas"] == 5
    selected = CliRunner().invoke(app, ["parents", "asia", "--rows", "200", "--scored", "20", "-o", "a.jkl", *cluster])
    assert selected.exit_code == 0, selected.output
    here = ["parents", "asia", "--rows", "200", "--scored", "20", "-o", "b.jkl", "--seed", "1"]
    assert CliRunner().invoke(app, here).exit_code == 0
    assert (tmp_path / "a.jkl").read_bytes() == (tmp_path / "b.jkl").read_bytes()
