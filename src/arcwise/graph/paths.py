"""Paths in directed graphs whose nodes are positions 0, 1, …: order, cycles, closures, separation."""

import heapq
from collections.abc import Iterable, Sequence


def reversed_arcs(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Children of each node from the parents of each node, or the other way round; ascending."""
    children: list[list[int]] = [[] for _ in parents]
    for node, row in enumerate(parents):
        for other in row:
            children[other].append(node)
    return children


def topological_order(parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]) -> list[int]:
    """Nodes, parents first; among those that could be next, the smallest.

    Nodes on a cycle, and those behind one, are left out: the order is shorter than the graph if and only if there is a
    cycle.
    """
    waiting = [len(row) for row in parents]
    ready = [node for node, count in enumerate(waiting) if count == 0]
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return order


def cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """Nodes of one cycle in the direction of its arcs, the first one again at the end; empty when there is none."""
    ordered = set(topological_order(parents, reversed_arcs(parents)))
    if len(ordered) == len(parents):
        return []
    # Every node left out of the order has a parent that is left out too, so that walking upwards must come round.
    node = next(node for node in range(len(parents)) if node not in ordered)
    path: list[int] = []
    place: dict[int, int] = {}
    while node not in place:
        place[node] = len(path)
        path.append(node)
        node = next(parent for parent in parents[node] if parent not in ordered)
    return [node, *reversed(path[place[node] :])]


def closure(starts: Iterable[int], steps: Sequence[Sequence[int]]) -> set[int]:
    """Nodes that one or more steps lead to from `starts`."""
    found: set[int] = set()
    frontier = list(starts)
    while frontier:
        fresh = set(steps[frontier.pop()]) - found
        found |= fresh
        frontier.extend(fresh)
    return found


def reachable(
    sources: Iterable[int],
    observed: set[int],
    parents: Sequence[Sequence[int]],
    children: Sequence[Sequence[int]],
) -> set[int]:
    """Unobserved nodes that an active path joins to one of `sources`, the sources included.

    A path is followed arc by arc, as in Shachter 1998 ("Bayes-ball: the rational pastime", UAI); what matters at a node
    is only whether it was entered from a child or from a parent. A collider lets the path through when it or one of its
    descendants is observed.
    """
    opened = observed | closure(observed, parents)
    visited: set[tuple[int, bool]] = set()
    frontier = [(node, True) for node in sources]  # True: entered from a child, which is how a path may leave a source
    while frontier:
        visit = frontier.pop()
        if visit in visited:
            continue
        visited.add(visit)
        node, from_child = visit
        if node not in observed:
            frontier.extend((child, False) for child in children[node])
        if (node not in observed) if from_child else (node in opened):
            frontier.extend((parent, True) for parent in parents[node])
    return {node for node, _ in visited if node not in observed}
