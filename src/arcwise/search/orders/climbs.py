"""Climbs from one order to a local optimum, on a table of parent sets."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy.typing as npt

from arcwise import _core
from arcwise.graph.nodes import checked_order
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.search.orders.climber import Optimum
from arcwise.support.arguments import count, either_spelling, instance
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import one_of
from arcwise.support.seeds import kernel_seed

__all__ = ["ORDER_CLIMBS", "OrderClimb", "climb_named", "climb_order"]

MoveName = Literal["insert", "adjacent", "acyclic"]
InsertionChoice = Literal["hybrid", "best", "first"]

_MOST = 2**64 - 1  # what a kernel can count: as good as no limit
_MOVES = {
    ("insert", "hybrid"): _core.OrderMoves.insert_hybrid,
    ("insert", "best"): _core.OrderMoves.insert_best,
    ("insert", "first"): _core.OrderMoves.insert_first,
    ("adjacent", "best"): _core.OrderMoves.adjacent,
}


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
    """

    moves: MoveName = "insert"
    choice: InsertionChoice = "hybrid"
    tabu: int = 0
    max_moves: int | None = None

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

    def run(self, table: _core.SetTable, order: npt.ArrayLike, tolerance: float, seed: int, budget: Budget) -> Optimum:
        """Return where the climb ends; see `climb_order`."""
        start = checked_order(order, table.n_variables)
        if self.moves == "acyclic":
            return Optimum.of(_core.select_acyclic(table, start))
        moves = _MOVES[self.moves, "best" if self.moves == "adjacent" else self.choice]
        limit = _MOST if self.max_moves is None else min(self.max_moves, _MOST)
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
    OrderClimb(moves='insert', choice='best', tabu=0, max_moves=None)
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
