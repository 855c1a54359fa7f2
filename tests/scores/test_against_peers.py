"""The same scores from other libraries (and who is right where they differ), and numbers that are published."""

import os
import warnings
from collections.abc import Callable
from itertools import combinations
from math import lgamma, log, prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import oracles
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.scores import AIC, BIC, K2, BDeu, BDs, LocalScore, LogLikelihood, Score

pandas = pytest.importorskip("pandas")

DATA_FOLDER = Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[3] / "shared" / "data"))
ARITIES = (2, 3, 5, 2)
NAMES = ("a", "b", "c", "d")
FAMILIES = [
    (child, parents)
    for child in range(4)
    for size in range(4)
    for parents in combinations([v for v in range(4) if v != child], size)
]


def codes(n_rows: int, seed: int) -> npt.NDArray[np.int64]:
    """Columns that depend on each other; the last states of the third are rare."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n_rows)
    b = (a + np.floor(3 * rng.random(n_rows) ** 2).astype(np.int64)) % 3
    c = np.floor(5 * rng.random(n_rows) ** (1 + b)).astype(np.int64)
    d = np.where(rng.random(n_rows) < 0.3, a, rng.integers(0, 2, n_rows))
    return np.stack([a, b, c, d], axis=1)


SEEN = codes(3000, seed=1)
# 40 rows show every state, but not all of the 60 configurations; b = 2 never occurs together with a = 1.
SPARSE = codes(200, seed=2)
SPARSE = SPARSE[~((SPARSE[:, 0] == 1) & (SPARSE[:, 1] == 2))][:40]


def dataset(rows: npt.NDArray[np.int64]) -> Dataset:
    return Dataset.from_codes(rows, arities=ARITIES, names=NAMES)


def frame(rows: npt.NDArray[np.int64]) -> Any:
    return pandas.DataFrame({name: rows[:, v].astype(str) for v, name in enumerate(NAMES)})


def is_seen(rows: npt.NDArray[np.int64], parents: tuple[int, ...]) -> bool:
    """Whether every configuration of the parents occurs."""
    return len(np.unique(rows[:, list(parents)], axis=0)) == prod(ARITIES[p] for p in parents)


def by_definition(score: Score, rows: npt.NDArray[np.int64], child: int, parents: tuple[int, ...]) -> float:
    return oracles.local_score(score.name, rows.tolist(), ARITIES, child, parents, parameter=score.parameter)


def test_the_tables_are_what_the_tests_need() -> None:
    assert all(is_seen(SEEN, parents) for _, parents in FAMILIES if len(parents) < 3)
    assert sum(not is_seen(SPARSE, parents) for _, parents in FAMILIES) > 5
    assert all(is_seen(SPARSE, (v,)) for v in range(4))


# pgmpy


def pgmpy_local(name: str, rows: npt.NDArray[np.int64], **options: Any) -> Callable[[int, tuple[int, ...]], float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = pytest.importorskip("pgmpy.structure_score", reason="pgmpy 1.1 or later is not here")
    states = {name: [str(k) for k in range(r)] for name, r in zip(NAMES, ARITIES, strict=True)}
    peer = getattr(scores, name)(frame(rows), state_names=states, **options)
    return lambda child, parents: float(peer.local_score(NAMES[child], tuple(NAMES[p] for p in parents)))


@pytest.mark.parametrize("rows", [SEEN, SPARSE], ids=["seen", "sparse"])
@pytest.mark.parametrize(
    ("score", "options"),
    [
        (LogLikelihood(), {}),
        (AIC(), {}),
        (BIC(), {}),
        (BDeu(ess=1), {"equivalent_sample_size": 1}),
        (BDeu(ess=10), {"equivalent_sample_size": 10}),
    ],
    ids=repr,
)
def test_pgmpy(score: Score, options: dict[str, float], rows: npt.NDArray[np.int64]) -> None:
    local, peer = LocalScore(dataset(rows), score), pgmpy_local(type(score).__name__, rows, **options)
    for child, parents in FAMILIES:
        assert local.local(child, parents) == pytest.approx(peer(child, parents), rel=1e-9)


@pytest.mark.parametrize("score", [K2(), BDs(ess=10)], ids=repr)
def test_pgmpy_where_every_parent_configuration_is_seen(score: Score) -> None:
    options = {"equivalent_sample_size": 10} if isinstance(score, BDs) else {}
    local, peer = LocalScore(dataset(SEEN), score), pgmpy_local(type(score).__name__, SEEN, **options)
    for child, parents in FAMILIES:
        if is_seen(SEEN, parents):
            assert local.local(child, parents) == pytest.approx(peer(child, parents), rel=1e-9)


def test_pgmpy_k2_is_wrong_for_parent_configurations_that_are_not_seen() -> None:
    """An unseen configuration contributes ln (r − 1)! − ln (r − 1)! = 0.

    pgmpy leaves these configurations out of the second term only, so that each adds ln (r − 1)! to its score: nothing
    for a binary child, and the more, the more states the child has.
    """
    local, peer = LocalScore(dataset(SPARSE), "k2"), pgmpy_local("K2", SPARSE)
    differences = 0
    for child, parents in FAMILIES:
        assert local.local(child, parents) == pytest.approx(by_definition(K2(), SPARSE, child, parents), rel=1e-12)
        q, seen = prod(ARITIES[p] for p in parents), len(np.unique(SPARSE[:, list(parents)], axis=0)) if parents else 1
        excess = (q - seen) * lgamma(ARITIES[child])
        assert peer(child, parents) - local.local(child, parents) == pytest.approx(excess, abs=1e-9)
        differences += excess > 1
    assert differences > 2


def test_pgmpy_bds_is_not_a_probability_where_parent_configurations_are_not_seen() -> None:
    """Scutari (2016) spreads α over the q̃ observed configurations: α_j = α / q̃ and α_jk = α / (q̃ r).

    pgmpy takes α / (q r) for the cells, so that they no longer sum to α_j, and its score no longer is the logarithm of
    a marginal likelihood.
    """
    local, peer = LocalScore(dataset(SPARSE), BDs(ess=10)), pgmpy_local("BDs", SPARSE, equivalent_sample_size=10)
    for child, parents in FAMILIES:
        assert local.local(child, parents) == pytest.approx(
            by_definition(BDs(ess=10), SPARSE, child, parents), rel=1e-12
        )
        if not is_seen(SPARSE, parents):
            assert abs(peer(child, parents) - local.local(child, parents)) > 0.1


def test_pgmpy_bdeu_is_wrong_for_states_of_the_child_that_are_not_seen() -> None:
    """A state that is declared but never seen contributes ln Γ(α_jk) − ln Γ(α_jk) = 0; pgmpy subtracts the second."""
    rows = SEEN[SEEN[:, 1] < 2]
    local, peer = LocalScore(dataset(rows), BDeu(ess=10)), pgmpy_local("BDeu", rows, equivalent_sample_size=10)
    for child, parents in ((1, (0,)), (1, (3, 0))):
        q = prod(ARITIES[p] for p in parents)
        expected = by_definition(BDeu(ess=10), rows, child, parents)
        assert local.local(child, parents) == pytest.approx(expected, rel=1e-12)
        assert peer(child, parents) == pytest.approx(expected - q * lgamma(10 / (3 * q)), rel=1e-9)
        assert abs(peer(child, parents) - expected) > 0.01


# pyAgrum: scores in bits. It reads log Γ from a table with steps of 0.01, good to 1e-7 of a score as long as all
# pseudo-counts are multiples of that (with 60 cells at most: α = 0.6, 6, 300), and off by several units otherwise.


def pyagrum_local(rows: npt.NDArray[np.int64], *settings: tuple[Any, ...]) -> Callable[[int, tuple[int, ...]], float]:
    pyagrum = pytest.importorskip("pyagrum")
    learner = pyagrum.BNLearner(frame(rows))
    learner.setNumberOfThreads(1)
    for name, *arguments in settings:
        getattr(learner, name)(*arguments)
    return lambda child, parents: float(learner.score(NAMES[child], [NAMES[p] for p in parents])) * log(2)


@pytest.mark.parametrize("rows", [SEEN, SPARSE], ids=["seen", "sparse"])
@pytest.mark.parametrize(
    ("score", "settings", "tolerance"),
    [
        (LogLikelihood(), [("useScoreLog2Likelihood",), ("useNoPrior",)], 1e-10),
        (BIC(), [("useScoreBIC",), ("useNoPrior",)], 1e-10),
        (K2(), [("useScoreK2",), ("useNoPrior",)], 1e-6),
        (BDeu(ess=0.6), [("useScoreBD",), ("useBDeuPrior", 0.6)], 1e-6),
        (BDeu(ess=6), [("useScoreBD",), ("useBDeuPrior", 6)], 1e-6),
        (BDeu(ess=300), [("useScoreBD",), ("useBDeuPrior", 300)], 1e-6),
    ],
    ids=repr,
)
def test_pyagrum(score: Score, settings: list[tuple[Any, ...]], tolerance: float, rows: npt.NDArray[np.int64]) -> None:
    local, peer = LocalScore(dataset(rows), score), pyagrum_local(rows, *settings)
    for child, parents in FAMILIES:
        assert local.local(child, parents) == pytest.approx(peer(child, parents), rel=tolerance)


def test_pyagrum_aic_takes_its_penalty_from_bits() -> None:
    """Its likelihood is in bits and its penalty one per parameter, so that a parameter costs ln 2 instead of 1."""
    local, peer = LocalScore(dataset(SEEN), "aic"), pyagrum_local(SEEN, ("useScoreAIC",), ("useNoPrior",))
    for child, parents in FAMILIES:
        n_parameters = prod(ARITIES[p] for p in parents) * (ARITIES[child] - 1)
        assert local.local(child, parents) == pytest.approx(
            peer(child, parents) - n_parameters * (1 - log(2)), rel=1e-9
        )


def test_pyagrum_with_weights() -> None:
    """Weights of records are weights of rows."""
    weights = np.random.default_rng(4).integers(1, 9, len(SPARSE))
    pyagrum = pytest.importorskip("pyagrum")
    learner = pyagrum.BNLearner(frame(SPARSE))
    learner.useScoreLog2Likelihood()
    learner.useNoPrior()
    for i, weight in enumerate(weights.tolist()):
        learner.setRecordWeight(i, weight)
    local = LocalScore(Dataset.from_codes(SPARSE, arities=ARITIES, names=NAMES, weights=weights), "loglik")
    for child, parents in FAMILIES:
        expected = learner.score(NAMES[child], [NAMES[p] for p in parents]) * log(2)
        assert local.local(child, parents) == pytest.approx(expected, rel=1e-10)


# Published numbers


def binary_dataset(name: str) -> Dataset:
    file = DATA_FOLDER / "debd" / f"{name}.npz"
    if not file.exists():
        pytest.skip(f"{file} is not here")
    with np.load(file) as arrays:
        _, n_variables = map(int, arrays["shape"])
        codes = np.unpackbits(arrays["bits"], axis=1, count=n_variables)
    return Dataset.from_codes(codes, arities=[2] * n_variables)


@pytest.mark.parametrize(("name", "total"), [("nltcs", -200164.919), ("msnbc", -2630082.723)])
def test_empty_graphs_of_known_data(name: str, total: float) -> None:
    data = binary_dataset(name)
    assert LocalScore(data, "bic").total(Dag(data.names)) == pytest.approx(total, abs=1e-3)


def test_best_parent_sets_of_known_data() -> None:
    """All 16 · 2^15 families of nltcs: the sum of the best of each child is known."""
    data = binary_dataset("nltcs")
    score = LocalScore(data, "bic")
    total = 0.0
    for child in range(16):
        best = score.local(child)
        sets: list[tuple[int, ...]] = [()]
        while sets:
            parents = sets.pop()
            more = [v for v in range(parents[-1] + 1 if parents else 0, 16) if v != child]
            if more:
                best = max(best, float(score.additions(child, parents, more).max()))
                sets += [(*parents, v) for v in more]
        total += best
    assert total == pytest.approx(-109786.480, abs=1e-3)
    assert score.evaluations == 16 * 2**15
