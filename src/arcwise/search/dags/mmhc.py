"""Max-min hill climbing: greedy search on the skeleton that tests of independence leave."""

from collections.abc import Callable

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.parents.independence import Independence
from arcwise.parents.mmpc import Neighbours, neighbours
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.restricted import RestrictedClimbs
from arcwise.support.seeds import kernel_seeds

__all__ = ["mmhc"]


def mmhc(
    score: LocalScore,
    *,
    alpha: float = 0.05,
    test: str = "g2",
    least_per_cell: float = 5.0,
    max_conditions: int | None = None,
    permutations: int = 0,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    climbs: int = 10,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Climb greedily with arcs between those variables only that tests of independence take for neighbours.

    The max-min hill climbing of Tsamardinos, Brown & Aliferis (2006, Machine Learning 65): `mmpc` finds the skeleton,
    `greedy` the graph. Where the authors climb with a list of forbidden graphs (tabu), here several climbs break their
    ties differently. An arc that the tests have ruled out is not found again, however much it would score; in return,
    few families have to be scored.

    The result's counters tell how many of the evaluations were ``tests``, and how many ``edges`` the skeleton has.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    alpha, test, least_per_cell, max_conditions, permutations
        Which tests are made, and what they show; see `mmpc`.
    constraints
        What the graph must and must not have.
    start
        Where to climb from; by default the graph of the required arcs alone. Its arcs stay possible, whatever the tests
        say.
    climbs
        How often to climb from the start; the best summit is returned.
    seed
        Decides among ties of the climbs, and draws the tables of `permutations`; drawn and recorded when None.
    workers
        Threads for the tests and the climbs; by default one per usable core, or a single one where evaluations are
        limited.
    budget
        When to stop early. The start is returned when it ends before the tests are done.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("asia").sample(5000, seed=1)
    >>> result = mmhc(LocalScore(data), seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.counters["evaluations"] > result.counters["tests"] > 0
    True
    """
    climbs_within = RestrictedClimbs.checked(score, climbs, constraints, start, seed, workers, budget, on_improvement)
    # Without permutations the seed does not matter.
    draws = next(kernel_seeds(climbs_within.seed, 1)) if permutations else 0
    tests = Independence(alpha, test, least_per_cell, max_conditions, permutations, draws)

    def find() -> Neighbours:
        return neighbours(
            score, tests, constraints=climbs_within.constraints, workers=workers, budget=climbs_within.budget
        )

    return climbs_within.run(
        "mmhc", find, counted_as="tests", settings={"neighbourhood": "mmpc", "independence": tests}
    )
