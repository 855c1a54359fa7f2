"""BIC of Gaussian and conditional Gaussian networks in plain numpy: one score for all programs' graphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
import numpy.typing as npt
import pandas as pd

from arcwise import Dag

__all__ = ["TableScore"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TableScore:
    r"""The score of graphs over the columns of a table; columns that are not numbers are discrete.

    .. math:: \text{loglikelihood} - c \, \frac{\ln N}{2} \, \text{parameters}

    A continuous variable has a linear regression on its continuous parents for each configuration of its discrete ones,
    with a variance of its own; a discrete variable has discrete parents and a table. All configurations count as
    parameters, those without rows too.

    Attributes
    ----------
    table
        The rows.
    penalty
        c; 1 is BIC.
    """

    table: pd.DataFrame
    penalty: float = 1.0

    def total(self, dag: Dag) -> float:
        """Return the score of a graph; minus infinity where rows are too few or a parent may not be one."""
        parents = {name: dag.parents(name) for name in dag.names}
        return float(sum(self.local(name, parents[name]) for name in dag.names))

    def local(self, child: str, parents: Sequence[str]) -> float:
        """Return the score of a family."""
        discrete = [parent for parent in parents if parent in self._arities]
        continuous = [parent for parent in parents if parent not in self._arities]
        configurations = int(np.prod([self._arities[parent] for parent in discrete], dtype=float))
        if child in self._arities:
            if continuous:
                return -np.inf
            parameters = configurations * (self._arities[child] - 1)
            likelihood = self._categorical(child, discrete)
        else:
            parameters = configurations * (len(continuous) + 2)
            likelihood = self._gaussian(child, continuous, discrete)
        return likelihood - self.penalty * log(len(self.table)) / 2 * parameters

    @cached_property
    def _arities(self) -> dict[str, int]:
        """Numbers of states of the discrete columns."""
        return {
            str(name): self.table[name].nunique()
            for name in self.table.columns
            if not pd.api.types.is_numeric_dtype(self.table[name])
        }

    def _categorical(self, child: str, parents: list[str]) -> float:
        joint = self.table.groupby([*parents, child], observed=True).size().to_numpy()
        above = self.table.groupby(parents, observed=True).size().to_numpy() if parents else np.array([len(self.table)])
        return float(np.sum(joint * np.log(joint)) - np.sum(above * np.log(above)))

    def _gaussian(self, child: str, continuous: list[str], discrete: list[str]) -> float:
        if not discrete:
            return self._from_covariances(child, continuous)
        groups = self.table.groupby(discrete, observed=True)
        return sum(_regression(group[child].to_numpy(float), group[continuous].to_numpy(float)) for _, group in groups)

    def _from_covariances(self, child: str, parents: list[str]) -> float:
        n_rows, node = len(self.table), self._column[child]
        rest = 1.0
        if parents:
            others = [self._column[parent] for parent in parents]
            known = self._correlations[others, node]
            rest -= float(known @ np.linalg.solve(self._correlations[np.ix_(others, others)], known))
        if n_rows <= len(parents) + 1 or rest <= 0:
            return -np.inf
        return float(-n_rows / 2 * (np.log(2 * np.pi * rest) + 1) - n_rows * np.log(self._deviations[node]))

    @cached_property
    def _column(self) -> dict[str, int]:
        return {str(name): place for place, name in enumerate(self._continuous.columns)}

    @cached_property
    def _continuous(self) -> pd.DataFrame:
        return self.table[[name for name in self.table.columns if name not in self._arities]]

    @cached_property
    def _deviations(self) -> Floats:
        found: Floats = self._continuous.to_numpy(float).std(axis=0)
        return found

    @cached_property
    def _correlations(self) -> Floats:
        values = self._continuous.to_numpy(float)
        values = (values - values.mean(axis=0)) / self._deviations
        found: Floats = values.T @ values / len(values)
        return found


def _regression(child: Floats, parents: Floats) -> float:
    """Return the largest log-likelihood of a linear regression with an intercept."""
    n_rows = len(child)
    design = np.column_stack([np.ones(n_rows), parents])
    if n_rows <= design.shape[1]:
        return -np.inf
    residual = child - design @ np.linalg.lstsq(design, child, rcond=None)[0]
    variance = float(residual @ residual) / n_rows
    return -n_rows / 2 * (np.log(2 * np.pi * variance) + 1) if variance > 0 else -np.inf
