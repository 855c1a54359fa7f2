"""The tables of `benchmarks.continuous`: drawn from random networks, and known ones from R."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from arcwise import Dag
from arcwise.simulation.gaussian import random_gaussian_network, random_mixed_network

__all__ = ["Case", "Cell", "cut_case", "known_tables", "linear_case", "mixed_case"]

#: The words for the states of discrete columns, in their order: numbers would be read as continuous.
WORDS = np.array(["low", "middle", "high"])

#: The graphs that bnlearn's documentation says its tables were drawn from.
KNOWN_GRAPHS = {
    "gaussian.test": {"C": "AB", "D": "B", "F": "ADEG"},
    "clgaussian.test": {"D": "AH", "E": "BD", "F": "BC", "G": "ADEF"},
}


@dataclass(frozen=True)
class Case:
    """A table, and the graph that it was drawn from, where that is known."""

    name: str
    table: pd.DataFrame
    truth: Dag | None = None


@dataclass(frozen=True)
class Cell:
    """A size of linear Gaussian networks: nodes, mean number of neighbours, rows."""

    nodes: int
    degree: float
    rows: int

    def __str__(self) -> str:
        return f"{self.nodes:,} nodes, degree {self.degree:g}, {self.rows:,} rows"


def linear_case(cell: Cell, seed: int, weights: tuple[float, float] = (0.5, 2.0)) -> Case:
    """Draw a random linear Gaussian network with noise of variance 1, and its rows.

    Columns are standardised, as in the paper of FLOP: their scale must not tell which of two variables comes first.
    """
    n_arcs = round(cell.nodes * cell.degree / 2)
    network = random_gaussian_network(cell.nodes, n_arcs, weights=weights, deviations=(1.0, 1.0), seed=seed)
    rows = network.sample(cell.rows, seed=seed + 1_000_000).numbers
    assert rows is not None
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return Case(str(cell), pd.DataFrame(rows, columns=list(network.names)), network.dag)


def bounded_weights(degree: float) -> tuple[float, float]:
    """Return smaller weights for denser graphs, so that variances stay of one size however many nodes there are."""
    scale = max(1.0, degree / 2) ** 0.5
    return 0.5 / scale, 1.0 / scale


def mixed_case(cell: Cell, seed: int) -> Case:
    """Draw a random conditional Gaussian network, half of whose nodes are discrete with 2 or 3 states, and its rows."""
    n_arcs = round(cell.nodes * cell.degree / 2)
    network = random_mixed_network(
        cell.nodes, n_arcs, max_parents=3, arities=range(2, 4), alpha=3.0, weights=(0.4, 1.2), seed=seed
    )
    data = network.sample(cell.rows, seed=seed + 1_000_000)
    columns = {
        name: WORDS[data.codes[:, v]] if data.arities[v] else data.numbers_of(name) for v, name in enumerate(data.names)
    }
    return Case(f"mixed, {cell}", pd.DataFrame(columns), network.dag)


def cut_case(cell: Cell, seed: int) -> Case:
    """Draw a random linear Gaussian network and its rows, with every other column cut into thirds.

    Here a discrete variable may have continuous parents, as it may in most real tables.
    """
    case = linear_case(cell, seed, bounded_weights(cell.degree))
    columns = {
        name: WORDS[np.searchsorted(np.quantile(case.table[name], [1 / 3, 2 / 3]), case.table[name])]
        for name in case.table.columns[::2]
    }
    return Case(f"cut, {cell}", case.table.assign(**columns), case.truth)


def known_tables(scratch: Path) -> Iterator[Case]:
    """Return gaussian.test and clgaussian.test of bnlearn, and birthwt of MASS, as far as R has them."""
    script = Path(__file__).with_name("continuous_tables.R")
    subprocess.run(["Rscript", str(script), str(scratch)], check=True, capture_output=True)
    for name in ("gaussian.test", "clgaussian.test", "birthwt"):
        file = scratch / f"{name}.csv"
        if file.exists():
            table = pd.read_csv(file)
            table = table.astype({name: float for name in table.columns if is_numeric_dtype(table[name])})
            graph = KNOWN_GRAPHS.get(name)
            arcs = [(parent, child) for child, parents in (graph or {}).items() for parent in parents]
            yield Case(name, table, None if graph is None else Dag(list(table.columns), arcs))
