"""Optimal reinsertion: nodes cut off, and put back with their best parents and children."""

from dataclasses import dataclass
from math import comb

from arcwise import _core
from arcwise.parents.neighbourhoods import CandidateParents, Neighbourhood
from arcwise.search.climbs import Climbs, ParentLists
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, either_spelling, flag
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name

__all__ = ["Reinsertion", "reinsertion"]

#: What its climbs count.
_COUNTED = ("reinsertions", "additions", "deletions", "reversals")

# Of each variable. Each climb scores them all, and holds those that are better than their subsets.
_MOST_SETS = 100_000


@either_spelling
@dataclass(frozen=True)
class Reinsertion(Search):
    """Cut a node off and put it back with the parents and children that are best together, until no node gains.

    Optimal reinsertion (Moore & Wong 2003, ICML). All nodes come in turn, in random order. Of all sets of parents and
    all sets of children that close no cycle, those with the best score are found, up to a size of the parent sets;
    where several are best, one is drawn. When no node gains, arcs are added, deleted or reversed one at a time, which
    the size does not limit; then nodes are reinserted again. The result is a local optimum of both.

    Parameters
    ----------
    set_size
        How many parents a node is put back with at most, besides the required ones, or the parents that it has.
    candidates
        How many variables these come from, at most 64: those that are the best parents alone. Each climb looks up the
        scores of all their sets of up to `set_size`, of which there may be 100,000.
    climbs
        How often to climb; the best end is returned. Later climbs cost little, because most scores are known.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start: a function such as
        `score_filter` or `mmpc`, or a mapping from names to names. With many variables it saves most of the time.
    random_start
        Whether each climb starts from a random graph instead.
    kick
        If above 0, each climb but the first starts from the best end so far after so many random changes.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = reinsertion(LocalScore(data, "bic"), seed=1)
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """

    set_size: int = 3
    candidates: int = 20
    climbs: int = 10
    neighbourhood: Neighbourhood | CandidateParents | None = None
    random_start: bool = False
    kick: int = 0

    name = "reinsertion"
    bytes_per_pair = 0
    bytes_per_variable = 4096

    def __post_init__(self) -> None:
        count("set_size", self.set_size, least=1)
        most = _core.MOST_REINSERTION_CANDIDATES
        if count("candidates", self.candidates, least=1) > most:
            raise ParameterError.of("candidates", f"at most {most}", self.candidates)
        sets = sum(comb(self.candidates, size) for size in range(1, min(self.set_size, self.candidates) + 1))
        if sets > _MOST_SETS:
            raise ParameterError(
                Name("set_size"),
                " or ",
                Name("candidates"),
                f" must be less: {self.candidates} candidates have {sets:,} sets of up to "
                f"{self.set_size}, and each variable may have {_MOST_SETS:,}",
            )
        count("climbs", self.climbs, least=1)
        count("kick", self.kick)
        if flag("random_start", self.random_start) and self.kick:
            raise ParameterError(
                "random starts leave no room for ", Name("start"), " and ", Name("kick"), ": choose one of them"
            )

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb, and return the best end."""
        options = (self.random_start, self.kick, self.neighbourhood)
        return Climbs(self.name, self.climb, self.climbs, _COUNTED, *options).run(problem, context)

    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.HillClimbResult:
        """Climb once, from the first graph."""
        return _core.reinsert(score, rules, self.set_size, self.candidates, first, seed, budget)


reinsertion = function_of(Reinsertion(), "reinsertion")
