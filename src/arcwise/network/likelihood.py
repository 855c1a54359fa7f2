"""The probability that a network gives to rows of data."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.checks import place
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.tables import configurations
from arcwise.support.errors import DataError
from arcwise.support.quoting import listed, quoted


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
    """Natural logarithm of the probability of each row."""
    codes = codes_of_nodes(dag.names, states, data)
    total = np.zeros(data.n_rows)
    for node, (parents, table) in enumerate(zip(dag.parent_indices, tables, strict=True)):
        index = configurations([codes[member] for member in (*parents, node)], table.shape, data.n_rows)
        with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
            total += np.log(table / table.sum(axis=-1, keepdims=True)).ravel()[index]
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
