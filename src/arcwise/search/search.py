"""A search is an object: its problem, its options, what it needs, how it runs; the driver does the rest for all."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce
from inspect import Parameter, Signature, signature
from logging import DEBUG, INFO
from operator import or_
from typing import Any, ClassVar, TypeVar
from warnings import warn

from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.data.summary import Summarised
from arcwise.graph.dag import Dag
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Threads, Workplace
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.runs.provenance import Provenance, RunLimits, Task
from arcwise.runs.result import STATUS_OF_REASON, Improvement, LocalOptimum, Result, Scope, Status, Tightening, Trace
from arcwise.scores.constants import rules_for
from arcwise.scores.definitions import SCORES, PythonScore, Score, scores_for
from arcwise.scores.local_score import LocalScore
from arcwise.scores.priors import Adjusted
from arcwise.support.arguments import instance, made_of, recorded_seed, respelled
from arcwise.support.errors import ArcwiseWarning, ParameterError, WorkersLostError
from arcwise.support.log import log
from arcwise.support.machine import workers_or_default
from arcwise.support.messages import Name, Setting
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import quoted

__all__ = [
    "Context",
    "Outcome",
    "Problem",
    "Search",
    "Source",
    "function_of",
    "options_of",
    "run_journaled",
    "run_search",
    "suitable",
    "task_of",
    "with_options",
]

#: What scores graphs: a score bound to its data, or a table of candidate parent sets with their scores. Both have
#: ``names``, ``total``, ``rounding`` and ``counters``.
Source = LocalScore | ParentSets


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched for: the graph that scores most, among those that the constraints allow.

    Parameters
    ----------
    source
        What scores graphs: a `LocalScore`, or a table of candidate parent sets (`ParentSets`).
    constraints
        What the graph must and must not have.
    start
        A graph to begin with, checked against the constraints; None where there is none.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b"], [[(-2, []), (-1, ["b"])], [(-2, []), (-1, ["a"])]])
    >>> Problem(table, Constraints(forbidden=[("a", "b")])).names
    ('a', 'b')
    """

    source: Source
    constraints: Constraints = field(default_factory=Constraints)
    start: Dag | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, LocalScore | ParentSets):
            advice = made_of(self.source, LocalScore, ParentSets)
            raise ParameterError.of("source", "a LocalScore or a ParentSets", self.source, advice)
        instance("constraints", self.constraints, Constraints)
        if self.start is not None:
            object.__setattr__(self, "start", self.constraints.checked_start(self.names, self.start))
            if isinstance(self.source, LocalScore):
                self.source.check_families(self.start)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.source.names

    @property
    def score(self) -> LocalScore:
        """The score, for searches that take one."""
        if isinstance(self.source, LocalScore):
            return self.source
        raise ParameterError(f"the problem has {self.source}, and not a LocalScore")

    @property
    def table(self) -> ParentSets:
        """The table, for searches that take one."""
        if isinstance(self.source, ParentSets):
            return self.source
        raise ParameterError(f"the problem has {self.source}, and not a table of parent sets")

    @property
    def definition(self) -> Score | None:
        """What is maximised; None where a table has the scores and does not say of what they are."""
        return self.source.score if isinstance(self.source, LocalScore) else None

    @property
    def data(self) -> Summarised:
        """What tells this problem from others: the data, or the table."""
        return self.source.data if isinstance(self.source, LocalScore) else self.source

    @cached_property
    def rules(self) -> ResolvedConstraints:
        """The constraints as kernels take them, without arcs of which data say nothing (`arcwise.scores.constants`)."""
        if isinstance(self.source, LocalScore):
            return rules_for(self.source, self.constraints, self.start)
        return self.constraints.resolve(self.names)

    @cached_property
    def first(self) -> Dag:
        """The start, or else the graph of the required arcs alone."""
        return self.constraints.checked_start(self.names, self.start)


