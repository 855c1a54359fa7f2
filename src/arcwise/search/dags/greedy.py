"""Greedy hill climbing over graphs."""

from collections.abc import Callable

from arcwise import _core
from arcwise.arguments import count, instance
from arcwise.budget import Budget
from arcwise.constraints import Constraints
from arcwise.errors import ParameterError
from arcwise.graph.dag import Dag
from arcwise.result import STATUS_OF_REASON, Improvement, Result, Trace
from arcwise.scores.local_score import LocalScore
from arcwise.seeds import kernel_seeds, recorded_seed

__all__ = ["greedy"]


def greedy(
    score: LocalScore,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    climbs: int = 10,
    seed: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Climb by the best addition, deletion or reversal of one arc until none improves the score.

    Where several moves are best, one of them is drawn at random, as in Vandel, Mangin & de Givry (2012, ECAI): on the
    way up, graphs that the score cannot tell apart lead to different summits. Moves tie when their gains differ by no
    more than rounding. The result is a local optimum: no single move improves it, but another graph may well be better.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    constraints
        What the graph must and must not have.
    start
        Where to climb from; by default the graph of the required arcs alone.
    climbs
        How often to climb from the start; the best summit is returned. Later climbs cost little, because most scores
        are known by then.
    seed
        Decides among ties; drawn and recorded when None.
    budget
        When to stop early; the best graph so far is returned then.
    on_improvement
        Called after each climb with the improvements it brought; the search ends when it returns True.

    Examples
    --------
    >>> from arcwise.data.examples import load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = greedy(LocalScore(data, "bic"), seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """
    climbs = count("climbs", climbs, least=1)
    names = instance("score", score, LocalScore).data.names
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    rules = constraints.resolve(names)
    start = constraints.required_dag(names) if start is None else start.with_names_ordered(names)
    broken = constraints.violations(start)
    if broken:
        raise ParameterError(f"start breaks the constraints: {'; '.join(broken)}")
    seed = recorded_seed(seed)
    budget = instance("budget", budget, Budget, default=Budget)
    begin, evaluations, cache_hits = budget.elapsed, score.evaluations, score.cache_hits
    first = [list(parents) for parents in start.parent_indices]

    trace = Trace(on_improvement, budget)

    def climb_repeatedly() -> list[_core.HillClimbResult]:
        done: list[_core.HillClimbResult] = []
        for climb_seed in kernel_seeds(seed, climbs):
            done.append(
                _core.hill_climb(
                    score.core, rules.allowed, rules.required, rules.max_parents, first, climb_seed, budget.core
                )
            )
            trace.add(Improvement(point.seconds, point.evaluations, point.score) for point in done[-1].trace)
            if budget.exhausted:
                break
        return done

    done = budget.run(climb_repeatedly)
    best = max(done, key=lambda climb: climb.score)
    return Result(
        dag=Dag.from_parents(names, best.parents),
        score=best.score,
        status=STATUS_OF_REASON[budget.core.reason],
        method="greedy",
        seed=seed,
        seconds=budget.elapsed - begin,
        settings={"score": score.score, "constraints": constraints, "climbs": climbs, "budget": repr(budget)},
        counters={
            "evaluations": score.evaluations - evaluations,
            "cache_hits": score.cache_hits - cache_hits,
            "climbs": len(done),
            "additions": sum(climb.additions for climb in done),
            "deletions": sum(climb.deletions for climb in done),
            "reversals": sum(climb.reversals for climb in done),
        },
        trace=trace.points,
    )
