"""The best graph there is, from data or from a table of parent sets."""

from collections.abc import Callable
from dataclasses import replace

from arcwise.arguments import count, instance
from arcwise.budget import Budget
from arcwise.constraints import Constraints
from arcwise.errors import ParameterError
from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.result import Improvement, Result, Scope
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.candidates import candidate_table
from arcwise.search.exact.dynamic import MEMORY, dynamic_programme, programme_bytes
from arcwise.search.exact.integer import integer_programme
from arcwise.seeds import recorded_seed

__all__ = ["exact"]

# Of the time, the share for the parent sets where these are selected from data.
_SHARE_OF_SETS = 0.3
# The dynamic programme is done in seconds where it needs no more than this: 26 variables on common cycles.
_QUICK_BYTES = 1 << 30
# With more sets than this the integer programme rarely ends, and the dynamic one does not mind.
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
    graphs, and otherwise for those of the selected sets; `Result.bound_for` says which. Tables of few variables go
    through `dynamic_programme`, others through `integer_programme`. When the budget ends, the result is the best graph
    so far, with a bound on how much better another can be.

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
        When to end early; with a time limit, selecting parent sets from data takes at most a third of it.
    workers
        Threads; one per core by default.
    memory
        Bytes that the dynamic programme may take.
    on_improvement
        Called with every improvement; the search ends when it returns True.

    Examples
    --------
    >>> from arcwise.data.examples import load_example
    >>> result = exact(LocalScore(load_example("asia").sample(5000, seed=1)), seed=1)
    >>> str(result.status), result.gap, str(result.bound_for)
    ('optimal', 0.0, 'all graphs')
    """
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    budget = instance("budget", budget, Budget, default=Budget)
    seed, memory, begin = recorded_seed(seed), count("memory", memory), budget.elapsed
    settings: dict[str, object] = {}
    table, scope = source, Scope.GIVEN_SETS
    if isinstance(table, LocalScore):
        settings["score"] = table.score
        part = budget.part(share=_SHARE_OF_SETS)
        table, scope = candidate_table(table, constraints=constraints, budget=part, workers=workers)
    if not isinstance(table, ParentSets):
        raise ParameterError(f"source must be a LocalScore or a ParentSets, not {source!r}")
    needed = programme_bytes(table, constraints=constraints)
    if needed is not None and needed <= (memory if table.n_sets > _MANY_SETS else min(memory, _QUICK_BYTES)):
        result = dynamic_programme(
            table,
            constraints=constraints,
            budget=budget,
            workers=workers,
            memory=memory,
            scope=scope,
            on_improvement=on_improvement,
        )
    else:
        result = integer_programme(
            table,
            constraints=constraints,
            start=start,
            seed=seed,
            budget=budget,
            scope=scope,
            on_improvement=on_improvement,
        )
    return replace(
        result, seed=seed, seconds=budget.elapsed - begin, settings={**result.settings, **settings, "memory": memory}
    )
