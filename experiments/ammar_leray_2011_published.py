"""What Ammar & Leray (2011, ECSQARU) print, as they print it; `ammar_leray_2011` puts ours beside it.

Table 2 calls MtMPC by another name, BTM-PC, and has no line for 300 trees.
"""

from dataclasses import dataclass
from math import ceil

__all__ = [
    "EDGES",
    "MMPC",
    "MTMPC",
    "N_VARIABLES",
    "SIZES",
    "THRESHOLD",
    "TREES",
    "Positives",
    "most_edges_per_tree",
]

# Trees, then true and false positives in per cent: without pruning, and pruned at 10 %.
_TABLE_1 = """
     50  35.29  12.78  29.11  0.31
    100  39.21  18.58  28.92  0.27
    150  40.19  21.52  28.92  0.25
    300  45.09  23.95  28.82  0.24
"""
_TABLE_2 = """
     50  43.13  11.84  30.39  0.38
    100  43.17  17.46  30.30  0.35
    150  43.13  19.87  30.29  0.33
"""


@dataclass(frozen=True)
class Positives:
    """Percentage of the true edges that were found, and of the pairs without an edge that were taken for one."""

    true: float
    false: float


#: Rows of the samples: Table 1, Table 2.
SIZES = (50, 200)

#: Sizes of mixtures (section 5.1).
TREES = (50, 100, 150, 300)

#: Share of the trees that must have an edge, where rare ones are pruned.
THRESHOLD = 0.1

N_VARIABLES = 100

#: Edges of the network that the percentages seem to come from: 35.29, 39.21, 40.19, 45.09, 1.96, 43.13 and 5.88 are 36,
#: 40, 41, 46, 2, 44 and 6 of 102, cut off after two digits; those with pruning are tenths, as of a mean of ten samples,
#: but for 30.30. (Multiples of 102 fit as well.) The paper itself does not say how many edges there were.
EDGES = 102


def _positives(table: str) -> dict[tuple[int, float], Positives]:
    found = {}
    for line in table.strip().splitlines():
        trees, *cells = line.split()
        every = list(map(float, cells))
        found[int(trees), 0.0] = Positives(*every[:2])
        found[int(trees), THRESHOLD] = Positives(*every[2:])
    return found


#: Tables 1 and 2 by rows of the samples, then by number of trees and threshold.
MTMPC: dict[int, dict[tuple[int, float], Positives]] = {50: _positives(_TABLE_1), 200: _positives(_TABLE_2)}

#: The last lines of both tables: χ² tests at 5 %.
MMPC: dict[int, Positives] = {50: Positives(1.96, 0.69), 200: Positives(5.88, 1.63)}


def most_edges_per_tree(rows: int, trees: int, n_edges: int = EDGES) -> float:
    """Return how many edges a tree can have on average, at most, if the printed percentages are right.

    An edge that stays is in every tree at most; one that is pruned, in fewer than the threshold asks for. A tree over
    100 variables has 99 edges.

    Examples
    --------
    >>> round(most_edges_per_tree(50, 50), 1)
    93.6
    """
    n_pairs = N_VARIABLES * (N_VARIABLES - 1) // 2
    every, kept = (
        (found.true * n_edges + found.false * (n_pairs - n_edges)) / 100
        for found in (MTMPC[rows][trees, 0.0], MTMPC[rows][trees, THRESHOLD])
    )
    return kept + (every - kept) * (ceil(THRESHOLD * trees) - 1) / trees
