"""Priors over graphs, factors on penalties and least gains, by their definitions over all graphs of few variables."""

import pickle
from functools import lru_cache
from itertools import combinations
from math import comb, exp, fsum, isclose, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import (
    BIC,
    Adjusted,
    BayesianNetworkLearner,
    BDeu,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    Prior,
    Status,
    arc_gains,
    bootstrap,
    exact,
    ges,
    learn,
    load_example,
)
from arcwise.scores import Score
from arcwise.search.registry import SEARCHES
from oracles_graph import all_dags, classes
from score_cases import COUNTED
from short_searches import SHORT
from tables import dependent_table

NAMES = ("a", "b", "c", "d")
DAGS = [Dag(NAMES, [(NAMES[i], NAMES[j]) for i, j in arcs]) for arcs in all_dags(4)]


def table(n_rows: int = 60, seed: int = 3) -> Dataset:
    data = dependent_table(n_rows, (2, 3, 2, 3), seed)
    return Dataset.from_codes(data.codes, names=NAMES)


@lru_cache
def bound(score: Score) -> LocalScore:
    return LocalScore(table(), score)


def log_prior(score: Adjusted, dag: Dag) -> float:
    """What the score adds to a graph."""
    return bound(score).total(dag) - bound(score.base).total(dag)


def states(dag: Dag) -> list[str]:
    """For each pair of variables, which of the three it is."""
    return [
        "->" if dag.has_arc(a, b) else "<-" if dag.has_arc(b, a) else "none" for a, b in combinations(sorted(NAMES), 2)
    ]


def castelo_siebes(given: dict[tuple[str, str], dict[str, float]], dag: Dag) -> float:
    """The probability of a graph up to a constant: a product over pairs, 1/3 each where nothing is said."""
    even = dict.fromkeys(("->", "<-", "none"), 1 / 3)
    pairs = combinations(sorted(NAMES), 2)
    return sum(log(given.get(pair, even)[state]) for pair, state in zip(pairs, states(dag), strict=True))


def test_single_arcs_are_those_of_castelo_and_siebes() -> None:
    prior = Prior({("a", "b"): 0.9, ("d", "a"): 0.05, ("b", "c"): 0.2, ("c", "b"): 0.3}, edges={("d", "c"): 0.1})
    given_pairs = {
        ("a", "b"): {"->": 0.9, "<-": 0.05, "none": 0.05},
        ("a", "d"): {"<-": 0.05, "->": 0.475, "none": 0.475},
        ("b", "c"): {"->": 0.2, "<-": 0.3, "none": 0.5},
        ("c", "d"): {"->": 0.05, "<-": 0.05, "none": 0.9},
    }
    for dag in DAGS:
        expected = castelo_siebes(given_pairs, dag) - castelo_siebes(given_pairs, Dag(NAMES))
        assert isclose(log_prior(Adjusted("bic", prior), dag), expected, abs_tol=1e-9)


@given(st.floats(0.01, 0.99))
def test_a_probability_of_parents_is_that_of_the_variable_selection_prior(p: float) -> None:
    score = Adjusted("bdeu", Prior(parents=p))

    def by_definition(dag: Dag) -> float:
        return sum(len(dag.parents(node)) * log(p) + (3 - len(dag.parents(node))) * log(1 - p) for node in NAMES)

    for dag in DAGS[::20]:
        assert isclose(log_prior(score, dag), by_definition(dag) - by_definition(Dag(NAMES)), abs_tol=1e-8)


def test_single_arcs_share_what_is_left_as_other_arcs_do() -> None:
    # Of the pairs without a word: 0.2 * 0.8 each way and 0.8 * 0.8 for none, so that the reversal has a fifth.
    score = Adjusted("bic", Prior({("a", "b"): 0.6}, parents=0.2))
    none = 0.4 * 0.8
    assert isclose(log_prior(score, Dag(NAMES, [("a", "b")])), log(0.6 / none), abs_tol=1e-9)
    assert isclose(log_prior(score, Dag(NAMES, [("b", "a")])), log(0.4 * 0.2 / none), abs_tol=1e-9)
    assert isclose(log_prior(score, Dag(NAMES, [("c", "a")])), log(0.2 / 0.8), abs_tol=1e-9)


