"""Random graphs for the tests."""

from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st

from arcwise.graph import Dag

NAMES = "abcde"


def dag_of(arcs: Iterable[tuple[int, int]], n: int) -> Dag:
    """The graph an oracle means by arcs between positions."""
    return Dag(list(NAMES[:n]), [(NAMES[a], NAMES[b]) for a, b in arcs])


def chest_clinic() -> Dag:
    """The network of Lauritzen & Spiegelhalter 1988."""
    return Dag(
        ["visit", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"],
        [
            ("visit", "tub"),
            ("smoke", "lung"),
            ("smoke", "bronc"),
            ("tub", "either"),
            ("lung", "either"),
            ("either", "xray"),
            ("either", "dysp"),
            ("bronc", "dysp"),
        ],
    )


@st.composite
def dags(draw: st.DrawFn, min_nodes: int = 0, max_nodes: int = 9) -> Dag:
    """DAGs whose topological order is not the order of their names."""
    n = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(range(n)))
    density = draw(st.sampled_from((1, 2, 4)))
    parents: list[list[int]] = [[] for _ in range(n)]
    for position, child in enumerate(order):
        for parent in order[:position]:
            if draw(st.integers(1, density)) == 1 and draw(st.booleans()):
                parents[child].append(parent)
    return Dag.from_parents([f"v{node}" for node in range(n)], parents)


def large_dag(n_nodes: int = 1500, n_arcs: int = 5000, seed: int = 0) -> Dag:
    """A random DAG of the size of the largest real ones."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_nodes)
    chosen: set[tuple[int, int]] = set()
    while len(chosen) < n_arcs:
        a, b = sorted(rng.integers(n_nodes, size=2).tolist())
        if a < b:
            chosen.add((int(order[a]), int(order[b])))
    names = [f"v{node}" for node in range(n_nodes)]
    return Dag(names, [(names[a], names[b]) for a, b in chosen])
