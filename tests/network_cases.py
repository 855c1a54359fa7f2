"""Networks that the tests of files and of other libraries' objects share."""

import logging
import warnings
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from arcwise.graph import Dag
from arcwise.interop import from_pgmpy, from_pyagrum, to_pgmpy, to_pyagrum
from arcwise.network import BayesianNetwork
from arcwise.simulation.examples import load_example
from arcwise.simulation.gaussian import random_mixed_network
from arcwise.simulation.random import random_network

# The last two have parents of different arities, and nodes that do not stand after their parents.
SMALL = {
    "asia": load_example("asia"),
    "cancer": load_example("cancer"),
    "survey": load_example("survey"),
    "random": random_network(6, 9, arities=range(2, 5), alpha=0.5, seed=8),
    "backwards": BayesianNetwork(
        Dag(["c", "b", "a"], [("a", "c"), ("b", "c")]),
        [["c0", "c1"], ["b0", "b1", "b2"], ["no", "yes"]],
        [
            [[[0.01, 0.99], [0.04, 0.96]], [[0.02, 0.98], [0.05, 0.95]], [[0.03, 0.97], [0.06, 0.94]]],
            [0.5, 0.25, 0.25],
            [0.25, 0.75],
        ],
    ),
}


# With discrete and continuous nodes, some of which do not stand after their parents.
MIXED = random_mixed_network(7, 12, arities=range(2, 4), alpha=0.5, seed=3)


@st.composite
def mixed_networks(draw: st.DrawFn, names: st.SearchStrategy[str]) -> BayesianNetwork:
    """Networks of 5 nodes with these names, some or all or none of them continuous."""
    drawn = random_mixed_network(
        5,
        draw(st.integers(0, 10)),
        share_continuous=draw(st.floats(0, 1)),
        arities=range(1, 4),
        seed=draw(st.integers(0, 2**32)),
    )
    nodes = draw(st.lists(names, min_size=5, max_size=5, unique=True))
    return BayesianNetwork(Dag.from_parents(nodes, drawn.dag.parent_indices), drawn.states, drawn.distributions)


@st.composite
def networks(draw: st.DrawFn, names: st.SearchStrategy[str], states: st.SearchStrategy[str]) -> BayesianNetwork:
    """Networks of 4 nodes with these names and states, some of them with one state only."""
    drawn = random_network(4, draw(st.integers(0, 6)), arities=range(1, 4), alpha=0.2, seed=draw(st.integers(0, 2**32)))
    nodes = draw(st.lists(names, min_size=4, max_size=4, unique=True))
    labels = draw(st.lists(states, min_size=3, max_size=3, unique=True))
    return BayesianNetwork(
        Dag.from_parents(nodes, drawn.dag.parent_indices), [labels[:arity] for arity in drawn.arities], drawn.tables
    )


def ordered_like(network: BayesianNetwork, like: BayesianNetwork) -> BayesianNetwork:
    """Network with its nodes in the order of another one, which not every library keeps."""
    dag = network.dag.with_names_ordered(like.names)
    tables = []
    for name in like.names:
        axes = [*network.dag.parents(name), name]
        tables.append(network.table(name).transpose([axes.index(member) for member in (*dag.parents(name), name)]))
    states = dict(zip(network.names, network.states, strict=True))
    return BayesianNetwork(dag, [states[name] for name in like.names], tables)


def saved_by_pyagrum(network: BayesianNetwork, path: Path) -> Path:
    """Let pyAgrum write a network, in the format that the ending says to it."""
    import pyagrum

    pyagrum.saveBN(to_pyagrum(network), str(path))
    return path


def loaded_by_pyagrum(path: Path, like: BayesianNetwork) -> BayesianNetwork:
    """Network that pyAgrum reads."""
    import pyagrum

    return ordered_like(from_pyagrum(pyagrum.loadBN(str(path))), like)


def pgmpy_readwrite() -> Any:
    """Readers and writers of pgmpy."""
    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pgmpy.readwrite
    return pgmpy.readwrite


def saved_by_pgmpy(network: BayesianNetwork, writer: str) -> str:
    """Text that one of pgmpy's writers makes of a network."""
    return str(getattr(pgmpy_readwrite(), writer)(to_pgmpy(network)))


def loaded_by_pgmpy(path: Path, reader: str, like: BayesianNetwork) -> BayesianNetwork:
    """Network that one of pgmpy's readers makes of a file."""
    return ordered_like(from_pgmpy(getattr(pgmpy_readwrite(), reader)(str(path)).get_model()), like)
