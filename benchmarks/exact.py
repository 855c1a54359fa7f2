"""How fast optima are proven, and how near to the best an order search is.

Run ``python -m benchmarks.exact --data ../shared/data`` (the solver: ``pip install '.[exact]'``). With the times of the
defaults it takes about an hour; ``--seconds 20 --hard-seconds 30 --order-seconds 5 --bound-seconds 5`` is a quick look.
"""

import argparse
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arcwise import BIC, Budget, LocalScore, Result, exact, learn
from arcwise.parents.files import read_parent_sets
from benchmarks.machine import machine
from experiments.debd import DATASETS, PROVEN, data_folder, load

console = Console(width=140)

#: Score files of others that are to be solved, and those where the gap is what can be had.
SOLVED = ("iris_BIC", "soybean_BIC", "alarm-5000", "child-5000", "insurance-5000", "hailfinder-5000")
HARD = ("steel_BIC", "pigs-5000", "diabetes-5000")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--seconds", type=float, default=300.0, help="for each score file that is to be solved")
    parser.add_argument("--hard-seconds", type=float, default=300.0, help="for each of the others")
    parser.add_argument("--order-seconds", type=float, default=60.0, help="for the order search")
    parser.add_argument("--bound-seconds", type=float, default=60.0, help="for its bound")
    parser.add_argument("--datasets", nargs="*", default=DATASETS)
    arguments = parser.parse_args()
    folder = data_folder(arguments.data)
    console.print(machine())
    console.print(complete_table(folder))
    limits = {**dict.fromkeys(SOLVED, arguments.seconds), **dict.fromkeys(HARD, arguments.hard_seconds)}
    console.print(files_table(folder, limits))
    console.print(gaps_table(folder, arguments.datasets, arguments.order_seconds, arguments.bound_seconds))


def complete_table(folder: Path) -> Table:
    """The optimum among all graphs, from data: parent sets and dynamic programming."""
    table = Table(title="All graphs, from data, BIC", title_justify="left")
    for heading in ("data", "n", "rows", "score", "proven by others", "status", "holds for", "seconds"):
        table.add_column(heading, justify="right" if heading in ("n", "rows", "score", "seconds") else "left")
    for name in PROVEN:
        data = load(folder, name)
        begin = time.perf_counter()
        result = exact(LocalScore(data, BIC()))
        seconds = time.perf_counter() - begin
        table.add_row(
            name,
            str(data.n_variables),
            f"{data.n_rows:,}",
            f"{result.score:.4f}",
            f"{PROVEN[name].optimum:.4f}",
            str(result.status),
            str(result.bound_for),
            f"{seconds:.2f}",
        )
    return table


def files_table(folder: Path, limits: dict[str, float]) -> Table:
    """Tables of parent sets that others have made."""
    table = Table(title="Score files: the best graph of the candidate parent sets", title_justify="left")
    for heading in ("file", "n", "sets", "method", "score", "bound", "gap", "gap, %", "status", "seconds", "limit"):
        table.add_column(heading, justify="left" if heading in ("file", "method", "status") else "right")
    for name, limit in limits.items():
        sets = read_parent_sets(next((folder / "scores").glob(f"{name}*")))
        result = exact(sets, budget=Budget(limit))
        sizes, by = (str(sets.n_variables), f"{sets.n_sets:,}"), str(result.decisions["by"])
        table.add_row(name, *sizes, by, *_ended(result), f"{limit:g}")
    return table


def _ended(result: Result) -> list[str]:
    gap = result.gap or 0.0
    return [
        f"{result.score:.2f}",
        f"{result.bound:.2f}",
        f"{gap:.2f}",
        f"{100 * gap / abs(result.score):.3f}",
        str(result.status),
        f"{result.seconds:.1f}",
    ]


def gaps_table(folder: Path, names: list[str], order_seconds: float, bound_seconds: float) -> Table:
    """How much better than what the default search finds a graph of candidate sets can be."""
    title = f"Order search for {order_seconds:g} s, and a bound for {bound_seconds:g} s more; BIC"
    table = Table(title=title, title_justify="left")
    for heading in ("data", "n", "score", "bound", "gap", "gap, %", "status", "sets", "holds for"):
        table.add_column(heading, justify="left" if heading in ("data", "status", "holds for") else "right")
    for name in names:
        result = learn(load(folder, name), method="orders", time_limit=order_seconds, certify=bound_seconds, seed=1)
        cells = _ended(result)[:-1]
        table.add_row(
            name,
            str(result.dag.n_nodes),
            *cells,
            f"{result.counters['certified_sets']:,}",
            str(result.bound_for),
        )
    return table


if __name__ == "__main__":
    main()