def test_two_variables_are_adjacent_as_likely_as_not() -> None:
    # The marginal uniform prior: 1/4 for each direction, 1/2 for none.
    quarter = {"->": 0.25, "<-": 0.25, "none": 0.5}
    marginal = dict.fromkeys(combinations(NAMES, 2), quarter)
    for dag in DAGS:
        expected = castelo_siebes(marginal, dag) - castelo_siebes(marginal, Dag(NAMES))
        assert isclose(log_prior(Adjusted("bds", Prior(parents=1 / 3)), dag), expected, abs_tol=1e-9)


def test_all_numbers_of_parents_are_equally_likely() -> None:
    score = LocalScore(table(), Adjusted("bic", Prior(parents="uniform")))
    plain = LocalScore(table(), "bic")
    others = NAMES[1:]
    shares = [0.0] * 4
    for k in range(4):
        for parents in combinations(others, k):
            shares[k] += exp(score.local("a", parents) - plain.local("a", parents))
            assert isclose(score.local("a", parents) - plain.local("a", parents), -log(comb(3, k)), abs_tol=1e-9)
    assert all(isclose(share, shares[0], rel_tol=1e-9) for share in shares)


def test_ebic_is_bic_with_that_prior() -> None:
    """Chen & Chen's criterion with gamma 1 takes all numbers of parents for equally likely."""
    ebic, made = LocalScore(table(), "ebic(gamma=1)"), LocalScore(table(), Adjusted("bic", Prior(parents="uniform")))
    for dag in DAGS[::7]:
        assert isclose(ebic.total(dag), made.total(dag), abs_tol=1e-8)


def test_without_data_to_speak_of_the_posterior_is_the_prior() -> None:
    """One row says little: the probability of an arc, over all graphs, is what was asked for, up to acyclicity."""
    names = ("a", "b")
    data = Dataset.from_codes([[0, 0]], names=names, arities=[2, 2])
    score = LocalScore(data, Adjusted("bdeu", Prior({("a", "b"): 0.7, ("b", "a"): 0.2})))
    weights = [exp(score.total(Dag(names, arcs))) for arcs in ([("a", "b")], [("b", "a")], [])]
    assert [round(weight / sum(weights), 9) for weight in weights] == [0.7, 0.2, 0.1]


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("factor", [0.0, 0.5, 3.0])
def test_a_factor_multiplies_what_is_taken_off_the_likelihood(name: str, factor: float) -> None:
    if not COUNTED[name].is_penalised:
        with pytest.raises(ParameterError, match=f"penalty_factor is for scores with a penalty .* not for {name}"):
            Adjusted(name, penalty_factor=factor)
        return
    score, plain = LocalScore(table(), Adjusted(name, penalty_factor=factor)), LocalScore(table(), name)
    likelihood = LocalScore(table(), "loglik")
    for parents in ([], ["b"], ["d", "b"], ["b", "c", "d"]):
        most = likelihood.local("a", parents)
        assert isclose(score.local("a", parents), most - factor * (most - plain.local("a", parents)), abs_tol=1e-8)


@pytest.mark.parametrize("name", COUNTED)
def test_equivalent_graphs_share_what_symmetric_priors_add(name: str) -> None:
    prior = Prior(edges={("a", "b"): 0.9, ("c", "d"): 0.01}, parents="uniform")
    score = LocalScore(table(), Adjusted(name, prior, least_gain=0.7))
    assert score.is_equivalent == score.score.is_equivalent == COUNTED[name].is_equivalent
    if not score.is_equivalent:
        return
    for members in classes(4):
        totals = [score.total(Dag(NAMES, [(NAMES[i], NAMES[j]) for i, j in arcs])) for arcs in members]
        assert max(totals) - min(totals) <= 1e-8


def test_directions_make_a_difference() -> None:
    score = LocalScore(table(), Adjusted("bic", Prior({("a", "b"): 0.9})))
    assert not score.is_equivalent
    with pytest.raises(ParameterError, match=r"adjusted bic does not; give its prior edges instead of arcs"):
        ges(score)
    both = Prior({("a", "b"): 0.4, ("b", "a"): 0.4})
    assert LocalScore(table(), Adjusted("bic", both)).is_equivalent
    assert Adjusted("bic", both).is_equivalent


