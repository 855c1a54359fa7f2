"""Rules about ancestors: contradictions among them, and a first graph that has all paths that it must have."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from arcwise.constraints.checks import Arc, arrow
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.nodes import closure, cycle
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Setting
from arcwise.support.quoting import chained, quoted

__all__ = ["graph_with_paths", "refuse_contradictions"]


def refuse_contradictions(
    required: Sequence[Arc], required_ancestors: Sequence[Arc], forbidden_ancestors: Sequence[Arc]
) -> None:
    """Refuse paths that would close a cycle, and such as are both required and forbidden."""
    steps = dict.fromkeys((*required, *required_ancestors))
    nodes = list(dict.fromkeys(name for pair in (*steps, *forbidden_ancestors) for name in pair))
    index = {name: place for place, name in enumerate(nodes)}
    above: list[list[int]] = [[] for _ in nodes]
    for ancestor, descendant in steps:
        above[index[descendant]].append(index[ancestor])
    around = cycle(above)
    if around:
        path = chained(nodes[node] for node in around)
        raise ParameterError(f"required arcs and ancestors form a cycle: {path}; a graph without cycles cannot have it")
    for ancestor, descendant in forbidden_ancestors:
        if index[ancestor] in closure([index[descendant]], above):
            raise ParameterError(
                f"{quoted(ancestor)} must not be an ancestor of {quoted(descendant)}, but required arcs and ancestors "
                "lead from the one to the other; drop one of them"
            )


def graph_with_paths(
    rules: ResolvedConstraints, names: Sequence[str], paths: Iterable[Arc]
) -> tuple[tuple[int, ...], ...]:
    """Return the parents of each node in a graph with all required arcs, and all required paths besides.

    A path that the arcs do not have yet becomes one arc where the rules allow that, else the shortest way over arcs
    that they allow. Whether a graph exists is hard to tell in general; this finds one wherever single arcs will do.

    Raises
    ------
    ParameterError
        If no way is found.
    """
    graph = _Graph(rules)
    index = {name: place for place, name in enumerate(names)}
    for pair in paths:
        ancestor, descendant = (index[name] for name in pair)
        if graph.leads(ancestor, descendant):
            continue
        way = graph.shortest_way(ancestor, descendant)
        if way is None:
            raise ParameterError(
                f"no way was found to make {quoted(pair[0])} an ancestor of {quoted(pair[1])} ({arrow(pair)}) with the "
                "arcs that the other constraints allow; relax these, or give a graph that has it as ",
                Setting("start"),
            )
        for tail, head in pairwise(way):
            graph.add(tail, head)
    return tuple(tuple(sorted(row)) for row in graph.parents)


class _Graph:
    """A graph that grows by arcs which keep to the rules."""

    def __init__(self, rules: ResolvedConstraints) -> None:
        self._rules = rules
        self.parents = [set(rules.required_parents(child)) for child in range(rules.n_variables)]
        self._degrees = np.array([len(row) for row in self.parents])
        for row in self.parents:
            self._degrees[list(row)] += 1

    def leads(self, ancestor: int, descendant: int) -> bool:
        return ancestor == descendant or ancestor in closure([descendant], [sorted(row) for row in self.parents])

    def add(self, tail: int, head: int) -> None:
        if tail not in self.parents[head]:
            self.parents[head].add(tail)
            self._degrees[[tail, head]] += 1

    def shortest_way(self, ancestor: int, descendant: int) -> list[int] | None:
        """Return the nodes of the shortest way, back from the descendant; arcs that are there are taken too."""
        before: dict[int, int] = {descendant: descendant}
        queue = [descendant]
        for head in queue:
            for tail in self._tails(head):
                if tail not in before:
                    before[tail] = head
                    if tail == ancestor:
                        return self._kept(_followed(before, tail))
                    queue.append(tail)
        return None

    def _tails(self, head: int) -> list[int]:
        free = self._rules.allowed_parents(head).tolist()
        return [*sorted(self.parents[head]), *(tail for tail in free if self._may_add(tail, head))]

    def _may_add(self, tail: int, head: int) -> bool:
        rules = self._rules
        has_room = len(self.parents[head]) < rules.max_parents[head] and all(
            self._degrees[node] < rules.max_degree[node] for node in (tail, head)
        )
        return has_room and not self.leads(head, tail) and rules.keeps_ancestors_with(self.leads, tail, head)

    def _kept(self, way: list[int]) -> list[int] | None:
        """Return the way if all its arcs can be there together."""
        parents, degrees = [set(row) for row in self.parents], self._degrees.copy()
        try:
            for tail, head in pairwise(way):
                if tail not in self.parents[head]:
                    if not self._may_add(tail, head):
                        return None
                    self.add(tail, head)
            return way
        finally:
            self.parents, self._degrees = parents, degrees


def _followed(before: dict[int, int], node: int) -> list[int]:
    way = [node]
    while before[way[-1]] != way[-1]:
        way.append(before[way[-1]])
    return way
