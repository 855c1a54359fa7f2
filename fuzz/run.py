"""All readers under atheris, each for some seconds: ``python -m fuzz.run SECONDS [KIND ...]``.

Needs ``pip install --group fuzz``. Each core has a reader to itself. Prints how many inputs each has read, and ends
with 1 if one was neither read nor refused with an `ArcwiseError`. That input is then in ``fuzz/found``.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from arcwise.support.machine import usable_cores
from fuzz.one_reader import KINDS

FOUND = Path(__file__).parent / "found"


def inputs_read(kind: str, seconds: int) -> tuple[int, str]:
    """Return how many inputs a reader was given, and what went wrong; nothing if all is well."""
    FOUND.mkdir(exist_ok=True)
    prefix = FOUND / f"{kind.replace(' ', '-')}-"
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={prefix}", "-max_len=4096", "-print_final_stats=1"]
    command = [sys.executable, "-m", "fuzz.one_reader", kind, *options]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace")
    counted = re.findall(r"number_of_executed_units: (\d+)", ended.stderr)
    faults = re.findall(r"AssertionError: .*|ERROR: .*", ended.stdout + ended.stderr)
    wrong = (faults or [ended.stderr[-300:]])[0] if ended.returncode else ""
    return int(counted[-1]) if counted else 0, wrong


def main() -> int:
    """Run them all; return 1 if there was a fault."""
    seconds, kinds = int(sys.argv[1]), sys.argv[2:] or list(KINDS)
    n_wrong = n_all = 0
    with ThreadPoolExecutor(usable_cores()) as pool:
        for kind, (n_inputs, wrong) in zip(kinds, pool.map(partial(inputs_read, seconds=seconds), kinds), strict=True):
            n_wrong, n_all = n_wrong + bool(wrong), n_all + n_inputs
            print(f"{kind}: {n_inputs:,} inputs{': ' + wrong if wrong else ''}", flush=True)
    print(f"{len(kinds)} readers, {n_all:,} inputs, {n_wrong} readers with a fault")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
