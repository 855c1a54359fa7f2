"""Trees of bootstrap replicas: what mixtures are made of, and neighbourhoods."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Work, Workplace
from arcwise.parents.best_trees import MAX_BYTES, BestTrees, Forest
from arcwise.parents.tree_searches import (
    TREE_SEARCHES,
    clustered_forest,
    random_forest,
    sampled_forest,
    some_pairs,
)
from arcwise.runs.budget import Budget, until_exhausted
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import count, instance, kernel_seeds, recorded_seed
from arcwise.support.errors import ParameterError
from arcwise.support.machine import workers_or_default
from arcwise.support.names import one_of

__all__ = ["BaggedTrees", "Bagging", "bagged_trees"]


@dataclass(frozen=True)
class Bagging:
    """Which trees are learned from replicas of the data.

    Parameters
    ----------
    trees
        How many.
    by
        The score of which each tree has the most; with ``loglik`` these are the trees of Chow & Liu (1968), with
        ``bic`` or ``bdeu`` arcs that are not worth their parameters are left out.
    tree_search
        How each tree is found: ``best``, the best of all pairs of variables; or by one of the heuristics that Ammar,
        Leray, Schnitzler & Wehenkel (2010, PGM; 2010, COMPSTAT) propose for many variables. ``sampled`` looks at about
        n ln n pairs drawn at random. ``inertial`` does that too from the second tree on, and keeps the arcs of the tree
        before among the pairs; its trees are learned one after the other. ``clustered`` looks at pairs within clusters
        of variables, about n to the power of 1.5. ``random`` draws a tree from all trees, whatever the data says; its
        parameters alone come from the data (Ammar, Leray, Defourny & Wehenkel 2008, PGM).
    seed
        Draws the replicas, and the pairs; drawn itself when None.

    Examples
    --------
    >>> Bagging(trees=50, by="bic", seed=1).by
    BIC()
    """

    trees: int = 100
    by: str | Score = "loglik"
    tree_search: str = "best"
    seed: int | None = None

    def __post_init__(self) -> None:
        count("trees", self.trees, least=1)
        object.__setattr__(self, "by", score_named(self.by))
        one_of("tree_search", self.tree_search, TREE_SEARCHES)
        object.__setattr__(self, "seed", recorded_seed(self.seed))


@dataclass(frozen=True, eq=False)
class BaggedTrees:
    """Trees over the variables of one table.

    Attributes
    ----------
    parents
        A row for each tree: the parent of each variable by index, -1 for none.
    is_complete
        Whether all trees that were asked for are there.
    """

    parents: npt.NDArray[np.int32]
    is_complete: bool

    def edges(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the smaller and the larger index of all pairs that are adjacent in some tree, and in how many trees.

        Examples
        --------
        >>> BaggedTrees(np.array([[-1, 0, 1], [1, -1, -1]], dtype=np.int32), True).edges()
        (array([0, 1]), array([1, 2]), array([2, 1]))
        """
        n = self.parents.shape[1]
        trees, children = np.nonzero(self.parents >= 0)
        others = self.parents[trees, children].astype(np.intp)
        keys = np.minimum(children, others) * n + np.maximum(children, others)
        found, counts = np.unique(keys, return_counts=True)
        return found // n, found % n, counts


# Trees are remembered as long as their score lives: neighbourhoods are asked for more than once.
_known: WeakKeyDictionary[LocalScore, dict[Bagging, BaggedTrees]] = WeakKeyDictionary()


