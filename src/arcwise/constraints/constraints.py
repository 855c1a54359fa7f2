"""What a learned graph must and must not have."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.node_lists import NodeLists
from arcwise.graph.nodes import cycle
from arcwise.support.arguments import count, flag, instance
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Shown
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import chained, listed, quoted

Arc = tuple[str, str]
Item = TypeVar("Item")
_Limits = int | tuple[tuple[str, int], ...] | None


@dataclass(frozen=True, init=False)
class Constraints:
    """Required and forbidden arcs, tiers, and limits on the number of parents and of adjacent nodes.

    Every search honours them; one that cannot limit adjacent nodes refuses such a limit. They are about arcs, not
    about paths: a forbidden arc a -> b leaves a -> c -> b possible, and a required one says nothing about the ancestors
    of its ends. Contradictory constraints are refused at once, so that there always is a graph that satisfies them: the
    one with the required arcs only.

    Parameters
    ----------
    required
        Arcs (parent, child) that the graph must have.
    forbidden
        Arcs (parent, child) that it must not have; the opposite direction stays possible.
    tiers
        Groups of variables, earliest first: no arc leads from a later tier to an earlier one. Arcs within a tier are
        possible, and variables in no tier are free.
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
    >>> Constraints(required=[("a", "b"), ("b", "c"), ("c", "a")])
    Traceback (most recent call last):
        ...
    arcwise.ParameterError: required arcs form a cycle: 'a' -> 'b' -> 'c' -> 'a'; a graph without cycles ...
    """

    required: tuple[Arc, ...]
    forbidden: tuple[Arc, ...]
    tiers: tuple[tuple[str, ...], ...]
    max_parents: int | tuple[tuple[str, int], ...] | None
    max_degree: int | tuple[tuple[str, int], ...] | None
    join_constants: bool

    def __init__(
        self,
        *,
        required: Iterable[Arc] = (),
        forbidden: Iterable[Arc] = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | Mapping[str, int] | None = None,
        max_degree: int | Mapping[str, int] | None = None,
        join_constants: bool = False,
    ) -> None:
        # Sorted, so that the same constraints are equal however they were listed.
        object.__setattr__(self, "required", _checked_arcs(required, "required"))
        object.__setattr__(self, "forbidden", _checked_arcs(forbidden, "forbidden"))
        object.__setattr__(self, "tiers", _checked_tiers(tiers))
        object.__setattr__(self, "max_parents", _checked_limits(max_parents, "max_parents"))
        object.__setattr__(self, "max_degree", _checked_limits(max_degree, "max_degree"))
        object.__setattr__(self, "join_constants", flag("join_constants", join_constants))
        self._refuse_contradictions()

    def parent_limit(self, variable: str) -> int | None:
        """Most parents that `max_parents` lets this variable have; None when there is no limit.

        Examples
        --------
        >>> Constraints(max_parents={"a": 2}).parent_limit("a")
        2
        """
        return _limits_of(self.max_parents, [variable])[0]

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
        before = zip(names, _limits_of(self.max_degree, names), strict=True)
        limits = {name: most if limit is None else min(most, limit) for name, limit in before}
        return Constraints(
            required=self.required,
            forbidden=self.forbidden,
            tiers=self.tiers,
            max_parents=dict(self.max_parents) if isinstance(self.max_parents, tuple) else self.max_parents,
            max_degree=limits,
            join_constants=self.join_constants,
        )

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
        self._check_known(names)
        index = {name: position for position, name in enumerate(names)}
        n = len(index)

        def lists(arcs: Iterable[Arc]) -> NodeLists:
            pairs = [(index[child], index[parent]) for parent, child in arcs]
            return NodeLists.from_pairs(n, np.array(pairs, dtype=np.int64).reshape(-1, 2))

        tiers = np.zeros(0, dtype=np.int32)
        if self.tiers:
            tier_of = self._tier_of()
            tiers = np.array([tier_of.get(name, -1) for name in names], dtype=np.int32)
        others = max(n - 1, 0)
        parents, degrees = (
            np.array([others if limit is None else min(limit, others) for limit in limits], dtype=np.int32)
            for limits in (_limits_of(self.max_parents, names), _limits_of(self.max_degree, names))
        )
        required = lists(self.required)
        return ResolvedConstraints(
            max_parents=np.minimum(parents, degrees),
            max_degree=degrees,
            required=required,
            forbidden=lists(self.forbidden) | required.transposed,
            tiers=tiers if np.unique(tiers[tiers >= 0]).size > 1 else tiers[:0],
        )

    def required_dag(self, names: Sequence[str]) -> Dag:
        """Graph with the required arcs only, the smallest that satisfies the constraints.

        Examples
        --------
        >>> Constraints(required=[("a", "b")]).required_dag(["a", "b", "c"]).arcs
        (('a', 'b'),)
        """
        self._check_known(names)
        return Dag(names, self.required)

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
        self._check_known(dag.names)
        tier_of, forbidden, arcs = self._tier_of(), set(self.forbidden), dag.arcs
        found = [f"the required arc {_arrow(arc)} is missing" for arc in self.required if not dag.has_arc(*arc)]
        found += [f"the arc {_arrow(arc)} is forbidden" for arc in arcs if arc in forbidden]
        found += [f"the arc {_arrow(arc)} {words}" for arc in arcs if (words := _backwards(arc, tier_of))]
        for name, parents, limit in zip(
            dag.names, dag.parent_indices, _limits_of(self.max_parents, dag.names), strict=True
        ):
            if limit is not None and len(parents) > limit:
                found.append(f"{quoted(name)} has more parents ({len(parents)}) than it may have ({limit})")
        degrees = _degrees(arcs)
        for name, limit in zip(dag.names, _limits_of(self.max_degree, dag.names), strict=True):
            if limit is not None and degrees[name] > limit:
                found.append(f"{quoted(name)} is adjacent to more nodes ({degrees[name]}) than it may be ({limit})")
        return tuple(found)

    def satisfied_by(self, dag: Dag) -> bool:
        """Whether a graph breaks none of the constraints."""
        return not self.violations(dag)

    def _refuse_contradictions(self) -> None:
        both = sorted(set(self.required) & set(self.forbidden))
        if both:
            raise ParameterError(f"the arc {_arrow(both[0])} is both required and forbidden; drop one of the two")
        parents: dict[str, list[str]] = {name: [] for arc in self.required for name in arc}
        for parent, child in self.required:
            parents[child].append(parent)
        nodes = list(parents)
        index = {name: position for position, name in enumerate(nodes)}
        around = cycle([[index[parent] for parent in row] for row in parents.values()])
        if around:
            path = chained(nodes[node] for node in around)
            raise ParameterError(f"required arcs form a cycle: {path}; a graph without cycles cannot have them all")
        tier_of = self._tier_of()
        for arc in self.required:
            if words := _backwards(arc, tier_of):
                raise ParameterError(f"the required arc {_arrow(arc)} {words}; drop the arc or change the tiers")
        for (name, row), limit in zip(parents.items(), _limits_of(self.max_parents, nodes), strict=True):
            if limit is not None and len(row) > limit:
                raise ParameterError(
                    f"{quoted(name)} has more required parents ({len(row)}) than the limit on parents allows "
                    f"({limit}); raise the limit or drop one of the arcs"
                )
        degrees = _degrees(self.required)
        for name, limit in zip(nodes, _limits_of(self.max_degree, nodes), strict=True):
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
        places = [
            ("required", [name for arc in self.required for name in arc]),
            ("forbidden", [name for arc in self.forbidden for name in arc]),
            ("tiers", [name for tier in self.tiers for name in tier]),
            *(
                (place, [name for name, _ in limits] if isinstance(limits, tuple) else [])
                for place, limits in (("max_parents", self.max_parents), ("max_degree", self.max_degree))
            ),
        ]
        for place, mentioned in places:
            for name in mentioned:
                if name not in known:
                    hint = did_you_mean(name, names) or f": {listed(names)}"
                    raise ParameterError(
                        f"{place} mentions {quoted(name)}, which is not among the {len(names)} names{hint}"
                    )


def _checked_arcs(arcs: Iterable[Arc], parameter: str) -> tuple[Arc, ...]:
    checked: set[Arc] = set()
    for arc in _listed(arcs, parameter, "pairs (parent, child)"):
        if isinstance(arc, str) or not isinstance(arc, Sequence) or [isinstance(end, str) for end in arc] != [True] * 2:
            raise ParameterError.of(parameter, "pairs (parent, child) of variable names", arc, verb="hold")
        if arc[0] == arc[1]:
            raise ParameterError(Name(parameter), f" must not hold the arc {_arrow(arc)} from a variable to itself")
        checked.add((str(arc[0]), str(arc[1])))
    return tuple(sorted(checked))


def _checked_tiers(tiers: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    checked = [_listed(tier, "a tier", "variable names") for tier in _listed(tiers, "tiers", "tiers")]
    place: dict[str, int] = {}
    for position, tier in enumerate(checked):
        for name in tier:
            if not isinstance(name, str):
                raise ParameterError.of(
                    "tiers", "variable names", Shown(f"{quoted(name)} (in tier {position})"), verb="hold"
                )
            if name in place:
                where = f"tiers {place[name]} and {position}" if place[name] != position else f"tier {position} twice"
                raise ParameterError(
                    f"{quoted(name)} is in {where} (counted from 0); a variable is in one tier at most"
                )
            place[name] = position
    return tuple(tuple(sorted(tier)) for tier in checked)


def _checked_limits(limits: int | Mapping[str, int] | None, parameter: str) -> _Limits:
    if limits is None:
        return None
    if not isinstance(limits, Mapping):
        return count(parameter, limits)
    for name in limits:
        if not isinstance(name, str):
            raise ParameterError.of(parameter, "variable names to limits", name, verb="map")
    return tuple(sorted((str(name), count(f"{parameter} for {quoted(name)}", limit)) for name, limit in limits.items()))


def _limits_of(limits: _Limits, names: Iterable[str]) -> list[int | None]:
    """Limits of these variables, None for those without one."""
    if isinstance(limits, tuple):
        return list(map(dict(limits).get, names))
    return [limits for _ in names]


def _degrees(arcs: Iterable[Arc]) -> Counter[str]:
    """How many nodes each is adjacent to, given arcs of which no two join the same nodes."""
    return Counter(name for arc in arcs for name in arc)


def _listed(items: Iterable[Item], parameter: str, what: str) -> list[Item]:
    """List the items, unless they are one string (a slip) or not iterable at all."""
    if not isinstance(items, Iterable) or isinstance(items, str):
        raise ParameterError.of(parameter, f"a list of {what}", items)
    return list(items)


def _backwards(arc: Arc, tier_of: Mapping[str, int]) -> str:
    """Words for an arc from a later tier to an earlier one; empty for any other."""
    tail, head = (tier_of.get(name) for name in arc)
    if tail is None or head is None or tail <= head:
        return ""
    return f"leads from tier {tail} back to tier {head} (counted from 0)"


def _arrow(arc: Sequence[str]) -> str:
    return f"{quoted(arc[0])} -> {quoted(arc[1])}"
