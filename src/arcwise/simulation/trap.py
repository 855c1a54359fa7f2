"""The Trap distribution, on which greedy search over equivalence classes stops at the wrong optimum."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import numbered_states
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.support.arguments import count, real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Shown
from arcwise.support.names import one_of
from arcwise.support.quoting import quoted

__all__ = ["maximum_entropy", "trap_network"]

Floats = npt.NDArray[np.float64]

# By how much a margin may be off, when it is given and when it is fitted.
_EXACT = 1e-12
_ROUNDS = 10_000

# Example 1 of Nielsen, Kočka and Peña 2003. Of the two binary digits of a state of X, one follows U and the other Y.
_VARIABLES = ("X", "Y", "Z", "U")
_ARITIES = (4, 2, 2, 2)
_AROUND_X = np.array([[0.22, 0.03], [0.03, 0.22]])
_AROUND_Z = np.array([[0.35, 0.15], [0.15, 0.35]])
_TABLES: Mapping[tuple[int, ...], Floats] = {
    (0, 1): np.tile(_AROUND_X, (2, 1)),
    (0, 3): np.repeat(_AROUND_X, 2, axis=0),
    (1, 2): _AROUND_Z,
    (2, 3): _AROUND_Z,
}
# For each reading of the tables, a graph of fewest parameters among those that can represent the distribution.
_ARCS = {
    "factors": (("Z", "Y"), ("Z", "U"), ("Y", "X"), ("U", "X")),
    "margins": (("X", "Y"), ("X", "U"), ("Y", "U"), ("Y", "Z"), ("U", "Z")),
}


def trap_network(copies: int = 10, *, tables: Literal["factors", "margins"] = "factors") -> BayesianNetwork:
    """Network of independent groups of four variables, each of which deceives greedy search over equivalence classes.

    In each group X, Y, Z and U depend on one another along the cycle X–Y–Z–U–X; X has four states, the others have two.
    X and Z are independent given Y and U, and Y and U given X and Z. No graph without cycles says both: there are two
    inclusion-optimal classes for each group, and 2 to the power of n for n groups. Nielsen, Kočka and Peña (2003),
    *On local optima in learning Bayesian networks*, UAI, examples 1 and 2. Their four tables, one for each pair on the
    cycle, can be read in two ways.

    As factors: the joint distribution is their product. Y and U follow Z with a probability of 0.7, and the two binary
    digits of X follow Y and U with 0.88. The best class is that of Z → Y → X ← U ← Z, with 17 parameters. With any
    large number of rows, greedy search (GES) first joins X with Y and U without a collider, because Y and U are more
    dependent than they are given X, then X with Z, because X tells more about Z than Y or U alone, and ends with all
    edges but Y–U, 23 parameters. A climb by random improving moves (SES) escapes from this in about half of the groups.

    As margins: of all distributions with these margins it is the one of largest entropy, with 19 parameters for all
    edges but X–Z and 23 for all but Y–U. This is what the paper says. But then Y and U are more dependent given X than
    they are without, Y → X ← U is the better second step, and greedy search finds the better class: nothing beats it.
    The results that the paper reports cannot be those of this reading.

    Parameters
    ----------
    copies
        Groups; their variables are named X1, Y1, Z1, U1, X2, …
    tables
        How the published tables are read.

    Returns
    -------
    BayesianNetwork
        The distribution, on the graph of fewest parameters, whose class scores highest where data are plenty.

    Examples
    --------
    The size of the paper's data: 10 groups, 40 variables, 20,000 rows.

    >>> network = trap_network(10)
    >>> network
    <BayesianNetwork: 40 nodes, 40 arcs, 170 parameters>
    >>> network.sample(20_000, seed=1).n_variables
    40
    >>> trap_network(10, tables="margins")
    <BayesianNetwork: 40 nodes, 50 arcs, 190 parameters>
    """
    copies = count("copies", copies, least=1)
    one_of("tables", tables, _ARCS)
    joint = maximum_entropy(_ARITIES, _TABLES) if tables == "margins" else _product(_ARITIES, _TABLES)
    group = Dag(_VARIABLES, _ARCS[tables])
    conditionals = [_conditional(joint, node, group.parent_indices[node]) for node in range(len(_VARIABLES))]
    numbers = range(1, copies + 1)
    names = [f"{variable}{copy}" for copy in numbers for variable in _VARIABLES]
    arcs = [(f"{parent}{copy}", f"{child}{copy}") for copy in numbers for parent, child in group.arcs]
    states = [numbered_states(arity) for arity in _ARITIES]
    return BayesianNetwork(Dag(names, arcs), states * copies, conditionals * copies)


def maximum_entropy(arities: Sequence[int], margins: Mapping[tuple[int, ...], npt.ArrayLike]) -> Floats:
    """Joint distribution of largest entropy among those that have the given margins.

    Iterative proportional fitting: from the uniform distribution, one margin after the other is made right, until all
    are. What it converges to is a product of one factor for each margin (Csiszár 1975, *I-divergence geometry of
    probability distributions and minimization problems*, Annals of Probability 3(1)).

    Parameters
    ----------
    arities
        States of each variable.
    margins
        For variables, by their positions in ascending order, their joint distribution with one axis for each of them.

    Returns
    -------
    numpy.ndarray
        The probabilities, with one axis for each variable.

    Raises
    ------
    ParameterError
        If a margin is not a distribution or does not fit the arities, and if the fitting does not converge: the margins
        contradict one another, or all distributions that have them are 0 somewhere where no margin is 0, which the
        fitting approaches too slowly.

    Examples
    --------
    A chain: what is not said about the two ends follows from their dependence on the middle.

    >>> pair = [[0.4, 0.1], [0.1, 0.4]]
    >>> joint = maximum_entropy([2, 2, 2], {(0, 1): pair, (1, 2): pair})
    >>> joint.sum(axis=1).round(3).tolist()
    [[0.34, 0.16], [0.16, 0.34]]
    """
    shape = tuple(count("arities", arity, least=1) for arity in arities)
    tables = {axes: _checked(axes, table, shape) for axes, table in margins.items()}
    wanted = [(_others(axes, len(shape)), table) for axes, table in tables.items()]
    joint = np.full(shape, 1 / np.prod(shape))
    for _ in range(_ROUNDS):
        for others, table in wanted:
            margin = joint.sum(axis=others, keepdims=True)
            # A configuration that has become impossible stays so: 0 / 0 is 0 here.
            joint *= np.divide(table, margin, out=np.zeros_like(margin), where=margin > 0)
        off = max((np.abs(joint.sum(axis=others, keepdims=True) - table).max() for others, table in wanted), default=0)
        if off <= _EXACT:
            return joint
    raise ParameterError(
        Name("margins"),
        " must agree with one another, and must not make a configuration impossible that is possible in each of "
        f"them: after {_ROUNDS} rounds of fitting, one of them is still off by {off:.2g}",
    )


def _others(axes: tuple[int, ...], n_variables: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(n_variables) if axis not in axes)


def _checked(axes: tuple[int, ...], table: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Margin with an axis for every variable; those of variables that it is not about have length 1."""
    if not isinstance(axes, tuple):
        raise ParameterError.of("margins", "given by tuples of positions, such as (0, 1)", Shown(f"by {quoted(axes)}"))
    positions = [count("margins", axis) for axis in axes]
    if sorted(set(positions)) != positions or not all(axis < len(shape) for axis in positions):
        raise ParameterError.of(
            "margins",
            f"of different variables, by their positions from 0 to {len(shape) - 1} in ascending order",
            Shown(f"of {axes}"),
        )
    try:
        values = real_numbers(table)
    except TypeError as error:
        raise ParameterError(f"the margin of {axes} must be probabilities: {error}") from None
    expected = tuple(shape[axis] for axis in positions)
    if values.shape != expected:
        raise ParameterError(f"the margin of {axes} must have the shape {expected}, not {values.shape}")
    if not (values >= 0).all() or abs(values.sum() - 1) > _EXACT:
        raise ParameterError(
            f"the margin of {axes} must be probabilities that sum to 1; their sum is {values.sum():.15g}"
        )
    return _with_all_axes(values, axes, shape)


def _with_all_axes(table: Floats, axes: Sequence[int], shape: tuple[int, ...]) -> Floats:
    return table.reshape([length if axis in axes else 1 for axis, length in enumerate(shape)])


def _product(arities: tuple[int, ...], factors: Mapping[tuple[int, ...], Floats]) -> Floats:
    """Joint distribution that is proportional to the product of the factors."""
    joint = np.ones(arities)
    for axes, table in factors.items():
        joint *= _with_all_axes(table, axes, arities)
    return np.asarray(joint / joint.sum())


def _conditional(joint: Floats, node: int, parents: tuple[int, ...]) -> Floats:
    """Distribution of a node given its parents, its own axis last."""
    family = joint.sum(axis=_others((node, *parents), joint.ndim), keepdims=True)
    table = np.moveaxis(family, node, -1).reshape([joint.shape[axis] for axis in (*parents, node)])
    return np.asarray(table / table.sum(axis=-1, keepdims=True))
