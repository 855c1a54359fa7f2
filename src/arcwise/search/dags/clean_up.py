"""Clean-up after a search over graphs: triangles that should be v-structures."""

from collections.abc import Callable, Sequence
from itertools import combinations

from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import flag, instance

__all__ = ["uncover_v_structures"]


def uncover_v_structures(
    score: LocalScore,
    dag: Dag,
    *,
    constraints: Constraints | None = None,
    even_if_worse: bool = False,
    is_over: Callable[[], bool] = lambda: False,
) -> Dag:
    """Return the graph with covered v-structures replaced by uncovered ones, where these explain the three better.

    A search that directs a v-structure X → Z ← Y the wrong way at first adds an arc between X and Y to make up for it,
    and hardly ever finds back. So for every three nodes that are all adjacent, the three possible v-structures and the
    triangle are compared on these three variables alone, as in section 4.1 of Vandel, Mangin & de Givry (2012, PGM). A
    v-structure that is best replaces the triangle, unless the whole graph would score less, have a cycle or break the
    constraints. The paper does not look at the score of the whole graph; nor does this with `even_if_worse`.

    Parameters
    ----------
    score
        The score, bound to its data.
    dag
        What a search has found.
    constraints
        What the graph must and must not have.
    even_if_worse
        Whether a triangle is also replaced where the whole graph scores less then.
    is_over
        Asked before every triangle; what has been replaced until it says True is returned.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> rows = [[x, y, x ^ y] for x in (0, 1) for y in (0, 1)] * 50
    >>> data = Dataset.from_codes(rows, names=["x", "y", "z"])
    >>> wrong = Dag(["x", "y", "z"], [("z", "x"), ("z", "y"), ("x", "y")])
    >>> cleaned = uncover_v_structures(LocalScore(data), wrong)
    >>> cleaned.n_arcs
    2
    """
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    graph = instance("dag", dag, Dag).with_names_ordered(instance("score", score, LocalScore).data.names)
    rules, even_if_worse = constraints.resolve(graph.names), flag("even_if_worse", even_if_worse)
    parents = [set(row) for row in graph.parent_indices]
    for triangle in _triangles(parents):
        if is_over():
            break
        collider = _best_collider(score, triangle)
        if collider is None or not all(_adjacent(parents, *pair) for pair in combinations(triangle, 2)):
            continue
        ends = set(triangle) - {collider}
        before = {node: parents[node] for node in triangle}
        after = {node: parents[node] - set(triangle) | (ends if node == collider else set()) for node in triangle}
        if not all(_keeps(rules, node, row) for node, row in after.items()):
            continue
        if not even_if_worse and _gain(score, before, after) < 0:
            continue
        for node, row in after.items():
            parents[node] = row
        if _descends(parents, ends, collider) or (rules.has_ancestors and _breaks(constraints, graph.names, parents)):
            for node, row in before.items():
                parents[node] = row
    return Dag.from_parents(graph.names, parents)


def _keeps(rules: ResolvedConstraints, node: int, parents: set[int]) -> bool:
    allowed = all(rules.is_allowed(node, parent) for parent in parents)
    return allowed and parents.issuperset(rules.required_parents(node)) and len(parents) <= rules.max_parents[node]


def _breaks(constraints: Constraints, names: Sequence[str], parents: list[set[int]]) -> bool:
    """Whether a graph without cycles breaks the rules about ancestors, or any other."""
    return bool(constraints.violations(Dag.from_parents(names, parents)))


def _descends(parents: list[set[int]], nodes: set[int], ancestor: int) -> bool:
    """Whether one of the nodes descends from the ancestor."""
    seen, ahead = set(nodes), list(nodes)
    while ahead:
        for parent in parents[ahead.pop()] - seen:
            if parent == ancestor:
                return True
            seen.add(parent)
            ahead.append(parent)
    return False


def _adjacent(parents: list[set[int]], a: int, b: int) -> bool:
    return a in parents[b] or b in parents[a]


def _triangles(parents: list[set[int]]) -> list[tuple[int, int, int]]:
    """Return all three nodes that are adjacent to one another: one of them is a child of the two others."""
    found = set()
    for child, row in enumerate(parents):
        for one, other in combinations(sorted(row), 2):
            if _adjacent(parents, one, other):
                a, b, c = sorted((child, one, other))
                found.add((a, b, c))
    return sorted(found)


def _best_collider(score: LocalScore, triangle: tuple[int, int, int]) -> int | None:
    """Return the middle of the best v-structure over the three variables; None where the triangle is better."""
    a, b, c = sorted(triangle, key=lambda node: score.data.arities[node] == 0)  # states may have no continuous parents
    full = score.local(a) + score.local(b, [a]) + score.local(c, [a, b])
    best, collider = full + score.rounding, None
    for middle in triangle:
        ends = [node for node in triangle if node != middle]
        value = score.local(middle, ends) + sum(score.local(end) for end in ends)
        if value > best:
            best, collider = value, middle
    return collider


def _gain(score: LocalScore, before: dict[int, set[int]], after: dict[int, set[int]]) -> float:
    """Return what the whole graph gains; 0 where that is rounding."""
    gain = sum(score.local(node, sorted(after[node])) - score.local(node, sorted(before[node])) for node in before)
    return 0.0 if abs(gain) <= score.rounding else gain
