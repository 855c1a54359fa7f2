"""k-greedy equivalence search."""

from collections.abc import Callable

from arcwise import _core
from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.classes.equivalence import COUNTED, equivalent
from arcwise.search.random_graphs import ParentLists
from arcwise.search.walks import Starts, Walks
from arcwise.support.arguments import flag, number
from arcwise.support.errors import ParameterError

__all__ = ["kes"]


def kes(
    score: LocalScore,
    *,
    k: float = 0.4,
    turning: bool = False,
    climbs: int = 10,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    random_start: bool = False,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Move from one equivalence class to the best of a random share of the better ones next to it, several times.

    k-greedy equivalence search (Nielsen, Kočka & Peña 2003, UAI). With B the classes of the inclusion boundary that
    score higher, a random subset of ``max(1, ceil(k * len(B)))`` of them is drawn in each step, and the best of these
    is taken. With ``k=1`` this is greedy equivalence search, with ``k=0`` the stochastic one (SES), which some
    time comes to every local optimum that steps upwards lead to from the start. What holds for `ges` with unlimited
    data holds for every k.

    Where the paper represents classes by graphs and draws from B by chance, here all of B is known, each class once,
    and a climb ends exactly where B is empty. The different local optima are in the ``optima`` of the result.

    Parameters
    ----------
    score
        The score to maximise, bound to its data. It must give equivalent graphs the same
        (``Score.is_equivalent``).
    k
        The share, from 0 to 1: how greedy the search is.
    turning
        Whether classes are also next to each other when turning an arc leads from a graph of the one to a graph of the
        other.
    climbs
        How often to climb; the best summit is returned. Later climbs cost little, because most scores are known.
    constraints
        What the graph must and must not have; a class meets them when one of its graphs does.
    start
        A graph of the class to climb from; by default the graph of the required arcs alone.
    random_start
        Whether each climb starts from the class of a random graph instead.
    seed
        Decides what is drawn, and among ties; drawn itself and recorded when None.
    workers
        Climbs at the same time; by default one per usable core, and one with a limit on evaluations.
    budget
        When to stop early; the best class so far is returned then.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("asia").sample(1000, seed=1), "bic")
    >>> result = kes(score, k=0, climbs=50, seed=1)
    >>> len(result.optima) > 1
    True
    >>> sum(optimum.climbs for optimum in result.optima)
    50
    """
    core, k, turning = equivalent(score).core, number("k", k), flag("turning", turning)
    if k > 1:
        raise ParameterError(f"k must be a share from 0 to 1, not {k}")

    def climb(
        rules: ResolvedConstraints, first: ParentLists, climb_seed: int, budget: _core.Budget
    ) -> _core.ClassSearchResult:
        return _core.search_classes(
            core, rules.allowed, rules.required, rules.max_parents, k, turning, first, climb_seed, budget
        )

    starts = Starts(start, random_start)
    walks = Walks(score, climbs, starts, constraints, seed, workers, budget, on_improvement)
    return walks.run("kes", climb, {"k": k, "turning": turning}, moves=COUNTED, over_classes=True)
