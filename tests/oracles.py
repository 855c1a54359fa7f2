"""Slow, obvious twins of the scores: dictionaries of counts, and the formulas as they are printed in the papers."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb, exp, factorial, fsum, lgamma, log, log1p, prod

from arcwise.scores.definitions import SCORES

Rows = Sequence[Sequence[int]]
# For each configuration of the parents that occurs, how often the child is in each state that occurs with it.
Counts = Mapping[tuple[int, ...], Mapping[int, int]]

# Up to this many, all parent configurations are walked through, the unseen ones too; beyond, only those that occur.
MAX_WALK = 5000


def family_counts(codes: Rows, weights: Sequence[int] | None, child: int, parents: Sequence[int]) -> Counts:
    """The table of a family; rows of weight 0 were not seen."""
    counts: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for row, weight in zip(codes, [1] * len(codes) if weights is None else weights, strict=True):
        if weight > 0:
            counts[tuple(row[parent] for parent in parents)][row[child]] += weight
    return counts


@dataclass(frozen=True)
class Shape:
    """What a score may look at besides the counts: states, and how many observations and variables there are."""

    r: int
    parent_arities: Sequence[int]
    n_observations: int
    n_variables: int

    @property
    def q(self) -> int:
        """Configurations of the parents."""
        return prod(self.parent_arities)


def local_score(
    name: str,
    codes: Rows,
    arities: Sequence[int],
    child: int,
    parents: Sequence[int] = (),
    weights: Sequence[int] | None = None,
    parameter: float | None = None,
) -> float:
    """The local score of a family, natural logarithm, larger is better; with its usual parameter, or another."""
    counts = family_counts(codes, weights, child, parents)
    n = sum(sum(row.values()) for row in counts.values())
    shape = Shape(arities[child], [arities[parent] for parent in parents], n, len(arities))
    return score_of_counts(name, counts, shape, SCORES[name]().parameter if parameter is None else parameter)


def score_of_counts(name: str, counts: Counts, shape: Shape, parameter: float) -> float:
    """The local score from a family's table."""
    r, q, rows = shape.r, shape.q, all_configurations(counts, shape.parent_arities)
    match name:
        case "bdeu":
            return fsum(dirichlet(counts.get(j, {}), parameter / (q * r), parameter / q) for j in rows)
        case "bds":
            seen = len(counts)
            return fsum(dirichlet(row, parameter / (seen * r), parameter / seen) for row in counts.values())
        case "k2":
            return fsum(dirichlet(counts.get(j, {}), 1, r) for j in rows)
        case "fnml":
            return log_likelihood(counts) - fsum(log_normaliser(sum(counts.get(j, {}).values()), r) for j in rows)
        case _:
            return log_likelihood(counts) - penalty(name, shape, parameter)


def penalty(name: str, shape: Shape, parameter: float) -> float:
    """What the score takes off the likelihood, where that depends on the shape alone."""
    n, r, q = shape.n_observations, shape.r, shape.q
    match name:
        case "aic":
            return q * (r - 1)
        case "hqc":  # ln ln N is negative below e: no penalty there
            return (log(log(n)) if n > 2 else 0) * q * (r - 1)
        case "bic":
            return log(n) / 2 * q * (r - 1)
        case "ebic":
            choices = comb(shape.n_variables - 1, len(shape.parent_arities))
            return log(n) / 2 * q * (r - 1) + parameter * log(choices)
        case "qnml":
            return log_normaliser(n, q * r) - log_normaliser(n, q)
        case "loglik" | "bdeu" | "bds" | "k2" | "fnml":
            return 0.0
    raise ValueError(name)


