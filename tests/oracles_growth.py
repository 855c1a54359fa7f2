"""Slow, obvious twins of how lists of parent sets grow at an order; families are scored one at a time."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.scores import LocalScore

Set = frozenset[int]


@dataclass(frozen=True)
class Growth:
    """What can be found for one variable at its place in an order."""

    local: Callable[[Set], float]
    before: Collection[int]  # predecessors that may be parents
    after: Collection[int]  # later variables that may be parents
    required: Set
    most: int
    tolerance: float

    @classmethod
    def at(cls, score: LocalScore, rules: ResolvedConstraints, order: Sequence[int], child: int) -> "Growth":
        place = order.index(child)
        return cls(
            local=lambda parents: score.local(child, sorted(parents)),
            before=[v for v in sorted(order[:place]) if rules.is_allowed(child, v)],
            after=[v for v in sorted(order[place + 1 :]) if rules.is_allowed(child, v)],
            required=frozenset(v for v in order if rules.is_required(child, v)),
            most=int(rules.max_parents[child]),
            tolerance=score.rounding,
        )

    def additions(self, parents: Set, among: Collection[int]) -> list[Set]:
        return [parents | {v} for v in among if v not in parents] if len(parents) < self.most else []

    def drops(self, parents: Set) -> list[Set]:
        return [parents - {v} for v in sorted(parents - self.required)]

    def swaps(self, parents: Set, among: Collection[int]) -> list[Set]:
        return [parents - {out} | {v} for out in sorted(parents - self.required) for v in among if v not in parents]

    def better(self, parents: Set, choices: Sequence[Set]) -> list[Set]:
        """Those that beat the parents, best first."""
        beating = [choice for choice in choices if self.local(choice) > self.local(parents) + self.tolerance]
        return sorted(beating, key=self.local, reverse=True)

    def climb(self, parents: Set) -> list[Set]:
        """The sets on the way up: the best addition while one improves, otherwise the best drop or swap."""
        way = [parents]
        while True:
            up = self.better(way[-1], self.additions(way[-1], self.before))
            up = up or self.better(way[-1], self.drops(way[-1]) + self.swaps(way[-1], self.before))
            if not up:
                return way
            way.append(up[0])

    def fallbacks(self, parents: Set) -> list[Set]:
        """For each parent that may go, the sets on the way up without it, by additions only."""
        found: list[Set] = []
        for out in sorted(parents - self.required):
            found.append(parents - {out})
            while up := self.better(found[-1], self.additions(found[-1], [v for v in self.before if v != out])):
                found.append(up[0])
        return found

    def gains(self, parents: Set) -> list[Set]:
        """Sets with one later variable that beat the present one, with all other parents or without one of them."""
        return self.better(parents, self.additions(parents, self.after) + self.swaps(parents, self.after))
