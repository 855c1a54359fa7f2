"""Figure 5 of Vandel, Mangin & de Givry 2012: how much restarts help, from the empty graph and from random ones.

"New local move operators for learning the structure of Bayesian networks", PGM 2012, section 4.2. The figure has no
numbers, so that what the text says of it is judged instead.
"""

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console

from experiments.figures import save
from experiments.signed_ranks import BETTER, WORSE, compare_pairs
from experiments.vandel_2012_alarm import ROWS, Restarted, titled
from experiments.vandel_2012_methods import MOVES

__all__ = ["claims", "draw_figure_5", "print_figure_5"]

SIGNIFICANT = 0.05
FIGURE_5 = (
    "Figure 5: best score of r searches, mean over {samples} samples of Alarm, {rows} rows (paper: 30 samples; a "
    "picture without numbers). True network: {gold:.1f}{others}"
)

console = Console(width=120, highlight=False)


def print_figure_5(restarted: Restarted) -> None:
    """Print the numbers of the figure, and what the paper says of it."""
    samples, climbs = next(iter(restarted.climbs.values())).scores.shape
    others = "".join(f"; {name}: {fmean(scores):.1f}" for name, scores in restarted.others.items())
    title = FIGURE_5.format(samples=samples, rows=ROWS, gold=fmean(restarted.gold), others=others)
    table = titled(title)
    table.add_column("r", justify="right")
    for method, start in restarted.climbs:
        table.add_column(f"{method}\n{start}", justify="right")
    curves = {kind: line.best_of() for kind, line in restarted.climbs.items()}
    for r in (r for r in (1, 2, 3, 4, 5, 10, 20, 30, 40, 50) if r <= climbs):
        table.add_row(str(r), *(f"{curve[r - 1]:.1f}" for curve in curves.values()))
    console.print(table)
    half = 1.96 * np.std(restarted.gold, ddof=1) / sqrt(samples) if samples > 1 else float("nan")
    console.print(
        f"95 % confidence interval of a mean score (true network): ± {half:.0f} (paper: ± 30 with 30 samples)\n"
    )
    for words, verdict in claims(restarted):
        console.print(f"  {verdict:14} {words}")


def claims(restarted: Restarted) -> list[tuple[str, str]]:
    """Return what the paper says of Figure 5, and whether it holds by Wilcoxon's test over the samples, at 5 %.

    For r = 1 a sample's score is the mean of all its searches, which says more than that of the first.
    """
    first = {kind: line.scores.mean(axis=1).tolist() for kind, line in restarted.climbs.items()}
    last = {kind: line.scores.max(axis=1).tolist() for kind, line in restarted.climbs.items()}
    gold = list(restarted.gold)
    best, worst = ("SGS3", "empty"), ("SGS1", "random")
    found = [
        ("with r = 1, SGS3 from the empty graph is the best", [(first[best], first[at]) for at in first if at != best]),
        (
            "with r = 1, SGS1 from random graphs is the worst",
            [(first[at], first[worst]) for at in first if at != worst],
        ),
        (
            "in the end, SGS3 finds better scores than that of the true network",
            [(scores, gold) for (method, _), scores in last.items() if method == "SGS3"],
        ),
        (
            "in the end, SGS1 and SGS2 do not reach it",
            [(gold, scores) for (method, _), scores in last.items() if method != "SGS3"],
        ),
        *(
            (f"in the end, random graphs are worse for {method}", [(last[method, "empty"], last[method, "random"])])
            for method in ("SGS1", "SGS2")
        ),
        ("in the end, random graphs are of use for SGS3", [(last["SGS3", "random"], last[best])]),
    ]
    for name, scores in restarted.others.items():
        early = [line.scores[:, :3].max(axis=1).tolist() for line in restarted.climbs.values()]
        found.append((f"all beat {name} with less than four searches", [(line, list(scores)) for line in early]))
    return [(words, _verdict(pairs)) for words, pairs in found]


def _verdict(pairs: Sequence[tuple[list[float], list[float]]]) -> str:
    """Return whether in every pair the first is better."""
    signs = {compare_pairs(*pair).sign(SIGNIFICANT) for pair in pairs}
    if signs == {BETTER}:
        return "holds"
    return "does not hold" if WORSE in signs else "undecided"


def draw_figure_5(restarted: Restarted, path: Path) -> None:
    """Draw the figure to a file (PNG, SVG or PDF)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot(xlabel="restarts r", ylabel="best BDeu score, mean over the samples")
    colours = dict(zip(MOVES, ("tab:blue", "tab:green", "tab:red"), strict=True))
    for (method, start), line in restarted.climbs.items():
        curve = line.best_of()
        style = "-" if start == "empty" else "--"
        axes.plot(np.arange(1, curve.size + 1), curve, style, color=colours[method], label=f"{method}, {start} graph")
    axes.axhline(fmean(restarted.gold), linestyle="-.", color="black", label="true network")
    for name, scores in restarted.others.items():
        axes.axhline(fmean(scores), linestyle=":", color="black", label=name)
    axes.legend()
    save(figure, path)
