"""The random linear Gaussian networks of FLOP's paper, as `benchmarks.continuous` draws them.

`arcwise.simulation.gaussian` has those of the package, which are `BayesianNetwork` objects.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.graph.dag import Dag
from arcwise.simulation.random import random_dag
from arcwise.support.arguments import count, number, seed_sequence
from arcwise.support.errors import ParameterError

__all__ = ["LinearNetwork", "random_linear_network"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearNetwork:
    r"""A graph with a linear regression for each node.

    .. math:: X_i = a_i + \sum_{j \to i} b_{ji} X_j + s_i \varepsilon_i, \quad \varepsilon_i \sim N(0, 1)

    Attributes
    ----------
    dag
        The graph.
    coefficients
        b, for each node an array in the order of its ``dag.parent_indices``.
    intercepts
        a, for each node.
    standard_deviations
        s, for each node: of its noise.

    Examples
    --------
    >>> network = random_linear_network(20, 30, seed=1)
    >>> network.sample(100, seed=1).shape
    (100, 20)
    """

    dag: Dag
    coefficients: tuple[Floats, ...]
    intercepts: Floats
    standard_deviations: Floats

    def sample(self, n_rows: int, *, seed: int | None = None) -> Floats:
        """Draw independent rows.

        Parameters
        ----------
        n_rows
            How many.
        seed
            Same seed, same rows; None draws one.

        Returns
        -------
        ndarray
            A column for each node, in the graph's order; each column is contiguous in memory.
        """
        n_rows = count("n_rows", n_rows, least=0)
        rng = np.random.default_rng(seed_sequence(seed))
        rows = np.empty((n_rows, self.dag.n_nodes), order="F")
        for node in map(self.dag.index, self.dag.topological_order()):
            column = rng.normal(self.intercepts[node], self.standard_deviations[node], size=n_rows)
            for parent, weight in zip(self.dag.parent_indices[node], self.coefficients[node].tolist(), strict=True):
                column += weight * rows[:, parent]
            rows[:, node] = column
        return rows


def random_linear_network(
    n_nodes: int,
    n_arcs: int,
    *,
    weights: tuple[float, float] = (0.5, 2.0),
    noise: tuple[float, float] = (1.0, 1.0),
    seed: int | None = None,
) -> LinearNetwork:
    """Network of `random_dag` with random weights; intercepts are 0.

    Weights do not depend on the number of parents, so variances grow along paths: in large or dense graphs take smaller
    weights, or the noise of late nodes is lost among rounding errors.

    Parameters
    ----------
    n_nodes, n_arcs
        Size of the graph.
    weights
        Smallest and largest size of a coefficient: sizes are uniform between them, signs are random.
    noise
        Smallest and largest standard deviation of a node's noise, uniform between them.
    seed
        Same seed, same network; None draws one.

    Raises
    ------
    ParameterError
        If no graph has that many arcs, or a range is not one.

    Examples
    --------
    >>> random_linear_network(20, 30, weights=(0.3, 0.8), noise=(0.5, 2), seed=1).dag
    <Dag: 20 nodes, 30 arcs>
    """
    smallest, largest = _range("weights", weights)
    quietest, loudest = _range("noise", noise)
    for_graph, for_numbers = seed_sequence(seed).generate_state(2, np.uint64).tolist()
    dag = random_dag(n_nodes, n_arcs, seed=for_graph)
    rng = np.random.default_rng(for_numbers)
    sizes = rng.uniform(smallest, largest, size=dag.n_arcs) * rng.choice([-1.0, 1.0], size=dag.n_arcs)
    ends = np.cumsum([len(row) for row in dag.parent_indices])
    return LinearNetwork(
        dag,
        tuple(np.split(sizes, ends[:-1])),
        np.zeros(dag.n_nodes),
        rng.uniform(quietest, loudest, size=dag.n_nodes),
    )


def _range(name: str, ends: tuple[float, float]) -> tuple[float, float]:
    """Two numbers above 0, the smaller one first."""
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise ParameterError.of(name, "two numbers, the smaller one first", ends) from None
    low, high = number(name, low, positive=True), number(name, high, positive=True)
    if low > high:
        raise ParameterError.of(name, "two numbers, the smaller one first", (low, high))
    return low, high
