"""Small random changes that take a search out of a local optimum."""

import numpy as np

from arcwise.graph.nodes import Order, checked_order
from arcwise.support.arguments import count as whole_number
from arcwise.support.arguments import instance

__all__ = ["swap_kick"]


def swap_kick(order: Order, count: int, rng: np.random.Generator) -> Order:
    """Order with two variables swapped, `count` times one pair after the other.

    The kick of Lee & van Beek 2017, "Metaheuristics for score-and-search Bayesian network structure learning",
    Canadian AI 2017, section 4. Each pair of different positions is drawn with the same probability, whatever was drawn
    before; later swaps may undo earlier ones. A single variable stays where it is.

    Examples
    --------
    >>> kicked = swap_kick(np.array([0, 1, 2, 3, 4]), 1, np.random.default_rng(1))
    >>> int((kicked != np.arange(5)).sum())
    2
    """
    instance("rng", rng, np.random.Generator)
    kicked = checked_order(order, np.size(order)).copy()
    count, n = whole_number("count", count), kicked.size
    if n < 2:
        return kicked
    one = rng.integers(n, size=count)
    other = (one + rng.integers(1, n, size=count)) % n
    for pair in np.column_stack([one, other]):
        kicked[pair] = kicked[pair[::-1]]
    return kicked
