"""Tables in parts become codes: two passes, never more than a chunk of text in memory, equal rows merged on the way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from arcwise.data.agreement import Agreement, Points, agreed
from arcwise.data.codes import MAX_OBSERVATIONS, MERGING_GAIN, Codes, Weights, checked_weights, merged_rows
from arcwise.data.columns import Coding
from arcwise.data.encode import Coded
from arcwise.data.parts import Part
from arcwise.data.profiles import TableProfile, with_nulls
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.later import later
from arcwise.support.machine import available_memory, gigabytes
from arcwise.support.messages import Setting
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    import polars as pl
else:
    pl = later("polars")

__all__ = [
    "RowStore",
    "agreement_of",
    "coded_parts",
    "coded_rows",
    "merged_seen",
    "profile_of",
    "seen_values",
]

# Rows of smaller tables stay as they are.
_LEAST_TO_MERGE = 1 << 21
# Of all rows, what merging must leave to be gone on with.
_MOST_LEFT = 0.75
# What reading a chunk takes besides the table.
_BYTES_OF_A_CHUNK = 1 << 30


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
            profile.add(chunk, part.title, counts, is_text=part.is_text, drops=drops)
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
    dtypes: "Mapping[str, pl.DataType | None]",
    names: Sequence[str],
    coding: Coding,
    weights: str | None,
) -> "dict[str, pl.DataFrame]":
    """Values of some columns, and how often each was seen: another pass.

    Parameters
    ----------
    parts
        The parts.
    dtypes
        For all columns what text is read as, None where values have types.
    names
        The columns that are asked for.
    coding
        What is said about columns.
    weights
        The column that says how often a row counts.
    """
    found: dict[str, list[pl.DataFrame]] = {name: [] for name in names}
    for part in parts:
        for chunk, counts in _chunks(part, list(dtypes), weights):
            if coding.missing == "drop":
                counts = None if counts is None else counts[_complete(chunk).to_numpy()]
                chunk = chunk.drop_nulls()
            for name in names:
                found[name] = [_seen(found[name], chunk[name], counts, dtypes[name])]
    return {name: seen[0] for name, seen in found.items() if seen}


def merged_seen(several: Sequence[Mapping[str, "pl.DataFrame"]]) -> dict[str, Points]:
    """Values and how often each was seen, in several groups of parts together."""
    names = dict.fromkeys(name for seen in several for name in seen)
    together = {
        name: pl.concat([seen[name] for seen in several if name in seen])
        .group_by("value")
        .agg(pl.col("times").sum())
        .sort("value")
        for name in names
    }
    return {name: (seen["value"], seen["times"].to_numpy()) for name, seen in together.items()}


def _seen(
    known: "list[pl.DataFrame]", column: "pl.Series", counts: Weights | None, dtype: "pl.DataType | None"
) -> "pl.DataFrame":
    """Return the different values of a column so far, and how often each was seen."""
    typed = column if dtype is None else column.cast(dtype)
    values = typed.cast(pl.Float64) if typed.dtype.is_numeric() else typed
    times = pl.Series("times", np.ones(len(column), dtype=np.int64) if counts is None else counts).cast(pl.Int64)
    rows = pl.DataFrame([values.alias("value"), times]).drop_nulls()
    together = pl.concat([*known, rows])
    return together.group_by("value").agg(pl.col("times").sum()).sort("value")


def _complete(chunk: "pl.DataFrame") -> "pl.Series":
    return chunk.select(pl.all_horizontal(pl.all().is_not_null())).to_series()


def coded_rows(
    parts: Sequence[Part], agreement: Agreement, weights: str | None
) -> Iterator[tuple[Codes, npt.NDArray[np.float64] | None, Weights | None]]:
    """Codes, numbers and weights of the rows of some parts, a chunk at a time."""
    for part in parts:
        for chunk, counts in _chunks(part, agreement.names, weights):
            if agreement.drops and any(chunk.select(agreement.drops).null_count().row(0)):
                stays = _complete(chunk.select(agreement.drops))
                chunk = chunk.filter(stays)
                counts = None if counts is None else counts[stays.to_numpy()]
            if chunk.height:
                yield *agreement.coded(chunk), counts


def _chunks(part: Part, names: Sequence[str], weights: str | None) -> "Iterator[tuple[pl.DataFrame, Weights | None]]":
    wanted = [*names] if weights is None else [*names, weights]
    for chunk in part.chunks(wanted):
        counts = None
        if weights is not None:
            column = chunk[weights]
            numbers = column.cast(pl.Float64, strict=False) if part.is_text else column
            if numbers.null_count():
                raise DataError(
                    f"Column {quoted(weights)} holds the weights, but some in {part.title} are missing or not numbers; "
                    "every row needs one."
                )
            array = numbers.to_numpy()
            counts = checked_weights(array, chunk.height) if array.any() else np.zeros(chunk.height, dtype=np.uint32)
            chunk = chunk.drop(weights)
        yield with_nulls(chunk), counts


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
    ParameterError
        If it takes more, with the figure.
    DataError
        For a column that cannot be coded.
    """
    profile = profile_of(parts, names, coding, weights)
    dtypes = {column.name: column.dtype for column in profile.columns}
    agreement = agreement_of(
        profile, coding, lambda wanted: merged_seen([seen_values(parts, dtypes, wanted, coding, weights)])
    )
    limit = int(0.9 * available_memory()) if memory is None else memory
    store = RowStore(agreement, profile.n_kept, limit - _BYTES_OF_A_CHUNK, has_weights=weights is not None)
    store.refuse_numbers()
    for codes, numbers, counts in coded_rows(parts, agreement, weights):
        store.add(codes, numbers, counts)
    codes, numbers, counts = store.table()
    stays = np.ones(0, dtype=np.bool_)  # nothing that is known by row comes with a table in parts
    return Coded(codes, agreement.states, numbers, counts, agreement.steps, stays)


