"""How fast trees and mixtures of them are learned, and how good they are: neighbours, Ad, new rows, growth with n.

Run ``python -m benchmarks.trees --data ../shared/data``.
"""

import argparse
import time
from math import ceil, log
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import (
    BayesianNetwork,
    Dag,
    Dataset,
    LearnedMixture,
    LocalScore,
    TreeMixture,
    _core,
    chow_liu,
    tree_mixture,
)
from arcwise.simulation.random import random_parameters
from benchmarks.machine import machine
from experiments.ammar_leray_2011_neighbours import FILTERS, find_neighbours, mixture, true_and_false
from experiments.ammar_leray_2011_published import MMPC, MTMPC, SIZES, TREES
from experiments.ammar_leray_2011_samples import Extent
from experiments.debd import DATASETS, data_folder, load

console = Console(width=140)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--networks", type=int, default=10, help="for the table of neighbours")
    parser.add_argument("--trees", type=int, default=100, help="of a mixture")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--datasets", nargs="*", default=DATASETS)
    arguments = parser.parse_args()
    folder = data_folder(arguments.data)
    console.print(machine())
    extent = Extent(arguments.networks, samples=1, seed=arguments.seed, workers=arguments.workers)
    console.print(neighbours_table(extent))
    console.print(ad_table(load(folder, "ad"), arguments.trees, arguments.workers, arguments.seed))
    console.print(new_rows_table(folder, arguments.datasets, arguments.trees, arguments.workers, arguments.seed))
    console.print(growth_table(arguments.seed))


def neighbours_table(extent: Extent) -> Table:
    """True and false neighbours of MtMPC and MMPC from few rows of random networks."""
    title = (
        f"Neighbours from few rows: {extent.networks} random networks of {extent.n_variables} binary variables and at "
        f"most {extent.max_arcs} arcs, one sample of each\nper cent of the true edges (TP) and of the other pairs (FP)"
    )
    table = Table(title=title, title_justify="left")
    for heading in ("rows", "", "TP", "FP", "paper: TP", "FP", "TP of MMPC, χ² ×"):
        table.add_column(heading, justify="left" if heading == "" else "right")
    for rows in SIZES:
        measured = find_neighbours(extent, rows)
        tests, _ = true_and_false(measured, next(iter(FILTERS)))
        for line, threshold in measured:
            true, false = true_and_false(measured, line, threshold)
            trees = {mixture(trees): trees for trees in TREES}.get(line)
            paper = MTMPC[rows].get((trees, threshold)) if trees else None
            if line == next(iter(FILTERS)):
                paper = MMPC[rows]
            table.add_row(
                str(rows),
                f"{line}, pruned at {threshold:.0%}" if threshold else line,
                str(true),
                str(false),
                "" if paper is None else f"{paper.true:.2f}",
                "" if paper is None else f"{paper.false:.2f}",
                f"{true.mean / tests.mean:.1f}" if tests.mean else "",
                end_section=(line, threshold) == list(measured)[-1],
            )
    return table


