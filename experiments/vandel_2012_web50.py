"""The end of section 4.3 of Vandel, Mangin & de Givry 2012: small gene networks, without a filter.

"New local move operators for learning the structure of Bayesian networks", PGM 2012: 50 networks of 50 genes and 50
arcs (Web50 of the Artificial Gene Networks), 500 rows of each, searched as in section 4.1. The paper says in words that
SGS3 is significantly better than GES and LAGD by score, and slightly by the distance of (precision, recall) from the
origin. These networks are simulated by `arcwise.simulation.genes`, with as many genes and arcs.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import LocalScore
from arcwise.simulation.genes import simulate_genes
from experiments.kept import Kept
from experiments.signed_ranks import compare_pairs
from experiments.vandel_2012_genes import distance
from experiments.vandel_2012_methods import CLIMBS, METHODS, SCORE, constraints_of

__all__ = ["COMPARED", "Network", "print_web50", "search_web50"]

GENES, ARCS_PER_GENE, ROWS = 50, 1.0, 500
SIGNIFICANT = 0.05

#: SGS3, and what it is compared with.
COMPARED = ("SGS3", "GES", "LAGD")

TITLE = (
    "Web50: {networks} simulated gene networks (paper: 50) of {genes} genes and {arcs:.0f} arcs on average, {rows} "
    "rows, without a filter. Is SGS3 better (+), worse (-) or neither (~)? One-sided Wilcoxon test at 5 %; the paper's "
    "signs are its words, that SGS3 was significantly better by score and slightly by distance."
)

console = Console(width=120, highlight=False)


@dataclass(frozen=True)
class Network:
    """What was found on one network: its edges, and by method the score and the distance of (precision, recall)."""

    edges: int
    scores: Mapping[str, float]
    distances: Mapping[str, float]


def search_web50(
    networks: int, *, climbs: int = CLIMBS, seed: int = 1, workers: int = 1, kept: Kept | None = None
) -> list[Network]:
    """Simulate networks, each from a seed of its own, and search them with every method.

    Parameters
    ----------
    networks
        How many.
    climbs
        Searches of SGS3 and LAGD; the best counts.
    seed
        What the seeds of the networks come from.
    workers
        Networks that are searched at a time.
    kept
        What is known from earlier runs.
    """
    known = Kept() if kept is None else kept

    def searched(number: int) -> Network:
        found = known.found(
            {"table": "web50", "number": number, "climbs": climbs, "seed": seed}, lambda: _search(number, climbs, seed)
        )
        return Network(**found)

    with ThreadPoolExecutor(max_workers=workers) as executor:
        return list(executor.map(searched, range(networks)))


def _search(number: int, climbs: int, seed: int) -> dict[str, Any]:
    (own,) = np.random.SeedSequence([seed, GENES, ROWS, number]).generate_state(1).tolist()
    experiment = simulate_genes(GENES, ROWS, arcs_per_gene=ARCS_PER_GENE, seed=own)
    truth = {frozenset(arc) for arc in experiment.arcs}
    data = experiment.data()
    score = LocalScore(data, SCORE)
    dags = {method: METHODS[method](data, constraints_of(method), climbs, own).dag for method in COMPARED}
    return {
        "edges": len(truth),
        "scores": {method: score.total(dag) for method, dag in dags.items()},
        "distances": {method: distance(truth, {frozenset(arc) for arc in dag.arcs}) for method, dag in dags.items()},
    }


def print_web50(found: Sequence[Network]) -> None:
    """Print how SGS3 compares with the others, beside the paper's words."""
    arcs = fmean(network.edges for network in found)
    title = TITLE.format(networks=len(found), genes=GENES, arcs=arcs, rows=ROWS)
    console.print(f"\n{title}\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("", "mean score", "SGS3 less it", "by score", "mean distance", "by distance"):
        table.add_column(heading, justify="right" if heading else "left")
    for method in COMPARED:
        score, near = (_column(found, method, kind) for kind in ("scores", "distances"))
        cells = ["", "", ""]
        if method != COMPARED[0]:
            best, nearest = (_column(found, COMPARED[0], kind) for kind in ("scores", "distances"))
            cells = [
                f"{fmean(best) - fmean(score):+.1f}",
                f"{compare_pairs(best, score).sign(SIGNIFICANT)} / +",
                f"{compare_pairs(nearest, near).sign(SIGNIFICANT)} / slightly better",
            ]
        table.add_row(method, f"{fmean(score):.1f}", *cells[:2], f"{fmean(near):.3f}", cells[2])
    console.print(table)


def _column(found: Sequence[Network], method: str, kind: str) -> list[float]:
    return [getattr(network, kind)[method] for network in found]
