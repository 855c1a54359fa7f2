"""How sure an arc is: how often a search finds it on bootstrap replicas of the data."""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.data.dataset import Dataset
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.runs.budget import Budget, side_by_side, until_exhausted
from arcwise.runs.result import STATUS_OF_REASON, Result, Status
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.local_score import LocalScore
from arcwise.scores.priors import Adjusted
from arcwise.search.registry import search_named
from arcwise.search.search import Search, function_of
from arcwise.support.arguments import callback, count, instance, kernel_seeds, number, real_numbers, recorded_seed
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.machine import workers_or_default
from arcwise.support.names import index_of
from arcwise.support.quoting import quoted

__all__ = ["ArcStrengths", "bootstrap", "significance_threshold", "tree_strengths"]

MAX_BYTES = 1 << 32
"""What the counts of all pairs may take."""

_CUT_SHORT = (Status.TIME_LIMIT, Status.EVALUATION_LIMIT, Status.INTERRUPTED)

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ArcStrengths:
    """How often edges, and arcs in each direction, were found on replicas of the data.

    Attributes
    ----------
    names
        The variables, in the order of the matrices.
    edges
        At [i, j] and at [j, i] the share of the replicas in whose graph i and j are adjacent.
    arcs
        At [i, j] the share of the replicas that have the arc i -> j. An arc that can be reversed within the
        graph's equivalence class counts half in each direction, unless there were constraints.
    n_replicas
        How many replicas were searched to the end.
    status
        Why it ended: complete, or what ended it before all replicas were done.
    method, score, constraints, seed, seconds
        How the graphs were found, and how long it took.
    """

    names: tuple[str, ...]
    edges: Matrix
    arcs: Matrix
    n_replicas: int
    status: Status
    method: str
    score: Score
    constraints: Constraints
    seed: int
    seconds: float

    def edge(self, one: str | int, other: str | int) -> float:
        """Share of the replicas in which two variables are adjacent."""
        return float(self.edges[self._index(one), self._index(other)])

    def direction(self, parent: str | int, child: str | int) -> float:
        """Share of those replicas that have the edge in which it is directed like this; 0 where none has it."""
        i, j = self._index(parent), self._index(child)
        return float(self.arcs[i, j] / self.edges[i, j]) if self.edges[i, j] > 0 else 0.0

    @property
    def threshold(self) -> float:
        """Edges that are found more often than this are significant; see `significance_threshold`."""
        n = len(self.names)
        return significance_threshold(self.edges[np.triu_indices(n, 1)])

    def averaged(self, threshold: float | None = None) -> Dag:
        """Graph of the edges that are found more often than the threshold, each in its more frequent direction.

        The most frequent arcs come first; one that would close a cycle is reversed. Without constraints no edge is
        lost by this; one that the constraints then do not allow is left out, with a warning.

        Parameters
        ----------
        threshold
            A share of the replicas; by default the `threshold` of these frequencies.
        """
        least = self.threshold if threshold is None else number("threshold", threshold)
        if least >= 1 and threshold is not None:
            raise ParameterError.of("threshold", "below 1", threshold, "edges are found more often than that")
        rules = self.constraints.resolve(self.names)
        parents: list[list[int]] = [[] for _ in self.names]
        reaches = np.eye(len(self.names), dtype=np.bool_)  # [i, j]: there is a way from i to j
        degrees = np.zeros(len(self.names), dtype=np.int32)

        def fits(arc: tuple[int, int]) -> bool:
            i, j = arc
            room = len(parents[j]) < rules.max_parents[j] and (degrees[[i, j]] < rules.max_degree[[i, j]]).all()
            return bool(rules.is_allowed(j, i) and room and not reaches[j, i])

        required: list[tuple[int, int]] = [(i, j) for i, j in rules.required_arcs.tolist()]
        for i, j in (*required, *self._by_frequency(least)):
            chosen = next(filter(fits, ((i, j), (j, i))), None)
            if chosen is None:
                warn(
                    f"the edge between {quoted(self.names[i])} and {quoted(self.names[j])} is left out: with those "
                    "that are more frequent, the constraints allow neither direction",
                    ArcwiseWarning,
                    stacklevel=2,
                )
                continue
            tail, head = chosen
            parents[head].append(tail)
            degrees[[tail, head]] += 1
            reaches[np.ix_(reaches[:, tail], reaches[head])] = True
        return Dag.from_parents(self.names, parents)

    def skeleton(self, threshold: float = 0.0) -> Cpdag:
        """Graph of undirected edges that are found in at least this share of the replicas, with 0 in any of them.

        Of `tree_strengths` it has the candidate neighbours that Ammar & Leray (2011, ECSQARU) draw, and with a
        threshold the pruned ones; `plot_network` makes its edges as wide as they are frequent.
        """
        if number("threshold", threshold) > 1:
            raise ParameterError.of("threshold", "a share from 0 to 1", threshold)
        frequent = np.triu((self.edges > 0) & (self.edges >= threshold - 1e-9), 1)
        return Cpdag(self.names, undirected=[(self.names[i], self.names[j]) for i, j in np.argwhere(frequent)])

    def _by_frequency(self, least: float) -> list[tuple[int, int]]:
        """Return arcs for the edges above a frequency that are not required, the most frequent ones first."""
        above = np.triu(self.edges > least, 1)
        for i, j in self.constraints.resolve(self.names).required_arcs:
            above[[i, j], [j, i]] = False
        arcs = [(i, j) if self.arcs[i, j] >= self.arcs[j, i] else (j, i) for i, j in np.argwhere(above).tolist()]
        return sorted(arcs, key=lambda arc: -self.arcs[arc])

    def _index(self, variable: str | int) -> int:
        return index_of(variable, {name: v for v, name in enumerate(self.names)})

    def __repr__(self) -> str:
        return f"<ArcStrengths: {len(self.names)} variables, {self.n_replicas} replicas, {self.method}>"


