"""What the seam between searches and scores costs, and what batches on two cores and scores of all kinds bring.

Run ``python -m benchmarks.engine --data ../shared/data`` on an idle machine with two cores; it takes about a quarter of
an hour, or a minute with ``--quick``. Everything is compared within one run, in turns.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import BIC, Dataset, LocalScore, Result, Stop, _core, ges, greedy, load_example, orders
from arcwise.simulation.random import random_network
from benchmarks.machine import machine
from benchmarks.python_score import PythonBic
from benchmarks.wide import link_result, wide_table
from experiments.debd import data_folder

console = Console(width=120)

ARCS_PER_VARIABLE = 1.5
N_ROWS = 5_000

Search = Callable[[LocalScore, int], Result]
SEARCHES: dict[str, Search] = {
    "GES": lambda score, threads: ges(score, seed=1, workers=threads),
    "first climb of orders": lambda score, threads: orders(score, stop=Stop(climbs=1), seed=1, workers=threads),
}


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder, for Link; $ARCWISE_DATA otherwise")
    parser.add_argument("--quick", action="store_true", help="small sizes, and without Link and wide data")
    arguments = parser.parse_args()
    console.print(machine())
    console.print(additions_table(200 if arguments.quick else 2_000))
    console.print(threads_table((200, 400) if arguments.quick else (1_000, 2_000, 5_000)))
    console.print(alarm_table())
    console.print(python_table())
    if not arguments.quick:
        console.print(wide_table())
        console.print(link_table(data_folder(arguments.data)))


def additions_table(n_variables: int) -> Table:
    """All additions per second through the seam, beside counting alone, on one and on two cores."""
    data = _sample(n_variables)
    score = LocalScore(data, BIC(), cache_bytes=0)  # without memory: every batch is counted
    table = _table(
        f"All additions, {data.n_rows:,} × {n_variables:,} binary, BIC: millions per second",
        ("parents", "cores", "counted", "scored through the seam", "ratio"),
    )
    for n_parents in (0, 1, 2, 3):
        for cores in (1, 2):
            counted, scored = [], []
            for _ in range(5):  # in turns, because the machine's speed drifts
                counted.append(_rate(_core.count_additions, score, n_parents, cores))
                scored.append(_rate(_core.LocalScore.additions, score, n_parents, cores))
            ratio = median(s / c for s, c in zip(scored, counted, strict=True))
            rates = (f"{max(rate) / 1e6:.1f}" for rate in (counted, scored))
            table.add_row(str(n_parents), str(cores), *rates, f"{ratio:.2f}")
    return table


def _rate(work: Callable[..., object], score: LocalScore, n_parents: int, cores: int, seconds: float = 0.3) -> float:
    """Return how many additions a second so many threads make together."""
    n = score.data.n_variables

    def batches(seed: int) -> int:
        rng = np.random.default_rng(seed)
        end, done = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            child, *parents = (int(v) for v in rng.choice(n, n_parents + 1, replace=False))
            work(score.core, child, parents)
            done += 1
        return done

    with ThreadPoolExecutor(cores) as threads:
        begin = time.perf_counter()
        done = sum(threads.map(batches, range(cores)))
        return done * (n - 1 - n_parents) / (time.perf_counter() - begin)


def threads_table(sizes: Sequence[int]) -> Table:
    """One search on one and on two cores."""
    table = _table(
        f"One search on random binary networks, {ARCS_PER_VARIABLE} arcs per variable, {N_ROWS:,} rows, BIC",
        ("search", "variables", "1 thread, s", "2 threads, s", "ratio", "same graph"),
    )
    for n_variables in sizes:
        data = _sample(n_variables)
        for name, search in SEARCHES.items():
            (alone, one), (together, two) = _in_turns(data, search, repeats=5 if n_variables <= 1_000 else 3)
            ratio = median(a / b for a, b in zip(alone, together, strict=True))
            same = "yes" if one.dag == two.dag else "NO"
            table.add_row(name, f"{n_variables:,}", f"{min(alone):.2f}", f"{min(together):.2f}", f"{ratio:.2f}", same)
    return table


def _in_turns(data: Dataset, search: Search, repeats: int) -> tuple[tuple[list[float], Result], ...]:
    times: dict[int, list[float]] = {1: [], 2: []}
    results: dict[int, Result] = {}
    for _ in range(repeats):
        for threads in times:
            score = LocalScore(data, BIC())  # nothing is known before
            begin = time.perf_counter()
            results[threads] = search(score, threads)
            times[threads].append(time.perf_counter() - begin)
    return tuple((times[threads], results[threads]) for threads in times)


def alarm_table() -> Table:
    """Small searches, which must not pay for threads."""
    data = load_example("alarm").sample(N_ROWS, seed=1)
    table = _table(
        f"Alarm, {N_ROWS:,} rows, BIC: milliseconds", ("search", "1 thread", "2 threads", "ratio", "same graph")
    )
    searches: dict[str, Search] = {"greedy": lambda score, threads: greedy(score, seed=1, workers=threads), **SEARCHES}
    for name, search in searches.items():
        (alone, one), (together, two) = _in_turns(data, search, repeats=50)
        same = "yes" if one.dag == two.dag else "NO"
        cells = (f"{1e3 * median(times):.2f}" for times in (alone, together))
        table.add_row(name, *cells, f"{median(alone) / median(together):.2f}", same)
    return table


def python_table() -> Table:
    """A score written in Python beside the built-in one."""
    table = _table(
        "BIC written in Python beside the built-in one: GES, 1,000 rows",
        ("network", "built-in, s", "Python, s", "evaluations", "per second", "same graph"),
    )
    for name in ("asia", "alarm"):
        data = load_example(name).sample(1_000, seed=1)
        built_in, python = (_timed(LocalScore(data, score)) for score in (BIC(), PythonBic()))
        evaluations = python[1].counters["evaluations"]
        same = "yes" if built_in[1].dag == python[1].dag else "NO"
        rate = f"{evaluations / python[0]:,.0f}"
        table.add_row(name, f"{built_in[0]:.3f}", f"{python[0]:.3f}", f"{evaluations:,}", rate, same)
    return table


def _timed(score: LocalScore) -> tuple[float, Result]:
    begin = time.perf_counter()
    result = ges(score, seed=1, workers=1)
    return time.perf_counter() - begin, result


def link_table(folder: Path) -> Table:
    """GES where many columns of the sample are constant."""
    table = _table("GES on Link by BDeu(10), 5,000 rows", ("seconds", "arcs", "status"))
    result = link_result(folder)
    table.add_row(f"{result.seconds:.1f}", f"{result.dag.n_arcs:,}", result.status.value)
    return table


def _sample(n_variables: int) -> Dataset:
    n_arcs = int(ARCS_PER_VARIABLE * n_variables)
    return random_network(n_variables, n_arcs, seed=1).sample(N_ROWS, seed=2)


def _table(title: str, headings: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    return table


if __name__ == "__main__":
    main()
