"""What answers whole batches of families: the interface that an engine outside of the kernels has."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["BatchAnswers", "Floats", "Found", "Improving", "improving"]

Floats = npt.NDArray[np.float64]
Variables = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]

#: For each family its score; then the scores and the variables of all improvements, and where those of each begin.
Improving = tuple[Floats, Floats, Variables, Starts]
#: For each family its score; then the improvements of all in any order, as bytes (`_core.sorted_improvements`).
Found = tuple[Floats, npt.NDArray[np.uint8]]


class BatchAnswers(Protocol):
    """Scores of families, a batch at a time: what a card, or machines that share the rows, offer to the kernels.

    A family is a child with parents: ``children[i]``, and ``parents[starts[i]:starts[i + 1]]``, ascending. A number
    depends on its family alone, to the last bit, whatever else is in the batch. All methods are called from several
    threads. `_core.score_by_batches` makes a score of it, for all searches. Where there is a method `found`, with the
    arguments of `improvements` and a `Found`, the kernels ask for that and sort it themselves, by all their threads.
    """

    def scores(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        """Return the score of each family."""
        ...

    def additions(self, children: Variables, starts: Starts, parents: Variables, candidates: Variables) -> Floats:
        """Return a row for each family: its score with each candidate as one more parent, NaN for its own variables."""
        ...

    def improvements(self, children: Variables, starts: Starts, parents: Variables) -> Improving:
        """Return the score of each family, and of all variables those that improve it as one more parent."""
        ...


def improving(own: Any, additions: Any, rounding: float) -> tuple[Any, Any, Any, Any]:
    """Return what improves each family of a batch, best first, and among equals the smaller variable first.

    Parameters
    ----------
    own
        The score of each family.
    additions
        A row for each family, with all variables as one more parent; NaN for its own.
    rounding
        Up to this, a difference is none.

    Examples
    --------
    >>> additions = np.array([[np.nan, 3.0, 1.0, 3.0, 4.0], [5.0, np.nan, 5.0, 5.0, 5.0]])
    >>> own, scores, variables, starts = improving(np.array([2.0, 6.0]), additions, 0.5)
    >>> variables.tolist(), scores.tolist(), starts.tolist()
    ([4, 1, 3], [4.0, 3.0, 3.0], [0, 3, 3])
    """
    families, variables = np.nonzero(additions > own[:, None] + rounding)
    scores = additions[families, variables]
    order = np.lexsort((variables, -scores, families))
    starts = np.concatenate(([0], np.cumsum(np.bincount(families, minlength=len(own))))).astype(np.int64)
    return own, scores[order], variables[order].astype(np.int32), starts