def superset_bound(
    name: str, counts: Counts, shape: Shape, parameter: float, most_likelihood: float, most_parents: int
) -> float:
    """What no family with these parents and more can exceed, if none has a larger likelihood or more parents."""
    match name:
        case "bdeu" | "bds" | "k2":
            return min(most_likelihood, -sum(len(row) for row in counts.values()) * log(shape.r))
        case "fnml":
            return most_likelihood - len(counts) * log(shape.r)
        case "aic" | "hqc" | "bic":
            return most_likelihood - penalty(name, shape, parameter)
        case "ebic":
            sizes = range(len(shape.parent_arities), most_parents + 1)
            fewest = min(comb(shape.n_variables - 1, size) for size in sizes)
            return most_likelihood - penalty("bic", shape, parameter) - parameter * log(fewest)
    return most_likelihood


def all_configurations(counts: Counts, parent_arities: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All configurations of the parents while they can be walked through, otherwise those that occur."""
    if prod(parent_arities) <= MAX_WALK:
        return product(*map(range, parent_arities))
    return iter(counts)


def log_likelihood(counts: Counts) -> float:
    """Σ n_jk ln(n_jk / n_j), with 0 ln 0 = 0."""
    sums = [(row, sum(row.values())) for row in counts.values()]
    return fsum(n_jk * log(n_jk / n_j) for row, n_j in sums for n_jk in row.values())


def dirichlet(row: Mapping[int, int], alpha_jk: float, alpha_j: float) -> float:
    """ln Γ(α_j) / Γ(α_j + n_j) + Σ_k ln Γ(α_jk + n_jk) / Γ(α_jk), of which states that do not occur add ln 1."""
    n_j = sum(row.values())
    cells = fsum(lgamma(alpha_jk + n_jk) - lgamma(alpha_jk) for n_jk in row.values())
    return lgamma(alpha_j) - lgamma(alpha_j + n_j) + cells


def compositions(n: int, r: int) -> Iterator[tuple[int, ...]]:
    """All ways to write n as an ordered sum of r numbers from 0."""
    if r == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, r - 1):
            yield (first, *rest)


def normaliser_by_definition(n: int, r: int) -> float:
    """C(n, r) = Σ n! / (h_1! … h_r!) Π (h_k / n)^{h_k} over all h_1 + … + h_r = n."""
    if n == 0:
        return 1.0
    return fsum(
        factorial(n) / prod(map(factorial, h)) * prod((h_k / n) ** h_k for h_k in h) for h in compositions(n, r)
    )


@cache
def log_normaliser(n: int, r: int) -> float:
    """ln C(n, r) by the recurrence over r while that is short, by the sum over n otherwise."""
    if n == 0 or r == 1:
        return 0.0
    return log_normaliser_by_recurrence(n, r) if r <= 1000 and n <= 1000 else log_normaliser_by_series(n, r)


def log_normaliser_by_recurrence(n: int, r: int) -> float:
    """C(n, 2) as a sum over binomials, then C(n, k + 2) = C(n, k + 1) + n / k C(n, k).

    Kontkanen & Myllymäki 2007, doi:10.1016/j.ipl.2007.04.003.
    """
    powers = [h**h for h in range(n + 1)]
    before, here = 0.0, log(fsum(comb(n, h) * (powers[h] * powers[n - h]) / powers[n] for h in range(n + 1)))
    if r == 1:
        return before
    for k in range(1, r - 1):
        before, here = here, here + log1p(n / k * exp(before - here))
    return here


def log_normaliser_by_series(n: int, r: int) -> float:
    """C(n, r) = Σ_{j<n} r (n − 1)! / (n − 1 − j)! binom(r + j, j) / n^{j + 1}: n terms however large r is.

    C(n, r) n^n / n! is the coefficient of z^n in (1 − T(z))^{−r}, where T = z e^T; Lagrange inversion gives the sum.
    """
    term = log(r) - log(n)
    terms = [term]
    for j in range(1, n):
        term += log((r + j) / j * ((n - j) / n))
        terms.append(term)
    largest = max(terms)
    return largest + log(fsum(exp(term - largest) for term in terms))
