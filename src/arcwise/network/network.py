"""Bayesian networks: a graph with a conditional probability table for each node."""

import math
from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY
from arcwise.data.dataset import Dataset
from arcwise.data.interventions import InterventionRows, Interventions
from arcwise.graph.dag import Dag
from arcwise.network.prediction import posteriors
from arcwise.network.sampling import sampled_codes
from arcwise.network.tables import FamilyCounts, fitted_tables, row_log_likelihoods, table_shapes
from arcwise.support.arguments import count, real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.messages import type_of
from arcwise.support.quoting import cut, listed, quoted

SUM_TOLERANCE = 1e-3
"""How far the probabilities of one distribution may be from summing to 1."""


@final
class BayesianNetwork:
    """A `Dag` with a conditional probability table for each node; it cannot be changed.

    The probabilities are kept exactly as given, so that a file read and written again is the same. Published tables sum
    to 1 only up to their rounding; sampling and likelihoods divide each distribution by its sum.

    Parameters
    ----------
    dag
        The graph.
    states
        For each node, in the order of `dag.names`, the labels of its states.
    tables
        For each node an array with one axis for each parent, in the order of `dag.parent_indices`, and a last axis for
        the node itself, which sums to 1 within 1e-3.

    Raises
    ------
    ParameterError
        If states or tables do not fit the graph or each other, or a table holds something else than probabilities.

    Examples
    --------
    >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
    >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
    >>> network
    <BayesianNetwork: 2 nodes, 1 arc, 3 parameters>
    >>> network.table("wet")[1]
    array([0.3, 0.7])
    """

    __slots__ = ("_dag", "_states", "_tables")

    def __init__(self, dag: Dag, states: Sequence[Sequence[str]], tables: Sequence[npt.ArrayLike]) -> None:
        if not isinstance(dag, Dag):
            raise ParameterError.of("dag", "a Dag", type_of(dag))
        if not dag.n_nodes:
            raise ParameterError.of("dag", "at least one node", verb="have")
        for label, given in (("states", states), ("tables", tables)):
            if len(given) != dag.n_nodes:
                raise ParameterError.of(label, f"one entry for each of {dag.n_nodes} nodes", len(given), verb="have")
        self._dag = dag
        self._states = tuple(checked_states(name, row) for name, row in zip(dag.names, states, strict=True))
        shapes = table_shapes(dag.names, self.arities, dag.parent_indices)
        self._tables = tuple(
            _checked_table(name, dag.parents(name), table, shape)
            for name, table, shape in zip(dag.names, tables, shapes, strict=True)
        )

    @classmethod
    def fit(
        cls, dag: Dag, data: Dataset | FamilyCounts, *, ess: float = 0.0, pseudo_count: float = 0.0
    ) -> "BayesianNetwork":
        r"""Network with this graph and the parameters that fit the data.

        With :math:`n_{ijk}` the number of observations with child `i` in state `k` and its parents in configuration
        `j`, of which there are :math:`q_i`, and :math:`r_i` states,

        .. math:: \theta_{ijk} = \frac{n_{ijk} + \alpha_i}{\sum_l (n_{ijl} + \alpha_i)}

        where :math:`\alpha_i` is 0 by default (maximum likelihood), :math:`\mathrm{ess} / (q_i r_i)` with an
        equivalent sample size, as in the BDeu score, or the pseudo-count itself (1 for the prior of K2, also called
        Laplace smoothing): the expected probabilities under a Dirichlet prior. A configuration of the parents that
        neither data nor prior say anything about gets the uniform distribution.

        Parameters
        ----------
        dag
            The graph; its nodes are the variables of the data, in any order.
        data
            The observations; weights count as repeated rows. The states of the network are those of the data. Rows in
            which a variable was set by an intervention do not count for its table. Counts of this graph's families will
            do too.
        ess
            Equivalent sample size, spread evenly over the cells of each table.
        pseudo_count
            Added to each cell of each table. Give this or `ess`, not both.

        Raises
        ------
        DataError
            If the variables of the data are not the nodes of the graph.
        ParameterError
            If a prior is negative or both are given, or the tables are too large for memory.

        Examples
        --------
        >>> data = Dataset.from_codes([[0, 0], [0, 0], [0, 1], [1, 1]], names=["a", "b"])
        >>> dag = Dag(["a", "b"], [("a", "b")])
        >>> BayesianNetwork.fit(dag, data).table("a")
        array([0.75, 0.25])
        >>> BayesianNetwork.fit(dag, data, pseudo_count=1).table("b")
        array([[0.6       , 0.4       ],
               [0.33333333, 0.66666667]])
        """
        states, tables = fitted_tables(dag, data, ess=ess, pseudo_count=pseudo_count)
        return cls(dag, states, tables)

    @property
    def dag(self) -> Dag:
        """The graph."""
        return self._dag

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes, in the order of the graph."""
        return self._dag.names

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """For each node the labels of its states."""
        return self._states

    @property
    def arities(self) -> tuple[int, ...]:
        """For each node the number of its states."""
        return tuple(map(len, self._states))

    @property
    def tables(self) -> tuple[npt.NDArray[np.float64], ...]:
        """For each node its probabilities: an axis for each parent in ascending order, then one for the node."""
        return self._tables

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: for each parent configuration one less than the node has states."""
        return sum(table.size - math.prod(table.shape[:-1]) for table in self._tables)

    def table(self, node: str) -> npt.NDArray[np.float64]:
        """Probabilities of one node, as in `tables`."""
        return self._tables[self._dag.index(node)]

    def sample(self, n_rows: int, *, seed: int | None = None, interventions: InterventionRows | None = None) -> Dataset:
        """Rows drawn from the network, parents before children (forward sampling).

        Each node draws from its own stream, spawned from the seed: the first rows are the same for any `n_rows`.

        Parameters
        ----------
        n_rows
            How many, at least 1.
        seed
            Same seed, same rows; None draws one.
        interventions
            For some nodes the rows in which they are set, whatever their parents are: indices, or a truth value for
            each row. All states are equally likely then. The Dataset knows of it.

        Examples
        --------
        >>> network = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
        >>> network.sample(1000, seed=1) == network.sample(1000, seed=1)
        True
        """
        made = None
        if interventions is not None:
            made = Interventions.of(interventions, self.names, count("n_rows", n_rows, least=1))
        codes = sampled_codes(self._dag, self._tables, n_rows, seed, made)
        return Dataset(codes=codes, names=self.names, states=self._states, interventions=made)

    def log_likelihood(self, data: Dataset) -> float:
        """Natural logarithm of the probability of the data; minus infinity if a row is impossible.

        Columns are matched by name and states by label, in whatever order; weights count as repeated rows. What was set
        by an intervention is given, and has no probability of its own.

        Raises
        ------
        DataError
            If a node has no column, a column has no node, or a row has a state that the network does not know.

        Examples
        --------
        >>> network = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.25, 0.75]])
        >>> data = Dataset.from_codes([[0], [0], [1]], names=["coin"], states=[["tails", "heads"]])
        >>> round(float(np.exp(network.log_likelihood(data))), 6)  # 0.75 * 0.75 * 0.25
        0.140625
        """
        rows = self.log_likelihoods(data)
        if data.weights is None:
            return float(rows.sum())
        seen = data.weights > 0  # an impossible row that was never seen takes nothing away
        return float(data.weights[seen] @ rows[seen])

    def log_likelihoods(self, data: Dataset) -> npt.NDArray[np.float64]:
        """Natural logarithm of the probability of each row, without its weight; otherwise as `log_likelihood`."""
        return row_log_likelihoods(self._dag, self._states, self._tables, data)

    def predict_proba(self, data: Dataset, target: str) -> npt.NDArray[np.float64]:
        """Probability of each state of one node, given all other nodes; a row for each row of the data.

        This is exact: of all tables, only those of the node and of its children depend on its state, so that its Markov
        blanket is all that counts. Columns are matched by name and states by label; a column of the target may be
        missing and is not looked at. Weights do not matter. A child that was set by an intervention says nothing about
        the target.

        Parameters
        ----------
        data
            A column for each other node, without missing values.
        target
            The node.

        Raises
        ------
        DataError
            If a node has no column, a column has no node, or a row has a state that the network does not know or is
            impossible whatever the target is: 0 divided by 0 is not a distribution, and none is made up. That does not
            happen where a prior has kept all probabilities above 0.
        GraphError
            If there is no such node.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> data = Dataset.of({"wet": ["yes", "no"]})
        >>> network.predict_proba(data, "rain").round(4)  # in the first row 0.8 * 0.1 against 0.2 * 0.7
        array([[0.3636, 0.6364],
               [0.9231, 0.0769]])
        """
        return posteriors(self._dag, self._states, self._tables, data, target)

    def predict(self, data: Dataset, target: str) -> npt.NDArray[np.str_]:
        """Most probable state of one node, given all other nodes: a label for each row of the data.

        Of equally probable states it is the first. Otherwise as `predict_proba`.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> network.predict(Dataset.of({"wet": ["yes", "no"]}), "rain").tolist()
        ['yes', 'no']
        """
        best = self.predict_proba(data, target).argmax(axis=1)
        labels: npt.NDArray[np.str_] = np.array(self._states[self._dag.index(target)])[best]
        return labels

    def is_close(self, other: "BayesianNetwork", *, tolerance: float = 1e-9) -> bool:
        """Whether graph and states are equal and no probability differs by more than the tolerance.

        Examples
        --------
        >>> coin, worn = (BayesianNetwork(Dag(["coin"]), [["h", "t"]], [[p, 1 - p]]) for p in (0.5, 0.501))
        >>> coin.is_close(worn), coin.is_close(worn, tolerance=0.01)
        (False, True)
        """
        return (
            self._dag == other._dag
            and self._states == other._states
            and all(
                np.allclose(mine, theirs, rtol=0.0, atol=tolerance)
                for mine, theirs in zip(self._tables, other._tables, strict=True)
            )
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return (
            self._dag == other._dag
            and self._states == other._states
            and all(map(np.array_equal, self._tables, other._tables))
        )

    def __hash__(self) -> int:
        return hash((self._dag, self._states))

    def __repr__(self) -> str:
        counts = ((self._dag.n_nodes, "node"), (self._dag.n_arcs, "arc"), (self.n_parameters, "parameter"))
        return f"<BayesianNetwork: {', '.join(f'{n} {word}' + 's' * (n != 1) for n, word in counts)}>"

    def __reduce__(self) -> tuple[object, ...]:
        return BayesianNetwork, (self._dag, self._states, self._tables)


def checked_states(name: str, states: Sequence[str]) -> tuple[str, ...]:
    """Labels of a node's states, which must differ."""
    if isinstance(states, str) or not all(isinstance(state, str) for state in states):
        raise ParameterError(f"the states of {quoted(name)} must be a sequence of strings, not {quoted(states)}")
    if not 1 <= len(states) <= MAX_ARITY:
        raise ParameterError(f"{quoted(name)} must have from 1 to {MAX_ARITY} states, not {len(states)}")
    if len(set(states)) < len(states):
        twice = next(state for position, state in enumerate(states) if state in states[:position])
        raise ParameterError(f"{quoted(name)} has the state {quoted(twice)} twice; states must differ")
    return tuple(map(str, states))


def _checked_table(
    name: str, parents: Sequence[str], table: npt.ArrayLike, shape: tuple[int, ...]
) -> npt.NDArray[np.float64]:
    """Read-only copy of a table of this shape whose last axis holds distributions."""
    axes = listed((*parents, name), show=cut)
    try:
        values = real_numbers(table)
    except TypeError:
        raise ParameterError(f"the table of {quoted(name)} must be numbers of shape {shape} (axes {axes})") from None
    if values.shape != shape:
        raise ParameterError(
            f"the table of {quoted(name)} must have the shape {shape} (axes {axes}), not {values.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):  # sums that are infinite or NaN are refused too
        sums = values.sum(axis=-1)
    good = (values >= 0).all(axis=-1) & (np.abs(sums - 1) <= SUM_TOLERANCE)  # false for NaN and infinity
    if not good.all():
        place = tuple(map(int, np.argwhere(~good)[0]))
        where = f" at the parents' states {place}" if place else ""
        raise ParameterError(
            f"the table of {quoted(name)}{where} must hold probabilities that sum to 1 within {SUM_TOLERANCE:g}, "
            f"not {quoted(values[place].tolist(), most=200)}"
        )
    values.setflags(write=False)
    return values
