"""The scores by hand, by their properties, and what their parameters may be."""

import re
from math import exp, factorial, inf, lgamma, log, nan, pi, sqrt

import numpy as np
import pytest

import arcwise
import oracles
import oracles_graph
from arcwise.data.dataset import Dataset
from arcwise.scores import (
    AIC,
    BIC,
    EBIC,
    FNML,
    HQC,
    K2,
    QNML,
    SCORES,
    Adjusted,
    BDeu,
    BDs,
    LocalScore,
    LogLikelihood,
    PythonScore,
    Score,
    score_named,
)
from arcwise.support.errors import ParameterError
from graph_strategies import dag_of

ALL = (*(kind() for kind in SCORES.values() if "discrete" in kind.kinds), EBIC(gamma=1), BDeu(ess=7.5), BDs(ess=7.5))
EQUIVALENT = tuple(score for score in ALL if score.is_equivalent)
OTHERS = tuple(score for score in ALL if not score.is_equivalent)


def table(codes: object, arities: list[int] | None = None, weights: list[int] | None = None) -> Dataset:
    return Dataset.from_codes(np.asarray(codes), arities=arities, weights=weights)


@pytest.fixture(scope="module")
def weather() -> Dataset:
    """Eight days: dry on 3 of 4 days without clouds, on 1 of 4 with; two states each."""
    return table([[0, 0], [0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [1, 1]])


# By hand: n_jk = ((3, 1), (1, 3)), n_j = (4, 4), r = q = 2, N = 8.
LOGLIK = 6 * log(3 / 4) + 2 * log(1 / 4)
C_4_2 = 1 + 4 * 27 / 256 + 6 / 16 + 4 * 27 / 256 + 1  # h = 0 … 4 of 4


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (LogLikelihood(), LOGLIK),
        (AIC(), LOGLIK - 2),
        (HQC(), LOGLIK - 2 * log(log(8))),  # = −5.963 with ln ln 8 = 0.7321
        (BIC(), LOGLIK - log(8)),
        # B(3 + α/4, 1 + α/4) / B(α/4, α/4) for each of the two configurations; α = 4 makes them 3! 1! / 5!.
        (BDeu(ess=4), 2 * log(6 / 120)),
        (BDs(ess=4), 2 * log(6 / 120)),
        (K2(), 2 * log(6 / 120)),
        # α = 8: (4! 2! / 7!) / (1! 1! / 3!)
        (BDeu(ess=8), 2 * log(48 / 5040 * 6)),
        (FNML(), LOGLIK - 2 * log(C_4_2)),
    ],
)
def test_a_small_table_by_hand(weather: Dataset, score: Score, expected: float) -> None:
    assert LocalScore(weather, score).local("X1", ["X0"]) == pytest.approx(expected, rel=1e-13)


def test_qnml_is_a_quotient_of_two_joint_scores(weather: Dataset) -> None:
    """ln NML(child and parents as one variable) − ln NML(parents as one variable)."""
    joint = 6 * log(3 / 8) + 2 * log(1 / 8) - log(oracles.normaliser_by_definition(8, 4))
    parents = 8 * log(1 / 2) - log(oracles.normaliser_by_definition(8, 2))
    assert LocalScore(weather, "qnml").local("X1", ["X0"]) == pytest.approx(joint - parents, rel=1e-13)


def test_bayesian_scores_are_the_chain_of_predictions() -> None:
    """The marginal likelihood is the product of one-step predictions (n_k + α_k) / (n + α), whatever the order."""
    column = [0, 2, 1, 1, 0, 2, 2, 2, 0, 1, 2]
    for score, alpha in ((BDeu(ess=3), 1.0), (BDs(ess=3), 1.0), (K2(), 1.0), (BDeu(ess=0.6), 0.2)):
        expected = 0.0
        for i, state in enumerate(column):
            expected += log((column[:i].count(state) + alpha) / (i + 3 * alpha))
        assert LocalScore(table([[k] for k in column]), score).local(0) == pytest.approx(expected, rel=1e-13)


