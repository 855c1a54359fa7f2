"""Greedy hill climbing over graphs, with moves that break cycles."""

from collections.abc import Callable

from arcwise import _core
from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.parents.neighbourhoods import Candidates, Neighbourhood
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.random_graphs import ParentLists
from arcwise.search.walks import Starts, Walks
from arcwise.support.suggestions import one_of

__all__ = ["COUNTED", "MOVES", "greedy", "moves_named"]

#: Which graphs are neighbours, by the names of the paper's neighbourhoods.
MOVES = {
    "adr": _core.DagMoves.add_delete_reverse,
    "adrs": _core.DagMoves.add_delete_reverse_swap,
    "a*ds*": _core.DagMoves.break_cycles,
}

#: Moves as they are counted; in ``longer`` ones several steps broke the cycles of the first.
COUNTED = ("additions", "deletions", "reversals", "swaps", "longer_additions", "longer_swaps")

#: What a search with these moves is called in results.
METHOD_NAMES = {"adr": "greedy", "adrs": "sgs2", "a*ds*": "sgs3"}


def moves_named(moves: str) -> _core.DagMoves:
    """Return the moves of a name."""
    return MOVES[one_of("moves", moves, MOVES)]


def greedy(
    score: LocalScore,
    *,
    moves: str = "adr",
    climbs: int = 10,
    constraints: Constraints | None = None,
    neighbourhood: Neighbourhood | Candidates | None = None,
    start: Dag | None = None,
    random_start: bool = False,
    perturb: int = 0,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Climb by the best change of an arc or two until none improves the score, several times.

    The stochastic greedy search of Vandel, Mangin & de Givry (2012, PGM). Where several moves are best, one of them is
    drawn at random: on the way up, graphs that the score cannot tell apart lead to different summits. Moves tie when
    their gains differ by no more than rounding. The result is a local optimum: no single move improves it, but another
    graph may well be better.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    moves
        ``adr``: one arc is added, deleted or reversed (the paper's SGS1). ``adrs``: also one parent is put in the place
        of another (SGS2). ``a*ds*``: an arc is added, deleted or swapped even where that closes cycles, and these are
        broken by the deletions and swaps that cost least, as long as the whole is a gain (SGS3). Each takes more time
        than the one before and mostly finds better graphs.
    climbs
        How often to climb; the best summit is returned. Later climbs cost little, because most scores are known.
    constraints
        What the graph must and must not have.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start: a function such as
        `score_filter` or `mmpc`, or a mapping from names to names. With many variables it saves most of the time.
    start
        Where to climb from; by default the graph of the required arcs alone.
    random_start
        Whether each climb starts from a random graph instead: two random parents for every node, but for those that
        close a cycle or that the constraints forbid.
    perturb
        If above 0, each climb but the first starts from the best summit so far after so many random changes.
    seed
        Decides among ties; drawn and recorded when None.
    workers
        Climbs at the same time; by default one per usable core. There is one when `perturb` is above 0, and with a
        limit on evaluations, so that the same seed gives the same graph.
    budget
        When to stop early; the best graph so far is returned then.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = greedy(LocalScore(data, "bic"), moves="a*ds*", seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """
    neighbours = moves_named(moves)

    def climb(
        rules: ResolvedConstraints, first: ParentLists, climb_seed: int, budget: _core.Budget
    ) -> _core.HillClimbResult:
        return _core.hill_climb(score.core, rules.core, neighbours, first, climb_seed, budget)

    starts = Starts(start, random_start, perturb)
    walks = Walks(score, climbs, starts, constraints, seed, workers, budget, on_improvement, neighbourhood)
    return walks.run(METHOD_NAMES[moves], climb, {"moves": moves}, moves=COUNTED)
