"""Parameters of a network from a table with gaps: expectation and maximisation in turn."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.expectation import MOST_CELLS, EStep, Expectation
from arcwise.network.network import BayesianNetwork
from arcwise.network.tables import FamilyCounts
from arcwise.support.arguments import count, instance, number

__all__ = ["EmFit", "EmLimits", "first_network", "fit_em", "steps_of_em"]


@dataclass(frozen=True)
class EmLimits:
    """How long EM takes its steps, and how exact they are.

    Parameters
    ----------
    tolerance
        EM has converged when a step adds less than this to the log-likelihood, for each observation.
    steps
        The most steps that it takes.
    most_cells
        Up to how many joint states of a row's gaps that depend on each other are all kept, which is exact. Of more
        of them, as many are drawn at equal distances of their exact distribution.

    Examples
    --------
    >>> EmLimits(steps=50).tolerance
    1e-06
    """

    tolerance: float = 1e-6
    steps: int = 100
    most_cells: int = MOST_CELLS

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance)
        count("steps", self.steps)
        count("most_cells", self.most_cells, least=1)


@dataclass(frozen=True, eq=False)
class EmFit:
    """What EM has found.

    Attributes
    ----------
    network
        The graph with its parameters.
    expectation
        What the network says about the gaps: the log-likelihood of what is there, and draws for the gaps.
    log_likelihoods
        Of what is there, before each step and after the last one; they never fall, but for rounding, where there is no
        prior and no row's gaps are drawn.
    is_converged
        Whether the last step has added less than the tolerance.
    """

    network: BayesianNetwork
    expectation: Expectation
    log_likelihoods: tuple[float, ...]
    is_converged: bool

    @property
    def log_likelihood(self) -> float:
        """Natural logarithm of the probability, or density, of what is there in the data."""
        return self.log_likelihoods[-1]


def fit_em(
    dag: Dag,
    data: Dataset,
    *,
    ess: float = 0.0,
    pseudo_count: float = 0.0,
    start: BayesianNetwork | None = None,
    limits: EmLimits | None = None,
) -> EmFit:
    r"""Fit the parameters of a graph to a table with gaps (Dempster, Laird & Rubin 1977, JRSS B 39).

    From a first network, each step fits the parameters to what the network before it expects in the gaps: the expected
    counts of all families given what is there, exactly; for continuous variables their expected squares and products.
    The likelihood of what is there never falls by this, and ends at a local maximum. Values must be missing at random
    (Rubin 1976, doi:10.1093/biomet/63.3.581): whether one is missing may depend on what is there, not on the value
    itself.

    Parameters
    ----------
    dag
        The graph; its nodes are the variables of the data, in any order.
    data
        The table, of which all variables are discrete, or all continuous. Without gaps, one step is all that it takes.
    ess, pseudo_count
        A prior, as in `BayesianNetwork.fit`. With one, the posterior of the parameters rises, not the likelihood.
    start
        The first network; by default, each family is fitted to the rows that have all of it.
    limits
        When to end.

    Raises
    ------
    ParameterError
        If there are both kinds of variables or interventions, and where memory does not suffice.

    Examples
    --------
    Of four tosses of a coin two are known, and one of them is heads:

    >>> data = Dataset.of({"coin": ["heads", "tails", None, None]}, missing="keep")
    >>> fit = fit_em(Dag(["coin"]), data)
    >>> fit.network.table("coin"), round(fit.log_likelihood, 6)
    (array([0.5, 0.5]), -1.386294)
    """
    limits = instance("limits", limits, EmLimits, default=EmLimits)
    e_step = EStep(data, most_cells=limits.most_cells)
    first = first_network(dag, data) if start is None else instance("start", start, BayesianNetwork)
    found = steps_of_em(e_step, dag, first, limits, (ess, pseudo_count))
    assert found is not None  # there is no limit on time
    return found


def steps_of_em(
    e_step: EStep,
    dag: Dag,
    first: BayesianNetwork | Expectation,
    limits: EmLimits,
    prior: tuple[float, float] = (0.0, 0.0),
    budget: _core.Budget | None = None,
) -> EmFit | None:
    """Take the steps of EM; None where the budget ends before there is one network whose likelihood is known.

    Parameters
    ----------
    e_step
        Says what a network expects.
    dag
        The graph.
    first
        A network, which may have another graph; or what one expects.
    limits
        When to end.
    prior
        The equivalent sample size, and the pseudo-count.
    budget
        When to end early: with the last network whose likelihood is known.
    """
    if isinstance(first, BayesianNetwork):
        expected = e_step(first, budget)
        if expected is None:
            return None
        network = first if first.dag == dag else None
    else:
        expected, network = first, None
    ess, pseudo_count = prior
    likelihoods = [] if network is None else [expected.log_likelihood]
    least = limits.tolerance * max(1, e_step.data.n_observations)
    is_converged = False
    # A network of another graph takes a step before anything can be said about this one.
    for _ in range(limits.steps + (network is None)):
        following = BayesianNetwork.fit(dag, expected.families(dag), ess=ess, pseudo_count=pseudo_count)
        after = e_step(following, budget)
        if after is None:
            break
        is_converged = network is not None and after.log_likelihood - likelihoods[-1] < least
        network, expected = following, after
        likelihoods.append(after.log_likelihood)
        if is_converged or not e_step.data.has_gaps:
            is_converged = True
            break
    return None if network is None else EmFit(network, expected, tuple(likelihoods), is_converged)


def first_network(dag: Dag, data: Dataset) -> BayesianNetwork:
    """Return a network from which EM can begin: each family as the rows have it that have all of it.

    To what these have seen of each configuration of the parents, one observation is added, which is spread as the
    variable is in all rows: so no row is impossible in the network.
    """
    families = FamilyCounts.of(dag, data)
    if data.kind != "discrete":
        return BayesianNetwork.fit(dag, families)
    counts = list[npt.NDArray[np.float64]]()
    for own, alone in zip(families.counts, FamilyCounts.of(Dag(dag.names), data).counts, strict=True):
        assert isinstance(own, np.ndarray)
        assert isinstance(alone, np.ndarray)
        counts.append(own + (alone + 1 / alone.size) / (alone.sum() + 1))
    return BayesianNetwork.fit(dag, FamilyCounts(dag, families.states, counts))
