"""What everything around a search takes at 2,000 to 100,000 nodes: seconds of CPU, and memory beyond what was there.

Run ``python -m benchmarks.sizes`` (Linux; half an hour of patience with all sizes on a busy machine), or for some sizes
``python -m benchmarks.sizes 2000 10000``.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from arcwise import (
    BIC,
    BayesianNetwork,
    Dataset,
    Provenance,
    Result,
    Status,
    compare,
    read_network,
    read_run,
    write_network,
    write_run,
)
from arcwise.pictures.layout import layered
from arcwise.report.write import write_report
from arcwise.runs.files import Run
from arcwise.simulation.random import random_dag, random_network
from benchmarks.machine import machine

SIZES = (2_000, 10_000, 50_000, 100_000)
ARCS_PER_NODE = 1.5
N_ROWS = 1000

Operation = tuple[str, Callable[[], object]]


def operations(n: int, folder: Path) -> Iterator[Operation]:
    """Yield what is measured on networks of so many binary nodes; each may use what those before it have left."""
    n_arcs = int(ARCS_PER_NODE * n)
    yield "random_network", lambda: random_network(n, n_arcs, seed=1)
    truth, other = random_network(n, n_arcs, seed=1), random_dag(n, n_arcs, seed=2)
    dag, bif, csv, run, report = truth.dag, *(folder / f"{n}.{end}" for end in ("bif", "csv", "json", "html"))
    yield f"sample, {N_ROWS:,} rows", lambda: truth.sample(N_ROWS, seed=1)
    data = truth.sample(N_ROWS, seed=1)
    yield "fit", lambda: BayesianNetwork.fit(dag, data)
    yield "log_likelihood", lambda: truth.log_likelihood(data)
    yield "cpdag", dag.cpdag
    yield "compare", lambda: compare(dag, other)
    yield "write BIF", lambda: write_network(truth, bif)
    yield "read BIF", lambda: read_network(bif)
    pl.DataFrame({name: data.codes[:, v] for v, name in enumerate(data.names)}).write_csv(csv)
    yield "read csv", lambda: Dataset.from_file(csv)
    result = Result(dag, 0.0, Status.COMPLETE, Provenance("given", 1, score=BIC()), 0.0, data=data)
    yield "write run", lambda: write_run(result, run)
    yield "read run", lambda: read_run(run)
    yield "layout", lambda: layered(dag)
    yield "write report", lambda: write_report(Run.of(result), report)


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of CPU, and MB by which memory grew at most."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before, begin = _megabytes("VmRSS"), time.process_time()
    work()
    return time.process_time() - begin, _megabytes("VmHWM") - before


def _megabytes(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    sizes = parser.parse_args().sizes
    rows: dict[str, list[str]] = {}
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            for name, work in operations(n, Path(folder)):
                seconds, megabytes = measured(work)
                rows.setdefault(name, []).append(f"{seconds:.2f} s {max(megabytes, 0.0):4.0f} MB")
    table = Table(title=f"Binary networks with {ARCS_PER_NODE} arcs per node: CPU and memory")
    table.add_column("operation")
    for n in sizes:
        table.add_column(f"{n:,} nodes", justify="right")
    for name, cells in rows.items():
        table.add_row(name, *cells)
    console = Console(width=120)
    console.print(machine())
    console.print(table)


if __name__ == "__main__":
    main()
