"""The experiments of Lee & van Beek 2017, redone.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017. Table 1: climbs in the
insert neighbourhood. Tables 2 and 3: the parameters of IINOBS and MINOBS. Table 4: metaheuristics over these climbs,
with the same time on each instance, and integer programming beside them; from its searches a picture of the score by
time.

Run it from the root of the repository:

    python -m experiments.lee_vanbeek_2017 --data ../shared/data               # ten seconds of one core
    python -m experiments.lee_vanbeek_2017 --data ../shared/data --full --results lee.jsonl --plots plots    # hours

With --results FILE every finished search is kept there, and the tables that were made in the folder FILE.tables beside
it; when the same command is run again they are not computed again, so that it can be interrupted at any time. With
--processor-time the seconds of a search are those that the processor works for it, so that other work on the machine
takes nothing from it.
"""

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from math import log
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from arcwise import ArcwiseError
from arcwise._core import ProcessorClock
from arcwise.parents.selection import Limits
from arcwise.runs.budget import timed_by
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from experiments.debd import data_folder
from experiments.figures import can_draw
from experiments.kept import Kept
from experiments.lee_vanbeek_2017_climbs import Climbs, kept_climbs, print_climbs, print_climbs_summary
from experiments.lee_vanbeek_2017_curves import draw_curves
from experiments.lee_vanbeek_2017_instances import CLIMBED, MAX_PARENTS, SEARCHED, Source, impossible_costs, lazy
from experiments.lee_vanbeek_2017_parameters import GRIDS, TUNED_ON, Tuned, print_tuned, tune
from experiments.lee_vanbeek_2017_published import PUBLISHED_SEARCHES
from experiments.lee_vanbeek_2017_searches import (
    ALL_METHODS,
    Searched,
    Settings,
    print_searched,
    print_searches_summary,
    search,
)

__all__ = ["main", "table_1", "table_4", "tables_2_and_3"]

QUICK_CLIMBED = ("autos_BIC", "soybean_BIC", "tretail")
QUICK_SEARCHED = ("nltcs", "plants", "pigs-5000")


class Extent(NamedTuple):
    """How much is done: instances, sets scored for a variable, seconds for different things, and seeds."""

    climbed: Sequence[str]
    searched: Sequence[str]
    scored: int
    search: float
    setting: float
    proof: float
    seeds: int


QUICK = Extent(QUICK_CLIMBED, QUICK_SEARCHED, scored=300, search=0.1, setting=0.02, proof=0.5, seeds=1)
FULL = Extent(CLIMBED, SEARCHED, scored=50_000, search=60.0, setting=20.0, proof=600.0, seeds=3)

TABLE_1 = (
    "Table 1: climbs in the insert neighbourhood from random orders, mean of {runs} (paper: 100), one core. Under each "
    "of our instances the paper's of the same data. Scores are natural logarithms, larger is better: the paper's have "
    "their sign reversed. Its instances are other people's tables, so only the order of the columns compares, except "
    "where n and sets agree."
)

TABLES_2_AND_3 = (
    "Table {table}: parameters of {method}, one at a time changed from the paper's values. Percent above the best "
    "score of INOBS with restarts, {seconds:g} s each on one core, mean of {runs}; larger is better. The paper "
    "minimised the same mean, with ParamILS, and says that values near its own gave similar results."
)

TABLE_4 = (
    "Table 4: order searches, {seconds:g} s each on one core, median of {runs} (paper: 12 hours, a slower "
    "core). Our tables: independence selection, at most {parents} parents, {limit}, "
    "all rows. The paper's are other people's, made of the test rows, so absolute values do not compare, only the "
    "order of the methods does. A star: proven to be the best over the table, or over all graphs. IP: the integer "
    "programming of this package, whose first tenth is an order search; the paper's is GOBNILP's, only quoted. Blank: "
    "out of memory, or no data for orders."
)

console = Console(width=112, highlight=False)


def main() -> None:
    """Redo the tables that the command line asks for."""
    arguments = _parser().parse_args()
    try:
        with timed_by(ProcessorClock()) if arguments.processor_time else nullcontext():
            _run(arguments)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit("interrupted") from None


def _run(arguments: argparse.Namespace) -> None:
    folder, extent = data_folder(arguments.data), FULL if arguments.full else QUICK
    if arguments.plots is not None and not can_draw():
        raise ParameterError("--plots needs matplotlib: pip install 'arcwise[bench]'")
    runs, workers = count("--runs", arguments.runs, least=1), count("--workers", arguments.workers, least=1)
    if arguments.processor_time and workers > 1:
        raise ParameterError("--processor-time counts the work of all searches together; add --workers 1")
    seeds = extent.seeds if arguments.seeds is None else arguments.seeds
    seed, seeds = count("--seed", arguments.seed), count("--seeds", seeds, least=1)
    kept = Kept(arguments.results)
    tables = None if arguments.results is None else Path(f"{arguments.results}.tables")
    source = Source(folder, _limits(arguments, extent), workers, tables)
    if "1" in arguments.tables:
        table_1(source, arguments.climbed or extent.climbed, runs, extent.proof, kept)
    seconds = extent.setting if arguments.seconds is None else arguments.seconds
    for table in GRIDS:
        if table in arguments.tables:
            tables_2_and_3(table, source, Settings(seconds, seeds, seed, workers), kept)
    if "4" in arguments.tables:
        seconds = extent.search if arguments.seconds is None else arguments.seconds
        names = arguments.instances or extent.searched
        settings = Settings(seconds, seeds, seed, workers, arguments.methods)
        searched = table_4(source, names, settings, kept)
        print_impossible(folder)
        if arguments.plots is not None and searched:
            path = arguments.plots / "lee_vanbeek_2017_curves.svg"
            draw_curves(searched, path)
            console.print(f"\ndrawn: {path}")


