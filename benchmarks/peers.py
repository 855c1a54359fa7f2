"""Searches of other packages, each run as its users would run it: arcs out, data in."""

import logging
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

__all__ = ["Arcs", "Edges", "causal_learn_ges", "pgmpy_climb", "pgmpy_ges", "pyagrum_climb", "pybnesian_climb"]

Arcs = list[tuple[str, str]]
Edges = tuple[Arcs, Arcs]
"""The directed and the undirected edges of an equivalence class."""


def pyagrum_climb(frame: pd.DataFrame, threads: int) -> Callable[[], Arcs]:
    """Prepare pyAgrum's greedy hill climbing with BIC; reading the table is not part of the search."""
    import pyagrum

    def climb() -> Arcs:
        learner.setNumberOfThreads(threads)
        dag = learner.learnDAG()
        return [(names[tail], names[head]) for tail, head in dag.arcs()]

    learner = pyagrum.BNLearner(frame.astype(str))  # type: ignore[no-untyped-call]
    learner.useGreedyHillClimbing()
    learner.useScoreBIC()
    names = list(learner.names())
    return climb


def pybnesian_climb(frame: pd.DataFrame) -> Callable[[], Arcs]:
    """Prepare pybnesian's greedy hill climbing with BIC."""
    import pybnesian

    def climb() -> Arcs:
        return list(pybnesian.hc(frame, bn_type=pybnesian.DiscreteBNType(), score="bic", operators=["arcs"]).arcs())

    return climb


def pgmpy_climb(frame: pd.DataFrame) -> Callable[[], Arcs]:
    """Prepare pgmpy's hill climbing with BIC, with its default tabu list."""
    _quieten_pgmpy()
    from pgmpy.causal_discovery import HillClimbSearch

    def climb() -> Arcs:
        search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
        return list(search.fit(frame).causal_graph_.edges())

    return climb


def pgmpy_ges(frame: pd.DataFrame) -> Callable[[], Edges]:
    """Prepare pgmpy's greedy equivalence search with BIC: insertions, deletions, reversals, each until none is left."""
    _quieten_pgmpy()
    from pgmpy.causal_discovery import GES

    def search() -> Edges:
        found = GES(scoring_method="bic-d", return_type="pdag").fit(frame).causal_graph_
        return list(found.directed_edges), list(found.undirected_edges)

    return search


def causal_learn_ges(frame: pd.DataFrame) -> Callable[[], Edges]:
    """Prepare causal-learn's greedy equivalence search with its score for discrete data: insertions, then deletions.

    That score is BDeu with an equivalent sample size of 1 and a prior on arcs: each variable is a parent of another one
    with probability 1 / (n - 1). Its BIC is that of linear Gaussian models.
    """
    warnings.filterwarnings("ignore", module="causallearn")
    from causallearn.search.ScoreBased.GES import ges

    names = [str(name) for name in frame.columns]
    codes = np.column_stack([frame[name].astype("category").cat.codes.astype(np.int64) for name in names])

    def search() -> Edges:
        ends = ges(codes, score_func="local_score_BDeu", node_names=names)["G"].graph
        # -1 is the tail of an edge at the node of the row, 1 its head.
        directed = np.argwhere((ends == -1) & (ends.T == 1)).tolist()
        undirected = np.argwhere(np.triu((ends == -1) & (ends.T == -1))).tolist()
        return [(names[a], names[b]) for a, b in directed], [(names[a], names[b]) for a, b in undirected]

    return search


def _quieten_pgmpy() -> None:
    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module="pgmpy")
