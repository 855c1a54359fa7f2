"""The experiments of Nielsen, Kočka & Peña 2003, redone.

"On local optima in learning Bayesian networks", UAI 2003. Table 1: how often k-greedy equivalence search ends above and
below greedy equivalence search (GES, k = 1), and in how many different models; k = 0 is stochastic search (SES). Figure
1: the scores of all runs for seven values of k.

Run it from the root of the repository:

    python -m experiments.nielsen_2003                                        # a few seconds
    python -m experiments.nielsen_2003 --data ../shared/data                  # real data, too: ten seconds of one core
    python -m experiments.nielsen_2003 --data ../shared/data --plots plots    # the figure, too
    python -m experiments.nielsen_2003 --data ../shared/data --full           # 1,000 runs, as in the paper: 10 minutes
    python -m experiments.nielsen_2003 --data ../shared/data --full --boundary sampled  # as the authors' program
    python -m experiments.nielsen_2003 --data ../shared/data --runs 1000 --datasets dna plants jester   # hours

With --results FILE every finished line is kept there; when the same command is run again it is not computed again.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from arcwise import ArcwiseError
from arcwise.search.classes.kes import BOUNDARIES
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from experiments.debd import PROVEN, data_folder
from experiments.figures import can_draw
from experiments.kept import Kept
from experiments.nielsen_2003_data import SOURCES, Instance, instance
from experiments.nielsen_2003_figure import draw, print_quantiles
from experiments.nielsen_2003_published import DEGREES, FIGURE_DEGREES, RUNS
from experiments.nielsen_2003_runs import SCORES, Measured, Settings, measure, print_measured
from experiments.nielsen_2003_verdict import difference_from_truth, print_verdict

__all__ = ["figure_1", "main", "table_1"]

LARGE = ("dna", "plants", "jester")
QUICK, FULL = ("trap", "coil", "alarm-500", "nltcs"), tuple(name for name in SOURCES if name not in LARGE)
SYNTHETIC = tuple(name for name in QUICK if not SOURCES[name].is_real)
# What Figure 1 is drawn for: the paper's ALL, or what needs no data folder.
FIGURE_OF = {"full": "all-cuts", "quick": "all-cuts", "synthetic": "alarm-500"}
QUICK_RUNS = 10

TABLE_1 = (
    "Table 1: {runs} runs of KES for each k (paper: {of_paper}), {score}, {boundary} boundary. "
    "Best score; how much it is above GES; the "
    "part of the runs above and below GES, and how many different models they ended in; milliseconds of a run. Then "
    "the paper's, from 'over GES' on. Scores are natural logarithms; the paper's are decimal ones, converted here. Its "
    "samples of Alarm and Trap are others, and its real data were made discrete in other ways, so that only what is "
    "relative to GES compares."
)

FIGURE_1 = (
    "Figure 1: {runs} runs on {name} ({words}; the paper: ALL), sorted by score, relative to GES. In "
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
    if arguments.plots is not None and not can_draw():
        raise ParameterError("--plots needs matplotlib: pip install 'arcwise[bench]'")
    runs = arguments.runs if arguments.runs is not None else RUNS if arguments.full else QUICK_RUNS
    settings = Settings(
        runs=count("--runs", runs, least=1),
        score=arguments.score,
        seed=count("--seed", arguments.seed),
        workers=count("--workers", arguments.workers, least=1),
        boundary=arguments.boundary,
    )
    kept = Kept(arguments.results)
    names = arguments.datasets or {"full": FULL, "quick": QUICK, "synthetic": SYNTHETIC}[extent]
    if "table" in arguments.parts:
        table_1(folder, names, settings, kept)
    if "figure" in arguments.parts:
        name = arguments.figure_of or FIGURE_OF[extent]
        lines = figure_1(instance(name, folder, settings.seed), settings, kept)
        if arguments.plots is not None:
            path = arguments.plots / f"nielsen_2003_{name}.svg"
            draw(lines, f"{name}: {SOURCES[name].words}", path)
            console.print(f"\ndrawn: {path}")


def table_1(
    folder: Path | None, names: Sequence[str], settings: Settings, kept: Kept | None = None
) -> dict[str, list[Measured]]:
    """Run on one dataset after the other; Ctrl-C ends it with a summary of what there is."""
    asked = {"score": SCORES[settings.score], "boundary": settings.boundary}
    console.print(TABLE_1.format(runs=f"{settings.runs:,}", of_paper=f"{RUNS:,}", **asked), "\n")
    table: dict[str, list[Measured]] = {}
    notes = []
    try:
        for name in names:
            made = instance(name, folder, settings.seed)
            table[name] = measure(made, DEGREES, settings, kept)
            print_measured(made, table[name], with_headings=len(table) == 1)
            notes.append(f"{name}: {made.source.words}")
            if name in PROVEN and settings.score == "bic":
                notes.append(f"{name}: the best score of all graphs is {PROVEN[name].optimum:.1f} (proven)")
            if made.source.paper is not None and made.truth is not None:
                notes.append(difference_from_truth(made, table[name]))
    except KeyboardInterrupt:
        notes.append("interrupted")
    console.print("\n" + "\n".join(notes))
    print_verdict(table)
    return table


def figure_1(made: Instance, settings: Settings, kept: Kept | None = None) -> list[Measured]:
    """Run with all degrees of the figure, and print how the scores are spread."""
    words = FIGURE_1.format(runs=f"{settings.runs:,}", name=made.name, words=made.source.words)
    console.print(f"\n{words}\n")
    lines = measure(made, FIGURE_DEGREES, settings, kept)
    print_quantiles(lines)
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
    extent.add_argument(
        "--quick",
        action="store_true",
        help=f"{', '.join(QUICK)}, of which without a data folder {', '.join(SYNTHETIC)}; {QUICK_RUNS} runs for each "
        "k: ten seconds of one core; the default",
    )
    extent.add_argument(
        "--full", action="store_true", help=f"all but {', '.join(LARGE)}; {RUNS:,} runs for each k, as in the paper"
    )
    parser.add_argument(
        "--datasets", nargs="+", choices=SOURCES, metavar="NAME", help=f"of Table 1: {', '.join(SOURCES)}"
    )
    parser.add_argument("--figure-of", choices=SOURCES, metavar="NAME", help="the data of Figure 1")
    parser.add_argument(
        "--runs", type=int, metavar="N", help=f"for each k; {QUICK_RUNS}, and with --full {RUNS:,} as in the paper"
    )
    parser.add_argument("--boundary", choices=BOUNDARIES, default="exact", help="exact, or sampled as in the paper")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keeps finished lines, and takes them from there")
    parser.add_argument("--score", choices=tuple(SCORES), default="bic", help="bic, or bdeu with a sample size of 1")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of samples and runs")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="where the figure goes")
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="runs at a time")
    return parser


if __name__ == "__main__":
    main()
