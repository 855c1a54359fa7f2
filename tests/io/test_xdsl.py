"""XDSL, held against pyAgrum and pgmpy."""

from pathlib import Path

import numpy as np
import pyagrum as gum
import pytest
from pgmpy.readwrite import XDSLReader

from arcwise import (
    BayesianNetwork,
    ConditionalGaussian,
    Dag,
    FormatError,
    ParameterError,
    from_pyagrum,
    load_example,
    read_network,
    to_pyagrum,
    write_network,
)
from arcwise.io.xdsl import format_xdsl, parse_xdsl


def same(one: BayesianNetwork, other: BayesianNetwork, tolerance: float = 1e-12) -> bool:
    """Whether two networks differ in the order of their nodes at most."""
    if set(one.names) != set(other.names):
        return False
    for name in one.names:
        mine, theirs = one.labelled(name), other.labelled(name)
        order = [theirs.parents.index(parent) for parent in mine.parents]
        for key, value in mine.items():
            there = [""] * len(order)
            for at, place in enumerate(order):
                there[place] = key[at]
            if abs(value - theirs[(*there, key[-1])]) > tolerance:
                return False
    return True


@pytest.mark.parametrize("name", ["asia", "cancer", "sachs", "alarm"])
def test_networks_go_there_and_back(name: str, tmp_path: Path) -> None:
    network, path = load_example(name), tmp_path / "network.xdsl"
    write_network(network, path)
    assert same(network, read_network(path))
    written = path.read_text(encoding="utf-8").split('cpt id="')[1:]
    order = [part.split('"')[0] for part in written]
    assert all(order.index(parent) < order.index(child) for parent, child in network.dag.arcs)


@pytest.mark.parametrize("name", ["cancer", "asia"])
def test_pyagrum_reads_what_is_written_but_for_the_order_of_its_parents(name: str, tmp_path: Path) -> None:
    """SMILE and pgmpy have the last parent vary fastest, pyAgrum the first; with one parent that is the same."""
    network, path = load_example(name), tmp_path / "network.xdsl"
    write_network(network, path)
    model = gum.loadBN(str(path))
    found = from_pyagrum(model)
    gum.saveBN(to_pyagrum(network), str(tmp_path / "theirs.xdsl"))
    theirs = read_network(tmp_path / "theirs.xdsl")
    assert found.states == tuple(network.states[network.dag.index(name)] for name in found.names)
    for other in (found, theirs):
        assert set(other.dag.arcs) == set(network.dag.arcs)
        for node in network.names:
            if len(network.dag.parents(node)) < 2:
                assert np.allclose(other.table(node), network.table(node), atol=1e-5)


def test_pgmpy_reads_what_is_written(tmp_path: Path) -> None:
    network, path = load_example("asia"), tmp_path / "network.xdsl"
    write_network(network, path)
    model = XDSLReader(str(path)).get_model()
    assert set(model.edges()) == set(network.dag.arcs)
    found = model.get_cpds("dysp")
    states = [found.state_names[name] for name in found.variables]
    for place in np.ndindex(*found.values.shape):
        state = dict(zip(found.variables, (labels[at] for labels, at in zip(states, place, strict=True)), strict=True))
        key = (*(state[parent] for parent in network.dag.parents("dysp")), state["dysp"])
        assert found.values[place] == pytest.approx(network.labelled("dysp")[key])


def test_deterministic_nodes_and_what_genie_adds() -> None:
    """As GeNIe writes it: a deterministic or, positions and names in extensions."""
    network = parse_xdsl(
        """<?xml version="1.0" encoding="UTF-8"?>
        <smile version="1.0" id="n" numsamples="1000"><nodes>
        <cpt id="a"><state id="no"/><state id="yes"/><property id="x">1</property>
        <probabilities>0.9 0.1</probabilities></cpt>
        <cpt id="b"><state id="no"/><state id="yes"/><probabilities>0.8 0.2</probabilities></cpt>
        <deterministic id="either"><state id="no"/><state id="yes"/><parents>a b</parents>
        <resultingstates>no yes yes yes</resultingstates></deterministic></nodes>
        <extensions><genie version="1.0"><node id="a"><name>A</name></node></genie></extensions></smile>"""
    )
    assert network.table("either").tolist() == [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<net/>", "its root must be smile"),
        ("<smile><nodes><noisymax id='a'/></nodes></smile>", "line 1: a noisy node is not possible"),
        ("<smile><nodes><decision id='a'/></nodes></smile>", "a decision is not possible"),
        ("<smile><nodes><cpt><state id='x'/></cpt></nodes></smile>", "a cpt must have an id"),
        ("<smile><nodes><cpt id='a'><state id='x'/></cpt></nodes></smile>", "probabilities"),
        (
            "<smile><nodes><cpt id='a'><state id='x'/><state id='y'/><probabilities>1</probabilities></cpt></nodes>"
            "</smile>",
            "'a'",
        ),
        (
            "<smile><nodes><deterministic id='a'><state id='x'/><resultingstates>z</resultingstates></deterministic>"
            "</nodes></smile>",
            "'z' is not a state",
        ),
        (
            "<smile><nodes><deterministic id='a'><state id='x'/><resultingstates>x x</resultingstates></deterministic>"
            "</nodes></smile>",
            "1 are needed, not 2",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_xdsl(text)


def test_what_it_cannot_hold_is_refused() -> None:
    for name, state in (("blood pressure", "x"), ("2nd", "x"), ("a", "<=3")):
        with pytest.raises(ParameterError, match="cannot be written in XDSL"):
            format_xdsl(BayesianNetwork(Dag([name]), [[state, "no"]], [[0.5, 0.5]]))
    with pytest.raises(ParameterError, match="XDSL"):
        format_xdsl(BayesianNetwork(Dag(["x"]), [[]], [ConditionalGaussian(0.0, [], 1.0)]))
