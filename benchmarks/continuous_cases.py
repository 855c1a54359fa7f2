"""The tables of `benchmarks.continuous`: drawn from random networks, and known ones from R."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from arcwise import Dag
from arcwise.simulation.random import random_dag
from benchmarks.linear_networks import random_linear_network

__all__ = ["Case", "Cell", "known_tables", "linear_case", "mixed_case"]

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
    """Draw a random linear Gaussian network and its rows.

    Columns are standardised, as in the paper of FLOP: their scale must not tell which of two variables comes first.
    """
    network = random_linear_network(cell.nodes, round(cell.nodes * cell.degree / 2), weights=weights, seed=seed)
    rows = network.sample(cell.rows, seed=seed + 1_000_000)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return Case(str(cell), pd.DataFrame(rows, columns=list(network.dag.names)), network.dag)


def bounded_weights(degree: float) -> tuple[float, float]:
    """Return smaller weights for denser graphs, so that variances stay of one size however many nodes there are."""
    scale = max(1.0, degree / 2) ** 0.5
    return 0.5 / scale, 1.0 / scale


def mixed_case(name: str, n_nodes: int, n_rows: int, seed: int) -> Case:
    """Draw a random conditional Gaussian network, half of whose nodes are discrete, and its rows.

    The first half in an order of the graph is discrete, with 2 or 3 states; others have a regression for each
    configuration of their discrete parents.
    """
    dag = random_dag(n_nodes, n_nodes * 3 // 2, max_parents=3, seed=seed)
    rng = np.random.default_rng(seed)
    order = dag.topological_order()
    arities = {node: int(rng.integers(2, 4)) for node in order[: n_nodes // 2]}
    columns: dict[str, np.ndarray] = {}
    for node in order:
        discrete = [parent for parent in dag.parents(node) if parent in arities]
        configuration = np.zeros(n_rows, dtype=np.intp)
        for parent in discrete:
            configuration = configuration * arities[parent] + columns[parent]
        n_configurations = int(np.prod([arities[parent] for parent in discrete], dtype=np.intp))
        if node in arities:
            tables = np.cumsum(rng.dirichlet(np.full(arities[node], 3.0), size=n_configurations), axis=1)
            columns[node] = np.sum(rng.random(n_rows)[:, None] > tables[configuration, :-1], axis=1)
            continue
        columns[node] = rng.normal(0, 1.5, size=n_configurations)[configuration]
        for parent in dag.parents(node):
            if parent not in arities:
                weights = rng.uniform(0.4, 1.2, size=n_configurations) * rng.choice([-1, 1], size=n_configurations)
                columns[node] = columns[node] + weights[configuration] * columns[parent]
        noise = rng.uniform(0.5, 1.5, size=n_configurations)
        columns[node] = columns[node] + noise[configuration] * rng.normal(size=n_rows)
    words = np.array(["low", "middle", "high"])
    table = pd.DataFrame({node: words[columns[node]] if node in arities else columns[node] for node in dag.names})
    return Case(name, table, dag)


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
