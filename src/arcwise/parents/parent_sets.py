"""The table of candidate parent sets that order-based and exact searches choose from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.data.summary import DataSummary, hashed
from arcwise.graph.dag import Dag
from arcwise.parents.allowed import allowed_mask
from arcwise.parents.relaxed_arcs import RelaxedArcs
from arcwise.parents.set_arrays import (
    Members,
    Offsets,
    Scores,
    SetArrays,
    checked_arrays,
    counts,
    offsets,
    variable_names,
)
from arcwise.support.errors import ParameterError
from arcwise.support.names import index_of, indices_of
from arcwise.support.quoting import cut, listed, numbered, quoted

Family = tuple[float, tuple[str, ...]]

_ARRAYS = ("variable_begin", "set_begin", "members", "scores")


@dataclass(frozen=True, eq=False, repr=False)
class ParentSets:
    """For every variable its candidate parent sets with their scores, best first; it never changes.

    All sets lie one after the other in flat arrays, which are read-only: the sets of variable v are those from
    ``variable_begin[v]`` to ``variable_begin[v + 1]``, and the members of set s are
    ``members[set_begin[s]:set_begin[s + 1]]``. Among sets of the same score the smaller one is first, then the one that
    comes first lexicographically, so that the same sets always make the same table. Larger scores are better.

    The constructor takes arrays in that order and does not copy those of the right type. `from_arrays` and `from_lists`
    sort, `read_parent_sets` reads a file.

    Parameters
    ----------
    names
        The variables, at most 65,535.
    variable_begin
        Where the sets of each variable begin, and where those of the last one end.
    set_begin
        Where the members of each set begin, and where those of the last one end.
    members
        Indices of the parents, ascending within a set.
    scores
        One for each set, falling within a variable; finite.

    Raises
    ------
    ParameterError
        If offsets do not fit together, a variable has no set or the same set twice, a set is not ascending or holds its
        own variable, a score is not finite, or the sets of a variable are not sorted.

    Examples
    --------
    >>> table = ParentSets.from_lists(
    ...     ["rain", "sprinkler", "wet"],
    ...     [[(-6, []), (-5, ["wet"])], [(-4, [])], [(-9, []), (-2, ["rain", "sprinkler"]), (-3, ["rain"])]],
    ... )
    >>> table
    <ParentSets: 3 variables, 6 sets, at most 2 parents>
    >>> table.sets("wet")
    [(-2.0, ('rain', 'sprinkler')), (-3.0, ('rain',)), (-9.0, ())]
    >>> table.best_within("wet", predecessors=["rain"])
    (-3.0, ('rain',))
    >>> table.relaxed_score()
    -11.0
    """

    names: tuple[str, ...]
    variable_begin: Offsets
    set_begin: Offsets
    members: Members
    scores: Scores
    _arrays: SetArrays = field(init=False)

    def __post_init__(self) -> None:
        names = variable_names(self.names)
        arrays = checked_arrays(names, self.variable_begin, self.set_begin, self.members, self.scores)
        arrays.refuse_fault(names)
        at = arrays.misplaced()
        if at is not None:
            raise ParameterError(
                f"{arrays.place(at, names)} is out of order; sets are sorted by falling score, then by size, then "
                "lexicographically (ParentSets.from_arrays sorts them)"
            )
        self._set(names, arrays)

    def _set(self, names: tuple[str, ...], arrays: SetArrays) -> None:
        frozen = arrays.read_only()
        self.__dict__.update({name: getattr(frozen, name) for name in _ARRAYS}, names=names, _arrays=frozen)

    @classmethod
    def of_checked(cls, names: tuple[str, ...], arrays: SetArrays) -> Self:
        """Table of arrays that are known to be right and sorted; nothing is checked again."""
        table = object.__new__(cls)
        table._set(names, arrays)
        return table

    @classmethod
    def from_arrays(
        cls,
        names: Iterable[str],
        variable_begin: npt.ArrayLike,
        set_begin: npt.ArrayLike,
        members: npt.ArrayLike,
        scores: npt.ArrayLike,
    ) -> Self:
        """Table of arrays whose sets, and the members within them, are in any order; all sets are kept.

        Examples
        --------
        >>> table = ParentSets.from_arrays(["a", "b", "c"], [0, 2, 3, 4], [0, 0, 2, 2, 2], [2, 1], [-5, -3, -4, -4])
        >>> table.sets("a")
        [(-3.0, ('b', 'c')), (-5.0, ())]
        """
        listed = variable_names(names)
        arrays = checked_arrays(listed, variable_begin, set_begin, members, scores).with_members_ascending()
        arrays.refuse_fault(listed)
        return cls.of_checked(listed, arrays.best_first())

    @classmethod
    def from_lists(cls, names: Iterable[str], lists: Sequence[Iterable[tuple[float, Iterable[str | int]]]]) -> Self:
        """Table of lists of pairs (score, parents), one list for each variable, in any order.

        Parameters
        ----------
        names
            The variables.
        lists
            For each variable its sets; parents by name or by index.

        Examples
        --------
        >>> ParentSets.from_lists(["a", "b"], [[(-2.5, [])], [(-3.0, []), (-1.5, ["a"])]]).best("b")
        (-1.5, ('a',))
        """
        listed = variable_names(names)
        if not isinstance(lists, Sequence):
            raise ParameterError.of("lists", "a list with the sets of each variable", lists)
        if len(lists) != len(listed):
            raise ParameterError.of(
                "lists", f"one entry for each of the {len(listed)} variables", len(lists), verb="have"
            )
        position = {name: index for index, name in enumerate(listed)}
        lengths, sizes, members = list[int](), list[int](), list[int]()
        scores = list[float]()
        for name, of_variable in zip(listed, lists, strict=True):
            before = len(scores)
            for score, parents in _pairs(name, of_variable):
                indices = indices_of(parents, position, f"the parents of {quoted(name)}")
                scores.append(score)
                sizes.append(len(indices))
                members += indices
            lengths.append(len(scores) - before)
        return cls.from_arrays(listed, offsets(lengths), offsets(sizes), members, scores)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_sets(self) -> int:
        """Number of sets, all variables together."""
        return self.scores.size

    @property
    def max_parents(self) -> int:
        """Size of the largest set."""
        return int(np.diff(self.set_begin).max())

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return self.variable_begin.nbytes + self.set_begin.nbytes + self.members.nbytes + self.scores.nbytes

    def sets(self, variable: str | int) -> list[Family]:
        """Scores and parents of a variable, best first."""
        index = self._index(variable)
        begin, members = self._arrays.members_of(index)
        parents, starts = [self.names[member] for member in members.tolist()], begin.tolist()
        scores = self.scores[self._arrays.sets_of(index)].tolist()
        return [(score, tuple(parents[starts[at] : starts[at + 1]])) for at, score in enumerate(scores)]

    def best(self, variable: str | int) -> Family:
        """Score and parents of a variable's best set."""
        return self._family(int(self.variable_begin[self._index(variable)]))

    def best_within(self, variable: str | int, predecessors: Iterable[str | int]) -> Family:
        """Score and parents of the best set whose members are all among the predecessors.

        Raises
        ------
        ParameterError
            If there is none; a table with the empty set of every variable always has one.

        Examples
        --------
        >>> table = ParentSets.from_lists(["a", "b", "c"], [[(-1, [])], [(-4, []), (-2, ["a", "c"])], [(-3, ["a"])]])
        >>> table.best_within("b", ["a"]), table.best_within("b", ["c", "a"])
        ((-4.0, ()), (-2.0, ('a', 'c')))
        """
        outside = np.ones(self.n_variables, dtype=np.bool_)
        outside[indices_of(predecessors, self._position, "predecessors")] = False
        return self._best_without(self._index(variable), outside)

    def best_along(self, order: Sequence[int]) -> list[Family]:
        """Score and parents of every variable's best set within those that come before it, variables by index.

        Raises
        ------
        ParameterError
            If a variable has none.

        Examples
        --------
        >>> table = ParentSets.from_lists(["a", "b"], [[(-1, ["b"]), (-2, [])], [(-1, ["a"]), (-5, [])]])
        >>> table.best_along([1, 0])
        [(-1.0, ('b',)), (-5.0, ())]
        """
        outside = np.ones(self.n_variables, dtype=np.bool_)
        found: dict[int, Family] = {}
        for index in order:
            found[index] = self._best_without(index, outside)
            outside[index] = False
        return [found[index] for index in range(self.n_variables)]

    def _best_without(self, index: int, outside: npt.NDArray[np.bool_]) -> Family:
        begin, members = self._arrays.members_of(index)
        fits = counts(begin, outside[members]) == 0
        if not fits.any():
            inside = np.count_nonzero(~outside)
            raise ParameterError(
                f"none of the {fits.size:,} parent sets of {quoted(self.names[index])} lies within the {inside} "
                "predecessors; a table for order searches should have the empty set of every variable"
            )
        return self._family(int(self.variable_begin[index] + np.argmax(fits)))

    def relaxed_score(self) -> float:
        """Score of H*, the graph that gives every variable its best set: no DAG over these sets scores more.

        Equation 6 of Perez & Mauá 2016 ("Better initialization heuristics for order-based Bayesian network structure
        learning", JIDM 7(2)).
        """
        return fsum(self.scores[self.variable_begin[:-1]].tolist())

    def relaxed_graph(self) -> dict[str, tuple[str, ...]]:
        """Best parents of every variable: the graph H*, which may have cycles.

        Examples
        --------
        >>> ParentSets.from_lists(["a", "b"], [[(-1, ["b"]), (-2, [])], [(-1, ["a"]), (-2, [])]]).relaxed_graph()
        {'a': ('b',), 'b': ('a',)}
        """
        return {name: self.best(index)[1] for index, name in enumerate(self.names)}

    @cached_property
    def relaxed_arcs(self) -> RelaxedArcs:
        """Arcs of H* with what each parent is worth to its child, as flat arrays; found once.

        Examples
        --------
        >>> table = ParentSets.from_lists(["a", "b"], [[(-1, ["b"]), (-2, [])], [(-1, ["a"]), (-5, [])]])
        >>> table.relaxed_arcs.parents, table.relaxed_arcs.weights
        (array([1, 0], dtype=uint16), array([1., 4.]))
        """
        return RelaxedArcs.of(self._arrays)

    @cached_property
    def core(self) -> _core.SetTable:
        """The compiled object, for the kernels."""
        return _core.SetTable(self.variable_begin, self.set_begin, self.members, self.scores)

    @property
    def rounding(self) -> float:
        """Up to this, differences of the scores of graphs over the table are rounding."""
        return 1e-12 * max(1.0, float(abs(self.scores[self.variable_begin[:-1]]).sum()))

    @property
    def counters(self) -> dict[str, int]:
        """What was counted so far, by the names that results have for it: no scores, since the table has them all."""
        return {"evaluations": 0}

    def summary(self) -> DataSummary:
        """Return what is worth knowing about the table without keeping it: its size and a fingerprint."""
        arrays = [array.astype("<i8") for array in (self.variable_begin, self.set_begin, self.members)]
        fingerprint = hashed(["parent sets", self.names, self.n_sets], [*arrays, self.scores.astype("<f8")])
        return DataSummary(fingerprint, self.n_variables, n_sets=self.n_sets)

    def total(self, dag: Dag) -> float:
        """Score of a graph: the sum over its families, which must all be in the table. Nodes are matched by name."""
        if set(dag.names) != set(self.names):
            odd = sorted(set(dag.names) ^ set(self.names))
            raise ParameterError(f"the graph's nodes and the table's variables differ: {listed(odd, most=5, show=cut)}")
        return fsum(self._score(name, dag.parents(name)) for name in self.names)

    def _score(self, name: str, parents: tuple[str, ...]) -> float:
        index = self._position[name]
        wanted = np.sort(np.array([self._position[parent] for parent in parents], dtype=np.intp))
        begin, members = self._arrays.members_of(index)
        candidates = np.flatnonzero(np.diff(begin) == wanted.size)
        same = (members[begin[candidates][:, None] + np.arange(wanted.size)] == wanted).all(axis=1)
        if not same.any():
            raise ParameterError(
                f"the table has no score of {quoted(name)} with the parents {{{listed(parents, show=cut)}}}"
            )
        return float(self.scores[self.variable_begin[index] + candidates[np.argmax(same)]])

    def without_dominated(self) -> "ParentSets":
        """Table of the sets that score strictly more than each of their subsets in this table.

        Whatever the order of the variables, a dominated set is never better than its subset, which fits wherever it
        does: the best DAG stays as good as it was. An empty set is never dominated.

        Examples
        --------
        >>> table = ParentSets.from_lists(["a", "b", "c"], [[(-3, []), (-3, ["b"]), (-2, ["c"])], [(0, [])], [(0, [])]])
        >>> table.without_dominated().sets("a")
        [(-2.0, ('c',)), (-3.0, ())]
        """
        arrays = self._arrays
        keep = [
            _core.undominated(*arrays.members_of(variable), self.scores[arrays.sets_of(variable)])
            for variable in range(self.n_variables)
        ]
        return self.kept(np.concatenate(keep))

    def constrained(self, constraints: Constraints) -> "ParentSets":
        """Table of the sets that the constraints allow.

        Raises
        ------
        ParameterError
            If the constraints leave a variable without any set, or mention one that is not in the table.

        Examples
        --------
        >>> table = ParentSets.from_lists(["a", "b"], [[(-2, []), (-1, ["b"])], [(-2, []), (-1, ["a"])]])
        >>> table.constrained(Constraints(required=[("a", "b")])).relaxed_graph()
        {'a': (), 'b': ('a',)}
        """
        if constraints == Constraints():
            return self
        return self.kept(allowed_mask(self.names, self._arrays, constraints))

    def kept(self, keep: npt.NDArray[np.bool_]) -> "ParentSets":
        """Table of those sets, counted over all variables, where `keep` is true; at least one for each variable."""
        return self if keep.all() else ParentSets.of_checked(self.names, self._arrays.kept(keep))

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def _index(self, variable: str | int) -> int:
        return index_of(variable, self._position)

    def _family(self, at: int) -> Family:
        members = self.members[self.set_begin[at] : self.set_begin[at + 1]].tolist()
        return float(self.scores[at]), tuple(self.names[member] for member in members)

    def __len__(self) -> int:
        return self.n_sets

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParentSets):
            return NotImplemented
        return self.names == other.names and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS
        )

    def __hash__(self) -> int:
        return hash((self.names, self.n_sets))

    def __repr__(self) -> str:
        counts = ((self.n_variables, "variable"), (self.n_sets, "set"), (self.max_parents, "parent"))
        variables, sets, parents = (numbered(*each) for each in counts)
        return f"<ParentSets: {variables}, {sets}, at most {parents}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # numpy does not keep the read-only flag in a pickle; making the table anew sets it again.
        return ParentSets.of_checked, (self.names, self._arrays)


def _pairs(name: str, of_variable: Iterable[tuple[float, Iterable[str | int]]]) -> Iterator[tuple[float, Any]]:
    """Yield the pairs (score, parents) of one variable, if they are such pairs."""
    if isinstance(of_variable, str) or not isinstance(of_variable, Iterable):
        raise ParameterError(
            f"the sets of {quoted(name)} must be a list of pairs (score, parents), not {quoted(of_variable)}"
        )
    for pair in of_variable:
        try:
            score, parents = pair
            if isinstance(score, str):
                raise TypeError
            number = float(score)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                f"the sets of {quoted(name)} must be pairs (score, parents), not {quoted(pair)}"
            ) from None
        yield number, parents