@dataclass
class _Rows:
    codes: Codes
    weights: Weights | None
    numbers: npt.NDArray[np.float64] | None
    n_read: int

    @property
    def n_rows(self) -> int:
        return len(self.codes)


@dataclass
class RowStore:
    """Rows that come in chunk by chunk, equal ones merged where that makes the table smaller.

    Chunks are merged each by itself, then two of about the same size with each other, and so on. Where that leaves
    three quarters of the rows it is given up, unless memory needs it. What merging has not made four times smaller is
    unfolded again in the end, where there is room: rows without weights are counted faster.

    Parameters
    ----------
    agreement
        The variables.
    n_expected
        How many rows will come.
    limit
        Bytes that the rows may take.
    has_weights
        Whether rows come with weights.
    """

    agreement: Agreement
    n_expected: int
    limit: float = inf
    has_weights: bool = False
    _held: list[_Rows] = field(default_factory=list)
    _n_read: int = 0
    _merges: bool = field(init=False)
    _whole: _Rows | None = None  # what is not merged, in one place that has room for all
    _n_written: int = 0

    def __post_init__(self) -> None:
        self._merges = not self.agreement.n_continuous and self.n_expected >= _LEAST_TO_MERGE

    @property
    def _needed(self) -> int:
        """Bytes of all rows as they are."""
        return self.n_expected * (self.agreement.bytes_per_row + 4 * self.has_weights)

    def refuse_numbers(self) -> None:
        """Refuse numbers that do not fit, which cannot be merged.

        Raises
        ------
        ParameterError
            With the figure.
        """
        if self._needed > self.limit and not self._merges:
            self._refuse()

    def add(self, codes: Codes, numbers: npt.NDArray[np.float64] | None, weights: Weights | None) -> None:
        """Take in some rows.

        Raises
        ------
        ParameterError
            If the rows so far take more memory than they may.
        """
        self._n_read += len(codes)
        rows = _Rows(codes, weights, numbers, len(codes))
        if not self._merges:
            self._write(rows)
            return
        self._held.append(self._merged([rows]))
        while self._merges and len(self._held) > 1 and self._held[-2].n_rows <= 2 * self._held[-1].n_rows:
            two = [self._held.pop(), self._held.pop()]
            self._held.append(self._merged(two[::-1]))
        n_held = sum(rows.n_rows for rows in self._held)
        fits = self._needed <= self.limit
        if fits and self._n_read >= _LEAST_TO_MERGE and n_held > _MOST_LEFT * self._n_read:
            self._merges = False
        # Later rows mostly differ less from those before than these do.
        is_hopeless = self._n_read >= _LEAST_TO_MERGE / 2 and n_held > 0.98 * self._n_read
        if not fits and (n_held * self._bytes_held > self.limit or is_hopeless):
            self._refuse()

    @property
    def _bytes_held(self) -> int:
        return self.agreement.bytes_per_row + 4

    def _refuse(self) -> None:
        n = len(self.agreement.coders)
        raise ParameterError(
            f"{self.n_expected:,} rows of {n:,} variables take {gigabytes(self._needed)} as codes and numbers, and "
            f"memory allows {gigabytes(max(0, int(self.limit)))} for them",
            "" if self.agreement.n_continuous else " (too few of them are equal to be merged)",
            "; use fewer columns or rows, give more with ",
            Setting("memory"),
            ", or cut numbers into states with " if self.agreement.n_continuous else "",
            *((Setting("discretise", "quantile"),) if self.agreement.n_continuous else ()),
        )

    def _merged(self, several: list[_Rows]) -> _Rows:
        """Return the rows of all of them, equal ones merged."""
        n_read = sum(rows.n_read for rows in several)
        codes, weights = _joined(several)
        found = merged_rows(codes, self.agreement.sizes, weights)
        if found is None:
            return _Rows(codes, weights, None, n_read)
        first, counts = found
        taken = np.empty((first.size, codes.shape[1]), dtype=codes.dtype, order="F")
        np.take(codes, first, axis=0, out=taken)
        return _Rows(cast("Codes", taken), counts, None, n_read)

    def _write(self, rows: _Rows) -> None:
        """Put rows where all of them will be, those that came before first."""
        if self._whole is None:
            shape = self.n_expected, len(self.agreement.coders)
            codes = np.empty(shape, dtype=rows.codes.dtype, order="F")
            weights = np.empty(self.n_expected, dtype=np.uint32) if self.has_weights else None
            n_numbers = self.agreement.n_continuous
            numbers = np.empty((self.n_expected, n_numbers), order="F") if n_numbers else None
            self._whole = _Rows(cast("Codes", codes), weights, numbers, 0)
            held, self._held = self._held, []
            for earlier in held:
                self._write(earlier if self.has_weights else _unfolded(earlier))
        begin, end = self._n_written, self._n_written + rows.n_rows
        self._whole.codes[begin:end] = rows.codes
        if self._whole.weights is not None:
            self._whole.weights[begin:end] = 1 if rows.weights is None else rows.weights
        if self._whole.numbers is not None:
            self._whole.numbers[begin:end] = rows.numbers
        self._n_written = end

    def table(self) -> tuple[Codes, npt.NDArray[np.float64] | None, Weights | None]:
        """Return all rows: codes and numbers column by column, and weights where some row counts more than once."""
        if self._merges and self._held:
            merged = self._merged(self._held)
            is_folded = merged.weights is not None and not self.has_weights
            if is_folded and merged.n_rows * MERGING_GAIN > self._n_read and self._needed <= self.limit / 2:
                merged = _unfolded(merged)
            return merged.codes, None, merged.weights
        whole, n = cast("_Rows", self._whole), self._n_written
        numbers = None if whole.numbers is None else whole.numbers[:n]
        return whole.codes[:n], numbers, None if whole.weights is None else whole.weights[:n]


def _unfolded(rows: _Rows) -> _Rows:
    """Return each row as often as its weight says."""
    if rows.weights is None:
        return rows
    times = np.repeat(np.arange(rows.n_rows), rows.weights)
    return _Rows(cast("Codes", np.asfortranarray(rows.codes[times])), None, None, rows.n_read)


def _joined(several: list[_Rows]) -> tuple[Codes, Weights | None]:
    """Return the codes and weights of all, which are given up one after the other."""
    if len(several) == 1:
        return several[0].codes, several[0].weights
    n_rows, first = sum(rows.n_rows for rows in several), several[0]
    codes = np.empty((n_rows, first.codes.shape[1]), dtype=first.codes.dtype, order="F")
    has_weights = any(rows.weights is not None for rows in several)
    weights = np.ones(n_rows, dtype=np.uint32) if has_weights else None
    begin = 0
    while several:
        rows = several.pop(0)
        end = begin + rows.n_rows
        codes[begin:end] = rows.codes
        if weights is not None and rows.weights is not None:
            weights[begin:end] = rows.weights
        begin = end
    return cast("Codes", codes), weights
