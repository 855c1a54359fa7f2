"""Slow, obvious twins of the scores of continuous data: regression by least squares, and whole determinants."""

from collections.abc import Sequence
from math import comb, log, pi

import numpy as np
import numpy.typing as npt
from scipy.special import multigammaln

Columns = npt.NDArray[np.float64]


def log_likelihood(columns: Columns, child: Sequence[int], parents: Sequence[int]) -> float:
    """The density of the child's columns at the best linear regression on the parents' columns with normal errors."""
    n = len(columns)
    design = np.column_stack([np.ones(n), columns[:, list(parents)]])
    outcome = columns[:, list(child)]
    residuals = outcome - design @ np.linalg.lstsq(design, outcome, rcond=None)[0]
    covariance = residuals.T @ residuals / n
    distances = np.einsum("ij,jk,ik->i", residuals, np.linalg.inv(covariance), residuals)
    return float(-0.5 * (distances + np.linalg.slogdet(2 * pi * covariance)[1]).sum())


def n_parameters(child: Sequence[int], parents: Sequence[int]) -> int:
    """Slopes, intercepts, and the covariances of the errors."""
    return len(child) * (len(parents) + 1) + len(child) * (len(child) + 1) // 2


def choices(n_variables: int, n_parents: int) -> float:
    """The logarithm of how many sets of so many parents there are."""
    return log(comb(n_variables - 1, n_parents))


def _bge_of_set(columns: Columns, chosen: Sequence[int], alpha_mu: float, alpha_w: float) -> float:
    """The logarithm of p(d_Y) of Kuipers, Moffa & Heckerman (2014), with the mean of the data as that of the prior."""
    n_rows, n = columns.shape
    size = len(chosen)
    if size == 0:
        return 0.0
    t = alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1)
    centred = columns[:, list(chosen)] - columns[:, list(chosen)].mean(axis=0)
    r = t * np.eye(size) + centred.T @ centred
    before, after = alpha_w - n + size, n_rows + alpha_w - n + size
    return float(
        size / 2 * log(alpha_mu / (n_rows + alpha_mu))
        + multigammaln(after / 2, size)
        - multigammaln(before / 2, size)
        - size * n_rows / 2 * log(pi)
        + before / 2 * size * log(t)
        - after / 2 * np.linalg.slogdet(r)[1]
    )


def bge(columns: Columns, child: int, parents: Sequence[int], alpha_mu: float, alpha_w: float) -> float:
    """The Bayesian Gaussian equivalent score of a family, as the difference of two sets."""
    with_child = _bge_of_set(columns, [*parents, child], alpha_mu, alpha_w)
    return with_child - _bge_of_set(columns, parents, alpha_mu, alpha_w)
