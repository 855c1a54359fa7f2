"""What rows say of the nodes of a network: states or numbers."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.network.distributions import ConditionalGaussian
from arcwise.network.known import Known
from arcwise.network.tables import columns_of_nodes, configurations, in_states_of_network, numbers_of_network

__all__ = ["NodeValues"]

Floats = npt.NDArray[np.float64]


class NodeValues:
    """A column for each of some nodes: codes of the states of discrete ones, numbers of continuous ones.

    Parameters
    ----------
    arities
        The number of states of each node; 0 for a continuous one.
    n_rows
        Number of rows.
    """

    def __init__(self, arities: Sequence[int], n_rows: int) -> None:
        self._arities, self.n_rows = arities, n_rows
        self._codes: dict[int, npt.NDArray[np.unsignedinteger]] = {}
        self._numbers: dict[int, Floats] = {}

    @classmethod
    def of_data(
        cls,
        names: Sequence[str],
        states: Sequence[Sequence[str]],
        data: Dataset,
        nodes: Iterable[int],
    ) -> "NodeValues":
        """Columns of the data for some nodes, matched by name, and states by label."""
        columns = columns_of_nodes(names, data)
        values = cls(tuple(map(len, states)), data.n_rows)
        for node in nodes:
            if states[node]:
                values.set_codes(node, in_states_of_network(data, columns[node], states[node]))
            else:
                values.set_numbers(node, numbers_of_network(data, columns[node]))
        return values

    @classmethod
    def of_known(cls, states: Sequence[Sequence[str]], known: Known, nodes: Iterable[int]) -> "NodeValues":
        """Columns of some nodes, all of which are known."""
        found = cls(tuple(map(len, states)), known.n_rows)
        column = {node: place for place, node in enumerate(node for node, labels in enumerate(states) if not labels)}
        for node in nodes:
            if states[node]:
                found.set_codes(node, known.codes[:, node])
            else:
                found.set_numbers(node, known.numbers[:, column[node]])
        return found

    def set_codes(self, node: int, codes: npt.NDArray[np.unsignedinteger]) -> None:
        """Give a discrete node its states."""
        self._codes[node] = codes

    def set_numbers(self, node: int, numbers: Floats) -> None:
        """Give a continuous node its numbers."""
        self._numbers[node] = numbers

    def codes(self, node: int) -> npt.NDArray[np.unsignedinteger]:
        """States of a discrete node."""
        return self._codes[node]

    def configurations(self, nodes: Iterable[int]) -> npt.NDArray[np.intp]:
        """Position of each row in a table whose axes are the discrete ones among the nodes."""
        discrete = [node for node in nodes if self._arities[node]]
        columns = [self._codes[node] for node in discrete]
        return configurations(columns, [self._arities[node] for node in discrete], self.n_rows)

    def numbers(self, nodes: Iterable[int]) -> Floats:
        """Rows by those of the nodes that are continuous."""
        columns = [self._numbers[node] for node in nodes if not self._arities[node]]
        return np.column_stack(columns) if columns else np.zeros((self.n_rows, 0))

    def log_densities(self, gaussian: ConditionalGaussian, parents: Sequence[int], node: int) -> Floats:
        """Logarithm of the density of a continuous node in each row."""
        return gaussian.log_densities(self._numbers[node], self.configurations(parents), self.numbers(parents))