PRIORS = {
    "arcs": Prior({("a", "b"): 0.99, ("c", "d"): 0.001, ("d", "b"): 0.8}),
    "edges": Prior(edges={("a", "b"): 0.99, ("c", "d"): 0.001}),
    "few parents": Prior(parents=0.02),
    "many parents": Prior(parents=0.99),
    "uniform": Prior(parents="uniform"),
}


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", ["bic", "bdeu", "k2"])
def test_exact_search_equals_brute_force(name: str, prior: str) -> None:
    score = LocalScore(table(25), Adjusted(name, PRIORS[prior], least_gain=0.3))
    result = exact(score, seed=1)
    assert result.status is Status.OPTIMAL
    assert isclose(result.score, max(map(score.total, DAGS)), abs_tol=1e-8)
    assert isclose(result.score, score.total(result.dag), abs_tol=1e-9)


@pytest.mark.parametrize("example", ["asia", "sachs"])
@pytest.mark.parametrize("is_symmetric", [True, False])
def test_optima_with_a_prior_are_proven(example: str, is_symmetric: bool) -> None:
    network = load_example(example)
    believed = dict.fromkeys(network.dag.arcs[:3], 0.9)
    prior = Prior(edges=believed, parents=0.1) if is_symmetric else Prior(believed, parents=0.1)
    result = learn(network.sample(200, seed=1), score=Adjusted("bdeu", prior), seed=1)
    assert result.status is Status.OPTIMAL
    assert result.gap == 0
    free = learn(network.sample(200, seed=1), score="bdeu", seed=1)
    assert LocalScore(network.sample(200, seed=1), Adjusted("bdeu", prior)).total(free.dag) <= result.score + 1e-9


@pytest.mark.parametrize(("probability", "is_reversed"), [(0.5, False), (1 - 1e-12, True)])
def test_strong_odds_reverse_an_arc_and_weak_ones_do_not_against_data(probability: float, is_reversed: bool) -> None:
    """Cancer has two causes, by which data tell the directions: that of Smoker is worth some nats."""
    data = load_example("cancer").sample(5000, seed=1)
    plain = LocalScore(data, "bdeu")
    causes = Dag(data.names, load_example("cancer").dag.arcs)
    swapped = Dag(data.names, [arc if arc != ("Smoker", "Cancer") else arc[::-1] for arc in causes.arcs])
    assert log(2 * 0.5 / 0.5) < plain.total(causes) - plain.total(swapped) < log(2e12)
    score = LocalScore(data, Adjusted("bdeu", Prior({("Cancer", "Smoker"): probability})))
    assert (score.total(swapped) > score.total(causes)) == is_reversed
    assert exact(score, seed=1).dag.has_arc("Cancer", "Smoker") == is_reversed


def test_a_prior_tells_graphs_of_a_class_apart() -> None:
    """Data cannot say which way the only arc goes; any preference can."""
    codes = [[0, 0], [0, 0], [1, 1], [1, 1], [0, 0], [1, 1]]
    data = Dataset.from_codes(codes, names=["a", "b"])
    for parent, child in (("a", "b"), ("b", "a")):
        score = LocalScore(data, Adjusted("bic", Prior({(parent, child): 0.34, (child, parent): 0.33})))
        assert exact(score, seed=1).dag.arcs == ((parent, child),)


@pytest.mark.parametrize("method", list(SEARCHES))
def test_no_arc_gains_less_than_it_must(method: str) -> None:
    data = load_example("asia").sample(300, seed=2)
    least = 4.0
    result = learn(
        data, method=SHORT[method], score=Adjusted("aic", least_gain=least), seed=1, evaluation_limit=200_000
    )
    gains = arc_gains(result.dag, data, "aic")
    if method == "k2":  # later parents may take over what an earlier one has gained
        gains = {
            (parents[-1], child): gains[parents[-1], child]
            for child in result.dag.names
            if len(parents := result.dag.parents(child)) == 1
        }
    assert result.dag.n_arcs > 0
    assert all(gain >= least - 1e-9 for gain in gains.values())
    assert isclose(result.score, LocalScore(data, Adjusted("aic", least_gain=least)).total(result.dag), rel_tol=1e-9)


