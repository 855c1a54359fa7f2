"""Searches as objects: by name, with their options, from other packages."""

import pickle
from dataclasses import dataclass
from inspect import signature
from typing import Any

import pytest

from arcwise import (
    SEARCHES,
    Context,
    Dag,
    Greedy,
    LocalScore,
    Outcome,
    ParameterError,
    Problem,
    Search,
    Status,
    bootstrap,
    ges,
    learn,
    run_search,
)
from arcwise.search import registry
from arcwise.search.registry import search_named
from arcwise.search.search import options_of, with_options
from tables import dependent_table


@pytest.mark.parametrize("name", list(SEARCHES))
def test_a_name_and_its_object_are_the_same(name: str) -> None:
    data, search = dependent_table(), SEARCHES[name]
    named, given = learn(data, method=name, seed=1), learn(data, method=search, seed=1)
    assert (named.method, named.dag, named.score, named.seed) == (name, given.dag, given.score, given.seed)
    assert given.method == name
    assert pickle.loads(pickle.dumps(search)) == search
    assert hash(search) == hash(with_options(search, {}))


def test_options_may_come_either_way() -> None:
    data = dependent_table()
    named = learn(data, method="sgs3", climbs=2, seed=1)
    given = learn(data, method=Greedy(moves="a*ds*", climbs=2), seed=1)
    assert (named.provenance, named.dag) == (given.provenance, given.dag)
    assert learn(data, method=Greedy(climbs=2), climbs=3, seed=1).provenance.options["climbs"] == 3


def test_options_that_a_search_does_not_have_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"tabu has no option 'patiense'; .*; did you mean 'patience'\?"):
        learn(dependent_table(), method="tabu", patiense=3)
    with pytest.raises(ParameterError, match="chow-liu has no option 'climbs'; it has none"):
        learn(dependent_table(), method="chow-liu", climbs=3)
    with pytest.raises(ParameterError, match="climbs must be at least 1"):
        Greedy(climbs=0)


def test_functions_say_what_they_take() -> None:
    taken = list(signature(ges).parameters)
    assert taken[:6] == ["score", "climbs", "random_start", "max_degree", "by_phases", "reversing"]
    assert taken[6:] == ["constraints", "start", *list(signature(run_search).parameters)[2:]]
    assert (ges.__name__, ges.__module__) == ("ges", "arcwise.search.classes.ges")


def test_options_of_a_kind_of_search_are_its_fields() -> None:
    assert options_of(Greedy) == ("moves", "climbs", "neighbourhood", "random_start", "kick", "restriction")


@dataclass(frozen=True)
class Nothing(Search):
    """Return the start."""

    name = "nothing"

    def run(self, problem: Problem, context: Context) -> Outcome:
        return Outcome(problem.first, problem.score.total(problem.first))


def test_a_search_of_ones_own() -> None:
    data = dependent_table()
    start = Dag(data.names, [(data.names[0], data.names[1])])
    result = learn(data, method=Nothing(), start=start)
    assert (result.dag, result.method, result.status) == (start, "nothing", Status.LOCAL_OPTIMUM)
    assert result.score == LocalScore(data).total(start)
    assert bootstrap(data, Nothing(), 3, seed=1).n_replicas == 3


class _Entry:
    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def load(self) -> Any:
        return self.value


def test_searches_of_other_packages_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = [_Entry("nothing", Nothing()), _Entry("broken", 3)]
    monkeypatch.setattr(registry, "entry_points", lambda group: offered if group == "arcwise.searches" else [])
    assert learn(dependent_table(), method="nothing").method == "nothing"
    assert search_named("greedy") == Greedy()
    with pytest.raises(ParameterError, match="the search broken must be a Search, not 3"):
        search_named("broken")
    with pytest.raises(ParameterError, match="method must be one of orders"):
        search_named("nothingg")
