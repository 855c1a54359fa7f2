"""Table 1 of Lee & van Beek 2017: climbs in the insert neighbourhood, by which better neighbour is taken.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017, experiment 1. From random
orders, the best insertion of all is made (HCbO of Alonso-Barba et al. 2011), or the first that improves, or the best
place of the first variable that has a better one (hybrid, INOBS).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import ranks_of
from arcwise.search.orders import climb_order
from experiments.lee_vanbeek_2017_instances import Instance, paper_name, size_in_paper
from experiments.lee_vanbeek_2017_published import CHOICES, PUBLISHED_CLIMBS

__all__ = ["Climbed", "climbs", "print_climbs", "print_climbs_summary"]

CLIMB_OF_CHOICE = {"best": "hcbo", "first": "first", "hybrid": "inobs"}

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Climbed:
    """Average seconds and score of a climb on one instance by one choice, and the standard error of the latter."""

    instance: str
    choice: str
    seconds: float
    score: float
    error: float


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


def print_climbs(instance: Instance, climbed: Sequence[Climbed], *, with_headings: bool) -> None:
    """Print two lines: ours and the paper's."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=with_headings)
    table.add_column("instance", width=16)
    for heading, width in (("n", 4), ("sets", 9)):
        table.add_column(heading, width=width, justify="right")
    for choice in CHOICES:
        table.add_column("ms", width=9, justify="right")
        table.add_column(choice, width=13, justify="right")
    cells = [cell for line in climbed for cell in (f"{line.seconds * 1000:.2f}", f"{line.score:.1f}")]
    table.add_row(instance.name, str(instance.table.n_variables), f"{instance.table.n_sets:,}", *cells)
    name = paper_name(instance.name)
    n_variables, n_sets = size_in_paper(instance.name)
    paper = PUBLISHED_CLIMBS[name]
    cells = [
        cell for choice in CHOICES for cell in (f"{paper.seconds[choice] * 1000:.0f}", f"{-paper.costs[choice]:.1f}")
    ]
    table.add_row(f"  {name}", str(n_variables), f"{n_sets:,}", *cells, style="dim")
    console.print(table)


def print_climbs_summary(climbed: Sequence[Climbed], sizes: dict[str, tuple[int, int]]) -> None:
    """Print the order of the choices, ours and the paper's, and what the paper concludes.

    Parameters
    ----------
    climbed
        What was measured, all choices of an instance one after the other.
    sizes
        Variables and sets of our instances; where they are the paper's, so are the scores.
    """
    names = list(dict.fromkeys(line.instance for line in climbed))
    ours = np.array([line.score for line in climbed]).reshape(len(names), len(CHOICES))
    seconds = np.array([line.seconds for line in climbed]).reshape(len(names), len(CHOICES))
    paper = np.array([list(PUBLISHED_CLIMBS[paper_name(name)].costs.values()) for name in names])
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
        f"Hybrid is the fastest on {fastest} of {len(names)} instances, {faster.min():.1f} to {faster.max():.1f} times "
        f"as fast as best; in the paper on all {len(every)}, {min(in_paper):.0f} to {max(in_paper):.0f} times."
    )
    for name in names:
        if sizes[name] == size_in_paper(name):
            lines = [line for line in climbed if line.instance == name]
            cells = [
                f"{line.choice} {line.score:.1f} ± {line.error:.1f} (paper "
                f"{-PUBLISHED_CLIMBS[paper_name(name)].costs[line.choice]:.1f})"
                for line in lines
            ]
            console.print(f"{name} is the paper's own table. Mean and standard error: {', '.join(cells)}.")
