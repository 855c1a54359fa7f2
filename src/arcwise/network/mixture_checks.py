"""What a mixture of trees must be."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arcwise.network.distributions import SUM_TOLERANCE
from arcwise.network.network import checked_states
from arcwise.support.arguments import real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Shown
from arcwise.support.quoting import cut, quoted

__all__ = ["CheckedMixture", "MixtureParts", "checked_mixture"]


class MixtureParts(NamedTuple):
    """The parts of a mixture as they are given; `flat` holds the tables one behind the other, from `begin` on."""

    names: Sequence[str]
    states: Sequence[Sequence[str]]
    parents: npt.ArrayLike
    flat: npt.ArrayLike
    begin: npt.ArrayLike
    which: npt.ArrayLike
    weights: npt.ArrayLike | None


class CheckedMixture(NamedTuple):
    """The parts of a mixture, as arrays of their own."""

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    parents: npt.NDArray[np.int32]
    flat: npt.NDArray[np.float64]
    begin: npt.NDArray[np.int64]
    which: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]


def checked_mixture(given: MixtureParts) -> CheckedMixture:
    """Return copies of the parts.

    Raises
    ------
    ParameterError
        If they do not fit each other.
    """
    names, states = given.names, given.states
    if isinstance(names, str) or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ParameterError.of("names", "strings that differ", names)
    if not len(names) or len(states) != len(names):
        raise ParameterError.of(
            "states", f"one entry for each of {len(names)} variables, at least one variable", verb="have"
        )
    labels = tuple(checked_states(name, row) for name, row in zip(names, states, strict=True))
    trees = _integers("parents", given.parents, len(names), -1, len(names) - 1)
    _refuse_cycles(trees, names)
    starts = np.asarray(given.begin)
    if starts.dtype.kind not in "iu":
        raise ParameterError.of("begin", "whole numbers", Shown(str(starts.dtype)), verb="hold")
    starts = np.array(starts, dtype=np.int64)
    values = _numbers("tables", given.flat)
    one_behind_the_other = starts.ndim == values.ndim == 1 and starts.size > 1 and (np.diff(starts) > 0).all()
    if not one_behind_the_other or (starts[0], starts[-1]) != (0, values.size):
        raise ParameterError.of("begin", "where each table begins in flat, and end with its length", verb="say")
    tables = _integers("which", given.which, len(names), 0, len(starts) - 2)
    if tables.shape != trees.shape:
        raise ParameterError.of("which", f"a row for each of {len(trees)} trees", len(tables), verb="have")
    _check_and_scale_tables(names, np.array([len(row) for row in labels]), trees, values, starts, tables)
    weights = _checked_weights(given.weights, len(trees))
    return CheckedMixture(tuple(names), labels, trees, values, starts, tables, weights)


def _numbers(argument: str, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
    try:
        return real_numbers(given)
    except TypeError as error:
        raise ParameterError.of(argument, f"numbers: {cut(str(error))}") from None


def _integers(argument: str, given: npt.ArrayLike, n_columns: int, least: int, most: int) -> npt.NDArray[np.int32]:
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.zeros(0)
    if array.ndim != 2 or array.shape[1] != n_columns or not len(array) or not np.issubdtype(array.dtype, np.integer):
        raise ParameterError.of(
            argument, f"whole numbers, a row for each tree and in it one for each of {n_columns} variables"
        )
    if array.min() < least or array.max() > most:
        raise ParameterError.of(argument, f"from {least} to {most}", Shown(f"{array.min()} to {array.max()}"))
    return np.array(array, dtype=np.int32)


def _refuse_cycles(trees: npt.NDArray[np.int32], names: Sequence[str]) -> None:
    """Follow all parents at once, twice as far in every step: without a cycle all ways end."""
    at = trees.copy()
    for _ in range(max(1, len(names)).bit_length()):
        at = np.where(at < 0, -1, np.take_along_axis(at, np.maximum(at, 0), axis=1))
    if (at >= 0).any():
        tree, v = map(int, np.argwhere(at >= 0)[0])
        raise ParameterError(f"tree {tree} has a cycle among the ancestors of {quoted(names[v])}")


def _check_and_scale_tables(
    names: Sequence[str],
    arities: npt.NDArray[np.intp],
    trees: npt.NDArray[np.int32],
    flat: npt.NDArray[np.float64],
    begin: npt.NDArray[np.int64],
    which: npt.NDArray[np.int32],
) -> None:
    rows = np.where(trees < 0, 1, arities[np.maximum(trees, 0)])
    wrong = np.argwhere(np.diff(begin)[which] != rows * arities)
    if len(wrong):
        tree, v = map(int, wrong[0])
        raise ParameterError(
            f"the table of {quoted(names[v])} in tree {tree} must have {rows[tree, v]} rows of {arities[v]} "
            "probabilities"
        )
    arity_of_table = np.zeros(len(begin) - 1, dtype=np.intp)
    arity_of_table[which] = np.broadcast_to(arities, which.shape)
    shared = np.argwhere(arity_of_table[which] != arities)
    if len(shared):
        tree, v = map(int, shared[0])
        raise ParameterError(
            f"{quoted(names[v])} in tree {tree} shares a table with a variable of another number of states"
        )
    used = np.flatnonzero(arity_of_table)
    repeats = np.diff(begin)[used] // arity_of_table[used]
    widths = np.repeat(arity_of_table[used], repeats)
    within = np.arange(len(widths)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    first = np.repeat(begin[used], repeats) + within * widths
    ends = first + widths
    # Sums from the beginning of each row to its end; those of what lies between two rows are not looked at.
    with np.errstate(over="ignore"):  # infinities, which the next line refuses
        sums = np.add.reduceat(np.append(flat, 0.0), np.stack([first, ends], axis=1).ravel())[::2]
    if not ((flat >= 0).all() and (np.abs(sums - 1) <= SUM_TOLERANCE).all()):  # so that NaN is refused
        raise ParameterError(f"each row of a table must hold probabilities that sum to 1 within {SUM_TOLERANCE:g}")
    # Rows that are right but for rounding stay as they are, so that a file read and written again is the same.
    for row in np.flatnonzero(np.abs(sums - 1) > 1e-9):
        flat[first[row] : ends[row]] /= flat[first[row] : ends[row]].sum()


def _checked_weights(weights: npt.ArrayLike | None, n_trees: int) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.full(n_trees, 1 / n_trees)
    values = _numbers("weights", weights)
    if values.shape != (n_trees,) or not (np.isfinite(values) & (values >= 0)).all() or values.max() <= 0:
        raise ParameterError.of("weights", f"{n_trees} numbers from 0, not all 0, one for each tree")
    if values.max() > 1:
        values /= values.max()  # so that the sum is finite, however large they are
    total = values.sum()
    # Weights that are shares already stay as they are, so that a file read and written again is the same.
    return values if abs(total - 1) <= 1e-12 else values / total
