"""Keywords in either spelling do the same, both at once are refused, and signatures show the documented one."""

import re
from collections.abc import Callable
from inspect import Parameter, getmembers, isclass, isfunction, ismethod, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import arcwise
from arcwise import BayesianNetworkClassifier, Dataset, LocalScore, learn, load_example, score_filter, select
from arcwise.cli import app
from arcwise.estimator.learner import BayesianNetworkLearner
from arcwise.search.registry import search_named
from arcwise.search.search import with_options
from arcwise.simulation.genes import simulate_genes
from arcwise.support.arguments import BRITISH
from arcwise.support.errors import ParameterError

DATA = load_example("cancer").sample(200, seed=1)
SCORE = LocalScore(DATA)
FRAME = np.random.default_rng(1).normal(size=(60, 2))
GENES = simulate_genes(3, 60, seed=1)

# Everything public that has such a keyword, with a value that is not the default.
NEIGHBOURHOODS: dict[str, Callable[..., object]] = {
    "Greedy": arcwise.Greedy,
    "Tabu": arcwise.Tabu,
    "LookAhead": arcwise.LookAhead,
    "Reinsertion": arcwise.Reinsertion,
    "greedy": lambda **given: arcwise.greedy(SCORE, climbs=1, seed=1, **given).provenance,
    "learn": lambda **given: learn(DATA, method="greedy", climbs=1, seed=1, **given).provenance,
    "with_options": lambda **given: with_options(search_named("tabu"), given),
    "select": lambda **given: select(SCORE, **given).sets,
}
DISCRETISERS: dict[str, Callable[..., object]] = {
    "Dataset.of": lambda **given: Dataset.of(FRAME, **given),
    "Dataset.from_array": lambda **given: Dataset.from_array(FRAME, **given),
    "GeneExperiment.data": GENES.data,
    "BayesianNetworkLearner": lambda **given: BayesianNetworkLearner(**given).get_params(),
    "BayesianNetworkClassifier": lambda **given: BayesianNetworkClassifier(**given).get_params(),
}
CASES = [
    *(pytest.param(make, "neighbourhood", score_filter, id=name) for name, make in NEIGHBOURHOODS.items()),
    *(pytest.param(make, "discretise", "quantile", id=name) for name, make in DISCRETISERS.items()),
]
AMERICAN = {british: american for american, british in BRITISH.items()}


@pytest.mark.parametrize(("make", "keyword", "value"), CASES)
def test_either_spelling_does_the_same(make: Callable[..., object], keyword: str, value: Any) -> None:
    assert make(**{AMERICAN[keyword]: value}) == make(**{keyword: value})


@pytest.mark.parametrize(("make", "keyword", "value"), CASES)
def test_both_spellings_at_once_are_refused(make: Callable[..., object], keyword: str, value: Any) -> None:
    message = f"{keyword} and {AMERICAN[keyword]} are two spellings of one option; give one of them"
    with pytest.raises(ParameterError, match=re.escape(message)):
        make(**{AMERICAN[keyword]: value, keyword: value})


def test_public_signatures_have_one_spelling_and_take_the_other() -> None:
    public = {name: getattr(arcwise, name) for name in dir(arcwise)}
    calls = {name: call for name, call in public.items() if isclass(call) or isfunction(call)}
    for name, kind in list(calls.items()):
        if isclass(kind):
            calls |= {
                f"{name}.{method}": call for method, call in getmembers(kind, lambda m: isfunction(m) or ismethod(m))
            }
    found = set()
    for name, call in calls.items():
        try:
            parameters: dict[str, Parameter] = dict(signature(call).parameters)
        except (TypeError, ValueError):  # an exception, for one
            continue
        assert not parameters.keys() & BRITISH.keys(), name
        found |= {name for british in BRITISH.values() if british in parameters}
    searches = {"Greedy", "Tabu", "LookAhead", "Reinsertion", "greedy", "tabu", "look_ahead", "reinsertion"}
    listed = {*searches, "select"}
    assert listed <= found
    other = {name for name in found if "." not in name} - listed
    assert other <= {"BayesianNetworkClassifier", "BayesianNetworkLearner"}, "add a case for each of these"


def test_the_command_line_takes_both(in_empty_folder: Path) -> None:
    table = in_empty_folder / "table.csv"
    table.write_text("x,y\n" + "\n".join(f"{i / 7},{i % 2}" for i in range(60)) + "\n")
    ran = [
        CliRunner().invoke(app, ["learn", str(table), "--seed", "1", "--json", option, "quantile"])
        for option in ("--discretise", "--discretize")
    ]
    assert [one.exit_code for one in ran] == [0, 0], ran[1].output
