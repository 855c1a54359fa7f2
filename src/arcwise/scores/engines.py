"""Which kernel makes the numbers of a score, by the kind of the data: counts, a matrix of products, or regressions."""

import os
import warnings
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.codes import MERGING_GAIN, Codes, may_merge
from arcwise.data.dataset import Dataset
from arcwise.scores.custom import CountScore
from arcwise.scores.definitions import DG, EBIC, BGe, PythonScore, Score, scores_for
from arcwise.scores.device.choice import card_for_products
from arcwise.scores.gram import Gram, centred_gram
from arcwise.scores.sharded import sharded_core
from arcwise.shards.dataset import ShardedDataset
from arcwise.support.errors import ArcwiseWarning, DataError, ParameterError
from arcwise.support.machine import available_memory, gigabytes
from arcwise.support.messages import Name, Part, Setting
from arcwise.support.quoting import listed, numbered, quoted

__all__ = ["core_of", "counted_table", "gaussian_core", "is_one_matrix"]

# Of more columns than this it is not looked at whether they are linear functions of each other: that takes longer than
# many searches.
_MOST_LOOKED_AT = 2_000
# Of the size of the matrix of products, what it takes to make it.
_MATRICES = 3
# So small a share of a column's variance is left by others where it is a linear function of them.
_NOTHING_LEFT = 1e-10
# Above this, rounding does not decide about that.
_CLEARLY_LEFT = 1e-9
# What is missing is priced as though there were at least so many variables.
_LEAST_VARIABLES = 20


def counted_table(data: Dataset) -> Dataset:
    """Return what is counted: the table, with equal rows merged where that pays."""
    if isinstance(data, ShardedDataset):
        return data
    if not may_merge(data.codes, MERGING_GAIN):
        return data
    merged = data.merged()
    return merged if merged.n_rows * MERGING_GAIN <= data.n_rows else data


def core_of(
    data: Dataset,
    table: Dataset,
    score: Score,
    cache_bytes: int,
    *,
    penalty_factor: float = 1.0,
    device: str = "cpu",
) -> _core.LocalScore:
    """Return the kernel of a score on data.

    Parameters
    ----------
    data
        The data.
    table
        The same as it is counted (`counted_table`).
    score
        The score, without what `Adjusted` adds to it.
    cache_bytes
        What its cache may take.
    penalty_factor
        What its penalty is multiplied with, where data has gaps: there it depends on the rows that have a family.
    device
        Where the products of continuous columns are made, if there are many of them.

    Raises
    ------
    ParameterError
        If the score is not for data of this kind.
    """
    if isinstance(data, ShardedDataset):
        return _sharded(data, score, cache_bytes)
    if data.has_gaps:
        return _pairwise(data, table, score, cache_bytes, penalty_factor)
    if isinstance(score, PythonScore):
        if isinstance(score, CountScore):
            data.refuse_continuous(f"The score {score.name}")
        return _counted(table, score.bound_to(data), 1.0, cache_bytes)
    _refuse_other_kinds(data, score)
    if data.kind == "discrete":
        return _counted(table, score.name, score.parameter, cache_bytes)
    if is_one_matrix(data, score):
        return _gaussian(data, score, cache_bytes, device)
    if isinstance(score, BGe | DG):
        raise ParameterError(Name("score"), f" {score.name} does not take interventions; take one of bic, ebic, aic")
    assert data.numbers is not None
    return _core.LocalScore.conditional_gaussian(
        data.codes,
        list(data.arities),
        data.numbers,
        data.weights,
        per_parameter=score.per_parameter(data.n_observations),
        gamma=_gamma(score),
        instructions=instructions(),
        cache_bytes=cache_bytes,
        forced=_forced_rows(data),
    )


def _sharded(data: ShardedDataset, score: Score, cache_bytes: int) -> _core.LocalScore:
    """Return the kernel for a table in shards: of counts that are asked for, or of products that are there."""
    if data.products is None or isinstance(score, PythonScore):
        _refuse_other_kinds(data, score)
        return sharded_core(data, score, cache_bytes)
    _refuse_other_kinds(data, score)
    moments = data.products.moments
    gram = Gram(moments.means, moments.scales, moments.matrix, float(moments.n_observations))
    widths = [1] * data.n_variables
    _warn_of_dependence(data, gram, widths)
    return gaussian_core(gram, widths, score, cache_bytes)


def _refuse_other_kinds(data: Dataset, score: Score) -> None:
    if data.kind not in score.kinds:
        raise ParameterError(
            Name("score"),
            f" must be one for {data.kind} data ({', '.join(scores_for(data.kind))}), not {score.name}",
            *_about_columns(data),
        )


