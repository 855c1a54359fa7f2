"""Table 1 of Lee & van Beek 2017: climbs in the insert neighbourhood, by which better neighbour is taken.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017, experiment 1. From random
orders, the best insertion of all is made (HCbO of Alonso-Barba et al. 2011), or the first that improves, or the best
place of the first variable that has a better one (hybrid, INOBS).
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import Budget, Status, dynamic_programming, integer_programming, ranks_of
from arcwise.search.exact.dynamic import subset_bytes
from arcwise.search.orders import climb_order
from experiments.kept import Kept
from experiments.lee_vanbeek_2017_instances import Instance, Lazy, paper_name, size_in_paper
from experiments.lee_vanbeek_2017_published import CHOICES, PUBLISHED_CLIMBS

__all__ = ["Climbed", "Climbs", "climbs", "kept_climbs", "print_climbs", "print_climbs_summary", "print_own_tables"]

CLIMB_OF_CHOICE = {"best": "hcbo", "first": "first", "hybrid": "inobs"}

# Up to this the best graph is proven by dynamic programming, which takes seconds, otherwise by integer programming.
DYNAMIC_BYTES = 2 << 30

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Climbed:
    """Average seconds and score of a climb on one instance by one choice, and the standard error of the latter."""

    instance: str
    choice: str
    seconds: float
    score: float
    error: float


@dataclass(frozen=True)
class Climbs:
    """An instance of Table 1: its size, and what was measured by each choice.

    `bound` says that no graph of the table scores more, and `best` is the best that was found besides; both are None
    where the table is not the paper's.
    """

    instance: str
    n_variables: int
    n_sets: int
    lines: tuple[Climbed, ...]
    best: float | None = None
    bound: float | None = None

    @property
    def is_own(self) -> bool:
        """Whether the table has the size of the paper's, which has the same scores then."""
        return (self.n_variables, self.n_sets) == size_in_paper(self.instance)


def kept_climbs(lazy: Lazy, runs: int, seconds: float, kept: Kept) -> Climbs:
    """Climb on an instance, and search the best graph of a table that the paper has too; or return what was kept.

    Parameters
    ----------
    lazy
        The instance.
    runs
        Climbs by each choice.
    seconds
        For the best graph and its proof.
    kept
        Where results are kept.
    """
    asked = {"table": 1, **lazy.asked}

    def measured() -> dict[str, Any]:
        made = lazy()
        lines = [asdict(line) for line in climbs(made, runs, seed=1)]
        return {"n_variables": made.table.n_variables, "n_sets": made.table.n_sets, "lines": lines}

    def proven() -> dict[str, Any]:
        table, budget = lazy().table, Budget(time_limit=seconds)
        needed = subset_bytes(table)
        is_small = needed is not None and needed <= DYNAMIC_BYTES
        result = (dynamic_programming if is_small else integer_programming)(table, seed=1, budget=budget)
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return {"best": result.score, "bound": result.bound}

    found = kept.found({**asked, "runs": runs}, measured)
    lines = tuple(Climbed(**line) for line in found["lines"])
    climbed = Climbs(lazy.name, found["n_variables"], found["n_sets"], lines)
    if not climbed.is_own:
        return climbed
    return replace(climbed, **kept.found({**asked, "proof": seconds}, proven))


def climbs(instance: Instance, runs: int, seed: int) -> list[Climbed]:
    """Climb from the same random orders by every choice, on one core."""
    table = instance.table
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(table.n_variables) for _ in range(runs)]
    climbed = []
    for choice in CHOICES:
        seconds, scores = [], []
        for at, order in enumerate(orders):
            begin = time.perf_counter()
            scores.append(climb_order(table, order, CLIMB_OF_CHOICE[choice], seed=at).score)
            seconds.append(time.perf_counter() - begin)
        error = stdev(scores) / sqrt(runs) if runs > 1 else 0.0
        climbed.append(Climbed(instance.name, choice, fmean(seconds), fmean(scores), error))
    return climbed