def significance_threshold(frequencies: npt.ArrayLike) -> float:
    r"""Frequency above which an edge is significant, by the frequencies of all pairs.

    Scutari & Nagarajan (2013, doi:10.1016/j.artmed.2012.12.006): were it known which edges are there, all frequencies
    would be 0 or 1, and their distribution function would be a constant :math:`t` between. The :math:`t` that is
    nearest to the distribution function :math:`F` of the frequencies that were found,

    .. math:: \hat t = \arg\min_t \int_0^1 |F(x) - t| \,\mathrm{d}x,

    is the share of edges that are not there, and the threshold is :math:`F^{-1}(\hat t) = \inf\{x : F(x) \ge \hat t\}`.

    Notes
    -----
    As F never falls, half of the interval has values up to :math:`F(\frac12)` and half from there on, so that
    :math:`\hat t = F(\frac12)` is nearest. The threshold is the largest frequency up to one half, and the significant
    edges are those that more than half of the replicas have. Where several :math:`t` are as near, this is the largest.

    Examples
    --------
    >>> significance_threshold([0.0, 0.1, 0.45, 0.8, 1.0])
    0.45
    """
    try:
        values = real_numbers(frequencies)
    except TypeError as error:
        raise ParameterError.of("frequencies", f"a list of numbers from 0 to 1: {error}") from None
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ParameterError.of("frequencies", "a list of numbers from 0 to 1")
    lower = values[values <= 0.5]
    return float(lower.max()) if lower.size else 0.0


def bootstrap(
    data: Any,
    method: str | Search | Callable[..., Result] = "greedy",
    m: int = 100,
    *,
    score: str | Score = "bic",
    constraints: Constraints | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_replica: Callable[[int], object] | None = None,
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
        The score to maximise.
    constraints
        What the graphs must and must not have.
    seed
        Draws the replicas, and decides the random choices of the searches; drawn and recorded itself when None.
    workers
        Replicas at the same time; by default one per usable core, and a single one where evaluations are limited. The
        result does not depend on it.
    budget
        When to stop; the replicas that are done by then count.
    on_replica
        Called with the number of replicas that are done.

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
    table, m, seed = Dataset.of(data), count("m", m, least=1), recorded_seed(seed)
    search, name = _search(method)
    definition = score_named(score)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    constraints.resolve(table.names)
    budget = instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    callback("on_replica", on_replica)
    n, begin = table.n_variables, budget.elapsed
    _check_size(n)
    cut_short: list[Status] = []
    targets = () if table.interventions is None else table.interventions.targets
    counts = _Counts(np.zeros((n, n)), np.zeros((n, n)), targets, by_class=_has_classes(constraints, definition))

    def found(replica_seed: int) -> Dag | None:
        if budget.exhausted:
            return None
        replica = LocalScore(table.bootstrap(replica_seed), definition)
        result = search(replica, constraints=constraints, seed=replica_seed, budget=budget.part(apart=True))
        if not isinstance(result, Result):
            raise ParameterError.of("method", f"a Result, but {name} has returned {quoted(result)}", verb="return")
        if result.status in _CUT_SHORT:
            cut_short.append(result.status)
            return None
        return result.dag

    def count_all() -> None:
        for dag in side_by_side(found, until_exhausted(kernel_seeds(seed, m), budget), workers, budget):
            if dag is not None:
                counts.add(dag)
                if on_replica is not None:
                    on_replica(counts.n_graphs)

    budget.run(count_all)
    done = counts.n_graphs
    return ArcStrengths(
        table.names,
        counts.edges / max(done, 1),
        counts.arcs / max(done, 1),
        done,
        _status(budget, cut_short, is_complete=done == m),
        name,
        definition,
        constraints,
        seed,
        budget.elapsed - begin,
    )


def tree_strengths(
    score: LocalScore,
    bagging: Bagging | None = None,
    *,
    workers: int | None = None,
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
    _check_size(n)
    bagged = bagged_trees(score, bagging, workers=workers, budget=budget)
    lower, upper, counts = bagged.edges()
    edges = np.zeros((n, n))
    edges[lower, upper] = edges[upper, lower] = counts / max(len(bagged.parents), 1)
    return ArcStrengths(
        names,
        edges,
        edges / 2,
        len(bagged.parents),
        _status(budget, [], is_complete=bagged.is_complete),
        "trees",
        score_named(bagging.by),
        Constraints(),
        recorded_seed(bagging.seed),
        budget.elapsed - begin,
    )


def _check_size(n: int) -> None:
    if 2 * 8 * n * n > MAX_BYTES:
        raise ParameterError(
            f"the frequencies of all pairs of {n} variables would take {2 * 8 * n * n} bytes, at most {MAX_BYTES} are "
            "allowed; use fewer variables"
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

    edges: Matrix
    arcs: Matrix
    targets: Collection[Collection[str]]
    by_class: bool
    n_graphs: int = 0

    def add(self, dag: Dag) -> None:
        arcs = dag.adjacency()
        either = arcs | arcs.T
        self.edges += either
        if self.by_class:
            possible = dag.cpdag(self.targets).adjacency()
            # A reversible arc is there in both directions.
            self.arcs += np.where(possible & possible.T, 0.5, possible)
        else:
            self.arcs += arcs
        self.n_graphs += 1


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
