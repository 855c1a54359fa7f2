"""The exact distribution of one node given the rest of a row: from its Markov blanket, where that is known."""

from collections.abc import Sequence
from math import erfc, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from arcwise.network.distributions import ConditionalGaussian, Distribution, Table
from arcwise.network.known import Known, Nodes
from arcwise.network.mixed_inference import Mixture
from arcwise.network.questions import Questions
from arcwise.network.values import NodeValues
from arcwise.support.errors import DataError
from arcwise.support.quoting import quoted

__all__ = ["gaussian_posteriors", "predicted_intervals", "predicted_means", "predicted_probabilities"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


def predicted_probabilities(
    questions: Questions, distributions: Sequence[Distribution], known: Known, target: str
) -> Floats:
    """Probability of each state of a discrete target, given the rest of each row.

    Parameters
    ----------
    questions
        What the network can be asked where not all of the target's Markov blanket is known.
    distributions
        Of each node.
    known
        What is known in each row, but for the target.
    target
        The node.

    Raises
    ------
    DataError
        If a row is impossible whatever the target is.
    """
    nodes, node = questions.nodes, questions.nodes.dag.index(target)
    answer = np.empty((known.n_rows, len(nodes.states[node])))
    whole, partial = _by_blanket(nodes, known, node)
    if whole.size:
        answer[whole] = _posteriors(nodes, distributions, _rows(known, whole), node)
    if partial.size:
        answer[partial] = questions.marginals(node, _rows(known, partial))
    _refuse_impossible(answer, target)
    return answer


def predicted_means(questions: Questions, distributions: Sequence[Distribution], known: Known, target: str) -> Floats:
    """Mean of a continuous target, given the rest of each row; otherwise as `predicted_probabilities`."""
    nodes, node = questions.nodes, questions.nodes.dag.index(target)
    answer = np.empty(known.n_rows)
    whole, partial = _by_blanket(nodes, known, node)
    if whole.size:
        answer[whole] = gaussian_posteriors(nodes, distributions, _rows(known, whole), target)[0]
    if partial.size:
        answer[partial] = questions.moments([node], _rows(known, partial))[0][:, 0]
    _refuse_impossible(answer[:, None], target)
    return answer


def predicted_intervals(
    questions: Questions, distributions: Sequence[Distribution], known: Known, target: str, level: float
) -> Floats:
    """Bounds of a continuous target, as probably below as above; otherwise as `predicted_probabilities`."""
    nodes, node = questions.nodes, questions.nodes.dag.index(target)
    answer = np.empty((known.n_rows, 2))
    whole, partial = _by_blanket(nodes, known, node)
    if whole.size:
        means, deviations = gaussian_posteriors(nodes, distributions, _rows(known, whole), target)
        reach = NormalDist().inv_cdf((1 + level) / 2) * deviations
        answer[whole] = np.column_stack([means - reach, means + reach])
    if partial.size:
        for mixture in questions.mixtures(node, _rows(known, partial)):
            bounds = [_quantiles(mixture, share) for share in ((1 - level) / 2, (1 + level) / 2)]
            answer[partial[mixture.rows]] = np.column_stack(bounds)
    _refuse_impossible(answer, target)
    return answer


def _quantiles(mixture: Mixture, share: float) -> Floats:
    """Numbers below which a mixture is with this probability, found by bisection."""
    reach = NormalDist().inv_cdf(share) * mixture.deviations
    ends = mixture.means + reach  # of each Gaussian; that of the mixture lies between them
    low = np.where(mixture.weights > 0, ends, np.inf).min(axis=1)
    high = np.where(mixture.weights > 0, ends, -np.inf).max(axis=1)
    low[np.isnan(mixture.weights).any(axis=1)] = np.nan
    for _ in range(100 if mixture.means.shape[1] > 1 else 0):
        middle = (low + high) / 2
        below = (mixture.weights * _normal_shares((middle[:, None] - mixture.means) / mixture.deviations)).sum(axis=1)
        is_low = below < share
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    quantiles: Floats = (low + high) / 2
    return quantiles


def _normal_shares(values: Floats) -> Floats:
    """Probabilities that a standard normal number is below these values."""
    shares: Floats = np.frompyfunc(lambda value: 0.5 * erfc(-value / sqrt(2)), 1, 1)(values).astype(np.float64)
    return shares


def _rows(known: Known, rows: Indices) -> Known:
    """Some of the rows, with what was set in them."""
    if rows.size == known.n_rows:
        return known
    made = None if known.interventions is None else known.interventions.taken(rows)
    taken = known.taken(rows)
    return Known(taken.codes, taken.numbers, taken.likelihoods, None, made)


def _by_blanket(nodes: Nodes, known: Known, node: int) -> tuple[Indices, Indices]:
    """Rows in which all nodes are known whose factors mention a node, and the other rows."""
    whole = np.ones(known.n_rows, dtype=np.bool_)
    if known.likelihoods:
        whole[:] = False
    for other in _blanket(nodes, node):
        whole &= known.is_known(nodes, other)
    return np.flatnonzero(whole), np.flatnonzero(~whole)


def _blanket(nodes: Nodes, node: int) -> list[int]:
    """The nodes whose factors mention a node, without it."""
    families = [(*nodes.dag.parent_indices[child], child) for child in (node, *nodes.dag.child_indices[node])]
    return sorted({member for family in families for member in family} - {node})


def _posteriors(nodes: Nodes, distributions: Sequence[Distribution], known: Known, node: int) -> Floats:
    r"""Probability of each state of a discrete target, given its Markov blanket in each row.

    Of the factors of the joint distribution only those that mention the target :math:`t` depend on its state: its own
    table, and those of its children. All others cancel:

    .. math:: P(x_t \mid x_{-t}) \propto P(x_t \mid x_{pa(t)}) \prod_{c \in ch(t)} P(x_c \mid x_{pa(c)})

    The factor of a continuous child is its density.
    """
    dag, arity = nodes.dag, len(nodes.states[node])
    values, made = NodeValues.of_known(nodes.states, known, _blanket(nodes, node)), known.interventions
    total = np.zeros((known.n_rows, arity))
    for child in sorted((node, *dag.child_indices[node])):
        parents, distribution = dag.parent_indices[child], distributions[child]
        if isinstance(distribution, Table):
            family = (*parents, child)
            others = [member for member in family if member != node]
            by_state = np.moveaxis(distribution.logarithms(), family.index(node), -1).reshape(-1, arity)
            factors = by_state[values.configurations(others)]
        else:
            factors = _densities_by_state(values, distribution, parents, child, node, arity)
        if made is not None and child != node:  # a child that was set says nothing about the target
            factors[made.rows(dag.names[child])] = 0.0
        total += factors
    return _normalised(total)


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
    nodes: Nodes, distributions: Sequence[Distribution], known: Known, target: str
) -> tuple[Floats, Floats]:
    r"""Mean and standard deviation of a continuous target, given its Markov blanket, which is known in each row.

    The target :math:`t` has a Gaussian given its parents, and every child is a measurement of it: with coefficient
    :math:`b` and what is left of the child :math:`y` when the share of its other parents is taken away,
    :math:`y = b x_t + \varepsilon`. Precisions add up:

    .. math::

        \tau = \frac{1}{\sigma_t^2} + \sum_c \frac{b_c^2}{\sigma_c^2}, \qquad
        \mu = \frac{1}{\tau} \left( \frac{\mu_t}{\sigma_t^2} + \sum_c \frac{b_c y_c}{\sigma_c^2} \right)
    """
    dag, states, made = nodes.dag, nodes.states, known.interventions
    node = dag.index(target)
    values = NodeValues.of_known(states, known, _blanket(nodes, node))
    own, parents = distributions[node], dag.parent_indices[node]
    assert isinstance(own, ConditionalGaussian)
    rows = values.configurations(parents)
    prior = own.means(rows, values.numbers(parents))
    precisions = own.deviations.ravel()[rows] ** -2.0
    # What the children say is about how far the target is from this mean: less is lost to rounding than from 0.
    pulls = np.zeros(known.n_rows)
    values.set_numbers(node, prior)
    for child in dag.child_indices[node]:
        gaussian, family = distributions[child], dag.parent_indices[child]
        assert isinstance(gaussian, ConditionalGaussian)  # a discrete node has no continuous parent
        rows = values.configurations(family)
        place = [member for member in family if not states[member]].index(node)
        slopes = gaussian.coefficients.reshape(-1, gaussian.n_coefficients)[rows, place]
        weights = slopes * gaussian.deviations.ravel()[rows] ** -2.0
        if made is not None:
            weights[made.rows(dag.names[child])] = 0.0
        left = values.numbers([child])[:, 0] - gaussian.means(rows, values.numbers(family))
        pulls += weights * left
        precisions += weights * slopes
    return prior + pulls / precisions, precisions**-0.5


def _normalised(logarithms: Floats) -> Floats:
    """Rows as distributions, after a shift that keeps the largest of each from vanishing; NaN where all are 0."""
    largest = logarithms.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        shares: Floats = np.exp(logarithms - largest)
        shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _refuse_impossible(answer: Floats, target: str) -> None:
    """Refuse rows whose answers are NaN."""
    impossible = np.flatnonzero(np.isnan(answer).any(axis=1))
    if impossible.size:
        more = f" ({impossible.size} rows of {len(answer)} are like this)" if impossible.size > 1 else ""
        raise DataError(
            f"Row {impossible[0]} (rows count from 0) is impossible in this network, whatever {quoted(target)} is, so "
            f"that {quoted(target)} has no distribution there{more}; fit the network with a prior, as in ess=1, or "
            "leave the row out."
        )
