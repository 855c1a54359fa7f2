"""What a worker does: it codes its shards once, keeps them, and answers how often families occur in them."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

import numpy as np
import polars as pl

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

__all__ = ["Shard", "ShardReport", "counts_in", "forget", "load", "look_through", "rows_in", "seen_in"]


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
    counter: _core.ShardCounter | None
    n_bytes: int


_kept: dict[tuple[str, int], _Kept] = {}
_locks: dict[tuple[str, int], Lock] = {}
_lock = Lock()


def look_through(parts: Sequence[Part], names: Sequence[str], coding: Coding, weights: str | None) -> TableProfile:
    """Return what is in the columns of a shard: the first pass."""
    return profile_of(parts, names, coding, weights)


def seen_in(
    parts: Sequence[Part],
    dtypes: dict[str, pl.DataType | None],
    names: Sequence[str],
    coding: Coding,
    weights: str | None,
) -> dict[str, pl.DataFrame]:
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


def counts_in(shards: Sequence[Shard], requests: Sequence[Request]) -> Counts:
    """Return the counts of families in some shards, added up, one table behind the other."""
    arities = [len(labels) for labels in shards[0].agreement.states]
    sizes = [sum(request.sizes(arities)) for request in requests]
    counts = np.zeros(sum(sizes), dtype=np.uint32)
    for shard in shards:
        counter, begin = _table(shard).counter, 0
        if counter is None:
            continue
        for request, size in zip(requests, sizes, strict=True):
            own = counts[begin : begin + size]
            if request.candidates is None:
                counter.add_counts(*request.arrays, own)
            else:
                counter.add_additions(*request.arrays, np.array(request.candidates, dtype=np.int32), own)
            begin += size
    return counts


def rows_in(shards: Sequence[Shard], families: Sequence[Family]) -> list[list[Rows]]:
    """Return for each family, and for each shard, the joint states that occur."""
    arities = [len(labels) for labels in shards[0].agreement.states]
    tables = [_table(shard) for shard in shards]
    return [
        [rows_of_family(kept.codes, kept.weights, family, arities) for kept in tables if len(kept.codes)]
        for family in families
    ]


def forget(table: str) -> None:
    """Give up all shards of a table."""
    with _lock:
        for key in [key for key in _kept if key[0] == table]:
            del _kept[key]
            _locks.pop(key, None)


def _table(shard: Shard) -> _Kept:
    """Return a shard as it is kept; it is read first where this worker does not have it."""
    key = shard.table, shard.number
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
    return _Kept(codes, weights, counter, n_bytes)
