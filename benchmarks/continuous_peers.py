"""Runs one search of another package on a continuous or mixed table; `benchmarks.continuous` calls it in a process.

``python continuous_peers.py REQUEST.json ANSWER.json BEGAN`` with the Python of an environment that has the packages.
It imports nothing of arcwise, and only what the search needs. The file BEGAN appears when the search begins. A request
has

- ``program``: one of `SEARCHES`,
- ``table``: a .csv file; columns whose values are words are discrete,
- ``penalty``: how many times ln(N) / 2 each parameter costs; 1 is BIC,
- ``seconds``: for programs that can be told when to stop, or null,
- ``seed``.

The answer has the ``directed`` and ``undirected`` edges as pairs of names, and the ``seconds`` and ``cpu_seconds`` of
the search without imports and the reading of the table.

What the penalty is called elsewhere, and what it is by default:

=============  ===========================================  ==============  =========================================
package        score of a family, without constants         for BIC         default
=============  ===========================================  ==============  =========================================
flopsearch     N ln s² + lambda k ln N, smaller is better   lambda = 1      none; its README recommends 2
causal-learn   -N/2 ln s² - lambda (k + 1) ln N             lambda = 1/2    2 for BOSS and GRaSP, 1/2 for GES
bnlearn        log-likelihood - c (k + 2)                   c = ln(N) / 2   ln(N) / 2
pybnesian      log-likelihood - ln(N) / 2 (k + 2)           always          there is nothing to set
pgmpy          log-likelihood - ln(N) / 2 (k + 2)           always          there is nothing to set
=============  ===========================================  ==============  =========================================

k is the number of parents. FLOP's and causal-learn's defaults therefore are BIC with 2 and 4 times the penalty.
"""

import json
import logging
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Edges = tuple[list[tuple[str, str]], list[tuple[str, str]]]
"""Directed and undirected ones."""


def flop(table: pd.DataFrame, penalty: float, request: dict[str, Any]) -> Callable[[], Edges]:
    """FLOP with iterated local search: 20 restarts, or about as many as fit into the seconds.

    In version 0.3.0 its own ``timeout`` never returns: it ends a local search, but not the loop of restarts.
    """
    import flopsearch

    values = np.ascontiguousarray(table.to_numpy(dtype=float))
    limit = request["seconds"]

    def run(restarts: int) -> tuple[Any, float]:
        begin = time.perf_counter()
        found = flopsearch.flop(values, float(penalty), restarts=restarts)
        return found, time.perf_counter() - begin

    def as_many_as_fit(seconds: float) -> Any:
        # The first local search takes longer than later ones.
        found, with_one = run(1)
        if 5 * with_one > seconds:
            return found
        found, with_five = run(5)
        each = max((with_five - with_one) / 4, 1e-6)
        left = (seconds - with_five - 2 * with_one) / each
        return run(int(left))[0] if left > 5 else found

    def search() -> Edges:
        found = run(20)[0] if limit is None else as_many_as_fit(limit)
        return _pairs(table, found == 1), _pairs(table, np.triu(found == 2))

    return search


def boss(table: pd.DataFrame, penalty: float, request: dict[str, Any]) -> Callable[[], Edges]:
    """Best order score search of causal-learn."""
    from causallearn.search.PermutationBased.BOSS import boss

    return _causal_learn(boss, table, penalty)


def grasp(table: pd.DataFrame, penalty: float, request: dict[str, Any]) -> Callable[[], Edges]:
    """Greedy relaxations of the sparsest permutation of causal-learn, with its default depth."""
    from causallearn.search.PermutationBased.GRaSP import grasp

    return _causal_learn(grasp, table, penalty)


def _causal_learn(method: Any, table: pd.DataFrame, penalty: float) -> Callable[[], Edges]:
    values = table.to_numpy(dtype=float)

    def search() -> Edges:
        ends = method(values, parameters={"lambda_value": penalty / 2}, verbose=False).graph
        # -1 is the tail of an edge at the node of the row, 1 its head.
        directed, undirected = (ends == -1) & (ends.T == 1), np.triu((ends == -1) & (ends.T == -1))
        return _pairs(table, directed), _pairs(table, undirected)

    return search


def pybnesian_hc(table: pd.DataFrame, penalty: float, request: dict[str, Any]) -> Callable[[], Edges]:
    """Greedy hill climbing of pybnesian; of a mixed table with conditional linear Gaussian families."""
    import pybnesian

    discrete = _discrete(table)
    if discrete:
        if penalty != 1:
            raise SystemExit("pybnesian's BIC has no penalty to set")
        frame = table.astype(dict.fromkeys(discrete, "category"))
        kind: Any = pybnesian.CLGNetworkType()
    else:
        frame = table if penalty == 1 else _fewer_rows(table, penalty)
        kind = pybnesian.GaussianNetworkType()

    def search() -> Edges:
        return list(pybnesian.hc(frame, bn_type=kind, score="bic", operators=["arcs"]).arcs()), []

    return search


