"""Scores written in Python: the same numbers and the same graphs as those in C++, and what goes wrong in them."""

import gc
import pickle
import signal
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import (
    BDeu,
    Budget,
    CountScore,
    Dataset,
    Family,
    FamilyScore,
    LocalScore,
    ParameterError,
    Status,
    check_score,
    learn,
    load_example,
)
from arcwise.scores import Score, score_named
from arcwise.search.registry import SEARCHES
from arcwise.search.search import run_search
from interrupting import Press
from python_scores import Answering, BdeuByCounts, BdeuByFamily, BicByCounts, BicByFamily, Calling, built_in, counted
from score_cases import COUNTED
from short_searches import SHORT
from tables import dependent_table
from test_contract import SELECTING

every_method = pytest.mark.parametrize("method", list(SEARCHES))

TWINS: list[tuple[Score, Score]] = [
    (BicByCounts(), score_named("bic")),
    (BicByFamily(), score_named("bic")),
    (BdeuByCounts(ess=3.0), BDeu(ess=3.0)),
    (BdeuByFamily(ess=3.0), BDeu(ess=3.0)),
]


@pytest.fixture(autouse=True, scope="module")
def _forgotten_at_the_end() -> Iterator[None]:
    yield
    built_in.cache_clear()


def asia() -> Dataset:
    return load_example("asia").sample(500, seed=1)


@st.composite
def weighted_tables(draw: st.DrawFn) -> Dataset:
    arities = draw(st.lists(st.integers(1, 5), min_size=2, max_size=5))
    n_rows, seed = draw(st.integers(1, 40)), draw(st.integers(0, 2**32))
    generator = np.random.default_rng(seed)
    codes = generator.integers(arities, size=(n_rows, len(arities)))
    data = Dataset.from_codes(codes, arities=arities)
    if draw(st.booleans()):
        weights = generator.integers(0, 4, size=n_rows)
        weights[0] += 1
        data = data.with_weights(weights)
    return data


# --- numbers


