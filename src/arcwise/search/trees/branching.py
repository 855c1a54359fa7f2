"""The best forest of arcs that have directions: a maximum branching."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["best_branching"]

Gains = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.intp]
_Arcs = tuple[Gains, Nodes, Nodes]


def best_branching(gains: Gains, *, ended: Callable[[], bool] = lambda: False) -> list[int] | None:
    """Return for each node its parent, or -1, so that there is no cycle and the gains sum to the most possible.

    The algorithm of Chu & Liu (1965) and Edmonds (1967): every node takes its best parent; the nodes of a cycle become
    one, whose arcs from outside gain what they gain more than the arc of the cycle that they would replace. Each round
    costs as much as the matrix has entries; there are as many rounds as cycles lie within cycles.

    Parameters
    ----------
    gains
        What the arc from node j to node i gains at [i, j], and minus infinity where there is no such arc. The last
        column is what node i gains without a parent: 0, or minus infinity where it must have one.
    ended
        Asked in every round whether to give up.

    Returns
    -------
    :
        The parents; None where `ended` said so.

    Examples
    --------
    >>> none = -np.inf
    >>> best_branching(np.array([[none, 5.0, 0.0], [4.0, none, 0.0]]))  # either arc, not both
    [1, -1]
    """
    n = len(gains)
    weights = np.array(gains, dtype=np.float64)
    np.fill_diagonal(weights, -np.inf)
    # The nodes at the ends of the best arc between two groups; the root, in the last column, is n.
    tails = np.broadcast_to(np.arange(n + 1), weights.shape)
    heads = np.broadcast_to(np.arange(n)[:, None], weights.shape)
    group_of = np.arange(n)
    rounds = []
    while True:
        if ended():
            return None
        best = np.argmax(weights, axis=1)
        every = np.arange(len(best))
        arcs = list(zip(tails[every, best].tolist(), heads[every, best].tolist(), strict=True))
        groups = _groups(best)
        rounds.append(_Round(arcs, groups, group_of))
        if len(groups) == len(best):
            break
        weights, tails, heads = _contracted(weights, tails, heads, best, groups)
        place = np.empty(len(best), dtype=np.intp)
        for number, group in enumerate(groups):
            place[group] = number
        group_of = place[group_of]
    parents = [-1] * n
    for tail, head in _expanded(rounds):
        parents[head] = tail if tail < n else -1
    return parents


@dataclass(frozen=True)
class _Round:
    """One round: the best arc into each group of nodes, which groups became one, and in which group each node was."""

    arcs: list[tuple[int, int]]
    groups: list[list[int]]
    group_of: npt.NDArray[np.intp]


def _expanded(rounds: list[_Round]) -> list[tuple[int, int]]:
    """Return the arcs into all nodes: a cycle keeps its arcs but for that into the group where it is entered."""
    chosen = rounds[-1].arcs
    for earlier in reversed(rounds[:-1]):
        arcs = list(earlier.arcs)
        for (tail, head), group in zip(chosen, earlier.groups, strict=True):
            arcs[group[0] if len(group) == 1 else int(earlier.group_of[head])] = (tail, head)
        chosen = arcs
    return chosen


def _groups(best: npt.NDArray[np.intp]) -> list[list[int]]:
    """Return the cycles in which the best parents lead, and every other node by itself; the root is beyond the last."""
    n = len(best)
    seen = [-1] * n + [n]
    on_cycle = [False] * n
    groups = []
    for start in range(n):
        at = start
        while seen[at] < 0:
            seen[at] = start
            at = int(best[at])
        if at < n and seen[at] == start and not on_cycle[at]:
            cycle = [at]
            while (following := int(best[cycle[-1]])) != at:
                cycle.append(following)
            for node in cycle:
                on_cycle[node] = True
            groups.append(cycle)
    return groups + [[node] for node in range(n) if not on_cycle[node]]


def _contracted(weights: Gains, tails: Nodes, heads: Nodes, best: Nodes, groups: list[list[int]]) -> _Arcs:
    """Return the best arcs between groups."""
    root = len(weights)
    weights = weights.copy()
    for group in groups:
        if len(group) > 1:
            weights[group] -= weights[group, best[group]][:, None]
    into = [_best_of(weights[group], tails[group], heads[group]) for group in groups]
    weights, tails, heads = (np.array(parts) for parts in zip(*into, strict=True))
    out = [_best_of(weights[:, group].T, tails[:, group].T, heads[:, group].T) for group in [*groups, [root]]]
    weights, tails, heads = (np.array(parts).T for parts in zip(*out, strict=True))
    np.fill_diagonal(weights, -np.inf)
    return weights, tails, heads


def _best_of(weights: Gains, tails: Nodes, heads: Nodes) -> _Arcs:
    """Return the best of several arcs, for each column."""
    if len(weights) == 1:
        return weights[0], tails[0], heads[0]
    best = np.argmax(weights, axis=0)
    every = np.arange(weights.shape[1])
    return weights[best, every], tails[best, every], heads[best, every]
