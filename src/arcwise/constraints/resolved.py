"""Constraints over the variables of one table, by index: what searches and their kernels ask."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.graph.node_lists import NodeLists, Pairs

__all__ = ["ResolvedConstraints"]


def _nothing() -> npt.NDArray[np.bool_]:
    return np.zeros(0, dtype=np.bool_)


def _no_pairs() -> npt.NDArray[np.uint32]:
    return np.zeros((0, 2), dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class ResolvedConstraints:
    """Constraints over the variables of one Dataset, in the order of its names.

    They take the space of the variables and of the arcs that are named, not that of all pairs: of a hundred thousand
    variables there are too many for a matrix. Lists are by child, and have parents. All arrays are read-only.

    Attributes
    ----------
    max_parents
        The most parents each variable may have: the number of other variables where there is no lower limit. A limit
        on adjacent nodes is also one on parents.
    max_degree
        The most nodes each may be adjacent to, in the same way.
    required
        Parents that a child must have.
    forbidden
        Parents that it must not have, among them those that it must be a parent of. Arcs that would only close a cycle
        with required ones stay allowed: keeping the graph acyclic is the task of the search.
    tiers
        The tier of each variable, -1 for none; empty where there are no tiers. No arc leads to a lower one, nor from a
        variable of an odd one to another of the same.
    isolated
        Variables that are joined to none, but for the arcs in `exempt`; empty where there are no such variables.
    exempt
        Parents that a child may have though one of the two is isolated.
    candidates
        The only parents that a child may have; None where all others may be.
    required_ancestors, forbidden_ancestors
        Pairs of an ancestor and a descendant, in rows. Arcs that would be against them by themselves are forbidden
        ones; of paths only searches over graphs can tell.

    Examples
    --------
    >>> from arcwise import Constraints
    >>> resolved = Constraints(required=[("a", "b")], max_parents={"c": 1}).resolve(["a", "b", "c"])
    >>> resolved.max_parents
    array([2, 2, 1], dtype=int32)
    >>> resolved.is_required(1, 0), resolved.is_allowed(0, 1)  # a -> b must be there, b -> a must not
    (True, False)
    >>> resolved.allowed_parents(2).tolist()
    [0, 1]
    """

    max_parents: npt.NDArray[np.int32]
    max_degree: npt.NDArray[np.int32]
    required: NodeLists
    forbidden: NodeLists
    tiers: npt.NDArray[np.int32]
    isolated: npt.NDArray[np.bool_] = field(default_factory=_nothing)
    exempt: NodeLists | None = None
    candidates: NodeLists | None = None
    required_ancestors: npt.NDArray[np.uint32] = field(default_factory=_no_pairs)
    forbidden_ancestors: npt.NDArray[np.uint32] = field(default_factory=_no_pairs)

    def __post_init__(self) -> None:
        paths = (self.required_ancestors, self.forbidden_ancestors)
        for array in (self.max_parents, self.max_degree, self.tiers, self.isolated, *paths):
            array.flags.writeable = False

    def __reduce__(self) -> tuple[object, ...]:
        # numpy does not keep the flag in a pickle; making the object anew sets it again.
        lists = (self.required, self.forbidden, self.tiers, self.isolated, self.exempt, self.candidates)
        paths = (self.required_ancestors, self.forbidden_ancestors)
        return ResolvedConstraints, (self.max_parents, self.max_degree, *lists, *paths)

    @cached_property
    def core(self) -> _core.ArcRules:
        """The rules as the kernels take them."""
        exempt = NodeLists.none(self.n_variables) if self.exempt is None else self.exempt
        candidates = None if self.candidates is None else self.candidates.core
        restrictions = _core.ArcRestrictions(self.forbidden.core, candidates, self.tiers, self.isolated, exempt.core)
        paths = (np.ascontiguousarray(pairs.ravel()) for pairs in (self.required_ancestors, self.forbidden_ancestors))
        return _core.ArcRules(restrictions, self.required.core, self.max_parents, self.max_degree, *paths)

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return self.max_parents.size

    @property
    def allows_all(self) -> bool:
        """Whether nothing forbids any arc between two variables."""
        return self.core.allows_all

    @property
    def is_symmetric(self) -> bool:
        """Whether every arc is allowed if its reverse is."""
        return self.core.is_symmetric

    @property
    def requires_any(self) -> bool:
        """Whether some arc must be there."""
        return self.required.n_members > 0

    @cached_property
    def required_arcs(self) -> npt.NDArray[np.int64]:
        """The arcs that must be there, a parent and its child in each row."""
        return np.ascontiguousarray(self.required.pairs[:, ::-1])

    @property
    def has_ancestors(self) -> bool:
        """Whether somebody must, or must not, be an ancestor of somebody."""
        return bool(self.required_ancestors.size or self.forbidden_ancestors.size)

    def keeps_ancestors_with(self, leads: Callable[[int, int], bool], parent: int, child: int) -> bool:
        """Whether one more arc makes nobody an ancestor who must not be.

        Parameters
        ----------
        leads
            Whether a path leads from one node to another in the graph without the arc; from any node to itself.
        parent, child
            The arc.
        """
        pairs = self.forbidden_ancestors.tolist()
        return not any(leads(ancestor, parent) and leads(child, descendant) for ancestor, descendant in pairs)

    def is_allowed(self, child: int, parent: int) -> bool:
        """Whether the arc parent -> child may be in the graph."""
        return self.core.is_allowed(child, parent)

    def is_required(self, child: int, parent: int) -> bool:
        """Whether the arc parent -> child must be in the graph."""
        return self.core.is_required(child, parent)

    def are_allowed(self, children: npt.ArrayLike, parents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each of many arcs may be in the graph; one child or parent stands for as many as there are others."""
        pairs = np.broadcast_arrays(np.asarray(children, dtype=np.int64), np.asarray(parents, dtype=np.int64))
        return self.core.are_allowed(*map(np.ascontiguousarray, pairs))

    def allowed_parents(self, child: int) -> npt.NDArray[np.int64]:
        """Return the parents that a variable may have, ascending; those that it must have are among them."""
        return self.core.allowed_parents(child)

    def optional_parents(self, child: int) -> npt.NDArray[np.int64]:
        """Return the parents that a variable may have and need not, ascending."""
        allowed, required = self.allowed_parents(child), self.required.of(child)
        return np.setdiff1d(allowed, required, assume_unique=True) if required.size else allowed

    def required_parents(self, child: int) -> list[int]:
        """Return the parents that a variable must have, ascending."""
        parents: list[int] = self.required.of(child).tolist()
        return parents

    def allowed_matrix(self) -> npt.NDArray[np.bool_]:
        """Return a matrix that is true at [child, parent] where the arc may be in the graph; for few variables."""
        matrix = np.zeros((self.n_variables, self.n_variables), dtype=np.bool_)
        for child in range(self.n_variables):
            matrix[child, self.allowed_parents(child)] = True
        return matrix

    def may_join(self, pairs: Pairs) -> npt.NDArray[np.bool_]:
        """Whether an arc between the two variables of each pair is allowed, in one direction at least."""
        ones, others = pairs.T
        return self.are_allowed(ones, others) | self.are_allowed(others, ones)

    def restricted_to(self, candidates: NodeLists) -> "ResolvedConstraints":
        """Return rules under which variables may have only these parents, and those that they must have.

        Examples
        --------
        >>> from arcwise import Constraints
        >>> rules = Constraints(required=[("a", "b")]).resolve(["a", "b", "c"])
        >>> rules.restricted_to(NodeLists.from_lists([[1, 2], [], [0]])).allowed_matrix().astype(int)
        array([[0, 0, 1],
               [1, 0, 0],
               [1, 0, 0]])
        """
        both = candidates if self.candidates is None else candidates & self.candidates
        return replace(self, candidates=both | self.required)

    def isolating(self, isolated: npt.NDArray[np.bool_], exempt: NodeLists) -> "ResolvedConstraints":
        """Return rules under which some variables are joined to none, but for arcs that are required or exempt.

        Parameters
        ----------
        isolated
            Whether each variable is one of these.
        exempt
            Parents of each variable that stay possible.
        """
        return replace(self, isolated=isolated, exempt=exempt | self.required)