@pytest.mark.parametrize(("own", "built_in"), TWINS, ids=lambda score: str(score))
@settings(max_examples=25)
@given(data=weighted_tables(), draw=st.data())
def test_local_scores_are_those_of_the_built_in_score(
    own: Score, built_in: Score, data: Dataset, draw: st.DataObject
) -> None:
    one, other = LocalScore(data, own), LocalScore(data, built_in)
    variables = draw.draw(st.permutations(range(data.n_variables)))
    child, parents = variables[0], variables[1 : draw.draw(st.integers(1, data.n_variables))]
    assert one.local(child, parents) == pytest.approx(other.local(child, parents), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(one.additions(child, parents), other.additions(child, parents), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.removals(child, parents), other.removals(child, parents), rtol=1e-9, atol=1e-9)


@settings(max_examples=25)
@given(data=weighted_tables(), draw=st.data())
def test_counts_are_those_of_the_configurations_that_occur(data: Dataset, draw: st.DataObject) -> None:
    seen: list[tuple[list[list[int]], Family]] = []

    class Watched(CountScore):
        def of_counts(self, counts: Any, family: Family) -> float:
            assert counts.dtype == np.int64
            assert counts.shape == (len(counts), family.states)
            seen.append((counts.tolist(), family))
            return 0.0

    variables = draw.draw(st.permutations(range(data.n_variables)))
    child, parents = variables[0], variables[1:]
    LocalScore(data, Watched()).local(child, parents)
    counts, family = seen[-1]
    assert family.child == data.names[child]
    assert family.parents == tuple(data.names[v] for v in sorted(parents))
    assert family.configurations == np.prod([data.arities[v] for v in parents])
    assert sorted(counts) == sorted(counted(family).tolist())


def test_tables_too_large_to_be_complete() -> None:
    generator = np.random.default_rng(1)
    codes = np.column_stack([generator.integers(60, size=300), np.arange(300), generator.integers(7, size=300)])
    data = Dataset.from_codes(codes, arities=[60, 300, 7])
    own, built_in = LocalScore(data, BicByCounts()), LocalScore(data, "bic")
    for child, parents in ((0, [1]), (0, [1, 2]), (1, [0, 2])):  # 300 rows that occur, of 60 or 300 states
        assert own.local(child, parents) == pytest.approx(built_in.local(child, parents), rel=1e-9)


def test_tables_too_large_for_an_array_are_refused() -> None:
    codes = np.column_stack([np.arange(600) * 100, np.arange(600)])
    data = Dataset.from_codes(codes, arities=[60_000, 600])
    message = r"BicByCounts would need too many counts of 'X0' with the parents 'X1'; limit the parents"
    with pytest.raises(ParameterError, match=message):
        LocalScore(data, BicByCounts()).local(0, [1])
    assert LocalScore(data, Calling(lambda family: -1.0)).local(0, [1]) == -1.0


def test_cache_and_counters_are_those_of_other_scores() -> None:
    data, calls = asia(), Counter[tuple[str, tuple[str, ...]]]()

    def of(family: Family) -> float:
        calls[family.child, family.parents] += 1
        return -1.0

    score = LocalScore(data, Calling(of))
    assert calls == {(name, ()): 1 for name in data.names}  # how large scores are
    assert score.evaluations == 0
    for _ in range(2):
        assert score.local("lung", ["smoke", "asia"]) == score.local("lung", ["asia", "smoke"]) == -1.0
        score.additions("lung", ["smoke"])
    assert score.evaluations == 1 + 5
    assert score.cache_hits == 3 + 1 + 6
    assert calls["lung", ("asia", "smoke")] == 1
    assert score.rounding == pytest.approx(1e-11)


def test_rounding_follows_the_size_of_scores() -> None:
    class Rough(FamilyScore):
        rounding = 1e-3

        def of_family(self, family: Family) -> float:
            return -500.0 if family.child == "lung" else 0.0

    assert LocalScore(asia(), Rough()).rounding == pytest.approx(0.5)


# --- graphs


@every_method
def test_a_built_in_score_that_goes_through_python_finds_the_same_graph(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 4)
    own = run_search(SHORT[method], LocalScore(data, Answering()), seed=1, workers=1)
    built_in = run_search(SHORT[method], LocalScore(data, "bic"), seed=1, workers=1)
    assert own.score == pytest.approx(built_in.score, rel=1e-12)
    assert own.status == built_in.status
    if method == "chow-liu":  # by arcs and not by edges: which end is the root does not matter
        assert own.dag.is_equivalent(built_in.dag)
        return
    assert own.dag == built_in.dag
    if method not in (*SELECTING, "orders"):  # with bounds, fewer sets are scored
        assert own.counters == built_in.counters


@every_method
@pytest.mark.parametrize("score", [BicByCounts(), BicByFamily()], ids=str)
def test_every_search_finds_the_same_graph_of_asia(method: str, score: Score) -> None:
    own = learn(asia(), method=SHORT[method], score=score, seed=1)
    built_in = learn(asia(), method=SHORT[method], score="bic", seed=1)
    if method == "lagd":  # of directions that are equally good it takes any, and last bits decide
        assert own.score == pytest.approx(built_in.score, rel=1e-2)
        return
    assert own.score == pytest.approx(built_in.score, rel=1e-12)
    if method in ("chow-liu", "narrow"):  # of graphs of one class they take any, and last bits decide
        assert own.dag.is_equivalent(built_in.dag)
        return
    assert own.dag == built_in.dag


@pytest.mark.parametrize("method", ["ges", "orders", "greedy"])
def test_the_same_graph_of_alarm(method: str) -> None:
    data = load_example("alarm").sample(1000, seed=1)
    own, built_in = (learn(data, method=method, score=score, seed=1) for score in (BicByCounts(), "bic"))
    if method == "orders":  # at the end of a thousand climbs, last bits have chosen among graphs of one class
        assert own.dag.is_equivalent(built_in.dag)
    else:
        assert own.dag == built_in.dag
    assert own.score == pytest.approx(built_in.score, rel=1e-12)


@pytest.mark.parametrize("workers", [1, 4])
def test_threads_do_not_change_the_graph(workers: int) -> None:
    data = dependent_table(arities=(2, 3) * 4)
    options: dict[str, Any] = {"method": "sgs3", "climbs": 12, "random_start": True, "seed": 2}
    expected = learn(data, score="bic", workers=1, **options)
    found = learn(data, score=BicByCounts(), workers=workers, **options)
    assert found.dag == expected.dag


def test_all_that_takes_a_score_takes_one_in_python() -> None:
    data, score = dependent_table(), BicByCounts()
    graph = learn(data, score="bic", seed=1).dag
    assert learn(data, score=score, seed=1).status == Status.OPTIMAL
    assert arcwise.arc_gains(graph, data, score) == pytest.approx(arcwise.arc_gains(graph, data, "bic"), rel=1e-9)
    own, built_in = (arcwise.bootstrap(data, "greedy", 5, score=each, seed=1) for each in (score, "bic"))
    assert (own.edges.toarray() == built_in.edges.toarray()).all()
    compared = arcwise.compare_methods(data, ["greedy", "ges"], scores=[score, BDeu()], seed=1)
    assert compared.definitions == ("BicByCounts", "BDeu(ess=1)")
    learner = arcwise.BayesianNetworkLearner(criterion=score, random_state=1).fit(data.to_frame("pandas"))
    assert learner.dag_.n_nodes == data.n_variables


# --- what goes wrong


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        (nan, "a finite number, not nan"),
        (-inf, "a finite number, not -inf"),
        (None, r"a number, not None \(NoneType\)"),
        ("-3", r"a number, not '-3' \(str\)"),
        (True, r"a number, not True \(bool\)"),
        (1j, r"a number, not 1j \(complex\)"),
        (np.zeros(3), r"a number, not array\(\[0., 0., 0.\]\) \(ndarray of shape \(3,\)\)"),
    ],
    ids=str,
)
def test_answers_that_are_not_scores_are_refused(wrong: object, shown: str) -> None:
    def of(family: Family) -> object:
        return wrong if len(family.parents) == 2 else -1.0 + len(family.parents)

    with pytest.raises(ParameterError, match=f"Calling must return {shown}, for '.*' with the parents '.*', '.*'"):
        learn(asia(), score=Calling(of), method="greedy", seed=1, workers=2)


