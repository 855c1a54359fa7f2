"""Max-min parents and children: the neighbours of each variable, by tests of conditional independence."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from math import inf
from warnings import warn
from weakref import WeakKeyDictionary

import numpy as np

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.graph.node_lists import NodeLists
from arcwise.parents.independence import Independence
from arcwise.parents.open_names import OpenNames
from arcwise.runs.budget import Budget, side_by_side
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance
from arcwise.support.errors import ArcwiseWarning
from arcwise.support.machine import workers_or_default

__all__ = ["Neighbours", "mmpc", "neighbours"]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of every variable, by index.

    Attributes
    ----------
    lists
        The neighbours of each variable, but for pairs of `untested` ones; each of two is in the list of the other.
    finished
        For each variable whether all its tests were made; where not, everything that was not shown to be independent
        counts as a neighbour.
    untested
        Variables of which not one test was made: all of them are neighbours of one another, but for those `apart`. They
        may be so many that their pairs are not listed unless one asks for them.
    apart
        Variables that are not joined to a variable, whatever tests would say.
    """

    lists: NodeLists
    finished: tuple[bool, ...]
    untested: tuple[int, ...] = ()
    apart: NodeLists | None = None

    @cached_property
    def of(self) -> tuple[tuple[int, ...], ...]:
        """For each variable its neighbours, ascending."""
        rows = [set(self.lists.of(v).tolist()) for v in range(self.lists.n_nodes)]
        for v in self.untested:
            rows[v] |= {*self.untested} - {v, *self._apart_from(v)}
        return tuple(tuple(sorted(row)) for row in rows)

    def _apart_from(self, variable: int) -> list[int]:
        return [] if self.apart is None else self.apart.of(variable).tolist()

    def named(self, names: Sequence[str]) -> dict[str, Set[str]]:
        """Return the neighbours of each variable by name."""
        named: dict[str, Set[str]] = {
            name: frozenset(names[u] for u in self.lists.of(v).tolist()) for v, name in enumerate(names)
        }
        shared = frozenset(names[v] for v in self.untested)
        for v in self.untested:
            apart = (names[u] for u in self._apart_from(v))
            named[names[v]] = OpenNames.of(shared, [names[v], *apart], named[names[v]])
        return named

    @property
    def found(self) -> NodeLists:
        """The neighbours that tests have found: those for which all tests of one of the two variables were made."""
        is_finished, pairs = np.array(self.finished), self.lists.pairs
        return self.lists.where(is_finished[pairs[:, 0]] | is_finished[pairs[:, 1]])

    @property
    def is_complete(self) -> bool:
        """Whether all tests were made."""
        return all(self.finished)


@dataclass(frozen=True)
class _Task:
    """What is known about one variable beforehand: who is a neighbour, and who cannot be one."""

    target: int
    required: tuple[int, ...]
    apart: tuple[int, ...]

    def n_candidates(self, n_variables: int) -> int:
        return n_variables - 1 - len(self.required) - len(self.apart)

    def candidates(self, n_variables: int) -> list[int]:
        """Return all other variables."""
        known = [self.target, *self.required, *self.apart]
        others: list[int] = np.delete(np.arange(n_variables), known).tolist()
        return others


# Tests are not remembered one by one, but what came out of them is, as long as the score lives.
_known: WeakKeyDictionary[LocalScore, dict[tuple[Independence, _Task], tuple[int, ...]]] = WeakKeyDictionary()


