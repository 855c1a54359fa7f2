"""How the tree of one replica is found: among all pairs of variables, among a few of them, or by chance alone."""

from math import ceil, isqrt, log

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.parents.best_trees import BestTrees, Forest, Weights

__all__ = ["TREE_SEARCHES", "clustered_forest", "random_forest", "sampled_forest", "some_pairs"]

TREE_SEARCHES = ("best", "inertial", "sampled", "clustered", "random")
"""From the best tree of a replica to one that has nothing to do with it."""


def some_pairs(n: int) -> int:
    """Return how many pairs of variables are drawn where not all are looked at: about n ln n."""
    return ceil(n * log(n)) if n > 1 else 0


def sampled_forest(kernel: BestTrees, weights: Weights | None, n: int, seed: int, budget: _core.Budget) -> Forest:
    """Return the best forest of pairs that are drawn at random."""
    return kernel.near(weights, np.full(n, -1, dtype=np.int32), some_pairs(n), seed, budget)


def clustered_forest(kernel: BestTrees, weights: Weights | None, n: int, seed: int, budget: _core.Budget) -> Forest:
    """Return the best forest of pairs within clusters, and of those that were compared to find these.

    A variable that is drawn becomes the centre of a cluster. It is compared with all that are in none yet, and the
    square root of n of those that gain most with it join it. So about n to the power of 1.5 pairs are looked at.
    """
    rng, size = np.random.default_rng(seed), isqrt(n - 1) + 1
    left = rng.permutation(n).astype(np.uint32)
    pairs: list[npt.NDArray[np.uint32]] = []
    while len(left) > 1:
        star = _star(left[0], left[1:])
        compared = kernel.among(weights, star, budget)
        if not compared.is_complete:
            return compared
        # The forest of a star is the star; its arcs lead away from the smallest variable, which need not be the centre.
        gains = np.zeros(n)
        for child in np.flatnonzero(compared.parents >= 0):
            other = child if child != left[0] else compared.parents[child]
            gains[other] = compared.gains[child]
        order = np.argsort(-gains[left[1:]], kind="stable")
        near, rest = left[1:][order[:size]], left[1:][order[size:]]
        near, rest = near[gains[near] > 0], np.concatenate([near[gains[near] <= 0], rest])
        lower, upper = np.triu_indices(len(near), 1)
        pairs += [star, np.stack([near[lower], near[upper]], axis=1)]
        left = rest
    return kernel.among(weights, np.ascontiguousarray(np.concatenate([np.zeros((0, 2), np.uint32), *pairs])), budget)


def _star(centre: np.uint32, others: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    return np.ascontiguousarray(np.stack([np.full_like(others, centre), others], axis=1))


def random_forest(n: int, seed: int) -> Forest:
    """Return a tree that is drawn from all trees over n variables with equal probabilities.

    Prüfer's sequences (1918) of n - 2 variables and trees over n variables correspond one to one.

    Examples
    --------
    >>> random_forest(3, seed=1).parents.tolist()
    [-1, 0, 1]
    """
    code = np.random.default_rng(seed).integers(0, n, max(n - 2, 0)).tolist()
    parents = np.full(n, -1, dtype=np.int32)
    degree = (np.bincount(code, minlength=n) + 1).tolist()
    # The smallest leaf goes in each step, so that the last variable is the root; all are numbered from the other end.
    pointer = leaf = degree.index(1) if n > 1 else 0
    for node in code:
        parents[n - 1 - leaf] = n - 1 - node
        degree[node] -= 1
        if degree[node] == 1 and node < pointer:
            leaf = node
        else:
            pointer = leaf = degree.index(1, pointer + 1)
    if n > 1:
        parents[n - 1 - leaf] = 0
    return Forest(parents, np.zeros(n), is_complete=True)
