"""Learning from tables with gaps: what each way to deal with missing values finds, beside complete data and bnlearn.

Run ``python -m benchmarks.gaps --results gaps.jsonl``; what is in the file of results is not run again. ``--quick``
takes some minutes, all of it hours. bnlearn runs where there is an ``Rscript`` that has it (``R_LIBS`` says where), and
is left out otherwise.

Rows are drawn from a network, and a share of the cells is taken away, each with the same probability (missing
completely at random). All programs learn with BIC from the same table: ``drop`` from the rows that are left, ``state``
with missing as a state of its own, ``pairwise`` with each family on the rows that have it, ``em`` by structural EM;
``complete`` from the table before cells were taken away, and ``fewer rows`` from as many complete rows as cells are
left: what the loss of so much costs at least. Of bnlearn there are structural.em, which fills the gaps by likelihood
weighting, and tabu search by the penalised node-average likelihood (pnal).

A graph is judged by the SHD of its class to that of the true network, and by the log-likelihood of 5,000 complete rows
that nobody has learned from, per row: its parameters come from the table with gaps by EM (`arcwise.fit_em`), for all
programs alike, and from the complete one for ``complete`` and ``fewer rows``.
"""

import argparse
import csv
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import BayesianNetwork, Dag, Dataset, compare, fit_em, learn, load_example
from arcwise.support.errors import DataError
from benchmarks.machine import machine
from experiments.kept import Kept

console = Console(width=140)

NETWORKS = ("alarm", "insurance", "hailfinder")
SHARES = (0.05, 0.1, 0.2, 0.3)
N_ROWS = 5000
PRIOR = 1.0  # the equivalent sample size of the parameters that judge a graph: no row that is new is impossible
ARCWISE = ("complete", "fewer rows", "drop", "state", "pairwise", "em")
BNLEARN = {"bnlearn structural.em": "structural.em", "bnlearn pnal": "pnal"}
PATIENCE = 900.0  # seconds for a program that has no limit of its own


@dataclass(frozen=True)
class Case:
    """A table with gaps, as it was before, and what it was drawn from."""

    network: str
    share: float
    seed: int

    def truth(self) -> BayesianNetwork:
        """Return the network."""
        return load_example(self.network)

    def complete(self) -> Dataset:
        """Return the rows before cells are taken away."""
        return self.truth().sample(N_ROWS, seed=self.seed)

    def gaps(self) -> Dataset:
        """Return the rows with gaps."""
        full = self.complete()
        is_gap = np.random.default_rng(self.seed).random(full.codes.shape) < self.share
        codes = np.where(is_gap, np.array(full.arities, dtype=full.codes.dtype), full.codes)
        return Dataset(codes, full.names, full.states)

    def fewer_rows(self) -> Dataset:
        """Return as many complete rows as cells are left."""
        return self.truth().sample(round((1 - self.share) * N_ROWS), seed=self.seed)

    def with_state(self) -> Dataset:
        """Return the rows with missing as a state of its own."""
        data = self.gaps()
        return Dataset(data.codes, data.names, tuple((*labels, "missing") for labels in data.states))


@dataclass(frozen=True)
class Found:
    """What became of a table."""

    arcs: list[list[str]] | None
    seconds: float
    cpu_seconds: float
    failure: str = ""


def learned(program: str, case: Case) -> Found:
    """Learn with arcwise, on one thread."""
    tables: dict[str, Callable[[], tuple[Dataset, Any]]] = {
        "complete": lambda: (case.complete(), "error"),
        "fewer rows": lambda: (case.fewer_rows(), "error"),
        "drop": lambda: (case.gaps().complete_rows(), "error"),
        "state": lambda: (case.with_state(), "error"),
        "pairwise": lambda: (case.gaps(), "pairwise"),
        "em": lambda: (case.gaps(), "em"),
    }
    try:
        table, missing = tables[program]()
    except DataError:
        return Found(None, 0.0, 0.0, "no complete row")
    wall, cpu = time.perf_counter(), time.process_time()
    result = learn(
        table, missing=missing, score="bic", seed=1, workers=1, certify=0, progress=False, time_limit=PATIENCE
    )
    arcs = [list(arc) for arc in result.dag.arcs]
    return Found(arcs, time.perf_counter() - wall, time.process_time() - cpu)


