"""The experiments of Vandel, Mangin & de Givry 2012, redone.

"New local move operators for learning the structure of Bayesian networks", PGM 2012. Tables 2 to 4: stochastic greedy
search (SGS1, SGS2, SGS3) and look-ahead search (LAGD) on samples of four networks, compared by score and by edges.
Tables 5 and 6 and Figure 5: single searches on Alarm, restarts, and which moves are made. Tables 7 to 9: simulated gene
networks, with MMHC. Web50, which has no number: small gene networks without a filter.

Run it from the root of the repository:

    python -m experiments.vandel_2012                                  # a quarter of a minute
    python -m experiments.vandel_2012 --tables 2-4 --networks alarm insurance --rows 500 5000 --samples 100
    python -m experiments.vandel_2012 --tables 5-6 --full --figure figure_5.png
    python -m experiments.vandel_2012 --tables web50 --full
    python -m experiments.vandel_2012 --tables 2-4 --networks hailfinder --rows 500 5000 --max-degree paper
    python -m experiments.vandel_2012 --data ../shared/data --full --results full.jsonl   # as in the paper: hours

With --results, what is finished stays in a file, and a run that was interrupted is resumed by the same command.
The folder is needed for Pigs, in ``bif/pigs.bif.gz``; the other networks come with arcwise.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from arcwise import ArcwiseError
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from experiments import vandel_2012_alarm as alarm
from experiments import vandel_2012_figure as figure
from experiments import vandel_2012_networks as networks
from experiments.figures import can_draw
from experiments.kept import Kept
from experiments.vandel_2012_genes import Genes, print_tables_7_to_9, search_genes
from experiments.vandel_2012_published import MAX_DEGREE, NETWORKS, SIZES
from experiments.vandel_2012_web50 import print_web50, search_web50

__all__ = ["main"]

TABLES = ("2-4", "5-6", "7-9", "web50")
QUICK_NETWORKS, FULL_NETWORKS = tuple(name for name in NETWORKS if name != "pigs"), tuple(NETWORKS)
QUICK_SIZES, FULL_SIZES = SIZES[:1], SIZES
QUICK_SAMPLES, FULL_SAMPLES = {**dict.fromkeys(QUICK_NETWORKS, 10), "pigs": 1}, dict.fromkeys(NETWORKS, 100)
QUICK_ALARM, FULL_ALARM = (5, 10), (30, 50)  # samples, searches on each
QUICK_GENES, FULL_GENES = (20, 2), (1000, 10)  # genes, searches
QUICK_WEB50, FULL_WEB50 = (5, 2), (50, 10)  # networks, searches

console = Console(width=120, highlight=False)


def main() -> None:
    """Redo the tables that the command line asks for."""
    arguments = _parser().parse_args()
    try:
        _run(arguments)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None


def _run(arguments: argparse.Namespace) -> None:
    if arguments.figure is not None and not can_draw():
        raise ParameterError("--figure needs matplotlib: pip install 'arcwise[bench]'")
    workers, seed = count("--workers", arguments.workers, least=1), count("--seed", arguments.seed)
    kept, degrees = Kept(arguments.results), _degrees(arguments.max_degree)
    samples, asked_climbs = _given("--samples", arguments.samples), _given("--climbs", arguments.climbs)
    if "2-4" in arguments.tables:
        asked = arguments.networks or (FULL_NETWORKS if arguments.full else QUICK_NETWORKS)
        truths = {name: networks.network(name, arguments.data) for name in asked}
        sizes = arguments.rows or (FULL_SIZES if arguments.full else QUICK_SIZES)
        default = FULL_SAMPLES if arguments.full else QUICK_SAMPLES
        of_each = {name: samples or default[name] for name in truths}
        measured = networks.measure(truths, sizes, of_each, seed=seed, workers=workers, kept=kept, max_degree=degrees)
        networks.print_tables_2_to_4(measured)
    if "5-6" in arguments.tables:
        n_samples, climbs = FULL_ALARM if arguments.full else QUICK_ALARM
        truth = networks.network("alarm", None)
        alarm.print_table_5(alarm.search_once(truth, samples or n_samples, seed=seed, kept=kept), samples or n_samples)
        climbs = asked_climbs or climbs
        restarted = alarm.restart(truth, samples or n_samples, climbs, seed=seed, workers=workers, kept=kept)
        _print_restarted(restarted, arguments.figure)
    if "7-9" in arguments.tables:
        genes, climbs = FULL_GENES if arguments.full else QUICK_GENES
        genes = _given("--genes", arguments.genes, least=2) or genes
        settings = Genes(genes, asked_climbs or climbs, seed, workers, kept=kept)
        print_tables_7_to_9(search_genes(settings), settings.genes)
    if "web50" in arguments.tables:
        n_networks, climbs = FULL_WEB50 if arguments.full else QUICK_WEB50
        climbs = asked_climbs or climbs
        print_web50(search_web50(samples or n_networks, climbs=climbs, seed=seed, workers=workers, kept=kept))


def _given(option: str, value: int | None, least: int = 1) -> int | None:
    return None if value is None else count(option, value, least=least)


def _degrees(given: str | None) -> Mapping[str, int]:
    if given is None or given == "paper":
        return {} if given is None else MAX_DEGREE
    if not given.isdecimal():
        raise ParameterError.of("--max-degree", "a whole number or paper", given)
    return dict.fromkeys(NETWORKS, int(given))


def _print_restarted(restarted: alarm.Restarted, drawn: Path | None) -> None:
    alarm.print_table_6(restarted)
    figure.print_figure_5(restarted)
    if drawn is not None:
        figure.draw_figure_5(restarted, drawn)
        console.print(f"\nFigure 5 is in {drawn}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.vandel_2012",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder with bif/ and debd/ in it; by default $ARCWISE_DATA"
    )
    parser.add_argument(
        "--tables", nargs="+", choices=TABLES, default=TABLES, metavar="TABLES", help=f"{', '.join(TABLES)}; all"
    )
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK_SAMPLES['alarm']} samples of {QUICK_SIZES[0]} rows of each network but Pigs, of which --networks "
        f"takes {QUICK_SAMPLES['pigs']}; {QUICK_ALARM[0]} samples with {QUICK_ALARM[1]} searches on each for Tables 5 "
        f"and 6; {QUICK_GENES[0]} genes; {QUICK_WEB50[0]} networks for Web50: a quarter of a minute of one core; the "
        "default",
    )
    extent.add_argument(
        "--full",
        action="store_true",
        help=f"as in the paper: {FULL_SAMPLES['pigs']} samples, {FULL_ALARM[0]} for Tables 5 and 6, "
        f"{FULL_GENES[0]:,} genes, {FULL_WEB50[0]} networks for Web50. On one core Tables 2 to 4 take a minute, but "
        "hours with Pigs; Tables 5 and 6 half a minute, Web50 a minute, the genes many hours",
    )
    parser.add_argument("--samples", type=int, metavar="N", help="overrides those of --quick and --full")
    parser.add_argument(
        "--networks", nargs="+", choices=NETWORKS, metavar="NAME", help=f"{', '.join(NETWORKS)}; without Pigs if quick"
    )
    parser.add_argument(
        "--rows", nargs="+", type=int, choices=SIZES, metavar="N", help="500, 5000; if quick 500, with --full both"
    )
    parser.add_argument("--climbs", type=int, metavar="N", help="searches on each sample in Tables 5 to 9")
    parser.add_argument("--genes", type=int, metavar="N", help="in Tables 7 to 9")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="where Figure 5 goes: PNG, SVG or PDF")
    parser.add_argument(
        "--max-degree",
        metavar="N",
        help="most adjacent nodes of a node that GES may learn in Tables 2 to 4; paper: "
        f"{', '.join(f'{most} on {name}' for name, most in MAX_DEGREE.items())}; no limit",
    )
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="JSON lines: what is finished is kept there, and not done again"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the first sample")
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="threads; one per usable core")
    return parser


if __name__ == "__main__":
    main()
