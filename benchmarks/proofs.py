"""Which optima are proven among all graphs, and how long proofs over score files take.

Run ``python -m benchmarks.proofs --data ../shared/data`` (the solver: ``pip install '.[exact]'``). Every case is
written to the file of results when it is done, and is not run again while it is there: an interrupted run continues.
Seconds are those of the processor, of all threads of a case together: beside other work they are the same. Cases with
little to do come first.
``--quick`` is one case of a few seconds.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arcwise import Budget, LocalScore, ParentSets, _core, exact, load_example
from arcwise.parents.files import read_parent_sets
from arcwise.runs.budget import timed_by
from benchmarks.machine import machine
from experiments.debd import data_folder

console = Console(width=160)

NETWORKS = ("sachs", "child", "insurance", "alarm", "hailfinder", "win95pts")
ROWS = (500, 1000, 5000)
SCORES = ("bic", "bdeu")
#: Score files of others, with the seconds that docs/benchmarks.md had before sets were enumerated.
FILES = {
    "iris_BIC": 0.0,
    "sachs-5000": None,
    "child-5000": 0.0,
    "insurance-5000": 0.8,
    "hailfinder-5000": 2.5,
    "alarm-5000": 3.6,
    "steel_BIC": 8.7,
    "pigs-5000": 34.9,
    "diabetes-5000": 63.5,
    "soybean_BIC": 88.9,
    "Diabetes_1000_1_2": None,
    "link-5000": None,
}


@dataclass(frozen=True)
class Case:
    """A network with so many rows and a score, or a score file (no rows), with or without the solver."""

    name: str
    rows: int
    score: str
    limit: float
    solver: bool = True


@dataclass(frozen=True)
class Proof:
    """What was proven, and what it took."""

    case: Case
    value: float
    bound: float
    scope: str
    status: str
    seconds: float
    cpu_seconds: float
    enumerated: int

    @property
    def gap(self) -> float:
        """How much better a graph can be at most."""
        return max(0.0, self.bound - self.value)


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing in the file of results, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("proofs.jsonl"), help="a line for each case that is done")
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each case")
    parser.add_argument("--workers", type=int, help="threads of each case")
    parser.add_argument("--at-once", type=int, default=1, help="cases that run side by side")
    parser.add_argument("--networks", nargs="*", default=NETWORKS)
    parser.add_argument("--rows", nargs="*", type=int, default=ROWS)
    parser.add_argument("--scores", nargs="*", default=SCORES)
    parser.add_argument("--files", nargs="*", default=tuple(FILES))
    parser.add_argument("--quick", action="store_true", help="one small case, and no score file")
    given = parser.parse_args(arguments)
    if given.quick:
        given.networks, given.rows, given.scores, given.files, given.seconds = ["sachs"], [500], ["bic"], [], 60.0
    cases = [Case(*which, given.seconds) for which in product(given.networks, given.rows, given.scores)]
    cases += [Case(name, 0, "", given.seconds, solver) for name in given.files for solver in (True, False)]
    folder = data_folder(given.data) / "scores" if given.files else None
    done = read_proofs(given.results)
    for proof in run_all([case for case in cases if case not in done], folder, given.workers, given.at_once):
        done[proof.case] = proof
        with given.results.open("a") as file:
            file.write(json.dumps(asdict(proof)) + "\n")
    console.print(machine())
    console.print(table_of_data([done[case] for case in cases if case.rows]))
    console.print(table_of_files([done[case] for case in cases if not case.rows]))


def read_proofs(file: Path) -> dict[Case, Proof]:
    """Read what an earlier run has written; what an interruption cut off in the last line is left out."""
    found = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        try:
            fields = json.loads(line)
        except json.JSONDecodeError:
            continue
        case = Case(**fields.pop("case"))
        found[case] = Proof(case, **fields)
    return found


def run_all(cases: list[Case], folder: Path | None, workers: int | None, at_once: int) -> Iterator[Proof]:
    """Run the cases, each in a process of its own, so that none leaves memory or a missing solver behind."""
    with ProcessPoolExecutor(at_once, max_tasks_per_child=1) as processes:
        begun = [processes.submit(prove, case, folder, workers) for case in cases]
        for future in as_completed(begun):
            yield future.result()


def prove(case: Case, folder: Path | None, workers: int | None) -> Proof:
    """Find the best graph of one case."""
    if not case.solver:
        sys.modules["arcwise.search.exact.branching"] = None  # type: ignore[assignment]
    source: LocalScore | ParentSets
    if case.rows:
        source = LocalScore(load_example(case.name).sample(case.rows, seed=1), case.score)
    else:
        assert folder is not None
        source = read_parent_sets(next(folder.glob(f"{case.name}*")))
    begin = time.process_time()
    with timed_by(_core.ProcessorClock()):
        result = exact(source, seed=1, budget=Budget(case.limit), workers=workers)
    used = time.process_time() - begin
    assert result.bound is not None
    made = result.counters.get("enumerated", 0)
    ends = (str(result.bound_for), str(result.status), result.seconds, used, made)
    return Proof(case, result.score, result.bound, *ends)


def table_of_data(proofs: list[Proof]) -> Table:
    """What was proven from data."""
    table = Table(title="The best graph, from data", title_justify="left")
    for heading in ("network", "rows", "score", "value", "gap", "gap, %", "holds for", "sets looked at", "s", "CPU s"):
        table.add_column(heading, justify="left" if heading in ("network", "score", "holds for") else "right")
    for proof in proofs:
        case, share = proof.case, 100 * proof.gap / abs(proof.value)
        cells = (f"{proof.value:.2f}", f"{proof.gap:.2f}", f"{share:.3f}", proof.scope, f"{proof.enumerated:,}")
        times = (f"{proof.seconds:.1f}", f"{proof.cpu_seconds:.1f}")
        table.add_row(case.name, f"{case.rows:,}", case.score, *cells, *times)
    return table


def table_of_files(proofs: list[Proof]) -> Table:
    """How long proofs over score files took, with the solver and without."""
    table = Table(title="Score files: seconds to proof, or the gap", title_justify="left")
    for heading in ("file", "value", "with SCIP", "without", "before"):
        table.add_column(heading, justify="left" if heading == "file" else "right")
    by_case = {(proof.case.name, proof.case.solver): proof for proof in proofs}
    for name in dict.fromkeys(proof.case.name for proof in proofs):
        ends = [by_case[name, True], by_case[name, False]]
        before = FILES.get(name)
        words = [f"{end.seconds:.1f}" if end.gap == 0 else f"gap {end.gap:.2f}" for end in ends]
        table.add_row(name, f"{ends[0].value:.2f}", *words, "" if before is None else f"{before:.1f}")
    return table


if __name__ == "__main__":
    main()
