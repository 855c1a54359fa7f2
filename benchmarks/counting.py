"""How fast arcwise counts, beside the machine's limit, and climbs, beside its peers.

Run ``python -m benchmarks.counting``; peers come with ``pip install 'arcwise[bench]'``.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import BIC, Dag, Dataset, LocalScore, _core, greedy, load_example
from benchmarks.machine import machine
from benchmarks.peers import Arcs, pgmpy_climb, pyagrum_climb, pybnesian_climb

console = Console(width=110)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-pgmpy", action="store_true", help="pgmpy takes a minute or more")
    arguments = parser.parse_args()
    console.print(machine())
    console.print(counting_table())
    console.print(climbing_table(with_pgmpy=not arguments.without_pgmpy))


def counting_table(n_rows: int = 20_000, n_variables: int = 100) -> Table:
    """Return the rate of "all additions" on binary data, in words of AND + popcount per second, beside a bare loop."""
    rng = np.random.default_rng(0)
    data = Dataset.from_codes((rng.random((n_rows, n_variables)) < 0.4).astype(np.uint8), arities=[2] * n_variables)
    table = Table(title=f"All additions, {n_rows:,} × {n_variables} binary, BIC, one core", title_justify="left")
    for heading in (
        "parents",
        "µs per batch",
        "ns per score",
        "bare loop, 10⁹ words/s",
        "arcwise, 10⁹ words/s",
        "ratio",
    ):
        table.add_column(heading, justify="right")
    words = n_rows / 64
    for n_parents in (0, 1, 2, 3, 4, 6, 8):
        n_candidates = n_variables - 1 - n_parents
        n_masks = 2 ** (n_parents + 1)
        bare, ours = [], []
        for _ in range(5):  # interleaved, because the machine's speed drifts
            bare.append(_core.and_popcount_rate(n_rows, n_masks, n_candidates, seconds=0.1))
            ours.append(_seconds_per_batch(data, n_parents, rng))
        seconds = min(ours)
        rate = n_masks * n_candidates * words / seconds
        table.add_row(
            str(n_parents),
            f"{seconds * 1e6:.1f}",
            f"{seconds / n_candidates * 1e9:.0f}",
            f"{max(bare) / 1e9:.2f}",
            f"{rate / 1e9:.2f}",
            f"{rate / max(bare):.2f}",
        )
    return table


def _seconds_per_batch(data: Dataset, n_parents: int, rng: np.random.Generator, seconds: float = 0.2) -> float:
    score = LocalScore(data, BIC(), cache_bytes=0)  # without memory: every batch is counted
    spent, batches = 0.0, 0
    while spent < seconds:
        child, *parents = (int(v) for v in rng.choice(data.n_variables, n_parents + 1, replace=False))
        begin = time.perf_counter()
        score.additions(child, parents)
        spent += time.perf_counter() - begin
        batches += 1
    return spent / batches


def climbing_table(*, with_pgmpy: bool, n_rows: int = 5_000) -> Table:
    """Return time and score of greedy hill climbing on Alarm, for arcwise and its peers."""
    data = load_example("alarm").sample(n_rows, seed=1)
    judge = LocalScore(data, BIC())
    frame = data.to_frame("pandas")

    seeds = iter(range(10**9))

    def ours(climbs: int) -> Callable[[], Arcs]:
        return lambda: list(greedy(LocalScore(data, BIC()), seed=next(seeds), climbs=climbs).dag.arcs)

    runs: list[tuple[str, Callable[[], Arcs], int]] = [
        ("arcwise", ours(1), 50),
        ("arcwise, 10 climbs", ours(10), 20),
        ("pybnesian", pybnesian_climb(frame), 10),
        ("pyAgrum, 1 thread", pyagrum_climb(frame, 1), 10),
        ("pyAgrum, 2 threads", pyagrum_climb(frame, 2), 10),
        *([("pgmpy", pgmpy_climb(frame), 3)] if with_pgmpy else []),
    ]
    rows = []
    for name, climb, repeats in runs:
        times, scores = [], []
        for _ in range(repeats):
            begin = time.perf_counter()
            arcs = climb()
            times.append(time.perf_counter() - begin)
            scores.append(judge.total(Dag(data.names, arcs)))
        rows.append((name, min(times), statistics.median(times), scores))
    table = Table(title=f"Alarm, {n_rows:,} rows, BIC, greedy from the empty graph", title_justify="left")
    for heading in ("program", "runs", "best time, ms", "median, ms", "× arcwise", "worst score", "median", "best"):
        table.add_column(heading, justify="left" if heading == "program" else "right")
    for name, best, median, scores in rows:
        cells = (f"{f(scores):,.2f}" for f in (min, statistics.median, max))
        table.add_row(
            name, str(len(scores)), f"{best * 1e3:,.2f}", f"{median * 1e3:,.2f}", f"{median / rows[0][2]:,.1f}", *cells
        )
    return table


if __name__ == "__main__":
    main()
