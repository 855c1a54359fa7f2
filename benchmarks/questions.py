"""Posteriors of all nodes, exactly: one row of evidence at a time, and thousands; beside pyAgrum's lazy propagation.

Run ``python -m benchmarks.questions --data ../shared/data``, or with ``--quick`` for fewer rows. pyAgrum must be
installed; it runs in processes of its own, on as many rows as it can do in ``--seconds``.

Rows are drawn from the network, and a fifth of their nodes is known: the same ones in all rows, or others in each.
Tables are divided by their sums first, which pyAgrum does not do itself. With one thread the times are those of the
processor, so that others on the machine do not count; with more threads they are those of the clock. Planning is part
of all of them: a question about one row finds its own cliques.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise import BayesianNetwork, TooWideError, read_network, to_pyagrum
from arcwise.data.codes import Codes
from arcwise.network.inference import Evidence, Inference
from benchmarks.apart import measure_apart
from benchmarks.machine import machine
from experiments.debd import data_folder

BATCHES = ("alarm", "hailfinder", "win95pts", "pigs", "munin")
SHARE_KNOWN = 0.2
ROWS, QUICK_ROWS = 10_000, 500
QUESTIONS = 5  # rows that are asked about one by one
THREADS = (1, 2)

_GRACE_SECONDS = 600.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """What came of some rows: how many, in how many seconds, and the posteriors of all nodes one after the other."""

    n_rows: int
    seconds: float
    posteriors: Floats

    @property
    def rate(self) -> float:
        """Rows per second."""
        return self.n_rows / self.seconds


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS} rows in a batch, and 2 seconds of pyAgrum")
    parser.add_argument("--seconds", type=float, default=20.0, help="of pyAgrum on each batch")
    parser.add_argument("--networks", nargs="*", metavar="NAME", help="only these")
    arguments = parser.parse_args()
    folder = data_folder(arguments.data) / "bif"
    names = arguments.networks or [file.name.removesuffix(".bif.gz") for file in folder.glob("*.bif.gz")]
    networks = {name: exact_network(folder / f"{name}.bif.gz") for name in names}
    rows, seconds = (QUICK_ROWS, 2.0) if arguments.quick else (ROWS, arguments.seconds)
    print(machine(), flush=True)
    ordered = sorted(networks, key=lambda name: networks[name].dag.n_nodes)
    print_questions({name: networks[name] for name in ordered}, seconds)
    print_batches({name: networks[name] for name in BATCHES if name in networks}, rows, seconds)


def exact_network(file: Path) -> BayesianNetwork:
    """Return a network whose distributions sum to 1 as exactly as they can."""
    network = read_network(file)
    tables = [table / table.sum(axis=-1, keepdims=True) for table in network.tables]
    return BayesianNetwork(network.dag, network.states, tables)


def evidence(network: BayesianNetwork, rows: int, *, same: bool) -> Codes:
    """Return rows of a network in which some nodes are known, the same ones in all or others in each."""
    drawn = network.sample(rows, seed=1).codes
    rng = np.random.default_rng(1)
    known = rng.random(drawn.shape[1] if same else drawn.shape) < SHARE_KNOWN
    codes: Codes = np.asfortranarray(np.where(known, drawn, np.array(network.arities)).astype(np.uint8))
    return codes


def print_questions(networks: dict[str, BayesianNetwork], seconds: float) -> None:
    """Print how long one question takes, on one thread: all posteriors, for one row of evidence."""
    print(f"\nOne row of evidence, 1 thread, mean of {QUESTIONS} rows; the widths are those of the rows")
    print(
        "network | nodes | largest clique (nodes) | cells of all cliques | ms | pyAgrum ms | times as fast | difference"
    )
    for name, network in networks.items():
        codes = evidence(network, QUESTIONS, same=False)
        inference = Inference(network.dag, network.arities, network.tables, workers=1)
        widths = [
            inference.cost(known=np.flatnonzero(row < np.array(network.arities)).tolist()) for row in codes.astype(int)
        ]
        sizes = [
            name,
            f"{network.dag.n_nodes:,}",
            f"{max(cost.cells for cost in widths):,} ({max(cost.nodes for cost in widths)})",
            f"{max(cost.n_bytes for cost in widths) // 8:,}",
        ]
        print(" | ".join([*sizes, *compared(inference, network, codes, seconds)]), flush=True)


def compared(inference: Inference, network: BayesianNetwork, codes: Codes, seconds: float) -> Iterator[str]:
    """Yield the cells of both times, their ratio and the largest difference."""
    try:
        ours = answered(inference, codes, threads=1, at_once=False)
    except TooWideError as error:
        yield f"refused: {error}"
        return
    yield f"{1000 / ours.rate:.3g}"
    theirs = pyagrum_apart(network, codes, 1, seconds)
    if theirs is None:
        yield from ("not done", "", "")
        return
    yield f"{1000 / theirs.rate:.3g}"
    yield f"{ours.rate / theirs.rate:.1f}"
    yield f"{difference(ours, theirs):.1e}"


def print_batches(networks: dict[str, BayesianNetwork], rows: int, seconds: float) -> None:
    """Print how many rows per second are answered in batches."""
    print(f"\n{rows:,} rows of evidence in one call; pyAgrum row by row, as many as it does in {seconds:g} s")
    print("network | known | different rows | threads | s | rows/s | pyAgrum rows/s | times as fast | difference")
    for name, network in networks.items():
        for same in (True, False):
            codes = evidence(network, rows, same=same)
            n_different = len(np.unique(codes, axis=0))  # rows that are the same are answered once
            for threads in THREADS:
                inference = Inference(network.dag, network.arities, network.tables, workers=threads)
                ours = answered(inference, codes, threads=threads, at_once=True)
                theirs = pyagrum_apart(network, codes, threads, seconds)
                cells = [name, "the same" if same else "others in each", f"{n_different:,}", str(threads)]
                cells += [f"{ours.seconds:.2f}", f"{ours.rate:,.0f}"]
                if theirs is not None:
                    cells += [f"{theirs.rate:.3g}", f"{ours.rate / theirs.rate:,.0f}"]
                    cells.append(f"{difference(ours, theirs):.1e}")
                print(" | ".join(cells), flush=True)


def difference(ours: Answers, theirs: Answers) -> float:
    """Return the largest difference of a probability in the rows that both have."""
    return float(np.abs(ours.posteriors[: theirs.n_rows] - theirs.posteriors).max())


def answered(inference: Inference, codes: Codes, *, threads: int, at_once: bool) -> Answers:
    """Return arcwise's answers."""
    clock, targets = clock_of(threads), range(codes.shape[1])
    parts = [codes] if at_once else [codes[row : row + 1] for row in range(len(codes))]
    start = clock()
    found = [inference.marginals(targets, Evidence(part)) for part in parts]
    seconds = clock() - start
    return Answers(len(codes), seconds, np.concatenate([np.hstack(tables) for tables in found]))


