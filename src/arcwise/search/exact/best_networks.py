"""The k best networks of few variables, each of another equivalence class."""

from dataclasses import dataclass
from math import exp, fsum

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Scope, Status
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.dynamic import MEMORY
from arcwise.search.search import Problem, Source
from arcwise.support.arguments import count, instance
from arcwise.support.errors import ParameterError
from arcwise.support.machine import workers_or_default
from arcwise.support.messages import Name

__all__ = ["BestNetworks", "RankedNetwork", "best_networks"]


@dataclass(frozen=True)
class RankedNetwork:
    """The best graph of an equivalence class, and its score."""

    dag: Dag
    score: float

    @property
    def cpdag(self) -> Cpdag:
        """The class."""
        return self.dag.cpdag()


@dataclass(frozen=True)
class BestNetworks:
    """The best networks that there are, each of another equivalence class.

    Attributes
    ----------
    networks
        Best first: no graph of any other class scores more than the last one. Fewer than asked for where there are no
        more classes; none at all when the budget ended the search.
    status
        OPTIMAL, or what ended the search.
    proven_for
        Among which graphs they are the best.
    seconds
        How long it took.
    """

    networks: tuple[RankedNetwork, ...]
    status: Status
    proven_for: Scope
    seconds: float

    @property
    def weights(self) -> tuple[float, ...]:
        """Share of each network when all are weighted by exp(score), once for each class.

        For Bayesian scores it is how probable a class is among these classes if all classes were equally probable
        before, however many graphs they have. `arcwise.posterior` counts every graph: a class of many graphs weighs
        more there than here.

        Examples
        --------
        >>> table = ParentSets.from_lists(["a", "b"], [[(-1, []), (-1, ["b"])], [(-1, [])]])
        >>> best_networks(table, 2).weights
        (0.5, 0.5)
        """
        shares = [exp(network.score - self.networks[0].score) for network in self.networks]
        return tuple(share / fsum(shares) for share in shares)


def best_networks(
    source: Source,
    k: int = 10,
    *,
    constraints: Constraints | None = None,
    budget: Budget | None = None,
    workers: int | None = None,
    memory: int = MEMORY,
) -> BestNetworks:
    """Find the k networks that score most, one of each equivalence class.

    Chen & Tian 2014 ("Finding the k-best equivalence classes of Bayesian network structures for model averaging",
    AAAI): the k best classes over some variables come from the k best over one variable less. For at most 16 variables.

    Parameters
    ----------
    source
        A score bound to its data: all parent sets are scored. Or a table: only graphs of its sets are looked at. Tables
        that `select` makes leave out each set that a subset beats, which the second best network may well have.
    k
        How many networks.
    constraints
        What the graphs must and must not have. A class stands for those of its graphs that keep to them.
    budget
        When to give up.
    workers
        Threads; by default one per usable core. They do not change the answer.
    memory
        Bytes; a problem that may need more is refused before it begins.

    Raises
    ------
    ParameterError
        For too many variables or too little memory, and if no graph without cycles gives every variable one of its
        sets.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> found = best_networks(LocalScore(load_example("cancer").sample(5000, seed=1)), 3)
    >>> [round(network.score - found.networks[0].score, 2) for network in found.networks]
    [0.0, -3.87, -4.83]
    >>> found.networks[0].cpdag == found.networks[1].cpdag
    False
    """
    k = count("k", k, least=1)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    budget = instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    memory = count("memory", memory)
    problem = Problem(source, constraints)
    constraints.refuse_degrees("best_networks")
    constraints.refuse_ancestors("best_networks")
    n, most = len(problem.names), _core.max_class_variables
    if n > most:
        raise ParameterError(f"best_networks looks at all subsets of at most {most} variables, not {n}")
    begin = budget.elapsed
    table = _table(problem, budget)
    if table is None:
        return BestNetworks((), _status(budget.core.reason), Scope.ALL_SETS, budget.elapsed - begin)
    needed = int(_core.best_classes_bytes(table.core, k))
    if needed > memory:
        raise ParameterError(
            f"the {k:,} best networks of {n} variables may take {needed:,} bytes, more than ",
            Name("memory"),
            f" allows ({memory:,}); raise ",
            Name("memory"),
            " or ask for fewer",
        )
    found = budget.run(lambda: _core.best_classes(table.core, k, workers, budget.core))
    status = _status(found.stopped_by)
    if status is Status.OPTIMAL and not found.graphs:
        raise ParameterError(
            "no graph without cycles gives every variable one of its parent sets; add the empty set of every variable "
            "to the table, or relax the constraints"
        )
    dags = [Dag.from_parents(table.names, graph.parents) for graph in found.graphs]
    networks = [RankedNetwork(dag, table.total(dag)) for dag in dags]
    return BestNetworks(
        tuple(sorted(networks, key=lambda network: -network.score)),  # sums are rounded better than in the kernel
        status,
        Scope.ALL_SETS if isinstance(source, LocalScore) else Scope.CANDIDATE_SETS,
        budget.elapsed - begin,
    )


def _status(reason: _core.StopReason) -> Status:
    return Status.OPTIMAL if reason is _core.StopReason.none else STATUS_OF_REASON[reason]


def _table(problem: Problem, budget: Budget) -> ParentSets | None:
    """Return the sets that the constraints allow; None when the budget ends their scoring."""
    if isinstance(problem.source, ParentSets):
        return problem.source.constrained(problem.constraints)
    return budget.run(lambda: _every_set(problem.score, problem.rules, budget))


def _every_set(score: LocalScore, rules: ResolvedConstraints, budget: Budget) -> ParentSets | None:
    lists: list[list[tuple[float, tuple[int, ...]]]] = []
    charged = score.evaluations
    for child in range(score.data.n_variables):
        required = tuple(rules.required_parents(child))
        optional = rules.optional_parents(child).tolist()
        sets = [(score.local(child, required), required)]
        grown = [(required, 0)]  # with the place of the first variable that may still join
        for parents, first in grown:  # which grows meanwhile
            budget.core.charge(score.evaluations - charged)
            charged = score.evaluations
            if budget.exhausted:
                return None
            if first < len(optional) and len(parents) < rules.max_parents[child]:
                larger = [(*parents, joining) for joining in optional[first:]]
                sets += zip(score.additions(child, parents, optional[first:]).tolist(), larger, strict=True)
                grown += [(family, first + at) for at, family in enumerate(larger, start=1)]
        lists.append(sets)
    return ParentSets.from_lists(score.data.names, lists)
