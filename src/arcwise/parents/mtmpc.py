"""Neighbours by trees: two variables are neighbours when trees of bootstrap replicas have an edge between them."""

from typing import Any
from warnings import warn

import numpy as np

from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.node_lists import NodeLists
from arcwise.parents.bagged_trees import BaggedTrees, Bagging, bagged_trees
from arcwise.parents.mmpc import Neighbours
from arcwise.runs.budget import Budget
from arcwise.scores.definitions import Score
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance, number
from arcwise.support.errors import ArcwiseWarning, ParameterError

__all__ = ["checked_threshold", "mtmpc", "tree_neighbours"]


def mtmpc(
    score: LocalScore,
    *,
    trees: int = 100,
    threshold: float = 0.0,
    by: str | Score = "loglik",
    tree_search: str = "best",
    constraints: Constraints | None = None,
    seed: int | None = 0,
    workers: int | None = None,
    executor: Any = None,
    budget: Budget | None = None,
) -> dict[str, frozenset[str]]:
    """Return for each variable its neighbours in trees that were learned from bootstrap replicas of the data.

    The algorithm MtMPC of Ammar & Leray (2011, ECSQARU, algorithm 4): each tree is Chow & Liu's of one replica, and the
    neighbours of a variable are those that it has in any of them. With few rows and many variables this finds many more
    of the true neighbours than tests of independence (`mmpc`) do, and many more false ones; a `threshold` removes most
    of the latter, and some of the former. Unlike there, pairs that are independent in a replica stay unconnected.

    Of the score only the data is used. The result can be the `neighbourhood` of `select`, and so can the function.

    Parameters
    ----------
    score
        A score, bound to the data.
    trees
        How many trees are learned.
    threshold
        The share of the trees that must have an edge; those in fewer are pruned (the paper tries 0.1). With 0 a single
        tree is enough.
    by, tree_search
        The score of which each tree has the most, and how it is found; see `tree_mixture`. Random trees say nothing
        about neighbours.
    constraints
        Required arcs make neighbours; variables between which both arcs are forbidden are none.
    seed
        Draws the replicas; the same seed gives the same neighbours. None draws one.
    workers
        Trees at the same time; by default one per usable core. The neighbours do not depend on it.
    executor
        Where trees are learned instead; see `tree_mixture`.
    budget
        When to stop; each pair of variables that a tree looks at is an evaluation. The neighbours are then those in the
        trees so far, with a warning.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(500, seed=1))
    >>> sorted(mtmpc(score, threshold=0.5)["Cancer"])
    ['Dyspnoea', 'Smoker', 'Xray']
    """
    names = instance("score", score, LocalScore).names
    score.data.refuse_continuous("mtmpc")
    score.data.refuse_gaps("mtmpc")
    score.data.refuse_shards("mtmpc")
    rules = instance("constraints", constraints, Constraints, default=Constraints).resolve(names)
    share = checked_threshold(threshold)
    bagging = Bagging(trees, by, tree_search, seed)
    bagged = bagged_trees(score, bagging, workers=workers, executor=executor, budget=budget)
    found = tree_neighbours(bagged, rules, share)
    if not found.is_complete:
        warn(
            f"the budget ended before all {trees} trees were learned; the neighbours are those in the trees so far",
            ArcwiseWarning,
            stacklevel=2,
        )
    return {name: frozenset(row) for name, row in found.named(names).items()}


def checked_threshold(threshold: float) -> float:
    """Return a share of trees, or raise a `ParameterError`."""
    if number("threshold", threshold) > 1:
        raise ParameterError.of("threshold", "a share from 0 to 1", threshold)
    return threshold


def tree_neighbours(bagged: BaggedTrees, rules: ResolvedConstraints, threshold: float = 0.0) -> Neighbours:
    """Return which variables are neighbours in trees, by index, and whether all trees were learned; see `mtmpc`.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10)
    >>> bagged = bagged_trees(LocalScore(data), Bagging(trees=20, by="bic", seed=0))
    >>> tree_neighbours(bagged, Constraints().resolve(data.names), threshold=0.5).of
    ((1,), (0,), ())
    """
    n = rules.n_variables
    lower, upper, counts = bagged.edges()
    # A share that is reached exactly is not under the threshold, however it is rounded.
    frequent = counts >= threshold * len(bagged.parents) - 1e-9
    edges = NodeLists.from_pairs(n, np.column_stack([lower[frequent], upper[frequent]]).astype(np.int64))
    found = (edges | rules.required).either_way
    return Neighbours(found.where(rules.may_join(found.pairs)), (bagged.is_complete,) * n)
