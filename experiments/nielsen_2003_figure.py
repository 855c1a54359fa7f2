"""Figure 1 of Nielsen, Kočka & Peña 2003: the scores of all runs, from the worst to the best, by greediness."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from experiments.figures import save
from experiments.nielsen_2003_runs import Measured

__all__ = ["draw", "print_quantiles"]

QUANTILES = {"worst": 0.0, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "best": 1.0}
POINTS = 200  # of a curve
CLOSE_UP = 0.4  # the right half of the figure shows this degree and those above

console = Console(width=112, highlight=False)


def print_quantiles(lines: Sequence[Measured]) -> None:
    """Print how far from GES the runs of each degree end."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("k", width=6, justify="right")
    for heading in (*QUANTILES, ">GES", "models"):
        table.add_column(heading, width=9, justify="right")
    for line in lines:
        if line.k < 1:
            cells = [f"{value - line.ges:+.1f}" for value in np.quantile(line.scores, list(QUANTILES.values()))]
            table.add_row(f"{line.k:g}", *cells, f"{line.better / line.runs:.1%}", str(line.models))
    console.print(table)


def draw(lines: Sequence[Measured], title: str, path: Path) -> None:
    """Draw the figure: on the left all degrees, on the right the greedy ones from nearer."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, least in zip(axes, (0.0, CLOSE_UP), strict=True):
        for at, line in enumerate(lines):
            if line.k == 1:
                axis.axhline(line.ges, color="black", label="k = 1, GES")
            elif line.k >= least:
                part_of_runs = np.linspace(0, 1, min(line.runs, POINTS))
                label = "k = 0, SES" if line.k == 0 else f"k = {line.k:g}"
                axis.plot(part_of_runs, np.quantile(line.scores, part_of_runs), color=f"C{at}", label=label)
        axis.set_xlabel("part of the runs, the worst first")
        axis.legend()
    axes[0].set_ylabel("score")
    figure.suptitle(title)
    save(figure, path)
