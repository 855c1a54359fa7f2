"""Groups among numbers on a line: optimal k-means, and Gaussian mixtures that choose how many groups there are."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Points = tuple[Floats, npt.NDArray[np.int64]]

# Fitting mixtures takes time in proportion to the points; this many keep it at some hundredths of a second per column.
_MOST_POINTS = 1024
_MOST_ROUNDS = 200
# Smallest standard deviation of a component, in standard deviations of the data: repeated values would make it 0.
_NARROWEST = 0.01


def adaptive_cuts(points: Floats, counts: npt.NDArray[np.int64], fewest: int, most: int) -> Floats:
    """Cuts between `fewest` to `most` groups of numbers, the number of groups chosen by BIC.

    Parameters
    ----------
    points
        Distinct numbers, increasing. More than 1,024 are pooled into 1,024 of about equal counts.
    counts
        How often each was seen.
    fewest
        Fewest groups; fewer come out when there are fewer points.
    most
        Most groups.
    """
    if points.size == 1:
        return np.empty(0)
    points, counts = _pooled(points, counts)
    # From 0 to 1 first, then standardised: squares of very small or very large numbers would be 0 or infinite.
    lowest, span = points[0], points[-1] - points[0]
    unit = (points - lowest) / span
    centre = np.average(unit, weights=counts)
    scale = np.sqrt(np.average((unit - centre) ** 2, weights=counts))
    x, weight = (unit - centre) / scale, counts.astype(np.float64)
    most = min(most, x.size)
    fewest = min(fewest, most)
    starts = kmeans_starts(x, weight, most)
    best, best_bic = (x[starts[fewest][1:]] + x[starts[fewest][1:] - 1]) / 2, -np.inf
    for k in range(fewest, most + 1):
        mixture, log_likelihood = _fitted_mixture(x, weight, starts[k])
        cuts = _crossings(*mixture)
        bic = log_likelihood - (3 * k - 1) / 2 * np.log(weight.sum())
        if cuts is not None and bic > best_bic and _all_seen(x, cuts):
            best, best_bic = cuts, bic
    return np.asarray(lowest + span * (centre + scale * best))


def kmeans_starts(x: Floats, weight: Floats, most: int) -> dict[int, Indices]:
    """Where each cluster starts in the sorted points, in the optimal k-means clusterings for k = 1 to `most`.

    Notes
    -----
    Dynamic programming over the last cluster's start, as in Wang and Song (2011), *Ckmeans.1d.dp: optimal k-means
    clustering in one dimension by dynamic programming*, The R Journal 3(2). The best start never moves left when points
    are added at the right, so that it is looked for between the starts of points at both sides, known before.

    Examples
    --------
    >>> kmeans_starts(np.array([0.0, 1.0, 10.0, 11.0, 30.0]), np.ones(5), 3)[3].tolist()
    [0, 2, 4]
    """
    n = x.size
    total, first, second = (np.concatenate([[0.0], np.cumsum(weight * x**p)]) for p in (0, 1, 2))

    def within(start: Indices, end: Indices) -> Floats:
        """Sums of squares inside clusters from one point to another."""
        moment = first[end + 1] - first[start]
        return np.asarray(second[end + 1] - second[start] - moment**2 / (total[end + 1] - total[start]))

    everywhere = np.arange(n)
    cost, last_starts = within(np.zeros(n, dtype=np.intp), everywhere), []
    for _ in range(1, most):
        before = np.concatenate([[np.inf], cost[:-1]])
        last_starts.append(_best_starts(before, within))
        cost = before[last_starts[-1]] + within(last_starts[-1], everywhere)
    result = {}
    for k in range(1, most + 1):
        starts, end = [], n - 1
        for layer in reversed(last_starts[: k - 1]):
            starts.append(int(layer[end]))
            end = starts[-1] - 1
        result[k] = np.array([0, *reversed(starts)])
    return result


def _best_starts(before: Floats, within: Callable[[Indices, Indices], Floats]) -> Indices:
    """Where the last cluster of the points up to each one best starts, given the cost of all points before a start."""
    n = before.size
    best = np.zeros(n, dtype=np.intp)
    stride = 1 << (n.bit_length() - 1)
    while stride:
        # Points halfway between those that are known: their starts are between the known ones too.
        ends = np.arange(stride - 1, n, 2 * stride)
        low = np.where(ends >= stride, best[ends - stride], 0)
        right = ends + stride
        high = np.where(right < n, np.minimum(best[np.minimum(right, n - 1)], ends), ends)
        lengths = high - low + 1
        offsets = np.cumsum(lengths) - lengths
        start = np.arange(lengths.sum()) + np.repeat(low - offsets, lengths)
        cost = before[start] + within(start, np.repeat(ends, lengths))
        lowest = np.flatnonzero(cost == np.repeat(np.minimum.reduceat(cost, offsets), lengths))
        best[ends] = start[lowest[np.searchsorted(lowest, offsets)]]
        stride //= 2
    return best


def _pooled(points: Floats, counts: npt.NDArray[np.int64]) -> Points:
    """At most 1,024 points: neighbours replaced by their mean so that each pool has about the same count."""
    if points.size <= _MOST_POINTS:
        return points, counts
    before = np.cumsum(counts) - counts
    _, pool = np.unique(before * _MOST_POINTS // int(counts.sum()), return_inverse=True)
    mass = np.bincount(pool, weights=counts)
    return np.bincount(pool, weights=counts * points) / mass, mass.astype(np.int64)


def _fitted_mixture(x: Floats, weight: Floats, starts: Indices) -> tuple[tuple[Floats, Floats, Floats], float]:
    """Shares, means and deviations (by increasing mean) and the log-likelihood, after EM from the clusters."""
    member = np.searchsorted(starts, np.arange(x.size), side="right") - 1
    belongs = (member == np.arange(starts.size)[:, None]).astype(np.float64)
    previous = -np.inf
    for _ in range(_MOST_ROUNDS):
        mass = belongs @ weight + 1e-12
        mean = belongs @ (weight * x) / mass
        variance = ((belongs * (x - mean[:, None]) ** 2) @ weight) / mass
        deviation = np.sqrt(np.maximum(variance, _NARROWEST**2))
        share = mass / mass.sum()
        joint = _log_joint(x, share[:, None], mean[:, None], deviation[:, None])
        top = joint.max(axis=0)
        belongs = np.exp(joint - top)
        density = belongs.sum(axis=0)
        belongs /= density
        log_likelihood = float(weight @ (top + np.log(density)))
        if log_likelihood - previous < 1e-7 * weight.sum():
            break
        previous = log_likelihood
    order = np.argsort(mean)
    return (share[order], mean[order], deviation[order]), log_likelihood


def _log_joint(x: Floats | float, share: Floats, mean: Floats, deviation: Floats) -> Floats:
    """Log of share times normal density, for every component."""
    log_density = -np.log(deviation) - 0.5 * np.log(2 * np.pi) - 0.5 * ((x - mean) / deviation) ** 2
    return np.asarray(np.log(share) + log_density)


def _crossings(share: Floats, mean: Floats, deviation: Floats) -> Floats | None:
    """Points between neighbouring means where both components are equally probable.

    None if a component is nowhere the more probable one on its side: then it widens a neighbour instead of being a
    group of its own.
    """
    spread = 1 / deviation**2
    height = np.log(share) + 0.5 * np.log(spread)
    between = np.diff(mean)
    # By how much the left one of two leads, t to the right of its mean: a t² + b t + c.
    a = 0.5 * np.diff(spread)
    b = -between * spread[1:]
    c = 0.5 * between**2 * spread[1:] - np.diff(height)
    at_right = -0.5 * between**2 * spread[:-1] - np.diff(height)
    if not ((c > 0) & (at_right < 0)).all():
        return None
    # From above 0 to below: the first root to the right, in the form that cancels nothing, since b is not above 0.
    root = 2 * c / (np.sqrt(np.maximum(b**2 - 4 * a * c, 0)) - b)
    return np.asarray(mean[:-1] + np.minimum(root, between))


def _all_seen(x: Floats, cuts: Floats) -> bool:
    """Whether every interval between the cuts holds a point."""
    return bool(np.bincount(np.searchsorted(cuts, x), minlength=cuts.size + 1).all())
