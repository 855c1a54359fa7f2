"""What a LocalScore promises besides the numbers: memory, counters, threads, files of itself, and clear refusals."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from math import log

import numpy as np
import pytest
from scipy.stats import entropy

import oracles
import oracles_graph
from arcwise.data import Dataset, Quantile
from arcwise.graph.dag import Dag
from arcwise.scores import BDeu, LocalScore
from arcwise.support.errors import ArcwiseError, DataError, ParameterError
from graph_strategies import dag_of
from score_cases import COUNTED

NAMES = tuple(COUNTED)
ARITIES = (2, 3, 2, 4, 2)


@pytest.fixture(scope="module")
def data() -> Dataset:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 200)
    columns = [first] + [np.where(rng.random(200) < 0.4, first % r, rng.integers(0, r, 200)) for r in ARITIES[1:]]
    return Dataset.from_codes(np.stack(columns, axis=1), arities=ARITIES, names=list("abcde"))


def families(n_variables: int) -> list[tuple[int, tuple[int, ...]]]:
    """Every child with every set of parents."""
    return [
        (child, parents)
        for child in range(n_variables)
        for size in range(n_variables)
        for parents in combinations([v for v in range(n_variables) if v != child], size)
    ]


def expected(data: Dataset, name: str, child: int, parents: tuple[int, ...], parameter: float | None = None) -> float:
    return oracles.local_score(name, data.codes.tolist(), data.arities, child, parents, parameter=parameter)


# Numbers


def test_log_likelihood_is_minus_conditional_entropy(data: Dataset) -> None:
    """ℓ = −N (H(child, parents) − H(parents)), with scipy's entropies."""
    score = LocalScore(data, "loglik")
    for child, parents in families(5):
        _, joint = np.unique(data.codes[:, [child, *parents]], axis=0, return_counts=True)
        alone = np.unique(data.codes[:, list(parents)], axis=0, return_counts=True)[1] if parents else np.array([200])
        conditional = float(entropy(joint) - entropy(alone))
        assert score.local(child, parents) == pytest.approx(-200 * conditional, rel=1e-11)


def test_likelihood_never_falls_with_one_more_parent(data: Dataset) -> None:
    score = LocalScore(data, "loglik")
    for child, parents in families(5):
        assert (score.additions(child, parents) >= score.local(child, parents) - 1e-9).all()


@pytest.mark.parametrize("name", NAMES)
def test_total_is_the_sum_over_families(data: Dataset, name: str) -> None:
    score = LocalScore(data, name)
    for arcs in oracles_graph.all_dags(4)[::25]:
        dag = Dag(list("abcde"), [*dag_of(arcs, 4).arcs, ("a", "e"), ("c", "e")])
        by_hand = sum(expected(data, name, v, parents) for v, parents in enumerate(dag.parent_indices))
        assert score.total(dag) == pytest.approx(by_hand, rel=1e-11)
        assert score.total(dag.with_names_ordered(list("dbeca"))) == pytest.approx(by_hand, rel=1e-11)


def test_names_and_indices_are_the_same_variables(data: Dataset) -> None:
    score = LocalScore(data, "bdeu")
    assert score.local("c", ["e", "a"]) == score.local(2, [4, 0]) == score.local("c", np.array([0, 4]))
    assert score.additions("c", ["e"], ["d", "a"]).tolist() == score.additions(2, (4,), np.array([3, 0])).tolist()
    assert score.local("c", iter(["e", "a"])) == score.local("c", {"a", "e"})


def test_batches_follow_the_order_they_are_asked_in(data: Dataset) -> None:
    score = LocalScore(data, "bic")
    given = [expected(data, "bic", 1, (3, v)) for v in (4, 0, 2)]
    assert score.additions("b", ["d"], ["e", "a", "c"]).tolist() == pytest.approx(given, rel=1e-12)
    by_index = [expected(data, "bic", 1, (3, v)) for v in (0, 2, 4)]
    assert score.additions("b", ["d"]).tolist() == pytest.approx(by_index, rel=1e-12)
    without = [expected(data, "bic", 1, parents) for parents in ((0, 2), (2, 3), (0, 3))]
    assert score.removals("b", ["d", "a", "c"]).tolist() == pytest.approx(without, rel=1e-12)
    assert LocalScore(data, "bic").removals("b", ["d", "a", "c"]).tolist() == pytest.approx(without, rel=1e-12)


