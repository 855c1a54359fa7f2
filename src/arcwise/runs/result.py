"""What every search returns."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from threading import RLock
from typing import TYPE_CHECKING, Any

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.data.steps import column_steps
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.network.tables import FamilyCounts
from arcwise.runs.budget import Budget
from arcwise.runs.provenance import Provenance, readable
from arcwise.runs.result_views import html_of, seconds_of, text_of
from arcwise.support.arguments import callback
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import numbered

if TYPE_CHECKING:
    from arcwise.arc_probabilities import ArcProbabilities
    from arcwise.network.network import BayesianNetwork
    from arcwise.pictures.picture import Picture

__all__ = [
    "STATUS_OF_REASON",
    "STRUCTURAL_EM",
    "Improvement",
    "LocalOptimum",
    "Result",
    "Scope",
    "Status",
    "Tightening",
    "Trace",
    "rising",
]


class Status(StrEnum):
    """Why a search ended."""

    OPTIMAL = "optimal"
    COMPLETE = "complete"
    LOCAL_OPTIMUM = "local optimum"
    TIME_LIMIT = "time limit"
    EVALUATION_LIMIT = "evaluation limit"
    SET_LIMIT = "set limit"
    MEMORY_LIMIT = "memory limit"
    INTERRUPTED = "interrupted"
    WORKERS_LOST = "workers lost"


class Scope(StrEnum):
    """Among which graphs none is better than a bound says.

    Examples
    --------
    >>> str(Scope.ALL_SETS), str(Scope.at_most(3))
    ('all graphs', 'all graphs with at most 3 parents')
    """

    CANDIDATE_SETS = "graphs of the candidate parent sets"
    ALL_SETS = "all graphs"

    @classmethod
    def at_most(cls, parents: int) -> "Scope":
        """Return the graphs in which no node has more than so many parents; the same object for the same number."""
        return cls(f"{cls.ALL_SETS} with at most {parents} parent{'s' if parents != 1 else ''}")

    def over(self, n_sets: int | None) -> str:
        """Return the graphs in words, with the number of parent sets that they may have where these are not all.

        Examples
        --------
        >>> Scope.at_most(2).over(2976), Scope.ALL_SETS.over(2976)
        ('all graphs with at most 2 parents per node; 2,976 parent sets', 'all graphs')
        """
        if self is Scope.ALL_SETS:
            return str(self)
        if self is Scope.CANDIDATE_SETS:
            return str(self) if n_sets is None else f"graphs of the {numbered(n_sets, 'candidate parent set')}"
        return f"{self} per node" + ("" if n_sets is None else f"; {numbered(n_sets, 'parent set')}")

    @classmethod
    def _missing_(cls, value: object) -> "Scope | None":
        # There is a member for each number of parents that anybody has asked for.
        match = re.fullmatch(rf"{cls.ALL_SETS} with at most (\d{{1,6}}) parents?", str(value))
        if match is None:
            return None
        member = str.__new__(cls, value)
        member._name_, member._value_ = f"AT_MOST_{match[1]}", str(value)
        return cls._value2member_map_.setdefault(str(value), member)  # type: ignore[return-value]


STATUS_OF_REASON = {
    _core.StopReason.none: Status.LOCAL_OPTIMUM,
    _core.StopReason.time: Status.TIME_LIMIT,
    _core.StopReason.evaluations: Status.EVALUATION_LIMIT,
    _core.StopReason.interrupt: Status.INTERRUPTED,
}
"""What a kernel says about its end, in words; a kernel that was not stopped has reached a local optimum."""


#: The name of the search that learns from tables with gaps round after round (`arcwise.structural_em`).
STRUCTURAL_EM = "em"


@dataclass(frozen=True)
class Improvement:
    """A point of a search's trace: when, after how many evaluations, and the best score from then on."""

    seconds: float
    evaluations: int
    score: float


@dataclass(frozen=True)
class Tightening:
    """A point of a search's bounds: when, and what no graph exceeds from then on."""

    seconds: float
    bound: float


