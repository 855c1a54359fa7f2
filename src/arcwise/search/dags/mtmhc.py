"""Hill climbing on the skeleton that a mixture of trees leaves."""

from collections.abc import Callable

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.parents.bagged_trees import Bagging
from arcwise.parents.mmpc import Neighbours
from arcwise.parents.mtmpc import tree_neighbours
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.definitions import Score
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.restricted import RestrictedClimbs

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
        Trees, and then climbs, at the same time; by default one per usable core, or one where evaluations are limited.
    budget
        When to stop early. The start is returned when it ends before all trees are there.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("asia").sample(100, seed=1)
    >>> result = mtmhc(LocalScore(data), trees=50, seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.counters["pairs"]  # 50 trees, each of the best of 28 pairs
    1400
    """
    climbs_within = RestrictedClimbs.checked(score, climbs, constraints, start, seed, workers, budget, on_improvement)
    bagging = Bagging(trees, by, inertial, climbs_within.seed)

    def find() -> Neighbours:
        return tree_neighbours(
            score,
            bagging,
            threshold=threshold,
            constraints=climbs_within.constraints,
            workers=workers,
            budget=climbs_within.budget,
        )

    settings = {"neighbourhood": "mtmpc", "bagging": bagging, "threshold": threshold}
    return climbs_within.run("mtmhc", find, counted_as="pairs", settings=settings)