@pytest.mark.parametrize("method", list(SEARCHES))
def test_every_search_takes_a_prior(method: str) -> None:
    data = load_example("asia").sample(300, seed=2)
    score = Adjusted("bic", Prior(edges={("asia", "xray"): 1 - 1e-15}, parents=0.1), penalty_factor=0.9)
    result = learn(data, method=SHORT[method], score=score, seed=1, evaluation_limit=200_000)
    assert isclose(result.score, LocalScore(data, score).total(result.dag), rel_tol=1e-9)
    assert result.provenance.score == score
    joined = result.dag.has_arc("asia", "xray") or result.dag.has_arc("xray", "asia")
    # These do not look at all pairs by their score.
    assert joined or method in ("k2", "mmhc", "mtmhc", "markov-blanket")


def test_forbidden_arcs_stay_out_whatever_their_odds() -> None:
    data = load_example("asia").sample(300, seed=2)
    score = Adjusted("bic", Prior({("asia", "xray"): 1 - 1e-15}))
    result = learn(data, score=score, constraints=Constraints(forbidden=[("asia", "xray")]), seed=1)
    assert not result.dag.has_arc("asia", "xray")


def test_whatever_takes_a_score_takes_one_with_a_prior() -> None:
    data = load_example("cancer").sample(200, seed=2)
    score = Adjusted("bic", Prior(edges={("Pollution", "Xray"): 1 - 1e-15}))
    assert bootstrap(data, "greedy", 3, score=score, seed=1).score == score
    frame = {name: data.codes[:, v] for v, name in enumerate(data.names)}
    learner = BayesianNetworkLearner(criterion=score, method="greedy", random_state=1)
    pd = pytest.importorskip("pandas")
    dag = learner.fit(pd.DataFrame(frame)).result_.dag
    assert dag.has_arc("Pollution", "Xray") or dag.has_arc("Xray", "Pollution")


def test_strengths_have_the_directions_that_a_prior_prefers() -> None:
    """Data say nothing about the direction of a single arc; half of the replicas each, unless something else does."""
    data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]] * 10, names=["a", "b"])
    plain, preferred = "bic", Adjusted("bic", Prior({("a", "b"): 0.9}))
    shares = [bootstrap(data, "greedy", 4, score=score, seed=1).direction("a", "b") for score in (plain, preferred)]
    assert shares == [0.5, 1.0]


def test_trees_are_learned_by_plain_scores() -> None:
    data = load_example("cancer").sample(200, seed=2)
    with pytest.raises(ParameterError, match="a score to which nothing was added, not 'BIC with least gain 1'"):
        learn(data, method="mtmhc", by=Adjusted("bic", least_gain=1), trees=5, seed=1)


def test_gains_are_those_of_the_adjusted_score() -> None:
    data = load_example("cancer").sample(200, seed=2)
    dag = Dag(data.names, [("Smoker", "Cancer")])
    plain = arc_gains(dag, data, "bic")["Smoker", "Cancer"]
    assert isclose(arc_gains(dag, data, Adjusted("bic", least_gain=1.5))["Smoker", "Cancer"], plain - 1.5)


def test_thousands_of_arcs_with_extreme_odds_do_not_overflow() -> None:
    """Sums are whole numbers of 64 bits: the unit follows the largest."""
    n = 300
    data = Dataset.from_codes([[0] * n, [1] * n])
    names = data.names
    arcs = {(names[i], names[0]): 1e-300 if i % 2 else 1 - 1e-16 for i in range(1, n)}
    score, plain = LocalScore(data, Adjusted("loglik", Prior(arcs))), LocalScore(data, "loglik")
    parents = names[1:]
    expected = fsum(log(p / ((1 - p) / 2)) for p in arcs.values())
    assert isclose(score.local(names[0], parents) - plain.local(names[0], parents), expected, rel_tol=1e-9)


