"""Mixtures that are learned: replicas, parameters and weights by their definitions."""

import pickle

import numpy as np
import pytest

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
from arcwise.runs.provenance import readable
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


@pytest.mark.parametrize("inertial", [False, True])
def test_workers_do_not_change_the_mixture(inertial: bool) -> None:
    data = dependent_table(100, (2, 3) * 10, seed=5)
    first, *others = (
        tree_mixture(LocalScore(data), trees=12, seed=3, inertial=inertial, workers=workers).mixture
        for workers in (1, 2, 5, None)
    )
    assert all(other == first for other in others)
    assert first != tree_mixture(LocalScore(data), trees=12, seed=4, inertial=inertial).mixture


def test_more_trees_begin_with_the_same() -> None:
    score = LocalScore(dependent_table(100, (2, 3) * 4, seed=5))
    few, many = (bagged_trees(score, Bagging(trees=trees, seed=3)).parents for trees in (4, 9))
    assert np.array_equal(many[:4], few)


def test_inertial_trees_keep_good_arcs() -> None:
    """The first is the best of its replica; the others gain nearly as much as the best of theirs."""
    data = dependent_table(300, (2,) * 150, seed=1)
    score = LocalScore(data)
    bagged = [bagged_trees(score, Bagging(trees=10, inertial=inertial, seed=2)).parents for inertial in (False, True)]
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
    tree_mixture(LocalScore(data), trees=11, inertial=True, seed=0, budget=budget)
    later = (budget.evaluations - n * (n - 1) // 2) / 10
    assert n * np.log(n) / 2 < later <= n * np.log(n) + n


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
    assert learned.provenance.options["bagging"] == readable(Bagging(5, BIC(), inertial=False, seed=0))
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


@pytest.mark.parametrize("inertial", [False, True])
def test_the_budget_leaves_the_trees_so_far(inertial: bool) -> None:
    data = dependent_table(100, (2, 3) * 4, seed=5)
    whole = tree_mixture(LocalScore(data), trees=10, seed=0, inertial=inertial).mixture
    pairs = 8 * 7 // 2
    part = tree_mixture(
        LocalScore(data), trees=10, seed=0, inertial=inertial, budget=Budget(evaluation_limit=3 * pairs + 1)
    )
    assert part.status == Status.EVALUATION_LIMIT
    assert 3 <= part.mixture.n_trees < 10
    assert np.array_equal(part.mixture.parents, whole.parents[: part.mixture.n_trees])
    none = tree_mixture(LocalScore(data), trees=10, seed=0, inertial=inertial, budget=Budget(time_limit=0))
    assert none.status == Status.TIME_LIMIT
    assert none.mixture.parents.tolist() == [[-1] * 8]


@pytest.mark.parametrize("inertial", [False, True])
def test_ctrl_c_keeps_the_trees_so_far(inertial: bool) -> None:
    data = dependent_table(5000, (2, 3) * 150, seed=5)
    score = LocalScore(data)
    begun: list[int] = []
    press = presses_ctrl_c()

    def watch(budget: Budget) -> None:
        if begun:
            press(budget)

    learned = tree_mixture(
        score, trees=100_000, seed=0, inertial=inertial, budget=Budget(watch=watch), on_tree=begun.append
    )
    assert learned.status == Status.INTERRUPTED
    assert 1 <= learned.mixture.n_trees < 100_000


def test_one_variable_and_constant_columns() -> None:
    alone = tree_mixture(LocalScore(Dataset.from_codes([[0], [1], [1]])), trees=3, seed=0, inertial=True).mixture
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
        ({"by": "k2"}, "trees are learned by a score that equivalent graphs share"),
        ({"by": "magic"}, "score must be one of"),
        ({"ess": -1}, "ess must be a finite number"),
        ({"inertial": "yes"}, "inertial must be True or False"),
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
