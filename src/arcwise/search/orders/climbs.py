"""One climb from an order to a local optimum, on a table of parent sets: where it begins, how it goes, where it ends.

The orders to begin with that are read off the graph in which every variable has its best parents are those of Perez &
Mauá 2016, "Better initialization heuristics for order-based Bayesian network structure learning", JIDM 7(2), section 5.
Seeds are those of a kernel, whole numbers of 64 bits; the same seed gives the same order, and different seeds give
different ones wherever the graph leaves a choice.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.graph.nodes import Order, checked_order
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.relaxed_arcs import RelaxedArcs
from arcwise.runs.budget import Budget
from arcwise.support.arguments import count, either_spelling, instance, kernel_seed
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields
from arcwise.support.messages import Name
from arcwise.support.names import one_of

__all__ = [
    "INITIAL_ORDERS",
    "ORDERS_OF_ARCS",
    "ORDER_CLIMBS",
    "Optimum",
    "OrderClimb",
    "climb_named",
    "climb_order",
    "dfs_order",
    "fas_order",
    "random_order",
]

MoveName = Literal["insert", "adjacent", "acyclic", "narrow"]
InsertionChoice = Literal["hybrid", "best", "first"]

_MOST = 2**64 - 1  # what a kernel can count: as good as no limit
_MOVES = {
    ("insert", "hybrid"): _core.OrderMoves.insert_hybrid,
    ("insert", "best"): _core.OrderMoves.insert_best,
    ("insert", "first"): _core.OrderMoves.insert_first,
    ("adjacent", "best"): _core.OrderMoves.adjacent,
}


def random_order(table: ParentSets, seed: int) -> Order:
    """Any order, each with the same probability.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b", "c"], [[(0, [])], [(0, [])], [(0, [])]])
    >>> sorted(random_order(table, seed=1).tolist())
    [0, 1, 2]
    """
    rng = np.random.default_rng(kernel_seed(seed))
    return rng.permutation(instance("table", table, ParentSets).n_variables).astype(np.intp, copy=False)


def dfs_order(table: ParentSets, seed: int) -> Order:
    r"""Order that always continues with a variable that has few parents left to wait for.

    Algorithm 3 of the paper. Next is a variable with the fewest best parents that are still to come; among those one
    with the least goodness,

    .. math:: \prod_{j \in Ch_i \cap U} |Pa_j \cap U|

    where U are the variables still to come, Pa and Ch the best parents and the children under them (eq. 7); among those
    any. Products are compared exactly as to ties. Where the best parents close no cycle, every variable gets them, and
    the order is optimal; otherwise nothing is promised. As the empty product is 1, variables without children to come
    are preferred, and their parents may then be lost: on some tables random orders score more.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b", "c"], [[(-1, ["b"]), (-2, [])], [(-1, ["c"]), (-2, [])], [(-1, [])]])
    >>> dfs_order(table, seed=1).tolist()
    [2, 1, 0]
    """
    return _by_depth(instance("table", table, ParentSets).relaxed_arcs, seed)


def fas_order(table: ParentSets, seed: int) -> Order:
    r"""Order that loses few of the best parents, and those that weigh little.

    Algorithm 4 of the paper, after Demetrescu & Finocchi 2003, "Combinatorial algorithms for feedback problems in
    directed graphs", IPL 86(3). The arc from a best parent j to i weighs what i loses without j (eq. 8),
    :math:`sc_i(Pa_i) - sc_i(Pa_i \setminus \{j\})`; where the table does not have that set, or has a better subset of
    it, the best set inside it counts, and where there is none the arc is infinitely heavy. While there is a cycle, each
    of its arcs gets lighter by the weight of the lightest, and what falls to 0 is cut. In the end, cut arcs that close
    no cycle return, the heaviest first. The order is any that keeps the arcs that are left: the lost ones weigh at most
    as many times the least possible as the longest cycle has arcs, and none of them could be kept besides the others.
    Where the best parents close no cycle, the order is optimal.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b"], [[(-1, ["b"]), (-2, [])], [(-1, ["a"]), (-5, [])]])
    >>> fas_order(table, seed=1).tolist()
    [0, 1]
    """
    return _by_weight(instance("table", table, ParentSets).relaxed_arcs, seed)


def _by_depth(arcs: RelaxedArcs, seed: int) -> Order:
    return _core.dfs_order(arcs.begin, arcs.parents, kernel_seed(seed)).astype(np.intp, copy=False)


def _by_weight(arcs: RelaxedArcs, seed: int) -> Order:
    return _core.fas_order(arcs.begin, arcs.parents, arcs.weights, kernel_seed(seed)).astype(np.intp, copy=False)


#: Initial orders by the names that searches take.
INITIAL_ORDERS: dict[str, Callable[[ParentSets, int], Order]] = {
    "random": random_order,
    "dfs": dfs_order,
    "fas": fas_order,
}

#: Those of them that are read off best parents, wherever these come from.
ORDERS_OF_ARCS: dict[str, Callable[[RelaxedArcs, int], Order]] = {"dfs": _by_depth, "fas": _by_weight}


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a climb from an order ended: the order, its best graph, that graph's score, and how it got there.

    Attributes
    ----------
    order
        The variables, parents before children.
    parents
        The parents of each variable, by index.
    score
        The score of the graph.
    start_score
        The score of the order that the climb started from.
    moves
        How many moves it took.
    is_feasible
        Whether every variable has a parent set within its predecessors.
    """

    order: Order
    parents: list[list[int]]
    score: float
    start_score: float
    moves: int
    is_feasible: bool = True

    @classmethod
    def of(cls, result: _core.OrderClimbResult) -> "Optimum":
        """Return the end of a kernel's climb."""
        return cls(
            order=result.order,
            parents=result.parents,
            score=result.score,
            start_score=result.start_score,
            moves=result.moves,
            is_feasible=result.is_feasible,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the same in values that JSON has."""
        return {
            "order": self.order.tolist(),
            "parents": self.parents,
            "score": _finite(self.score),
            "start_score": _finite(self.start_score),
            "moves": self.moves,
            "is_feasible": self.is_feasible,
        }

    @classmethod
    def of_json(cls, fields: Fields, n_variables: int) -> "Optimum":
        """Return what `as_json` has made.

        Raises
        ------
        FormatError
            If that is not an order of so many variables with a graph that goes by it.
        """
        order = fields.made(lambda: checked_order(fields.wholes("order"), n_variables))
        parents = [list(row) for row in fields.rows("parents", int)]
        place = np.argsort(order)
        if len(parents) != n_variables or not all(
            parent < n_variables and place[parent] < place[child] for child, row in enumerate(parents) for parent in row
        ):
            raise fields.wrong("the graph of an order has a parent that does not come before its child")
        return cls(
            order=order,
            parents=parents,
            score=fields.number("score") if "score" in fields else -inf,
            start_score=fields.number("start_score") if "start_score" in fields else -inf,
            moves=fields.whole("moves"),
            is_feasible=fields.flag("is_feasible"),
        )


def _finite(score: float) -> float | None:
    """Return the score, or None for that of an order under which a variable has no set: JSON has no infinity."""
    return None if score == -inf else score


@either_spelling
@dataclass(frozen=True)
class OrderClimb:
    """How to climb from an order.

    Parameters
    ----------
    moves
        ``insert``: one variable moves to any place (Lee & van Beek 2017; Alonso-Barba, de la Ossa & Puerta 2011).
        ``adjacent``: two neighbours change places, always the best pair (Teyssier & Koller 2005; Perez & Mauá 2016).
        ``acyclic``: no moves; from the last variable to the first, each takes the best parents that close no cycle,
        wherever they are (ASOBS, Scanagatta et al. 2015).
        ``narrow``: one variable moves to any place, drawn at random; along the order each takes the best parents that
        keep the width (`Narrow`).
    choice
        Which insertion is made: ``best`` of all; the ``first`` that improves, in random order; ``hybrid``, the best
        place of the first variable that has a better one, variables in random order. First and best end in slightly
        better optima, hybrid is several times faster.
    tabu
        For adjacent swaps: two variables that were swapped stay as they are for so many moves, and the best of the
        other swaps is made even if it makes matters worse, until as many moves in a row have not led to a better order.
        0 stops at the first local optimum.
    max_moves
        Stop after so many moves.
    width
        For narrow moves, and only for these: the largest width of the graph.
    """

    moves: MoveName = "insert"
    choice: InsertionChoice = "hybrid"
    tabu: int = 0
    max_moves: int | None = None
    width: int | None = None

    def __post_init__(self) -> None:
        one_of("moves", self.moves, get_args(MoveName))
        one_of("choice", self.choice, get_args(InsertionChoice))
        count("tabu", self.tabu)
        if self.tabu and self.moves != "adjacent":
            raise ParameterError(Name("tabu"), f" is for adjacent moves, not for {self.moves}")
        if self.choice != "hybrid" and self.moves != "insert":
            raise ParameterError(Name("choice"), f" is for insert moves, not for {self.moves}")
        if self.max_moves is not None:
            count("max_moves", self.max_moves)
            if self.moves == "acyclic":
                raise ParameterError(Name("max_moves"), " is for insert and adjacent moves, not for acyclic")
        if (self.width is None) == (self.moves == "narrow"):
            raise ParameterError(Name("width"), " is for narrow moves, which need it, and for no others")
        if self.width is not None:
            count("width", self.width)

    def run(self, table: _core.SetTable, order: npt.ArrayLike, tolerance: float, seed: int, budget: Budget) -> Optimum:
        """Return where the climb ends; see `climb_order`."""
        start = checked_order(order, table.n_variables)
        if self.moves == "acyclic":
            return Optimum.of(_core.select_acyclic(table, start))
        limit = _MOST if self.max_moves is None else min(self.max_moves, _MOST)
        if self.width is not None:
            width = min(self.width, table.n_variables)
            return Optimum.of(_core.climb_narrow(table, start, width, tolerance, limit, seed, budget.core))
        moves = _MOVES[self.moves, "best" if self.moves == "adjacent" else self.choice]
        tabu = min(self.tabu, _MOST)
        return Optimum.of(_core.climb_order(table, start, moves, tolerance, limit, tabu, seed, budget.core))


#: Climbs by the names that the papers give them.
ORDER_CLIMBS: dict[str, OrderClimb] = {
    "inobs": OrderClimb(),
    "hcbo": OrderClimb(choice="best"),
    "first": OrderClimb(choice="first"),
    "obs": OrderClimb("adjacent"),
    "obs-tabu": OrderClimb("adjacent", tabu=100),
    "asobs": OrderClimb("acyclic"),
}


def climb_named(climb: str | OrderClimb) -> OrderClimb:
    """Return the climb of a name, or the given one itself.

    Examples
    --------
    >>> climb_named("hcbo")
    OrderClimb(moves='insert', choice='best', tabu=0, max_moves=None, width=None)
    """
    if isinstance(climb, OrderClimb):
        return climb
    return ORDER_CLIMBS[one_of("climb", climb, ORDER_CLIMBS, other="an OrderClimb")]


def climb_order(
    table: ParentSets,
    order: npt.ArrayLike,
    climb: str | OrderClimb = "inobs",
    *,
    seed: int = 0,
    budget: Budget | None = None,
) -> Optimum:
    """Climb from an order to a local optimum.

    Parameters
    ----------
    table
        The parent sets to choose from.
    order
        The variables by index; parents come before their children.
    climb
        How to climb: a name (inobs, hcbo, first, obs, obs-tabu, asobs) or an `OrderClimb`.
    seed
        Decides in which order moves are tried.
    budget
        When to stop early.

    Examples
    --------
    >>> table = ParentSets.from_lists(
    ...     ["a", "b", "c"], [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"])]]
    ... )
    >>> optimum = climb_order(table, [2, 0, 1])
    >>> optimum.score, optimum.order.tolist()
    (-5.0, [1, 0, 2])
    """
    table = instance("table", table, ParentSets)
    budget = instance("budget", budget, Budget, default=Budget)
    return climb_named(climb).run(table.core, order, table.rounding, kernel_seed(seed), budget)