@pytest.mark.parametrize("value", [-3, np.float32(-3), np.int8(-3)], ids=lambda value: type(value).__name__)
def test_numbers_of_all_kinds_are_scores(value: float) -> None:
    assert LocalScore(asia(), Calling(lambda family: value)).local(0) == -3.0


class UsersError(Exception):
    """Not one of arcwise."""


@every_method
@pytest.mark.parametrize("workers", [1, 4])
def test_what_a_score_raises_comes_out_as_it_is(method: str, workers: int) -> None:
    error, numbers = UsersError("of the user"), count()
    data = dependent_table(arities=(2, 3) * 4)

    def of(family: Family) -> float:
        if next(numbers) < data.n_variables + 30:
            return Answering().of_family(family)
        raise error

    threads = threading.active_count()
    score = LocalScore(data, Calling(of))
    with pytest.raises(UsersError) as caught:
        run_search(SEARCHES[method], score, seed=1, workers=workers)
    assert caught.value is error
    assert error.__notes__[0].startswith("Calling was asked for the score of ")
    assert threading.active_count() == threads
    made = next(numbers)
    time.sleep(0.01)
    assert next(numbers) == made + 1  # nobody asks on


@pytest.mark.parametrize("method", ["greedy", "ges", "orders", "obs", "exact"])
def test_an_interrupt_that_a_score_raises_comes_out(method: str) -> None:
    data = dependent_table(arities=(2, 3) * 4)

    def of(family: Family) -> float:
        if len(family.parents) == 2:
            raise KeyboardInterrupt("of the user")
        return Answering().of_family(family)

    with pytest.raises(KeyboardInterrupt, match="of the user"):
        learn(data, score=Calling(of), method=method, seed=1, workers=2)


def test_ctrl_c_while_a_family_is_scored() -> None:
    def of(family: Family) -> float:
        if family.parents:
            signal.raise_signal(signal.SIGINT)
        return -1.0

    with pytest.raises(KeyboardInterrupt):  # in the main thread, where signals arrive
        LocalScore(asia(), Calling(of)).local(0, [1])


@every_method
def test_ctrl_c_returns_the_best_so_far(method: str) -> None:
    data, numbers = dependent_table(arities=(2, 3) * 4), count()
    is_held, continues = threading.Event(), threading.Event()

    def of(family: Family) -> float:
        if next(numbers) == data.n_variables + 30:
            is_held.set()
            continues.wait()
        return Answering().of_family(family)

    budget = Budget(watch=Press(is_held.is_set, continues.set))
    result = run_search(SHORT[method], LocalScore(data, Calling(of)), seed=0, budget=budget)
    assert result.status == Status.INTERRUPTED
    assert result.dag.names == data.names


@pytest.mark.parametrize("method", ["greedy", "ges", "orders", "obs", "chow-liu"])
def test_time_limits_are_kept_between_families(method: str) -> None:
    data, calls = dependent_table(arities=(2,) * 30), count()

    def of(family: Family) -> float:
        if family.parents:
            next(calls)
            time.sleep(0.01)
        return -abs(len(family.parents) - 1.0)  # each wants one parent, which not all can have: no bound ends it

    result = learn(data, score=Calling(of), method=method, seed=1, time_limit=0.2, workers=1)
    assert result.status == Status.TIME_LIMIT
    assert next(calls) <= 0.2 / 0.01 + 5  # all of them would be hundreds


