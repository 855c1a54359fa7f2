"""Look-ahead search over graphs."""

from dataclasses import dataclass

from arcwise import _core
from arcwise.parents.neighbourhoods import CandidateParents, Neighbourhood
from arcwise.search.climbs import Climbs, ParentLists
from arcwise.search.dags.greedy import COUNTED
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, either_spelling
from arcwise.support.errors import ParameterError

__all__ = ["LookAhead", "look_ahead"]

# The kernel calls itself for every step: a hundred thousand are more than a thread's stack holds.
_MOST_STEPS = 1000


@either_spelling
@dataclass(frozen=True)
class LookAhead(Search):
    """Climb by sequences of moves: look ahead some steps in good directions, and make the best sequence.

    LAGD (Holland, Fathi, Abramovici & Neubach 2008, "Competing fusion for Bayesian applications", IPMU), which the WEKA
    software has. From the best `directions` moves the best moves are looked at again, and so on; one arc is added,
    deleted or reversed in a move. No single move and no looked-at sequence improves the result.

    Parameters
    ----------
    steps
        How many moves to look ahead (h), at most 1,000.
    directions
        How many of the best moves are followed at each step (l); the time grows with ``directions ** (steps - 1)``.
    climbs
        How often to climb. Ties are broken by position, so that climbs from the same graph end in the same one.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start: a function such as
        `score_filter` or `mmpc`, or a mapping from names to names. With many variables it saves most of the time.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = look_ahead(LocalScore(data, "bic"), seed=1)
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """

    steps: int = 2
    directions: int = 5
    climbs: int = 1
    neighbourhood: Neighbourhood | CandidateParents | None = None

    name = "lagd"
    bytes_per_pair = 0
    bytes_per_variable = 4096
    honours_degrees = True
    honours_ancestors = True

    def __post_init__(self) -> None:
        if count("steps", self.steps, least=1) > _MOST_STEPS:
            raise ParameterError.of("steps", f"at most {_MOST_STEPS}", self.steps)
        count("directions", self.directions, least=1)
        count("climbs", self.climbs, least=1)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb, and return the best end."""
        climbs = Climbs(self.name, self.climb, self.climbs, COUNTED, neighbourhood=self.neighbourhood)
        return climbs.run(problem, context)

    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.HillClimbResult:
        """Climb once, from the first graph."""
        return _core.look_ahead(score, rules, self.steps, self.directions, first, seed, budget)


look_ahead = function_of(LookAhead(), "look_ahead")
