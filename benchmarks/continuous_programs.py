"""The programs that `benchmarks.continuous` runs on continuous and mixed tables, each in a process of its own.

Peers are not arcwise's dependencies. Those in Python live in an environment of their own:
``python -m venv FOLDER && FOLDER/bin/pip install flopsearch causal-learn pybnesian pgmpy``; bnlearn comes with
``apt-get install r-base-core`` and R's ``install.packages("bnlearn")``.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from arcwise import Adjusted, Cpdag, Dag, Dataset, Result, learn
from benchmarks.apart import measure_apart

__all__ = ["ANYTIME", "ARCWISE", "MIXED", "Answer", "Programs", "Question", "learning", "limit_threads"]

ARCWISE = "arcwise"
#: The programs, and the package that each is in.
PYTHON_PEERS = {
    "FLOP": "flopsearch",
    "BOSS": "causallearn",
    "GRaSP": "causallearn",
    "pybnesian": "pybnesian",
    "pgmpy": "pgmpy",
    "pgmpy GES": "pgmpy",
}
R_PEERS = ("bnlearn hc", "bnlearn tabu")
#: Those that can be told when to stop.
ANYTIME = (ARCWISE, "FLOP")
#: Those that take tables with discrete and continuous columns.
MIXED = (ARCWISE, *R_PEERS, "pybnesian", "pgmpy")

# What starting a program and reading its table may take.
_START_SECONDS = 120.0
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Question:
    """What a program is to do.

    Attributes
    ----------
    penalty
        How many times ln(N) / 2 each parameter costs.
    seconds
        When programs that can be told are to stop; None where they end by themselves.
    limit
        Seconds after which a program is given up.
    seed
        For those that draw random numbers and can be given one.
    table
        A .csv file.
    """

    penalty: float
    seconds: float | None
    limit: float
    seed: int = 1
    table: Path = Path()


@dataclass(frozen=True)
class Answer:
    """The edges that a program found, and the seconds that it took, of the clock and of the processor; or a failure."""

    directed: tuple[tuple[str, str], ...] = ()
    undirected: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    failure: str = ""

    def dag(self, names: list[str]) -> Dag:
        """Return a graph of the class."""
        return Cpdag(names, self.directed, self.undirected).consistent_extension()


def limit_threads(threads: int) -> None:
    """Let this process's children use so many threads each."""
    for name in ("OMP", "OPENBLAS", "MKL", "RAYON"):
        os.environ[f"{name}_NUM_THREADS"] = str(threads)


