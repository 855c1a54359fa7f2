"""The exact posterior of one variable given all others, from its Markov blanket."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.tables import columns_of_nodes, configurations, in_states_of_network
from arcwise.support.errors import DataError
from arcwise.support.quoting import quoted

Floats = npt.NDArray[np.float64]


def posteriors(
    dag: Dag, states: Sequence[Sequence[str]], tables: Sequence[Floats], data: Dataset, target: str
) -> Floats:
    r"""Probability of each state of the target, given the rest of each row.

    Of the factors of the joint distribution only those that mention the target :math:`t` depend on its state: its own
    table, and those of its children. All others cancel:

    .. math:: P(x_t \mid x_{-t}) \propto P(x_t \mid x_{pa(t)}) \prod_{c \in ch(t)} P(x_c \mid x_{pa(c)})
    """
    node = dag.index(target)
    families = [(*dag.parent_indices[child], child) for child in sorted((node, *dag.child_indices[node]))]
    blanket = sorted({member for family in families for member in family} - {node})
    columns = columns_of_nodes(dag.names, data, predicted=target)
    codes = {member: in_states_of_network(data, columns[member], states[member]) for member in blanket}
    total = np.zeros((data.n_rows, len(states[node])))
    for family in families:
        others = [member for member in family if member != node]
        rows = configurations([codes[other] for other in others], [len(states[other]) for other in others], data.n_rows)
        factors = _by_state(tables[family[-1]], family.index(node))[rows]
        if data.interventions is not None and family[-1] != node:  # a child that was set says nothing about the target
            factors[data.interventions.rows(dag.names[family[-1]])] = 0.0
        total += factors
    return _normalised(total, target)


def _by_state(table: Floats, axis: int) -> Floats:
    """Logarithms of a table, with a column for each state of one of its axes."""
    with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
        logarithms: Floats = np.log(table / table.sum(axis=-1, keepdims=True))
    return np.moveaxis(logarithms, axis, -1).reshape(-1, table.shape[axis])


def _normalised(logarithms: Floats, target: str) -> Floats:
    """Rows as distributions, after a shift that keeps the largest of each from vanishing."""
    largest = logarithms.max(axis=1, keepdims=True)
    impossible = np.flatnonzero(np.isneginf(largest))
    if impossible.size:
        more = f" ({impossible.size} rows of {len(logarithms)} are like this)" if impossible.size > 1 else ""
        raise DataError(
            f"Row {impossible[0]} (rows count from 0) is impossible in this network, whatever {quoted(target)} is, so "
            f"that {quoted(target)} has no distribution there{more}; fit the network with a prior, as in ess=1, or "
            "leave the row out."
        )
    shares: Floats = np.exp(logarithms - largest)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
