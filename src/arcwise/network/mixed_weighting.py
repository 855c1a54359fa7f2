"""Likelihood weighting as in `weighting`, for networks with continuous nodes."""

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

__all__ = ["Estimate", "MixedWeighting"]

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


@dataclass(frozen=True)
class MixedWeighting:
    """Nodes drawn with parents first; those that are known are set.

    A draw weighs as much as what is known is probable, or dense, given its parents.

    Parameters
    ----------
    nodes, distributions
        The network.
    n_draws
        How many for each row.
    budget
        What ends the work.
    """

    nodes: Nodes
    distributions: Sequence[Distribution]
    n_draws: int
    budget: Interruptible

    def estimated(self, targets: Sequence[int], known: Known, seed: int) -> tuple[list[Estimate], float]:
        """Estimate the posterior of each target in each row, and say how many draws count at least in one.

        Where no draw agrees with what is known, it is NaN. The errors are those of a ratio of two means.

        Parameters
        ----------
        targets
            The nodes to be told about.
        known
            What is known.
        seed
            Of the draws.
        """
        states = [self.nodes.states[target] for target in targets]
        found = [Estimate(*(np.full((known.n_rows, len(labels) or 2), np.nan) for _ in "ab")) for labels in states]
        fewest = float(self.n_draws)
        for row, stream in enumerate(np.random.SeedSequence(seed).spawn(known.n_rows)):
            draws, logs = self._draws(targets, known.taken(np.array([row])), np.random.default_rng(stream))
            if np.isneginf(logs).all():
                continue
            weights = np.exp(logs - logs.max())
            weights /= weights.sum()
            fewest = min(fewest, float(1 / (weights**2).sum()))
            for labels, estimate, drawn in zip(states, found, draws, strict=True):
                if labels:
                    estimate.values[row], estimate.errors[row] = _shares(drawn.astype(np.intp), weights, len(labels))
                else:
                    mean = float(weights @ drawn)
                    estimate.values[row] = mean, np.sqrt(weights @ (drawn - mean) ** 2)
                    estimate.errors[row, 0] = np.sqrt(weights**2 @ (drawn - mean) ** 2)
        return found, fewest

    def _draws(self, targets: Sequence[int], known: Known, rng: np.random.Generator) -> tuple[list[Floats], Floats]:
        """States or numbers of the targets in each draw, and the logarithms of the weights."""
        nodes, every = self.nodes, range(len(self.nodes.states))
        evidence = [node for node in every if known.is_known(nodes, node)[0] or node in known.likelihoods]
        order = _with_ancestors(nodes.dag, [*evidence, *targets])
        columns: list[list[npt.NDArray[np.generic]]] = [[] for _ in targets]
        logs = []
        for begin in range(0, self.n_draws, _DRAWS_AT_A_TIME):
            self.budget.check()
            some = min(_DRAWS_AT_A_TIME, self.n_draws - begin)
            values, total = NodeValues(nodes.arities, some), np.zeros(some)
            for node in order:
                total += self._drawn(node, known, values, rng)
            for target, column in zip(targets, columns, strict=True):
                column.append(values.codes(target) if nodes.states[target] else values.numbers([target])[:, 0])
            logs.append(total)
        return [np.concatenate(column).astype(np.float64) for column in columns], np.concatenate(logs)

    def _drawn(self, node: int, known: Known, values: NodeValues, rng: np.random.Generator) -> Floats:
        """Draw a node or set it to what is known, and return the logarithms of what that weighs."""
        distribution, is_known = self.distributions[node], bool(known.is_known(self.nodes, node)[0])
        parents = self.nodes.dag.parent_indices[node]
        rows, weights = values.configurations(parents), np.zeros(values.n_rows)
        if isinstance(distribution, Table):
            if is_known:
                code = int(known.codes[0, node])
                values.set_codes(node, np.full(values.n_rows, code, dtype=np.uint16))
                weights = distribution.logarithms().reshape(-1, distribution.shape[-1])[rows, code]
            else:
                drawn = states_at(distribution.probabilities, rows, rng.random(values.n_rows))
                values.set_codes(node, drawn.astype(np.uint16))
            if node in known.likelihoods:
                with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
                    weights = weights + np.log(known.likelihoods[node][0])[values.codes(node)]
        elif is_known:
            values.set_numbers(node, np.full(values.n_rows, known.numbers[0, self.nodes.continuous[node]]))
            weights = values.log_densities(distribution, parents, node)
        else:
            noise = rng.standard_normal(values.n_rows) * distribution.deviations.ravel()[rows]
            values.set_numbers(node, distribution.means(rows, values.numbers(parents)) + noise)
        return weights


def _shares(codes: npt.NDArray[np.intp], weights: Floats, arity: int) -> tuple[Floats, Floats]:
    """Weighted share of each state, and its standard error."""
    shares = np.bincount(codes, weights, arity).astype(np.float64)
    squares = np.bincount(codes, weights**2, arity).astype(np.float64)
    errors: Floats = np.sqrt(squares * (1 - shares) ** 2 + (squares.sum() - squares) * shares**2)
    return shares, np.maximum(errors, squares.sum())  # none is below that of a single draw that counts


def _with_ancestors(dag: Dag, nodes: Iterable[int]) -> list[int]:
    """Nodes and their ancestors, parents first."""
    found, left = set(nodes), list(nodes)
    while left:
        for parent in dag.parent_indices[left.pop()]:
            if parent not in found:
                found.add(parent)
                left.append(parent)
    return [node for node in map(dag.index, dag.topological_order()) if node in found]