def bagged_trees(
    score: LocalScore,
    bagging: Bagging,
    *,
    workers: int | None = None,
    executor: Any = None,
    budget: Budget | None = None,
    on_tree: Callable[[int], object] | None = None,
) -> BaggedTrees:
    """Return trees, each learned from a bootstrap replica of the data (the first half of MtM, Ammar & Leray 2011).

    Parameters
    ----------
    score
        A score, bound to the data; only the data is used. Each pair of variables that is looked at is an evaluation.
    bagging
        Which trees.
    workers
        Trees at the same time; by default one per usable core, and a single one where evaluations are limited. The
        trees do not depend on it.
    executor
        Where trees are learned instead, as in `learn`, but for ``inertial`` ones: the workers of an executor or of a
        Dask cluster.
    budget
        When to stop; the trees that are done by then are returned.
    on_tree
        Called with the number of trees that are done.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10)
    >>> bagged_trees(LocalScore(data), Bagging(trees=3, by="bic", seed=1)).parents.tolist()
    [[-1, 0, -1], [-1, 0, -1], [-1, 0, -1]]
    """
    score, bagging = instance("score", score, LocalScore), instance("bagging", bagging, Bagging)
    budget = instance("budget", budget, Budget, default=Budget)
    workers = workers_or_default(workers)
    score.data.refuse_continuous("Learning trees from replicas")
    score.data.refuse_gaps("Learning trees from replicas")
    score.data.refuse_shards("Learning trees from replicas")
    n = score.data.n_variables
    if 4 * n * bagging.trees > MAX_BYTES:
        raise ParameterError(
            f"{bagging.trees} trees over {n} variables would take {4 * n * bagging.trees} bytes, at most {MAX_BYTES} "
            "are allowed; learn fewer trees"
        )
    known = _known.setdefault(score, {})
    if bagging in known:
        return known[bagging]
    if budget.evaluation_limit is not None:
        workers = 1
    parents: list[npt.NDArray[np.int32]] = []

    def learn(place: Workplace) -> None:
        for forest in _forests(score, bagging, workers, budget, place):
            if forest is not None and forest.is_complete:
                parents.append(forest.parents)
                if on_tree is not None:
                    on_tree(len(parents))

    with workplace_of(executor) as place:
        budget.run(lambda: learn(place))
    trees = BaggedTrees(np.array(parents, dtype=np.int32).reshape(-1, n), len(parents) == bagging.trees)
    if trees.is_complete:
        known[bagging] = trees
    return trees


@dataclass(frozen=True)
class _Replicas:
    """What is needed to learn the tree of any replica."""

    score: LocalScore
    bagging: Bagging

    @cached_property
    def kernel(self) -> BestTrees:
        """What finds trees, made once in each process."""
        return BestTrees(self.score, score_named(self.bagging.by))

    def __reduce__(self) -> tuple[object, ...]:
        return _Replicas, (self.score, self.bagging)


def _found(replicas: _Replicas, seed: int, budget: Budget, threads: int) -> Forest | None:
    """Return the forest of one replica; None where the budget ended before."""
    if budget.exhausted:
        return None
    how, n = replicas.bagging.tree_search, replicas.score.data.n_variables
    if how == "random":
        return random_forest(n, seed)
    weights = replicas.score.table.bootstrap(seed).weights
    if how == "sampled":
        return sampled_forest(replicas.kernel, weights, n, seed, budget.core)
    if how == "clustered":
        return clustered_forest(replicas.kernel, weights, n, seed, budget.core)
    return replicas.kernel.best(weights, budget.core)


def _forests(
    score: LocalScore, bagging: Bagging, workers: int, budget: Budget, place: Workplace
) -> Iterator[Forest | None]:
    """Give the forests of all replicas in order, None or an incomplete one where the budget ended before."""
    if budget.exhausted:
        return
    replicas, seeds = _Replicas(score, bagging), kernel_seeds(recorded_seed(bagging.seed), bagging.trees)
    _ = replicas.kernel  # before threads ask for it
    if bagging.tree_search == "inertial":
        yield from _inertial(score, replicas.kernel, seeds, budget)
    else:
        yield from place.map(Work("tree", _found, replicas), until_exhausted(seeds, budget), budget, workers=workers)


def _inertial(score: LocalScore, kernel: BestTrees, seeds: Iterable[int], budget: Budget) -> Iterator[Forest]:
    n_drawn = some_pairs(score.data.n_variables)
    before: Forest | None = None
    for seed in seeds:
        weights = score.table.bootstrap(seed).weights
        if before is None:
            before = kernel.best(weights, budget.core)
        else:
            before = kernel.near(weights, before.parents, n_drawn, seed, budget.core)
        yield before
        if budget.exhausted:
            return
