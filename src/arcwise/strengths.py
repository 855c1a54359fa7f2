"""How sure an arc is: how often a search finds it on bootstrap replicas of the data."""

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Unpack
from warnings import warn

import numpy as np
import numpy.typing as npt
from scipy import sparse

from arcwise.constraints.constraints import Constraints
from arcwise.data.dataset import Dataset, ReadingOptions
from arcwise.data.missing import MissingValues, learnable
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.graph.growing_order import GrowingOrder
from arcwise.graph.nodes import positions
from arcwise.io.strengths import COLUMNS
from arcwise.network.answers import frame_of
from arcwise.network.network import BayesianNetwork
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Work, Workplace
from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.runs.budget import Budget, until_exhausted
from arcwise.runs.result import STATUS_OF_REASON, Result, Status
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.local_score import LocalScore, targets_of
from arcwise.scores.priors import Adjusted
from arcwise.search.classes.xges import Xges
from arcwise.search.dags.greedy import Greedy
from arcwise.search.registry import search_named
from arcwise.search.search import Problem, Search, function_of, run_search
from arcwise.structural_em import StructuralEM, imputed_replica, score_before_em
from arcwise.support.arguments import (
    callback,
    count,
    either_spelling,
    instance,
    kernel_seeds,
    number,
    real_numbers,
    recorded_seed,
)
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.machine import workers_or_default
from arcwise.support.names import index_of
from arcwise.support.notebooks import MOST_ROWS, html_table
from arcwise.support.quoting import quoted

__all__ = ["ArcStrengths", "bootstrap", "significance_threshold", "tree_strengths"]

# Of the time that is left, what a network by which gaps are filled may take.
_SHARE_OF_EM = 0.5
_CUT_SHORT = (Status.TIME_LIMIT, Status.EVALUATION_LIMIT, Status.INTERRUPTED)

