"""How fast and how good order searches are: proven optima, climbs per second, growing lists, growth with n.

Run ``python -m benchmarks.orders --data ../shared/data``. With the default minute for each of the twenty datasets, it
takes about 25 minutes on two cores.
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import Budget, Limits, LocalScore, ParentSets, Result, orders, select
from arcwise.graph.nodes import Order
from arcwise.search.orders import Optimum, climb_order
from arcwise.search.orders.variations import swap_kick
from benchmarks.machine import machine
from experiments.debd import DATASETS, PROVEN, data_folder, load

console = Console(width=140)

# What other programs reached on the same data, all rows: the best of several minutes each.
PEERS = {
    "baudio": {
        "BOSS": -812_492.0,
        "GRaSP": -812_715.0,
        "XGES": -813_163.0,
        "bnlearn, tabu": -814_951.0,
        "BLIP": -817_476.0,
        "mobs": -833_456.0,
    },
}
# A prototype of growing lists in 75 s on one core.
PROTOTYPE = {"plants": -302_396.0, "baudio": -812_107.0}
# Sets scored for each variable by independence selection, so that tables of 60,000 to 75,000 sets remain.
SCORED = {"plants": 15_000, "baudio": 8_000}


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each dataset")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--datasets", nargs="*", default=DATASETS)
    arguments = parser.parse_args()
    folder = data_folder(arguments.data)
    console.print(machine())
    console.print(optima_table(folder, arguments.workers))
    console.print(climbs_table(folder))
    console.print(scaling_table(folder))
    rows = list(grown(folder, arguments.datasets, arguments.seconds, arguments.workers, arguments.seed))
    console.print(grown_table(rows, arguments.seconds, arguments.workers))
    console.print(peers_table(rows))


def optima_table(folder: Path, workers: int) -> Table:
    """Time to the proven optimum from raw data, from ten seeds."""
    table = Table(
        title=f"Proven optimum from raw data, 10 seeds, {workers} workers, at most 10 s", title_justify="left"
    )
    for heading in ("data", "optimum", "found", "worst score", "median s", "worst s", "evaluations"):
        table.add_column(heading, justify="left" if heading == "data" else "right")
    for name, proven in PROVEN.items():
        data, optimum = load(folder, name), proven.optimum
        results = [search_until(LocalScore(data), optimum, seed, workers) for seed in range(10)]
        found = sum(result.score >= optimum - 1e-3 for result in results)
        seconds = [result.seconds for result in results]
        table.add_row(
            name,
            f"{optimum:.4f}",
            f"{found} of 10",
            f"{min(result.score for result in results):.4f}",
            f"{median(seconds):.2f}",
            f"{max(seconds):.2f}",
            f"{median(result.counters['evaluations'] for result in results):,.0f}",
        )
    return table


def search_until(score: LocalScore, optimum: float, seed: int, workers: int) -> Result:
    """Search until the optimum is met, for ten seconds at most."""
    budget = Budget(10.0)
    return orders(
        score, seed=seed, workers=workers, budget=budget, on_improvement=lambda point: point.score >= optimum - 1e-3
    )


def climbs_table(folder: Path) -> Table:
    """Full INOBS climbs per second and core, from random orders and from kicked optima."""
    table = Table(title="INOBS climbs per second, one core; tables by independence selection", title_justify="left")
    for heading in ("data", "n", "sets", "from", "climbs/s", "asked", "moves", "mean score", "best"):
        table.add_column(heading, justify="left" if heading in ("data", "from") else "right")
    for name, scored in SCORED.items():
        limits = Limits(max_parents=6, time_per_variable=None, scored_per_variable=scored)
        sets = select(LocalScore(load(folder, name)), method="independence", limits=limits).sets
        for start, asked, climbs in two_kinds_of_climbs(sets, seconds=3.0):
            table.add_row(
                name,
                str(sets.n_variables),
                f"{sets.n_sets:,}",
                start,
                f"{1 / climbs.seconds:.0f}",
                str(asked),
                f"{climbs.moves:.0f}",
                f"{climbs.mean_score:.1f}",
                f"{climbs.best.score:.1f}",
            )
    return table


@dataclass(frozen=True)
class Climbs:
    """What climbs took and gave, on average."""

    seconds: float
    moves: float
    mean_score: float
    best: Optimum


def two_kinds_of_climbs(sets: ParentSets, seconds: float) -> Iterator[tuple[str, int, Climbs]]:
    """Climb from random orders, and from the best optimum of those after 0.03 n swaps."""
    rng = np.random.default_rng(1)
    n = sets.n_variables
    climb_order(sets, rng.permutation(n))  # what is done once for a table is not part of a climb
    random = timed_climbs(sets, lambda: rng.permutation(n), seconds)
    yield "random", 20, random
    kicked = timed_climbs(sets, lambda: swap_kick(random.best.order, round(0.03 * n), rng), seconds)
    yield "0.03 n swaps", 100, kicked


def timed_climbs(sets: ParentSets, start: Callable[[], Order], seconds: float) -> Climbs:
    """Climb for some seconds, at least twice."""
    optima: list[Optimum] = []
    spent = 0.0
    while spent < seconds or len(optima) < 2:
        order = start()
        begin = time.perf_counter()
        optima.append(climb_order(sets, order, seed=len(optima)))
        spent += time.perf_counter() - begin
    return Climbs(
        spent / len(optima),
        float(np.mean([optimum.moves for optimum in optima])),
        float(np.mean([optimum.score for optimum in optima])),
        max(optima, key=lambda optimum: optimum.score),
    )


def scaling_table(folder: Path, kept: int = 500) -> Table:
    """How the time of a climb grows with the number of variables, at the same number of sets for each."""
    title = f"One INOBS climb, one core; the best {kept} sets of each variable, or as many as there are"
    table = Table(title=title, title_justify="left")
    for heading in ("data", "n", "sets", "random, ms", "moves", "kicked, ms", "moves", "ms/n²×10⁴"):
        table.add_column(heading, justify="left" if heading == "data" else "right")
    for name in ("baudio", "kosarek", "msweb", "book", "cwebkb", "bbc", "ad"):
        limits = Limits(time_per_variable=None, scored_per_variable=3000, kept_per_variable=kept)
        sets = select(LocalScore(load(folder, name)), method="independence", limits=limits).sets
        (_, _, random), (_, _, kicked) = two_kinds_of_climbs(sets, seconds=2.0)
        table.add_row(
            name,
            str(sets.n_variables),
            f"{sets.n_sets:,}",
            f"{1e3 * random.seconds:.1f}",
            f"{random.moves:.0f}",
            f"{1e3 * kicked.seconds:.1f}",
            f"{kicked.moves:.0f}",
            f"{1e7 * random.seconds / sets.n_variables**2:.1f}",
        )
    return table


@dataclass(frozen=True)
class Grown:
    """What a search with growing lists reached on one dataset."""

    name: str
    n_variables: int
    n_rows: int
    score: float
    relative_score: float
    max_parents: int
    seconds: float
    last_improvement: float
    climbs: int
    sets: int
    evaluations: int
    peak_bytes: int


def grown(folder: Path, names: Sequence[str], seconds: float, workers: int, seed: int) -> Iterator[Grown]:
    """Search each dataset in a process of its own, so that peaks of memory do not add up."""
    for name in names:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            row = process.submit(grown_on, folder, name, seconds, workers, seed).result()
        console.print(f"  {name}: {row.score:,.1f}", style="dim")
        yield row


def grown_on(folder: Path, name: str, seconds: float, workers: int, seed: int) -> Grown:
    """Search one dataset."""
    data = load(folder, name)
    score = LocalScore(data)
    result = orders(score, seed=seed, workers=workers, budget=Budget(seconds))
    empty = sum(score.local(child) for child in range(data.n_variables))
    return Grown(
        name=name,
        n_variables=data.n_variables,
        n_rows=data.n_rows,
        score=result.score,
        relative_score=(result.score - empty) / abs(empty),
        max_parents=max(len(parents) for parents in result.dag.parent_indices),
        seconds=result.seconds,
        last_improvement=result.trace[-1].seconds,
        climbs=result.counters["climbs"],
        sets=result.counters["sets"],
        evaluations=result.counters["evaluations"],
        peak_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    )


def grown_table(rows: Sequence[Grown], seconds: float, workers: int) -> Table:
    """One line for each dataset."""
    table = Table(title=f"Growing lists from raw data, BIC, {seconds:g} s, {workers} workers", title_justify="left")
    headings = ("data", "n", "rows", "score", "RC", "parents", "s", "best at", "climbs", "sets", "evaluations", "GB")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "data" else "right")
    for row in rows:
        table.add_row(
            row.name,
            str(row.n_variables),
            f"{row.n_rows:,}",
            f"{row.score:,.1f}",
            f"{row.relative_score:.4f}",
            str(row.max_parents),
            f"{row.seconds:.0f}",
            f"{row.last_improvement:.0f}",
            f"{row.climbs:,}",
            f"{row.sets:,}",
            f"{row.evaluations:,}",
            f"{row.peak_bytes / 1e9:.2f}",
        )
    return table


def peers_table(rows: Sequence[Grown]) -> Table:
    """What other programs reached on the same data."""
    table = Table(title="The same data, other programs", title_justify="left")
    table.add_column("data")
    table.add_column("program")
    table.add_column("score", justify="right")
    table.add_column("arcwise is ahead by", justify="right")
    for row in rows:
        others = {"prototype of growing lists, 75 s": PROTOTYPE.get(row.name)} | PEERS.get(row.name, {})
        for program, score in others.items():
            if score is not None:
                table.add_row(row.name, program, f"{score:,.0f}", f"{row.score - score:,.1f}")
    return table


if __name__ == "__main__":
    main()