def test_evaluation_limits_are_kept() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    for method in ("greedy", "ges", "orders"):
        own, built_in = (
            learn(data, score=score, method=method, seed=5, evaluation_limit=100) for score in (Answering(), "bic")
        )
        assert own.counters["evaluations"] == built_in.counters["evaluations"]
        assert own.dag == built_in.dag


def test_searches_and_scores_side_by_side_do_not_wait_forever() -> None:
    """Locks of the kernels come before that of the interpreter, whoever holds them."""
    data = dependent_table(arities=(2, 3) * 5)
    score, found = LocalScore(data, BicByCounts()), dict[str, arcwise.Dag]()
    methods = ("ges", "orders", "greedy", "obs")

    def work(method: str) -> None:
        found[method] = run_search(SEARCHES[method], score, seed=1, workers=2).dag

    threads = [threading.Thread(target=work, args=(method,), daemon=True) for method in methods]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        score.total(arcwise.Dag(data.names, [(data.names[0], data.names[1])]))
        score.additions(2, [3])
        threads[0].join(0.001)
        if not threads[0].is_alive():
            break
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads)
    expected = LocalScore(data, "bic")
    for method in methods:
        assert found[method] == run_search(SEARCHES[method], expected, seed=1).dag


def test_a_score_may_ask_another_one() -> None:
    data = asia()
    inner = LocalScore(data, BicByCounts())
    score = LocalScore(data, Calling(lambda family: inner.local(family.child, family.parents)))
    assert run_search(SEARCHES["ges"], score, seed=1).dag == learn(data, method="ges", seed=1).dag


# --- classes


def test_scores_over_classes_need_the_promise() -> None:
    class Silent(FamilyScore):
        def of_family(self, family: Family) -> float:
            return -1.0

    with pytest.raises(ParameterError, match=r"which Silent does not; .*; if it does, set is_equivalent = True"):
        learn(asia(), score=Silent(), method="ges")


def test_parameters_are_fields() -> None:
    class Careless(FamilyScore):
        def __init__(self, weight: float) -> None:
            self.weight = weight

        def of_family(self, family: Family) -> float:
            return -self.weight

    with pytest.raises(ParameterError, match="Careless keeps 'weight' outside of its fields"):
        LocalScore(asia(), Careless(3.0))


def test_names_of_built_in_scores_are_taken() -> None:
    with pytest.raises(ParameterError, match="name of Mine must be another one than those of built-in scores"):

        class Mine(FamilyScore):
            name = "bic"


