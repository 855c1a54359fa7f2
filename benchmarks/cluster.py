"""Past one process: tasks on the workers of a cluster beside threads of one process, and where that stops paying.

Run ``python -m benchmarks.cluster --data ../shared/data``. It takes some minutes on two cores. ``--quick`` is a look at
it. A LocalCluster of Dask has 1, 2 and 4 worker processes with one thread each; on a machine with fewer cores they
share them, so that more workers than cores only tell what they cost.

The model of speed-up is computed, not measured: from what a task takes on one worker, what it costs the client, and how
large the data is. It takes workers to be as quick as this machine, and the network to carry a gigabyte in a second.
"""

import argparse
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil, log2
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from arcwise import Budget, Dag, Dataset, Greedy, Limits, LocalScore, bootstrap, learn, load_example, select
from arcwise.parallel.in_worker import Done, Envelope
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Work, Workplace, packed
from arcwise.runs.provenance import versions_here
from arcwise.simulation.random import random_network
from benchmarks.machine import machine
from experiments.debd import data_folder, load

WORKERS = (1, 2, 4)
MODELLED = (16, 128, 1024)
#: Tasks of which the model tells: as many replicas as the largest cluster has workers.
TASKS = 1024
BYTES_PER_SECOND = 1e9

console = Console(width=120)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--quick", action="store_true", help="small tables and few tasks")
    arguments = parser.parse_args()
    console.print(machine())
    folder = None if arguments.quick else data_folder(arguments.data)
    print_work(folder, quick=arguments.quick)


@dataclass(frozen=True)
class Cost:
    """What it costs to have tasks of some kind done elsewhere.

    Parameters
    ----------
    seconds
        What a task takes on one worker, once that has the data.
    overhead
        Seconds of the client and the scheduler for each task.
    content
        Bytes of the data.
    unpacking
        Seconds that a worker takes to unpack them.
    """

    seconds: float
    overhead: float
    content: int
    unpacking: float

    def speed_up(self, workers: int, tasks: int = TASKS) -> float:
        """Return how many times sooner so many workers have done all tasks than one that has the data already.

        The data goes from worker to worker, each time to twice as many. Then the slower of two sets the pace: the
        workers, or the client that sends tasks and takes answers one after the other.
        """
        begin = ceil(log2(workers + 1)) * self.content / BYTES_PER_SECOND + self.unpacking
        return tasks * self.seconds / (begin + max(ceil(tasks / workers) * self.seconds, tasks * self.overhead))

    @property
    def most_workers(self) -> float:
        """How many workers the client keeps busy."""
        return self.seconds / self.overhead


def nothing(shared: bytes, task: int, budget: Budget, threads: int) -> int:
    """Do nothing, which is all overhead."""
    return task


def print_work(folder: Path | None, *, quick: bool) -> None:
    """Print what tasks take on threads and on workers, what they cost, and the model of speed-up."""
    data = load_example("alarm").sample(1000 if quick else 5000, seed=1)
    n = 8 if quick else 48
    columns = ("place", "climbs/s", "replicas/s", "families/s", "task, ms", "start, s", "same graph")
    table = Table(*columns, title=f"Alarm, {data.n_rows:,} rows, BIC: {n} climbs of sgs3, {n} replicas by greedy")
    kinds = ("place", "climb, ms", "replica, ms", "family, µs", "task of nothing, client's ms")
    processor = Table(*kinds, title="The same in processor time of all processes, whoever else is working")
    reference: list[Dag] = []
    overhead = 0.0
    for words, opened, threads in places():
        begin = perf_counter()
        with opened() as place:
            start = perf_counter() - begin
            climbs = Spent.of(partial(climbed, data, n, place, threads))
            replicas = Spent.of(partial(bootstrap, data, "greedy", n, seed=1, workers=threads, executor=place))
            selected = Spent.of(partial(selected_on, data, place, threads, 100 if quick else 10_000))
            wall, overhead = cost_of_nothing(place, 50 if quick else 1000)
        reference.append(climbs.found)
        families = selected.found
        rates = (n / climbs.seconds, n / replicas.seconds, families / selected.seconds)
        same = "yes" if climbs.found == reference[0] else "NO"
        table.add_row(words, *(f"{rate:,.1f}" for rate in rates), f"{1000 * wall:.2f}", f"{start:.1f}", same)
        costs = (1e3 * climbs.processor / n, 1e3 * replicas.processor / n, 1e6 * selected.processor / families)
        processor.add_row(words, *(f"{cost:,.2f}" for cost in costs), f"{1000 * overhead:.2f}")
    console.print(table)
    console.print(processor)
    print_model(folder, overhead, quick=quick)