@dataclass(frozen=True)
class Programs:
    """What there is on this machine.

    Attributes
    ----------
    python
        The Python of the peers' environment; None without one.
    threads
        For each program.
    """

    python: Path | None
    threads: int = 1

    @cached_property
    def available(self) -> tuple[str, ...]:
        """Names of the programs that can be run, arcwise first."""
        return (ARCWISE, *(name for name, package in PYTHON_PEERS.items() if self._has(package)), *self._in_r)

    def missing(self) -> list[str]:
        """Return a line for each program that cannot be run: how to get it."""
        lines = []
        packages = sorted({package for name, package in PYTHON_PEERS.items() if name not in self.available})
        if packages:
            asked = " ".join("causal-learn" if package == "causallearn" else package for package in packages)
            install = f"python -m venv FOLDER && FOLDER/bin/pip install {asked}"
            lines.append(f"without {asked}: {install}, then --peers FOLDER/bin/python")
        if not self._in_r:
            lines.append("without bnlearn: apt-get install r-base-core, then install.packages('bnlearn') in R")
        return lines

    def run(self, name: str, question: Question) -> Answer:
        """Run a program; a failure is an answer, too."""
        if name == ARCWISE:
            return _arcwise(question, self.threads)
        with tempfile.TemporaryDirectory() as scratch:
            if name in R_PEERS:
                return _in_r(name, question, Path(scratch))
            return self._in_python(name, question, Path(scratch))

    def _in_python(self, name: str, question: Question, scratch: Path) -> Answer:
        request = {
            "program": name,
            "table": str(question.table),
            "penalty": question.penalty,
            "seconds": question.seconds,
            "seed": question.seed,
        }
        asked, answered = scratch / "request.json", scratch / "answer.json"
        asked.write_text(json.dumps(request), encoding="utf-8")
        command = [str(self.python), str(_HERE / "continuous_peers.py"), str(asked), str(answered)]
        return _process(command, scratch, question.limit, lambda: _from_json(answered))

    def _has(self, package: str) -> bool:
        if self.python is None:
            return False
        command = [str(self.python), "-c", f"import {package}"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    @cached_property
    def _in_r(self) -> tuple[str, ...]:
        program = shutil.which("Rscript")
        command = [program or "", "-e", "library(bnlearn)"]
        there = program is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0
        return R_PEERS if there else ()


def _in_r(name: str, question: Question, scratch: Path) -> Answer:
    script, edges = _HERE / "continuous_peers.R", scratch / "edges.csv"
    command = ["Rscript", str(script), name, str(question.table), str(question.penalty), str(edges)]
    return _process(command, scratch, question.limit, lambda: _from_csv(edges))


def _process(command: list[str], scratch: Path, limit: float, read: Callable[[], Answer]) -> Answer:
    """Run a command until so long after its search has begun, and read what it wrote.

    A command writes the file `began` when it begins to search. Where it fails, the last line of its errors is the
    answer.
    """
    errors, began = scratch / "errors", scratch / "began"
    with errors.open("w", encoding="utf-8") as file:
        process = subprocess.Popen([*command, str(began)], stdout=subprocess.DEVNULL, stderr=file)
        is_searching, end = False, time.monotonic() + _START_SECONDS
        while process.poll() is None:
            if not is_searching and began.exists():
                is_searching, end = True, time.monotonic() + limit
            if time.monotonic() > end:
                process.kill()
                process.wait()
                return Answer(failure="not done")
            time.sleep(0.02)
    if process.returncode:
        lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return Answer(failure=(lines or ["failed"])[-1][:100])
    return read()


def _from_json(file: Path) -> Answer:
    found = json.loads(file.read_text(encoding="utf-8"))
    directed, undirected = (tuple((a, b) for a, b in found[kind]) for kind in ("directed", "undirected"))
    return Answer(directed, undirected, found["seconds"], found["cpu_seconds"])


def _from_csv(file: Path) -> Answer:
    arcs = pd.read_csv(file, dtype=str, keep_default_na=False)
    seconds, cpu_seconds = map(float, Path(f"{file}.seconds").read_text(encoding="utf-8").split())
    return Answer(tuple(arcs.itertuples(index=False, name=None)), (), seconds, cpu_seconds)


def _arcwise(question: Question, threads: int) -> Answer:
    try:
        measured = measure_apart(learning, question, threads, limit=question.limit + _START_SECONDS)
    except RuntimeError as error:
        return Answer(failure=str(error))
    if measured is None:
        return Answer(failure="not done")
    result, cpu_seconds = measured.answer
    return Answer(tuple(result.dag.arcs), (), measured.seconds, cpu_seconds)


def learning(question: Question, threads: int, method: str = "orders") -> Callable[[], tuple[Result, float]]:
    """Prepare arcwise's search, which also returns the seconds of the processor."""
    # As for the others, all numbers are continuous: whole ones of few different values, too.
    data = Dataset.of(pd.read_csv(question.table), continuous=True)
    score = "bic" if question.penalty == 1 else Adjusted("bic", penalty_factor=question.penalty)
    asked: dict[str, Any] = {"method": method, "time_limit": question.seconds, "workers": threads}

    def search() -> tuple[Result, float]:
        begin = time.process_time()
        result = learn(data, score=score, seed=question.seed, progress=False, **asked)
        return result, time.process_time() - begin

    return search