def print_climbs(climbed: Climbs, *, with_headings: bool) -> None:
    """Print two lines: ours and the paper's."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=with_headings)
    table.add_column("instance", width=16)
    for heading, width in (("n", 4), ("sets", 9)):
        table.add_column(heading, width=width, justify="right")
    for choice in CHOICES:
        table.add_column("ms", width=9, justify="right")
        table.add_column(choice, width=13, justify="right")
    cells = [cell for line in climbed.lines for cell in (f"{line.seconds * 1000:.2f}", f"{line.score:.1f}")]
    table.add_row(climbed.instance, str(climbed.n_variables), f"{climbed.n_sets:,}", *cells)
    name = paper_name(climbed.instance)
    n_variables, n_sets = size_in_paper(climbed.instance)
    paper = PUBLISHED_CLIMBS[name]
    cells = [
        cell for choice in CHOICES for cell in (f"{paper.seconds[choice] * 1000:.0f}", f"{-paper.costs[choice]:.1f}")
    ]
    table.add_row(f"  {name}", str(n_variables), f"{n_sets:,}", *cells, style="dim")
    console.print(table)


def print_climbs_summary(climbed: Sequence[Climbs]) -> None:
    """Print the order of the choices, ours and the paper's, and what the paper concludes."""
    ours = np.array([[line.score for line in of.lines] for of in climbed])
    seconds = np.array([[line.seconds for line in of.lines] for of in climbed])
    paper = np.array([list(PUBLISHED_CLIMBS[paper_name(of.instance)].costs.values()) for of in climbed])
    every = np.array([list(line.costs.values()) for line in PUBLISHED_CLIMBS.values()])
    console.print(
        f"\nBest mean score first, with mean ranks: {ranks_of(ours, CHOICES).in_words()}. In the paper, on the same "
        f"instances: {ranks_of(-paper, CHOICES).in_words()}; on all {len(every)}: "
        f"{ranks_of(-every, CHOICES).in_words()}."
    )
    best, hybrid = CHOICES.index("best"), CHOICES.index("hybrid")
    faster, fastest = seconds[:, best] / seconds[:, hybrid], int((seconds.argmin(axis=1) == hybrid).sum())
    times = [line.seconds for line in PUBLISHED_CLIMBS.values() if line.seconds["hybrid"] > 0]
    in_paper = [seconds["best"] / seconds["hybrid"] for seconds in times]
    console.print(
        f"Hybrid is the fastest on {fastest} of {len(climbed)} instances, {faster.min():.1f} to {faster.max():.1f} "
        f"times as fast as best; in the paper on all {len(every)}, {min(in_paper):.0f} to {max(in_paper):.0f} times."
    )
    print_own_tables(climbed)


def print_own_tables(climbed: Sequence[Climbs]) -> None:
    """Print how far the means are from the paper's where the tables are, and which of these cannot be right."""
    for of in climbed:
        if not of.is_own:
            continue
        paper = PUBLISHED_CLIMBS[paper_name(of.instance)].costs
        cells = [
            f"{line.choice} {line.score:.1f} ± {line.error:.1f} (paper {-paper[line.choice]:.1f})" for line in of.lines
        ]
        console.print(f"{of.instance} has the paper's number of sets. Mean and standard error: {', '.join(cells)}.")
        if of.best is None or of.bound is None:
            continue
        proven = of.bound <= of.best
        console.print(
            f"  The best graph found has {of.best:.2f}, "
            + ("proven to be the best of this table." if proven else f"and none has more than {of.bound:.2f}.")
        )
        # Printed with one digit, so that up to half of it may have been rounded away.
        above = [choice for choice, cost in paper.items() if -cost - 0.05 > of.bound]
        if above:
            console.print(f"  So the paper's mean cannot be that of graphs of this table: {', '.join(above)}.")
