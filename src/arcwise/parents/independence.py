"""Tests of conditional independence: which are made, and what they show."""

from dataclasses import dataclass
from math import ceil, log

from arcwise import _core
from arcwise.support.arguments import count, kernel_seed, number
from arcwise.support.errors import ParameterError
from arcwise.support.names import one_of

__all__ = ["TESTS", "Independence"]

TESTS = ("g2", "chi2")
"""G², the likelihood ratio, and Pearson's χ²."""


@dataclass(frozen=True)
class Independence:
    """Which tests of conditional independence are made, and what they show.

    Parameters
    ----------
    alpha
        Two variables are taken for independent when the p-value is above this.
    test
        ``g2`` or ``chi2``.
    least_per_cell
        Observations per cell of the table of counts, on average; with fewer no test is made.
    max_conditions
        Variables in a set of conditions; no limit when None.
    permutations
        Random tables with the same margins that a statistic is compared with; with 0 it is compared with χ².
    seed
        Draws these tables.

    Examples
    --------
    >>> Independence(alpha=0.01).least_per_cell
    5.0
    """

    alpha: float = 0.05
    test: str = "g2"
    least_per_cell: float = 5.0
    max_conditions: int | None = None
    permutations: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < number("alpha", self.alpha) < 1:
            raise ParameterError.of("alpha", "between 0 and 1", self.alpha)
        one_of("test", self.test, TESTS)
        number("least_per_cell", self.least_per_cell)
        if self.max_conditions is not None:
            count("max_conditions", self.max_conditions)
        if 0 < count("permutations", self.permutations) < least_permutations(self.alpha):
            raise ParameterError.of(
                "permutations",
                f"0 or at least {least_permutations(self.alpha)}",
                self.permutations,
                f"fewer cannot give a p-value of {self.alpha}",
            )
        kernel_seed(self.seed)

    @property
    def log_alpha(self) -> float:
        """Logarithm of the largest p-value that does not show independence."""
        return log(self.alpha)

    def rules(self, n_variables: int) -> _core.TestRules:
        """Return the same for the kernels."""
        most = n_variables if self.max_conditions is None else min(self.max_conditions, n_variables)
        return _core.TestRules(
            _core.Statistic[self.test], self.log_alpha, self.least_per_cell, most, self.permutations, self.seed
        )


def least_permutations(alpha: float) -> int:
    """Return how many permutations can give a p-value of alpha; the least that n of them give is 1 / (n + 1)."""
    return max(1, ceil(min(1 / alpha, 2.0**64)) - 1)  # 1 / alpha may be infinite, and no count is larger than that
