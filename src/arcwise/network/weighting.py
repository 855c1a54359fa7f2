"""Likelihood weighting: posteriors that are estimated by draws, for networks in which exact ones take too much."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.graph.dag import Dag
from arcwise.network.distributions import Distribution, Table
from arcwise.network.interruptible import Interruptible
from arcwise.network.known import Known, Nodes
from arcwise.network.sampling import states_at
from arcwise.network.values import NodeValues

__all__ = ["Estimate", "estimated"]

Floats = npt.NDArray[np.float64]

_DRAWS_AT_A_TIME = 2**15


@dataclass(frozen=True)
class Estimate:
    """What draws say about one node.

    Parameters
    ----------
    values
        Rows by states: probabilities; or rows by two: the mean and the standard deviation of a continuous node.
    errors
        The standard error of each probability, or of the mean, in its first column.
    """

    values: Floats
    errors: Floats


def estimated(
    nodes: Nodes,
    distributions: Sequence[Distribution],
    targets: Sequence[int],
    known: Known,
    n_draws: int,
    seed: int,
    budget: Interruptible,
) -> tuple[list[Estimate], float]:
    """Estimate the posterior of each target in each row, and say how many draws count at least in one.

    Where no draw agrees with what is known, it is NaN.

    Nodes are drawn with parents first; those that are known are set, and the draw weighs as much as their probability
    given their parents (Fung and Chang 1990; Shachter and Peot 1990). The errors are those of a ratio of two means.

    Parameters
    ----------
    nodes, distributions
        The network.
    targets
        The nodes to be told about.
    known
        What is known.
    n_draws
        How many for each row.
    seed
        Of the draws.
    budget
        What ends the work.
    """
    widths = [len(nodes.states[target]) or 2 for target in targets]
    found = [Estimate(*(np.full((known.n_rows, width), np.nan) for _ in range(2))) for width in widths]
    fewest = float(n_draws)
    streams = np.random.SeedSequence(seed).spawn(known.n_rows)
    for row, stream in enumerate(streams):
        one = known.taken(np.array([row]))
        draws, logs = _draws(nodes, distributions, targets, one, n_draws, np.random.default_rng(stream), budget)
        if np.isneginf(logs).all():
            continue
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        fewest = min(fewest, float(1 / (weights**2).sum()))
        for target, estimate, drawn in zip(targets, found, draws, strict=True):
            if nodes.states[target]:
                shares, errors = _shares(drawn.astype(np.intp), weights, len(nodes.states[target]))
                estimate.values[row], estimate.errors[row] = shares, errors
            else:
                mean = float(weights @ drawn)
                estimate.values[row] = mean, np.sqrt(weights @ (drawn - mean) ** 2)
                estimate.errors[row, 0] = np.sqrt(weights**2 @ (drawn - mean) ** 2)
    return found, fewest


def _shares(codes: npt.NDArray[np.intp], weights: Floats, arity: int) -> tuple[Floats, Floats]:
    """Weighted share of each state, and its standard error."""
    shares = np.bincount(codes, weights, arity).astype(np.float64)
    squares = np.bincount(codes, weights**2, arity).astype(np.float64)
    errors: Floats = np.sqrt(squares * (1 - shares) ** 2 + (squares.sum() - squares) * shares**2)
    return shares, errors


def _draws(
    nodes: Nodes,
    distributions: Sequence[Distribution],
    targets: Sequence[int],
    known: Known,
    n_draws: int,
    rng: np.random.Generator,
    budget: Interruptible,
) -> tuple[list[Floats], Floats]:
    """States or numbers of the targets in each draw, and the logarithms of the weights."""
    every = range(len(nodes.states))
    evidence = [node for node in every if known.is_known(nodes, node)[0] or node in known.likelihoods]
    order = _with_ancestors(nodes.dag, [*evidence, *targets])
    columns: list[list[npt.NDArray[np.generic]]] = [[] for _ in targets]
    logs = []
    for begin in range(0, n_draws, _DRAWS_AT_A_TIME):
        budget.check()
        some = min(_DRAWS_AT_A_TIME, n_draws - begin)
        values, total = NodeValues(nodes.arities, some), np.zeros(some)
        for node in order:
            total += _drawn(nodes, distributions[node], node, known, values, rng)
        for target, column in zip(targets, columns, strict=True):
            column.append(values.codes(target) if nodes.states[target] else values.numbers([target])[:, 0])
        logs.append(total)
    return [np.concatenate(column).astype(np.float64) for column in columns], np.concatenate(logs)


def _drawn(
    nodes: Nodes, distribution: Distribution, node: int, known: Known, values: NodeValues, rng: np.random.Generator
) -> Floats:
    """Draw a node or set it to what is known, and return the logarithms of what that weighs."""
    parents, is_known = nodes.dag.parent_indices[node], bool(known.is_known(nodes, node)[0])
    rows, weights = values.configurations(parents), np.zeros(values.n_rows)
    if isinstance(distribution, Table):
        if is_known:
            values.set_codes(node, np.full(values.n_rows, known.codes[0, node], dtype=np.uint16))
            weights = distribution.logarithms().reshape(-1, distribution.shape[-1])[rows, known.codes[0, node]]
        else:
            drawn = states_at(distribution.probabilities, rows, rng.random(values.n_rows))
            values.set_codes(node, drawn.astype(np.uint16))
        if node in known.likelihoods:
            with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
                weights = weights + np.log(known.likelihoods[node][0])[values.codes(node)]
    elif is_known:
        values.set_numbers(node, np.full(values.n_rows, known.numbers[0, nodes.continuous[node]]))
        weights = values.log_densities(distribution, parents, node)
    else:
        noise = rng.standard_normal(values.n_rows) * distribution.deviations.ravel()[rows]
        values.set_numbers(node, distribution.means(rows, values.numbers(parents)) + noise)
    return weights


def _with_ancestors(dag: Dag, nodes: Iterable[int]) -> list[int]:
    """Nodes and their ancestors, parents first."""
    found, left = set(nodes), list(nodes)
    while left:
        for parent in dag.parent_indices[left.pop()]:
            if parent not in found:
                found.add(parent)
                left.append(parent)
    return [node for node in map(dag.index, dag.topological_order()) if node in found]