def test_k2_is_one_over_the_number_of_arrangements() -> None:
    """Cooper & Herskovits: (r − 1)! Π n_k! / (N + r − 1)! counts arrangements, all tables being equally likely."""
    data = table([[0]] * 5 + [[1]] * 2 + [[3]], arities=[4])
    expected = log(factorial(3) * factorial(5) * factorial(2) / factorial(11))
    assert LocalScore(data, "k2").local(0) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("r", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_normalisers_by_definition(n: int, r: int) -> None:
    """A constant column has likelihood 1, so that its fNML score is −ln C(n, r); three ways to C agree."""
    expected = log(oracles.normaliser_by_definition(n, r))
    assert oracles.log_normaliser_by_recurrence(n, r) == pytest.approx(expected, abs=1e-12)
    assert oracles.log_normaliser_by_series(n, r) == pytest.approx(expected, abs=1e-12)
    constant = table([[0]] * n, arities=[r])
    assert LocalScore(constant, "fnml").local(0) == pytest.approx(-expected, abs=1e-12)
    assert LocalScore(constant, "qnml").local(0) == pytest.approx(-expected, abs=1e-12)


@pytest.mark.parametrize("r", [2, 3, 10, 1000, 65_535])
@pytest.mark.parametrize("n", [1, 50, 1000, 30_000])
def test_normalisers_of_many_observations_and_many_states(n: int, r: int) -> None:
    constant = table([[0]], arities=[r], weights=[n])
    assert LocalScore(constant, "fnml").local(0) == pytest.approx(-oracles.log_normaliser(n, r), rel=1e-11)


@pytest.mark.parametrize(("n", "tolerance"), [(10**6, 1e-8), (4_000_000_000, 1e-4)])
def test_normaliser_of_very_many_observations(n: int, tolerance: float) -> None:
    """C(n, 2) = 1 + Q(n), with Ramanujan's Q(n) = √(πn/2) − 1/3 + √(π/2n)/12 − 4/(135n) + … (Knuth, TAOCP 1.2.11.3)."""
    expected = log(sqrt(pi * n / 2) + 2 / 3 + sqrt(pi / (2 * n)) / 12 - 4 / (135 * n))
    assert LocalScore(table([[0]], [2], [n]), "fnml").local(0) == pytest.approx(-expected, abs=tolerance)


# Parents of arity 3, beyond 65,536 outcomes: there q r is not a power of two, and rounding shows.
@pytest.mark.parametrize("n_parents", [9, 10, 12, 16, 20, 25, 30, 32, 34, 36, 40, 50])
@pytest.mark.parametrize("n", [1, 10, 1000, 20_000])
def test_qnml_of_very_many_outcomes(n: int, n_parents: int) -> None:
    """One row seen n times: the score is ln C(n, q) − ln C(n, q r), and tends to −n ln r."""
    data = table([[0] * (n_parents + 1)], [2] + [3] * n_parents, [n])
    q = 3**n_parents
    expected = oracles.log_normaliser(n, q) - oracles.log_normaliser(n, 2 * q)
    if n_parents == 50:
        assert expected == pytest.approx(-n * log(2), rel=1e-9)
    assert LocalScore(data, "qnml").local(0, range(1, n_parents + 1)) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("score", EQUIVALENT, ids=repr)
def test_equivalent_graphs_score_the_same(score: Score) -> None:
    """All 543 graphs on four nodes, in their 185 classes; mixed arities and sparse data."""
    rng = np.random.default_rng(5)
    data = Dataset.from_codes(
        np.stack([rng.integers(0, r, 37) for r in (2, 3, 4, 2)], axis=1), arities=[2, 3, 5, 2], names=list("abcd")
    )
    local = LocalScore(data, score)
    for members in oracles_graph.classes(4):
        totals = [local.total(dag_of(arcs, 4)) for arcs in members]
        assert totals == pytest.approx([totals[0]] * len(totals), rel=1e-11)


@pytest.mark.parametrize("score", OTHERS, ids=repr)
def test_reversing_one_arc_changes_the_other_scores(score: Score) -> None:
    """Two variables that are equivalent as X → Y and Y → X; arities differ and a state is never seen."""
    data = table([[0, 0], [0, 0], [0, 1], [1, 3], [1, 3], [1, 0], [0, 1]], arities=[2, 4])
    local = LocalScore(data, score)
    forward = local.local(0) + local.local(1, [0])
    backward = local.local(1) + local.local(0, [1])
    assert abs(forward - backward) > 0.001
    rows = data.codes.tolist()
    for child, parents in ((0, ()), (1, (0,)), (1, ()), (0, (1,))):
        expected = oracles.local_score(score.name, rows, data.arities, child, parents, parameter=score.parameter)
        assert local.local(child, parents) == pytest.approx(expected, rel=1e-12)


def test_a_state_that_is_declared_but_never_seen_counts_where_the_formula_says() -> None:
    """Parent with 1 of 2 states seen: q doubles for (e)BIC, AIC, HQC, BDeu, qNML; BDs, K2, fNML and likelihood stay."""
    column = [0, 1, 1, 0, 1, 1, 1]
    narrow = table([[k, 0] for k in column], arities=[2, 1])
    wide = table([[k, 0] for k in column], arities=[2, 2])
    n = len(column)
    gains = {score: LocalScore(wide, score).local(0, [1]) - LocalScore(narrow, score).local(0, [1]) for score in ALL}
    for score in (LogLikelihood(), BDs(ess=1), BDs(ess=7.5), K2(), FNML()):
        assert gains[score] == 0
    assert gains[AIC()] == pytest.approx(-1)
    assert gains[HQC()] == pytest.approx(-log(log(n)))
    assert gains[BIC()] == gains[EBIC()] == pytest.approx(-log(n) / 2)
    halved = LocalScore(narrow, BDeu(ess=0.5)).local(0, [1])
    assert gains[BDeu(ess=1)] == pytest.approx(halved - LocalScore(narrow, BDeu(ess=1)).local(0, [1]))
    c = [oracles.normaliser_by_definition(n, outcomes) for outcomes in (1, 2, 4)]
    assert gains[QNML()] == pytest.approx(log(c[1] / c[2]) - log(c[0] / c[1]))


@pytest.mark.parametrize("score", ALL, ids=repr)
def test_a_child_with_one_state_scores_nothing(score: Score) -> None:
    data = table([[0, 0], [0, 1], [0, 2], [0, 1]], arities=[1, 3])
    local = LocalScore(data, score)
    assert [local.local(0), local.local(0, [1])] == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.parametrize("score", ALL, ids=repr)
def test_one_row(score: Score) -> None:
    """N = 1: likelihood 1, no penalty of (e)BIC for all parents and HQC, −ln r for every Bayesian and NML score."""
    data = table([[2, 1, 0]], arities=[3, 2, 4])
    expected = {"loglik": 0.0, "aic": -2.0 * 8, "hqc": 0.0, "bic": 0.0, "ebic": 0.0}.get(score.name, -log(3))
    assert LocalScore(data, score).local(0, [1, 2]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n", "per_parameter"), [(1, 0), (2, 0), (3, 0.0940478), (15, 0.9962289), (16, 1.0197814)])
def test_hannan_and_quinns_penalty(n: int, per_parameter: float) -> None:
    """ln ln N from three observations on, and never a reward; a constant column has likelihood 1 and r − 1 = 2 here."""
    constant = table([[0, 0]], arities=[3, 1], weights=[n])
    local = LocalScore(constant, "hqc")
    assert local.local(0) == pytest.approx(-2 * per_parameter, abs=1e-6)
    assert local.local(1, [0]) == 0  # one state needs no parameter, even where ln ln N is infinite


@pytest.mark.parametrize("n", [16, 17, 100, 10**4, 10**9])
def test_hannan_and_quinns_penalty_is_between_those_of_aic_and_bic(n: int) -> None:
    """1 < ln ln N from N = 16 > e^e on, and ln ln N < ln N / 2 always."""
    data = table([[0, 0]], arities=[3, 4], weights=[n])
    aic, hqc, bic = (LocalScore(data, score).local(0, [1]) for score in (AIC(), HQC(), BIC()))
    assert bic < hqc < aic


def test_the_extended_criterion_counts_sets_of_parents() -> None:
    """Of four others there are 1, 4, 6, 4 and 1 sets of 0 to 4 parents; γ = 0 is BIC."""
    data = table(np.random.default_rng(1).integers(0, 2, (50, 5)))
    bic = LocalScore(data, BIC())
    for gamma in (0.0, 0.5, 1.0):
        extended = LocalScore(data, EBIC(gamma=gamma))
        for k, sets in enumerate((1, 4, 6, 4, 1)):
            family = (2, [v for v in range(5) if v != 2][:k])
            assert extended.local(*family) == pytest.approx(bic.local(*family) - gamma * log(sets), rel=1e-13)
    assert LocalScore(data, EBIC(gamma=0)).local(2, [0, 1]) == bic.local(2, [0, 1])


def test_the_extended_criterion_is_the_same_however_a_family_is_counted() -> None:
    """To the last bit, from fewer parents, from more, and alone; 30 binary columns, from none to all as parents."""
    data = table(np.random.default_rng(2).integers(0, 2, (200, 30)))
    for k in range(29):
        parents = list(range(1, k + 1))
        alone = LocalScore(data, EBIC()).local(0, parents)
        if k > 0:
            assert LocalScore(data, EBIC()).additions(0, parents[:-1], [parents[-1]])[0] == alone
        assert LocalScore(data, EBIC()).removals(0, [*parents, k + 1])[-1] == alone


@pytest.mark.parametrize("gamma", [-0.1, 1.1, nan, inf, "1", None])
def test_weights_of_the_extended_criterion_that_mean_nothing_are_refused(gamma: float) -> None:
    with pytest.raises(ParameterError, match="gamma of ebic must be"):
        EBIC(gamma=gamma)


@pytest.mark.parametrize("ess", [1e6, 1e8, 1e10, 1e15, 1e300])
def test_bdeu_with_a_huge_sample_size_is_a_fair_die(ess: float) -> None:
    """As α grows the prior becomes certain of the uniform distribution: every row costs ln r."""
    data = table([[0, 0], [0, 1], [2, 1], [1, 0], [2, 1]], arities=[3, 2])
    assert LocalScore(data, BDeu(ess=ess)).local(0, [1]) == pytest.approx(-5 * log(3), rel=1e-4)


def test_bdeu_with_a_tiny_sample_size_pays_for_every_state_seen() -> None:
    """As α falls, Γ(α) ~ 1 / α: ln α_jk for each cell that occurs, −ln α_j for each row, and factorials."""
    data = table([[0, 0], [0, 0], [1, 0], [1, 1]], arities=[2, 2])
    ess = 1e-200
    expected = 3 * log(ess / 4) - 2 * log(ess / 2) + lgamma(2) - lgamma(3)
    assert LocalScore(data, BDeu(ess=ess)).local(0, [1]) == pytest.approx(expected, rel=1e-12)


def test_every_score_is_listed_and_public() -> None:
    """Whatever has a name of its own is a score, apart from what adds to one; all lists of names come from `SCORES`."""
    built_in = [kind for kind in descendants(Score) if not issubclass(kind, PythonScore | Adjusted)]
    named = [kind for kind in built_in if "name" in vars(kind)]
    assert sorted(kind.name for kind in named) == sorted(SCORES)
    for kind in named:
        assert kind.name == kind.__name__.lower() or kind is LogLikelihood
        assert getattr(arcwise, kind.__name__) is kind


def descendants(kind: type[Score]) -> list[type[Score]]:
    return [below for child in kind.__subclasses__() for below in (child, *descendants(child))]


def test_scores_by_name() -> None:
    for name, kind in SCORES.items():
        assert score_named(name) == kind()
        assert score_named(name.upper()) == kind()
        assert kind.name == name
    assert score_named(BDeu(ess=10)) == BDeu(ess=10)
    assert score_named("bdeu(ess=10)") == score_named(" BDeu( ess = 10 ) ") == BDeu(ess=10)
    assert score_named("ebic(gamma=0)") == EBIC(gamma=0)
    assert score_named("bic()") == BIC()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("bdeu(gamma=3)", "the score bdeu has no parameter 'gamma'; its parameter is ess"),
        ("bic(ess=2)", "the score bic has no parameter 'ess'; it has none"),
        ("bdeu(ess=x)", "ess of bdeu must be a finite number above 0, not 'x'"),
        ("bdeu(10)", "did you mean 'bdeu'"),
    ],
)
def test_wrong_parameters_of_names_are_refused(wrong: str, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        score_named(wrong)
    assert BDeu() == BDeu(ess=1.0)


@pytest.mark.parametrize("wrong", ["mdl", "", "bic x", None, 3, BIC, Score])
def test_unknown_scores_are_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match="bdeu"):
        score_named(wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="bdeu"):
        LocalScore(table([[0], [1]]), wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("ess", [0, 0.0, -1, nan, inf, -inf, "1", None, 1j])
@pytest.mark.parametrize("kind", [BDeu, BDs])
def test_sample_sizes_that_mean_nothing_are_refused(kind: type[BDeu | BDs], ess: float) -> None:
    with pytest.raises(ParameterError, match=f"ess of {kind.name}"):
        kind(ess=ess)


@pytest.mark.parametrize("ess", [np.float64(2), np.float32(2), np.int64(2), 2])
def test_sample_sizes_of_any_number_type(ess: float) -> None:
    data = table([[0], [1], [1]])
    assert LocalScore(data, BDeu(ess=ess)).local(0) == pytest.approx(LocalScore(data, BDeu(ess=2.0)).local(0))


def test_probabilities_of_all_tables_sum_to_one() -> None:
    """Bayesian and NML scores are normalised over all columns a child can have, given the parents."""
    parents = [0, 0, 1, 1, 1]
    for score in (BDeu(ess=2.5), BDs(ess=2.5), K2(), FNML()):
        total = 0.0
        for number in range(2**5):
            column = [number >> i & 1 for i in range(5)]
            data = table([[p, k] for p, k in zip(parents, column, strict=True)], arities=[2, 2])
            total += exp(LocalScore(data, score).local(1, [0]))
        assert total == pytest.approx(1, rel=1e-12)


def test_scores_are_written_as_people_say_them() -> None:
    assert [str(score) for score in (BIC(), QNML(), BDeu(10), BDeu(2.5))] == [
        "BIC",
        "QNML",
        "BDeu(ess=10)",
        "BDeu(ess=2.5)",
    ]
