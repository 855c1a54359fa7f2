"""What is to be expected in the gaps of a table, given a network: the E-step of EM."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian
from arcwise.network.network import BayesianNetwork
from arcwise.network.regressions import Moments
from arcwise.network.tables import MAX_BYTES, FamilyCounts, columns_of_nodes, family_shapes
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.machine import available_memory, gigabytes
from arcwise.support.messages import Setting
from arcwise.support.quoting import quoted

__all__ = ["DiscreteExpectation", "EStep", "Expectation", "GaussianExpectation"]

Floats = npt.NDArray[np.float64]

#: Joint states of gaps that depend on each other, up to which all are kept.
MOST_CELLS = 4096
# Of the memory that is available, what posteriors may take.
_SHARE_OF_MEMORY = 0.5
# What is added to the correlations where they have no inverse.
_RIDGE = 1e-9


class Expectation(ABC):
    """What a network says about the gaps of a table.

    Attributes
    ----------
    log_likelihood
        Natural logarithm of the probability, or density, of what is there.
    n_drawn_rows
        Rows whose gaps depend on each other in so many joint states that only some of them, drawn from all, are kept.
    """

    log_likelihood: float
    n_drawn_rows: int

    @abstractmethod
    def families(self, dag: Dag) -> FamilyCounts:
        """Return the expected counts, or moments, of the families of any graph: what its parameters are fitted to."""

    @abstractmethod
    def completed(self, seed: int) -> Dataset:
        """Return the table with each gap filled by a draw from what is known of it, given its row."""


@dataclass(frozen=True, eq=False)
class DiscreteExpectation(Expectation):
    """The posteriors of the gaps of a discrete table."""

    data: Dataset
    posteriors: _core.GapPosteriors

    @property
    def log_likelihood(self) -> float:  # type: ignore[override]
        """Natural logarithm of the probability of what is there."""
        return self.posteriors.log_likelihood

    @property
    def n_drawn_rows(self) -> int:  # type: ignore[override]
        """Rows whose gaps are known by draws."""
        return self.posteriors.n_drawn_rows

    def families(self, dag: Dag) -> FamilyCounts:
        """Return the expected counts of the families of a graph."""
        columns = columns_of_nodes(dag.names, self.data)
        shapes = family_shapes(dag.names, [self.data.arities[column] for column in columns], dag.parent_indices)
        counts = [
            self.posteriors.counts(columns[node], [columns[parent] for parent in parents], MAX_BYTES // 8)
            for node, parents in enumerate(dag.parent_indices)
        ]
        return FamilyCounts(
            dag,
            [self.data.states[column] for column in columns],
            [found.reshape(shape) for found, shape in zip(counts, shapes, strict=True)],
            self.data.steps,
        )

    def completed(self, seed: int) -> Dataset:
        """Return the table with a draw in each gap."""
        data = self.data
        codes = np.asfortranarray(self.posteriors.draw(seed).reshape(data.codes.shape, order="F"))
        return Dataset(codes, data.names, data.states, data.weights, data.steps, data.interventions)


@dataclass(frozen=True, eq=False)
class GaussianExpectation(Expectation):
    """The conditional means of the gaps of a continuous table, and their covariances.

    Attributes
    ----------
    data
        The table.
    filled
        Its numbers, with the conditional mean in each gap.
    left
        The sum over the rows of the conditional covariances of the gaps, as a matrix of all variables: what is to be
        added to the products of what is filled in.
    deviations
        For each pattern of gaps its rows, the variables that are missing, and a triangle whose product with itself is
        their conditional covariance.
    """

    data: Dataset
    filled: Floats
    left: Floats
    log_likelihood: float
    deviations: tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats], ...]
    n_drawn_rows: int = 0

    @cached_property
    def moments(self) -> tuple[float, Floats, Floats]:
        """How many observations, their expected means, and the expected products of differences from these."""
        weights = np.ones(self.data.n_rows) if self.data.weights is None else self.data.weights.astype(np.float64)
        total = float(weights.sum())
        means = weights @ self.filled / total
        means += weights @ (self.filled - means) / total
        centred = self.filled - means
        scatter = (weights[:, None] * centred).T @ centred + self.left
        return total, means, (scatter + scatter.T) / 2

    def families(self, dag: Dag) -> FamilyCounts:
        """Return the expected moments of the families of a graph."""
        columns = columns_of_nodes(dag.names, self.data)
        total, means, scatter = self.moments
        families = [[columns[v] for v in (*parents, node)] for node, parents in enumerate(dag.parent_indices)]
        moments = [Moments(np.array(total), means[own], _root(scatter[np.ix_(own, own)])) for own in families]
        return FamilyCounts(dag, [() for _ in columns], moments)

    def completed(self, seed: int) -> Dataset:
        """Return the table with a draw in each gap."""
        random, numbers, data = np.random.default_rng(seed), self.filled.copy(order="F"), self.data
        for rows, missing, triangle in self.deviations:
            drawn = random.standard_normal((rows.size, missing.size)) @ triangle.T
            numbers[np.ix_(rows, missing)] += drawn
        return Dataset(data.codes, data.names, data.states, data.weights, data.steps, data.interventions, numbers)


class EStep:
    """Makes the expectations of one table, in whatever network.

    Parameters
    ----------
    data
        A table with gaps, all of whose variables are discrete, or all continuous; nobody has set any of them.
    most_cells
        Up to how many joint states of gaps that depend on each other are all kept, which is exact.
    seed
        Draws the others.

    Raises
    ------
    ParameterError
        If there are both kinds of variables, or interventions.
    """

    def __init__(self, data: Dataset, *, most_cells: int = MOST_CELLS, seed: int = 0) -> None:
        pairwise = Setting("missing", "pairwise")
        if data.kind == "mixed":
            raise ParameterError(
                "EM takes tables in which all variables are discrete, or all continuous, and this one has both; use ",
                pairwise,
                ", which scores each variable and its parents on the rows that have all of them",
            )
        if data.interventions is not None:
            raise ParameterError("EM does not take interventions; use ", pairwise)
        self.data = data
        self._most_cells, self._seed = most_cells, seed
        self._table = _core.GapTable(data.codes, list(data.arities), data.weights) if data.kind == "discrete" else None

    def __call__(self, network: BayesianNetwork, budget: _core.Budget | None = None) -> Expectation | None:
        """Return what the network says about the gaps; None where the budget has ended before it was known.

        Parameters
        ----------
        network
            A network of the table's variables, with the same states.
        budget
            When to end early, and how many threads to use.

        Raises
        ------
        DataError
            If a row is impossible in the network.
        ParameterError
            If memory does not suffice, or the network has other states than the table.
        """
        budget = _core.Budget() if budget is None else budget
        columns = columns_of_nodes(network.names, self.data)
        if self._table is None:
            return _gaussian(network, columns, self.data)
        if any(self.data.states[column] != states for column, states in zip(columns, network.states, strict=True)):
            raise ParameterError("the network must have the states of the table, in the same order")
        parents: list[list[int]] = [[] for _ in columns]
        logarithms: list[Floats] = [np.empty(0)] * len(columns)
        tables = network.tables  # asked for once: the property makes the list of all of them
        for node, column in enumerate(columns):
            parents[column] = [columns[parent] for parent in network.dag.parent_indices[node]]
            with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
                logarithms[column] = np.log(tables[node]).ravel()
        memory = int(_SHARE_OF_MEMORY * available_memory())
        try:
            found = self._table.posteriors(parents, logarithms, self._most_cells, memory, self._seed, budget)
        except ValueError as error:
            raise ParameterError(
                f"{error}, and {gigabytes(memory)} of memory are for them; use ", Setting("missing", "pairwise")
            ) from None
        if not found.is_complete:
            return None
        if found.log_likelihood == -np.inf:
            row = int(np.argmin(found.row_log_likelihoods()))
            raise DataError(f"row {row} (rows count from 0) is impossible in the network that EM begins with")
        return DiscreteExpectation(self.data, found)


def _gaussian(network: BayesianNetwork, columns: list[int], data: Dataset) -> GaussianExpectation:
    """Condition the joint Gaussian of a network on what is there, for each pattern of gaps."""
    assert data.numbers is not None
    mean, covariance = _joint(network)
    order = np.argsort(columns)  # of the nodes, by columns
    mean, covariance = mean[order], covariance[np.ix_(order, order)]
    scales = np.sqrt(np.diagonal(covariance))
    correlations = covariance / np.outer(scales, scales)
    weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(np.float64)
    standard = (data.numbers - mean) / scales
    gaps = np.isnan(data.numbers)
    _, first, pattern = np.unique(np.packbits(gaps, axis=1), axis=0, return_index=True, return_inverse=True)
    by_pattern = np.argsort(pattern.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(pattern.ravel()))
    left, log_likelihood, deviations = np.zeros_like(covariance), 0.0, []
    for place, end in enumerate(ends.tolist()):
        rows = by_pattern[(ends[place - 1] if place else 0) : end]
        missing, there = np.flatnonzero(gaps[first[place]]), np.flatnonzero(~gaps[first[place]])
        triangle = _lower(correlations[np.ix_(there, there)])
        whitened = np.linalg.solve(triangle, standard[np.ix_(rows, there)].T)
        squares = (whitened**2).sum(axis=0)
        constant = np.log(np.diagonal(triangle) * scales[there] * np.sqrt(2 * np.pi)).sum()
        log_likelihood -= float(weights[rows] @ (0.5 * squares + constant))
        if missing.size:
            across = np.linalg.solve(triangle, correlations[np.ix_(there, missing)])
            standard[np.ix_(rows, missing)] = whitened.T @ across
            within = correlations[np.ix_(missing, missing)] - across.T @ across
            left[np.ix_(missing, missing)] += weights[rows].sum() * within
            deviations.append((rows, missing, scales[missing, None] * _lower(within)))
    filled = np.where(gaps, standard * scales + mean, data.numbers)
    return GaussianExpectation(data, filled, left * np.outer(scales, scales), log_likelihood, tuple(deviations))


def _joint(network: BayesianNetwork) -> tuple[Floats, Floats]:
    """Mean and covariance of all nodes of a Gaussian network."""
    n = network.dag.n_nodes
    mean, roots = np.zeros(n), np.zeros((n, n))  # each node as a mean and a sum of independent standard Gaussians
    for name in network.dag.topological_order():
        node = network.dag.index(name)
        parents, own = list(network.dag.parent_indices[node]), network.distributions[node]
        if not isinstance(own, ConditionalGaussian):
            raise ParameterError(f"{quoted(network.names[node])} must be continuous, as it is in the table")
        mean[node] = own.intercepts + own.coefficients @ mean[parents]
        roots[node] = own.coefficients @ roots[parents]
        roots[node, node] = own.deviations
    return mean, roots @ roots.T


def _lower(matrix: Floats) -> Floats:
    """Lower triangle whose product with itself is the matrix, nearly so where that is singular."""
    try:
        return cast("Floats", np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        triangle = _root(matrix + _RIDGE * np.eye(len(matrix))).T
        return triangle * np.where(np.diagonal(triangle) < 0, -1.0, 1.0)


def _root(matrix: Floats) -> Floats:
    """Upper triangle R for which R'R is the matrix, which has no negative eigenvalues but for rounding."""
    values, vectors = np.linalg.eigh(matrix)
    return cast("Floats", np.linalg.qr(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T, mode="r"))
