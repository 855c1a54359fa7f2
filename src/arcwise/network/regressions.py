"""Regressions of continuous nodes on their parents: what they depend on, and how they are fitted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.network.distributions import ConditionalGaussian
from arcwise.shards.products import ProductSums
from arcwise.support.errors import DataError
from arcwise.support.quoting import quoted

__all__ = ["Moments", "fitted_gaussian"]

Floats = npt.NDArray[np.float64]

#: No fitted standard deviation is less than this share of the node's own: a density must be finite.
LEAST_DEVIATION = 1e-5
#: Observations for each intercept, coefficient and deviation that a regression must have, as in scores of mixed data.
_PER_PARAMETER = 2
#: What varies less than this share of what it usually does, or of its size, counts as constant.
_CONSTANT = 1e-9


@dataclass(frozen=True, eq=False)
class Moments:
    r"""All that a continuous node's regressions depend on, for each configuration of its discrete parents.

    Parameters
    ----------
    counts
        The number of observations, with one axis for each discrete parent.
    means
        Means of the continuous parents and then of the node, in a last axis.
    triangles
        In two last axes an upper triangle :math:`R` for which :math:`R^\top R` is the scatter around the means. A
        regression of its last column on the others has the coefficients and the sum of squares that one on all rows
        has, and squares no condition number.

    Examples
    --------
    >>> values = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [5.0, 5.0]])
    >>> moments = Moments.of(values, rows=np.array([0, 0, 0, 1]), shape=(2,))
    >>> moments.counts, moments.means
    (array([3., 1.]), array([[1., 3.],
           [5., 5.]]))
    >>> (moments.triangles[0].T @ moments.triangles[0]).round(6)
    array([[2., 4.],
           [4., 8.]])
    """

    counts: Floats
    means: Floats
    triangles: Floats

    @classmethod
    def of(
        cls,
        values: Floats,
        rows: npt.NDArray[np.intp],
        shape: tuple[int, ...],
        weights: npt.NDArray[np.generic] | None = None,
    ) -> "Moments":
        """Moments of rows by continuous parents and node, given the configuration of each row and its weight."""
        n_configurations, width = math.prod(shape), values.shape[1]
        observed = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        order = np.argsort(np.where(observed > 0, rows, n_configurations), kind="stable")
        ends = np.cumsum(np.bincount(rows[observed > 0], minlength=n_configurations))
        counts = np.zeros(n_configurations)
        means, triangles = np.zeros((n_configurations, width)), np.zeros((n_configurations, width, width))
        for configuration in np.flatnonzero(np.diff(ends, prepend=0)):
            begin = ends[configuration - 1] if configuration else 0
            chosen = order[begin : ends[configuration]]
            parts = _moments(values[chosen], observed[chosen])
            counts[configuration], means[configuration], triangles[configuration] = parts
        return cls(counts.reshape(shape), means.reshape(*shape, width), triangles.reshape(*shape, width, width))

    @classmethod
    def of_products(cls, products: ProductSums, columns: Sequence[int]) -> "Moments":
        """Moments of some columns of a table of which only sums of products are there.

        Parameters
        ----------
        products
            The sums.
        columns
            The continuous parents, and then the node.
        """
        found = products.moments
        values, vectors = np.linalg.eigh(found.matrix[np.ix_(columns, columns)])
        rows = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * found.scales[columns]
        return cls(np.array(float(found.n_observations)), found.means[columns], _triangle(rows))

    @property
    def width(self) -> int:
        """Number of continuous parents, and one for the node."""
        return int(self.means.shape[-1])

    def __add__(self, other: "Moments") -> "Moments":
        """Moments of the rows of both (Chan, Golub & LeVeque 1983, doi:10.1080/00031305.1983.10483115).

        Examples
        --------
        >>> values = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [5.0, 5.0]])
        >>> rows = np.zeros(4, dtype=np.intp)
        >>> both = Moments.of(values[:1], rows[:1], ()) + Moments.of(values[1:], rows[1:], ())
        >>> float(both.counts), both.means
        (4.0, array([2. , 3.5]))
        """
        width, shape = self.width, self.counts.shape
        counts = self.counts + other.counts
        shares = np.divide(other.counts, counts, out=np.zeros_like(counts), where=counts > 0)
        apart = other.means - self.means
        means = self.means + shares[..., None] * apart
        between = np.sqrt(self.counts * shares)[..., None] * apart
        both = np.concatenate([self.triangles, other.triangles, between[..., None, :]], axis=-2)
        triangles = np.array([_triangle(rows) for rows in both.reshape(-1, 2 * width + 1, width)])
        return Moments(counts, means, triangles.reshape(*shape, width, width))

    def pooled(self) -> tuple[float, Floats, Floats]:
        """Count, means and triangle of all rows, whatever their configuration; there must be one."""
        counts, means = self.counts.ravel(), self.means.reshape(-1, self.width)
        total = float(counts.sum())
        mean = counts @ means / total
        between = np.sqrt(counts)[:, None] * (means - mean)
        return total, mean, _triangle(np.vstack([self.triangles.reshape(-1, self.width), between]))


def _moments(values: Floats, weights: Floats) -> tuple[float, Floats, Floats]:
    total = float(weights.sum())
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused when it is fitted
        mean = np.average(values, axis=0, weights=weights)
        mean += np.average(values - mean, axis=0, weights=weights)  # takes away what rounding left of a large mean
        return total, mean, _triangle(np.sqrt(weights)[:, None] * (values - mean))


def _triangle(rows: Floats) -> Floats:
    """Square upper triangle with the scatter of some rows."""
    width = rows.shape[1]
    triangle = np.zeros((width, width))
    found = np.linalg.qr(rows, mode="r")
    triangle[: len(found)] = np.triu(found)
    return triangle


def fitted_gaussian(name: str, moments: Moments) -> ConditionalGaussian:
    """Distribution of a node that fits its moments; see `BayesianNetwork.fit`.

    Raises
    ------
    DataError
        If numbers are too large to be squared.
    """
    if not moments.counts.any():
        shape = moments.counts.shape
        return ConditionalGaussian(np.zeros(shape), np.zeros((*shape, moments.width - 1)), np.ones(shape))
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
        fitted = _fitted(moments)
    if fitted is None or not np.isfinite(fitted).all():
        raise DataError(
            f"the numbers of {quoted(name)} and its continuous parents are too large or too different in size for a "
            "regression; measure them in other units"
        )
    return ConditionalGaussian(fitted[..., 0], fitted[..., 1:-1], fitted[..., -1])


def _fitted(moments: Moments) -> Floats | None:
    """Intercept, coefficients and deviation of each configuration; None where squares are not finite."""
    k = moments.width - 1
    total, mean, triangle = moments.pooled()
    scales = np.sqrt((triangle**2).sum(axis=0) / total)
    if not np.isfinite(scales).all():
        return None
    scales[scales <= _CONSTANT * np.abs(mean)] = 0.0
    least = LEAST_DEVIATION * (scales[k] or abs(mean[k]) or 1.0)
    counts = moments.counts.ravel()
    fitted = np.empty((counts.size, k + 2))
    fitted[:] = _regression(total, mean, triangle, scales)[0]
    means, triangles = moments.means.reshape(-1, k + 1), moments.triangles.reshape(-1, k + 1, k + 1)
    for configuration in np.flatnonzero(counts >= _PER_PARAMETER * 2):
        own = counts[configuration], means[configuration], triangles[configuration]
        numbers, n_coefficients = _regression(*own, scales)
        if counts[configuration] >= _PER_PARAMETER * (n_coefficients + 2):
            fitted[configuration] = numbers
    fitted[:, -1] = np.maximum(fitted[:, -1], least)
    return fitted.reshape(*moments.counts.shape, k + 2)


def _regression(count: float, mean: Floats, triangle: Floats, scales: Floats) -> tuple[Floats, int]:
    """Intercept, coefficients and standard deviation, and how many coefficients the rows determine.

    Of coefficients that fit equally well these are the smallest, by the scales. The deviation is that of greatest
    likelihood: from the mean square of the residuals, not corrected for the coefficients.
    """
    used = np.flatnonzero(scales[:-1])
    parents, child = triangle[:, used] / scales[used], triangle[:, -1]
    left, sizes, right = np.linalg.svd(parents, full_matrices=False)
    kept = sizes > _CONSTANT * math.sqrt(count)
    scaled = right[kept].T @ ((left[:, kept].T @ child) / sizes[kept])
    coefficients = np.zeros(len(mean) - 1)
    coefficients[used] = scaled / scales[used]
    residuals = child - parents @ scaled
    deviation = math.sqrt(float(residuals @ residuals) / count)
    return np.array([mean[-1] - coefficients @ mean[:-1], *coefficients, deviation]), int(kept.sum())