def _pairwise(data: Dataset, table: Dataset, score: Score, cache_bytes: int, penalty_factor: float) -> _core.LocalScore:
    """Return the kernel for data with gaps, in which each family has its own rows."""
    if not score.takes_gaps:
        data.refuse_gaps(f"The score {score.name}")
    _refuse_other_kinds(data, score)
    _refuse_unknown_columns(data)
    gaps = cast("npt.NDArray[np.bool_]", table.gaps)
    codes = cast("Codes", np.where(gaps, 0, table.codes).astype(table.codes.dtype, order="F"))  # no kernel looks there
    prices = {
        "per_parameter": penalty_factor * score.per_parameter(data.n_observations),
        "gamma": penalty_factor * _gamma(score),
        "for_missing": penalty_factor * _price_of_missing(data, score),
    }
    rows = {
        "forced": _forced_rows(table),
        "gaps": [
            (v, np.ascontiguousarray(gaps[:, v]).view(np.uint8)) for v in np.flatnonzero(gaps.any(axis=0)).tolist()
        ],
    }
    how: dict[str, Any] = {"instructions": instructions(), "cache_bytes": cache_bytes, **prices, **rows}
    if table.numbers is None:
        return _core.LocalScore.pairwise(codes, list(table.arities), table.weights, **how)
    numbers = _without_gaps(table.numbers)
    return _core.LocalScore.conditional_gaussian(codes, list(table.arities), numbers, table.weights, **how)


