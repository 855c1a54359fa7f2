"""The experiments of Lee & van Beek 2017, redone.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017. Table 1: climbs in the
insert neighbourhood. Table 4: metaheuristics over them, with the same time on each instance.

Run it from the root of the repository:

    python -m experiments.lee_vanbeek_2017 --data ../shared/data           # a few minutes on 2 cores
    python -m experiments.lee_vanbeek_2017 --data ../shared/data --full    # all instances, a minute each: hours
"""

import argparse
from collections.abc import Sequence
from math import log
from pathlib import Path

from rich.console import Console

from arcwise import ArcwiseError
from arcwise.support.arguments import count
from arcwise.support.machine import usable_cores
from experiments.debd import data_folder
from experiments.lee_vanbeek_2017_climbs import Climbed, climbs, print_climbs, print_climbs_summary
from experiments.lee_vanbeek_2017_instances import CLIMBED, MAX_PARENTS, SEARCHED, impossible_costs, instance
from experiments.lee_vanbeek_2017_published import PUBLISHED_SEARCHES
from experiments.lee_vanbeek_2017_searches import Searched, Settings, print_searched, print_searches_summary, search

__all__ = ["main", "table_1", "table_4"]

QUICK_SEARCHED = (
    "nltcs",
    "msnbc",
    "kdd",
    "plants",
    "bnetflix",
    "accidents",
    "dna",
    "kosarek",
    "diabetes-5000",
    "pigs-5000",
)
QUICK_SECONDS, FULL_SECONDS = 2.0, 60.0
QUICK_SECONDS_PER_VARIABLE, FULL_SECONDS_PER_VARIABLE = 0.1, 2.0

TABLE_1 = (
    "Table 1: climbs in the insert neighbourhood from random orders, mean of {runs} (paper: 100), one core. Under each "
    "of our instances the paper's of the same data. Scores are natural logarithms, larger is better: the paper's have "
    "their sign reversed. Its instances are other people's tables, so only the order of the columns compares, except "
    "where n and sets agree."
)

TABLE_4 = (
    "Table 4: order searches, {seconds:g} s each on one core, median of {runs} seeds (paper: 12 hours, a slower "
    "core). Our tables: independence selection, at most {parents} parents, {seconds_per_variable:g} s per variable, "
    "all rows. The paper's are other people's, made of the test rows, so absolute values do not compare, only the "
    "order of the methods does. A star: proven to be the optimum; ours over all graphs, theirs over the table. GOBNILP "
    "is only quoted. Blank: out of memory, or no data for orders."
)

console = Console(width=112, highlight=False)


def main() -> None:
    """Redo the tables that the command line asks for."""
    arguments = _parser().parse_args()
    full = arguments.full
    try:
        folder = data_folder(arguments.data)
        per_variable = FULL_SECONDS_PER_VARIABLE if full else QUICK_SECONDS_PER_VARIABLE
        runs, workers = count("--runs", arguments.runs, least=1), count("--workers", arguments.workers, least=1)
        if "1" in arguments.tables:
            table_1(folder, CLIMBED, per_variable, runs, workers)
        if "4" in arguments.tables:
            names = arguments.instances or (SEARCHED if full else QUICK_SEARCHED)
            seconds = arguments.seconds
            if seconds is None:
                seconds = FULL_SECONDS if full else QUICK_SECONDS
            table_4(folder, names, per_variable, Settings(seconds, seed=arguments.seed, workers=workers))
            print_impossible(folder)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None


def table_1(folder: Path, names: Sequence[str], seconds_per_variable: float, runs: int, workers: int) -> list[Climbed]:
    """Climb on one instance after the other; Ctrl-C ends it with a summary of what there is."""
    console.print(TABLE_1.format(runs=runs), "\n")
    climbed: list[Climbed] = []
    sizes = {}
    try:
        for name in names:
            made = instance(folder, name, seconds_per_variable, workers)
            lines = climbs(made, runs, seed=1)
            print_climbs(made, lines, with_headings=not climbed)
            climbed += lines
            sizes[name] = made.table.n_variables, made.table.n_sets
    except KeyboardInterrupt:
        console.print("interrupted")
    if climbed:
        print_climbs_summary(climbed, sizes)
    return climbed


def table_4(folder: Path, names: Sequence[str], seconds_per_variable: float, settings: Settings) -> list[Searched]:
    """Search one instance after the other; Ctrl-C ends it with a summary of what there is."""
    words = TABLE_4.format(
        seconds=settings.seconds, runs=settings.runs, parents=MAX_PARENTS, seconds_per_variable=seconds_per_variable
    )
    console.print(f"\n{words}\n")
    searched = []
    try:
        for name in names:
            made = instance(folder, name, seconds_per_variable, settings.workers)
            line = search(made, settings)
            print_searched(made, line)
            searched.append(line)
    except KeyboardInterrupt:
        console.print("interrupted")
    if searched:
        print_searches_summary(searched)
    return searched


def print_impossible(folder: Path) -> None:
    """Print which of the published costs cannot be those of the data that they are named after."""
    broken = impossible_costs(folder)
    of = sum(name.endswith(".test") for name in PUBLISHED_SEARCHES)
    console.print(
        "\nWhat cannot be right in the paper: the cost of a network is at least the number of rows times the entropy "
        f"of a row, whatever its structure. On the test rows, {len(broken)} of the {of} best costs that Table 4 prints "
        "for them are smaller. So they are not BIC scores in nats of the test rows that this collection has; those "
        "with an exclamation mark are not even in decimal logarithms."
    )
    for name, (printed, bound) in broken.items():
        mark = "!" if printed < bound / log(10) else " "
        console.print(f"{mark} {name:15} {printed:9.1f} printed, at least {bound:9.1f}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.lee_vanbeek_2017",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder with debd/ and scores/ in it; by default $ARCWISE_DATA"
    )
    parser.add_argument(
        "--tables", nargs="+", choices=("1", "4"), default=("1", "4"), metavar="TABLE", help="1 or 4; all"
    )
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick",
        action="store_true",
        help=f"{len(QUICK_SEARCHED)} instances in Table 4, {QUICK_SECONDS:g} s for each search: a few minutes on 2 "
        "cores; the default",
    )
    extent.add_argument(
        "--full",
        action="store_true",
        help=f"{len(SEARCHED)} instances, {FULL_SECONDS:g} s for each search, {FULL_SECONDS_PER_VARIABLE:g} s per "
        "variable for the tables: about 10 hours divided by the number of cores",
    )
    parser.add_argument(
        "--instances", nargs="+", choices=SEARCHED, metavar="NAME", help=f"of Table 4: {', '.join(SEARCHED)}"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="of each search in Table 4")
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="climbs in Table 1")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first of the three seeds in Table 4")
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="searches at a time")
    return parser


if __name__ == "__main__":
    main()
