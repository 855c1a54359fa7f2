"""Hill climbing in other packages, each run as its users would run it: arcs out, data in."""

import logging
import warnings
from collections.abc import Callable

import pandas as pd

__all__ = ["pgmpy_climb", "pyagrum_climb", "pybnesian_climb"]

Arcs = list[tuple[str, str]]


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
    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module="pgmpy")
    from pgmpy.causal_discovery import HillClimbSearch

    def climb() -> Arcs:
        search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
        return list(search.fit(frame).causal_graph_.edges())

    return climb
