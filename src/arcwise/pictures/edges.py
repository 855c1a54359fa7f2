"""Edges of a graph as pictures draw them: their ends, how strong they are, and what they are to a second graph."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

from arcwise.data.dataset import Dataset
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Pair, check_same_nodes
from arcwise.io.strengths import ArcShares
from arcwise.network.network import BayesianNetwork
from arcwise.runs.result import Result
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Shown, type_of
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    from arcwise.arc_probabilities import ArcProbabilities

__all__ = [
    "Edge",
    "Kind",
    "Strengths",
    "continuous_in",
    "edges_of",
    "graph_in",
    "reversed_words",
    "strengths_in",
    "told_apart",
]


class Kind(StrEnum):
    """What an edge of one graph is to another graph."""

    COMMON = "in both"
    REVERSED = "reversed"
    OWN = "only here"
    MISSING = "only in the reference"


@dataclass(frozen=True)
class Edge:
    """A line of a picture, from the first end to the second."""

    tail: str
    head: str
    directed: bool = True
    kind: Kind = Kind.COMMON

    @property
    def ends(self) -> frozenset[str]:
        """Both ends."""
        return frozenset((self.tail, self.head))


@dataclass(frozen=True)
class Strengths:
    """Numbers for arcs.

    Attributes
    ----------
    values
        By (parent, child).
    are_shares
        Whether they are shares of replicas or probabilities, from 0 to 1.
    measure
        What such a number says, with the number left open.
    """

    values: Mapping[Pair, float]
    are_shares: bool
    measure: str = "in {} of the replicas"

    def of(self, edge: Edge) -> float:
        """Return the number of an arc, 0 where there is none; of an undirected edge, the sum for both directions."""
        value = self.values.get((edge.tail, edge.head), 0.0)
        return value if edge.directed else value + self.values.get((edge.head, edge.tail), 0.0)


def graph_in(name: str, value: object) -> Dag | Cpdag:
    """Return the graph in what a caller gave, or raise a `ParameterError` that names the argument."""
    if isinstance(value, BayesianNetwork | Result):
        return value.dag
    if isinstance(value, Dag | Cpdag):
        return value
    raise ParameterError.of(name, "a Dag, a Cpdag, a BayesianNetwork or a Result", type_of(value))


def continuous_in(value: object) -> frozenset[str]:
    """Return the nodes that are known to be continuous: by their distributions, or by what they were learned from."""
    if isinstance(value, BayesianNetwork):
        return frozenset(value.continuous)
    data = value.data if isinstance(value, Result) else None
    if data is None:
        return frozenset()
    names = data.names if isinstance(data, Dataset) else data.dag.names
    return frozenset(name for name, states in zip(names, data.states, strict=True) if not states)


def edges_of(graph: Dag | Cpdag) -> list[Edge]:
    """Return the edges of a graph."""
    if isinstance(graph, Dag):
        return [Edge(tail, head) for tail, head in graph.arcs]
    lines = [Edge(tail, head, directed=False) for tail, head in graph.undirected]
    return [Edge(tail, head) for tail, head in graph.directed] + lines


def told_apart(graph: Dag | Cpdag, other: Dag | Cpdag, *, called: tuple[str, str]) -> tuple[list[Edge], list[Edge]]:
    """Return the edges of a graph by what they are to the other, and those that only the other has.

    Raises
    ------
    GraphError
        When the graphs have different nodes.
    """
    check_same_nodes(graph.names, other.names, called=called)
    mine, theirs = edges_of(graph), edges_of(other)
    by_ends = {edge.ends: edge for edge in theirs}
    own_ends = {edge.ends for edge in mine}

    def kind(edge: Edge) -> Kind:
        match = by_ends.get(edge.ends)
        if match is None:
            return Kind.OWN
        if match.directed != edge.directed:
            return Kind.REVERSED
        return Kind.COMMON if not edge.directed or match.tail == edge.tail else Kind.REVERSED

    marked = [replace(edge, kind=kind(edge)) for edge in mine]
    return marked, [replace(edge, kind=Kind.MISSING) for edge in theirs if edge.ends not in own_ends]


def reversed_words(graph: Dag | Cpdag, other: Dag | Cpdag) -> str:
    """Return what to call edges that are reversed: where there are undirected edges, one direction may be none."""
    return str(Kind.REVERSED) if isinstance(graph, Dag) and isinstance(other, Dag) else "directed otherwise"


def strengths_in(strengths: "ArcProbabilities | Mapping[Pair, float]", names: tuple[str, ...] | None) -> Strengths:
    """Return the numbers in what a caller gave, or raise a `ParameterError`.

    Parameters
    ----------
    strengths
        From `bootstrap` or `posterior`, or a mapping.
    names
        The variables there are; None where the strengths themselves say so.
    """
    from arcwise.arc_probabilities import ArcProbabilities

    if isinstance(strengths, ArcProbabilities):
        strengths.refuse_nothing()
        if names is not None:
            check_same_nodes(names, strengths.names, called=("the graph", "strengths"))
        own, arcs = strengths.names, strengths.arcs
        entries = zip(arcs.row.tolist(), arcs.col.tolist(), arcs.data.tolist(), strict=True)
        found = {(own[i], own[j]): share for i, j, share in entries if share}
        return Strengths(found, are_shares=True, measure=strengths.measure)
    if not isinstance(strengths, Mapping):
        raise ParameterError.of(
            "strengths",
            "what arcwise.bootstrap or arcwise.posterior gives, or a mapping of numbers by (parent, child)",
            type_of(strengths),
        )
    known = None if names is None else frozenset(names)
    found = {_arc(key, known): _value(key, value) for key, value in strengths.items()}
    return Strengths(found, are_shares=isinstance(strengths, ArcShares))


def _arc(key: object, known: frozenset[str] | None) -> Pair:
    if not isinstance(key, tuple) or len(key) != 2 or not all(isinstance(end, str) for end in key):
        raise ParameterError.of("strengths", "given by (parent, child), two names", Shown(f"by {quoted(key)}"))
    for end in key if known is not None else ():
        if known is not None and end not in known:
            raise ParameterError(
                Name("strengths"),
                f" has an arc of {quoted(end)}, which the graph does not have{did_you_mean(end, known)}",
            )
    return key


def _value(key: object, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise ParameterError(f"the strength of {quoted(key)} must be a finite number, not {quoted(value)}")
    return float(value)
