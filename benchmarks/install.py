"""What it takes to begin: bytes that are installed, CPU seconds until the package is there and until the first network.

Run ``python -m benchmarks.install`` (two minutes; the extra `bench` brings the peers). Each figure is the median of
fresh processes. The first network is that of Asia from a file of 5,000 rows, by the first search of each package.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from rich.console import Console
from rich.table import Table

import arcwise
from arcwise import _core, load_example
from benchmarks.machine import machine

N_ROWS = 5000
MEGABYTE = 1e6

# What brings the front door of a package, and what leads from there to a network of the file PATH.
PROGRAMS = {
    "arcwise": ("import arcwise; arcwise.learn", "arcwise.learn(PATH, seed=1, progress=False)"),
    "pyagrum": (
        "import pyagrum",
        "learner = pyagrum.BNLearner(PATH); learner.useScoreBIC(); learner.useGreedyHillClimbing(); learner.learnDAG()",
    ),
    "pybnesian": (
        "import pybnesian",
        "import pandas; frame = pandas.read_csv(PATH).astype('category');"
        "pybnesian.hc(frame, bn_type=pybnesian.DiscreteBNType(), score='bic', operators=['arcs'])",
    ),
    "pgmpy": (
        "from pgmpy.causal_discovery import HillClimbSearch",
        "import pandas; HillClimbSearch(scoring_method='bic-d', show_progress=False).fit(pandas.read_csv(PATH))",
    ),
    "causal-learn": (
        "from causallearn.search.ScoreBased.GES import ges",
        "import pandas; frame = pandas.read_csv(PATH);"
        "ges(frame.apply(lambda column: column.astype('category').cat.codes).to_numpy(), 'local_score_BDeu')",
    ),
}
_TIMED = "import time; begun = time.process_time(); {}; print(time.process_time() - begun)"


def closure(name: str, found: dict[str, set[str]] | None = None, extras: frozenset[str] = frozenset()) -> set[str]:
    """Return the distributions that installing one brings, itself included; those that are not here are left out."""
    found = {} if found is None else found
    key = name.lower().replace("_", "-")
    if key in found and extras <= found[key]:
        return set(found)
    try:
        requires = distribution(name).requires or []
    except PackageNotFoundError:
        return set(found)
    found.setdefault(key, set()).update(extras)
    for text in requires:
        needed = Requirement(text)
        asked = [{"extra": extra} for extra in (*extras, "")]
        if needed.marker is None or any(needed.marker.evaluate(each) for each in asked):
            closure(needed.name, found, frozenset(needed.extras))
    return set(found)


def installed_bytes(name: str) -> int:
    """Return what the files of a distribution take, without compiled Python, which depends on what was run."""
    if name == "arcwise":  # whose sources may be elsewhere, in an editable installation
        files = [*Path(arcwise.__file__).parent.rglob("*"), Path(_core.__file__)]
    else:
        files = [Path(str(file.locate())) for file in distribution(name).files or []]
    kept = {file.resolve() for file in files if file.is_file() and file.suffix != ".pyc"}
    return sum(file.stat().st_size for file in kept)


def cpu_seconds(program: str, n_processes: int, path: Path) -> float | None:
    """Return the median CPU seconds of a program over fresh processes on one thread; None where it fails."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": str(path.parent / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-W", "ignore", "-c", _TIMED.format(program.replace("PATH", repr(str(path))))]
    seconds = []
    for _ in range(1 + n_processes):  # the first one compiles
        ended = subprocess.run(command, capture_output=True, text=True, env=environment)
        if ended.returncode != 0:
            return None
        seconds.append(float(ended.stdout.splitlines()[-1]))
    return statistics.median(seconds[1:])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=9, help="fresh processes for each figure")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), help="the packages")
    asked = parser.parse_args()
    table = Table("package", "distributions", "installed, MB", "of these its own", "import, s", "first network, s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "asia.csv")
        load_example("asia").sample(N_ROWS, seed=1).to_frame().write_csv(path)
        numpy = cpu_seconds("import numpy", asked.processes, path)
        for name in asked.only:
            brought, (front, rest) = closure(name), PROGRAMS[name]
            sizes = {each: installed_bytes(each) for each in brought}
            ready = cpu_seconds(front, asked.processes, path)
            network = cpu_seconds(f"{front}; {rest}", asked.processes, path)
            table.add_row(
                name,
                str(len(brought)),
                f"{sum(sizes.values()) / MEGABYTE:.0f}",
                f"{sizes.get(name, 0) / MEGABYTE:.1f}",
                *("-" if seconds is None else f"{seconds:.2f}" for seconds in (ready, network)),
            )
    console = Console()
    console.print(machine(), f"numpy alone is imported in {numpy:.2f} s")
    console.print(table)


if __name__ == "__main__":
    main()
