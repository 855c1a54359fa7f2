"""Scores of tables with gaps, made of what a network expects in these."""

from typing import NoReturn

import numpy as np

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.network.expectation import DiscreteExpectation, Expectation, GaussianExpectation
from arcwise.scores.definitions import DG, FNML, BDs, PythonScore, Score, score_named, scores_for
from arcwise.scores.engines import gaussian_core
from arcwise.scores.gram import Gram
from arcwise.scores.local_score import LocalScore, adjusted_core
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Setting

__all__ = ["ExpectedScore", "check_expectable"]


class ExpectedScore(LocalScore):
    """A score of expected counts, or of expected products: what structural EM maximises.

    For a likelihood with a penalty it is the expectation, over all ways to fill the gaps, of the score of a network,
    with the parameters for which that is greatest (Friedman 1997, ICML). For Bayesian scores it is the score of the
    expected counts, as Friedman (1998, UAI) approximates it. Graphs of an equivalence class score the same wherever
    they do on complete data.

    Parameters
    ----------
    expectation
        What a network expects in the gaps.
    data
        The table.
    score
        A name, such as bic, or an object such as ``BDeu(ess=10)``.
    cache_bytes
        Size of the cache of scores.
    """

    def __init__(
        self, expectation: Expectation, data: Dataset, score: str | Score, *, cache_bytes: int = 1 << 28
    ) -> None:
        definition = score_named(score)
        check_expectable(data, definition)
        core = _core_of(expectation, definition.base, cache_bytes)
        self._take_over(data, definition, adjusted_core(core, definition, data.names, cache_bytes), cache_bytes)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a score of expected counts cannot be pickled; pickle the data and the network")


def check_expectable(data: Dataset, score: Score) -> None:
    """Refuse a score that cannot be made of expected counts."""
    base = score.base
    if isinstance(base, PythonScore | BDs | FNML | DG):
        names = [name for name in scores_for(data.kind) if name not in {"bds", "fnml", "dg"}]
        raise ParameterError(
            Name("score"),
            f" must be one that takes expected counts ({', '.join(names)}) with ",
            Setting("missing", "em"),
            f", not {base.name}",
        )


def _core_of(expectation: Expectation, score: Score, cache_bytes: int) -> _core.LocalScore:
    if isinstance(expectation, DiscreteExpectation):
        return expectation.posteriors.score(score.name, score.parameter, cache_bytes)
    assert isinstance(expectation, GaussianExpectation)
    total, means, scatter = expectation.moments
    scales = np.sqrt(np.maximum(np.diagonal(scatter), 0.0) / total)
    inverses = np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
    matrix = scatter * inverses * inverses[:, None]
    matrix = np.tril(matrix) + np.tril(matrix, -1).T
    np.fill_diagonal(matrix, np.where(scales > 0, total, 0.0))
    gram = Gram(means, scales, np.ascontiguousarray(matrix), total)
    return gaussian_core(gram, [1] * len(means), score, cache_bytes)
