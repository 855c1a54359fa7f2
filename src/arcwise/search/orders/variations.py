"""New orders made of known ones: the kicks and crossovers of Lee & van Beek 2017.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017, sections 4 and 5.
"""

from collections.abc import Callable

import numpy as np

from arcwise.graph.nodes import Order, checked_order
from arcwise.support.arguments import count as whole_number
from arcwise.support.arguments import instance

__all__ = ["CROSSOVERS", "cycle_crossover", "order_based_crossover", "rank_crossover", "swap_kick"]


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


def cycle_crossover(first: Order, second: Order, rng: np.random.Generator) -> Order:
    """Order that has at every position what one of the two has there (CX).

    Positions fall into cycles, each position followed by where the first order has what the second one has here. On
    each cycle both orders have the same variables, and the new order has those of the one or of the other, with the
    same probability. (The paper's text sets the wrong position; after Oliver, Smith & Holland 1987, ICGA.)

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> child = cycle_crossover(np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2]), rng)
    >>> child[:2].tolist() in ([0, 1], [1, 0]) and child[2:].tolist() in ([2, 3], [3, 2])
    True
    """
    first, second = _checked(first, second, rng)
    following = _positions(first)[second]
    cycle, n_cycles = _cycles(following)
    return np.where((rng.integers(2, size=n_cycles) == 0)[cycle], first, second)


def rank_crossover(first: Order, second: Order, rng: np.random.Generator) -> Order:
    """Variables by their mean position in the two orders, those with the same mean in any order (RX).

    What comes before another variable in both orders does so in the new one.

    Examples
    --------
    >>> rank_crossover(np.array([0, 1, 2, 3]), np.array([1, 3, 0, 2]), np.random.default_rng(1)).tolist()
    [1, 0, 3, 2]
    """
    first, second = _checked(first, second, rng)
    return np.lexsort((rng.permutation(first.size), _positions(first) + _positions(second)))


def order_based_crossover(first: Order, second: Order, rng: np.random.Generator) -> Order:
    """Half of the variables, any, where the first order has them; the others fill the gaps as in the second (OB).

    Of an odd number n, (n - 1) / 2 stay in place.

    Examples
    --------
    >>> child = order_based_crossover(np.array([0, 1, 2, 3]), np.array([3, 2, 1, 0]), np.random.default_rng(1))
    >>> int((child == np.array([0, 1, 2, 3])).sum()) >= 2
    True
    """
    first, second = _checked(first, second, rng)
    stays = np.zeros(first.size, dtype=np.bool_)  # by position in the first order
    stays[rng.choice(first.size, first.size // 2, replace=False)] = True
    child = first.copy()
    child[~stays] = second[~stays[_positions(first)[second]]]
    return child


def _checked(first: Order, second: Order, rng: np.random.Generator) -> tuple[Order, Order]:
    instance("rng", rng, np.random.Generator)
    n = np.size(first)
    return checked_order(first, n), checked_order(second, n)


def _cycles(following: Order) -> tuple[Order, int]:
    """Return the number of the cycle that each place is in, and how many cycles there are."""
    after, number, n_cycles = following.tolist(), [-1] * following.size, 0
    for start in range(following.size):
        if number[start] >= 0:
            continue
        at = start
        while number[at] < 0:
            number[at] = n_cycles
            at = after[at]
        n_cycles += 1
    return np.array(number, dtype=np.intp), n_cycles


def _positions(order: Order) -> Order:
    """Where each variable is."""
    positions = np.empty_like(order)
    positions[order] = np.arange(order.size)
    return positions


#: Crossovers by the names that searches take.
CROSSOVERS: dict[str, Callable[[Order, Order, np.random.Generator], Order]] = {
    "cx": cycle_crossover,
    "rx": rank_crossover,
    "ob": order_based_crossover,
}
