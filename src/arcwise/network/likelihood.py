"""How probable rows are in a network."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.distributions import Distribution, Table
from arcwise.network.values import NodeValues

__all__ = ["row_log_likelihoods"]


def row_log_likelihoods(
    dag: Dag, states: Sequence[Sequence[str]], distributions: Sequence[Distribution], data: Dataset
) -> npt.NDArray[np.float64]:
    """Natural logarithm of the probability, or density, of each row, given what was set in it."""
    values, made = NodeValues.of_data(dag.names, states, data, range(dag.n_nodes)), data.interventions
    total = np.zeros(data.n_rows)
    for node, (parents, distribution) in enumerate(zip(dag.parent_indices, distributions, strict=True)):
        if isinstance(distribution, Table):
            terms = distribution.logarithms().ravel()[values.configurations((*parents, node))]
        else:
            terms = values.log_densities(distribution, parents, node)
        total += terms if made is None else np.where(made.rows(dag.names[node]), 0.0, terms)
    return total