def pgmpy_hc(table: pd.DataFrame, penalty: float, request: dict[str, Any]) -> Callable[[], Edges]:
    """Hill climbing of pgmpy, with its default tabu list."""
    from pgmpy.causal_discovery import ExpertKnowledge, HillClimbSearch

    score, frame = _pgmpy_score(table, penalty)
    discrete = _discrete(table)
    upward = [(parent, child) for child in discrete for parent in table.columns if parent not in discrete]
    knowledge = ExpertKnowledge(forbidden_edges=upward) if discrete else None

    def search() -> Edges:
        method = HillClimbSearch(
            scoring_method=score, expert_knowledge=knowledge, return_type="dag", show_progress=False
        )
        return list(method.fit(frame).causal_graph_.edges()), []

    return search


def pgmpy_ges(table: pd.DataFrame, penalty: float, request: dict[str, Any]) -> Callable[[], Edges]:
    """Greedy equivalence search of pgmpy."""
    from pgmpy.causal_discovery import GES

    score, frame = _pgmpy_score(table, penalty)

    def search() -> Edges:
        found = GES(scoring_method=score, return_type="pdag").fit(frame).causal_graph_
        return list(found.directed_edges), list(found.undirected_edges)

    return search


def _pgmpy_score(table: pd.DataFrame, penalty: float) -> tuple[Any, pd.DataFrame]:
    """Return the name of pgmpy's BIC, and the table as it takes it."""
    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    discrete = _discrete(table)
    if discrete:
        if penalty != 1:
            raise SystemExit("pgmpy's BIC has no penalty to set")
        return "bic-cg", table.astype(dict.fromkeys(discrete, "category"))
    return "bic-g", table if penalty == 1 else _fewer_rows(table, penalty)


def _fewer_rows(table: pd.DataFrame, penalty: float) -> pd.DataFrame:
    """Return a table on which BIC is a multiple of what it is here with this penalty, for packages that cannot set it.

    Gaussian scores depend on the covariances and on N alone, and N ln s² + penalty k ln N has the minima of M ln s² +
    k ln M where M / ln M = N / (penalty ln N). So M random rows are made to have the means and covariances of all.
    """
    values = table.to_numpy(dtype=float)
    n_rows, n = values.shape
    ratio = n_rows / (penalty * np.log(n_rows))
    fewer = next(m for m in range(3, n_rows + 1) if m / np.log(m) >= ratio)
    if fewer <= n + 1:
        raise SystemExit("too few rows for a table with the same covariances")
    drawn = np.random.default_rng(1).normal(size=(fewer, n))
    drawn -= drawn.mean(axis=0)
    white = np.linalg.solve(np.linalg.cholesky(np.cov(drawn, rowvar=False, ddof=0)), drawn.T)
    rows = (np.linalg.cholesky(np.cov(values, rowvar=False, ddof=0)) @ white).T + values.mean(axis=0)
    return pd.DataFrame(rows, columns=table.columns)


def _discrete(table: pd.DataFrame) -> list[str]:
    return [str(name) for name in table.columns if not pd.api.types.is_numeric_dtype(table[name])]


def _pairs(table: pd.DataFrame, matrix: Any) -> list[tuple[str, str]]:
    return [(str(table.columns[a]), str(table.columns[b])) for a, b in np.argwhere(matrix)]


SEARCHES: dict[str, Callable[[pd.DataFrame, float, dict[str, Any]], Callable[[], Edges]]] = {
    "FLOP": flop,
    "BOSS": boss,
    "GRaSP": grasp,
    "pybnesian": pybnesian_hc,
    "pgmpy": pgmpy_hc,
    "pgmpy GES": pgmpy_ges,
}


def main() -> None:
    """Answer a request."""
    warnings.filterwarnings("ignore")
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    random.seed(request["seed"])
    np.random.seed(request["seed"])  # noqa: NPY002, because causal-learn draws from there
    search = SEARCHES[request["program"]](pd.read_csv(request["table"]), request["penalty"], request)
    Path(sys.argv[3]).touch()
    begin, begin_of_work = time.perf_counter(), time.process_time()
    directed, undirected = search()
    seconds, cpu_seconds = time.perf_counter() - begin, time.process_time() - begin_of_work
    answer = {"directed": directed, "undirected": undirected, "seconds": seconds, "cpu_seconds": cpu_seconds}
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
