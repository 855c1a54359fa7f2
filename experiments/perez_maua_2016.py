"""The experiments of Perez & Mauá 2016, redone.

"Better initialization heuristics for order-based Bayesian network structure learning", JIDM 7(2). Tables I and II: how
good the candidate parent sets of each selection are. Tables III to V: order-based search among them, from random orders
and from those read off the best parent sets, with the Friedman and Nemenyi tests.

Run it from the root of the repository:

    python -m experiments.perez_maua_2016 --data ../shared/data                        # a few minutes on 2 cores
    python -m experiments.perez_maua_2016 --data ../shared/data --tables 3-5 --plots plots
    python -m experiments.perez_maua_2016 --data ../shared/data --full                 # all 20 datasets: many hours
"""

import argparse
from pathlib import Path

from arcwise import ArcwiseError
from arcwise.parents.selection import Limits
from arcwise.support.arguments import count
from arcwise.support.machine import usable_cores
from experiments import perez_maua_2016_search as search
from experiments import perez_maua_2016_selection as selection
from experiments.debd import DATASETS, data_folder
from experiments.perez_maua_2016_verdict import print_verdict

__all__ = ["main"]

QUICK_SECONDS, FULL_SECONDS = 0.05, 2.0
TABLES = ("1-2", "3-5")


def main() -> None:
    """Redo the tables for the datasets that the command line asks for."""
    arguments = _parser().parse_args()
    try:
        _run(arguments)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None


def _run(arguments: argparse.Namespace) -> None:
    folder = data_folder(arguments.data)
    restarts, workers = count("--restarts", arguments.restarts, least=1), count("--workers", arguments.workers, least=1)
    seconds = arguments.time_per_variable
    if seconds is None:
        seconds = FULL_SECONDS if arguments.full else QUICK_SECONDS
    limits = Limits(time_per_variable=seconds)
    if "1-2" in arguments.tables:
        datasets = arguments.datasets or (selection.FULL_DATASETS if arguments.full else selection.QUICK_DATASETS)
        selection.tables_1_and_2(folder, datasets, arguments.methods, limits, workers)
    if "3-5" in arguments.tables:
        datasets = arguments.datasets or (search.FULL_DATASETS if arguments.full else search.QUICK_DATASETS)
        settings = search.Settings(limits, restarts, count("--seed", arguments.seed), workers)
        print_verdict(search.tables_3_to_5(folder, datasets, settings), arguments.plots)


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
        help=f"{len(selection.QUICK_DATASETS)} datasets for Tables I and II, {len(search.QUICK_DATASETS)} for III-V; "
        f"{QUICK_SECONDS} s per variable: a few minutes on 2 cores; the default",
    )
    extent.add_argument(
        "--full",
        action="store_true",
        help=f"{len(DATASETS)} datasets, {FULL_SECONDS:g} s per variable: with 7,791 variables 4.3 hours for each "
        "selection, 17 hours for Tables I and II and 13 for III to V, divided by the number of cores",
    )
    parser.add_argument(
        "--time-per-variable", type=float, metavar="SECONDS", help="overrides that of --quick and --full"
    )
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, metavar="NAME", help=", ".join(DATASETS))
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=selection.METHODS,
        default=selection.METHODS,
        metavar="NAME",
        help=f"selections of Tables I and II: {', '.join(selection.METHODS)}",
    )
    parser.add_argument("--restarts", type=int, default=1000, metavar="N", help="of each search in Tables III to V")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the searches in Tables III to V")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="where critical difference plots go")
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="threads; one per usable core")
    return parser


if __name__ == "__main__":
    main()
