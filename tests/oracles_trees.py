"""Slow, obvious twins: mutual information by its definition, Kruskal's tree, branchings and mixtures by enumeration."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from math import exp, fsum, inf, log

Rows = Sequence[Sequence[int]]
Edge = tuple[int, int]


def mutual_information(codes: Rows, weights: Sequence[int], a: int, b: int) -> float:
    """Σ p(x, y) ln p(x, y) / (p(x) p(y)) over the states that occur."""
    n = sum(weights)
    pairs, of_a, of_b = Counter[Edge](), Counter[int](), Counter[int]()
    for row, weight in zip(codes, weights, strict=True):
        if weight:
            pairs[int(row[a]), int(row[b])] += weight
            of_a[int(row[a])] += weight
            of_b[int(row[b])] += weight
    return fsum(c / n * log(c * n / (of_a[x] * of_b[y])) for (x, y), c in pairs.items())


def best_forest(n: int, gain: Callable[[int, int], float], least: float = 1e-9) -> tuple[float, set[Edge]]:
    """Kruskal's forest of pairs that gain more than `least`: what it gains, and its edges."""
    tree = list(range(n))
    total, edges = 0.0, set()
    for value, a, b in sorted(((gain(a, b), a, b) for a, b in combinations(range(n), 2)), reverse=True):
        if value > least and tree[a] != tree[b]:
            total += value
            edges.add((a, b))
            tree = [tree[a] if mark == tree[b] else mark for mark in tree]
    return total, edges


def is_acyclic(parents: Sequence[int]) -> bool:
    """Whether every way up ends at a node without a parent."""
    for node in range(len(parents)):
        at, steps = node, 0
        while at >= 0:
            at, steps = parents[at], steps + 1
            if steps > len(parents):
                return False
    return True


def best_branching(gains: Sequence[Sequence[float]]) -> float:
    """The most that any choice of parents gains; the last column is that of no parent."""
    n = len(gains)
    best = -inf
    for choice in product(range(n + 1), repeat=n):
        if any(parent == node for node, parent in enumerate(choice)):
            continue
        value = sum(gains[node][parent] for node, parent in enumerate(choice))
        if value > best and is_acyclic([-1 if parent == n else parent for parent in choice]):
            best = value
    return best


def tree_probability(
    row: Sequence[int], parents: Sequence[int], table: Callable[[int, int], Sequence[Sequence[float]]]
) -> float:
    """The product of P(x_v | x_parent); table(v, parent) has a row for each state of the parent, one without."""
    probability = 1.0
    for v, parent in enumerate(parents):
        probability *= table(v, parent)[0 if parent < 0 else row[parent]][row[v]]
    return probability


def fitted(
    codes: Rows, arities: Sequence[int], weights: Sequence[int], ess: float
) -> Callable[[int, int], list[list[float]]]:
    """Tables of conditional probabilities with ess / (number of cells) added to every count."""

    def table(v: int, parent: int) -> list[list[float]]:
        n_rows = 1 if parent < 0 else arities[parent]
        counts = [[ess / (n_rows * arities[v])] * arities[v] for _ in range(n_rows)]
        for row, weight in zip(codes, weights, strict=True):
            counts[0 if parent < 0 else int(row[parent])][int(row[v])] += weight
        return [[cell / sum(cells) if sum(cells) > 0 else 1 / len(cells) for cell in cells] for cells in counts]

    return table


def joint(
    arities: Sequence[int],
    trees: Sequence[Sequence[int]],
    weights: Sequence[float],
    table: Callable[[int, int], Sequence[Sequence[float]]],
) -> dict[tuple[int, ...], float]:
    """The probability of every row under the mixture."""
    return {
        row: fsum(w * tree_probability(row, tree, table) for w, tree in zip(weights, trees, strict=True))
        for row in product(*map(range, arities))
    }


def margin(probabilities: dict[tuple[int, ...], float], variables: Sequence[int]) -> dict[tuple[int, ...], float]:
    """The probabilities of some variables' states."""
    sums: dict[tuple[int, ...], float] = {}
    for row, probability in probabilities.items():
        key = tuple(row[v] for v in variables)
        sums[key] = sums.get(key, 0.0) + probability
    return sums


def softmax(values: Iterable[float]) -> list[float]:
    """Shares proportional to the exponentials."""
    values = list(values)
    top = max(values)
    shares = [exp(value - top) for value in values]
    return [share / sum(shares) for share in shares]