def _without_gaps(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the numbers with some of their column in place of those that are missing, where no kernel looks."""
    known = ~np.isnan(numbers)
    first = numbers[known.argmax(axis=0), np.arange(numbers.shape[1])]
    return np.asfortranarray(np.where(known, numbers, first))


def _price_of_missing(data: Dataset, score: Score) -> float:
    """Return what a parameter of a family costs at least, for the part of the rows that it lacks.

    For each observation it is the default of bnlearn for the scores of Bodewes & Scutari (2021, IJAR 138, 145-160), but
    no more than with 20 variables: between 5 and 11 it kept arcs of Sachs, Cancer and Survey out that were easily seen.
    """
    if not score.is_penalised:
        return 0.0
    return float(data.n_observations**0.75 / max(data.n_variables, _LEAST_VARIABLES))


def _refuse_unknown_columns(data: Dataset) -> None:
    """Refuse variables of which no value is known in any row; a replica may have none of the few that there are."""
    unknown = cast("npt.NDArray[np.bool_]", data.gaps).all(axis=0)
    if unknown.any():
        names = [data.names[v] for v in np.flatnonzero(unknown)]
        raise DataError(f"Nothing is known of {listed(names)}: every value is missing; leave the column out.")


def is_one_matrix(data: Dataset, score: Score) -> bool:
    """Whether all that a score needs of the data is one matrix of products."""
    is_gaussian = data.kind == "continuous" and not isinstance(score, PythonScore)
    return (is_gaussian or isinstance(score, DG)) and data.interventions is None and not data.has_gaps


def _counted(table: Dataset, score: str | _core.FamilyFunction, parameter: float, cache_bytes: int) -> _core.LocalScore:
    return _core.LocalScore(
        table.codes,
        [max(1, arity) for arity in table.arities],  # a function in Python sees the numbers itself
        table.weights,
        score=score,
        parameter=parameter,
        instructions=instructions(),
        cache_bytes=cache_bytes,
        forced=_forced_rows(table),
    )


def _gaussian(data: Dataset, score: Score, cache_bytes: int, device: str) -> _core.LocalScore:
    columns, widths = _columns(data)
    _check_memory(columns.shape[1])
    card = card_for_products(device, *columns.shape)
    gram = centred_gram(columns, data.weights, card=card)
    _warn_of_dependence(data, gram, widths)
    return gaussian_core(gram, widths, score, cache_bytes)


def gaussian_core(gram: Gram, widths: list[int], score: Score, cache_bytes: int) -> _core.LocalScore:
    """Return the kernel of a score whose data are given by one matrix of products.

    Parameters
    ----------
    gram
        The products of all columns.
    widths
        How many columns each variable has.
    score
        The score, without what `Adjusted` adds to it.
    cache_bytes
        What its cache may take.
    """
    n, matrix = len(widths), gram.matrix
    log_scales, n_observations = [0.0] * n, round(gram.n_observations)
    kernel: _core.BayesianGaussian | _core.PenalisedGaussian
    if isinstance(score, BGe):
        alpha = score.alpha
        freedom = n + alpha + 1.0
        prior = alpha * (freedom - n - 1.0) / (alpha + 1.0)
        matrix = gram.scatter() + prior * np.eye(n)
        kernel = _core.BayesianGaussian(alpha, freedom)
    else:
        owner = np.repeat(np.arange(n), widths)
        logarithms = np.log(np.where(gram.scales > 0, gram.scales, 1.0))
        log_scales = np.bincount(owner, weights=logarithms, minlength=n).tolist()
        kernel = _core.PenalisedGaussian(score.per_parameter(n_observations), _gamma(score))
    return _core.LocalScore.gaussian(
        matrix, widths, log_scales, gram.n_observations, kernel, instructions(), cache_bytes
    )


def _check_memory(n_columns: int) -> None:
    """Refuse a matrix of products that does not fit, before it is made."""
    needed, available = _MATRICES * 8 * n_columns**2, available_memory()
    if needed > available:
        raise ParameterError(
            f"the products of all pairs of {n_columns:,} columns need about {gigabytes(needed)}, and "
            f"{gigabytes(available)} are available; use fewer variables, or cut them into states with ",
            Setting("discretise", "quantile"),
        )


def _columns(data: Dataset) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Return the numbers of all variables, and how many columns each has.

    A discrete variable has a column for each state that occurs but the first, with 1 where it has that state.
    """
    assert data.numbers is not None
    if data.kind == "continuous":
        return data.numbers, [1] * data.n_variables
    columns, widths, numbers = list[npt.NDArray[np.float64]](), list[int](), iter(data.numbers.T)
    for v, arity in enumerate(data.arities):
        if not arity:
            own = [next(numbers)]
        else:
            codes = data.codes[:, v]
            occurring = np.flatnonzero(np.bincount(codes, weights=data.weights, minlength=arity))
            own = [(codes == state).astype(np.float64) for state in occurring[1:]]
        columns += own
        widths.append(len(own))
    return np.column_stack(columns), widths


def _warn_of_dependence(data: Dataset, gram: Gram, widths: list[int]) -> None:
    """Warn of continuous variables that are linear functions of others: their likelihood has no limit."""
    varying = np.flatnonzero(gram.scales > 0)
    if not 1 < varying.size <= min(_MOST_LOOKED_AT, data.n_observations - 1):
        return
    owner = np.repeat(np.arange(data.n_variables), widths)
    left = _left_by_earlier(gram.matrix[np.ix_(varying, varying)] / gram.n_observations)
    names = [data.names[owner[varying[at]]] for at in np.flatnonzero(left < _NOTHING_LEFT)]
    names = [name for name in dict.fromkeys(names) if not data.arities[data.index(name)]]
    if names:
        warnings.warn(
            f"{numbered(len(names), 'continuous column')}, each an exact linear function of others: {listed(names)}. "
            "Arcs between them reflect only that; leave out all but one of those that say the same.",
            ArcwiseWarning,
            stacklevel=6,
        )


def _left_by_earlier(correlations: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return for each column the share of its variance that those before it do not explain (Cholesky's pivots)."""
    try:
        left: npt.NDArray[np.float64] = np.diagonal(np.linalg.cholesky(correlations)) ** 2
        if left.min() > _CLEARLY_LEFT:
            return left
    except np.linalg.LinAlgError:
        pass  # a column that others explain, which is left out of what explains those behind it
    rest = correlations.copy()
    left = np.ones(len(rest))
    for at in range(len(rest)):
        left[at] = pivot = rest[at, at]
        if pivot >= _NOTHING_LEFT:
            row = rest[at, at + 1 :] / np.sqrt(pivot)
            rest[at + 1 :, at + 1 :] -= np.outer(row, row)
    return left


def _gamma(score: Score) -> float:
    return score.gamma if isinstance(score, EBIC) else 0.0


def _about_columns(data: Dataset) -> tuple[str | Part, ...]:
    if not data.continuous:
        return ()
    names = listed([data.names[v] for v in data.continuous])
    cuts = Setting("discretise", "quantile")
    return f"; continuous are {names}: take another score, or cut them into states, for instance with ", cuts


def _forced_rows(data: Dataset) -> list[tuple[int, npt.NDArray[np.uint8]]]:
    """Return which variables were set in which rows, as the kernels take it."""
    made = data.interventions
    return [] if made is None else [(data.index(name), made.rows(name).view(np.uint8)) for name in made.names]


def instructions() -> str:
    """Return what the environment asks for, if the machine has it."""
    wanted = os.environ.get("ARCWISE_SIMD", "auto")
    try:
        return _core.instructions(wanted)
    except ValueError as error:
        raise ParameterError(f"ARCWISE_SIMD is {quoted(wanted)}: {error}") from None
