"""Codes and numbers of a Dataset, with names, states and weights: checked before use, equal rows merged."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import DataError
from arcwise.support.names import checked_names
from arcwise.support.quoting import numbered, quoted

__all__ = [
    "MAX_ARITY",
    "MAX_OBSERVATIONS",
    "MERGING_GAIN",
    "Codes",
    "Weights",
    "check_codes_in_states",
    "checked_codes",
    "checked_numbers",
    "checked_states",
    "checked_weights",
    "code_type",
    "column_names",
    "may_merge",
    "merged_rows",
    "numbered_states",
    "place",
    "refuse_nan",
    "states_of_codes",
]

MAX_ARITY = 65_535
#: More different values of a column than this are not kept while it is read: no column has more states.
MOST_VALUES = MAX_ARITY + 1
MAX_OBSERVATIONS = 2**32 - 1

#: Weighted rows are counted one bit of the weights at a time, so merging must save at least this factor to pay.
MERGING_GAIN = 4

Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
Weights = npt.NDArray[np.uint32]


def place(name: str, row: int) -> str:
    """Words for one cell, the same in every message."""
    return f"Column {quoted(name)}, row {row} (rows count from 0)"


def code_type(sizes: Iterable[int]) -> type[np.uint8] | type[np.uint16]:
    """Smallest unsigned type that holds so many codes of each variable: its states, and one more if it has gaps."""
    return np.uint8 if max(sizes, default=0) <= 256 else np.uint16


@cache
def numbered_states(arity: int) -> tuple[str, ...]:
    """Labels "0", "1", … for a variable whose states have no names."""
    return tuple(map(str, range(arity)))


def column_names(names: Iterable[str], n_columns: int | None = None) -> tuple[str, ...]:
    """Names as a tuple, if no two are alike and none is empty; one for each column where their number is given.

    Raises
    ------
    DataError
        Otherwise, with the offending name.
    """
    checked = checked_names(names, "column", DataError)
    if n_columns is not None and len(checked) != n_columns:
        raise DataError(f"{numbered(len(checked), 'name')} for {numbered(n_columns, 'column')}; give one for each.")
    return checked


def checked_states(name: str, labels: Sequence[str]) -> tuple[str, ...]:
    """State labels of one variable as a tuple of distinct strings.

    Raises
    ------
    DataError
        If there are none, more than 65,535, or two alike.
    """
    if isinstance(labels, str):
        raise DataError(
            f"The states of {quoted(name)} are the string {quoted(labels)}; give a sequence of labels instead."
        )
    labels = tuple(map(str, labels))
    if not 1 <= len(labels) <= MAX_ARITY:
        raise DataError(f"Column {quoted(name)} has {numbered(len(labels), 'state')}; allowed are 1 to {MAX_ARITY:,}.")
    if len(set(labels)) < len(labels):
        label = Counter(labels).most_common(1)[0][0]
        raise DataError(
            f"Column {quoted(name)} has two states labelled {quoted(label)}; labels must differ: rename one of them."
        )
    return labels


def states_of_codes(
    codes: npt.NDArray[np.integer],
    names: Sequence[str],
    arities: Sequence[int] | None,
    states: Sequence[Sequence[str]] | None,
) -> tuple[tuple[str, ...], ...]:
    """Labels of all variables: those given, or numbers up to the given arities, or up to the largest codes.

    Raises
    ------
    DataError
        If their number is not that of the variables, or arities and labels contradict each other.
    """
    for what, given in (("arities", arities), ("states", states)):
        if given is not None and len(given) != len(names):
            raise DataError(
                f"{what} is for {numbered(len(given), 'column')}, and there are {len(names)}; give one for each."
            )
    if states is not None:
        labels = tuple(checked_states(name, of_one) for name, of_one in zip(names, states, strict=True))
        for v, arity in enumerate(arities or ()):
            if arity != len(labels[v]):
                own = numbered(len(labels[v]), "state")
                raise DataError(f"Column {quoted(names[v])} has {own}, but arity {arity}; leave out arities.")
        return labels
    sizes = [int(top) + 1 for top in codes.max(axis=0)] if arities is None else list(arities)
    for name, size in zip(names, sizes, strict=True):
        if not isinstance(size, int | np.integer) or not 1 <= size <= MAX_ARITY:
            raise DataError(
                f"Column {quoted(name)} has arity {quoted(size)}; allowed are whole numbers from 1 to {MAX_ARITY:,}."
            )
    return tuple(numbered_states(int(size)) for size in sizes)


def checked_codes(codes: npt.ArrayLike) -> npt.NDArray[np.integer]:
    """Codes as a two-dimensional integer array with rows, columns and no negative number.

    Raises
    ------
    DataError
        Otherwise, with the column and the row where there is one.
    """
    array = np.asarray(codes)
    if array.ndim != 2:
        raise DataError(f"codes has {array.ndim} dimension(s); it must have two, rows by variables.")
    if array.shape[1] == 0:
        raise DataError("The data has no columns; give at least one.")
    if array.shape[0] == 0:
        raise DataError("The data has no rows; give at least one.")
    if array.dtype == np.bool_:
        return array.view(np.uint8)
    if not np.issubdtype(array.dtype, np.integer):
        raise DataError(f"codes has type {array.dtype}; codes are integers. Values of other types go to from_array.")
    if np.issubdtype(array.dtype, np.signedinteger) and array.min() < 0:
        column = int(np.argmax((array < 0).any(axis=0)))
        row = int(np.argmax(array[:, column] < 0))
        raise DataError(
            f"Column {column}, row {row} (both count from 0) holds the code {array[row, column]}; codes start at 0. "
            "If it stands for a missing value, mask it (np.ma.masked_less(codes, 0)), which makes it a gap."
        )
    return array


def check_codes_in_states(
    codes: npt.NDArray[np.integer], names: Sequence[str], states: Sequence[Sequence[str]], *, gaps: bool = False
) -> None:
    """Refuse a code that has no state, with its column and row; the one after the last state's is a gap, if allowed.

    Raises
    ------
    DataError
        For the first such column.
    """
    for v, labels in enumerate(states):
        column, n_codes = codes[:, v], len(labels) + gaps if labels else 1  # a continuous variable has the code 0
        if int(column.max()) >= n_codes:
            row = int(np.argmax(column >= n_codes))
            raise DataError(
                f"{place(names[v], row)} holds the code {column[row]}, but the variable has "
                f"{numbered(len(labels), 'state')} (codes 0 to {len(labels) - 1}); raise its arity or correct the code."
            )


def checked_numbers(numbers: npt.ArrayLike | None, names: Sequence[str], n_rows: int) -> npt.NDArray[np.float64] | None:
    """Finite numbers, and NaN for gaps, in column-major order, a column for each of these variables; None for none.

    Raises
    ------
    DataError
        Otherwise, with the column and the row where there is one.
    """
    if numbers is None and not names:
        return None
    array = np.asarray(np.empty((n_rows, 0)) if numbers is None else numbers, dtype=np.float64, order="F")
    if array.shape != (n_rows, len(names)):
        raise DataError(
            f"numbers has shape {array.shape}; it must be ({n_rows}, {len(names)}): a column for each variable without "
            "states."
        )
    for v, name in enumerate(names):
        if np.isinf(array[:, v]).any():
            row = int(np.argmax(np.isinf(array[:, v])))
            raise DataError(f"{place(name, row)} holds {array[row, v]}; numbers must be finite.")
    return array if names else None


def refuse_nan(numbers: npt.NDArray[np.float64], names: Sequence[str]) -> None:
    """Refuse NaN where it does not stand for a gap.

    Raises
    ------
    DataError
        For the first column that has some.
    """
    for name, column in zip(names, numbers.T, strict=True):
        if np.isnan(column).any():
            raise DataError(
                f"{place(name, int(np.argmax(np.isnan(column))))} holds nan; numbers must be finite. If values are "
                "missing, mask them (np.ma.masked_invalid(values)), which makes them gaps."
            )


def checked_weights(weights: npt.ArrayLike, n_rows: int) -> Weights:
    """Row weights as counts, one for each row.

    Raises
    ------
    DataError
        If their number is not `n_rows`, one is not a whole number from 0, or their sum is not in 1 to 2**32 - 1.
    """
    array = np.asarray(weights)
    if array.shape != (n_rows,):
        raise DataError(f"weights has shape {array.shape}; it must be ({n_rows},), one weight for each row.")
    if array.dtype.kind not in "biuf":
        found = "text" if array.dtype.kind in "US" else f"of type {array.dtype}"
        raise DataError(f"weights must be whole numbers of at least 0, not {found}.")
    wrong = ~(array >= 0)
    if array.dtype.kind == "f":
        wrong |= ~np.isfinite(array) | (array != np.floor(array))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"The weight of row {row} (rows count from 0) is {array[row]}; weights are counts: whole numbers from 0. "
            "Scale fractional weights up and round them."
        )
    total = int(array.sum(dtype=np.float64 if array.dtype.kind == "f" else np.uint64))
    if (array.size and int(array.max()) > MAX_OBSERVATIONS) or not 1 <= total <= MAX_OBSERVATIONS:
        raise DataError(
            f"The weights sum to {total:,}; the sum must be between 1 and {MAX_OBSERVATIONS:,}. "
            "Some weight must be above 0; scale large weights down and round them."
        )
    return array.astype(np.uint32)


_KEY_LIMIT = 2**63
# Of so many rows drawn at random, how many pairs are equal says whether merging can pay.
_SAMPLED_ROWS = 1 << 20


def may_merge(codes: Codes, factor: int) -> bool:
    """Whether merging equal rows may leave less than one of so many; False where a sample rules it out.

    If all rows are of K kinds, at least one of K pairs drawn at random is of equal rows. Where a sample has less than
    half of the pairs that this makes for the largest K that would do, K is larger: with thousands of pairs expected,
    chance does not matter. Only large tables are looked at: others are merged to see.
    """
    n_rows = len(codes)
    if n_rows < 4 * _SAMPLED_ROWS:
        return True
    rows = np.unique(np.random.default_rng(0).integers(0, n_rows, _SAMPLED_ROWS))
    sample = np.empty((rows.size, codes.shape[1]), dtype=codes.dtype, order="F")
    for v, column in enumerate(codes.T):
        sample[:, v] = column[rows]
    found = merged_rows(sample, [int(top) + 1 for top in sample.max(axis=0)], None)
    times = np.ones(1) if found is None else found[1].astype(np.float64)
    n_pairs = float((times * (times - 1)).sum()) / 2
    expected = rows.size * (rows.size - 1) / 2 * factor / n_rows
    return n_pairs >= expected / 2


def merged_rows(
    codes: Codes, sizes: Sequence[int], weights: Weights | None, kinds: npt.NDArray[np.int64] | None = None
) -> tuple[npt.NDArray[np.intp], Weights] | None:
    """One row of each kind and how often that kind was seen, or None when no two rows are equal.

    Codes are below the size of their variable. Rows come in lexicographic order of their codes, so that the order of
    the input does not matter. Rows of weight 0 count nothing and are left out. Rows of different `kinds` are not equal,
    whatever their codes; these come first in the order.

    Notes
    -----
    As many columns as fit are read as the digits of one 63-bit number. The numbers are replaced by their ranks, the
    next columns are appended to the ranks, and so on; the work stops as soon as all rows are known to differ.
    """
    rows = np.arange(codes.shape[0]) if weights is None else np.flatnonzero(weights)
    everything = rows.size == codes.shape[0]
    ranks, n_kinds = np.zeros(rows.size, dtype=np.int64), 1
    if kinds is not None:
        ranks, n_kinds = _ranks(kinds[rows], int(kinds.max()) + 1)
    v = 0
    while v < len(sizes) and n_kinds < rows.size:
        key, span = ranks, n_kinds
        while v < len(sizes) and span * sizes[v] < _KEY_LIMIT:
            if sizes[v] > 1:
                column = codes[:, v] if everything else codes[rows, v]
                key, span = key * sizes[v] + column, span * sizes[v]
            v += 1
        ranks, n_kinds = _ranks(key, span)
    if n_kinds == codes.shape[0]:
        return None
    first = np.empty(n_kinds, dtype=np.intp)
    first[ranks[::-1]] = rows[::-1]  # the last write stays, which is the first row of the kind
    counts = np.bincount(ranks, weights=None if weights is None else weights[rows], minlength=n_kinds)
    return first, counts.astype(np.uint32)


def _ranks(key: npt.NDArray[np.int64], span: int) -> tuple[npt.NDArray[np.int64], int]:
    """Each key's place among the distinct keys, and how many distinct keys there are."""
    if span <= 4 * key.size + 65_536:
        seen = np.zeros(span, dtype=np.bool_)
        seen[key] = True
        return (np.cumsum(seen) - 1)[key], int(seen.sum())
    distinct, ranks = np.unique(key, return_inverse=True)
    return ranks.astype(np.int64, copy=False), int(distinct.size)
