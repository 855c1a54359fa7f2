"""Slow twins of EM: all ways to fill the gaps of a row, one by one."""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from arcwise import BayesianNetwork, Dataset

Completion = tuple[tuple[int, ...], float]


def probability(network: BayesianNetwork, row: Sequence[int]) -> float:
    """Return the probability of a complete row, whose variables are in the order of the network."""
    product = 1.0
    for node, parents in enumerate(network.dag.parent_indices):
        product *= float(network.tables[node][(*(row[parent] for parent in parents), row[node])])
    return product


def completions(network: BayesianNetwork, data: Dataset, row: int) -> tuple[list[Completion], float]:
    """Return all complete rows that agree with a row, with their posteriors, and the probability of the row."""
    codes = data.codes[row].tolist()
    choices = [range(arity) if code == arity else [code] for code, arity in zip(codes, data.arities, strict=True)]
    joint = [(filled, probability(network, filled)) for filled in itertools.product(*choices)]
    total = math.fsum(value for _, value in joint)
    return [(filled, value / total) for filled, value in joint], total


def all_completions(network: BayesianNetwork, data: Dataset) -> Iterator[tuple[int, list[Completion], float]]:
    """Give for each row that was seen its weight, its completions and its probability."""
    for row in range(data.n_rows):
        weight = 1 if data.weights is None else int(data.weights[row])
        if weight:
            yield weight, *completions(network, data, row)


def log_likelihood(network: BayesianNetwork, data: Dataset) -> float:
    """Return the logarithm of the probability of what is there."""
    return math.fsum(weight * math.log(total) for weight, _, total in all_completions(network, data))


def expected_counts(
    network: BayesianNetwork, data: Dataset, child: int, parents: Sequence[int]
) -> npt.NDArray[np.float64]:
    """Return how often each joint state of a family is expected, the child last."""
    counts = np.zeros([data.arities[v] for v in (*parents, child)])
    for weight, filled, _ in all_completions(network, data):
        for row, posterior in filled:
            counts[tuple(row[v] for v in (*parents, child))] += weight * posterior
    return counts


def expected_bic(counts: npt.NDArray[np.float64], n_observations: int) -> float:
    """Return the score of expected counts of a family, by its formula."""
    rows = counts.reshape(-1, counts.shape[-1])
    likelihood = sum(n_jk * math.log(n_jk / row.sum()) for row in rows for n_jk in row.tolist() if n_jk > 0)
    return float(likelihood - 0.5 * math.log(n_observations) * len(rows) * (counts.shape[-1] - 1))
