"""Slow, obvious twins of the climbs over orders on a table: every neighbour is tried, and scored from scratch."""

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations, product
from math import fsum
from typing import NamedTuple

from arcwise.parents import ParentSets

# For each variable, by index, its sets with their scores; in any order.
Lists = Sequence[Sequence[tuple[float, frozenset[int]]]]
Order = Sequence[int]


class Value(NamedTuple):
    """How good an order is: what matters first is how many variables are left without a set."""

    missing: int
    score: float

    def beats(self, other: "Value", tolerance: float = 0.0) -> bool:
        if self.missing != other.missing:
            return self.missing < other.missing
        return self.score > other.score + tolerance


def lists_of(table: ParentSets) -> list[list[tuple[float, frozenset[int]]]]:
    """The sets of a table by index."""
    index = {name: at for at, name in enumerate(table.names)}
    return [[(score, frozenset(index[name] for name in parents)) for score, parents in table.sets(v)] for v in index]


def best_within(sets: Sequence[tuple[float, frozenset[int]]], predecessors: Collection[int]) -> float | None:
    """The best score of a set inside the predecessors."""
    return max((score for score, members in sets if members <= set(predecessors)), default=None)


def local_scores(lists: Lists, order: Order) -> list[float | None]:
    """What each variable scores under the order."""
    return [best_within(lists[v], order[: order.index(v)]) for v in range(len(lists))]


def value(lists: Lists, order: Order) -> Value:
    scores = local_scores(lists, list(order))
    return Value(scores.count(None), fsum(score for score in scores if score is not None))


def insertions(order: Order) -> Iterator[tuple[int, list[int]]]:
    """Every order with one variable elsewhere, and which variable."""
    for at, variable in enumerate(order):
        rest = [*order[:at], *order[at + 1 :]]
        for place in range(len(order)):
            if place != at:
                yield variable, [*rest[:place], variable, *rest[place:]]


def adjacent_swaps(order: Order) -> Iterator[list[int]]:
    """Every order with two neighbours in each other's place, from left to right."""
    for at in range(len(order) - 1):
        yield [*order[:at], order[at + 1], order[at], *order[at + 2 :]]


def best_order_value(lists: Lists) -> Value:
    """The best of all orders."""
    return max(
        (value(lists, order) for order in permutations(range(len(lists)))), key=lambda found: (-found.missing, found[1])
    )


def best_dag_score(lists: Lists) -> float | None:
    """The best score of a choice of one set for each variable that closes no cycle; None where all do."""
    graphs = (families for families in product(*lists) if is_acyclic([members for _, members in families]))
    return max((fsum(score for score, _ in families) for families in graphs), default=None)


def is_acyclic(parents: Sequence[Collection[int]]) -> bool:
    """Nodes whose parents are all gone can be taken away until none is left."""
    left = set(range(len(parents)))
    while free := {node for node in left if not left & set(parents[node])}:
        left -= free
    return not left


def tabu_moves(lists: Lists, order: Order, tabu: int) -> tuple[list[int], int]:
    """The best order on the way of the tabu climb over adjacent swaps, and how many moves were made."""
    here, best = list(order), list(order)
    swapped: list[set[int]] = []
    moves = since_best = 0
    while since_best < tabu:
        free = [swap for swap in adjacent_swaps(here) if moved(here, swap) not in swapped[-tabu:]]
        if not free:
            break
        step = max(free, key=lambda swap: value(lists, swap).score)  # the leftmost of several
        swapped.append(moved(here, step))
        here, moves, since_best = step, moves + 1, since_best + 1
        if value(lists, here).beats(value(lists, best)):
            best, since_best = here, 0
    return best, moves


def moved(before: Order, after: Order) -> set[int]:
    return {a for a, b in zip(before, after, strict=True) if a != b}


def acyclic_selection(lists: Lists, order: Order) -> list[frozenset[int]]:
    """From the last variable to the first, the best set that closes no cycle with those already chosen (ASOBS).

    Sets must be best first. A variable all of whose sets close a cycle gets no parents.
    """
    chosen: list[frozenset[int]] = [frozenset()] * len(lists)
    for v in reversed(order):
        for _, members in lists[v]:
            if is_acyclic([*chosen[:v], members, *chosen[v + 1 :]]):
                chosen[v] = members
                break
    return chosen


def sorted_like(order: Order, parents: Sequence[Collection[int]]) -> list[int]:
    """Parents first; of the variables that may come next always the one that was first in the order."""
    left, done = list(order), list[int]()
    while left:
        following = next(v for v in left if set(parents[v]) <= set(done))
        left.remove(following)
        done.append(following)
    return done
