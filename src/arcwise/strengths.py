"""How sure an arc is: how often a search finds it on bootstrap replicas of the data."""

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from arcwise.arc_probabilities import ArcProbabilities
from arcwise.constraints.constraints import Constraints
from arcwise.data.dataset import Dataset, ReadingOptions
from arcwise.data.missing import MissingValues, learnable
from arcwise.graph.dag import Dag
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.network.network import BayesianNetwork
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Work, Workplace
from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.runs.budget import Budget, until_exhausted
from arcwise.runs.result import STATUS_OF_REASON, Result, Status
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.device.choice import checked_device
from arcwise.scores.local_score import LocalScore, targets_of
from arcwise.scores.planned import AUTO, score_for
from arcwise.scores.priors import Adjusted
from arcwise.search.classes.xges import Xges
from arcwise.search.dags.greedy import Greedy
from arcwise.search.registry import search_named
from arcwise.search.search import Problem, Search, function_of, run_search
from arcwise.structural_em import StructuralEM, imputed_replica, score_before_em
from arcwise.support.arguments import callback, count, either_spelling, instance, kernel_seeds, recorded_seed
from arcwise.support.errors import ParameterError
from arcwise.support.machine import workers_or_default
from arcwise.support.quoting import quoted

__all__ = ["ArcStrengths", "bootstrap", "tree_strengths"]

# Of the time that is left, what a network by which gaps are filled may take.
_SHARE_OF_EM = 0.5
_CUT_SHORT = (Status.TIME_LIMIT, Status.EVALUATION_LIMIT, Status.INTERRUPTED)

Parents = Sequence[Sequence[int]]
Indices = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class ArcStrengths(ArcProbabilities):
    """How often edges, and arcs in each direction, were found on replicas of the data.

    Attributes
    ----------
    names
        The variables, in the order of the matrices.
    edges
        At [i, j] and at [j, i] the share of the replicas in whose graph i and j are adjacent;
        it keeps those that were adjacent at all.
    arcs
        At [i, j] the share of the replicas that have the arc i -> j. An arc that can be reversed within
        the graph's equivalence class counts half in each direction, unless there were constraints.
    n_replicas
        How many replicas were searched to the end.
    status
        Why it ended: complete, or what ended it before all replicas were done.
    method, score, constraints, seed, seconds
        How the graphs were found, and how long it took.
    """

    names: tuple[str, ...]
    edges: PairNumbers
    arcs: PairNumbers
    n_replicas: int
    status: Status
    method: str
    score: Score
    constraints: Constraints
    seed: int
    seconds: float

    called: ClassVar[str] = "share of the replicas with the arc"
    measure: ClassVar[str] = "in {} of the replicas"

    def __repr__(self) -> str:
        return f"<ArcStrengths: {len(self.names)} variables, {self.n_replicas} replicas, {self.method}>"


