"""Parameters of a network from a table with gaps: expectation and maximisation in turn."""

from dataclasses import dataclass, replace
from typing import Any

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
    data: Any,
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
        The table, of which all variables are discrete, or all continuous: a `Dataset`, or anything `Dataset.of` takes,
        whose missing values are gaps.
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
    data = data if isinstance(data, Dataset) else Dataset.of(data, missing="keep")
    e_step = EStep(data, most_cells=limits.most_cells)
    first = first_network(dag, data) if start is None else instance("start", start, BayesianNetwork)
    return steps_of_em(e_step, dag, first, limits, (ess, pseudo_count))


def steps_of_em(
    e_step: EStep,
    dag: Dag,
    first: BayesianNetwork | EmFit,
    limits: EmLimits,
    prior: tuple[float, float] = (0.0, 0.0),
    budget: _core.Budget | None = None,
) -> EmFit:
    """Take the steps of EM.

    Parameters
    ----------
    e_step
        Says what a network expects.
    dag
        The graph.
    first
        A network; or what EM has found before, for this graph or for another one, from whose expectations the first
        parameters come then.
    limits
        When to end.
    prior
        The equivalent sample size, and the pseudo-count.
    budget
        When to end early. However little it has, there is one network, whose likelihood is known.
    """
    budget = _core.Budget() if budget is None else budget
    ess, pseudo_count = prior

    def expected_by(network: BayesianNetwork, within: _core.Budget) -> EmFit | None:
        expected = e_step(network, within)
        return None if expected is None else EmFit(network, expected, (expected.log_likelihood,), False)

    def fitted_to(found: EmFit) -> BayesianNetwork:
        return BayesianNetwork.fit(dag, found.expectation.families(dag), ess=ess, pseudo_count=pseudo_count)

    without_end = _core.Budget(threads=budget.threads)
    found = first if isinstance(first, EmFit) else expected_by(first, without_end)
    if found is not None and found.network.dag != dag:
        found = expected_by(fitted_to(found), without_end)
    assert found is not None
    likelihoods = list(found.log_likelihoods[-1:])
    least, is_converged = limits.tolerance * max(1, e_step.data.n_observations), found.is_converged
    for _ in range(limits.steps):
        if is_converged:
            break
        following = expected_by(fitted_to(found), budget)
        if following is None:
            break
        found = following
        likelihoods.append(following.log_likelihood)
        is_converged = likelihoods[-1] - likelihoods[-2] < least
    return replace(found, log_likelihoods=tuple(likelihoods), is_converged=is_converged)


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
    return BayesianNetwork.fit(dag, FamilyCounts(dag, families.states, counts, data.steps))
