"""Scores of a table in shards: workers count, and the sums are scored by the rules of the whole table."""

from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.scores.batches import Floats, Improving, Starts, Variables, improving
from arcwise.scores.definitions import PythonScore, Score
from arcwise.shards.dataset import ShardedDataset
from arcwise.shards.requests import Counts, Family, Request
from arcwise.support.errors import ParameterError

__all__ = ["ShardedAnswers", "sharded_core"]

# What an addition takes, roughly: tells kernels that a batch is worth asking for.
_SECONDS_PER_ADDITION = 1e-3


class ShardedAnswers:
    """Scores of families of a table in shards, for the kernels; see `BatchAnswers`.

    Parameters
    ----------
    data
        The table.
    score
        The score.
    """

    def __init__(self, data: ShardedDataset, score: Score) -> None:
        self._data = data
        self.counted = _core.CountedScore(score.name, score.parameter, data.n_observations, list(data.arities))
        n = float(data.n_observations)
        self.rounding = 1e-12 * n * log(n + 1.0)  # as counting on one table has it

    def scores(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        """Return the score of each family."""
        families = _families(children, starts, parents)
        return self._scored(families, self._data.counts(families))

    def additions(self, children: Variables, starts: Starts, parents: Variables, candidates: Variables) -> Floats:
        """Return a row for each family: its score with each candidate as one more parent, NaN for its own variables."""
        families, among = _families(children, starts, parents), candidates.tolist()
        answers = np.full((len(families), len(among)), np.nan)
        counts = self._data.counts_of_additions(families, among)
        for row, family, own in zip(answers, families, counts, strict=True):
            is_other = [candidate != family[0] and candidate not in family[1] for candidate in among]
            row[is_other] = self._scored(list(Request((family,), tuple(among)).expanded()), own)
        return answers

    def improvements(self, children: Variables, starts: Starts, parents: Variables) -> Improving:
        """Return the score of each family, and of all variables those that improve it as one more parent."""
        everybody = np.arange(self._data.n_variables, dtype=np.int32)
        additions = self.additions(children, starts, parents, everybody)
        return improving(self.scores(children, starts, parents), additions, self.rounding)

    def _scored(self, families: Sequence[Family], counts: Sequence[Counts]) -> Floats:
        if not families:
            return np.empty(0)
        ends: npt.NDArray[np.int64] = np.cumsum([own.size for own in counts], dtype=np.int64)
        return self.counted.scores(*Request(tuple(families)).arrays, np.concatenate(counts), ends)


def _families(children: Variables, starts: Starts, parents: Variables) -> list[Family]:
    its = parents.tolist()
    return [
        (child, tuple(its[begin:end]))
        for child, begin, end in zip(children.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]


def sharded_core(data: ShardedDataset, score: Score, cache_bytes: int) -> _core.LocalScore:
    """Return the kernel of a score on a table in shards.

    Raises
    ------
    ParameterError
        If the score is written in Python.
    """
    if isinstance(score, PythonScore):
        raise ParameterError(
            f"the score {score.name} is written in Python, and is made of one table; read the table into one place "
            "with Dataset.of, or take a score of arcwise"
        )
    answers = ShardedAnswers(data, score)
    return _core.score_by_batches(
        answers,
        data.n_variables,
        answers.rounding,
        answers.counted.is_equivalent,
        _SECONDS_PER_ADDITION,
        cache_bytes,
        answers.counted,
    )