@either_spelling
def bootstrap(
    data: Any,
    method: str | Search | Callable[..., Result] = "greedy",
    m: int = 100,
    *,
    score: str | Score = AUTO,
    constraints: Constraints | None = None,
    missing: MissingValues = "error",
    device: str = "cpu",
    seed: int | None = None,
    workers: int | None = None,
    executor: Any = None,
    budget: Budget | None = None,
    on_replica: Callable[[int], object] | None = None,
    **reading: Unpack[ReadingOptions],
) -> ArcStrengths:
    """Search on bootstrap replicas of the data, and say how often each edge and each arc was found.

    Friedman, Goldszmidt & Wyner (1999, UAI): features of the graph that most replicas share are more probably there.
    A replica has as many observations as the data, drawn from them with replacement.

    Parameters
    ----------
    data
        A `Dataset`, or anything `Dataset.of` takes.
    method
        The name of a search as in `learn`, or a search itself, such as ``partial(mmhc, alpha=0.01)``: it is called with
        a `LocalScore` and the keywords constraints, seed and budget, and returns a `Result`.
    m
        How many replicas.
    score
        The score to maximise; ``auto`` picks ``bic``, or ``ebic`` for wide data, as in `learn`.
    constraints
        What the graphs must and must not have.
    missing
        What missing values do, as in `learn`: with "pairwise" a replica has the gaps of the rows that are drawn. With
        "em" a network is learned once, by structural EM, and the gaps of each replica are filled by draws from what it
        says about them (multiple imputation; `arcwise.structural_em.imputed_replica`).
    device
        Where scores are made: ``cpu``, ``gpu`` or ``auto``, as in `learn`.
    seed
        Draws the replicas, and decides the random choices of the searches; drawn and recorded itself when None.
    workers
        Replicas at the same time; by default one per usable core, and a single one where evaluations are limited. The
        result does not depend on it.
    executor
        Where replicas are searched instead, as in `learn`: the workers of an executor or of a Dask cluster.
    budget
        When to stop; the replicas that are done by then count.
    on_replica
        Called with the number of replicas that are done.
    reading
        How the data is read: the options of `Dataset.of`, such as ``discretise="quantile"``.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("cancer").sample(2000, seed=1)
    >>> strengths = bootstrap(data, "greedy", 20, seed=1)
    >>> strengths.edge("Cancer", "Xray")
    1.0
    >>> strengths.averaged().n_nodes
    5
    """
    table, m, seed = learnable(data, missing, **reading), count("m", m, least=1), recorded_seed(seed)
    _, name = _search(method)
    definition = score_for(table, score)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    constraints.resolve(table.names)
    budget = instance("budget", budget, Budget, default=Budget)
    checked_device(device)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    callback("on_replica", on_replica)
    n, begin = table.n_variables, budget.elapsed
    cut_short: list[Status] = []
    by_class = _has_classes(constraints, definition)
    counts = _Counts(PairNumbers(n), PairNumbers(n), targets_of(table, definition), by_class=by_class)

    def count_all(place: Workplace) -> None:
        filled_by = None
        if missing == "em" and table.has_gaps:
            filled_by = _network_by_em(table, definition, constraints, seed, budget)
        shared, where = None, device
        if filled_by is None and device != "cpu":
            # With weights, so that it is measured what batches cost with them.
            shared = LocalScore(table.bootstrap(seed), definition, device=device)
            where = shared.device
        on_card = shared if where == "gpu" else None
        replicas = _Replicas(table, definition, constraints, method, filled_by, where, on_card, min(workers, m))
        work = Work("replica", _searched, replicas)
        seeds = until_exhausted(kernel_seeds(seed, m), budget)
        for parents in place.map(work, seeds, budget, workers=workers):
            if isinstance(parents, Status):
                cut_short.append(parents)
            elif parents is not None:
                counts.add(Dag.from_parents(table.names, parents))
                if on_replica is not None:
                    on_replica(counts.n_graphs)

    with workplace_of(executor) as place:
        budget.run(lambda: count_all(place))
    done = counts.n_graphs
    return ArcStrengths(
        table.names,
        counts.edges / max(done, 1),
        counts.arcs / max(done, 1),
        done,
        Status.WORKERS_LOST if place.is_lost else _status(budget, cut_short, is_complete=done == m),
        name,
        definition,
        constraints,
        seed,
        budget.elapsed - begin,
    )


@dataclass(frozen=True)
class _Replicas:
    """What is done on each replica: what all of them need."""

    table: Dataset
    score: Score
    constraints: Constraints
    method: str | Search | Callable[..., Result]
    filled_by: BayesianNetwork | None  # what fills the gaps, if anything
    device: str
    on_card: LocalScore | None  # where the rows are on a card: one replica, for all of them
    at_once: int  # replicas that are searched at the same time


def _searched(replicas: _Replicas, seed: int, budget: Budget, threads: int) -> Parents | Status | None:
    """Return the graph of one replica, by its parents; or why its search was cut short; None where it has not begun."""
    if budget.exhausted:
        return None
    table, network = replicas.table, replicas.filled_by
    drawn = table.bootstrap(seed) if network is None else imputed_replica(table, network, seed)
    search, name = _search(replicas.method)
    if replicas.on_card is None:
        score = LocalScore(drawn, replicas.score, device=replicas.device)
    else:
        score = replicas.on_card.reweighted(drawn, at_once=replicas.at_once)
    result = search(score, constraints=replicas.constraints, seed=seed, budget=budget.part(apart=True))
    if not isinstance(result, Result):
        raise ParameterError.of("method", f"a Result, but {name} has returned {quoted(result)}", verb="return")
    return result.status if result.status in _CUT_SHORT else result.dag.parent_indices


def _network_by_em(
    table: Dataset, score: Score, constraints: Constraints, seed: int, budget: Budget
) -> BayesianNetwork:
    """Return the network of a table with gaps."""
    first = score_before_em(table, score)
    is_by_class = first.is_equivalent and not (constraints.limits_degrees or constraints.limits_ancestors)
    rounds = StructuralEM(Xges() if is_by_class else Greedy(moves="a*ds*"))
    part = budget.part(share=_SHARE_OF_EM, apart=True)
    return run_search(rounds, Problem(first, constraints), seed=seed, budget=part).network()


