"""Slow, obvious twins of what networks with continuous nodes compute."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.stats import multivariate_normal

from arcwise.network import BayesianNetwork, ConditionalGaussian, Table

Floats = npt.NDArray[np.float64]


def configuration(network: BayesianNetwork, node: int, states: dict[int, int]) -> tuple[int, ...]:
    """States of the discrete parents of a node, by index."""
    return tuple(states[parent] for parent in network.dag.parent_indices[node] if network.states[parent])


def joint_gaussian(network: BayesianNetwork, states: dict[int, int]) -> tuple[list[int], Floats, Floats]:
    """Continuous nodes, their means and covariances given the states of the discrete ones: x = a + B x + noise."""
    nodes = [node for node, labels in enumerate(network.states) if not labels]
    b, a, variances = np.zeros((len(nodes), len(nodes))), np.zeros(len(nodes)), np.zeros(len(nodes))
    for row, node in enumerate(nodes):
        found, place = network.distributions[node], configuration(network, node, states)
        assert isinstance(found, ConditionalGaussian)
        a[row], variances[row] = found.intercepts[place], found.deviations[place] ** 2
        parents = [parent for parent in network.dag.parent_indices[node] if parent in nodes]
        for parent, coefficient in zip(parents, found.coefficients[place], strict=True):
            b[row, nodes.index(parent)] = coefficient
    inverse = np.linalg.inv(np.eye(len(nodes)) - b)
    return nodes, inverse @ a, inverse @ np.diag(variances) @ inverse.T


def log_density(network: BayesianNetwork, states: dict[int, int], numbers: dict[int, float]) -> float:
    """Logarithm of the probability of some states times the density of the numbers given these."""
    total = 0.0
    for node, found in enumerate(network.distributions):
        if isinstance(found, Table):
            total += float(np.log(found.probabilities[(*configuration(network, node, states), states[node])]))
    nodes, mean, covariance = joint_gaussian(network, states)
    if nodes:
        total += float(multivariate_normal.logpdf([numbers[node] for node in nodes], mean, covariance))
    return total


def posterior(network: BayesianNetwork, states: dict[int, int], numbers: dict[int, float], target: int) -> list[float]:
    """Probability of each state of a discrete node, given all others: its share of the joint density."""
    logarithms = np.array(
        [log_density(network, {**states, target: state}, numbers) for state in range(len(network.states[target]))]
    )
    shares = np.exp(logarithms - logarithms.max())
    return list(shares / shares.sum())


def conditional(
    network: BayesianNetwork, states: dict[int, int], numbers: dict[int, float], target: int
) -> tuple[float, float]:
    """Mean and standard deviation of a continuous node, by conditioning the joint Gaussian of all of them."""
    nodes, mean, covariance = joint_gaussian(network, states)
    one, others = nodes.index(target), [row for row, node in enumerate(nodes) if node != target]
    weights = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, one])
    away = np.array([numbers[nodes[row]] for row in others]) - mean[others]
    variance = covariance[one, one] - weights @ covariance[others, one]
    return float(mean[one] + weights @ away), float(np.sqrt(variance))


def regressions(
    discrete: Floats, arities: list[int], continuous: Floats, child: Floats
) -> dict[tuple[int, ...], Floats]:
    """Least squares of each configuration that has two rows for each number: intercept, coefficients, deviation."""
    found = {}
    for place in product(*map(range, arities)):
        rows = np.flatnonzero((discrete == np.array(place)).all(axis=1))
        if len(rows) >= 2 * (continuous.shape[1] + 2):
            design = np.column_stack([np.ones(len(rows)), continuous[rows]])
            solution = np.linalg.lstsq(design, child[rows], rcond=None)[0]
            residuals = child[rows] - design @ solution
            found[place] = np.array([*solution, np.sqrt((residuals**2).mean())])
    return found


@dataclass(frozen=True)
class Answers:
    """All there is to know of a network in one row: each configuration of its states, and the Gaussian in it."""

    states: list[dict[int, int]]
    weights: Floats  # joint probability of the states with what is known
    means: list[dict[int, float]]
    covariances: list[dict[tuple[int, int], float]]

    def probabilities(self, nodes: list[int], arities: list[int]) -> Floats:
        """Joint probabilities of the states of some nodes."""
        table: Floats = np.zeros(arities)
        for states, weight in zip(self.states, self.weights, strict=True):
            table[tuple(states[node] for node in nodes)] += weight
        table /= table.sum()
        return table

    def moments(self, nodes: list[int]) -> tuple[Floats, Floats]:
        """Means and covariances of some continuous nodes: of a mixture."""
        shares = self.weights / self.weights.sum()
        each = np.array([[means[node] for node in nodes] for means in self.means])
        mean = shares @ each
        covariance = np.zeros((len(nodes), len(nodes)))
        for share, row, within in zip(shares, each, self.covariances, strict=True):
            covariance += share * np.array([[within[a, b] for b in nodes] for a in nodes])
            covariance += share * np.outer(row - mean, row - mean)
        return mean, covariance


def enumerated(
    network: BayesianNetwork,
    codes: dict[int, int],
    numbers: dict[int, float],
    soft: dict[int, list[float]] | None = None,
) -> Answers:
    """Every configuration of the discrete nodes that agrees with what is known, one by one."""
    found = Answers([], np.array([]), [], [])
    weights = []
    for place in product(*(range(len(labels)) if labels else [0] for labels in network.states)):
        states = {node: place[node] for node, labels in enumerate(network.states) if labels}
        if any(states[node] != code for node, code in codes.items()):
            continue
        weight = 1.0
        for node, distribution in enumerate(network.distributions):
            if isinstance(distribution, Table):
                row = distribution.probabilities[configuration(network, node, states)]
                weight *= float(row[states[node]] / row.sum())
        for node, likelihoods in (soft or {}).items():
            weight *= likelihoods[states[node]]
        nodes, mean, covariance = joint_gaussian(network, states)
        seen = [row for row, node in enumerate(nodes) if node in numbers]
        left = [row for row, node in enumerate(nodes) if node not in numbers]
        if seen:
            values = np.array([numbers[nodes[row]] for row in seen])
            block = covariance[np.ix_(seen, seen)]
            weight *= float(multivariate_normal.pdf(values, mean[seen], block))
            gain = np.linalg.solve(block, covariance[np.ix_(seen, left)]).T
            after = mean[left] + gain @ (values - mean[seen])
            within = covariance[np.ix_(left, left)] - gain @ covariance[np.ix_(seen, left)]
        else:
            after, within = mean[left], covariance[np.ix_(left, left)]
        names = [nodes[row] for row in left]
        found.states.append(states)
        found.means.append(dict(zip(names, after.tolist(), strict=True)))
        found.covariances.append(
            {(a, b): float(within[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}
        )
        weights.append(weight)
    return Answers(found.states, np.array(weights), found.means, found.covariances)
