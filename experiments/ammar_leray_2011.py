"""The experiments of Ammar & Leray 2011, redone.

"Mixture of Markov trees for Bayesian network structure learning with small datasets in high dimensional space", ECSQARU
2011. Tables 1 and 2: the neighbours that trees of bootstrap replicas find (MtMPC) from 50 and from 200 rows of 100
binary variables, beside those of tests of independence (MMPC). And what the paper leaves as future work: the networks
that a search among these neighbours ends with (MtMHC), beside MMHC, also with permutation tests, SGS3 and order search.

Run it from the root of the repository:

    python -m experiments.ammar_leray_2011                     # ten seconds of one core
    python -m experiments.ammar_leray_2011 --tables 1-2 --arcs 200 --width 4
    python -m experiments.ammar_leray_2011 --tables large --results large.jsonl   # 1,000 variables
    python -m experiments.ammar_leray_2011 --full              # ten samples of ten networks: five minutes or more

No data folder is needed: networks are random. What the paper leaves open, and what is done here:

- Graphs are drawn as Ide, Cozman & Ramos (2004) do, which takes a bound on the width and bounds on arcs or degrees; the
  paper gives none. Its percentages fit a graph with 102 arcs (see `ammar_leray_2011_published`); so ours have at most
  102, and width 3. The chain that draws them nearly always ends with as many arcs as it may have.
- Parameters: every distribution uniformly from all distributions. The paper refers to another one for them.
- It says that ten samples were drawn of each network and size, not of how many networks.
- An edge in exactly 10 % of the trees is kept: pruned are those "under a given percentage".
- MMPC's tests that have fewer than 5 observations per cell are not made, and do not show independence.
- Which score MMHC and MtMHC would maximise: BIC here, unless --score says otherwise.
"""

import argparse
from pathlib import Path

from rich.console import Console

from arcwise import ArcwiseError
from arcwise.scores.definitions import score_named
from arcwise.support.arguments import count
from arcwise.support.machine import usable_cores
from experiments import ammar_leray_2011_neighbours as neighbours
from experiments import ammar_leray_2011_networks as networks
from experiments.ammar_leray_2011_figures import draw_figures
from experiments.ammar_leray_2011_large import Large, learn_large, print_large
from experiments.ammar_leray_2011_published import EDGES, N_VARIABLES, SIZES
from experiments.ammar_leray_2011_samples import Extent
from experiments.kept import Kept

__all__ = ["main"]

TABLES = ("1-2", "networks", "large")
LARGE = {"quick": ((1000,), 1), "full": ((1000, 5000), 5)}  # variables, samples of each
QUICK, FULL = (2, 1), (10, 10)  # networks, samples of each

console = Console(width=120, highlight=False)


def main() -> None:
    """Redo the tables that the command line asks for."""
    arguments = _parser().parse_args()
    try:
        _run(arguments)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None


def _run(arguments: argparse.Namespace) -> None:
    n_networks, n_samples = FULL if arguments.full else QUICK
    extent = Extent(
        networks=n_networks if arguments.networks is None else count("--networks", arguments.networks, least=1),
        samples=n_samples if arguments.samples is None else count("--samples", arguments.samples, least=1),
        n_variables=count("--variables", arguments.variables, least=2),
        max_arcs=count("--arcs", arguments.arcs, least=arguments.variables - 1),
        max_width=count("--width", arguments.width, least=1),
        seed=count("--seed", arguments.seed),
        workers=count("--workers", arguments.workers, least=1),
    )
    score_named(arguments.score)
    if arguments.plots is not None:
        for path in draw_figures(arguments.plots, extent.seed):
            console.print(f"drawn: {path}")
    if "1-2" in arguments.tables:
        found = {rows: neighbours.find_neighbours(extent, rows) for rows in arguments.rows}
        neighbours.print_tables_1_and_2(found, extent)
    if "networks" in arguments.tables:
        learned = {rows: networks.learn_networks(extent, rows, arguments.score) for rows in arguments.rows}
        networks.print_networks(learned, extent, arguments.score)
    if "large" in arguments.tables:
        _run_large(arguments, extent.seed)


def _run_large(arguments: argparse.Namespace, seed: int) -> None:
    sizes, samples = LARGE["full" if arguments.full else "quick"]
    kept = Kept(arguments.results)
    for n_variables in sizes:
        for rows in arguments.rows:
            asked = Large(n_variables, rows, samples if arguments.samples is None else arguments.samples, seed=seed)
            print_large(asked, learn_large(asked, kept))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.ammar_leray_2011",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--tables",
        nargs="+",
        choices=TABLES,
        default=TABLES[:2],
        metavar="TABLES",
        help=f"{', '.join(TABLES)}; the first two",
    )
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK[0]} networks, {QUICK[1]} sample of each and size: ten seconds of one core; the default",
    )
    extent.add_argument(
        "--full",
        action="store_true",
        help=f"{FULL[0]} networks, {FULL[1]} samples of each and size: five minutes or more",
    )
    parser.add_argument("--networks", type=int, metavar="N", help="overrides those of --quick and --full")
    parser.add_argument("--samples", type=int, metavar="N", help="of each network, likewise")
    parser.add_argument("--rows", nargs="+", type=int, choices=SIZES, default=SIZES, metavar="N", help="50, 200; both")
    parser.add_argument("--variables", type=int, default=N_VARIABLES, metavar="N", help=f"{N_VARIABLES}")
    parser.add_argument("--arcs", type=int, default=EDGES, metavar="N", help=f"of a network, at most; {EDGES}")
    parser.add_argument("--width", type=int, default=3, metavar="N", help="of a network, at most; 3")
    parser.add_argument("--score", default="bic", metavar="NAME", help="that the final networks maximise; bic")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="1")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keeps finished lines of the table large")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="where Figures 1 and 2 go, on an example of ours")
    parser.add_argument("--workers", type=int, default=usable_cores(), metavar="N", help="threads; one per usable core")
    return parser


if __name__ == "__main__":
    main()
