"""Forward sampling: every node drawn for all rows at once, after its parents."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.interventions import Interventions
from arcwise.graph.dag import Dag
from arcwise.network.tables import configurations, empty_codes
from arcwise.support.arguments import count, seed_sequence


def sampled_codes(
    dag: Dag,
    tables: Sequence[npt.NDArray[np.float64]],
    n_rows: int,
    seed: int | None,
    interventions: Interventions | None = None,
) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
    """States of each node, one column each, column after column in memory; any state where an intervention sets it."""
    n_rows = count("n_rows", n_rows, least=1)
    arities = [table.shape[-1] for table in tables]
    codes = empty_codes(n_rows, arities)
    streams = seed_sequence(seed).spawn(dag.n_nodes)
    position = {name: node for node, name in enumerate(dag.names)}
    for node in map(position.__getitem__, dag.topological_order()):
        parents = dag.parent_indices[node]
        rows = configurations([codes[:, parent] for parent in parents], [arities[parent] for parent in parents], n_rows)
        uniform = np.random.default_rng(streams[node]).random(n_rows)
        codes[:, node] = _states_at(tables[node], rows, uniform)
        if interventions is not None:
            forced = interventions.rows(dag.names[node])
            codes[forced, node] = (uniform[forced] * arities[node]).astype(np.intp)
    return codes


def _states_at(
    table: npt.NDArray[np.float64], rows: npt.NDArray[np.intp], uniform: npt.NDArray[np.float64]
) -> npt.NDArray[np.intp]:
    """First state of each row's distribution whose cumulated probability is above the row's uniform number."""
    arity = table.shape[-1]
    cumulated = table.reshape(-1, arity).cumsum(axis=1)
    # Dividing by the sum makes the cumulated probability exactly 1 from the last possible state on, so that
    # a state with probability 0 never comes up.
    cumulated /= cumulated[:, -1:]
    flat = cumulated.ravel()
    first = rows * arity
    low, high = np.zeros_like(rows), np.full_like(rows, arity - 1)
    for _ in range((arity - 1).bit_length()):
        middle = (low + high) >> 1
        above = uniform >= flat[first + middle]
        low = np.where(above, middle + 1, low)
        high = np.where(above, high, middle)
    return low
