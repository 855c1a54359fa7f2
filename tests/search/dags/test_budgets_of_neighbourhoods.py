"""Searches that look for neighbours first do so within their budget."""

import os
import signal
import time
from functools import partial

import pytest

from arcwise import ArcwiseWarning, Budget, LocalScore, Status, greedy, mmpc, mtmpc, score_filter
from arcwise.parents.neighbourhoods import Neighbourhood
from arcwise.search.registry import SEARCHES
from arcwise.search.search import options_of, run_search, with_options
from tables import dependent_table


@pytest.mark.parametrize("neighbourhood", [score_filter, mmpc, partial(mtmpc, trees=50)])
@pytest.mark.parametrize(
    "method", [name for name, search in SEARCHES.items() if "neighbourhood" in options_of(type(search))]
)
def test_neighbours_are_looked_for_within_the_budget(method: str, neighbourhood: Neighbourhood) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    search = with_options(SEARCHES[method], {"neighbourhood": neighbourhood})
    with pytest.warns(ArcwiseWarning, match="the budget ended"):
        result = run_search(search, LocalScore(data), budget=Budget(evaluation_limit=20), seed=1)
    assert result.status == Status.EVALUATION_LIMIT
    assert result.counters["evaluations"] <= 20 + 3 * data.n_variables


def test_ctrl_c_while_neighbours_are_looked_for_ends_the_search() -> None:
    def interrupted(score: LocalScore, *, budget: Budget | None = None) -> dict[str, tuple[str, ...]]:
        assert budget is not None
        os.kill(os.getpid(), signal.SIGINT)
        while not budget.exhausted:
            time.sleep(0.01)
        return dict.fromkeys(score.data.names, ())

    assert greedy(LocalScore(dependent_table()), neighbourhood=interrupted).status == Status.INTERRUPTED


def test_a_budget_of_its_own_is_kept() -> None:
    own, seen = Budget(), []

    def asked(score: LocalScore, *, budget: Budget | None = None) -> dict[str, tuple[str, ...]]:
        seen.append(budget)
        return dict.fromkeys(score.data.names, ())

    greedy(LocalScore(dependent_table()), neighbourhood=partial(asked, budget=own))
    assert seen == [own]
