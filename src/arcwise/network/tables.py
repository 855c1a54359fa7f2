"""Tables and regressions of a network's nodes: their shapes, and how they are fitted to data."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import place
from arcwise.data.dataset import Dataset
from arcwise.data.steps import Step
from arcwise.graph.dag import Dag
from arcwise.network.distributions import Distribution, Table
from arcwise.network.regressions import Moments, fitted_gaussian
from arcwise.shards.dataset import ShardedDataset
from arcwise.support.arguments import number
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.messages import Name
from arcwise.support.quoting import listed, quoted

__all__ = [
    "MAX_BYTES",
    "FamilyCounts",
    "codes_of_nodes",
    "columns_of_nodes",
    "configurations",
    "empty_codes",
    "family_shapes",
    "fitted_distributions",
    "in_states_of_network",
    "numbers_of_network",
]

MAX_BYTES = 2**31
"""What the distributions of one network may take together."""

_MAX_AXES = 32  # of an array in numpy 1; only parents with a single state come near it


def family_shapes(
    names: Sequence[str], arities: Sequence[int], parents: Sequence[Sequence[int]], *, most_bytes: int = MAX_BYTES
) -> list[tuple[int, ...]]:
    """Shape of each node's numbers: the arities of its discrete parents, then what each configuration of them needs.

    That is as many numbers as the node has states, or, for a continuous node, whose arity is 0, an intercept, a
    coefficient for each continuous parent and a deviation.

    Raises
    ------
    ParameterError
        If a discrete node has a continuous parent, or if the numbers would not fit into so many bytes, with the node
        that needs most. Regressions count as what they are fitted to, a square for each configuration.
    """
    shapes, sizes = [], []
    for node, row in enumerate(parents):
        discrete = [arities[parent] for parent in row if arities[parent]]
        if arities[node] and len(discrete) < len(row):
            parent = next(parent for parent in row if not arities[parent])
            raise ParameterError(
                f"{quoted(names[node])} has states, but its parent {quoted(names[parent])} is continuous: a table has "
                "no rows for numbers. Rule such arcs out, with constraints that forbid them or a score that does, "
                f"or cut {quoted(names[parent])} into states"
            )
        width = arities[node] or len(row) - len(discrete) + 2
        shapes.append((*discrete, width))
        sizes.append(8 * math.prod(discrete) * (width if arities[node] else width**2))
    if sum(sizes) > most_bytes:
        node = max(range(len(sizes)), key=sizes.__getitem__)
        raise ParameterError(
            f"the probability tables would take {sum(sizes)} bytes, of which {sizes[node]} for {quoted(names[node])} "
            f"with its {len(parents[node])} parents; at most {most_bytes} are allowed: use fewer parents or fewer "
            "states"
        )
    for name, shape in zip(names, shapes, strict=True):
        if len(shape) > _MAX_AXES:
            raise ParameterError(
                f"{quoted(name)} has {len(shape) - 1} parents; a table can have at most {_MAX_AXES - 1}"
            )
    return shapes


def empty_codes(n_rows: int, arities: Sequence[int]) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
    """Column-major array for the codes of variables with these arities, in the smallest type that holds them."""
    if max(arities) <= 256:
        return np.empty((n_rows, len(arities)), dtype=np.uint8, order="F")
    return np.empty((n_rows, len(arities)), dtype=np.uint16, order="F")


def configurations(
    columns: Sequence[npt.NDArray[np.unsignedinteger]], arities: Sequence[int], n_rows: int
) -> npt.NDArray[np.intp]:
    """For each row the position of its states in a table with these axes, the last one varying fastest."""
    index = np.zeros(n_rows, dtype=np.intp)
    for column, arity in zip(columns, arities, strict=True):
        index *= arity
        index += column
    return index


def columns_of_nodes(names: Sequence[str], data: Dataset) -> list[int]:
    """Column of the data for each node, by name; both must have the same names."""
    if not isinstance(data, Dataset):
        raise DataError(f"data must be a Dataset, not {type(data).__name__}; Dataset.of makes one")
    column = {name: index for index, name in enumerate(data.names)}
    absent = [name for name in names if name not in column]
    if absent:
        raise DataError(f"the data has no column for {listed(absent)}; its columns are {listed(data.names)}")
    extra = sorted(column.keys() - set(names), key=column.__getitem__)
    if extra:
        raise DataError(f"the columns {listed(extra)} are not nodes of the graph; leave them out of the data")
    return [column[name] for name in names]


def codes_of_nodes(
    names: Sequence[str], states: Sequence[Sequence[str]], data: Dataset
) -> list[npt.NDArray[np.uint16]]:
    """For each node the positions of the data's values in its states, matched by name and label."""
    columns = columns_of_nodes(names, data)
    data.refuse_gaps("The network")
    return [in_states_of_network(data, column, labels) for column, labels in zip(columns, states, strict=True)]


