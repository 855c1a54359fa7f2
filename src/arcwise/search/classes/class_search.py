"""What searches over equivalence classes have in common."""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace

from arcwise import _core
from arcwise.search.climbs import Climbs, ParentLists
from arcwise.search.search import Context, Outcome, Problem, Search
from arcwise.support.arguments import count, flag

__all__ = ["ClassSearch"]

#: Moves as they are counted: an edge more, an edge less, an arc the other way round.
_COUNTED = ("insertions", "deletions", "reversals")


@dataclass(frozen=True)
class ClassSearch(Search):
    """A search over equivalence classes: climbs, each from one class to the next.

    Parameters
    ----------
    climbs
        How often to climb. Climbs from the same start differ only where several classes are equally good.
    random_start
        Whether each climb starts from a random graph.
    max_degree
        The most nodes that any node may be adjacent to, besides what the constraints say of it; no limit when None.
    """

    _: KW_ONLY
    climbs: int = 1
    random_start: bool = False
    max_degree: int | None = None

    needs_equivalence = True
    bytes_per_pair = 0
    bytes_per_variable = 16_384
    honours_degrees = True

    def __post_init__(self) -> None:
        count("climbs", self.climbs, least=1)
        flag("random_start", self.random_start)
        if self.max_degree is not None:
            count("max_degree", self.max_degree)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb, and return the best end."""
        limited = replace(problem, constraints=problem.constraints.with_max_degree(self.max_degree, problem.names))
        climbs = Climbs(self.name, self.climb, self.climbs, _COUNTED, random_start=self.random_start, over_classes=True)
        return climbs.run(limited, context)

    @abstractmethod
    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.ClassSearchResult:
        """Climb once, from the class of the first graph."""
