"""What a worker does: it codes its shards once, keeps them, and answers how often families occur in them."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

import numpy as np

from arcwise import _core
from arcwise.data.agreement import Agreement, Points
from arcwise.data.columns import Coding
from arcwise.data.fields import Form
from arcwise.data.parts import Part
from arcwise.data.profiles import TableProfile
from arcwise.data.row_store import TooLargeError
from arcwise.data.streamed import coded_rows, profile_of, seen_values
from arcwise.shards.planes import PlaneStore, bytes_per_row, rows_of_family, state_counts
from arcwise.shards.products import Grid, ProductSums
from arcwise.shards.requests import Counts, Family, Request, Rows
from arcwise.support.machine import available_memory
from arcwise.support.quoting import listed

__all__ = [
    "Key",
    "Lacking",
    "NoRoom",
    "Shard",
    "ShardReport",
    "counts_in",
    "forget",
    "load",
    "look_through",
    "products_in",
    "rows_in",
    "seen_in",
]


#: The name of a table, and the number of a shard.
Key = tuple[str, int]


@dataclass(frozen=True)
class Shard:
    """Some of a table's parts, which one worker keeps, and all that it takes to read them again elsewhere.

    Parameters
    ----------
    table
        The name of the table, which no other one has.
    number
        Which of its shards this is.
    parts
        Its rows.
    agreement
        How they are coded.
    n_rows
        How many rows there are.
    weights
        The column that says how often each counts.
    memory
        Bytes that a worker may use for its shards; nine tenths of what is available there when None.
    instructions
        Which instructions count; see `LocalScore`.
    """

    table: str
    number: int
    parts: tuple[Part, ...]
    agreement: Agreement
    n_rows: int
    weights: str | None
    memory: int | None
    instructions: str

    @property
    def key(self) -> Key:
        """Its name."""
        return self.table, self.number

    @property
    def title(self) -> str:
        """Words for it."""
        return f"shard {self.number} ({listed([part.title for part in self.parts], show=str)})"

    @property
    def needed(self) -> int:
        """Bytes that it takes as bits, if no rows are equal."""
        return int(self.n_rows * bytes_per_row(self.agreement, has_weights=self.weights is not None))


@dataclass(frozen=True)
class ShardReport:
    """What became of a shard.

    Attributes
    ----------
    n_rows, n_kept
        Its rows, and how many are left after equal ones were merged.
    n_bytes
        What it takes in its worker: bits, and weights; nothing for numbers, of which only sums are kept.
    counts
        How many observations have each state, for each variable; none for numbers.
    digest
        The SHA-256 of its bits, or of the sums of products of its numbers.
    worker
        Where it is.
    """

    n_rows: int
    n_kept: int
    n_bytes: int
    counts: tuple[tuple[int, ...], ...]
    digest: str
    worker: str


@dataclass(frozen=True)
class _Kept:
    arities: tuple[int, ...]
    counter: _core.ShardCounter
    report: ShardReport


@dataclass(frozen=True)
class NoRoom:
    """The answer of a worker that has less memory than a shard takes: another one may have more.

    Attributes
    ----------
    title
        Words for the shard.
    n_rows, needed
        Its rows, and the bytes that they take as bits.
    limit
        The bytes that there are for it.
    worker
        Where that is.
    """

    title: str
    n_rows: int
    needed: int
    limit: int
    worker: str


@dataclass(frozen=True)
class Lacking:
    """The answer of a worker that does not have what it is asked about: it was put in the place of another."""


_kept: dict[Key, _Kept] = {}
_locks: dict[Key, Lock] = {}
_promised: dict[Key, int] = {}  # bytes of shards that are being read
_lock = Lock()


def look_through(parts: Sequence[Part], names: Sequence[str], coding: Coding, weights: str | None) -> TableProfile:
    """Return what is in the columns of a shard: the first pass."""
    return profile_of(parts, names, coding, weights)


def seen_in(
    parts: Sequence[Part],
    forms: dict[str, Form | None],
    names: Sequence[str],
    coding: Coding,
    weights: str | None,
) -> dict[str, Points]:
    """Return the values of some columns of a shard, and how often each was seen."""
    return seen_values(parts, forms, names, coding, weights)


def load(shard: Shard) -> "ShardReport | NoRoom":
    """Make bits of a shard and keep them: the second pass."""
    kept = _table(shard)
    return kept if isinstance(kept, NoRoom) else kept.report


def products_in(
    parts: Sequence[Part], agreement: Agreement, n_rows: int, weights: str | None, grid: Grid
) -> tuple[ShardReport, ProductSums]:
    """Return the sums of products of the numbers of a shard, of which nothing else is kept.

    Parameters
    ----------
    parts
        Its rows.
    agreement
        How they are read.
    n_rows
        How many rows there are.
    weights
        The column that says how often each counts.
    grid
        To what numbers are rounded.
    """
    sums = ProductSums(grid)
    for _, numbers, counts in coded_rows(parts, agreement, weights):
        if numbers is not None:
            sums.add(numbers, counts)
    digest = sha256(sums.high.data)
    digest.update(sums.low.data)
    return ShardReport(n_rows, 0, 0, (), digest.hexdigest(), _worker()), sums


def counts_in(keys: Sequence[Key], requests: Sequence[Request]) -> Counts | Lacking:
    """Return the counts of families in some shards, added up, one table behind the other.

    Parameters
    ----------
    keys
        The shards.
    requests
        The families.
    """
    tables = _tables(keys)
    if isinstance(tables, Lacking):
        return tables
    arities = tables[0].arities
    sizes = [sum(request.sizes(arities)) for request in requests]
    counts = np.zeros(sum(sizes), dtype=np.uint32)
    for kept in tables:
        begin = 0
        for request, size in zip(requests, sizes, strict=True):
            own = counts[begin : begin + size]
            begin += size
            if request.candidates is None:
                kept.counter.add_counts(*request.arrays, own)
            else:
                kept.counter.add_additions(*request.arrays, np.array(request.candidates, dtype=np.int32), own)
    return counts


def rows_in(keys: Sequence[Key], family: Family) -> list[Rows] | Lacking:
    """Return the joint states of a family that occur in some shards, some several times; see `counts_in`."""
    tables = _tables(keys)
    if isinstance(tables, Lacking):
        return tables
    return rows_of_family([kept.counter for kept in tables], family, tables[0].arities)


def _tables(keys: Sequence[Key]) -> "list[_Kept] | Lacking":
    with _lock:
        found = [_kept[key] for key in keys if key in _kept]
    return found if len(found) == len(keys) else Lacking()


def forget(table: str) -> None:
    """Give up all shards of a table."""
    with _lock:
        for key in [key for key in _kept if key[0] == table]:
            del _kept[key]
            _locks.pop(key, None)


def _table(shard: Shard) -> "_Kept | NoRoom":
    """Return a shard as it is kept; it is read first where this worker does not have it."""
    key = shard.key
    with _lock:
        if (found := _kept.get(key)) is not None:
            return found
        lock = _locks.setdefault(key, Lock())
    with lock:  # others that ask for it meanwhile wait
        with _lock:
            if (found := _kept.get(key)) is not None:
                return found
        made = _read(shard)
        if isinstance(made, _Kept):
            with _lock:
                _kept[key] = made
        return made


def _read(shard: Shard) -> "_Kept | NoRoom":
    with _lock:
        used = sum(kept.report.n_bytes for kept in _kept.values())
        promised = sum(_promised.values())
        limit = (int(0.9 * available_memory()) if shard.memory is None else shard.memory - used) - promised
        _promised[shard.key] = min(shard.needed, max(0, limit))
    try:
        has_weights = shard.weights is not None
        store = PlaneStore(shard.agreement, shard.n_rows, limit, has_weights, instructions=shard.instructions)
        store.refuse_numbers()
        for codes, numbers, counts in coded_rows(shard.parts, shard.agreement, shard.weights):
            store.add(codes, numbers, counts)
        n_kept = store.finish()
    except (TooLargeError, MemoryError):
        return NoRoom(shard.title, shard.n_rows, shard.needed, max(0, limit), _worker())
    finally:
        with _lock:
            del _promised[shard.key]
    arities = tuple(len(labels) for labels in shard.agreement.states)
    counter = store.counter
    counts_of_states = state_counts(counter, arities)
    report = ShardReport(shard.n_rows, n_kept, counter.bytes, counts_of_states, store.digest(), _worker())
    return _Kept(arities, counter, report)


def _worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
