"""Ties stay ties: the same seed gives the same graph, whatever is remembered already and however many threads work."""

import os

import numpy as np
import pytest

from arcwise.data.dataset import Dataset
from arcwise.runs.result import Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.registry import SEARCHES
from arcwise.search.search import Search, options_of, run_search, with_options
from short_searches import SHORT

N_TABLES = int(os.environ.get("ARCWISE_TIES", "4"))  # more of them by hand: bitwise equal scores are tested apart


def table_of_ties(seed: int) -> Dataset:
    """A small table of mixed arities, in which many columns equal or nearly equal another one."""
    rng = np.random.default_rng(seed)
    n_variables, n_rows = int(rng.integers(4, 11)), int(rng.integers(5, 120))
    arities = rng.integers(2, 5, n_variables)
    codes = rng.integers(0, arities, (n_rows, n_variables))
    for v in range(1, n_variables):
        other, kind = int(rng.integers(v)), rng.random()
        if kind < 0.25:
            codes[:, v] = codes[:, other]
        elif kind < 0.7:
            follows = rng.random(n_rows) < 0.6
            codes[follows, v] = codes[follows, other] % arities[v]
    return Dataset.from_codes(codes)


def remembering(data: Dataset, name: str, seed: int) -> LocalScore:
    """A score that remembers some families, counted in one way or another: what other threads may have left."""
    score, rng = LocalScore(data, name), np.random.default_rng(seed)
    for _ in range(100):
        variables = rng.permutation(data.n_variables).tolist()
        child, parents = variables[0], variables[1 : 1 + int(rng.integers(0, 5))]
        kind = rng.integers(3)
        if kind == 0:
            score.local(child, parents)
        elif kind == 1:
            score.additions(child, parents)
        else:
            score.removals(child, parents)
    return score


def same(one: Result, other: Result) -> bool:
    return one.score == other.score and one.dag == other.dag


def searched(method: str) -> Search:
    few = {"climbs": 4} if "climbs" in options_of(type(SHORT[method])) else {}
    return with_options(SHORT[method], few)


@pytest.mark.parametrize("name", ["bic", "bdeu"])
@pytest.mark.parametrize("method", SEARCHES)
def test_what_is_remembered_does_not_decide_ties(method: str, name: str) -> None:
    for seed in range(N_TABLES):
        data = table_of_ties(seed)
        first = run_search(searched(method), LocalScore(data, name), seed=1)
        again = run_search(searched(method), remembering(data, name, seed), seed=1)
        assert same(first, again), seed


@pytest.mark.parametrize("method", [name for name in SEARCHES if name != "chow-liu"])
def test_threads_do_not_decide_ties(method: str) -> None:
    for seed in range(N_TABLES):
        data = table_of_ties(seed)
        results = [
            run_search(searched(method), LocalScore(data, "bdeu"), seed=1, workers=workers) for workers in (1, 2, 2, 4)
        ]
        assert all(same(results[0], result) for result in results), seed
