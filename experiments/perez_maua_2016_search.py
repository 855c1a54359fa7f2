"""Tables III to V of Perez & Mauá 2016: order-based search from random orders and from those read off H*.

"Better initialization heuristics for order-based Bayesian network structure learning", JIDM 7(2), sections 6.2 to 6.4.
On the candidate sets of each selection, order-based search (two neighbours in the order change places, always the best
pair, at most 500 times) starts from many orders: random ones (RND), and those that depth-first search (DFS) and a
feedback arc set (FAS) read off the graph H* of the best parent sets. Scores are relative, (sc - sc(empty)) /
|sc(empty)|, BIC with natural logarithms over all rows. `perez_maua_2016_verdict` compares the three statistically.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import isnan
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import Budget, Dag, LocalScore, ParentSets
from arcwise.parents.selection import Limits
from arcwise.search.orders import INITIAL_ORDERS, ORDER_CLIMBS, Optimum, climb_order
from experiments.debd import DATASETS, PROVEN, load
from experiments.kept import Kept
from experiments.perez_maua_2016_published import PAPER_METHODS
from experiments.perez_maua_2016_search_published import APPROACHES, printed
from experiments.perez_maua_2016_selection import select_with_progress

__all__ = ["TABLES", "Searched", "Settings", "search_from", "tables_3_to_5"]

TABLES = dict(zip(PAPER_METHODS, ("III", "IV", "V"), strict=True))

ITERATIONS = 500  # K in the paper
OBS = replace(ORDER_CLIMBS["obs"], max_moves=ITERATIONS)

WHAT_DIFFERS = """\
What differs from the paper, whose columns are headed "paper":
- Candidate sets: the paper gave every variable 120 s on a 2.4 GHz core, this run {seconds:g} s; threads: {workers}.
  In that time sequential selection scores all small sets, the others fewer sets, but larger ones.
- {restarts} restarts, in the paper 1000. An iteration looks at all pairs of neighbours; the last one finds no better.
A star: the best of the three approaches. An exclamation mark: no graph without cycles has such a score.
"""

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Settings:
    """How much is searched: the limits of the selection, restarts of the search, its seed, and threads."""

    limits: Limits
    restarts: int = 1000
    seed: int = 1
    workers: int = 1

    def part(self, dataset: str, selection: str) -> dict[str, object]:
        """Return what the lines of one dataset and selection depend on, but for the machine."""
        about = {"tables": "3-5", "dataset": dataset, "selection": selection}
        return {**about, "limits": asdict(self.limits), "restarts": self.restarts, "seed": self.seed}


@dataclass(frozen=True)
class Searched:
    """What one approach found on the candidate sets of one selection: a line of Tables III to V.

    The first three are relative scores: the best of all restarts, the average over the restarts, and the average of the
    orders that they started from.
    """

    dataset: str
    selection: str
    approach: str
    best: float
    mean_best: float
    mean_initial: float
    mean_iterations: float
    seconds: float

    @property
    def values(self) -> tuple[float, float, float, float]:
        """What is compared, in the order of the paper's columns."""
        return self.best, self.mean_best, self.mean_initial, self.mean_iterations


def tables_3_to_5(
    folder: Path, datasets: Sequence[str], settings: Settings, results: Kept | None = None
) -> list[Searched]:
    """Select, search and print, one dataset after the other; Ctrl-C ends it with what there is.

    What the file of results has is not done again. The three approaches on the sets of one selection are one part of
    it, because sets that are selected in a limited time are not the same twice.
    """
    results = Kept(None) if results is None else results
    seconds = settings.limits.time_per_variable
    console.print(WHAT_DIFFERS.format(seconds=seconds, workers=settings.workers, restarts=settings.restarts))
    searched: list[Searched] = []
    budget = Budget()  # without limits of its own, so exhausted only by Ctrl-C
    try:
        for selection in PAPER_METHODS:
            console.print(f"Table {TABLES[selection]}: {selection} selection", style="bold")
            for dataset in datasets:
                part, made = settings.part(dataset, selection), partial(_made, folder, settings, budget)
                found = results.found(part, partial(made, dataset, selection))
                if found is None:
                    raise KeyboardInterrupt
                lines = [Searched(**values) for values in found]
                searched += lines
                print_lines(lines, with_headings=dataset == datasets[0])
            console.print()
    except KeyboardInterrupt:
        console.print(f"interrupted; lines finished: {len(searched)}")
    return searched