# What else a problem has, and may be left out.
_OF_PROBLEM = {"constraints": Constraints | None, "start": Dag | None}


@dataclass(frozen=True, eq=False)
class Context:
    """What a search runs in.

    Parameters
    ----------
    seed
        Decides all random choices.
    budget
        When to end; its journal knows what an earlier part of the run has left.
    workers
        How many threads to use. With a limit on evaluations there is one, so that the same seed gives the same graph.
    trace
        What hears of improvements.
    place
        Where tasks such as climbs are done.
    """

    seed: int
    budget: Budget
    workers: int
    trace: Trace
    place: Workplace = field(default_factory=Threads)

    def aside(self, budget: Budget) -> "Context":
        """Return the context of a search within this one, of whose improvements only what kernels show is heard."""
        return replace(self, budget=budget, trace=Trace(None, budget))


@dataclass(frozen=True)
class Outcome:
    """What a search has found, and what only it can tell about that; `Result` has the rest.

    Attributes
    ----------
    dag, score
        The best graph, and its score.
    status
        Why the search ended; None where its budget says so, or it is a local optimum.
    counters
        What it did, besides evaluations.
    decisions
        What it has decided itself, as `Result` has it.
    bound, bound_for, bounds, optima
        As `Result` has them.
    """

    dag: Dag
    score: float
    status: Status | None = None
    counters: Mapping[str, int] = field(default_factory=dict, hash=False)
    decisions: Mapping[str, object] = field(default_factory=dict, hash=False)
    bound: float | None = None
    bound_for: Scope | None = None
    bounds: tuple[Tightening, ...] = ()
    optima: tuple[LocalOptimum, ...] = ()


@dataclass(frozen=True)
class Search(ABC):
    """A way to search, with its options; subclasses are frozen dataclasses whose fields are the options.

    Attributes
    ----------
    name
        What it is called in `learn`, in results and on the command line.
    takes
        What it can search on: a score, a table of parent sets, or both.
    needs_equivalence
        Whether it needs a score that gives Markov equivalent graphs the same, on data without interventions.
    needs_states
        Whether it is for discrete data only.
    most_variables
        How many variables its kernels can number; None for any number.
    bytes_per_pair
        What it keeps for every ordered pair of variables, measured on 3,000 and 5,000 of them and rounded up.
    bytes_per_variable
        What it keeps for every variable besides, with the arcs to it.
    honours_degrees
        Whether it keeps to limits on adjacent nodes (`Constraints.max_degree`); such constraints are refused otherwise.
    honours_ancestors
        Whether it keeps to rules about ancestors (`Constraints.required_ancestors`); they are refused otherwise.
    has_own_score
        Whether the score of its result is not that of the graph alone, so that no checkpoint can be checked by it.
    """

    name: ClassVar[str]
    takes: ClassVar[tuple[type[Source], ...]] = (LocalScore,)
    needs_equivalence: ClassVar[bool] = False
    needs_states: ClassVar[bool] = False
    most_variables: ClassVar[int | None] = None
    bytes_per_pair: ClassVar[int] = 32
    bytes_per_variable: ClassVar[int] = 0
    honours_degrees: ClassVar[bool] = False
    honours_ancestors: ClassVar[bool] = False
    has_own_score: ClassVar[bool] = False

    @abstractmethod
    def run(self, problem: Problem, context: Context) -> Outcome:
        """Search; called within the driver, which has checked the problem and takes care of Ctrl-C."""

    def kept_bytes(self, n_variables: int) -> int:
        """Return what it keeps besides the data and the scores, for so many variables."""
        return (self.bytes_per_pair * n_variables + self.bytes_per_variable) * n_variables

    def tolerance(self, source: Source) -> float:
        """Return by how much a score must be better to be an improvement."""
        return source.rounding

    def asked(self, problem: Problem, seed: int, limits: RunLimits) -> Provenance:
        """Return what a result of this search has to say about where it came from."""
        options = {option.name: getattr(self, option.name) for option in fields(self)}
        return Provenance(
            self.name, seed, problem.definition, options, problem.constraints, start=problem.start, limits=limits
        )


