"""The best graph there is, from data or from a table of parent sets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.parents.families import with_families
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result, Scope, Status
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.candidates import candidate_table
from arcwise.search.exact.dynamic import MEMORY, dynamic_programming, subset_bytes
from arcwise.search.exact.integer import solved, warn_without_solver
from arcwise.search.exact.relaxation import Relaxation
from arcwise.search.search import Context, Outcome, Problem, Search, run_search
from arcwise.support.arguments import count, instance
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted
from arcwise.support.seeds import recorded_seed
from arcwise.support.workers import workers_or_default

__all__ = ["Exact", "best_graph", "exact"]

# Of the time, the share for the parent sets where these are selected from data.
_SHARE_OF_SETS = 0.3
# Dynamic programming is done in a moment where it needs no more than this: 23 variables on common cycles.
_QUICK_BYTES = 1 << 26
# For a bound where dynamic programming did not end: the budget has ended too.
_QUICK_SECONDS = 0.1
# With more sets than this integer programming rarely ends, and dynamic programming does not mind.
_MANY_SETS = 20_000


def exact(
    source: LocalScore | ParentSets,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    seed: int | None = None,
    budget: Budget | None = None,
    workers: int | None = None,
    memory: int = MEMORY,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Find the best graph and prove that no other is better.

    Parent sets are selected from data first, all of them where time and memory allow it: then the proof holds for all
    graphs and the status is ``optimal``; otherwise it holds for graphs of the selected sets, and the status says why
    there are no more of them. `Result.bound_for` says which. Tables of few variables go through `dynamic_programming`,
    others through `integer_programming`. When the budget ends, the result is the best graph so far, with a bound on how
    much better another can be.

    Parameters
    ----------
    source
        A score bound to its data, or a table of parent sets.
    constraints
        What the graph must and must not have.
    start
        A graph that a search over orders begins with, where there is one.
    seed
        Decides random choices of that search and of the solver; drawn and recorded when None.
    budget
        When to end early; with a time limit, selecting parent sets from data takes at most 30 % of it.
    workers
        Threads; by default one per usable core.
    memory
        Bytes that the parent sets, and then dynamic programming, may take.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> result = exact(LocalScore(load_example("asia").sample(5000, seed=1)), seed=1)
    >>> str(result.status), result.gap, str(result.bound_for)
    ('optimal', 0.0, 'all graphs')
    """
    if isinstance(source, LocalScore):
        return run_search(
            Exact(memory),
            source,
            constraints=constraints,
            start=start,
            seed=seed,
            workers=workers,
            budget=budget,
            on_improvement=on_improvement,
        )
    if not isinstance(source, ParentSets):
        raise ParameterError(f"source must be a LocalScore or a ParentSets, not {quoted(source)}")
    table = source
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    budget = instance("budget", budget, Budget, default=Budget)
    seed, memory = recorded_seed(seed), count("memory", memory)
    workers = workers_or_default(workers)
    first = None if start is None else constraints.checked_start(table.names, start)
    result = budget.run(
        lambda: best_graph(
            table,
            constraints=constraints,
            start=_earlier(table.names, budget) or first,
            seed=seed,
            budget=budget,
            workers=workers,
            memory=memory,
            scope=Scope.CANDIDATE_SETS,
            on_improvement=on_improvement,
        )
    )
    warn_without_solver(result)
    return replace(
        result,
        method="exact",
        seed=seed,
        seconds=budget.elapsed,
        settings={**result.settings, "by": result.method, "memory": memory},
        counters={**result.counters, "evaluations": 0},
    )


def _earlier(names: Sequence[str], budget: Budget) -> Dag | None:
    """Return the best graph of an earlier part of the run; None where there was none."""
    earlier = budget.journal.earlier_best
    return None if earlier is None else Dag.from_parents(names, earlier.parents)


@dataclass(frozen=True)
class Exact(Search):
    """Find the best graph and prove that no other is better; see `exact`.

    Parameters
    ----------
    memory
        Bytes that the parent sets, and then dynamic programming, may take.
    """

    memory: int = MEMORY

    name = "exact"

    def __post_init__(self) -> None:
        count("memory", self.memory)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Select the parent sets, all of them if possible, and find the best graph over them."""
        budget, score = context.budget, problem.score
        table, scope, selection = candidate_table(
            score,
            constraints=problem.constraints,
            budget=budget.part(share=_SHARE_OF_SETS),
            workers=context.workers,
            memory=self.memory,
        )
        start = _earlier(problem.names, budget) or problem.start
        if start is not None:
            table = with_families(table, start.parent_indices, score)
        result = best_graph(
            table,
            constraints=problem.constraints,
            start=start,
            seed=context.seed,
            budget=budget,
            workers=context.workers,
            memory=self.memory,
            scope=scope,
            on_improvement=context.heard,
        )
        warn_without_solver(result)
        is_optimum_of_few = result.status is Status.OPTIMAL and selection is not Status.COMPLETE
        return Outcome(
            result.dag,
            result.score,
            selection if is_optimum_of_few else result.status,
            counters=result.counters,
            settings={**result.settings, "by": result.method},
            bound=result.bound,
            bound_for=result.bound_for,
            bounds=result.bounds,
        )


def best_graph(
    table: ParentSets,
    *,
    constraints: Constraints,
    start: Dag | None,
    seed: int,
    budget: Budget,
    workers: int | None = None,
    memory: int,
    scope: Scope,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Return what `exact` finds on a table, by the way that suits it; nobody is warned of a missing solver."""
    needed = subset_bytes(table, constraints=constraints)
    if needed is None or needed > (memory if table.n_sets > _MANY_SETS else min(memory, _QUICK_BYTES)):
        return solved(
            table,
            constraints=constraints,
            start=start,
            seed=seed,
            budget=budget,
            workers=workers,
            scope=scope,
            on_improvement=on_improvement,
        )
    result = dynamic_programming(
        table,
        constraints=constraints,
        budget=budget,
        workers=workers,
        memory=memory,
        scope=scope,
        on_improvement=on_improvement,
    )
    if result.status is Status.OPTIMAL:
        return result
    return _with_quick_bound(_no_worse_than(start, result, table, budget), table, constraints, workers)


def _no_worse_than(start: Dag | None, result: Result, table: ParentSets, budget: Budget) -> Result:
    """Return the result, or the start in its place where that is better."""
    if start is None or (score := table.total(start)) <= result.score:
        return result
    last = Improvement(budget.elapsed, budget.evaluations, score)
    return replace(result, dag=start, score=score, trace=(*result.trace, last))


def _with_quick_bound(result: Result, table: ParentSets, constraints: Constraints, workers: int | None) -> Result:
    """Return a result that dynamic programming did not finish, with a bound that takes a moment."""
    relaxation = Relaxation(table.constrained(constraints), workers)
    relaxation.ascend(Budget(_QUICK_SECONDS))
    relaxation.tighten(None)
    assert result.bound is not None
    return replace(result, bound=max(result.score, min(result.bound, relaxation.bound)))
