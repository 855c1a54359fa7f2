"""The neighbours in trees of replicas: the union, pruned, by definition."""

import warnings
from collections.abc import Mapping, Set

import numpy as np
import pytest

from arcwise import (
    ArcwiseWarning,
    Budget,
    Constraints,
    Dataset,
    LocalScore,
    ParameterError,
    load_example,
    mmpc,
    mtmpc,
    select,
)
from arcwise.network.network import BayesianNetwork
from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.parents.tree_searches import TREE_SEARCHES
from arcwise.simulation.random import random_dag
from tables import dependent_table


def frequencies(score: LocalScore, bagging: Bagging) -> np.ndarray:
    """The share of the trees in which two variables are adjacent, by definition."""
    trees = bagged_trees(score, bagging).parents
    n = score.data.n_variables
    shares = np.zeros((n, n))
    for tree in trees:
        for child, parent in enumerate(tree):
            if parent >= 0:
                shares[child, parent] += 1 / len(trees)
                shares[parent, child] += 1 / len(trees)
    return shares


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("tree_search", TREE_SEARCHES)
def test_the_union_of_the_trees_without_rare_edges(threshold: float, tree_search: str) -> None:
    score = LocalScore(dependent_table(60, (2, 3) * 5, seed=1))
    shares = frequencies(score, Bagging(20, tree_search=tree_search, seed=3))
    assert ((shares > 0) & (shares < 0.5)).any()
    found = mtmpc(score, trees=20, threshold=threshold, tree_search=tree_search, seed=3)
    names = score.data.names
    for v, name in enumerate(names):
        wanted = {names[u] for u in range(len(names)) if shares[v, u] > 0 and shares[v, u] > threshold - 1e-6}
        assert found[name] == wanted


def test_neighbours_are_symmetric_and_do_not_depend_on_workers() -> None:
    data = dependent_table(60, (2, 3) * 8, seed=2)
    found = mtmpc(LocalScore(data), trees=30, workers=1)
    assert mtmpc(LocalScore(data), trees=30, workers=4) == found
    assert all(of in found[name] for of, row in found.items() for name in row)
    assert all(of not in row for of, row in found.items())
    assert mtmpc(LocalScore(data), trees=30) == found  # the same without a seed
    assert mtmpc(LocalScore(data), trees=30, seed=1) != found


def test_the_score_does_not_matter() -> None:
    data = dependent_table(60, (2, 3) * 4, seed=2)
    assert mtmpc(LocalScore(data, "k2"), trees=10) == mtmpc(LocalScore(data, "bic"), trees=10)


def test_it_is_a_neighbourhood() -> None:
    score = LocalScore(dependent_table(100, (2, 3) * 4, seed=2))
    found = mtmpc(score)
    selected = select(score, neighbourhood=mtmpc)
    assert selected.sets == select(score, neighbourhood=found).sets


def test_constraints_decide_what_they_name() -> None:
    data = dependent_table(100, (2, 3) * 4, seed=0)
    free = mtmpc(LocalScore(data), trees=5, by="bic")
    a, b = next((a, b) for a, row in free.items() for b in row)
    c, d = next((c, d) for c in data.names for d in data.names if c != d and d not in free[c])
    rules = Constraints(required=[(d, c)], forbidden=[(a, b), (b, a)])
    found = mtmpc(LocalScore(data), trees=5, by="bic", constraints=rules)
    assert b not in found[a]
    assert a not in found[b]
    assert d in found[c]
    assert c in found[d]
    assert mtmpc(LocalScore(data), trees=5, by="bic", constraints=Constraints(forbidden=[(a, b)])) == free


def test_the_budget_leaves_the_trees_so_far() -> None:
    data = dependent_table(60, (2, 3) * 4, seed=2)
    few = mtmpc(LocalScore(data), trees=2)
    with pytest.warns(ArcwiseWarning, match="the budget ended before all 50 trees were learned"):
        part = mtmpc(LocalScore(data), trees=50, budget=Budget(evaluation_limit=2 * 28))
    assert part == few
    with pytest.warns(ArcwiseWarning):
        none = mtmpc(LocalScore(data), trees=50, budget=Budget(time_limit=0))
    assert all(not row for row in none.values())


def test_more_true_neighbours_than_tests_find_from_few_rows() -> None:
    """What the paper is about, on one network: 50 rows of 60 variables."""
    rng = np.random.default_rng(4)
    dag = random_dag(60, 70, max_parents=3, seed=4)
    tables = [rng.dirichlet([0.7, 0.7], size=(2,) * len(parents)) for parents in dag.parent_indices]
    data = BayesianNetwork(dag, [["0", "1"]] * 60, tables).sample(50, seed=4)
    true = {frozenset(arc) for arc in dag.arcs}

    def right_and_wrong(found: Mapping[str, Set[str]]) -> tuple[int, int]:
        edges = {frozenset((a, b)) for a, row in found.items() for b in row}
        return len(edges & true), len(edges - true)

    score = LocalScore(data)
    trees, pruned = (right_and_wrong(mtmpc(score, threshold=threshold)) for threshold in (0.0, 0.1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tests = right_and_wrong(mmpc(score, test="chi2"))
    assert trees[0] > 1.5 * tests[0]
    assert pruned[0] < trees[0]
    assert pruned[1] < trees[1] / 3


def test_a_known_tree_is_found() -> None:
    truth = load_example("cancer")
    found = mtmpc(LocalScore(truth.sample(20_000, seed=1)), trees=20, threshold=0.6)
    assert {"Smoker", "Xray"} <= found["Cancer"]


def test_one_variable_has_no_neighbours() -> None:
    assert mtmpc(LocalScore(Dataset.from_codes([[0], [1]])), trees=2) == {"X0": frozenset()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.5}, "threshold must be a share from 0 to 1"),
        ({"threshold": -0.1}, "threshold must be a finite number of at least 0"),
        ({"trees": 0}, "trees must be at least 1"),
        ({"by": "bds"}, "equivalent graphs share"),
        ({"workers": 0}, "workers must be at least 1"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mtmpc(LocalScore(dependent_table()), **options)  # type: ignore[arg-type]
