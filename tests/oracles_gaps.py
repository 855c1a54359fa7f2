"""Slow, obvious twin of scores on tables with gaps: rows that lack a family are dropped with numpy, and counted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, log, prod

import numpy as np
import numpy.typing as npt

import oracles_mixed
from arcwise import Dataset

__all__ = ["Price", "node_average", "pairwise_score", "price_of"]


@dataclass(frozen=True)
class Price:
    """What a score takes off: for each parameter, for the choice of parents, and for what is missing."""

    per_parameter: float
    gamma: float = 0.0
    is_there: bool = True


def price_of(name: str, n: float) -> Price:
    """The price of a score by name."""
    return {
        "loglik": Price(0.0, is_there=False),
        "aic": Price(1.0),
        "bic": Price(log(n) / 2),
        "ebic": Price(log(n) / 2, 0.5),
        "hqc": Price(log(max(1.0, log(n)))),
    }[name]


def _weights(data: Dataset) -> npt.NDArray[np.float64]:
    return np.ones(data.n_rows) if data.weights is None else data.weights.astype(float)


def _complete(data: Dataset, child: int, parents: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Rows that have the family, and in which nobody has set the child."""
    rows = np.ones(data.n_rows, dtype=bool)
    for v in (child, *parents):
        column = data.codes[:, v] if data.arities[v] else data.numbers_of(data.names[v])
        rows &= column != data.arities[v] if data.arities[v] else ~np.isnan(column)
    if data.interventions is not None:
        rows &= ~data.interventions.rows(data.names[child])
    return rows


def _log_likelihood(data: Dataset, child: int, parents: Sequence[int], rows: npt.NDArray[np.bool_]) -> float:
    """Maximised log-likelihood of a discrete child in some rows."""
    joint: Counter[tuple[int, ...]] = Counter()
    margin: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(data.codes[rows].tolist(), _weights(data)[rows].tolist(), strict=True):
        configuration = tuple(row[parent] for parent in parents)
        joint[*configuration, row[child]] += weight
        margin[configuration] += weight
    return sum(n * log(n / margin[cell[:-1]]) for cell, n in joint.items() if n)


def node_average(data: Dataset, child: int, parents: Sequence[int]) -> float:
    """The node-average log-likelihood of Bodewes & Scutari: the mean over the rows that have the family."""
    rows = _complete(data, child, parents)
    return _log_likelihood(data, child, parents, rows) / float(_weights(data)[rows].sum())


def _log_density(data: Dataset, child: int, parents: Sequence[int], rows: npt.NDArray[np.bool_]) -> float:
    """Log-likelihood of a continuous child in some rows, which have the family: a table of these alone."""
    if not rows.any():
        return 0.0
    table = oracles_mixed.MixedTable(
        data.arities,
        data.codes[rows].astype(np.uint8),
        np.asarray(data.numbers)[rows],
        None if data.weights is None else data.weights[rows],
    )
    return oracles_mixed.local_score(table, child, parents)


def _likelihood(data: Dataset, child: int, parents: Sequence[int], rows: npt.NDArray[np.bool_]) -> float:
    return (_log_likelihood if data.arities[child] else _log_density)(data, child, parents, rows)


def _n_parameters(data: Dataset, child: int, parents: Sequence[int]) -> int:
    n_configurations = prod(data.arities[parent] for parent in parents if data.arities[parent])
    n_regressed = sum(not data.arities[parent] for parent in parents)
    return n_configurations * (data.arities[child] - 1 if data.arities[child] else n_regressed + 2)


def pairwise_score(name: str, data: Dataset, child: int, parents: Sequence[int]) -> float:
    """The score of a family."""
    weights = _weights(data)
    rows, own = _complete(data, child, parents), _complete(data, child, ())
    n, total = weights[rows].sum(), weights.sum()
    if data.interventions is not None:
        total = weights[~data.interventions.rows(data.names[child])].sum()
    price = price_of(name, weights.sum())
    k = _n_parameters(data, child, parents)
    penalty = price.per_parameter * k + price.gamma * log(comb(data.n_variables - 1, len(parents)))
    scale, share = total / max(1, n), 1 - n / total
    for_missing = weights.sum() ** 0.75 / data.n_variables * share * k if price.is_there else 0.0
    gain = _likelihood(data, child, parents, rows) - _likelihood(data, child, (), rows)
    alone = total * _likelihood(data, child, (), own) / weights[own].sum()
    return float(scale * gain + alone - max(scale * penalty, for_missing))
