"""The experiments of Nielsen, Kočka & Peña 2003, redone.

"On local optima in learning Bayesian networks", UAI 2003. Table 1: how often k-greedy equivalence search ends above and
below greedy equivalence search (GES, k = 1), and in how many different models; k = 0 is stochastic search (SES). Figure
1: the scores of all runs for seven values of k.

Run it from the root of the repository:

    python -m experiments.nielsen_2003 --data ../shared/data                  # two minutes on 2 cores
    python -m experiments.nielsen_2003 --data ../shared/data --plots plots    # the figure, too
    python -m experiments.nielsen_2003 --data ../shared/data --full           # larger data: an hour or two
    python -m experiments.nielsen_2003                                        # only what needs no data folder
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from arcwise import ArcwiseError
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from experiments.debd import PROVEN, data_folder
from experiments.nielsen_2003_data import SOURCES, Instance, instance
from experiments.nielsen_2003_figure import draw, has_matplotlib, print_quantiles
from experiments.nielsen_2003_published import DEGREES, FIGURE_DEGREES, RUNS
from experiments.nielsen_2003_runs import SCORES, Measured, Settings, measure, print_measured
from experiments.nielsen_2003_verdict import difference_from_truth, print_verdict

__all__ = ["figure_1", "main", "table_1"]

SYNTHETIC = tuple(name for name, source in SOURCES.items() if not source.is_real)
QUICK, FULL = (*SYNTHETIC, "nltcs"), tuple(SOURCES)
# What Figure 1 is drawn for in the place of the paper's ALL.
FIGURE_OF = {"full": "jester", "quick": "nltcs", "synthetic": "insurance"}

TABLE_1 = (
    "Table 1: {runs} runs of KES for each k (paper: {of_paper}), {score}. Best score; how much it is above GES; the "
    "part of the runs above and below GES, and how many different models they ended in; milliseconds of a run. Then "
    "the paper's, from 'over GES' on. Scores are natural logarithms; the paper's are decimal ones, converted here. Its "
    "samples of Alarm and Trap are others, so that only what is relative to GES compares."
)

FIGURE_1 = (
    "Figure 1: {runs} runs on {name} ({words}; the paper: ALL, not to be had), sorted by score, relative to GES. In "
    "the paper 22 % of the runs with k = 0.4 and 66 % of those with k = 0.8 are above GES, none with k = 0, and these "
    "end in as many models as there are runs."
)

console = Console(width=112, highlight=False)


def main() -> None:
    """Redo what the command line asks for."""
    arguments = _parser().parse_args()
    try:
        _run(arguments)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit("interrupted") from None


def _run(arguments: argparse.Namespace) -> None:
    has_folder = arguments.data is not None or bool(os.environ.get("ARCWISE_DATA"))
    folder = data_folder(arguments.data) if has_folder else None
    extent = "synthetic" if folder is None else "full" if arguments.full else "quick"
    if arguments.full and folder is None:
        raise ParameterError("--full needs a data folder: give one with --data FOLDER, or set ARCWISE_DATA")
    if arguments.plots is not None and not has_matplotlib():
        raise ParameterError("--plots needs matplotlib: pip install 'arcwise[bench]'")
    settings = Settings(
        runs=count("--runs", arguments.runs, least=1),
        score=arguments.score,
        seed=count("--seed", arguments.seed),
        workers=count("--workers", arguments.workers, least=1),
    )
    names = arguments.datasets or {"full": FULL, "quick": QUICK, "synthetic": SYNTHETIC}[extent]
    table = table_1(folder, names, settings) if "table" in arguments.parts else {}
    if "figure" in arguments.parts:
        name = arguments.figure_of or FIGURE_OF[extent]
        figure_1(instance(name, folder, settings.seed), table.get(name, ()), settings, arguments.plots)


def table_1(folder: Path | None, names: Sequence[str], settings: Settings) -> dict[str, list[Measured]]:
    """Run on one dataset after the other; Ctrl-C ends it with a summary of what there is."""
    console.print(TABLE_1.format(runs=f"{settings.runs:,}", of_paper=f"{RUNS:,}", score=SCORES[settings.score]), "\n")
    table: dict[str, list[Measured]] = {}
    notes = []
    try:
        for name in names:
            made = instance(name, folder, settings.seed)
            table[name] = measure(made, DEGREES, settings)
            print_measured(made, table[name], with_headings=len(table) == 1)
            notes.append(f"{name}: {made.source.words}")
            if name in PROVEN and settings.score == "bic":
                notes.append(f"{name}: the best score of all graphs is {PROVEN[name].optimum:.1f} (proven)")
            if made.source.paper is not None:
                notes.append(difference_from_truth(made, table[name]))
    except KeyboardInterrupt:
        notes.append("interrupted")
    console.print("\n" + "\n".join(notes))
    print_verdict(table)
    return table


def figure_1(made: Instance, known: Sequence[Measured], settings: Settings, plots: Path | None) -> list[Measured]:
    """Run with the degrees of the figure that Table 1 does not have; print how the scores are spread, and draw them."""
    words = FIGURE_1.format(runs=f"{settings.runs:,}", name=made.name, words=made.source.words)
    console.print(f"\n{words}\n")
    missing = [k for k in FIGURE_DEGREES if k not in {line.k for line in known}]
    lines = sorted((*known, *measure(made, missing, settings)), key=lambda line: line.k)
    print_quantiles(lines)
    if plots is not None:
        path = plots / f"nielsen_2003_{made.name}.svg"
        draw(lines, f"{made.name}: {made.source.words}", path)
        console.print(f"\ndrawn: {path}")
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.nielsen_2003",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder with debd/ in it; by default $ARCWISE_DATA")
    parser.add_argument(
        "--parts", nargs="+", choices=("table", "figure"), default=("table", "figure"), metavar="PART", help="both"
    )
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--quick", action="store_true", help=f"{', '.join(QUICK)}; the default")
    extent.add_argument(
        "--full", action="store_true", help=f"also {', '.join(name for name in FULL if name not in QUICK)}"
    )
    parser.add_argument("--datasets", nargs="+", choices=FULL, metavar="NAME", help=f"of Table 1: {', '.join(FULL)}")
    parser.add_argument("--figure-of", choices=FULL, metavar="NAME", help="the data of Figure 1")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help=f"for each k; {RUNS:,} as in the paper")
    parser.add_argument("--score", choices=tuple(SCORES), default="bic", help="bic, or bdeu with a sample size of 1")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of samples and runs")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="where the figure goes")
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="runs at a time")
    return parser


if __name__ == "__main__":
    main()
