"""Bayesian networks: a graph with a conditional distribution for each node."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY
from arcwise.data.dataset import Dataset
from arcwise.data.interventions import InterventionRows, Interventions
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Distribution, Table, refuse_improper
from arcwise.network.likelihood import row_log_likelihoods
from arcwise.network.prediction import gaussian_posteriors, posteriors
from arcwise.network.sampling import sampled_rows
from arcwise.network.tables import FamilyCounts, family_shapes, fitted_distributions
from arcwise.support.arguments import count, number, real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.messages import type_of
from arcwise.support.quoting import cut, listed, quoted


@final
class BayesianNetwork:
    """A `Dag` with a conditional distribution for each node; it cannot be changed.

    A discrete node has a `Table` of probabilities, a continuous one a `ConditionalGaussian`. Continuous nodes have any
    parents, discrete ones only discrete parents: a table has no rows for numbers.

    The probabilities are kept exactly as given, so that a file read and written again is the same. Published tables sum
    to 1 only up to their rounding; sampling and likelihoods divide each distribution by its sum.

    Parameters
    ----------
    dag
        The graph.
    states
        For each node, in the order of `dag.names`, the labels of its states; none for a continuous node.
    distributions
        For each node its distribution: a `ConditionalGaussian`, a `Table`, or an array, which is taken as a table. A
        table has one axis for each parent, in the order of `dag.parent_indices`, and a last axis for the node itself.

    Raises
    ------
    ParameterError
        If states or distributions do not fit the graph or each other, if a table holds something else than
        probabilities, and for a discrete node with a continuous parent.

    Examples
    --------
    >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
    >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
    >>> network
    <BayesianNetwork: 2 nodes, 1 arc, 3 parameters>
    >>> network.table("wet")[1]
    array([0.3, 0.7])

    Weight by height and sex, in kg and cm:

    >>> dag = Dag(["sex", "height", "weight"], [("sex", "height"), ("sex", "weight"), ("height", "weight")])
    >>> height = ConditionalGaussian([164.0, 178.0], [], [6.5, 7.0])
    >>> weight = ConditionalGaussian([-48.0, -72.0], [[0.7], [0.87]], [11.0, 12.0])
    >>> BayesianNetwork(dag, [["f", "m"], [], []], [[0.5, 0.5], height, weight])
    <BayesianNetwork: 3 nodes, 2 of them continuous, 3 arcs, 11 parameters>
    """

    __slots__ = ("_dag", "_distributions", "_states")

    def __init__(
        self, dag: Dag, states: Sequence[Sequence[str]], distributions: Sequence[Distribution | npt.ArrayLike]
    ) -> None:
        if not isinstance(dag, Dag):
            raise ParameterError.of("dag", "a Dag", type_of(dag))
        if not dag.n_nodes:
            raise ParameterError.of("dag", "at least one node", verb="have")
        for label, given in (("states", states), ("distributions", distributions)):
            if len(given) != dag.n_nodes:
                raise ParameterError.of(label, f"one entry for each of {dag.n_nodes} nodes", len(given), verb="have")
        self._dag = dag
        self._states = tuple(
            _checked_states(name, row, found) for name, row, found in zip(dag.names, states, distributions, strict=True)
        )
        shapes = family_shapes(dag.names, self.arities, dag.parent_indices)
        self._distributions = tuple(
            self._checked(name, found, shape)
            for name, found, shape in zip(dag.names, distributions, shapes, strict=True)
        )

    def _checked(self, name: str, given: Distribution | npt.ArrayLike, shape: tuple[int, ...]) -> Distribution:
        """Distribution that fits the node's parents; one of a table if it is an array."""
        parents = self._dag.parents(name)
        if isinstance(given, ConditionalGaussian):
            if given.shape != shape[:-1] or given.n_coefficients != shape[-1] - 2:
                discrete = [parent for parent in parents if self._states[self._dag.index(parent)]]
                raise ParameterError(
                    f"the ConditionalGaussian of {quoted(name)} must have intercepts of the shape {shape[:-1]} (axes "
                    f"{listed(discrete, show=cut) or 'none'}) and {shape[-1] - 2} coefficients for each of them, not "
                    f"{given.shape} and {given.n_coefficients}"
                )
            return given
        if isinstance(given, Table) and given.shape == shape:
            return given
        return _table(name, parents, given.probabilities if isinstance(given, Table) else given, shape)

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

        A continuous node has a regression of its own for each configuration of its discrete parents: least squares, and
        the standard deviation of greatest likelihood, which divides by the number of observations. Priors say nothing
        about it. Where the data does not determine a regression,

        - a configuration with less than two observations for each of its parameters (the intercept, coefficients and
          deviation) has the regression of all rows together, whatever their configuration: its own would go through
          nearly all its points. Scores of mixed data do not estimate it either;
        - of coefficients that fit equally well, because parents are constant or depend on each other, it has the
          smallest, with each parent measured in its own standard deviations;
        - no standard deviation is below 1e-5 of that of the node itself (of its size, if the node is constant);
        - a node that was not observed at all has mean 0 and standard deviation 1.

        Parameters
        ----------
        dag
            The graph; its nodes are the variables of the data, in any order.
        data
            The observations; weights count as repeated rows. The states of the network are those of the data, and so
            is what is continuous. Rows in which a variable was set by an intervention do not count for its own
            distribution. Counts of this graph's families will do too.
        ess
            Equivalent sample size, spread evenly over the cells of each table.
        pseudo_count
            Added to each cell of each table. Give this or `ess`, not both.

        Raises
        ------
        DataError
            If the variables of the data are not the nodes of the graph, or numbers are too large to be squared.
        ParameterError
            If a prior is negative or both are given, if the tables are too large for memory, and for a discrete
            variable with a continuous parent.

        Examples
        --------
        >>> data = Dataset.from_codes([[0, 0], [0, 0], [0, 1], [1, 1]], names=["a", "b"])
        >>> dag = Dag(["a", "b"], [("a", "b")])
        >>> BayesianNetwork.fit(dag, data).table("a")
        array([0.75, 0.25])
        >>> BayesianNetwork.fit(dag, data, pseudo_count=1).table("b")
        array([[0.6       , 0.4       ],
               [0.33333333, 0.66666667]])

        >>> numbers = np.array([[0.0, 1.0], [1.0, 2.5], [2.0, 5.5], [3.0, 7.0]])
        >>> data = Dataset(np.zeros((4, 2), dtype=np.uint8), ("x", "y"), ((), ()), numbers=numbers)
        >>> y = BayesianNetwork.fit(Dag(["x", "y"], [("x", "y")]), data).distribution("y")
        >>> float(y.intercepts.round(6)), y.coefficients.round(6), float(y.deviations.round(6))
        (0.85, array([2.1]), 0.33541)
        """
        states, distributions = fitted_distributions(dag, data, ess=ess, pseudo_count=pseudo_count)
        return cls(dag, states, distributions)

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
        """For each node the labels of its states; none for a continuous one."""
        return self._states

    @property
    def arities(self) -> tuple[int, ...]:
        """For each node the number of its states; 0 for a continuous one."""
        return tuple(map(len, self._states))

    @property
    def continuous(self) -> tuple[str, ...]:
        """The continuous nodes."""
        return tuple(name for name, states in zip(self.names, self._states, strict=True) if not states)

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """For each node its distribution: a `Table`, or a `ConditionalGaussian` for a continuous one."""
        return self._distributions

    @property
    def tables(self) -> tuple[npt.NDArray[np.float64], ...]:
        """For each node its probabilities: an axis for each parent in ascending order, then one for the node.

        Raises
        ------
        ParameterError
            If there are continuous nodes, which have none; `distributions` has something for every node.
        """
        return tuple(map(self._probabilities, range(self._dag.n_nodes)))

    @property
    def n_parameters(self) -> int:
        """Number of free parameters.

        For each configuration of discrete parents these are one less than a discrete node has states, and for a
        continuous one an intercept, a coefficient for each continuous parent and a deviation.
        """
        return sum(distribution.n_parameters for distribution in self._distributions)

    def distribution(self, node: str) -> Distribution:
        """Distribution of one node, as in `distributions`."""
        return self._distributions[self._dag.index(node)]

    def table(self, node: str) -> npt.NDArray[np.float64]:
        """Probabilities of one discrete node, as in `tables`."""
        return self._probabilities(self._dag.index(node))

    def _probabilities(self, node: int) -> npt.NDArray[np.float64]:
        found = self._distributions[node]
        if isinstance(found, Table):
            return found.probabilities
        raise ParameterError(
            f"{quoted(self.names[node])} is continuous and has no table; distributions has a ConditionalGaussian for it"
        )

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
            each row. All states are equally likely then, and a continuous node has the number that it has in another
            row of the network, which is drawn apart and without interventions. The Dataset knows of it.

        Examples
        --------
        >>> network = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
        >>> network.sample(1000, seed=1) == network.sample(1000, seed=1)
        True
        """
        made = None
        if interventions is not None:
            made = Interventions.of(interventions, self.names, count("n_rows", n_rows, least=1))
        codes, numbers = sampled_rows(self._dag, self._distributions, n_rows, seed, made)
        return Dataset(codes, self.names, self._states, interventions=made, numbers=numbers)

    def log_likelihood(self, data: Dataset) -> float:
        """Natural logarithm of the probability of the data; minus infinity if a row is impossible.

        With continuous nodes it is the logarithm of a density. Columns are matched by name and states by label, in
        whatever order; weights count as repeated rows. What was set by an intervention is given, and has no probability
        of its own.

        Raises
        ------
        DataError
            If a node has no column, a column has no node, a row has a state that the network does not know, or a column
            has numbers where the network has states, or the other way round.

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
        return row_log_likelihoods(self._dag, self._states, self._distributions, data)

    def predict_proba(self, data: Dataset, target: str) -> npt.NDArray[np.float64]:
        """Probability of each state of a discrete node, given all other nodes; a row for each row of the data.

        This is exact: of all distributions, only those of the node and of its children depend on its state, so that its
        Markov blanket is all that counts. Columns are matched by name and states by label; a column of the target may
        be missing and is not looked at. Weights do not matter. A child that was set by an intervention says nothing
        about the target.

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
        ParameterError
            If the node is continuous; see `predict` and `predict_interval`.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> data = Dataset.of({"wet": ["yes", "no"]})
        >>> network.predict_proba(data, "rain").round(4)  # in the first row 0.8 * 0.1 against 0.2 * 0.7
        array([[0.3636, 0.6364],
               [0.9231, 0.0769]])
        """
        if not self._states[self._dag.index(target)]:
            raise ParameterError(
                f"{quoted(target)} is continuous and has no states to give probabilities of; predict has its mean, and "
                "predict_interval says how far from that it may be"
            )
        return posteriors(self._dag, self._states, self._distributions, data, target)

    def predict(self, data: Dataset, target: str) -> npt.NDArray[Any]:
        """Most probable state of one node, or its mean if it is continuous, given all other nodes.

        A label for each row of the data, or a number. Of equally probable states it is the first. Otherwise as
        `predict_proba`.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> network.predict(Dataset.of({"wet": ["yes", "no"]}), "rain").tolist()
        ['yes', 'no']

        Two equally good measurements of one thing, which is around 0:

        >>> one = ConditionalGaussian(0.0, [1.0], 1.0)
        >>> dag = Dag(["thing", "first", "second"], [("thing", "first"), ("thing", "second")])
        >>> network = BayesianNetwork(dag, [[], [], []], [ConditionalGaussian(0.0, [], 1.0), one, one])
        >>> codes, numbers = np.zeros((1, 2), dtype=np.uint8), np.array([[1.0, 2.0]])
        >>> data = Dataset(codes, ("first", "second"), ((), ()), numbers=numbers)
        >>> network.predict(data, "thing")  # the mean of 0, 1 and 2
        array([1.])
        """
        if not self._states[self._dag.index(target)]:
            return gaussian_posteriors(self._dag, self._states, self._distributions, data, target)[0]
        best = self.predict_proba(data, target).argmax(axis=1)
        labels: npt.NDArray[np.str_] = np.array(self._states[self._dag.index(target)])[best]
        return labels

    def predict_interval(self, data: Dataset, target: str, *, level: float = 0.95) -> npt.NDArray[np.float64]:
        """Bounds between which a continuous node is with this probability, given all other nodes.

        Its distribution is a Gaussian, and exact: the bounds are equally far from its mean, which `predict` gives.

        Parameters
        ----------
        data
            A column for each other node.
        target
            The node.
        level
            The probability, between 0 and 1.

        Returns
        -------
        numpy.ndarray
            A row for each row of the data, with the lower and the upper bound.

        Examples
        --------
        >>> network = BayesianNetwork(Dag(["x", "y"]), [[], []], [ConditionalGaussian(5.0, [], 2.0)] * 2)
        >>> data = Dataset(np.zeros((1, 1), dtype=np.uint8), ("y",), ((),), numbers=np.array([[0.0]]))
        >>> network.predict_interval(data, "x", level=0.95).round(2)
        array([[1.08, 8.92]])
        """
        level = number("level", level, positive=True)
        if level >= 1:
            raise ParameterError.of("level", "between 0 and 1", level)
        if self._states[self._dag.index(target)]:
            raise ParameterError(f"{quoted(target)} has states; predict_proba has their probabilities")
        means, deviations = gaussian_posteriors(self._dag, self._states, self._distributions, data, target)
        reach = NormalDist().inv_cdf((1 + level) / 2) * deviations
        return np.column_stack([means - reach, means + reach])

    def is_close(self, other: "BayesianNetwork", *, tolerance: float = 1e-9) -> bool:
        """Whether graph and states are equal and no probability differs by more than the tolerance.

        Of continuous nodes, no number x of their distributions differs by more than the tolerance times 1 + abs(x).

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
                mine.is_close(theirs, tolerance=tolerance)
                for mine, theirs in zip(self._distributions, other._distributions, strict=True)
            )
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return self._dag == other._dag and self._states == other._states and self._distributions == other._distributions

    def __hash__(self) -> int:
        return hash((self._dag, self._states))

    def __repr__(self) -> str:
        counts = ((self._dag.n_nodes, "node"), (self._dag.n_arcs, "arc"), (self.n_parameters, "parameter"))
        nodes, arcs, parameters = (f"{n} {word}" + "s" * (n != 1) for n, word in counts)
        return f"<BayesianNetwork: {', '.join([nodes, *self._kinds(), arcs, parameters])}>"

    def _kinds(self) -> list[str]:
        """What kinds of nodes there are, unless all are discrete."""
        n_continuous = len(self.continuous)
        if not n_continuous:
            return []
        return ["continuous" if n_continuous == self._dag.n_nodes else f"{n_continuous} of them continuous"]

    def __reduce__(self) -> tuple[object, ...]:
        return BayesianNetwork, (self._dag, self._states, self._distributions)


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


def _checked_states(name: str, states: Sequence[str], distribution: object) -> tuple[str, ...]:
    """Labels of a node's states, which a continuous node must not have."""
    if not isinstance(distribution, ConditionalGaussian):
        return checked_states(name, states)
    if len(states):
        raise ParameterError(
            f"{quoted(name)} has a ConditionalGaussian, so its states must be empty, not {listed(states)}"
        )
    return ()


def _table(name: str, parents: Sequence[str], table: npt.ArrayLike, shape: tuple[int, ...]) -> Table:
    """Table of this shape whose last axis holds distributions."""
    axes = listed((*parents, name), show=cut)
    try:
        values = real_numbers(table)
    except TypeError:
        raise ParameterError(f"the table of {quoted(name)} must be numbers of shape {shape} (axes {axes})") from None
    if values.shape != shape:
        raise ParameterError(
            f"the table of {quoted(name)} must have the shape {shape} (axes {axes}), not {values.shape}"
        )
    refuse_improper(values, f"the table of {quoted(name)}")
    return Table.of_checked(values)
