"""What can be put together: something added to a score in Python, on data with interventions."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from arcwise import (
    BIC,
    Adjusted,
    CountScore,
    Dataset,
    Family,
    LocalScore,
    ParameterError,
    Prior,
    ges,
    greedy,
    learn,
    load_example,
    read_run,
    write_run,
)
from arcwise.scores.custom import Counts


@dataclass(frozen=True)
class Likelihood(CountScore):
    """The log-likelihood, less a number for each parameter."""

    is_equivalent: ClassVar[bool] = True
    each: float = 1.0

    def of_counts(self, counts: Counts, family: Family) -> float:
        shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        likelihood = (counts * np.log(np.where(counts > 0, shares, 1))).sum()
        return float(likelihood - self.each * family.configurations * (family.states - 1))


def data(*, is_set: bool) -> Dataset:
    network = load_example("cancer")
    made = {"Smoker": np.arange(300) < 100} if is_set else None
    return network.sample(300, seed=1).with_interventions(made)


@pytest.mark.parametrize("is_set", [False, True])
def test_adjusted_score_in_python_is_that_of_the_built_in_one(is_set: bool) -> None:
    table = data(is_set=is_set)
    price = float(np.log(table.n_observations)) / 2  # BIC's
    prior = Prior({("Smoker", "Cancer"): 0.8}, parents=0.1)
    ours = LocalScore(table, Adjusted(Likelihood(price), prior, least_gain=0.5))
    built_in = LocalScore(table, Adjusted(BIC(), prior, least_gain=0.5))
    for child in table.names:
        others = [name for name in table.names if name != child]
        for parents in ([], others[:1], others[:2], others):
            assert ours.local(child, parents) == pytest.approx(built_in.local(child, parents), rel=1e-9)
    assert not ours.is_equivalent  # the prior tells directions apart
    assert greedy(ours, seed=1).dag == greedy(built_in, seed=1).dag


def test_interventions_tell_equivalent_graphs_apart_whoever_scores() -> None:
    assert LocalScore(data(is_set=False), Likelihood()).is_equivalent
    with_both = LocalScore(data(is_set=True), Likelihood())
    assert not with_both.is_equivalent
    with pytest.raises(ParameterError, match="intervention"):
        ges(with_both)


def test_run_with_an_adjusted_python_score_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    result = learn(data(is_set=False), score=Adjusted(Likelihood(3.0), least_gain=0.5), method="greedy", seed=1)
    write_run(result, path)
    again = read_run(path).result
    assert again.dag == result.dag
    assert again.score == result.score
    assert "Likelihood" in str(again.provenance.score)
