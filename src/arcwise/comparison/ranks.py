"""Methods compared by their ranks on several datasets: the tests of Friedman and Nemenyi."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from arcwise.comparison.ranges import critical_range, range_tail
from arcwise.scores.chance import chi_squared_tail
from arcwise.support.arguments import count, flag, number, real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.names import index_of

__all__ = ["Ranks", "ranks_of"]

Values = npt.NDArray[np.float64]

# Values of a line that differ by less than this part of the largest of them are ties.
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Ranks:
    """Mean ranks of methods on several datasets, and how likely such differences are by chance.

    Rank 1 is the best method of a dataset, and ties share their ranks; Demšar 2006, "Statistical comparisons of
    classifiers over multiple data sets", JMLR 7, section 3.2.

    Attributes
    ----------
    names
        The methods.
    means
        The mean rank of each.
    n_lines
        On how many datasets they were compared.
    statistic
        That of the Friedman test, corrected for ties; 0 where every line is a tie.
    p_value
        The probability of a statistic as large as this if the methods were all the same, by the chi-squared
        distribution: good from about ten datasets and five methods on, too large with fewer.
    """

    names: tuple[str, ...]
    means: Values
    n_lines: int
    statistic: float
    p_value: float

    @property
    def unit(self) -> float:
        """The standard error of a difference of two mean ranks, divided by the square root of 2."""
        k = len(self.names)
        return sqrt(k * (k + 1) / (12 * self.n_lines))

    @property
    def pairs(self) -> Values:
        """The p-value of each pair of methods by the Nemenyi test, 1 for a method with itself."""
        differences = np.abs(self.means[:, None] - self.means[None, :]) / self.unit
        p_values: Values = range_tail(differences, len(self.names))
        np.fill_diagonal(p_values, 1.0)
        return p_values

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Difference of two mean ranks from which on the Nemenyi test calls two methods different.

        Parameters
        ----------
        alpha
            The probability that it finds a difference where there is none.

        Examples
        --------
        >>> round(ranks_of([[4, 3, 2, 1]] * 14).critical_difference(), 2)  # section 3.2.2 of Demšar 2006
        1.25
        """
        return critical_range(_level(alpha), len(self.names)) * self.unit

    def differ(self, one: str | int, other: str | int, alpha: float = 0.05) -> bool:
        """Whether the Nemenyi test finds that two methods differ."""
        position = {name: index for index, name in enumerate(self.names)}
        i, j = index_of(one, position), index_of(other, position)
        return bool(abs(self.means[i] - self.means[j]) >= self.critical_difference(alpha))

    @property
    def ordered(self) -> tuple[str, ...]:
        """The methods from the best mean rank to the worst."""
        return tuple(self.names[at] for at in np.argsort(self.means, kind="stable"))

    def groups(self, alpha: float = 0.05) -> list[tuple[str, ...]]:
        """Largest groups of methods next to each other of which no two differ, each of at least two.

        Examples
        --------
        >>> ranks_of([[4, 3, 2, 1]] * 10, ["a", "b", "c", "d"]).groups()
        [('a', 'b'), ('b', 'c'), ('c', 'd')]
        """
        order = np.argsort(self.means, kind="stable")
        means, critical = self.means[order], self.critical_difference(alpha)
        found: list[tuple[int, int]] = []
        for begin in range(len(order)):
            end = int(np.searchsorted(means, means[begin] + critical, side="left"))
            if end - begin > 1 and (not found or end > found[-1][1]):
                found.append((begin, end))
        return [tuple(self.names[at] for at in order[begin:end]) for begin, end in found]

    def in_words(self, separator: str = ", ") -> str:
        """Return the methods from the best mean rank to the worst, with their ranks.

        Examples
        --------
        >>> ranks_of([[1, 9, 1]], ["a", "b", "c"]).in_words()
        'b 1.00, a 2.50, c 2.50'
        """
        rank = dict(zip(self.names, self.means.tolist(), strict=True))
        return separator.join(f"{name} {rank[name]:.2f}" for name in self.ordered)

    def __str__(self) -> str:
        return f"{self.in_words()} (mean ranks on {self.n_lines}; Friedman p = {self.p_value:.2g})"


def ranks_of(values: npt.ArrayLike, names: Sequence[str] | None = None, *, larger_is_better: bool = True) -> Ranks:
    """Rank methods on each of several datasets, and test whether they differ.

    Parameters
    ----------
    values
        A line for each dataset, a column for each method. Lines with a value that is not a number are left out. What
        differs by rounding alone is a tie.
    names
        The methods; by default ``0``, ``1`` and so on.
    larger_is_better
        Whether the largest value of a line has rank 1.

    Examples
    --------
    >>> ranks = ranks_of([[3, 2, 1], [5, 5, 1], [9, 7, 8]], ["a", "b", "c"])
    >>> print(ranks)
    a 1.17, b 2.17, c 2.67 (mean ranks on 3; Friedman p = 0.15)
    """
    table = _table(values)
    n, k = table.shape
    labels = tuple(str(at) for at in range(k)) if names is None else tuple(names)
    if len(labels) != k or len(set(labels)) != k:
        raise ParameterError.of("names", f"{k} different names, one for each column", list(labels))
    signed = -table if flag("larger_is_better", larger_is_better) else table
    scale = np.abs(signed).max(axis=1, keepdims=True)
    rounded = np.round(signed / np.where(scale > 0, scale, 1.0), round(-np.log10(_ROUNDING)))
    ranks = np.array([_ranks(line) for line in rounded])
    means: Values = ranks.mean(axis=0)
    statistic = _friedman(ranks)
    return Ranks(labels, means, count("values", n, least=1), statistic, chi_squared_tail(k - 1, statistic))


def _ranks(line: Values) -> Values:
    """Return ranks from 1 on, the smallest value first; ties share the mean of theirs."""
    _, which, times = np.unique(line, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return np.asarray((last - (times - 1) / 2)[which.ravel()])


def _friedman(ranks: Values) -> float:
    """Return how far the mean ranks are apart; ties make the spread of the ranks within a line smaller."""
    middle = (ranks.shape[1] + 1) / 2
    spread = ((ranks - middle) ** 2).sum() / (ranks.shape[1] - 1)
    between = ((ranks.sum(axis=0) - ranks.shape[0] * middle) ** 2).sum()
    return float(between / spread) if spread > 0 else 0.0


def _table(values: npt.ArrayLike) -> Values:
    try:
        table = real_numbers(values)
    except TypeError as error:
        raise ParameterError.of("values", f"a table of numbers: {error}") from None
    if table.ndim != 2 or table.shape[1] < 2:
        raise ParameterError.of("values", "a table with a line for each dataset and at least two columns", table.shape)
    known = table[~np.isnan(table).any(axis=1)]
    if not len(known) or not np.isfinite(known).all():
        raise ParameterError.of("values", "finite numbers, with at least one line in which all are known")
    return known


def _level(alpha: float) -> float:
    if not 0 < number("alpha", alpha) < 1:
        raise ParameterError.of("alpha", "above 0 and below 1", alpha)
    return alpha