def in_states_of_network(data: Dataset, column: int, labels: Sequence[str]) -> npt.NDArray[np.uint16]:
    """Codes of a column as positions in the network's states; what is not known has the position after the last."""
    if not data.arities[column]:
        raise DataError(
            f"column {quoted(data.names[column])} holds numbers, but the network knows states of it: {listed(labels)}; "
            "cut the numbers into these states"
        )
    codes = data.codes[:, column]
    code_of = {label: code for code, label in enumerate(labels)}
    unknown = [code for code, label in enumerate(data.states[column]) if label not in code_of]
    if unknown:
        rows = np.flatnonzero(np.isin(codes, unknown))
        if rows.size:  # a state that is declared and never occurs does no harm
            label = data.states[column][int(codes[rows[0]])]
            raise DataError(
                f"{place(data.names[column], int(rows[0]))} has the state {quoted(label)}, which the network does not "
                f"know; its states are {listed(labels)}"
            )
    positions = [code_of.get(label, 0) for label in data.states[column]]
    return np.array([*positions, len(labels)], dtype=np.uint16)[codes]


def numbers_of_network(data: Dataset, column: int) -> npt.NDArray[np.float64]:
    """Numbers of a column that is continuous in the network; NaN for what is not known."""
    name = data.names[column]
    if data.arities[column]:
        raise DataError(
            f"column {quoted(name)} has states ({listed(data.states[column])}), but the network takes numbers of it: "
            f"{quoted(name)} is continuous there"
        )
    return data.numbers_of(name)


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """All that the probabilities of a graph depend on: how often each of its families was seen in each joint state.

    For continuous nodes, it is the moments of their families in each configuration of the discrete parents.

    Parameters
    ----------
    dag
        The graph.
    states
        For each node the labels of its states; none for a continuous one.
    counts
        For each node an array with one axis for each parent, in the order of `Dag.parent_indices`, and a last axis for
        the node itself; for a continuous one its `Moments`.
    steps
        How the columns of the data became states.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [0, 1], [1, 1]], names=["a", "b"])
    >>> FamilyCounts.of(Dag(["a", "b"], [("a", "b")]), data).counts[1].tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """

    dag: Dag
    states: Sequence[tuple[str, ...]]
    counts: Sequence[npt.NDArray[np.float64] | Moments]
    steps: Sequence[Step] = ()

    @classmethod
    def of(cls, dag: Dag, data: Dataset, *, most: int = MAX_BYTES // 8) -> "FamilyCounts":
        """Count the families of a graph in data; refused if there are more than `most` counts, or than memory holds."""
        states, counted = _counted(dag, data, most)
        return cls(dag, states, list(counted), data.steps)

    def __add__(self, other: "FamilyCounts") -> "FamilyCounts":
        """Return the counts of the rows of both, which are about the same graph and states.

        Examples
        --------
        >>> data = Dataset.from_codes([[0, 0], [0, 0], [0, 1], [1, 1]], names=["a", "b"])
        >>> counts = FamilyCounts.of(Dag(["a", "b"], [("a", "b")]), data)
        >>> (counts + counts).counts[1].tolist()
        [[4.0, 2.0], [0.0, 2.0]]
        """
        if self.dag != other.dag or list(map(tuple, self.states)) != list(map(tuple, other.states)):
            raise ParameterError("counts can be added where they are about the same graph and the same states")
        summed = [_sum(one, more) for one, more in zip(self.counts, other.counts, strict=True)]
        return FamilyCounts(self.dag, self.states, summed, self.steps)


def _sum(
    one: npt.NDArray[np.float64] | Moments, other: npt.NDArray[np.float64] | Moments
) -> npt.NDArray[np.float64] | Moments:
    if isinstance(one, Moments) and isinstance(other, Moments):
        return one + other
    assert isinstance(one, np.ndarray)
    assert isinstance(other, np.ndarray)
    return one + other


def fitted_distributions(
    dag: Dag, data: Dataset | FamilyCounts, *, ess: float, pseudo_count: float
) -> tuple[Sequence[tuple[str, ...]], list[Distribution]]:
    """States of each node and its distribution; see `BayesianNetwork.fit`."""
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
    fitted: list[Distribution] = []
    for name, counts in zip(dag.names, counted, strict=True):
        if isinstance(counts, Moments):
            fitted.append(fitted_gaussian(name, counts))
        else:
            fitted.append(Table(_shares(counts + (pseudo_count + ess / counts.size))))
    return states, fitted


def _counted(
    dag: Dag, data: Dataset, most: int = MAX_BYTES // 8
) -> tuple[list[tuple[str, ...]], Iterator[npt.NDArray[np.float64] | Moments]]:
    """Return the states of each node, and the counts or the moments of each family one by one."""
    columns = columns_of_nodes(dag.names, data)
    arities = [data.arities[column] for column in columns]
    shapes = family_shapes(dag.names, arities, dag.parent_indices, most_bytes=8 * most)
    counted = (
        _family(data, [columns[parent] for parent in parents], columns[node], shape)
        for node, (parents, shape) in enumerate(zip(dag.parent_indices, shapes, strict=True))
    )
    return [data.states[column] for column in columns], counted


def _family(data: Dataset, parents: list[int], child: int, shape: tuple[int, ...]) -> npt.NDArray[np.float64] | Moments:
    """Counts or moments of a family, in rows that have all of it and in which nobody has set the child."""
    if isinstance(data, ShardedDataset):
        if data.products is not None:
            return Moments.of_products(data.products, [*parents, child])
        return data.table_of(child, parents).reshape(shape).astype(np.float64)
    weights: npt.NDArray[np.generic] | None = data.weights
    kept: Any = slice(None)
    if data.interventions is not None:
        free = ~data.interventions.rows(data.names[child])
        weights = free.astype(np.float64) if weights is None else weights * free
    if data.gaps is not None:
        kept = ~data.gaps[:, [*parents, child]].any(axis=1)
        weights = None if weights is None else weights[kept]
    n_rows = len(data.codes[kept, child])
    if data.arities[child]:
        index = configurations([data.codes[kept, column] for column in (*parents, child)], shape, n_rows)
        counts = np.bincount(index, weights=weights, minlength=math.prod(shape))
        return counts.astype(np.float64, copy=False).reshape(shape)
    discrete = [data.codes[kept, parent] for parent in parents if data.arities[parent]]
    rows = configurations(discrete, shape[:-1], n_rows)
    numbers = [data.numbers_of(data.names[column])[kept] for column in (*parents, child) if not data.arities[column]]
    return Moments.of(np.column_stack(numbers), rows, shape[:-1], weights)


def _shares(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Divide counts by their sums over the last axis; uniform where there are none."""
    sums = counts.sum(axis=-1, keepdims=True)
    shares = np.full_like(counts, 1 / counts.shape[-1])
    np.divide(counts, sums, out=shares, where=sums > 0)
    return shares
