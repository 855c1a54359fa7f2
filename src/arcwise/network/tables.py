"""Conditional probability tables: their shapes, how they are fitted to data, and what they say of its rows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import place
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
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
    "fitted_tables",
    "in_states_of_network",
    "row_log_likelihoods",
    "table_shapes",
]

MAX_BYTES = 2**31
"""What the tables of one network may take together."""

_MAX_AXES = 32  # of an array in numpy 1; only parents with a single state come near it


def table_shapes(
    names: Sequence[str], arities: Sequence[int], parents: Sequence[Sequence[int]], *, most_bytes: int = MAX_BYTES
) -> list[tuple[int, ...]]:
    """Shape of each node's table: the arities of its parents, then its own.

    Raises
    ------
    ParameterError
        If the tables would not fit into so many bytes, with the node that needs most.
    """
    shapes = [(*(arities[parent] for parent in row), arities[node]) for node, row in enumerate(parents)]
    sizes = [8 * math.prod(shape) for shape in shapes]
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


def columns_of_nodes(names: Sequence[str], data: Dataset, *, predicted: str | None = None) -> list[int]:
    """Column of the data for each node, by name; both must have the same names.

    Only the node that is to be predicted needs no column; without one it gets -1.
    """
    if not isinstance(data, Dataset):
        raise DataError(f"data must be a Dataset, not {type(data).__name__}; Dataset.of makes one")
    column = {name: index for index, name in enumerate(data.names)}
    absent = [name for name in names if name not in column and name != predicted]
    if absent:
        raise DataError(f"the data has no column for {listed(absent)}; its columns are {listed(data.names)}")
    extra = sorted(column.keys() - set(names), key=column.__getitem__)
    if extra:
        raise DataError(f"the columns {listed(extra)} are not nodes of the graph; leave them out of the data")
    return [column.get(name, -1) for name in names]


def codes_of_nodes(
    names: Sequence[str], states: Sequence[Sequence[str]], data: Dataset
) -> list[npt.NDArray[np.uint16]]:
    """For each node the positions of the data's values in its states, matched by name and label."""
    columns = columns_of_nodes(names, data)
    return [in_states_of_network(data, column, labels) for column, labels in zip(columns, states, strict=True)]


def row_log_likelihoods(
    dag: Dag, states: Sequence[Sequence[str]], tables: Sequence[npt.NDArray[np.float64]], data: Dataset
) -> npt.NDArray[np.float64]:
    """Natural logarithm of the probability of each row, given what was set in it."""
    codes, made = codes_of_nodes(dag.names, states, data), data.interventions
    total = np.zeros(data.n_rows)
    for node, (parents, table) in enumerate(zip(dag.parent_indices, tables, strict=True)):
        index = configurations([codes[member] for member in (*parents, node)], table.shape, data.n_rows)
        with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
            terms = np.log(table / table.sum(axis=-1, keepdims=True)).ravel()[index]
        total += terms if made is None else np.where(made.rows(dag.names[node]), 0.0, terms)
    return total


def in_states_of_network(data: Dataset, column: int, labels: Sequence[str]) -> npt.NDArray[np.uint16]:
    """Codes of a column as positions in the network's states."""
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
    return np.array([code_of.get(label, 0) for label in data.states[column]], dtype=np.uint16)[codes]


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
    """How often each joint state of some columns was seen, in rows in which the last was not set by an experimenter."""
    index = configurations([data.codes[:, column] for column in columns], shape, data.n_rows)
    weights: npt.NDArray[np.generic] | None = data.weights
    if data.interventions is not None:
        free = ~data.interventions.rows(data.names[columns[-1]])
        weights = free.astype(np.float64) if weights is None else weights * free
    counts = np.bincount(index, weights=weights, minlength=math.prod(shape))
    return counts.astype(np.float64, copy=False).reshape(shape)


def _distributions(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Divide counts by their sums over the last axis; uniform where there are none."""
    sums = counts.sum(axis=-1, keepdims=True)
    shares = np.full_like(counts, 1 / counts.shape[-1])
    np.divide(counts, sums, out=shares, where=sums > 0)
    return shares
