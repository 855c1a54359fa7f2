"""Greedy hill climbing over graphs."""

from arcwise import _core
from arcwise.budget import Budget
from arcwise.constraints import Constraints
from arcwise.errors import ParameterError
from arcwise.graph.dag import Dag
from arcwise.result import Improvement, Result, Status
from arcwise.scores.local_score import LocalScore
from arcwise.search.seeds import kernel_seed, recorded_seed

__all__ = ["greedy"]

_STATUS = {
    _core.StopReason.none: Status.LOCAL_OPTIMUM,
    _core.StopReason.time: Status.TIME_LIMIT,
    _core.StopReason.evaluations: Status.EVALUATION_LIMIT,
    _core.StopReason.interrupt: Status.INTERRUPTED,
}


def greedy(
    score: LocalScore,
    *,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    seed: int | None = None,
    budget: Budget | None = None,
) -> Result:
    """Climb by the best addition, deletion or reversal of one arc until none improves the score.

    Where several moves are best, one of them is drawn at random, as in Vandel, Mangin & de Givry (2012, ECAI). Moves tie
    when their gains differ by no more than rounding. The result is a local optimum: no single move improves it, but
    another graph may well be better.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    constraints
        What the graph must and must not have.
    start
        Where to climb from; by default the graph of the required arcs alone.
    seed
        Decides among ties; drawn and recorded when None.
    budget
        When to stop early; the best graph so far is returned then.

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
    names = score.data.names
    constraints = constraints or Constraints()
    rules = constraints.resolve(names)
    start = constraints.required_dag(names) if start is None else start.with_names_ordered(names)
    broken = constraints.violations(start)
    if broken:
        raise ParameterError(f"start breaks the constraints: {'; '.join(broken)}")
    seed = recorded_seed(seed)
    budget = budget or Budget()
    begin = budget.elapsed
    evaluations, cache_hits = score.evaluations, score.cache_hits
    climb = _core.hill_climb(
        score.core,
        rules.allowed,
        rules.required,
        rules.max_parents,
        start=[list(parents) for parents in start.parent_indices],
        seed=kernel_seed(seed),
        budget=budget.core,
    )
    return Result(
        dag=Dag.from_parents(names, climb.parents),
        score=climb.score,
        status=_STATUS[climb.stopped_by],
        method="greedy",
        seed=seed,
        seconds=budget.elapsed - begin,
        settings={"score": score.score, "constraints": constraints, "budget": repr(budget)},
        counters={
            "evaluations": score.evaluations - evaluations,
            "cache_hits": score.cache_hits - cache_hits,
            "additions": climb.additions,
            "deletions": climb.deletions,
            "reversals": climb.reversals,
        },
        trace=tuple(Improvement(point.seconds, point.evaluations, point.score) for point in climb.trace),
    )
