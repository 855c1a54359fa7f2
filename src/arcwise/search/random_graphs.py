"""Random graphs to start a search from, and random changes of a graph."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import ResolvedConstraints

__all__ = ["ParentLists", "kicked_graph", "random_graph"]

ParentLists = list[list[int]]


def random_graph(
    required: Sequence[Sequence[int]], rules: ResolvedConstraints, rng: np.random.Generator
) -> ParentLists:
    """Return a graph with two random parents for each node, but for those that close a cycle or break the rules.

    The random graph of Vandel, Mangin & de Givry (2012, PGM), section 4.2.

    Parameters
    ----------
    required
        Parents that every graph has, by index; they come first.
    rules
        Which others are allowed, and how many.
    rng
        Chooses the parents.

    Examples
    --------
    >>> from arcwise import Constraints
    >>> graph = random_graph([[]] * 4, Constraints().resolve(["a", "b", "c", "d"]), np.random.default_rng(1))
    >>> max(len(parents) for parents in graph)
    2
    """
    n = len(required)
    graph = _Graph(required, rules)
    for child in rng.permutation(n).tolist():
        others = np.delete(np.arange(n), child)
        for parent in rng.choice(others, size=min(2, n - 1), replace=False).tolist():
            if graph.may_add(parent, child):
                graph.add(parent, child)
    return graph.lists


def kicked_graph(
    parents: Sequence[Sequence[int]], changes: int, rules: ResolvedConstraints, rng: np.random.Generator
) -> ParentLists:
    """Return the graph after random changes: an arc is added, or deleted or reversed where it is there.

    Parameters
    ----------
    parents
        The parents of each node, by index.
    changes
        How many changes to make; fewer are made where hardly any is allowed.
    rules
        Which arcs are allowed and required, and how many parents and adjacent nodes.
    rng
        Chooses the changes.

    Examples
    --------
    >>> from arcwise import Constraints
    >>> rules = Constraints().resolve(["a", "b", "c"])
    >>> kicked_graph([[], [], []], 1, rules, np.random.default_rng(1)) != [[], [], []]
    True
    """
    n = len(parents)
    graph = _Graph(parents, rules)
    made = 0
    for _ in range(100 * changes if n > 1 else 0):
        child, parent = rng.choice(n, size=2, replace=False).tolist()
        if parent not in graph.parents[child]:
            done = graph.may_add(parent, child)
            if done:
                graph.add(parent, child)
        else:
            done = not rules.required[child, parent]
            if done:
                graph.remove(parent, child)
                if rng.random() < 0.5 and graph.may_add(child, parent):
                    graph.add(child, parent)
        made += done
        if made == changes:
            break
    return graph.lists


class _Graph:
    def __init__(self, parents: Sequence[Sequence[int]], rules: ResolvedConstraints) -> None:
        self.parents = [set(row) for row in parents]
        self.degrees = np.array([len(row) for row in self.parents])
        for row in self.parents:
            self.degrees[list(row)] += 1
        self.rules = rules

    @property
    def lists(self) -> ParentLists:
        return [sorted(row) for row in self.parents]

    def may_add(self, parent: int, child: int) -> bool:
        allowed: npt.NDArray[np.bool_] = self.rules.allowed
        return (
            bool(allowed[child, parent])
            and parent not in self.parents[child]
            and len(self.parents[child]) < self.rules.max_parents[child]
            and all(self.degrees[node] < self.rules.max_degree[node] for node in (child, parent))
            and not self._is_ancestor(child, parent)
        )

    def add(self, parent: int, child: int) -> None:
        self.parents[child].add(parent)
        self.degrees[[parent, child]] += 1

    def remove(self, parent: int, child: int) -> None:
        self.parents[child].remove(parent)
        self.degrees[[parent, child]] -= 1

    def _is_ancestor(self, ancestor: int, node: int) -> bool:
        seen, todo = {node}, [node]
        while todo:
            for parent in self.parents[todo.pop()] - seen:
                seen.add(parent)
                todo.append(parent)
        return ancestor in seen
