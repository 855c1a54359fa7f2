"""Slow, obvious twins of what order searches begin with and change; graphs are the parents of each node."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from math import inf, prod

Parents = Sequence[Collection[int]]
Arc = tuple[int, int]


def dfs_choices(parents: Parents, unvisited: Collection[int]) -> set[int]:
    """The best nodes of Algorithm 3 (Perez & Mauá 2016), with products of whole numbers."""

    def in_degree(node: int) -> int:
        return sum(parent in unvisited for parent in parents[node])

    def goodness(node: int) -> int:
        return prod(in_degree(child) for child in unvisited if node in parents[child])

    rank = {node: (in_degree(node), goodness(node)) for node in unvisited}
    return {node for node in unvisited if rank[node] == min(rank.values())}


def arcs(parents: Parents) -> set[Arc]:
    return {(parent, node) for node, of_node in enumerate(parents) for parent in of_node}


def backward(order: Sequence[int], parents: Parents) -> set[Arc]:
    """The arcs that an order does not keep."""
    return {(tail, head) for tail, head in arcs(parents) if order.index(tail) > order.index(head)}


def closes_cycle(arc: Arc, others: Collection[Arc]) -> bool:
    """A path of the other arcs leads from the end of the arc to its beginning."""
    reached = {arc[1]}
    while more := {head for tail, head in others if tail in reached} - reached:
        reached |= more
    return arc[0] in reached


def least_feedback(parents: Parents, weights: Mapping[Arc, float]) -> float:
    """The weight of the lightest set of arcs that some order does not keep."""
    return min(sum(weights[arc] for arc in backward(order, parents)) for order in permutations(range(len(parents))))


def longest_cycle(parents: Parents) -> int:
    """How many arcs the longest cycle through different nodes has; 0 without cycles."""
    n = len(parents)
    return max(
        (
            size
            for size in range(2, n + 1)
            for path in permutations(range(n), size)
            if all(path[at - 1] in parents[path[at]] for at in range(size))
        ),
        default=0,
    )


def weight(sets: Sequence[tuple[float, Collection[str]]], parent: str) -> float:
    """What a variable loses without one of its best parents; sets are best first."""
    best_score, best = sets[0]
    inside = [score for score, members in sets if set(members) <= set(best) - {parent}]
    return best_score - max(inside) if inside else inf


def cycle_children(first: Sequence[int], second: Sequence[int]) -> set[tuple[int, ...]]:
    """Every order that has at each position what one of the two has there."""
    return {child for child in product(*zip(first, second, strict=True)) if len(set(child)) == len(child)}


def rank_children(first: Sequence[int], second: Sequence[int]) -> set[tuple[int, ...]]:
    """Every order by rising mean position."""

    def mean(variable: int) -> float:
        return (first.index(variable) + second.index(variable)) / 2

    return {
        child
        for child in permutations(first)
        if all(mean(child[at]) <= mean(child[at + 1]) for at in range(len(child) - 1))
    }


def order_based_children(first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The order for each choice of half of the variables that stay where they are in the first."""
    for stays in combinations(first, len(first) // 2):
        rest = iter([variable for variable in second if variable not in stays])
        yield tuple(variable if variable in stays else next(rest) for variable in first)


def is_even(order: Sequence[int]) -> bool:
    """An even number of pairs stand in falling order."""
    return sum(a > b for a, b in combinations(order, 2)) % 2 == 0
