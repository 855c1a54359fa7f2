"""Directed acyclic graphs."""

import operator
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Self, final

import numpy as np
import numpy.typing as npt

from arcwise.graph.nodes import (
    Pair,
    boolean_square,
    check_same_nodes,
    closure,
    cycle,
    index_of,
    index_pairs,
    node_names,
    positions,
    reachable,
    reversed_arcs,
    topological_order,
)
from arcwise.support.errors import GraphError
from arcwise.support.names import default_names
from arcwise.support.notebooks import picture_of
from arcwise.support.quoting import chained, listed, numbered, quoted

if TYPE_CHECKING:
    from arcwise.graph.cpdag import Cpdag


@final
class Dag:
    """A directed acyclic graph with named nodes; it cannot be changed.

    Two graphs are equal when they have the same names in the same order and the same arcs.

    Parameters
    ----------
    names
        The nodes, each once. Their order is the order of every answer.
    arcs
        Pairs (parent, child), each once.

    Raises
    ------
    GraphError
        For a name that is not a string or stands twice, an arc to an unknown node or to itself, an arc given twice,
        and a cycle, whose nodes are named.

    Examples
    --------
    >>> dag = Dag(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> dag.parents("wet")
    ('rain', 'sprinkler')
    >>> dag.is_d_separated("rain", "sprinkler"), dag.is_d_separated("rain", "sprinkler", given="wet")
    (True, False)
    """

    __slots__ = ("_children", "_index", "_names", "_parents")

    _names: tuple[str, ...]
    _index: dict[str, int]
    _parents: tuple[tuple[int, ...], ...]
    _children: tuple[tuple[int, ...], ...]

    def __init__(self, names: Iterable[str], arcs: Iterable[Pair] = ()) -> None:
        listed = node_names(names)
        parents: list[list[int]] = [[] for _ in listed]
        for parent, child in index_pairs(arcs, positions(listed), kind="arc"):
            parents[child].append(parent)
        self._build(listed, parents)

    def _build(self, names: tuple[str, ...], parents: Sequence[Sequence[int]]) -> None:
        self._names = names
        self._index = positions(names)
        self._parents = tuple(tuple(sorted(row)) for row in parents)
        for child, row in enumerate(self._parents):
            if child in row:
                raise GraphError(
                    f"the arc {quoted(names[child])} -> {quoted(names[child])} starts and ends at the same node"
                )
            if len(set(row)) < len(row):
                twice = next(parent for parent, after in pairwise(row) if parent == after)
                raise GraphError(
                    f"the arc {quoted(names[twice])} -> {quoted(names[child])} is given twice; give it once"
                )
        self._children = tuple(map(tuple, reversed_arcs(self._parents)))
        around = cycle(self._parents)
        if around:
            nodes = chained(self._named(around))
            raise GraphError(f"the arcs form a cycle: {nodes}; leave out or reverse one of them")

    @classmethod
    def from_parents(cls, names: Iterable[str], parents: Sequence[Iterable[int]]) -> Self:
        """Graph in which the parents of each node are given by their positions in `names`.

        Examples
        --------
        >>> Dag.from_parents(["a", "b", "c"], [[], [0], [0, 1]]).arcs
        (('a', 'b'), ('a', 'c'), ('b', 'c'))
        """
        listed = node_names(names)
        if len(parents) != len(listed):
            raise GraphError(f"parents must have one entry for each of the {len(listed)} nodes, not {len(parents)}")
        rows = [_checked_positions(row, listed, child) for child, row in zip(listed, parents, strict=True)]
        dag = cls.__new__(cls)
        dag._build(listed, rows)
        return dag

    @classmethod
    def from_adjacency(cls, matrix: npt.ArrayLike, names: Iterable[str] | None = None) -> Self:
        """Graph with the arc i -> j wherever `matrix[i, j]` is true; names are X0, X1, … unless given.

        Examples
        --------
        >>> Dag.from_adjacency([[0, 1], [0, 0]]).arcs
        (('X0', 'X1'),)
        """
        array = boolean_square(matrix)
        listed = default_names(len(array)) if names is None else names
        return cls.from_parents(listed, [np.flatnonzero(column).tolist() for column in array.T])

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes, in their order."""
        return self._names

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._names)

    @property
    def n_arcs(self) -> int:
        """Number of arcs."""
        return sum(map(len, self._parents))

    @property
    def parent_indices(self) -> tuple[tuple[int, ...], ...]:
        """For each node the positions of its parents in `names`, ascending."""
        return self._parents

    @property
    def child_indices(self) -> tuple[tuple[int, ...], ...]:
        """For each node the positions of its children in `names`, ascending."""
        return self._children

    @property
    def arcs(self) -> tuple[Pair, ...]:
        """The pairs (parent, child), sorted by the child's position, then by the parent's."""
        names = self._names
        return tuple((names[parent], names[child]) for child, row in enumerate(self._parents) for parent in row)

    @property
    def skeleton(self) -> tuple[Pair, ...]:
        """The pairs of adjacent nodes, sorted; within a pair the node that stands first in `names` is first."""
        pairs = sorted((min(a, b), max(a, b)) for b, row in enumerate(self._parents) for a in row)
        return tuple((self._names[a], self._names[b]) for a, b in pairs)

    def index(self, node: str) -> int:
        """Position of a node in `names`."""
        return index_of(node, self._index)

    def parents(self, node: str) -> tuple[str, ...]:
        """Parents of a node, in the order of `names`."""
        return self._named(self._parents[index_of(node, self._index)])

    def children(self, node: str) -> tuple[str, ...]:
        """Children of a node, in the order of `names`."""
        return self._named(self._children[index_of(node, self._index)])

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Nodes with a directed path to this one, without itself, in the order of `names`."""
        return self._named(sorted(closure([index_of(node, self._index)], self._parents)))

    def descendants(self, node: str) -> tuple[str, ...]:
        """Nodes that a directed path from this one leads to, without itself, in the order of `names`."""
        return self._named(sorted(closure([index_of(node, self._index)], self._children)))

    def markov_blanket(self, node: str) -> tuple[str, ...]:
        """Nodes that shield this one from all others: parents, children and their other parents.

        Given the states of these, no other node says anything more about it (Pearl 1988, "Probabilistic reasoning in
        intelligent systems", section 3.3.1). They come in the order of `names`.

        Examples
        --------
        >>> dag = Dag(["rain", "hose", "wet", "slippery"], [("rain", "wet"), ("hose", "wet"), ("wet", "slippery")])
        >>> dag.markov_blanket("rain")
        ('hose', 'wet')
        """
        own = index_of(node, self._index)
        children = self._children[own]
        found = {*self._parents[own], *children, *(parent for child in children for parent in self._parents[child])}
        return self._named(sorted(found - {own}))

    def renamed(self, names: Mapping[str, str]) -> "Dag":
        """Give the same graph with other names for some nodes.

        Parameters
        ----------
        names
            New names by old ones; nodes that it does not mention keep theirs.

        Examples
        --------
        >>> Dag(["a", "b"], [("a", "b")]).renamed({"a": "age"}).arcs
        (('age', 'b'),)
        """
        for name in names:
            index_of(name, self._index)
        return Dag.from_parents([names.get(name, name) for name in self._names], self._parents)

    def has_arc(self, parent: str, child: str) -> bool:
        """Whether parent -> child is an arc."""
        return index_of(parent, self._index) in self._parents[index_of(child, self._index)]

    def topological_order(self) -> tuple[str, ...]:
        """Nodes with every parent before its children; among those that could be next, the first in `names`.

        Examples
        --------
        >>> Dag(["a", "b", "c", "d"], [("d", "a"), ("a", "b")]).topological_order()
        ('c', 'd', 'a', 'b')
        """
        return self._named(topological_order(self._parents, self._children))

    def adjacency(self) -> npt.NDArray[np.bool_]:
        """Square matrix that is true at [i, j] where i -> j."""
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.bool_)
        for child, row in enumerate(self._parents):
            matrix[list(row), child] = True
        return matrix

    def covered_arcs(self) -> tuple[Pair, ...]:
        """Arcs x -> y whose ends have the same parents but for x itself.

        Turning such an arc, and no other, keeps the graph in its Markov equivalence class (Chickering 1995, "A
        transformational characterization of equivalent Bayesian network structures", UAI).

        Examples
        --------
        >>> Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]).covered_arcs()
        (('a', 'b'),)
        """
        parents = [frozenset(row) for row in self._parents]
        return tuple(
            (self._names[x], self._names[y])
            for y, row in enumerate(self._parents)
            for x in row
            if parents[y] == parents[x] | {x}
        )

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Triples (a, child, b) in which a and b are parents of the child and not adjacent.

        They are sorted by the child's position, and `a` stands before `b` in `names`.
        """
        names, parents = self._names, [frozenset(row) for row in self._parents]
        return tuple(
            (names[a], names[child], names[b])
            for child, row in enumerate(self._parents)
            for position, b in enumerate(row)
            for a in row[:position]
            if a not in parents[b] and b not in parents[a]
        )

    def is_equivalent(self, other: "Dag") -> bool:
        """Whether both graphs state the same independences: same skeleton and same v-structures.

        Verma & Pearl 1990, "Equivalence and synthesis of causal models", UAI. The order of the names may differ; other
        nodes raise a `GraphError`.

        Examples
        --------
        >>> chain = Dag(["a", "b", "c"], [("a", "b"), ("b", "c")])
        >>> chain.is_equivalent(Dag(["a", "b", "c"], [("c", "b"), ("b", "a")]))
        True
        >>> chain.is_equivalent(Dag(["a", "b", "c"], [("a", "b"), ("c", "b")]))
        False
        """
        check_same_nodes(self._names, other._names, called=("this graph", "the other"))
        other = other.with_names_ordered(self._names)
        return self.skeleton == other.skeleton and self.v_structures() == other.v_structures()

    def cpdag(self, targets: Iterable[Iterable[str]] = ()) -> "Cpdag":
        """Completed partially directed graph that stands for the Markov equivalence class of this graph.

        Parameters
        ----------
        targets
            Sets of nodes that an experimenter has set together, which divide the class; see `Cpdag.from_dag`.
        """
        from arcwise.graph.cpdag import Cpdag  # here, because the two classes make each other

        return Cpdag.from_dag(self, targets)

    def is_d_separated(self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
        """Whether `given` blocks every path between `x` and `y`, each of them one node or several.

        One pass over the arcs, as in the Bayes-ball of Shachter 1998 ("Bayes-ball: the rational pastime", UAI). No
        nodes at all are separated from any; a node in two of the three sets raises a `GraphError`.

        Examples
        --------
        >>> chain = Dag(["a", "b", "c"], [("a", "b"), ("b", "c")])
        >>> chain.is_d_separated("a", "c"), chain.is_d_separated("a", "c", given=["b"])
        (False, True)
        """
        sources, targets, observed = (
            {index_of(node, self._index) for node in ([part] if isinstance(part, str) else part)}
            for part in (x, y, given)
        )
        shared = (sources & targets) | (sources & observed) | (targets & observed)
        if shared:
            raise GraphError(f"x, y and given must not share nodes; shared are {listed(self._named(sorted(shared)))}")
        return targets.isdisjoint(reachable(sources, observed, self._parents, self._children))

    def with_names_ordered(self, names: Iterable[str]) -> "Dag":
        """Give the same graph with its nodes listed in another order.

        Examples
        --------
        >>> Dag(["a", "b"], [("a", "b")]).with_names_ordered(["b", "a"]).parent_indices
        ((1,), ())
        """
        ordered = node_names(names)
        check_same_nodes(self._names, ordered, called=("this graph", "names"))
        if ordered == self._names:
            return self
        place = positions(ordered)
        moved = [place[name] for name in self._names]
        return Dag.from_parents(ordered, [[moved[p] for p in self._parents[self._index[name]]] for name in ordered])

    def _named(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._names[node] for node in nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dag):
            return NotImplemented
        return self._names == other._names and self._parents == other._parents

    def __hash__(self) -> int:
        return hash((self._names, self._parents))

    def __repr__(self) -> str:
        return f"<Dag: {numbered(self.n_nodes, 'node')}, {numbered(self.n_arcs, 'arc')}>"

    def _repr_svg_(self) -> str | None:
        return picture_of(self)

    def __reduce__(self) -> tuple[object, ...]:
        return Dag.from_parents, (self._names, self._parents)


def _checked_positions(row: Iterable[int], names: Sequence[str], child: str) -> list[int]:
    """Positions of a node's parents as plain integers within range."""
    if not isinstance(row, Iterable):
        raise GraphError(f"the parents of {quoted(child)} must be several positions, not {quoted(row)}")
    checked = []
    for entry in row:
        try:
            parent = operator.index(entry)
        except TypeError:
            raise GraphError(
                f"the parents of {quoted(child)} must be positions (integers), not {quoted(entry)}"
            ) from None
        if isinstance(entry, bool) or not 0 <= parent < len(names):
            raise GraphError(
                f"the parents of {quoted(child)} must be positions from 0 to {len(names) - 1}, not {quoted(entry)}"
            )
        checked.append(parent)
    return checked
