"""The front door: what it passes on to the methods, and the clean-up after them."""

from typing import Any

import numpy as np
import pytest

from arcwise import (
    Constraints,
    Dag,
    Dataset,
    Improvement,
    LocalScore,
    ParameterError,
    learn,
    load_example,
    score_filter,
)
from arcwise.search.registry import SEARCHES
from arcwise.search.search import options_of
from tables import dependent_table


def test_options_reach_the_method() -> None:
    data = dependent_table()
    assert learn(data, method="sgs2", climbs=3, seed=1).counters["climbs"] == 3
    assert learn(data, method="tabu", patience=7, seed=1).provenance.options["patience"] == 7
    assert (
        learn(data, method="greedy", neighbourhood=score_filter, seed=1).provenance.options["neighbourhood"]
        == "score_filter"
    )


@pytest.mark.parametrize("name", ["climb", "budget", "moves_"])
def test_an_option_the_method_does_not_have_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=f"greedy has no option '{name}'; its options are climbs, kick, moves"):
        learn(dependent_table(), method="greedy", **{name: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["obs", "asobs", "inobs", "iinobs", "minobs", "exact"])
def test_every_variable_gets_its_share_of_the_evaluations(method: str) -> None:
    data, limit = load_example("alarm").sample(300, seed=1), 10_000  # all single parents take 1,332
    result = learn(data, method=method, evaluation_limit=limit, seed=1)
    batch = data.n_variables
    assert limit / 2 < result.counters["evaluations"] <= limit + batch
    assert len({child for _, child in result.dag.arcs}) > data.n_variables / 2
    if method != "obs":  # whose climbs end early
        forest = learn(data, method="chow-liu").score
        assert result.score > forest


def collider_with_a_wrong_start() -> tuple[Dataset, Dag]:
    """A v-structure, and the triangle it becomes where its arcs point the wrong way."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(3, size=(2, 4000))
    z = np.where(rng.random(4000) < 0.8, np.maximum(x, y), rng.integers(3, size=4000))
    data = Dataset.from_codes(np.column_stack([x, y, z]), names=["x", "y", "z"])
    return data, Dag(data.names, [("z", "x"), ("z", "y"), ("x", "y")])


@pytest.mark.parametrize("method", ["greedy", "tabu", "orders", "lagd", "k2"])
def test_clean_up_follows_any_method(method: str) -> None:
    data, wrong = collider_with_a_wrong_start()
    # no time for the search: the result is the start
    result = learn(data, method=method, start=wrong, evaluation_limit=0, clean_up=True)
    assert set(result.dag.arcs) == {("x", "z"), ("y", "z")}
    assert result.score == pytest.approx(LocalScore(data).total(result.dag))
    assert result.trace[-1].score == result.score
    assert result.provenance.clean_up is True
    kept = learn(data, method=method, start=wrong, evaluation_limit=0)
    assert set(kept.dag.arcs) == set(wrong.arcs)


def test_what_clean_up_improves_is_told_like_any_improvement() -> None:
    data, wrong = collider_with_a_wrong_start()
    told: list[Improvement] = []
    result = learn(data, method="greedy", start=wrong, evaluation_limit=0, clean_up=True, on_improvement=told.append)
    assert len(told) == 2  # the start, and what it became
    assert tuple(told) == result.trace
    assert told[1].evaluations > told[0].evaluations


def test_clean_up_honours_constraints() -> None:
    data, wrong = collider_with_a_wrong_start()
    constraints = Constraints(required=[("x", "y")])
    result = learn(data, method="greedy", start=wrong, evaluation_limit=0, clean_up=True, constraints=constraints)
    assert result.dag.has_arc("x", "y")


@pytest.mark.parametrize(
    "method", [name for name, search in SEARCHES.items() if "neighbourhood" in options_of(type(search))]
)
def test_arcs_come_from_the_neighbourhood(method: str) -> None:
    data = load_example("asia").sample(2000, seed=1)
    candidates = {name: [other for other in data.names[:i] if i % 3] for i, name in enumerate(data.names)}
    required = ("xray", "asia")
    start = Dag(data.names, [required, ("dysp", "tub")])
    result = learn(
        data,
        method=method,
        neighbourhood=candidates,
        start=start,
        constraints=Constraints(required=[required]),
        score="aic",
        seed=1,
    )
    others = [arc for arc in result.dag.arcs if arc not in start.arcs]
    assert others
    assert all(parent in candidates[child] for parent, child in others)
    assert result.dag.has_arc(*required)


@pytest.mark.parametrize("starts", [{"random_start": True}, {"kick": 3}])
def test_random_starts_stay_in_the_neighbourhood(starts: dict[str, Any]) -> None:
    data = dependent_table(arities=(2, 3) * 5)
    candidates = {name: data.names[:i][-2:] for i, name in enumerate(data.names)}
    result = learn(data, method="greedy", neighbourhood=candidates, seed=2, score="loglik", **starts)
    assert all(parent in candidates[child] for parent, child in result.dag.arcs)
