"""The best graph there is, from data or from a table of parent sets."""

from collections.abc import Callable
from dataclasses import replace
from math import prod

from arcwise import _core
from arcwise.arguments import instance
from arcwise.budget import Budget
from arcwise.constraints import Constraints
from arcwise.errors import ParameterError
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import Limits, select
from arcwise.result import Improvement, Result, Scope
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.dynamic import MEMORY, dynamic_programme

__all__ = ["exact"]


def exact(
    source: LocalScore | ParentSets,
    *,
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    workers: int | None = None,
    memory: int = MEMORY,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Find the best graph and prove that no other is better.

    Data is scored first: exhaustively where that is possible, else by sequential selection of parent sets. If all sets
    could be looked at, the proof holds for all graphs, and for those of the selected sets otherwise; `Result.bound_for`
    says which.

    Parameters
    ----------
    source
        A score bound to its data, or a table of parent sets.
    constraints
        What the graph must and must not have.
    limits
        Where the selection of parent sets from data stops; by default only where time and memory end.
    budget
        When to end early, with the best graph and the best bound so far.
    workers
        Threads; one per core by default.
    memory
        Bytes; a problem that needs more is refused.
    on_improvement
        Called with every improvement; the search ends when it returns True.

    Examples
    --------
    >>> from arcwise.data.examples import load_example
    >>> result = exact(LocalScore(load_example("asia").sample(5000, seed=1)))
    >>> str(result.status), result.gap, str(result.bound_for)
    ('optimal', 0.0, 'all graphs')
    """
    if isinstance(source, LocalScore):
        constraints = instance("constraints", constraints, Constraints, default=Constraints)
        budget = instance("budget", budget, Budget, default=Budget)
        limits = instance("limits", limits, Limits, default=lambda: Limits(time_per_variable=None))
        method = "exhaustive" if _can_exhaust(source, limits) else "sequential"
        begin = budget.elapsed
        selected = select(source, method=method, limits=limits, constraints=constraints, workers=workers, budget=budget)
        is_complete = selected.is_exact and limits.max_parents is None
        result = dynamic_programme(
            selected.sets,
            constraints=constraints,
            budget=budget,
            workers=workers,
            memory=memory,
            scope=Scope.ALL_SETS if is_complete else Scope.GIVEN_SETS,
            on_improvement=on_improvement,
        )
        return replace(
            result,
            seconds=budget.elapsed - begin,
            settings={**result.settings, "score": source.score, "limits": limits, "selection": method},
            counters={**result.counters, "scored": selected.scored},
        )
    if not isinstance(source, ParentSets):
        raise ParameterError(f"source must be a LocalScore or a ParentSets, not {source!r}")
    if limits is not None:
        raise ParameterError("limits are for the selection of parent sets from data; a table has its sets already")
    return dynamic_programme(
        source,
        constraints=constraints,
        budget=budget,
        workers=workers,
        memory=memory,
        on_improvement=on_improvement,
    )


def _can_exhaust(score: LocalScore, limits: Limits) -> bool:
    """Whether all parent sets come from one lattice of counts; see `select`."""
    n = score.data.n_variables
    return (
        score.score.is_equivalent
        and n <= _core.max_lattice_variables
        and prod(score.data.arities) <= _core.max_lattice_configurations
        and 16 << n <= limits.memory
    )
