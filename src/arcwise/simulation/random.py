"""Random graphs, networks and data for experiments and tests."""

from collections.abc import Sequence

import numpy as np

from arcwise.data.codes import MAX_ARITY, numbered_states
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.network.tables import empty_codes, family_shapes
from arcwise.simulation.bounded_width import random_dag_of_bounded_width
from arcwise.support.arguments import count, number, seed_sequence
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import default_names
from arcwise.support.quoting import quoted

Arities = int | range | Sequence[int]

_MORE_PAIRS = 1000  # than are needed, so that few rounds are


def random_dag(n_nodes: int, n_arcs: int, *, max_parents: int | None = None, seed: int | None = None) -> Dag:
    """Graph with exactly this many arcs: a random order of the nodes, and random pairs in it.

    Every order is equally probable, and given the order so is every set of arcs if there is no `max_parents`; with one,
    pairs are taken in random order and left out where the child is full. Graphs that fit many orders are therefore more
    probable than others.

    Parameters
    ----------
    n_nodes
        Nodes, named X0, X1, …
    n_arcs
        Arcs.
    max_parents
        Most parents of a node; None for no limit.
    seed
        Same seed, same graph; None draws one.

    Raises
    ------
    ParameterError
        If no graph has that many arcs.

    Examples
    --------
    >>> random_dag(20, 30, max_parents=3, seed=1)
    <Dag: 20 nodes, 30 arcs>
    """
    n_nodes = count("n_nodes", n_nodes, least=1)
    rng = np.random.default_rng(seed_sequence(seed))
    order = rng.permutation(n_nodes).tolist()
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    for node, earlier in zip(order, random_predecessors(rng, n_nodes, n_arcs, max_parents), strict=True):
        parents[node] = [order[place] for place in earlier]
    return Dag.from_parents(default_names(n_nodes), parents)


def random_predecessors(rng: np.random.Generator, n_nodes: int, n_arcs: int, max_parents: int | None) -> list[set[int]]:
    """For each place in an order some of the places before it, at most `max_parents`, and `n_arcs` in all.

    Pairs are drawn with replacement, and left out where they were drawn before or the later place is full: what is kept
    is what all pairs in random order would give. They are put in order themselves only where most of them are needed.
    Places that are full are not drawn again in the next round.
    """
    n_arcs = count("n_arcs", n_arcs, least=0)
    limit = n_nodes - 1 if max_parents is None else count("max_parents", max_parents, least=0)
    possible = sum(min(before, limit) for before in range(n_nodes))
    if n_arcs > possible:
        raise ParameterError.of("n_arcs", f"at most {possible} with {n_nodes} nodes of at most {limit} parents", n_arcs)
    earlier: list[set[int]] = [set() for _ in range(n_nodes)]
    left = n_arcs
    while left:
        # A place has as many pairs as there are places before it.
        has_room = np.array([len(row) < min(place, limit) for place, row in enumerate(earlier)])
        places = np.flatnonzero(has_room)
        ends = np.cumsum(places)
        n_pairs = int(ends[-1])
        few = n_pairs <= 8 * left
        pairs = rng.permutation(n_pairs) if few else rng.integers(n_pairs, size=left + _MORE_PAIRS)
        drawn = np.searchsorted(ends, pairs, side="right")
        before = pairs - (ends[drawn] - places[drawn])
        for later, place in zip(places[drawn].tolist(), before.tolist(), strict=True):
            row = earlier[later]
            if len(row) < limit and place not in row:
                row.add(place)
                left -= 1
                if not left:
                    break
    return earlier


def random_parameters(
    dag: Dag, *, arities: Arities = 2, alpha: float = 1.0, seed: int | None = None
) -> BayesianNetwork:
    """Network with this graph and random tables: each distribution is drawn from a Dirichlet.

    Parameters
    ----------
    dag
        The graph.
    arities
        States of each node: one number for all, a `range` to draw from, or a number for each node.
    alpha
        Parameter of the symmetric Dirichlet: 1 makes all distributions equally probable, less makes them more extreme.
    seed
        Same seed, same network; None draws one.

    Examples
    --------
    >>> random_parameters(Dag(["a", "b"], [("a", "b")]), arities=[2, 3], seed=1).table("b").shape
    (2, 3)
    """
    alpha = number("alpha", alpha, positive=True)
    rng = np.random.default_rng(seed_sequence(seed))
    drawn = drawn_arities(arities, dag.n_nodes, rng)
    shapes = family_shapes(dag.names, drawn, dag.parent_indices)
    tables = [rng.dirichlet([alpha] * shape[-1], size=shape[:-1]) for shape in shapes]
    return BayesianNetwork(dag, [numbered_states(arity) for arity in drawn], tables)


