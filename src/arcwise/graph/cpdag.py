"""Partially directed graphs that stand for Markov equivalence classes."""

import heapq
from collections.abc import Iterable, Sequence
from typing import Self, final

import numpy as np
import numpy.typing as npt

from arcwise.graph.dag import Dag
from arcwise.graph.nodes import (
    Pair,
    boolean_square,
    check_same_nodes,
    index_of,
    index_pairs,
    node_names,
    positions,
    reversed_arcs,
    topological_order,
)
from arcwise.support.errors import GraphError
from arcwise.support.names import default_names
from arcwise.support.notebooks import picture_of
from arcwise.support.quoting import listed, quoted

Ends = tuple[int, int]
"""The positions of both ends of an edge, the parent's first."""


@final
class Cpdag:
    """A completed partially directed acyclic graph with named nodes; it cannot be changed.

    It stands for a Markov equivalence class of DAGs. Its directed edges are the compelled arcs, those that every DAG
    of the class has; its undirected edges are the reversible ones, which point one way in some of them and the other
    way in the rest.

    Only `from_dag` and `Dag.cpdag` promise all this. The constructor takes any partially directed graph, such as a
    search makes on its way from one class to the next; `is_valid` tells whether it is the CPDAG of a class. Two graphs
    are equal when they have the same names in the same order and the same edges.

    Parameters
    ----------
    names
        The nodes, each once. Their order is the order of every answer.
    directed
        Pairs (parent, child).
    undirected
        Pairs of nodes, in either order.

    Raises
    ------
    GraphError
        For a name that is not a string or stands twice, an edge to an unknown node or from a node to itself, and a pair
        of nodes with more than one edge.

    Examples
    --------
    >>> cpdag = Cpdag(["a", "b", "c", "d"], [("a", "c"), ("b", "c"), ("c", "d")])
    >>> cpdag.is_valid()
    True
    >>> Cpdag(["a", "b"], [("a", "b")]).is_valid()  # a -> b is reversible
    False
    """

    __slots__ = ("_children", "_index", "_names", "_neighbours", "_parents")

    _names: tuple[str, ...]
    _index: dict[str, int]
    _parents: tuple[tuple[int, ...], ...]
    _children: tuple[tuple[int, ...], ...]
    _neighbours: tuple[tuple[int, ...], ...]

    def __init__(self, names: Iterable[str], directed: Iterable[Pair] = (), undirected: Iterable[Pair] = ()) -> None:
        listed_names = node_names(names)
        index = positions(listed_names)
        arcs = index_pairs(directed, index, kind="arc")
        lines = index_pairs(undirected, index, kind="edge")
        seen: set[tuple[int, int]] = set()
        for a, b in arcs + lines:
            if a == b:
                raise GraphError(f"an edge starts and ends at the same node {quoted(listed_names[a])}")
            if (a, b) in seen:
                ends = f"{quoted(listed_names[a])} and {quoted(listed_names[b])}"
                raise GraphError(f"there is more than one edge between {ends}; give one, directed or undirected")
            seen |= {(a, b), (b, a)}
        self._build(listed_names, arcs, lines)

    def _build(self, names: tuple[str, ...], arcs: Iterable[Ends], lines: Iterable[Ends]) -> None:
        """Take over edges between positions, known to be right."""
        self._names = names
        self._index = positions(names)
        parents: list[list[int]] = [[] for _ in names]
        neighbours: list[list[int]] = [[] for _ in names]
        for parent, child in arcs:
            parents[child].append(parent)
        for a, b in lines:
            neighbours[a].append(b)
            neighbours[b].append(a)
        self._parents = tuple(tuple(sorted(row)) for row in parents)
        self._children = tuple(map(tuple, reversed_arcs(self._parents)))
        self._neighbours = tuple(tuple(sorted(row)) for row in neighbours)

    @classmethod
    def from_dag(cls, dag: Dag, targets: Iterable[Iterable[str]] = ()) -> Self:
        """Class of a DAG; the same as `dag.cpdag()`.

        Chickering 1995, "A transformational characterization of equivalent Bayesian network structures", UAI.

        Parameters
        ----------
        dag
            A member of the class.
        targets
            Sets of nodes that an experimenter has set together. They divide the class: an arc of which just one end is
            in such a set can be told from its reversal. The edges that are left undirected are those of the
            interventional essential graph of Hauser & Bühlmann 2012, "Characterization and greedy learning of
            interventional Markov equivalence classes of directed acyclic graphs", JMLR 13.

        Examples
        --------
        >>> cpdag = Cpdag.from_dag(Dag(["a", "b", "c", "d"], [("a", "b"), ("b", "d"), ("c", "d")]))
        >>> cpdag.directed, cpdag.undirected
        ((('b', 'd'), ('c', 'd')), (('a', 'b'),))
        >>> Cpdag.from_dag(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]), [["b"]]).directed
        (('a', 'b'), ('b', 'c'))
        """
        compelled = _compelled_parents(_with_experiments(dag, targets))
        arcs = [(parent, child) for child, row in enumerate(dag.parent_indices) for parent in row]
        made = cls.__new__(cls)
        made._build(
            dag.names,
            [(parent, child) for parent, child in arcs if parent in compelled[child]],
            [(parent, child) for parent, child in arcs if parent not in compelled[child]],
        )
        return made

    @classmethod
    def from_adjacency(cls, matrix: npt.ArrayLike, names: Iterable[str] | None = None) -> Self:
        """Graph from a matrix as `adjacency` gives it; names are X0, X1, … unless given.

        Examples
        --------
        >>> Cpdag.from_adjacency([[0, 1], [1, 0]], ["a", "b"]).undirected
        (('a', 'b'),)
        """
        array = boolean_square(matrix)
        listed = default_names(len(array)) if names is None else node_names(names)
        if len(listed) != len(array):
            raise GraphError(f"names must have one entry for each of the {len(array)} rows, not {len(listed)}")
        directed = np.argwhere(array & ~array.T).tolist()
        undirected = np.argwhere(np.triu(array & array.T)).tolist()
        return cls(
            listed, [(listed[a], listed[b]) for a, b in directed], [(listed[a], listed[b]) for a, b in undirected]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes, in their order."""
        return self._names

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._names)

    @property
    def n_edges(self) -> int:
        """Number of edges, directed and undirected together."""
        return sum(map(len, self._parents)) + sum(map(len, self._neighbours)) // 2

    @property
    def parent_indices(self) -> tuple[tuple[int, ...], ...]:
        """For each node the positions in `names` of those with a directed edge to it, ascending."""
        return self._parents

    @property
    def neighbour_indices(self) -> tuple[tuple[int, ...], ...]:
        """For each node the positions in `names` of those with an undirected edge to it, ascending."""
        return self._neighbours

    @property
    def directed(self) -> tuple[Pair, ...]:
        """The compelled arcs (parent, child), sorted by the child's position, then by the parent's."""
        return tuple(
            (self._names[parent], self._names[child]) for child, row in enumerate(self._parents) for parent in row
        )

    @property
    def undirected(self) -> tuple[Pair, ...]:
        """The reversible edges, sorted; within a pair the node that stands first in `names` is first."""
        return tuple((self._names[a], self._names[b]) for a, row in enumerate(self._neighbours) for b in row if a < b)

    @property
    def skeleton(self) -> tuple[Pair, ...]:
        """The pairs of adjacent nodes, sorted; within a pair the node that stands first in `names` is first."""
        pairs = {tuple(sorted((a, b))) for a, row in enumerate(self._parents) for b in row}
        pairs |= {(a, b) for a, row in enumerate(self._neighbours) for b in row if a < b}
        return tuple((self._names[a], self._names[b]) for a, b in sorted(pairs))

    def parents(self, node: str) -> tuple[str, ...]:
        """Nodes with a directed edge to this one, in the order of `names`."""
        return tuple(self._names[parent] for parent in self._parents[index_of(node, self._index)])

    def children(self, node: str) -> tuple[str, ...]:
        """Nodes that a directed edge leads to from this one, in the order of `names`."""
        return tuple(self._names[child] for child in self._children[index_of(node, self._index)])

    def neighbours(self, node: str) -> tuple[str, ...]:
        """Nodes with an undirected edge to this one, in the order of `names`."""
        return tuple(self._names[other] for other in self._neighbours[index_of(node, self._index)])

    def adjacency(self) -> npt.NDArray[np.bool_]:
        """Square matrix that is true at [i, j] where i -> j, and at both [i, j] and [j, i] where i - j."""
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.bool_)
        for node, (parents, neighbours) in enumerate(zip(self._parents, self._neighbours, strict=True)):
            matrix[list(parents + neighbours), node] = True
        return matrix

    def consistent_extension(self) -> Dag:
        """DAG with the same skeleton, the same v-structures and every directed edge as it is.

        Of a CPDAG this is a member of its class. Dor & Tarsi 1992, "A simple algorithm to construct a consistent
        extension of a partially oriented graph", UCLA R-185; where several nodes could be taken next, the last one in
        `names` is, so that equal graphs have equal extensions.

        Raises
        ------
        GraphError
            When there is no such DAG.

        Examples
        --------
        >>> Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")]).consistent_extension().arcs
        (('a', 'b'), ('b', 'c'))
        >>> square = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
        >>> Cpdag(["a", "b", "c", "d"], undirected=square).consistent_extension()
        Traceback (most recent call last):
            ...
        arcwise.GraphError: no DAG has this skeleton and these v-structures: none of 'a', 'b', 'c', 'd' can ...
        """
        children = [set(row) for row in self._children]
        undirected = [set(row) for row in self._neighbours]
        adjacent = [{*self._parents[v], *children[v], *undirected[v]} for v in range(self.n_nodes)]
        parents = [list(row) for row in self._parents]
        left = set(range(self.n_nodes))
        # Taking a node away changes the conditions only of the nodes next to it, so that only these are tried again.
        trials = [-node for node in left]
        heapq.heapify(trials)
        while trials:
            sink = -heapq.heappop(trials)
            if sink not in left or children[sink] or not _can_be_sink(sink, undirected, adjacent):
                continue
            left.remove(sink)
            parents[sink] += undirected[sink]
            for node in adjacent[sink]:
                children[node].discard(sink)
                undirected[node].discard(sink)
                adjacent[node].discard(sink)
                heapq.heappush(trials, -node)
        if left:
            nodes = listed([self._names[node] for node in sorted(left)])
            raise GraphError(
                f"no DAG has this skeleton and these v-structures: none of {nodes} can be a sink among themselves "
                "without a new v-structure"
            )
        return Dag.from_parents(self._names, parents)

    def is_valid(self) -> bool:
        """Whether this is the CPDAG of some DAG: it has a consistent extension, whose CPDAG it is.

        Examples
        --------
        >>> Cpdag(["a", "b", "c"], undirected=[("a", "b"), ("b", "c")]).is_valid()
        True
        """
        try:
            return Cpdag.from_dag(self.consistent_extension()) == self
        except GraphError:
            return False

    def with_names_ordered(self, names: Iterable[str]) -> "Cpdag":
        """Give the same graph with its nodes listed in another order."""
        ordered = node_names(names)
        check_same_nodes(self._names, ordered, called=("this graph", "names"))
        return self if ordered == self._names else Cpdag(ordered, self.directed, self.undirected)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cpdag):
            return NotImplemented
        return (self._names, self._parents, self._neighbours) == (other._names, other._parents, other._neighbours)

    def __hash__(self) -> int:
        return hash((self._names, self._parents, self._neighbours))

    def __repr__(self) -> str:
        return (
            f"<Cpdag: {self.n_nodes} nodes, {len(self.directed)} directed and {len(self.undirected)} undirected edges>"
        )

    def _repr_svg_(self) -> str | None:
        return picture_of(self)

    def __reduce__(self) -> tuple[object, ...]:
        return Cpdag, (self._names, self.directed, self.undirected)


def _with_experiments(dag: Dag, targets: Iterable[Iterable[str]]) -> Dag:
    """Return the graph and, behind its nodes, one for each experiment: a parent of all that was set in it.

    Graphs are equivalent under interventions if and only if they are with these nodes (Yang, Katcoff & Uhler 2018,
    ICML). Two parents of its own keep the arcs of such a node from being reversible.
    """
    index = positions(dag.names)
    sets = {frozenset(index_of(node, index) for node in target) for target in targets} - {frozenset()}
    if not sets:
        return dag
    parents = [list(row) for row in dag.parent_indices]
    for members in sorted(map(sorted, sets)):
        experiment = len(parents)
        parents += [[experiment + 1, experiment + 2], [], []]
        for member in members:
            parents[member].append(experiment)
    return Dag.from_parents(list(map(str, range(len(parents)))), parents)


def _compelled_parents(dag: Dag) -> list[set[int]]:
    """For each node those of its parents whose arc is compelled.

    Chickering 1995 goes through the nodes y in topological order, and through the parents x of each, last one first.
    The first x decides about all arcs into y: every one of them is compelled if y has a parent that is neither x nor a
    parent of x, or if a compelled parent of x is not a parent of y; otherwise w -> y is compelled exactly where
    w -> x is.
    """
    parents = [set(row) for row in dag.parent_indices]
    compelled: list[set[int]] = [set() for _ in parents]
    order = topological_order(dag.parent_indices, dag.child_indices)
    rank = {node: place for place, node in enumerate(order)}
    for y in order:
        if parents[y]:
            x = max(parents[y], key=rank.__getitem__)
            alike = parents[y] <= parents[x] | {x} and compelled[x] <= parents[y]
            compelled[y] = compelled[x] if alike else parents[y]
    return compelled


def _can_be_sink(node: int, undirected: Sequence[set[int]], adjacent: Sequence[set[int]]) -> bool:
    """Whether directing the undirected edges of a node towards it makes no v-structure."""
    return all(
        len(adjacent[other]) >= len(adjacent[node]) and adjacent[node] - {other} <= adjacent[other]
        for other in undirected[node]
    )
