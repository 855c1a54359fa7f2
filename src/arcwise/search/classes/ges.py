"""Greedy equivalence search."""

from dataclasses import dataclass

from arcwise import _core
from arcwise.search.classes.class_search import ClassSearch
from arcwise.search.climbs import ParentLists
from arcwise.search.search import function_of
from arcwise.support.arguments import flag

__all__ = ["Ges", "ges"]


@dataclass(frozen=True)
class Ges(ClassSearch):
    """Move from one equivalence class to the best next to it until none is better.

    Greedy equivalence search (Chickering 2002, JMLR 3). The classes next to a class are its inclusion boundary: those
    of all graphs with one arc more or one less than a graph of the class. With unlimited data from a distribution that
    is faithful to some graph, the class of this graph is the result; with few data, or other distributions, it is a
    local optimum.

    A class meets the constraints when one of its graphs does; this graph is the ``dag`` of the result.

    Parameters
    ----------
    by_phases
        Insert edges first, and delete edges only when no insertion is left that improves the class, as Chickering does;
        otherwise the best class is taken in each step, whichever it is (Nielsen, Kočka & Peña 2003, UAI). An insertion
        may improve the class again after the deletions: then the result is not a local optimum. With `reversing`,
        reversals follow, and all of it again until nothing improves the class (Hauser & Bühlmann 2012, JMLR 13).
    reversing
        Whether an arc of a graph of the class may also be reversed.
    climbs, random_start, max_degree
        As in `ClassSearch`.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> truth = load_example("asia")
    >>> result = ges(LocalScore(truth.sample(100_000, seed=1), "bic"), seed=1)
    >>> result.cpdag == truth.dag.cpdag()
    True
    """

    by_phases: bool = False
    reversing: bool = False

    name = "ges"

    def __post_init__(self) -> None:
        super().__post_init__()
        flag("by_phases", self.by_phases)
        flag("reversing", self.reversing)

    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.ClassSearchResult:
        """Climb once, from the class of the first graph."""
        if self.by_phases:
            return _core.search_classes_by_phases(score, rules, self.reversing, first, seed, budget)
        return _core.search_classes(score, rules, 1.0, self.reversing, first, seed, budget)


ges = function_of(Ges(), "ges")
