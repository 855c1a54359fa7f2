"""Programs other than arcwise that draw graphs from the posterior: BiDAG (R) and sumu (Python).

They are not arcwise's dependencies. BiDAG is in an R library of its own, which ``$R_LIBS`` names, sumu in a Python of
its own. Each draws one chain in a process, and tells the shares of the arcs after some of its iterations.
"""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arcwise import Dag, Dataset

__all__ = ["Curve", "Peer", "Point", "bidag", "point_of", "seconds_to_stay_below", "sumu"]

Probabilities = npt.NDArray[np.float64]

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Point:
    """How near to the truth a program was after some seconds of the processor: the largest error of an arc, an edge."""

    seconds: float
    arc_error: float
    edge_error: float


@dataclass(frozen=True)
class Curve:
    """The points of a chain, by seconds, and the score that the program gives to the graph that was asked for."""

    points: tuple[Point, ...]
    graph_score: float


@dataclass(frozen=True)
class Peer:
    """A program, and the command that draws."""

    name: str
    command: tuple[str, ...]

    def curve(self, data: Dataset, graph: Dag, truth: Probabilities, iterations: int, seed: int) -> Curve:
        """Draw graphs, and compare their arcs with the exact probabilities.

        Raises
        ------
        RuntimeError
            With what the program said last, where it fails.
        """
        n = data.n_variables
        matrix = np.zeros((n, n), dtype=np.int8)
        for child, parents in enumerate(graph.parent_indices):
            matrix[list(parents), child] = 1
        with tempfile.TemporaryDirectory() as name:
            table, asked, target = (Path(name, file) for file in ("table.csv", "graph.csv", "curve.csv"))
            np.savetxt(table, np.asarray(data.codes), fmt="%d", delimiter=",")
            np.savetxt(asked, matrix, fmt="%d", delimiter=",")
            command = [*self.command, str(table), str(asked), str(iterations), str(seed), str(target)]
            one_thread = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=one_thread)
            if done.returncode:
                raise RuntimeError(" ".join(done.stderr.strip().splitlines()[-1:]))
            score, *rows = target.read_text().splitlines()
        points = []
        for row in rows:
            _, seconds, *arcs = map(float, row.split(","))
            points.append(point_of(seconds, np.reshape(arcs, (n, n), order="F"), truth))
        return Curve(tuple(points), float(score))


def bidag(rscript: str) -> Peer:
    """Return BiDAG's partition MCMC, run by this Rscript."""
    return Peer("BiDAG", (rscript, str(_HERE / "posterior_peers.R")))


def sumu(python: str) -> Peer:
    """Return sumu's Gadget, run by this Python."""
    return Peer("sumu", (python, str(_HERE / "posterior_sumu.py")))


def point_of(seconds: float, arcs: Probabilities, truth: Probabilities) -> Point:
    """Return the errors of arcs, and of edges, which are arcs one way or the other."""
    apart = arcs - truth
    return Point(seconds, float(np.abs(apart).max()), float(np.abs(apart + apart.T).max()))


def seconds_to_stay_below(points: Sequence[tuple[float, float]], error: float) -> float:
    """Return the seconds of the first point from which all errors are below this one; infinity if the last is not.

    Examples
    --------
    >>> seconds_to_stay_below([(1, 0.01), (2, 0.03), (3, 0.01), (4, 0.01)], 0.02)
    3
    """
    found = inf
    for seconds, its in reversed(points):
        if its >= error:
            break
        found = seconds
    return found
