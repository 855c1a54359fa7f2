"""Greedy equivalence search."""

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
from arcwise.support.arguments import flag

__all__ = ["ges"]


def ges(
    score: LocalScore,
    *,
    by_phases: bool = False,
    turning: bool = False,
    climbs: int = 1,
    constraints: Constraints | None = None,
    start: Dag | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Move from one equivalence class to the best next to it until none is better.

    Greedy equivalence search (Chickering 2002, JMLR 3). The classes next to a class are its inclusion boundary: those
    of all graphs with one arc more or one less than a graph of the class. With unlimited data from a distribution that
    is faithful to some graph, the class of this graph is the result; with few data, or other distributions, it is a
    local optimum.

    A class meets the constraints when one of its graphs does; this graph is the ``dag`` of the result.

    Parameters
    ----------
    score
        The score to maximise, bound to its data. It must give equivalent graphs the same
        (``Score.is_equivalent``).
    by_phases
        Insert edges first, and delete edges only when no insertion is left that improves the class, as Chickering does;
        otherwise the best class is taken in each step, whichever it is (Nielsen, Kočka & Peña 2003, UAI). An insertion
        may improve the class again after the deletions: then the result is no local optimum. With `turning`, turns
        follow, and all of it again until nothing improves the class (Hauser & Bühlmann 2012, JMLR 13).
    turning
        Whether an arc of a graph of the class may also be turned around.
    climbs
        How often to climb. Climbs from the same start differ only where several classes are equally good.
    constraints
        What the graph must and must not have.
    start
        A graph of the class to climb from; by default the graph of the required arcs alone.
    seed
        Decides among ties; drawn and recorded when None.
    workers
        Climbs at the same time; by default one per usable core, and one with a limit on evaluations.
    budget
        When to stop early; the best class so far is returned then.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> truth = load_example("asia")
    >>> result = ges(LocalScore(truth.sample(100_000, seed=1), "bic"), seed=1)
    >>> result.cpdag == truth.dag.cpdag()
    True
    """
    core = equivalent(score).core
    by_phases, turning = flag("by_phases", by_phases), flag("turning", turning)

    def climb(
        rules: ResolvedConstraints, first: ParentLists, climb_seed: int, budget: _core.Budget
    ) -> _core.ClassSearchResult:
        matrices = rules.allowed, rules.required, rules.max_parents
        if by_phases:
            return _core.search_classes_by_phases(core, *matrices, turning, first, climb_seed, budget)
        return _core.search_classes(core, *matrices, 1.0, turning, first, climb_seed, budget)

    walks = Walks(score, climbs, Starts(start), constraints, seed, workers, budget, on_improvement)
    return walks.run("ges", climb, {"by_phases": by_phases, "turning": turning}, moves=COUNTED, over_classes=True)
