"""Clusters of variables that a fractional choice of parent sets lets run in circles.

In an acyclic graph every cluster C of variables has one, the first in an order, without a parent in C (Jaakkola,
Sontag, Globerson & Meila 2010, "Learning Bayesian network structure using LP relaxations", AISTATS), and the first k
of them have fewer than k parents in C each (Cussens 2011, "Bayesian network learning with cutting planes", UAI):

    sum of x(v, S) over v in C and S with fewer than k members in C  >=  k.

There are exponentially many of these rows; here those are found that a given x breaks. Those of k = 1 alone make
sure that a graph is acyclic, the others cut off fractions that the first ones allow.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.graph.nodes import strong_components
from arcwise.support.linear_programs import LinearProgram, Rows

__all__ = ["Choice", "Cluster", "violated_clusters"]

Nodes = tuple[int, ...]


class Cluster(NamedTuple):
    """Variables of which at least `first` must have fewer than `first` parents among them."""

    nodes: Nodes
    first: int = 1


#: Rows that are broken by less than this are left alone.
_LEAST = 1e-4
# The k > 1 of the rows that are looked for.
_LARGER = (2, 3)


@dataclass(frozen=True, eq=False)
class Choice:
    """A fractional choice of parent sets: those sets that have a weight.

    Attributes
    ----------
    owner
        For each set the variable whose parents it may be.
    contains
        True at [set, variable] for the members of the sets.
    weight
        The weights; those of one variable sum to 1.
    """

    owner: npt.NDArray[np.intp]
    contains: npt.NDArray[np.bool_]
    weight: npt.NDArray[np.float64]

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return int(self.contains.shape[1])

    def arcs(self) -> npt.NDArray[np.float64]:
        """Weight at [parent, child] of the sets of the child with this parent."""
        weights = np.zeros((self.n_variables, self.n_variables))
        at, member = np.nonzero(self.contains)
        np.add.at(weights, (member, self.owner[at]), self.weight[at])
        return weights

    def within(self, nodes: npt.NDArray[np.intp]) -> "Choice":
        """Sets of some of the variables, with their members among these; variables are counted anew."""
        place = np.full(self.n_variables, -1)
        place[nodes] = np.arange(nodes.size)
        rows = np.flatnonzero(place[self.owner] >= 0)
        inside = self.contains[np.ix_(rows, nodes)]
        some = inside.any(axis=1)
        return Choice(place[self.owner[rows[some]]], inside[some], self.weight[rows[some]])


def violated_clusters(
    choice: Choice, *, most: int = 200, seconds: float = 5.0, cycles_only: bool = False
) -> list[Cluster]:
    """Clusters whose rows the choice breaks, the worst first; with an empty list there may still be some.

    Short cycles are tried first, and made larger or smaller as long as that breaks the row by more. Only where this
    finds nothing, an integer program looks for the worst cluster (Cussens 2011, "Bayesian network learning with
    cutting planes", UAI).

    Parameters
    ----------
    choice
        Weights of parent sets.
    most
        How many clusters are wanted.
    seconds
        For the integer programs; 0 for none of them.
    cycles_only
        Nothing but short cycles; enough for choices that are not fractional.
    """
    arcs = choice.arcs()
    found: dict[Cluster, float] = {}
    # A broken cluster has a broken part that is strongly connected: the part that no other part of it leads to.
    parents = [np.flatnonzero(column).tolist() for column in (arcs > _LEAST / 10).T]
    parts = [np.array(nodes) for nodes in strong_components(parents) if len(nodes) > 1]
    for nodes in parts:
        inside, between = choice.within(nodes), arcs[np.ix_(nodes, nodes)]
        found |= _named(_short_cycles(inside, between) if cycles_only else _climbed(inside, between), nodes)
    if not found and seconds > 0:
        for nodes in sorted(parts, key=len):
            found |= _named(_worst(choice.within(nodes), seconds / len(parts)), nodes)
    return sorted(found, key=lambda cluster: (-found[cluster], cluster))[:most]


def _named(found: dict[Cluster, float], nodes: npt.NDArray[np.intp]) -> dict[Cluster, float]:
    return {Cluster(tuple(nodes[list(at.nodes)].tolist()), at.first): by for at, by in found.items()}


def _climbed(choice: Choice, arcs: npt.NDArray[np.float64]) -> dict[Cluster, float]:
    """Clusters that are broken most among those next to them, and by how much."""
    found, shape = _short_cycles(choice, arcs), _Shape(choice, 1)
    if len(found) < choice.n_variables:
        found |= dict(shape.grow(node) for node in range(choice.n_variables))
    for first in _LARGER:
        shape = _Shape(choice, first)
        found |= dict(shape.climb(family) for family in _families(choice, first))
    return {cluster: by for cluster, by in found.items() if by > _LEAST}


def _short_cycles(choice: Choice, arcs: npt.NDArray[np.float64]) -> dict[Cluster, float]:
    """Cycles whose arcs lack less than 1 in all, and what they become by changes that break their rows more."""
    shape = _Shape(choice, 1)
    cycles = _core.short_cycles(np.ascontiguousarray(arcs), 1 - _LEAST)
    return dict(shape.climb(start) for start in {tuple(sorted(cycle)) for cycle in cycles})


def _families(choice: Choice, first: int) -> set[Nodes]:
    """Variables with their fractional parents, where these are at least `first`."""
    fractional = (choice.weight < 1 - _LEAST) & (choice.contains.sum(axis=1) >= first)
    return {
        tuple(sorted([int(choice.owner[at]), *np.flatnonzero(choice.contains[at]).tolist()]))
        for at in np.flatnonzero(fractional)
    }


class _Shape:
    """Clusters that change by one node at a time, and how far their rows are broken."""

    def __init__(self, choice: Choice, first: int) -> None:
        self._n, self._first = choice.n_variables, first
        self._owner, self._weight = choice.owner, choice.weight
        self._at, self._member = np.nonzero(choice.contains)

    def climb(self, start: Nodes) -> tuple[Cluster, float]:
        """Return the cluster to which the best changes lead, one after the other, and by how much it is broken."""
        inside = np.zeros(self._n, dtype=np.bool_)
        inside[list(start)] = True
        while True:
            by, add, drop = self._changes(inside)
            gains = np.where(inside, drop, add)
            if np.count_nonzero(inside) <= self._first + 1:
                gains[inside] = -np.inf  # the row of a smaller cluster says nothing
            best = int(gains.argmax())
            if gains[best] < 1e-6:
                return Cluster(tuple(np.flatnonzero(inside).tolist()), self._first), by
            inside[best] = not inside[best]

    def grow(self, node: int, most: int = 12) -> tuple[Cluster, float]:
        """Return the most broken cluster on the way of always adding the best node, whether that helps or not."""
        inside = np.zeros(self._n, dtype=np.bool_)
        inside[node] = True
        best: Nodes = (node,)
        best_by = 0.0
        _, add, _ = self._changes(inside)
        for _ in range(min(most, self._n - 1)):
            inside[int(np.where(inside, -np.inf, add).argmax())] = True
            by, add, _ = self._changes(inside)
            if by > best_by:
                best, best_by = tuple(np.flatnonzero(inside).tolist()), by
        return self.climb(best) if best_by > 0 else (Cluster(best), 0.0)

    def _changes(self, inside: npt.NDArray[np.bool_]) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """By how much the cluster is broken, and the change of that by each node to add and to drop."""
        hits = np.bincount(self._at, inside[self._member], self._owner.size)
        owned = inside[self._owner]
        met = np.bincount(self._owner, np.where(hits >= self._first, self._weight, 0.0), self._n)
        add = met - 1 + self._of_members(np.where(owned & (hits == self._first - 1), self._weight, 0.0))
        drop = 1 - met - self._of_members(np.where(owned & (hits == self._first), self._weight, 0.0))
        return float(met[inside].sum() - np.count_nonzero(inside) + self._first), add, drop

    def _of_members(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """For each node the weight of the sets that it is in."""
        return np.bincount(self._member, weights[self._at], self._n).astype(np.float64, copy=False)


def _worst(choice: Choice, seconds: float) -> dict[Cluster, float]:
    """Cluster whose row is broken most, found by an integer program: which nodes, and which sets are met by them."""
    n, m = choice.n_variables, choice.weight.size
    at, member = np.nonzero(choice.contains)
    sets, nodes = np.arange(m), np.arange(n)
    slack = np.r_[np.ones(n), -choice.weight]
    # A set counts when one of its members is in the cluster, and its owner too.
    met = Rows.of_entries(m, np.r_[sets, at], np.r_[n + sets, member], np.r_[np.ones(m), -np.ones(at.size)])
    owned = Rows.of_entries(m, np.r_[sets, sets], np.r_[n + sets, choice.owner], np.r_[np.ones(m), -np.ones(m)])
    broken = Rows.of_entries(1, np.zeros(n + m), np.arange(n + m), slack)
    two = Rows.of_entries(1, np.zeros(n), nodes, np.ones(n))
    program = LinearProgram(
        slack,
        np.zeros(n + m),
        np.ones(n + m),
        met.above(owned).above(broken).above(two),
        np.r_[np.full(2 * m + 1, -np.inf), 2.0],
        np.r_[np.zeros(2 * m), 1 - 2 * _LEAST, np.inf],
        np.arange(n + m) < n,
    )
    answer = program.solved(seconds=seconds, relative_gap=0.5)
    if answer is None:
        return {}
    cluster, by = _Shape(choice, 1).climb(tuple(np.flatnonzero(answer.values[:n] > 0.5).tolist()))
    return {cluster: by} if by > _LEAST else {}
