"""Posteriors by sampling, for networks whose cliques are too large: likelihood weighting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.graph.dag import Dag
from arcwise.network.sampling import states_at
from arcwise.network.tables import configurations

__all__ = ["Estimates", "WeightedSampler"]

Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.intp]

# Draws between two looks at the budget.
_DRAWS_AT_A_TIME = 10_000


@dataclass(frozen=True)
class Estimates:
    """Posteriors that were estimated from draws.

    Parameters
    ----------
    probabilities
        For each target rows by states; NaN where no draw agrees with the evidence.
    standard_errors
        Of each of these probabilities; none is below that of a single effective draw.
    effective_draws
        For each row how many draws from the posterior itself would say as much.
    """

    probabilities: list[Floats]
    standard_errors: list[Floats]
    effective_draws: Floats


@dataclass
class _Sums:
    """Sums over weighted draws, the weights relative to the exponential of `scale`."""

    scale: float
    weights: float
    squares: float
    by_state: list[Floats]
    squares_by_state: list[Floats]


class WeightedSampler:
    r"""Draws the unknown nodes of a network parents first, and weights a draw with the probability of what is known.

    With :math:`w_s` the weight of draw :math:`s` and :math:`W` the sum of all weights, the estimate of a probability is
    :math:`\hat p = \sum_s w_s [x_s = x] / W` and its standard error, to first order,
    :math:`\sqrt{\sum_s w_s^2 ([x_s = x] - \hat p)^2} / W` (Fung and Chang 1990; Geweke 1989, doi:10.2307/1913710).

    Parameters
    ----------
    dag
        The graph.
    tables
        For each node its probabilities, an axis for each parent and a last one for the node.
    """

    def __init__(self, dag: Dag, tables: Sequence[Floats]) -> None:
        self._dag, self._tables = dag, tables
        self._order = [dag.index(name) for name in dag.topological_order()]

    def row_estimates(
        self,
        targets: Sequence[int],
        known: Mapping[int, int],
        likelihoods: Mapping[int, Floats],
        stream: tuple[np.random.SeedSequence, int],
        budget: _core.Budget,
    ) -> tuple[list[Floats], list[Floats], float]:
        """Estimates for one row of evidence, their standard errors, and the number of effective draws.

        Parameters
        ----------
        targets
            The nodes that are asked for.
        known
            The states of nodes that are known.
        likelihoods
            Soft evidence about some nodes.
        stream
            Where random numbers come from, and how many draws are wanted.
        budget
            When it ends, the draws that were made must do.
        """
        sequence, n_draws = stream
        rng, relevant = np.random.default_rng(sequence), self._relevant([*targets, *known, *likelihoods])
        arities = [self._tables[target].shape[-1] for target in targets]
        sums = _Sums(-np.inf, 0.0, 0.0, [np.zeros(arity) for arity in arities], [np.zeros(arity) for arity in arities])
        left = n_draws
        while left and not budget.exhausted:
            size = min(left, _DRAWS_AT_A_TIME)
            left -= size
            columns, logs = self._drawn(relevant, known, likelihoods, size, rng)
            _add(sums, [columns[target] for target in targets], logs)
        return _estimates(sums)

    def _relevant(self, nodes: Sequence[int]) -> list[int]:
        """Return some nodes and their ancestors, parents first: what the answer depends on."""
        wanted = set(nodes)
        for node in reversed(self._order):
            if node in wanted:
                wanted.update(self._dag.parent_indices[node])
        return [node for node in self._order if node in wanted]

    def _drawn(
        self,
        relevant: Sequence[int],
        known: Mapping[int, int],
        likelihoods: Mapping[int, Floats],
        size: int,
        rng: np.random.Generator,
    ) -> tuple[dict[int, States], Floats]:
        columns, logs = dict[int, States](), np.zeros(size)
        with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
            for node in relevant:
                table, parents = self._tables[node], self._dag.parent_indices[node]
                inputs = [columns[parent].astype(np.uint16) for parent in parents]
                rows = configurations(inputs, table.shape[:-1], size)
                if node in known:
                    columns[node] = np.full(size, known[node])
                    logs += np.log(table.reshape(-1, table.shape[-1])[rows, known[node]])
                else:
                    columns[node] = states_at(table, rows, rng.random(size))
                if node in likelihoods:
                    logs += np.log(likelihoods[node][columns[node]])
        return columns, logs


def _add(sums: _Sums, columns: Sequence[States], logs: Floats) -> None:
    """Add draws of the targets to the sums."""
    scale = max(sums.scale, float(logs.max()))
    if scale == -np.inf:
        return
    weights, before = np.exp(logs - scale), float(np.exp(sums.scale - scale))
    sums.scale = scale
    sums.weights = sums.weights * before + float(weights.sum())
    sums.squares = sums.squares * before**2 + float(weights @ weights)
    for column, by_state, squares in zip(columns, sums.by_state, sums.squares_by_state, strict=True):
        by_state *= before
        by_state += np.bincount(column, weights, len(by_state))
        squares *= before**2
        squares += np.bincount(column, weights**2, len(squares))


def _estimates(sums: _Sums) -> tuple[list[Floats], list[Floats], float]:
    if not sums.weights:
        nothing = [np.full(len(by_state), np.nan) for by_state in sums.by_state]
        return nothing, [row.copy() for row in nothing], 0.0
    effective = sums.weights**2 / sums.squares
    probabilities, errors = list[Floats](), list[Floats]()
    for by_state, squares in zip(sums.by_state, sums.squares_by_state, strict=True):
        p = by_state / sums.weights
        spread = squares * (1 - 2 * p) + p**2 * sums.squares
        probabilities.append(p)
        errors.append(np.maximum(np.sqrt(np.maximum(spread, 0.0)) / sums.weights, 1 / effective))
    return probabilities, errors, effective
