"""Conditional probability tables from data: maximum likelihood, and the mean under a Dirichlet prior."""

import math

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.likelihood import columns_of_nodes
from arcwise.network.tables import configurations, table_shapes
from arcwise.support.arguments import number
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.quoting import quoted


def fitted_tables(
    dag: Dag, data: Dataset, *, ess: float, pseudo_count: float
) -> tuple[list[tuple[str, ...]], list[npt.NDArray[np.float64]]]:
    """States of each node and its table; see `BayesianNetwork.fit`."""
    ess, pseudo_count = number("ess", ess), number("pseudo_count", pseudo_count)
    if ess > 0 and pseudo_count > 0:
        raise ParameterError(
            "give ",
            Name("ess"),
            " or ",
            Name("pseudo_count"),
            f", not both (they are {quoted(ess)} and {quoted(pseudo_count)})",
        )
    columns = columns_of_nodes(dag.names, data)
    arities = [data.arities[column] for column in columns]
    shapes = table_shapes(dag.names, arities, dag.parent_indices)
    tables = []
    for node, (parents, shape) in enumerate(zip(dag.parent_indices, shapes, strict=True)):
        counts = _counts(data, [columns[member] for member in (*parents, node)], shape)
        counts += pseudo_count + ess / counts.size
        tables.append(_distributions(counts))
    return [data.states[column] for column in columns], tables


def _counts(data: Dataset, columns: list[int], shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """How often each joint state of some columns was seen."""
    index = configurations([data.codes[:, column] for column in columns], shape, data.n_rows)
    counts = np.bincount(index, weights=data.weights, minlength=math.prod(shape))
    return counts.astype(np.float64, copy=False).reshape(shape)


def _distributions(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Divide counts by their sums over the last axis; uniform where there are none."""
    sums = counts.sum(axis=-1, keepdims=True)
    shares = np.full_like(counts, 1 / counts.shape[-1])
    np.divide(counts, sums, out=shares, where=sums > 0)
    return shares
