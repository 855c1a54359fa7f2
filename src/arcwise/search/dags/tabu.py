"""Tabu search over graphs."""

from dataclasses import dataclass

from arcwise import _core
from arcwise.parents.neighbourhoods import CandidateParents, Neighbourhood
from arcwise.search.climbs import Climbs, ParentLists
from arcwise.search.dags.greedy import counted_of, moves_named
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, either_spelling, flag

__all__ = ["Tabu", "tabu"]


@either_spelling
@dataclass(frozen=True)
class Tabu(Search):
    """Climb, and continue from the local optimum by the best move to a graph not visited recently, even a worse one.

    Tabu search (Glover 1989, ORSA J. Computing 1(3)) as bnlearn has it: what is tabu are graphs, not moves.

    Parameters
    ----------
    length
        How many of the last graphs the search does not return to.
    patience
        A climb ends after so many moves in a row that have not led to a new best graph.
    moves
        Which graphs are neighbours: ``adr``, ``adrs`` or ``a*ds*``; see `greedy`.
    climbs
        How many climbs there are, each continued in this way.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start: a function such as
        `score_filter` or `mmpc`, or a mapping from names to names. With many variables it saves most of the time.
    random_start
        Whether each climb starts from a random graph instead.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = tabu(LocalScore(data, "bic"), climbs=1, seed=1)
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """

    length: int = 100
    patience: int = 30
    moves: str = "adr"
    climbs: int = 10
    neighbourhood: Neighbourhood | CandidateParents | None = None
    random_start: bool = False

    name = "tabu"
    bytes_per_pair = 0
    bytes_per_variable = 4096
    honours_degrees = True
    honours_ancestors = True

    def __post_init__(self) -> None:
        moves_named(self.moves)
        count("length", self.length)
        count("patience", self.patience, least=1)
        count("climbs", self.climbs, least=1)
        flag("random_start", self.random_start)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb, continue, and return the best graph."""
        climbs = Climbs(
            self.name,
            self.climb,
            self.climbs,
            counted_of(self.moves),
            random_start=self.random_start,
            neighbourhood=self.neighbourhood,
        )
        return climbs.run(problem, context)

    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.HillClimbResult:
        """Climb once, from the first graph."""
        return _core.tabu_search(score, rules, moves_named(self.moves), self.length, self.patience, first, seed, budget)


tabu = function_of(Tabu(), "tabu")