def ad_table(data: Dataset, trees: int, workers: int, seed: int) -> Table:
    """The best tree of a wide table, and mixtures of many, beside what counting alone takes at least.

    For two binary variables one AND and popcount of their planes is enough, so that a pair takes as many words as a
    plane has. A replica has as many rows as the table.
    """
    n, words = data.n_variables, ceil(data.n_rows / 64)
    rate = max(_core.and_popcount_rate(data.n_rows, 16, n, seconds=0.2) for _ in range(5))
    title = (
        f"{n:,} binary variables, {data.n_rows:,} rows (Ad, all of them); bare AND + popcount: {rate / 1e9:.1f} × 10⁹ "
        f"words/s on a core\nlimit: all pairs that were looked at, counted at that rate on all workers"
    )
    table = Table(title=title, title_justify="left")
    for heading in ("", "workers", "pairs", "s", "limit, s", "× limit", "asked, s"):
        table.add_column(heading, justify="left" if heading == "" else "right")

    def line(name: str, used: int, pairs: int, seconds: float, asked: str) -> None:
        limit = pairs * words / rate / used
        cells = (str(used), f"{pairs:,}", f"{seconds:.3f}", f"{limit:.3f}", f"{seconds / limit:.1f}", asked)
        table.add_row(name, *cells)

    one = [_chow_liu_seconds(data) for _ in range(5)]
    line("Chow-Liu tree, median of 5", 1, n * (n - 1) // 2, median(one), "0.5")
    full = _mixture(data, trees, seed, workers)
    line(f"mixture of {trees} trees", workers, full.counters["evaluations"], full.seconds, "30")
    near = _mixture(data, trees, seed, workers, tree_search="inertial")
    asked = f"{full.seconds / 3:.2f} (a third)"
    line(f"mixture of {trees} trees, inertial", 1, near.counters["evaluations"], near.seconds, asked)
    return table


def _chow_liu_seconds(data: Dataset) -> float:
    begin = time.perf_counter()
    chow_liu(LocalScore(data, "loglik"))
    return time.perf_counter() - begin


def _mixture(data: Dataset, trees: int, seed: int, workers: int, *, tree_search: str = "best") -> LearnedMixture:
    return tree_mixture(LocalScore(data), trees=trees, tree_search=tree_search, seed=seed, workers=workers)


def new_rows_table(folder: Path, names: list[str], trees: int, workers: int, seed: int) -> Table:
    """Log-likelihood per test row of one tree and of mixtures, learned from the train rows."""
    title = f"Log-likelihood per test row, learned from the train rows; mixtures of {trees} trees, {workers} workers"
    table = Table(title=title, title_justify="left")
    for heading in ("data", "n", "train rows", "Chow-Liu", "mixture", "gain", "± s.e.", "inertial", "gain", "± s.e."):
        table.add_column(heading, justify="left" if heading == "data" else "right")
    for heading in ("tree, s", "mixture, s", "inertial, s"):
        table.add_column(heading, justify="right")
    gains = []
    for name in names:
        train, test = load(folder, name, "train"), load(folder, name, "test")
        begin = time.perf_counter()
        tree = BayesianNetwork.fit(chow_liu(LocalScore(train, "loglik")).dag, train, ess=1)
        seconds = time.perf_counter() - begin
        learned = [
            _mixture(train, trees, seed, workers, tree_search=tree_search) for tree_search in ("best", "inertial")
        ]
        of_tree = TreeMixture.of([tree]).log_likelihoods(test)
        differences = [found.mixture.log_likelihoods(test) - of_tree for found in learned]
        gains.append([float(difference.mean()) for difference in differences])
        cells = [
            cell
            for difference in differences
            for cell in (
                f"{of_tree.mean() + difference.mean():.3f}",
                f"{difference.mean():+.3f}",
                f"{difference.std() / len(test) ** 0.5:.3f}",
            )
        ]
        times = (f"{value:.2f}" for value in (seconds, *(found.seconds for found in learned)))
        table.add_row(name, str(train.n_variables), f"{len(train):,}", f"{of_tree.mean():.3f}", *cells, *times)
    better = [sum(line[at] > 0 for line in gains) for at in (0, 1)]
    table.caption = (
        f"the mixture is better than the tree on {better[0]} of {len(gains)}, the inertial one on {better[1]}"
    )
    return table


def growth_table(seed: int, n_rows: int = 200) -> Table:
    """Time of a tree against the number of variables: all pairs, or the inertial heuristic."""
    title = f"Time of one tree of a replica after the first, {n_rows} rows of simulated trees, one core; medians"
    table = Table(title=title, title_justify="left")
    for heading in (
        "n",
        "all pairs, ms",
        "ns per pair",
        "inertial, ms",
        "ns per n ln n",
        "× faster",
        "mixture of 100, s",
    ):
        table.add_column(heading, justify="right")
    for n in (100, 200, 500, 1000, 2000, 5000):
        data = tree_shaped_data(n, n_rows, seed)
        full, _ = _times(data, seed, trees=11, tree_search="best")
        near, total = _times(data, seed, trees=100, tree_search="inertial")
        table.add_row(
            f"{n:,}",
            f"{1e3 * full:.3f}",
            f"{1e9 * full / (n * (n - 1) / 2):.1f}",
            f"{1e3 * near:.3f}",
            f"{1e9 * near / (n * log(n)):.1f}",
            f"{full / near:.1f}",
            f"{total:.2f}",
        )
    return table


def _times(data: Dataset, seed: int, *, trees: int, tree_search: str) -> tuple[float, float]:
    """Median time of a tree after the first one, and of the whole mixture with its parameters."""
    at: list[float] = []
    learned = tree_mixture(
        LocalScore(data),
        trees=trees,
        tree_search=tree_search,
        seed=seed,
        workers=1,
        on_tree=lambda _: at.append(time.perf_counter()),
    )
    return median(np.diff(at).tolist()), learned.seconds


def tree_shaped_data(n_variables: int, n_rows: int, seed: int) -> Dataset:
    """Rows of a network in which every variable but the first has one parent, drawn from those before it."""
    rng = np.random.default_rng(seed)
    parents: list[list[int]] = [[], *([int(rng.integers(v))] for v in range(1, n_variables))]
    dag = Dag.from_parents([f"X{v}" for v in range(n_variables)], parents)
    return random_parameters(dag, seed=seed).sample(n_rows, seed=seed)


if __name__ == "__main__":
    main()
