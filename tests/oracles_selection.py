"""Slow, obvious twins of the selection of parent sets: all sets by definition, and a search without any trick."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import inf

import oracles
from arcwise.data.dataset import Dataset
from arcwise.scores import SCORES

Parents = frozenset[int]
Arc = tuple[str, str]


def subsets(members: Iterable[int], most: int | None = None) -> list[Parents]:
    """All subsets of at most so many members, the small ones first."""
    listed = sorted(members)
    sizes = range(min(len(listed), len(listed) if most is None else most) + 1)
    return [frozenset(chosen) for size in sizes for chosen in combinations(listed, size)]


def best_proper_subset(scores: Mapping[Parents, float], parents: Parents) -> float:
    """The best score among the proper subsets that have one; minus infinity when none has."""
    return max((scores[subset] for subset in subsets(parents) if subset != parents and subset in scores), default=-inf)


def worth_keeping(scores: Mapping[Parents, float], margin: float = 0.0) -> set[Parents]:
    """The sets that beat each of their proper subsets."""
    return {parents for parents in scores if scores[parents] > best_proper_subset(scores, parents) + margin}


def undominated(sets: Sequence[Parents]) -> list[bool]:
    """Whether each set has none of its subsets before it."""
    return [not any(before <= here for before in sets[:at]) for at, here in enumerate(sets)]


@dataclass(frozen=True)
class Rules:
    """Constraints as they were listed: arcs (parent, child), tiers and limits, all by name."""

    required: Sequence[Arc] = ()
    forbidden: Sequence[Arc] = ()
    tiers: Sequence[Sequence[str]] = ()
    max_parents: Mapping[str, int] = field(default_factory=dict)

    def allow(self, child: str, parents: Iterable[str]) -> bool:
        """Whether a child may have these parents in a graph with all required arcs."""
        chosen = set(parents)
        tier = {name: place for place, names in enumerate(self.tiers) for name in names}
        return (
            {parent for parent, head in self.required if head == child} <= chosen
            and not any((parent, child) in self.forbidden for parent in chosen)
            and not any((child, parent) in self.required for parent in chosen)
            and not any(tier[parent] > tier[child] for parent in chosen if parent in tier and child in tier)
            and len(chosen) <= self.max_parents.get(child, len(chosen))
        )


@dataclass(eq=False)
class Families:
    """All that can be known about one child of a table, by definition."""

    name: str
    data: Dataset
    child: int
    parameter: float | None = None
    counted: dict[Parents, oracles.Counts] = field(default_factory=dict)
    """What was counted before: the same for all scores of a child of the same table."""

    @property
    def _parameter(self) -> float:
        return SCORES[self.name]().parameter if self.parameter is None else self.parameter

    @cached_property
    def _rows(self) -> tuple[oracles.Rows, Sequence[int] | None]:
        return self.data.codes.tolist(), None if self.data.weights is None else self.data.weights.tolist()

    @cached_property
    def _known(self) -> dict[Parents, tuple[oracles.Counts, float]]:
        return {}

    @cached_property
    def _likelihoods(self) -> dict[Parents, float]:
        return {}

    @cached_property
    def _penalties(self) -> dict[Parents, float]:
        return {}

    def _counts_and_score(self, parents: Parents) -> tuple[oracles.Counts, float]:
        if parents not in self._known:
            if parents not in self.counted:
                self.counted[parents] = oracles.family_counts(*self._rows, self.child, sorted(parents))
            counts = self.counted[parents]
            score = oracles.score_of_counts(self.name, counts, self.shape(parents), self._parameter)
            self._known[parents] = counts, score
        return self._known[parents]

    def counts(self, parents: Iterable[int]) -> oracles.Counts:
        """The table of a family."""
        return self._counts_and_score(frozenset(parents))[0]

    def score(self, parents: Iterable[int]) -> float:
        """The local score of a family."""
        return self._counts_and_score(frozenset(parents))[1]

    def scores(self, sets: Iterable[Parents]) -> dict[Parents, float]:
        """The local scores of many families."""
        return {parents: self.score(parents) for parents in sets}

    @property
    def others(self) -> list[int]:
        """All variables but the child."""
        return [v for v in range(self.data.n_variables) if v != self.child]

    def shape(self, parents: Iterable[int]) -> oracles.Shape:
        """All that is known of a family without counting."""
        arities = self.data.arities
        of_parents = [arities[parent] for parent in sorted(parents)]
        return oracles.Shape(arities[self.child], of_parents, self.data.n_observations, len(arities))

    def bound(self, parents: Parents, candidates: Iterable[int]) -> float:
        """What no family with these parents and more of the candidates can exceed."""
        whole = parents | set(candidates)
        if whole not in self._likelihoods:
            self._likelihoods[whole] = oracles.log_likelihood(self.counts(whole))
        most = self._likelihoods[whole], len(whole)
        return oracles.superset_bound(self.name, self.counts(parents), self.shape(parents), self._parameter, *most)

    def penalty(self, parents: Parents) -> float:
        """What the score takes off the likelihood, where it depends on the shape of the family alone."""
        if parents not in self._penalties:
            self._penalties[parents] = oracles.penalty(self.name, self.shape(parents), self._parameter)
        return self._penalties[parents]


#: Sets that independence selection scores at a time.
FEW = 8


@dataclass
class BestFirst:
    """A search that grows one set at a time by every candidate, until enough sets are scored.

    Independence selection grows it by a few candidates, those that promise most, and leaves the others for later.
    """

    method: str
    families: Families
    candidates: Sequence[int]
    required: Parents = frozenset()
    scores: dict[Parents, float] = field(default_factory=dict)
    best: dict[Parents, float] = field(default_factory=dict)
    tried: dict[Parents, set[int]] = field(default_factory=dict)
    _last: int = -1

    def scored(self, enough: int) -> dict[Parents, float]:
        """The sets that are scored, in this order; a batch that has begun is finished."""
        self._score(self.required, -inf)
        waiting = [self.required]
        while waiting and len(self.scores) < enough:
            grown = self._next(waiting)
            waiting.remove(grown)
            for extra in self._extras(grown):
                more = grown | {extra}
                self._score(more, self.best[grown])
                waiting += [more] if self._is_open(more) else []
            waiting += [grown] if self._untried(grown) else []
        return self.scores

    def _extras(self, grown: Parents) -> list[int]:
        """The candidates that the set is grown by now."""
        in_parts = self.method == "independence" and grown != self.required
        tried = self.tried.setdefault(grown, set())
        extras: list[int] = []
        for extra in sorted(self._untried(grown), key=lambda z: -self.promise(grown, z) if in_parts else 0.0):
            if in_parts and len(extras) == FEW:
                break
            tried.add(extra)
            more = grown | {extra}
            if more not in self.scores and (self.method != "sequential" or self._all_subsets_open(more)):
                extras.append(extra)
        return extras

    def _untried(self, grown: Parents) -> list[int]:
        return [z for z in self.candidates if z not in grown and z not in self.tried.get(grown, ())]

    def _score(self, parents: Parents, below: float) -> None:
        self.scores[parents] = self.families.score(parents)
        self.best[parents] = max(below, self.scores[parents])

    def _is_open(self, parents: Parents) -> bool:
        """Whether a larger set might beat what is known below it."""
        return self.families.bound(parents, self.candidates) > self.best[parents]

    def _all_subsets_open(self, parents: Parents) -> bool:
        fewer = [parents - {member} for member in parents - self.required]
        return all(subset == self.required or (subset in self.best and self._is_open(subset)) for subset in fewer)

    def _next(self, waiting: list[Parents]) -> Parents:
        """The set to grow; among equals the one that was scored first."""
        match self.method:
            case "sequential":
                return min(waiting, key=len)
            case "greedy":
                return max(waiting, key=self.scores.__getitem__)
            case "independence":
                return max(waiting, key=self.estimate)
            case "balanced":
                return max(self._in_turn(waiting), key=self.scores.__getitem__)
        raise ValueError(self.method)

    def _in_turn(self, waiting: list[Parents]) -> list[Parents]:
        """The sets of the next larger size than that grown last, or of the smallest again; beaten ones come last."""
        unbeaten = [parents for parents in waiting if self.scores[parents] == self.best[parents]]
        if not unbeaten:
            return waiting
        sizes = sorted({len(parents) for parents in unbeaten})
        turn = next((size for size in sizes if size > self._last), sizes[0])
        self._last = turn
        return [parents for parents in unbeaten if len(parents) == turn]

    def estimate(self, parents: Parents) -> float:
        """The best that one more parent promises, of those that have not been tried."""
        return max((self.promise(parents, z) for z in self._untried(parents)), default=-inf)

    def promise(self, parents: Parents, z: int) -> float:
        """The score with one more parent, if its gain did not depend on the parents that are there.

        The gain in likelihood is that of Z beside the required parents only; the penalty is that of the whole set. For
        BIC without required parents this is BIC*, eq. 3 of Perez & Mauá 2016.
        """
        alone = self.required | {z}
        if alone not in self.scores or self.required not in self.scores:
            return -inf
        gain = self._likelihood(alone) - self._likelihood(self.required)
        return self._likelihood(parents) + gain - self.families.penalty(parents | {z})

    def _likelihood(self, parents: Parents) -> float:
        return self.scores[parents] + self.families.penalty(parents)
