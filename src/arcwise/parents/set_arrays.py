"""The flat arrays of a table of parent sets: found faulty or right, sorted, and cut down.

Everything with temporary arrays goes through the table variable by variable, so that a table of millions of sets needs
little more memory than it has itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Shown
from arcwise.support.names import checked_names
from arcwise.support.quoting import cut, listed, quoted

#: Members are stored as uint16.
MAX_VARIABLES = 65_535

# Any fixed numbers do: sets with different sums differ, and those with equal sums are compared member by member.
_KEYS = np.random.default_rng(0).integers(1 << 64, size=MAX_VARIABLES, dtype=np.uint64)

Offsets = npt.NDArray[np.int64]
Members = npt.NDArray[np.uint16]
Scores = npt.NDArray[np.float64]


def variable_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names as a tuple: strings that are not empty, each of them once, at least one and at most 65,535.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    checked = checked_names(names, "variable", ParameterError)
    if not 1 <= len(checked) <= MAX_VARIABLES:
        raise ParameterError(f"there must be 1 to {MAX_VARIABLES:,} variables, not {len(checked):,}")
    return checked


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one set of a table.

    Parameters
    ----------
    at
        The set, counted over all variables.
    reason
        The fault in words.
    earlier
        The set that it repeats, if that is the fault.
    """

    at: int
    reason: str
    earlier: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SetArrays:
    """The arrays of a `ParentSets`, whose offsets are right; the sets may still be faulty or in any order."""

    variable_begin: Offsets
    set_begin: Offsets
    members: Members
    scores: Scores

    def read_only(self) -> "SetArrays":
        """Views of the same arrays that cannot be written to."""
        views = SetArrays(self.variable_begin.view(), self.set_begin.view(), self.members.view(), self.scores.view())
        for view in (views.variable_begin, views.set_begin, views.members, views.scores):
            view.setflags(write=False)
        return views

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return self.variable_begin.size - 1

    def owner(self, at: int) -> int:
        """Variable that a set belongs to."""
        return int(np.searchsorted(self.variable_begin, at, side="right")) - 1

    def sets_of(self, variable: int) -> slice:
        """Where the sets of a variable are."""
        return slice(int(self.variable_begin[variable]), int(self.variable_begin[variable + 1]))

    def members_of(self, variable: int) -> tuple[Offsets, Members]:
        """Members of all sets of a variable in one array, and where each set begins and the last one ends in it."""
        begin, end = self.variable_begin[variable : variable + 2]
        offsets = self.set_begin[begin : end + 1]
        return offsets - offsets[0], self.members[offsets[0] : offsets[-1]]

    def fault(self, names: tuple[str, ...]) -> Fault | None:
        """What is wrong with some set, whatever the order of the sets; None if nothing is."""
        finite = np.isfinite(self.scores)
        if not finite.all():
            at = int(np.argmin(finite))
            return Fault(at, f"its score is {self.scores[at]}; scores must be finite numbers")
        rising = _rising(self)
        if not rising.all():
            position = int(np.argmin(rising)) + 1
            first, second = self.members[position - 1 : position + 1].tolist()
            wrong = (
                f"has {quoted(names[second])} twice"
                if first == second
                else "does not have its members in ascending order"
            )
            return Fault(self._set_of_member(position), f"it {wrong}")
        for variable, name in enumerate(names):
            begin, members = self.members_of(variable)
            selfish = members == variable
            if selfish.any():
                at = self._set_of_member(int(self.set_begin[self.variable_begin[variable]] + np.argmax(selfish)))
                return Fault(at, f"it has {quoted(name)} itself as a parent")
            repeated = _repeated(begin, members)
            if repeated is not None:
                earlier, later = (int(self.variable_begin[variable]) + at for at in repeated)
                return Fault(later, "the same set stands there twice", earlier)
        return None

    def refuse_fault(self, names: tuple[str, ...]) -> None:
        """Raise a `ParameterError` if something is wrong with some set."""
        fault = self.fault(names)
        if fault is not None:
            raise ParameterError(f"{self.place(fault.at, names)} is not right: {fault.reason}")

    def place(self, at: int, names: tuple[str, ...]) -> str:
        """Words for one set, the same in every message."""
        owner = self.owner(at)
        members = self.members[self.set_begin[at] : self.set_begin[at + 1]].tolist()
        shown = listed((names[member] for member in members), show=cut)
        return f"set {at - self.variable_begin[owner]} of {quoted(names[owner])} (counted from 0), {{{shown}}},"

    def _set_of_member(self, position: int) -> int:
        return int(np.searchsorted(self.set_begin, position, side="right")) - 1

    def misplaced(self) -> int | None:
        """First set that does not stand where it would if the sets of its variable were sorted best first."""
        for variable in range(self.n_variables):
            order = _best_first(*self.members_of(variable), self.scores[self.sets_of(variable)])
            wrong = order != np.arange(order.size)
            if wrong.any():
                return int(self.variable_begin[variable] + np.argmax(wrong))
        return None

    def with_members_ascending(self) -> "SetArrays":
        """Arrays with the members of each set sorted."""
        if _rising(self).all():
            return self
        sorted_members = np.empty_like(self.members)
        for variable in range(self.n_variables):
            begin, members = self.members_of(variable)
            order = np.lexsort((members, np.repeat(np.arange(begin.size - 1), np.diff(begin))))
            start = self.set_begin[self.variable_begin[variable]]
            sorted_members[start : start + members.size] = members[order]
        return replace(self, members=sorted_members)

    def best_first(self) -> "SetArrays":
        """Arrays with the sets of each variable sorted: high score, then few members, then lexicographically."""
        orders = (
            _best_first(*self.members_of(variable), self.scores[self.sets_of(variable)])
            for variable in range(self.n_variables)
        )
        return self._taken(orders)

    def kept(self, keep: npt.NDArray[np.bool_]) -> "SetArrays":
        """Arrays with only the sets where `keep` is true; at least one for each variable."""
        return self._taken(np.flatnonzero(keep[self.sets_of(variable)]) for variable in range(self.n_variables))

    def _taken(self, orders: Iterable[npt.NDArray[np.intp]]) -> "SetArrays":
        """Take for each variable the sets with these positions in its list, in this order."""
        sizes, members, scores, lengths = [], [], [], []
        for variable, order in enumerate(orders):
            begin, of_variable = self.members_of(variable)
            taken_sizes = np.diff(begin)[order]
            shift = begin[order] - (np.cumsum(taken_sizes) - taken_sizes)
            members.append(of_variable[np.arange(taken_sizes.sum()) + np.repeat(shift, taken_sizes)])
            sizes.append(taken_sizes)
            scores.append(self.scores[self.sets_of(variable)][order])
            lengths.append(order.size)
        return SetArrays(
            offsets(lengths), offsets(np.concatenate(sizes)), np.concatenate(members), np.concatenate(scores)
        )


