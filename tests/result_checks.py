"""What holds for every result of a search."""

import pickle
from math import isclose

from arcwise import Dataset, LocalScore, Result


def check(result: Result, data: Dataset, score: str = "bic") -> None:
    """What holds for every result, however it ended."""
    assert result.dag.names == data.names
    assert isclose(result.score, LocalScore(data, score).total(result.dag), rel_tol=1e-9)
    scores = [point.score for point in result.trace]
    assert scores == sorted(scores)
    assert isclose(scores[-1], result.score, rel_tol=1e-9)
    assert result.bound is None or result.bound >= result.score - 1e-6
    assert pickle.loads(pickle.dumps(result)) == result