def mmpc(
    score: LocalScore,
    *,
    alpha: float = 0.05,
    test: str = "g2",
    least_per_cell: float = 5.0,
    max_conditions: int | None = None,
    permutations: int = 0,
    constraints: Constraints | None = None,
    seed: int = 0,
    workers: int | None = None,
    budget: Budget | None = None,
) -> dict[str, Set[str]]:
    r"""Return for each variable its parents and children, as far as tests of independence can tell.

    The algorithm MMPC of Tsamardinos, Brown & Aliferis (2006, Machine Learning 65): neighbours of a variable are added
    one by one, each time the variable whose weakest association, over all sets of neighbours so far as conditions, is
    the strongest (a small p-value is a strong association); those that some set of the others makes independent are
    dropped again. Two variables are neighbours when each is found for the other. With all tests right, and a
    distribution that is faithful to a graph, these are the neighbours in that graph but for rare false ones.

    The degrees of freedom are :math:`\sum_s (r_s - 1)(c_s - 1)` over the configurations of the conditions, where
    states that do not occur in a configuration do not count. A test with too few observations is not made and does not
    show independence; a pair for which not even the test without conditions can be made stays a pair of neighbours.

    Of the score only the data is used. The result can be the `neighbourhood` of `select`, and so can the function.

    Parameters
    ----------
    score
        A score, bound to the data.
    alpha
        Two variables are taken for independent when the p-value is above this.
    test
        ``g2``, the likelihood ratio, or ``chi2``, Pearson's.
    least_per_cell
        Observations per cell of the table of counts, on average; with fewer no test is made.
    max_conditions
        Variables in a set of conditions; no limit when None.
    permutations
        With some (a thousand, say) a statistic is compared with those of so many random tables with the same margins,
        instead of the χ² distribution, which it follows only where there are enough observations. So the level of a
        test is right however few there are, and `least_per_cell` may be 0. Which of two dependent variables is the more
        so is told by the χ² distribution with as many degrees of freedom as the drawn statistics have on average
        (Tsamardinos & Borboudakis 2010, ECML PKDD). Takes some hundred times as long.
    constraints
        Required arcs make neighbours without a test; variables between which both arcs are forbidden are none, and are
        not used as conditions for each other.
    seed
        Draws the tables of `permutations`.
    workers
        Threads; by default one per usable core, or a single one where evaluations are limited, so that the limit is
        kept. The neighbours do not depend on it.
    budget
        When to stop; each test is one evaluation. What has not been shown to be independent by then stays a neighbour,
        with a warning. The neighbours of variables without any test are nearly all others, and not listed: their sets
        share one of all these variables.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(50_000, seed=1))
    >>> sorted(mmpc(score)["Cancer"])
    ['Dyspnoea', 'Pollution', 'Smoker', 'Xray']
    """
    names = instance("score", score, LocalScore).data.names
    found = neighbours(
        score,
        Independence(alpha, test, least_per_cell, max_conditions, permutations, seed),
        constraints=constraints,
        workers=workers,
        budget=budget,
    )
    if not found.is_complete:
        warn(
            f"the budget ended before the tests of {found.finished.count(False)} of {len(names)} variables were done; "
            "what they have not shown to be independent is among the neighbours",
            ArcwiseWarning,
            stacklevel=2,
        )
    return found.named(names)


def neighbours(
    score: LocalScore,
    tests: Independence,
    *,
    constraints: Constraints | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
) -> Neighbours:
    """Return what `mmpc` returns, by index, and which variables were finished.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10)
    >>> neighbours(LocalScore(data), Independence()).of
    ((1,), (0,), ())
    """
    score = instance("score", score, LocalScore)
    tests = instance("tests", tests, Independence)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    budget = instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    if budget.evaluation_limit is not None:
        workers = 1
    score.data.refuse_continuous("mmpc")
    score.data.refuse_gaps("mmpc")
    score.data.refuse_shards("mmpc")
    score.data.refuse_interventions("tests of independence compare two variables alike")
    resolved = constraints.resolve(score.data.names)
    required, either = resolved.required.either_way, resolved.forbidden.either_way  # tiers forbid one direction only
    apart = either.where(~resolved.may_join(either.pairs))
    tasks = [_Task(v, tuple(required.of(v).tolist()), tuple(apart.of(v).tolist())) for v in range(resolved.n_variables)]
    found, finished = budget.run(lambda: _side_by_side(score, tests, tasks, workers, budget))
    untested = tuple(v for v, members in enumerate(found) if members is None)
    lists = NodeLists.from_lists([() if members is None else members for members in found])
    # Whoever has made no test takes everyone for a neighbour.
    is_untested = np.array([members is None for members in found])
    by_one = lists.where(is_untested[lists.nodes]).either_way
    return Neighbours((lists & lists.transposed) | by_one, finished, untested, apart)