def learned_by_bnlearn(program: str, case: Case) -> Found:
    """Learn with bnlearn, in a process of its own."""
    data = case.gaps()
    with tempfile.TemporaryDirectory() as scratch:
        table, edges = Path(scratch, "table.csv"), Path(scratch, "edges.csv")
        with table.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(data.names)
            labels = [(*states, "") for states in data.states]
            for row in data.codes.tolist():
                writer.writerow([labels[v][code] for v, code in enumerate(row)])
        script = Path(__file__).with_name("gaps_peers.R")
        command = ["Rscript", str(script), BNLEARN[program], str(table), str(edges)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return Found(None, PATIENCE, PATIENCE, f"more than {PATIENCE:.0f} s")
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "rror" in line]
            return Found(None, 0.0, 0.0, errors[0][:60] if errors else "failed")
        seconds = float(done.stdout.split()[-1])
        with edges.open(newline="") as file:
            arcs = [[row["from"], row["to"]] for row in csv.DictReader(file)]
    return Found(arcs, seconds, seconds)


@dataclass(frozen=True)
class Judged:
    """What a graph is worth."""

    distance: int
    skeleton_distance: int
    arcs: int
    held_out: float


def judged(case: Case, program: str, found: Found) -> Judged | None:
    """Compare a graph with the true one, and its predictions with rows that are new; None where there is no graph."""
    if found.arcs is None:
        return None
    truth = case.truth()
    dag = Dag(truth.names, [(parent, child) for parent, child in found.arcs])
    if program == "complete":
        network = BayesianNetwork.fit(dag, case.complete(), ess=PRIOR)
    elif program == "fewer rows":
        network = BayesianNetwork.fit(dag, case.fewer_rows(), ess=PRIOR)
    else:
        network = fit_em(dag, case.gaps(), ess=PRIOR).network
    new = truth.sample(N_ROWS, seed=10_000 + case.seed)
    difference = compare(truth.dag, dag)
    held_out = network.log_likelihood(new) / N_ROWS
    return Judged(difference.shd_cpdag, difference.shd_skeleton, dag.n_arcs, held_out)


def answers(kept: Kept, programs: Sequence[str], cases: Iterable[Case]) -> dict[tuple[str, Case], dict[str, Any]]:
    """Return what is known of all cases, or find it."""

    def answer(program: str, case: Case) -> dict[str, Any]:
        found = (learned_by_bnlearn if program in BNLEARN else learned)(program, case)
        worth = judged(case, program, found)
        return {**asdict(found), "worth": None if worth is None else asdict(worth)}

    return {
        (program, case): kept.found({"program": program, **asdict(case)}, lambda p=program, c=case: answer(p, c))  # type: ignore[misc]
        for case in cases
        for program in programs
    }


def table_of(network: str, known: dict[tuple[str, Case], dict[str, Any]], programs: Sequence[str]) -> Table:
    """Tell all shares of one network, as means over the seeds."""
    shares = sorted({case.share for _, case in known if case.network == network})
    table = Table(title=f"{network}, {N_ROWS:,} rows: SHD of classes; held-out log-likelihood; CPU s")
    table.add_column("missing")
    for program in programs:
        table.add_column(program, justify="right")
    for share in shares:
        row = [f"{share:.0%}"]
        for program in programs:
            own = [
                found
                for (name, case), found in known.items()
                if name == program and case.network == network and case.share == share
            ]
            done = [found for found in own if found["worth"] is not None]
            if len(done) < len(own) or not done:
                row.append(next((found["failure"] for found in own if found["worth"] is None), ""))
                continue
            row.append(
                f"{mean(found['worth']['distance'] for found in done):.1f}; "
                f"{mean(found['worth']['held_out'] for found in done):.3f}; "
                f"{mean(found['cpu_seconds'] for found in done):.1f}"
            )
        table.add_row(*row)
    return table


def has_bnlearn() -> bool:
    """Whether bnlearn is here."""
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(bnlearn)"], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Print a table for each network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, help="a file that keeps what was found, so that a run can be resumed")
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=NETWORKS)
    parser.add_argument("--shares", nargs="+", type=float, default=SHARES, help="of the cells that are missing")
    parser.add_argument("--seeds", type=int, default=5, help="tables of each network and share")
    parser.add_argument("--programs", nargs="+", choices=(*ARCWISE, *BNLEARN), help="only these")
    parser.add_argument("--quick", action="store_true", help="one table of Alarm and Insurance, without bnlearn")
    arguments = parser.parse_args()
    console.print(machine())
    here = [*ARCWISE, *(BNLEARN if has_bnlearn() else ())]
    programs = [program for program in here if arguments.programs is None or program in arguments.programs]
    if arguments.programs is None and "bnlearn pnal" not in here:
        console.print("bnlearn is not here: Rscript cannot load it")
    networks, shares, seeds = arguments.networks, arguments.shares, arguments.seeds
    if arguments.quick:
        networks, shares, seeds, programs = NETWORKS[:2], (0.2,), 1, [name for name in programs if name in ARCWISE]
    kept = Kept(arguments.results)
    for network in networks:
        cases = [Case(network, share, seed) for share in shares for seed in range(1, seeds + 1)]
        console.print(table_of(network, answers(kept, programs, cases), programs))


if __name__ == "__main__":
    main()
