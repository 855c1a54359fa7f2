"""Scores that come in batches from a few lines of numpy: what a card or other machines would answer."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from arcwise import Dataset, LocalScore, _core
from arcwise.scores import score_named
from arcwise.scores.batches import Floats, Improving, improving

Variables = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]


class NumpyAnswers:
    """Families counted one by one, in the units of the kernels; each batch is noted."""

    def __init__(self, data: Dataset, score: str = "bic", *, leaves_parents: int | None = None) -> None:
        definition = score_named(score)
        self.data, self.leaves_parents = data, leaves_parents
        self.rounding = LocalScore(data, score).rounding
        self.counted = _core.CountedScore(
            definition.name, definition.parameter, data.n_observations, list(data.arities)
        )
        self.batches: list[tuple[str, int]] = []

    def scores(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        self.batches.append(("scores", len(children)))
        return np.array([self._score(child, its) for child, its in _families(children, starts, parents)])

    def additions(self, children: Variables, starts: Starts, parents: Variables, candidates: Variables) -> Floats:
        self.batches.append(("additions", len(children)))
        return self._additions(children, starts, parents, candidates)

    def improvements(self, children: Variables, starts: Starts, parents: Variables) -> Improving:
        self.batches.append(("improvements", len(children)))
        everybody = np.arange(self.data.n_variables, dtype=np.int32)
        own = np.array([self._score(child, its) for child, its in _families(children, starts, parents)])
        own[np.diff(starts) == (-1 if self.leaves_parents is None else self.leaves_parents)] = np.nan
        return improving(own, self._additions(children, starts, parents, everybody), self.rounding)

    def _additions(self, children: Variables, starts: Starts, parents: Variables, candidates: Variables) -> Floats:
        return np.array(
            [
                [np.nan if c in (child, *its) else self._score(child, [*its, c]) for c in candidates.tolist()]
                for child, its in _families(children, starts, parents)
            ]
        )

    def _score(self, child: int, parents: list[int]) -> float:
        data, arities = self.data, self.data.arities
        shape = [*(arities[parent] for parent in parents), arities[child]]
        cells = np.ravel_multi_index(tuple(data.codes[:, v] for v in [*parents, child]), shape)
        counts = np.bincount(cells, weights=data.weights, minlength=int(np.prod(shape))).astype(np.int64)
        table = counts.reshape(-1, arities[child])
        rows = table.sum(axis=1)
        cell, row, constant = self.counted.terms(arities[child], len(rows), len(parents), int((rows > 0).sum()))
        return float(constant + int(cell[table].sum() + row[rows].sum()) * self.counted.nats_per_unit)


def _families(children: Variables, starts: Starts, parents: Variables) -> Iterator[tuple[int, list[int]]]:
    for i, child in enumerate(children.tolist()):
        yield child, parents[starts[i] : starts[i + 1]].tolist()


class ByBatches(LocalScore):
    """A score that has nothing but what answers batches."""

    def __init__(self, answers: NumpyAnswers, score: str = "bic") -> None:
        data, counted = answers.data, answers.counted
        core = _core.score_by_batches(
            answers, data.n_variables, answers.rounding, counted.is_equivalent, 1e-6, 1 << 24, counted
        )
        self._take_over(data, score_named(score), core, 1 << 24)


class WithBatches(LocalScore):
    """A score that is counted by the kernels, but for the batches."""

    def __init__(self, answers: NumpyAnswers, score: str = "bic", *, seconds_per_batch: float = 0.0) -> None:
        kernels = LocalScore(answers.data, score)
        core = _core.score_with_batches(kernels.core, answers, seconds_per_batch, 0.0, 1 << 24)
        self._take_over(answers.data, score_named(score), core, 1 << 24)
