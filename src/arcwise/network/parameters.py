"""Conditional probability tables from data: maximum likelihood, and the mean under a Dirichlet prior."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.likelihood import columns_of_nodes
from arcwise.network.tables import MAX_BYTES, configurations, table_shapes
from arcwise.support.arguments import number
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.quoting import quoted


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """All that the probabilities of a graph depend on: how often each of its families was seen in each joint state.

    Parameters
    ----------
    dag
        The graph.
    states
        For each node the labels of its states.
    counts
        For each node an array with one axis for each parent, in the order of `Dag.parent_indices`, and a last axis for
        the node itself.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [0, 1], [1, 1]], names=["a", "b"])
    >>> FamilyCounts.of(Dag(["a", "b"], [("a", "b")]), data).counts[1].tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """

    dag: Dag
    states: Sequence[tuple[str, ...]]
    counts: Sequence[npt.NDArray[np.float64]]

    @classmethod
    def of(cls, dag: Dag, data: Dataset, *, most: int = MAX_BYTES // 8) -> "FamilyCounts":
        """Count the families of a graph in data; refused if there are more than `most` counts, or than memory holds."""
        states, counted = _counted(dag, data, most)
        return cls(dag, states, list(counted))


def fitted_tables(
    dag: Dag, data: Dataset | FamilyCounts, *, ess: float, pseudo_count: float
) -> tuple[Sequence[tuple[str, ...]], list[npt.NDArray[np.float64]]]:
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
    if isinstance(data, FamilyCounts) and data.dag != dag:
        raise ParameterError("counts of families must be those of the same graph; give the data itself for another")
    states, counted = (data.states, data.counts) if isinstance(data, FamilyCounts) else _counted(dag, data)
    return states, [_distributions(counts + (pseudo_count + ess / counts.size)) for counts in counted]


def _counted(
    dag: Dag, data: Dataset, most: int = MAX_BYTES // 8
) -> tuple[list[tuple[str, ...]], Iterator[npt.NDArray[np.float64]]]:
    """Return the states of each node, and the counts of each family one by one."""
    columns = columns_of_nodes(dag.names, data)
    arities = [data.arities[column] for column in columns]
    shapes = table_shapes(dag.names, arities, dag.parent_indices, most_bytes=8 * most)
    counted = (
        _counts(data, [columns[member] for member in (*parents, node)], shape)
        for node, (parents, shape) in enumerate(zip(dag.parent_indices, shapes, strict=True))
    )
    return [data.states[column] for column in columns], counted


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
