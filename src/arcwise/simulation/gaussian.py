"""Random networks with continuous nodes, for experiments and tests."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import numbered_states
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Distribution, Table
from arcwise.network.network import BayesianNetwork
from arcwise.network.tables import family_shapes
from arcwise.simulation.random import Arities, drawn_arities, random_dag, random_predecessors, two_seeds
from arcwise.support.arguments import count, number, seed_sequence
from arcwise.support.errors import ParameterError
from arcwise.support.names import default_names

__all__ = ["random_gaussian_network", "random_gaussians", "random_mixed_network"]

#: The least and the largest of what is drawn.
Range = tuple[float, float]


def random_gaussians(
    dag: Dag,
    *,
    arities: Sequence[int] | None = None,
    alpha: float = 1.0,
    weights: Range = (0.5, 2.0),
    deviations: Range = (0.5, 1.5),
    seed: int | None = None,
) -> BayesianNetwork:
    """Network with this graph and random distributions, all or some of them Gaussian.

    Variances grow along long paths: how much a node varies says something about where in the graph it is.

    Parameters
    ----------
    dag
        The graph.
    arities
        Number of states of each node, 0 for a continuous one; by default all are continuous.
    alpha
        For the tables of discrete nodes, as in `random_parameters`.
    weights
        Between which numbers the coefficients of continuous parents are in size, uniformly; either sign is equally
        probable. Each configuration of discrete parents has its own, and an intercept that is drawn the same way;
        without discrete parents the intercept is 0.
    deviations
        Between which numbers the standard deviations are, uniformly.
    seed
        Same seed, same network; None draws one.

    Examples
    --------
    >>> random_gaussians(Dag(["a", "b"], [("a", "b")]), arities=[3, 0], seed=1).distribution("b").shape
    (3,)
    """
    alpha = number("alpha", alpha, positive=True)
    weights, deviations = _range("weights", weights), _range("deviations", deviations)
    if not deviations[0]:
        raise ParameterError.of("deviations", "above 0", deviations)
    rng = np.random.default_rng(seed_sequence(seed))
    states = [0] * dag.n_nodes if arities is None else [count("arities", arity, least=0) for arity in arities]
    if len(states) != dag.n_nodes:
        raise ParameterError.of("arities", f"one number for each of {dag.n_nodes} nodes", len(states), verb="have")
    distributions: list[Distribution] = []
    for arity, shape in zip(states, family_shapes(dag.names, states, dag.parent_indices), strict=True):
        if arity:
            distributions.append(Table(rng.dirichlet([alpha] * arity, size=shape[:-1])))
            continue
        *configurations, width = shape
        intercepts = _signed(rng, weights, tuple(configurations)) if configurations else np.zeros(())
        coefficients = _signed(rng, weights, (*configurations, width - 2))
        spread = rng.uniform(*deviations, size=configurations)
        distributions.append(ConditionalGaussian(intercepts, coefficients, spread))
    return BayesianNetwork(dag, [numbered_states(arity) if arity else () for arity in states], distributions)


def random_gaussian_network(
    n_nodes: int,
    n_arcs: int,
    *,
    max_parents: int | None = None,
    weights: Range = (0.5, 2.0),
    deviations: Range = (0.5, 1.5),
    seed: int | None = None,
) -> BayesianNetwork:
    """Linear Gaussian network of `random_dag` and `random_gaussians`, which explain the parameters.

    Examples
    --------
    >>> random_gaussian_network(20, 30, seed=1)
    <BayesianNetwork: 20 nodes, continuous, 30 arcs, 70 parameters>
    """
    for_graph, for_numbers = two_seeds(seed)
    dag = random_dag(n_nodes, n_arcs, max_parents=max_parents, seed=for_graph)
    return random_gaussians(dag, weights=weights, deviations=deviations, seed=for_numbers)


def random_mixed_network(
    n_nodes: int,
    n_arcs: int,
    *,
    share_continuous: float = 0.5,
    max_parents: int | None = None,
    arities: Arities = 2,
    alpha: float = 1.0,
    weights: Range = (0.5, 2.0),
    deviations: Range = (0.5, 1.5),
    seed: int | None = None,
) -> BayesianNetwork:
    """Network of discrete and continuous nodes, in which the parents of discrete ones are discrete.

    The graph is drawn as by `random_dag`, but in the order all discrete nodes come before all continuous ones.

    Parameters
    ----------
    n_nodes, n_arcs, max_parents
        As for `random_dag`.
    share_continuous
        Share of the nodes that are continuous, from 0 to 1, rounded to whole nodes; which ones they are is drawn.
    arities
        States of the discrete nodes: as for `random_parameters`, where a number for each node counts for those of them
        that are discrete.
    alpha, weights, deviations
        As for `random_gaussians`.
    seed
        Same seed, same network; None draws one.

    Examples
    --------
    >>> random_mixed_network(20, 30, share_continuous=0.25, seed=1).dag
    <Dag: 20 nodes, 30 arcs>
    """
    n_nodes, share = count("n_nodes", n_nodes, least=1), number("share_continuous", share_continuous)
    if share > 1:
        raise ParameterError.of("share_continuous", "at most 1", share)
    for_graph, for_numbers = two_seeds(seed)
    rng = np.random.default_rng(for_graph)
    order = rng.permutation(n_nodes).tolist()
    continuous = order[n_nodes - round(share * n_nodes) :]
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    for node, earlier in zip(order, random_predecessors(rng, n_nodes, n_arcs, max_parents), strict=True):
        parents[node] = [order[place] for place in earlier]
    drawn = drawn_arities(arities, n_nodes, rng)
    for node in continuous:
        drawn[node] = 0
    dag = Dag.from_parents(default_names(n_nodes), parents)
    return random_gaussians(dag, arities=drawn, alpha=alpha, weights=weights, deviations=deviations, seed=for_numbers)


def _signed(rng: np.random.Generator, weights: Range, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    signed: npt.NDArray[np.float64] = rng.uniform(*weights, size=shape) * rng.choice([-1.0, 1.0], size=shape)
    return signed


def _range(name: str, given: Range) -> Range:
    """Two numbers from 0, the smaller one first."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise ParameterError.of(name, "two numbers, the least and the largest", given)
    least, largest = number(name, given[0]), number(name, given[1])
    if least > largest:
        raise ParameterError.of(name, "two numbers, the smaller one first", given)
    return least, largest
