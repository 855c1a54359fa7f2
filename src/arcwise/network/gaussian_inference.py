r"""Continuous nodes given what is known of others: Gaussians that are conditioned, one for each configuration.

What is not known of the continuous nodes falls into groups that have nothing to say about each other once all the
known numbers and the states of the discrete parents are given. Of one group let :math:`u` be the unknown numbers and
:math:`y` the known ones that depend on them or on discrete nodes that are not known. Each is linear in its continuous
parents with noise, so that with the known parents put in, and :math:`m` the means of :math:`u` before :math:`y` was
seen,

.. math:: D^{-1} (I - B) (u - m) \sim \mathcal{N}(0, I), \qquad R^{-1} (y - h - H m - H (u - m)) \sim \mathcal{N}(0, I)

where :math:`D` and :math:`R` hold the standard deviations. That is a problem of least squares, solved by orthogonal
transformations: it gives the mean and covariance of :math:`u` given :math:`y`, and the density of :math:`y`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Distribution

__all__ = ["Components", "GaussianPart", "Group"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

_MOST_CELLS = 2**24  # of arrays that are worked on at a time
_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True)
class GaussianPart:
    """The continuous nodes of a network.

    Parameters
    ----------
    dag
        The graph of all nodes.
    distributions
        Those of all nodes.
    """

    dag: Dag
    distributions: Sequence[Distribution]

    @cached_property
    def columns(self) -> dict[int, int]:
        """The continuous nodes, each with its column among the numbers."""
        found = (node for node, kind in enumerate(self.distributions) if isinstance(kind, ConditionalGaussian))
        return {node: column for column, node in enumerate(found)}

    @cached_property
    def order(self) -> list[int]:
        """The continuous nodes, parents before children."""
        return [node for node in map(self.dag.index, self.dag.topological_order()) if node in self.columns]

    @cached_property
    def discrete_parents(self) -> tuple[int, ...]:
        """The discrete nodes that continuous ones depend on."""
        parents = {parent for node in self.columns for parent in self.dag.parent_indices[node]}
        return tuple(sorted(parents - self.columns.keys()))

    def gaussian(self, node: int) -> ConditionalGaussian:
        """Distribution of a continuous node."""
        found = self.distributions[node]
        assert isinstance(found, ConditionalGaussian)
        return found

    def parents(self, node: int, *, continuous: bool) -> list[int]:
        """The continuous or the discrete parents of a node."""
        return self._parents[continuous][node]

    @cached_property
    def _parents(self) -> tuple[list[list[int]], list[list[int]]]:
        """For each node its discrete parents, and for each its continuous ones."""
        rows = self.dag.parent_indices
        return (
            [[parent for parent in row if parent not in self.columns] for row in rows],
            [[parent for parent in row if parent in self.columns] for row in rows],
        )

    def groups(self, known: frozenset[int], wanted: Iterable[int]) -> "list[Group]":
        """Groups of continuous nodes that are independent of each other given what is known and the discrete nodes.

        Nodes that are not wanted and have no known or wanted descendants say nothing, and are in none.

        Parameters
        ----------
        known
            The nodes, discrete and continuous, of which states or numbers are known.
        wanted
            The continuous nodes to be told about.
        """
        relevant = self._with_ancestors([*(node for node in self.columns if node in known), *wanted])
        leader = {node: node for node in relevant if node not in known}

        def leading(node: int) -> int:
            while leader[node] != node:
                leader[node] = leader[leader[node]]
                node = leader[node]
            return node

        families = {node: [*self.parents(node, continuous=True), node] for node in self.order if node in relevant}
        for family in families.values():
            unknown = [leading(node) for node in family if node not in known]
            for other in unknown[1:]:
                leader[leading(other)] = leading(unknown[0])
        members: dict[tuple[bool, int], list[int]] = {}
        for node, family in families.items():
            unknown = [member for member in family if member not in known]
            key = (True, leading(unknown[0])) if unknown else (False, node)
            members.setdefault(key, []).append(node)
        return [Group.of(self, nodes, known) for nodes in members.values()]

    def _with_ancestors(self, nodes: Iterable[int]) -> set[int]:
        found, left = set(nodes), list(nodes)
        while left:
            for parent in self.parents(left.pop(), continuous=True):
                if parent not in found:
                    found.add(parent)
                    left.append(parent)
        return found


@dataclass(frozen=True)
class Components:
    """Gaussians of some numbers of a group: one for each row and configuration of the group's hidden discrete nodes.

    Parameters
    ----------
    logs
        Rows by configurations: logarithm of the density of what is known in the group.
    means
        Rows by configurations by numbers.
    kinds
        For each row which of the roots are its own.
    roots
        Kinds by configurations by numbers by unknown nodes of the group: a root times its transpose is a covariance.
    """

    logs: Floats
    means: Floats
    kinds: Indices
    roots: Floats

    def covariances(self) -> Floats:
        """Kinds by configurations by numbers by numbers."""
        covariances: Floats = self.roots @ np.swapaxes(self.roots, -1, -2)
        return covariances


@dataclass(frozen=True)
class Group:
    """Continuous nodes whose distributions are looked at together.

    Parameters
    ----------
    part
        The network's continuous nodes.
    unknown
        Those of the group that are not known, parents before children.
    seen
        Those whose numbers are known.
    hidden
        The discrete nodes that they depend on and that are not known.
    shown
        Those that are known.
    """

    part: GaussianPart
    unknown: tuple[int, ...]
    seen: tuple[int, ...]
    hidden: tuple[int, ...]
    shown: tuple[int, ...]

    @classmethod
    def of(cls, part: GaussianPart, nodes: Sequence[int], known: frozenset[int]) -> "Group":
        """Group of these nodes, which stand in an order with parents before children."""
        discrete = sorted({parent for node in nodes for parent in part.parents(node, continuous=False)})
        return cls(
            part,
            tuple(node for node in nodes if node not in known),
            tuple(node for node in nodes if node in known),
            tuple(node for node in discrete if node not in known),
            tuple(node for node in discrete if node in known),
        )

    @property
    def key(self) -> object:
        """What tells it from other groups of the same network."""
        return self.unknown, self.seen, self.hidden, self.shown

    @cached_property
    def places(self) -> dict[int, int]:
        """Where the unknown nodes stand in their order."""
        return {node: at for at, node in enumerate(self.unknown)}

    def arities(self, nodes: Sequence[int]) -> list[int]:
        """Number of states of some of the discrete nodes it depends on."""
        found: dict[int, int] = {}
        for node in (*self.unknown, *self.seen):
            parents = self.part.parents(node, continuous=False)
            found.update(zip(parents, self.part.gaussian(node).shape, strict=True))
        return [found[node] for node in nodes]

    @property
    def n_configurations(self) -> int:
        """Number of configurations of the hidden discrete nodes."""
        return math.prod(self.arities(self.hidden))

    def components(self, codes: Codes, numbers: Floats, wanted: Sequence[int] = ()) -> Components:
        """Densities of what is known in each row, and Gaussians of wanted nodes among the unknown ones.

        Parameters
        ----------
        codes
            Rows by all nodes of the network.
        numbers
            Rows by continuous nodes.
        wanted
            The nodes.
        """
        places = [self.places[node] for node in wanted]
        n_rows, n_hidden = len(codes), self.n_configurations
        states, kinds = np.zeros((1, 0), dtype=np.intp), np.zeros(n_rows, dtype=np.intp)
        if self.shown:
            states, kinds = np.unique(codes[:, self.shown].astype(np.intp), axis=0, return_inverse=True)
            kinds = kinds.ravel()
        logs = np.empty((n_rows, n_hidden))
        means = np.empty((n_rows, n_hidden, len(places)))
        roots = np.empty((len(states), n_hidden, len(places), len(self.unknown)))
        widest = max(1, (len(self.unknown) + len(self.seen)) * max(1, len(self.unknown)))
        for kind, row in enumerate(states):
            rows = np.flatnonzero(kinds == kind)
            for begin in range(0, n_hidden, max(1, _MOST_CELLS // widest)):
                hidden = np.arange(begin, min(n_hidden, begin + max(1, _MOST_CELLS // widest)))
                system = _System.of(self, row, hidden)
                roots[kind, hidden] = system.roots[:, places]
                step = max(1, _MOST_CELLS // (len(hidden) * (len(self.unknown) + len(self.seen) + 1)))
                for some in (rows[at : at + step] for at in range(0, len(rows), step)):
                    found = system.solved(numbers[some])
                    logs[np.ix_(some, hidden)] = found[0]
                    means[np.ix_(some, hidden)] = found[1][:, :, places]
        return Components(logs, means, kinds, roots)


@dataclass(frozen=True)
class _System:
    """The least squares of a group for some configurations; all arrays have an axis of configurations."""

    group: Group
    rows: dict[int, Indices]  # for each continuous node the places of the configurations in its regression
    above: Floats  # part of the orthogonal factor that belongs to the unknown nodes
    below: Floats  # part that belongs to the seen ones
    roots: Floats  # the inverse of the triangular factor
    constant: Floats  # what is added to each log density

    @classmethod
    def of(cls, group: Group, shown: Indices, hidden: Indices) -> "_System":
        rows = _places(group, shown, hidden)
        place, n_unknown, nodes = group.places, len(group.unknown), (*group.unknown, *group.seen)
        matrix = np.zeros((len(hidden), len(nodes), n_unknown))
        constant = np.full(len(hidden), -len(group.seen) * _LOG_ROOT_TWO_PI)
        for at, node in enumerate(nodes):
            gaussian = group.part.gaussian(node)
            deviations = gaussian.deviations.ravel()[rows[node]]
            constant -= np.log(deviations)
            if node in place:
                matrix[:, at, place[node]] = 1 / deviations
            sign = -1.0 if node in place else 1.0
            slopes = gaussian.coefficients.reshape(gaussian.intercepts.size, gaussian.n_coefficients)[rows[node]]
            for parent, slope in zip(group.part.parents(node, continuous=True), slopes.T, strict=True):
                if parent in place:
                    matrix[:, at, place[parent]] = sign * slope / deviations
        if not n_unknown:
            empty = np.zeros((len(hidden), 0, 0))
            return cls(group, rows, empty, np.zeros((len(hidden), len(group.seen), 0)), empty, constant)
        # Rows of large numbers come first: they are those of exact measurements, in which others would be lost.
        order = np.argsort(-np.abs(matrix).max(axis=2), axis=1, kind="stable")[:, :, None]
        factor, triangle = np.linalg.qr(np.take_along_axis(matrix, order, axis=1))
        orthogonal = np.empty_like(factor)
        np.put_along_axis(orthogonal, order, factor, axis=1)
        constant -= np.log(np.abs(np.diagonal(triangle, axis1=1, axis2=2))).sum(axis=1)
        roots = np.linalg.inv(triangle)
        return cls(group, rows, orthogonal[:, :n_unknown], orthogonal[:, n_unknown:], roots, constant)

    def solved(self, numbers: Floats) -> tuple[Floats, Floats]:
        """Log densities, rows by configurations, and means of the unknown nodes, by these nodes too."""
        group, n_rows, n_hidden = self.group, len(numbers), len(self.constant)
        means = np.empty((n_rows, n_hidden, len(group.unknown)))
        for at, node in enumerate(group.unknown):
            means[:, :, at] = self._mean(node, numbers, means)
        away = np.empty((n_rows, n_hidden, len(group.seen)))
        for at, node in enumerate(group.seen):
            left = numbers[:, group.part.columns[node], None] - self._mean(node, numbers, means)
            away[:, :, at] = left / group.part.gaussian(node).deviations.ravel()[self.rows[node]]
        pulls = np.einsum("rck,cku->rcu", away, self.below)
        squares = ((away - np.einsum("rcu,cku->rck", pulls, self.below)) ** 2).sum(axis=2)
        squares += (np.einsum("rcu,cku->rck", pulls, self.above) ** 2).sum(axis=2)
        means += np.einsum("rcu,cku->rck", pulls, self.roots)
        return self.constant - squares / 2, means

    def _mean(self, node: int, numbers: Floats, means: Floats) -> Floats:
        """Mean of a node given its parents, rows by configurations: unknown ones have the means they have here."""
        group, gaussian, rows = self.group, self.group.part.gaussian(node), self.rows[node]
        total = np.broadcast_to(gaussian.intercepts.ravel()[rows], means.shape[:2]).copy()
        slopes = gaussian.coefficients.reshape(gaussian.intercepts.size, gaussian.n_coefficients)[rows]
        for parent, slope in zip(group.part.parents(node, continuous=True), slopes.T, strict=True):
            if parent in group.places:
                total += slope * means[:, :, group.places[parent]]
            else:
                total += slope * numbers[:, group.part.columns[parent], None]
        return total


def _places(group: Group, shown: Indices, hidden: Indices) -> dict[int, Indices]:
    """For each node of a group, where the configurations of its discrete parents stand in its regression."""
    states: dict[int, Indices] = {
        node: np.full(len(hidden), state) for node, state in zip(group.shown, shown.tolist(), strict=True)
    }
    if group.hidden:
        states.update(zip(group.hidden, np.unravel_index(hidden, group.arities(group.hidden)), strict=True))
    places = {}
    for node in (*group.unknown, *group.seen):
        place = np.zeros(len(hidden), dtype=np.intp)
        for parent, arity in zip(
            group.part.parents(node, continuous=False), group.part.gaussian(node).shape, strict=True
        ):
            place = place * arity + states[parent]
        places[node] = place
    return places