def clock_of(threads: int) -> Callable[[], float]:
    """Return the clock for work on so many threads."""
    return time.process_time if threads == 1 else time.perf_counter


def pyagrum_apart(network: BayesianNetwork, codes: Codes, threads: int, seconds: float) -> Answers | None:
    """Return pyAgrum's answers to the first rows; None if not even one was done."""
    measured = measure_apart(prepare_pyagrum, network, codes, threads, seconds, limit=seconds + _GRACE_SECONDS)
    return None if measured is None else measured.answer


def prepare_pyagrum(network: BayesianNetwork, codes: Codes, threads: int, seconds: float) -> Callable[[], Answers]:
    """Return what answers rows with pyAgrum until the time is over."""
    import pyagrum

    peer: Any = pyagrum  # it has no types
    peer.setNumberOfThreads(threads)
    model = to_pyagrum(network)
    engine = peer.LazyPropagation(model)
    engine.setNumberOfThreads(threads)
    numbers = [model.idFromName(name) for name in network.names]
    clock = clock_of(threads)

    def answer() -> Answers:
        spent, rows = 0.0, list[Floats]()
        for row in codes:
            known = {numbers[v]: int(code) for v, code in enumerate(row) if code < network.arities[v]}
            start = clock()
            tensors = posteriors(engine, known, numbers)
            spent += clock() - start
            rows.append(np.concatenate([tensor.toarray() for tensor in tensors]))
            if spent > seconds:
                break
        return Answers(len(rows), spent, np.array(rows))

    return answer


def posteriors(engine: Any, known: dict[int, int], numbers: Sequence[int]) -> list[Any]:
    """Return pyAgrum's tables of all nodes."""
    engine.setEvidence(known)
    engine.makeInference()
    return [engine.posterior(number) for number in numbers]


if __name__ == "__main__":
    main()
