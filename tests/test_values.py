"""Public objects that do not change: equal ones have equal hashes, and copies and pickles are equal to them."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from inspect import isabstract

import numpy as np
import pytest

import arcwise
from arcwise import (
    BDeu,
    Bound,
    Checkpoints,
    Constraints,
    Cpdag,
    Cuts,
    Dag,
    Dataset,
    Improvement,
    Limits,
    LocalKicks,
    LocalScore,
    Memetic,
    OrderClimb,
    Quantile,
    Result,
    Run,
    Stop,
    compare,
    learn,
    load_example,
)
from arcwise.plan import Plan
from arcwise.scores import SCORES

DATA = load_example("cancer").sample(200, seed=1)
SCORE = LocalScore(DATA)
DAG = Dag(["a", "b"], [("a", "b")])


def a_result() -> Result:
    found = learn(DATA, method="ges", climbs=2, seed=1, workers=1)  # two threads may count a family twice
    return replace(found, seconds=1.0, trace=(Improvement(0.5, 3, found.score),))  # times differ from run to run


def a_run() -> Run:
    return replace(Run.of(a_result(), DATA), checkpoint={"searches": {}})


def a_mixture() -> arcwise.LearnedMixture:
    return replace(arcwise.tree_mixture(SCORE, trees=2, seed=1), seconds=0.0)


def a_selection() -> arcwise.Selected:
    return replace(arcwise.select(SCORE, limits=Limits(scored_per_variable=20)), seconds=0.0)


def a_bound() -> Bound:
    return replace(arcwise.tightened_bound(a_selection().sets), seconds=0.0, trace=())


def a_table() -> arcwise.ParentSets:
    return arcwise.ParentSets.from_lists(["a", "b"], [[(-1.0, [])], [(-2.0, []), (-1.5, ["a"])]])


def a_method_run() -> arcwise.MethodRun:
    return arcwise.MethodRun("asia", None, 1, "BIC", "k2", -9.5, None, 0.1, 12, 3, arcwise.Status.LOCAL_OPTIMUM)


def a_candidate() -> arcwise.Candidate:
    return arcwise.Candidate("k2", "BIC", -9.5, 0.5, 3.0, 0.1, 5)


VALUES: list[Callable[[], object]] = [
    a_result,
    a_run,
    a_mixture,
    a_selection,
    a_bound,
    a_table,
    lambda: replace(arcwise.best_networks(a_table(), 1), seconds=0.0),
    lambda: arcwise.best_networks(a_table(), 1).networks[0],
    lambda: a_result().optima[0],
    lambda: a_result().trace[0],
    lambda: arcwise.Tightening(1.0, -3.0),
    lambda: arcwise.RunLimits(60.0, 1000),
    lambda: arcwise.Provenance("k2", 1, BDeu(3.0), {"order": ("a", "b")}, Constraints(max_parents=2), start=DAG),
    lambda: arcwise.inclusion_boundary(SCORE, Dag(DATA.names))[0],
    lambda: compare(DAG, DAG),
    lambda: arcwise.BayesianNetwork.fit(load_example("cancer").dag, DATA, ess=1.0),
    lambda: arcwise.Table([[0.9, 0.1], [0.3, 0.7]]),
    lambda: arcwise.ConditionalGaussian([164.0, 178.0], [[0.5], [0.25]], [6.5, 7.0]),
    lambda: arcwise.DiscretePosterior("a", ["no", "yes"], [0.25, 0.75], [0.01, 0.01]),
    lambda: arcwise.ContinuousPosterior("x", 1.5, 0.5),
    lambda: arcwise.Posteriors([arcwise.ContinuousPosterior("x", 1.5, 0.5)]),
    lambda: arcwise.JointPosterior(["a", "b"], [["no", "yes"]] * 2, [[0.1, 0.2], [0.3, 0.4]]),
    lambda: arcwise.JointContinuousPosterior(("x", "y"), np.array([1.0, 2.0]), np.eye(2)),
    lambda: arcwise.Explanation({"a": "yes", "x": 1.5}, 0.5),
    lambda: a_mixture().mixture,
    lambda: Dag(["a", "b"], [("a", "b")]),
    lambda: Cpdag(["a", "b"], [], [("a", "b")]),
    lambda: Dataset.from_codes([[0, 1], [1, 0]], names=["a", "b"]),
    DATA.summary,
    lambda: Constraints(required=[("a", "b")], forbidden=[("b", "c")], tiers=[["a"], ["b", "c"]], max_parents={"b": 1}),
    lambda: Plan("greedy", "why not", 1.0, {"climbs": [1, 2]}),
    lambda: Checkpoints("run.json", every=3.0),
    lambda: Limits(max_parents=2),
    lambda: arcwise.Bagging(5, "bic", seed=1),
    lambda: Stop(climbs=3),
    lambda: Memetic(population=4),
    lambda: LocalKicks(walks=2),
    arcwise.Iterated,
    arcwise.Restarts,
    arcwise.Annealing,
    arcwise.Perturbation,
    a_method_run,
    lambda: arcwise.MethodComparison(("k2",), ("BIC",), (a_method_run(),), arcwise.Status.COMPLETE, 1),
    a_candidate,
    lambda: arcwise.CrossValidation((a_candidate(),), (a_method_run(),), arcwise.Status.COMPLETE, 1),
    lambda: OrderClimb("insert"),
    lambda: BDeu(ess=3.0),
    lambda: arcwise.Prior({("a", "b"): 0.9}, parents=0.2),
    lambda: arcwise.Adjusted("bdeu(ess=3)", arcwise.Prior({("a", "b"): 0.9}), least_gain=1.0),
    *SCORES.values(),
    *(type(search) for search in arcwise.SEARCHES.values()),
    arcwise.SelectedOrders,
    lambda: arcwise.NaiveBayes("a"),
    lambda: arcwise.Tan("a"),
    lambda: arcwise.StructuralEM(rounds=3),
    lambda: arcwise.EmLimits(steps=7),
    lambda: arcwise.OrdersOnTable(first_order=[1, 0]),
    arcwise.DynamicProgramming,
    arcwise.IntegerProgramming,
    lambda: arcwise.Outcome(DAG, -1.0, counters={"climbs": 3}),
    lambda: Quantile(3),
    lambda: arcwise.EqualWidth(3),
    lambda: arcwise.Adaptive(),
    lambda: Cuts((1.0, 2.0)),
    lambda: arcwise.Mdlp("a"),
    lambda: arcwise.Hartemink(4),
]


@pytest.mark.parametrize("make", VALUES, ids=[type(make()).__name__ for make in VALUES])
def test_equal_values_have_equal_hashes(make: Callable[[], object]) -> None:
    one, other = make(), make()
    assert one == other
    assert one is not other
    assert len({one, other}) == 1
    for same in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert same == one
        assert hash(same) == hash(one)


def test_no_public_value_is_forgotten() -> None:
    public = {kind for name in dir(arcwise) if isinstance(kind := getattr(arcwise, name), type)}
    frozen = {kind for kind in public if is_dataclass(kind) and kind.__dataclass_params__.frozen}  # type: ignore[attr-defined]
    compared = {kind for kind in frozen if kind.__eq__ is not object.__eq__ and not isabstract(kind)}
    assert len(compared) > 20
    assert compared <= {type(make()) for make in VALUES}


def test_different_data_and_results_are_told_apart() -> None:
    result = a_result()
    other_seed = replace(result, provenance=replace(result.provenance, seed=2))
    assert len({result, other_seed, replace(result, counters={"evaluations": 0})}) == 3
    assert len({DATA, DATA.bootstrap(1), DATA.bootstrap(2)}) == 3
