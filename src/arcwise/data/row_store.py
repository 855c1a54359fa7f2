"""Rows of codes and numbers that come in chunk by chunk, equal ones merged where that makes the table smaller."""

from dataclasses import dataclass, field
from math import inf
from typing import cast

import numpy as np
import numpy.typing as npt

from arcwise.data.agreement import Agreement
from arcwise.data.codes import MERGING_GAIN, Codes, Weights, merged_rows
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes
from arcwise.support.messages import InPython, Setting

__all__ = ["RowStore", "StoredRows", "TooLargeError"]

# Rows of smaller tables stay as they are.
_LEAST_TO_MERGE = 1 << 21
# Of all rows, what merging must leave to be gone on with.
_MOST_LEFT = 0.75


class TooLargeError(ParameterError):
    """Rows take more memory than they may."""


@dataclass
class StoredRows:
    """Rows, and how many were read before equal ones were merged."""

    codes: Codes
    weights: Weights | None
    numbers: npt.NDArray[np.float64] | None
    n_read: int

    @property
    def n_rows(self) -> int:
        """How many there are now."""
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
    held: list[StoredRows] = field(default_factory=list)
    n_read: int = 0
    merges: bool = field(init=False)
    _whole: StoredRows | None = None  # what is not merged, in one place that has room for all
    _n_written: int = 0

    def __post_init__(self) -> None:
        self.merges = not self.agreement.n_continuous and self.n_expected >= _LEAST_TO_MERGE

    @property
    def needed(self) -> int:
        """Bytes of all rows as they are."""
        return self.n_expected * (self.agreement.bytes_per_row + 4 * self.has_weights)

    @property
    def most_held(self) -> float:
        """Bytes that rows may take while they are merged, before that is given up."""
        return inf

    def cannot_pay(self) -> bool:
        """Whether it can be seen that merging will leave too many rows."""
        return False

    def refuse_numbers(self) -> None:
        """Refuse numbers that do not fit, which cannot be merged.

        Raises
        ------
        TooLargeError
            With the figure.
        """
        if self.needed > self.limit and not self.merges:
            self._refuse()

    def add(self, codes: Codes, numbers: npt.NDArray[np.float64] | None, weights: Weights | None) -> None:
        """Take in some rows.

        Raises
        ------
        TooLargeError
            If the rows so far take more memory than they may.
        """
        self.n_read += len(codes)
        rows = StoredRows(codes, weights, numbers, len(codes))
        if not self.merges:
            self.write(rows)
            return
        self.held.append(self.merged([rows]))
        while self.merges and len(self.held) > 1 and self.held[-2].n_rows <= 2 * self.held[-1].n_rows:
            two = [self.held.pop(), self.held.pop()]
            self.held.append(self.merged(two[::-1]))
        n_held = sum(rows.n_rows for rows in self.held)
        fits = self.needed <= self.limit
        is_in_vain = self.cannot_pay() or n_held > _MOST_LEFT * self.n_read
        if fits and ((is_in_vain and self.n_read >= _LEAST_TO_MERGE) or n_held * self.bytes_held > self.most_held):
            self._give_up_merging()
        # Later rows mostly differ less from those before than these do.
        is_hopeless = self.n_read >= _LEAST_TO_MERGE / 2 and n_held > 0.98 * self.n_read
        if not fits and (n_held * self.bytes_held > self.limit or is_hopeless):
            self._refuse()

    def _give_up_merging(self) -> None:
        self.merges = False
        held, self.held = self.held, []
        for rows in held:
            self.write(rows)

    @property
    def bytes_held(self) -> int:
        """Bytes of a row while equal ones are merged."""
        return self.agreement.bytes_per_row + 4

    def _refuse(self) -> None:
        n = len(self.agreement.coders)
        raise TooLargeError(
            f"{self.n_expected:,} rows of {n:,} variables take {gigabytes(self.needed)} as codes and numbers, and "
            f"memory allows {gigabytes(max(0, int(self.limit)))} for them",
            "" if self.agreement.n_continuous else " (too few of them are equal to be merged)",
            "; use fewer columns or rows, give more with ",
            Setting("memory"),
            ", or cut numbers into states with " if self.agreement.n_continuous else "",
            *((Setting("discretise", "quantile"),) if self.agreement.n_continuous else ()),
            InPython(", or keep less of them with ShardedDataset.of"),
        )

    def merged(self, several: list[StoredRows]) -> StoredRows:
        """Return the rows of all of them, equal ones merged."""
        n_read = sum(rows.n_read for rows in several)
        codes, weights = _joined(several)
        found = merged_rows(codes, self.agreement.sizes, weights)
        if found is None:
            return StoredRows(codes, weights, None, n_read)
        first, counts = found
        taken = np.empty((first.size, codes.shape[1]), dtype=codes.dtype, order="F")
        np.take(codes, first, axis=0, out=taken)
        return StoredRows(cast("Codes", taken), counts, None, n_read)

    def write(self, rows: StoredRows) -> None:
        """Put rows where all of them will be."""
        if self._whole is None:
            shape = self.n_expected, len(self.agreement.coders)
            codes = np.empty(shape, dtype=rows.codes.dtype, order="F")
            weights = np.empty(self.n_expected, dtype=np.uint32) if self.has_weights else None
            n_numbers = self.agreement.n_continuous
            numbers = np.empty((self.n_expected, n_numbers), order="F") if n_numbers else None
            self._whole = StoredRows(cast("Codes", codes), weights, numbers, 0)
        rows = rows if self.has_weights else _unfolded(rows)
        begin, end = self._n_written, self._n_written + rows.n_rows
        self._whole.codes[begin:end] = rows.codes
        if self._whole.weights is not None:
            self._whole.weights[begin:end] = 1 if rows.weights is None else rows.weights
        if self._whole.numbers is not None:
            self._whole.numbers[begin:end] = rows.numbers
        self._n_written = end

    def table(self) -> tuple[Codes, npt.NDArray[np.float64] | None, Weights | None]:
        """Return all rows: codes and numbers column by column, and weights where some row counts more than once."""
        if self.merges and self.held:
            merged = self.merged(self.held)
            is_folded = merged.weights is not None and not self.has_weights
            if is_folded and merged.n_rows * MERGING_GAIN > self.n_read and self.needed <= self.limit / 2:
                merged = _unfolded(merged)
            return merged.codes, None, merged.weights
        whole, n = cast("StoredRows", self._whole), self._n_written
        numbers = None if whole.numbers is None else whole.numbers[:n]
        return whole.codes[:n], numbers, None if whole.weights is None else whole.weights[:n]


def _unfolded(rows: StoredRows) -> StoredRows:
    """Return each row as often as its weight says."""
    if rows.weights is None:
        return rows
    times = np.repeat(np.arange(rows.n_rows), rows.weights)
    return StoredRows(cast("Codes", np.asfortranarray(rows.codes[times])), None, None, rows.n_read)


def _joined(several: list[StoredRows]) -> tuple[Codes, Weights | None]:
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
