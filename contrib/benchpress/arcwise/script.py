"""Learn a graph with arcwise, as a module of Benchpress: data in, adjacency matrix and seconds out."""

import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import arcwise


def learned(path: str, options: Any, seed: int) -> "arcwise.Result":
    """Return the result for a file of Benchpress, whose discrete data has the numbers of states in its second line."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    names, first = lines[0].split(","), lines[1].split(",")
    is_discrete = all(cell.strip().isdigit() for line in lines[1:] for cell in line.split(","))
    rows = [line.split(",") for line in lines[2 if is_discrete else 1 :] if line]
    if is_discrete:
        data = arcwise.Dataset.from_codes(
            [[int(cell) for cell in row] for row in rows], arities=[int(cell) for cell in first], names=names
        )
    else:
        data = arcwise.Dataset.from_numbers([[float(cell) for cell in row] for row in rows], names=names)
    limit = None if options["time_limit"] in ("None", "null", "") else float(options["time_limit"])
    return arcwise.learn(data, method=options["method"], score=options["score"], time_limit=limit, seed=seed, certify=0)


def write(result: "arcwise.Result", path: str) -> None:
    """Write the adjacency matrix of the class, under the names of the variables."""
    rows = result.cpdag.adjacency().astype(int).tolist()
    lines = [",".join(result.dag.names), *(",".join(map(str, row)) for row in rows)]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(job: Any) -> None:
    """Run the job that Snakemake has given."""
    sys.path.append("workflow/scripts/utils")
    start = time.perf_counter()
    around: Any = nullcontext()
    if job.wildcards["timeout"] != "None":
        from add_timeout import timeoutf  # of Benchpress

        places = (job.output["adjmat"], job.output["time"], job.output["ntests"])
        around = timeoutf(int(job.wildcards["timeout"]), *places, start)
    with around:
        result = learned(job.input["data"], job.wildcards, int(job.wildcards["replicate"]))
        Path(job.output["time"]).write_text(str(time.perf_counter() - start), encoding="utf-8")
        write(result, job.output["adjmat"])
        Path(job.output["ntests"]).write_text("None", encoding="utf-8")


if "snakemake" in globals():
    main(globals()["snakemake"])
