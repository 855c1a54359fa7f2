r"""Arcs that a score would add by chance: how many, for so many variables and rows.

Let two independent variables have :math:`a` and :math:`b` states. Their likelihood ratio :math:`G`, twice what an arc
between them adds to the log-likelihood, has about the :math:`\chi^2` distribution with :math:`d = (a - 1)(b - 1)`
degrees of freedom (Wilks 1938, doi:10.1214/aoms/1177732360). For :math:`N` rows and :math:`n` variables `BIC` adds the
arc if :math:`G > d \ln N`, and `EBIC` if :math:`G > d \ln N + 2 \gamma \ln (n - 1)`. The probabilities of that, summed
over all pairs, are how many pairs of independent variables the score would join: between 5,000 binary variables with
1,000 rows 107,257 by `BIC`, 1,073 by ``EBIC(0.5)`` and 12 by ``EBIC(1)``. The coefficient between two continuous
variables is one degree of freedom, as between two of two states each, and a continuous one is counted as such.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import erfc, exp, lgamma, log, sqrt

__all__ = ["chi_squared_tail", "pairs_by_chance"]

# Up to so many degrees of freedom the distribution is summed, beyond it is nearly normal.
_MOST_EXACT = 100
# A continuous variable counts as one with so many states.
_CONTINUOUS = 2


def pairs_by_chance(arities: Sequence[int], n_observations: int, gamma: float = 0.0) -> float:
    """Return how many pairs of variables `EBIC` would join if all were independent; `BIC` where gamma is 0.

    Parameters
    ----------
    arities
        States of each variable; 0 for a continuous one.
    n_observations
        Rows of the data.
    gamma
        That of the score.

    Examples
    --------
    >>> round(pairs_by_chance([2] * 37, 500), 1)
    8.4
    >>> round(pairs_by_chance([2] * 5000, 1000)), round(pairs_by_chance([2] * 5000, 1000, gamma=1.0))
    (107257, 12)
    """
    among_others = 2.0 * gamma * log(max(1, len(arities) - 1))
    for_rows = log(max(1, n_observations))
    total = 0.0
    for (a, times_a), (b, times_b) in combinations_with_replacement(
        sorted(Counter(arity or _CONTINUOUS for arity in arities).items()), 2
    ):
        degrees = (a - 1) * (b - 1)
        if degrees > 0:
            pairs = times_a * (times_a - 1) // 2 if a == b else times_a * times_b
            total += pairs * chi_squared_tail(degrees, degrees * for_rows + among_others)
    return total


def chi_squared_tail(degrees: int, x: float) -> float:
    """Return the probability that chi-squared with so many degrees of freedom exceeds x."""
    if x <= 0:
        return 1.0
    if degrees > _MOST_EXACT:  # Wilson & Hilferty 1931, doi:10.1073/pnas.17.12.684
        spread = 2.0 / (9.0 * degrees)
        return 0.5 * erfc(((x / degrees) ** (1.0 / 3.0) - 1.0 + spread) / sqrt(2.0 * spread))
    half = 0.5 * x
    total = erfc(sqrt(half)) if degrees % 2 else 0.0
    for twice in range(degrees % 2, degrees, 2):  # Q(a + 1, z) = Q(a, z) + z^a e^-z / Γ(a + 1)
        total += exp(0.5 * twice * log(half) - half - lgamma(0.5 * twice + 1.0))
    return total
