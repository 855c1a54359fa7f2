"""What counts states says so where there are none: tests of independence, trees of replicas and their mixtures."""

from collections.abc import Callable

import numpy as np
import pytest

from arcwise import (
    DataError,
    Dataset,
    LocalScore,
    compare_methods,
    learn,
    mmpc,
    mtmpc,
    select,
    tree_mixture,
    tree_strengths,
)
from arcwise.parents.best_trees import BestTrees
from arcwise.scores.definitions import BIC


def table() -> Dataset:
    """Two continuous variables and a discrete one."""
    random = np.random.default_rng(1)
    bmi = random.normal(26, 4, 60)
    return Dataset.of({"bmi": bmi, "pressure": 80 + bmi + random.normal(size=60), "ward": random.integers(0, 3, 60)})


@pytest.mark.parametrize("names", [("bmi", "pressure", "ward"), ("bmi", "pressure")], ids=["mixed", "continuous"])
@pytest.mark.parametrize(
    ("work", "words"),
    [
        (mmpc, "mmpc takes"),
        (mtmpc, "mtmpc takes"),
        (tree_mixture, "A mixture of trees takes"),
        (tree_strengths, "Learning trees from replicas takes"),
        (lambda score: BestTrees(score, BIC()), "A sweep over the counts of all pairs takes"),
        (lambda score: select(score, neighbourhood=mmpc), "mmpc takes"),
        (lambda score: learn(score.data, method="mmhc"), "mmhc takes"),
        (lambda score: learn(score.data, method="mtmhc"), "mtmhc takes"),
        (lambda score: compare_methods({"": score.data}, ["greedy", "mmhc"]), "mmhc takes"),
    ],
)
def test_numbers_are_refused(names: tuple[str, ...], work: Callable[[LocalScore], object], words: str) -> None:
    score = LocalScore(table().select(names))
    with pytest.raises(DataError, match=f"{words} variables with states only.*'bmi', 'pressure'.*discretise="):
        work(score)


def test_states_alone_are_taken() -> None:
    score = LocalScore(table().select(["ward"]))
    assert mmpc(score) == {"ward": frozenset()}
