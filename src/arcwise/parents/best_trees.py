"""The kernel that finds the best tree of a table or of a replica of it, with its errors in words."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.scores.definitions import SCORES, PythonScore, Score, scores_for
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.trees import DeviceTrees
from arcwise.scores.local_score import LocalScore
from arcwise.scores.priors import Adjusted
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted

__all__ = ["MAX_BYTES", "BestTrees", "Forest", "Weights"]

MAX_BYTES = 1 << 32
"""What the packed table may take, and the bit planes of one replica."""

Parents = npt.NDArray[np.int32]
Weights = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Forest:
    """Arcs away from the first variable of each tree.

    Attributes
    ----------
    parents
        The parent of each variable, -1 for none.
    gains
        By how much each variable's score is better with its parent.
    is_complete
        Whether all pairs that were asked for were looked at.
    """

    parents: Parents
    gains: npt.NDArray[np.float64]
    is_complete: bool


class BestTrees:
    """Forests of the largest score.

    The best one for a score that equivalent graphs share is a maximum spanning forest (Chow & Liu 1968,
    doi:10.1109/TIT.1968.1054142). Pairs that gain nothing stay apart.

    Parameters
    ----------
    score
        Whose table is counted; each pair of variables is an evaluation of it.
    by
        The score that is maximised.

    Raises
    ------
    ParameterError
        If the score or the interventions of the data tell equivalent trees apart, the score is written in Python, or
        the table is too large.
    DataError
        If the data has continuous variables, of which nothing can be counted.
    """

    def __init__(self, score: LocalScore, by: Score) -> None:
        if not by.is_equivalent or isinstance(by, PythonScore) or "discrete" not in by.kinds:
            names = ", ".join(name for name in scores_for("discrete") if SCORES[name].is_equivalent)
            raise ParameterError(
                f"trees are learned by a built-in score that equivalent graphs share ({names}), not {quoted(by)}"
            )
        score.data.refuse_continuous("A sweep over the counts of all pairs")
        score.data.refuse_gaps("A sweep over the counts of all pairs")
        score.data.refuse_interventions("best trees take both directions of an edge for the same")
        if isinstance(by, Adjusted):
            raise ParameterError(f"trees are learned by a score to which nothing was added, not {quoted(str(by))}")
        on_card = score.on_card
        trees = DeviceTrees(on_card.table, by, score.rounding) if isinstance(on_card, DeviceAnswers) else None
        self._on_card = trees if trees is not None and trees.fits else None
        try:
            self._core = _core.TreeSearch(score.core, by.name, by.parameter, MAX_BYTES)
        except ValueError as error:
            raise _too_large(error) from None

    def best(self, weights: Weights | None, budget: _core.Budget) -> Forest:
        """Return the best forest with the rows of the table weighted; None are their own weights.

        Where the budget ends before, the best of the pairs so far; on a card none.
        """
        if self._on_card is not None and budget.evaluations + self._on_card.n_pairs <= budget.evaluation_limit:
            return self._best_on_card(self._on_card, weights, budget)
        try:
            return Forest(*self._core.best(weights, budget))
        except ValueError as error:
            raise _too_large(error) from None

    def _best_on_card(self, trees: DeviceTrees, weights: Weights | None, budget: _core.Budget) -> Forest:
        found = trees.best(weights, lambda: budget.exhausted)
        if found is None:
            n = trees.n_variables
            return Forest(np.full(n, -1, dtype=np.int32), np.zeros(n), False)
        budget.charge(trees.n_pairs)
        return Forest(*found, True)

    def near(self, weights: Weights | None, parents: Parents, n_drawn: int, seed: int, budget: _core.Budget) -> Forest:
        """Return the best forest of the arcs of another one and so many pairs drawn at random."""
        try:
            return Forest(*self._core.near(weights, parents, n_drawn, seed, budget))
        except ValueError as error:
            raise _too_large(error) from None

    def among(self, weights: Weights | None, pairs: npt.NDArray[np.uint32], budget: _core.Budget) -> Forest:
        """Return the best forest of some pairs."""
        try:
            return Forest(*self._core.among(weights, pairs, budget))
        except ValueError as error:
            raise _too_large(error) from None

    def within(self, rules: _core.ArcRules, budget: _core.Budget) -> Forest:
        """Return the best forest that the rules allow; they must not tell the directions of an arc apart."""
        try:
            return Forest(*self._core.within(rules, budget))
        except ValueError as error:
            raise _too_large(error) from None

    def counts(self, pairs: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        """Return how often the states of each pair occur together in the table, one table behind the other."""
        try:
            return self._core.counts(pairs)
        except ValueError as error:
            raise _too_large(error) from None


def _too_large(error: ValueError) -> ParameterError:
    return ParameterError(f"{error}; use fewer rows or variables")
