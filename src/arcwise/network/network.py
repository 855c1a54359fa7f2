"""Bayesian networks: a graph with a conditional distribution for each node."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY
from arcwise.data.dataset import Dataset
from arcwise.data.interventions import InterventionRows, Interventions
from arcwise.data.steps import ColumnStep, LeftOut, Step, steps_about
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Distribution, Table, refuse_improper
from arcwise.network.known import Nodes, data_of, known_of
from arcwise.network.labelled import LabelledTable, frame_of_distribution, html_of_network
from arcwise.network.likelihood import row_log_likelihoods
from arcwise.network.prediction import predicted_intervals, predicted_means, predicted_probabilities
from arcwise.network.questions import Questions, set_nodes
from arcwise.network.renaming import plain_labels, renamed_states
from arcwise.network.sampling import sampled_rows
from arcwise.network.tables import FamilyCounts, family_shapes, fitted_distributions
from arcwise.support.arguments import count, number, real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Setting, type_of
from arcwise.support.names import plain_names
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
    steps
        How the columns of the data became states: cuts of numbers, groups of rare states, states for missing values;
        and which columns were left out.
        New values are read in the same way, so that the network can be asked about the numbers that were cut. Two
        networks that differ in nothing else are equal.

    Raises
    ------
    ParameterError
        If states or distributions do not fit the graph or each other, if a table holds something else than
        probabilities, if steps make states that a node does not have, and for a discrete node with a continuous parent.

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

    __slots__ = ("_asked", "_dag", "_distributions", "_states", "_steps")

    def __init__(
        self,
        dag: Dag,
        states: Sequence[Sequence[str]],
        distributions: Sequence[Distribution | npt.ArrayLike],
        *,
        steps: Iterable[Step] = (),
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
        self._asked: Questions | None = None
        self._steps = steps_about(steps, frozenset(dag.names))
        for step in self._steps:
            if isinstance(step, LeftOut):
                continue
            known = self._states[dag.index(step.column)]
            if not set(step.labels) <= set(known):
                raise ParameterError(
                    f"{quoted(step.column)} must have the states that its steps make ({listed(step.labels)}), not "
                    f"{listed(known) or 'numbers'}; leave the step out of steps"
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
    def fit(cls, dag: Dag, data: Any, *, ess: float = 0.0, pseudo_count: float = 0.0) -> "BayesianNetwork":
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
            The observations: a `Dataset`, or anything `Dataset.of` takes; weights count as repeated rows. The states of
            the network are those of the data, and so is what is continuous. Rows in which a variable was set by an
            intervention do not count for its own distribution. Counts of this graph's families will do too.
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
        source = data if isinstance(data, FamilyCounts) else Dataset.of(data)
        states, distributions = fitted_distributions(dag, source, ess=ess, pseudo_count=pseudo_count)
        return cls(dag, states, distributions, steps=source.steps)

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
    def steps(self) -> tuple[ColumnStep, ...]:
        """How the columns of the data became states, by which new values are read too.

        Examples
        --------
        >>> frame = {"age": [31, 45, 67, 72], "ill": ["no", "no", "yes", "yes"]}
        >>> data = Dataset.of(frame, discretise={"age": "quantile"})
        >>> network = BayesianNetwork.fit(Dag(["age", "ill"], [("age", "ill")]), data)
        >>> [step.cuts for step in network.steps]
        [(31.0, 67.0)]
        >>> network.predict({"age": [30.5, 99]}, "ill").tolist()
        ['no', 'yes']
        """
        return self._steps

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

    def labelled(self, node: str) -> LabelledTable:
        """Probabilities of one discrete node with the names and states they are for.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["dry", "wet"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> network.labelled("wet")
        rain  wet=dry  wet=wet
        no     0.9000   0.1000
        yes    0.3000   0.7000
        >>> network.labelled("wet")["yes", "dry"]
        0.3
        """
        return LabelledTable(*self._family(node), self.table(node))

    def to_frame(self, node: str, backend: str | None = None) -> Any:
        """Frame ("polars", "pandas" or "pyarrow") of one node's distribution, with names and states.

        A discrete node has a row for each probability: states of its parents, its own, the probability. A continuous
        one has a row for each configuration of its discrete parents: their states, the intercept, the coefficient of
        each continuous parent under its name, and the standard deviation.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["dry", "wet"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> network.to_frame("wet").rows()
        [('no', 'dry', 0.9), ('no', 'wet', 0.1), ('yes', 'dry', 0.3), ('yes', 'wet', 0.7)]
        """
        return frame_of_distribution(*self._family(node), self.distribution(node), backend)

    def _family(self, node: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Names of a node's parents and, last, itself, with their states."""
        names = (*self._dag.parents(node), node)
        return names, [self._states[self._dag.index(name)] for name in names]

    def renamed(
        self, names: Mapping[str, str] | None = None, states: Mapping[str, Mapping[str, str]] | None = None
    ) -> "BayesianNetwork":
        """Network with other names for some nodes, and other labels for some states.

        Of a column that was cut into states, the cuts stay known where neither its name nor its labels change.

        Parameters
        ----------
        names
            New names by old ones.
        states
            For some nodes, under their old names, new labels by old ones.

        Examples
        --------
        >>> coin = BayesianNetwork(Dag(["coin"]), [["h", "t"]], [[0.5, 0.5]])
        >>> coin.renamed({"coin": "side"}, {"coin": {"h": "heads", "t": "tails"}}).labelled("side")
        side=heads  side=tails
            0.5000      0.5000
        """
        labels = renamed_states(self.names, self._states, states or {})
        return self._relabelled(self._dag.renamed(names or {}), labels)

    def with_plain_names(self) -> "BayesianNetwork":
        """Network with names and states that every format takes: ASCII letters, digits and ``_``.

        Names begin with a letter and differ in more than their case. What is like that already stays as it is.

        Examples
        --------
        >>> network = BayesianNetwork(Dag(["blood pressure"]), [["<= 120", "> 120"]], [[0.7, 0.3]])
        >>> plain = network.with_plain_names()
        >>> plain.names, plain.states
        (('blood_pressure',), (('120', '120_2'),))
        """
        dag = Dag.from_parents(plain_names(self.names), self._dag.parent_indices)
        return self._relabelled(dag, plain_labels(self._states))

    def _relabelled(self, dag: Dag, states: Sequence[Sequence[str]]) -> "BayesianNetwork":
        """Network with other names and labels; it knows the cuts of the columns that have neither."""
        before, after = zip(self.names, self._states, strict=True), zip(dag.names, states, strict=True)
        same = {old[0] for old, new in zip(before, after, strict=True) if old == new}
        return BayesianNetwork(dag, states, self._distributions, steps=steps_about(self._steps, same))

    def _probabilities(self, node: int) -> npt.NDArray[np.float64]:
        found = self._distributions[node]
        if isinstance(found, Table):
            return found.probabilities
        raise ParameterError(
            f"{quoted(self.names[node])} is continuous and has no table; distributions has a ConditionalGaussian for it"
        )

    def sample(
        self,
        n_rows: int,
        given: Mapping[str, Any] | None = None,
        *,
        seed: int | None = None,
        interventions: InterventionRows | None = None,
    ) -> Dataset:
        """Rows drawn from the network, parents before children (forward sampling), or given what is known.

        Each node draws from its own stream, spawned from the seed: the first rows are the same for any `n_rows`. With
        `given`, rows are drawn exactly from the distribution given that, and none is rejected.

        Parameters
        ----------
        n_rows
            How many, at least 1.
        given
            What is known of some nodes, as in `query`, in every row.
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

        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> rows = network.sample(1000, {"wet": "yes"}, seed=1).to_frame()  # rain in 7 of 11, as query says
        >>> sorted(set(rows["wet"])), bool(0.6 < (rows["rain"] == "yes").mean() < 0.67)
        (['yes'], True)
        """
        if given is not None:
            if interventions is not None:
                raise ParameterError(
                    "give ", Name("given"), " or ", Name("interventions"), ", not both; do(…).sample(…) has nodes set"
                )
            drawn, kept = self._questions.sample(n_rows, given, seed)
            return Dataset(drawn, self.names, self._states, None, self._steps, None, kept if self.continuous else None)
        made = None
        if interventions is not None:
            made = Interventions.of(interventions, self.names, count("n_rows", n_rows, least=1))
        codes, numbers = sampled_rows(self._dag, self._distributions, n_rows, seed, made)
        return Dataset(codes, self.names, self._states, None, self._steps, made, numbers)

    def log_likelihood(self, data: Any) -> float:
        """Natural logarithm of the probability of the data; minus infinity if a row is impossible.

        With continuous nodes it is the logarithm of a density. Columns are matched by name and states by label, in
        whatever order; weights count as repeated rows. What was set by an intervention is given, and has no probability
        of its own. Of rows with gaps it is the probability of what is known in them.

        Parameters
        ----------
        data
            A Dataset, a frame, a file's path or whatever else `query` takes, with a column for each node. Numbers that
            the network has cut into states are cut at the same points.

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
        data = data_of(self._questions.nodes, data)
        rows = self.log_likelihoods(data)
        if data.weights is None:
            return float(rows.sum())
        seen = data.weights > 0  # an impossible row that was never seen takes nothing away
        return float(data.weights[seen] @ rows[seen])

    def log_likelihoods(self, data: Any) -> npt.NDArray[np.float64]:
        """Natural logarithm of the probability of each row, without its weight; otherwise as `log_likelihood`."""
        data = data_of(self._questions.nodes, data)
        if data.has_gaps:
            return self._questions.log_likelihoods(data)
        return row_log_likelihoods(self._dag, self._states, self._distributions, data)

    # Questions

    @property
    def _questions(self) -> Questions:
        if self._asked is None:
            self._asked = Questions(Nodes(self._dag, self._states, self._steps), self._distributions)
        return self._asked

    def query(
        self,
        targets: str | Sequence[str] | None,
        given: Any = None,
        *,
        joint: bool = False,
        approximate: bool | int = False,
        seed: int | None = None,
    ) -> Any:
        """Probabilities of the states of one node or several, given what is known; exact unless asked otherwise.

        Of a continuous node it is the mean and the standard deviation.

        Parameters
        ----------
        targets
            The node or the nodes to ask about; None for all that are not given.
        given
            What is known. A dict is one case: the state of a discrete node, the number of a continuous one, or soft
            evidence on a discrete one, a dict with the likelihood of what was seen in each of its states (0 for those
            that it does not name). A frame (pandas, polars, pyarrow), a list of dicts, a dict of columns, a Dataset or
            the path of a file has a case in each row. Numbers that the network has cut into states are cut at the same
            points (`steps`). None and NaN stand for what is not known, and nodes without a column are not known
            either.
        joint
            Ask for the targets together, not one by one: for the probabilities of their joint states, or the
            covariances of continuous ones.
        approximate
            Estimate the answer by draws, with standard errors, where an exact one takes too much memory: how many draws
            for each case, or True for 10,000. The less probable what is given, the larger are the errors (likelihood
            weighting).
        seed
            Of these draws: the same seed gives the same answer; None draws one.

        Returns
        -------
        DiscretePosterior, ContinuousPosterior, Posteriors, JointPosterior, JointContinuousPosterior or a frame
            For one case: a mapping from states to probabilities, or a mean with its deviation; for several targets, a
            mapping from them to these; with `joint`, a mapping from joint states to probabilities, or means with a
            covariance. For many cases, a frame with a row for each: of pandas for one of pandas, otherwise as what is
            given, or of polars. Its columns are called as in ``lung=yes``, ``age mean`` and ``age deviation``.

        Raises
        ------
        GraphError
            If there is no such node.
        ParameterError
            If a node has no such state, a target is given, or what is given is impossible.
        DataError
            The same for rows of a table, with the row.
        TooWideError
            If exact inference takes more memory than there is, with the figure.

        Examples
        --------
        >>> dag = Dag(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
        >>> wet = [[[0.99, 0.01], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]]
        >>> network = BayesianNetwork(dag, [["no", "yes"]] * 3, [[0.8, 0.2], [0.7, 0.3], wet])
        >>> network.query("rain", {"wet": "yes"})
        rain  probability
        no         0.5159
        yes        0.4841
        >>> round(network.query("rain", {"wet": "yes", "sprinkler": "yes"})["yes"], 4)  # the sprinkler explains it
        0.2363
        >>> network.query("rain", {"wet": {"yes": 0.9, "no": 0.3}}).most_probable  # it looks wet, but is it?
        'no'
        >>> network.query(["rain", "sprinkler"], {"wet": "yes"}, joint=True)
        rain  sprinkler  probability
        no    no              0.0146
        no    yes             0.5013
        yes   no              0.3290
        yes   yes             0.1551
        >>> answers = network.query("rain", [{"wet": "yes"}, {"wet": "no", "sprinkler": "no"}, {}])
        >>> answers["rain=yes"].round(4).to_list()
        [0.4841, 0.0246, 0.2]

        Weight by height and sex, in kg and cm:

        >>> dag = Dag(["sex", "height", "weight"], [("sex", "height"), ("sex", "weight"), ("height", "weight")])
        >>> height = ConditionalGaussian([164.0, 178.0], [], [6.5, 7.0])
        >>> weight = ConditionalGaussian([-48.0, -72.0], [[0.7], [0.87]], [11.0, 12.0])
        >>> body = BayesianNetwork(dag, [["f", "m"], [], []], [[0.5, 0.5], height, weight])
        >>> body.query(["sex", "weight"], {"height": 170})
        sex  probability
        f         0.5747
        m         0.4253
        <BLANKLINE>
        weight: mean 73.0839, standard deviation 11.6897
        """
        draws = None if approximate is False else 10_000 if approximate is True else approximate
        if draws is not None:
            count("approximate", draws, least=1)
            if joint:
                raise ParameterError(
                    Setting("approximate"), " is about each target by itself; leave out ", Setting("joint", True)
                )
        return self._questions.query(targets, given, joint=joint, draws=draws, seed=seed)

    def most_probable(self, given: Any = None) -> Any:
        """Most probable states of all nodes that are not known, together (the most probable explanation).

        That is not the most probable state of each by itself, which `query` tells. Continuous nodes have their means
        given these states and what is known.

        Parameters
        ----------
        given
            What is known, as in `query`.

        Returns
        -------
        Explanation or a frame
            For one case, a mapping from the nodes that are not known to their states, with its probability given what
            is known. For many cases, a frame with all nodes, and the probability in a last column.

        Examples
        --------
        >>> dag = Dag(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
        >>> wet = [[[0.99, 0.01], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]]
        >>> network = BayesianNetwork(dag, [["no", "yes"]] * 3, [[0.8, 0.2], [0.7, 0.3], wet])
        >>> network.most_probable({"wet": "yes"})
        rain       no
        sprinkler  yes
        probability 0.5013
        """
        return self._questions.most_probable(given)

    def probability(self, event: Any, given: Any = None) -> Any:
        """Probability of states of some nodes, given what is known of others; exact.

        With numbers of continuous nodes in the event it is a density, which can be above 1.

        Parameters
        ----------
        event
            States of nodes, as `query` takes what is given. With soft evidence, such as ``{"wet": {"damp": 1, "yes":
            1}}``, it is the probability that one of these states occurs.
        given
            What is known of other nodes.

        Returns
        -------
        float or numpy.ndarray
            An array where the event or what is given has many rows.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> round(network.probability({"wet": "yes"}), 4)
        0.22
        >>> round(network.probability({"wet": "yes"}, given={"rain": "yes"}), 4)
        0.7
        """
        return self._questions.probability(event, given)

    def do(self, values: Mapping[str, Any]) -> "BayesianNetwork":
        """Network after an intervention: some nodes are set from outside, whatever their parents are (Pearl's do).

        The arcs into these nodes are cut, and each has the state or number that it is set to. All else stays as it is,
        and the network answers questions like any other: that a node was *set* to a state says nothing about its
        parents, that it was *seen* in it does. This is about the world as far as arcs are causes in it.

        Parameters
        ----------
        values
            For each node that is set its state or number, or a dict with the probabilities of its states, which sum to
            1.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> round(network.query("rain", {"wet": "yes"})["yes"], 4)
        0.6364
        >>> hosed = network.do({"wet": "yes"})
        >>> hosed, hosed.query("rain")["yes"]
        (<BayesianNetwork: 2 nodes, 0 arcs, 2 parameters>, 0.2)
        """
        dag, distributions = set_nodes(self._questions.nodes, self._distributions, values)
        return BayesianNetwork(dag, self._states, distributions, steps=self._steps)

    def impute(self, data: Any, *, draws: int | None = None, seed: int | None = None) -> Any:
        """Rows with their missing values filled in.

        By default with the values of the missing cells of a row that are most probable together, as `most_probable`
        has them. Such rows are less varied than real ones; to learn from them, or to estimate anything but single
        values, take several draws instead and compare what they give (multiple imputation).

        Parameters
        ----------
        data
            A frame, a list of dicts, a dict of columns or a Dataset, in which None and NaN are missing.
        draws
            How many times to draw the missing values at random, given what is known in their row; None draws none.
        seed
            Of the draws: the same seed gives the same values; None draws one.

        Returns
        -------
        a frame or a Dataset, or a list of these
            As the data is; dicts and lists give a frame of polars. What was there stays as it was. Nodes without a
            column get one. With `draws`, a list of so many.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> network.impute({"rain": ["yes", None, None], "wet": [None, "yes", None]}).rows()
        [('yes', 'yes'), ('yes', 'yes'), ('no', 'no')]
        >>> len(network.impute([{"wet": "yes"}] * 3, draws=5, seed=1))
        5
        """
        return self._questions.impute(data, draws, seed)

    def predict_proba(self, data: Any, target: str) -> npt.NDArray[np.float64]:
        """Probability of each state of a discrete node, given the rest of each row.

        This is exact. Where the node's Markov blanket is known it is all that counts; any other cell may be missing,
        and so may these. Columns are matched by name and states by label; a column of the target is not looked at.
        Weights do not matter. A child that was set by an intervention says nothing about the target.

        Parameters
        ----------
        data
            A Dataset, a frame, a file's path or whatever else `query` takes, with columns for nodes; or an array, whose
            columns are the nodes in their order, with or without the target. Numbers that the network has cut into
            states are cut at the same points.
        target
            The node.

        Raises
        ------
        DataError
            If a column has no node, or a row has a state that the network does not know or is impossible whatever the
            target is: 0 divided by 0 is not a distribution, and none is made up. That does not happen where a prior has
            kept all probabilities above 0.
        GraphError
            If there is no such node.
        ParameterError
            If the node is continuous; see `predict` and `predict_interval`.
        TooWideError
            If values are missing, and exact inference takes more memory than there is.

        Examples
        --------
        >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
        >>> network = BayesianNetwork(dag, [["no", "yes"], ["no", "yes"]], [[0.8, 0.2], [[0.9, 0.1], [0.3, 0.7]]])
        >>> data = Dataset.of({"wet": ["yes", "no"]})
        >>> network.predict_proba(data, "rain").round(4)  # in the first row 0.8 * 0.1 against 0.2 * 0.7
        array([[0.3636, 0.6364],
               [0.9231, 0.0769]])
        >>> network.predict_proba({"wet": ["yes", None]}, "rain").round(4)
        array([[0.3636, 0.6364],
               [0.8   , 0.2   ]])
        """
        if not self._states[self._dag.index(target)]:
            raise ParameterError(
                f"{quoted(target)} is continuous and has no states to give probabilities of; predict has its mean, and "
                "predict_interval says how far from that it may be"
            )
        known = known_of(self._questions.nodes, data, ignored=target)
        return predicted_probabilities(self._questions, self._distributions, known, target)

    def predict(self, data: Any, target: str) -> npt.NDArray[Any]:
        """Most probable state of one node, or its mean if it is continuous, given the rest of each row.

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
        >>> network.predict({"first": [1.0, 1.0], "second": [2.0, None]}, "thing")  # means of 0, 1 and 2, of 0 and 1
        array([1. , 0.5])
        """
        states = self._states[self._dag.index(target)]
        known = known_of(self._questions.nodes, data, ignored=target)
        if not states:
            return predicted_means(self._questions, self._distributions, known, target)
        best = predicted_probabilities(self._questions, self._distributions, known, target).argmax(axis=1)
        labels: npt.NDArray[np.str_] = np.array(states)[best]
        return labels

    def predict_interval(self, data: Any, target: str, *, level: float = 0.95) -> npt.NDArray[np.float64]:
        """Bounds between which a continuous node is with this probability, given the rest of each row.

        They are exact, and the node is as probably below as above them. Its distribution is a Gaussian, so that they
        are equally far from its mean, which `predict` gives; or a mixture of Gaussians where discrete nodes are not
        known.

        Parameters
        ----------
        data
            As in `predict_proba`.
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
        >>> network.predict_interval({"y": [0.0]}, "x", level=0.95).round(2)
        array([[1.08, 8.92]])
        """
        level = number("level", level, positive=True)
        if level >= 1:
            raise ParameterError.of("level", "between 0 and 1", level)
        if self._states[self._dag.index(target)]:
            raise ParameterError(f"{quoted(target)} has states; predict_proba has their probabilities")
        known = known_of(self._questions.nodes, data, ignored=target)
        return predicted_intervals(self._questions, self._distributions, known, target, level)

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

    def _repr_html_(self) -> str:
        return html_of_network(self)

    def _kinds(self) -> list[str]:
        """What kinds of nodes there are, unless all are discrete."""
        n_continuous = len(self.continuous)
        if not n_continuous:
            return []
        return ["continuous" if n_continuous == self._dag.n_nodes else f"{n_continuous} of them continuous"]

    def __reduce__(self) -> tuple[object, ...]:
        return _made_again, (self._dag, self._states, self._distributions, self._steps)


def _made_again(
    dag: Dag,
    states: Sequence[Sequence[str]],
    distributions: Sequence[Distribution],
    steps: Iterable[Step],
) -> BayesianNetwork:
    return BayesianNetwork(dag, states, distributions, steps=steps)


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
