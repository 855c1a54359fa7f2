"""A bound for the result of any search."""

from collections.abc import Callable
from dataclasses import replace

from arcwise.runs.budget import Budget
from arcwise.runs.result import Result, Scope, Status, Tightening, Trace
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.candidates import Candidates, candidate_table
from arcwise.search.exact.dynamic import MEMORY
from arcwise.search.exact.front import best_graph
from arcwise.search.search import Context, Outcome, Problem
from arcwise.support.arguments import count, instance, number
from arcwise.support.machine import workers_or_default

__all__ = ["certified"]

# Of the time, the share for the parent sets; the rest is for the bound over them.
_SHARE_OF_SETS = 0.3


def certified(
    result: Result,
    problem: Problem | LocalScore,
    *,
    seconds: float,
    workers: int | None = None,
    memory: int = MEMORY,
    watch: Callable[[Budget], object] | None = None,
) -> Result:
    """Return the result with a bound: how much better a graph can be at most.

    Of the time, 30 % go to candidate parent sets, to which those of the result are added; the rest to a bound for the
    graphs over them, as `exact` finds it. The graph stays what it was, even where a better one comes up on the
    way. The result's ``bound_for`` says whether the bound holds for all graphs, because the sets are complete, or only
    for graphs of these sets. The status becomes ``optimal`` only if it holds for all graphs and the result reaches it,
    and ``interrupted`` where Ctrl-C ended this.

    Parameters
    ----------
    result
        What a search on this problem returned.
    problem
        The score with the constraints of the search; or a `LocalScore` alone, where there were none.
    seconds
        The time for it.
    workers
        Threads; by default one per usable core.
    memory
        Bytes to use.
    watch
        Called with the budget of this about ten times a second, to show progress.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> from arcwise.search.orders import Stop, orders
    >>> score = LocalScore(load_example("cancer").sample(2000, seed=1))
    >>> result = certified(orders(score, stop=Stop(climbs=20), seed=1), score, seconds=10)
    >>> str(result.status), str(result.bound_for)
    ('optimal', 'all graphs')
    """
    instance("result", result, Result)
    problem = problem if isinstance(problem, Problem) else Problem(instance("score", problem, LocalScore))
    budget = Budget(number("seconds", seconds), watch=watch)
    budget.standing.score = result.score
    workers, memory = workers_or_default(workers), count("memory", memory)
    dag = result.dag.with_names_ordered(problem.names)
    problem = Problem(problem.score, problem.constraints, dag)

    def bounded() -> tuple[Candidates, Outcome | None]:
        part = budget.part(share=_SHARE_OF_SETS)
        candidates = candidate_table(problem, part, workers=workers, memory=memory)
        if budget.exhausted:  # every variable's best set is a bound, too
            return candidates, None
        context = Context(result.seed, budget, workers, Trace(None, budget, problem.source.rounding))
        return candidates, best_graph(candidates, problem, context, memory=memory)

    (table, scope, _), best = budget.run(bounded)
    if best is None:
        found, missed = table.relaxed_score(), {}
        points: tuple[Tightening, ...] = (Tightening(budget.elapsed, found),)
    else:
        assert best.bound is not None
        found, points = best.bound, best.bounds
        missed = {name: value for name, value in best.decisions.items() if name == "solver"}
    bound = max(found, result.score)
    reached = bound - result.score <= 1e-11 * max(1.0, abs(result.score)) * dag.n_nodes
    status = Status.INTERRUPTED if budget.is_interrupted else result.status
    return replace(
        result,
        status=Status.OPTIMAL if reached and scope is Scope.ALL_SETS else status,
        bound=bound,
        bound_for=scope,
        bounds=tuple(Tightening(result.seconds + point.seconds, max(point.bound, result.score)) for point in points),
        provenance=replace(result.provenance, certify=float(seconds)),
        decisions={**result.decisions, **missed},
        counters={**result.counters, "certified_sets": table.n_sets},
    )
