"""The exact distribution of one node given all others, from its Markov blanket."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Distribution, Table
from arcwise.network.values import NodeValues
from arcwise.support.errors import DataError
from arcwise.support.quoting import quoted

__all__ = ["gaussian_posteriors", "posteriors"]

Floats = npt.NDArray[np.float64]


def posteriors(
    dag: Dag, states: Sequence[Sequence[str]], distributions: Sequence[Distribution], data: Dataset, target: str
) -> Floats:
    r"""Probability of each state of a discrete target, given the rest of each row.

    Of the factors of the joint distribution only those that mention the target :math:`t` depend on its state: its own
    table, and those of its children. All others cancel:

    .. math:: P(x_t \mid x_{-t}) \propto P(x_t \mid x_{pa(t)}) \prod_{c \in ch(t)} P(x_c \mid x_{pa(c)})

    The factor of a continuous child is its density.
    """
    node = dag.index(target)
    values, arity = _blanket_values(dag, states, data, node), len(states[node])
    total = np.zeros((data.n_rows, arity))
    for child in sorted((node, *dag.child_indices[node])):
        parents, distribution = dag.parent_indices[child], distributions[child]
        if isinstance(distribution, Table):
            family = (*parents, child)
            others = [member for member in family if member != node]
            by_state = np.moveaxis(distribution.logarithms(), family.index(node), -1).reshape(-1, arity)
            factors = by_state[values.configurations(others)]
        else:
            factors = _densities_by_state(values, distribution, parents, child, node, arity)
        if data.interventions is not None and child != node:  # a child that was set says nothing about the target
            factors[data.interventions.rows(dag.names[child])] = 0.0
        total += factors
    return _normalised(total, target)


def _densities_by_state(
    values: NodeValues, gaussian: ConditionalGaussian, parents: Sequence[int], child: int, target: int, arity: int
) -> Floats:
    """Logarithms of the densities of a continuous child in each row, with a column for each state of the target."""
    densities = np.empty((values.n_rows, arity))
    for state in range(arity):
        values.set_codes(target, np.full(values.n_rows, state, dtype=np.uint16))
        densities[:, state] = values.log_densities(gaussian, parents, child)
    return densities


def gaussian_posteriors(
    dag: Dag, states: Sequence[Sequence[str]], distributions: Sequence[Distribution], data: Dataset, target: str
) -> tuple[Floats, Floats]:
    r"""Mean and standard deviation of a continuous target, given the rest of each row.

    The target :math:`t` has a Gaussian given its parents, and every child is a measurement of it: with coefficient
    :math:`b` and what is left of the child :math:`y` when the share of its other parents is taken away,
    :math:`y = b x_t + \varepsilon`. Precisions add up:

    .. math::

        \tau = \frac{1}{\sigma_t^2} + \sum_c \frac{b_c^2}{\sigma_c^2}, \qquad
        \mu = \frac{1}{\tau} \left( \frac{\mu_t}{\sigma_t^2} + \sum_c \frac{b_c y_c}{\sigma_c^2} \right)
    """
    node = dag.index(target)
    values = _blanket_values(dag, states, data, node)
    own, parents = distributions[node], dag.parent_indices[node]
    assert isinstance(own, ConditionalGaussian)
    rows = values.configurations(parents)
    prior = own.means(rows, values.numbers(parents))
    precisions = own.deviations.ravel()[rows] ** -2.0
    # What the children say is about how far the target is from this mean: less is lost to rounding than from 0.
    pulls = np.zeros(data.n_rows)
    values.set_numbers(node, prior)
    for child in dag.child_indices[node]:
        gaussian, family = distributions[child], dag.parent_indices[child]
        assert isinstance(gaussian, ConditionalGaussian)  # a discrete node has no continuous parent
        rows = values.configurations(family)
        place = [member for member in family if not states[member]].index(node)
        slopes = gaussian.coefficients.reshape(-1, gaussian.n_coefficients)[rows, place]
        weights = slopes * gaussian.deviations.ravel()[rows] ** -2.0
        if data.interventions is not None:
            weights[data.interventions.rows(dag.names[child])] = 0.0
        left = values.numbers([child])[:, 0] - gaussian.means(rows, values.numbers(family))
        pulls += weights * left
        precisions += weights * slopes
    return prior + pulls / precisions, precisions**-0.5


def _blanket_values(dag: Dag, states: Sequence[Sequence[str]], data: Dataset, node: int) -> NodeValues:
    """Columns of the nodes whose factors mention a node, without its own."""
    families = [(*dag.parent_indices[child], child) for child in (node, *dag.child_indices[node])]
    blanket = sorted({member for family in families for member in family} - {node})
    return NodeValues.of_data(dag.names, states, data, blanket, predicted=dag.names[node])


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
