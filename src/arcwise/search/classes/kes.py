"""k-greedy equivalence search."""

from dataclasses import dataclass

from arcwise import _core
from arcwise.constraints.constraints import ResolvedConstraints
from arcwise.search.classes.equivalence import COUNTED, MOST_VARIABLES
from arcwise.search.climbs import Climbs, ParentLists
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, flag, number
from arcwise.support.errors import ParameterError

__all__ = ["Kes", "kes"]


@dataclass(frozen=True)
class Kes(Search):
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
    k
        The share, from 0 to 1: how greedy the search is.
    reversing
        Whether classes are also next to each other when reversing an arc leads from a graph of one to a graph of the
        other.
    climbs
        How often to climb; the best local optimum is returned. Later climbs cost little, because most scores are known.
    random_start
        Whether each climb starts from the class of a random graph instead.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> score = LocalScore(load_example("asia").sample(1000, seed=1), "bic")
    >>> result = kes(score, k=0, climbs=50, seed=1)
    >>> len(result.optima) > 1
    True
    >>> sum(optimum.climbs for optimum in result.optima)
    50
    """

    k: float = 0.4
    reversing: bool = False
    climbs: int = 10
    random_start: bool = False

    name = "kes"
    needs_equivalence = True
    most_variables = MOST_VARIABLES
    bytes_per_pair = 8

    def __post_init__(self) -> None:
        if number("k", self.k) > 1:
            raise ParameterError.of("k", "a share from 0 to 1", self.k)
        flag("reversing", self.reversing)
        flag("random_start", self.random_start)
        count("climbs", self.climbs, least=1)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb, and return the best end."""
        core = problem.score.core

        def climb(
            rules: ResolvedConstraints, first: ParentLists, seed: int, budget: _core.Budget
        ) -> _core.ClassSearchResult:
            return _core.search_classes(core, rules.core, self.k, self.reversing, first, seed, budget)

        climbs = Climbs(self.name, climb, self.climbs, COUNTED, random_start=self.random_start, over_classes=True)
        return climbs.run(problem, context)


kes = function_of(Kes(), "kes")