def places() -> Iterator[tuple[str, Callable[[], Any], int]]:
    """Give the places where tasks are done, in words, each with what opens it and with its threads in this process."""
    yield "1 thread", workplace_of, 1
    yield "2 threads", workplace_of, 2
    for workers in WORKERS:
        yield f"Dask, {workers} process{'es' * (workers > 1)}", partial(on_dask, workers), 1


@contextmanager
def on_dask(workers: int) -> Iterator[Workplace]:
    """Start a cluster on this machine."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
        workplace_of(client) as place,
    ):
        yield place


@dataclass(frozen=True)
class Spent:
    """What comes of some work, and what it takes: seconds, and processor time of this process and all its workers."""

    found: Any
    seconds: float
    processor: float

    @classmethod
    def of(cls, work: Callable[[], Any]) -> "Spent":
        """Do the work."""
        before = _processor_time()
        seconds, found = timed(work)
        return cls(found, seconds, _processor_time() - before)


def _processor_time() -> float:
    this = psutil.Process()
    times = [process.cpu_times() for process in (this, *this.children(recursive=True))]
    return float(sum(spent.user + spent.system for spent in times))


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long some work takes, and what comes of it."""
    begin = perf_counter()
    found = work()
    return perf_counter() - begin, found


def climbed(data: Dataset, climbs: int, place: Workplace, threads: int) -> Dag:
    """Return what climbs from random graphs find."""
    search = Greedy(moves="a*ds*", climbs=climbs, random_start=True)
    return learn(data, score="bic", method=search, seed=1, workers=threads, executor=place).dag


def selected_on(data: Dataset, place: Workplace, threads: int, scored: int) -> int:
    """Return how many families a selection scores."""
    limits = Limits(time_per_variable=None, scored_per_variable=scored)
    return select(LocalScore(data), limits=limits, workers=threads, executor=place).scored


def cost_of_nothing(place: Workplace, tasks: int) -> tuple[float, float]:
    """Return the seconds of a task in which nothing is done, and what processor time this process takes for it.

    A LocalCluster has its scheduler in this process: what it takes is in there too.
    """
    work = Work("nothing", nothing, b"")
    list(place.map(work, range(tasks // 10), Budget(), workers=1))  # connections are made
    before = process_time()
    seconds, _ = timed(lambda: list(place.map(work, range(tasks), Budget(), workers=1)))
    return seconds / tasks, (process_time() - before) / tasks


def unpacked(content: bytes) -> LocalScore:
    """Do what a worker does with data that it gets."""
    return LocalScore(pickle.loads(content)[1])


def print_model(folder: Path | None, overhead: float, *, quick: bool) -> None:
    """Print what tasks send and cost, and what speed-up follows from that."""
    cases: dict[str, tuple[Dataset, str]] = {}
    if folder is not None:
        cases["Ad, replica by greedy"] = (load(folder, "ad"), "greedy")
    size, rows = (100, 200) if quick else (10_000, 1000)
    wide = random_network(size, size * 3 // 2, arities=2, seed=1).sample(rows, seed=1)
    cases[f"{size:,} variables × {rows:,}, replica by ges"] = (wide, "ges")
    columns = ("task", "CPU s", "task, bytes", "answer, bytes", "data, MB", "unpacked in, s", "client busy with")
    costs = Table(*columns, title="What a task costs (measured)")
    model = Table("task", *(f"{workers:,} workers" for workers in MODELLED), title="Speed-up (computed, not measured)")
    for name, (data, method) in cases.items():
        before = process_time()
        found = bootstrap(data, method, 1, seed=1, workers=1)
        seconds = process_time() - before
        content = packed((nothing, data))
        unpacking, _ = timed(partial(unpacked, content))
        envelope = Envelope(versions_here()["arcwise"], "0" * 32, "0" * 64, packed(2**63), None, 1)
        parents = found.averaged().parent_indices
        answer = pickle.dumps(Done(parents, 1, 1.0, "a host, process 12345"))
        cost = Cost(seconds, overhead, len(content), unpacking)
        cells = (f"{len(pickle.dumps(envelope)):,}", f"{len(answer):,}", f"{len(content) / 1e6:.2f}")
        busy = f"{cost.most_workers:,.0f} workers"
        costs.add_row(name, f"{seconds:.2f}", *cells, f"{unpacking:.3f}", busy)
        model.add_row(name, *(f"{cost.speed_up(workers):,.1f}" for workers in MODELLED))
    console.print(costs)
    console.print(model)
    console.print(
        f"The model: {TASKS:,} tasks; the data doubles its copies at {BYTES_PER_SECOND / 1e9:.0f} GB/s; client "
        f"and scheduler take {1000 * overhead:.2f} ms for each task, one after the other. It pays as long as a task "
        "takes longer."
    )


if __name__ == "__main__":
    main()
