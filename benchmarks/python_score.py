"""BIC as a user writes it in Python, to hold it against the one in C++."""

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from arcwise import CountScore, Family
from arcwise.scores.custom import Counts

__all__ = ["PythonBic"]


@dataclass(frozen=True)
class PythonBic(CountScore):
    """BIC from the counts of a family."""

    is_equivalent: ClassVar[bool] = True

    def of_counts(self, counts: Counts, family: Family) -> float:
        """Return the score of a family."""
        shares = counts / counts.sum(axis=1, keepdims=True)
        likelihood = (counts * np.log(np.where(counts > 0, shares, 1))).sum()
        return float(likelihood - log(family.data.n_observations) / 2 * family.configurations * (family.states - 1))
