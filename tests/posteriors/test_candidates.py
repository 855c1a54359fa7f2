"""Candidate parents: what a budget leaves of the search for them."""

from contextlib import nullcontext

import numpy as np
import pytest

from arcwise import Budget, Constraints, Dataset, LocalScore, ParameterError, Status, posterior
from arcwise.graph.dag import Dag
from arcwise.posteriors.candidates import candidates_of, largest_number, outside_arcs
from arcwise.posteriors.chains import check_memory
from arcwise.search.search import Problem
from interrupting import presses_ctrl_c, runs_out_of_time
from tables import dependent_table


class CountsLooks(Budget):
    """A budget that ends after so many looks at it, and counts those that come later."""

    def __init__(self, allowed: int) -> None:
        super().__init__()
        self.allowed, self.looks = allowed, 0

    @property
    def exhausted(self) -> bool:
        self.looks += 1
        if self.looks > self.allowed:
            self.interrupt()
        return super().exhausted


@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("allowed", [0, 1, 5, 40, 200])
def test_a_budget_ends_the_search_whatever_the_number_of_variables(n: int, allowed: int) -> None:
    data = dependent_table(30, (2,) * n, 1)
    score, budget = LocalScore(data, "bdeu"), CountsLooks(allowed)
    graph = Dag(data.names, [(data.names[0], data.names[1])])
    assert candidates_of(score, Problem(score).rules, graph, 8, 1, budget) is None
    assert budget.looks <= allowed + 5


def test_a_budget_ends_the_look_at_arcs_from_outside() -> None:
    """Of each of 60 variables there is nothing more to say, and nothing is scored for it."""
    data = dependent_table(30, (2,) * 60, 1)
    score, budget = LocalScore(data, "bdeu"), CountsLooks(0)
    masks, below = np.zeros((5, 60), dtype=np.uint32), np.zeros((5, 60, 8), dtype=np.uint8)
    found = outside_arcs(score, Problem(score).rules, ((),) * 60, masks, below, 1, budget)
    assert found == [{}] * 60
    assert score.evaluations == 0


def test_arcs_from_outside_are_as_probable_as_their_odds() -> None:
    """With no candidates at all: of two coins that fall alike, by hand; an arc that would close a cycle does not count.

    BDeu with ess 1 of two rows: exp(score) of one column is 1/8, with the other as its parent 1/4. So the odds are 2.
    """
    data = Dataset.from_codes([[0, 0], [1, 1]], arities=[2, 2])
    score = LocalScore(data, "bdeu")
    masks, below = np.zeros((4, 2), dtype=np.uint32), np.zeros((4, 2, 2), dtype=np.bool_)
    below[0, 0, 1] = True  # in one of four graphs an arc to 0 from 1 would close a cycle
    packed = np.packbits(below, axis=2)
    found = outside_arcs(score, Problem(score).rules, ((), ()), masks, packed, 1, Budget())
    assert found[0] == {1: pytest.approx(2 / 3 * 3 / 4)}
    assert found[1] == {0: pytest.approx(2 / 3)}


def test_as_many_candidates_as_may_be_are_counted() -> None:
    names = ["a", "b", "c", "d", "e"]
    assert largest_number(Constraints().resolve(names), 3) == 3
    assert largest_number(Constraints().resolve(names), 9) == 4
    must = Constraints(required=[("a", "e"), ("b", "e"), ("c", "e")])
    assert largest_number(must.resolve(names), 2) == 3
    few = Constraints(forbidden=[(one, other) for one in names for other in names if one != other and one != "a"])
    assert largest_number(few.resolve(names), 3) == 1


@pytest.mark.filterwarnings("ignore:an arc from outside")
def test_a_time_limit_ends_the_whole_run() -> None:
    data = dependent_table(40, (2,) * 30, 1)
    found = runs_out_of_time(
        lambda limit: posterior(
            data, method="partition", candidates=5, seed=1, workers=1, precision=0.3, time_limit=limit
        )
    )
    assert found.status == Status.TIME_LIMIT


def test_ctrl_c_ends_the_search_for_candidates() -> None:
    data = dependent_table(40, (2,) * 100, 1)
    with presses_ctrl_c(after_looks=2000) as press:
        found = posterior(data, method="partition", seed=1, workers=1, budget=Budget(watch=press))
    assert found.status == Status.INTERRUPTED
    assert not found.has_probabilities


def test_what_is_kept_of_all_pairs_counts_against_memory() -> None:
    """Of 100 graphs and 10,000 variables a bit for each pair takes 1.25 GB, however few candidates there are."""
    for fits, memory in ((False, 1_300_000_000), (True, 10_000_000_000)):
        with nullcontext() if fits else pytest.raises(ParameterError, match=r"10,000 variables take 2\.15 GB"):
            check_memory(10_000, 1, memory, "take less", first_draws=100)
