"""How fast candidate parent sets come, and how good they are, beside the published ones.

Run ``python -m benchmarks.parents --data ../shared/data``. With the default quarter of a second per variable, the
twenty datasets take about 20 minutes on two cores.
"""

import argparse
import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table

from arcwise import Dag, Limits, LocalScore, select
from benchmarks.machine import machine
from experiments.debd import DATASETS, data_folder, load
from experiments.perez_maua_2016_published import PUBLISHED

console = Console(width=120)

# Best parent sets of all variables without any limit, by an independent count (BIC, natural logarithm).
KNOWN_RELAXED_SCORES = {"nltcs": -109786.480, "msnbc": -2162786.435}


@dataclass(frozen=True)
class Row:
    """One dataset's measurement."""

    name: str
    n_variables: int
    n_rows: int
    relative_score: float
    n_sets: int
    max_parents: int
    scored: int
    seconds: float
    workers: int
    peak_bytes: int


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--time-per-variable", type=float, default=0.25, help="seconds per variable and core")
    parser.add_argument("--method", default="balanced")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--datasets", nargs="*", default=DATASETS)
    arguments = parser.parse_args()
    folder = data_folder(arguments.data)
    console.print(machine())
    console.print(exhaustive_table(folder))
    rows = []
    for row in measured(folder, arguments.datasets, arguments.method, arguments.time_per_variable, arguments.workers):
        rows.append(row)
        console.print(f"{row.name}: {row.relative_score:.4f} in {row.seconds:.1f} s", style="dim")
    console.print(selection_table(rows, f"{arguments.method}, {arguments.time_per_variable:g} s per variable and core"))
    console.print(comparison(rows))


def exhaustive_table(folder: Path) -> Table:
    """Return the time to score every parent set of every variable on one core, and the best sum of scores."""
    table = Table(title="All parent sets, no limit, one core, BIC", title_justify="left")
    for heading in ("data", "sets scored", "sets kept", "parents", "seconds", "relaxed score", "known"):
        table.add_column(heading, justify="left" if heading == "data" else "right")
    for name, known in KNOWN_RELAXED_SCORES.items():
        data = load(folder, name)
        begin = time.perf_counter()
        selected = select(LocalScore(data, "bic"), method="exhaustive", workers=1)
        seconds = time.perf_counter() - begin
        sets = selected.sets
        cells = f"{selected.scored:,}", f"{sets.n_sets:,}", str(sets.max_parents), f"{seconds:.2f}"
        table.add_row(name, *cells, f"{sets.relaxed_score():.3f}", f"{known:.3f}")
    return table


def measured(folder: Path, names: Sequence[str], method: str, seconds: float, workers: int) -> Iterator[Row]:
    """Measure one dataset after the other, each in a process of its own so that its memory can be told apart."""
    for name in names:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            yield process.submit(measure, folder, name, method, seconds, workers).result()


def measure(folder: Path, name: str, method: str, seconds: float, workers: int) -> Row:
    """Select parent sets for one dataset."""
    data = load(folder, name)
    score = LocalScore(data, "bic")
    empty = score.total(Dag(data.names))
    selected = select(score, method=method, limits=Limits(time_per_variable=seconds), workers=workers)
    return Row(
        name=name,
        n_variables=data.n_variables,
        n_rows=data.n_rows,
        relative_score=(selected.sets.relaxed_score() - empty) / abs(empty),
        n_sets=selected.sets.n_sets,
        max_parents=selected.sets.max_parents,
        scored=selected.scored,
        seconds=selected.seconds,
        workers=workers,
        peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )


def selection_table(rows: Sequence[Row], title: str) -> Table:
    """Return relative scores of the best parent sets beside the published ones, with speed and memory."""
    table = Table(title=f"Relative score of H*: {title}", title_justify="left")
    headings = ("data", "n", "rows", "arcwise", "published", "sets", "parents", "10⁶ scored/s/core", "seconds", "GB")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "data" else "right")
    for row in rows:
        ahead = round(row.relative_score, 4) > PUBLISHED[row.name].best
        table.add_row(
            row.name,
            str(row.n_variables),
            f"{row.n_rows:,}",
            f"[bold]{row.relative_score:.4f}[/bold]" if ahead else f"{row.relative_score:.4f}",
            f"{PUBLISHED[row.name].best:.4f}",
            f"{row.n_sets:,}",
            str(row.max_parents),
            f"{row.scored / row.seconds / row.workers / 1e6:.2f}",
            f"{row.seconds:.1f}",
            f"{row.peak_bytes / 1e9:.2f}",
        )
    return table


def comparison(rows: Sequence[Row]) -> str:
    """Return in how many datasets the sets are better than the best published ones, and both averages."""
    differences = [round(row.relative_score, 4) - PUBLISHED[row.name].best for row in rows]
    ahead, level = sum(more > 1e-9 for more in differences), sum(abs(more) <= 1e-9 for more in differences)
    ours, theirs = mean(row.relative_score for row in rows), mean(PUBLISHED[row.name].best for row in rows)
    return (
        f"Ahead of the best published column in {ahead} of {len(rows)}, level in {level} (to four digits); "
        f"average {ours:.4f} against {theirs:.4f}."
    )


if __name__ == "__main__":
    main()
