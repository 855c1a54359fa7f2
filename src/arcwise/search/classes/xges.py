"""Extremely greedy equivalence search."""

from dataclasses import dataclass

from arcwise import _core
from arcwise.search.classes.class_search import ClassSearch
from arcwise.search.climbs import ParentLists
from arcwise.search.search import function_of
from arcwise.support.arguments import flag

__all__ = ["Xges", "xges"]


@dataclass(frozen=True)
class Xges(ClassSearch):
    """Move between equivalence classes, deletions first; then look at what comes of deleting each edge.

    Extremely greedy equivalence search (Nazaret & Blei 2024, UAI). Greedy insertions come with edges that later ones
    make useless: each is deleted as soon as that improves the class, before anything else is inserted. At the local
    optimum every deletion is tried, the least harmful first: from there the search climbs without bringing this arc
    back, and a better class takes the place of the old one. In the authors' program that is the end; here a second pass
    follows in which each arc may come back before its trial is judged. With unlimited data it finds what `ges` does;
    with few it finds better classes, for a multiple of the time.

    Parameters
    ----------
    extended
        Whether deletions are tried at the local optimum; without, this is the authors' XGES-0.
    reversing
        Whether an arc of a graph of the class may also be reversed, before insertions are looked at.
    climbs, random_start, max_degree
        As in `ClassSearch`.

    Examples
    --------
    >>> from arcwise import LocalScore, ges, load_example
    >>> score = LocalScore(load_example("alarm").sample(500, seed=1), "bic")
    >>> xges(score, seed=1).score >= ges(score, seed=1).score
    True
    """

    extended: bool = True
    reversing: bool = True

    name = "xges"

    def __post_init__(self) -> None:
        super().__post_init__()
        flag("extended", self.extended)
        flag("reversing", self.reversing)

    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.ClassSearchResult:
        """Climb once, from the class of the first graph."""
        return _core.search_classes_deleting_first(score, rules, self.reversing, self.extended, first, seed, budget)


xges = function_of(Xges(), "xges")
