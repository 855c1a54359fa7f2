"""Networks and samples for the experiments of Ammar & Leray 2011, and what is measured on each.

"Mixture of Markov trees for Bayesian network structure learning with small datasets in high dimensional space",
ECSQARU 2011, section 5.1: 100 binary variables, graphs by the method of Ide, Cozman & Ramos 2004.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

import numpy as np

from arcwise import BayesianNetwork, Dataset
from arcwise.simulation.random import random_network_of_bounded_width
from experiments.ammar_leray_2011_published import EDGES, N_VARIABLES, Positives

__all__ = ["Edge", "Extent", "Sample", "Spread", "edges_of", "on_all_samples", "positives"]

Edge = frozenset[str]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Extent:
    """How many networks of how many variables, arcs at most and which width, and how many samples of each.

    The paper gives the number of variables and of samples (10 of each network and size), nothing else: not how many
    networks there are, how many arcs they have, nor how wide the graphs may be.
    """

    networks: int = 10
    samples: int = 10
    n_variables: int = N_VARIABLES
    max_arcs: int = EDGES
    max_width: int = 3
    seed: int = 1
    workers: int = 1


@dataclass(frozen=True)
class Sample:
    """Some rows, and the network that they come from."""

    truth: BayesianNetwork
    data: Dataset
    seed: int

    @property
    def true_edges(self) -> frozenset[Edge]:
        """Pairs of variables with an arc between them, in whichever direction."""
        return frozenset(frozenset(pair) for pair in self.truth.dag.skeleton)


@dataclass(frozen=True)
class Spread:
    """A mean, and its standard error, for which each network counts once: samples of one are not independent.

    Examples
    --------
    >>> print(Spread.of([[1.0, 3.0], [4.0, 6.0], [3.0, 4.0]]))
    3.50 ± 0.87
    """

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[Sequence[float]]) -> "Spread":
        """Return that of some values, a line for each network."""
        means = np.array([fmean(line) for line in values])
        error = float(means.std(ddof=1)) / len(means) ** 0.5 if len(means) > 1 else float("nan")
        return cls(float(means.mean()), error)

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if np.isnan(self.error) else f"{self.mean:.2f} ± {self.error:.2f}"


def on_all_samples(extent: Extent, rows: int, measure: Callable[[Sample], Found]) -> list[list[Found]]:
    """Return what is measured, a line for each network with one entry for each of its samples.

    The networks are the same for all numbers of rows.
    """
    with ThreadPoolExecutor(max_workers=extent.workers) as executor:
        lines = executor.map(lambda number: _on_samples(extent, number, rows, measure), range(extent.networks))
        return list(lines)


def _on_samples(extent: Extent, number: int, rows: int, measure: Callable[[Sample], Found]) -> list[Found]:
    for_network, *seeds = (
        int(child.generate_state(1)[0])
        for child in np.random.SeedSequence([extent.seed, number]).spawn(1 + extent.samples)
    )
    truth = random_network_of_bounded_width(
        extent.n_variables, extent.max_width, max_arcs=extent.max_arcs, seed=for_network
    )
    return [measure(Sample(truth, truth.sample(rows, seed=seed + rows), seed)) for seed in seeds]


def edges_of(neighbours: Mapping[str, Collection[str]]) -> frozenset[Edge]:
    """Return the pairs of neighbours.

    Examples
    --------
    >>> sorted(map(sorted, edges_of({"a": {"b"}, "b": {"a", "c"}, "c": {"b"}})))
    [['a', 'b'], ['b', 'c']]
    """
    return frozenset(frozenset((name, other)) for name, others in neighbours.items() for other in others)


def positives(true: frozenset[Edge], found: frozenset[Edge], n_variables: int) -> Positives:
    """Return what the paper measures: true positives of the true edges, false ones of the pairs without an edge.

    Examples
    --------
    >>> true, found = ({frozenset(pair) for pair in pairs} for pairs in (("ab", "bc"), ("ba", "ac", "ad")))
    >>> positives(true, found, 4)
    Positives(true=50.0, false=50.0)
    """
    n_pairs = n_variables * (n_variables - 1) // 2
    return Positives(100 * len(found & true) / max(len(true), 1), 100 * len(found - true) / max(n_pairs - len(true), 1))