def test_batches_of_nothing(data: Dataset) -> None:
    score = LocalScore(data)
    assert score.additions("a", list("bcde")).shape == (0,)
    assert score.additions("a", [], []).shape == (0,)
    assert score.removals("a", []).shape == (0,)
    assert score.evaluations == score.cache_hits == 0


# Memory


def test_counters(data: Dataset) -> None:
    score = LocalScore(data)
    score.local("a", ["b", "c"])
    assert (score.evaluations, score.cache_hits) == (1, 0)
    score.local("a", ["c", "b"])
    assert (score.evaluations, score.cache_hits) == (1, 1)
    score.additions("a", ["b"])  # c is known; d and e are new
    assert (score.evaluations, score.cache_hits) == (3, 2)
    score.removals("a", ["b", "d"])  # {d} and {b} are new
    assert (score.evaluations, score.cache_hits) == (5, 2)
    score.removals("a", ["b", "c", "d"])  # {b, c} and {b, d} are known
    assert (score.evaluations, score.cache_hits) == (6, 4)
    score.local("b", ["a", "c"])  # another child with the same variables
    assert (score.evaluations, score.cache_hits) == (7, 4)
    score.total(Dag(list("abcde"), [("b", "a"), ("c", "a")]))  # a's family is known, four are new
    assert (score.evaluations, score.cache_hits) == (11, 5)
    score.additions("a", ["b", "c", "d", "e"])
    assert (score.evaluations, score.cache_hits) == (11, 5)


def test_remembered_scores_are_the_same_numbers(data: Dataset) -> None:
    for name in NAMES:
        score = LocalScore(data, name)
        first = [score.local(child, parents) for child, parents in families(5)]
        again = [score.local(child, parents[::-1]) for child, parents in families(5)]
        assert first == again
        assert score.evaluations == score.cache_hits == len(first)
        for child, parents in families(5):
            score.additions(child, parents)
            score.removals(child, parents)
        assert score.evaluations == len(first)


@pytest.mark.parametrize("cache_bytes", [0, 1, 1000, 1600, 2000, 5000, 20_000])
def test_little_memory_forgets_but_stays_right(data: Dataset, cache_bytes: int) -> None:
    rng = np.random.default_rng(1)
    wide = Dataset.from_codes(rng.integers(0, 2, (100, 9)), arities=[2] * 9)
    full, little = LocalScore(wide), LocalScore(wide, cache_bytes=cache_bytes)
    everything = families(9)
    for _ in range(2):
        for i in rng.permutation(len(everything))[:500]:
            child, parents = everything[i]
            assert little.local(child, parents) == pytest.approx(full.local(child, parents), rel=1e-12)
            assert little.additions(child, parents) == pytest.approx(full.additions(child, parents), rel=1e-12)
            assert little.removals(child, parents) == pytest.approx(full.removals(child, parents), rel=1e-12)
            assert little.core.cache_bytes <= cache_bytes
    assert little.evaluations + little.cache_hits == full.evaluations + full.cache_hits
    assert little.evaluations > full.evaluations
    assert cache_bytes > 1000 or little.cache_hits == 0


def test_pickling_keeps_the_score_but_not_what_it_remembers(data: Dataset) -> None:
    score = LocalScore(data, BDeu(ess=3), cache_bytes=12_345)
    value = score.local("a", ["b"])
    copy = pickle.loads(pickle.dumps(score))
    assert copy.score == BDeu(ess=3)
    assert copy.data == data
    assert copy.evaluations == copy.cache_hits == 0
    assert copy.local("a", ["b"]) == value == pytest.approx(expected(data, "bdeu", 0, (1,), parameter=3))
    assert pickle.loads(pickle.dumps(copy)).local("a", ["b"]) == value


def test_a_score_outlives_the_names_of_its_data() -> None:
    """The compiled side borrows the codes, and must keep them alive."""
    scores = [LocalScore(Dataset.from_codes(np.full((3000, 3), v % 2), arities=[2, 2, 2])) for v in range(50)]
    junk = [np.full((3000, 3), 7, dtype=np.uint8) for _ in range(50)]
    for score in scores:
        assert score.local(0, [1]) == pytest.approx(-log(3000), rel=1e-12)
    assert len(junk) == 50


# Threads


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cache_bytes", [0, 4000, 1 << 30])
def test_many_threads_give_the_numbers_of_one(data: Dataset, name: str, cache_bytes: int) -> None:
    alone = LocalScore(data, name)
    wanted = {family: alone.local(*family) for family in families(5)}
    shared = LocalScore(data, name, cache_bytes=cache_bytes)
    rng = np.random.default_rng(2)
    orders = [[families(5)[i] for i in rng.permutation(len(wanted))] for _ in range(8)]

    def work(order: list[tuple[int, tuple[int, ...]]]) -> bool:
        return all(shared.local(*family) == wanted[family] for family in order)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, orders))
    assert shared.evaluations + shared.cache_hits == 8 * len(wanted)
    assert shared.evaluations >= len(wanted)