def offsets(lengths: npt.ArrayLike) -> Offsets:
    """Where each of several runs begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def counts(begin: Offsets, flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """How many flags are true in each run."""
    before = offsets(flags)
    return before[begin[1:]] - before[begin[:-1]]


def checked_arrays(
    names: tuple[str, ...],
    variable_begin: npt.ArrayLike,
    set_begin: npt.ArrayLike,
    members: npt.ArrayLike,
    scores: npt.ArrayLike,
) -> SetArrays:
    """Arrays of the right types and shapes, copied only where they have others.

    Raises
    ------
    ParameterError
        If offsets do not fit together, a variable has no set, or a member is not the index of a variable.
    """
    values = _vector("scores", scores, "iuf").astype(np.float64, copy=False)
    of_variables = _vector("variable_begin", variable_begin, "iu").astype(np.int64, copy=False)
    of_sets = _vector("set_begin", set_begin, "iu").astype(np.int64, copy=False)
    indices = _vector("members", members, "iu")
    _check_offsets("variable_begin", of_variables, len(names), values.size, "scores")
    _check_offsets("set_begin", of_sets, values.size, indices.size, "members")
    empty = np.diff(of_variables) == 0
    if empty.any():
        raise ParameterError(
            f"variable {quoted(names[int(np.argmax(empty))])} has no parent set; give each variable at least one, for "
            "instance the empty set"
        )
    outside = (indices < 0) | (indices >= len(names))
    if outside.any():
        at = int(np.argmax(outside))
        raise ParameterError(
            Name("members"), f"[{at}] is {indices[at]}; members are indices of variables, from 0 to {len(names) - 1}"
        )
    return SetArrays(of_variables, of_sets, indices.astype(np.uint16, copy=False), values)


def _vector(name: str, values: npt.ArrayLike, kinds: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ParameterError.of(name, "one-dimensional, a list or an array")
    if array.dtype.kind not in kinds and array.size:
        raise ParameterError.of(
            name, "integers" if "f" not in kinds else "numbers", Shown(str(array.dtype)), verb="hold"
        )
    return np.ascontiguousarray(array)


def _check_offsets(name: str, begin: Offsets, n_runs: int, end: int, of: str) -> None:
    if begin.size != n_runs + 1:
        raise ParameterError.of(
            name, f"{n_runs + 1:,} entries, one more than it has runs", Shown(f"{begin.size:,}"), verb="have"
        )
    if begin[0] != 0 or begin[-1] != end:
        came = Shown(f"from {begin[0]} to {begin[-1]}")
        raise ParameterError.of(name, f"from 0 to {end:,}, the number of {of}", came, verb="lead")
    falling = begin[1:] < begin[:-1]
    if falling.any():
        at = int(np.argmax(falling)) + 1
        raise ParameterError(Name(name), f" must not fall, but {name}[{at}] is {begin[at]} after {begin[at - 1]}")


def _rising(arrays: SetArrays) -> npt.NDArray[np.bool_]:
    """Whether each member but the first is above the one before it; true also where it begins a new set."""
    members, starts = arrays.members, arrays.set_begin
    rising = members[1:] > members[:-1]
    rising[starts[(starts > 0) & (starts < members.size)] - 1] = True
    return rising


def _best_first(begin: Offsets, members: Members, scores: Scores) -> npt.NDArray[np.intp]:
    """Order of the sets of one variable: by falling score, then by size, then lexicographically by members."""
    sizes = np.diff(begin)
    order = np.lexsort((sizes, -scores))
    follows = (scores[order][1:] == scores[order][:-1]) & (sizes[order][1:] == sizes[order][:-1])
    if follows.any():
        tied = np.zeros(order.size, dtype=np.bool_)
        tied[1:] |= follows
        tied[:-1] |= follows
        chosen = order[tied]
        columns = [
            # Past the end of a set any member does: sets of one run of ties have the same size.
            members[np.minimum(begin[chosen] + column, members.size - 1)]
            for column in range(int(sizes[chosen].max()))
        ]
        run = np.concatenate([[0], np.cumsum(~follows)])[tied]
        order[tied] = chosen[np.lexsort((*reversed(columns), run))]
    return order


def _repeated(begin: Offsets, members: Members) -> tuple[int, int] | None:
    """Two positions of the same set in the list of one variable, if there are such; members are ascending."""
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_KEYS[members])])
    keys = sums[begin[1:]] - sums[begin[:-1]]
    order = np.argsort(keys, kind="stable")
    suspects = np.zeros(keys.size, dtype=np.bool_)
    equal = keys[order][1:] == keys[order][:-1]
    suspects[order[1:][equal]] = suspects[order[:-1][equal]] = True
    seen: dict[bytes, int] = {}
    for at in np.flatnonzero(suspects).tolist():
        earlier = seen.setdefault(members[begin[at] : begin[at + 1]].tobytes(), at)
        if earlier != at:
            return earlier, at
    return None