def random_network(
    n_nodes: int,
    n_arcs: int,
    *,
    max_parents: int | None = None,
    arities: Arities = 2,
    alpha: float = 1.0,
    seed: int | None = None,
) -> BayesianNetwork:
    """Network of `random_dag` and `random_parameters`, which explain the parameters.

    Examples
    --------
    >>> random_network(20, 30, max_parents=3, arities=range(2, 5), seed=1).dag
    <Dag: 20 nodes, 30 arcs>
    """
    for_graph, for_tables = two_seeds(seed)
    dag = random_dag(n_nodes, n_arcs, max_parents=max_parents, seed=for_graph)
    return random_parameters(dag, arities=arities, alpha=alpha, seed=for_tables)


def random_network_of_bounded_width(
    n_nodes: int,
    max_width: int,
    *,
    max_degree: int | None = None,
    max_arcs: int | None = None,
    n_steps: int | None = None,
    arities: Arities = 2,
    alpha: float = 1.0,
    seed: int | None = None,
) -> BayesianNetwork:
    """Network of `random_dag_of_bounded_width` and `random_parameters`, which explain the parameters.

    Examples
    --------
    >>> network = random_network_of_bounded_width(10, 3, max_arcs=15, seed=1)
    >>> network.dag.n_nodes, network.dag.n_arcs <= 15
    (10, True)
    """
    for_graph, for_tables = two_seeds(seed)
    dag = random_dag_of_bounded_width(
        n_nodes, max_width, max_degree=max_degree, max_arcs=max_arcs, n_steps=n_steps, seed=for_graph
    )
    return random_parameters(dag, arities=arities, alpha=alpha, seed=for_tables)


def random_data(n_rows: int, n_variables: int, *, arities: Arities = 2, seed: int | None = None) -> Dataset:
    """Rows in which every variable is uniform and independent of all others: noise without structure.

    Examples
    --------
    >>> random_data(100, 5, arities=range(2, 4), seed=1).n_variables
    5
    """
    n_rows = count("n_rows", n_rows, least=1)
    n_variables = count("n_variables", n_variables, least=1)
    rng = np.random.default_rng(seed_sequence(seed))
    drawn = drawn_arities(arities, n_variables, rng)
    codes = empty_codes(n_rows, drawn)
    for column, arity in enumerate(drawn):
        codes[:, column] = rng.integers(arity, size=n_rows)
    return Dataset(codes=codes, names=default_names(n_variables), states=tuple(map(numbered_states, drawn)))


def drawn_arities(arities: Arities, n_nodes: int, rng: np.random.Generator) -> list[int]:
    """States of each node, counted."""
    if isinstance(arities, range):
        if not arities:
            raise ParameterError(Name("arities"), f" must not be the empty {quoted(arities)}")
        drawn = rng.choice(np.array(arities), size=n_nodes).tolist()
    elif isinstance(arities, Sequence | np.ndarray):
        drawn = list(arities)
        if len(drawn) != n_nodes:
            raise ParameterError.of("arities", f"one number for each of {n_nodes} nodes", len(drawn), verb="have")
    else:
        drawn = [arities] * n_nodes
    checked = [count("arities", arity, least=1) for arity in drawn]
    if max(checked, default=1) > MAX_ARITY:
        raise ParameterError.of("arities", f"at most {MAX_ARITY}", max(checked))
    return checked


def two_seeds(seed: int | None) -> tuple[int, int]:
    """Independent seeds for the graph and for the tables."""
    first, second = seed_sequence(seed).generate_state(2, np.uint64).tolist()
    return first, second