def _limits(arguments: argparse.Namespace, extent: Extent) -> Limits:
    if arguments.seconds_per_variable is not None:
        return Limits(MAX_PARENTS, time_per_variable=arguments.seconds_per_variable)
    scored = extent.scored if arguments.scored_per_variable is None else arguments.scored_per_variable
    return Limits(MAX_PARENTS, time_per_variable=None, scored_per_variable=scored)


def _seeds(settings: Settings) -> str:
    return f"{settings.runs} seed{'s' if settings.runs > 1 else ''}"


def _in_words(limits: Limits) -> str:
    if limits.scored_per_variable is not None:
        return f"{limits.scored_per_variable:,} sets scored for each variable"
    return f"{limits.time_per_variable:g} s per variable"


def table_1(source: Source, names: Sequence[str], runs: int, seconds: float, kept: Kept) -> list[Climbs]:
    """Climb on one instance after the other; Ctrl-C ends it with a summary of what there is."""
    console.print(TABLE_1.format(runs=runs), "\n")
    climbed: list[Climbs] = []
    try:
        for name in names:
            climbed.append(kept_climbs(lazy(source, name), runs, seconds, kept))
            print_climbs(climbed[-1], with_headings=len(climbed) == 1)
    except KeyboardInterrupt:
        console.print("interrupted")
    if climbed:
        print_climbs_summary(climbed)
    return climbed


def tables_2_and_3(table: str, source: Source, settings: Settings, kept: Kept) -> list[Tuned]:
    """Search with other values of the parameters of one of the two tables."""
    method = GRIDS[table][0]
    words = TABLES_2_AND_3.format(table=table, method=method, seconds=settings.seconds, runs=_seeds(settings))
    console.print(f"\n{words}\n")
    tuned = tune(table, [lazy(source, name) for name in TUNED_ON], settings, kept)
    print_tuned(table, tuned)
    return tuned


def table_4(source: Source, names: Sequence[str], settings: Settings, kept: Kept) -> list[Searched]:
    """Search one instance after the other; Ctrl-C ends it with a summary of what there is."""
    words = TABLE_4.format(
        seconds=settings.seconds,
        runs=_seeds(settings),
        parents=MAX_PARENTS,
        limit=_in_words(source.limits),
    )
    console.print(f"\n{words}\n")
    searched = []
    try:
        for name in names:
            line = search(lazy(source, name), settings, kept)
            print_searched(line)
            searched.append(line)
    except KeyboardInterrupt:
        console.print("interrupted")
    if searched and set(settings.methods) == set(ALL_METHODS):
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
        "--data",
        type=Path,
        metavar="FOLDER",
        help="folder with debd/, scores/ and uci/ in it; by default $ARCWISE_DATA",
    )
    parser.add_argument(
        "--tables", nargs="+", choices=("1", "2", "3", "4"), default=("1", "2", "3", "4"), metavar="TABLE", help="all"
    )
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick",
        action="store_true",
        help=f"{len(QUICK_CLIMBED)} instances in Table 1 and {len(QUICK_SEARCHED)} in Table 4, {QUICK.scored} sets "
        f"scored for each variable of the tables, {QUICK.search:g} s for each search in Table 4 and "
        f"{QUICK.setting:g} s in Tables 2 and 3, one seed: ten seconds of one core; the default",
    )
    extent.add_argument(
        "--full",
        action="store_true",
        help=f"{len(SEARCHED)} instances, {FULL.search:g} s for each search, {FULL.scored:,} sets scored for each "
        "variable of the tables: about 10 hours divided by the number of cores",
    )
    parser.add_argument(
        "--instances", nargs="+", choices=SEARCHED, metavar="NAME", help=f"of Table 4: {', '.join(SEARCHED)}"
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=ALL_METHODS,
        default=ALL_METHODS,
        metavar="NAME",
        help=f"of Table 4: {', '.join(ALL_METHODS)}; its summary needs all of them",
    )
    parser.add_argument(
        "--climbed", nargs="+", choices=CLIMBED, metavar="NAME", help=f"of Table 1: {', '.join(CLIMBED)}"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="of each search in Tables 2 to 4")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument(
        "--scored-per-variable", type=int, metavar="N", help="sets to score for tables that are not complete"
    )
    limits.add_argument("--seconds-per-variable", type=float, metavar="S", help="the same as a time")
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="climbs in Table 1")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first of the seeds in Tables 2 to 4")
    parser.add_argument("--seeds", type=int, metavar="N", help=f"how many; {QUICK.seeds}, and with --full {FULL.seeds}")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keeps what is finished, and takes it from there")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="where the picture of Table 4's searches goes")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="seconds are those of the processor, for runs beside other work; one worker",
    )
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="searches at a time")
    return parser


if __name__ == "__main__":
    main()