def _side_by_side(
    score: LocalScore, tests: Independence, all_tasks: list[_Task], workers: int, budget: Budget
) -> tuple[list[tuple[int, ...] | None], tuple[bool, ...]]:
    """Return what each variable finds on its own, None where it made no test, and which variables were finished."""
    known = _known.setdefault(score, {})
    n = len(all_tasks)
    found: list[tuple[int, ...] | None] = [None] * n
    finished = [False] * n

    def tasks() -> Iterator[_Task]:
        for task in all_tasks:
            if not budget.exhausted or (tests, task) in known or not task.n_candidates(n):
                yield task

    def find(task: _Task) -> tuple[_Task, tuple[int, ...] | None, bool]:
        if (tests, task) in known:
            return task, known[tests, task], True
        if budget.exhausted and task.n_candidates(n):  # it was begun in time, and its turn came too late
            return task, None, False
        search = _MaxMin(score, tests, task, budget.core)
        members = search.members()
        if search.is_complete:
            known[tests, task] = members
        return task, members, search.is_complete

    for task, members, is_finished in side_by_side(find, tasks(), workers, budget):
        found[task.target], finished[task.target] = members, is_finished
    return found, tuple(finished)


class _MaxMin:
    """The search for the neighbours of one variable, before the correction for symmetry."""

    def __init__(self, score: LocalScore, tests: Independence, task: _Task, budget: _core.Budget) -> None:
        self._score = score.core
        self._n_variables = score.data.n_variables
        self._rules = tests.rules(score.data.n_variables)
        self._log_alpha = tests.log_alpha
        self._task = task
        self._budget = budget
        self.is_complete = True

    def members(self) -> tuple[int, ...]:
        """Return the members in the order in which they were found, and all that was never tested."""
        grown, rest = self._grow()
        return (*(self._shrink(grown) if self.is_complete else grown), *rest)

    def _grow(self) -> tuple[list[int], list[int]]:
        """Return the members, and the candidates that no test has spoken about or that are left when time is up."""
        candidates = self._task.candidates(self._n_variables)
        log_p = dict.fromkeys(candidates, -inf)
        self._weaken(log_p, candidates, [], [])
        untested = [candidate for candidate in candidates if log_p[candidate] == -inf]
        members: list[int] = []
        required = list(self._task.required)
        while True:
            candidates = [c for c in candidates if -inf < log_p[c] <= self._log_alpha]
            if not self.is_complete or not (required or candidates):
                return members + required, candidates + untested
            if required:
                newest = required.pop(0)
            else:
                newest = min(candidates, key=log_p.__getitem__)  # among equals, the first
                candidates.remove(newest)
            # Sets of conditions without the newest member have been tried before.
            self._weaken(log_p, candidates, [newest], members)
            members.append(newest)

    def _shrink(self, members: list[int]) -> list[int]:
        """Return the members that no set of others makes independent of the target; they are dropped one by one.

        Sets of members that came before a member did not make it independent: it would not have become one. So only
        sets with a later member are left to try.
        """
        log_p = {member: -inf for member in members if member not in self._task.required}
        for place, later in enumerate(members):
            before = members[:place]
            self._weaken(log_p, [member for member in before if member in log_p], [later], before)
        kept = list(members)
        if self.is_complete:
            for member in members:
                # The set that made it independent may have lost a member since then.
                if log_p.get(member, -inf) > self._log_alpha and (kept == members or self._is_explained(member, kept)):
                    kept.remove(member)
        return kept

    def _is_explained(self, member: int, members: list[int]) -> bool:
        """Whether some set of the other members makes a member independent of the target."""
        log_p = {member: -inf}
        self._weaken(log_p, [member], [], members)
        return log_p[member] > self._log_alpha

    def _weaken(self, log_p: dict[int, float], candidates: list[int], always: list[int], sometimes: list[int]) -> None:
        """Raise the log p of candidates to the largest over sets with all of `always` and some of `sometimes`."""
        if not candidates or not self.is_complete:
            return
        values, self.is_complete = _core.weaken_associations(
            self._score,
            self._rules,
            self._task.target,
            always,
            sometimes,
            candidates,
            [log_p[candidate] for candidate in candidates],
            self._budget,
        )
        log_p.update(zip(candidates, values, strict=True))
