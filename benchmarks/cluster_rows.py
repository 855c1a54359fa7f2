"""Rows past one machine: a table in 1, 4 and 16 shards, and one that is read out of core.

Run ``python -m benchmarks.cluster_rows --shards 10000000 --out-of-core 100000000 --folder /tmp/rows``. Tables are
written to the folder first, where they are not there yet: rows of a random network with 50 nodes of 2 to 4 states, five
of them words, in parquet files. The peak of memory is that of the process, with Python and the table in it: run one of
the two tables at a time (``--shards 0``) to see its own.
"""

import argparse
import resource
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from arcwise import Dataset, LocalScore, ShardedDataset, ges, learn
from arcwise.data.columns import Coding
from arcwise.data.parts import parts_of
from arcwise.data.streamed import profile_of
from benchmarks.machine import machine

__all__ = ["out_of_core", "shards", "tables", "write_table"]

N_VARIABLES = 50
_N_TEXTS = 5  # columns whose states are words
_WORDS = ("absent", "low", "middle", "high")


def write_table(folder: Path, n_rows: int, n_files: int, *, n_variables: int = N_VARIABLES, seed: int = 1) -> None:
    """Write rows of a random network with 2 to 4 states and up to 2 parents for each node, to parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 5, n_variables)
    parents = [rng.choice(v, min(v, int(rng.integers(0, 3))), replace=False).tolist() for v in range(n_variables)]
    # Shares of states for each configuration, as bounds of a number that is drawn from 0 to 255.
    bounds = []
    for v in range(n_variables):
        n_configurations = int(np.prod([arities[p] for p in parents[v]], dtype=int))
        shares = rng.dirichlet(np.full(arities[v], 0.7), n_configurations)
        bounds.append(np.round(255 * np.cumsum(shares, axis=1)).astype(np.uint8))
    ends = np.linspace(0, n_rows, n_files + 1).astype(int)
    for at in range(n_files):
        path = folder / f"{at:04}.parquet"
        if path.exists():
            continue
        drawn = np.random.default_rng([seed, at])
        size = int(ends[at + 1] - ends[at])
        columns: list[npt.NDArray[np.uint8]] = []
        for v in range(n_variables):
            configuration = np.zeros(size, dtype=np.uint8)
            for parent in parents[v]:
                configuration = configuration * np.uint8(arities[parent]) + columns[parent]
            number = drawn.integers(0, 256, size, dtype=np.uint8)
            code = np.zeros(size, dtype=np.uint8)
            for state in range(arities[v] - 1):
                code += number > bounds[v][configuration, state]
            columns.append(code)
        frame = pl.DataFrame({f"v{v:02}": column for v, column in enumerate(columns)})
        words = [
            pl.col(f"v{v:02}").replace_strict(list(range(4)), _WORDS, return_dtype=pl.String) for v in range(_N_TEXTS)
        ]
        frame.with_columns(words).write_parquet(path.with_suffix(".part"), compression="lz4")
        path.with_suffix(".part").rename(path)


def shards(folder: Path, numbers: Sequence[int] = (1, 4, 16), most_processes: int = 4) -> Iterator[str]:
    """Give a line for each number of shards: time to read, to score and to learn, and what workers take."""
    whole = LocalScore(Dataset.of(folder))
    n = whole.data.n_variables
    families = [(child, [(child + k) % n for k in range(1, 1 + child % 4)]) for child in range(n)]
    expected = [whole.local(*family) for family in families]
    seconds, best = _timed(lambda: ges(whole))
    yield f"{'one table':>10} {'':>9} {'':>9} {'':>9} {seconds:9.1f} {'':>9} {'':>6}"
    for n_shards in numbers:
        n_processes = min(n_shards, most_processes)
        read, data = _timed(lambda: ShardedDataset.of(folder, executor=n_processes, shards=n_shards))  # noqa: B023
        with data:
            score = LocalScore(data)
            scored, found = _timed(lambda: [score.local(*family) for family in families])  # noqa: B023
            learned, result = _timed(lambda: ges(score))  # noqa: B023
            per_worker: dict[str, int] = {}
            for shard in data.shards:
                per_worker[shard.worker] = per_worker.get(shard.worker, 0) + shard.n_bytes
            same = found == expected and (result.dag, result.score) == (best.dag, best.score)
            yield (
                f"{n_shards:>10} {n_processes:>9} {read:9.1f} {1000 * scored / len(families):9.1f} {learned:9.1f} "
                f"{max(per_worker.values()) / 1e9:9.3f} {'yes' if same else 'NO':>6}"
            )


def out_of_core(folder: Path, seconds: float | None = None, *, bits: bool = False) -> Iterator[str]:
    """Give a line for each step from files to a network: time, processor time, and the peak of memory so far.

    Parameters
    ----------
    folder
        Where the table is.
    seconds
        Time limit of the default search.
    bits
        Whether only bits are kept of the rows, in shards of this process; codes otherwise.
    """
    parts = parts_of(folder)
    names = parts[0].names()
    yield _line("first pass", lambda: profile_of(parts, names, Coding(), None))[0]
    line, data = _line("both passes", lambda: (ShardedDataset if bits else Dataset).of(folder))
    yield line
    yield f"{data!r}, {data.n_bytes / 1e9:.2f} GB of bits" if bits else repr(data)
    line, score = _line("score", lambda: LocalScore(data))
    yield line
    line, result = _line("ges", lambda: ges(score))
    yield f"{line}   {result.dag.n_arcs} arcs, score {result.score:.2f}"
    score = None
    line, result = _line("default", lambda: learn(data, seed=1, time_limit=seconds))
    yield f"{line}   {result.dag.n_arcs} arcs, score {result.score:.2f}, {result.method}, {result.status}"


def tables(
    folder: Path,
    n_of_shards: int,
    n_out_of_core: int,
    seconds: float | None = None,
    *,
    bits: bool = False,
    columns: int = N_VARIABLES,
) -> Iterator[str]:
    """Give the lines of both tables, writing the rows first where they are not there yet; 0 rows leave one out."""
    if n_of_shards:
        write_table(folder / str(n_of_shards), n_of_shards, 16)
        yield f"{n_of_shards:,} × {N_VARIABLES} in shards: GES, and 50 families one by one"
        heads = ("shards", "processes", "read s", "family ms", "ges s", "GB most", "same")
        yield " ".join(f"{head:>{width}}" for head, width in zip(heads, (10, 9, 9, 9, 9, 9, 6), strict=True))
        yield from shards(folder / str(n_of_shards))
    if n_out_of_core:
        where = folder / f"{n_out_of_core}x{columns}"
        write_table(where, n_out_of_core, max(16, n_out_of_core // 10**7), n_variables=columns)
        yield f"{n_out_of_core:,} × {columns} out of core"
        yield f"{'':12} {'seconds':>9} {'CPU s':>9} {'peak GB':>9}"
        yield from out_of_core(where, seconds, bits=bits)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = perf_counter()
    found = work()
    return perf_counter() - begin, found


def _line(what: str, work: Callable[[], Any]) -> tuple[str, Any]:
    begin = process_time()
    seconds, found = _timed(work)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return f"{what:12} {seconds:9.1f} {process_time() - begin:9.1f} {peak:9.2f}", found


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--shards", type=int, default=10**7, help="rows of the table in shards; 0 leaves it out")
    parser.add_argument("--out-of-core", type=int, default=10**8, help="rows of the other table; 0 leaves it out")
    parser.add_argument("--seconds", type=float, help="time limit of the default search")
    parser.add_argument("--bits", action="store_true", help="of the other table keep bits alone, not codes")
    parser.add_argument("--columns", type=int, default=N_VARIABLES, help="of the other table")
    given = parser.parse_args()
    print(machine())
    numbers = given.shards, given.out_of_core, given.seconds
    for line in tables(given.folder, *numbers, bits=given.bits, columns=given.columns):
        print(line, flush=True)


if __name__ == "__main__":
    main()
