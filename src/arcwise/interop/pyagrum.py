"""Networks as models of pyAgrum, and back."""

from typing import TYPE_CHECKING, Any

from arcwise.graph.dag import Dag
from arcwise.io.declarations import only_tables
from arcwise.network.network import BayesianNetwork
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.libraries import library
from arcwise.support.messages import type_of
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    import pyagrum

__all__ = ["from_pyagrum", "to_pyagrum"]


def to_pyagrum(network: BayesianNetwork) -> "pyagrum.BayesNet":
    """Model for pyAgrum 2 or 3 with the same nodes, states and probabilities.

    pyAgrum takes any names and states without a zero byte, at which it would cut them off. What it then writes to
    files has narrower rules.

    Raises
    ------
    ParameterError
        For a name or state with a zero byte, and for continuous nodes.
    MissingLibraryError
        If pyAgrum is not installed.

    Examples
    --------
    >>> from arcwise import load_example
    >>> model = to_pyagrum(load_example("cancer"))
    >>> model.variable("Pollution").labels()
    ('low', 'high')
    >>> model.cpt("Pollution").tolist()
    [0.9, 0.1]
    """
    instance("network", network, BayesianNetwork)
    tables = only_tables(network, "a BayesNet of pyAgrum")
    gum = _pyagrum()
    made: pyagrum.BayesNet = gum.BayesNet()
    for name, states in zip(network.names, network.states, strict=True):
        for label in (name, *states):
            if "\0" in label:
                raise ParameterError(
                    f"{quoted(label)} has a zero byte, at which pyAgrum would cut it off; rename it first"
                )
        made.add(gum.LabelizedVariable(name, "", list(states)))
    for name, table in zip(network.names, tables, strict=True):
        # In pyAgrum the variable added last to a table varies slowest, in ours the first parent.
        for parent in reversed(network.dag.parents(name)):
            made.addArc(parent, name)
        made.cpt(name).fillWith(table.ravel().tolist())
    return made


def from_pyagrum(model: "pyagrum.BayesNet") -> BayesianNetwork:
    """Network of a model of pyAgrum, its nodes in the order of their numbers there.

    The states are the labels that pyAgrum shows: numbers of a range or integer variable, intervals of a discretised
    one. Descriptions are left out.

    Raises
    ------
    ParameterError
        For another kind of model, and for tables whose distributions do not sum to 1 within 1e-3, such as those that
        were never filled.
    MissingLibraryError
        If pyAgrum is not installed.

    Examples
    --------
    >>> from arcwise import load_example
    >>> network = load_example("cancer")
    >>> from_pyagrum(to_pyagrum(network)) == network
    True
    """
    if not isinstance(model, _pyagrum().BayesNet):
        raise ParameterError.of("model", "a BayesNet of pyAgrum", type_of(model))
    numbers = sorted(model.nodes())
    names = [model.variable(number).name() for number in numbers]
    arcs = [(model.variable(parent).name(), model.variable(child).name()) for parent, child in model.arcs()]
    dag = Dag(names, arcs)
    tables = []
    for name in names:
        cpt = model.cpt(name)
        arities = [cpt.variable(axis).domainSize() for axis in reversed(range(len(cpt.names)))]
        axes = cpt.names[::-1]  # of the array, whose last axis varies fastest
        order = [axes.index(member) for member in (*dag.parents(name), name)]
        tables.append(cpt.toarray().reshape(arities).transpose(order))
    return BayesianNetwork(dag, [model.variable(number).labels() for number in numbers], tables)


def _pyagrum() -> Any:
    return library("pyagrum", called="pyAgrum", package="pyagrum")
