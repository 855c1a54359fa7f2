"""What a learned graph must and must not have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.constraints.checks import (
    ANY,
    Arc,
    Limits,
    arrow,
    checked_arcs,
    checked_closed,
    checked_groups,
    checked_limits,
    checked_tiers,
    degrees_of,
    leads_back,
    limits_of,
)
from arcwise.constraints.paths import graph_with_paths, refuse_contradictions
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.node_lists import NodeLists
from arcwise.graph.nodes import cycle
from arcwise.support.arguments import flag, instance
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import chained, listed, quoted

__all__ = ["Arc", "Constraints"]

_OF_ARCS = ("required", "forbidden", "required_ancestors", "forbidden_ancestors", "allowed")
_OF_LIMITS = ("max_parents", "max_degree")


@dataclass(frozen=True, init=False)
class Constraints:
    """Required and forbidden arcs and ancestors, tiers, and limits on the number of parents and of adjacent nodes.

    Every search honours them, or refuses what it cannot: limits on adjacent nodes, and rules about ancestors. Those
    about arcs say nothing of paths: a forbidden arc a -> b leaves a -> c -> b possible. Contradictory constraints are
    refused at once.

    In arcs and pairs of ancestors, ``*`` stands for all other variables, and a group for all of its variables.

    Parameters
    ----------
    required
        Arcs (parent, child) that the graph must have.
    forbidden
        Arcs (parent, child) that it must not have; the opposite direction stays possible.
    allowed
        The only arcs (parent, child) that the graph may have besides the required ones; None: all that nothing forbids.
    required_ancestors
        Pairs (ancestor, descendant): a directed path must lead from the one to the other. Searches over graphs keep to
        it (greedy, sgs2, sgs3, tabu, lagd, mmhc, mtmhc), others refuse it.
    forbidden_ancestors
        Pairs between which no directed path may lead; in the same way.
    tiers
        Groups of variables, earliest first: no arc leads from a later tier to an earlier one. Arcs within a tier are
        possible, and variables in no tier are free.
    closed_tiers
        Tiers within which no arc is allowed either: their places, counted from 0, or True for all of them.
    max_parents
        The most parents that any variable may have, or a mapping from variables to such limits (variables it does not
        mention have none). None: no limit.
    max_degree
        The most nodes that any node may be adjacent to, parents and children together, in the same way. Searches that
        choose the parents of each variable by themselves (over orders and trees, and exact ones) refuse it.
    join_constants
        Whether a search may add arcs at variables that have one value in all rows. The data say nothing about such
        arcs, and only `BDeu` and `BDs` gain by them (`arcwise.scores.constants`), so that they are left out otherwise,
        unless they are required or in the start.
    groups
        Names for sets of variables, which may stand for them in arcs, pairs of ancestors, tiers and limits.

    Raises
    ------
    ParameterError
        For anything malformed, and for constraints that no graph satisfies; the message says which contradict.

    Examples
    --------
    >>> constraints = Constraints(required=[("a", "b")], tiers=[["a", "b"], ["c"]], max_parents={"c": 1})
    >>> constraints.satisfied_by(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]))
    True
    >>> constraints.violations(Dag(["a", "b", "c"], [("c", "b")]))
    ("the required arc 'a' -> 'b' is missing", "the arc 'c' -> 'b' leads from tier 1 back to tier 0 (counted from 0)")
    >>> Constraints(forbidden=[("*", "person")], groups={"person": ["age", "sex"]}).satisfied_by(
    ...     Dag(["age", "sex", "pay"], [("age", "pay")])
    ... )
    True
    >>> Constraints(forbidden_ancestors=[("a", "c")]).violations(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]))
    ("'a' is an ancestor of 'c', which is forbidden",)
    >>> Constraints(required=[("a", "b"), ("b", "c"), ("c", "a")])
    Traceback (most recent call last):
        ...
    arcwise.ParameterError: required arcs form a cycle: 'a' -> 'b' -> 'c' -> 'a'; a graph without cycles ...
    """

    required: tuple[Arc, ...]
    forbidden: tuple[Arc, ...]
    allowed: tuple[Arc, ...] | None
    required_ancestors: tuple[Arc, ...]
    forbidden_ancestors: tuple[Arc, ...]
    tiers: tuple[tuple[str, ...], ...]
    closed_tiers: tuple[int, ...]
    max_parents: Limits
    max_degree: Limits
    join_constants: bool
    groups: tuple[tuple[str, tuple[str, ...]], ...]

    def __init__(
        self,
        *,
        required: Iterable[Arc] = (),
        forbidden: Iterable[Arc] = (),
        allowed: Iterable[Arc] | None = None,
        required_ancestors: Iterable[Arc] = (),
        forbidden_ancestors: Iterable[Arc] = (),
        tiers: Iterable[Iterable[str]] = (),
        closed_tiers: bool | Iterable[int] = False,
        max_parents: int | Mapping[str, int] | None = None,
        max_degree: int | Mapping[str, int] | None = None,
        join_constants: bool = False,
        groups: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        # Sorted, so that the same constraints are equal however they were listed.
        ordered = checked_tiers(tiers)
        checked = {
            "required": checked_arcs(required, "required"),
            "forbidden": checked_arcs(forbidden, "forbidden"),
            "allowed": None if allowed is None else checked_arcs(allowed, "allowed"),
            "required_ancestors": checked_arcs(required_ancestors, "required_ancestors"),
            "forbidden_ancestors": checked_arcs(forbidden_ancestors, "forbidden_ancestors"),
            "tiers": ordered,
            "closed_tiers": checked_closed(closed_tiers, len(ordered)),
            "max_parents": checked_limits(max_parents, "max_parents"),
            "max_degree": checked_limits(max_degree, "max_degree"),
            "join_constants": flag("join_constants", join_constants),
            "groups": checked_groups({} if groups is None else groups),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self._is_plain:  # else when the variables are known
            self._refuse_contradictions()

    def arguments(self) -> dict[str, Any]:
        """Return what makes these constraints again, by the names of the parameters."""
        found = {part.name: getattr(self, part.name) for part in fields(self)}
        by_name = {key: dict(found[key]) for key in (*_OF_LIMITS, "groups") if isinstance(found[key], tuple)}
        return {**found, **by_name}

    @property
    def _is_plain(self) -> bool:
        """Whether no arc has a star, and there are no groups."""
        return not self.groups and not any(ANY in arc for key in _OF_ARCS for arc in getattr(self, key) or ())

    def over(self, names: Sequence[str]) -> "Constraints":
        """Return the same with variables in place of stars and groups.

        Raises
        ------
        ParameterError
            When a constraint mentions a variable that is not in `names`, a group has the name of a variable, and for
            constraints that no graph satisfies.

        Examples
        --------
        >>> Constraints(forbidden=[("*", "age")]).over(["age", "sex", "pay"]).forbidden
        (('pay', 'age'), ('sex', 'age'))
        """
        self._check_known(names)
        if self._is_plain:
            return self
        members = {ANY: tuple(names), **dict(self.groups)}

        def variables(word: str) -> tuple[str, ...]:
            return members.get(word, (word,))

        def arcs(key: str) -> list[Arc] | None:
            given = getattr(self, key)
            if given is None:
                return None
            pairs = ((one, other) for tail, head in given for one in variables(tail) for other in variables(head))
            return [(one, other) for one, other in pairs if one != other]

        found: dict[str, Any] = {key: arcs(key) for key in _OF_ARCS}
        found["tiers"] = [[name for word in tier for name in variables(word)] for tier in self.tiers]
        for key in _OF_LIMITS:
            limits = getattr(self, key)
            if isinstance(limits, tuple):
                by_group = {name: most for word, most in limits if word in members for name in variables(word)}
                limits = {**by_group, **{word: most for word, most in limits if word not in members}}
            found[key] = limits
        return Constraints(**found, closed_tiers=self.closed_tiers, join_constants=self.join_constants)

    def parent_limit(self, variable: str) -> int | None:
        """Most parents that `max_parents` lets this variable have; None when there is no limit.

        Examples
        --------
        >>> Constraints(max_parents={"a": 2}).parent_limit("a")
        2
        """
        return limits_of(self.max_parents, [variable])[0]

    @property
    def limits_degrees(self) -> bool:
        """Whether some node may not be adjacent to all others."""
        return self.max_degree is not None and self.max_degree != ()

    def refuse_degrees(self, who: str) -> None:
        """Raise a `ParameterError` if there are limits on adjacent nodes, for those who cannot keep to them.

        Parameters
        ----------
        who
            What cannot, for the message.
        """
        if self.limits_degrees:
            raise ParameterError(
                f"{who} cannot limit how many nodes are adjacent to one; drop ",
                Name("max_degree"),
                " from the constraints, or search over graphs (greedy, tabu, lagd, mmhc) or classes (ges, kes, xges)",
            )

    @property
    def limits_ancestors(self) -> bool:
        """Whether somebody must, or must not, be an ancestor of somebody."""
        return bool(self.required_ancestors or self.forbidden_ancestors)

    def refuse_ancestors(self, who: str) -> None:
        """Raise a `ParameterError` if there are rules about ancestors, for those who cannot keep to them.

        Parameters
        ----------
        who
            What cannot, for the message.
        """
        if self.limits_ancestors:
            kind = "required_ancestors" if self.required_ancestors else "forbidden_ancestors"
            raise ParameterError(
                f"{who} cannot enforce constraints on ancestors; drop ",
                Name(kind),
                " from the constraints, or search over graphs (greedy, sgs2, sgs3, tabu, lagd, mmhc, mtmhc)",
            )

    def with_max_degree(self, most: int | None, names: Sequence[str]) -> "Constraints":
        """Constraints under which no node may be adjacent to more than so many others either; the same for None.

        Parameters
        ----------
        most
            The limit.
        names
            The variables, of which some may have a lower limit already.

        Examples
        --------
        >>> Constraints(max_degree={"a": 2}).with_max_degree(3, ["a", "b"]).max_degree
        (('a', 2), ('b', 3))
        """
        if most is None:
            return self
        plain = self.over(names)
        before = zip(names, limits_of(plain.max_degree, names), strict=True)
        limits = {name: most if limit is None else min(most, limit) for name, limit in before}
        return Constraints(**{**plain.arguments(), "max_degree": limits})

    def resolve(self, names: Sequence[str]) -> ResolvedConstraints:
        """Constraints over the variables `names`, by their places in this order.

        Raises
        ------
        ParameterError
            When a constraint mentions a variable that is not in `names`.

        Examples
        --------
        >>> Constraints(forbidden=[("a", "b")]).resolve(["a", "b"]).allowed_matrix()
        array([[False,  True],
               [False, False]])
        """
        plain = self.over(names)
        if plain is not self:
            return plain.resolve(names)
        index = {name: position for position, name in enumerate(names)}
        n = len(index)

        def lists(arcs: Iterable[Arc]) -> NodeLists:
            pairs = [(index[child], index[parent]) for parent, child in arcs]
            return NodeLists.from_pairs(n, np.array(pairs, dtype=np.int64).reshape(-1, 2))

        tiers = np.zeros(0, dtype=np.int32)
        if self.tiers:
            # An odd tier is one without arcs of its own.
            tier_of = {name: 2 * tier + (tier in self.closed_tiers) for name, tier in self._tier_of().items()}
            tiers = np.array([tier_of.get(name, -1) for name in names], dtype=np.int32)
        others = max(n - 1, 0)
        parents, degrees = (
            np.array([others if limit is None else min(limit, others) for limit in limits], dtype=np.int32)
            for limits in (limits_of(self.max_parents, names), limits_of(self.max_degree, names))
        )
        required = lists(self.required)
        against_paths = [*self.forbidden_ancestors, *((below, above) for above, below in self.required_ancestors)]
        is_needed = bool(self.closed_tiers) or np.unique(tiers[tiers >= 0]).size > 1
        return ResolvedConstraints(
            max_parents=np.minimum(parents, degrees),
            max_degree=degrees,
            required=required,
            forbidden=lists(self.forbidden) | required.transposed | lists(against_paths),
            tiers=tiers if is_needed else tiers[:0],
            candidates=None if self.allowed is None else lists(self.allowed) | required,
            required_ancestors=_pairs(self.required_ancestors, index),
            forbidden_ancestors=_pairs(self.forbidden_ancestors, index),
        )

    def required_dag(self, names: Sequence[str]) -> Dag:
        """Graph with the required arcs only, and paths from required ancestors where these are not among them.

        Examples
        --------
        >>> Constraints(required=[("a", "b")]).required_dag(["a", "b", "c"]).arcs
        (('a', 'b'),)
        """
        plain = self.over(names)
        if not plain.required_ancestors:
            return Dag(names, plain.required)
        return Dag.from_parents(names, graph_with_paths(plain.resolve(names), names, plain.required_ancestors))

    def checked_start(self, names: Sequence[str], start: Dag | None) -> Dag:
        """Graph that a search starts from, its nodes in the order of `names`: `start`, or the required arcs alone.

        Raises
        ------
        ParameterError
            When the start breaks the constraints; the message says in what.
        """
        if start is None:
            return self.required_dag(names)
        start = instance("start", start, Dag).with_names_ordered(names)
        broken = self.violations(start)
        if broken:
            raise ParameterError(
                Name("start"), f" breaks the constraints: {listed(broken, most=5, show=str, between='; ')}"
            )
        return start

    def violations(self, dag: Dag) -> tuple[str, ...]:
        """Everything in which a graph breaks the constraints, in words; nothing when it satisfies them."""
        plain = self.over(dag.names)
        if plain is not self:
            return plain.violations(dag)
        tier_of, forbidden, arcs = self._tier_of(), set(self.forbidden), dag.arcs
        found = [f"the required arc {arrow(arc)} is missing" for arc in self.required if not dag.has_arc(*arc)]
        found += [f"the arc {arrow(arc)} is forbidden" for arc in arcs if arc in forbidden]
        if self.allowed is not None:
            among = {*self.allowed, *self.required}
            found += [f"the arc {arrow(arc)} is not among those that are allowed" for arc in arcs if arc not in among]
        found += [
            f"the arc {arrow(arc)} {words}" for arc in arcs if (words := leads_back(arc, tier_of, self.closed_tiers))
        ]
        for name, parents, limit in zip(
            dag.names, dag.parent_indices, limits_of(self.max_parents, dag.names), strict=True
        ):
            if limit is not None and len(parents) > limit:
                found.append(f"{quoted(name)} has more parents ({len(parents)}) than it may have ({limit})")
        degrees = degrees_of(arcs)
        for name, limit in zip(dag.names, limits_of(self.max_degree, dag.names), strict=True):
            if limit is not None and degrees[name] > limit:
                found.append(f"{quoted(name)} is adjacent to more nodes ({degrees[name]}) than it may be ({limit})")
        return (*found, *self._violated_paths(dag))

    def _violated_paths(self, dag: Dag) -> list[str]:
        """What is wrong with the ancestors in a graph."""
        missing = [pair for pair in self.required_ancestors if pair[0] not in dag.ancestors(pair[1])]
        extra = [pair for pair in self.forbidden_ancestors if pair[0] in dag.ancestors(pair[1])]
        return [
            *(f"{quoted(above)} is not an ancestor of {quoted(below)}, as it must be" for above, below in missing),
            *(f"{quoted(above)} is an ancestor of {quoted(below)}, which is forbidden" for above, below in extra),
        ]

    def satisfied_by(self, dag: Dag) -> bool:
        """Whether a graph breaks none of the constraints."""
        return not self.violations(dag)

    def _refuse_contradictions(self) -> None:
        both = sorted(set(self.required) & set(self.forbidden))
        if both:
            raise ParameterError(f"the arc {arrow(both[0])} is both required and forbidden; drop one of the two")
        parents: dict[str, list[str]] = {name: [] for arc in self.required for name in arc}
        for parent, child in self.required:
            parents[child].append(parent)
        nodes = list(parents)
        index = {name: position for position, name in enumerate(nodes)}
        around = cycle([[index[parent] for parent in row] for row in parents.values()])
        if around:
            path = chained(nodes[node] for node in around)
            raise ParameterError(f"required arcs form a cycle: {path}; a graph without cycles cannot have them all")
        if self.limits_ancestors:
            refuse_contradictions(self.required, self.required_ancestors, self.forbidden_ancestors)
        tier_of = self._tier_of()
        for arc in self.required:
            if words := leads_back(arc, tier_of, self.closed_tiers):
                raise ParameterError(f"the required arc {arrow(arc)} {words}; drop the arc or change the tiers")
        for (name, row), limit in zip(parents.items(), limits_of(self.max_parents, nodes), strict=True):
            if limit is not None and len(row) > limit:
                raise ParameterError(
                    f"{quoted(name)} has more required parents ({len(row)}) than the limit on parents allows "
                    f"({limit}); raise the limit or drop one of the arcs"
                )
        degrees = degrees_of(self.required)
        for name, limit in zip(nodes, limits_of(self.max_degree, nodes), strict=True):
            if limit is not None and degrees[name] > limit:
                raise ParameterError(
                    f"{quoted(name)} is in more required arcs ({degrees[name]}) than the limit on adjacent nodes "
                    f"allows ({limit}); raise the limit or drop one of the arcs"
                )

    def _tier_of(self) -> dict[str, int]:
        return {name: position for position, tier in enumerate(self.tiers) for name in tier}

    def _check_known(self, names: Sequence[str]) -> None:
        known = set(names)
        if len(known) < len(names):
            raise ParameterError(Name("names"), " must differ from one another")
        groups = dict(self.groups)
        for group in groups:
            if group in known or group == ANY:
                raise ParameterError(f"a group is called {quoted(group)}, which is also a variable; call it otherwise")
        known |= {ANY, *groups}
        places = [
            *((key, [name for arc in getattr(self, key) or () for name in arc]) for key in _OF_ARCS),
            ("tiers", [name for tier in self.tiers for name in tier]),
            *(
                (key, [name for name, _ in getattr(self, key)] if isinstance(getattr(self, key), tuple) else [])
                for key in _OF_LIMITS
            ),
            ("groups", [name for members in groups.values() for name in members]),
        ]
        for place, mentioned in places:
            for name in mentioned:
                if name not in known:
                    hint = did_you_mean(name, names) or f": {listed(names)}"
                    raise ParameterError(
                        f"{place} mentions {quoted(name)}, which is not among the {len(names)} names{hint}"
                    )


def _pairs(pairs: Iterable[Arc], index: Mapping[str, int]) -> npt.NDArray[np.uint32]:
    return np.array([[index[name] for name in pair] for pair in pairs], dtype=np.uint32).reshape(-1, 2)
