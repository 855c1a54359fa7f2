r"""The experiments of Perez & Mauá 2016, redone.

"Better initialization heuristics for order-based Bayesian network structure learning", JIDM 7(2). Tables I and II: how
good the candidate parent sets of each selection are. Tables III to V: order-based search among them, from random orders
and from those read off the best parent sets, with the Friedman and Nemenyi tests.

Run it from the root of the repository:

    python -m experiments.perez_maua_2016 --data ../shared/data                        # ten seconds of one core
    python -m experiments.perez_maua_2016 --data ../shared/data --tables 3-5 --restarts 100 --plots plots
    nohup python -m experiments.perez_maua_2016 --data ../shared/data --full --results perez.jsonl \
        --plots docs/results/perez-maua-2016 > perez.txt &                             # all 20 datasets: many hours

With --results, each finished part is a line of that file. After an interruption the same command resumes there, and
prints the tables, the tests and the plots of all that is finished. With --processor-time the seconds for a variable are
those that the processor works for it, so that other work on the machine takes nothing from it.
"""

import argparse
from contextlib import nullcontext
from pathlib import Path

from arcwise import ArcwiseError
from arcwise._core import ProcessorClock
from arcwise.parents.selection import Limits
from arcwise.runs.budget import timed_by
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from experiments import perez_maua_2016_search as search
from experiments import perez_maua_2016_selection as selection
from experiments.debd import DATASETS, data_folder
from experiments.kept import Kept
from experiments.perez_maua_2016_verdict import print_verdict

__all__ = ["main"]

QUICK_DATASETS = DATASETS[:4]
QUICK_SECONDS, FULL_SECONDS = 0.005, 2.0
QUICK_RESTARTS, FULL_RESTARTS = 20, 1000
QUICK_METHODS, FULL_METHODS = selection.METHODS[:-1], selection.METHODS  # there is no time for all sets
TABLES = ("1-2", "3-5")


def main() -> None:
    """Redo the tables for the datasets that the command line asks for."""
    arguments = _parser().parse_args()
    try:
        with timed_by(ProcessorClock()) if arguments.processor_time else nullcontext():
            _run(arguments)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None


def _run(arguments: argparse.Namespace) -> None:
    folder = data_folder(arguments.data)
    restarts, seconds = arguments.restarts, arguments.time_per_variable
    if restarts is None:
        restarts = FULL_RESTARTS if arguments.full else QUICK_RESTARTS
    restarts, workers = count("--restarts", restarts, least=1), count("--workers", arguments.workers, least=1)
    if arguments.processor_time and workers > 1:
        raise ParameterError("--processor-time counts the work of all threads together; add --workers 1")
    if seconds is None:
        seconds = FULL_SECONDS if arguments.full else QUICK_SECONDS
    datasets = arguments.datasets or (DATASETS if arguments.full else QUICK_DATASETS)
    limits, results = Limits(time_per_variable=seconds), Kept(arguments.results)
    if "1-2" in arguments.tables:
        methods = arguments.methods or (FULL_METHODS if arguments.full else QUICK_METHODS)
        selection.tables_1_and_2(folder, datasets, methods, limits, workers, results)
    if "3-5" in arguments.tables:
        settings = search.Settings(limits, restarts, count("--seed", arguments.seed), workers)
        searched = search.tables_3_to_5(folder, datasets, settings, results)
        print_verdict(searched, arguments.plots)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.perez_maua_2016",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder with debd/ in it; by default $ARCWISE_DATA")
    parser.add_argument(
        "--tables", nargs="+", choices=TABLES, default=TABLES, metavar="TABLES", help=f"{' or '.join(TABLES)}; all"
    )
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick",
        action="store_true",
        help=f"{len(QUICK_DATASETS)} datasets, {QUICK_SECONDS} s per variable, {QUICK_RESTARTS} restarts: ten seconds "
        "of one core; the default",
    )
    extent.add_argument(
        "--full",
        action="store_true",
        help=f"{len(DATASETS)} datasets, {FULL_SECONDS:g} s per variable, {FULL_RESTARTS:,} restarts: with 7,791 "
        "variables 4.3 hours for each selection, 17 hours for Tables I and II and 13 for III to V, divided by the "
        "number of cores",
    )
    parser.add_argument(
        "--time-per-variable", type=float, metavar="SECONDS", help="overrides that of --quick and --full"
    )
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, metavar="NAME", help=", ".join(DATASETS))
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=selection.METHODS,
        metavar="NAME",
        help=f"selections of Tables I and II: {', '.join(FULL_METHODS)}; the last one only with --full",
    )
    parser.add_argument("--restarts", type=int, metavar="N", help="of each search in Tables III to V")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="JSON lines to which every finished part is added, and whose parts are not done again",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the searches in Tables III to V")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="where critical difference plots go")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="seconds are those of the processor, for runs beside other work; one worker",
    )
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="threads; one per usable core")
    return parser


if __name__ == "__main__":
    main()
