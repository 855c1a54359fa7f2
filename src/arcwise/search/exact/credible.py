"""All networks that score nearly as much as the best one, each of another equivalence class."""

from math import log

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Scope, Status
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.best_networks import BestNetworks, RankedNetwork
from arcwise.search.exact.dynamic import MEMORY
from arcwise.search.search import Problem
from arcwise.support.arguments import count, instance, number
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes, workers_or_default
from arcwise.support.messages import Name

__all__ = ["credible_networks"]


def credible_networks(
    score: LocalScore,
    bayes_factor: float = 20.0,
    *,
    most: int = 100_000,
    constraints: Constraints | None = None,
    budget: Budget | None = None,
    workers: int | None = None,
    memory: int = MEMORY,
) -> BestNetworks:
    """Find all networks whose exp(score) is at most so many times less than that of the best, one of each class.

    Liao, Sharma, Cussens & van Beek 2019 ("Finding all Bayesian network structures within a factor of optimal", AAAI),
    who take 20 as the factor from which evidence is strong. For at most 24 variables, as far as memory goes: of every
    parent set it is found first how good the best graph is that has it, and few sets are left.

    Parameters
    ----------
    score
        A score bound to its data: all parent sets are scored.
    bayes_factor
        At least 1. Scores of the networks are at most ln(bayes_factor) below the best one.
    most
        How many networks to keep at a time; where there are more, it ends with none.
    constraints
        What the graphs must and must not have. A class stands for those of its graphs that keep to them.
    budget
        When to give up.
    workers
        Threads; by default one per usable core. They do not change the answer.
    memory
        Bytes; a problem that may need more is refused before it begins.

    Returns
    -------
    BestNetworks
        All of them, best first, with the status OPTIMAL; none, with the status SET_LIMIT, where there are too many, and
        none where the budget ended it.

    Raises
    ------
    ParameterError
        For too many variables or too little memory, and if no graph keeps to the constraints.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("asia").sample(1000, seed=1), "bdeu")
    >>> found = credible_networks(score, 3)
    >>> [round(network.score - found.networks[0].score, 2) >= -1.1 for network in found.networks[:2]]
    [True, True]
    """
    instance("score", score, LocalScore)
    if number("bayes_factor", bayes_factor) < 1:
        raise ParameterError.of("bayes_factor", "at least 1", bayes_factor)
    most, memory = count("most", most, least=1), count("memory", memory)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    constraints.refuse_degrees("credible_networks")
    constraints.refuse_ancestors("credible_networks")
    budget, workers = instance("budget", budget, Budget, default=Budget), workers_or_default(workers)
    problem = Problem(score, constraints)
    n, largest = len(problem.names), _core.max_lattice_variables
    if n > largest:
        raise ParameterError(f"credible_networks looks at all subsets of at most {largest} variables, not {n}")
    needed = int(_core.credible_classes_bytes(n, most))
    if needed > memory:
        raise ParameterError(
            f"all credible networks of {n} variables may take {gigabytes(needed)}, more than ",
            Name("memory"),
            f" allows ({gigabytes(memory)}); raise ",
            Name("memory"),
        )
    rules, begin = problem.rules, budget.elapsed
    required = [rules.required_parents(child) for child in range(n)]
    optional = [rules.optional_parents(child).tolist() for child in range(n)]
    limits = rules.max_parents.tolist()
    within = log(bayes_factor)
    found = budget.run(
        lambda: _core.credible_classes(score.core, required, optional, limits, within, most, workers, budget.core)
    )
    dags = [Dag.from_parents(problem.names, graph.parents) for graph in found.graphs]
    networks = [RankedNetwork(dag, score.total(dag)) for dag in dags]
    ended = Status.SET_LIMIT if found.stopped_by is _core.StopReason.none else STATUS_OF_REASON[found.stopped_by]
    return BestNetworks(
        tuple(sorted(networks, key=lambda network: -network.score)),
        Status.OPTIMAL if found.is_complete else ended,
        Scope.ALL_SETS,
        budget.elapsed - begin,
    )