def test_priors_are_equal_however_they_were_listed() -> None:
    one = Prior({("a", "b"): 0.3, ("b", "c"): 0.2}, edges={("d", "a"): 0.4})
    other = Prior({("b", "c"): 0.2, ("a", "b"): 0.3}, edges={("a", "d"): 0.4})
    assert one == other
    assert hash(one) == hash(other)
    score = Adjusted("bic", one, least_gain=2)
    assert pickle.loads(pickle.dumps(score)) == score == Adjusted(BIC(), other, least_gain=2.0)
    assert pickle.loads(pickle.dumps(score)).name == "adjusted bic"
    assert pickle.loads(pickle.dumps(LocalScore(table(), score))).local("a", ["b"]) == LocalScore(table(), score).local(
        "a", ["b"]
    )


def test_names_of_scores_say_what_was_added() -> None:
    assert str(Adjusted("bdeu(ess=10)")) == str(BDeu(10))
    assert str(Adjusted("bic", penalty_factor=2, least_gain=3)) == "BIC with penalty factor 2, least gain 3"
    prior = Prior({("a", "b"): 0.9, ("b", "c"): 0.2, ("c", "d"): 0.1}, edges={("a", "d"): 0.5}, parents="uniform")
    assert str(Adjusted("bic", prior)) == "BIC with prior a -> b 0.9, b -> c 0.2, c -> d 0.1, 1 more, parents uniform"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"arcs": {("a", "b"): 0}}, r"between 0 and 1, not 0; what is certain or impossible belongs into Constraints"),
        ({"arcs": {("a", "b"): 1.0}}, r"between 0 and 1, not 1.0; what is certain or impossible belongs into"),
        ({"arcs": {("a", "b"): -0.1}}, r"arcs for 'a' and 'b' must be a probability between 0 and 1, not -0.1"),
        ({"arcs": {("a", "b"): float("nan")}}, "a probability between 0 and 1, not nan"),
        ({"arcs": {("a", "b"): "0.5"}}, "a probability between 0 and 1, not '0.5'"),
        ({"arcs": {("a", "b"): True}}, "a probability between 0 and 1, not True"),
        ({"arcs": {"ab": 0.5}}, "arcs must map pairs of variable names to probabilities, not 'ab'"),
        ({"arcs": {("a", "b", "c"): 0.5}}, "arcs must map pairs of variable names"),
        ({"arcs": [("a", "b", 0.5)]}, "arcs must be a mapping from pairs of variables to probabilities"),
        ({"arcs": {("a", "a"): 0.5}}, "arcs must not join 'a' to itself"),
        ({"arcs": {("a", "b"): 0.6, ("b", "a"): 0.4}}, "must leave something for no arc between the two"),
        ({"arcs": {("a", "b"): 0.6}, "edges": {("b", "a"): 0.4}}, "arcs and edges both mention 'a' and 'b'"),
        ({"edges": {("a", "b"): 0.6, ("b", "a"): 0.4}}, "edges must give 'a' and 'b' one probability"),
        ({"parents": "even"}, "parents must be a probability or 'uniform', not 'even'"),
        ({"parents": 1}, "parents must be a probability between 0 and 1, not 1"),
    ],
)
def test_wrong_priors_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Prior(**wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"penalty_factor": -1}, "penalty_factor must be a finite number of at least 0, not -1"),
        ({"penalty_factor": 101}, "penalty_factor must be at most 100, not 101"),
        ({"least_gain": float("inf")}, "least_gain must be a finite number of at least 0"),
        ({"prior": {("a", "b"): 0.5}}, "prior must be a Prior"),
        ({"score": "bicc"}, "score must be one of"),
        ({"score": Adjusted("bic", least_gain=1)}, "score must be one to which nothing was added yet"),
    ],
)
def test_wrong_adjustments_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Adjusted(**wrong)


def test_unknown_names_are_refused_when_data_is_there() -> None:
    with pytest.raises(ParameterError, match=r"arcs of the prior mention 'bb', which is not among the 4 names"):
        LocalScore(table(), Adjusted("bic", Prior({("a", "bb"): 0.5})))
    with pytest.raises(ParameterError, match=r"edges of the prior mention 'asai'.*did you mean 'asia'"):
        learn(load_example("asia").sample(10, seed=1), score=Adjusted("bic", Prior(edges={("asai", "xray"): 0.5})))
