"""Thousands of variables: how time, memory and quality grow; and the default beside its parts as time passes.

Run ``python -m benchmarks.large --data ../shared/data``. The sizes take about half an hour on two cores, the anytime
table two hours of one core with its three times. ``--sizes 1000 2000 --tiled --tables`` and ``--sizes --tiled --seconds
2 --tables alarm plants`` are quick looks at either. Rows are printed as they come. The anytime table counts seconds of
the processor, on one thread, so that it can be made beside other work; with ``--results FILE`` it can be interrupted.

Random networks are binary, with 1.5 arcs for each node. Tiled networks are copies of a published one, where some roots
of each copy have a parent in the copy before it. Each search runs in a process of its own, whose peak of memory is
told, with Python and the table in it.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from arcwise import (
    BayesianNetwork,
    Dag,
    Dataset,
    LocalScore,
    Orders,
    Result,
    _core,
    compare,
    learn,
    load_example,
    read_network,
)
from arcwise.plan import planned_score
from arcwise.runs.budget import timed_by
from arcwise.simulation.random import random_network
from arcwise.support.machine import usable_cores
from benchmarks.apart import Measured, measure_apart
from benchmarks.machine import machine
from experiments.debd import DATASETS, data_folder, load
from experiments.kept import Kept

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000)
ROWS = 5000
#: So many variables have only so many rows, and GES alone.
WIDEST, ROWS_OF_WIDEST = 100_000, 1000
#: From here to there the exponent of time is told.
GROWTH = (5000, 50_000)
#: How often a network is copied, and how many of a copy's roots have a parent in the one before it.
TILED = {"alarm": 100, "pigs": 10}
JOINED_ROOTS = 3

NETWORKS = ("alarm", "insurance", "hailfinder", "andes", "pigs", "link")
LARGE = ("random 2,000", "random 5,000", "alarm × 100")

DEFAULT = "default"
#: The default, and what it is made of or could be.
PLAIN_ORDERS = "plain orders"
METHODS = (DEFAULT, "ges", "xges", "greedy", PLAIN_ORDERS)
#: Scores that differ by no more than this part of them are level: sums of that many terms round.
LEVEL = 1e-9

#: Scores by seconds.
Points = list[tuple[float, float]]

# How much longer than its time limit a search may take before it is given up; those without a limit get an hour.
_GRACE_SECONDS = 600.0
_MOST_SECONDS = 3600.0
# Of seconds that the machine shares with others, one of the processor may take so many.
_MOST_SHARED = 60.0


@dataclass(frozen=True)
class Case:
    """A table to learn from, in a file, and the graph that it was drawn from, where there is one."""

    name: str
    file: Path
    truth: Dag | None = None

    def data(self) -> Dataset:
        """Return the table."""
        with np.load(self.file) as kept:
            return Dataset.from_codes(kept["codes"], names=kept["names"].tolist(), arities=kept["arities"].tolist())


def main() -> None:
    """Print both tables, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--sizes", nargs="*", type=int, default=[*SIZES, WIDEST], metavar="N")
    parser.add_argument("--tiled", nargs="*", choices=TILED, default=list(TILED), metavar="NAME")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of the default on each size; 0: without it")
    parser.add_argument("--seconds", nargs="+", type=float, default=[2.0, 10.0, 60.0], help="of the anytime table")
    parser.add_argument(
        "--tables", nargs="*", default=[*DATASETS, *NETWORKS, *LARGE], metavar="NAME", help="of the anytime table"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[1], help="of the anytime table")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keep the runs of the anytime table here")
    arguments = parser.parse_args()
    print(f"{machine()}, {usable_cores()} cores", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        source = Source(data_folder(arguments.data), Path(scratch))
        if arguments.sizes or arguments.tiled:
            print_sizes(source, arguments.sizes, arguments.tiled, arguments.limit)
        if arguments.tables:
            kept = Kept(arguments.results)
            print_anytime(Anytime(source, sorted(arguments.seconds), arguments.seeds, kept), arguments.tables)


@dataclass(frozen=True)
class Source:
    """Where tables come from, and where they are kept for other processes."""

    folder: Path
    scratch: Path

    def case(self, name: str, rows: int = ROWS) -> Case:
        """Return a dataset, or rows from a network: a published one, copies of one or a random one."""
        if name in DATASETS:
            return self._kept(name, load(self.folder, name))
        network = self._network(name)
        return self._kept(name, network.sample(rows, seed=1), network.dag)

    def _network(self, name: str) -> BayesianNetwork:
        kind, _, size = name.partition(" ")
        if kind == "random":
            n = int(size.replace(",", ""))
            return random_network(n, n * 3 // 2, arities=2, seed=1)
        file = self.folder / "bif" / f"{kind}.bif.gz"
        network = read_network(file) if file.exists() else load_example(kind)
        return tiled(network, TILED[kind], seed=1) if size else network

    def _kept(self, name: str, data: Dataset, truth: Dag | None = None) -> Case:
        file = self.scratch / f"{name.replace(' ', '-')}.npz"
        np.savez(file, codes=data.codes, names=np.array(data.names), arities=np.array(data.arities))
        return Case(name, file, truth)


def tiled(network: BayesianNetwork, copies: int, seed: int) -> BayesianNetwork:
    """Return copies of a network; in all but the first some roots get a random parent in the copy before."""
    rng = np.random.default_rng(seed)
    n, names = network.dag.n_nodes, network.names
    parents = [[n * copy + parent for parent in row] for copy in range(copies) for row in network.dag.parent_indices]
    tables = list(network.tables) * copies
    roots = [node for node, row in enumerate(network.dag.parent_indices) if not row]
    for copy in range(1, copies):
        for root in rng.choice(roots, size=min(JOINED_ROOTS, len(roots)), replace=False):
            parent = int(rng.integers(n))
            parents[n * copy + root] = [n * (copy - 1) + parent]
            tables[n * copy + root] = rng.dirichlet(np.ones(network.arities[root]), size=network.arities[parent])
    dag = Dag.from_parents([f"{name}_{copy}" for copy in range(copies) for name in names], parents)
    return BayesianNetwork(dag, list(network.states) * copies, tables)


def searching(case: Case, method: str, seconds: float | None) -> Callable[[], Result]:
    """Prepare a search, by `learn`'s score for data of this size."""
    data = case.data()
    return lambda: learn(data, method=named(method), time_limit=seconds, seed=1, progress=False)


def named(method: str) -> str | Orders:
    """Return what `learn` takes as the method."""
    if method == PLAIN_ORDERS:
        return Orders(begins_with_classes=False)
    return "auto" if method == DEFAULT else method


def measured(case: Case, method: str, seconds: float | None) -> Measured[Result] | None:
    """Run a search in a process of its own; None where it does not end."""
    limit = _MOST_SECONDS if seconds is None else seconds + _GRACE_SECONDS
    return measure_apart(searching, case, method, seconds, limit=limit)


def print_sizes(source: Source, sizes: Sequence[int], tiles: Sequence[str], limit: float) -> None:
    """Print what GES and the default take and find, and the exponent of GES's time."""
    columns = (
        "table",
        "rows",
        "score",
        "search",
        "s",
        "MB",
        "nats per variable above the truth",
        "precision",
        "recall",
    )
    print("\n" + " | ".join(columns), flush=True)
    seconds: dict[int, float] = {}
    for name, rows in sized(sizes, tiles):
        case = source.case(name, rows)
        searches = [("ges", None), *([(DEFAULT, limit)] if limit > 0 and rows == ROWS else [])]
        for method, time_limit in searches:
            found = measured(case, method, time_limit)
            if found is None:
                print(f"{name} | {rows:,} | {method}: not done", flush=True)
                continue
            print(" | ".join(judged(case, rows, method, found)), flush=True)
            if method == "ges" and name.startswith("random") and rows == ROWS:
                seconds[int(name.split()[1].replace(",", ""))] = found.seconds
        case.file.unlink()
    first, last = GROWTH
    if first in seconds and last in seconds:
        exponent = log(seconds[last] / seconds[first]) / log(last / first)
        print(f"GES takes n to the power of {exponent:.2f} from {first:,} to {last:,} variables")


def sized(sizes: Sequence[int], tiles: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Return the names of the tables, each with its number of rows."""
    for n in sizes:
        yield f"random {n:,}", ROWS_OF_WIDEST if n >= WIDEST else ROWS
    for name in tiles:
        yield f"{name} × {TILED[name]}", ROWS


def judged(case: Case, rows: int, method: str, found: Measured[Result]) -> list[str]:
    """Return the cells of a row."""
    assert case.truth is not None
    data, result = case.data(), found.answer
    definition, _ = planned_score(data)
    above = result.score - LocalScore(data, definition).total(case.truth)
    difference = compare(case.truth, result.dag)
    return [
        case.name,
        f"{rows:,}",
        str(definition),
        method,
        f"{found.seconds:.1f}",
        f"{found.megabytes:,.0f}",
        f"{above / data.n_variables:+.3f}",
        f"{difference.precision:.3f}",
        f"{difference.recall:.3f}",
    ]


@dataclass(frozen=True)
class Anytime:
    """Scores by time: what is compared, and where it is kept.

    Parameters
    ----------
    source
        Where tables come from.
    times
        Seconds of the processor, ascending.
    seeds
        Of the default and of order search, whose medians are compared; the other searches have one end.
    kept
        Runs that were done before.
    """

    source: Source
    times: Sequence[float]
    seeds: Sequence[int]
    kept: Kept

    def of(self, name: str) -> Iterator[tuple[float, dict[str, float]]]:
        """Return for each time the score of every method, in the median of the seeds.

        The default is run with each time as its limit; a part, which does not know its limit, once with the longest.
        """
        parts = {method: self._points(name, method, self.times[-1]) for method in METHODS[1:]}
        for seconds in self.times:
            whole = [run[-1][1] for run in self._points(name, DEFAULT, seconds)]
            yield (
                seconds,
                {
                    DEFAULT: float(np.median(whole)),
                    **{part: float(np.median([best_at(run, seconds) for run in runs])) for part, runs in parts.items()},
                },
            )

    def _points(self, name: str, method: str, seconds: float) -> list[Points]:
        """Return the scores by time of one run for each seed."""
        seeds = self.seeds if method in (DEFAULT, PLAIN_ORDERS) else self.seeds[:1]
        return [self._run(name, method, seconds, seed) for seed in seeds]

    def _run(self, name: str, method: str, seconds: float, seed: int) -> Points:
        part = {"table": name, "method": method, "seconds": seconds, "seed": seed}
        found: Points | None = self.kept.found(part, lambda: self._measured(name, method, seconds, seed))
        if found is None:
            raise RuntimeError(f"{method} on {name} was not done in time")
        return found

    def _measured(self, name: str, method: str, seconds: float, seed: int) -> Points | None:
        case = self.source.case(name)
        found = measure_apart(
            searching_by_processor, case, method, seconds, seed, limit=_GRACE_SECONDS + _MOST_SHARED * seconds
        )
        return None if found is None else points_of(found.answer)


def searching_by_processor(case: Case, method: str, seconds: float, seed: int) -> Callable[[], Result]:
    """Prepare a search on one thread whose seconds are those that the processor works for it."""
    data = case.data()

    def search() -> Result:
        with timed_by(_core.ProcessorClock()):
            return learn(data, method=named(method), time_limit=seconds, seed=seed, workers=1, progress=False)

    return search


def points_of(result: Result) -> Points:
    """Return the best scores of a search by time, about two for each hundredth of the time, and its end."""
    points: Points = []
    for point in result.trace:
        if points and point.seconds < 1.005 * points[-1][0]:
            continue
        points.append((round(point.seconds, 3), point.score))
    last = max((point.seconds for point in result.trace), default=0.0)
    return [*points, (round(last, 3), result.score)]


def best_at(points: Points, seconds: float) -> float:
    """Return the best score of a search until then; minus infinity where there is none."""
    return max((score for at, score in points if at <= seconds), default=-np.inf)


def print_anytime(anytime: Anytime, names: Sequence[str]) -> None:
    """Print by how much the default is above each of its parts after each of the times, and where it is behind."""
    print("\ntable | seconds | default | " + " | ".join(f"above {method}" for method in METHODS[1:]), flush=True)
    behind: list[str] = []
    for name in names:
        for seconds, scores in anytime.of(name):
            whole = scores.pop(DEFAULT)
            cells = [f"{whole - score:.1f}" for score in scores.values()]
            print(" | ".join([name, f"{seconds:g}", f"{whole:.1f}", *cells]), flush=True)
            behind += [
                f"{name} after {seconds:g} s: {score - whole:.2f} behind {method}, {(score - whole) / -whole:.4%}"
                for method, score in scores.items()
                if score - whole > LEVEL * abs(whole)
            ]
    print(f"behind in {len(behind)} of {len(names) * len(anytime.times) * (len(METHODS) - 1)} comparisons")
    for words in behind:
        print(words)


if __name__ == "__main__":
    main()