class Trace:
    """The improvements of a running search, told to whoever wants to know.

    Parameters
    ----------
    on_improvement
        Called with every improvement, in the thread that waits for the search or in one of the search's own, never in
        two at a time; the search's budget is interrupted when it returns a true value.
    budget
        The budget of the search.
    tolerance
        By how much a score must be better to be an improvement.
    """

    def __init__(
        self, on_improvement: Callable[[Improvement], object] | None, budget: Budget, tolerance: float = 0.0
    ) -> None:
        self._tolerance = tolerance
        self._points: list[Improvement] = list(budget.journal.trace)
        self._on_improvement = callback("on_improvement", on_improvement)
        self._budget = budget
        self._lock = RLock()
        self._hears_kernels = False  # as soon as it is attached, another thread may ask it to collect
        self._hears_kernels = budget.attach(self)

    def collect(self) -> None:
        """Take in what kernels have shown since the last time; nothing where the search is part of another one."""
        if self._hears_kernels:
            with self._lock:
                shown = self._budget.core.take_improvements()
                self.add(Improvement(point.seconds, point.evaluations, point.score) for point in shown)

    def reach(self, score: float) -> None:
        """Take in the score at which a search has arrived now, if it is better than all before."""
        self.collect()
        self.add([Improvement(self._budget.elapsed, self._budget.evaluations, score)])

    def add(self, points: Iterable[Improvement]) -> None:
        """Take in those points that are better than all before."""
        with self._lock:
            for point in points:
                if not self._points or point.score > self._points[-1].score + self._tolerance:
                    self._points.append(point)
                    self._tell(point)

    def _tell(self, point: Improvement) -> None:
        if self._hears_kernels:  # otherwise how it stands is for the search to say that this one is part of
            self._budget.standing.score = point.score
            self._budget.journal.improved(point)
        if self._on_improvement is not None and self._on_improvement(point):
            self._budget.interrupt()

    @property
    def points(self) -> tuple[Improvement, ...]:
        """The improvements by time: what one worker reports late may have been better than what others had before."""
        return rising(self._points)


def rising(points: Iterable[Improvement]) -> tuple[Improvement, ...]:
    """Return those points that are better than all earlier ones, by time."""
    kept: list[Improvement] = []
    for point in sorted(points, key=lambda point: point.seconds):
        if not kept or point.score > kept[-1].score:
            kept.append(point)
    return tuple(kept)


@dataclass(frozen=True)
class LocalOptimum:
    """An equivalence class that no class next to it improves, as repeated searches met it.

    Attributes
    ----------
    dag
        One of its graphs.
    score
        Their score.
    climbs
        How many climbs ended there.
    """

    dag: Dag
    score: float
    climbs: int

    @property
    def cpdag(self) -> Cpdag:
        """The class."""
        return self.dag.cpdag()