def tree_strengths(
    score: LocalScore,
    bagging: Bagging | None = None,
    *,
    workers: int | None = None,
    executor: Any = None,
    budget: Budget | None = None,
) -> ArcStrengths:
    """Learn trees from bootstrap replicas of the data, and say in how many of them each edge is.

    The weights by which Ammar & Leray (2011, ECSQARU, section 4.3) prune neighbours: `mtmpc` with the same trees and a
    threshold finds the edges that are at least as frequent here. Edges of trees can have either direction, so that both
    are equally frequent.

    Parameters
    ----------
    score
        A score, bound to the data; only the data is used.
    bagging
        Which trees: how many, of which score, found how, with which seed. Random trees say nothing about neighbours.
    workers
        Trees at the same time; by default one per usable core. The result does not depend on it.
    executor
        Where trees are learned instead, as in `learn`.
    budget
        When to stop; the trees that are done by then count.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(500, seed=1))
    >>> strengths = tree_strengths(score, Bagging(trees=50, seed=1))
    >>> strengths.edge("Cancer", "Xray")
    0.98
    >>> len(strengths.skeleton().undirected) > len(strengths.skeleton(0.5).undirected)
    True
    """
    names, bagging = instance("score", score, LocalScore).names, instance("bagging", bagging, Bagging, default=Bagging)
    budget = instance("budget", budget, Budget, default=Budget)
    n, begin = len(names), budget.elapsed
    bagged = bagged_trees(score, bagging, workers=workers, executor=executor, budget=budget)
    lower, upper, counts = bagged.edges()
    shares = counts / max(len(bagged.parents), 1)
    return ArcStrengths(
        names,
        _symmetric(n, lower, upper, shares),
        _symmetric(n, lower, upper, shares / 2),
        len(bagged.parents),
        _status(budget, [], is_complete=bagged.is_complete),
        "trees",
        score_named(bagging.by),
        Constraints(),
        recorded_seed(bagging.seed),
        budget.elapsed - begin,
    )


def _status(budget: Budget, cut_short: list[Status], *, is_complete: bool) -> Status:
    if is_complete:
        return Status.COMPLETE
    if budget.exhausted or not cut_short:
        return STATUS_OF_REASON[budget.core.reason]
    return cut_short[0]  # by a limit that the search has of its own


def _has_classes(constraints: Constraints, score: Score) -> bool:
    """Whether nothing but data decides about directions, so that only those of compelled arcs mean anything."""
    return constraints == Constraints() and not (isinstance(score, Adjusted) and not score.prior.is_symmetric)


@dataclass
class _Counts:
    """Graphs that were counted."""

    edges: PairNumbers
    arcs: PairNumbers
    targets: Collection[Collection[str]]
    by_class: bool
    n_graphs: int = 0

    def add(self, dag: Dag) -> None:
        arcs = _directed(dag.parent_indices)
        self.edges = self.edges + arcs + arcs.T
        if self.by_class:
            possible = dag.cpdag(self.targets)
            # A reversible arc is there in both directions.
            self.arcs = self.arcs + _directed(possible.parent_indices) + 0.5 * _directed(possible.neighbour_indices)
        else:
            self.arcs = self.arcs + arcs
        self.n_graphs += 1


def _directed(parents: Sequence[Sequence[int]]) -> PairNumbers:
    """Return 1 at [i, j] where i is a parent of j."""
    n = len(parents)
    tails = np.fromiter((parent for row in parents for parent in row), dtype=np.intp)
    heads = np.repeat(np.arange(n), [len(row) for row in parents])
    return PairNumbers(n, tails, heads, np.ones(len(tails)))


def _symmetric(n: int, ones: Indices, others: Indices, values: npt.NDArray[np.float64]) -> PairNumbers:
    """Return values at [i, j] and at [j, i]."""
    rows, columns = np.concatenate([ones, others]), np.concatenate([others, ones])
    return PairNumbers(n, rows, columns, np.concatenate([values, values]))


def _search(method: str | Search | Callable[..., Result]) -> tuple[Callable[..., Result], str]:
    """Return the search, on one thread where it has a choice: replicas are searched side by side."""
    if callable(method):
        search, name = method, getattr(method, "__name__", repr(method))
    else:
        found = method if isinstance(method, Search) else search_named(method)
        search, name = function_of(found, found.name), found.name
    if "workers" not in _parameters_of(search, name):
        return search, name

    def on_one_thread(*arguments: Any, **options: Any) -> Result:
        return search(*arguments, workers=1, **options)

    return on_one_thread, name


def _parameters_of(search: Callable[..., Result], name: str) -> Collection[str]:
    """Return the names of a search's arguments, or raise a `ParameterError` where it cannot be called like one."""
    try:
        parameters = inspect.signature(search)
        parameters.bind("score", constraints=None, seed=None, budget=None)
    except (TypeError, ValueError):  # ValueError: `max` and other functions written in C do not say what they take
        raise ParameterError.of(
            "method",
            "a search that takes a LocalScore and the keywords constraints, seed and budget, like arcwise.greedy",
            advice=f"{name} does not",
        ) from None
    return parameters.parameters