@pytest.mark.parametrize("name", NAMES)
def test_threads_that_mix_batches_and_single_scores(data: Dataset, name: str) -> None:
    """Buffers are per thread: a batch in one must not disturb a table in another."""
    alone = LocalScore(data, name)
    shared = LocalScore(data, name, cache_bytes=3000)

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for i in rng.permutation(len(families(5))):
            child, parents = families(5)[i]
            assert shared.additions(child, parents) == pytest.approx(alone.additions(child, parents), rel=1e-11)
            assert shared.local(child, parents) == pytest.approx(alone.local(child, parents), rel=1e-11)
            assert shared.removals(child, parents) == pytest.approx(alone.removals(child, parents), rel=1e-11)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))


# Refusals


def test_variables_that_do_not_exist(data: Dataset) -> None:
    score = LocalScore(data)
    for wrong in ("z", "", "A", 5, -1):
        with pytest.raises(ArcwiseError, match=r"\bno\b|not exist"):
            score.local(wrong)
        with pytest.raises(ArcwiseError, match=r"\bno\b|not exist"):
            score.local("a", [wrong])
        with pytest.raises(ArcwiseError, match=r"\bno\b|not exist"):
            score.additions("a", ["b"], [wrong])


@pytest.mark.parametrize("wrong", [1.5, 1.0, None, np.float64(0)])
def test_variables_are_names_or_whole_numbers(data: Dataset, wrong: object) -> None:
    score = LocalScore(data)
    with pytest.raises((ParameterError, TypeError)):
        score.local(wrong)  # type: ignore[arg-type]
    with pytest.raises((ParameterError, TypeError)):
        score.local("a", [wrong])  # type: ignore[list-item]


def test_variables_named_twice(data: Dataset) -> None:
    score = LocalScore(data)
    with pytest.raises(ParameterError, match="'a' is named twice"):
        score.local("a", ["b", "a"])
    with pytest.raises(ParameterError, match="'b' is named twice"):
        score.local("a", ["b", "c", 1])
    with pytest.raises(ParameterError, match="'b' is named twice"):
        score.removals("a", ["b", "b"])
    for candidates in (["a"], ["b"], ["c", "d", "c"]):
        with pytest.raises(ParameterError, match="named twice"):
            score.additions("a", ["b"], candidates)


def test_text_is_not_a_list_of_variables(data: Dataset) -> None:
    score = LocalScore(data)
    with pytest.raises(ParameterError, match=r"\['bc'\]"):
        score.local("a", "bc")
    with pytest.raises(ParameterError, match=r"\['b'\]"):
        score.removals("a", "b")
    with pytest.raises(ParameterError, match=r"\['b'\]"):
        score.additions("a", "b")
    with pytest.raises(ParameterError, match="candidates"):
        score.additions("a", [], "bc")


def test_graphs_over_other_variables(data: Dataset) -> None:
    score = LocalScore(data)
    with pytest.raises(ParameterError, match="only in the data: 'e'"):
        score.total(Dag(list("abcd")))
    with pytest.raises(ParameterError, match="only in the graph: 'z'"):
        score.total(Dag(list("abcdez")))


@pytest.mark.parametrize("wrong", [None, 3, LocalScore])
def test_anything_but_a_table(wrong: object) -> None:
    with pytest.raises(DataError, match=r"cannot be read as a frame|The data is None; give"):
        LocalScore(wrong)


def test_a_table_is_read_like_a_dataset() -> None:
    rows = {"dose": [0.5, 1.5, 2.5, 3.5], "cured": ["no", "no", "yes", "yes"]}
    score = LocalScore(rows, "loglik", discretise=Quantile(2))
    assert score.data == Dataset.of(rows, discretise=Quantile(2))
    assert score.local("cured", ["dose"]) == 0


def test_memory_below_nothing(data: Dataset) -> None:
    with pytest.raises(ParameterError, match="cache_bytes"):
        LocalScore(data, cache_bytes=-1)


def test_unknown_instructions(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCWISE_SIMD", "sse9")
    with pytest.raises(ParameterError, match=r"sse9.*plain, neon, avx2 or avx512"):
        LocalScore(data)
