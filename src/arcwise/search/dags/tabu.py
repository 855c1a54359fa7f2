"""Tabu search over graphs."""

from collections.abc import Callable

from arcwise import _core
from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.parents.neighbourhoods import Candidates, Neighbourhood
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.greedy import COUNTED, moves_named
from arcwise.search.random_graphs import ParentLists
from arcwise.search.walks import Starts, Walks
from arcwise.support.arguments import count

__all__ = ["tabu"]


def tabu(
    score: LocalScore,
    *,
    length: int = 100,
    patience: int = 30,
    moves: str = "adr",
    climbs: int = 10,
    constraints: Constraints | None = None,
    neighbourhood: Neighbourhood | Candidates | None = None,
    start: Dag | None = None,
    random_start: bool = False,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Climb, and walk on from the summit by the best move that leads to no recent graph, even where it is downhill.

    Tabu search (Glover 1989, ORSA J. Computing 1(3)) as bnlearn has it: what is tabu are graphs, not moves.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    length
        How many of the last graphs the search does not go back to.
    patience
        A walk ends after so many moves in a row that have not led to a new best graph.
    moves
        Which graphs are neighbours: ``adr``, ``adrs`` or ``a*ds*``; see `greedy`.
    climbs
        How many walks there are.
    constraints
        What the graph must and must not have.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start: a function such as
        `score_filter` or `mmpc`, or a mapping from names to names. With many variables it saves most of the time.
    start
        Where to start from; by default the graph of the required arcs alone.
    random_start
        Whether each walk starts from a random graph instead.
    seed
        Decides among ties; drawn and recorded when None.
    workers
        Walks at the same time; by default one per usable core, and one with a limit on evaluations.
    budget
        When to stop early; the best graph so far is returned then.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = tabu(LocalScore(data, "bic"), climbs=1, seed=1)
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """
    neighbours = moves_named(moves)
    length, patience = count("length", length), count("patience", patience, least=1)

    def walk(
        rules: ResolvedConstraints, first: ParentLists, walk_seed: int, budget: _core.Budget
    ) -> _core.HillClimbResult:
        return _core.tabu_search(score.core, rules.core, neighbours, length, patience, first, walk_seed, budget)

    starts = Starts(start, random_start)
    walks = Walks(score, climbs, starts, constraints, seed, workers, budget, on_improvement, neighbourhood)
    return walks.run("tabu", walk, {"length": length, "patience": patience, "moves": moves}, moves=COUNTED)