@pytest.mark.parametrize("kind", [CountScore, FamilyScore, BicByCounts])
def test_classes_are_not_scores(kind: type[Score]) -> None:
    with pytest.raises(ParameterError, match="score must be one of bic"):
        LocalScore(asia(), kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("rounding", [-1.0, nan, "much"])
def test_roundings_that_mean_nothing_are_refused(rounding: object) -> None:
    kind = type("Odd", (Calling,), {"rounding": rounding})
    with pytest.raises(ParameterError, match="rounding of Odd must be a finite number"):
        LocalScore(asia(), kind(lambda family: -1.0))


def test_mistakes_show_when_a_score_is_bound() -> None:
    def of(family: Family) -> float:
        raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake") as caught:
        LocalScore(asia(), Calling(of))
    assert caught.value.__notes__ == ["Calling was asked for the score of 'asia' alone"]


def test_trees_of_replicas_are_learned_by_built_in_scores() -> None:
    with pytest.raises(ParameterError, match="trees are learned by a built-in score"):
        arcwise.tree_mixture(LocalScore(asia()), trees=2, by=BicByCounts(), seed=1)
    by_tests = arcwise.mmhc(LocalScore(asia(), BicByCounts()), seed=1).dag
    assert by_tests == arcwise.mmhc(LocalScore(asia(), "bic"), seed=1).dag


# --- files, pickles, memory


def test_a_run_is_recorded_and_read_again(tmp_path: Path) -> None:
    score = BdeuByCounts(ess=2.5)
    result = learn(asia(), score=score, method="greedy", seed=1)
    assert result.provenance.score is score
    arcwise.write_run(result, tmp_path / "run.json")
    read = arcwise.read_run(tmp_path / "run.json")
    assert read.result.provenance == result.provenance
    assert result.provenance == read.result.provenance
    assert str(read.result.provenance.score) == "BdeuByCounts(ess=2.5)"
    assert read.result.provenance.score != BdeuByCounts(ess=3.0)
    assert read.gains == pytest.approx([arcwise.arc_gains(result.dag, asia(), score)[arc] for arc in result.dag.arcs])
    arcwise.write_run(read, tmp_path / "again.json")
    assert arcwise.read_run(tmp_path / "again.json").result.provenance == result.provenance
    arcwise.write_report(read, tmp_path / "report.html")
    assert "BdeuByCounts(ess=2.5)" in (tmp_path / "report.html").read_text()
    assert arcwise.Run.of(read.result, asia()).gains is None  # nothing is left of it to score with
    with pytest.raises(ParameterError, match=r"not <BdeuByCounts\(ess=2.5\), a score in Python of which a file tells>"):
        LocalScore(asia(), read.result.provenance.score or "bic")


def test_a_run_is_resumed_with_the_same_score(tmp_path: Path) -> None:
    data, path = dependent_table(arities=(2, 3) * 4), tmp_path / "run.json"
    options: dict[str, Any] = {"method": "greedy", "checkpoint": path}
    learn(data, score=BdeuByCounts(ess=2.0), climbs=2, seed=1, **options)
    for other in ("bic", BdeuByCounts(ess=3.0)):
        message = r"BdeuByCounts\(ess=2.0\), not .*; it is written in Python, and no file has it: give the same"
        with pytest.raises(ParameterError, match=message):
            learn(data, score=other, climbs=4, resume=True, **options)
    parts = learn(data, score=BdeuByCounts(ess=2.0), climbs=4, resume=True, **options)
    assert parts.counters["climbs"] == 4
    assert parts.dag == learn(data, score=BdeuByCounts(ess=2.0), method="greedy", climbs=4, seed=1).dag


def test_pickles() -> None:
    score = LocalScore(asia(), BdeuByCounts(ess=2.0))
    again = pickle.loads(pickle.dumps(score))
    assert again.score == score.score
    assert again.local(0, [1]) == score.local(0, [1])
    result = learn(asia(), score=BdeuByCounts(ess=2.0), seed=1)
    assert pickle.loads(pickle.dumps(result)) == result


def test_scores_that_refer_to_themselves_are_collected() -> None:
    def made() -> weakref.ref[LocalScore]:
        known: list[LocalScore] = []
        known.append(LocalScore(asia(), Calling(lambda family: -float(len(known)))))
        return weakref.ref(known[0])

    gone = made()
    gc.collect()
    assert gone() is None


def test_objects_of_two_parameters_are_different() -> None:
    @dataclass(frozen=True)
    class Two(FamilyScore):
        kind: str = "a"
        weights: tuple[int, ...] = (1, 2)

        def of_family(self, family: Family) -> float:
            return -float(sum(self.weights))

    assert Two() == Two()
    assert Two() != Two("b")
    assert str(Two("b")) == "Two(kind=b, weights=(1, 2))"
    result = learn(asia(), score=Two("b"), method="greedy")
    assert result.provenance.score == Two("b")


# --- checks


@pytest.mark.parametrize("score", [*COUNTED, *(own for own, _ in TWINS)], ids=str)
def test_good_scores_pass_all_checks(score: str | Score) -> None:
    assert check_score(score, asia(), seed=1) == ()


def first_parent(family: Family) -> float:
    return -float(family.data.names.index(family.parents[0])) if family.parents else -1.0


def ever_lower() -> Callable[[Family], float]:
    numbers = count()
    return lambda family: -float(next(numbers))


@pytest.mark.parametrize(
    ("function", "problems"),
    [
        (first_parent, ["the order of the variables", "is_equivalent is True"]),
        (ever_lower(), ["a family that is scored twice", "the order of the variables", "is_equivalent is True"]),
        (lambda family: -float(len(family.parents) ** 2), []),
        (lambda family: -float(len(family.child) * len(family.parents)), ["is_equivalent is True"]),
    ],
)
def test_bad_scores_are_found_out(function: Callable[[Family], float], problems: list[str]) -> None:
    found = check_score(Calling(function), asia(), seed=1)
    assert len(found) == len(problems)
    for problem, expected in zip(found, problems, strict=True):
        assert problem.startswith(expected)
        assert "'" in problem  # names the family
