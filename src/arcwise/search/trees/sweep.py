"""The best forest of all arcs that improve a score, of which no matrix is made."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Status
from arcwise.scores.definitions import PythonScore
from arcwise.scores.local_score import LocalScore
from arcwise.search.trees.branching import ArcsInto, best_branching

__all__ = ["Sweep", "Swept", "the_arc"]

# Arcs that are kept, of all variables together, 12 bytes each; but so many of each at least.
_MOST_ARCS = 1 << 22
_LEAST_OF_EACH = 64
# Variables whose arcs are looked at at once, on several threads.
_AT_ONCE = 32
# Of the time that is left, what looking at arcs may take; the rest is for choosing among them.
_SHARE = 0.75

_NONE = ArcsInto(np.zeros(0, dtype=np.int32), np.zeros(0))


def the_arc(parent: int, gain: float) -> ArcsInto:
    """Return the arcs into a variable that must have this parent, and no other."""
    return ArcsInto(np.array([parent], dtype=np.int32), np.array([gain]), alone=-np.inf)


@dataclass(frozen=True)
class Swept:
    """A forest.

    Attributes
    ----------
    parents
        The parent of each variable, -1 for none.
    gains
        What its arc gains.
    status
        What ended it before all arcs were looked at; None where they were.
    """

    parents: list[int]
    gains: list[float]
    status: Status | None


@dataclass(frozen=True, eq=False)
class Sweep:
    """Which arcs are looked at to find the best forest of them.

    Parameters
    ----------
    score
        The score, bound to its data.
    rules
        Which arcs are allowed.
    families
        The variables that may have one more parent, and the parents that they have.
    workers
        Threads.
    budget
        When to stop.
    given
        The arcs into other variables.
    never
        Variables that must not be parents.
    """

    score: LocalScore
    rules: ResolvedConstraints
    families: Mapping[int, Sequence[int]]
    workers: int
    budget: Budget
    given: Mapping[int, ArcsInto] = field(default_factory=dict)
    never: Sequence[int] = ()

    def best_forest(self) -> Swept:
        """Return the best forest of all arcs, or of those that the budget leaves time for."""
        part, may_be_parents = self.budget.part(share=_SHARE), np.ones(self.rules.n_variables, dtype=np.bool_)
        may_be_parents[list(self.never)] = False
        found = dict(self._gaining(part, may_be_parents))
        into = {**self.given, **found}
        status = None
        if len(found) < len(self.families):
            status = STATUS_OF_REASON[part.core.reason]
            into |= self._reversed(found)

        def more(child: int, is_left_out: npt.NDArray[np.bool_]) -> ArcsInto:
            nonlocal status
            if self.budget.exhausted:
                status = STATUS_OF_REASON[self.budget.core.reason]
                return _NONE
            ((_, others),) = self._into([child], may_be_parents & ~is_left_out)
            into[child] = into[child].followed_by(others)
            return others

        parents = best_branching([into.get(v, _NONE) for v in range(self.rules.n_variables)], more)
        gains = [0.0 if parent < 0 else into[v].gain_from(parent) for v, parent in enumerate(parents)]
        return Swept(parents, gains, status)

    def _gaining(self, budget: Budget, may_be_parents: npt.NDArray[np.bool_]) -> Iterator[tuple[int, ArcsInto]]:
        """Give the arcs into one variable after the other, as long as the budget lasts."""
        at_once = _AT_ONCE if budget.evaluation_limit is None else 1
        children = list(self.families)
        for begin in range(0, len(children), at_once):
            if budget.exhausted:
                return
            yield from self._into(children[begin : begin + at_once], may_be_parents)

    def _into(self, children: list[int], may_be_parents: npt.NDArray[np.bool_]) -> Iterator[tuple[int, ArcsInto]]:
        """Give the arcs into some variables that improve their scores, the best ones where there are many."""
        if isinstance(self.score.score.base, PythonScore):
            yield from self._into_one_by_one(children, may_be_parents)
            return
        n, families = self.rules.n_variables, [list(self.families[child]) for child in children]
        most = max(_LEAST_OF_EACH, _MOST_ARCS // n)
        own, scores, variables, ends = _core.improvements(
            self.score.core,
            np.array(children, dtype=np.int32),
            np.cumsum([0, *map(len, families)], dtype=np.int64),
            np.array([parent for family in families for parent in family], dtype=np.int32),
            self.workers,
        )
        self.budget.core.charge(sum(n - len(family) for family in families))
        for i, child in enumerate(children):
            parents, gains = variables[ends[i] : ends[i + 1]], scores[ends[i] : ends[i + 1]] - own[i]
            keep = may_be_parents[parents] & self.rules.are_allowed(child, parents)
            parents, gains = parents[keep], gains[keep]
            yield child, ArcsInto(parents[:most].copy(), gains[:most].copy(), is_cut=len(parents) > most)

    def _into_one_by_one(
        self, children: list[int], may_be_parents: npt.NDArray[np.bool_]
    ) -> Iterator[tuple[int, ArcsInto]]:
        """Give the same for a score in Python, of which each answer may take long: the budget is asked before it."""
        for child in children:
            family = list(self.families[child])
            others = np.flatnonzero(may_be_parents)
            others = others[~np.isin(others, [child, *family])]
            others = others[self.rules.are_allowed(child, others)]
            own = self.score.core.local(child, family, self.budget.core)
            gains = self.score.core.additions(child, family, others.tolist(), self.budget.core) - own
            if np.isnan(gains).any():  # it was cut short
                return
            order = np.argsort(-gains, kind="stable")
            order = order[gains[order] > self.score.rounding]
            yield child, ArcsInto(others[order].astype(np.int32), gains[order])

    def _reversed(self, found: Mapping[int, ArcsInto]) -> dict[int, ArcsInto]:
        """Return arcs into variables whose turn has not come, where either direction of an edge gains the same."""
        missing = [child for child in self.families if child not in found]
        if not found or not self.score.is_equivalent or any(map(len, self.families.values())):
            return {}
        tails = np.repeat(np.array(list(found)), [len(arcs.parents) for arcs in found.values()])
        heads = np.concatenate([arcs.parents for arcs in found.values()])
        gains = np.concatenate([arcs.gains for arcs in found.values()])
        may_be = np.isin(heads, missing) & self.rules.are_allowed(heads, tails)
        order = np.lexsort((-gains[may_be], heads[may_be]))
        heads, tails, gains = heads[may_be][order], tails[may_be][order].astype(np.int32), gains[may_be][order]
        begins = np.searchsorted(heads, missing)
        ends = np.searchsorted(heads, missing, side="right")
        return {
            child: ArcsInto(tails[begin:end], gains[begin:end])
            for child, begin, end in zip(missing, begins.tolist(), ends.tolist(), strict=True)
        }
