"""Tables in parts become codes: two passes, never more than a chunk of text in memory, equal rows merged on the way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.data.agreement import Agreement, Points, agreed
from arcwise.data.codes import MAX_OBSERVATIONS, Codes, Weights, checked_weights
from arcwise.data.column import Column, column_of_values
from arcwise.data.columns import Coding
from arcwise.data.encode import Coded
from arcwise.data.fields import Fields, Form
from arcwise.data.parts import Chunk, Part
from arcwise.data.profiles import TableProfile
from arcwise.data.row_store import RowStore
from arcwise.support.errors import DataError
from arcwise.support.machine import available_memory
from arcwise.support.quoting import quoted

__all__ = [
    "BYTES_OF_A_CHUNK",
    "agreement_of",
    "coded_by",
    "coded_parts",
    "coded_rows",
    "merged_seen",
    "profile_of",
    "seen_values",
]

#: What reading a chunk takes besides the table.
BYTES_OF_A_CHUNK = 1 << 30


def profile_of(parts: Sequence[Part], names: Sequence[str], coding: Coding, weights: str | None) -> TableProfile:
    """Read all parts once, and say what is in their columns.

    Parameters
    ----------
    parts
        The parts.
    names
        The columns that become variables.
    coding
        What is said about them.
    weights
        The column that says how often a row counts.
    """
    profile = TableProfile.of_names(names)
    drops = [name for name in names if not coding.missing_is_state(name)] if coding.missing == "drop" else []
    for part in parts:
        for chunk, counts in _chunks(part, names, weights):
            profile.add(chunk, part.title, counts, drops=drops)
    return profile


def agreement_of(
    profile: TableProfile, coding: Coding, points_of: Callable[[Sequence[str]], Mapping[str, Points]]
) -> Agreement:
    """States that all parts agree on.

    Parameters
    ----------
    profile
        What a first pass over all parts has found out.
    coding
        What is said about columns.
    points_of
        Gives the values of columns and how often each was seen, where cuts and groups depend on that.

    Raises
    ------
    DataError
        If there are no rows, or too many, or a column cannot be coded.
    """
    if not profile.n_rows:
        raise DataError("The data has columns but no rows; give at least one row.")
    if profile.n_observations > MAX_OBSERVATIONS:
        raise DataError(
            f"The data has {profile.n_observations:,} observations; allowed are {MAX_OBSERVATIONS:,}. Draw fewer of "
            "them."
        )
    if not profile.n_observations and profile.n_kept:
        raise DataError("All weights are 0; some row must count.")
    return agreed(profile, coding, points_of)


def seen_values(
    parts: Sequence[Part],
    forms: Mapping[str, Form | None],
    names: Sequence[str],
    coding: Coding,
    weights: str | None,
) -> dict[str, Points]:
    """Values of some columns, and how often each was seen: another pass.

    Parameters
    ----------
    parts
        The parts.
    forms
        For all columns what text is read as, None where values have types.
    names
        The columns that are asked for.
    coding
        What is said about columns.
    weights
        The column that says how often a row counts.
    """
    found: dict[str, Points] = {}
    # Where rows are left out, all columns say which these are.
    wanted = list(forms) if coding.missing == "drop" else list(names)
    for part in parts:
        for chunk, counts in _chunks(part, wanted, weights):
            drops = [name for name in wanted if not coding.missing_is_state(name)] if coding.missing == "drop" else []
            lacking = chunk.absent(drops)
            if lacking is not None:
                counts = None if counts is None else counts[~lacking]
                chunk = chunk.take(~lacking)
            for name in names:
                seen = _seen(chunk.columns[name], counts, forms[name])
                found[name] = seen if name not in found else _added(found[name], seen)
    return {name: seen for name, seen in found.items() if len(seen[0])}


def merged_seen(several: Sequence[Mapping[str, Points]]) -> dict[str, Points]:
    """Values and how often each was seen, in several groups of parts together."""
    together: dict[str, Points] = {}
    for seen in several:
        for name, own in seen.items():
            together[name] = own if name not in together else _added(together[name], own)
    return together


def _added(one: Points, other: Points) -> Points:
    """Return the values of both, sorted, with how often they were seen in all."""
    values, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    times = np.zeros(len(values), dtype=np.int64)
    np.add.at(times, place.ravel(), np.concatenate([one[1], other[1]]))
    return values, times


def _seen(column: Column | Fields, counts: Weights | None, form: Form | None) -> Points:
    """Return the different values of a column, sorted: numbers, or else objects; and how often each was seen."""
    if isinstance(column, Fields) and form in ("whole", "number"):
        numbers = column.row_numbers()
        assert numbers is not None
        column = column_of_values(numbers)
    elif isinstance(column, Fields):
        column = column.column_of_texts()
    weights = None if counts is None else counts.astype(np.float64)
    values = column.values
    if column.absent is not None:
        values = values[~column.absent]
        weights = None if weights is None else weights[~column.absent]
    if column.has_labels:
        distinct: npt.NDArray[Any] = np.empty(len(column.labels), dtype=object)
        distinct[:] = column.labels
        place = values
    else:
        numbers = values.astype(np.float64) if column.is_numeric else values
        distinct, place = np.unique(numbers, return_inverse=True)
    times = np.rint(np.bincount(place.ravel(), weights, len(distinct))).astype(np.int64)
    return distinct[times > 0], times[times > 0]


def coded_rows(
    parts: Sequence[Part], agreement: Agreement, weights: str | None
) -> Iterator[tuple[Codes, npt.NDArray[np.float64] | None, Weights | None]]:
    """Codes, numbers and weights of the rows of some parts, a chunk at a time."""
    for part in parts:
        for chunk, counts in _chunks(part, agreement.names, weights):
            lacking = chunk.absent(agreement.drops)
            if lacking is not None:
                chunk = chunk.take(~lacking)
                counts = None if counts is None else counts[~lacking]
            if chunk.n_rows:
                yield *agreement.coded(chunk), counts


def _chunks(part: Part, names: Sequence[str], weights: str | None) -> Iterator[tuple[Chunk, Weights | None]]:
    wanted = [*names] if weights is None else [*names, weights]
    for chunk in part.chunks(wanted):
        counts = None
        if weights is not None:
            column = chunk.columns[weights]
            array = column.row_numbers() if isinstance(column, Fields) else column.used().values
            if array is None or column.absent is not None:
                raise DataError(
                    f"Column {quoted(weights)} holds the weights, but some in {part.title} are missing or not numbers; "
                    "every row needs one."
                )
            counts = checked_weights(array, chunk.n_rows) if array.any() else np.zeros(chunk.n_rows, dtype=np.uint32)
            chunk = chunk.without(weights)
        yield chunk, counts


def coded_parts(
    parts: Sequence[Part], names: Sequence[str], coding: Coding, weights: str | None, memory: int | None
) -> Coded:
    """Codes, states and numbers of a table in parts.

    Parameters
    ----------
    parts
        The parts.
    names
        The columns that become variables.
    coding
        What is said about them.
    weights
        The column that says how often a row counts.
    memory
        Bytes that the table may take; nine tenths of what is available when None.

    Raises
    ------
    TooLargeError
        If it takes more, with the figure.
    DataError
        For a column that cannot be coded.
    """
    profile = profile_of(parts, names, coding, weights)
    forms = {column.name: column.dtype for column in profile.columns}
    agreement = agreement_of(
        profile, coding, lambda wanted: merged_seen([seen_values(parts, forms, wanted, coding, weights)])
    )
    return coded_by(agreement, parts, profile.n_kept, weights, memory)


def coded_by(
    agreement: Agreement, parts: Sequence[Part], n_rows: int, weights: str | None, memory: int | None
) -> Coded:
    """Codes and numbers of a table in parts whose states are agreed on: the second pass.

    Parameters
    ----------
    agreement
        The variables.
    parts
        The parts.
    n_rows
        How many rows they have.
    weights
        The column that says how often a row counts.
    memory
        Bytes that the table may take; nine tenths of what is available when None.

    Raises
    ------
    TooLargeError
        If it takes more, with the figure.
    """
    limit = int(0.9 * available_memory()) if memory is None else memory
    store = RowStore(agreement, n_rows, limit - BYTES_OF_A_CHUNK, has_weights=weights is not None)
    store.refuse_numbers()
    for codes, numbers, counts in coded_rows(parts, agreement, weights):
        store.add(codes, numbers, counts)
    codes, numbers, counts = store.table()
    stays = np.ones(0, dtype=np.bool_)  # nothing that is known by row comes with a table in parts
    return Coded(codes, agreement.states, numbers, counts, agreement.steps, stays)
