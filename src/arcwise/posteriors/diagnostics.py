"""Whether chains have mixed, and how far from the truth their means may be, by the means of their batches."""

from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

__all__ = ["Diagnostics", "effective_sizes", "r_hats", "standard_errors"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Diagnostics:
    """How chains have mixed.

    Attributes
    ----------
    r_hat
        The largest potential scale reduction of an arc (`r_hats`); at 1 all chains agree, above 1.05 they do not.
    effective_draws
        For the arc that is least certain, so many independent graphs would tell its probability as precisely.
    chains
        How many chains there are.
    sweeps
        How many sweeps each has done, those that are left out included.
    candidates
        The most candidate parents that a variable has.
    outside
        The largest probability that an arc outside the candidates would have, at most, were it allowed.
    """

    r_hat: float
    effective_draws: float
    chains: int
    sweeps: int
    candidates: int
    outside: float


def r_hats(means: Numbers) -> Numbers:
    r"""Return Gelman & Rubin's potential scale reduction of each arc (1992, doi:10.1214/ss/1177011136).

    Whether a graph has an arc is 0 or 1, with a variance of :math:`p(1 - p)` in a chain in which its share is
    :math:`p`. Each chain counts as two, so that one that still moves is seen (split R-hat). With the mean :math:`W` of
    these variances and the variance :math:`B` of the shares themselves, it is :math:`\sqrt{1 + B / W}`.

    Parameters
    ----------
    means
        By chain, batch and arc; an even number of batches.

    Examples
    --------
    >>> r_hats(np.array([[[0.5], [0.5]], [[0.4], [0.6]]])).round(4)
    array([1.0135])
    """
    chains, batches, n_arcs = means.shape
    halves = means.reshape(2 * chains, batches // 2, n_arcs).mean(axis=1)
    within = (halves * (1 - halves)).mean(axis=0)
    between = halves.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = between / within
    found: Numbers = np.sqrt(1 + np.where(between > 0, ratio, 0.0))
    return np.where(np.isnan(found), inf, found)


def standard_errors(means: Numbers) -> Numbers:
    """Return the standard error of the mean of each arc over all batches of all chains, as if they were independent.

    Chains that have not mixed differ, and so do their batches.

    Examples
    --------
    >>> standard_errors(np.array([[[0.5], [0.7]], [[0.4], [0.6]]])).round(4)
    array([0.0645])
    """
    chains, batches, n_arcs = means.shape
    all_of_them = means.reshape(chains * batches, n_arcs)
    errors: Numbers = all_of_them.std(axis=0, ddof=1) / np.sqrt(chains * batches)
    return errors


def effective_sizes(means: Numbers) -> Numbers:
    """Return how many independent graphs would have as small a standard error, for each arc; infinity where it is 0.

    Examples
    --------
    >>> effective_sizes(np.array([[[0.5], [0.7]], [[0.4], [0.6]]])).round(1)
    array([59.4])
    """
    shares = means.mean(axis=(0, 1))
    errors = standard_errors(means)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes: Numbers = shares * (1 - shares) / errors**2
    return np.where(errors == 0, inf, sizes)