@dataclass(frozen=True, repr=False)
class Result:
    """The best graph a search found, and how it got there.

    Attributes
    ----------
    dag
        The best graph.
    score
        Its score, a natural logarithm; larger is better. That of an `Adjusted` score has what was added to it.
    status
        Why the search ended.
    provenance
        Where it came from: the search with its options, score, constraints, limits, seed and version.
    seconds
        On the clock of its budget, as the trace is: from when that was made to the end of the search, after the seconds
        of earlier parts of a resumed run. Reading the data is not in it, and neither is `bound_seconds`.
    counters
        What it did: evaluations, cache hits, moves.
    trace
        Its improvements, in order; the score only rises.
    bound
        No graph that the constraints allow scores more than this; None where no bound is known.
    bound_for
        Among which graphs the bound holds.
    bounds
        How an exact search brought the bound down, in order.
    optima
        The different local optima that the climbs of a search over classes came to, best first; climbs that were cut
        short have none. Empty for other searches.
    decisions
        What the search decided itself, as words, numbers, lists and mappings: the ``plan`` of ``auto``, the ``order``
        of k2, which way of exact search was taken (``by``).
    data
        What it was learned from, for `network`; None for a search on a table of parent sets. A file keeps the counts of
        the graph's families instead. Results that differ in nothing else are equal.
    targets
        Sets of variables that divide equivalence classes, as `LocalScore.targets` has them: those that an experimenter
        has set together in some rows of the data, and the continuous ones where only discrete ones may be parents of
        discrete ones.
    bound_seconds
        What a bound took that was worked out after the search; 0 where none was.
    """

    dag: Dag
    score: float
    status: Status
    provenance: Provenance
    seconds: float
    counters: Mapping[str, int] = field(default_factory=dict, hash=False)
    trace: tuple[Improvement, ...] = ()
    bound: float | None = None
    bound_for: Scope | None = None
    bounds: tuple[Tightening, ...] = ()
    optima: tuple[LocalOptimum, ...] = ()
    decisions: Mapping[str, Any] = field(default_factory=dict, hash=False)
    data: Dataset | FamilyCounts | None = field(default=None, compare=False)
    targets: tuple[tuple[str, ...], ...] = ()
    bound_seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "decisions", readable(self.decisions))

    @property
    def method(self) -> str:
        """The name of the search."""
        return self.provenance.method

    @property
    def seed(self) -> int:
        """The seed; the same one gives the same graph as long as no time limit cut the search short."""
        return self.provenance.seed

    @property
    def gap(self) -> float | None:
        """How much better than this the best graph can be at most; None where no bound is known."""
        return None if self.bound is None else max(0.0, self.bound - self.score)

    @property
    def cpdag(self) -> Cpdag:
        """The equivalence class of the graph, as far as `targets` do not divide it (`Cpdag.from_dag`)."""
        return self.dag.cpdag(self.targets)

    def network(self, data: Any = None, *, ess: float = 0.0) -> "BayesianNetwork":
        """Return the graph with probabilities.

        A graph that was learned by structural EM has them by EM too (`arcwise.fit_em`), from data with gaps.

        Parameters
        ----------
        data
            What to fit them to; by default, what the graph was learned from. A `Dataset`, or a frame, an array or the
            path of a file, which is read as the data was that the graph was learned from, with its states and cuts.
        ess
            Equivalent sample size of the prior; see `BayesianNetwork.fit`.

        Examples
        --------
        >>> from arcwise import learn, load_example
        >>> learn(load_example("cancer").sample(1000, seed=1), seed=1).network(ess=1)
        <BayesianNetwork: 5 nodes, 1 arc, 6 parameters>
        """
        source = self.data if data is None else self._read(data)
        if source is None:
            raise ParameterError("this result has no data of its own, from which probabilities could be; give data")
        if isinstance(source, Dataset) and source.has_gaps and self.method == STRUCTURAL_EM:
            from arcwise.network.em import fit_em

            return fit_em(self.dag, source, ess=ess).network
        from arcwise.network.network import BayesianNetwork  # with all the questions to it, which no search asks

        return BayesianNetwork.fit(self.dag, source, ess=ess)

    def _read(self, data: Any) -> Dataset | FamilyCounts:
        """Return data in the states of what the graph was learned from, as far as that is known."""
        if isinstance(data, FamilyCounts):
            return data
        if self.data is None:
            return Dataset.of(data)
        from arcwise.network.known import Nodes, data_of

        own, names = self.data, self.dag.names
        states = [own.states[own.index(name)] for name in names] if isinstance(own, Dataset) else own.states
        return data_of(Nodes(self.dag, states, column_steps(own.steps)), data)

    def plot(
        self,
        strengths: "ArcProbabilities | Mapping[tuple[str, str], float] | None" = None,
        groups: Mapping[str, str] | None = None,
        reference: "Dag | Cpdag | BayesianNetwork | Result | None" = None,
        layers: Iterable[Iterable[str]] | None = None,
        title: str | None = None,
        ax: Any = None,
    ) -> "Picture":
        """Return a picture of the graph; see `arcwise.plot_network`."""
        from arcwise.pictures.network import plot_network

        return plot_network(
            self, strengths=strengths, groups=groups, reference=reference, layers=layers, title=title, ax=ax
        )

    def __repr__(self) -> str:
        return text_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    def __str__(self) -> str:
        size = f"{numbered(self.dag.n_arcs, 'arc')} over {numbered(self.dag.n_nodes, 'variable')}"
        ended = f"{self.status} after {seconds_of(self.seconds)} (seed {self.seed})"
        return f"{self.method}: score {self.score:.4f}, {size}, {ended}"
