"""Rows that become bit planes as they come: codes are held for a block at a time, and while equal rows are merged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import log
from typing import Any, cast

import numpy as np

from arcwise import _core
from arcwise.data.agreement import Agreement
from arcwise.data.codes import MERGING_GAIN, Codes, Weights, code_type
from arcwise.data.row_store import RowStore, StoredRows
from arcwise.shards.requests import Family, Request, Rows, merged

__all__ = ["PlaneStore", "bytes_per_row", "rows_of_family", "state_counts"]

# Rows of a block: few enough that the planes of some tens of variables stay in a core's cache while a batch is counted.
_ROWS_OF_A_BLOCK = 1 << 17
# Variables with more states have codes instead of planes.
_MOST_PLANES = 64
# What is merged takes up to so much more while it is merged with others.
_WHILE_MERGING = 3
# Joint states that are held before equal ones are merged.
_ROWS_BEFORE_MERGING = 1 << 20


def bytes_per_row(agreement: Agreement, *, has_weights: bool = False) -> float:
    """Bytes that a row takes as bits: one for each state, and one for being there."""
    arities = [max(1, len(labels)) for labels in agreement.states]
    n_planes = 1 + sum(arity for arity in arities if arity <= _MOST_PLANES)
    return n_planes / 8 + 2 * sum(arity > _MOST_PLANES for arity in arities) + 8 * has_weights


@dataclass
class PlaneStore(RowStore):
    """Rows that come in chunk by chunk, and stay as bit planes; equal ones are merged where that makes them fewer.

    They are merged as in a `RowStore`. Where that does not pay, rows become bits as soon as there is a block of them.
    The blocks do not depend on the chunks.

    Parameters
    ----------
    instructions
        Which instructions count; see `LocalScore`.
    """

    instructions: str = "auto"
    counter: _core.ShardCounter = field(init=False)
    _block: Codes | None = None
    _weights_of_block: Weights | None = None
    _n_in_block: int = 0
    _merged_before: tuple[int, int] | None = None  # rows that were read when all were merged, and what was left
    _is_weighted: bool = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._is_weighted = self.has_weights
        self.counter = _core.ShardCounter([len(labels) for labels in self.agreement.states], self.instructions)

    @property
    def needed(self) -> int:
        """Bytes of all rows as they are, as bits."""
        return int(self.n_expected * bytes_per_row(self.agreement, has_weights=self.has_weights))

    @property
    def most_held(self) -> float:
        """Bytes that rows may take while they are merged."""
        return min(self.needed, self.limit / _WHILE_MERGING)

    def cannot_pay(self) -> bool:
        """Whether merging will leave more than a quarter of the rows, if the rest differ as those read so far do.

        How many differ grows with a power of how many there are. Sorting rows takes longer than making bits of them.
        """
        if len(self.held) > 1:  # equal ones of several pieces have not been merged
            return False
        before, self._merged_before = self._merged_before, (self.n_read, self.held[0].n_rows)
        if before is None:
            return False
        n_read, n_left = self._merged_before
        power = log(n_left / before[1]) / log(n_read / before[0])
        expected: float = n_left * (self.n_expected / n_read) ** power
        return expected * MERGING_GAIN > self.n_expected

    def write(self, rows: StoredRows) -> None:
        """Make bits of rows."""
        for codes, weights in self._pieces(rows):
            self._fill(codes, weights)

    def _pieces(self, rows: StoredRows) -> Iterator[tuple[Codes, Weights | None]]:
        """Return rows a few at a time, each as often as it counts where rows have no weights."""
        if rows.weights is None or self._is_weighted:
            yield rows.codes, rows.weights
            return
        whole, left = np.divmod(rows.weights, np.uint32(_ROWS_OF_A_BLOCK))
        for row in np.flatnonzero(whole).tolist():
            for _ in range(whole[row]):
                yield cast("Codes", np.repeat(rows.codes[row : row + 1], _ROWS_OF_A_BLOCK, axis=0)), None
        ends = np.cumsum(left, dtype=np.uint64)
        cuts = np.searchsorted(ends, np.arange(_ROWS_OF_A_BLOCK, int(ends[-1]), _ROWS_OF_A_BLOCK))
        for piece in np.split(np.arange(rows.n_rows), np.unique(cuts)):
            if piece.size:
                own = slice(int(piece[0]), int(piece[-1]) + 1)
                yield cast("Codes", np.repeat(rows.codes[own], left[own], axis=0)), None

    def _fill(self, codes: Codes, weights: Weights | None) -> None:
        begin = 0
        while begin < len(codes):
            if self._block is None:
                shape = _ROWS_OF_A_BLOCK, codes.shape[1]
                self._block = cast("Codes", np.empty(shape, dtype=code_type(self.agreement.sizes), order="F"))
                self._weights_of_block = np.empty(_ROWS_OF_A_BLOCK, dtype=np.uint32) if self._is_weighted else None
            end = min(len(codes), begin + _ROWS_OF_A_BLOCK - self._n_in_block)
            place = slice(self._n_in_block, self._n_in_block + end - begin)
            self._block[place] = codes[begin:end]
            if self._weights_of_block is not None:
                self._weights_of_block[place] = 1 if weights is None else weights[begin:end]
            self._n_in_block, begin = place.stop, end
            if self._n_in_block == _ROWS_OF_A_BLOCK:
                self._append()

    def _append(self) -> None:
        if self._block is not None and self._n_in_block:
            n = self._n_in_block
            codes: Any = self._block if n == _ROWS_OF_A_BLOCK else np.asfortranarray(self._block[:n])
            self.counter.append(codes, None if self._weights_of_block is None else self._weights_of_block[:n])
        self._n_in_block = 0

    def finish(self) -> int:
        """Make bits of what is left; return how many rows there are after equal ones were merged."""
        n_kept = self.n_read
        if self.merges and self.held:
            several = self.merged(self.held)
            self.held = []
            is_folded = several.weights is not None and not self.has_weights
            held = several.n_rows * self.bytes_held
            if is_folded and (several.n_rows * MERGING_GAIN <= self.n_read or self.needed + held > self.limit):
                self._is_weighted = True
            n_kept = several.n_rows if self._is_weighted else self.n_read
            self.write(several)
        self._append()
        self._block = self._weights_of_block = None
        return n_kept

    def digest(self) -> str:
        """Return the SHA-256 of all bits."""
        found = sha256()
        for block in range(self.counter.n_blocks):
            for words in self.counter.planes(block):
                found.update(words.data)
        return found.hexdigest()


def state_counts(counter: _core.ShardCounter, arities: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return how many observations have each state, for each variable."""
    counts = np.zeros(sum(arities), dtype=np.uint32)
    counter.add_counts(*Request(tuple((v, ()) for v in range(len(arities)))).arrays, counts)
    ends = np.cumsum(arities)[:-1]
    return tuple(tuple(own.tolist()) for own in np.split(counts, ends))


def rows_of_family(counters: Sequence[_core.ShardCounter], family: Family, arities: tuple[int, ...]) -> list[Rows]:
    """Return the joint states of a family that occur in some shards.

    Equal ones are merged whenever as many have come as there were: no more than twice what occurs is held.
    """
    columns = [*family[1], family[0]]
    sizes = [arities[v] for v in columns]
    found: list[Rows] = []
    n_merged, n_since = 0, 0
    for counter in counters:
        for block in range(counter.n_blocks):
            flat, weights = counter.rows(block, columns)
            found.append(merged(flat.reshape(len(columns), -1).T, weights, sizes))
            n_since += len(found[-1].codes)
            if n_since > max(n_merged, _ROWS_BEFORE_MERGING):
                together = np.asfortranarray(np.concatenate([rows.codes for rows in found]))
                found = [merged(together, np.concatenate([rows.counts for rows in found]), sizes)]
                n_merged, n_since = len(found[0].codes), 0
    return found
