"""The performance record: ``python -m benchmarks.record`` compares it, ``--write`` makes it anew.

Instructions of a few kernels, as valgrind counts them, in multiples of those of a bare loop over bit planes. Counts are
the same on a busy machine and an idle one, so that a loss of a fifth is a loss; times of shared machines differ by more
than that from run to run. What they cannot see is waiting for memory, and instructions wider than the portable ones.
Counts belong to a compiler: where another one made the record, nothing is compared, which fails with ``--required``.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("record.json")
FOLDER = ROOT / "build" / "record"
MOST = 1.2
"""A task that takes more than this times the instructions of its record has lost too much."""


def built() -> Path:
    """Build the tasks, and return the program."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DARCWISE_MODULE=OFF", "-DARCWISE_RECORD=ON"]
    subprocess.run(["cmake", "-S", ROOT, "-B", FOLDER, "-G", "Ninja", *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", FOLDER], check=True, stdout=subprocess.DEVNULL)
    return FOLDER / "arcwise_record"


def compiler() -> str:
    """Return what built it: counts of another compiler are not comparable."""
    cache = (FOLDER / "CMakeCache.txt").read_text()
    program = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)
    assert program is not None
    said = subprocess.run([program[1], "--version"], check=True, capture_output=True, text=True).stdout
    return said.splitlines()[0]


def instructions(program: Path, task: str) -> int:
    """Return how many instructions a task takes."""
    out = FOLDER / "callgrind.out"
    options = ["--tool=callgrind", "--toggle-collect=*recorded*", f"--callgrind-out-file={out}"]
    subprocess.run(["valgrind", "-q", *options, program, task], check=True, capture_output=True)
    found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def ratios(program: Path) -> dict[str, float]:
    """Return the instructions of each task in multiples of the bare loop's."""
    tasks = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    counts = {task: instructions(program, task) for task in tasks}
    bare = counts.pop("bare loop")
    return {task: round(count / bare, 4) for task, count in counts.items()}


def losses(found: dict[str, float], recorded: dict[str, float]) -> list[str]:
    """Return the tasks that take too many instructions more than their record.

    Examples
    --------
    >>> losses({"a": 1.3, "b": 2.0, "new": 5.0}, {"a": 1.0, "b": 1.9})
    ['a: 1.300, 1.30 times its record of 1.000']
    """
    return [
        f"{task}: {ratio:.3f}, {ratio / recorded[task]:.2f} times its record of {recorded[task]:.3f}"
        for task, ratio in found.items()
        if task in recorded and ratio > MOST * recorded[task]
    ]


def main() -> None:
    """Compare, or write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the record anew")
    parser.add_argument("--required", action="store_true", help="fail where another compiler made the record")
    options = parser.parse_args()
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # cmake and ninja stand there
    found = ratios(built())
    if options.write:
        RECORD.write_text(json.dumps({"compiler": compiler(), "ratios": found}, indent=2) + "\n")
        print(RECORD.read_text())
        return
    if not RECORD.exists():
        sys.exit("there is no record yet: make one with --write, and commit it")
    record = json.loads(RECORD.read_text())
    for task, ratio in found.items():
        print(f"{task:24} {ratio:10.4f}  recorded {record['ratios'].get(task, float('nan')):10.4f}")
    if record["compiler"] != compiler():
        not_compared = f"not compared: the record is that of {record['compiler']}, this is {compiler()}"
        if options.required:
            sys.exit(not_compared)
        print(not_compared)
        return
    lost = losses(found, record["ratios"])
    if lost:
        sys.exit("\n".join(lost))


if __name__ == "__main__":
    main()
