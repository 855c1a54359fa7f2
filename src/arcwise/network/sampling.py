"""Forward sampling: every node drawn for all rows at once, after its parents."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes
from arcwise.data.interventions import Interventions
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Distribution, Table
from arcwise.network.tables import empty_codes
from arcwise.network.values import NodeValues
from arcwise.support.arguments import count, seed_sequence

__all__ = ["sampled_rows", "states_at"]

Floats = npt.NDArray[np.float64]


def sampled_rows(
    dag: Dag,
    distributions: Sequence[Distribution],
    n_rows: int,
    seed: int | None,
    interventions: Interventions | None = None,
) -> tuple[Codes, Floats | None]:
    """Codes and numbers of rows, as a `Dataset` has them.

    Where an intervention sets a node, it has any of its states, or a number of its own distribution that does not
    depend on its parents: that of a row which is drawn apart, without interventions.
    """
    n_rows = count("n_rows", n_rows, least=1)
    sequence = seed_sequence(seed)
    streams, apart = sequence.spawn(dag.n_nodes), None
    continuous = [node for node, found in enumerate(distributions) if isinstance(found, ConditionalGaussian)]
    if interventions is not None and any(interventions.rows(dag.names[node]).any() for node in continuous):
        _, apart = _drawn(dag, distributions, n_rows, sequence.spawn(dag.n_nodes))
    return _drawn(dag, distributions, n_rows, streams, interventions, apart)


def _drawn(
    dag: Dag,
    distributions: Sequence[Distribution],
    n_rows: int,
    streams: Sequence[np.random.SeedSequence],
    interventions: Interventions | None = None,
    apart: Floats | None = None,
) -> tuple[Codes, Floats | None]:
    """Codes and numbers; numbers that are set come from the rows `apart`."""
    arities = [found.shape[-1] if isinstance(found, Table) else 0 for found in distributions]
    column = {node: place for place, node in enumerate(node for node, arity in enumerate(arities) if not arity)}
    codes, numbers = empty_codes(n_rows, arities), np.empty((n_rows, len(column)), order="F")
    values = NodeValues(arities, n_rows)
    for name in dag.topological_order():
        node = dag.index(name)
        rng, parents, distribution = np.random.default_rng(streams[node]), dag.parent_indices[node], distributions[node]
        forced = None if interventions is None else interventions.rows(name)
        if isinstance(distribution, Table):
            uniform = rng.random(n_rows)
            codes[:, node] = states_at(distribution.probabilities, values.configurations(parents), uniform)
            if forced is not None:
                codes[forced, node] = (uniform[forced] * arities[node]).astype(np.intp)
            values.set_codes(node, codes[:, node])
        else:
            place, rows = column[node], values.configurations(parents)
            noise = rng.standard_normal(n_rows) * distribution.deviations.ravel()[rows]
            codes[:, node], numbers[:, place] = 0, distribution.means(rows, values.numbers(parents)) + noise
            if forced is not None and apart is not None:
                numbers[forced, place] = apart[forced, place]
            values.set_numbers(node, numbers[:, place])
    return codes, numbers if column else None


def states_at(table: Floats, rows: npt.NDArray[np.intp], uniform: Floats) -> npt.NDArray[np.intp]:
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
