r"""What initial orders and neighbourhoods do together: a run that Perez & Mauá 2016 do not have.

Mean scores of single climbs, by swaps of neighbours in the order (OBS) and by insertions (INOBS), from random orders
and from those that a feedback arc set reads off the best parent sets (FAS), on the same tables of candidate parent
sets. Run it from the root of the repository:

    python -m experiments.perez_maua_2016_climbs --data ../shared/data
"""

import argparse
from pathlib import Path
from statistics import fmean

import numpy as np

from arcwise import LocalScore
from arcwise.parents.selection import Limits, select
from arcwise.search.orders import INITIAL_ORDERS, climb_order
from arcwise.support.arguments import count
from arcwise.support.errors import ArcwiseError
from experiments import pages
from experiments.debd import DATASETS, data_folder, load

__all__ = ["COMPARED", "climbed", "main"]

MAX_PARENTS = 6

#: The climb and the initial order of each column.
COMPARED = {
    "swaps, random": ("obs", "random"),
    "swaps, FAS": ("obs", "fas"),
    "insertions, random": ("inobs", "random"),
    "insertions, FAS": ("inobs", "fas"),
}


def climbed(folder: Path, name: str, scored: int, climbs: int, seed: int) -> dict[str, float]:
    """Return the mean score of the climbs by column, all from the same seeds.

    Parameters
    ----------
    folder
        What `experiments.debd.data_folder` returns.
    name
        The dataset.
    scored
        How many sets independence selection scores for each variable.
    climbs
        How many there are in each column.
    seed
        Of the seeds of the climbs.
    """
    limits = Limits(MAX_PARENTS, time_per_variable=None, scored_per_variable=scored)
    table = select(LocalScore(load(folder, name), "bic"), method="independence", limits=limits, workers=1).sets
    seeds = np.random.SeedSequence(seed).generate_state(climbs).tolist()
    return {
        column: fmean(climb_order(table, INITIAL_ORDERS[start](table, own), climb, seed=own).score for own in seeds)
        for column, (climb, start) in COMPARED.items()
    }


def main() -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.perez_maua_2016_climbs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder with debd/ in it; by default $ARCWISE_DATA")
    quick = ("nltcs", "plants", "dna")
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=quick, metavar="NAME", help=", ".join(quick))
    parser.add_argument("--scored", type=int, default=500, metavar="N", help="sets scored for each variable; 500")
    parser.add_argument("--climbs", type=int, default=20, metavar="N", help="in each column; 20")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="1")
    arguments = parser.parse_args()
    try:
        scored, climbs = (count(f"--{name}", getattr(arguments, name), least=1) for name in ("scored", "climbs"))
        folder, seed = data_folder(arguments.data), count("--seed", arguments.seed)
        rows = []
        for name in arguments.datasets:
            found = climbed(folder, name, scored, climbs, seed)
            rows.append([name, *(pages.number(found[column], 0) for column in COMPARED)])
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None
    print("\n".join(pages.table(["data", *COMPARED], rows)))


if __name__ == "__main__":
    main()
