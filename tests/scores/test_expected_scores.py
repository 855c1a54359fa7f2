"""Scores of expected counts, against all ways to fill the gaps and against scores of complete data."""

import math
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_em
from arcwise import BayesianNetwork, BDeu, Dag, Dataset, LocalScore, load_example
from arcwise.network.expectation import EStep, Expectation
from arcwise.scores.custom import CountScore, Family
from arcwise.scores.expected import ExpectedScore
from arcwise.scores.priors import Adjusted
from arcwise.support.errors import ParameterError

TAKEN = ("bic", "ebic", "aic", "hqc", "loglik", "bdeu", "k2", "qnml")


def with_gaps(data: Dataset, share: float, seed: int) -> Dataset:
    gaps = np.random.default_rng(seed).random(data.codes.shape) < share
    codes = np.where(gaps, np.array(data.arities), data.codes).astype(np.uint8)
    return Dataset(codes, data.names, data.states, data.weights)


def small_case(seed: int) -> tuple[BayesianNetwork, Dataset, Expectation]:
    """Return a network of five nodes, a few rows with gaps, and what the network expects in them."""
    random = np.random.default_rng(seed)
    arities = [2, 3, 2, 3, 2]
    parents = [np.flatnonzero(random.random(v) < 0.5).tolist() for v in range(5)]
    dag = Dag.from_parents(list("abcde"), parents)
    tables = [random.dirichlet(np.ones(arities[v]), size=[arities[u] for u in parents[v]]) for v in range(5)]
    network = BayesianNetwork(dag, [[str(k) for k in range(arity)] for arity in arities], tables)
    data = with_gaps(network.sample(20, seed=seed), 0.3, seed)
    expected = EStep(data)(network)
    assert expected is not None
    return network, data, expected


@pytest.mark.parametrize("seed", range(5))
def test_bic_of_all_completions(seed: int) -> None:
    network, data, expected = small_case(seed)
    score = ExpectedScore(expected, data, "bic")
    for child, parents in ((0, []), (1, [0]), (2, [0, 1]), (4, [3, 1, 2]), (3, [0, 1, 2, 4])):
        counts = oracles_em.expected_counts(network, data, child, parents)
        assert score.local(child, parents) == pytest.approx(oracles_em.expected_bic(counts, 20), abs=1e-5)


@pytest.mark.parametrize("name", TAKEN)
def test_complete_data_has_the_ordinary_score(name: str) -> None:
    data = load_example("asia").sample(300, seed=1)
    expected = EStep(data)(load_example("asia"))
    assert expected is not None
    ordinary, score = LocalScore(data, name), ExpectedScore(expected, data, name)
    for child, parents in (("lung", []), ("lung", ["smoke"]), ("dysp", ["bronc", "either"]), ("xray", ["either"])):
        assert score.local(child, parents) == pytest.approx(ordinary.local(child, parents), rel=1e-9)
    assert score.is_equivalent == ordinary.is_equivalent


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(TAKEN))
def test_a_score_depends_on_its_family_alone_to_the_last_bit(seed: int, name: str) -> None:
    _, data, expected = small_case(seed)
    for parents in ([0, 2], [3, 1]):
        child = 4
        others = [v for v in range(5) if v != child and v not in parents]
        together = ExpectedScore(expected, data, name).additions(child, parents)
        for other, value in zip(others, together.tolist(), strict=True):
            for order in permutations([*parents, other]):
                assert ExpectedScore(expected, data, name).local(child, order) == value
        without = ExpectedScore(expected, data, name).removals(child, parents).tolist()
        assert without == [ExpectedScore(expected, data, name).local(child, [parents[1 - i]]) for i in range(2)]


@pytest.mark.parametrize("name", ["bic", "ebic", "bdeu", "qnml", "aic"])
def test_equivalent_graphs_have_the_same_score(name: str) -> None:
    _, data, expected = small_case(7)
    score = ExpectedScore(expected, data, name)
    chain = Dag(data.names, [("a", "b"), ("b", "c"), ("c", "d")])
    turned = Dag(data.names, [("b", "a"), ("c", "b"), ("c", "d")])
    assert score.total(chain) == pytest.approx(score.total(turned), abs=100 * score.rounding)


def test_families_too_large_for_a_table_are_counted_too() -> None:
    random = np.random.default_rng(1)
    n = 70  # binary: 2^69 configurations of all parents fit no number
    data = Dataset(random.integers(0, 2, (30, n)).astype(np.uint8), tuple(f"v{v}" for v in range(n)), (("0", "1"),) * n)
    data = with_gaps(data, 0.01, 1)
    network = BayesianNetwork.fit(Dag(data.names), data, ess=1)
    expected = EStep(data)(network)
    assert expected is not None
    score = ExpectedScore(expected, data, "loglik")
    # Rows differ in all other columns, so that each is alone in its configuration, and the child's gaps have their
    # entropy: sum over the rows with a gap of p ln p + (1 - p) ln (1 - p).
    assert data.gaps is not None
    p = float(network.tables[0][1])
    entropy = p * math.log(p) + (1 - p) * math.log(1 - p)
    assert score.local(0, list(range(1, n))) == pytest.approx(entropy * data.gaps[:, 0].sum(), abs=1e-6)


def test_continuous_scores_without_gaps_are_the_ordinary_ones() -> None:
    values = np.random.default_rng(1).normal(size=(80, 3)).cumsum(axis=1) * [1.0, 10.0, 0.1]
    codes = np.zeros((80, 3), dtype=np.uint8)
    data = Dataset(codes, ("a", "b", "c"), ((), (), ()), numbers=values)
    network = BayesianNetwork.fit(Dag(data.names, [("a", "b")]), data)
    expected = EStep(data)(network)
    assert expected is not None
    for name in ("bic", "ebic", "bge", "loglik"):
        ordinary, score = LocalScore(data, name), ExpectedScore(expected, data, name)
        assert score.local("c", ["a", "b"]) == pytest.approx(ordinary.local("c", ["a", "b"]), rel=1e-9)


def test_what_is_added_to_a_score_is_added_here_too() -> None:
    _, data, expected = small_case(2)
    plain, twice = (
        ExpectedScore(expected, data, "bic"),
        ExpectedScore(expected, data, Adjusted("bic", penalty_factor=2)),
    )
    # Two free parameters of b for each of two states of a.
    likelihood = ExpectedScore(expected, data, "loglik").local("b", ["a"])
    assert plain.local("b", ["a"]) == pytest.approx(likelihood - 0.5 * math.log(20) * 4)
    assert twice.local("b", ["a"]) == pytest.approx(likelihood - math.log(20) * 4)


def test_scores_that_cannot_be_made_of_expected_counts_are_refused() -> None:
    class Ones(CountScore):
        def of_counts(self, counts: npt.NDArray[np.int64], family: Family) -> float:
            return 1.0

    _, data, expected = small_case(1)
    for score in ("bds", "fnml", Ones()):
        with pytest.raises(ParameterError, match=r"takes expected counts \(bic, ebic"):
            ExpectedScore(expected, data, score)
    assert ExpectedScore(expected, data, BDeu(ess=10)).score == BDeu(ess=10)
