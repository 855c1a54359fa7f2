"""A slow twin of climbs over orders whose parents are regrown: what every move would lead to."""

from collections.abc import Iterator, Sequence

from arcwise import LocalScore
from arcwise.constraints.resolved import ResolvedConstraints

Parents = frozenset[int]


def grown(
    score: LocalScore, rules: ResolvedConstraints, child: int, preceding: Sequence[int], parents: Parents
) -> Parents:
    """Add the best of the preceding while that helps, drop the worst while that does, until neither does."""
    least = 4 * score.rounding
    best = score.local(child, parents)

    def better(others: list[Parents]) -> Parents | None:
        scored = [(score.local(child, each), -place, each) for place, each in enumerate(others)]
        top = max(scored, default=None)
        return top[2] if top is not None and top[0] > best + least else None

    while True:
        has_changed = False
        may_grow = len(parents) < rules.max_parents[child]
        adding = [parents | {v} for v in sorted(preceding) if v not in parents and rules.is_allowed(child, v)]
        while (more := better(adding if may_grow else [])) is not None:
            parents, best = more, score.local(child, more)
            may_grow = len(parents) < rules.max_parents[child]
            adding = [parents | {v} for v in sorted(preceding) if v not in parents and rules.is_allowed(child, v)]
        while (
            fewer := better([parents - {v} for v in sorted(parents) if not rules.is_required(child, v)])
        ) is not None:
            parents, best, has_changed = fewer, score.local(child, fewer), True
        if not has_changed:
            return parents


def moves(
    score: LocalScore, rules: ResolvedConstraints, order: Sequence[int], families: Sequence[Parents]
) -> Iterator[tuple[int, int, float]]:
    """Return for each variable and each place that it could move to the score of the graph that it would have there."""
    for v in order:
        for step in (-1, 1):
            now, along = list(order), list(families)
            while True:
                at = now.index(v)
                if not 0 <= at + step < len(now):
                    break
                passed = now[at + step]
                first, second = (v, passed) if step < 0 else (passed, v)  # as they stand afterwards
                if rules.is_required(first, second):
                    break
                now[at], now[at + step] = passed, v
                before = now[: now.index(first)]
                if second in along[first]:
                    along[first] = grown(score, rules, first, before, along[first] - {second})
                least = 4 * score.rounding
                may_grow = len(along[second]) < rules.max_parents[second] and rules.is_allowed(second, first)
                with_it = along[second] | {first}
                if may_grow and score.local(second, with_it) > score.local(second, along[second]) + least:
                    along[second] = grown(score, rules, second, [*before, first], with_it)
                yield v, now.index(v), sum(score.local(child, parents) for child, parents in enumerate(along))
