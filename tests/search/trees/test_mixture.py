"""Mixtures that are learned: replicas, parameters and weights by their definitions."""

import pickle
from collections import Counter

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import chisquare

import oracles_trees as oracle
from arcwise import (
    BIC,
    BayesianNetwork,
    Budget,
    Dataset,
    LocalScore,
    ParameterError,
    Status,
    chow_liu,
    load_example,
    tree_mixture,
)
from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.parents.best_trees import BestTrees
from arcwise.parents.tree_searches import TREE_SEARCHES, random_forest
from arcwise.runs.provenance import readable
from arcwise.scores.definitions import LogLikelihood
from arcwise.support.arguments import kernel_seeds
from interrupting import presses_ctrl_c
from tables import dependent_table


def edges(parents: np.ndarray) -> set[tuple[int, int]]:
    return {(min(v, int(u)), max(v, int(u))) for v, u in enumerate(parents) if u >= 0}


@pytest.mark.parametrize("by", ["loglik", "bic", "bdeu"])
def test_each_tree_is_the_best_of_its_replica(by: str) -> None:
    data = dependent_table(70, (2, 3, 2, 4, 2, 2), seed=1)
    score = LocalScore(data)
    bagged = bagged_trees(score, Bagging(trees=8, by=by, seed=4))
    assert bagged.is_complete
    for seed, parents in zip(kernel_seeds(4, 8), bagged.parents, strict=True):
        replica = score.table.bootstrap(seed)
        assert replica.n_observations == 70
        tree = chow_liu(LocalScore(replica, by)).dag
        assert edges(parents) == edges(np.array([row[0] if row else -1 for row in tree.parent_indices]))


def test_replicas_by_brute_force() -> None:
    data = dependent_table(50, (2, 3, 2, 4, 2), seed=2)
    rows = data.codes.tolist()
    bagged = bagged_trees(LocalScore(data), Bagging(trees=5, seed=0))
    for seed, parents in zip(kernel_seeds(0, 5), bagged.parents, strict=True):
        drawn = data.bootstrap(seed).weights
        assert drawn is not None
        weights = drawn.tolist()
        _, tree = oracle.best_forest(5, lambda a, b, w=weights: oracle.mutual_information(rows, w, a, b))  # type: ignore[misc]
        assert edges(parents) == tree


def test_edges_are_counted_without_direction() -> None:
    data = dependent_table(60, (2, 3) * 4, seed=2)
    bagged = bagged_trees(LocalScore(data), Bagging(trees=30, seed=1))
    lower, upper, counts = bagged.edges()
    expected: dict[tuple[int, int], int] = {}
    for parents in bagged.parents:
        for edge in edges(parents):
            expected[edge] = expected.get(edge, 0) + 1
    found = zip(lower.tolist(), upper.tolist(), strict=True)
    assert dict(zip(found, counts.tolist(), strict=True)) == expected


