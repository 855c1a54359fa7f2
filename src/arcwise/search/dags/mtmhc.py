"""Hill climbing on the skeleton that a mixture of trees leaves."""

from collections.abc import Callable
from dataclasses import replace

from arcwise.arguments import count, instance
from arcwise.budget import Budget
from arcwise.constraints import Constraints
from arcwise.errors import ParameterError
from arcwise.graph.dag import Dag
from arcwise.parents.bagged_trees import Bagging
from arcwise.parents.mmpc import Neighbours
from arcwise.parents.mtmpc import tree_neighbours
from arcwise.result import Improvement, Result
from arcwise.scores.definitions import Score
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.greedy import greedy
from arcwise.seeds import recorded_seed

__all__ = ["mtmhc"]


def mtmhc(
    score: LocalScore,
    *,
    trees: int = 100,
    threshold: float = 0.0,
    by: str | Score = "loglik",
    inertial: bool = False,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    climbs: int = 10,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Climb greedily with arcs between those variables only that are neighbours in trees of bootstrap replicas.

    The algorithm MtMHC of Ammar & Leray (2011, ECSQARU, algorithm 3), for few rows and many variables: `mtmpc` finds
    the skeleton, `greedy` the graph. It is `mmhc` with trees instead of tests of independence. An arc that no tree has,
    or too few, is not found, however much it would score.

    The result's counters tell how many of the evaluations were ``pairs`` that the trees looked at, and how many
    ``edges`` the skeleton has.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    trees, threshold, by, inertial
        How many trees there are, the share of them that must have an edge, the score that they maximise, and whether
        later trees are found near earlier ones; see `mtmpc`.
    constraints
        What the graph must and must not have.
    start
        Where to climb from; by default the graph of the required arcs alone. Its arcs stay possible, whatever the trees
        have.
    climbs
        How often to climb from the start; the best summit is returned.
    seed
        Draws the replicas and decides among ties of the climbs; drawn and recorded when None.
    workers
        Trees at the same time; by default one per core, or a single one where evaluations are limited.
    budget
        When to stop early. The start is returned when it ends before all trees are there.
    on_improvement
        Called after each climb with the improvements it brought; the search ends when it returns True.

    Examples
    --------
    >>> from arcwise.data.examples import load_example
    >>> data = load_example("asia").sample(100, seed=1)
    >>> result = mtmhc(LocalScore(data), trees=50, seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.counters["pairs"]  # 50 trees, each of the best of 28 pairs
    1400
    """
    names = instance("score", score, LocalScore).data.names
    climbs, seed = count("climbs", climbs, least=1), recorded_seed(seed)
    bagging = Bagging(trees, by, inertial, seed)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    if start is None:
        start = constraints.required_dag(names)
    start = instance("start", start, Dag).with_names_ordered(names)
    if broken := constraints.violations(start):
        raise ParameterError(f"start breaks the constraints: {'; '.join(broken)}")
    budget = instance("budget", budget, Budget, default=Budget)
    begin, evaluations, cache_hits = budget.elapsed, score.evaluations, score.cache_hits

    def search() -> tuple[Neighbours, int, Result]:
        skeleton = tree_neighbours(
            score, bagging, threshold=threshold, constraints=constraints, workers=workers, budget=budget
        )
        looked_at = score.evaluations - evaluations
        climbed = greedy(
            score,
            constraints=constraints,
            neighbourhood=skeleton.named(names) if skeleton.is_complete else None,
            start=start,
            climbs=climbs,
            seed=seed,
            budget=budget,
            on_improvement=on_improvement,
        )
        return skeleton, looked_at, climbed

    skeleton, looked_at, climbed = budget.run(search)
    return replace(
        climbed,
        method="mtmhc",
        seconds=budget.elapsed - begin,
        settings={**climbed.settings, "neighbourhood": "mtmpc", "bagging": bagging, "threshold": threshold},
        counters={
            **climbed.counters,
            "evaluations": score.evaluations - evaluations,
            "cache_hits": score.cache_hits - cache_hits,
            "pairs": looked_at,
            "edges": skeleton.n_edges,
        },
    )