Matrix = sparse.csr_array
Parents = Sequence[Sequence[int]]
Indices = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class ArcStrengths:
    """How often edges, and arcs in each direction, were found on replicas of the data.

    Attributes
    ----------
    names
        The variables, in the order of the matrices.
    edges
        At [i, j] and at [j, i] the share of the replicas in whose graph i and j are adjacent: a sparse matrix of scipy,
        which has entries for pairs that were adjacent at all.
    arcs
        Another one: at [i, j] the share of the replicas that have the arc i -> j. An arc that can be reversed within
        the graph's equivalence class counts half in each direction, unless there were constraints.
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

    def adjacent(self) -> list[tuple[str, str, float, float]]:
        """Pairs that are adjacent in some replica, each both ways round, in the order of the variables.

        With each pair come its `edge` and its `direction`: bnlearn's two numbers.
        """
        edges = self.edges.tocoo()
        tails, heads = edges.row.tolist(), edges.col.tolist()
        directions = (_values_at(self.arcs, edges.row, edges.col) / edges.data).tolist()
        return [
            (self.names[i], self.names[j], strength, direction)
            for i, j, strength, direction in zip(tails, heads, edges.data.tolist(), directions, strict=True)
        ]

    def to_frame(self, backend: str = "polars") -> Any:
        """Frame ("polars", "pandas" or "pyarrow") of what `adjacent` lists, the strongest edges first.

        Its columns are those of the file that ``arcwise bootstrap`` writes and of bnlearn's ``boot.strength``: from,
        to, strength and direction.

        Examples
        --------
        >>> from arcwise.simulation.examples import load_example
        >>> strengths = bootstrap(load_example("cancer").sample(2000, seed=1), m=10, seed=1)
        >>> strengths.to_frame().columns
        ['from', 'to', 'strength', 'direction']
        """
        rows = sorted(self.adjacent(), key=lambda row: (-row[2], -row[3]))
        return frame_of({name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)}, backend)

    @property
    def threshold(self) -> float:
        """Edges that are found more often than this are significant; see `significance_threshold`."""
        return significance_threshold(self.edges.data)  # all other pairs have 0, which no threshold is below

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
        order = GrowingOrder(len(self.names))
        degrees = np.zeros(len(self.names), dtype=np.int32)

        def fits(arc: tuple[int, int]) -> bool:
            i, j = arc
            room = len(parents[j]) < rules.max_parents[j] and (degrees[[i, j]] < rules.max_degree[[i, j]]).all()
            return bool(rules.is_allowed(j, i) and room and not order.reaches(j, i))

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
            order.add(tail, head)
        return Dag.from_parents(self.names, parents)

    def skeleton(self, threshold: float = 0.0) -> Cpdag:
        """Graph of undirected edges that are found in at least this share of the replicas, with 0 in any of them.

        Of `tree_strengths` it has the candidate neighbours that Ammar & Leray (2011, ECSQARU) draw, and with a
        threshold the pruned ones; `plot_network` makes its edges as wide as they are frequent.
        """
        if number("threshold", threshold) > 1:
            raise ParameterError.of("threshold", "a share from 0 to 1", threshold)
        once = sparse.triu(self.edges, 1).tocsr().tocoo()
        frequent = (once.data > 0) & (once.data >= threshold - 1e-9)
        pairs = zip(once.row[frequent].tolist(), once.col[frequent].tolist(), strict=True)
        return Cpdag(self.names, undirected=[(self.names[i], self.names[j]) for i, j in pairs])

    def _by_frequency(self, least: float) -> list[tuple[int, int]]:
        """Return arcs for the edges above a frequency that are not required, the most frequent ones first."""
        required = {frozenset(pair) for pair in self.constraints.resolve(self.names).required_arcs.tolist()}
        once = sparse.triu(self.edges, 1).tocsr().tocoo()
        i, j = once.row[once.data > least], once.col[once.data > least]
        forth, back = _values_at(self.arcs, i, j), _values_at(self.arcs, j, i)
        tails, heads = np.where(forth >= back, i, j), np.where(forth >= back, j, i)
        order = np.argsort(-np.maximum(forth, back), kind="stable")
        arcs = zip(tails[order].tolist(), heads[order].tolist(), strict=True)
        return [arc for arc in arcs if frozenset(arc) not in required]

    def _index(self, variable: str | int) -> int:
        return index_of(variable, self._positions)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return positions(self.names)

    def __repr__(self) -> str:
        return f"<ArcStrengths: {len(self.names)} variables, {self.n_replicas} replicas, {self.method}>"

    def _repr_html_(self) -> str:
        pairs = [row for row in self.adjacent() if row[3] > 0.5 or (row[3] == 0.5 and row[0] < row[1])]
        pairs.sort(key=lambda row: (-row[2], -row[3]))
        rows = [
            [tail, head, f"{strength:.3f}", f"{direction:.3f}"] for tail, head, strength, direction in pairs[:MOST_ROWS]
        ]
        about = f"{self!r} Edges above {self.threshold:.3f} are significant."
        return f"<div><p>{escape(about)}</p>{html_table(COLUMNS, rows, n_rows=len(pairs))}</div>"


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


@either_spelling
def bootstrap(
    data: Any,
    method: str | Search | Callable[..., Result] = "greedy",
    m: int = 100,
    *,
    score: str | Score = "bic",
    constraints: Constraints | None = None,
    missing: MissingValues = "error",
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
        The score to maximise.
    constraints
        What the graphs must and must not have.
    missing
        What missing values do, as in `learn`: with "pairwise" a replica has the gaps of the rows that are drawn. With
        "em" a network is learned once, by structural EM, and the gaps of each replica are filled by draws from what it
        says about them (multiple imputation; `arcwise.structural_em.imputed_replica`).
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
    definition = score_named(score)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    constraints.resolve(table.names)
    budget = instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    callback("on_replica", on_replica)
    n, begin = table.n_variables, budget.elapsed
    cut_short: list[Status] = []
    by_class = _has_classes(constraints, definition)
    counts = _Counts(Matrix((n, n)), Matrix((n, n)), targets_of(table, definition), by_class=by_class)

    def count_all(place: Workplace) -> None:
        filled_by = None
        if missing == "em" and table.has_gaps:
            filled_by = _network_by_em(table, definition, constraints, seed, budget)
        work = Work("replica", _searched, _Replicas(table, definition, constraints, method, filled_by))
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
        _shares(counts.edges, done),
        _shares(counts.arcs, done),
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


def _searched(replicas: _Replicas, seed: int, budget: Budget, threads: int) -> Parents | Status | None:
    """Return the graph of one replica, by its parents; or why its search was cut short; None where it has not begun."""
    if budget.exhausted:
        return None
    table, network = replicas.table, replicas.filled_by
    drawn = table.bootstrap(seed) if network is None else imputed_replica(table, network, seed)
    search, name = _search(replicas.method)
    score = LocalScore(drawn, replicas.score)
    result = search(score, constraints=replicas.constraints, seed=seed, budget=budget.part(apart=True))
    if not isinstance(result, Result):
        raise ParameterError.of("method", f"a Result, but {name} has returned {quoted(result)}", verb="return")
    return result.status if result.status in _CUT_SHORT else result.dag.parent_indices


def _network_by_em(
    table: Dataset, score: Score, constraints: Constraints, seed: int, budget: Budget
) -> BayesianNetwork:
    """Return the network of a table with gaps."""
    first = score_before_em(table, score)
    is_by_class = first.is_equivalent and not constraints.limits_degrees
    rounds = StructuralEM(Xges() if is_by_class else Greedy(moves="a*ds*"))
    part = budget.part(share=_SHARE_OF_EM, apart=True)
    return run_search(rounds, Problem(first, constraints), seed=seed, budget=part).network()


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
    bagged = bagged_trees(score, bagging, workers=workers, budget=budget)
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

    edges: Matrix
    arcs: Matrix
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


def _directed(parents: Sequence[Sequence[int]]) -> Matrix:
    """Return 1 at [i, j] where i is a parent of j."""
    n = len(parents)
    tails = np.fromiter((parent for row in parents for parent in row), dtype=np.intp)
    heads = np.repeat(np.arange(n), [len(row) for row in parents])
    return Matrix((np.ones(len(tails)), (tails, heads)), shape=(n, n))


def _symmetric(n: int, ones: Indices, others: Indices, values: npt.NDArray[np.float64]) -> Matrix:
    """Return values at [i, j] and at [j, i]."""
    rows, columns = np.concatenate([ones, others]), np.concatenate([others, ones])
    return Matrix((np.concatenate([values, values]), (rows, columns)), shape=(n, n))


def _shares(counts: Matrix, n_graphs: int) -> Matrix:
    """Return counts as parts of some graphs; scipy itself would multiply by an inverse that is rounded."""
    return Matrix((counts.data / max(n_graphs, 1), counts.indices, counts.indptr), shape=counts.shape)


def _values_at(matrix: Matrix, rows: Indices, columns: Indices) -> npt.NDArray[np.float64]:
    """Return what a matrix has at some places, 0 where it has no entry."""
    n, entries = matrix.shape[1], matrix.tocoo()
    if not entries.nnz:
        return np.zeros(len(rows))
    places = entries.row.astype(np.int64) * n + entries.col
    order = np.argsort(places)
    wanted = rows.astype(np.int64) * n + columns
    at = order[np.searchsorted(places, wanted, sorter=order).clip(max=len(places) - 1)]
    values: npt.NDArray[np.float64] = np.where(places[at] == wanted, entries.data[at], 0.0)
    return values


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
