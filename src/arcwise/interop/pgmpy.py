"""Networks as models of pgmpy, and back."""

from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian
from arcwise.network.network import BayesianNetwork
from arcwise.support.arguments import instance
from arcwise.support.errors import GraphError, ParameterError
from arcwise.support.libraries import library
from arcwise.support.messages import type_of
from arcwise.support.quoting import cut, quoted

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork

__all__ = ["from_pgmpy", "to_pgmpy"]


def to_pgmpy(network: BayesianNetwork) -> "DiscreteBayesianNetwork | LinearGaussianBayesianNetwork":
    """Model for pgmpy 1 with the same nodes, states and probabilities.

    It is a DiscreteBayesianNetwork, or a LinearGaussianBayesianNetwork if all nodes are continuous. pgmpy takes any
    names and states.

    Raises
    ------
    ParameterError
        For a network with both discrete and continuous nodes, for which pgmpy has no model.
    MissingLibraryError
        If pgmpy is not installed.

    Examples
    --------
    >>> from arcwise import load_example
    >>> model = to_pgmpy(load_example("cancer"))
    >>> sorted(model.get_parents("Cancer"))
    ['Pollution', 'Smoker']
    >>> float(model.get_cpds("Pollution").get_value(Pollution="low"))
    0.9
    """
    instance("network", network, BayesianNetwork)
    if network.continuous:
        return _linear_gaussian(network)
    made = _model("DiscreteBayesianNetwork")()
    made.add_nodes_from(network.names)
    made.add_edges_from(network.dag.arcs)
    tabular = library("pgmpy.factors.discrete", called="pgmpy", package="pgmpy").TabularCPD
    states = dict(zip(network.names, network.states, strict=True))
    for name, table in zip(network.names, network.tables, strict=True):
        parents = network.dag.parents(name)
        cpd = tabular(
            name,
            len(states[name]),
            table.reshape(-1, table.shape[-1]).T.copy(),
            evidence=list(parents),
            evidence_card=[len(states[parent]) for parent in parents],
            state_names={member: list(states[member]) for member in (name, *parents)},
        )
        made.add_cpds(cpd)
    return made


def _linear_gaussian(network: BayesianNetwork) -> Any:
    """Model of a network whose nodes are all continuous."""
    if len(network.continuous) < len(network.names):
        raise ParameterError(
            f"pgmpy has no model for discrete and continuous nodes together, and {quoted(network.continuous[0])} is "
            "continuous while others have states; JSON and NET files hold such networks"
        )
    made = _model("LinearGaussianBayesianNetwork")()
    made.add_nodes_from(network.names)
    made.add_edges_from(network.dag.arcs)
    linear = library("pgmpy.factors.continuous", called="pgmpy", package="pgmpy").LinearGaussianCPD
    for name, found in zip(network.names, network.distributions, strict=True):
        assert isinstance(found, ConditionalGaussian)
        beta = [float(found.intercepts), *found.coefficients.tolist()]
        made.add_cpds(linear(name, beta, float(found.deviations), list(network.dag.parents(name))))
    return made


def from_pgmpy(model: "DiscreteBayesianNetwork | LinearGaussianBayesianNetwork") -> BayesianNetwork:
    """Network of a discrete or linear Gaussian model of pgmpy 1, its nodes in the same order.

    States that are not strings, such as the numbers that pgmpy gives states without names, become strings. Roles such
    as latent variables are left out.

    Raises
    ------
    GraphError
        For a node that is not a string.
    ParameterError
        For another kind of model, one that pgmpy's own `check_model` finds fault with, nodes without a distribution,
        and tables whose distributions do not sum to 1 within 1e-3.
    MissingLibraryError
        If pgmpy is not installed.

    Examples
    --------
    >>> from arcwise import load_example
    >>> network = load_example("cancer")
    >>> from_pgmpy(to_pgmpy(network)) == network
    True
    """
    is_linear = isinstance(model, _model("LinearGaussianBayesianNetwork"))
    if not is_linear and not isinstance(model, _model("DiscreteBayesianNetwork")):
        raise ParameterError.of(
            "model", "a DiscreteBayesianNetwork or a LinearGaussianBayesianNetwork of pgmpy", type_of(model)
        )
    names = list(model.nodes)
    for name in names:
        if not isinstance(name, str):
            raise GraphError(
                f"the node {quoted(name)} must be a string, not {type(name).__name__}; rename the nodes of the model "
                "first"
            )
    try:
        model.check_model()
    except ValueError as error:
        raise ParameterError(f"pgmpy finds fault with the model: {cut(str(error))}") from None
    dag = Dag(names, model.edges)
    cpds = {name: model.get_cpds(name) for name in names}
    if is_linear:
        return BayesianNetwork(
            dag, [()] * len(names), [_gaussian(name, cpds[name], dag.parents(name)) for name in names]
        )
    states = [[str(state) for state in cpds[name].state_names[name]] for name in names]
    tables = []
    for name in names:
        axes = [cpds[name].variables.index(member) for member in (*dag.parents(name), name)]
        tables.append(np.asarray(cpds[name].values).transpose(axes))
    return BayesianNetwork(dag, states, tables)


def _gaussian(name: str, cpd: Any, parents: tuple[str, ...]) -> ConditionalGaussian:
    """Distribution of one node of a linear Gaussian model, whose parents may be in another order there."""
    if cpd is None:  # which pgmpy lets pass
        raise ParameterError(f"the node {quoted(name)} of the model has no distribution; add one with add_cpds")
    intercept, *coefficients = np.ravel(cpd.beta).tolist()
    if len(coefficients) != len(parents):
        raise ParameterError(
            f"the node {quoted(name)} of the model has {len(parents)} parents and {len(coefficients)} coefficients "
            "for them; beta must have one for each, after the intercept"
        )
    return ConditionalGaussian(intercept, [coefficients[cpd.evidence.index(parent)] for parent in parents], cpd.std)


def _model(name: str) -> Any:
    """A class of models."""
    models = library("pgmpy.models", called="pgmpy", package="pgmpy")
    if not hasattr(models, "DiscreteBayesianNetwork"):
        raise ParameterError("this pgmpy is too old; version 1 or newer has the DiscreteBayesianNetwork: upgrade it")
    return getattr(models, name)