def _made(
    folder: Path, settings: Settings, budget: Budget, dataset: str, selection: str
) -> list[dict[str, object]] | None:
    """Return the lines of a dataset as plain values; None where Ctrl-C has cut them short."""
    lines = _search_dataset(folder, dataset, selection, settings, budget)
    return None if budget.exhausted else [asdict(line) for line in lines]


def _search_dataset(folder: Path, dataset: str, selection: str, settings: Settings, budget: Budget) -> list[Searched]:
    data = load(folder, dataset)
    score = LocalScore(data, "bic")  # a new one: no selection profits from what others had counted
    title = f"{dataset}, {selection}"
    selected = select_with_progress(score, title, selection, settings.limits, settings.workers, budget)
    empty = score.total(Dag(data.names))
    lines = []
    for at, approach in enumerate(APPROACHES):
        key = [settings.seed, DATASETS.index(dataset), PAPER_METHODS.index(selection), at]
        seeds = np.random.SeedSequence(key).generate_state(settings.restarts, np.uint64).tolist()
        begin = time.perf_counter()
        optima = search_from(selected.sets, approach, seeds, settings.workers, budget)
        seconds = time.perf_counter() - begin
        lines.append(summarised(dataset, selection, approach, optima, empty, seconds))
    return lines


def search_from(
    table: ParentSets, approach: str, seeds: Sequence[int], workers: int, budget: Budget | None = None
) -> list[Optimum]:
    """Return where order-based search ends from the initial orders of these seeds."""
    budget = budget or Budget()
    initial = INITIAL_ORDERS[APPROACHES[approach]]

    def climb(seed: int) -> Optimum:
        return climb_order(table, initial(table, seed), OBS, budget=budget)

    def climbs() -> list[Optimum]:
        with ThreadPoolExecutor(workers) as executor:
            return list(executor.map(climb, seeds))

    return budget.run(climbs)


def summarised(
    dataset: str, selection: str, approach: str, optima: Sequence[Optimum], empty: float, seconds: float
) -> Searched:
    """Return the line of the paper's table, with scores relative to that of the empty graph."""

    def relative(score: float) -> float:
        return (score - empty) / abs(empty)

    return Searched(
        dataset=dataset,
        selection=selection,
        approach=approach,
        best=relative(max(optimum.score for optimum in optima)),
        mean_best=relative(fmean(optimum.score for optimum in optima)),
        mean_initial=relative(fmean(optimum.start_score for optimum in optima)),
        mean_iterations=fmean(min(optimum.moves + 1, ITERATIONS) for optimum in optima),
        seconds=seconds,
    )


# Fixed widths, because the lines of a dataset are printed as soon as they are there.
COLUMNS = (
    ("dataset", 10),
    ("orders", 8),
    ("best", 7),
    ("paper", 7),
    ("mean", 7),
    ("paper", 7),
    ("initial", 7),
    ("paper", 7),
    ("iterations", 11),
    ("paper", 8),
    ("seconds", 7),
)


def print_lines(lines: Sequence[Searched], *, with_headings: bool) -> None:
    """Print what the three approaches found on a dataset, and under it the proven optimum where there is one."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=with_headings)
    for heading, width in COLUMNS:
        table.add_column(heading, width=width, justify="left" if heading in ("dataset", "orders") else "right")
    bests = [max(line.values[at] for line in lines) for at in range(3)] + [min(line.mean_iterations for line in lines)]
    for line in lines:
        paper = printed(line.selection, line.dataset, line.approach)
        cells = []
        for at, (ours, theirs, best) in enumerate(zip(line.values, paper, bests, strict=True)):
            text = f"{ours:.4f}" if at < 3 else f"{ours:.2f}"
            cells.append(f"*{text}" if abs(ours - best) < 1e-10 else text)
            mark = "!" if at < 3 and exceeds_optimum(line.dataset, theirs) else ""
            cells.append("?" if isnan(theirs) else f"{mark}{theirs:.4f}" if at < 3 else f"{theirs:.2f}")
        first = line.dataset if line is lines[0] else ""
        table.add_row(first, line.approach, *cells, f"{line.seconds:.1f}")
    if lines[0].dataset in PROVEN:
        table.add_row("", "optimum", f"{PROVEN[lines[0].dataset].relative_optimum:.4f}", style="dim")
    console.print(table)


def exceeds_optimum(dataset: str, relative_score: float) -> bool:
    """Whether no graph without cycles can have this score, printed with four digits, because a better one is proven.

    Examples
    --------
    >>> exceeds_optimum("nltcs", 0.4125), exceeds_optimum("nltcs", 0.3466), exceeds_optimum("plants", 0.6386)
    (True, False, False)
    """
    return dataset in PROVEN and relative_score > PROVEN[dataset].relative_optimum + 0.00005