@pytest.mark.parametrize("ess", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("weights", ["uniform", "likelihood", "score"])
def test_the_mixture_by_enumeration(ess: float, weights: str) -> None:
    data = dependent_table(30, (2, 3, 2, 3), seed=3)
    score = LocalScore(data, "bic")
    mixture = tree_mixture(score, trees=6, seed=7, ess=ess, weights=weights).mixture
    rows = data.codes.tolist()
    table = oracle.fitted(rows, data.arities, [1] * 30, ess)
    trees = [[int(parent) for parent in row] for row in bagged_trees(score, Bagging(trees=6, seed=7)).parents]
    shares = [1 / 6] * 6
    if weights == "likelihood":
        shares = oracle.softmax(
            sum(np.log(oracle.tree_probability(row, tree, table)) for row in rows) for tree in trees
        )
    elif weights == "score":
        shares = oracle.softmax(score.total(mixture.dag(k)) for k in range(6))
    assert mixture.weights == pytest.approx(shares)
    joint = oracle.joint(data.arities, trees, shares, table)
    everything = Dataset.from_codes(np.array(list(joint)), arities=data.arities)
    assert np.exp(mixture.log_likelihoods(everything)) == pytest.approx(list(joint.values()))


def test_weighted_rows_are_repeated_rows() -> None:
    data = dependent_table(40, (2, 3, 2), seed=1)
    counts = np.random.default_rng(0).integers(1, 9, size=40).astype(np.uint32)
    weighted = data.with_weights(counts)
    repeated = Dataset.from_codes(np.repeat(data.codes, counts, axis=0), arities=data.arities)
    one, two = (tree_mixture(LocalScore(table), trees=1, by="bic", seed=0).mixture for table in (weighted, repeated))
    # Their replicas differ, but where the trees are the same, so is all the rest.
    assert one.marginal(0) == pytest.approx(two.marginal(0))
    a, b = next(iter(edges(one.parents[0])))
    joint = np.zeros((data.arities[a], data.arities[b]))
    np.add.at(joint, (data.codes[:, a], data.codes[:, b]), counts)
    joint += 1 / joint.size
    assert one.pair_marginal(a, b) == pytest.approx(joint / joint.sum())


def test_pairs_of_an_arc_have_the_counts_of_the_data() -> None:
    data = load_example("asia").sample(500, seed=2)
    mixture = tree_mixture(LocalScore(data), trees=1, ess=0, seed=1).mixture
    for child, parents in enumerate(mixture.dag(0).parent_indices):
        for parent in parents:
            shares = np.zeros((2, 2))
            np.add.at(shares, (data.codes[:, parent], data.codes[:, child]), 1 / 500)
            assert mixture.pair_marginal(parent, child) == pytest.approx(shares)


@pytest.mark.parametrize("tree_search", TREE_SEARCHES)
def test_workers_do_not_change_the_mixture(tree_search: str) -> None:
    data = dependent_table(100, (2, 3) * 10, seed=5)
    first, *others = (
        tree_mixture(LocalScore(data), trees=12, seed=3, tree_search=tree_search, workers=workers).mixture
        for workers in (1, 2, 5, None)
    )
    assert all(other == first for other in others)
    assert first != tree_mixture(LocalScore(data), trees=12, seed=4, tree_search=tree_search).mixture


def test_more_trees_begin_with_the_same() -> None:
    score = LocalScore(dependent_table(100, (2, 3) * 4, seed=5))
    few, many = (bagged_trees(score, Bagging(trees=trees, seed=3)).parents for trees in (4, 9))
    assert np.array_equal(many[:4], few)


def test_inertial_trees_keep_good_arcs() -> None:
    """The first is the best of its replica; the others gain nearly as much as the best of theirs."""
    data = dependent_table(300, (2,) * 150, seed=1)
    score = LocalScore(data)
    bagged = [
        bagged_trees(score, Bagging(trees=10, tree_search=tree_search, seed=2)).parents
        for tree_search in ("best", "inertial")
    ]
    assert np.array_equal(bagged[0][0], bagged[1][0])
    for seed, best, near in zip(kernel_seeds(2, 10), *bagged, strict=True):
        replica = LocalScore(score.table.bootstrap(seed), "loglik")
        empty = sum(replica.local(v) for v in range(150))
        gain, most = (
            sum(replica.local(v, [] if u < 0 else [int(u)]) for v, u in enumerate(parents)) - empty
            for parents in (near, best)
        )
        assert 0.85 * most < gain <= most + 1e-6


def test_inertial_trees_look_at_few_pairs() -> None:
    n = 300
    data = dependent_table(100, (2,) * n, seed=1)
    budget = Budget()
    tree_mixture(LocalScore(data), trees=11, tree_search="inertial", seed=0, budget=budget)
    later = (budget.evaluations - n * (n - 1) // 2) / 10
    assert n * np.log(n) / 2 < later <= n * np.log(n) + n


def test_random_trees_are_drawn_from_all_trees() -> None:
    """Cayley: there are n ** (n - 2)."""
    drawn = Counter(frozenset(edges(random_forest(4, seed).parents)) for seed in range(3200))
    assert len(drawn) == 16
    assert all(len(tree) == 3 for tree in drawn)
    assert chisquare(list(drawn.values())).pvalue > 1e-3
    for n in (1, 2, 3, 50):
        parents = random_forest(n, seed=n).parents
        assert parents[0] == -1
        assert all(_reaches_root(parents, node) for node in range(n))


def _reaches_root(parents: np.ndarray, node: int) -> bool:
    for _ in range(len(parents)):
        if node == 0:
            return True
        node = int(parents[node])
    return False


def test_the_best_forest_of_some_pairs_is_a_maximum_spanning_one() -> None:
    rng = np.random.default_rng(1)
    for seed in range(10):
        score = LocalScore(dependent_table(80, (2, 3) * 5, seed=seed), "loglik")
        every = np.array([(a, b) for a in range(10) for b in range(10) if a != b], dtype=np.uint32)
        pairs = np.ascontiguousarray(rng.permutation(every)[:25])
        found = BestTrees(score, LogLikelihood()).among(None, pairs, Budget().core)
        costs = np.zeros((10, 10))
        for a, b in pairs.tolist():
            costs[min(a, b), max(a, b)] = score.local(a) - score.local(a, [b])
        assert found.gains.sum() == pytest.approx(-minimum_spanning_tree(costs).sum())
        assert edges(found.parents) <= {(min(a, b), max(a, b)) for a, b in pairs.tolist()}


def test_heuristics_come_nearer_to_the_best_tree_the_more_they_use() -> None:
    data = dependent_table(300, (2,) * 150, seed=1)
    empty = sum(LocalScore(data, "loglik").local(v) for v in range(150))
    gains, looked_at = {}, {}
    for tree_search in TREE_SEARCHES:
        score, budget = LocalScore(data, "loglik"), Budget()
        trees = bagged_trees(score, Bagging(10, tree_search=tree_search, seed=2), budget=budget).parents
        looked_at[tree_search] = budget.evaluations / 10
        per_tree = [sum(score.local(v, [] if u < 0 else [int(u)]) for v, u in enumerate(tree)) for tree in trees]
        gains[tree_search] = np.mean(per_tree) - empty
    assert gains["random"] < gains["sampled"] < gains["clustered"] < gains["best"]
    assert gains["sampled"] < gains["inertial"] < gains["best"]
    assert looked_at["random"] == 0
    assert looked_at["sampled"] <= 150 * np.log(150) + 1
    assert looked_at["clustered"] < 150 * 149 / 2 / 2


def test_random_trees_have_parameters_from_all_the_data() -> None:
    data = dependent_table(200, (2,) * 6, seed=4)
    mixture = tree_mixture(LocalScore(data), trees=20, tree_search="random", ess=0, seed=1).mixture
    child = int(np.flatnonzero(mixture.parents[0] >= 0)[0])
    shares = np.bincount(data.codes[:, child], minlength=2) / 200
    assert mixture.marginal(child) == pytest.approx(shares)
    assert len({frozenset(edges(tree)) for tree in mixture.parents}) > 15


def test_a_mixture_estimates_better_than_its_trees_and_than_one_tree() -> None:
    """Few rows, many variables: the case that mixtures of trees are for."""
    truth = load_example("alarm")
    train, test = truth.sample(100, seed=1), truth.sample(2000, seed=2)
    score = LocalScore(train, "loglik")
    tree = BayesianNetwork.fit(chow_liu(score).dag, train, ess=1)
    mixture = tree_mixture(score, trees=50, seed=1).mixture
    assert mixture.log_likelihood(test) > tree.log_likelihood(test)
    each = [mixture.network(k).log_likelihood(test) for k in range(50)]
    assert mixture.log_likelihood(test) > max(each)


def test_what_was_done_is_recorded() -> None:
    data = dependent_table(100, (2, 3) * 4, seed=5)
    seen: list[int] = []
    learned = tree_mixture(LocalScore(data), trees=5, by="bic", seed=0, on_tree=seen.append)
    assert seen == [1, 2, 3, 4, 5]
    assert learned.status == Status.COMPLETE
    assert learned.seed == 0
    assert learned.counters == {"trees": 5, "evaluations": 5 * 8 * 7 // 2}
    assert learned.provenance.options["bagging"] == readable(Bagging(5, BIC(), tree_search="best", seed=0))
    assert pickle.loads(pickle.dumps(learned)) == learned
    drawn = tree_mixture(LocalScore(data), trees=2)
    assert tree_mixture(LocalScore(data), trees=2, seed=drawn.seed).mixture == drawn.mixture


def test_trees_are_remembered() -> None:
    data = dependent_table(100, (2, 3) * 4, seed=5)
    score, budget = LocalScore(data), Budget()
    first = tree_mixture(score, trees=5, seed=0)
    again = tree_mixture(score, trees=5, seed=0, budget=budget)
    assert again.mixture == first.mixture
    assert budget.evaluations == 0


@pytest.mark.parametrize("tree_search", TREE_SEARCHES[:-1])  # random trees look at no pairs
def test_the_budget_leaves_the_trees_so_far(tree_search: str) -> None:
    data = dependent_table(100, (2, 3) * 4, seed=5)
    whole = tree_mixture(LocalScore(data), trees=10, seed=0, tree_search=tree_search).mixture
    pairs = 8 * 7 // 2
    part = tree_mixture(
        LocalScore(data), trees=10, seed=0, tree_search=tree_search, budget=Budget(evaluation_limit=3 * pairs + 1)
    )
    assert part.status == Status.EVALUATION_LIMIT
    assert 3 <= part.mixture.n_trees < 10
    assert np.array_equal(part.mixture.parents, whole.parents[: part.mixture.n_trees])
    none = tree_mixture(LocalScore(data), trees=10, seed=0, tree_search=tree_search, budget=Budget(time_limit=0))
    assert none.status == Status.TIME_LIMIT
    assert none.mixture.parents.tolist() == [[-1] * 8]


@pytest.mark.parametrize("tree_search", TREE_SEARCHES)
def test_ctrl_c_keeps_the_trees_so_far(tree_search: str) -> None:
    score = LocalScore(dependent_table(arities=(2, 3) * 6, seed=5))
    with presses_ctrl_c(after_looks=300) as watch:
        learned = tree_mixture(score, trees=1000, seed=0, tree_search=tree_search, budget=Budget(watch=watch))
    assert learned.status == Status.INTERRUPTED
    assert 1 <= learned.mixture.n_trees < 1000


def test_one_variable_and_constant_columns() -> None:
    alone = tree_mixture(
        LocalScore(Dataset.from_codes([[0], [1], [1]])), trees=3, seed=0, tree_search="inertial"
    ).mixture
    assert alone.parents.tolist() == [[-1]] * 3
    assert alone.marginal(0) == pytest.approx([1.5 / 4, 2.5 / 4])
    data = dependent_table(constant=True)
    mixture = tree_mixture(LocalScore(data), trees=10, seed=0).mixture
    assert (mixture.parents[:, -1] == -1).all()
    assert not (mixture.parents == data.n_variables - 1).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trees": 0}, "trees must be at least 1"),
        ({"trees": 2.5}, "trees must be an integer"),
        ({"weights": "best"}, "weights must be one of uniform, likelihood, score"),
        ({"by": "k2"}, "trees are learned by a built-in score that equivalent graphs share"),
        ({"by": "bge"}, r"equivalent graphs share \(bic, ebic, aic, hqc, loglik, bdeu, qnml\), not BGe"),
        ({"by": "magic"}, "score must be one of"),
        ({"ess": -1}, "ess must be a finite number"),
        ({"tree_search": "quick"}, "tree_search must be one of best, inertial, sampled, clustered, random"),
        ({"seed": -1}, "seed must be"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"budget": 3}, "budget must be a Budget"),
        ({"trees": 10**10}, "trees over 5 variables would take 200000000000 bytes"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        tree_mixture(LocalScore(dependent_table()), **options)  # type: ignore[arg-type]
