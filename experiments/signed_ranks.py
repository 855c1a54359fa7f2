"""Two methods compared on the same samples: Wilcoxon's signed-rank test, one-sided, with Bonferroni's correction.

Wilcoxon 1945, "Individual comparisons by ranking methods", Biometrics Bulletin 1. Values are paired: one of each method
for each sample; larger is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import wilcoxon

__all__ = ["BETTER", "LEVEL_WITH", "WORSE", "Comparison", "compare_pairs", "least_samples"]

BETTER, WORSE, LEVEL_WITH = "+", "-", "~"

# Scores that are equal but for rounding: the sums of a few hundred local scores in another order.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Comparison:
    """P-values of no difference against the first method being better, and against its being worse."""

    p_better: float
    p_worse: float

    def sign(self, level: float) -> str:
        """Return whether the first method is significantly better or worse, or none of both.

        Examples
        --------
        >>> Comparison(0.001, 0.999).sign(0.05)
        '+'
        """
        if self.p_better <= level:
            return BETTER
        return WORSE if self.p_worse <= level else LEVEL_WITH

    def cell(self, level: float, uncorrected: float) -> str:
        """Return the sign; in brackets where only the level without a correction is reached.

        Examples
        --------
        >>> Comparison(0.001, 0.999).cell(0.0001, 0.05)
        '(+)'
        """
        sign = self.sign(level)
        if sign == LEVEL_WITH and self.sign(uncorrected) != LEVEL_WITH:
            return f"({self.sign(uncorrected)})"
        return sign


def compare_pairs(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Test whether the first of two methods is better, and whether it is worse.

    Samples on which both are equal but for rounding do not count, as in Wilcoxon's paper.

    Examples
    --------
    >>> compare_pairs([1.0, 2.0, 3.0, 4.0, 9.0], [0.0, 0.5, 1.0, 1.0, 9.0])
    Comparison(p_better=0.0625, p_worse=1.0)
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    differences = one - other
    differences = differences[np.abs(differences) > _ROUNDING * np.maximum(np.abs(one), np.abs(other))]
    if differences.size == 0:
        return Comparison(1.0, 1.0)
    p_better, p_worse = (float(wilcoxon(differences, alternative=side).pvalue) for side in ("greater", "less"))
    return Comparison(p_better, p_worse)


def least_samples(level: float) -> int:
    """Return with how many samples a difference can reach a level: one method is then better on all of them.

    Examples
    --------
    >>> least_samples(0.05 / 80)
    11
    """
    return int(np.ceil(-np.log2(level)))
