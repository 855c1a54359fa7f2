"""Markov tree mixtures: trees of bootstrap replicas, with parameters from all the data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.network.tree_mixture import TreeMixture
from arcwise.parents.bagged_trees import BaggedTrees, Bagging, bagged_trees
from arcwise.parents.best_trees import BestTrees
from arcwise.runs.budget import Budget
from arcwise.runs.provenance import Provenance
from arcwise.runs.result import STATUS_OF_REASON, Status
from arcwise.scores.definitions import LogLikelihood, Score
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance, number, recorded_seed
from arcwise.support.names import one_of

__all__ = ["WEIGHTS", "LearnedMixture", "tree_mixture"]

Floats = npt.NDArray[np.float64]

WEIGHTS = ("uniform", "likelihood", "score")
"""How much the trees of a mixture count."""


@dataclass(frozen=True)
class LearnedMixture:
    """A mixture of trees, and how it was learned.

    Attributes
    ----------
    mixture
        The mixture.
    status
        Why learning ended: complete, or what ended it before all trees were there.
    provenance
        Where it came from: options, score, limits, seed and version.
    seconds
        How long it took.
    counters
        What was done: trees and evaluations, each a pair of variables.
    """

    mixture: TreeMixture
    status: Status
    provenance: Provenance
    seconds: float
    counters: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def seed(self) -> int:
        """The seed that was used."""
        return self.provenance.seed


def tree_mixture(
    score: LocalScore,
    *,
    trees: int = 100,
    by: str | Score = "loglik",
    tree_search: str = "best",
    weights: str = "uniform",
    ess: float = 1.0,
    seed: int | None = None,
    workers: int | None = None,
    executor: Any = None,
    budget: Budget | None = None,
    on_tree: Callable[[int], object] | None = None,
) -> LearnedMixture:
    r"""Learn a mixture of trees: each from a bootstrap replica of the data, its parameters from all the data.

    The bagged Markov tree mixture MtM of Ammar & Leray (2011, ECSQARU, algorithm 2): with few rows and many variables,
    the mixture estimates a distribution better than its best tree. Pairs that gain nothing in a replica stay
    unconnected.

    Parameters
    ----------
    score
        A score, bound to the data. It is used itself only where `weights` is ``score``.
    trees
        How many.
    by
        The score of which each tree has the most in its replica: ``loglik`` for the trees of Chow & Liu; with ``bic``
        or ``bdeu`` arcs that are not worth their parameters are left out.
    tree_search
        How each tree is found: ``best`` looks at all pairs of variables. With many variables others are faster; a tree
        is then not the best of its replica (Ammar, Leray, Schnitzler & Wehenkel 2010, PGM). ``inertial`` looks at the
        arcs of the tree before and at about n ln n pairs drawn at random, but for the first tree; ``sampled`` at such
        pairs alone; ``clustered`` at pairs within clusters of variables, about n to the power of 1.5. ``random`` draws
        trees from all there are, without a look at the data: only their parameters come from it.
    weights
        How much each tree counts: ``uniform``, the paper's choice for few rows, ``likelihood``, proportional to the
        probability of all the data, or ``score``, proportional to the exponential of the score. With more than a few
        rows one tree has nearly all of the latter two.
    ess
        Equivalent sample size of the parameters, spread evenly over the cells of each table. With 0 (maximum
        likelihood) rows with something never seen before are impossible.
    seed
        Draws the replicas; drawn and recorded itself when None.
    workers
        Trees at the same time; by default one per usable core. They do not change the result. With
        ``inertial`` there is one.
    executor
        Where trees are learned instead, as in `learn`, but for ``inertial`` ones: the workers of an executor or of a
        Dask cluster.
    budget
        When to stop early; the mixture has the trees that are done by then, or one without arcs.
    on_tree
        Called with the number of trees that are done.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> truth = load_example("asia")
    >>> learned = tree_mixture(LocalScore(truth.sample(200, seed=1)), trees=20, seed=1)
    >>> learned.mixture
    <TreeMixture: 20 trees over 8 variables>
    >>> learned.status
    <Status.COMPLETE: 'complete'>
    """
    data = instance("score", score, LocalScore).data
    data.refuse_continuous("A mixture of trees")
    data.refuse_gaps("A mixture of trees")
    one_of("weights", weights, WEIGHTS)
    bagging = Bagging(trees, by, tree_search, seed)
    ess, budget = number("ess", ess), instance("budget", budget, Budget, default=Budget)
    begin, evaluations = budget.elapsed, score.evaluations
    bagged = bagged_trees(score, bagging, workers=workers, executor=executor, budget=budget, on_tree=on_tree)
    if not len(bagged.parents):
        bagged = BaggedTrees(np.full((1, data.n_variables), -1, dtype=np.int32), is_complete=False)
    mixture = _fitted(score, bagged, weights, ess)
    options = {"bagging": bagging, "weights": weights, "ess": ess}
    return LearnedMixture(
        mixture,
        Status.COMPLETE if bagged.is_complete else STATUS_OF_REASON[budget.core.reason],
        Provenance("tree mixture", recorded_seed(bagging.seed), score.score, options, limits=budget.limits),
        budget.elapsed - begin,
        {"trees": mixture.n_trees, "evaluations": score.evaluations - evaluations},
    )


@dataclass(frozen=True)
class _Arcs:
    """All arcs of some trees, each once; the parent is -1 where there is none."""

    parents: npt.NDArray[np.intp]
    children: npt.NDArray[np.intp]
    which: npt.NDArray[np.intp]

    @classmethod
    def of(cls, trees: npt.NDArray[np.int32]) -> "_Arcs":
        n = trees.shape[1]
        keys, which = np.unique((trees.astype(np.intp) + 1) * n + np.arange(n), return_inverse=True)
        return cls(keys // n - 1, keys % n, which.reshape(trees.shape))


def _fitted(score: LocalScore, bagged: BaggedTrees, weights: str, ess: float) -> TreeMixture:
    arcs, data = _Arcs.of(bagged.parents), score.data
    tables, log_likelihoods = _tables(_counts(score, arcs), ess)
    shares_of_trees = None
    if weights == "likelihood":
        shares_of_trees = _softmax(log_likelihoods[arcs.which].sum(axis=1))
    elif weights == "score":
        local = np.array(
            [
                score.local(int(child), [] if parent < 0 else [int(parent)])
                for parent, child in zip(arcs.parents, arcs.children, strict=True)
            ]
        )
        shares_of_trees = _softmax(local[arcs.which].sum(axis=1))
    return TreeMixture(data.names, data.states, bagged.parents, tables, arcs.which, shares_of_trees)


def _tables(counts: Sequence[Floats], ess: float) -> tuple[list[Floats], Floats]:
    """Return the probabilities of each table of counts, and the log-likelihood that they give it."""
    tables, log_likelihoods = list(counts), np.zeros(len(counts))
    shapes: dict[tuple[int, ...], list[int]] = {}
    for place, table in enumerate(counts):
        shapes.setdefault(table.shape, []).append(place)
    for (rows, columns), places in shapes.items():  # all tables of a shape at once
        stacked = np.stack([counts[place] for place in places])
        cells = stacked + ess / (rows * columns)
        sums = cells.sum(axis=2, keepdims=True)
        shares = np.full(cells.shape, 1 / columns)  # where neither data nor prior say anything
        np.divide(cells, sums, out=shares, where=sums > 0)
        logs = np.log(shares, out=np.zeros_like(shares), where=stacked > 0)
        log_likelihoods[places] = (stacked * logs).sum(axis=(1, 2))
        for place, table in zip(places, shares, strict=True):
            tables[place] = table
    return tables, log_likelihoods


def _counts(score: LocalScore, arcs: _Arcs) -> list[Floats]:
    """Return for each arc how often its states occur together, a row for each state of the parent."""
    data, with_parent = score.table, arcs.parents >= 0
    pairs = np.stack([arcs.parents[with_parent], arcs.children[with_parent]], axis=1).astype(np.uint32)
    arities = np.array(data.arities)
    flat = BestTrees(score, LogLikelihood()).counts(np.ascontiguousarray(pairs)) if len(pairs) else np.zeros(0)
    ends = np.cumsum(arities[pairs].prod(axis=1)) if len(pairs) else np.zeros(0, dtype=np.intp)
    of_pairs = iter(np.split(flat.astype(np.float64), ends[:-1]))
    return [
        next(of_pairs).reshape(arities[parent], -1) if parent >= 0 else _margin(data, int(child))
        for parent, child in zip(arcs.parents, arcs.children, strict=True)
    ]


def _margin(data: Dataset, variable: int) -> Floats:
    counts = np.bincount(data.codes[:, variable], weights=data.weights, minlength=data.arities[variable])
    return counts.astype(np.float64)[None, :]


def _softmax(values: Floats) -> Floats:
    shares = np.exp(values - values.max())
    total: Floats = shares / shares.sum()
    return total
