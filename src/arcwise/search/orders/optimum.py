"""Where climbs from orders end."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from arcwise import _core
from arcwise.graph.nodes import Order, checked_order
from arcwise.support.fields import Fields

__all__ = ["Optimum"]


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
