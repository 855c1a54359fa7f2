"""What `learn` comes to when it is told nothing but a time, beside pyAgrum's hill climbing as it comes.

Run ``python -m benchmarks.defaults --data ../shared/data`` (the peer: ``pip install '.[bench]'``). With a minute for
each of the 26 tables and either program it takes about an hour; ``--seconds 3 --datasets nltcs --networks alarm``
is a quick look. Rows are printed as they come.

Both get all cores. The peer reads its table before its clock starts, and is ended when its time is up. Its graph is
scored by the same BIC. Memory is the peak of a process of its own, with Python, packages and data in it.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from arcwise import Dag, Dataset, LocalScore, Result, compare, learn, read_network
from arcwise.support.machine import usable_cores
from benchmarks.apart import Measured, measure_apart
from benchmarks.machine import machine
from benchmarks.peers import Arcs, pyagrum_climb
from experiments.debd import DATASETS, data_folder, load

Answer = TypeVar("Answer")

NETWORKS = ("alarm", "insurance", "hailfinder", "andes", "pigs", "link")

# How much longer than its time limit a search may take before it is given up.
_GRACE_SECONDS = 300.0

#: Headings and widths; names to the left, numbers to the right.
COLUMNS = (
    ("data", -11),
    ("n", 5),
    ("rows", 8),
    ("picked", -26),
    ("BIC", 13),
    ("gap, %", 8),
    ("SHD", 5),
    ("s", 6),
    ("MB", 6),
    ("pyAgrum: BIC", 13),
    ("worse, %", 8),
    ("SHD", 5),
    ("s", 6),
    ("MB", 6),
)


@dataclass(frozen=True)
class Case:
    """A table to learn from: one of the datasets, or rows drawn from a network."""

    name: str
    folder: Path
    rows: int | None = None
    """How many rows to draw; None for a dataset."""

    def truth(self) -> Dag | None:
        """Return the graph that the rows are drawn from, where there is one."""
        return None if self.rows is None else read_network(self._file).dag

    def data(self) -> Dataset:
        """Return the table."""
        return load(self.folder, self.name) if self.rows is None else read_network(self._file).sample(self.rows, seed=1)

    @property
    def _file(self) -> Path:
        return self.folder / "bif" / f"{self.name}.bif.gz"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of learn")
    parser.add_argument(
        "--peer-seconds", type=float, help="when the peer is ended; 0 leaves it out (default: the same)"
    )
    parser.add_argument("--datasets", nargs="*", default=DATASETS, choices=DATASETS, metavar="NAME")
    parser.add_argument("--networks", nargs="*", default=NETWORKS, choices=NETWORKS, metavar="NAME")
    parser.add_argument("--rows", type=int, default=5000, help="rows drawn from each network")
    arguments = parser.parse_args()
    folder = data_folder(arguments.data)
    peer_seconds = arguments.seconds if arguments.peer_seconds is None else arguments.peer_seconds
    cases = [Case(name, folder) for name in arguments.datasets]
    cases += [Case(name, folder, arguments.rows) for name in arguments.networks]
    print(machine())
    print(f"learn(data, time_limit={arguments.seconds:g}, seed=1); pyAgrum's hill climbing, {peer_seconds:g} s at most")
    print(line([heading for heading, _ in COLUMNS]), flush=True)
    for case in cases:
        print(line(row(case, arguments.seconds, peer_seconds)), flush=True)


def row(case: Case, seconds: float, peer_seconds: float) -> list[str]:
    """Return the cells of one case."""
    data, truth = case.data(), case.truth()
    cells = [case.name, str(data.n_variables), f"{data.n_rows:,}"]
    found = attempt(lambda: measure_apart(learning, case, seconds, limit=seconds + _GRACE_SECONDS))
    score = None
    if isinstance(found, str):
        cells += [found, *[""] * 5]
    else:
        result, score = found.answer, found.answer.score
        gap = "" if result.gap is None else f"{100 * result.gap / abs(score):.3f}"
        cells += [f"{result.method}: {result.status}", f"{score:,.1f}", gap, distance(truth, result.dag), *costs(found)]
    if not peer_seconds:
        return cells
    peer = attempt(lambda: measure_apart(climbing, case, limit=peer_seconds))
    if isinstance(peer, str):
        return [*cells, peer]
    dag = Dag(data.names, peer.answer)
    theirs = LocalScore(data).total(dag)
    worse = "" if score is None else f"{100 * (score - theirs) / abs(score):.3f}"
    return [*cells, f"{theirs:,.1f}", worse, distance(truth, dag), *costs(peer)]


def attempt(run: Callable[[], Measured[Answer] | None]) -> Measured[Answer] | str:
    """Return what a run came to, or why it came to nothing."""
    try:
        return run() or "not done"
    except RuntimeError:
        return "failed"


def learning(case: Case, seconds: float) -> Callable[[], Result]:
    """Prepare `learn`; reading the table is not part of it."""
    data = case.data()
    return lambda: learn(data, time_limit=seconds, seed=1)


def climbing(case: Case) -> Callable[[], Arcs]:
    """Prepare the peer; reading the table is not part of it."""
    return pyagrum_climb(case.data().to_frame("pandas"), usable_cores())


def distance(truth: Dag | None, found: Dag) -> str:
    """Return in how many edges the equivalence classes differ."""
    return "" if truth is None else str(compare(truth, found).shd_cpdag)


def costs(measured: Measured[Answer]) -> list[str]:
    """Return seconds and megabytes."""
    return [f"{measured.seconds:.1f}", f"{measured.megabytes:,.0f}"]


def line(cells: Sequence[str]) -> str:
    """Return cells in columns."""
    widths = [width for _, width in COLUMNS][: len(cells)]
    return "  ".join(
        cell.ljust(-width) if width < 0 else cell.rjust(width) for cell, width in zip(cells, widths, strict=True)
    ).rstrip()


if __name__ == "__main__":
    main()
