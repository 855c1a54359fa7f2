"""Look-ahead search over graphs."""

from collections.abc import Callable

from arcwise import _core
from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.parents.neighbourhoods import Candidates, Neighbourhood
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.greedy import COUNTED
from arcwise.search.random_graphs import ParentLists
from arcwise.search.walks import Starts, Walks
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError

__all__ = ["look_ahead"]

# The kernel calls itself for every step: a hundred thousand are more than a thread's stack holds.
_MOST_STEPS = 1000


def look_ahead(
    score: LocalScore,
    *,
    steps: int = 2,
    directions: int = 5,
    climbs: int = 1,
    constraints: Constraints | None = None,
    neighbourhood: Neighbourhood | Candidates | None = None,
    start: Dag | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Climb by sequences of moves: look ahead some steps in good directions, and make the best sequence.

    LAGD (Holland, Fathi, Abramovici & Neubach 2008, "Competing fusion for Bayesian applications", IPMU), which the WEKA
    software has. From the best `directions` moves the best moves are looked at again, and so on; one arc is added,
    deleted or reversed in a move. No single move and no looked-at sequence improves the result.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    steps
        How many moves to look ahead (h), at most 1,000.
    directions
        How many of the best moves are followed at each step (l); the time grows with ``directions ** (steps - 1)``.
    climbs
        How often to climb. Ties are broken by position, so that climbs from the same graph end in the same one.
    constraints
        What the graph must and must not have.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start: a function such as
        `score_filter` or `mmpc`, or a mapping from names to names. With many variables it saves most of the time.
    start
        Where to climb from; by default the graph of the required arcs alone.
    seed
        Recorded; nothing is random here.
    workers
        Climbs at the same time; by default one per usable core.
    budget
        When to stop early; the best graph so far is returned then.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = look_ahead(LocalScore(data, "bic"), seed=1)
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """
    steps, directions = count("steps", steps, least=1), count("directions", directions, least=1)
    if steps > _MOST_STEPS:
        raise ParameterError(f"steps must be at most {_MOST_STEPS}, not {steps}")

    def climb(
        rules: ResolvedConstraints, first: ParentLists, climb_seed: int, budget: _core.Budget
    ) -> _core.HillClimbResult:
        return _core.look_ahead(score.core, rules.core, steps, directions, first, climb_seed, budget)

    walks = Walks(score, climbs, Starts(start), constraints, seed, workers, budget, on_improvement, neighbourhood)
    return walks.run("lagd", climb, {"steps": steps, "directions": directions}, moves=COUNTED)
