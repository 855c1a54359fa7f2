"""Parent set selection: from data to a table of candidate parent sets, to which those of a graph can be added."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.data.dataset import Dataset, ReadingOptions
from arcwise.graph.node_lists import NodeLists
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Work
from arcwise.parents.neighbourhoods import CandidateParents, Neighbourhood, candidate_lists
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.set_arrays import offsets
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Status
from arcwise.scores.constants import rules_for
from arcwise.scores.local_score import LocalScore
from arcwise.scores.planned import planned_score
from arcwise.support.arguments import count, either_spelling, instance, number
from arcwise.support.errors import ParameterError
from arcwise.support.machine import workers_or_default
from arcwise.support.messages import Name
from arcwise.support.names import one_of, refuse_unknown

__all__ = ["SELECTIONS", "Limits", "Selected", "select", "with_families"]

SELECTIONS = ("balanced", "sequential", "greedy", "independence", "exhaustive")

# What a set takes in the table: its score, its place, and some members.
_BYTES_PER_SET = 32
# The finished table may take this share of the memory: while it is put together, there are two of it.
_SHARE_OF_THE_TABLE = 4
# Half of the memory is for the searches that run at a time; there is room for at least so many.
_SEARCHES_IN_MEMORY = 4
# So many variables are looked at one by one for a candidate before all of them are listed.
_LOOKED_AT_FIRST = 64


@dataclass(frozen=True)
class Limits:
    """Where the selection of parent sets stops, for each variable.

    Parameters
    ----------
    max_parents
        Parents in a set; no limit when None.
    time_per_variable
        Seconds for one variable; no limit when None.
    scored_per_variable
        Sets to score for one variable; no limit when None. Unlike time, it keeps results reproducible. A batch that has
        begun is finished.
    kept_per_variable
        Sets to keep of one variable, the best ones, and besides them the smallest one, which order search may need;
        what fits the memory when None.
    memory
        Bytes. A quarter of it is for the table, which is in memory twice for a moment; half of it is for the searches
        that run at a time, and a search that has used up its share stops.
    """

    max_parents: int | None = None
    time_per_variable: float | None = 2.0
    scored_per_variable: int | None = None
    kept_per_variable: int | None = None
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        for name in ("max_parents", "scored_per_variable"):
            if getattr(self, name) is not None:
                count(name, getattr(self, name))
        if self.kept_per_variable is not None:
            count("kept_per_variable", self.kept_per_variable, least=1)
        if self.time_per_variable is not None:
            number("time_per_variable", self.time_per_variable)
        count("memory", self.memory, least=1 << 20, reason=" (1 MiB)")


@dataclass(frozen=True)
class Selected:
    """A table of candidate parent sets, and how it was made.

    Attributes
    ----------
    sets
        The table.
    method
        The selection.
    status
        Why it ended: complete, or the first limit that ended the search of some variable.
    complete
        For each variable whether every set of at most `max_parents` candidates is in the table or beaten by one of its
        subsets.
    scored
        How many sets were scored.
    seconds
        How long it took.
    limits
        What it was allowed.
    """

    sets: ParentSets
    method: str
    status: Status
    complete: tuple[bool, ...]
    scored: int
    seconds: float
    limits: Limits

    @property
    def is_exact(self) -> bool:
        """Whether the table is complete for every variable."""
        return all(self.complete)


@dataclass(frozen=True, eq=False)
class _Rules:
    """Which parents the variables must and may have, and how many; lists are made when they are asked for."""

    resolved: ResolvedConstraints
    limits: npt.NDArray[np.int32]

    @classmethod
    def of(cls, resolved: ResolvedConstraints, candidates: NodeLists | None, limits: Limits) -> "_Rules":
        most = resolved.max_parents
        if limits.max_parents is not None:
            most = np.maximum(np.minimum(most, limits.max_parents), resolved.required.lengths.astype(np.int32))
        return cls(resolved if candidates is None else resolved.restricted_to(candidates), most)

    @property
    def n_variables(self) -> int:
        return len(self.limits)

    def required(self, child: int) -> list[int]:
        return self.resolved.required_parents(child)

    def candidates(self, child: int) -> list[int]:
        chosen: list[int] = self.resolved.optional_parents(child).tolist()
        return chosen

    def one_candidate(self, child: int) -> list[int]:
        """Return one of the candidates, if there are any: a list of all takes its time where there are thousands."""
        required = self.required(child)
        for parent in range(min(self.n_variables, _LOOKED_AT_FIRST)):
            if parent not in required and self.resolved.is_allowed(child, parent):
                return [parent]
        return self.candidates(child)[:1]

    def max_parents(self, child: int) -> int:
        return int(self.limits[child])


@dataclass(frozen=True)
class _Selecting:
    """What is needed to select the parent sets of any variable."""

    score: LocalScore
    method: str
    rules: _Rules
    limits: Limits
    workers: int  # of this process, which share the memory
    at_a_time: int  # of all, which share the time


@dataclass(frozen=True)
class _Found:
    """The candidate parent sets of one variable, best first, as `_core.ParentSearchResult` has them."""

    sets: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16], npt.NDArray[np.float64]]]
    scored: int
    stopped_by: _core.StopReason
    is_complete: bool
    was_cut: bool

    @classmethod
    def of(cls, found: _core.ParentSearchResult) -> "_Found":
        return cls([found.take()], found.scored, found.stopped_by, found.is_complete, found.was_cut)

    def take(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16], npt.NDArray[np.float64]]:
        """Return the sets, and leave nothing behind."""
        return self.sets.pop()


@either_spelling
def select(
    score: LocalScore | Any,
    *,
    method: str = "balanced",
    limits: Limits | None = None,
    neighbourhood: Neighbourhood | CandidateParents | None = None,
    constraints: Constraints | None = None,
    workers: int | None = None,
    executor: Any = None,
    budget: Budget | None = None,
    on_variable: Callable[[int, int], object] | None = None,
    **reading: Unpack[ReadingOptions],
) -> Selected:
    r"""Select candidate parent sets for every variable.

    All methods grow sets by one parent at a time and score all extensions of a set in one batch; they differ in which
    set is grown next. The first three are those of Perez & Mauá (2016, JIDM 7(2), section 3).

    sequential
        The smallest: level by level. Sets none of whose supersets can win are left out, by the bounds of de Campos & Ji
        (2011, JMLR 12) for penalised likelihoods and, for the Dirichlet scores, by counting the cells that occur, which
        is tighter than their bound for BDeu; Correia, Cussens & de Campos (2020, AISTATS) tighten it too, and which is
        tighter has not been compared. Exact when it finishes.
    greedy
        The one with the best score.
    independence
        The one whose best extension has the best estimated score, taking gains for independent:
        :math:`sc(Y) + sc(\{Z\}) - sc(\emptyset)`, with the penalty of the whole set where that needs no counts, as in
        BIC (BIC*, eq. 3 of the paper; Scanagatta et al. 2015, NIPS). The paper scores one set at a time,
        here it is eight, those with the best estimates.
    balanced
        The one with the best score among the sets of one size, the sizes taking turns; sets that a subset beats come
        last. Not in the paper: it goes deep as fast as greedy selection and finds many more sets that are not beaten.
    exhaustive
        All sets of all variables, for at most 24 of them: from one lattice of joint counts for scores that equivalent
        graphs share, one by one for others, which takes longer. Exact when it finishes; only time and memory end it
        early.

    The sets of a variable do not depend on the number of workers, as long as the limits are counts.

    Parameters
    ----------
    score
        The score, bound to its data; or the data itself, whatever `Dataset.of` takes, for the score that
        `learn` would pick: BIC, or EBIC for wide data.
    method
        balanced, sequential, greedy, independence or exhaustive.
    limits
        Where to stop, for each variable; two seconds by default.
    neighbourhood
        Restricts the candidates: a function such as `score_filter`, or a mapping from variables to candidate parents.
    constraints
        What the graph must and must not have; sets that break them are not scored.
    workers
        Threads; by default one per usable core.
    executor
        Where variables are searched instead, as in `learn`: the workers of an executor or of a Dask cluster.
    budget
        When to stop altogether. A time limit is shared out fairly among the variables. What was found until then is
        returned.
    on_variable
        Called with the number of finished variables and of all variables, whenever one is finished.
    reading
        How data is read: the options of `Dataset.of`, such as ``discretise="quantile"``.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(2000, seed=1))
    >>> selected = select(score, method="sequential")
    >>> selected.is_exact
    True
    >>> selected.sets.best("Cancer")[1]
    ('Smoker', 'Xray')
    """
    one_of("method", method, SELECTIONS)
    workers = workers_or_default(workers)
    score = _score_of(score, reading)
    limits = instance("limits", limits, Limits, default=Limits)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    budget = instance("budget", budget, Budget, default=Budget)
    if on_variable is not None and not callable(on_variable):
        raise ParameterError.of("on_variable", "a function", on_variable)
    begin = budget.elapsed
    candidates = None
    if neighbourhood is not None:
        candidates = budget.run(lambda: candidate_lists(score, neighbourhood, budget))
    rules = _Rules.of(rules_for(score, constraints), candidates, limits)
    if method == "exhaustive":
        found = [_Found.of(one) for one in _exhausted(score, rules, limits, budget)]
        if on_variable is not None:
            on_variable(len(found), len(found))
    else:
        with workplace_of(executor) as place:
            selecting = _Selecting(score, method, rules, limits, workers, place.at_a_time(workers))
            searched = place.map(
                Work("variable", _searched, selecting), range(len(score.names)), budget, workers=workers
            )
            found = budget.run(lambda: _collected(searched, rules.n_variables, budget, on_variable))
    complete = tuple(result.is_complete for result in found)
    return Selected(
        sets=_table(score.data.names, found),
        method=method,
        status=_status(found, limits),
        complete=complete,
        scored=sum(result.scored for result in found),
        seconds=budget.elapsed - begin,
        limits=limits,
    )


def _score_of(given: LocalScore | Any, reading: ReadingOptions) -> LocalScore:
    """Return a score that is bound to data, the one for data of this size where only data is given."""
    for name in reading:
        if name in Limits.__dataclass_fields__:
            raise ParameterError(Name(name), " is one of the ", Name("limits"), f"; give limits=Limits({name}=…)")
    if not isinstance(given, LocalScore):
        data = Dataset.of(given, **reading)
        return LocalScore(data, planned_score(data)[0])
    if reading:
        refuse_unknown(reading, {*ReadingOptions.__annotations__, "missing"}, "for reading the data")
        raise ParameterError(
            Name(next(iter(reading))),
            " says how a table is read, and the LocalScore has read it; give the table itself",
        )
    return given


def _status(found: list[_Found], limits: Limits) -> Status:
    """Return the weightiest reason why some variable is not complete."""
    if all(result.is_complete for result in found):
        return Status.COMPLETE
    stops = {result.stopped_by for result in found}
    for reason in (_core.StopReason.interrupt, _core.StopReason.time, _core.StopReason.evaluations):
        if reason in stops:
            return STATUS_OF_REASON[reason]
    was_only_cut = all(result.is_complete or result.was_cut for result in found)
    return Status.SET_LIMIT if was_only_cut and limits.kept_per_variable is not None else Status.MEMORY_LIMIT


def _kept(limits: Limits, n_variables: int) -> int:
    room = max(1, limits.memory // _SHARE_OF_THE_TABLE // n_variables // _BYTES_PER_SET)
    return room if limits.kept_per_variable is None else min(room, limits.kept_per_variable)


def _searched(selecting: _Selecting, child: int, budget: Budget, threads: int) -> _Found:
    """Search the parent sets of one variable."""
    rules, limits, n = selecting.rules, selecting.limits, selecting.rules.n_variables
    is_over, share = budget.exhausted, selecting.at_a_time / (n - child)
    part = budget
    if not is_over:
        part = budget.part(limits.time_per_variable, limits.scored_per_variable, share=share, evaluation_share=share)
    found = _core.search_parents(
        selecting.score.core,
        child,
        rules.required(child),
        # When it is over, all that matters is whether there are any.
        rules.one_candidate(child) if is_over else rules.candidates(child),
        _core.Selection[selecting.method],
        max_parents=rules.max_parents(child),
        max_sets=_kept(limits, n),
        max_bytes=limits.memory // 2 // max(selecting.workers, _SEARCHES_IN_MEMORY),
        budget=part.core,
    )
    return _Found.of(found)


def _collected(
    searched: Iterator[_Found],
    n_variables: int,
    budget: Budget,
    on_variable: Callable[[int, int], object] | None,
) -> list[_Found]:
    """Return what was found for all variables, and count them meanwhile."""
    found = []
    try:
        for result in searched:
            found.append(result)
            if on_variable is not None:
                on_variable(len(found), n_variables)
    except BaseException:
        budget.interrupt()
        raise
    return found


def _exhausted(score: LocalScore, rules: _Rules, limits: Limits, budget: Budget) -> list[_core.ParentSearchResult]:
    """Look at all sets of all variables together."""
    n, most = rules.n_variables, _core.max_lattice_variables
    instead = ("use sequential with ", Name("max_parents"))
    if n > most:
        raise ParameterError(f"exhaustive selection is for at most {most} variables, the data has {n}; ", instead)
    table_bytes = 8 << n
    if 2 * table_bytes > limits.memory:
        raise ParameterError(
            f"exhaustive selection needs {2 * table_bytes:,} bytes for {n} variables, more than ",
            Name("memory"),
            f" allows ({limits.memory:,}); raise ",
            Name("memory"),
            " or ",
            instead,
        )
    whole = budget.part(None if limits.time_per_variable is None else n * limits.time_per_variable).core
    return budget.run(
        lambda: _core.exhaust_parents(
            score.core,
            [rules.required(child) for child in range(n)],
            [rules.candidates(child) for child in range(n)],
            [rules.max_parents(child) for child in range(n)],
            max_sets=_kept(limits, n),
            budget=whole,
        )
    )


def _table(names: tuple[str, ...], found: list[_Found]) -> ParentSets:
    """Put the sets of all variables one behind the other; the parts are freed as soon as they are copied."""
    begins, members, scores = (list(parts) for parts in zip(*(result.take() for result in found), strict=True))
    ends = np.cumsum([0, *(len(part) for part in members)])
    variable_begin = np.cumsum([0, *(len(part) for part in scores)]).astype(np.int64)
    all_scores = np.concatenate(scores)
    scores.clear()
    all_members = np.concatenate(members)
    members.clear()
    set_begin = np.concatenate([[0], *(part[1:] + end for part, end in zip(begins, ends, strict=False))])
    return ParentSets(names, variable_begin, set_begin.astype(np.int64, copy=False), all_members, all_scores)


def with_families(table: ParentSets, parents: Sequence[Sequence[int]], score: LocalScore) -> ParentSets:
    """Table that has the given parents of every variable too.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(100, seed=1))
    >>> lists = [[(score.local(v, []), [])] for v in range(5)]
    >>> with_families(ParentSets.from_lists(score.data.names, lists), [[], [], [0], [], []], score).n_sets
    6
    """
    missing = [v for v, of in enumerate(parents) if not _has(table, v, of)]
    ends = table.variable_begin[[v + 1 for v in missing]]
    counted = np.diff(table.variable_begin)
    counted[missing] += 1
    sizes = np.insert(np.diff(table.set_begin), ends, [len(parents[v]) for v in missing])
    at = np.repeat(table.set_begin[ends], [len(parents[v]) for v in missing])
    members = np.insert(table.members, at, [member for v in missing for member in sorted(parents[v])])
    scores = np.insert(table.scores, ends, [score.local(v, parents[v]) for v in missing])
    return ParentSets.from_arrays(table.names, offsets(counted), offsets(sizes), members, scores)


def _has(table: ParentSets, variable: int, parents: Sequence[int]) -> bool:
    first, last = table.variable_begin[variable : variable + 2]
    candidates = first + np.flatnonzero(np.diff(table.set_begin[first : last + 1]) == len(parents))
    members = table.members[table.set_begin[candidates][:, None] + np.arange(len(parents))]
    return bool((members == np.sort(np.asarray(parents, dtype=np.intp))).all(axis=1).any())
