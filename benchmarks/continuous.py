"""Learning from continuous and mixed tables, beside FLOP, causal-learn, bnlearn, pybnesian and pgmpy.

Run ``python -m benchmarks.continuous --peers FOLDER/bin/python --results continuous.jsonl``; `continuous_programs` says
how to get the peers, and a program that is not there is left out. ``--quick`` takes about a minute, all of it hours:
what is in the file of results is not run again. All programs have one thread, the same tables and the same score, and
every graph is scored by `continuous_scores`.

1. Linear Gaussian networks of 50 nodes with 8 neighbours each, 1,000 rows, the setting of FLOP's paper (Wienöbst,
   Henckel & Weichwald 2026, *Embracing discrete search*): how often the class is found exactly. By BIC itself, and by
   the one with twice the penalty that FLOP recommends: by BIC itself about 9 of the 1,025 pairs without an arc get one
   by chance. Weights are 0.5 to 2 with random signs, noise has the variance 1, columns are standardised.
2. From 20 to 1,000 nodes: the score after the same time.
3. Known and mixed tables.
4. Which score suits mixed tables: the conditional Gaussian one (``bic``), the degenerate Gaussian one (``dg``), or
   BIC of numbers cut into states; on rows of conditional Gaussian networks, and on rows of linear ones with every other
   column cut into thirds, where discrete variables have continuous parents.
5. Exact search with a proof, and the gap where there is none.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import nan
from pathlib import Path
from statistics import mean, median
from typing import Any

from pandas.api.types import is_numeric_dtype
from rich.console import Console
from rich.table import Table

from arcwise import Dag, Dataset, Quantile, compare, learn
from arcwise.graph.compare import Comparison
from benchmarks.apart import measure_apart
from benchmarks.continuous_cases import (
    Case,
    Cell,
    bounded_weights,
    cut_case,
    known_tables,
    linear_case,
    mixed_case,
)
from benchmarks.continuous_programs import (
    ANYTIME,
    ARCWISE,
    MIXED,
    Answer,
    Programs,
    Question,
    learning,
    limit_threads,
)
from benchmarks.continuous_scores import TableScore
from benchmarks.machine import machine
from experiments.kept import Kept

console = Console(width=140)

PAPER = Cell(50, 8, 1000)
PENALTIES = (1.0, 2.0)
GRID = (
    Cell(20, 2, 200),
    Cell(20, 8, 1000),
    Cell(50, 16, 10_000),
    Cell(100, 2, 200),
    Cell(100, 8, 1000),
    Cell(200, 4, 10_000),
    Cell(500, 2, 200),
    Cell(500, 8, 1000),
    Cell(1000, 2, 1000),
    Cell(1000, 4, 10_000),
    Cell(1000, 16, 10_000),
)
PARTS = ("recovery", "grid", "tables", "choice", "exact")
#: The tables of part 4, how many of each, and how `learn` is asked.
CHOICE = (Cell(12, 3, 300), Cell(12, 3, 3000), Cell(30, 3, 1000))
CHOICE_INSTANCES = 10
CHOICES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "bic": ("bic", {}),
    "dg": ("dg", {}),
    "bic of thirds": ("bic", {"discretise": Quantile(3)}),
}
# Scores that differ by less than this part of themselves are the same.
SAME = 1e-9
#: What --quick runs: what takes seconds on 50 nodes.
QUICK = (ARCWISE, "FLOP", "bnlearn hc", "bnlearn tabu", "pybnesian")
#: The most seconds for a program that ends by itself, in the recovery table and on known tables.
PATIENCE = 600.0


@dataclass(frozen=True)
class Bench:
    """What all tables need: the programs, what is known already, and a folder for their tables."""

    programs: Programs
    names: Sequence[str]
    kept: Kept
    scratch: Path
    workers: int

    def answers(self, case: Case, part: Mapping[str, Any], ask: Callable[[str], Question]) -> dict[str, Answer]:
        """Return what the programs found on a table, or what is known that they did.

        Parameters
        ----------
        case
            The table.
        part
            What tells it from others.
        ask
            Gives the question for a program; its table is filled in.
        """
        is_mixed = not all(map(is_numeric_dtype, case.table.dtypes))
        names = [name for name in self.names if name in MIXED or not is_mixed]
        file = self.scratch / "table.csv"
        asked = {name: replace(ask(name), table=file) for name in names}
        parts = {name: {"program": name, **part, **_plain(question)} for name, question in asked.items()}
        if any(parts[name] not in self.kept for name in names):
            case.table.to_csv(file, index=False)
        with ThreadPoolExecutor(self.workers) as pool:
            found = list(pool.map(lambda name: self._answer(name, parts[name], asked[name]), names))
        return dict(zip(names, found, strict=True))

    def _answer(self, name: str, part: Mapping[str, Any], question: Question) -> Answer:
        found = self.kept.found(part, lambda: asdict(self.programs.run(name, question)))
        directed, undirected = (tuple((a, b) for a, b in found[kind]) for kind in ("directed", "undirected"))
        return Answer(directed, undirected, found["seconds"], found["cpu_seconds"], found["failure"])


def _plain(question: Question) -> dict[str, Any]:
    """Return all of a question but where its table lies."""
    return {key: value for key, value in asdict(question).items() if key != "table"}


@dataclass(frozen=True)
class Judged:
    """What a graph is worth."""

    seconds: float
    cpu_seconds: float
    score: float
    above_truth: float
    distance: int
    skeleton_distance: int
    arcs: int


def judged(case: Case, score: TableScore, answer: Answer) -> Judged | None:
    """Judge a graph, beside the empty one where the true one is not known; None where there is no graph."""
    if answer.failure:
        return None
    names = [str(name) for name in case.table.columns]
    truth, dag = case.truth or Dag(names), answer.dag(names)
    total, difference = score.total(dag), compare(truth, dag)
    return Judged(
        seconds=answer.seconds,
        cpu_seconds=answer.cpu_seconds,
        score=total,
        above_truth=total - score.total(truth),
        distance=difference.shd_cpdag,
        skeleton_distance=difference.shd_skeleton,
        arcs=dag.n_arcs,
    )


def _best(found: Iterable[Judged | None]) -> float:
    return max((one.score for one in found if one is not None), default=nan)


def main() -> None:
    """Print all tables, or some of them."""
    arguments = _parser().parse_args()
    limit_threads(arguments.threads)
    programs = Programs(arguments.peers, arguments.threads)
    console.print(f"{machine()}; {arguments.workers} programs at a time, {arguments.threads} thread each")
    for line in programs.missing():
        console.print(line, soft_wrap=True)
    wanted = QUICK if arguments.quick else programs.available
    names = [name for name in programs.available if name in (arguments.programs or wanted)]
    patience = 20.0 if arguments.quick else PATIENCE
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(programs, names, Kept(arguments.results), Path(scratch), arguments.workers)
        if "recovery" in arguments.parts:
            instances = range(1, 3 if arguments.quick else arguments.instances + 1)
            for penalty in arguments.penalties:
                console.print(recovery_table(bench, penalty, instances, Times(arguments.seconds, patience)))
        if "grid" in arguments.parts:
            cells = GRID[:2] if arguments.quick else [cell for cell in GRID if cell.nodes in arguments.nodes]
            console.print(grid_table(bench, cells, 2.0 if arguments.quick else arguments.limit))
        if "tables" in arguments.parts:
            console.print(known_table(bench, Times(arguments.seconds, patience)))
        if "choice" in arguments.parts:
            console.print(choice_table(CHOICE[:1] if arguments.quick else CHOICE, arguments.seconds))
        if "exact" in arguments.parts:
            print_exact(bench, patience)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, help="the Python of an environment with the peers")
    parser.add_argument("--results", type=Path, help="a file that keeps what was found, so that a run can be resumed")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="only these of those that are there")
    parser.add_argument("--penalties", nargs="+", type=float, default=PENALTIES, help="of the recovery table")
    parser.add_argument("--instances", type=int, default=50, help="of the recovery table")
    parser.add_argument("--seconds", type=float, default=1.5, help="of arcwise but in the grid: what FLOP takes")
    nodes = sorted({cell.nodes for cell in GRID})
    parser.add_argument("--nodes", nargs="+", type=int, choices=nodes, default=nodes, help="of the grid")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each program and cell of the grid")
    parser.add_argument("--workers", type=int, default=2, help="programs at a time")
    parser.add_argument("--threads", type=int, default=1, help="of each program")
    parser.add_argument("--quick", action="store_true", help="a look at each part, about a minute")
    return parser


@dataclass(frozen=True)
class Times:
    """The seconds of arcwise, and those after which a program is given up that ends by itself."""

    arcwise: float
    patience: float

    def question(self, name: str, penalty: float, seed: int) -> Question:
        """Return what a program is asked: FLOP makes its 20 restarts."""
        return Question(penalty, self.arcwise if name == ARCWISE else None, self.patience, seed)


def recovery_table(bench: Bench, penalty: float, instances: Sequence[int], times: Times) -> Table:
    """Tell how often each program finds the class of the graph that the rows were drawn from."""
    title = f"{PAPER}, {len(instances)} instances, BIC with {penalty:g} × its penalty"
    table = Table(title=title, title_justify="left")
    _headings(table, "program", "done", "recovered", "SHD", "median", "score above the truth", "best of all")
    _headings(table, "s", "most", "CPU s")
    found: dict[str, list[Judged | None]] = {name: [] for name in bench.names}
    best: list[float] = []
    for seed in instances:
        case = linear_case(PAPER, seed)
        score = TableScore(case.table, penalty)
        part = {"part": "recovery", "instance": seed}
        for name, answer in bench.answers(case, part, partial(times.question, penalty=penalty, seed=seed)).items():
            found[name].append(judged(case, score, answer))
        best.append(_best(row[-1] for row in found.values()))
    for name, row in found.items():
        done = [(one, top) for one, top in zip(row, best, strict=True) if one is not None]
        if not done:
            table.add_row(name, "0")
            continue
        distances, seconds = [one.distance for one, _ in done], [one.seconds for one, _ in done]
        table.add_row(
            name,
            str(len(done)),
            f"{mean(distance == 0 for distance in distances):.0%}",
            f"{mean(distances):.1f}",
            f"{median(distances):g}",
            f"{mean(one.above_truth for one, _ in done):+.2f}",
            f"{mean(one.score >= top - SAME * abs(top) for one, top in done):.0%}",
            f"{mean(seconds):.2f}",
            f"{max(seconds):.2f}",
            f"{mean(one.cpu_seconds for one, _ in done):.2f}",
        )
    return table


def grid_table(bench: Bench, cells: Sequence[Cell], limit: float) -> Table:
    """Tell the score of each program after the same time.

    Programs that can be told when to stop are told; they may take longer to their first graph. Others end by themselves
    within that time or are not done.
    """
    title = f"BIC after {limit:g} s: nats per node below the best of all; SHD of classes; s"
    table = Table(title=title, title_justify="left")
    _headings(table, "nodes", *bench.names)
    for cell in cells:
        case = linear_case(cell, 1, bounded_weights(cell.degree))
        score = TableScore(case.table)
        answers = bench.answers(
            case,
            {"part": "grid", **asdict(cell)},
            lambda name: Question(1.0, *((limit, 5 * limit) if name in ANYTIME else (None, limit))),
        )
        found = {name: judged(case, score, answer) for name, answer in answers.items()}
        best = _best(found.values())
        cells_of_row = [
            answers[name].failure
            if one is None
            else f"{(best - one.score) / cell.nodes:.3f}; {one.distance}; {one.seconds:.1f}"
            for name, one in found.items()
        ]
        table.add_row(str(cell), *cells_of_row)
    return table


def known_table(bench: Bench, times: Times) -> Table:
    """Tell scores and structures on known and on mixed tables."""
    table = Table(title="Known and mixed tables, BIC (bic-g, bic-cg)", title_justify="left")
    _headings(table, "table", "program", "score", "arcs", "above the truth", "SHD", "of skeletons", "s")
    for case in _cases(bench):
        score = TableScore(case.table)
        part = {"part": "tables", "table": case.name}
        for name, answer in bench.answers(case, part, partial(times.question, penalty=1.0, seed=1)).items():
            one = judged(case, score, answer)
            if one is None:
                table.add_row(case.name, name, answer.failure)
                continue
            beside_truth = (f"{one.above_truth:+.2f}", str(one.distance), str(one.skeleton_distance))
            known = beside_truth if case.truth else ("", "", "")
            table.add_row(case.name, name, f"{one.score:.2f}", str(one.arcs), *known, f"{one.seconds:.2f}")
        table.add_section()
    return table


def _cases(bench: Bench) -> Iterator[Case]:
    if any(name.startswith("bnlearn") for name in bench.names):
        yield from known_tables(bench.scratch)
    yield mixed_case(Cell(12, 3, 1000), 1)
    yield mixed_case(Cell(30, 3, 5000), 2)


def choice_table(cells: Sequence[Cell], seconds: float) -> Table:
    """Tell how near the truth `learn` comes by each score for mixed tables, by edges, since not all have directions."""
    table = Table(title=f"Scores for mixed tables: means over {CHOICE_INSTANCES} tables", title_justify="left")
    _headings(table, "table", "score", "edges that differ", "precision", "recall")
    for make in (mixed_case, cut_case):
        for cell in cells:
            cases = [make(cell, seed) for seed in range(1, CHOICE_INSTANCES + 1)]
            for name, (score, options) in CHOICES.items():
                found = [_learned(case, seconds, score, options) for case in cases]
                table.add_row(
                    cases[0].name,
                    name,
                    f"{mean(one.shd_skeleton for one in found):.1f}",
                    f"{mean(one.precision for one in found):.3f}",
                    f"{mean(one.recall for one in found):.3f}",
                )
        table.add_section()
    return table


def _learned(case: Case, seconds: float, score: str, options: Mapping[str, Any]) -> Comparison:
    assert case.truth is not None
    data = Dataset.of(case.table, **options)
    return compare(case.truth, learn(data, score=score, time_limit=seconds, seed=1, progress=False).dag)


def print_exact(bench: Bench, patience: float) -> None:
    """Print whether arcwise proves an optimum of 20 nodes, and its gap on 50."""
    if ARCWISE not in bench.names:
        return
    for cell in (Cell(20, 8, 1000), PAPER):
        case = linear_case(cell, 1)
        file = bench.scratch / "exact.csv"
        case.table.to_csv(file, index=False)
        question = Question(1.0, patience, 2 * patience, table=file)
        found = measure_apart(learning, question, bench.programs.threads, "exact", limit=question.limit)
        if found is None:
            console.print(f"exact, {cell}: not done")
            continue
        result, _ = found.answer
        gap = "none" if result.bound is None else f"{result.bound - result.score:.2f}"
        console.print(f"exact, {cell}: {result.status}, score {result.score:.2f}, gap {gap}, {found.seconds:.1f} s")


def _headings(table: Table, *headings: str) -> None:
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("program", "table", "nodes") else "right")


if __name__ == "__main__":
    main()
