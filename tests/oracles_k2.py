"""A slow, obvious twin of the K2 search, as Cooper and Herskovits (1992) print it, with any score."""

from collections.abc import Callable, Sequence

Family = Callable[[int, tuple[int, ...]], float]


def k2_parents(
    family: Family,
    order: Sequence[int],
    max_parents: int,
    allowed: Callable[[int, int], bool] = lambda parent, child: True,
    start: Sequence[Sequence[int]] | None = None,
    max_degree: int | None = None,
) -> list[tuple[int, ...]]:
    """The parents of each variable, ascending: one at a time the best, the first of equals, while the score rises."""
    result: list[tuple[int, ...]] = [tuple(row) for row in start or [()] * len(order)]

    def has_room(v: int) -> bool:
        return max_degree is None or len(result[v]) + sum(v in row for row in result) < max_degree

    for place, child in enumerate(order):
        parents = tuple(start[child]) if start is not None else ()
        old = family(child, parents)
        while len(parents) < max_parents:
            rest = [v for v in order[:place] if v not in parents and allowed(v, child) and has_room(v)]
            if not rest or not has_room(child):
                break
            scores = [family(child, (*parents, v)) for v in rest]
            best = next(i for i, score in enumerate(scores) if score >= max(scores) - 1e-9)
            if scores[best] <= old + 1e-9:
                break
            old = scores[best]
            result[child] = parents = (*parents, rest[best])
        result[child] = tuple(sorted(parents))
    return result
