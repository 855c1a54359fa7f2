"""A search is an object: its options, what it needs, and one method that runs it; the driver does the rest for all."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, ClassVar

from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Improvement, LocalOptimum, Result, Scope, Status, Tightening, Trace
from arcwise.scores.definitions import SCORES
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted
from arcwise.support.seeds import recorded_seed
from arcwise.support.spelling import respelled
from arcwise.support.suggestions import did_you_mean
from arcwise.support.workers import workers_or_default

__all__ = [
    "Context",
    "Outcome",
    "Problem",
    "Search",
    "changed_options",
    "function_of",
    "options_of",
    "run_search",
    "suitable",
    "with_options",
]


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched for: the graph that scores most, among those that the constraints allow.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    constraints
        What the graph must and must not have.
    start
        A graph to begin with, checked against the constraints; None where there is none.
    """

    score: LocalScore
    constraints: Constraints
    start: Dag | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.score.data.names

    @cached_property
    def rules(self) -> ResolvedConstraints:
        """The constraints as kernels take them."""
        return self.constraints.resolve(self.names)

    @cached_property
    def first(self) -> Dag:
        """The start, or else the graph of the required arcs alone."""
        return self.constraints.checked_start(self.names, self.start)


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
    """

    seed: int
    budget: Budget
    workers: int
    trace: Trace

    def heard(self, point: Improvement) -> None:
        """Hear of an improvement; for searches that this one is made of."""
        self.trace.add([point])


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
    settings
        What it has decided itself, besides its options.
    bound, bound_for, bounds, optima
        As `Result` has them.
    """

    dag: Dag
    score: float
    status: Status | None = None
    counters: Mapping[str, int] = field(default_factory=dict, hash=False)
    settings: Mapping[str, object] = field(default_factory=dict, hash=False)
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
    needs_equivalence
        Whether it needs a score that gives Markov equivalent graphs the same.
    most_variables
        How many variables its kernels can number; None for any number.
    bytes_per_pair
        What it keeps for every ordered pair of variables, measured on 3,000 and 5,000 of them and rounded up.
    """

    name: ClassVar[str]
    needs_equivalence: ClassVar[bool] = False
    most_variables: ClassVar[int | None] = None
    bytes_per_pair: ClassVar[int] = 32

    @abstractmethod
    def run(self, problem: Problem, context: Context) -> Outcome:
        """Search; called within the driver, which has checked the problem and takes care of Ctrl-C."""

    def tolerance(self, score: LocalScore) -> float:
        """Return by how much a score must be better to be an improvement."""
        return score.rounding

    def settings(self) -> dict[str, object]:
        """Return the options as results tell them."""
        return {option.name: getattr(self, option.name) for option in fields(self)}


def run_search(
    search: Search,
    score: LocalScore,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Run a search: check what it is given, let it end with its budget or with Ctrl-C, and tell what came of it.

    Parameters
    ----------
    search
        The search with its options.
    score
        The score to maximise, bound to its data.
    constraints
        What the graph must and must not have.
    start
        A graph to begin with; the result is no worse. By default the graph of the required arcs alone.
    seed
        Decides all random choices, ties among them; drawn and recorded when None. The number of workers does not change
        the result.
    workers
        Threads; by default one per usable core, and one with a limit on evaluations.
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
    """
    score = suitable(instance("score", score, LocalScore), search)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    names = score.data.names
    first = None if start is None else constraints.checked_start(names, start)
    constraints.resolve(names)  # refuses what cannot be before anything is counted
    seed, budget = recorded_seed(seed), instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    trace = Trace(on_improvement, budget, search.tolerance(score))
    evaluations, cache_hits = score.evaluations, score.cache_hits
    problem, context = Problem(score, constraints, first), Context(seed, budget, workers, trace)
    outcome = budget.run(lambda: search.run(problem, context))
    return Result(
        dag=outcome.dag,
        score=outcome.score,
        status=outcome.status or STATUS_OF_REASON[budget.core.reason],
        method=search.name,
        seed=seed,
        seconds=budget.elapsed,
        settings={
            "score": score.score,
            **search.settings(),
            **outcome.settings,
            "constraints": constraints,
            "budget": repr(budget),
        },
        counters={
            "evaluations": score.evaluations - evaluations,
            "cache_hits": score.cache_hits - cache_hits,
            **outcome.counters,
        },
        trace=trace.points,
        bound=outcome.bound,
        bound_for=outcome.bound_for,
        bounds=outcome.bounds,
        optima=outcome.optima,
    )


def suitable(score: LocalScore, search: Search) -> LocalScore:
    """Return the score if the search can work with it, or raise a `ParameterError`."""
    if search.needs_equivalence and not score.score.is_equivalent:
        names = ", ".join(name for name, kind in SCORES.items() if kind.is_equivalent)
        raise ParameterError(
            f"score must give Markov equivalent graphs the same for a search over equivalence classes, which "
            f"{score.score.name} does not; take one of {names}, or search over graphs (greedy, orders)"
        )
    n, most = score.data.n_variables, search.most_variables
    if most is not None and n > most:
        raise ParameterError(f"{search.name} is for at most {most:,} variables, not {n:,}; use greedy")
    return score


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


def changed_options(search: Search) -> dict[str, object]:
    """Return those options of a search that are not its defaults."""
    return {
        option.name: getattr(search, option.name)
        for option in fields(search)
        if getattr(search, option.name) != option.default
    }


def function_of(search: Search, name: str) -> Callable[..., Result]:
    """Return a search as a function: the score comes first, then its options and all that `run_search` takes."""

    def function(
        score: LocalScore,
        *,
        constraints: Constraints | None = None,
        start: Dag | None = None,
        seed: int | None = None,
        workers: int | None = None,
        budget: Budget | None = None,
        on_improvement: Callable[[Improvement], object] | None = None,
        **options: Any,
    ) -> Result:
        return run_search(
            with_options(search, options),
            score,
            constraints=constraints,
            start=start,
            seed=seed,
            workers=workers,
            budget=budget,
            on_improvement=on_improvement,
        )

    kind = type(search)
    common = [parameter for parameter in signature(function).parameters.values() if parameter.name != "options"]
    own = [
        Parameter(option.name, Parameter.KEYWORD_ONLY, default=getattr(search, option.name), annotation=option.type)
        for option in fields(kind)
        if option.init
    ]
    function.__name__ = function.__qualname__ = name
    function.__module__ = kind.__module__
    function.__signature__ = signature(function).replace(parameters=[common[0], *own, *common[1:]])  # type: ignore[attr-defined]
    function.__doc__ = (
        f"{(kind.__doc__ or '').splitlines()[0]}\n\n"
        f"Options are those of `{kind.__name__}`; all else as in `arcwise.run_search`."
    )
    return function
