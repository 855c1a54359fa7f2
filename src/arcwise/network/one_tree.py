"""One tree of a mixture: its tables, marginals and samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["OneTree"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OneTree:
    """A network in which every variable has at most one parent.

    Parameters
    ----------
    arities
        The number of states of each variable.
    parents
        The parent of each variable by index, -1 for none.
    begin
        Where the table of each variable begins among the probabilities.
    probabilities
        Tables with a row for each state of the parent.
    """

    arities: npt.NDArray[np.intp]
    parents: npt.NDArray[np.int32]
    begin: npt.NDArray[np.int64]
    probabilities: Floats

    def table(self, v: int) -> Floats:
        """Probabilities of a variable, a row for each state of its parent; one row without a parent."""
        parent = self.parents[v]
        shape = (1 if parent < 0 else int(self.arities[parent]), int(self.arities[v]))
        return self.probabilities[self.begin[v] : self.begin[v] + shape[0] * shape[1]].reshape(shape)

    def single(self, v: int) -> Floats:
        """Probabilities of a variable's states."""
        way = self._way_up(v)[::-1]
        single: Floats = (self.table(way[0]) @ self._given(way))[0]
        return single

    def pair(self, a: int, b: int) -> Floats:
        """Probabilities of two variables' states together."""
        up_a, up_b = self._way_up(a), self._way_up(b)
        shared = set(up_a) & set(up_b)
        if not shared:
            return np.outer(self.single(a), self.single(b))
        top = next(v for v in up_a if v in shared)
        down_a, down_b = (way[: way.index(top) + 1][::-1] for way in (up_a, up_b))
        pair: Floats = (self.single(top)[:, None] * self._given(down_a)).T @ self._given(down_b)
        return pair

    def sampled(self, uniform: Floats) -> npt.NDArray[np.intp]:
        """States of rows, drawn with a uniform number for each; all variables of the same depth at once."""
        codes = np.zeros(uniform.shape, dtype=np.intp)
        at = np.flatnonzero(self.parents < 0)
        while at.size:
            above, last = self.parents[at], self.arities[at] - 1
            first = self.begin[at] + codes[:, above] * np.where(above >= 0, self.arities[at], 0)
            reached = np.zeros(first.shape)
            for state in range(int(last.max())):
                # Where a variable has no such state, its last one is reached already.
                reached += self.probabilities[first + np.minimum(state, last)]
                codes[:, at] += (uniform[:, at] >= reached) & (state < last)
            at = np.flatnonzero(np.isin(self.parents, at))
        return codes

    def _way_up(self, v: int) -> list[int]:
        way = [v]
        while (parent := int(self.parents[way[-1]])) >= 0:
            way.append(parent)
        return way

    def _given(self, way_down: Sequence[int]) -> Floats:
        """Probabilities of the last variable of a way down the tree, given the states of the first."""
        product = np.eye(int(self.arities[way_down[0]]))
        for v in way_down[1:]:
            product = product @ self.table(v)
        return product