def run_search(
    search: Search,
    problem: Problem | Source,
    *,
    seed: int | None = None,
    workers: int | None = None,
    executor: Any = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Run a search: check what it is given, let it end with its budget or with Ctrl-C, and tell what came of it.

    Parameters
    ----------
    search
        The search with its options.
    problem
        What scores graphs, with constraints and a start; or a `LocalScore` or a `ParentSets` alone, where there are
        neither.
    seed
        Decides all random choices, ties among them; drawn and recorded when None. The number of workers does not change
        the result.
    workers
        Threads; by default one per usable core, and one with a limit on evaluations.
    executor
        Where climbs and other tasks are done, as in `learn`; on threads of this process when None.
    budget
        When to end early; the best graph so far is returned then.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise import Greedy, LocalScore, load_example
    >>> score = LocalScore(load_example("cancer").sample(5000, seed=1), "bic")
    >>> result = run_search(Greedy(moves="a*ds*"), score, seed=1)
    >>> result.method, result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    ('sgs3', True)
    >>> apart = Constraints(forbidden=[("Smoker", "Cancer"), ("Cancer", "Smoker")])
    >>> run_search(Greedy(), Problem(score, apart), seed=1).dag.has_arc("Smoker", "Cancer")
    False
    """
    problem = problem if isinstance(problem, Problem) else Problem(suitable(problem, search))
    source = suitable(problem.source, search)
    _ = problem.rules  # refuses what cannot be before anything is counted
    if not search.honours_degrees:
        problem.constraints.refuse_degrees(search.name)
    if not search.honours_ancestors:
        problem.constraints.refuse_ancestors(search.name)
    seed, budget = recorded_seed(seed), instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    trace = Trace(on_improvement, budget, search.tolerance(source))
    level = DEBUG if budget.is_part else INFO  # those within others, such as the searches of a bootstrap, are many
    log.log(level, "%s begins: %s, seed %d, %d workers", search.name, _about(problem), seed, workers)
    with workplace_of(executor) as place:
        before, there = source.counters, _There(place)
        context = Context(seed, budget, workers, trace, place)
        try:
            outcome = budget.run(lambda: search.run(problem, context))
        except WorkersLostError as error:
            outcome = _best_before(error, problem, budget)
        decisions = {**outcome.decisions, **there.decisions(search.name)}
    made = {name: now - before[name] for name, now in source.counters.items()}
    if there.evaluations:
        made["evaluations"] += there.evaluations
    result = Result(
        dag=outcome.dag,
        score=outcome.score,
        status=Status.WORKERS_LOST if place.is_lost else outcome.status or STATUS_OF_REASON[budget.core.reason],
        provenance=search.asked(problem, seed, budget.limits),
        seconds=budget.elapsed,
        counters={**made, **outcome.counters},
        trace=trace.points,
        bound=outcome.bound,
        bound_for=outcome.bound_for,
        bounds=outcome.bounds,
        optima=outcome.optima,
        decisions=decisions,
        data=source.data if isinstance(source, LocalScore) else None,
        targets=source.targets if isinstance(source, LocalScore) else (),
    )
    log.log(level, "%s", result)
    return result


def _best_before(error: WorkersLostError, problem: Problem, budget: Budget) -> Outcome:
    """Return the best graph that kernels had shown before the rows were lost; raise the error where there is none."""
    best = budget.best_graph
    if best is None:
        raise error
    budget.interrupt()  # for what would come after it, such as a bound
    warn(
        f"the rows are lost with their workers, which ends the search with the best so far: {error}",
        ArcwiseWarning,
        stacklevel=3,
    )
    return Outcome(Dag.from_parents(problem.names, best.parents), best.score, Status.WORKERS_LOST)


def _about(problem: Problem) -> str:
    """Return what a search is on, for the log."""
    size = f"{len(problem.names):,} variables"
    if isinstance(problem.source, LocalScore):
        return f"{size}, {problem.score.data.n_rows:,} rows, {problem.score.score}"
    return f"{size}, a table of parent sets"


class _There:
    """What one search has had done elsewhere."""

    def __init__(self, place: Workplace) -> None:
        self._place, self._done, self._evaluations = place, place.done, place.evaluations

    @property
    def evaluations(self) -> int:
        return self._place.evaluations - self._evaluations

    def decisions(self, search: str) -> dict[str, str]:
        """Return where tasks were done, for the result; warn where that should have been elsewhere, and was not."""
        words, done = self._place.words, self._place.done - self._done
        if words is None:
            return {}
        if not done and not (self._place.is_broken or self._place.is_lost):
            warn(
                f"nothing was done by {words}: {search} has worked in this process, as it does where it has no tasks "
                "side by side or evaluations are limited",
                ArcwiseWarning,
                stacklevel=4,
            )
        return {"where": f"{done:,} tasks by {words}"} if done else {}


def task_of(search: Search, problem: Problem, seed: int | None, limits: RunLimits) -> Task:
    """Return what a run of a search on a problem is about, for its journal (`arcwise.runs.checkpoints.journal_of`).

    Parameters
    ----------
    search
        The search with its options.
    problem
        What it searches for.
    seed
        As the user gave it: None leaves it to the checkpoint.
    limits
        Those of the run.
    """
    total = None if search.has_own_score else problem.source.total
    return Task(problem.data, total, search.asked(problem, 0 if seed is None else seed, limits), seed)


def run_journaled(
    search: Search,
    problem: Problem,
    budget: Budget,
    *,
    workers: int | None = None,
    executor: Any = None,
    on_improvement: Callable[[Improvement], object] | None = None,
    finish: Callable[[Result], Result] = lambda result: result,
) -> Result:
    """Run a search as that of the journal of its budget: with its seed, after its earlier parts, and heard to the end.

    Parameters
    ----------
    search, problem, workers, executor, on_improvement
        As in `run_search`.
    budget
        When to end early; its journal says what the seed is, and hears how the run has ended.
    finish
        What is done with the result of the whole run before the journal hears of it.
    """
    journal = budget.journal

    def whole() -> Result:
        found = run_search(
            search,
            problem,
            seed=journal.seed,
            workers=workers,
            executor=executor,
            budget=budget,
            on_improvement=on_improvement,
        )
        result = finish(journal.searched(found))
        journal.close(result)
        return result

    return budget.run(whole)  # all of it, so that Ctrl-C loses nothing wherever it comes


Suited = TypeVar("Suited", LocalScore, ParentSets, LocalScore | ParentSets)


def suitable(source: Suited, search: Search) -> Suited:
    """Return what scores graphs if the search can work with it, or raise a `ParameterError`."""
    if not isinstance(source, search.takes):
        kinds = " or a ".join(kind.__name__ for kind in search.takes)
        raise ParameterError.of(_name_of_source(type(search)), f"a {kinds}", source, made_of(source, *search.takes))
    if search.needs_states and isinstance(source, LocalScore):
        source.data.refuse_continuous(search.name, "search over graphs or orders (orders, greedy, sgs3, tabu, exact)")
        source.data.refuse_gaps(search.name)
    if search.needs_equivalence and isinstance(source, LocalScore) and not source.is_equivalent:
        if source.has_discrete_first:
            raise ParameterError(
                f"{search.name} goes from one equivalence class to the next, and {source.score.name} tells equivalent "
                "graphs apart: a discrete variable cannot have continuous parents; take ",
                Setting("score", "dg"),
                ", or search over graphs or orders (orders, greedy, sgs3, tabu, exact)",
            )
        if source.score.is_equivalent and source.data.has_gaps:
            raise ParameterError(
                f"{search.name} goes from one equivalence class to the next, and the gaps of the data make "
                "equivalent graphs score differently, because each family is scored on different rows; search over "
                "graphs or orders (orders, greedy, sgs3, tabu, exact)"
            )
        if source.score.is_equivalent:
            raise ParameterError(
                f"{search.name} goes from one equivalence class to the next, and the interventions of the data tell "
                "equivalent graphs apart; search over graphs or orders (orders, greedy, sgs3, tabu, exact)"
            )
        names = ", ".join(name for name in scores_for(source.data.kind) if SCORES[name].is_equivalent)
        is_by_prior = isinstance(source.score, Adjusted) and source.score.base.is_equivalent
        instead = "give its prior edges instead of arcs" if is_by_prior else f"take one of {names}"
        raise ParameterError(
            Name("score"),
            f" must give Markov equivalent graphs the same for a search over equivalence classes, which "
            f"{source.score.name} does not; {instead}, or search over graphs (greedy, orders)",
            "; if it does, set is_equivalent = True in its class" if isinstance(source.score, PythonScore) else "",
        )
    n, most = len(source.names), search.most_variables
    if most is not None and n > most:
        raise ParameterError(f"{search.name} is for at most {most:,} variables, not {n:,}; use greedy")
    return source


def _name_of_source(kind: type[Search]) -> str:
    """Return what the first argument of a search is called, by what it may be."""
    if len(kind.takes) > 1:
        return "source"
    return "score" if kind.takes == (LocalScore,) else "table"


def options_of(kind: type[Search]) -> tuple[str, ...]:
    """Return the names of the options of a kind of search."""
    return tuple(option.name for option in fields(kind) if option.init)


def with_options(search: Search, options: Mapping[str, Any]) -> Search:
    """Return the search with other options, or raise a `ParameterError` that names those it has."""
    known, options = options_of(type(search)), respelled(options)
    unknown = sorted(set(options) - set(known))
    if unknown:
        others = f"its options are {', '.join(sorted(known))}" if known else "it has none"
        hint = did_you_mean(unknown[0], known)
        raise ParameterError(f"{search.name} has no option {quoted(unknown[0])}; {others}{hint}")
    return type(search)(**{**{name: getattr(search, name) for name in known}, **options})


def function_of(search: Search, name: str) -> Callable[..., Result]:
    """Return a search as a function: what scores graphs comes first, then options, and what problems and runs have."""
    kind = type(search)
    run_by = {parameter.name: parameter for parameter in signature(run_search).parameters.values()}
    run_by = {name: parameter for name, parameter in run_by.items() if parameter.kind is Parameter.KEYWORD_ONLY}

    def function(source: Source, /, **given: Any) -> Result:
        options = {name: value for name, value in given.items() if name not in (*_OF_PROBLEM, *run_by)}
        asked = with_options(search, options)
        posed = {name: given[name] for name in _OF_PROBLEM if given.get(name) is not None}
        problem = Problem(suitable(source, asked), **posed)
        return run_search(asked, problem, **{name: given[name] for name in run_by if name in given})

    first = Parameter(_name_of_source(kind), Parameter.POSITIONAL_ONLY, annotation=reduce(or_, kind.takes))
    own = [
        Parameter(option.name, Parameter.KEYWORD_ONLY, default=getattr(search, option.name), annotation=option.type)
        for option in fields(kind)
        if option.init
    ]
    posed = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in _OF_PROBLEM.items()
    ]
    function.__name__ = function.__qualname__ = name
    function.__module__ = kind.__module__
    function.__signature__ = Signature([first, *own, *posed, *run_by.values()], return_annotation=Result)  # type: ignore[attr-defined]
    function.__doc__ = (
        f"{(kind.__doc__ or '').splitlines()[0]}\n\n"
        f"Options are those of `{kind.__name__}`; constraints and start are those of `arcwise.Problem`, all else as in "
        "`arcwise.run_search`."
    )
    return function
