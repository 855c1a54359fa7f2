"""Draws graphs by sumu's Gadget; `benchmarks.posterior_peers` calls it in a process, by a Python that has sumu.

``python posterior_sumu.py TABLE.csv GRAPH.csv ITERATIONS SEED CURVE.csv`` takes and writes what posterior_peers.R does.
The shares are those in the graphs up to there but for the first half, which is what sumu leaves out by itself.
"""

import importlib
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SCORE = {"name": "bdeu", "params": {"ess": 1}}
PRIOR = {"name": "unif"}  # the same for every graph
FEW_ITERATIONS = 100
MOST_DRAWS = 20_000
MOST_CANDIDATES = 10


def main() -> None:
    """Score a graph, draw others, and write a curve."""
    table, graph, iterations, seed, target = sys.argv[1:]
    sumu = importlib.import_module("sumu")
    codes = np.loadtxt(table, delimiter=",", dtype=np.int32)
    parents = np.loadtxt(graph, delimiter=",").T
    score = sumu.gadget.LocalScore(data=sumu.Data(codes), score=SCORE, prior=PRIOR)
    lines = [repr(float(sum(score.local(child, np.flatnonzero(row)) for child, row in enumerate(parents))))]
    _, before = drawn(sumu, codes, FEW_ITERATIONS, int(seed))
    graphs, seconds = drawn(sumu, codes, int(iterations), int(seed))
    for share in 2.0 ** (-np.arange(12, -1, -1) / 2):
        last = max(2, round(share * len(graphs)))
        arcs = graphs[last // 2 : last].mean(axis=0)
        numbers = [round(share * int(iterations)), before + share * (seconds - before), *arcs.ravel(order="F")]
        lines.append(",".join(str(number) for number in numbers))
    Path(target).write_text("\n".join(lines))


def drawn(sumu: Any, codes: Any, iterations: int, seed: int) -> tuple[Any, float]:
    """Return the graphs of a chain as matrices, and the seconds of the processor, those for its candidates included."""
    n = codes.shape[1]
    np.random.seed(seed)  # noqa: NPY002 (what sumu takes its numbers from)
    begin = time.process_time()
    few = min(n - 1, MOST_CANDIDATES)
    gadget = sumu.Gadget(
        data=sumu.Data(codes),
        run_mode={"name": "normal", "params": {"n_target_chain_iters": iterations}},
        mcmc={"n_dags": min(MOST_DRAWS, iterations // 5), "burnin": 0.0, "n_independent": 1},
        score=SCORE,
        structure_prior=PRIOR,
        constraints={"max_id": -1, "K": few, "d": 0 if few == n - 1 else 2},
        metropolis_coupling={"name": "static", "params": {"M": 1, "heating": "linear"}},
        logging={"silent": True},
    )
    dags, _ = gadget.sample()
    seconds = time.process_time() - begin
    graphs = np.zeros((len(dags), n, n), dtype=np.uint8)
    for matrix, dag in zip(graphs, dags):  # noqa: B905 (Python 3.9)
        for child, its in dag:
            matrix[list(its), child] = 1
    return graphs, seconds


if __name__ == "__main__":
    main()
