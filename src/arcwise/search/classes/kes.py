"""k-greedy equivalence search."""

from dataclasses import dataclass, field
from math import ceil, log1p

from arcwise import _core
from arcwise.search.classes.class_search import ClassSearch
from arcwise.search.climbs import ParentLists
from arcwise.search.search import function_of
from arcwise.support.arguments import flag, number
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Setting
from arcwise.support.names import one_of

__all__ = ["BOUNDARIES", "Kes", "kes"]

BOUNDARIES = ("exact", "sampled")
"""How the classes next to a class are found."""

_REVERSALS = 4  # of covered arcs before each draw, at most: two on average


@dataclass(frozen=True)
class Kes(ClassSearch):
    """Move from one equivalence class to the best of a random share of the better ones next to it, several times.

    k-greedy equivalence search (Nielsen, Kočka & Peña 2003, UAI). With B the classes of the inclusion boundary that
    score higher, a random subset of ``max(1, ceil(k * len(B)))`` of them is drawn in each step, and the best of these
    is taken. With ``k=1`` this is greedy equivalence search, with ``k=0`` the stochastic one (SES), which some
    time comes to every local optimum that steps upwards lead to from the start. What holds for `ges` with unlimited
    data holds for every k.

    Here all of B is known, each class once, and a climb ends exactly where B is empty. The authors' own program
    represents a class by one of its graphs, and cannot list B: ``boundary="sampled"`` does what it does. Between
    reversals of covered arcs, which lead from graph to graph within the class, it draws pairs of variables; an arc
    between them is removed, or else one is added. With n variables, a step draws ``-ln(1 - k) * n * (n - 1)`` times, so
    that the share k of a boundary of ``n * (n - 1)`` classes is expected to come up, and moves to the best class if
    that is better. The climb ends when nothing better has come up for a while, which need not be a local optimum.

    The different classes at which climbs have ended are in the ``optima`` of the result.

    Parameters
    ----------
    k
        The share, from 0 to 1: how greedy the search is.
    reversing
        Whether classes are also next to each other when reversing an arc leads from a graph of one to a graph of the
        other.
    climbs, random_start, max_degree
        As in `ClassSearch`. Later climbs cost little, because most scores are known.
    boundary
        ``exact`` for all classes next to a class, ``sampled`` for draws from them as in the authors' program. With
        constraints, drawn graphs and those on the way to them obey these; some classes may then never come up.
    patience
        With the sampled boundary: a climb ends after this many times ``n * (n - 1)`` draws in a row without a better
        class. It is also the most that a step draws, which with ``k=1`` would be infinitely often.

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
    boundary: str = "exact"
    patience: float = 20.0
    climbs: int = field(default=10, kw_only=True)

    name = "kes"

    def __post_init__(self) -> None:
        super().__post_init__()
        if number("k", self.k) > 1:
            raise ParameterError.of("k", "a share from 0 to 1", self.k)
        flag("reversing", self.reversing)
        one_of("boundary", self.boundary, BOUNDARIES)
        number("patience", self.patience, positive=True)
        if self.reversing and self.boundary == "sampled":
            raise ParameterError(
                Setting("boundary", "sampled"), " has no reversals; leave out ", Setting("reversing"), ", or boundary"
            )

    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.ClassSearchResult:
        """Climb once, from the class of the first graph."""
        if self.boundary == "sampled":
            return _core.search_classes_by_draws(score, rules, self.draws(len(first)), first, seed, budget)
        return _core.search_classes(score, rules, self.k, self.reversing, first, seed, budget)

    def draws(self, n_variables: int) -> _core.BoundaryDraws:
        """Return how often to draw from a sampled boundary, as if it were as large as there can be arcs."""
        size = n_variables * (n_variables - 1)
        share = self.patience if self.k == 1 else min(self.patience, -log1p(-self.k))
        most = 1 << 62
        return _core.BoundaryDraws(
            min(most, max(1, ceil(share * size))), min(most, max(1, ceil(self.patience * size))), _REVERSALS
        )


kes = function_of(Kes(), "kes")
