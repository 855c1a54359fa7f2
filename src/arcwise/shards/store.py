"""What a worker does: it codes its shards once, keeps them, and answers how often families occur in them."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from arcwise import _core
from arcwise.data.agreement import Agreement
from arcwise.data.codes import Codes, Weights
from arcwise.data.columns import Coding
from arcwise.data.parts import Part
from arcwise.data.profiles import TableProfile
from arcwise.data.streamed import RowStore, coded_rows, profile_of, seen_values
from arcwise.shards.requests import Counts, Family, Request, Rows, rows_of_family
from arcwise.support.errors import ParameterError
from arcwise.support.machine import available_memory, gigabytes
from arcwise.support.messages import Setting
from arcwise.support.quoting import listed

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Key",
    "Lacking",
    "Shard",
    "ShardReport",
    "counts_in",
    "forget",
    "load",
    "look_through",
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
    def needed_per_row(self) -> float:
        """Bytes that a row takes as codes and bits."""
        arities = [max(1, len(labels)) for labels in self.agreement.states]
        n_words = -(-sum(arity - 1 for arity in arities) // 64)
        return self.agreement.bytes_per_row + sum(arities) / 8 + 8 * n_words


@dataclass(frozen=True)
class ShardReport:
    """What became of a shard.

    Attributes
    ----------
    n_rows, n_kept
        Its rows, and how many are left after equal ones were merged.
    n_bytes
        What it takes in its worker: codes, weights and bits.
    counts
        How many observations have each state, for each variable.
    digest
        The SHA-256 of its codes and weights.
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
    codes: Codes
    weights: Weights | None
    arities: tuple[int, ...]
    counter: _core.ShardCounter | None
    n_bytes: int


@dataclass(frozen=True)
class Lacking:
    """The answer of a worker that does not have what it is asked about: it was put in the place of another."""


_kept: dict[Key, _Kept] = {}
_locks: dict[Key, Lock] = {}
_lock = Lock()


def look_through(parts: Sequence[Part], names: Sequence[str], coding: Coding, weights: str | None) -> TableProfile:
    """Return what is in the columns of a shard: the first pass."""
    return profile_of(parts, names, coding, weights)


def seen_in(
    parts: Sequence[Part],
    dtypes: "dict[str, pl.DataType | None]",
    names: Sequence[str],
    coding: Coding,
    weights: str | None,
) -> "dict[str, pl.DataFrame]":
    """Return the values of some columns of a shard, and how often each was seen."""
    return seen_values(parts, dtypes, names, coding, weights)


def load(shard: Shard) -> ShardReport:
    """Code a shard and keep it: the second pass.

    Raises
    ------
    ParameterError
        If it does not fit into the memory of this worker, with the figure.
    """
    kept = _table(shard)
    arities = [len(labels) for labels in shard.agreement.states]
    counts = [np.bincount(kept.codes[:, v], weights=kept.weights, minlength=a) for v, a in enumerate(arities)]
    digest = sha256(np.ascontiguousarray(kept.codes.T).data)
    if kept.weights is not None:
        digest.update(kept.weights.data)
    return ShardReport(
        shard.n_rows,
        len(kept.codes),
        kept.n_bytes,
        tuple(tuple(np.rint(own).astype(int).tolist()) for own in counts),
        digest.hexdigest(),
        f"{socket.gethostname()}:{os.getpid()}",
    )


def counts_in(keys: Sequence[Key], requests: Sequence[Request], shards: Sequence[Shard] = ()) -> Counts | Lacking:
    """Return the counts of families in some shards, added up, one table behind the other.

    Parameters
    ----------
    keys
        The shards.
    requests
        The families.
    shards
        The same shards with what it takes to read them, for a worker that does not have them.
    """
    tables = _tables(keys, shards)
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
            if kept.counter is None:
                continue
            if request.candidates is None:
                kept.counter.add_counts(*request.arrays, own)
            else:
                kept.counter.add_additions(*request.arrays, np.array(request.candidates, dtype=np.int32), own)
    return counts


def rows_in(
    keys: Sequence[Key], families: Sequence[Family], shards: Sequence[Shard] = ()
) -> list[list[Rows]] | Lacking:
    """Return for each family, and for each shard, the joint states that occur; see `counts_in`."""
    tables = _tables(keys, shards)
    if isinstance(tables, Lacking):
        return tables
    return [
        [rows_of_family(kept.codes, kept.weights, family, kept.arities) for kept in tables if len(kept.codes)]
        for family in families
    ]


def _tables(keys: Sequence[Key], shards: Sequence[Shard]) -> "list[_Kept] | Lacking":
    if shards:
        return [_table(shard) for shard in shards]
    with _lock:
        found = [_kept[key] for key in keys if key in _kept]
    return found if len(found) == len(keys) else Lacking()


def forget(table: str) -> None:
    """Give up all shards of a table."""
    with _lock:
        for key in [key for key in _kept if key[0] == table]:
            del _kept[key]
            _locks.pop(key, None)


def _table(shard: Shard) -> _Kept:
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
        with _lock:
            _kept[key] = made
        return made


def _read(shard: Shard) -> _Kept:
    with _lock:
        used = sum(kept.n_bytes for kept in _kept.values())
    limit = int(0.9 * available_memory()) if shard.memory is None else shard.memory - used
    room = limit * shard.agreement.bytes_per_row / shard.needed_per_row
    store = RowStore(shard.agreement, shard.n_rows, room, has_weights=shard.weights is not None)
    try:
        store.refuse_numbers()
        for codes, numbers, counts in coded_rows(shard.parts, shard.agreement, shard.weights):
            store.add(codes, numbers, counts)
    except ParameterError:
        needed = int(shard.n_rows * shard.needed_per_row)
        raise ParameterError(
            f"{shard.title} has {shard.n_rows:,} rows, which take {gigabytes(needed)} as codes and bits, and its "
            f"worker ({socket.gethostname()}, process {os.getpid()}) has {gigabytes(max(0, limit))} for it; use "
            "more workers or smaller parts, or give more with ",
            Setting("memory"),
        ) from None
    codes, _, weights = store.table()
    arities = [len(labels) for labels in shard.agreement.states]
    # Of rows that do not count, none may be left.
    counter = _core.ShardCounter(codes, arities, weights, shard.instructions) if len(codes) else None
    n_bytes = codes.nbytes + (0 if weights is None else weights.nbytes) + (0 if counter is None else counter.bytes)
    return _Kept(codes, weights, tuple(arities), counter, n_bytes)
